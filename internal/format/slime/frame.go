package slime

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/klauspost/compress/zstd"
)

// blockBytes is the most that a block of a zstd frame decodes to, and blockLeast the fewest bytes that it takes. Source:
// RFC 8878 3.1.1.
const (
	blockBytes = 128 << 10
	blockLeast = 4
)

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
	// So what a frame of a kilobyte claims takes no gigabyte.
	if bound := min(f.max, int64(len(b))/blockLeast*blockBytes); size < 0 || int64(size) > bound {
		return nil, fmt.Errorf("%d bytes claim to decode to %d; the limit is %d", len(b), size, bound)
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
	l := zstd.EncoderLevelFromZstd(cmp.Or(level, 3))
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
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
