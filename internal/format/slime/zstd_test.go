package slime_test

import (
	"sync"

	"github.com/klauspost/compress/zstd"
)

var encoder = sync.OnceValue(func() *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	return enc
})

func unzstd(frame []byte) []byte {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	defer dec.Close()
	raw, err := dec.DecodeAll(frame, nil)
	if err != nil {
		panic(err)
	}
	return raw
}
