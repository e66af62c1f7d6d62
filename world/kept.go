package world

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// ErrKept is wrapped if an update changes cells of a section that a column keeps as tags alone
// (voxel.KeptBlock): cairn does not understand them, and they would be lost.
var ErrKept = errors.New("cairn keeps it as tags that it does not understand, and does not write over them")

// checkKept fails the update if cells of a volume changed in a section that its column, as the
// update leaves it, keeps as tags alone. Columns that are not in memory are not looked at; an
// update of blocks has those that it changes.
func (d *DimensionTx) checkKept(v *VolumeTx, replaced []grid.Replaced) {
	mark := map[string]voxel.Has{voxel.Block: voxel.KeptBlock, voxel.Biome: voxel.KeptBiome}[v.Name]
	if mark == 0 || v.Scale < 1 || geom.ColumnEdge%v.Scale != 0 {
		return
	}
	edge := geom.ColumnEdge / v.Scale // of a section, in cells
	n := int32(geom.ChunkEdge / edge) // sections along an edge of a chunk
	for _, r := range replaced {
		for i := range n * n {
			pos := geom.ColumnPos{X: r.Pos.X*n + i%n, Z: r.Pos.Z*n + i/n}
			c, written := d.columns[pos]
			if !written {
				c = d.d.columns.at(pos)
			}
			if c == nil || c == unloaded || c.KeptSections() == 0 {
				continue
			}
			for y := range int(n) {
				section := int(r.Pos.Y)*int(n) + y
				box := geom.Box{Min: geom.Point{X: int(i%n) * edge, Y: y * edge, Z: int(i/n) * edge}}
				box.Max = box.Min.Add(geom.Point{X: edge, Y: edge, Z: edge})
				if c.Kept(section)&mark != 0 && (r.Unknown || differIn(r.Old.Or(v.Default), r.New.Or(v.Default), box)) {
					d.tx.fail(fmt.Errorf("world: column %v of %q: section %d: volume %q: %w", pos, d.d.name, section, v.Name, ErrKept))
					return
				}
			}
		}
	}
}

// keepsBlocks reports whether a column keeps blocks as tags alone.
func keepsBlocks(c *voxel.Column) bool {
	isKept := func(s voxel.Section) bool { return s.Has&voxel.KeptBlock != 0 }
	return c.Whole&voxel.KeptBlock != 0 || slices.ContainsFunc(c.Sections, isKept)
}

// differIn reports whether two chunks differ in a box of their cells.
func differIn(a, b *voxel.Chunk, box geom.Box) bool {
	if a == b {
		return false
	}
	var x, y [geom.ColumnEdge * geom.ColumnEdge * geom.ColumnEdge]voxel.Cell
	a.ReadBox(box, x[:box.Cells()])
	b.ReadBox(box, y[:box.Cells()])
	return x != y
}
