package cairn_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestHouse(t *testing.T) {
	for _, fault := range houseFaults(os.DirFS(".")) {
		t.Error(fault)
	}
}

// What one person can hold. A change that needs more replaces something.
const (
	mostRooms    = 16   // folders at the root
	mostNames    = 1300 // exported functions, types and methods outside of internal/
	leastWithin  = 0.45 // the share of internal/ of the lines
	mostWords    = 70   // of the glossary
	mostMeanings = 2    // packages that have a type of one name
)

// TestCounts holds the size of the house.
func TestCounts(t *testing.T) {
	h, err := measure(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	if len(h.rooms) > mostRooms {
		t.Errorf("%d folders at the root, at most %d: %q", len(h.rooms), mostRooms, h.rooms)
	}
	if h.names > mostNames {
		t.Errorf("%d exported names outside of internal/, at most %d", h.names, mostNames)
	}
	if share := float64(h.within) / float64(h.lines); share < leastWithin {
		t.Errorf("internal/ has %.3f of the lines, at least %.2f", share, leastWithin)
	}
	for name, in := range h.types {
		if len(in) > mostMeanings && name != "Options" && name != "Stats" {
			t.Errorf("type %s stands in %d packages, at most %d: %q", name, len(in), mostMeanings, in)
		}
	}
	words := glossary(mustRead(t, architecture))
	if n := len(words); n > mostWords || n < mostWords/2 {
		t.Errorf("%d words in the glossary, at most %d", n, mostWords)
	}
	for i, w := range words {
		if slices.Contains(words[:i], w) {
			t.Errorf("the glossary has %q twice", w)
		}
	}
	t.Logf("%d lines, %.1f %% of them in internal/, %d exported names outside of it, %d words, %d rooms",
		h.lines, 100*float64(h.within)/float64(h.lines), h.names, len(words), len(h.rooms))
}

// size is what the product is made of: Go outside of tests, bench and internal/testing.
type size struct {
	rooms         []string            // the folders at the root
	lines, within int                 // all, and those in internal/
	names         int                 // exported functions, types and methods outside of internal/ and cmd/
	types         map[string][]string // the packages of each exported type name
}

func measure(tree fs.FS) (size, error) {
	h := size{rooms: []string{"bench", "docs"}, types: make(map[string][]string)}
	names, err := goFiles(tree)
	if err != nil {
		return h, err
	}
	for _, name := range names {
		if room, _, below := strings.Cut(name, "/"); below && !slices.Contains(h.rooms, room) {
			h.rooms = append(h.rooms, room)
		}
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/testing/") {
			continue
		}
		if err := h.add(tree, name); err != nil {
			return h, err
		}
	}
	return h, nil
}

// add counts one file.
func (h *size) add(tree fs.FS, name string) error {
	src, err := fs.ReadFile(tree, name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	n := strings.Count(string(src), "\n")
	h.lines += n
	within := strings.HasPrefix(name, "internal/")
	if within {
		h.within += n
	}
	if strings.HasPrefix(name, "cmd/") {
		return nil
	}
	for _, decl := range file.Decls {
		exported := exportedTypes(decl)
		for _, s := range exported {
			if in := h.types[s.Name.Name]; !s.Assign.IsValid() && !slices.Contains(in, path.Dir(name)) {
				h.types[s.Name.Name] = append(in, path.Dir(name))
			}
		}
		if within {
			continue
		}
		h.names += len(exported)
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.IsExported() && exportedReceiver(f) {
			h.names++
		}
	}
	return nil
}

func exportedTypes(decl ast.Decl) (out []*ast.TypeSpec) {
	d, ok := decl.(*ast.GenDecl)
	if !ok {
		return nil
	}
	for _, spec := range d.Specs {
		if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
			out = append(out, s)
		}
	}
	return out
}

// glossary returns the words that the tables of the page define.
func glossary(page string) (words []string) {
	for line := range strings.Lines(section(page, "Words")) {
		cell, ok := strings.CutPrefix(line, "| ")
		cell, _, _ = strings.Cut(cell, " |")
		if ok && cell != "word" {
			words = append(words, strings.Split(cell, ", ")...)
		}
	}
	return words
}

