package lab

import (
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Packer compresses bytes; what Unpack returns is valid until its next call.
type Packer interface {
	Pack(dst, src []byte) ([]byte, error)
	Unpack(src []byte, size int) ([]byte, error)
}

// Plain leaves bytes as they are.
type Plain struct{}

// Pack is for Packer.
func (Plain) Pack(dst, src []byte) ([]byte, error) { return append(dst, src...), nil }

// Unpack is for Packer.
func (Plain) Unpack(src []byte, _ int) ([]byte, error) { return src, nil }

// ZstdPack is zstd at its default level.
type ZstdPack struct {
	enc *zstd.Encoder
	dec *zstd.Decoder
	out []byte
}

// NewZstdPack returns zstd at its default level.
func NewZstdPack() *ZstdPack {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic("lab: zstd encoder options: " + err.Error())
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic("lab: zstd decoder options: " + err.Error())
	}
	return &ZstdPack{enc: enc, dec: dec}
}

// Pack is for Packer.
func (z *ZstdPack) Pack(dst, src []byte) ([]byte, error) { return z.enc.EncodeAll(src, dst), nil }

// Unpack is for Packer.
func (z *ZstdPack) Unpack(src []byte, _ int) (out []byte, err error) {
	z.out, err = z.dec.DecodeAll(src, z.out[:0])
	return z.out, err
}

// LZ4Pack is a block of LZ4.
type LZ4Pack struct {
	c   lz4.Compressor
	out []byte
}

// Pack is for Packer.
func (l *LZ4Pack) Pack(dst, src []byte) ([]byte, error) {
	at := len(dst)
	dst = append(dst, make([]byte, lz4.CompressBlockBound(len(src)))...)
	n, err := l.c.CompressBlock(src, dst[at:])
	return dst[:at+n], err
}

// Unpack is for Packer.
func (l *LZ4Pack) Unpack(src []byte, size int) ([]byte, error) {
	if cap(l.out) < size {
		l.out = make([]byte, size)
	}
	n, err := lz4.UncompressBlock(src, l.out[:size])
	return l.out[:max(n, 0)], err
}
