package level

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/savings"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// GridRow is the cost of one piece of work on a grid, on one flat array of the whole box, and
// on a Go map of flat chunks. Flat is 0 if the array would be too large.
type GridRow struct {
	Set       string  `json:"set"`
	What      string  `json:"what"`
	Unit      string  `json:"unit"` // "ns" or "B"
	Cairn     float64 `json:"cairn"`
	Flat      float64 `json:"flat,omitempty"`
	Map       float64 `json:"map"`
	RatioFlat float64 `json:"ratio_flat,omitempty"` // cairn/flat
	RatioMap  float64 `json:"ratio_map"`            // cairn/map
}

// GridReport is the cost of reading, writing and keeping a volume.
type GridReport struct {
	Sets    []GridSet              `json:"sets"`
	Rows    []GridRow              `json:"rows"`
	Skipped []savings.SkippedWorld `json:"skipped"`
}

// GridSet is a volume that was measured.
type GridSet struct {
	Name   string `json:"name"`
	Chunks int    `json:"chunks"`
	Cells  int    `json:"cells"` // that are not empty
	Box    string `json:"box"`   // that holds all chunks
}

// BenchGrid reads and writes the level of at least Options.Voxels cells and, side
// by side in one volume, the blocks of all worlds below dirs.
func BenchGrid(ctx context.Context, dirs []string, o lab.Options) (*GridReport, error) {
	r := &GridReport{Sets: []GridSet{}, Rows: []GridRow{}, Skipped: []savings.SkippedWorld{}}
	m := &levelMaker{level: terrain.Level{Seed: o.Seed, Shape: terrain.DefaultShape()}, want: cmp.Or(o.Voxels, levelVoxels), options: o}
	if _, err := m.make(ctx); err != nil {
		return nil, err
	}
	placed := m.placed
	m.placed = nil
	if err := r.add(ctx, "level", voxel.Terrain, placed, o); err != nil || len(dirs) == 0 {
		return r, err
	}
	placed, err := r.worlds(ctx, dirs)
	if err != nil {
		return nil, err
	}
	return r, r.add(ctx, "blocks", voxel.Palette, placed, o)
}

// worlds returns the chunks of blocks of all worlds below dirs, side by side.
func (r *GridReport) worlds(ctx context.Context, dirs []string) ([]grid.Placed, error) {
	var volumes []*convert.LoadedVolume
	var err error
	r.Skipped, err = lab.EachWorld(ctx, dirs, func(w *convert.Loaded) {
		for _, d := range w.Dimensions {
			if v := d.Volume(voxel.Block); v != nil && len(v.Chunks) > 0 {
				volumes = append(volumes, v)
			}
		}
	})
	return sideBySide(volumes), err
}

// rowChunks is how many chunks stand in a row before the next row begins.
const rowChunks = 128

// sideBySide moves volumes next to each other so that they share no chunk, the deepest first. A
// chunk keeps its height. Chunks that end up out of range are left out.
func sideBySide(volumes []*convert.LoadedVolume) (out []grid.Placed) {
	type shelved struct {
		*convert.LoadedVolume
		low, size geom.ChunkPos
	}
	all := make([]shelved, len(volumes))
	for i, v := range volumes {
		box := boundsOf(v.Positions())
		all[i] = shelved{v, box.Min.Chunk(), box.Max.Sub(box.Min).Chunk()}
	}
	slices.SortStableFunc(all, func(a, b shelved) int { return cmp.Compare(b.size.Z, a.size.Z) })
	var at geom.ChunkPos
	deep := int32(0)
	for _, s := range all {
		if at.X > 0 && at.X+s.size.X > rowChunks {
			at.X, at.Z, deep = 0, at.Z+deep, 0
		}
		for _, pos := range s.Positions() {
			to := geom.ChunkPos{X: pos.X - s.low.X + at.X, Y: pos.Y, Z: pos.Z - s.low.Z + at.Z}
			if to.Check() == nil {
				out = append(out, grid.Placed{Pos: to, Chunk: s.Chunks[pos]})
			}
		}
		at.X += s.size.X
		deep = max(deep, s.size.Z)
	}
	return out
}

