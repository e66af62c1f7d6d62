package main

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

// size is a number of bytes for people: "12.3 kB".
func size(n int64) string {
	v := float64(n)
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	for _, unit := range []string{"kB", "MB", "GB"} {
		if v /= 1000; v < 999.95 {
			return fmt.Sprintf("%.1f %s", v, unit)
		}
	}
	return fmt.Sprintf("%.1f TB", v/1000)
}

// count is a number for people: "1,234,567".
func count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// counted is a number of things: "1 file", "2 files".
func counted[N int | int64](n N, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + one + "s"
}

// plain is a Writer for text: of what comes from worlds, nothing steers the
// terminal.
type plain struct{ io.Writer }

// Write writes b with a question mark for every control character but tab and
// newline.
func (p plain) Write(b []byte) (int, error) {
	clean := bytes.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return '?'
		}
		return r
	}, b)
	_, err := p.Writer.Write(clean)
	return len(b), err
}

// line returns s, quoted if it does not go on one line.
func line(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

// printJSON writes v as one document.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// report prints what a verb has found out, for people or as JSON.
func report(w io.Writer, v interface{ print(io.Writer) }, json bool) error {
	if json {
		return printJSON(w, v)
	}
	v.print(w)
	return nil
}

// columns writes rows of cells, aligned.
type columns struct{ *tabwriter.Writer }

func newColumns(w io.Writer) columns { return columns{tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)} }

func (c columns) row(cells ...string) { fmt.Fprintln(c, strings.Join(cells, "\t")) }

// printLosses lists counts by name, the largest first.
func printLosses(w io.Writer, title string, lost map[string]int) {
	if len(lost) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	names := slices.SortedFunc(maps.Keys(lost), func(a, b string) int {
		if d := lost[b] - lost[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	t := newColumns(w)
	for _, name := range names {
		t.row("  "+count(lost[name]), line(name))
	}
	t.Flush()
}

// printList writes lines below a title, unless there are none.
func printList(w io.Writer, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(w, title)
	for _, l := range lines {
		fmt.Fprintln(w, "  "+line(l))
	}
}
