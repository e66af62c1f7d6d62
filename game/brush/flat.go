package brush

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Flatten makes a level surface within a shape. It removes what is above a height, and fills
// what is below with matter.
type Flatten struct {
	Shape Shape
	// Height is the height of the surface in cells. Matter fills the cells below it,
	// and on terrain a part of the cell at the surface.
	Height float64
	// Of fills empty space; existing matter keeps its material. If Of is empty,
	// Flatten only removes.
	Of Matter
}

// Bounds returns the cells of the shape.
func (f Flatten) Bounds() geom.Box { return f.Shape.region().Bounds() }

// Apply flattens.
func (f Flatten) Apply(v *world.VolumeTx) error {
	cell, err := f.Of.in(v, f.Bounds())
	if err != nil {
		return err
	}
	r, rule := f.Shape.region(), v.Rule()
	each(v, r, func(b geom.Box, cells []voxel.Cell) bool {
		return eachCell(r, b, cells, func(p geom.Point, c voxel.Cell) voxel.Cell {
			want, has := below(rule, f.Height, p.Y), fullness(rule, c)
			switch {
			case has > want:
				return filled(rule, c, want)
			case has == want || rule.Empty(cell):
				return c
			case has == 0:
				return filled(rule, cell, want)
			}
			return filled(rule, c, want)
		})
	})
	return nil
}

// Sea fills what is empty below a height within a shape, also in caves. On terrain a cell that
// holds some matter is not empty.
type Sea struct {
	Shape  Shape
	Height float64 // of the surface, as in Flatten; a Level's cells may be filled in part too
	Of     Matter
	// Solid keeps the liquid out where its cells are full, if the liquid has a
	// volume of its own. It must be a volume of the same update with the same scale,
	// and its cells in Bounds must be loaded.
	Solid *world.VolumeTx
}

// Bounds returns the cells of the shape.
func (s Sea) Bounds() geom.Box { return s.Shape.region().Bounds() }

// Apply fills; Of must not be empty.
func (s Sea) Apply(v *world.VolumeTx) error {
	cell, err := s.Of.some(v, s.Bounds(), "sea")
	if err != nil {
		return err
	}
	r, rule := s.Shape.region(), v.Rule()
	solid := make([]voxel.Cell, voxel.ChunkCells)
	each(v, r, func(b geom.Box, cells []voxel.Cell) bool {
		if s.Solid != nil && !s.Solid.ReadBox(b, solid[:b.Cells()]) {
			return false
		}
		size := b.Size()
		return eachCell(r, b, cells, func(p geom.Point, c voxel.Cell) voxel.Cell {
			d := p.Sub(b.Min)
			if !rule.Empty(c) || s.Solid != nil && fullness(s.Solid.Rule(), solid[(d.Y*size.Z+d.Z)*size.X+d.X]) == Whole {
				return c
			}
			want := below(rule, s.Height, p.Y)
			switch {
			case want == 0:
				return c
			case rule.Schema == voxel.Level:
				return voxel.Cell(int(cell) * want / Whole)
			}
			return filled(rule, cell, want)
		})
	})
	return nil
}

// below returns how much of a cell lies below a height. In a palette it is 0 or
// Whole.
func below(rule *voxel.Rule, height float64, y int) int {
	n := share(height - float64(y))
	switch {
	case rule.Schema != voxel.Palette:
		return n
	case n >= Whole/2:
		return Whole
	}
	return 0
}

// filled returns c, which is not empty, with fullness n.
func filled(rule *voxel.Rule, c voxel.Cell, n int) voxel.Cell {
	switch {
	case rule.Schema == voxel.Terrain:
		return terrain(c, n)
	case n >= Whole/2:
		return c
	}
	return voxel.Empty
}
