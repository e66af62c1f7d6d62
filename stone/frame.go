package stone

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/klauspost/compress/zstd"
)

// A page is streams of bytes, each plain or one zstd frame without its magic
// number (FORMAT.md section 3).

const zstdMagic = "\x28\xB5\x2F\xFD"

// Effort says how hard a Writer compresses.
type Effort int

// The efforts.
const (
	// Best is for stones that stay: imports and packs. The library's next
	// stronger level saves 5 % more, takes three times as long and 34 MB.
	Best Effort = iota
	// Quick is for commits.
	Quick
)

var packers = [2]sync.Pool{
	Best:  {New: func() any { return &packer{enc: newEncoder(zstd.SpeedBetterCompression)} }},
	Quick: {New: func() any { return &packer{enc: newEncoder(zstd.SpeedDefault)} }},
}

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage))
	if err != nil {
		panic("stone: zstd decoder options: " + err.Error())
	}
	return d
}}

func newEncoder(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true), zstd.WithZeroFrames(true))
	if err != nil {
		panic("stone: zstd encoder options: " + err.Error())
	}
	return e
}

// packer makes pages. A Writer holds one from its first page to its last, since
// the garbage collector takes what lies in a pool, and its memory is megabytes.
type packer struct {
	enc          *zstd.Encoder
	cells        codec.Encoder
	body, packed []byte
}

// appendPage appends the page of streams to dst.
func (p *packer) appendPage(dst []byte, form byte, streams [][]byte) []byte {
	dst = append(dst, form)
	dst = binary.AppendUvarint(dst, uint64(len(streams)))
	p.body = p.body[:0]
	for _, s := range streams {
		p.packed = p.enc.EncodeAll(s, p.packed[:0])
		packed := p.packed[len(zstdMagic):]
		if len(packed) >= len(s) {
			dst = binary.AppendUvarint(dst, uint64(len(s))<<1)
			p.body = append(p.body, s...)
			continue
		}
		dst = binary.AppendUvarint(dst, uint64(len(s))<<1|1)
		dst = binary.AppendUvarint(dst, uint64(len(packed)))
		p.body = append(p.body, packed...)
	}
	return append(dst, p.body...)
}

// splitPage undoes appendPage; offsets in its errors count from the start of
// the page.
func splitPage(b []byte) (form byte, streams [][]byte, err error) {
	form, streams, rest, err := splitPagePrefix(b, maxPage)
	if err == nil && len(rest) > 0 {
		err = corruptf(int64(len(b)-len(rest)), "page", "%d bytes left over", len(rest))
	}
	return form, streams, err
}

// span is the plain and the stored size of a stream.
type span struct{ raw, stored int }

// splitPagePrefix is splitPage for a page of at most so many plain bytes with
// more behind it.
func splitPagePrefix(b []byte, most uint64) (form byte, streams [][]byte, rest []byte, err error) {
	if len(b) == 0 {
		return 0, nil, nil, corrupt(0, "page", errShort)
	}
	c := cursor{b: b, at: 1, part: "page"}
	spans := make([]span, c.atMost(maxStreams))
	plain := uint64(0)
	for i := range spans {
		raw := c.uvarint()
		stored := raw >> 1
		if raw&1 != 0 {
			stored = c.uvarint()
		}
		if plain += min(raw>>1, maxPage+1); plain > most || raw&1 != 0 && stored >= raw>>1 {
			c.fail(fmt.Errorf("a stream of %d bytes in %d, at most %d in all", raw>>1, stored, most))
			return 0, nil, nil, c.err
		}
		spans[i] = span{int(raw >> 1), int(stored)}
	}
	streams = make([][]byte, len(spans))
	for i, s := range spans {
		data := c.bytes(s.stored)
		if c.err != nil {
			return 0, nil, nil, c.err
		}
		if s.raw != s.stored {
			if data, err = unpack(data, s.raw); err != nil {
				return 0, nil, nil, corrupt(int64(c.at-s.stored), "page", err)
			}
		}
		streams[i] = data
	}
	return b[0], streams, b[c.at:], c.err
}

// unpack inflates one frame to exactly n bytes; n is at most maxPage. A block
// of a frame is at least 4 bytes and holds at most 128 KiB.
func unpack(frame []byte, n int) ([]byte, error) {
	if int64(n) > int64(len(frame))<<15 {
		return nil, fmt.Errorf("%d bytes in a zstd frame of %d", n, len(frame))
	}
	in := append([]byte(zstdMagic), frame...)
	var h zstd.Header
	if err := h.Decode(in); err != nil {
		return nil, err
	}
	if !h.HasFCS || h.FrameContentSize != uint64(n) {
		return nil, fmt.Errorf("zstd frame of %d bytes, want %d", h.FrameContentSize, n)
	}
	dec := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(dec)
	out, err := dec.DecodeAll(in, nil)
	if err != nil {
		return nil, err
	}
	if len(out) != n {
		return nil, fmt.Errorf("zstd frame yields %d bytes, want %d", len(out), n)
	}
	return out, nil
}

var (
	errShort = errors.New("ends too early")
	errLong  = errors.New("bytes left over")
)

// cursor reads numbers and bytes from b; the first error sticks.
type cursor struct {
	b    []byte
	at   int
	part string
	err  error
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = corrupt(int64(c.at), c.part, err)
	}
	c.at = len(c.b) // what is read from here on is nothing
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b[c.at:])
	if n <= 0 {
		c.fail(errShort)
		c.at = len(c.b)
		return 0
	}
	c.at += n
	return v
}

func (c *cursor) varint() int64 {
	u := c.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// count reads how many things follow, each of at least size bytes and no more
// than most.
func (c *cursor) count(size, most int) int {
	return c.atMost(min((len(c.b)-c.at)/size, most))
}

// within returns v if it is one of least..most.
func (c *cursor) within(v, least, most int64) int64 {
	if v < least || v > most {
		c.fail(fmt.Errorf("%d is not within %d..%d", v, least, most))
		return least
	}
	return v
}

// flags reads a number of so many bits.
func (c *cursor) flags(bits int) uint64 {
	v := c.uvarint()
	if v>>bits != 0 {
		c.fail(fmt.Errorf("%d has more than %d bits", v, bits))
	}
	return v
}

func (c *cursor) int() int { return int(c.within(c.varint(), math.MinInt, math.MaxInt)) }

func (c *cursor) byte() byte {
	if c.at >= len(c.b) {
		c.fail(errShort)
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

func (c *cursor) bytes(n int) []byte {
	if n < 0 || n > len(c.b)-c.at {
		c.fail(errShort)
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

func (c *cursor) string() string { return string(c.bytes(c.size())) }

func (c *cursor) u64() uint64 {
	if b := c.bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// end reports the error that stuck, or bytes left over.
func (c *cursor) end() error {
	if c.err == nil && c.at < len(c.b) {
		c.fail(errLong)
	}
	return c.err
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// atMost reads a count of at most n.
func (c *cursor) atMost(n int) int {
	v := c.uvarint()
	if v > uint64(n) {
		c.fail(fmt.Errorf("%d things, at most %d can be", v, n))
		return 0
	}
	return int(v)
}

// size reads a size of bytes that lie elsewhere; an absurd one is cut to what
// is absurd still.
func (c *cursor) size() int { return int(min(c.uvarint(), math.MaxInt32)) }
