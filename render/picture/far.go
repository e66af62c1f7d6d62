package picture

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// far draws the part of a land in a box on a canvas whose columns are cells of a far level, one
// tile after another.
func far(ctx context.Context, land Land, b geom.Box, level int, c *canvas) (Result, error) {
	in := b.Over(1 << level)
	drawn, unknown := 0, make(map[voxel.Cell]int)
	for z := geom.FloorDiv(in.Min.Z, TileEdge); z*TileEdge < in.Max.Z; z++ {
		for x := geom.FloorDiv(in.Min.X, TileEdge); x*TileEdge < in.Max.X; x++ {
			t := newTile(land, b, TileOptions{Zoom: level, X: x, Z: z}, level)
			if t == nil {
				continue
			}
			t.unknown = unknown
			if err := t.look(ctx); err != nil {
				return Result{}, fmt.Errorf("picture: top: %w", err)
			}
			drawn += t.onto(c, in)
		}
		c.finish((z+1)*TileEdge - in.Min.Z)
	}
	return Result{Drawn: drawn, Unknown: counts(unknown, func(c voxel.Cell) string { return land.Name(land.Matter(), c) })}, nil
}

// onto adds the samples in a box, which counts samples, to a canvas. It returns how many show something.
func (t *tile) onto(c *canvas, in geom.Box) (drawn int) {
	for i, s := range t.columns {
		x, z := i%(t.edge+1)-1, i/(t.edge+1)-1
		if x < 0 || z < 0 || s.left > .99 {
			continue
		}
		c.add(t.o.X*TileEdge+x-in.Min.X, t.o.Z*TileEdge+z-in.Min.Z, s.rgb, s.left, t.shade(i))
		drawn++
	}
	return drawn
}
