package stone

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/cairnvoxel/cairn/codec"
	"github.com/cairnvoxel/cairn/light"
	"github.com/klauspost/compress/zstd"
)

// A page is streams of bytes, each plain or one zstd frame without its magic
// number (FORMAT.md section 3).

const zstdMagic = "\x28\xB5\x2F\xFD"

// Effort says how hard a Writer compresses.
type Effort int

// The efforts.
const (
	// Best is for stones that stay: imports and full packs. It tries all forms.
	// WriteWhole calls Writer.Light for it.
	Best Effort = iota
	// Quick is for commits.
	Quick
	// Good is for other packs: zstd as in Best, forms as in Quick. Stones take up to
	// twice the bytes of Best, a third of the time to write and half of the time to
	// read. zstd's next stronger level saves 5 % more, takes three times as long and
	// 34 MB.
	Good
)

// encoders returns the pool of the effort.
func (e Effort) encoders() *sync.Pool {
	if e == Good {
		e = Best
	}
	return &encoderPools[e]
}

var encoderPools = [2]sync.Pool{
	Best:  {New: func() any { return &pageEncoder{enc: newEncoder(zstd.SpeedBetterCompression)} }},
	Quick: {New: func() any { return &pageEncoder{enc: newEncoder(zstd.SpeedDefault)} }},
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

// pageEncoder makes pages. A Writer keeps one from its first page to its last,
// because the garbage collector may empty a pool and its memory is megabytes.
type pageEncoder struct {
	enc         *zstd.Encoder
	cells       codec.Encoder
	flood       light.Flood
	body, frame []byte
	page, other []byte // memory of pages of cells
}

// appendPage appends the page of streams to dst.
func (p *pageEncoder) appendPage(dst []byte, form byte, streams [][]byte) []byte {
	dst = append(dst, form)
	dst = binary.AppendUvarint(dst, uint64(len(streams)))
	p.body = p.body[:0]
	for _, s := range streams {
		frame := p.compress(s)
		dst = appendSizes(dst, len(s), len(frame))
		p.body = append(p.body, frame...)
	}
	return append(dst, p.body...)
}

// leastFrame is the least size of a frame without its magic number.
const leastFrame = 6

// compress returns a stream as a page stores it: compressed if that is shorter. The
// result is valid until the next call.
func (p *pageEncoder) compress(s []byte) []byte {
	if len(s) <= leastFrame {
		return s
	}
	p.frame = p.enc.EncodeAll(s, p.frame[:0])
	if frame := p.frame[len(zstdMagic):]; len(frame) < len(s) {
		return frame
	}
	return s
}

func appendSizes(dst []byte, plain, stored int) []byte {
	if stored == plain {
		return binary.AppendUvarint(dst, uint64(plain)<<1)
	}
	return binary.AppendUvarint(binary.AppendUvarint(dst, uint64(plain)<<1|1), uint64(stored))
}

// appendStored appends the page of streams to dst.
func appendStored(dst []byte, form byte, streams []stored) []byte {
	dst = append(dst, form)
	dst = binary.AppendUvarint(dst, uint64(len(streams)))
	for _, s := range streams {
		dst = appendSizes(dst, s.raw, len(s.data))
	}
	for _, s := range streams {
		dst = append(dst, s.data...)
	}
	return dst
}

// splitPage undoes appendPage; offsets in its errors count from the start of
// the page.
func splitPage(ctx context.Context, b []byte) (form byte, streams [][]byte, err error) {
	form, streams, rest, err := splitPagePrefix(ctx, b, maxPage)
	if err == nil && len(rest) > 0 {
		err = corruptf(int64(len(b)-len(rest)), "page", "%d bytes left over", len(rest))
	}
	return form, streams, err
}

// stored is a stream as a page stores it.
type stored struct {
	raw  int // plain bytes
	data []byte
}

func (s stored) compressed() bool { return len(s.data) != s.raw }

// splitPagePrefix is splitPage for a page with other bytes after it. The page has at
// most most plain bytes.
func splitPagePrefix(ctx context.Context, b []byte, most uint64) (form byte, streams [][]byte, rest []byte, err error) {
	parts, rest, err := splitStored(b, most)
	if err != nil {
		return 0, nil, nil, err
	}
	streams = make([][]byte, len(parts))
	at := len(b) - len(rest)
	for i := len(parts) - 1; i >= 0; i-- {
		at -= len(parts[i].data)
		if streams[i], err = parts[i].plain(ctx, at); err != nil {
			return 0, nil, nil, err
		}
	}
	return b[0], streams, rest, nil
}

// splitStored returns the streams of a page as they are stored, and the bytes after
// it.
func splitStored(b []byte, most uint64) (streams []stored, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, corrupt(0, "page", errShort)
	}
	c := cursor{b: b, at: 1, part: "page"}
	sizes := [maxStreams]int{}
	streams = make([]stored, c.atMost(maxStreams))
	plain := uint64(0)
	for i := range streams {
		raw := c.uvarint()
		stored := raw >> 1
		if raw&1 != 0 {
			stored = c.uvarint()
		}
		if plain += min(raw>>1, maxPage+1); plain > most || raw&1 != 0 && stored >= raw>>1 {
			c.fail(fmt.Errorf("a stream of %d bytes in %d, at most %d in all", raw>>1, stored, most))
			return nil, nil, c.err
		}
		streams[i].raw, sizes[i] = int(raw>>1), int(stored)
	}
	for i := range streams {
		streams[i].data = c.bytes(sizes[i])
	}
	return streams, b[c.at:], c.err
}

