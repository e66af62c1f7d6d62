// Package tiles measures caches of tiles on traces of reads: this project's by policy, those of
// other libraries, and the worst case of an article on texture caching.
package tiles

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/tile"
)

// Report is what caches made of traces, with many workers. Rows are by trace, threads and
// cache.
type Report struct {
	Rows []Row `json:"rows"`
}

// Defaults of the options.
const (
	defaultBudget  = 128 << 20
	defaultReads   = 2_000_000
	defaultSeconds = 3
	defaultGOGC    = 100
)

// Threads returns how many goroutines read at the same time by default: powers of two up to
// the number of processors.
func Threads() (all []int) {
	for n := 1; n <= runtime.GOMAXPROCS(0); n *= 2 {
		all = append(all, n)
	}
	return all
}

// Bench measures each cache on each trace, each in a process of its own.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	var jobs []Job
	for _, trace := range o.Traces {
		for _, threads := range o.Threads {
			for _, c := range o.Caches {
				jobs = append(jobs, Job{Cache: c, Trace: trace, Seed: o.Seed, Reads: cmp.Or(o.Reads, defaultReads), Bytes: int32(o.TileBytes),
					Budget: cmp.Or(o.Budget, defaultBudget), Threads: threads, Seconds: cmp.Or(o.Seconds, defaultSeconds), GOGC: cmp.Or(o.GOGC, defaultGOGC)})
			}
		}
	}
	r := &Report{}
	for i, j := range jobs {
		o.Step(i, len(jobs), j.Trace+" "+j.Cache)
		row, err := j.measure(ctx)
		if err != nil {
			return nil, fmt.Errorf("tiles: %s, %s, %d threads: %w", j.Trace, j.Cache, j.Threads, err)
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// Table prints a line for each cache.
func (r *Report) Table(w io.Writer) {
	for i := 0; i < len(r.Rows); {
		j := r.Rows[i].Job
		size := "sizes of the trace"
		if j.Bytes != 0 {
			size = table.Size(int64(j.Bytes)) + " each"
		}
		fmt.Fprintf(w, "%s, %d threads, budget %s, tiles: %s, GOGC %d\n", j.Trace, j.Threads, table.Size(j.Budget), size, j.GOGC)
		t := table.New(w, "cache", "hit %", "gets/s", "processor us", "p99 us", "peak heap", "of budget", "peak memory", "heap B a get", "GC %", "duplicate bytes", "over budget")
		for ; i < len(r.Rows) && r.Rows[i].Trace == j.Trace && r.Rows[i].Threads == j.Threads; i++ {
			x := r.Rows[i]
			t.Row(x.Cache, fmt.Sprintf("%.1f", x.Hits), fmt.Sprintf("%.0f", x.Gets), fmt.Sprintf("%.2f", x.Processor), fmt.Sprintf("%.1f", x.P99),
				table.Size(x.Heap), fmt.Sprintf("%.2f", x.OfBudget), table.Size(x.Memory), fmt.Sprintf("%.0f", x.Allocated), fmt.Sprintf("%.1f", x.Collector), table.Size(x.Again), table.Size(x.Over))
		}
		t.Flush()
		fmt.Fprintln(w)
	}
}

// PolicyRow is the hits of a policy, or of another library, on each trace and budget.
type PolicyRow struct {
	Name     string    `json:"name"`
	Outcomes []Outcome `json:"outcomes"` // by trace, then by budget
}

// PolicyReport is what policies made of traces, read by read. Gap is how many points a
// policy is below the best of the other libraries, at most; it is negative if it is above
// them everywhere.
type PolicyReport struct {
	Traces  []string           `json:"traces"`
	Budgets []int64            `json:"budgets"`
	Seed    uint64             `json:"seed"`
	Reads   int                `json:"reads"`
	Rows    []PolicyRow        `json:"rows"`
	Gap     map[string]float64 `json:"points_below_best_library"`
}

// policies are those that are simulated.
var policies = []struct {
	name string
	new  tile.NewPolicy
}{
	{"LRU", LRU},
	{"clock, new marked", MarkedClock},
	{"clock", tile.Clock},
	{"SIEVE", Sieve},
	{"S3-FIFO", tile.S3FIFO},
	{"W-TinyLFU, window 1 %", FixedTinyLFU},
	{"W-TinyLFU, climbing", ClimbingTinyLFU},
	{"TinyLFU of package tile", tile.TinyLFU},
}

// BenchPolicies simulates policies, and drives other libraries, read by read.
func BenchPolicies(ctx context.Context, o lab.Options) (*PolicyReport, error) {
	r := &PolicyReport{Traces: o.Traces, Budgets: []int64{32 << 20, 128 << 20}, Seed: o.Seed, Reads: cmp.Or(o.Reads, defaultReads), Gap: map[string]float64{}}
	if o.Budget != 0 {
		r.Budgets = []int64{o.Budget}
	}
	for _, x := range rivals {
		r.Rows = append(r.Rows, PolicyRow{Name: x.name})
	}
	for _, x := range policies {
		r.Rows = append(r.Rows, PolicyRow{Name: x.name})
	}
	for n, name := range o.Traces {
		o.Step(n, len(o.Traces), name)
		t, err := NewTrace(name, o.Seed, r.Reads, int32(o.TileBytes))
		if err != nil {
			return nil, err
		}
		for _, budget := range r.Budgets {
			if err := r.measure(ctx, t, budget); err != nil {
				return nil, err
			}
		}
	}
	return r, nil
}

// measure adds an outcome to each row.
func (r *PolicyReport) measure(ctx context.Context, t *Trace, budget int64) error {
	best := 0.0
	for i := range r.Rows {
		var out Outcome
		if i < len(rivals) {
			var err error
			if out, err = drive(ctx, t, rivals[i].new, budget); err != nil {
				return fmt.Errorf("tiles: %s: %w", rivals[i].name, err)
			}
			best = max(best, out.Hits)
		} else {
			out = Simulate(t, policies[i-len(rivals)].new, budget)
			name := r.Rows[i].Name
			gap, ok := r.Gap[name]
			if gap = max(gap, best-out.Hits); !ok {
				gap = best - out.Hits
			}
			r.Gap[name] = gap
		}
		r.Rows[i].Outcomes = append(r.Rows[i].Outcomes, out)
	}
	return ctx.Err()
}

// Table prints the hits in percent.
func (r *PolicyReport) Table(w io.Writer) {
	head := []string{"hit %"}
	for _, name := range r.Traces {
		for _, b := range r.Budgets {
			head = append(head, fmt.Sprintf("%s %d", name, b>>20))
		}
	}
	t := table.New(w, append(head, "below best library")...)
	for _, x := range r.Rows {
		cells := []string{x.Name}
		for _, o := range x.Outcomes {
			cells = append(cells, fmt.Sprintf("%.1f", o.Hits))
		}
		gap := "-"
		if g, ok := r.Gap[x.Name]; ok {
			gap = fmt.Sprintf("%.1f", g)
		}
		t.Row(append(cells, gap)...)
	}
	t.Flush()
	fmt.Fprintf(w, "\nbudgets in MiB; seed %d; %d reads of each trace\n", r.Seed, r.Reads)
}

// Check reports what is wrong with the options.
func Check(o lab.Options) error {
	for _, name := range o.Traces {
		if !slices.Contains(TraceNames(), name) {
			return errTrace(name)
		}
	}
	for _, name := range o.Caches {
		if _, _, err := findCache(name); err != nil {
			return err
		}
	}
	for _, n := range o.Threads {
		if n < 1 || n > 1024 {
			return fmt.Errorf("%d threads: 1 to 1024", n)
		}
	}
	if o.Budget < 0 || o.GOGC < 0 || o.TileBytes != 0 && (o.TileBytes < 8 || o.TileBytes > 1<<20) || o.Reads < 0 {
		return fmt.Errorf("a budget of %d, tiles of %d bytes, %d reads", o.Budget, o.TileBytes, o.Reads)
	}
	return nil
}
