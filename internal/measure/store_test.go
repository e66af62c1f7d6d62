package measure_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/measure"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if program.dir != "" {
		os.RemoveAll(program.dir)
	}
	os.Exit(code)
}

// program is the command cairn, built when it is first needed.
var program struct {
	once sync.Once
	dir  string
	err  error
}

// tiny is options of a benchmark of stores that takes a second or so.
func tiny(t *testing.T) measure.Options {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	program.once.Do(func() {
		if program.dir, program.err = os.MkdirTemp("", "cairn-test"); program.err != nil {
			return
		}
		out, err := exec.Command("go", "build", "-o", filepath.Join(program.dir, "cairn.exe"), "../../cmd/cairn").CombinedOutput()
		if err != nil {
			program.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return measure.Options{Seed: 1, Worlds: 50, Clients: 4, Seconds: .5, Command: []string{filepath.Join(program.dir, "cairn.exe")}}
}

// mustLeaveNothing fails the test if something is left in the directory of
// temporary files, which is one of the test's own from now on.
func mustLeaveNothing(t *testing.T) {
	t.Helper()
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Cleanup(func() {
		if left, err := filepath.Glob(filepath.Join(temp, "*")); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
}

func TestBenchStore(t *testing.T) {
	o := tiny(t)
	mustLeaveNothing(t)
	r, err := measure.BenchStore(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	names := ""
	for _, row := range r.Rows {
		names += row.Name + " "
		if row.Missing != "" {
			continue
		}
		if row.Errors != 0 || row.Error != "" || row.Saves == 0 || row.Loads == 0 || row.Ops <= 0 || row.P99 <= 0 || row.P99 < row.P50 || row.Disk == 0 {
			t.Errorf("not plausible: %+v", row)
		}
		if stacks := row.Name == "library" || row.Name == "server"; stacks != (row.Highest > 0) || row.Highest > 8 {
			t.Errorf("%s: highest stack %d", row.Name, row.Highest)
		}
	}
	if want := "library server slime_dir redis "; names != want {
		t.Errorf("rows %q, want %q", names, want)
	}
	text := mustJSON(t, r)
	if got, want := keysAt(t, text, "rows"), "bytes_per_save cpu_s disk_bytes errors highest_stack load_p50_ms load_p99_ms loads name ops_per_s p50_ms p99_ms save_p50_ms save_p99_ms saves"; got != want {
		t.Errorf("keys %s, want %s", got, want)
	}
	checkTable(t, r.Table, "library", "slime_dir", "operations/s")
}

func TestBenchStoreMissing(t *testing.T) {
	o := tiny(t)
	t.Setenv("PATH", t.TempDir())
	o.Worlds, o.Seconds = 10, .1
	r, err := measure.BenchStore(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if row := r.Rows[3]; row.Name != "redis" || row.Missing != "redis-server is not on the PATH" || row.Saves != 0 {
		t.Errorf("got %+v, want a row without redis-server", row)
	}
	checkTable(t, r.Table, "redis: redis-server is not on the PATH")
}

func TestBenchStoreStops(t *testing.T) {
	o := tiny(t)
	mustLeaveNothing(t)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	o.Seconds = 60
	o.Progress = func(_, _ int, next string) {
		if next == "collecting" || next == "making islands" {
			stop()
		}
	}
	if _, err := measure.BenchStore(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestChild(t *testing.T) {
	for _, in := range []string{"", "{}", `{"What":"row","Row":"none","Pool":"none"}`, "[1]"} {
		if err := measure.Child(context.Background(), strings.NewReader(in), io.Discard); err == nil {
			t.Errorf("%q: no error", in)
		}
	}
}
