package main_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program is the command, built once.
var program string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "cairn-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "cairn-bench.exe")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// mustRun runs the command and fails unless it exits with want.
func mustRun(t *testing.T, want int, args ...string) (out, errors string) {
	t.Helper()
	var o, e bytes.Buffer
	c := exec.Command(program, args...)
	c.Dir, c.Stdout, c.Stderr = t.TempDir(), &o, &e
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Fatal(err)
	}
	if got := c.ProcessState.ExitCode(); got != want {
		t.Fatalf("cairn-bench %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got, want, &o, &e)
	}
	return o.String(), e.String()
}

func TestWrongCalls(t *testing.T) {
	for _, tt := range []struct {
		code         int
		reason, args string
	}{
		{2, "no measurement; there are abuse, ", ""},
		{2, "no measurement", "patience"},
		{2, "takes no folder", "level island"},
		{2, "takes no folder", "island island"},
		{2, "takes no folder", "edit ."},
		{2, "--voxels 0", "level --voxels 0"},
		{2, "not below 0", "store --worlds -1"},
		{2, "unknown flag", "level --fast"},
		{2, "not square", "growth --columns 256,8"},
		{2, "no verb", "growth --verbs fly"},
		{2, "no trace", "tiles --trace dream"},
		{2, "no cache", "tiles --cache lru"},
		{2, "no scene", "index --scene moon"},
		{2, "0 threads", "tiles --threads 0"},
		{3, "nowhere", "import nowhere"},
		{3, "for measurements alone", "child"},
		{3, "for measurements alone", "tiles-child"},
	} {
		out, errors := mustRun(t, tt.code, strings.Fields(tt.args)...)
		if !strings.Contains(errors, tt.reason) || out != "" || !strings.HasPrefix(errors, "cairn-bench: ") {
			t.Errorf("%s: says %q, %q; want %q", tt.args, out, errors, tt.reason)
		}
	}
}

func TestHelp(t *testing.T) {
	out, errors := mustRun(t, 0, "--help")
	for _, part := range []string{"usage: cairn-bench NAME", "abuse, arena, chunks, ", "--voxels", "--json"} {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in %q", part, out)
		}
	}
	if errors != "" {
		t.Errorf("says on stderr: %s", errors)
	}
}

func TestIsland(t *testing.T) {
	if testing.Short() {
		t.Skip("makes and loads an island")
	}
	out, _ := mustRun(t, 0, "island", "--worlds", "1", "--json")
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || v["islands"] != 1.0 {
		t.Errorf("prints %q, %v; want one document of one island", out, err)
	}
	if out, _ := mustRun(t, 0, "--worlds", "1", "island"); !strings.Contains(out, "p50 ms") {
		t.Errorf("prints %q, want a table", out)
	}
}
