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

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Options of a picture from above.
type Options struct {
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

// Top draws a land from above, north up. Of a land that is wider than the picture can be it reads a far level, if there
// is one. It fails if the bounds are too wide, if something cannot be read, or if ctx ends.
func Top(ctx context.Context, land Land, o Options) (*image.RGBA, Result, error) {
	b := o.bounds(land)
	level := levelOf(land, b)
	if b = b.Over(1 << level); stacks(b) > maxColumns {
		return nil, Result{}, fmt.Errorf("picture: top: bounds %v have %d columns of chunks, more than %d: %w", b, stacks(b), maxColumns, ErrTooWide)
	}
	if o.MaxEdge <= 0 {
		o.MaxEdge = MaxEdge
	}
	s := newScan(land, b, level, o)
	if err := s.run(ctx); err != nil {
		return nil, Result{}, err
	}
	img, zoom := s.canvas.image(o.Box.Empty(), o.Zoom, o.MaxEdge)
	r := s.result()
	r.PerBlock = float64(zoom) / float64(s.canvas.shrink<<level)
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

// levelOf returns the greatest level that the matter and the liquid have and of which at least MaxEdge cells are left of
// the longer edge.
func levelOf(land Land, b geom.Box) int {
	level := 0
	for wide := max(b.Size().X, b.Size().Z); wide>>(level+1) >= MaxEdge; {
		level++
	}
	for {
		most := land.Level(land.Matter(), level)
		if l := land.Level(liquid, most); l >= 0 {
			most = l
		}
		if most = max(0, most); most == level {
			return level
		}
		level = most
	}
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
