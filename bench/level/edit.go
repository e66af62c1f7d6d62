package level

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/bench/island"
	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// EditTime is how long something took, in milliseconds, and what was written
// for it, on average.
type EditTime struct {
	What  string  `json:"what"`
	P50   float64 `json:"p50_ms"`
	P99   float64 `json:"p99_ms"`
	Bytes int64   `json:"bytes"` // of stones; of forks what the store's directory grew by
}

// UndoCost is the cost of an undo step.
type UndoCost struct {
	Cells int   `json:"cells"`
	Bytes int   `json:"bytes"`
	Equal bool  `json:"equal"` // cells after undo and after redo are those before and after the step
	Undo  int64 `json:"undo_us"`
	Redo  int64 `json:"redo_us"`
}

// EditReport is the cost of editing and saving.
type EditReport struct {
	Voxels int64              `json:"voxels"` // of the level that is not empty
	Chunks int                `json:"chunks"`
	Times  []EditTime         `json:"times"`
	Undo   UndoCost           `json:"undo"`
	Week   island.Week        `json:"week"`
	Packs  []island.PackPrice `json:"packs"`
}

// BenchEdit edits and saves a level of at least Options.Voxels cells, an island
// for a week, and two worlds Options.Commits times.
func BenchEdit(ctx context.Context, o lab.Options) (*EditReport, error) {
	r := &EditReport{}
	o.Step(0, 4, "the level")
	err := lab.InStore(func(st *local.Store, dir string) error { return r.level(ctx, st, dir, o) })
	if err != nil {
		return nil, err
	}
	o.Step(1, 4, "a week of autosaves")
	if r.Week, err = island.Play(ctx); err != nil {
		return nil, err
	}
	for i, k := range island.PackedWorlds() {
		o.Step(2+i, 4, "commits of the "+k.Name)
		p, err := island.PriceOf(ctx, k, cmp.Or(o.Commits, island.PriceCommits))
		if err != nil {
			return nil, err
		}
		r.Packs = append(r.Packs, p)
	}
	return r, nil
}

const (
	levelName   = "level"
	levelSpace  = "earth"
	editRepeats = 200
	editForks   = 1000
)

// level measures edits of one block, snapshots, forks and undo on a level.
func (r *EditReport) level(ctx context.Context, st *local.Store, dir string, o lab.Options) error {
	w, err := world.Create(ctx, st, levelName, world.Options{Whole: true})
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // nothing of it is needed any more
	m := &levelMaker{level: terrain.Level{Seed: o.Seed, Shape: terrain.DefaultShape()}, want: cmp.Or(o.Voxels, levelVoxels), options: o}
	if _, err := m.make(ctx); err != nil {
		return err
	}
	r.Voxels, r.Chunks = m.cells, len(m.placed)
	if err := m.into(ctx, w); err != nil {
		return err
	}
	for _, f := range []func(context.Context, *world.World, *local.Store, string) error{r.oneBlock, r.snapshots, r.forks} {
		if err := f(ctx, w, st, dir); err != nil {
			return err
		}
	}
	r.Undo, err = undoCost(ctx, w)
	return err
}

// into makes the level the world's content and saves it.
func (m *levelMaker) into(ctx context.Context, w *world.World) error {
	_, err := w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension(levelSpace, []voxel.Volume{{Name: levelVolume, Schema: voxel.Terrain, Scale: 1}}, nil)
		v := d.Volume(levelVolume)
		for _, c := range m.placed {
			v.SetChunk(c.Pos, c.Chunk)
		}
		return nil
	})
	m.placed = nil
	if err != nil {
		return err
	}
	_, err = w.Commit(ctx, "the level")
	return err
}

func edit(w *world.World, f func(v *world.VolumeTx)) error {
	_, err := w.Update(func(tx *world.Tx) error {
		f(tx.Dimension(levelSpace).Volume(levelVolume))
		return nil
	})
	return err
}

// oneBlock changes and commits one cell again and again, somewhere else each
// time.
func (r *EditReport) oneBlock(ctx context.Context, w *world.World, _ *local.Store, _ string) error {
	row := EditTime{What: "one block set and committed"}
	var times []float64
	for i := range editRepeats {
		p := geom.Point{X: (i*37)%400 - 200, Y: 20 + i%40, Z: (i*91)%400 - 200}
		start := time.Now()
		if err := edit(w, func(v *world.VolumeTx) { v.Set(p, voxel.TerrainCell(uint8(1+i%2), uint8(i))) }); err != nil {
			return err
		}
		c, err := w.Commit(ctx, "one block")
		if err != nil {
			return err
		}
		times = append(times, milliseconds(start))
		for _, s := range c.Stones {
			row.Bytes += s.Size / editRepeats
		}
	}
	row.P50, row.P99 = lab.Percentile(times, 50), lab.Percentile(times, 99)
	r.Times = append(r.Times, row)
	return nil
}

func milliseconds(since time.Time) float64 { return time.Since(since).Seconds() * 1000 }

