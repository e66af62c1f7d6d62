package exr

import (
	"encoding/binary"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// unpxr24 decodes PXR24 to d.raw. Of each line of a channel it has the highest bytes, then the next lower
// ones; a float has three, and the lowest is 0. The numbers are differences to the one to the left.
func (d *decoder) unpxr24(f *file, s raster.Size, src []byte) error {
	planes := [...]int{raster.Uint32: 4, raster.Half: 2, raster.Float: 3}
	n := 0
	for _, c := range f.channels {
		n += planes[c.number]
	}
	if err := d.inflate(n*s.Width*s.Height, src); err != nil {
		return err
	}
	d.raw = sized(d.raw, f.rawSize(s))
	in := d.mixed
	for y := range s.Height {
		for i := range f.channels {
			c := &f.channels[i]
			row, sum := f.row(d.raw, c, s.Width, y), uint32(0)
			high, low := in[:s.Width], in[s.Width:2*s.Width]
			for x, v := range high {
				v := uint32(v)<<8 | uint32(low[x])
				if c.number == raster.Half {
					sum += v
					binary.LittleEndian.PutUint16(row[2*x:], uint16(sum))
					continue
				}
				v = v<<8 | uint32(in[2*s.Width+x])
				if v <<= 8; c.number == raster.Uint32 {
					v |= uint32(in[3*s.Width+x])
				}
				sum += v
				binary.LittleEndian.PutUint32(row[4*x:], sum)
			}
			in = in[planes[c.number]*s.Width:]
		}
	}
	return nil
}
