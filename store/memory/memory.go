// Package memory is a history.Store in memory, for tests and for worlds that need not outlive the
// process. Nothing is written to disk.
package memory

import (
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Store. The zero value is the default.
type Options struct {
	Now func() time.Time // default time.Now
}

// New returns an empty Store.
func New(o Options) history.Store {
	return pair.New(inmemory.NewCatalogue(), inmemory.NewBucket(), pair.Options{Now: o.Now, CacheBytes: -1})
}
