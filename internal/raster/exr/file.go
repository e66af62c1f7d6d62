// Package exr reads and writes OpenEXR files. It reads lines and tiles, mip maps and rip maps, one part or
// many, and every compression of version 2 of the format. Deep data and subsampled channels are not supported.
// References are to "OpenEXR File Layout"; what that leaves open is as the library of OpenEXR does it.
package exr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// file is an open file.
type file struct {
	part
	r        io.ReaderAt
	length   int64
	header   *raster.Header
	rawPixel int   // the size of a pixel in the file
	first    []int // of each level the number of its first chunk
	table    []byte
}

// Open opens a file of so many bytes. Of many parts it takes the first that is an image and not deep. A
// block is a tile or, in a file without tiles, the lines of a chunk. The levels of a rip map are those that
// are halved as often across as down.
//
// Channels R, G, B and A come first, the others follow in the file's order. The numbers are halves, floats
// or uint32s as in the file, and floats if the channels differ: then a uint32 is divided by the greatest.
//
// The image reads from r when it is asked, any number of goroutines at once. Each then takes at most ten
// times the size of the file and 256 MiB: a file whose blocks need more is refused.
func Open(r io.ReaderAt, size int64) (raster.Image, error) {
	f := &file{r: r, length: size}
	if err := f.open(); err != nil {
		return nil, fmt.Errorf("exr: %w", err)
	}
	return f, nil
}

// open finds the part that is read, and where the table of its chunks lies.
func (f *file) open() error {
	parts, table, err := readParts(f.r, f.length)
	if err != nil {
		return err
	}
	for _, p := range parts {
		switch {
		case p.kind == "scanlineimage":
			p.tile, p.mode = raster.Size{}, 0
		case p.kind != "tiledimage":
			table += 8 * max(p.chunks, 0)
			continue
		case p.tile == raster.Size{}:
			return corrupt(0, "header", errors.New("the size of tiles is missing"))
		}
		f.part = p
		return f.take(table)
	}
	return fmt.Errorf("deep data: %w", raster.ErrUnsupported)
}

// take checks the part and reads the table, which lies at a place.
func (f *file) take(at int64) (err error) {
	if f.subsampled {
		return fmt.Errorf("subsampled channels: %w", raster.ErrUnsupported)
	}
	if int(f.compression) >= len(compressions) {
		return fmt.Errorf("compression %d: %w", f.compression, raster.ErrUnsupported)
	}
	if f.header, err = f.describe(); err != nil {
		return corrupt(0, "header", err)
	}
	for _, c := range f.channels {
		f.rawPixel += c.number.Size()
	}
	s := f.header.BlockSize(0, 0, 0)
	if f.compression >= dwaa { // in squares
		s.Width, s.Height = (s.Width+7)&^7, (s.Height+7)&^7
	}
	if most := 32<<20 + f.length*3/2; int64(s.Width*s.Height) > most/int64(f.header.Pixel()) {
		return corrupt(0, "header", fmt.Errorf("blocks of %d x %d pixels of %d bytes: at most %d bytes", s.Width, s.Height, f.header.Pixel(), most))
	}
	n, first := f.count(f.header)
	if f.first = first; f.chunks >= 0 && f.chunks != int64(n) {
		return corrupt(0, "header", fmt.Errorf("%d chunks: want %d", f.chunks, n))
	}
	if int64(n) > (f.length-at)/8 {
		return corrupt(f.length, "table of offsets", cursor.ErrShort)
	}
	f.table = make([]byte, 8*n)
	if err := readAt(f.r, f.table, at); err != nil {
		return err
	}
	for i := range n {
		if offset := f.offset(i); offset < at+8*int64(n) || offset >= f.length {
			return corrupt(at+8*int64(i), "table of offsets", fmt.Errorf("chunk %d at byte %d", i, offset))
		}
	}
	return nil
}

// Header implements raster.Image.
func (f *file) Header() *raster.Header { return f.header }

// ReadBlock implements raster.Image. It reads one chunk of the file.
func (f *file) ReadBlock(level, x, y int, dst []byte) error {
	if level < 0 || level >= len(f.header.Levels) {
		return fmt.Errorf("exr: level %d: there are %d", level, len(f.header.Levels))
	}
	across, down := f.header.Blocks(level)
	if x < 0 || x >= across || y < 0 || y >= down {
		return fmt.Errorf("exr: block %d, %d: level %d has %d x %d", x, y, level, across, down)
	}
	s := f.header.BlockSize(level, x, y)
	if want := s.Width * s.Height * f.header.Pixel(); len(dst) != want {
		return fmt.Errorf("exr: %d bytes for a block of %d", len(dst), want)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	n := f.first[level] + y*across + x
	var head [20]byte
	data, err := f.chunk(d, n, f.appendHead(head[:0], level, x, y), s)
	if err != nil {
		return fmt.Errorf("exr: %w", err)
	}
	if err := d.decode(f, s, dst, data); err != nil {
		return fmt.Errorf("exr: %w", corrupt(f.offset(n), fmt.Sprintf("chunk %d of %s", n, compressions[f.compression].name), err))
	}
	return nil
}

func (f *file) offset(chunk int) int64 { return int64(binary.LittleEndian.Uint64(f.table[8*chunk:])) }

// appendHead appends what the chunk of a block begins with, up to the size of the data: "OpenEXR File
// Layout", component five.
func (f *file) appendHead(b []byte, level, x, y int) []byte {
	if f.number >= 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(f.number))
	}
	if f.tile == (raster.Size{}) {
		return binary.LittleEndian.AppendUint32(b, uint32(int(f.top)+y*f.header.Block.Height))
	}
	for _, v := range [...]int{x, y, level, level} {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

// chunk reads the data of a chunk that begins with head. Chunks mostly lie in the order of the table, so
// the next offset says where this one ends, and one call reads it. If not, a second call reads the data.
func (f *file) chunk(d *decoder, n int, head []byte, s raster.Size) ([]byte, error) {
	at, next := f.offset(n), f.length
	if 8*n+8 < len(f.table) {
		next = f.offset(n + 1)
	}
	headSize, most := len(head)+4, f.rawSize(s)
	got := next - at
	if got < int64(headSize) || got > int64(headSize+most) {
		got = int64(headSize)
	}
	d.chunk = sized(d.chunk, int(got))
	if err := readAt(f.r, d.chunk, at); err != nil {
		return nil, err
	}
	size := int(int32(binary.LittleEndian.Uint32(d.chunk[len(head):])))
	if begin := string(d.chunk[:len(head)]); begin != string(head) || size < 1 || size > most {
		return nil, corrupt(at, fmt.Sprintf("chunk %d", n), fmt.Errorf("it begins with %x, and has %d of at most %d bytes: want %x", begin, size, most, string(head)))
	}
	if headSize+size <= len(d.chunk) {
		return d.chunk[headSize:][:size], nil
	}
	if int64(size) > f.length-at-int64(headSize) {
		return nil, corrupt(at, fmt.Sprintf("chunk %d", n), cursor.ErrShort)
	}
	d.chunk = sized(d.chunk, size)
	return d.chunk, readAt(f.r, d.chunk, at+int64(headSize))
}

// rawSize is the size of a block without compression.
func (f *file) rawSize(s raster.Size) int { return f.rawPixel * s.Width * s.Height }

func corrupt(at int64, part string, err error) error {
	return &cursor.CorruptError{Offset: at, Part: part, Err: err}
}

// readAt fills b. Where the file ends before that, it is corrupt.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	n, err := r.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == io.EOF:
		return corrupt(at+int64(n), "file", cursor.ErrShort)
	}
	return err
}