// boundsOf returns the least box that holds the chunks.
func boundsOf(at []geom.ChunkPos) (b geom.Box) {
	for _, pos := range at {
		b = b.Union(pos.Box())
	}
	return b
}

// add measures a set; one without cells is left out.
func (r *GridReport) add(ctx context.Context, name string, schema voxel.Schema, placed []grid.Placed, o lab.Options) error {
	placed = slices.DeleteFunc(placed, func(p grid.Placed) bool { return p.Chunk.CountNonEmpty() == 0 })
	if len(placed) == 0 {
		return nil
	}
	s := newGridSet(name, schema, placed, max(leastReads, cmp.Or(o.Reads, gridReads)))
	r.Sets = append(r.Sets, GridSet{name, len(s.at), s.cells, s.box.String()})
	r.Rows = append(r.Rows, s.memory...)
	work := slices.Concat(s.whole(), s.boxes(), s.rays(), s.writes())
	for i, w := range work {
		if err := ctx.Err(); err != nil {
			return err
		}
		o.Step(i, len(work), name+": "+w.what)
		row, err := s.time(w)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, row)
	}
	if !s.same() {
		return fmt.Errorf("level: %s: after all writes: %w", name, errNotSame)
	}
	return nil
}

// task is work done n times; it returns a sum that is the same for all forms.
type task struct {
	n  int
	do func() int
}

// gridWork is one kind of work on each form.
type gridWork struct {
	what              string
	cairn, flat, tree task
}

// each returns work that is done n times on each form.
func each(what string, n int, cairn, flat, tree func() int) gridWork {
	return gridWork{what, task{n, cairn}, task{n, flat}, task{n, tree}}
}

const gridRounds = 5

// time takes for each form the fastest of some rounds, in which they take turns.
func (s *gridSet) time(w gridWork) (GridRow, error) {
	row := GridRow{Set: s.name, What: w.what, Unit: "ns"}
	for range gridRounds {
		ours, sum := w.cairn.time()
		tree, want := w.tree.time()
		row.Cairn, row.Map = lab.Least(row.Cairn, ours), lab.Least(row.Map, tree)
		if sum != want {
			return row, fmt.Errorf("level: %s: %s: %w", s.name, w.what, errNotSame)
		}
		if s.flat == nil {
			continue
		}
		flat, want := w.flat.time()
		row.Flat = lab.Least(row.Flat, flat)
		if sum != want {
			return row, fmt.Errorf("level: %s: %s: flat: %w", s.name, w.what, errNotSame)
		}
	}
	return row.rated(), nil
}

// time returns the processor's time for each of the task's pieces: that of the
// garbage collector counts, that of other programs does not.
func (t task) time() (each float64, sum int) {
	runtime.GC() // what was done before leaves nothing to collect
	before := lab.ProcessorTime()
	sum = t.do()
	return float64((lab.ProcessorTime() - before).Nanoseconds()) / float64(t.n), sum
}

func (r GridRow) rated() GridRow {
	if r.Map > 0 {
		r.RatioMap = r.Cairn / r.Map
	}
	if r.Flat > 0 {
		r.RatioFlat = r.Cairn / r.Flat
	}
	return r
}

// Table prints a line for each piece of work.
func (r *GridReport) Table(w io.Writer) {
	for _, s := range r.Sets {
		fmt.Fprintf(w, "%s: %d chunks, %d cells not empty, in %s\n", s.Name, s.Chunks, s.Cells, s.Box)
	}
	fmt.Fprintln(w)
	t := table.New(w, "each", "unit", "cairn", "flat array", "map of chunks", "cairn/array", "cairn/map")
	number := func(f float64) string {
		if f == 0 {
			return "-"
		}
		return fmt.Sprintf("%.*f", decimals(f), f)
	}
	last := ""
	for _, x := range r.Rows {
		if last != "" && last != x.Set {
			t.Blank()
		}
		last = x.Set
		t.Row(x.Set+": "+x.What, x.Unit, number(x.Cairn), number(x.Flat), number(x.Map), number(x.RatioFlat), number(x.RatioMap))
	}
	t.Flush()
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}

// decimals returns how many decimals of f people read.
func decimals(f float64) int {
	switch {
	case f >= 100:
		return 0
	case f >= 10:
		return 1
	case f >= 0.01:
		return 2
	}
	return 6
}
