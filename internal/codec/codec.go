// Package codec encodes cells as bytes: the byte RLE of the voxel-terrain article,
// the forms of a stone's pages (Columns, Relief, Images, Odds), and a bit-packed RLE
// of boxes for the network. It reads and makes chunks without a flat copy in
// between. A form yields plain byte streams; package stone adds checksums, zstd and
// positions.
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
