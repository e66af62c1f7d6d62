package world

import (
	"context"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// Relight computes the light that follows from what updates changed since it was
// last called, in the volumes voxel.Sky and voxel.Light, and takes away that it
// is stale. It costs what the changes light and darken. What blocks are to light is learned
// from the light around and from full packs that know it, and guessed by name
// otherwise; light that differed from the rule differs as before. It does I/O: it
// brings what is around the changes into memory for as long as it works.
//
// Without Options.Relight nobody knows what changed, and it does nothing. Light that
// was stale before stays so, and that of changes to more than 1024 chunks, or to what lights
// or darkens more than 4096 sections, or two million cells; and that of blocks over which
// an update with DimensionTx.Lit wrote others.
func (w *World) Relight(ctx context.Context) error {
	w.saving.Lock()
	defer w.saving.Unlock()
	return w.relight(ctx)
}

// relightTries is how often what is around changes is loaded when updates go on
// meanwhile.
const relightTries = 4

// relight is Relight for who has saving. What is left is left to the next.
func (w *World) relight(ctx context.Context) error {
	for range relightTries {
		w.mu.Lock()
		s, at := w.now.Load(), w.unlits
		around := make(map[string][]geom.Box)
		for name, u := range w.unlit {
			if i := s.dimension(name); i >= 0 {
				around[name] = u.around(s.dimensions[i])
			}
		}
		w.mu.Unlock()
		if len(around) == 0 {
			return nil
		}
		done, err := w.relightIn(ctx, around, at)
		if done || err != nil {
			return err
		}
	}
	return nil
}

// relightIn does the work in boxes that hold all that is near to what was unlit at
// some moment, and reports whether that is so still.
func (w *World) relightIn(ctx context.Context, around map[string][]geom.Box, at uint64) (done bool, err error) {
	for _, name := range slices.Sorted(maps.Keys(around)) {
		for _, b := range around[name] {
			h, err := w.Load(ctx, name, b, w.lightVolumes(name)...)
			if err != nil {
				return false, err
			}
			defer h.Release()
		}
	}
	_, err = w.Update(func(tx *Tx) error {
		w.mu.Lock()
		now, unlit := w.unlits, w.unlit // which no other update changes now
		w.mu.Unlock()
		if now != at {
			return errMoved
		}
		tx.exact = true
		for _, name := range slices.Sorted(maps.Keys(around)) {
			if err := tx.Dimension(name).relight(&w.lamps, unlit[name], around[name]); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err == errMoved {
		return false, nil
	}
	return err == nil, err
}

// lightVolumes returns what has to be in memory to compute light.
func (w *World) lightVolumes(dimension string) []string {
	s := w.now.Load()
	d := s.dimensions[s.dimension(dimension)]
	names := []string{voxel.Block, Columns}
	for _, name := range []string{voxel.Sky, voxel.Light} {
		if d.lightOf(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// around returns boxes that hold all cells that the light of what is unlit reaches,
// of all heights: one for each footprint of chunks.
func (u *unlit) around(d *dimension) []geom.Box {
	type foot struct{ x, z int32 }
	boxes := make(map[foot]geom.Box)
	blocks := d.lightOf(voxel.Block)
	var dark []geom.ColumnPos
	for _, c := range touched(blocks.Default, u.replaced(blocks)) {
		dark = append(dark, c.pos)
	}
	for pos := range u.before {
		if _, ok := blocks.cells.Chunk(pos); !ok { // it left memory since
			over := columnsOver(pos)
			dark = append(dark, over[:]...)
		}
	}
	for _, pos := range dark {
		at := pos.Chunk(0)
		boxes[foot{at.X, at.Z}] = boxes[foot{at.X, at.Z}].Union(columnBox(pos))
	}
	var out []geom.Box
	for _, b := range boxes {
		b = grown(b, geom.ColumnEdge).Intersect(Everywhere)
		out = append(out, b)
	}
	slices.SortFunc(out, func(a, b geom.Box) int { return columnOf(a.Min).Compare(columnOf(b.Min)) })
	return out
}

// replaced returns the chunks that changed and are in memory, in ascending order of
// code.
func (u *unlit) replaced(blocks *volume) (out []grid.Replaced) {
	for _, pos := range slices.SortedFunc(maps.Keys(u.before), byCode) {
		if c, ok := blocks.cells.Chunk(pos); ok {
			out = append(out, grid.Replaced{Pos: pos, Old: u.before[pos], New: c})
		}
	}
	return out
}

// relight computes what light follows from what is unlit.
func (d *DimensionTx) relight(l *lamps, u *unlit, around []geom.Box) error {
	g := newGround(d.d, u, around)
	l.learn(d.d, g, around)
	l.work.Use(l.matters(d.d))
	defer l.work.Rest()
	for kind, name := range []string{light.Sky: voxel.Sky, light.Block: voxel.Light} {
		v := d.d.lightOf(name)
		if v == nil {
			continue
		}
		g.level = v
		done := l.work.Run(light.Kind(kind), g, g.changed)
		if g.err != nil {
			return g.err
		}
		if !done {
			return nil // and the light is stale
		}
		g.write(d.Volume(name), &l.work, light.Kind(kind))
	}
	g.mend(d, u)
	return nil
}
