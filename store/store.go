// Package store opens a world.Store by its URL.
//
// It keeps nothing itself: the packages below it do.
package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/world"
)

// Open opens the Store that url names: "local:DIR" for one in a directory, which
// it makes if there is none, or "memory:" for a new one in memory, which Close
// forgets. The caller closes it.
func Open(ctx context.Context, url string) (world.Store, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	scheme, rest, ok := strings.Cut(url, ":")
	switch {
	case ok && scheme == "local" && rest != "":
		s, err := local.Open(rest, local.Options{})
		if err != nil {
			return nil, err // not a Store that is nil
		}
		return s, nil
	case ok && scheme == "memory" && rest == "":
		return memory.New(memory.Options{}), nil
	}
	return nil, fmt.Errorf("store: %q: want memory: or local:DIR", url)
}
