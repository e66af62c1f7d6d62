package lock

import (
	"fmt"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/table"
)

// Table prints the cost of each lock, then everything by number of processors and goroutines, then the
// tables of locks.
func (r *Report) Table(w io.Writer) {
	for _, p := range r.processors() {
		head := []string{fmt.Sprintf("GOMAXPROCS %d: ns each", p)}
		for _, g := range r.goroutines() {
			head = append(head, fmt.Sprint(g))
		}
		t := table.New(w, head...)
		for _, name := range r.locks() {
			cells := []string{name}
			for _, g := range r.goroutines() {
				cells = append(cells, figure(r.row(name, p, g).Each))
			}
			t.Row(cells...)
		}
		t.Flush()
		fmt.Fprintln(w)
	}
	for _, p := range r.processors() {
		for _, g := range r.goroutines() {
			t := table.New(w, fmt.Sprintf("GOMAXPROCS %d, goroutines %d", p, g),
				"ns each", "Jain", "least/most", "Lock p50", "p99", "p99.9", "max", "bytes")
			for _, name := range r.locks() {
				x := r.row(name, p, g)
				t.Row(slices.Concat([]string{name, figure(x.Each), fmt.Sprintf("%.2f", x.Jain), fmt.Sprintf("%.2f", x.Least)},
					x.Wait.cells(), []string{fmt.Sprint(x.Bytes)})...)
			}
			t.Flush()
			fmt.Fprintln(w)
		}
	}
	t := table.New(w, "tables of locks", "goroutines", "ns each", "call p50", "p99", "p99.9", "max", "bytes")
	for _, x := range r.Tables {
		t.Row(slices.Concat([]string{x.Table + ": " + x.Lock, fmt.Sprint(x.Goroutines), figure(x.Each)}, x.Call.cells(), []string{fmt.Sprint(x.Bytes)})...)
	}
	t.Flush()
}

func (t Times) cells() []string {
	return []string{figure(t.P50), figure(t.P99), figure(t.P999), figure(t.Max)}
}

// figure has a place behind the point if the number is small.
func figure(f float64) string {
	if f < 100 {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.0f", f)
}

// locks returns the locks in order.
func (r *Report) locks() (names []string) {
	for _, x := range r.Rows {
		if !slices.Contains(names, x.Lock) {
			names = append(names, x.Lock)
		}
	}
	return names
}

func (r *Report) processors() []int { return r.numbers(func(x Row) int { return x.Processors }) }
func (r *Report) goroutines() []int { return r.numbers(func(x Row) int { return x.Goroutines }) }

func (r *Report) numbers(of func(Row) int) (out []int) {
	for _, x := range r.Rows {
		out = append(out, of(x))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *Report) row(name string, processors, goroutines int) Row {
	i := slices.IndexFunc(r.Rows, func(x Row) bool {
		return x.Lock == name && x.Processors == processors && x.Goroutines == goroutines
	})
	return r.Rows[i]
}
