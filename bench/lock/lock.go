// Package lock measures the project's spinlocks beside sync.Mutex: what holding one costs, who
// gets it, and how long the others wait, from one processor and goroutine to all processors
// and many goroutines. It also measures the one place where a spinlock could pay: a table of
// many small locks.
package lock

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
)

// Row is a lock that goroutines fight for: each adds 16 times to a counter while it holds it.
type Row struct {
	Lock       string `json:"lock"`
	Processors int    `json:"processors"` // GOMAXPROCS
	Goroutines int    `json:"goroutines"`
	// Each is the time from one acquisition to the next, by whomever: the median of the rounds.
	Each float64 `json:"ns_per_acquisition"`
	// Jain is Jain's index of the acquisitions of all goroutines: 1 if all have equally many, 1/n
	// if one has all. Least is the ratio of the fewest to the most. Both are means of the rounds.
	Jain  float64 `json:"jain_index"`
	Least float64 `json:"least_to_most"`
	// Wait is how long Lock takes, from rounds in which every call is timed.
	Wait Times `json:"lock_ns"`
	// Bytes is the footprint with the handles of all goroutines.
	Bytes int `json:"bytes"`
}

// Times are percentiles in nanoseconds, about 3 percent too high at most.
type Times struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p99_9"`
	Max  float64 `json:"max"`
}

// Report is what a measurement of locks found. Rows are by processors, goroutines, then lock.
type Report struct {
	Rows   []Row   `json:"rows"`
	Tables []Table `json:"tables"`
}

// goroutines returns how many fight for a lock, up to most.
func goroutines(most int) []int {
	return slices.DeleteFunc([]int{1, 2, 4, 8, 64}, func(n int) bool { return n > most })
}

// rounds of a row are timed, and as many in which each call is timed.
const rounds = 5

// Bench measures each lock for Options.Seconds, by default 0.1, and as long again for the
// percentiles, with up to Options.Clients goroutines, by default 64. If Options.Plots is not empty, it writes plots into that folder. It sets GOMAXPROCS
// and puts it back.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	o = o.WithLoad(0, 64, 0.1)
	fighters := goroutines(o.Clients)
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	r := &Report{Rows: []Row{}, Tables: []Table{}}
	round := time.Duration(o.Seconds / rounds * float64(time.Second))
	steps := doublings(before)
	for i, p := range steps {
		runtime.GOMAXPROCS(p)
		for j, g := range fighters {
			o.Step(i*len(fighters)+j, len(steps)*len(fighters), fmt.Sprintf("%d processors, %d goroutines", p, g))
			rows, err := fights(ctx, g, round)
			if err != nil {
				return nil, err
			}
			for _, row := range rows {
				row.Processors = p
				r.Rows = append(r.Rows, row)
			}
		}
	}
	var err error
	if r.Tables, err = benchTables(ctx, o, round); err != nil || o.Plots == "" {
		return r, err
	}
	if err := os.MkdirAll(o.Plots, 0o777); err != nil {
		return nil, err
	}
	return r, r.plot(o.Plots)
}

// doublings returns 1, 2, 4 and so on up to n, and n.
func doublings(n int) (out []int) {
	for p := 1; p < n; p *= 2 {
		out = append(out, p)
	}
	return append(out, n)
}

// fights lets goroutines fight for each lock. The rounds of all locks alternate, so that a
// disturbance of the machine meets all.
func fights(ctx context.Context, goroutines int, round time.Duration) ([]Row, error) {
	all := rivals()
	rows, waits := make([]Row, len(all)), make([]histogram, len(all))
	each := make([][]float64, len(all))
	for i := range 2 * rounds {
		for j, v := range all {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			timed := i >= rounds
			run, bytes, err := v.fight(goroutines, round, timed)
			if err != nil {
				return nil, err
			}
			if row := &rows[j]; timed {
				waits[j].join(&run.times)
			} else {
				row.Lock, row.Goroutines, row.Bytes = v.name, goroutines, bytes
				each[j] = append(each[j], run.each())
				row.Jain += jain(run.counts) / rounds
				row.Least += float64(slices.Min(run.counts)) / float64(max(1, slices.Max(run.counts))) / rounds
			}
		}
	}
	for j := range rows {
		rows[j].Each, rows[j].Wait = lab.Percentile(each[j], 50), waits[j].summary()
	}
	return rows, nil
}

// fight is one round. It begins with all goroutines waiting: a fair lock is at its worst from when a
// holder was preempted once and the others came, and otherwise that would be some time in the round.
func (v rival) fight(goroutines int, d time.Duration, timed bool) (*result, int, error) {
	s := new(stop)
	in := v.make(s, goroutines)
	loops := make([]loop, goroutines)
	for g := range loops {
		loops[g] = in.loop()
	}
	holder := in.handle()
	holder.Lock()
	run := s.run(loops, d, timed, holder.Unlock)
	if got := int64(*in.counter); got != run.sum()*increments {
		return nil, 0, fmt.Errorf("lock: %s let several in: counted %d of %d", v.name, got, run.sum()*increments)
	}
	return run, in.bytes, nil
}

// jain is Jain's index of fairness.
func jain(counts []int64) float64 {
	var sum, squares float64
	for _, n := range counts {
		sum += float64(n)
		squares += float64(n) * float64(n)
	}
	return sum * sum / max(1, float64(len(counts))*squares)
}
