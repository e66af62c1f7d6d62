package geom_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// A build for 32 bits fails with a word that says why.
func TestBits(t *testing.T) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "bits.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for arch, builds := range map[string]bool{"386": false, "arm": false, "mipsle": false, "amd64": true, "arm64": true, "wasm": true} {
		_, err := (&types.Config{Sizes: types.SizesFor("gc", arch)}).Check("geom", files, []*ast.File{file}, nil)
		if (err == nil) != builds || err != nil && !strings.Contains(err.Error(), "cairnRunsOn64BitSystemsOnly") {
			t.Errorf("%s: %v", arch, err)
		}
	}
}
