package port_test

import (
	"cmp"
	"context"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
)

// loaded reads an opened world into memory. If chunks are damaged it returns the rest, and the error.
func loaded(ctx context.Context, s *port.Opened, maxBytes int64) (*convert.Loaded, error) {
	c, err := s.Parts(ctx, nil)
	if c == nil {
		return nil, err
	}
	w, failed := convert.FromContent(ctx, c, maxBytes)
	return w, cmp.Or(failed, err)
}
