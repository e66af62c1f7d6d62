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
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

const (
	architecture   = "docs/ARCHITECTURE.md"
	maxReadmeLines = 120
	maxReadmeWidth = 160
	questions      = 22
	fewestNames    = 60 // that the page has, so that the search for them is seen to work
)

// TestDocs keeps the documents true: what they name is there.
func TestDocs(t *testing.T) {
	tree := os.DirFS(".")
	check := func(faults []string, err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		for _, fault := range faults {
			t.Error(fault)
		}
	}
	check(linkFaults(tree))
	page := mustRead(t, architecture)
	names, faults, err := nameFaults(tree, page)
	check(faults, err)
	if names < fewestNames {
		t.Errorf("%s names %d functions, want at least %d", architecture, names, fewestNames)
	}
	check(questionFaults(page), nil)
	check(readmeFaults(mustRead(t, "README.md"), mustRead(t, "example_test.go")), nil)
}

func mustRead(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// code finds fenced blocks and code spans; link finds inline links of Markdown, with
// what they point at.
var (
	code = regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`")
	link = regexp.MustCompile(`\]\(([^()\s]+)\)`)
)

// linkFaults returns the relative links of Markdown files that lead nowhere.
func linkFaults(tree fs.FS) (faults []string, err error) {
	err = fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name()[0] == '.' || d.Name() == "testdata" || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, _ := strings.Cut(m[1], "#")
			if file = path.Join(path.Dir(name), file); strings.HasPrefix(m[1], "#") {
				file = name
			}
			if _, err := fs.Stat(tree, file); err != nil {
				faults = append(faults, fmt.Sprintf("%s: link to %s: no such file", name, m[1]))
			} else if heading != "" && !hasHeading(tree, file, heading) {
				faults = append(faults, fmt.Sprintf("%s: link to %s: no such heading", name, m[1]))
			}
		}
		return err
	})
	return faults, err
}

// hasHeading reports whether a Markdown file has a heading with that anchor.
func hasHeading(tree fs.FS, name, anchor string) bool {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if title := strings.TrimLeft(line, "#"); title != line && anchorOf(title) == anchor {
			return true
		}
	}
	return false
}

// anchorOf returns the anchor of a heading.
func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ' || r == '-':
			return '-'
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_':
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(title)))
}

// reference finds a Go file in a code span, and behind a colon the names in it.
var reference = regexp.MustCompile("`((?:[a-z_0-9]+/)*[a-z_0-9]+\\.go)`(?::((?:(?:,| and)? `[\\w.]+`)+))?")

// nameFaults returns which Go files, and names in them, that a page names are not
// there, and how many names it has.
func nameFaults(tree fs.FS, page string) (names int, faults []string, err error) {
	for _, m := range reference.FindAllStringSubmatch(page, -1) {
		src, err := fs.ReadFile(tree, m[1])
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %s: no such file", architecture, m[1]))
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), m[1], src, parser.SkipObjectResolution)
		if err != nil {
			return names, faults, err
		}
		have := declared(file)
		for _, span := range code.FindAllString(m[2], -1) {
			names++
			if name := strings.Trim(span, "`"); !have[name] {
				faults = append(faults, fmt.Sprintf("%s: %s has no %s", architecture, m[1], name))
			}
		}
	}
	return names, faults, nil
}

// declared returns the names that a file declares, methods as Type.Method.
func declared(file *ast.File) map[string]bool {
	out := make(map[string]bool)
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			out[receiver(d)+d.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					out[s.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range s.Names {
						out[id.Name] = true
					}
				}
			}
		}
	}
	return out
}

// receiver returns the type of a method with a dot, "" for a function.
func receiver(f *ast.FuncDecl) (name string) {
	if f.Recv == nil {
		return ""
	}
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name + "."
		}
		return name == ""
	})
	return name
}

// section returns what stands below a heading of a page, up to the next one.
func section(page, heading string) string {
	_, below, _ := strings.Cut(page, "\n## "+heading+"\n")
	body, _, _ := strings.Cut(below, "\n## ")
	return body
}

// questionFaults returns what the questions lack.
func questionFaults(page string) (faults []string) {
	rows := 0
	for line := range strings.Lines(section(page, "Questions")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| where is it decided") {
			continue
		}
		rows++
		if m := reference.FindStringSubmatch(line); m == nil || m[2] == "" {
			faults = append(faults, fmt.Sprintf("%s: no file and function in %q", architecture, strings.TrimSpace(line)))
		}
	}
	if rows != questions {
		faults = append(faults, fmt.Sprintf("%s: %d questions, want %d", architecture, rows, questions))
	}
	if !strings.HasSuffix(strings.TrimSpace(page), strings.TrimSpace(section(page, "Questions"))) {
		faults = append(faults, architecture+": the questions are not at the end")
	}
	return faults
}

