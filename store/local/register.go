package local

import (
	"context"
	"strings"

	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/history"
)

// A program that imports this package opens "local:" URLs.
func init() {
	store.Register("local", func(_ context.Context, url string) (history.Store, error) {
		s, err := Open(strings.TrimPrefix(url, "local:"), Options{})
		if err != nil {
			return nil, err // not a nil *Store as a history.Store
		}
		return s, nil
	})
}
