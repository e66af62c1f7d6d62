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
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options of a picture from above.
type Options struct {
	// Zoom is the edge of a block in pixels. 0 chooses 1 to 8 so that the picture
	// has about 1024 pixels an edge, or fewer if MaxEdge requires it.
	Zoom int
	// MaxEdge bounds the picture's edges in pixels; wider worlds are averaged. The
	// default is the constant. Without it and Zoom, a picture of a wider world that
	// has far levels has about 1024 pixels an edge.
	MaxEdge int
	// Top hides all cells at this height and above, to look under a ceiling. 0
	// hides none.
	Top int
	// Box is the part of the world to draw. If it is empty, all of the world is
	// drawn without empty margins.
	Box geom.Box
	// Plain leaves out the scale below the picture.
	Plain bool
}

// Result counts what was drawn.
type Result struct {
	PerBlock float64 // pixels for the edge of a block
	Drawn    int     // columns of blocks, or of wide cells, that show something
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

// Top draws a land from above, north up. Where pixels are coarser than blocks it looks at a far level whose cells are as
// wide as a pixel, or less, if the land has one. It fails if the bounds are too wide, if something cannot be read, or if
// ctx ends.
func Top(ctx context.Context, land Land, o Options) (*image.RGBA, Result, error) {
	b := o.bounds(land)
	level := o.level(land, b)
	if o.MaxEdge <= 0 {
		o.MaxEdge = MaxEdge
	}
	over := b.Over(1 << level)
	if stacks(over) > maxColumns {
		return nil, Result{}, fmt.Errorf("picture: top: bounds %v have %d columns of chunks, more than %d: %w", over, stacks(over), maxColumns, ErrTooWide)
	}
	var c *canvas
	var r Result
	if level > 0 {
		c = newCanvas(over.Size(), TileEdge, max(over.Size().X, over.Size().Z, o.MaxEdge), o.MaxEdge)
		var err error
		if r, err = far(ctx, land, b, level, c); err != nil {
			return nil, Result{}, err
		}
	} else {
		s := newScan(land, b, o)
		if err := s.run(ctx); err != nil {
			return nil, Result{}, err
		}
		c, r = s.canvas, s.result()
	}
	img, zoom := c.image(o.Box.Empty(), o.Zoom, o.MaxEdge)
	r.PerBlock = float64(zoom*c.pixels) / float64(c.columns<<level)
	if !o.Plain {
		img = withScale(img, r.PerBlock)
	}
	return img, r, nil
}

func (o Options) bounds(land Land) geom.Box {
	b := land.Bounds()
	if !o.Box.Empty() {
		b = b.Intersect(o.Box)
	}
	if o.Top != 0 {
		b.Max.Y = min(b.Max.Y, o.Top)
	}
	return b
}

// farEdge is about how many pixels the longer edge of a picture has of a land that is too wide to draw each block, unless
// the options ask for more.
const farEdge = 1024

// level returns the greatest level of the matter whose cells are not wider than a pixel. It is 0 where a pixel is a block.
func (o Options) level(land Land, b geom.Box) int {
	wide, edge := max(b.Size().X, b.Size().Z), o.MaxEdge
	if edge <= 0 {
		if edge = MaxEdge; o.Zoom <= 0 && wide > MaxEdge {
			edge = farEdge
		}
	}
	most := bits.Len(uint((wide+edge-1)/edge)) - 1
	return max(0, land.Level(land.Matter(), most))
}

// stacks returns an upper bound of the columns of chunks that a box touches.
func stacks(b geom.Box) int {
	size := b.Size()
	return (size.X/geom.ChunkEdge + 2) * (size.Z/geom.ChunkEdge + 2)
}

func (s *scan) result() Result { return Result{Drawn: s.drawn, Unknown: counts(s.unknown, s.name)} }

// counts returns the numbers of cells by their names, the most seen first.
func counts(cells map[voxel.Cell]int, name func(voxel.Cell) string) (out []Count) {
	for cell, n := range cells {
		out = append(out, Count{name(cell), n})
	}
	slices.SortFunc(out, Count.compare)
	return out
}

// compare orders the most seen first.
func (c Count) compare(d Count) int {
	return cmp.Or(cmp.Compare(d.N, c.N), cmp.Compare(c.Name, d.Name))
}
