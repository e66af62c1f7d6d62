package lab

import (
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Compressor compresses bytes. What Decompress returns is valid until its next call.
type Compressor interface {
	Compress(dst, src []byte) ([]byte, error)
	Decompress(src []byte, size int) ([]byte, error)
}

// Plain leaves bytes as they are.
type Plain struct{}

// Compress is for Compressor.
func (Plain) Compress(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }

// Decompress is for Compressor.
func (Plain) Decompress(src []byte, _ int) ([]byte, error) { return src, nil }

// Zstd is zstd at its default level.
type Zstd struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
	out []byte
}

// NewZstd returns zstd at its default level.
func NewZstd() *Zstd {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("lab: zstd encoder options: " + err.Error())
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic("lab: zstd decoder options: " + err.Error())
	}
	return &Zstd{enc: enc, dec: dec}
}

// Compress is for Compressor.
func (z *Zstd) Compress(dst, src []byte) ([]byte, error) { return z.enc.EncodeAll(src, dst), nil }

// Decompress is for Compressor.
func (z *Zstd) Decompress(src []byte, _ int) (out []byte, err error) {
	z.out, err = z.dec.DecodeAll(src, z.out[:0])
	return z.out, err
}

// LZ4 is a block of LZ4.
type LZ4 struct {
	c   lz4.Compressor
	out []byte
}

// Compress is for Compressor.
func (l *LZ4) Compress(dst, src []byte) ([]byte, error) {
	at := len(dst)
	dst = append(dst, make([]byte, lz4.CompressBlockBound(len(src)))...)
	n, err := l.c.CompressBlock(src, dst[at:])
	return dst[:at+n], err
}

// Decompress is for Compressor.
func (l *LZ4) Decompress(src []byte, size int) ([]byte, error) {
	if cap(l.out) < size {
		l.out = make([]byte, size)
	}
	n, err := lz4.UncompressBlock(src, l.out[:size])
	return l.out[:max(n, 0)], err
}