// snapshots takes views of the whole level, each of another version.
func (r *EditReport) snapshots(_ context.Context, w *world.World, _ *local.Store, _ string) error {
	var times []float64
	var kept []*world.View
	for i := range editRepeats {
		if err := edit(w, func(v *world.VolumeTx) { v.Set(geom.Point{X: i, Y: 1}, voxel.TerrainCell(3, uint8(i))) }); err != nil {
			return err
		}
		start := time.Now()
		kept = append(kept, w.View())
		times = append(times, milliseconds(start))
	}
	for i, v := range kept {
		if c, ok := v.Dimension(levelSpace).Volume(levelVolume).Cell(geom.Point{X: i, Y: 1}); !ok || c != voxel.TerrainCell(3, uint8(i)) {
			return fmt.Errorf("level: snapshot %d has another cell: %v", i, c)
		}
	}
	r.Times = append(r.Times, EditTime{What: "snapshot of all", P50: lab.Percentile(times, 50), P99: lab.Percentile(times, 99)})
	return nil
}

// forks forks the level and opens the forks.
func (r *EditReport) forks(ctx context.Context, w *world.World, st *local.Store, dir string) error {
	before, err := dirSize(dir)
	if err != nil {
		return err
	}
	var forked, opened []float64
	for i := range editForks {
		name := fmt.Sprint("fork/", i)
		start := time.Now()
		if err := w.Fork(ctx, name); err != nil {
			return err
		}
		forked = append(forked, milliseconds(start))
	}
	after, err := dirSize(dir)
	if err != nil {
		return err
	}
	for i := range editRepeats / 4 {
		start := time.Now()
		f, err := world.Open(ctx, st, fmt.Sprint("fork/", i), world.Options{})
		if err != nil {
			return err
		}
		opened = append(opened, milliseconds(start))
		if err := f.Close(); err != nil {
			return err
		}
	}
	r.Times = append(r.Times,
		EditTime{What: "fork", P50: lab.Percentile(forked, 50), P99: lab.Percentile(forked, 99), Bytes: max(0, after-before) / editForks},
		EditTime{What: "fork opened", P50: lab.Percentile(opened, 50), P99: lab.Percentile(opened, 99)})
	return nil
}

// dirSize returns what the files of a directory take.
func dirSize(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// undoCost fills a cube of 100 cells an edge, takes it back and does it again.
func undoCost(ctx context.Context, w *world.World) (UndoCost, error) {
	const edge = 100
	cube := geom.Box{Min: geom.Point{X: -37, Y: 5, Z: 11}}
	cube.Max = cube.Min.Add(geom.Point{X: edge, Y: edge, Z: edge})
	read := func() []voxel.Cell {
		cells := make([]voxel.Cell, cube.Cells())
		w.View().Dimension(levelSpace).Volume(levelVolume).ReadBox(cube, 0, cells)
		return cells
	}
	h := undo.New(w, undo.Options{})
	c := UndoCost{Cells: cube.Cells()}
	before := read()
	_, err := h.Update(ctx, "bench", "fill", func(tx *world.Tx) error {
		tx.Dimension(levelSpace).Volume(levelVolume).Fill(cube, voxel.TerrainCell(7, 255))
		return nil
	})
	if err != nil {
		return c, err
	}
	c.Bytes = h.Bytes()
	filled := read()
	start := time.Now()
	if _, err := h.Undo(ctx, "bench"); err != nil {
		return c, err
	}
	c.Undo = time.Since(start).Microseconds()
	c.Equal = slices.Equal(read(), before)
	start = time.Now()
	if _, err := h.Redo(ctx, "bench"); err != nil {
		return c, err
	}
	c.Redo = time.Since(start).Microseconds()
	c.Equal = c.Equal && slices.Equal(read(), filled)
	return c, nil
}

// Table prints the report.
func (r *EditReport) Table(w io.Writer) {
	fmt.Fprintf(w, "a level of %d voxels that are not empty in %d chunks\n\n", r.Voxels, r.Chunks)
	t := table.New(w, "", "p50 ms", "p99 ms", "written")
	for _, e := range r.Times {
		t.Row(e.What, fmt.Sprintf("%.3f", e.P50), fmt.Sprintf("%.3f", e.P99), table.Size(e.Bytes))
	}
	t.Flush()
	equal := "equal cells"
	if !r.Undo.Equal {
		equal = "OTHER CELLS"
	}
	fmt.Fprintf(w, "\nundo of %d cells takes %s; undone in %d us, redone in %d us, %s\n", r.Undo.Cells, table.Size(int64(r.Undo.Bytes)), r.Undo.Undo, r.Undo.Redo, equal)
	r.Week.Print(w)
	fmt.Fprintln(w)
	t = table.New(w, "packing", "chunks", "commits", "saved", "packed", "packed/saved", "highest stack")
	for _, p := range r.Packs {
		t.Row(p.World, fmt.Sprint(p.Chunks), fmt.Sprint(p.Commits), table.Size(p.Saved), table.Size(p.Packed), fmt.Sprintf("%.2f", p.Price), fmt.Sprint(p.Highest))
	}
	t.Flush()
}
