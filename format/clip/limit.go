package clip

import (
	"fmt"
	"math"
)

// ReadOptions say how a file is read. The zero value is the default.
type ReadOptions struct {
	// MaxBytes bounds the memory of the clip; the file may have 16 times as many bytes when
	// inflated. Default: 4 GiB of memory, and any number of bytes.
	MaxBytes int64
}

// Limit bounds the memory of a clip while it is read.
type Limit struct{ most, left int64 }

// NewLimit returns a limit of that many bytes, or of 4 GiB if there are none.
func NewLimit(maxBytes int64) *Limit {
	if maxBytes <= 0 {
		maxBytes = 4 << 30
	}
	return &Limit{maxBytes, maxBytes}
}

// Take counts n bytes. It fails with ErrTooLarge when there are too many.
func (l *Limit) Take(n int64) error {
	if l.left -= n; l.left < 0 {
		l.left = math.MinInt64 / 2
		return fmt.Errorf("%w: %d bytes", ErrTooLarge, l.most)
	}
	return nil
}
