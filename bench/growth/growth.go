// Package growth measures how the cost of each verb grows with the size of a world. It makes
// square lands with light and runs the built command on them, each verb in a process of its
// own.
package growth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// Row is the cost of a verb on a land: the least of its runs. If the verb failed, Error says
// why and the rest is empty.
type Row struct {
	Verb    string  `json:"verb"`
	Columns int     `json:"columns"`
	Runs    int     `json:"runs,omitempty"`
	Seconds float64 `json:"seconds,omitempty"` // of processors, user and system
	Wall    float64 `json:"wall_seconds,omitempty"`
	Peak    int64   `json:"peak_bytes,omitempty"` // of memory
	Within  bool    `json:"within_memory"`        // Peak is at most Memory
	// SecondsColumn and PeakColumn are those for each column.
	SecondsColumn float64 `json:"seconds_per_column,omitempty"`
	PeakColumn    float64 `json:"peak_bytes_per_column,omitempty"`
	Error         string  `json:"error,omitempty"`
}

// Memory is what the command may take by default: cairn's flag --memory.
const Memory = 512 << 20

// Growth compares a verb's cost on the largest land with that on the smallest.
type Growth struct {
	Verb   string  `json:"verb"`
	Column float64 `json:"seconds_per_column_ratio"`
	Total  float64 `json:"seconds_ratio"`
	Memory float64 `json:"peak_bytes_ratio"`
	Flat   bool    `json:"total_is_to_be_flat"` // it does not depend on the size of the world
}

// Land is a world that was made.
type Land struct {
	Columns int   `json:"columns"`
	Folder  int64 `json:"folder_bytes"`
	Stone   int64 `json:"stone_bytes"`
}

// Report is what a growth found. Rows are by verb, then by land.
type Report struct {
	Lands  []Land   `json:"lands"`
	Rows   []Row    `json:"rows"`
	Growth []Growth `json:"growth"`
}

// Columns is how many columns the lands have by default.
func Columns() []int { return []int{256, 1024, 4096, 16384} }

// Check says what is wrong with the options, if anything is.
func Check(o lab.Options) error {
	for _, n := range o.Columns {
		if edge := edgeOf(n); n < 1 || edge*edge != n {
			return fmt.Errorf("a land of %d columns is not square", n)
		}
	}
	for _, name := range o.Verbs {
		if !slices.Contains(Verbs(), name) {
			return fmt.Errorf("no verb %q; there are %s", name, strings.Join(Verbs(), ", "))
		}
	}
	return nil
}

func edgeOf(columns int) int { return int(math.Round(math.Sqrt(float64(columns)))) }

// Bench makes lands of Options.Columns and measures Options.Verbs on each with the command
// Options.Cairn. Opening and saving are the library's, which is that of this program.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	if err := Check(o); err != nil {
		return nil, fmt.Errorf("growth: %w", err)
	}
	if o.Columns == nil {
		o.Columns = Columns()
	}
	if o.Verbs == nil {
		o.Verbs = Verbs()
	}
	o.Columns = slices.Compact(slices.Sorted(slices.Values(o.Columns)))
	r := &Report{Lands: []Land{}, Rows: []Row{}, Growth: []Growth{}}
	err := lab.WithCairn(ctx, o, func(o lab.Options, dir string) error {
		for i, n := range o.Columns {
			l := &land{cairn: o.Cairn, dir: filepath.Join(dir, strconv.Itoa(n)), columns: n}
			if err := errors.Join(r.land(ctx, l, o, i), l.close(), os.RemoveAll(l.dir)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(r.Rows, func(a, b Row) int {
		return slices.Index(Verbs(), a.Verb) - slices.Index(Verbs(), b.Verb)
	})
	r.compare(o.Verbs)
	return r, nil
}

// land makes a land and measures the verbs on it.
func (r *Report) land(ctx context.Context, l *land, o lab.Options, number int) error {
	needed := neededFor(o.Verbs)
	tell := func(i int, what string) {
		o.Step(number*(len(needed)+1)+i, len(o.Columns)*(len(needed)+1), fmt.Sprintf("%d columns: %s", l.columns, what))
	}
	tell(0, "making the land")
	if err := l.make(ctx); err != nil {
		return err
	}
	for i, v := range needed {
		tell(i+1, v.name)
		if !v.served {
			if err := l.close(); err != nil {
				return err
			}
		}
		row := l.measure(ctx, v)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if slices.Contains(o.Verbs, v.name) {
			r.Rows = append(r.Rows, row)
		}
	}
	folder, err := lab.SizeOf(l.path(landDir))
	if err != nil {
		return err
	}
	stone, err := lab.SizeOf(l.path(landStone))
	r.Lands = append(r.Lands, Land{l.columns, folder, stone})
	return err
}

// Runs of a verb end when they have taken repeatSeconds, and there are at most mostRuns.
const (
	repeatSeconds = 1
	mostRuns      = 5
)

// measure runs a verb and takes the least of its costs.
func (l *land) measure(ctx context.Context, v verb) Row {
	row := Row{Verb: v.name, Columns: l.columns}
	most := mostRuns
	if v.once {
		most = 1
	}
	for sum := 0.0; row.Runs < most && sum < repeatSeconds; row.Runs++ {
		cost, err := v.run(ctx, l)
		if err != nil {
			return Row{Verb: v.name, Columns: l.columns, Error: err.Error()}
		}
		sum += cost.Processor.Seconds()
		row.Seconds = lab.Least(row.Seconds, cost.Processor.Seconds())
		row.Wall = lab.Least(row.Wall, cost.Wall.Seconds())
		row.Peak = int64(lab.Least(float64(row.Peak), float64(cost.Peak)))
	}
	row.SecondsColumn = row.Seconds / float64(l.columns)
	row.PeakColumn = float64(row.Peak) / float64(l.columns)
	row.Within = row.Peak <= Memory
	return row
}

// compare fills in Growth, of verbs that did not fail on the smallest and the largest
// land.
func (r *Report) compare(verbs []string) {
	small, large := r.Lands[0].Columns, r.Lands[len(r.Lands)-1].Columns
	if small == large {
		return
	}
	for _, v := range neededFor(verbs) {
		a, b := r.row(v.name, small), r.row(v.name, large)
		if a == nil || b == nil || a.Seconds == 0 || b.Seconds == 0 {
			continue
		}
		g := Growth{Verb: v.name, Column: b.SecondsColumn / a.SecondsColumn, Total: b.Seconds / a.Seconds, Flat: v.flat}
		if a.Peak > 0 {
			g.Memory = float64(b.Peak) / float64(a.Peak)
		}
		r.Growth = append(r.Growth, g)
	}
}

// row returns the row of a verb on a land, or nil.
func (r *Report) row(verb string, columns int) *Row {
	i := slices.IndexFunc(r.Rows, func(x Row) bool { return x.Verb == verb && x.Columns == columns })
	if i < 0 {
		return nil
	}
	return &r.Rows[i]
}
