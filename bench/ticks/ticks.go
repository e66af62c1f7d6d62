// Package ticks measures how long the ticks of games are while their worlds are saved: many worlds in one
// process, each with 20 ticks a second.
package ticks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	tick      = 50 * time.Millisecond
	saveEvery = 30 * time.Second // of a world; games usually wait for minutes
	perTick   = 1                // edits
	template  = "island"
)

// Row is what the ticks of all worlds took.
type Row struct {
	Name    string  `json:"name"`
	Worlds  int     `json:"worlds"`
	Ticks   int     `json:"ticks"`
	Median  float64 `json:"median_us"`
	P99     float64 `json:"p99_us"`
	Longest float64 `json:"longest_us"`
	Late    int     `json:"late"` // ticks that began more than a tick after their time
	Commits int     `json:"commits"`
	Commit  float64 `json:"commit_median_us"`
	Slowest float64 `json:"commit_longest_us"`
}

// Report is what Bench found.
type Report struct {
	Rows []Row `json:"rows"`
}

// Table prints the rows.
func (r *Report) Table(to io.Writer) {
	fmt.Fprintf(to, "20 ticks a second in each of many lit islands of one process, with %d edit of a block a tick, half of them lamps; saves are commits with light, every %v\n\n", perTick, saveEvery)
	t := table.New(to, "", "worlds", "ticks", "a tick: median", "p99", "longest", "late", "commits", "a commit: median", "longest")
	ms := func(us float64) string { return fmt.Sprintf("%.3f ms", us/1000) }
	for _, w := range r.Rows {
		t.Row(w.Name, fmt.Sprint(w.Worlds), fmt.Sprint(w.Ticks), ms(w.Median), ms(w.P99), ms(w.Longest), fmt.Sprint(w.Late), fmt.Sprint(w.Commits), ms(w.Commit), ms(w.Slowest))
	}
	t.Flush()
}

// Bench plays in Worlds islands (default 100) for Seconds (default 60), without saves and with them.
func Bench(ctx context.Context, o lab.Options) (*Report, error) {
	o = o.WithLoad(100, 1, 60)
	r := new(Report)
	for i, saves := range []bool{false, true} {
		o.Step(i, 2, "playing")
		err := lab.InStore(func(st *local.Store, _ string) error {
			row, err := play(ctx, st, o, saves)
			r.Rows = append(r.Rows, row)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// times are what the ticks and commits of a world took, in microseconds.
type times struct {
	ticks, commits []float64
	late           int
	game, save     error
}

// play plays in all worlds at once.
func play(ctx context.Context, st *local.Store, o lab.Options, saves bool) (row Row, err error) {
	row = Row{Name: "no saves", Worlds: o.Worlds}
	if saves {
		row.Name = "saves"
	}
	if _, err := island.ImportSource(ctx, st, template, terrain.Island(terrain.Options{Seed: o.Seed, Version: terrain.Modern})); err != nil {
		return row, err
	}
	head, err := st.Head(ctx, template)
	if err != nil {
		return row, err
	}
	worlds := make([]*cairn.World, o.Worlds)
	for i := range worlds {
		name := fmt.Sprintf("island/%d", i)
		if err := st.Fork(ctx, template, head.Commit, name); err != nil {
			return row, err
		}
		if worlds[i], err = cairn.OpenWorld(ctx, st, name, cairn.Options{}); err != nil {
			return row, err
		}
		defer func() { err = errors.Join(err, worlds[i].Close()) }()
	}
	all := make([]times, len(worlds))
	end := time.Now().Add(time.Duration(o.Seconds * float64(time.Second)))
	var games sync.WaitGroup
	for i, w := range worlds {
		t, offset := &all[i], time.Duration(i)*tick/time.Duration(len(worlds))
		games.Go(func() { t.game = t.play(ctx, w, rand.New(rand.NewPCG(o.Seed, uint64(i))), time.Now().Add(offset), end) })
		if saves {
			games.Go(func() {
				t.save = t.commit(ctx, w, time.Now().Add(saveEvery*time.Duration(i)/time.Duration(len(worlds))), end)
			})
		}
	}
	games.Wait()
	var ticks, commits []float64
	for i := range all {
		t := &all[i]
		err = errors.Join(err, t.game, t.save)
		ticks, commits = append(ticks, t.ticks...), append(commits, t.commits...)
		row.Late += t.late
	}
	row.Ticks, row.Commits = len(ticks), len(commits)
	row.Median, row.P99, row.Longest = lab.Percentile(ticks, 50), lab.Percentile(ticks, 99), lab.Percentile(ticks, 100)
	if len(commits) > 0 {
		row.Commit, row.Slowest = lab.Percentile(commits, 50), lab.Percentile(commits, 100)
	}
	return row, err
}

// play ticks until end. A tick is the edits of one.
func (t *times) play(ctx context.Context, w *cairn.World, r *rand.Rand, next, end time.Time) error {
	names := []string{"minecraft:stone", "minecraft:torch", "minecraft:air", "minecraft:glowstone"}
	for ; next.Before(end); next = next.Add(tick) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(next)):
		}
		start := time.Now()
		if start.Sub(next) > tick {
			t.late++
		}
		for range perTick {
			p := geom.Point{X: 32 + r.IntN(64), Y: 60 + r.IntN(24), Z: 32 + r.IntN(64)}
			if _, err := w.Edit(ctx, func(b cairn.Blocks) error {
				b.Set(p, names[r.IntN(len(names))])
				return nil
			}); err != nil {
				return err
			}
		}
		t.ticks = append(t.ticks, float64(time.Since(start).Nanoseconds())/1000)
	}
	return nil
}

// commit commits until end.
func (t *times) commit(ctx context.Context, w *cairn.World, next, end time.Time) error {
	for ; next.Before(end); next = next.Add(saveEvery) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(next)):
		}
		start := time.Now()
		if _, err := w.Commit(ctx, ""); err != nil {
			return err
		}
		t.commits = append(t.commits, float64(time.Since(start).Nanoseconds())/1000)
	}
	return nil
}
