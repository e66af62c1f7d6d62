package cluster

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/store/history"
)

// Store is what Open returns.
type Store = joined

// Parse reads a cluster file and opens nothing.
func Parse(name string) error {
	_, err := parse(name, func(string) (string, bool) { return "", false })
	return err
}

// Halves opens the halves of a cluster.
func Halves(ctx context.Context, file string) (history.Catalogue, blob.Bucket, *Store, error) {
	st, err := Open(ctx, file, Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	s := st.(*joined)
	return s.catalogue, s.bucket, s, nil
}

// Bucket returns the bucket of the stones.
func (s *joined) Bucket() blob.Bucket { return s.bucket }
