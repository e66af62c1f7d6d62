// Package picture draws worlds from above: one pixel for each column of blocks,
// coloured by the family of the block, shaded by height, with a scale. It does not
// draw block shapes, light or entities.
package picture

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// World is the volume of cells to draw.
type World interface {
	// Bounds returns a box of all cells to draw.
	Bounds() geom.Box
	// Chunk returns the chunk at pos, or nil if none is stored.
	Chunk(pos geom.ChunkPos) *voxel.Chunk
	// Name returns the name of a cell. For a Terrain cell it is the name of its
	// material.
	Name(c voxel.Cell) string
}

// Wet is a World whose liquid has a volume of its own.
type Wet interface {
	// Liquid returns the chunk of the liquid at pos, or nil if there is none. Where
	// a cell is not 0, the world is under water.
	Liquid(pos geom.ChunkPos) *voxel.Chunk
}

// Failing is a World that is read while it is drawn. Top returns its first error.
type Failing interface {
	Err() error
}

// Options of a picture from above.
type Options struct {
	// Unit is the edge of a cell in blocks, of a World that is a far level. Default 1.
	Unit int
	// Zoom is the edge of a block in pixels. 0 chooses 1 to 8 so that the picture
	// has about 1024 pixels an edge, or fewer if MaxEdge requires it.
	Zoom int
	// MaxEdge bounds the picture's edges in pixels; wider worlds are averaged. The
	// default is the constant.
	MaxEdge int
	// Top hides all cells at this height and above, to look under a ceiling. 0
	// hides none.
	Top int
	// Box is the part of the world to draw. If it is empty, all of the world is
	// drawn without empty margins.
	Box geom.Box
	// Terrain says that cells are of the Terrain schema.
	Terrain bool
	// Plain leaves out the scale below the picture.
	Plain bool
}

// Result counts what was drawn.
type Result struct {
	PerBlock float64 // pixels for the edge of a block
	Drawn    int     // columns of blocks that show something
	Unknown  []Count
}

// Count is the number of columns of blocks that show a block of an unknown family.
type Count struct {
	Name string
	N    int
}

// MaxEdge is the default of Options.MaxEdge.
const MaxEdge = 4096

// maxColumns bounds the columns of chunks that one picture looks at.
const maxColumns = 1 << 22

// ErrTooWide says that a world is too wide for one picture.
var ErrTooWide = errors.New("too wide for one picture")

// void is the colour of empty space.
var void = color.RGBA{24, 27, 34, 255}

// Top draws a world from above, north up. It fails if the bounds are too wide or if
// ctx ends.
func Top(ctx context.Context, w World, o Options) (*image.RGBA, Result, error) {
	b := o.bounds(w)
	if n := stacks(b); n > maxColumns {
		return nil, Result{}, fmt.Errorf("picture: top: bounds %v have %d columns of chunks, more than %d: %w", b, n, maxColumns, ErrTooWide)
	}
	if o.MaxEdge <= 0 {
		o.MaxEdge = MaxEdge
	}
	s := newScan(w, b, o)
	if err := s.run(ctx); err != nil {
		return nil, Result{}, err
	}
	img, zoom := s.canvas.image(o.Box.Empty(), o.Zoom, o.MaxEdge)
	r := s.result()
	r.PerBlock = float64(zoom) / float64(s.canvas.shrink*max(1, o.Unit))
	if !o.Plain {
		img = withScale(img, r.PerBlock)
	}
	return img, r, nil
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

// stacks returns an upper bound of the columns of chunks that a box touches.
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

// compare orders the most seen first.
func (c Count) compare(d Count) int {
	return cmp.Or(cmp.Compare(d.N, c.N), cmp.Compare(c.Name, d.Name))
}
