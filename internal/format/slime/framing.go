package slime

import (
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/format"
)

// parts are where a file's parts lie.
type parts struct {
	minX, minZ, width, depth int // in columns; before version 10, as is mask
	mask                     []byte
	chunks, tiles, entities  part
	extra, maps              part
}

// part is a blob of the file. A part that the version does not have has no name.
type part struct {
	name   string
	start  int64 // of the frame
	stored int   // bytes
	size   int   // decoded bytes, as the file claims
}

// framer reads the framing of a file. After an error it reads nothing more.
type framer struct {
	w   *Container
	off int64
	err error
}

// bytes reads n bytes. part names them in an error.
func (f *framer) bytes(n int64, part string) []byte {
	if f.err != nil {
		return nil
	}
	if n > f.w.size-f.off {
		f.fail(part, io.ErrUnexpectedEOF)
		return nil
	}
	b := make([]byte, n)
	if m, err := f.w.r.ReadAt(b, f.off); m < len(b) {
		f.fail(part, err)
		return nil
	}
	f.off += n
	return b
}

func (f *framer) fail(part string, err error) {
	if f.err == nil {
		f.err = fmt.Errorf("slime: %w", &format.CorruptError{Offset: f.off, Part: part, Err: err})
	}
}

// header returns a cursor over the next n bytes, or over zeros after an error.
func (f *framer) header(n int64) *reader {
	if b := f.bytes(n, "header"); b != nil {
		return readerAt(b, 0)
	}
	return readerAt(make([]byte, n), 0)
}

// blob notes the place of a blob and skips it.
func (f *framer) blob(name string) part {
	c := readerAt(f.bytes(8, name), 0)
	p := part{name: name, start: f.off, stored: c.i32(), size: c.i32()}
	if f.err == nil && (p.stored < 0 || int64(p.stored) > f.w.size-f.off) {
		f.fail(name, fmt.Errorf("%d bytes of %d: %w", p.stored, f.w.size-f.off, io.ErrUnexpectedEOF))
	}
	f.off += int64(p.stored)
	return p
}

// readFraming reads the header, notes the blobs and reads the extra tags.
func (w *Container) readFraming() error {
	f := &framer{w: w}
	c := f.header(3)
	if f.err == nil && c.Big16() != magic {
		f.off = 0
		f.fail("header", errHeader)
	}
	w.layout = layout{version: int(c.Byte()), env: environments[0]}
	if v := w.layout.version; f.err == nil && (v < 1 || v > maxVersion) {
		f.fail("header", fmt.Errorf("version %d, known are 1 to %d", v, maxVersion))
	}
	if w.layout.hasCoords() {
		w.readNewFraming(f)
	} else {
		w.readOldFraming(f)
	}
	if f.err == nil && f.off != w.size {
		f.fail("end", fmt.Errorf("%d bytes follow", w.size-f.off))
	}
	if f.err != nil {
		return f.err
	}
	return w.readExtra()
}

func (w *Container) readOldFraming(f *framer) {
	l, p := &w.layout, &w.parts
	switch v := l.version; {
	case v >= 6:
		l.world = int(f.header(1).Byte())
	case v >= 4:
		if f.header(1).Byte() != 0 {
			l.world = worldNames
		}
	}
	if l.world >= len(dataVersions) {
		f.fail("header", fmt.Errorf("world version %d, known are 1 to %d", l.world, len(dataVersions)-1))
		return
	}
	l.data = dataVersions[l.world]
	box := f.header(8)
	p.minX, p.minZ = int(int16(box.Big16())), int(int16(box.Big16()))
	p.width, p.depth = int(box.Big16()), int(box.Big16())
	if f.err == nil && (p.width == 0 || p.depth == 0) {
		f.fail("header", fmt.Errorf("%d by %d chunks", p.width, p.depth))
	}
	p.mask = f.bytes((int64(p.width)*int64(p.depth)+7)/8, "chunk bitmask")
	p.chunks = f.blob("chunks")
	p.tiles = f.blob("tile entities")
	if l.version >= 3 && f.header(1).Byte() != 0 {
		p.entities = f.blob("entities")
	}
	if l.version >= 2 {
		p.extra = f.blob("extra")
	}
	if l.version >= 7 {
		p.maps = f.blob("maps")
	}
}

func (w *Container) readNewFraming(f *framer) {
	l, p := &w.layout, &w.parts
	l.world = worldContainers
	l.data = int32(f.header(4).i32())
	if l.version >= 13 {
		l.flags = f.header(1).Byte()
	}
	p.chunks = f.blob("chunks")
	if l.version == 10 {
		p.tiles, p.entities = f.blob("tile entities"), f.blob("entities")
	}
	p.extra = f.blob("extra")
}
