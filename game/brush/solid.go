package brush

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Add puts matter into a shape. On terrain a cell becomes as full as the fuller of what was
// there and what the shape fills, and has the material of the fuller one.
type Add struct {
	Shape Shape
	Of    Matter
}

// Bounds returns the cells of the shape.
func (a Add) Bounds() geom.Box { return a.Shape.Bounds() }

// Apply adds. Of must not be empty.
func (a Add) Apply(v *world.VolumeTx) error {
	cell, err := a.Of.some(v, a.Bounds(), "add")
	if err != nil {
		return err
	}
	if v.Schema != voxel.Terrain {
		v.Fill(a.Shape.region(), cell)
		return nil
	}
	n, core := fullness(v.Rule(), cell), a.Shape.core
	put := func(c voxel.Cell, covered int) voxel.Cell {
		if m := covered * n / Whole; m > 0 && m >= fullness(v.Rule(), c) {
			return terrain(cell, m)
		}
		return c
	}
	switch {
	case core != nil && n == Whole:
		v.Fill(core, cell)
	case core != nil:
		each(v, core, func(b geom.Box, cells []voxel.Cell) bool {
			return eachCell(core, b, cells, func(_ geom.Point, c voxel.Cell) voxel.Cell { return put(c, Whole) })
		})
	}
	a.Shape.eachRim(v, put)
	return nil
}

// Subtract takes matter out of a shape. On terrain a cell keeps at most what the shape does
// not cover.
type Subtract struct{ Shape Shape }

// Bounds returns the cells of the shape.
func (s Subtract) Bounds() geom.Box { return s.Shape.Bounds() }

// Apply subtracts.
func (s Subtract) Apply(v *world.VolumeTx) error {
	if v.Schema != voxel.Terrain {
		v.Fill(s.Shape.region(), voxel.Empty)
		return nil
	}
	if s.Shape.core != nil {
		v.Fill(s.Shape.core, voxel.Empty)
	}
	s.Shape.eachRim(v, func(c voxel.Cell, covered int) voxel.Cell {
		return terrain(c, min(fullness(v.Rule(), c), Whole-covered))
	})
	return nil
}

// Paint changes what is in a shape into other matter. Empty cells stay empty, and on terrain
// cells stay as full as they are.
type Paint struct {
	Shape Shape
	Of    Matter
}

// Bounds returns the cells of the shape.
func (p Paint) Bounds() geom.Box { return p.Shape.region().Bounds() }

// Apply paints. Of must not be empty.
func (p Paint) Apply(v *world.VolumeTx) error {
	cell, err := p.Of.some(v, p.Bounds(), "paint")
	if err != nil {
		return err
	}
	r, rule := p.Shape.region(), v.Rule()
	each(v, r, func(b geom.Box, cells []voxel.Cell) bool {
		return eachCell(r, b, cells, func(_ geom.Point, c voxel.Cell) voxel.Cell {
			switch {
			case rule.Empty(c):
				return c
			case rule.Schema == voxel.Terrain:
				return terrain(cell, fullness(rule, c))
			}
			return cell
		})
	})
	return nil
}

// eachRim calls f with every cell that the shape covers at all and its coverage, and
// writes the results. It may leave out chunks within core.
func (s Shape) eachRim(v *world.VolumeTx, f func(c voxel.Cell, covered int) voxel.Cell) {
	if s.row == nil {
		return
	}
	inner := make(map[geom.ChunkPos]bool)
	if s.core != nil {
		for pos, cover := range region.Chunks(s.core) {
			inner[pos] = cover == region.Whole
		}
	}
	var covered [voxel.ChunkEdge]int
	each(v, s.outer, func(b geom.Box, cells []voxel.Cell) (changed bool) {
		if inner[b.Min.Chunk()] {
			return false
		}
		size := b.Size()
		for y := range size.Y {
			for z := range size.Z {
				s.row(b.Min.Add(geom.Point{Y: y, Z: z}), covered[:size.X])
				for x, n := range covered[:size.X] {
					if n > 0 {
						i := (y*size.Z+z)*size.X + x
						was := cells[i]
						cells[i] = f(was, n)
						changed = changed || cells[i] != was
					}
				}
			}
		}
		return changed
	})
}

// fullness returns how much matter a cell holds, 0 to Whole. Cells of other schemas
// are full or empty.
func fullness(rule *voxel.Rule, c voxel.Cell) int {
	if rule.Schema == voxel.Level && !rule.Empty(c) {
		return Whole
	}
	return rule.Fullness(c)
}

// terrain returns a cell of the material of c with fullness n. It is empty if n is
// 0.
func terrain(c voxel.Cell, n int) voxel.Cell {
	if n <= 0 {
		return voxel.Empty
	}
	return voxel.TerrainCell(c.Material(), uint8(n-1))
}
