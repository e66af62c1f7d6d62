package world

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/relight"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// HeightError says that an update puts a block where the game of the column has no heights.
type HeightError struct {
	Dimension string
	At        geom.Point
	Low, High int // heights are from Low up to below High
}

func (e *HeightError) Error() string {
	return fmt.Sprintf("block at %d,%d,%d of %s: its heights are %d to %d", e.At.X, e.At.Y, e.At.Z, e.Dimension, e.Low, e.High-1)
}

// ColumnsError says that an update puts blocks where a dimension of a game has no columns.
type ColumnsError struct {
	Dimension string
	Columns   int            // that it lacks
	First     geom.ColumnPos // of them
}

func (e *ColumnsError) Error() string {
	what := "1 new column"
	if e.Columns > 1 {
		what = fmt.Sprintf("%d new columns", e.Columns)
	}
	return fmt.Sprintf("%s of %s, the first at %d,%d; their other blocks stay air, as the game generates nothing there any more", what, e.Dimension, e.First.X, e.First.Z)
}

// AnyHeight allows this update to put blocks at all heights. Without it, those that the game of
// their column has no heights for make Update fail with a *HeightError.
func (d *DimensionTx) AnyHeight() { d.anyHeight = true }

// OldColumns makes Update fail with a *ColumnsError if it puts blocks where a dimension of a game
// has no column.
func (d *DimensionTx) OldColumns() { d.oldColumns = true }

// checkPlaces checks that new blocks lie where their game has a place for them. columns are
// those that have a cell in what was replaced.
func (d *DimensionTx) checkPlaces(blocks *volume, replaced []grid.Replaced, columns []relight.TouchedColumn) error {
	type bound struct {
		low, high int // equal: none
		new       bool
	}
	var few [4]bound
	bounds := few[:0]
	var model *voxel.Column // of columns that are not there yet
	for i := range columns {
		pos := columns[i].Pos
		c := d.columns[pos]
		if c == nil {
			c = d.d.columns.at(pos)
		}
		var b bound
		if c == nil || c == unloaded {
			if model == nil {
				model = d.d.columns.model(pos)
			}
			b.new, c = c == nil && model != nil, model
		}
		if c != nil && !d.anyHeight {
			b.low, b.high, _ = c.Heights(d.d.name)
		}
		bounds = append(bounds, b)
	}
	missing := &ColumnsError{Dimension: d.d.name}
	var counted []bool
	if d.oldColumns {
		counted = make([]bool, len(columns))
	}
	for _, r := range replaced {
		for _, pos := range r.Pos.Columns() {
			i, ok := slices.BinarySearchFunc(columns, pos, func(c relight.TouchedColumn, pos geom.ColumnPos) int { return c.Pos.Compare(pos) })
			if !ok {
				continue
			}
			b := &bounds[i]
			in := r.Pos.Box()
			if b.low < b.high && (in.Min.Y < b.low || in.Max.Y > b.high) {
				if at, put := puts(blocks, r, pos, func(y int) bool { return y < b.low || y >= b.high }); put {
					return &HeightError{d.d.name, at, b.low, b.high}
				}
			}
			if b.new && d.oldColumns && !counted[i] {
				if _, put := puts(blocks, r, pos, func(int) bool { return true }); put {
					counted[i] = true
					missing.Columns++
				}
			}
		}
	}
	if missing.Columns > 0 {
		missing.First = columns[slices.Index(counted, true)].Pos
		return missing
	}
	return nil
}

// puts finds a block that is new in a chunk, over a column and at some heights.
func puts(blocks *volume, r grid.Replaced, pos geom.ColumnPos, at func(y int) bool) (geom.Point, bool) {
	old, now := r.Old.Or(blocks.Default), r.New.Or(blocks.Default)
	least := r.Pos.Min()
	foot := pos.Min(0).Sub(geom.Point{X: least.X, Z: least.Z})
	rule := blocks.cells.Rule()
	var a, b [64]voxel.Cell
	for y := range geom.ChunkEdge {
		if c, ok := now.SliceUniform(y); !at(least.Y+y) || ok && rule.Empty(c) {
			continue
		}
		for z := foot.Z; z < foot.Z+geom.ColumnEdge; z++ {
			was, is := old.Row(y, z, &a), now.Row(y, z, &b)
			for x := foot.X; x < foot.X+geom.ColumnEdge; x++ {
				if is[x] != was[x] && !rule.Empty(is[x]) {
					return least.Add(geom.Point{X: x, Y: y, Z: z}), true
				}
			}
		}
	}
	return geom.Point{}, false
}

// model returns a column of a game that is in memory, the nearest as far as that is cheap to
// say, nil if there is none: what a new column at pos is like.
func (all *columns) model(pos geom.ColumnPos) *voxel.Column {
	p := place(pos)
	if f := all.tree()[p.field]; f != nil {
		if c := f.model(p.square); c != nil {
			return c
		}
	}
	var found *voxel.Column
	for _, f := range all.tree() {
		if c := f.model(0); c != nil && (found == nil || c.Pos.Compare(found.Pos) < 0) {
			found = c
		}
	}
	return found
}

// model returns a column of a game that is in memory, from that square if it has any.
func (f *field) model(square int) *voxel.Column {
	for i := range f.squares {
		if s := f.squares[(square+i)%len(f.squares)]; s != nil {
			for _, c := range s.columns {
				if c != nil && c != unloaded && c.OfGame() {
					return c
				}
			}
		}
	}
	return nil
}

// versions returns the data versions of the columns in a box, ascending. Without any it is that of
// a new column there.
func (all *columns) versions(b geom.Box) (out []int32) {
	add := func(c *voxel.Column) {
		if c != nil && c != unloaded && !slices.Contains(out, c.Version) {
			out = append(out, c.Version)
		}
	}
	pos := b.Min.Column()
	if add(all.at(pos)); pos != b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Column() {
		for _, c := range all.in(b) {
			add(c)
		}
	}
	if len(out) == 0 {
		add(all.model(pos))
	}
	slices.Sort(out)
	return out
}

// Versions returns the data versions of the columns in a box, ascending, as far as they are in
// memory: 0 for a column without one. Where there are none, it is that of a column that a new one is
// like, if any.
func (d *Dimension) Versions(b geom.Box) []int32 { return d.of().columns.versions(b) }

// Versions returns the data versions that names of blocks in a box are of, before this update:
// those of Dimension.Versions if this is the volume of blocks.
func (v *VolumeTx) Versions(b geom.Box) []int32 {
	if v == nil || v.Name != voxel.Block || v.Schema != voxel.Palette {
		return nil
	}
	return v.columns.versions(b)
}

// Model returns the column at pos, or else one of a game that a new column there is like in heights
// and data version, as far as columns are in memory; nil if there is none. It must not be changed.
func (d *Dimension) Model(pos geom.ColumnPos) *voxel.Column {
	columns := d.of().columns
	if c := columns.at(pos); c != nil && c != unloaded {
		return c
	}
	return columns.model(pos)
}
