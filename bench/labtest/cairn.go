package labtest

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// program is the command cairn, built when it is first needed.
var program struct {
	once      sync.Once
	dir, file string
	err       error
}

// Main runs tests that call Cairn and returns their exit status.
func Main(m *testing.M) int {
	defer func() {
		if program.dir != "" {
			os.RemoveAll(program.dir)
		}
	}()
	return m.Run()
}

// Cairn returns the file of the command. Short tests that need it are skipped.
func Cairn(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command")
	}
	program.once.Do(func() {
		if program.dir, program.err = os.MkdirTemp("", "cairn-test"); program.err == nil {
			program.file, program.err = lab.BuildCairn(context.Background(), program.dir)
		}
	})
	if program.err != nil {
		t.Fatal(program.err)
	}
	return program.file
}
