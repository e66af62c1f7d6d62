package world

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/bits"
	"slices"
	"sort"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Change is what an update replaced.
type Change struct {
	Volumes []VolumeChange // those with chunks that differ
	Columns []ColumnChange
}

// VolumeChange is what an update replaced of a volume.
type VolumeChange struct {
	Dimension, Volume string
	Chunks            []grid.Replaced // in ascending order of code
	// Names are what cells of the chunks are, by cell: a Restore may give the world other cells
	// for them. They must not be changed.
	Names []string
	// Default is the cell of chunks that are nil.
	Default voxel.Cell
}

// Cubes yields the cubes of voxel.CubeEdge cells an edge in which a cell changed, in cells of the volume: what a game looks at again for
// the things that move near an edit. All cubes of a chunk come that was not loaded before. The
// matter of a terrain's cells leans on cells beside them, which may lie in the next cube.
func (v *VolumeChange) Cubes(yield func(geom.Box) bool) {
	const n = geom.ChunkEdge / voxel.CubeEdge
	for _, r := range v.Chunks {
		cubes := ^uint64(0)
		if !r.Unknown {
			cubes = r.Old.Or(v.Default).DifferingCubes(r.New.Or(v.Default))
		}
		for ; cubes != 0; cubes &= cubes - 1 {
			i := bits.TrailingZeros64(cubes)
			at := geom.Point{X: i % n, Y: i / (n * n), Z: i / n % n}
			low := r.Pos.Min().Add(geom.Point{X: at.X * voxel.CubeEdge, Y: at.Y * voxel.CubeEdge, Z: at.Z * voxel.CubeEdge})
			if !yield(geom.Box{Min: low, Max: low.Add(geom.Point{X: voxel.CubeEdge, Y: voxel.CubeEdge, Z: voxel.CubeEdge})}) {
				return
			}
		}
	}
}

// Cells counts the cells that changed, without those of chunks that were not loaded.
func (v *VolumeChange) Cells() (n int) {
	var a, b [64]voxel.Cell
	for _, r := range v.Chunks {
		if r.Unknown {
			continue
		}
		old, new := r.Old.Or(v.Default), r.New.Or(v.Default)
		for y, rows := range old.Differing(new) {
			for ; rows != 0; rows &= rows - 1 {
				z := bits.TrailingZeros32(rows)
				n += bits.OnesCount32(voxel.DifferingCells(old.Row(y, z, &a), new.Row(y, z, &b)))
			}
		}
	}
	return n
}

// ColumnChange is a column that an update wrote or recomputed height maps of.
type ColumnChange struct {
	Dimension string
	Pos       geom.ColumnPos
	Old, New  *voxel.Column // nil: none
	Unknown   bool          // Old was not loaded, and so is nil
}

// Update calls f, which changes the world through tx. When f has returned, every View
// that is taken from then on has all of its writes. If f or tx fails nothing changes.
// The error is ErrNotLoaded if f read or wrote a part of something that is not in
// memory. Updates wait for each other; f must not call Update, Replace,
// Commit, Capture, Moment, Relight, Pack, Restore or Close, which wait for updates or for each other: they return ErrNested
// (on amd64 and arm64; elsewhere, and from a goroutine that f waits for, they wait for ever).
//
// Where cells of the volume voxel.Block changed, Update recomputes the height maps that
// follow from blocks and marks the columns' light stale: see Relight, and
// DimensionTx.Lit. Where a cell has another block, in more than its state, the objects that it
// owned are removed, such as a chest's content: see voxel.Owner. Those that f adds stay. A block
// beyond the heights of its column's game is a *HeightError: see DimensionTx.AnyHeight.
func (w *World) Update(f func(*Tx) error) (*Change, error) {
	change, _, err := w.update(f)
	return change, err
}

