package texture

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// Options say how a Maker writes. The zero value is the default.
type Options struct {
	// Tile is the edge of a tile in texels: 16, 32, 64, 128 or 256. Default 64.
	Tile int
	// Type is the type of the stored numbers: Uint8, Uint16, Half or Float. Default: that of the images, which then have
	// one.
	Type *raster.Type
	// Run calls f with 0 to n-1, possibly on several goroutines, and returns after all calls. nil calls them one
	// after another. The written bytes do not depend on it.
	Run func(n int, f func(i int))
}

// Maker writes a file front to back. It keeps a row of tiles of each level, and the directory. An error sticks.
// Goroutines must not share it.
type Maker struct {
	w    io.Writer
	o    Options
	off  int64
	err  error
	dir  directory
	refs map[xxh3.Uint128]uint32
	jobs [32]job
}

// job is a tile on its way into the file.
type job struct {
	shape
	pixels, stored []byte
	constant       bool
	key            xxh3.Uint128 // what equal tiles have in common
	ref            *uint32
}

// NewMaker returns a Maker that writes to w.
func NewMaker(w io.Writer, o Options) *Maker {
	m := &Maker{w: w, o: o, refs: make(map[xxh3.Uint128]uint32)}
	m.o.Tile = cmp.Or(o.Tile, 64)
	if o.Run == nil {
		m.o.Run = func(n int, f func(i int)) {
			for i := range n {
				f(i)
			}
		}
	}
	if !slices.Contains([]int{16, 32, 64, 128, 256}, m.o.Tile) {
		m.err = fmt.Errorf("texture: tiles of %d texels: 16, 32, 64, 128 or 256", m.o.Tile)
	}
	m.write([]byte(header))
	return m
}

func (m *Maker) write(b []byte) {
	if m.err != nil {
		return
	}
	n, err := m.w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		m.err = fmt.Errorf("texture: write at %d: %w", m.off, err)
	}
	m.off += int64(n)
}

// Add adds an image of a set, whose numbers ascend from 1001, or the only image, whose number is 0. It reads the
// first level and makes the others. All images have the channels and wraps of the first.
func (m *Maker) Add(ctx context.Context, number int, image raster.Image) error {
	if m.err == nil {
		m.err = m.add(ctx, number, image)
	}
	return m.err
}

func (m *Maker) add(ctx context.Context, number int, image raster.Image) error {
	from, h := image.Header(), &m.dir.header
	if err := from.Check(); err != nil {
		return fmt.Errorf("texture: %w", err)
	}
	if len(m.dir.pictures) == 0 {
		t := from.Type
		if m.o.Type != nil {
			t = *m.o.Type
		}
		if len(from.Channels) > mostChannels || !storable(t) {
			return fmt.Errorf("texture: %d channels of %v: %w: at most %d of uint8, uint16, half or float", len(from.Channels), t, raster.ErrUnsupported, mostChannels)
		}
		*h = raster.Header{
			Channels: slices.Clone(from.Channels), Type: t, Block: raster.Size{Width: m.o.Tile, Height: m.o.Tile}, Wrap: from.Wrap,
			SRGB: from.SRGB && t <= raster.Uint16,
		}
	}
	if !slices.Equal(from.Channels, h.Channels) || from.Wrap != h.Wrap {
		return fmt.Errorf("texture: image %d has channels %q and wraps %q, the first %q and %q", number, from.Channels, from.Wrap, h.Channels, h.Wrap)
	}
	if m.o.Type == nil && from.Type != h.Type {
		return fmt.Errorf("texture: image %d has numbers of %v, the first of %v", number, from.Type, h.Type)
	}
	tiles, err := m.dir.add(number, from.Levels[0], len(m.dir.refs))
	if err != nil {
		return fmt.Errorf("texture: %w", err)
	}
	m.dir.refs = append(m.dir.refs, make([]uint32, tiles-len(m.dir.refs))...)
	return newPass(m, from).run(ctx, image)
}

// Close writes the directory.
func (m *Maker) Close() error {
	var dir []byte
	switch {
	case m.err != nil:
	case len(m.dir.pictures) == 0:
		m.err = errors.New("texture: a file without an image")
	default:
		dir, m.err = m.dir.append(nil)
	}
	footer := binary.LittleEndian.AppendUint64(nil, uint64(m.off))
	footer = binary.LittleEndian.AppendUint32(footer, uint32(len(dir)))
	footer = binary.LittleEndian.AppendUint64(footer, sumOf([]byte(header), dir, footer))
	m.write(append(append(dir, footer...), magicEnd...))
	return m.err
}

// tiles writes the tiles of jobs.
func (m *Maker) tiles(all []job) {
	m.o.Run(len(all), func(i int) { all[i].encode() })
	for i := range all {
		j := &all[i]
		ref, ok := m.refs[j.key]
		if !ok && j.constant {
			ref = constant | uint32(len(m.dir.pixels)/len(j.stored))
			m.dir.pixels = append(m.dir.pixels, j.stored...)
		} else if !ok {
			ref = uint32(len(m.dir.sizes))
			m.dir.sizes = append(m.dir.sizes, uint32(len(j.stored)))
			m.write(binary.LittleEndian.AppendUint32(j.stored, uint32(xxh3.Hash(j.stored))))
		}
		m.refs[j.key], *j.ref = ref, ref
	}
}

// encode makes what the file has of the tile: its bytes, or its pixel.
func (j *job) encode() {
	e := encoders.Get().(*encoder)
	defer encoders.Put(e)
	size := j.channels * j.of.Size()
	if j.constant = bytes.Equal(j.pixels[size:], j.pixels[:len(j.pixels)-size]); j.constant {
		j.stored = append(j.stored[:0], j.pixels[:size]...)
		j.key = xxh3.Hash128(j.stored)
		return
	}
	j.stored = e.encode(j.stored[:0], j.pixels, j.shape)
	j.key = xxh3.Hash128Seed(j.stored, uint64(j.Width)<<32|uint64(j.Height))
}
