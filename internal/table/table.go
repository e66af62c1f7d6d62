// Package table prints figures for people: rows of cells in columns, sizes in bytes,
// and ratios.
//
// The package computes no figures.
package table

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// Table prints rows of cells in columns. The first column is aligned left, the others right.
type Table struct {
	to   io.Writer
	lead int
	rows [][]string
}

// New returns a table for w with a first row.
func New(w io.Writer, head ...string) *Table {
	t := &Table{to: w}
	t.Row(head...)
	return t
}

// Row adds a row. It must have as many cells as the first row.
func (t *Table) Row(cells ...string) {
	t.lead = max(t.lead, len(cells[0]))
	t.rows = append(t.rows, cells)
}

// Blank adds an empty line.
func (t *Table) Blank() { t.Row(make([]string, len(t.rows[0]))...) }

// Flush prints the table.
func (t *Table) Flush() {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, r := range t.rows {
		fmt.Fprintf(w, "%-*s\t%s\t\n", t.lead, r[0], strings.Join(r[1:], "\t"))
	}
	w.Flush()
	for line := range strings.Lines(text.String()) {
		fmt.Fprintln(t.to, strings.TrimRight(line[2:], " \n"))
	}
}

// Size formats n bytes for people: "12.3 kB".
func Size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 999.95 && unit < len(units)-1 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.1f %cB", f, units[unit])
}

const units = "kMGTPE"

// Ratio formats a/b, or "-" if b is 0.
func Ratio(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}
