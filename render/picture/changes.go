package picture

import (
	"image"
	"image/color"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// The colours of changes. People who cannot tell red from green can tell them apart, also
// by their brightness.
var (
	addedInk   = color.RGBA{86, 180, 233, 255} // sky blue
	removedInk = color.RGBA{213, 94, 0, 255}   // vermilion
	changedInk = color.RGBA{240, 228, 66, 255} // yellow
)

// Changes is a picture from above of where two worlds differ. A pixel has the colour of
// what happened most often there: something was added, removed, or replaced. However few
// the changes below a pixel are, they show.
type Changes struct {
	box    geom.Box
	shrink int // columns of cells along the edge of a pixel
	wide   int // pixels
	counts [][3]uint32
}

// NewChanges returns a picture of a box without changes. Its edges have at most maxEdge
// pixels.
func NewChanges(box geom.Box, maxEdge int) *Changes {
	size := box.Size()
	c := &Changes{box: box, shrink: max(1, (max(size.X, size.Z)+maxEdge-1)/maxEdge)}
	c.wide = (size.X + c.shrink - 1) / c.shrink
	c.counts = make([][3]uint32, c.wide*((size.Z+c.shrink-1)/c.shrink))
	return c
}

// Add adds the cells of a chunk that differ. empty reports whether a cell is air. Cells outside
// of the box do not count.
func (c *Changes) Add(pos geom.ChunkPos, a, b *voxel.Chunk, empty func(voxel.Cell) bool) {
	at := pos.Min()
	var ba, bb [64]voxel.Cell
	for y := range geom.ChunkEdge {
		for z := range geom.ChunkEdge {
			ra, rb := a.Row(y, z, &ba), b.Row(y, z, &bb)
			for x := range geom.ChunkEdge {
				if ra[x] == rb[x] || !c.box.Contains(at.Add(geom.Point{X: x, Y: y, Z: z})) {
					continue
				}
				was, is := empty(ra[x]), empty(rb[x])
				kind := 2
				switch {
				case was && is:
					continue
				case was:
					kind = 0
				case is:
					kind = 1
				}
				px, pz := (at.X+x-c.box.Min.X)/c.shrink, (at.Z+z-c.box.Min.Z)/c.shrink
				c.counts[pz*c.wide+px][kind]++
			}
		}
	}
}

// Image returns the picture, north up, enlarged if it is small. It has no scale.
func (c *Changes) Image(maxEdge int) *image.RGBA {
	high := 0
	if c.wide > 0 {
		high = len(c.counts) / c.wide
	}
	zoom := max(1, min(8, maxEdge/max(1, c.wide, high)))
	img := image.NewRGBA(image.Rect(0, 0, max(1, c.wide*zoom), max(1, high*zoom)))
	fill(img, img.Rect, void)
	for i, n := range c.counts {
		ink := changedInk
		switch {
		case n == [3]uint32{}:
			continue
		case n[0] > n[1] && n[0] > n[2]:
			ink = addedInk
		case n[1] > n[0] && n[1] > n[2]:
			ink = removedInk
		}
		x, y := i%c.wide*zoom, i/c.wide*zoom
		fill(img, image.Rect(x, y, x+zoom, y+zoom), ink)
	}
	return img
}
