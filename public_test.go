package cairn_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPublicTypes: users can name every type that a public signature names. An exported alias gives
// a type of internal/ a public name.
func TestPublicTypes(t *testing.T) {
	got := hiddenTypes(os.DirFS("."))
	for _, fault := range got {
		if !slices.Contains(leaves, fault) {
			t.Error(fault)
		}
	}
	for _, fault := range leaves {
		if !slices.Contains(got, fault) {
			t.Errorf("mended: %s", fault)
		}
	}
}

// leaves are what packages of internal/format call of format/clip, which users do not.
var leaves = []string{
	"format/clip/builder.go: document.Limit",
	"format/clip/clip.go: document.Field",
	"format/clip/collector.go: format.Column",
	"format/clip/collector.go: format.Dimension",
	"format/clip/collector.go: format.File",
	"format/clip/leaf.go: format.Kind",
	"format/clip/object.go: document.Field",
	"format/clip/source.go: format.Source",
}

func TestHiddenTypes(t *testing.T) {
	tree := fstest.MapFS{
		"a/a.go": {Data: []byte(`package a
import ("m/internal/x"; y "m/internal/z"; "m/b")
type A = x.T
type T struct { x.E; Field []y.T; hidden x.H }
type I interface { M(b.T, func(y.V)) }
func F() (*x.R, error) { return x.New() }
func g(x.P) {}
func (t) M(x.P) {}
var V y.W = 1
`)},
		"a/a_test.go":     {Data: []byte("package a\nimport \"m/internal/x\"\nfunc F(x.T) {}\n")},
		"internal/a/a.go": {Data: []byte("package a\nimport \"m/internal/x\"\nfunc F(x.T) {}\n")},
	}
	want := []string{"a/a.go: x.E", "a/a.go: x.R", "a/a.go: y.T", "a/a.go: y.V", "a/a.go: y.W"}
	if got := hiddenTypes(tree); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// hiddenTypes returns the types of internal/ that public signatures name, with their files.
func hiddenTypes(tree fs.FS) (out []string) {
	names, err := goFiles(tree)
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || slices.Contains([]string{"internal", "cmd", "bench", "deploy"}, strings.Split(name, "/")[0]) {
			continue
		}
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return append(out, err.Error())
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return append(out, err.Error())
		}
		hidden := make(map[string]bool) // names of imports of internal/
		for _, i := range file.Imports {
			p, _ := strconv.Unquote(i.Path.Value)
			as := path.Base(p)
			if i.Name != nil {
				as = i.Name.Name
			}
			hidden[as] = strings.Contains(p, "/internal/")
		}
		for _, decl := range file.Decls {
			for _, e := range signature(decl) {
				ast.Inspect(e, func(n ast.Node) bool {
					s, ok := n.(*ast.SelectorExpr)
					if !ok {
						return true
					}
					if x, ok := s.X.(*ast.Ident); ok && hidden[x.Name] {
						out = append(out, fmt.Sprintf("%s: %s.%s", name, x.Name, s.Sel.Name))
					}
					return false
				})
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// signature returns the types that users of an exported declaration meet.
func signature(decl ast.Decl) (out []ast.Node) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && exportedReceiver(d) {
			out = append(out, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && !s.Assign.IsValid() {
					out = append(out, shown(s.Type)...)
				}
			case *ast.ValueSpec:
				if s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
					out = append(out, s.Type)
				}
			}
		}
	}
	return out
}

// shown returns the parts of a type that other packages see: of a struct its exported and its
// embedded fields.
func shown(t ast.Expr) (out []ast.Node) {
	s, ok := t.(*ast.StructType)
	if !ok {
		return []ast.Node{t}
	}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
			out = append(out, f.Type)
		}
	}
	return out
}
