// Package codec encodes cells as bytes: the byte RLE of the voxel-terrain article,
// the forms of a stone's pages (Columns, Relief, Images, Odds), and a bit-packed RLE
// of boxes for the network. It reads and makes chunks without a flat copy in
// between. A form yields plain byte streams; package stone adds checksums, zstd and
// positions.
package codec

import (
	"errors"
	"fmt"
)

// CorruptError says where input bytes are wrong.
type CorruptError struct {
	Offset int64  // from the start of the input, -1 if unknown
	Part   string // "header", "directory", "values", ...
	Err    error  // the cause, never nil
}

// Error names the part, its offset if known, and the cause.
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
