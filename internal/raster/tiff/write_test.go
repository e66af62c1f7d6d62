package tiff_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// A form is one way to store the picture of the tests. It says little-endian strips of 8 rows unless
// more is set.
type form struct {
	size        raster.Size
	samples     int
	bits        int
	kind        int // sample format: 1 whole, 2 with a sign, 3 floating point
	photo       int
	extra       []uint32
	planar      bool
	tile        raster.Size
	rows        int
	compression int
	predictor   int
	bigEndian   bool
	big         bool
	levels      int
	second      *form          // how the second level is, if it is not as the first
	more        map[uint16]any // further tags, or others: []uint32 or string
}

func (f form) String() string {
	order, where := "II", fmt.Sprintf("strips of %d", f.rows)
	if f.bigEndian {
		order = "MM"
	}
	if f.tile.Width > 0 {
		where = fmt.Sprintf("tiles of %v", f.tile)
	}
	return fmt.Sprintf("%s big %v %d x %d bits of %d, photometric %d, planar %v, %s, compression %d, predictor %d, %d levels",
		order, f.big, f.samples, f.bits, f.kind, f.photo, f.planar, where, f.compression, f.predictor, f.levels)
}

// kindOf returns the type that the numbers have when they are read.
func (f form) kindOf() raster.Type {
	switch {
	case f.bits <= 8:
		return raster.Uint8
	case f.kind == 3 && f.bits == 16:
		return raster.Half
	case f.kind == 3:
		return raster.Float
	case f.bits == 16:
		return raster.Uint16
	}
	return raster.Uint32
}

// stored returns a sample as it is stored: flat at the left, so that there are runs, else rough.
func (f form) stored(level, x, y, c int) uint32 {
	v := uint32(x*x*3+y*(5+c)+c*71+level*37) * 2654435761 >> 9
	if x < 12 {
		v = uint32(y/4*977 + c*1001)
	}
	if f.kind != 3 {
		return v & uint32(1<<f.bits-1)
	}
	value := float32(int32(v%4096)-300) / 64
	if f.bits == 16 {
		return uint32(raster.HalfOf(value))
	}
	return math.Float32bits(value * 1.0001)
}

// colour returns a number of the palette.
func (f form) colour(v uint32, c int) uint32 { return (v*(7+uint32(c)) + uint32(c)*50) % 256 * 257 }

func halved(s raster.Size, level int) raster.Size {
	return raster.Size{Width: max(s.Width>>level, 1), Height: max(s.Height>>level, 1)}
}

// pixels returns what reading a level is to return.
func (f form) pixels(level int) (out []byte) {
	s := halved(f.size, level)
	for y := range s.Height {
		for x := range s.Width {
			for c := range f.samples {
				v := f.stored(level, x, y, c)
				if f.photo == 3 {
					for c := range 3 {
						out = append(out, byte(f.colour(v, c)/257))
					}
					continue
				}
				if f.kind == 2 {
					v = uint32(math.Round(max(float64(int16(v)), 0) / 32767 * 65535))
				}
				if f.photo == 0 && c == 0 {
					v = uint32(1<<f.bits-1) - v
				}
				switch f.bits {
				case 16:
					out = binary.LittleEndian.AppendUint16(out, uint16(v))
				case 32:
					out = binary.LittleEndian.AppendUint32(out, v)
				default:
					out = append(out, byte(v*255/(1<<f.bits-1)))
				}
			}
		}
	}
	return out
}

