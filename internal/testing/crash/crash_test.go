package main_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// mustBuild builds the program with tags and returns its path.
func mustBuild(t *testing.T, tags string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "crash")
	if out, err := exec.Command("go", "build", "-tags", tags, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// run returns the output of the program and its exit status.
func run(t *testing.T, program string, args ...string) (said string, status int) {
	t.Helper()
	out, err := exec.Command(program, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		status = exit.ExitCode()
	}
	return string(out), status
}

func TestStops(t *testing.T) {
	program, dir := mustBuild(t, ""), t.TempDir()
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"-n 20", 0, "2 kills in"},
		{"-n 20 -seed 99", 0, "18 stops at syncs"},
		{"-kill 4 -sync 0 -parallel 3", 0, "4 kills in"},
		{"-kill 0 -sync 50", 0, "50 stops at syncs"},
		{"-sync x", 2, "invalid value"},
		{"more", 2, "want flags only"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			if tt.status == 0 {
				long.Rest(t) // the step crash does as much
			}
			said, status := run(t, program, append(strings.Fields(tt.args), "-dir", dir)...)
			if status != tt.status || !strings.Contains(said, tt.want) {
				t.Errorf("status %d: want %d with %q:\n%s", status, tt.status, tt.want, said)
			}
			if status == 0 && !strings.Contains(said, "0 losses") {
				t.Errorf("no word of losses:\n%s", said)
			}
		})
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A store that acknowledges before its log is synced loses something soon.
func TestNoSync(t *testing.T) {
	long.Rest(t)
	said, status := run(t, mustBuild(t, "nosync"), "-kill", "0", "-sync", "500")
	if status != 1 || !strings.Contains(said, "lost in") {
		t.Errorf("status %d: want 1, with a loss:\n%s", status, said)
	}
}
