// Package picture draws worlds from above: one pixel for each column of
// blocks, coloured by the family of the block, shaded by height, with a scale.
//
// It reads nothing but chunks and names, and knows no format. It draws no
// blocks' shapes, no light and no entities; for a world in three dimensions
// there is the viewer.
package picture

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// World is one volume of cells as it is drawn.
type World interface {
	// Bounds holds all that is to be drawn.
	Bounds() geom.Box
	// Chunk returns the chunk at pos, nil where nothing is stored.
	Chunk(pos geom.ChunkPos) *voxel.Chunk
	// Name returns the name of a cell, of a Terrain cell that of its material.
	Name(c voxel.Cell) string
}

// Wet is a World whose liquid is in a volume of its own.
type Wet interface {
	// Liquid returns the chunk of the liquid at pos, nil where there is none; a
	// cell that is not 0 is under water.
	Liquid(pos geom.ChunkPos) *voxel.Chunk
}

// Options of a picture from above.
type Options struct {
	// Zoom is the edge of a block in pixels. 0 is as large as brings the picture
	// to about 1024 pixels, from 8 down to 1, or less where MaxEdge asks for it.
	Zoom int
	// MaxEdge bounds the picture's edges in pixels; wider worlds are averaged.
	// Default 4096.
	MaxEdge int
	// Top hides all blocks from this height up, to look under a ceiling; 0
	// hides none.
	Top int
	// Box draws a part of the world; empty for all of it, without the empty
	// margins.
	Box geom.Box
	// Terrain says that cells are of the Terrain schema.
	Terrain bool
	// Plain leaves out the scale below the picture.
	Plain bool
}

// Result counts what was drawn.
type Result struct {
	Drawn   int // columns of blocks in which there was something to see
	Unknown []Count
}

// Count says how many columns of blocks show a block that no family has.
type Count struct {
	Name string
	N    int
}

// maxColumns bounds the columns of chunks that one picture looks at.
const maxColumns = 1 << 22

// void is the colour of what is not there.
var void = color.RGBA{24, 27, 34, 255}

// Top draws a world from above, north up. It fails when the bounds are too wide
// to be looked at in a sensible time, or when ctx ends.
func Top(ctx context.Context, w World, o Options) (*image.RGBA, Result, error) {
	b := o.bounds(w)
	if n := stacks(b); n > maxColumns {
		return nil, Result{}, fmt.Errorf("picture: top: bounds %v have %d columns of chunks, more than %d", b, n, maxColumns)
	}
	if o.MaxEdge <= 0 {
		o.MaxEdge = 4096
	}
	s := newScan(w, b, o)
	if err := s.run(ctx); err != nil {
		return nil, Result{}, err
	}
	if o.Box.Empty() {
		s.sheet.trim()
	}
	img, zoom := s.sheet.image(o.Zoom, o.MaxEdge)
	if !o.Plain {
		img = withScale(img, float64(zoom)/float64(s.sheet.shrink))
	}
	return img, s.result(), nil
}

func (o Options) bounds(w World) geom.Box {
	b := w.Bounds()
	if !o.Box.Empty() {
		b = b.Intersect(o.Box)
	}
	if o.Top != 0 {
		b.Max.Y = min(b.Max.Y, o.Top)
	}
	return b
}

// stacks bounds the number of columns of chunks that a box touches.
func stacks(b geom.Box) int {
	size := b.Size()
	return (size.X/geom.ChunkEdge + 2) * (size.Z/geom.ChunkEdge + 2)
}

func (s *scan) result() Result {
	r := Result{Drawn: s.drawn}
	for cell, n := range s.unknown {
		r.Unknown = append(r.Unknown, Count{s.name(cell), n})
	}
	slices.SortFunc(r.Unknown, Count.compare)
	return r
}

// compare puts what is seen most first.
func (c Count) compare(d Count) int {
	return cmp.Or(cmp.Compare(d.N, c.N), cmp.Compare(c.Name, d.Name))
}
