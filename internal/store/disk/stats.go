package disk

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/record"
)

// Stats are the numbers that a Store knows without a walk over everything.
type Stats struct {
	Worlds int `json:"worlds"` // worlds with a name, at most a minute ago
	// DiskBytes are what du says, as of at most a minute ago. ReservedBytes are the part of them
	// that logs have for what is saved next; Close gives them back.
	DiskBytes     int64 `json:"disk_bytes"`
	ReservedBytes int64 `json:"reserved_bytes"`
	DeadBytes     int64 `json:"dead_bytes"` // of values that the database has not freed yet
	FreeBytes     int64 `json:"free_bytes"` // of the disk; 0 if the file system cannot tell

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
	mu             sync.Mutex
	at             time.Time
	worlds         int
	used, reserved int64 // bytes of the disk

	left Stats // by Collect
}

// Stats returns the statistics. Once a minute of the Store's clock it counts names,
// at some 0.2 us each, and the sizes of all files. Otherwise it takes
// microseconds.
func (s *Store) Stats(ctx context.Context) (out Stats, err error) {
	err = s.calls.OnStore(ctx, "stats", func() error {
		s.counts.mu.Lock()
		defer s.counts.mu.Unlock()
		if since := s.Now().Sub(s.counts.at); since < 0 || since >= countEvery {
			if err := s.count(ctx); err != nil {
				return err
			}
		}
		m := s.db.Metrics()
		out = s.counts.left
		out.Worlds = s.counts.worlds
		out.DiskBytes, out.ReservedBytes = s.counts.used, s.counts.reserved
		out.DeadBytes = int64(m.BlobFiles.ValueSize - m.BlobFiles.ReferencedValueSize)
		if usage, err := s.FS.GetDiskUsage(s.dir); err == nil {
			out.FreeBytes = int64(usage.AvailBytes)
		}
		return nil
	})
	return out, err
}

// count counts again.
func (s *Store) count(ctx context.Context) error {
	worlds, at := 0, s.Now()
	err := s.live().Keys([]byte{record.Names}, func([]byte) error {
		worlds++
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	used, reserved, err := s.used(ctx, s.dir)
	if err != nil {
		return err
	}
	s.counts.at, s.counts.worlds, s.counts.used, s.counts.reserved = at, worlds, used, reserved
	return nil
}

// used returns how many bytes of the disk a file or a directory takes with all below it, and how
// many of them logs reserve.
func (s *Store) used(ctx context.Context, path string) (used, reserved int64, err error) {
	in, err := s.FS.Stat(path)
	if err != nil {
		return 0, 0, ignoreMissing(err) // deleted meanwhile
	}
	used = usedBy(in)
	if !in.IsDir() {
		if isLog(path) {
			reserved = max(0, used-(in.Size()+diskBlock-1)/diskBlock*diskBlock)
		}
		return used, reserved, nil
	}
	names, err := s.FS.List(path)
	for _, name := range names {
		n, r, below := s.used(ctx, s.FS.PathJoin(path, name))
		used, reserved = used+n, reserved+r
		if err = errors.Join(err, below, ctx.Err()); err != nil {
			break
		}
	}
	return used, reserved, ignoreMissing(err)
}

// diskBlock is the unit in which disks give room to files.
const diskBlock = 4 << 10

func isLog(path string) bool { return strings.HasSuffix(path, ".log") }

// giveBack gives back what the logs of a closed database reserve.
func (s *Store) giveBack() error {
	if vfs.Root(s.FS) != vfs.Default {
		return nil
	}
	dir := s.FS.PathJoin(s.dir, "db")
	names, err := s.FS.List(dir)
	for _, name := range names {
		if path := s.FS.PathJoin(dir, name); err == nil && isLog(path) {
			var size int64
			if size, err = sizeAt(s.FS, path); err == nil {
				err = os.Truncate(path, size)
			}
		}
	}
	return err
}

// collected stores what Collect counted.
func (s *Store) collected(left Stats) {
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	left.Collected = time.UnixMilli(s.Now().UnixMilli()).UTC()
	s.counts.left = left
}
