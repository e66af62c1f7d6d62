package cluster

import (
	"context"
	"strings"

	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/store/history"
)

// A program that imports this package opens "cluster:" URLs.
func init() {
	store.Register("cluster", func(ctx context.Context, url string) (history.Store, error) {
		return Open(ctx, strings.TrimPrefix(url, "cluster:"), Options{})
	})
}
