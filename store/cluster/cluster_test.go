package cluster_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/store/cluster"
	"github.com/cairnvoxel/cairn/store/storetest"
)

// kept is a Store with the file that opens it again.
type kept struct {
	*cluster.Store
	file string
}

// kind returns the kind of Store that the text of a file describes. Each call of text
// describes an empty one.
func kind(text func(testing.TB) string) storetest.Kind {
	open := func(t *testing.T, file string, now func() time.Time) history.Store {
		t.Helper()
		s, err := cluster.Open(t.Context(), file, cluster.Options{Now: now, Trouble: func(err error) { t.Error(err) }})
		if err != nil {
			t.Fatal(err)
		}
		return kept{s, file}
	}
	return storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store { return open(t, write(t, text(t)), now) },
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			t.Helper()
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, s.(kept).file, now)
		},
	}
}

// A cluster on a folder that its servers share needs no other servers.
const folder = "[catalogue]\nkind = \"bucket\"\n[bucket]\nkind = \"dir\"\npath = \"bucket\"\n"

// TestShared opens one cluster several times, with a cache directory that they share.
func TestShared(t *testing.T) {
	file := write(t, folder+"[cache]\npath = \"cache\"\nbytes = 1000000\n")
	ctx := t.Context()
	for i := range 3 {
		s, err := cluster.Open(ctx, file, cluster.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		if err := s.Create(ctx, fmt.Sprint("w", i)); err != nil {
			t.Error(err)
		}
		list, err := s.List(ctx, "", "", 10)
		if err != nil || len(list) != i+1 {
			t.Errorf("list: got %q, %v", list, err)
		}
		if err := s.Ping(ctx); err != nil {
			t.Error(err)
		}
	}
	found, err := os.ReadDir(filepath.Join(filepath.Dir(file), "cache"))
	if err != nil || len(found) != 3 {
		t.Errorf("caches: got %v, %v", found, err)
	}
}
