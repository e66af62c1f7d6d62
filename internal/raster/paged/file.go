// Package paged makes images the items of a cache of tiles: blocks are tiles, and an environment is one
// tile with its distribution.
package paged

import (
	"context"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/tile"
)

// The numbers of the images of a UDIM set are First + u + Across*v. An image that is no set has the
// number First.
const (
	First  = 1001
	Across = 10
)

// Outline is what stays known of an item when it is closed.
type Outline struct {
	Set     bool                   // it has many images
	Headers map[int]*raster.Header // of the images by number
	// Strides are how many tiles an image has in each level, at most: the tiles of an image lie
	// in the keys of the item beside those of the others.
	Strides []raster.Size
	pixel   int // bytes in all images; 0 if they differ
}

// members is an image of many: a set in one file. One without numbers is no set.
type members interface {
	Members() []int
	Member(number int) raster.Image
}

// outlineOf returns the outline of an image.
func outlineOf(image raster.Image) (*Outline, error) {
	s := &Outline{Headers: map[int]*raster.Header{First: image.Header()}, pixel: image.Header().Pixel()}
	if all, ok := image.(members); ok && len(all.Members()) > 0 {
		s.Set = true
		clear(s.Headers)
		for _, n := range all.Members() {
			s.Headers[n] = all.Member(n).Header()
		}
	}
	columns, rows := 1, 1
	for n, h := range s.Headers {
		if err := h.Check(); err != nil {
			return nil, err
		} else if n < First {
			return nil, fmt.Errorf("image %d of a set", n)
		}
		if h.Pixel() != s.pixel {
			s.pixel = 0
		}
		columns, rows = max(columns, (n-First)%Across+1), max(rows, (n-First)/Across+1)
		for level := range h.Levels {
			if level == len(s.Strides) {
				s.Strides = append(s.Strides, raster.Size{})
			}
			x, y := h.Blocks(level)
			s.Strides[level] = raster.Size{Width: max(s.Strides[level].Width, x), Height: max(s.Strides[level].Height, y)}
		}
	}
	x, y := columns*s.Strides[0].Width, rows*s.Strides[0].Height
	if _, ok := tile.FlatKey(0, 0, y-1, x-1); !ok {
		return nil, fmt.Errorf("%d x %d tiles: %w", x, y, raster.ErrUnsupported)
	}
	return s, nil
}

// Image is an open item.
type Image struct {
	*Outline
	image  raster.Image
	closer io.Closer
	traits tile.Traits
	whole  bool
}

// mostElement is the most bytes of a pixel that a cache keeps once for a constant tile.
const mostElement = 16

// New returns an image as an item; closer may be nil. If whole is set its only tile is an Environment
// under the key of level 0, 0, 0.
func New(image raster.Image, closer io.Closer, purpose int, whole bool) (*Image, error) {
	f := &Image{image: image, closer: closer, traits: tile.Traits{Purpose: purpose}, whole: whole}
	var err error
	if f.Outline, err = outlineOf(image); err != nil {
		f.Close()
		return nil, err
	}
	if !whole && f.pixel <= mostElement {
		f.traits.Element = f.pixel
	}
	return f, nil
}

// Close closes what New was given.
func (f *Image) Close() error {
	if f.closer == nil {
		return nil
	}
	return f.closer.Close()
}

// About implements tile.ReadCloser.
func (f *Image) About() tile.About {
	h := f.image.Header()
	size := h.Levels[0]
	return tile.About{Size: [3]int{size.Width, size.Height, 1}, Tile: h.Block.Width, Levels: len(h.Levels), Channels: h.Channels, Traits: f.traits}
}

// ReadTile implements tile.Loader.
func (f *Image) ReadTile(_ context.Context, key tile.Flat, room func(size int) ([]byte, error)) error {
	if f.whole {
		return f.readWhole(room)
	}
	level, y, x := key.At()
	stride, image := f.Strides[level], f.image
	if f.Set {
		image = image.(members).Member(First + x/stride.Width + Across*(y/stride.Height))
	}
	x, y = x%stride.Width, y%stride.Height
	h := image.Header()
	size := h.BlockSize(level, x, y)
	b, err := room(size.Width * size.Height * h.Pixel())
	if err != nil {
		return err
	}
	return readBlock(image, level, x, y, b)
}

// readBlock reads a block. What is known to repeat one pixel need not be read.
func readBlock(image raster.Image, level, x, y int, b []byte) error {
	type constants interface {
		Constant(level, x, y int) (pixel []byte, ok bool)
	}
	c, ok := image.(constants)
	var pixel []byte
	if ok {
		pixel, ok = c.Constant(level, x, y)
	}
	if !ok {
		if err := image.ReadBlock(level, x, y, b); err != nil {
			return err
		}
	}
	for n := copy(b, pixel); ok && n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
	image.Header().Linearize(b)
	return nil
}
