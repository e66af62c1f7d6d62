package local

import (
	"context"

	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/history"
)

// A program that imports this package opens "local:" URLs.
func init() {
	store.Register("local", func(_ context.Context, rest string) (history.Store, error) {
		s, err := Open(rest, Options{})
		if err != nil {
			return nil, err // not a nil *Store as a history.Store
		}
		return s, nil
	})
}