// update is Update; with ErrNotLoaded it says what was not in memory, as far as it knows.
func (w *World) update(f func(*Tx) error) (*Change, []absent, error) {
	if w.readOnly {
		return nil, nil, fmt.Errorf("world: %s: %w", w.name, ErrReadOnly)
	}
	if err := w.enter(&w.writer); err != nil {
		return nil, nil, err
	}
	defer w.leave(&w.writer)
	if err := w.live(); err != nil {
		return nil, nil, err
	}
	base := w.now.Load()
	tx := &Tx{s: base.edit(), base: base, dirty: new(dirty), relights: w.o.Relight}
	defer tx.end()
	if err := f(tx); err != nil {
		return nil, tx.needed(), err
	}
	change, err := tx.finish()
	if err == nil && tx.dirty.all {
		err = tx.s.describable()
	}
	if err != nil {
		return nil, tx.needed(), err
	}
	w.mu.Lock()
	w.now.Store(tx.onto(w.now.Load(), change))
	for _, c := range change.Columns {
		if !w.dirty.hasColumn(c.Dimension, c.Pos) {
			w.dirty.columnBase(c.Dimension, c.Pos, c.Old)
		}
	}
	w.dirty.add(tx.dirty)
	for _, v := range change.Volumes {
		name := volumeName{v.Dimension, v.Volume}
		w.dirty.replaced(name, v.Chunks, tx.was[name])
	}
	w.addPending(tx)
	w.mu.Unlock()
	w.tell(change)
	return change, nil, nil
}

// Watch has f called with what each update changed, in their order and before the next one begins, until
// stop is called. A Restore may change anything: f gets nil, and finds what differs by Volume.Apart
// and Dimension.Apart of two Views. f runs in the update's goroutine, and what it calls of the world must not
// wait for updates.
func (w *World) Watch(f func(*Change)) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watchers = append(slices.Clip(w.watchers), &f)
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.watchers = slices.DeleteFunc(slices.Clone(w.watchers), func(g *func(*Change)) bool { return g == &f })
	}
}

// tell tells those who watch of a change. The caller holds w.writer.
func (w *World) tell(c *Change) {
	w.mu.Lock()
	all := w.watchers
	w.mu.Unlock()
	for _, f := range all {
		(*f)(c)
	}
}

// end makes a Tx that the function of Update may have kept fail: the state that was made of
// it never changes.
func (tx *Tx) end() {
	tx.fail(errEnded)
	for _, v := range tx.opened() {
		v.edit.EndWith(ended)
	}
}

// opened yields the volumes that the Tx looked at.
func (tx *Tx) opened() iter.Seq2[*DimensionTx, *VolumeTx] {
	return func(yield func(*DimensionTx, *VolumeTx) bool) {
		for _, d := range tx.dims {
			if d == nil {
				continue
			}
			for _, v := range d.volumes {
				if v != nil && !yield(d, v) {
					return
				}
			}
		}
	}
}

// ended is a context that has ended.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

var errEnded = errors.New("world: the update has ended")

// finish publishes the drafts and returns what they replaced.
func (tx *Tx) finish() (*Change, error) {
	change := &Change{}
	tx.settle()
	for _, d := range tx.dims {
		if d == nil {
			continue
		}
		var blocks *volume
		var changed []grid.Replaced
		for _, v := range d.volumes {
			if v == nil {
				continue
			}
			if err := v.edit.Err(); err != nil {
				tx.fail(fmt.Errorf("world: volume %q of %q: %w", v.Name, d.d.name, notLoaded(err)))
				continue
			}
			cells, replaced := v.edit.Publish()
			v.v.cells = cells
			if err := v.check(replaced); err != nil {
				tx.fail(err)
			}
			if len(replaced) == 0 {
				continue
			}
			change.Volumes = append(change.Volumes, VolumeChange{d.d.name, v.Name, replaced, v.v.names.list, v.Default})
			if !tx.exact {
				d.checkKept(v, replaced)
			}
			if v.Name == voxel.Block {
				blocks, changed = v.v, replaced
			}
		}
		if blocks != nil && !tx.exact && tx.err == nil {
			d.derive(blocks, changed)
		}
		first := len(change.Columns)
		for pos, c := range d.columns {
			change.Columns = append(change.Columns, ColumnChange{Dimension: d.d.name, Pos: pos, Old: d.d.columns.at(pos), New: c})
		}
		columns := change.Columns[first:]
		if len(columns) > 1 {
			sort.Slice(columns, func(i, j int) bool { return columns[i].Pos.Compare(columns[j].Pos) < 0 })
		}
		for i := range columns {
			c := &columns[i]
			if c.Old == unloaded {
				c.Old, c.Unknown = nil, true
			}
			if c.New != nil {
				if err := column.Fits(c.New); err != nil {
					tx.fail(fmt.Errorf("world: column %v of %q: %w", c.Pos, d.d.name, err))
				}
			}
		}
	}
	return change, tx.err
}