// readmeFaults returns what is wrong with README's length and program: that must
// stand in the tested example.
func readmeFaults(readme, example string) (faults []string) {
	if n := strings.Count(readme, "\n"); n > maxReadmeLines {
		faults = append(faults, fmt.Sprintf("README.md: %d lines, at most %d", n, maxReadmeLines))
	}
	for i, line := range strings.Split(readme, "\n") {
		if n := utf8.RuneCountInString(line); n > maxReadmeWidth {
			faults = append(faults, fmt.Sprintf("README.md: line %d has %d characters, at most %d", i+1, n, maxReadmeWidth))
		}
	}
	_, program, _ := strings.Cut(readme, "```go\n")
	program, _, ok := strings.Cut(program, "```")
	if !ok || !strings.Contains(flush(example), flush(program)) {
		faults = append(faults, "README.md: its program is not part of example_test.go")
	}
	return faults
}

// flush returns text without the indentation of its lines.
func flush(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(strings.TrimLeft(line, " \t"))
	}
	return out.String()
}

func TestDocsFaults(t *testing.T) {
	const (
		src  = "package p\n\ntype T[E any] int\n\nfunc (t *T[E]) M() {}\n\nfunc F() {}\n\nconst C = 1\n"
		head = "\n## Questions\n"
	)
	for _, tt := range []struct {
		name, file, text string // beside p/a.go, geom/a.go and voxel/a.go
		want             string // part of the only fault, "" for none
	}{
		{"a link", "a.md", "[x](p/a.go) [y](https://nowhere/) [z](#x)\n# X", ""},
		{"a link from below", "p/a.md", "[x](../p/a.go)", ""},
		{"a broken link", "p/a.md", "[x](p/a.go)", "p/a.md: link to p/a.go: no such file"},
		{"a heading", "a.md", "[x](a.md#the-_b_-c)\n## The `_B_`, C", ""},
		{"no heading", "a.md", "[x](a.md#y)\n## X", "no such heading"},
		{"a link in code", "a.md", "`[x](y)`\n```\n[x](y)\n```", ""},
		{"names", architecture, "`p/a.go`: `F`, `T.M` and `C`, of `T`", ""},
		{"no file", architecture, "`p/b.go`: `F`", "p/b.go: no such file"},
		{"no function", architecture, "`p/a.go`: `F`, `G`", "p/a.go has no G"},
		{"a method without its type", architecture, "`p/a.go`: `M`", "p/a.go has no M"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := fstest.MapFS{tt.file: {Data: []byte(tt.text)}, "p/a.go": {Data: []byte(src)}}
			links, err := linkFaults(tree)
			_, names, err2 := nameFaults(tree, tt.text)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			wantFault(t, append(links, names...), tt.want)
		})
	}
	for _, tt := range []struct{ name, page, want string }{
		{"all of them", head + strings.Repeat("| a | `p/a.go`: `F` |\n", questions), ""},
		{"one less", head + strings.Repeat("| a | `p/a.go`: `F` |\n", questions-1), fmt.Sprint(questions-1, " questions")},
		{"no function", head + strings.Repeat("| a | `p/a.go`: `F` |\n", questions-1) + "| a | `p/a.go` |\n", "no file and function"},
		{"not at the end", head + strings.Repeat("| a | `p/a.go`: `F` |\n", questions) + "\n## More\nb", "not at the end"},
	} {
		t.Run(tt.name, func(t *testing.T) { wantFault(t, questionFaults("# A\n"+tt.page), tt.want) })
	}
	for _, tt := range []struct{ name, readme, want string }{
		{"the program", "x\n```go\nif a {\n\tb()\n}\n```\n", ""},
		{"another program", "x\n```go\nc()\n```\n", "its program is not part"},
		{"no program", "x\n", "its program is not part"},
		{"long", "```go\nb()\n```\n" + strings.Repeat("\n", maxReadmeLines), "123 lines, at most 120"},
		{"wide", "```go\nb()\n```\n" + strings.Repeat("ä", maxReadmeWidth+1), "line 4 has 161 characters, at most 160"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantFault(t, readmeFaults(tt.readme, "func Example() {\n\tif a {\n\t\tb()\n\t}\n}\n"), tt.want)
		})
	}
}
