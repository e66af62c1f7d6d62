package main_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A few runs differ in nothing; a twin that is wrong is found, with the operations that show it.
func TestModel(t *testing.T) {
	program := filepath.Join(t.TempDir(), "model")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	for _, tt := range []struct {
		args, want string
		status     int
	}{
		{"-seeds 5 -seed 7", "5 seeds of 100 operations", 0},
		{"-seeds 2 -readers 2 -steps 30", " 0 differ", 0},
		{"-seeds 20 -plant", "the fewest operations that differ", 1},
		{"-seeds 0", "numbers above 0", 2},
		{"more", "want flags only", 2},
	} {
		t.Run(tt.args, func(t *testing.T) {
			c := exec.Command(program, strings.Fields(tt.args)...)
			out, _ := c.CombinedOutput()
			if status := c.ProcessState.ExitCode(); status != tt.status || !strings.Contains(string(out), tt.want) {
				t.Errorf("status %d: want %d with %q:\n%s", status, tt.status, tt.want, out)
			}
		})
	}
}
