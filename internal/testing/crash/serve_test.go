package main_test

import (
	"os"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func TestServe(t *testing.T) {
	program, dir := mustBuild(t, ""), t.TempDir()
	for _, tt := range []struct {
		args   string
		status int
		want   string
	}{
		{"-serve -n 2 -worlds 50", 0, "2 kills of a server"},
		{"-serve -n 2 -worlds 0 -seed 7 -clients 3", 0, "2 kills of a server"},
		{"-asleep -n 10", 0, "10 rounds"},
		{"-asleep -n 5 -clients 1 -seed 99", 0, "5 rounds"},
		{"-serve -plant late", 2, "want early or unfenced"},
		{"-serve -plant early -cairn /bin/true", 2, "without -cairn"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			if tt.status == 0 {
				long.Rest(t) // the step crash does as much
			}
			said, status := run(t, program, append(strings.Fields(tt.args), "-dir", dir)...)
			if status != tt.status || !strings.Contains(said, tt.want) || status == 0 && !strings.Contains(said, "0 losses") {
				t.Errorf("status %d: want %d with %q and no losses:\n%s", status, tt.status, tt.want, said)
			}
		})
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A server that is wrong is found soon.
func TestPlanted(t *testing.T) {
	long.Rest(t)
	program := mustBuild(t, "")
	for _, tt := range []struct{ args, want string }{
		{"-serve -n 100 -worlds 0 -plant early", "lost"},
		{"-asleep -n 200 -plant unfenced", "no order of the calls"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			said, status := run(t, program, append(strings.Fields(tt.args), "-dir", t.TempDir())...)
			if status != 1 || !strings.Contains(said, tt.want) {
				t.Errorf("status %d: want 1, with %q:\n%s", status, tt.want, said)
			}
		})
	}
}
