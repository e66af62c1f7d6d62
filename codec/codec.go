// Package codec turns cells into bytes and back: the byte RLE of the
// voxel-terrain article and the columns, reliefs, images and odds that stones are made of,
// straight to and from chunks without a flat copy in between, and a bit-packed
// RLE of boxes for the wire.
//
// The package compresses nothing further and frames nothing: a form yields
// plain byte streams, and checksums, zstd and where the bytes lie are the
// business of stone.
package codec

import (
	"errors"

	"github.com/cairnvoxel/cairn/voxel"
)

// CorruptError says where bytes are wrong.
type CorruptError = voxel.CorruptError

var (
	errShort = errors.New("ends too early")
	errLong  = errors.New("bytes left over")
)

func corrupt(off int, part string, err error) error {
	return &CorruptError{Offset: int64(off), Part: part, Err: err}
}
