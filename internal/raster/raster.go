// Package raster is the seam of image files. An image is numbers in rows and channels, at one or more
// levels, and is read a block at a time. The packages below it read and write the formats.
package raster

import (
	"errors"
	"fmt"
)

// Type is the type of the numbers of an image.
type Type uint8

// The types. Integers stand for 0 to 1: the greatest is 1.
const (
	Uint8 Type = iota
	Uint16
	Uint32
	Half  // IEEE 754 binary16
	Float // IEEE 754 binary32
)

var types = [...]struct {
	name string
	size int
}{{"uint8", 1}, {"uint16", 2}, {"uint32", 4}, {"half", 2}, {"float", 4}}

// Size returns the size of a number in bytes.
func (t Type) Size() int { return types[t].size }

func (t Type) String() string {
	if int(t) >= len(types) {
		return fmt.Sprintf("type %d", t)
	}
	return types[t].name
}

// Header describes an image.
type Header struct {
	// Levels are the sizes of the levels, the finest first. Each has about half the width and
	// height of the one before. There is at least one.
	Levels []Size
	// Channels are the names of the channels in their order in a pixel: "R", "G", "B", "A" for
	// colours, "Y" for grey, else what the file calls them.
	Channels []string
	Type     Type
	// Block is the size of what is read in one piece: a tile, or some rows. The blocks at the
	// right and at the bottom are cut.
	Block Size
	// SRGB says that the numbers of colour channels are encoded by the curve of sRGB. Else
	// they are linear. Alpha is always linear.
	SRGB bool
	// Wrap is how the file says that coordinates outside go on, in s and t, such as
	// "periodic" and "clamp". Empty: it does not say.
	Wrap [2]string
}

// Size is a width and a height in pixels.
type Size struct{ Width, Height int }

// Pixel returns the size of a pixel in bytes.
func (h *Header) Pixel() int { return len(h.Channels) * h.Type.Size() }

// Blocks returns how many blocks a level has across and down.
func (h *Header) Blocks(level int) (across, down int) {
	s := h.Levels[level]
	return (s.Width + h.Block.Width - 1) / h.Block.Width, (s.Height + h.Block.Height - 1) / h.Block.Height
}

// BlockSize returns the size of a block of a level, which is cut at the right and at the bottom.
func (h *Header) BlockSize(level, x, y int) Size {
	s := h.Levels[level]
	return Size{min(h.Block.Width, s.Width-x*h.Block.Width), min(h.Block.Height, s.Height-y*h.Block.Height)}
}

// CheckBlock says what is wrong with a call of ReadBlock.
func (h *Header) CheckBlock(level, x, y int, dst []byte) error {
	if level < 0 || level >= len(h.Levels) {
		return fmt.Errorf("level %d of %d", level, len(h.Levels))
	}
	if across, down := h.Blocks(level); x < 0 || y < 0 || x >= across || y >= down {
		return fmt.Errorf("block %d,%d of level %d, which has %d x %d", x, y, level, across, down)
	}
	if s := h.BlockSize(level, x, y); len(dst) != s.Width*s.Height*h.Pixel() {
		return fmt.Errorf("%d bytes for a block of %d x %d pixels of %d", len(dst), s.Width, s.Height, h.Pixel())
	}
	return nil
}

// Image is an image file that is open. Goroutines may share it.
type Image interface {
	// Header returns what describes the image. Nobody may change it.
	Header() *Header
	// ReadBlock fills dst, which has the size of the block in bytes, with the pixels of the
	// block in column x and row y of a level: row by row, the channels of a pixel next to each
	// other, numbers little-endian. Blocks are counted from the top left.
	ReadBlock(level, x, y int, dst []byte) error
}

// ErrUnsupported says that a file has what the package does not read: a valid one may.
var ErrUnsupported = errors.New("not supported")

// Most bounds what a header may ask for, so that a few bytes cannot take all memory: pixels an edge,
// and channels.
const (
	MostEdge     = 1 << 20
	MostChannels = 1024
)

// Check says what is wrong with a header.
func (h *Header) Check() error {
	switch {
	case len(h.Levels) == 0:
		return errors.New("no level")
	case len(h.Channels) == 0 || len(h.Channels) > MostChannels:
		return fmt.Errorf("%d channels: 1 to %d", len(h.Channels), MostChannels)
	case int(h.Type) >= len(types):
		return fmt.Errorf("%v is unknown", h.Type)
	case h.Block.Width < 1 || h.Block.Height < 1:
		return fmt.Errorf("blocks of %d x %d pixels", h.Block.Width, h.Block.Height)
	}
	for _, s := range h.Levels {
		if s.Width < 1 || s.Height < 1 || s.Width > MostEdge || s.Height > MostEdge {
			return fmt.Errorf("a level of %d x %d pixels: 1 to %d an edge", s.Width, s.Height, MostEdge)
		}
	}
	return nil
}
