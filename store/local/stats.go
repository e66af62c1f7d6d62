package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/record"
)

// Stats is what a Store knows of itself without looking at everything.
type Stats struct {
	Worlds    int   `json:"worlds"`     // that have a name, as of at most a minute ago
	DiskBytes int64 `json:"disk_bytes"` // of the database, and of large stones as of at most a minute ago
	DeadBytes int64 `json:"dead_bytes"` // of values that the database has not let go of yet

	// What is below is as of the last Collect since the Store was opened, which
	// ended at Collected: zero if there was none.
	Collected      time.Time `json:"collected"`
	Commits        int       `json:"commits"`
	Packs          int       `json:"packs"`
	Stones         int       `json:"stones"` // that are needed
	StoneBytes     int64     `json:"stone_bytes"`
	Condemned      int       `json:"condemned"` // stones that wait for their grace to end
	CondemnedBytes int64     `json:"condemned_bytes"`
}

// countEvery is how long a count of names and files is good for.
const countEvery = time.Minute

// census is what was counted last. Its lock is kept while it is counted.
type census struct {
	mu     sync.Mutex
	at     time.Time
	worlds int
	files  int64 // bytes

	left Stats // by Collect
}

// Stats returns what is known. Once a minute of the Store's clock it counts names,
// at some 0.2 us each, and asks for the size of each large stone; otherwise
// it costs microseconds.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("local: stats: %w", err)
	}
	defer leave()
	s.census.mu.Lock()
	defer s.census.mu.Unlock()
	if since := s.Now().Sub(s.census.at); since < 0 || since >= countEvery {
		if err := s.count(ctx); err != nil {
			return Stats{}, fmt.Errorf("local: stats: %w", err)
		}
	}
	m := s.db.Metrics()
	out := s.census.left
	out.Worlds = s.census.worlds
	out.DiskBytes = int64(m.DiskSpaceUsage()) + s.census.files
	out.DeadBytes = int64(m.BlobFiles.ValueSize - m.BlobFiles.ReferencedValueSize)
	return out, nil
}

// count takes the census anew.
func (s *Store) count(ctx context.Context) error {
	worlds, files, at := 0, int64(0), s.Now()
	err := s.live().Keys([]byte{record.Names}, func([]byte) error {
		worlds++
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	err = s.files.each(func(id stone.ID) error {
		n, err := sizeAt(s.FS, s.files.path(id))
		if errors.Is(err, fs.ErrNotExist) {
			return nil // taken meanwhile
		}
		files += n
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return err
	}
	s.census.at, s.census.worlds, s.census.files = at, worlds, files
	return nil
}

// collected notes what Collect left.
func (s *Store) collected(left Stats) {
	s.census.mu.Lock()
	defer s.census.mu.Unlock()
	left.Collected = time.UnixMilli(s.Now().UnixMilli()).UTC()
	s.census.left = left
}
