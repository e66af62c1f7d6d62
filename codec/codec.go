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
	"fmt"
)

// CorruptError says where bytes from outside are wrong.
type CorruptError struct {
	Offset int64  // from the start of what was decoded, -1 if unknown
	Part   string // "header", "directory", "values", ...
	Err    error  // the cause, never nil
}

// Error names the part, where it lies if that is known, and the cause.
func (e *CorruptError) Error() string {
	if e.Offset < 0 {
		return fmt.Sprintf("%s: %v", e.Part, e.Err)
	}
	return fmt.Sprintf("%s at byte %d: %v", e.Part, e.Offset, e.Err)
}

// Unwrap returns the cause.
func (e *CorruptError) Unwrap() error { return e.Err }

var (
	errShort = errors.New("ends too early")
	errLong  = errors.New("bytes left over")
)

func corrupt(off int, part string, err error) error {
	return &CorruptError{Offset: int64(off), Part: part, Err: err}
}
