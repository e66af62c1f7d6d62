// Package tiff reads TIFF and BigTIFF: strips and tiles, integers of 1 to 32 bits, halves and floats,
// pixels in one piece or in planes; nothing, LZW, PackBits and deflate as compression.
//
// Further pictures in a file are levels as long as each is stored like the first and has half its
// width and height, and so on. What follows is not read.
//
// Whole numbers of less than 8 bits become 8 bits; those of 16 bits with a sign, which makers of textures
// write, lose it, and are 0 below 0. Pictures in which white is 0 are turned, and those with a palette
// become RGB. Alpha is as it is stored. Colours of 8 bits and less are those of sRGB, unless a maker of
// textures wrote the file, who means numbers; all others are linear.
package tiff

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// image is an open file.
type image struct {
	input
	layout
	header  raster.Header
	levels  [][]segment
	palette []byte // the RGB of each value, if the picture has one
}

var _ raster.Image = (*image)(nil)

// Open reads the directories of a file. The image reads from r until nobody uses it any more.
func Open(r io.ReaderAt, size int64) (raster.Image, error) {
	in, first, err := newInput(raster.Input{R: r, Size: size})
	if err != nil {
		return nil, fmt.Errorf("tiff: %w", err)
	}
	m := &image{input: in}
	if err := m.open(first); err != nil {
		return nil, fmt.Errorf("tiff: %w", err)
	}
	return m, nil
}

func (m *image) open(first int64) error {
	d, err := m.directory(first)
	if err != nil {
		return err
	}
	l, s, err := d.layout()
	if err != nil {
		return err
	}
	m.layout = l
	width, bytes := l.row(s.Width)
	rows := l.rows
	if l.width == 0 {
		rows = min(rows, s.Height)
	}
	if err := m.Afford(int64(bytes) * int64(rows) * int64(l.planes)); err != nil {
		return err
	}
	m.header = raster.Header{Type: l.kind, Block: raster.Size{Width: width, Height: rows}}
	if m.header.Channels, err = d.channels(l); err != nil {
		return err
	}
	if l.photometric == palette {
		if m.palette, err = d.palette(l.bits); err != nil {
			return err
		}
	}
	_, texture := d.tags[33302] // of maketx and of renderers
	m.header.SRGB = l.kind == raster.Uint8 && !texture
	wrap, err := d.text(33303)
	if err != nil {
		return err
	}
	w := strings.Split(wrap, ",")
	m.header.Wrap = [2]string{w[0], w[min(1, len(w)-1)]}
	return m.pictures(d, s)
}

// pictures adds the picture of a directory, and those after it that are its levels.
func (m *image) pictures(d *directory, s raster.Size) error {
	for {
		all, err := d.segments(m.layout, s)
		if err != nil {
			return err
		}
		m.header.Levels, m.levels = append(m.header.Levels, s), append(m.levels, all)
		if d.next == 0 || s == (raster.Size{Width: 1, Height: 1}) {
			return nil
		}
		if d, err = m.directory(d.next); err != nil {
			return err
		}
		l, next, err := d.layout()
		if errors.Is(err, raster.ErrUnsupported) || err == nil && (l != m.layout || !halved(next.Width, s.Width) || !halved(next.Height, s.Height)) {
			return nil
		} else if err != nil {
			return err
		}
		s = next
	}
}

// halved reports whether an edge is half of another, rounded down or up.
func halved(edge, of int) bool { return edge == max(of/2, 1) || edge == (of+1)/2 }

func (m *image) Header() *raster.Header { return &m.header }

func (m *image) ReadBlock(level, x, y int, dst []byte) error {
	if err := m.header.CheckBlock(level, x, y, dst); err != nil {
		return fmt.Errorf("tiff: %w", err)
	}
	size := m.header.BlockSize(level, x, y)
	across, down := m.header.Blocks(level)
	_, bytes := m.row(m.header.Levels[level].Width)
	rows := size.Height
	if m.width != 0 {
		rows = m.rows
	}
	w := works.Get().(*work)
	defer works.Put(w)
	for plane := range m.planes {
		raw := dst
		if m.planes > 1 || m.expanded() || len(dst) != rows*bytes {
			w.raw = slices.Grow(w.raw[:0], rows*bytes)[:rows*bytes]
			raw = w.raw
		}
		s := m.levels[level][(plane*down+y)*across+x]
		if err := w.load(m.Input, m.compression, s, raw); err != nil {
			return fmt.Errorf("tiff: block %d,%d of level %d: %w", x, y, level, err)
		}
		pitch := size.Width * m.header.Pixel()
		for row := range size.Height {
			m.put(dst[row*pitch:][:pitch], raw[row*bytes:][:bytes], plane, w)
		}
	}
	return nil
}
