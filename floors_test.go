package cairn_test

import (
	_ "embed"
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the map and the table of docs/ARCHITECTURE.md")

//go:embed docs/floors.txt
var floorsText string

// A row says what a package's files may import of ours. A package "a/*" is any directory
// directly below a without a row of its own.
type row struct{ pkg, imports string }

// A floor is some rows of the house.
type floor struct {
	name, what string
	rows       []row
	doc        []string // what each row's package is
}

// floors is the house, ground floor first; plan has all rows in that order.
var (
	floors = parseFloors(floorsText)
	plan   = planOf(floors)
)

func parseFloors(text string) (out []floor) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, what, heading := strings.Cut(strings.TrimPrefix(line, "= "), ": ")
		switch {
		case line == "" || line[0] == '#':
		case heading && line[0] == '=':
			out = append(out, floor{name: name, what: what})
		default:
			f := &out[len(out)-1]
			cells := append(strings.Split(line, "|"), "", "")
			f.rows = append(f.rows, row{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])})
			f.doc = append(f.doc, strings.TrimSpace(cells[2]))
		}
	}
	return out
}

func planOf(floors []floor) (out []row) {
	for _, f := range floors {
		out = append(out, f.rows...)
	}
	return out
}

// TestMap compares the map and the table of ARCHITECTURE.md with what docs/floors.txt makes.
func TestMap(t *testing.T) {
	const begin, end = "<!-- made of floors.txt -->\n", "<!-- end -->\n"
	page := mustRead(t, architecture)
	before, rest, _ := strings.Cut(page, begin)
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no place for the map", architecture)
	}
	want := before + begin + "\n" + drawn(floors) + "\n" + table(floors) + "\n" + end + after
	if want == page {
		return
	}
	if !*update {
		t.Fatalf("%s is not what docs/floors.txt makes: go test . -run TestMap -update", architecture)
	}
	if err := os.WriteFile(architecture, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFloors checks that each row has a package and says what it is.
func TestFloors(t *testing.T) {
	names, err := goFiles(os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range floors {
		for i, r := range f.rows {
			if !slices.ContainsFunc(names, func(name string) bool { return matches(path.Dir(name))(r.pkg) }) {
				t.Errorf("docs/floors.txt: %s has no Go files", r.pkg)
			}
			if f.doc[i] == "" {
				t.Errorf("docs/floors.txt: %s: nothing says what it is", r.pkg)
			}
		}
	}
}

// drawn returns the floors as a drawing, top floor first: left what programs import, right what is internal.
func drawn(floors []floor) string {
	const width, inside = 64, "internal/"
	var out strings.Builder
	line := func(floor, left, right string) {
		out.WriteString(strings.TrimRight(fmt.Sprintf("%-9s %-*s %s", floor, width, left, right), " ") + "\n")
	}
	out.WriteString("```text\n")
	line("", "what programs import", "what is behind it, in internal/")
	for _, f := range slices.Backward(floors) {
		var public, private []string
		for _, r := range f.rows {
			if name, ok := strings.CutPrefix(r.pkg, inside); ok {
				private = append(private, name)
			} else {
				public = append(public, strings.Replace(r.pkg, ".", "cairn", 1))
			}
		}
		left, right := wrapped(public, width-2), wrapped(private, width)
		out.WriteByte('\n')
		for i := range max(len(left), len(right)) {
			line([]string{f.name, ""}[min(i, 1)], at(left, i), at(right, i))
		}
	}
	out.WriteString("```\n")
	return out.String()
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return ""
}

// wrapped returns words in lines of at most width bytes.
func wrapped(words []string, width int) (out []string) {
	for _, w := range words {
		if n := len(out); n > 0 && len(out[n-1])+2+len(w) <= width {
			out[n-1] += "  " + w
		} else {
			out = append(out, w)
		}
	}
	return out
}

// table returns the packages as a table, ground floor first.
func table(floors []floor) string {
	var out strings.Builder
	out.WriteString("| package | what it is |\n|---|---|\n")
	for _, f := range floors {
		fmt.Fprintf(&out, "| **%s** | **%s** |\n", f.name, f.what)
		for i, r := range f.rows {
			fmt.Fprintf(&out, "| `%s` | %s |\n", strings.Replace(r.pkg, ".", "cairn", 1), f.doc[i])
		}
	}
	return out.String()
}
