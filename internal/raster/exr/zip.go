package exr

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zlib"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
)

// inflate fills d.mixed with the n bytes of a zlib stream. There is no stream of nothing.
func (d *decoder) inflate(n int, src []byte) (err error) {
	d.mixed = sized(d.mixed, n)
	if n == 0 {
		return nil
	}
	d.source.Reset(src)
	if d.inflater == nil {
		d.inflater, err = zlib.NewReader(&d.source)
	} else {
		err = d.inflater.(zlib.Resetter).Reset(&d.source, nil)
	}
	if err == nil {
		_, err = io.ReadFull(d.inflater, d.mixed)
	}
	if err == nil { // the checksum is behind the last byte
		if _, err = io.ReadFull(d.inflater, d.spare[:]); err == nil {
			return cursor.ErrLong
		}
	}
	if err != io.EOF {
		return fmt.Errorf("zlib: %w", err)
	}
	return nil
}

// RLE and ZIP see the bytes of a block mixed: those at even places, then those at odd places. Each is the
// difference to the one before, plus 128.

// mix is the inverse of unmix.
func mix(mixed, raw []byte) {
	for i, v := range raw {
		mixed[i&1*(len(raw)/2)+i>>1] = v
	}
	for i := len(mixed) - 1; i > 0; i-- {
		mixed[i] -= mixed[i-1] - 128
	}
}

// unmixing is the way through mixed bytes, of which there are as many at odd places as at even ones.
type unmixing struct {
	low, high         []byte // what is left of those at even and at odd places
	lastLow, lastHigh byte
}

func newUnmixing(mixed []byte) unmixing {
	low, high := mixed[:len(mixed)/2], mixed[len(mixed)/2:]
	return unmixing{low, high, 128, 128 + sum(low)}
}

// sum returns the sum of differences that have 128 added. It takes eight at once: first two and two, then
// the four results by a product whose highest 16 bits are their sum.
func sum(b []byte) byte {
	const lanes = 0x00FF00FF00FF00FF
	n := uint64(len(b)) << 7
	for ; len(b) >= 8; b = b[8:] {
		v := binary.LittleEndian.Uint64(b)
		n += (v&lanes + v>>8&lanes) * 0x0001000100010001 >> 48
	}
	for _, v := range b {
		n += uint64(v)
	}
	return byte(n)
}

// pairs writes the next n pairs of bytes. The steps from one to the next are a and b in turn. Within its
// caller the loop would have too few registers, and take twice as long.
//
//go:noinline
func (u *unmixing) pairs(dst []byte, n, a, b int) {
	high := u.high[:n]
	l, h := u.lastLow, u.lastHigh
	at := 0
	for i, v := range u.low[:n] {
		l += v ^ 128 // which is less 128
		h += high[i] ^ 128
		dst[at] = l
		dst[at+1] = h
		at += a
		a, b = b, a
	}
	u.low, u.high, u.lastLow, u.lastHigh = u.low[n:], u.high[n:], l, h
}

// unmixSpread puts the mixed bytes of a block to their places in dst, in one pass.
func (d *decoder) unmixSpread(f *file, dst []byte, s raster.Size) {
	u := newUnmixing(d.mixed)
	pixel := f.header.Pixel()
	for y := range s.Height {
		line := dst[y*s.Width*pixel:][:s.Width*pixel]
		for i := range f.channels {
			c := &f.channels[i]
			switch size := c.number.Size(); {
			case c.number != f.header.Type:
				d.raw = sized(d.raw, s.Width*size)
				u.pairs(d.raw, s.Width*size/2, 2, 2)
				c.spread(line[c.place:], d.raw, pixel, f.header.Type)
			case size == 2:
				u.pairs(line[c.place:], s.Width, pixel, pixel)
			default:
				u.pairs(line[c.place:], 2*s.Width, 2, pixel-2)
			}
		}
	}
}
