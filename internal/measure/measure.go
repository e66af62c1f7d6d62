// Package measure is what the verbs savings and bench do: it weighs worlds in
// several formats and times cairn's own parts beside what a user would take
// instead, and returns the figures as values that print as a table or as JSON.
//
// The package judges nothing and writes to no folder that it measures; the
// times are those of the machine it runs on, and no test depends on them.
package measure

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/cairnvoxel/cairn/stone"
)

// Options of a measurement. The zero value is the default.
type Options struct {
	// Progress, if not nil, is told how many of all steps are done, and what is
	// next.
	Progress func(done, all int, next string)
	// FlatBytes is what the flat chunks of a read benchmark take at least, so
	// that no cache holds them. Default 1 GiB.
	FlatBytes int64
	// Stone is how the stones of Savings and BenchImport are written.
	Stone stone.Options
	// LandEdge is the edge in chunks of the terrain that benchmarks make.
	// Default 24.
	LandEdge int
	// Voxels is how many cells that are not empty a level has at least. Default
	// 100 million.
	Voxels int64
	// Reads is how many random reads of a grid are timed; of other work there is
	// in proportion. Default 262,144; at least 4,096.
	Reads int
	// Commits is how many are made to see what packing costs. Default 5,000.
	Commits int
	// Seed is that of terrains and levels that are made, and of what is drawn.
	Seed uint64
	// Worlds is also how many worlds of a kind BenchForms makes, default 3. Worlds,
	// Clients and Seconds are the load of benchmarks of stores, which each
	// have defaults of their own.
	Worlds, Clients int
	Seconds         float64
	// Command is the command cairn, which is run again where a process of its own
	// is measured. Default this program.
	Command []string
}

// shared returns o for many goroutines that tell progress.
func (o Options) shared() Options {
	if tell := o.Progress; tell != nil {
		var mu sync.Mutex
		o.Progress = func(done, all int, next string) {
			mu.Lock()
			defer mu.Unlock()
			tell(done, all, next)
		}
	}
	return o
}

// withLoad fills in the load, for many goroutines.
func (o Options) withLoad(worlds, clients int, seconds float64) Options {
	if o.Worlds <= 0 {
		o.Worlds = worlds
	}
	if o.Clients <= 0 {
		o.Clients = clients
	}
	if o.Seconds <= 0 {
		o.Seconds = seconds
	}
	return o.shared()
}

func (o Options) progress(done, all int, next string) {
	if o.Progress != nil {
		o.Progress(done, all, next)
	}
}

// table prints rows of cells in columns: the first to the left, the others to
// the right.
type table struct {
	to   io.Writer
	lead int
	rows [][]string
}

func newTable(w io.Writer, head ...string) *table {
	t := &table{to: w}
	t.row(head...)
	return t
}

func (t *table) row(cells ...string) {
	t.lead = max(t.lead, len(cells[0]))
	t.rows = append(t.rows, cells)
}

// blank separates what follows from what is above.
func (t *table) blank() { t.row(make([]string, len(t.rows[0]))...) }

func (t *table) flush() {
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

// size is n bytes for people: "12.3 kB".
func size(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1000, 0
	for f >= 1000 && unit < len(units)-1 {
		f, unit = f/1000, unit+1
	}
	return fmt.Sprintf("%.1f %cB", f, units[unit])
}

const units = "kMGTPE"

// ratio is a/b, "-" if there is no b.
func ratio(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(a)/float64(b))
}

// count is an io.Writer that counts what it is given.
type count int64

func (c *count) Write(p []byte) (int, error) {
	*c += count(len(p))
	return len(p), nil
}
