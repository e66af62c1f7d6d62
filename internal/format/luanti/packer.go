package luanti

import (
	"bytes"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// Bounds of what compressed bytes unpack to. The nodes alone are 400 times as long as the smallest map block.
const (
	maxUnpacked  = 8 << 20
	minUnpacked  = 128 << 10
	unpackedEach = 512 // for each byte
)

// packer packs and unpacks. max bounds what bytes unpack to.
type packer struct {
	dec *zstd.Decoder
	enc *zstd.Encoder
	z   *zlib.Writer
	max int64
	buf []byte
}

func newPacker(max int64) (*packer, error) {
	if max <= 0 || max > maxUnpacked {
		max = maxUnpacked
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(maxUnpacked))
	return &packer{dec: dec, enc: enc, z: zlib.NewWriter(io.Discard), max: max}, err
}

// limit is what so many bytes may unpack to.
func (p *packer) limit(n int) int64 { return min(p.max, minUnpacked+unpackedEach*int64(n)) }

// unzstd unpacks a frame until the next call.
func (p *packer) unzstd(b []byte) ([]byte, error) {
	n := int(p.limit(len(b)))
	p.buf = slices.Grow(p.buf[:0], n)
	return p.dec.DecodeAll(b, p.buf[:0:n])
}

// unzlib unpacks the stream at the start of b, which has so many bytes.
func (p *packer) unzlib(b []byte) (out []byte, size int, err error) {
	src := bytes.NewReader(b)
	z, err := zlib.NewReader(src)
	if err != nil {
		return nil, 0, err
	}
	out, err = format.ReadAll(z, p.limit(len(b)))
	return out, len(b) - src.Len(), err
}

// appendZlib appends a stream of zlib.
func (p *packer) appendZlib(dst, b []byte) []byte {
	out := bytes.NewBuffer(dst) // takes all
	p.z.Reset(out)
	p.z.Write(b)
	p.z.Close()
	return out.Bytes()
}
