//go:build unix

package anvil_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
)

// TestHold: a game that begins after a world was opened keeps it, and none begins while cairn holds it.
func TestHold(t *testing.T) {
	have, to := spliceWorld()
	dir := put(t, t.TempDir(), have)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	game := func() (cmd *exec.Cmd, line string, end func()) {
		cmd = exec.Command(self)
		cmd.Env = append(os.Environ(), holdEnv+"="+filepath.Join(dir, "session.lock"))
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, _ = bufio.NewReader(out).ReadString('\n')
		return cmd, line, func() { in.Close(); cmd.Wait() }
	}
	w := mustOpen(t, dir)
	_, line, end := game()
	if line != "held\n" {
		t.Fatalf("the game says %q", line)
	}
	for _, dry := range []bool{true, false} {
		if _, err := w.Splice(t.Context(), "overworld", to, spliced, anvil.SpliceOptions{Dry: dry}); !errors.Is(err, anvil.ErrInUse) {
			t.Errorf("dry %v: got %v, want %v", dry, err, anvil.ErrInUse)
		}
		if _, _, err := w.PutFile("playerdata/a.dat", nil, dry); !errors.Is(err, anvil.ErrInUse) {
			t.Errorf("a file, dry %v: got %v, want %v", dry, err, anvil.ErrInUse)
		}
	}
	end()
	w.Close()
	w = mustOpen(t, dir)
	if err := w.Hold(false); err != nil {
		t.Fatal(err)
	}
	if cmd, line, end := game(); line == "held\n" {
		t.Error("a game begins while the world is held")
	} else {
		end()
		if cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("the game ends with %d", cmd.ProcessState.ExitCode())
		}
	}
	w.Close()
	if _, line, end := game(); line != "held\n" {
		t.Errorf("the lock is not released: %q", line)
	} else {
		end()
	}
}