// plain returns the stream's plain bytes. Errors give the offset at.
func (s stored) plain(ctx context.Context, at int) ([]byte, error) {
	if !s.compressed() {
		return s.data, nil
	}
	out, err := decompress(ctx, s.data, s.raw)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, corrupt(int64(at), "page", err)
	}
	return out, nil
}

// decompress returns the n bytes of one frame; n is at most maxPage. A block of a
// frame takes at least 4 bytes and holds at most 128 KiB.
func decompress(ctx context.Context, frame []byte, n int) ([]byte, error) {
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
	if n > piecesFrom {
		return decompressPieces(ctx, dec, in, n)
	}
	out, err := dec.DecodeAll(in, nil)
	if err != nil {
		return nil, err
	}
	if len(out) != n {
		return nil, fmt.Errorf("zstd frame yields %d bytes, want %d", len(out), n)
	}
	return out, nil
}

// Larger streams are decompressed piece by piece, so that decompressing ends with
// its context.
const (
	piecesFrom = 8 << 20
	pieceBytes = 1 << 20
)

func decompressPieces(ctx context.Context, dec *zstd.Decoder, in []byte, n int) ([]byte, error) {
	if err := dec.Reset(bytes.NewReader(in)); err != nil {
		return nil, err
	}
	out := make([]byte, 0, n+1)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, err := dec.Read(out[len(out):min(len(out)+pieceBytes, n+1)])
		out = out[:len(out)+got]
		switch {
		case err == io.EOF && len(out) == n:
			return out, nil
		case err == io.EOF || len(out) > n:
			return nil, fmt.Errorf("zstd frame yields %d bytes, want %d", len(out), n)
		case err != nil:
			return nil, err
		}
	}
}

var (
	errShort = errors.New("ends too early")
	errLong  = errors.New("bytes left over")
)

// cursor reads numbers and bytes from b. The first error sticks.
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
	c.at = len(c.b) // later reads return nothing
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

// count reads the number of items that follow. Each takes at least size bytes, and
// there are at most most.
func (c *cursor) count(size, most int) int {
	return c.atMost(min((len(c.b)-c.at)/size, most))
}

// within returns v. It fails unless v is in least..most.
func (c *cursor) within(v, least, most int64) int64 {
	if v < least || v > most {
		c.fail(fmt.Errorf("%d is not within %d..%d", v, least, most))
		return least
	}
	return v
}

// flags reads a number of at most so many bits.
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

// end returns the first error, or an error if bytes are left over.
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
		c.fail(fmt.Errorf("%d things, want at most %d", v, n))
		return 0
	}
	return int(v)
}

// size reads the size of bytes stored elsewhere. A huge value is cut to one that is
// still too large.
func (c *cursor) size() int { return int(min(c.uvarint(), math.MaxInt32)) }
