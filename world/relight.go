package world

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/relight"
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
	if err := w.live(); err != nil {
		return err
	}
	return w.relight(ctx)
}

// relightTries is how often relight starts again when updates came while it loaded what
// it needs.
const relightTries = 4

// relight is Relight; the caller holds saving. The next call does what this one leaves.
func (w *World) relight(ctx context.Context) error {
	for range relightTries {
		w.mu.Lock()
		s, at := w.now.Load(), w.pendingChanges
		around := make(map[string][]geom.Box)
		for name, p := range w.pending {
			if i := s.dimension(name); i >= 0 {
				around[name] = p.Around(s.dimensions[i].lightOf(voxel.Block).cells)
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

// relightIn does the work in boxes that held all that was near to pending blocks after
// so many changes of pending. It reports false if pending changed since.
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
		pending := w.pending // no other update changes it now
		done = w.pendingChanges == at
		w.mu.Unlock()
		if !done {
			return nil
		}
		tx.exact = true
		for _, name := range slices.Sorted(maps.Keys(around)) {
			if err := tx.Dimension(name).relight(&w.lightModel, pending[name], around[name]); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	return done, err
}

// lightNames are the volumes of light.
var lightNames = [...]string{light.Sky: voxel.Sky, light.Block: voxel.Light}

// lightVolumes returns the names of what Load must bring to compute light.
func (w *World) lightVolumes(dimension string) []string {
	s := w.now.Load()
	d := s.dimensions[s.dimension(dimension)]
	names := []string{voxel.Block, Columns}
	for _, name := range lightNames {
		if d.lightOf(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// relight computes and writes the light of pending blocks.
func (d *DimensionTx) relight(m *relight.Model, p *relight.Pending, around []geom.Box) error {
	blocks := d.d.lightOf(voxel.Block)
	in := &relight.Dimension{Name: d.d.name, Blocks: blocks.cells, Names: blocks.names.list, Matters: d.d.matters}
	if len(d.d.columns.fields) > 0 {
		in.Column = (&Dimension{d.d}).Column
	}
	for kind, name := range lightNames {
		if v := d.d.lightOf(name); v != nil {
			in.Levels[kind] = v.cells
		}
	}
	columns, err := m.Run(in, p, around, func(kind light.Kind, b geom.Box, levels []voxel.Cell) {
		d.Volume(lightNames[kind]).WriteBox(b, levels)
	})
	for _, c := range columns {
		d.put(c.Pos, c, parts{column: true})
	}
	if err != nil {
		return fmt.Errorf("world: light of %q: %w", d.d.name, notLoaded(err))
	}
	return nil
}

// hasLight reports whether the dimension has blocks and volumes for their light.
func (d *dimension) hasLight() bool {
	v := d.lightOf(voxel.Block)
	return v != nil && v.Schema == voxel.Palette && (d.lightOf(voxel.Sky) != nil || d.lightOf(voxel.Light) != nil)
}

// lightOf returns a volume of the dimension if light can be computed in it, or
// from it.
func (d *dimension) lightOf(name string) *volume {
	i := d.volume(name)
	if i < 0 || d.volumes[i].Scale != 1 || name != voxel.Block && d.volumes[i].Schema != voxel.Level {
		return nil
	}
	return d.volumes[i]
}

// What follows needs mu.

// addPending adds the blocks that a Tx left without light.
func (w *World) addPending(tx *Tx) {
	if tx.exact {
		w.forgetPending()
		return
	}
	for name, p := range tx.pending {
		if w.pending == nil {
			w.pending = make(map[string]*relight.Pending)
		}
		w.pending[name] = w.pending[name].Add(p)
		w.pendingChanges++
	}
}

func (w *World) forgetPending() {
	w.pending = nil
	w.pendingChanges++
}
