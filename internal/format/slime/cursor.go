package slime

import (
	"fmt"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// reader reads the numbers and slices of a decoded blob.
type reader struct{ cursor.Cursor }

// readerAt returns a reader of what is in a blob from off on.
func readerAt(blob []byte, off int) *reader {
	return &reader{cursor.At(blob[off:], int64(off), "decoded bytes")}
}

func (r *reader) i32() int { return int(int32(r.Big32())) }

// block returns bytes that follow a length of 32 bits.
func (r *reader) block() []byte { return r.Bytes(r.i32()) }

// count returns a number of things, each of at least size bytes.
func (r *reader) count(size int) int {
	n := r.i32()
	if n < 0 || n > r.Left()/size {
		r.Fail(fmt.Errorf("%d entries in %d bytes: %w", n, r.Left(), cursor.ErrShort))
		return 0
	}
	return n
}

// optional returns the next n bytes if has, else nil.
func (r *reader) optional(has bool, n int) []byte {
	if !has {
		return nil
	}
	return r.Bytes(n)
}