// houseFaults returns the places in tree that break a rule of CONTRIBUTING.md
// that a program can check.
func houseFaults(tree fs.FS) []string {
	names, err := goFiles(tree)
	if err != nil {
		return []string{err.Error()}
	}
	var out []string
	docs := make(map[string]string) // package comments by directory
	promised, err := promisesOf(tree, names)
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range names {
		src, err := fs.ReadFile(tree, name)
		if err != nil {
			return append(out, err.Error())
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
		if err != nil {
			return append(out, err.Error())
		}
		if strings.HasSuffix(name, "_test.go") {
			out = append(out, testFaults(name, file)...)
			continue
		}
		docs[path.Dir(name)] += file.Doc.Text()
		out = append(out, fileFaults(name, fset, file, promised)...)
	}
	for _, name := range names {
		dir := path.Dir(name)
		if doc, ok := docs[dir]; ok && doc == "" {
			out = append(out, dir+": no package comment")
		}
		delete(docs, dir)
	}
	return out
}

// testFaults reports tests inside the package that they test. Only export_test.go may be one.
func testFaults(name string, file *ast.File) []string {
	if path.Base(name) == "export_test.go" || strings.HasSuffix(file.Name.Name, "_test") {
		return nil
	}
	return []string{fmt.Sprintf("%s: package %s is not external", name, file.Name.Name)}
}

func fileFaults(name string, fset *token.FileSet, file *ast.File, promised promises) []string {
	var out []string
	fault := func(at token.Pos, format string, args ...any) {
		out = append(out, fmt.Sprintf("%s:%d: %s", name, fset.Position(at).Line, fmt.Sprintf(format, args...)))
	}
	for _, decl := range file.Decls {
		for _, id := range undocumented(decl) {
			if f, ok := decl.(*ast.FuncDecl); ok && promised.has(path.Dir(name), f) {
				continue
			}
			fault(id.Pos(), "%s has no comment", id.Name)
		}
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && !slices.Contains(registering, name) {
			fault(f.Pos(), "func init")
		}
	}
	for _, group := range file.Comments {
		if unfinished.MatchString(group.Text()) {
			fault(group.Pos(), "unfinished: %s", strings.TrimSpace(group.Text()))
		}
	}
	if quiet(path.Dir(name)) {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				fault(n.Pos(), "a goroutine in a package that computes")
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && (n.Sel.Name == "Now" || n.Sel.Name == "Since") {
					fault(n.Pos(), "a clock in a package that computes")
				}
			}
			return true
		})
	}
	return out
}

// registering are the files that may have an init: it registers the scheme of a store.
var registering = []string{"store/local/register.go", "store/cluster/register.go", "store/client/register.go"}