// describable returns an error if no stone can say what dimensions, volumes and
// properties the state has.
func (s *state) describable() error {
	_, err := s.content(&dirty{all: true}).writeTo(context.Background(), io.Discard)
	if err != nil {
		return fmt.Errorf("world: %w", err)
	}
	return nil
}

// check returns an error if a cell cannot be in the volume: an Edit takes whole chunks as they come.
func (v *VolumeTx) check(replaced []grid.Replaced) error {
	n := len(v.v.names.list)
	known := v.Schema.Valid(v.edit.Highest(), n)
	for _, r := range replaced {
		if r.New == nil || known && !r.Given {
			continue
		}
		c := r.New.Highest()
		if v.Schema == voxel.Terrain && v.Schema.Valid(c, n) {
			c = filledAir(r.New)
		}
		if !v.Schema.Valid(c, n) {
			return fmt.Errorf("world: volume %q: chunk %v: cell %d: the volume has %d names", v.Name, r.Pos, c, n)
		}
	}
	return nil
}

// filledAir returns a cell of a terrain's chunk that is air with an occupancy, 0
// if there is none.
func filledAir(c *voxel.Chunk) voxel.Cell {
	var buf [64]voxel.Cell
	for y := range voxel.ChunkEdge {
		if v, ok := c.SliceUniform(y); ok && voxel.Terrain.Valid(v, 0) {
			continue
		}
		for z := range voxel.ChunkEdge {
			for _, v := range c.Row(y, z, &buf) {
				if !voxel.Terrain.Valid(v, 0) {
					return v
				}
			}
		}
	}
	return voxel.Empty
}

// notLoaded makes the grid's error this package's.
func notLoaded(err error) error {
	if errors.Is(err, grid.ErrNotLoaded) {
		return fmt.Errorf("%w: %w", ErrNotLoaded, err)
	}
	return err
}

// onto returns s, which may differ from the base of the Tx in what is in memory,
// with what the Tx changed.
func (tx *Tx) onto(s *state, change *Change) *state {
	if s == tx.base {
		for _, d := range tx.dims {
			if d != nil && len(d.columns) > 0 {
				d.d.columns = d.d.columns.with(maps.All(d.columns))
			}
		}
		return tx.s
	}
	out := *tx.s
	if len(tx.files) == 0 {
		out.files = s.files
	}
	out.dimensions = slices.Clone(tx.s.dimensions)
	for i, d := range out.dimensions {
		if i >= len(s.dimensions) {
			continue
		}
		mine := *d
		mine.volumes = slices.Clone(d.volumes)
		for j, v := range mine.volumes {
			if j < len(s.dimensions[i].volumes) && s.dimensions[i].volumes[j].cells != tx.base.dimensions[i].volumes[j].cells {
				mine.setCells(j, s.dimensions[i].volumes[j].cells.With(change.placed(d.name, v.Name)))
			}
		}
		mine.columns = s.dimensions[i].columns
		out.dimensions[i] = &mine
	}
	for i, d := range tx.dims {
		if d == nil {
			continue
		}
		out.dimensions[i].columns = out.dimensions[i].columns.with(maps.All(d.columns))
	}
	return &out
}

// placed returns the chunks that the change put into a volume.
func (c *Change) placed(dim, volume string) (out []grid.Placed) {
	for _, v := range c.Volumes {
		if v.Dimension == dim && v.Volume == volume {
			for _, r := range v.Chunks {
				out = append(out, grid.Placed{Pos: r.Pos, Chunk: r.New})
			}
		}
	}
	return out
}
