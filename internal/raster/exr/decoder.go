package exr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// decoder decodes chunks, one after the other. Most of it is memory that the next chunk uses again.
type decoder struct {
	chunk []byte   // as the file has it
	mixed []byte   // what is inflated
	raw   []byte   // as without compression: line by line, in each line channel by channel
	words []uint16 // what has Huffman codes
	table []uint16 // of PIZ

	means, runs []byte // of DWA

	source   bytes.Reader
	inflater io.ReadCloser
	spare    [1]byte // for what should not be there
	codes    *huffman
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// sized returns a slice of so many elements, the old one if it is large enough. They may be anything.
func sized[T any](s []T, n int) []T {
	if n > cap(s) {
		return make([]T, n)
	}
	return s[:n]
}

// decode decodes the data of a chunk, which holds a block of a size, to dst. Data as large as the block
// is not compressed, whatever the file's compression: that is what writers do where it does not pay.
func (d *decoder) decode(f *file, s raster.Size, dst, data []byte) (err error) {
	n := f.rawSize(s)
	if len(data) == n {
		f.spread(dst, data, s)
		return nil
	}
	switch f.compression {
	case none:
		err = fmt.Errorf("%d bytes: want %d", len(data), n)
	case rle:
		d.mixed = sized(d.mixed, n)
		err = unrle(d.mixed, data)
	case zips, zip:
		err = d.inflate(n, data)
	case piz:
		err = d.unpiz(f, s, data)
	case pxr24:
		err = d.unpxr24(f, s, data)
	case b44, b44a:
		err = d.unb44(f, s, data)
	default:
		err = d.undwa(f, s, data)
	}
	if err != nil {
		return err
	}
	if f.compression <= zip {
		d.unmixSpread(f, dst, s)
	} else {
		f.spread(dst, d.raw, s)
	}
	return nil
}

// row returns the part of a raw block that has a line of a channel.
func (f *file) row(raw []byte, c *channel, width, y int) []byte {
	return raw[(y*f.rawPixel+c.before)*width:][:c.number.Size()*width]
}

// spread puts the numbers of a raw block to their places in the pixels of dst.
func (f *file) spread(dst, raw []byte, s raster.Size) {
	pixel := f.header.Pixel()
	for y := range s.Height {
		line := dst[y*s.Width*pixel:][:s.Width*pixel]
		for i := range f.channels {
			c := &f.channels[i]
			c.spread(line[c.place:], f.row(raw, c, s.Width, y), pixel, f.header.Type)
		}
	}
}

// spread puts the numbers of a line of the channel to every step'th byte of dst.
func (c *channel) spread(dst, raw []byte, step int, to raster.Type) {
	switch size := c.number.Size(); {
	case c.number != to:
		var v [1]float32
		for i := 0; i < len(raw); i += size {
			c.number.Floats(v[:], raw[i:])
			to.Put(dst[i/size*step:], v[:])
		}
	case size == 2:
		for ; len(raw) >= 8; raw = raw[8:] {
			v := binary.LittleEndian.Uint64(raw)
			binary.LittleEndian.PutUint16(dst, uint16(v))
			binary.LittleEndian.PutUint16(dst[step:], uint16(v>>16))
			binary.LittleEndian.PutUint16(dst[2*step:], uint16(v>>32))
			binary.LittleEndian.PutUint16(dst[3*step:], uint16(v>>48))
			dst = dst[min(4*step, len(dst)):]
		}
		for i := 0; i < len(raw); i += 2 {
			binary.LittleEndian.PutUint16(dst[i/2*step:], binary.LittleEndian.Uint16(raw[i:]))
		}
	default:
		for i := 0; i < len(raw); i += 4 {
			binary.LittleEndian.PutUint32(dst[i/4*step:], binary.LittleEndian.Uint32(raw[i:]))
		}
	}
}
