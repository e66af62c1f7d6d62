package exr

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/klauspost/compress/zlib"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// Write writes a file of one part with ZIP compression. levels has the pixels of each level of h, laid out
// as in a block that is as large as the level. If h.Block is empty there is one level, and the file has
// lines. Else it has tiles of that size; many levels are those of a mip map whose sizes are rounded down.
// The numbers are Half, Float or Uint32.
func Write(w io.Writer, h *raster.Header, levels ...[]byte) error {
	f, err := newFile(h, levels)
	if err != nil {
		return fmt.Errorf("exr: write: %w", err)
	}
	front := f.appendFront(nil)
	n, _ := f.count(f.header)
	var table, chunks []byte
	z := zlib.NewWriter(nil)
	for l, pixels := range levels {
		across, down := f.header.Blocks(l)
		for b := range across * down {
			x, y := b%across, b/across
			data, err := deflate(z, f.gather(pixels, h.Channels, l, x, y))
			if err != nil {
				return fmt.Errorf("exr: write: %w", err)
			}
			table = binary.LittleEndian.AppendUint64(table, uint64(len(front)+8*n+len(chunks)))
			chunks = binary.LittleEndian.AppendUint32(f.appendHead(chunks, l, x, y), uint32(len(data)))
			chunks = append(chunks, data...)
		}
	}
	for _, b := range [][]byte{front, table, chunks} {
		if _, err := w.Write(b); err != nil {
			return fmt.Errorf("exr: write: %w", err)
		}
	}
	return nil
}

// newFile makes the file that is written, whose channels are sorted by name.
func newFile(h *raster.Header, levels [][]byte) (f *file, err error) {
	if !slices.Contains(numbers[:], h.Type) || len(h.Levels) == 0 {
		return nil, fmt.Errorf("%d levels of numbers of type %v: %w", len(h.Levels), h.Type, raster.ErrUnsupported)
	}
	f = &file{part: part{number: -1, compression: zip, size: h.Levels[0], tile: h.Block, wrap: h.Wrap}}
	if len(h.Levels) > 1 && f.tile != (raster.Size{}) {
		f.mode = mipmap
	}
	for _, name := range h.Channels {
		if len(name) < 1 || len(name) > 31 {
			return nil, fmt.Errorf("a channel %q: a name has 1 to 31 bytes", name)
		}
		f.channels = append(f.channels, channel{name: name, number: h.Type})
	}
	slices.SortFunc(f.channels, func(a, b channel) int { return cmp.Compare(a.name, b.name) })
	if f.header, err = f.describe(); err != nil {
		return nil, err
	}
	if len(levels) != len(h.Levels) || !slices.Equal(f.header.Levels, h.Levels) {
		return nil, fmt.Errorf("pixels of %d levels of %v: want %v", len(levels), h.Levels, f.header.Levels)
	}
	for l, s := range h.Levels {
		if want := s.Width * s.Height * h.Pixel(); len(levels[l]) != want {
			return nil, fmt.Errorf("level %d has %d bytes of pixels: want %d", l, len(levels[l]), want)
		}
	}
	return f, nil
}

// appendFront appends what lies before the table of offsets.
func (f *file) appendFront(b []byte) []byte {
	tiled := f.tile != (raster.Size{})
	version := uint32(2)
	if tiled {
		version |= flagTiled
	}
	b = binary.LittleEndian.AppendUint32(append(b, magic...), version)
	put := func(name, kind string, value ...any) {
		var v bytes.Buffer
		for _, one := range value {
			binary.Write(&v, binary.LittleEndian, one) // to memory, and only what has a size
		}
		b = append(b, name+"\x00"+kind+"\x00"...)
		b = append(binary.LittleEndian.AppendUint32(b, uint32(v.Len())), v.Bytes()...)
	}
	var channels []any
	for _, c := range f.channels {
		channels = append(channels, []byte(c.name+"\x00"), [...]uint32{uint32(slices.Index(numbers[:], c.number)), 0, 1, 1})
	}
	window := [...]int32{0, 0, int32(f.size.Width - 1), int32(f.size.Height - 1)}
	put("channels", "chlist", append(channels, uint8(0))...)
	put("compression", "compression", f.compression)
	put("dataWindow", "box2i", window)
	put("displayWindow", "box2i", window)
	put("lineOrder", "lineOrder", uint8(0))
	put("pixelAspectRatio", "float", float32(1))
	put("screenWindowCenter", "v2f", [2]float32{})
	put("screenWindowWidth", "float", float32(1))
	if tiled {
		put("tiles", "tiledesc", uint32(f.tile.Width), uint32(f.tile.Height), f.mode)
	}
	if f.wrap != [2]string{} {
		put("wrapmodes", "string", []byte(f.wrap[0]+","+f.wrap[1]))
	}
	return append(b, 0)
}

// gather returns the numbers of a block line by line, in each line channel by channel. names are the
// channels of the pixels.
func (f *file) gather(pixels []byte, names []string, level, x, y int) (raw []byte) {
	s, pixel, size := f.header.BlockSize(level, x, y), f.header.Pixel(), f.header.Type.Size()
	for line := y * f.header.Block.Height; line < y*f.header.Block.Height+s.Height; line++ {
		row := pixels[(line*f.header.Levels[level].Width+x*f.header.Block.Width)*pixel:][:s.Width*pixel]
		for _, c := range f.channels {
			for at := slices.Index(names, c.name) * size; at < len(row); at += pixel {
				raw = append(raw, row[at:at+size]...)
			}
		}
	}
	return raw
}

// deflate returns the data of a chunk: raw itself if it does not become smaller.
func deflate(z *zlib.Writer, raw []byte) ([]byte, error) {
	mixed := make([]byte, len(raw))
	mix(mixed, raw)
	var b bytes.Buffer
	z.Reset(&b)
	_, err := z.Write(mixed)
	if err = cmp.Or(err, z.Close()); err != nil || b.Len() < len(raw) {
		return b.Bytes(), err
	}
	return raw, nil
}
