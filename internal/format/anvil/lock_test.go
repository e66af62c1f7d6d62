//go:build unix

package anvil_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
)

// TestMain runs as the game that holds a session.lock where holdEnv names one.
func TestMain(m *testing.M) {
	if name := os.Getenv(holdEnv); name != "" {
		hold(name)
		return
	}
	os.Exit(m.Run())
}

const holdEnv = "CAIRN_TEST_HOLD"

// hold locks a file as Java's FileChannel.tryLock does, says so, and waits
// until its standard input ends.
func hold(name string) {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		os.Exit(1)
	}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		os.Exit(1)
	}
	os.Stdout.WriteString("held\n")
	bufio.NewReader(os.Stdin).ReadByte()
	f.Close()
}

func TestSessionLock(t *testing.T) {
	dir := put(t, t.TempDir(), map[string][]byte{"region/r.0.0.mca": oneRegion(), "session.lock": []byte("☃")})
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
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
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the game says %q, %v", line, err)
	}
	if _, err := anvil.Open(dir, anvil.Options{}); !errors.Is(err, anvil.ErrInUse) {
		t.Errorf("held: got %v, want %v", err, anvil.ErrInUse)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	w, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		t.Fatalf("not held: %v", err)
	}
	w.Close()
}
