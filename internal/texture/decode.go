package texture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// decoder has the memory that decoding tiles needs. It is used by one goroutine.
type decoder struct {
	shape
	huff    *huff0.Scratch
	zstd    *zstd.Decoder
	stored  []byte // a tile as the file has it
	modes   []channel
	table   []uint32 // words by their ranks
	large   []byte   // residuals of the escapes to come
	low     []byte   // low bits of the channels to come
	symbols []byte   // of all channels
	wide    []uint32 // residuals of a channel
}

var decoders = sync.Pool{New: func() any {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		panic("texture: zstd decoder options: " + err.Error())
	}
	return &decoder{zstd: z}
}}

// decode writes the pixels of a tile to dst, which has their size. Offsets in its errors count from the start of b.
func (d *decoder) decode(dst, b []byte, s shape) error {
	d.shape = s
	c := cursor.New(b, "tile")
	h := head(c.Byte())
	if h == pixels {
		copy(dst, c.Bytes(len(dst)))
		return c.End()
	}
	if d.read(&c, h); c.Err() != nil {
		return c.Err()
	}
	var err error
	switch s.of.Size() {
	case 1:
		err = restore[uint8](d, dst, h)
	case 2:
		err = restore[uint16](d, dst, h)
	default:
		err = restore[uint32](d, dst, h)
	}
	if err != nil {
		c.Fail(err)
	}
	return c.Err()
}

// read reads what is before the symbols, and these.
func (d *decoder) read(c *cursor.Cursor, h head) {
	if h&how == pixels || h&how > zipped || h&^(how|ranked|folded) != 0 || h&folded != 0 && !d.float() {
		c.Fail(fmt.Errorf("head %#x", byte(h)))
	}
	if h&ranked != 0 {
		d.readTable(c, h)
	}
	symbols, low := 0, 0
	d.modes = d.modes[:0]
	for i := range d.channels {
		mode := c.Byte()
		ch := channel{by: predictor(mode & 3), apart: mode&4 != 0, low: int(mode >> 3), base: uint32(d.readWord(c, 0))}
		if ch.apart && i == 0 || 8*ch.low+8 > d.bits() || ch.low > 0 && ch.by == same {
			c.Fail(fmt.Errorf("channel %d: mode %#x", i, mode))
		}
		if low += ch.low * d.texels(); ch.by != same {
			symbols += d.texels()
		}
		d.modes = append(d.modes, ch)
	}
	d.large = c.Bytes(c.Count(d.of.Size(), symbols) * d.of.Size())
	d.low = c.Bytes(low)
	if rest := c.Bytes(c.Left()); c.Err() == nil {
		if err := d.readSymbols(h&how, rest, symbols); err != nil {
			c.Fail(err)
		}
	}
}

// readWord reads a word as what is added to least.
func (d *decoder) readWord(c *cursor.Cursor, least uint64) uint64 {
	return uint64(c.Within(int64(least+min(c.Uvarint(), 1<<32)), 0, 1<<d.bits()-1))
}

// readTable reads words in ascending order.
func (d *decoder) readTable(c *cursor.Cursor, h head) {
	d.table = d.table[:0]
	next := uint64(0)
	for range c.Count(1, d.texels()*d.channels) {
		v := d.readWord(c, next)
		next = v + 1
		if h&folded != 0 {
			v = uint64(fold(uint32(v), d.bits()))
		}
		d.table = append(d.table, uint32(v))
	}
}

// readSymbols reads n symbols.
func (d *decoder) readSymbols(h head, b []byte, n int) (err error) {
	d.symbols = sized(d.symbols, n)
	got := d.symbols[:0:n]
	if h == zipped {
		got, err = d.zstd.DecodeAll(b, got)
	} else if d.huff, b, err = huff0.ReadTable(b, d.huff); err == nil {
		got, err = d.huff.Decoder().Decompress4X(got, b)
	}
	if err == nil && len(got) != n {
		err = errors.New("another number of symbols")
	}
	return err
}

var (
	errEscapes = errors.New("another number of escapes")
	errRank    = errors.New("a rank beyond the table")
)

// restore makes the pixels of what was read.
func restore[W word](d *decoder, dst []byte, h head) error {
	all, symbols := view[W](dst), d.symbols
	for i, ch := range d.modes {
		to := all[i:]
		if ch.by == same {
			for at := 0; at < len(to); at += d.channels {
				to[at] = W(ch.base)
			}
		} else {
			mine := symbols[:d.texels()]
			symbols = symbols[len(mine):]
			if ch.low == 0 && (!ch.escapes(d.bits()) || bytes.IndexByte(mine, 0x100+escape) < 0) {
				undo(to, d.channels, view[int8](mine), d.Width, ch)
			} else if err := d.widen(mine, ch); err != nil {
				return err
			} else {
				undo(to, d.channels, d.wide, d.Width, ch)
			}
		}
		if ch.apart {
			for at := i; at < len(all); at += d.channels {
				all[at] += all[at-1]
			}
		}
	}
	if len(d.large) > 0 {
		return errEscapes
	}
	if h&ranked != 0 {
		for i, v := range all {
			if int(v) >= len(d.table) {
				return errRank
			}
			all[i] = W(d.table[v])
		}
	} else if h&folded != 0 {
		for i, v := range all {
			all[i] = W(fold(uint32(v), d.bits()))
		}
	}
	return nil
}

// undo writes the words of a channel, stride apart, from their residuals.
func undo[W word, R residual](dst []W, stride int, res []R, width int, ch channel) {
	at, line := 0, width*stride
	sum := W(ch.base)
	for _, r := range res[:width] {
		sum += W(r)
		dst[at] = sum
		at += stride
	}
	for res = res[width:]; len(res) > 0; res = res[width:] {
		switch row := res[:width]; ch.by {
		case left:
			sum = dst[at-line]
			for _, r := range row {
				sum += W(r)
				dst[at] = sum
				at += stride
			}
		case above:
			for _, r := range row {
				dst[at] = dst[at-line] + W(r)
				at += stride
			}
		case gradient:
			sum = 0
			for _, r := range row {
				sum += W(r)
				dst[at] = dst[at-line] + sum
				at += stride
			}
		}
	}
}

// widen makes d.wide the residuals of a channel that are not symbols alone.
func (d *decoder) widen(symbols []byte, ch channel) error {
	d.wide = d.wide[:0]
	for _, s := range view[int8](symbols) {
		d.wide = append(d.wide, uint32(s))
	}
	for range ch.low {
		for i, b := range d.low[:len(symbols)] {
			d.wide[i] = d.wide[i]<<8 | uint32(b)
		}
		d.low = d.low[len(symbols):]
	}
	for at := 0; ch.escapes(d.bits()); at++ {
		next := bytes.IndexByte(symbols[at:], 0x100+escape)
		if next < 0 {
			return nil
		}
		if at += next; len(d.large) < d.of.Size() {
			return errEscapes
		}
		var r [4]byte
		d.large = d.large[copy(r[:d.of.Size()], d.large):]
		d.wide[at] = binary.LittleEndian.Uint32(r[:])
	}
	return nil
}