var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX|HACK)\b`)

// quiet reports whether a package starts no goroutine and reads no clock: those that only compute.
func quiet(dir string) bool {
	rank := rankOf(plan, dir)
	return slices.ContainsFunc(floors, func(f floor) bool {
		return strings.Contains("cells bytes formats views", f.name) && rank >= 0 && slices.Contains(f.rows, plan[rank])
	}) || dir == "store/history"
}

// undocumented returns the exported names of decl that have no comment. The
// comment of a group counts for its constants and variables. Methods that the
// standard library names need none.
func undocumented(decl ast.Decl) []*ast.Ident {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !wellKnown(d) {
			return []*ast.Ident{d.Name}
		}
	case *ast.GenDecl:
		var out []*ast.Ident
		for _, spec := range d.Specs {
			out = append(out, bareNames(d, spec)...)
		}
		return out
	}
	return nil
}

func bareNames(d *ast.GenDecl, spec ast.Spec) []*ast.Ident {
	var out []*ast.Ident
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && s.Doc == nil && (d.Doc == nil || d.Lparen.IsValid()) {
			out = append(out, s.Name)
		}
	case *ast.ValueSpec:
		if d.Doc != nil || s.Doc != nil || s.Comment != nil {
			return nil
		}
		for _, id := range s.Names {
			if id.IsExported() {
				out = append(out, id)
			}
		}
	}
	return out
}

// promises are the methods of interfaces, and which types implement these: `var _ I = (*T)(nil)`
// says so. The interface has the comments of the methods.
type promises struct {
	interfaces map[string]*ast.InterfaceType // by package and name
	types      map[string][]string           // interfaces of a type, by directory and name
}

func promisesOf(tree fs.FS, names []string) (promises, error) {
	p := promises{make(map[string]*ast.InterfaceType), make(map[string][]string)}
	for _, name := range names {
		src, err := fs.ReadFile(tree, name)
		if err != nil || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			return p, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch s := n.(type) {
			case *ast.TypeSpec:
				if t, ok := s.Type.(*ast.InterfaceType); ok {
					p.interfaces[file.Name.Name+"."+s.Name.Name] = t
				}
			case *ast.ValueSpec:
				if len(s.Names) == 1 && s.Names[0].Name == "_" && s.Type != nil && len(s.Values) == 1 {
					of, is := path.Dir(name)+"."+lastName(s.Values[0]), qualified(file, s.Type)
					p.types[of] = append(p.types[of], is)
				}
			}
			return true
		})
	}
	return p, nil
}

// qualified returns the package and the name of a type.
func qualified(file *ast.File, t ast.Expr) string {
	if s, ok := t.(*ast.SelectorExpr); ok {
		return lastName(s.X) + "." + s.Sel.Name
	}
	return file.Name.Name + "." + lastName(t)
}

// lastName returns the only name in (*T)(nil), T{} and the like.
func lastName(e ast.Expr) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name != "nil" {
			name = id.Name
		}
		return true
	})
	return name
}

func (p promises) has(dir string, f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return false
	}
	for _, is := range p.types[dir+"."+lastName(f.Recv.List[0].Type)] {
		if p.method(is, f.Name.Name) {
			return true
		}
	}
	return false
}

func (p promises) method(is, name string) bool {
	t := p.interfaces[is]
	if t == nil {
		return false
	}
	pkg, _, _ := strings.Cut(is, ".")
	for _, m := range t.Methods.List {
		if len(m.Names) == 0 && p.method(qualified(&ast.File{Name: ast.NewIdent(pkg)}, m.Type), name) {
			return true
		}
		for _, id := range m.Names {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

// exportedReceiver reports whether d is a function or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	var name *ast.Ident // of the type; what follows are its parameters
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == nil {
			name = id
		}
		return name == nil
	})
	return name.IsExported()
}

func wellKnown(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{"String", "Error", "Unwrap"}, d.Name.Name)
}

func TestMeasure(t *testing.T) {
	h, err := measure(fstest.MapFS{
		"geom/a.go":             {Data: []byte("package p\n\ntype T int\n\nfunc (T) M() {}\n\nfunc f() {}\n\ntype u[P any] int\n\nfunc (*u[P]) N() {}\n")},
		"geom/a_test.go":        {Data: []byte("package p\n\nfunc F() {}\n")},
		"internal/a/a.go":       {Data: []byte("package a\n\ntype T int\n\ntype V = T\n")},
		"internal/testing/a.go": {Data: []byte("package a\n\ntype T int\n")},
		"cmd/a/a.go":            {Data: []byte("package main\n\ntype T int\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.rooms) != 5 || h.lines != 19 || h.within != 5 || h.names != 2 || len(h.types["T"]) != 2 || len(h.types["V"]) != 0 {
		t.Errorf("measured %+v", h)
	}
	if got := glossary("# A\n\n## Words\n\n| word | meaning |\n|---|---|\n| a, b | c |\n\n## Map\n\n| d | e |\n"); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("glossary %q", got)
	}
}

func TestHouseFaults(t *testing.T) {
	const head = "// Package p holds nothing.\npackage p\n"
	for _, tt := range []struct {
		name, file, src string
		want            string // part of the only fault, "" for none
	}{
		{"plain", "geom/a.go", head + "// F does.\nfunc F() {}\n", ""},
		{"no package comment", "geom/a.go", "package p\n", "geom: no package comment"},
		{"bare function", "geom/a.go", head + "func F() {}\n", "geom/a.go:3: F has no comment"},
		{"bare method", "geom/a.go", head + "// T is.\ntype T int\nfunc (*T) M() {}\n", "M has no comment"},
		{"bare method of an interface", "geom/a.go", head + "type i interface{ M() }\n\nvar _ i = (*T)(nil)\n\n// T is.\ntype T int\nfunc (*T) M() {}\n", ""},
		{"bare method beside an interface", "geom/a.go", head + "type i interface{ M() }\n\nvar _ i = (*T)(nil)\n\n// T is.\ntype T int\nfunc (*T) N() {}\n", "N has no comment"},
		{"bare generic method", "geom/a.go", head + "// T is.\ntype T[E any] int\nfunc (*T[E]) M() {}\n", "M has no comment"},
		{"well-known method", "geom/a.go", head + "// T is.\ntype T int\nfunc (T) String() string { return \"\" }\n", ""},
		{"bare function String", "geom/a.go", head + "func String() {}\n", "String has no comment"},
		{"hidden receiver", "geom/a.go", head + "type t int\nfunc (t) M() {}\n", ""},
		{"bare type", "geom/a.go", head + "type T int\n", "T has no comment"},
		{"bare type in a group", "geom/a.go", head + "// Types.\ntype (\n\tT int\n)\n", "T has no comment"},
		{"bare constant", "geom/a.go", head + "const A, b = 1, 2\n", "A has no comment"},
		{"constants with one comment", "geom/a.go", head + "// The letters.\nconst (\n\tA = 1\n\tB = 2\n)\n", ""},
		{"constant with a remark", "geom/a.go", head + "const (\n\tA = 1 // first\n)\n", ""},
		{"init", "geom/a.go", head + "func init() {}\n", "func init"},
		{"init that registers", "store/local/register.go", head + "func init() {}\n", ""},
		{"unfinished", "geom/a.go", head + "// TO" + "DO: more\n", "unfinished"},
		{"goroutine", "stone/a.go", head + "func f() { go f() }\n", "a goroutine in a package that computes"},
		{"clock", "stone/a.go", head + "var t = time.Now\n", "a clock in a package that computes"},
		{"goroutine above", "store/local/a.go", head + "func f() { go f() }\n", ""},
		{"internal test", "geom/a_test.go", "package p\n", "package p is not external"},
		{"test inside its package", "geom/export_test.go", "package p\n", ""},
		{"broken", "geom/a.go", "package", "expected 'IDENT'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantFault(t, houseFaults(fstest.MapFS{tt.file: {Data: []byte(tt.src)}}), tt.want)
		})
	}
}
