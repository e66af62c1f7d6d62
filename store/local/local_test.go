package local_test

import (
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/storetest"
	"github.com/cairnvoxel/cairn/world"
)

func mustOpen(t testing.TB, dir string, o local.Options) *local.Store {
	t.Helper()
	s, err := local.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// kind is a Kind of Stores with the options; what becomes of the directory of
// one is found by the Store.
func kind(fs func() vfs.FS, dir func(t *testing.T) string, fileBytes int) storetest.Kind {
	type place struct {
		fs  vfs.FS
		dir string
	}
	places := make(map[world.Store]place)
	open := func(t *testing.T, p place, now func() time.Time) world.Store {
		s := mustOpen(t, p.dir, local.Options{Now: now, FS: p.fs, FileBytes: fileBytes, CacheBytes: 1 << 20})
		places[s] = p
		return s
	}
	return storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) world.Store {
			return open(t, place{fs(), dir(t)}, now)
		},
		Reopen: func(t *testing.T, s world.Store, now func() time.Time) world.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, places[s], now)
		},
	}
}

func TestStore(t *testing.T) {
	here := func(*testing.T) string { return "store" }
	mem := func() vfs.FS { return vfs.NewMem() }
	disk := func() vfs.FS { return vfs.Default }
	t.Run("Memory", func(t *testing.T) { storetest.Run(t, kind(mem, here, 0)) })
	t.Run("Files", func(t *testing.T) { storetest.Run(t, kind(mem, here, 1)) })
	t.Run("Disk", func(t *testing.T) { storetest.Run(t, kind(disk, func(t *testing.T) string { return t.TempDir() }, 0)) })
}
