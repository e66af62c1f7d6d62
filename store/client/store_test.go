package client_test

import (
	"errors"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/store/memory"
)

// remote is a Store behind a server of its own.
type remote struct {
	remoteStore
	site   *httptest.Server
	behind history.Store
}

func serve(t testing.TB, behind history.Store, o client.Options) *remote {
	t.Helper()
	s, err := server.New(behind, server.Options{Limits: server.Limits{}})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewUnstartedServer(nil)
	site.Config = s.HTTP()
	site.Start()
	c, err := openStore(t.Context(), site.URL, o)
	if err != nil {
		t.Fatal(err)
	}
	return &remote{c, site, behind}
}

func (r *remote) Close() error {
	err := r.remoteStore.Close()
	r.site.Close()
	return errors.Join(err, r.behind.Close())
}

func TestMemory(t *testing.T) {
	if !long.Set() {
		t.Skip("TestLocal runs the same")
	}
	storetest.Run(t, storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store {
			return serve(t, memory.New(memory.Options{Now: now}), client.Options{})
		},
	})
}

func TestLocal(t *testing.T) {
	long.Rest(t)
	disks := make(map[history.Store]vfs.FS) // in memory: what is on a disk is for the tests of local
	open := func(t *testing.T, on vfs.FS, now func() time.Time) history.Store {
		s, err := local.Open("store", local.Options{Now: now, FS: on, CacheBytes: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		r := serve(t, s, client.Options{})
		disks[r] = on
		return r
	}
	storetest.Run(t, storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store { return open(t, vfs.NewMem(), now) },
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, disks[s], now)
		},
	})
}
