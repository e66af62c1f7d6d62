package slime

import "io"

// New opens a file without a bound.
func New(r io.ReaderAt, size int64) (*Container, error) { return open(r, size, 0) }

// Stats are what the last Read has met.
type Stats struct {
	Trailing int64
	Dropped  Losses
}

func (w *Container) Stats() Stats { return Stats{int64(w.trailing), w.dropped} }
