// Package console prints for people and for programs: text in aligned columns, numbers,
// lists, JSON documents, and the progress of long work on a terminal.
package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"
)

// Count formats a number for people: "1,234,567".
func Count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted formats a number of things: "1 file", "2 files".
func Counted[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return Count(n) + " " + one + "s"
}

// Plain is a Writer for a terminal. It replaces control characters, so that text from
// a world cannot control the terminal.
type Plain struct{ io.Writer }

// Write writes b with a question mark for every control character except tab and
// newline.
func (p Plain) Write(b []byte) (int, error) {
	clean := bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '?'
		}
		return r
	}, b)
	_, err := p.Writer.Write(clean)
	return len(b), err
}

// Line returns s, quoted if it contains control characters such as a newline.
func Line(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// ShellLine joins the words of a command as a shell takes them.
func ShellLine(words ...string) string {
	out := slices.Clone(words)
	for i, w := range out {
		if strings.Contains(w, " ") {
			out[i] = strconv.Quote(w)
		}
	}
	return strings.Join(out, " ")
}

// PrintJSON writes v as one JSON document.
func PrintJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// Columns writes rows of cells, aligned.
type Columns struct{ *tabwriter.Writer }

// NewColumns returns columns that Flush writes to w.
func NewColumns(w io.Writer) Columns { return Columns{tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)} }

// Row adds a row.
func (c Columns) Row(cells ...string) { fmt.Fprintln(c, strings.Join(cells, "\t")) }

// PrintCounts lists counts by name below a title, the largest first. It prints nothing
// if there are no counts.
func PrintCounts(w io.Writer, title string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if d := counts[b] - counts[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	t := NewColumns(w)
	for _, name := range names {
		t.Row("  "+Count(counts[name]), Line(name))
	}
	t.Flush()
}

// PrintList writes lines below a title. It prints nothing if there are no lines.
func PrintList(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, l := range lines {
		fmt.Fprintln(w, "  "+Line(l))
	}
}
