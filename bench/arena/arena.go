// Package arena measures how an arena is put back between two rounds: the scenario of Gaia, 24 by
// 24 columns of 384 blocks, beside other ways to do the same.
package arena

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// The heights of the arena in blocks. Older worlds fill less of them.
const (
	low    = -64
	height = 384
)

// The edge of the arena in columns, and how often each restore is timed; tests make less.
var edge, runs = int32(24), 10

// Row is what one way of doing one thing takes.
type Row struct {
	Name string `json:"name"`
	// MS is the processor time of a run in milliseconds, with reading and decoding beside the
	// game and with the collector: the median of the runs.
	MS    float64 `json:"ms"`
	Bytes int64   `json:"bytes"`
	// PerChunk is the time of a column of 16x16 blocks as the game's tick sees it. A tower
	// of chunks counts as four columns with a quarter of its time each.
	PerChunk Spread `json:"per_chunk"`
	what     string
}

// Spread is times in milliseconds.
type Spread struct {
	Min    float64 `json:"min"`
	Avg    float64 `json:"avg"`
	Median float64 `json:"median"`
	P95    float64 `json:"p95"`
	Max    float64 `json:"max"`
}

// Report is the arena.
type Report struct {
	World string `json:"world"`
	Cells int    `json:"cells"`
	Runs  int    `json:"runs"`
	Bytes int64  `json:"live_bytes"` // of the live blocks in memory
	Rows  []Row  `json:"rows"`
}

// Bench measures, on one core, an arena that is made, or is the part with most columns of the
// first world below dirs.
func Bench(ctx context.Context, dirs []string, o lab.Options) (*Report, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r := &Report{Cells: int(edge*edge) * geom.ColumnEdge * geom.ColumnEdge * height, Runs: runs, World: "made"}
	src := terrain.Survival(terrain.Options{Seed: o.Seed, Size: int(edge), Version: terrain.Modern})
	if len(dirs) > 0 {
		places, err := savings.Find(dirs)
		if err != nil || len(places) == 0 {
			return nil, errors.Join(errors.New("arena: no world in the folders"), err)
		}
		r.World = places[0].Path
		if src, err = cut(ctx, places[0]); err != nil {
			return nil, err
		}
		defer src.Close()
	}
	err := lab.InStore(func(st *local.Store, _ string) error {
		a, err := newArena(ctx, st, src, o.Seed)
		if err != nil {
			return err
		}
		defer a.close()
		return r.bench(ctx, a, o)
	})
	return r, err
}

// arena is a live world and its snapshot.
type arena struct {
	st      history.Store
	w       *world.World
	capture *world.Capture
	blocks  *world.Volume // as captured
	rng     *rand.Rand
	q       *edit.Queue
	place   *edit.Arena
	times   []float64 // of columns
	last    time.Time
}

const dimension = "overworld"

// The arena as cairn import writes it with --quick and without: the second takes fewer bytes
// and longer to decode.
const (
	quick = "quick"
	best  = "best"
)

func newArena(ctx context.Context, st history.Store, from format.Source, seed uint64) (*arena, error) {
	src, err := convert.Load(ctx, from)
	if err != nil {
		return nil, err
	}
	for name, effort := range map[string]stone.Effort{quick: stone.Quick, best: stone.Best} {
		var out bytes.Buffer
		id, _, err := convert.WriteStone(ctx, src, &out, stone.Options{Effort: effort})
		if err != nil {
			return nil, err
		}
		if _, err := world.Import(ctx, st, name, history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "made"); err != nil {
			return nil, err
		}
	}
	w, err := world.Open(ctx, st, quick, world.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	a := &arena{st: st, w: w, rng: rand.New(rand.NewPCG(seed, 1)), place: &edit.Arena{World: w, Dimension: dimension}}
	if a.capture, err = w.Capture(); err != nil {
		return nil, err
	}
	a.blocks = a.view()
	a.q = edit.New(edit.Options{Events: a.event})
	return a, nil
}

func (a *arena) close() error {
	a.q.Close()
	a.capture.Close()
	return a.w.Close()
}

func (a *arena) view() *world.Volume {
	return a.w.View().Dimension(dimension).Volume(voxel.Block)
}

// event notes how long the columns took that a tower holds.
func (a *arena) event(e edit.Event) {
	if e.Kind != edit.ChunkDone {
		return
	}
	now := time.Now()
	if d := now.Sub(a.last).Seconds() * 1000; len(a.times) > 0 && d < 0.001 { // of the same update
		return
	} else {
		a.times = append(a.times, d/4, d/4, d/4, d/4)
	}
	a.last = now
}

// change makes one in every so many cells another, in share percent of the chunks.
func (a *arena) change(share, every int) error {
	k := 0
	_, err := a.w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(dimension).Volume(voxel.Block)
		n := voxel.Cell(len(v.Names()))
		for pos, c := range a.blocks.Chunks() {
			if k++; k*share/100 == (k-1)*share/100 {
				continue
			}
			var flat [voxel.ChunkCells]voxel.Cell
			c.Flat(&flat)
			for i := 0; i < len(flat); i += 1 + a.rng.IntN(2*every-1) {
				flat[i] = (flat[i] + 1 + voxel.Cell(a.rng.IntN(int(n)-1))) % n
			}
			v.SetChunk(pos, voxel.FromFlat(&flat))
		}
		return v.Err()
	})
	return err
}