func (f form) order() binary.AppendByteOrder {
	if f.bigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// row returns a row of samples of a plane, which begins at x, y, through the predictor.
func (f form) row(level, x, y, width, from, to int) (out []byte) {
	s, n := halved(f.size, level), to-from
	var values []uint32
	for i := range width {
		for c := range n {
			values = append(values, f.stored(level, min(x+i, s.Width-1), min(y, s.Height-1), from+c))
		}
	}
	if f.predictor == 2 {
		for i := len(values) - 1; i >= n; i-- {
			values[i] -= values[i-n]
		}
	}
	var fill, have uint32
	for _, v := range values {
		switch f.bits {
		case 32:
			out = f.order().AppendUint32(out, v)
		case 16:
			out = f.order().AppendUint16(out, uint16(v))
		case 8:
			out = append(out, byte(v))
		default:
			if fill, have = fill<<f.bits|v, have+uint32(f.bits); have == 8 {
				out, fill, have = append(out, byte(fill)), 0, 0
			}
		}
	}
	if have > 0 {
		out = append(out, byte(fill<<(8-have)))
	}
	if f.predictor == 3 {
		size := f.bits / 8
		planes := make([]byte, len(out))
		for i := range values {
			for b := range size {
				at := i*size + b
				if !f.bigEndian {
					at = i*size + size - 1 - b
				}
				planes[b*len(values)+i] = out[at]
			}
		}
		for i := len(planes) - 1; i >= n; i-- {
			planes[i] -= planes[i-n]
		}
		out = planes
	}
	return out
}

// segments returns the tiles or strips of a level, compressed.
func (f form) segments(level int) (out [][]byte) {
	s, planes := halved(f.size, level), [][2]int{{0, f.samples}}
	if f.planar {
		planes = nil
		for c := range f.samples {
			planes = append(planes, [2]int{c, c + 1})
		}
	}
	for _, p := range planes {
		step := f.tile
		if step.Width == 0 {
			step = raster.Size{Width: s.Width, Height: f.rows}
		}
		for y := 0; y < s.Height; y += step.Height {
			for x := 0; x < s.Width; x += step.Width {
				var b []byte
				for r := range step.Height {
					if f.tile.Width == 0 && y+r >= s.Height {
						break
					}
					row := f.row(level, x, y+r, step.Width, p[0], p[1])
					if f.compression == 32773 {
						row = packed(row)
					}
					b = append(b, row...)
				}
				out = append(out, compressed(f.compression, b))
			}
		}
	}
	return out
}

var deflater = zlib.NewWriter(nil) // one, because making one is slow

func compressed(compression int, b []byte) []byte {
	switch compression {
	case 5:
		return lzw(b)
	case 8, 32946:
		var out bytes.Buffer
		deflater.Reset(&out)
		deflater.Write(b)
		deflater.Close()
		return out.Bytes()
	}
	return b
}

// packed is PackBits: runs of at least 3 bytes, else as they are.
func packed(b []byte) (out []byte) {
	var plain []byte
	flush := func() {
		if len(plain) > 0 {
			out, plain = append(append(out, byte(len(plain)-1)), plain...), nil
		}
	}
	for len(b) > 0 {
		n := 1
		for n < min(len(b), 128) && b[n] == b[0] {
			n++
		}
		if n >= 3 {
			flush()
			out, b = append(out, byte(1-n), b[0]), b[n:]
			if n == 3 {
				out = append(out, 0x80) // says nothing
			}
			continue
		}
		if plain, b = append(plain, b[0]), b[1:]; len(plain) == 128 {
			flush()
		}
	}
	flush()
	return out
}

// lzw compresses as TIFF 6 describes it.
func lzw(b []byte) (out []byte) {
	var fill uint64
	var have, width int
	type longer struct {
		code int
		by   byte
	}
	var table map[longer]int
	put := func(code int) {
		fill, have = fill<<width|uint64(code), have+width
		for ; have >= 8; have -= 8 {
			out = append(out, byte(fill>>(have-8)))
		}
	}
	width = 9
	for now, next := -1, 0; ; b = b[1:] {
		if now < 0 {
			put(256)
			table, width, next = map[longer]int{}, 9, 258
		}
		if len(b) == 0 {
			if now >= 0 {
				put(now)
				if next+1 == 1<<width {
					width++
				}
			}
			put(257)
			return append(out, byte(fill<<(8-have)))
		}
		if now < 0 {
			now = int(b[0])
			continue
		}
		key := longer{now, b[0]}
		if code, ok := table[key]; ok {
			now = code
			continue
		}
		put(now)
		table[key], now, next = next, int(b[0]), next+1
		if next == 1<<width {
			width++
		}
		if next == 4095 {
			put(now)
			now = -1
		}
	}
}

// file returns the picture as a file.
func (f form) file() []byte {
	o := f.order()
	out := []byte("II")
	if f.bigEndian {
		out = []byte("MM")
	}
	link := len(out) + 2 // where the place of the next directory goes
	if f.big {
		out = o.AppendUint16(o.AppendUint16(o.AppendUint16(out, 43), 8), 0)
		link, out = len(out), o.AppendUint64(out, 0)
	} else {
		out = o.AppendUint32(o.AppendUint16(out, 42), 0)
	}
	for level := range max(f.levels, 1) {
		if level == 1 && f.second != nil {
			f = *f.second
		}
		s := halved(f.size, level)
		samples := make([]uint32, f.samples)
		tags := map[uint16]any{
			256: []uint32{uint32(s.Width)}, 257: []uint32{uint32(s.Height)}, 259: []uint32{uint32(f.compression)}, 262: []uint32{uint32(f.photo)},
			277: []uint32{uint32(f.samples)}, 284: []uint32{1}, 317: []uint32{uint32(f.predictor)},
		}
		for i := range samples {
			samples[i] = uint32(f.bits)
		}
		tags[258] = samples
		tags[339] = slices.Repeat([]uint32{uint32(f.kind)}, f.samples)
		if f.planar {
			tags[284] = []uint32{2}
		}
		if f.extra != nil {
			tags[338] = f.extra
		}
		var at, sizes []uint32
		for _, b := range f.segments(level) {
			at, sizes = append(at, uint32(len(out))), append(sizes, uint32(len(b)))
			out = append(out, b...)
		}
		if f.tile.Width > 0 {
			tags[322], tags[323], tags[324], tags[325] = []uint32{uint32(f.tile.Width)}, []uint32{uint32(f.tile.Height)}, at, sizes
		} else {
			tags[278], tags[273], tags[279] = []uint32{uint32(f.rows)}, at, sizes
		}
		if f.photo == 3 {
			var colours []uint32
			for c := range 3 {
				for v := range 1 << f.bits {
					colours = append(colours, f.colour(uint32(v), c))
				}
			}
			tags[320] = colours
		}
		for tag, v := range f.more {
			tags[tag] = v
		}
		out, link = f.directory(out, link, tags)
	}
	return out
}

// directory appends a directory, and returns where the place of the next one goes.
func (f form) directory(out []byte, link int, tags map[uint16]any) ([]byte, int) {
	o := f.order()
	var names []uint16
	for tag, v := range tags {
		if v != nil {
			names = append(names, tag)
		}
	}
	slices.Sort(names)
	number := func(b []byte, v int) []byte {
		if f.big {
			return o.AppendUint64(b, uint64(v))
		}
		return o.AppendUint32(b, uint32(v))
	}
	room := len(number(nil, 0))
	var entries []byte
	for _, tag := range names {
		kind, count, b := 3, 0, []byte(nil)
		switch v := tags[tag].(type) {
		case string:
			kind, count, b = 2, len(v)+1, append([]byte(v), 0)
		case []uint32:
			count = len(v)
			if slices.Max(v) > 0xFFFF || tag == 273 || tag == 324 {
				kind = 4
			}
			for _, n := range v {
				if kind == 4 {
					b = o.AppendUint32(b, n)
				} else {
					b = o.AppendUint16(b, uint16(n))
				}
			}
		}
		entries = number(o.AppendUint16(o.AppendUint16(entries, tag), uint16(kind)), count)
		if len(b) <= room {
			entries = append(append(entries, b...), make([]byte, room-len(b))...)
			continue
		}
		out = append(out, make([]byte, len(out)%2)...)
		entries, out = number(entries, len(out)), append(out, b...)
	}
	out = append(out, make([]byte, len(out)%2)...)
	copy(out[link:], number(nil, len(out)))
	if f.big {
		out = o.AppendUint64(out, uint64(len(names)))
	} else {
		out = o.AppendUint16(out, uint16(len(names)))
	}
	out = append(out, entries...)
	return number(out, 0), len(out)
}
