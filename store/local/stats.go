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

// Stats are the numbers that a Store knows without a walk over everything.
type Stats struct {
	Worlds    int   `json:"worlds"`     // worlds with a name, at most a minute ago
	DiskBytes int64 `json:"disk_bytes"` // of the database, and of large stones as of at most a minute ago
	DeadBytes int64 `json:"dead_bytes"` // of values that the database has not freed yet
	FreeBytes int64 `json:"free_bytes"` // of the disk; 0 if the file system cannot tell

	// The fields below are from the last Collect since the Store was opened, which
	// ended at Collected. They are zero if there was none.
	Collected      time.Time `json:"collected"`
	Commits        int       `json:"commits"`
	Packs          int       `json:"packs"`
	Stones         int       `json:"stones"` // needed stones
	StoneBytes     int64     `json:"stone_bytes"`
	Condemned      int       `json:"condemned"` // stones whose grace has not ended
	CondemnedBytes int64     `json:"condemned_bytes"`
}

// countEvery is how long a count of names and files stays valid.
const countEvery = time.Minute

// counts holds the last counts. Its lock is held while counting.
type counts struct {
	mu     sync.Mutex
	at     time.Time
	worlds int
	files  int64 // bytes of all files

	left Stats // by Collect
}

// Stats returns the statistics. Once a minute of the Store's clock it counts names,
// at some 0.2 us each, and the sizes of all files. Otherwise it takes
// microseconds.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return Stats{}, fmt.Errorf("local: stats: %w", err)
	}
	defer leave()
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	if since := s.Now().Sub(s.counts.at); since < 0 || since >= countEvery {
		if err := s.count(ctx); err != nil {
			return Stats{}, fmt.Errorf("local: stats: %w", err)
		}
	}
	m := s.db.Metrics()
	out := s.counts.left
	out.Worlds = s.counts.worlds
	out.DiskBytes = s.counts.files
	out.DeadBytes = int64(m.BlobFiles.ValueSize - m.BlobFiles.ReferencedValueSize)
	if usage, err := s.FS.GetDiskUsage(s.dir); err == nil {
		out.FreeBytes = int64(usage.AvailBytes)
	}
	return out, nil
}

// count counts again.
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
			return nil // deleted meanwhile
		}
		files += n
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return err
	}
	names, err := s.FS.List(s.FS.PathJoin(s.dir, "db"))
	for _, name := range names { // the database itself does not know its blob files after it was opened
		n, missing := sizeAt(s.FS, s.FS.PathJoin(s.dir, "db", name))
		files += n
		err = errors.Join(err, ignoreMissing(missing))
	}
	if err != nil {
		return err
	}
	s.counts.at, s.counts.worlds, s.counts.files = at, worlds, files
	return nil
}

// collected stores what Collect counted.
func (s *Store) collected(left Stats) {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	left.Collected = time.UnixMilli(s.Now().UnixMilli()).UTC()
	s.counts.left = left
}
