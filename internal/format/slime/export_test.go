package slime

import "io"

// New opens a file without a bound.
func New(r io.ReaderAt, size int64) (*Container, error) { return open(r, size, 0) }
