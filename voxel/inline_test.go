package voxel_test

import (
	"os/exec"
	"strings"
	"testing"
)

// What loops call for each row or cell must be inlined where a slice is
// uniform: the compiler's budget for it is used up to the last point.
func TestInlining(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the package")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", ".").CombinedOutput()
	if err != nil {
		t.Skipf("no compiler: %v", err)
	}
	for _, f := range []string{"(*Chunk).Row", "(*Chunk).Cell", "(*Chunk).SliceUniform", "(*Chunk).Uniform", "fill"} {
		if !strings.Contains(string(out), ": can inline "+f+"\n") {
			t.Errorf("%s is no longer inlined", f)
		}
	}
}
