package slime

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

const (
	frameMagic = 0xFD2FB528
	// maxFrameBlock is the most that one block of a zstd frame decodes to.
	maxFrameBlock = 128 << 10
)

var errFrame = errors.New("not a zstd frame")

// frameBound returns the most bytes that the one zstd frame in b can decode to, from the
// headers of its blocks. So a frame of a kilobyte that claims a gigabyte is refused before
// anything is allocated. Source: RFC 8878 3.1.1.
func frameBound(b []byte) (int64, error) {
	if len(b) < 5 || binary.LittleEndian.Uint32(b) != frameMagic {
		return 0, errFrame
	}
	d := b[4]
	header := 5 + [4]int{0, 1, 2, 4}[d&3] + [4]int{0, 2, 4, 8}[d>>6]
	switch single := d&0x20 != 0; {
	case !single:
		header++ // window
	case d>>6 == 0:
		header++ // content size of one byte
	}
	b = b[min(header, len(b)):]
	var bound int64
	for last := false; !last; {
		if len(b) < 3 {
			return 0, io.ErrUnexpectedEOF
		}
		h := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16
		last = h&1 != 0
		stored, decoded := int(h>>3), int64(h>>3)
		switch h >> 1 & 3 {
		case 1: // one byte, repeated
			stored = 1
		case 2: // compressed
			decoded = maxFrameBlock
		case 3:
			return 0, errFrame
		}
		if b = b[3:]; stored > len(b) {
			return 0, io.ErrUnexpectedEOF
		}
		b = b[stored:]
		bound += decoded
	}
	if tail := 4 * int(d>>2&1); len(b) != tail { // checksum
		return 0, fmt.Errorf("%d bytes behind the frame, want %d", len(b), tail)
	}
	return bound, nil
}

// inflater decodes blobs. One goroutine may use it at a time.
type inflater struct {
	dec *zstd.Decoder
	max int64 // bytes that a blob may decode to
}

func newInflater(max int64) (*inflater, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	return &inflater{dec, max}, err
}

func (f *inflater) close() { f.dec.Close() }

// inflate decodes the frame in b. The result must have exactly size bytes.
func (f *inflater) inflate(b []byte, size int) ([]byte, error) {
	bound, err := frameBound(b)
	if err != nil {
		return nil, err
	}
	if int64(size) > f.max {
		return nil, fmt.Errorf("%d bytes claim to decode to %d; the limit is %d", len(b), size, f.max)
	}
	if size < 0 || int64(size) > bound {
		return nil, fmt.Errorf("%d bytes claim to decode to %d; the frame holds at most %d", len(b), size, bound)
	}
	out, err := f.dec.DecodeAll(b, make([]byte, 0, size))
	if err != nil {
		return nil, err
	}
	if len(out) != size {
		return nil, fmt.Errorf("decoded to %d bytes, want %d", len(out), size)
	}
	return out, nil
}

// deflater encodes blobs.
type deflater struct{ enc *zstd.Encoder }

func newDeflater(level int) (*deflater, error) {
	l := zstd.SpeedDefault
	if level != 0 {
		l = zstd.EncoderLevelFromZstd(level)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithEncoderConcurrency(1),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	return &deflater{enc}, err
}

// appendBlob appends both lengths and the frame of raw.
func (d *deflater) appendBlob(dst, raw []byte, part string) ([]byte, error) {
	at := len(dst)
	dst = d.enc.EncodeAll(raw, append(dst, make([]byte, 8)...))
	stored := len(dst) - at - 8
	if len(raw) > math.MaxInt32 || stored > math.MaxInt32 {
		return nil, fmt.Errorf("slime: %s: %d bytes, a Slime file holds at most %d", part, len(raw), math.MaxInt32)
	}
	binary.BigEndian.PutUint32(dst[at:], uint32(stored))
	binary.BigEndian.PutUint32(dst[at+4:], uint32(len(raw)))
	return dst, nil
}
