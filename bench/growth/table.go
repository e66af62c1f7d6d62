package growth

import (
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/table"
)

// Table prints what each verb took on each land, in all and for each column, and how the
// cost grew.
func (r *Report) Table(w io.Writer) {
	head := []string{"columns"}
	for _, l := range r.Lands {
		head = append(head, fmt.Sprint(l.Columns))
	}
	t := table.New(w, head...)
	for _, l := range []struct {
		name string
		of   func(Land) int64
	}{{"folder", func(l Land) int64 { return l.Folder }}, {"stone", func(l Land) int64 { return l.Stone }}} {
		cells := []string{l.name}
		for _, x := range r.Lands {
			cells = append(cells, table.Size(l.of(x)))
		}
		t.Row(cells...)
	}
	t.Flush()
	r.costs(w, head, "processor s", func(x *Row) string { return fmt.Sprintf("%.3f", x.Seconds) },
		"ms a column", func(x *Row) string { return fmt.Sprintf("%.3f", 1000*x.SecondsColumn) })
	r.costs(w, head, "memory at most", func(x *Row) string { return table.Size(x.Peak) },
		fmt.Sprintf("within %d MiB", Memory>>20), func(x *Row) string { return map[bool]string{true: "yes", false: "no"}[x.Within] })
	r.growth(w)
	for _, x := range r.Rows {
		if x.Error != "" {
			fmt.Fprintf(w, "%s, %d columns: %s\n", x.Verb, x.Columns, x.Error)
		}
	}
}

// costs prints two figures of each verb and land.
func (r *Report) costs(w io.Writer, lands []string, name string, figure func(*Row) string, other string, per func(*Row) string) {
	fmt.Fprintln(w)
	head := append([]string{name}, lands[1:]...)
	for _, n := range lands[1:] {
		head = append(head, other+", "+n)
	}
	t := table.New(w, head...)
	for _, verb := range r.verbs() {
		all, each := []string{verb}, []string{}
		for _, l := range r.Lands {
			x := r.row(verb, l.Columns)
			if x.Error != "" {
				all, each = append(all, "error"), append(each, "-")
				continue
			}
			all, each = append(all, figure(x)), append(each, per(x))
		}
		t.Row(slices.Concat(all, each)...)
	}
	t.Flush()
}

// verbs returns the verbs that were measured.
func (r *Report) verbs() (names []string) {
	for _, x := range r.Rows {
		if !slices.Contains(names, x.Verb) {
			names = append(names, x.Verb)
		}
	}
	return names
}

// growth prints the ratios between the largest and the smallest land.
func (r *Report) growth(w io.Writer) {
	if len(r.Growth) == 0 {
		return
	}
	small, large := r.Lands[0].Columns, r.Lands[len(r.Lands)-1].Columns
	fmt.Fprintln(w)
	t := table.New(w, fmt.Sprintf("%d columns to %d", small, large), "s a column", "s in all", "memory in all", "is to be flat")
	number := func(f float64) string {
		if f == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", f)
	}
	for _, g := range r.Growth {
		flat := "a column"
		if g.Flat {
			flat = "in all"
		}
		t.Row(g.Verb, number(g.Column), number(g.Total), number(g.Memory), flat)
	}
	t.Flush()
}
