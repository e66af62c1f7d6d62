package disk

import (
	"context"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var _ history.Archiver = (*Store)(nil)

// Identity returns the identity of the directory. A Store that Restore made has another one
// than the backup.
func (s *Store) Identity(ctx context.Context) (id string, err error) {
	err = s.calls.OnStore(ctx, "identity", func() error { id = s.id; return nil })
	return id, err
}

func (s *Store) ReadStone(ctx context.Context, id stone.ID) (st history.Stone, release func() error, err error) {
	err = s.calls.OnStore(ctx, "stone "+id.String(), func() error {
		return s.calls.Ask(ctx, func(r record.Reads) error {
			b, size, err := s.openStored(r, id)
			if err == nil {
				st, release = history.Stone{ID: id, File: io.NewSectionReader(b, 0, size)}, b.Close
			}
			return err
		})
	})
	return st, release, err
}
