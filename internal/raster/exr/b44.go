package exr

import (
	"encoding/binary"
	"math"
	"sync"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// unb44 decodes B44 and B44A to d.raw. Halves are in squares of 4 x 4 pixels, those at the right and at
// the bottom filled up; the others are as they are. Channel follows upon channel.
func (d *decoder) unb44(f *file, s raster.Size, src []byte) error {
	d.raw = sized(d.raw, f.rawSize(s))
	for i := range f.channels {
		c := &f.channels[i]
		if c.number != raster.Half {
			n := s.Width * c.number.Size()
			if len(src) < n*s.Height {
				return cursor.ErrShort
			}
			for y := range s.Height {
				copy(f.row(d.raw, c, s.Width, y), src[y*n:])
			}
			src = src[n*s.Height:]
			continue
		}
		var square [16]uint16
		for y := 0; y < s.Height; y += 4 {
			for x := 0; x < s.Width; x += 4 {
				n := square44(&square, src)
				if n == 0 {
					return cursor.ErrShort
				}
				src = src[n:]
				if c.linear {
					table := logarithms()
					for i, v := range square {
						square[i] = table[v]
					}
				}
				for r := range min(4, s.Height-y) {
					row := f.row(d.raw, c, s.Width, y+r)[2*x:]
					for i := range min(4, s.Width-x) {
						binary.LittleEndian.PutUint16(row[2*i:], square[4*r+i])
					}
				}
			}
		}
	}
	return nil
}

// square44 decodes a square from the first bytes of src and returns how many they are, 0 if some are
// missing. The first value has two bytes. In 3 bytes all values are equal; in 14 there is a shift of the
// differences, and 15 differences of 6 bits: three down the first column, then from column to column.
// The values are ordered like the numbers they stand for.
func square44(s *[16]uint16, src []byte) int {
	if len(src) < 3 {
		return 0
	}
	s[0] = binary.BigEndian.Uint16(src)
	n := 3
	if shift := src[2] >> 2; shift >= 13 {
		for i := range s {
			s[i] = s[0]
		}
	} else {
		if n = 14; len(src) < n {
			return 0
		}
		high, low := binary.BigEndian.Uint64(src[2:])<<6, binary.BigEndian.Uint64(src[6:])
		for i := range 15 {
			v := high << (6 * i)
			if i >= 7 {
				v = low << (6*i - 26)
			}
			from, to := 4*i, 4*i+4
			if i >= 3 {
				from = (i-3)%4*4 + (i-3)/4
				to = from + 1
			}
			s[to] = s[from] + uint16(v>>58)<<shift - 0x20<<shift
		}
	}
	for i, v := range s {
		if v&0x8000 != 0 {
			s[i] = v & 0x7FFF
		} else {
			s[i] = ^v
		}
	}
	return n
}

// logarithms has for each half 8 times its logarithm, 0 where there is none. Channels that are perceived
// as linear are stored as powers.
var logarithms = sync.OnceValue(func() *[1 << 16]uint16 {
	var all [1 << 16]uint16
	for i, v := range floats() {
		if i&0x7C00 != 0x7C00 && i <= 0x8000 {
			all[i] = raster.HalfOf(float32(8 * math.Log(math.Abs(float64(v)))))
		}
	}
	return &all
})

// floats has the value of each half.
var floats = sync.OnceValue(func() []float32 {
	b := make([]byte, 2<<16)
	for i := range 1 << 16 {
		binary.LittleEndian.PutUint16(b[2*i:], uint16(i))
	}
	all := make([]float32, 1<<16)
	raster.Half.Floats(all, b)
	return all
})