// run does an operation to its end and returns its processor time.
func (a *arena) run(ctx context.Context, op edit.Task) (ms float64, err error) {
	start := lab.ProcessorTime()
	a.last = time.Now()
	f := a.q.Add(a.place, op, 0)
	for {
		a.q.Step(time.Now(), time.Hour)
		select {
		case <-f.Done():
			ms = (lab.ProcessorTime() - start).Seconds() * 1000
			_, err := f.Wait(ctx)
			return ms, err
		default:
			runtime.Gosched() // to what is read beside the game
			a.last = time.Now()
		}
	}
}

// same reports whether the arena is as captured.
func (a *arena) same() bool {
	now := a.view()
	for pos, c := range a.blocks.Chunks() {
		if d, _ := now.Chunk(pos); d != c && !d.Equal(c) {
			return false
		}
	}
	return true
}

func (r *Report) bench(ctx context.Context, a *arena, o lab.Options) error {
	for _, c := range a.blocks.Chunks() {
		r.Bytes += int64(c.Bytes())
	}
	rivals := rivals()
	steps, done := 8+len(rivals), 0
	step := func(what string) { o.Step(done, steps, what); done++ }
	step("snapshot")
	if err := r.snapshot(ctx, a); err != nil {
		return err
	}
	for _, k := range []struct {
		name         string
		share, every int
		disk         string
		what         string
	}{
		{"restore_0", 0, 1, "", "nothing differs"},
		{"restore_1", 1, 100, "", "1 % of the cells of 1 % of the chunks differ"},
		{"restore_10", 10, 100, "", "... of 10 % of the chunks"},
		{"restore_100", 100, 100, "", "... of all chunks"},
		{"restore_disk_100", 100, 100, quick, "the same, the snapshot read from disk and decoded"},
		{"restore_disk_best_100", 100, 100, best, "the same, the arena imported without --quick"},
		{"restore_all", 100, 1, "", "every cell differs"},
	} {
		step(k.name)
		row := Row{Name: k.name, what: k.what}
		var times []float64
		a.times = nil
		for range runs {
			if k.share > 0 {
				if err := a.change(k.share, k.every); err != nil {
					return err
				}
			}
			runtime.GC()
			repeat, sum := 1, 0.0
			if k.share == 0 {
				repeat = 100 // one is too short for the clock of the processor
			}
			for range repeat {
				ms, bytes, err := a.restore(ctx, k.disk)
				if err != nil {
					return err
				}
				sum, row.Bytes = sum+ms, bytes
			}
			times = append(times, sum/float64(repeat))
			if !a.same() {
				return fmt.Errorf("arena: %s: the arena differs after it was restored", k.name)
			}
		}
		row.MS, row.PerChunk = lab.Percentile(times, 50), spread(a.times)
		r.Rows = append(r.Rows, row)
	}
	for _, v := range rivals {
		step(v.name)
		row, err := v.bench(a)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, row)
	}
	return nil
}

// restore puts the arena back, from memory or from the store with nothing decoded.
func (a *arena) restore(ctx context.Context, disk string) (ms float64, bytes int64, err error) {
	if disk == "" {
		ms, err = a.run(ctx, &edit.Restore{Capture: a.capture})
		return ms, 0, err
	}
	head, err := a.st.Head(ctx, disk)
	if err != nil {
		return 0, 0, err
	}
	start := lab.ProcessorTime()
	s, err := world.OpenSnapshot(ctx, a.st, disk, head.Commit, world.Options{Cache: stone.NewCache(64 << 20)})
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	opened := (lab.ProcessorTime() - start).Seconds() * 1000
	_, bytes = s.Stones()
	ms, err = a.run(ctx, &edit.Restore{Snapshot: s})
	return ms + opened, bytes, err
}

// snapshot measures captures of an arena in which every chunk was changed, and what they keep in
// memory when every chunk is changed again.
func (r *Report) snapshot(ctx context.Context, a *arena) error {
	if err := a.change(100, 100); err != nil {
		return err
	}
	var times []float64
	for range runs {
		start := lab.ProcessorTime()
		c, err := a.w.Capture()
		if err != nil {
			return err
		}
		times = append(times, (lab.ProcessorTime()-start).Seconds()*1000)
		c.Close()
	}
	row := Row{Name: "snapshot", MS: lab.Percentile(times, 50), what: "bytes: what it keeps in memory after every chunk was changed"}
	columns := float64(edge * edge)
	row.PerChunk = spread(times)
	for _, p := range []*float64{&row.PerChunk.Min, &row.PerChunk.Avg, &row.PerChunk.Median, &row.PerChunk.P95, &row.PerChunk.Max} {
		*p /= columns
	}
	if _, err := a.run(ctx, &edit.Restore{Capture: a.capture}); err != nil {
		return err
	}
	row.Bytes = r.Bytes
	r.Rows = append(r.Rows, row)
	return nil
}

func spread(times []float64) (s Spread) {
	if len(times) == 0 {
		return s
	}
	slices.Sort(times)
	sum := 0.0
	for _, t := range times {
		sum += t
	}
	return Spread{times[0], sum / float64(len(times)), lab.Percentile(times, 50), lab.Percentile(times, 95), times[len(times)-1]}
}

// Table prints a line for each row.
func (r *Report) Table(w io.Writer) {
	fmt.Fprintf(w, "%s: %d cells, %d runs; the live blocks take %s\n\n", r.World, r.Cells, r.Runs, table.Size(r.Bytes))
	t := table.New(w, "", "ms", "bytes", "min", "avg", "median", "p95", "max", "")
	for _, row := range r.Rows {
		p := row.PerChunk
		f := func(ms float64) string { return fmt.Sprintf("%.4f", ms) }
		t.Row(row.Name, fmt.Sprintf("%.3f", row.MS), table.Size(row.Bytes), f(p.Min), f(p.Avg), f(p.Median), f(p.P95), f(p.Max), row.what)
	}
	t.Flush()
}
