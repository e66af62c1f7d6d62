package raster

import (
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// Input is the bytes of an image file. Goroutines may share it.
type Input struct {
	R    io.ReaderAt
	Size int64
}

// Bytes reads n bytes at a place, into buf if that has room for them. The part is for errors, which
// are *cursor.CorruptError if the file has fewer.
func (in Input) Bytes(buf []byte, part string, at, n int64) ([]byte, error) {
	if at < 0 || n < 0 || at > in.Size || n > in.Size-at {
		return nil, &cursor.CorruptError{Offset: at, Part: part, Err: io.ErrUnexpectedEOF}
	}
	if int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	switch got, err := in.R.ReadAt(buf, at); {
	case int64(got) == n:
		return buf, nil
	case errors.Is(err, io.EOF):
		return nil, &cursor.CorruptError{Offset: at + int64(got), Part: part, Err: io.ErrUnexpectedEOF}
	default:
		return nil, fmt.Errorf("%s at byte %d: %w", part, at, err)
	}
}

// Afford says whether reading the file may take so many bytes of memory.
func (in Input) Afford(bytes int64) error {
	if most := 10*in.Size + 256<<20; bytes > most {
		return fmt.Errorf("%w: it takes %d MB of memory: at most %d MB for a file of its size", ErrUnsupported, bytes/1e6, most/1e6)
	}
	return nil
}
