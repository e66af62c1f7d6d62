// Package texture writes and reads image textures for rendering: files with all levels of an image, or of a set of
// images, in tiles. A tile is read by itself, by any number of goroutines. Tiles of one pixel take no bytes but in
// the directory, and equal tiles are stored once.
//
// FORMAT.md is the format. Begin with a Maker or with Open.
package texture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/zeebo/xxh3"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// Magic is what a file begins with, Ext what its name ends in.
const (
	Magic = "CAIRT\n\x1A"
	Ext   = ".ctex"
)

// The frame of a file.
const (
	header      = Magic + "\x01" // the version
	magicEnd    = "triac"
	footerBytes = 8 + 4 + 8 + len(magicEnd)
	sumBytes    = 4 // of the checksum behind a stored tile
)

// Atlas is a file that is open: one image, or a set of which it is the first one. Goroutines may share it.
type Atlas struct {
	*picture
	in     raster.Input
	dir    directory
	starts []uint32 // the low bits of the offsets of the stored tiles, and of what is behind them
	bases  []int64  // the offset of each startsABase-th
}

// startsABase is for how many stored tiles an offset is kept whole.
const startsABase = 128

var (
	_ raster.Image = (*Atlas)(nil)
	_ raster.Image = (*picture)(nil)
)

// Open reads the directory of a file of that size, which must stay open and as it is.
func Open(r io.ReaderAt, size int64) (*Atlas, error) {
	a := &Atlas{in: raster.Input{R: r, Size: size}}
	if err := a.open(); err != nil {
		return nil, fmt.Errorf("texture: %w", err)
	}
	for i := range a.dir.pictures {
		a.dir.pictures[i].file = a
	}
	a.picture = &a.dir.pictures[0]
	return a, nil
}

func (a *Atlas) open() error {
	begin, err := a.in.Bytes(nil, "header", 0, int64(len(header)))
	if err != nil {
		return err
	}
	c := cursor.New(begin, "header")
	c.Magic(Magic)
	if v := c.Byte(); v > header[len(Magic)] {
		return fmt.Errorf("version %d: %w", v, raster.ErrUnsupported)
	} else if v == 0 {
		c.Fail(errors.New("version 0"))
	}
	end := a.in.Size - int64(footerBytes)
	footer, err := a.in.Bytes(nil, "footer", end, int64(footerBytes))
	if err := errors.Join(c.Err(), err); err != nil {
		return err
	}
	c = cursor.New(footer, "footer")
	at, n, sum := int64(c.Uint64()), int64(c.Uint32()), c.Uint64()
	if c.Magic(magicEnd); at < int64(len(header)) || at != end-n {
		c.Fail(fmt.Errorf("a directory of %d bytes at %d", n, at))
	}
	if c.Err() != nil {
		return moved(c.Err(), end)
	}
	dir, err := a.in.Bytes(nil, "directory", at, n)
	if err == nil && sumOf(begin, dir, footer[:12]) != sum {
		err = &cursor.CorruptError{Part: "directory", Err: errChecksum}
	}
	if err == nil {
		err = a.dir.parse(dir, at-int64(len(header)))
	}
	if err != nil {
		return moved(err, at)
	}
	a.starts, a.dir.sizes = append(a.dir.sizes, 0), nil
	at = int64(len(header))
	for i, n := range a.starts {
		if i%startsABase == 0 {
			a.bases = append(a.bases, at)
		}
		a.starts[i] = uint32(at)
		at += int64(n) + sumBytes
	}
	return nil
}

var errChecksum = errors.New("checksum mismatch")

// sumOf returns the checksum of header, directory and the rest of a footer.
func sumOf(parts ...[]byte) uint64 {
	h := xxh3.New()
	for _, p := range parts {
		h.Write(p)
	}
	return h.Sum64()
}

// moved returns err with its offset counted from the start of the file, where its part begins at base.
func moved(err error, base int64) error {
	if err == nil {
		return nil // without the memory that follows
	}
	if c := (*cursor.CorruptError)(nil); errors.As(err, &c) {
		c.Offset += base
	}
	return err
}

// start returns the offset of a stored tile, or of what is behind the last.
func (a *Atlas) start(i int) int64 {
	base := a.bases[i/startsABase]
	return base + int64(a.starts[i]-uint32(base))
}

// stored reads a stored tile into buf, if that has room.
func (a *Atlas) stored(buf []byte, i int) ([]byte, error) {
	at := a.start(i)
	b, err := a.in.Bytes(buf, "tile", at, a.start(i+1)-at)
	if err != nil {
		return nil, err
	}
	b, sum := b[:len(b)-sumBytes], binary.LittleEndian.Uint32(b[len(b)-sumBytes:])
	if uint32(xxh3.Hash(b)) != sum {
		return nil, &cursor.CorruptError{Offset: at, Part: "tile", Err: errChecksum}
	}
	return b, nil
}

// Members returns the numbers of the images of a set in ascending order: 1001 + u + 10 v. There are none for one
// image.
func (a *Atlas) Members() (numbers []int) {
	for _, p := range a.dir.pictures {
		if p.number != 0 {
			numbers = append(numbers, p.number)
		}
	}
	return numbers
}

// Member returns an image of a set, nil if it is not there.
func (a *Atlas) Member(number int) raster.Image {
	for i := range a.dir.pictures {
		if p := &a.dir.pictures[i]; p.number == number {
			return p
		}
	}
	return nil
}

// picture is an image of a file.
type picture struct {
	file   *Atlas
	number int // 0 for one that is no set
	header raster.Header
	first  []int // tile of each level
}

func (p *picture) Header() *raster.Header { return &p.header }

// shape returns the shape of a tile.
func (p *picture) shape(level, x, y int) shape {
	return shape{p.header.BlockSize(level, x, y), len(p.header.Channels), p.header.Type}
}

// ref returns what the directory says of a tile.
func (p *picture) ref(level, x, y int) (ref uint32, ok bool) {
	if level < 0 || level >= len(p.header.Levels) {
		return 0, false
	}
	across, down := p.header.Blocks(level)
	if x < 0 || y < 0 || x >= across || y >= down {
		return 0, false
	}
	return p.file.dir.refs[p.first[level]+y*across+x], true
}

func (p *picture) ReadBlock(level, x, y int, dst []byte) error {
	ref, ok := p.ref(level, x, y)
	if !ok || len(dst) != p.shape(level, x, y).bytes() {
		return fmt.Errorf("texture: level %d has no tile (%d,%d) of %d bytes", level, x, y, len(dst))
	}
	if ref&constant != 0 {
		for n := copy(dst, p.file.dir.pixel(ref)); n < len(dst); n *= 2 {
			copy(dst[n:], dst[:n])
		}
		return nil
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	b, err := p.file.stored(d.stored, int(ref))
	if err == nil {
		d.stored = b
		err = moved(d.decode(dst, b, p.shape(level, x, y)), p.file.start(int(ref)))
	}
	if err != nil {
		return fmt.Errorf("texture: image %d, level %d, tile (%d,%d): %w", p.number, level, x, y, err)
	}
	return nil
}

// Constant returns the pixel that all of a block is, if the file says so.
func (p *picture) Constant(level, x, y int) (pixel []byte, ok bool) {
	ref, _ := p.ref(level, x, y)
	if ref&constant == 0 {
		return nil, false
	}
	return p.file.dir.pixel(ref), true
}
