package ledger_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// quick are Options for tests: many small checkpoints, and no goroutine of its own.
var quick = ledger.Options{Prefix: "ledger/", CacheBytes: 1 << 20, CheckpointBytes: 1 << 12, PartBytes: 1 << 10, Every: -1}

func open(t testing.TB, b blob.Bucket, o ledger.Options) *ledger.Ledger {
	t.Helper()
	l, err := ledger.Open(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func TestHalves(t *testing.T) {
	long.Alone(t)
	storetest.Halves(t, func(t *testing.T) (history.Catalogue, blob.Bucket) {
		b := inmemory.NewBucket()
		return open(t, b, quick), inmemory.NewBucket()
	})
}

// kept is a Store whose halves outlive it.
type kept struct {
	*pair.Pair
	b     blob.Bucket
	cache vfs.FS
}

func openStore(t *testing.T, b blob.Bucket, cache vfs.FS, now func() time.Time) history.Store {
	o := ledger.WithFiles(quick, cache)
	o.Cache = "cache"
	l, err := ledger.Open(t.Context(), b, o)
	if err != nil {
		t.Fatal(err)
	}
	return kept{pair.New(l, b, pair.Options{Now: now}), b, cache}
}

// TestStore runs the contract on a Store with a cache, which is opened again
// and again.
func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store {
			return openStore(t, inmemory.NewBucket(), vfs.NewMem(), now)
		},
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return openStore(t, s.(kept).b, s.(kept).cache, now)
		},
	})
}

func TestCacheInUse(t *testing.T) {
	o := quick
	o.Cache = t.TempDir()
	b := inmemory.NewBucket()
	open(t, b, o)
	if _, err := ledger.Open(t.Context(), b, o); err == nil {
		t.Error("two ledgers have the same cache")
	}
	if _, err := ledger.Open(t.Context(), b, ledger.Options{Trust: time.Minute, Grace: time.Minute}); err == nil {
		t.Error("the grace is too short")
	}
}

func TestStats(t *testing.T) {
	b, clock := inmemory.NewBucket(), newClock()
	o := quick
	o.Now, o.CheckpointBytes = clock.now, 1000
	l := open(t, b, o)
	for i := range 20 {
		if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
			t.Fatal(err)
		}
		l.Quiet()
	}
	if err := l.Swap(t.Context(), number(3), number(4)); !errors.Is(err, history.ErrChanged) {
		t.Error(err)
	}
	got := l.Stats()
	want := ledger.Stats{
		Entry: 20, Checkpoint: got.Checkpoint, CheckpointTime: clock.now().Local(), CheckpointBytes: got.CheckpointBytes, LogBytes: got.LogBytes,
		Swaps: 21, Changed: 1, Entries: 20, Probes: 1, Rebuilds: 1, Checkpoints: got.Checkpoints,
	}
	if got != want || got.Checkpoint == 0 || got.Checkpoints == 0 || got.LogBytes == 0 || got.LogBytes > 2000 {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	other := open(t, b, o)
	if got := other.Stats(); got.Checkpoint != want.Checkpoint || got.Entry != 20 || got.Applied == 0 || got.LogBytes != want.LogBytes {
		t.Errorf("got %+v", got)
	}
}

// TestOpenGoesOn opens a ledger whose bucket is away again and again, and one whose bucket
// stays away.
func TestOpenGoesOn(t *testing.T) {
	b := inmemory.NewBucket()
	o := quick
	o.CheckpointBytes = 1 << 30
	l := open(t, b, o)
	for i := range 40 {
		if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		often int // each entry fails so often
		want  error
	}{{6, nil}, {1000, history.ErrAway}} {
		var mu sync.Mutex
		failed := make(map[string]int)
		away := &hooked{Bucket: b, hook: func(op, key string) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			if failed[key]++; op == "get" && strings.HasSuffix(key, "7") && failed[key] <= tt.often {
				return false, fmt.Errorf("%s %s: %w", op, key, blob.ErrAway)
			}
			return false, nil
		}}
		l, err := ledger.Open(t.Context(), away, o)
		if !errors.Is(err, tt.want) {
			t.Errorf("got %v, want %v", err, tt.want)
		}
		if err == nil {
			err = errors.Join(l.Swap(t.Context(), number(40), number(41)), l.Close())
			if err != nil {
				t.Error(err)
			}
		}
	}
}
