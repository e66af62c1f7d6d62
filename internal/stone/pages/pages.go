// Package pages turns streams of bytes into a page of a stone and back. A page stores
// each stream as it is or as one zstd frame. Package cursor reads the numbers of a stream,
// and a Spelling its strings.
//
// FORMAT.md of package stone is the format, sections 3 and 8.6. The package does not
// know what the streams mean.
package pages

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// Limits of the format (FORMAT.md section 9).
const (
	MaxPage    = 64 << 20 // plain bytes of a page
	MaxStreams = 16       // of a page
)

// A Page is a page taken apart.
type Page struct {
	Form    byte
	Streams [][]byte
}

// Size returns the bytes of all streams.
func Size(streams [][]byte) (n int) {
	for _, s := range streams {
		n += len(s)
	}
	return n
}

// zstdMagic is what every zstd frame begins with; pages leave it out.
const zstdMagic = "\x28\xB5\x2F\xFD"

var decoders = sync.Pool{New: func() any {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxPage))
	if err != nil {
		panic("pages: zstd decoder options: " + err.Error())
	}
	return d
}}

func newEncoder(level zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20), zstd.WithSingleSegment(true), zstd.WithZeroFrames(true), zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		panic("pages: zstd encoder options: " + err.Error())
	}
	return e
}

// An Encoder makes pages. Its memory is megabytes. It is used by one goroutine.
type Encoder struct {
	enc         *zstd.Encoder
	body, frame []byte
}

// NewEncoder returns an Encoder. One that works hard takes longer and makes smaller
// pages.
func NewEncoder(hard bool) *Encoder {
	if hard {
		return &Encoder{enc: newEncoder(zstd.SpeedBetterCompression)}
	}
	return &Encoder{enc: newEncoder(zstd.SpeedDefault)}
}

// Append appends the page of streams to dst.
func (p *Encoder) Append(dst []byte, form byte, streams [][]byte) []byte {
	dst = append(dst, form)
	dst = binary.AppendUvarint(dst, uint64(len(streams)))
	p.body = p.body[:0]
	for _, s := range streams {
		frame := p.Compress(s)
		dst = appendSizes(dst, len(s), len(frame))
		p.body = append(p.body, frame...)
	}
	return append(dst, p.body...)
}

// AppendSmallest appends the smallest of the pages to dst, the first of equals. It compresses once what they share:
// a stream is the same if it is the same memory.
func (p *Encoder) AppendSmallest(dst []byte, candidates []Page) []byte {
	type made struct {
		plain []byte
		Stored
	}
	var known []made
	var best, page []byte
	p.body = p.body[:0]
	for i, c := range candidates {
		streams := make([]Stored, len(c.Streams))
		for k, s := range c.Streams {
			at := slices.IndexFunc(known, func(m made) bool { return len(m.plain) == len(s) && len(s) > 0 && &m.plain[0] == &s[0] })
			if at < 0 {
				n := len(p.body)
				p.body = append(p.body, p.Compress(s)...)
				at = len(known)
				known = append(known, made{s, Stored{len(s), p.body[n:]}})
			}
			streams[k] = known[at].Stored
		}
		if page = AppendStored(page[:0], c.Form, streams); i == 0 || len(page) < len(best) {
			best, page = page, best
		}
	}
	return append(dst, best...)
}

// leastFrame is the least size of a frame without its magic number.
const leastFrame = 6

// Compress returns a stream as a page stores it: compressed if that is shorter. The
// result is valid until the next call.
func (p *Encoder) Compress(s []byte) []byte {
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

// AppendStored appends the page of streams to dst.
func AppendStored(dst []byte, form byte, streams []Stored) []byte {
	dst = append(dst, form)
	dst = binary.AppendUvarint(dst, uint64(len(streams)))
	for _, s := range streams {
		dst = appendSizes(dst, s.Size, len(s.Data))
	}
	for _, s := range streams {
		dst = append(dst, s.Data...)
	}
	return dst
}

// Split undoes Append; offsets in its errors count from the start of
// the page.
func Split(ctx context.Context, b []byte) (form byte, streams [][]byte, err error) {
	return SplitAtMost(ctx, b, MaxPage)
}

// SplitAtMost is Split for a page of at most most plain bytes.
func SplitAtMost(ctx context.Context, b []byte, most uint64) (form byte, streams [][]byte, err error) {
	form, streams, rest, err := SplitPrefix(ctx, b, most)
	if err == nil && len(rest) > 0 {
		err = corrupt(int64(len(b)-len(rest)), "page", fmt.Errorf("%d bytes left over", len(rest)))
	}
	return form, streams, err
}

// Stored is a stream as a page stores it.
type Stored struct {
	Size int    // plain bytes
	Data []byte // compressed if these are others
}

// SplitPrefix is Split for a page with other bytes after it. The page has at most most
// plain bytes.
func SplitPrefix(ctx context.Context, b []byte, most uint64) (form byte, streams [][]byte, rest []byte, err error) {
	parts, rest, err := SplitStored(b, most)
	if err != nil {
		return 0, nil, nil, err
	}
	streams = make([][]byte, len(parts))
	at := len(b) - len(rest)
	for i := len(parts) - 1; i >= 0; i-- {
		at -= len(parts[i].Data)
		if streams[i], err = parts[i].Plain(ctx, at); err != nil {
			return 0, nil, nil, err
		}
	}
	return b[0], streams, rest, nil
}

// SplitStored returns the streams of a page as they are stored, and the bytes after
// it.
func SplitStored(b []byte, most uint64) (streams []Stored, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, corrupt(0, "page", cursor.ErrShort)
	}
	c := cursor.New(b, "page")
	c.Byte()
	sizes := [MaxStreams]int{}
	streams = make([]Stored, c.AtMost(MaxStreams))
	plain := uint64(0)
	for i := range streams {
		raw := c.Uvarint()
		stored := raw >> 1
		if raw&1 != 0 {
			stored = c.Uvarint()
		}
		if plain += min(raw>>1, MaxPage+1); plain > most || raw&1 != 0 && stored >= raw>>1 {
			c.Fail(fmt.Errorf("a stream of %d bytes in %d, at most %d in all", raw>>1, stored, most))
			return nil, nil, c.Err()
		}
		streams[i].Size, sizes[i] = int(raw>>1), int(stored)
	}
	for i := range streams {
		streams[i].Data = c.Bytes(sizes[i])
	}
	return streams, b[len(b)-c.Left():], c.Err()
}

// Plain returns the stream's plain bytes. Errors give the offset at.
func (s Stored) Plain(ctx context.Context, at int) ([]byte, error) {
	if len(s.Data) == s.Size {
		return s.Data, nil
	}
	out, err := decompress(ctx, s.Data, s.Size)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, corrupt(int64(at), "page", err)
	}
	return out, nil
}

// decompress returns the n bytes of one frame; n is at most MaxPage. A block of a
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
	defer dec.Reset(nil) // a stream that is not read to its end keeps what DecodeAll waits for
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

// AppendString appends a string behind its size.
func AppendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Some returns a slice of n, nil for none.
func Some[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

func corrupt(off int64, part string, err error) error {
	return &cursor.CorruptError{Offset: off, Part: part, Err: err}
}
