package backup_test

import (
	"net/http/httptest"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/backup"
	"github.com/cairnvoxel/cairn/server"
	"github.com/cairnvoxel/cairn/store/client"
	"github.com/cairnvoxel/cairn/store/history"
)

type archiver interface {
	history.Store
	history.Archiver
}

// served returns a client of a server of a Store.
func served(t *testing.T, st history.Store) archiver {
	t.Helper()
	s, err := server.New(st, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(s)
	t.Cleanup(site.Close)
	c, err := client.Open(t.Context(), site.URL, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c.(archiver)
}

// TestServers backs up, restores and moves worlds from server to server.
func TestServers(t *testing.T) {
	c := newClock()
	st, there, b := filled(t, c), newStore(c), newBucket()
	from, to := served(t, st), served(t, there)
	want := content(t, st)
	mustRun(t, from, b, backup.Options{Now: c.now})
	if r := mustRun(t, st, b, backup.Options{Now: c.now}); r.Changed != 0 {
		t.Errorf("the same store without a server: got %+v", r)
	}
	restored := newStore(c)
	if _, err := mustOpen(t, b, backup.Access{}).Restore(t.Context(), served(t, restored), backup.RestoreOptions{}); err != nil {
		t.Fatal(err)
	}
	same(t, restored, st)
	if r, err := backup.Migrate(t.Context(), from, to, backup.MigrateOptions{}); err != nil || r.Moved != 6 || r.Deleted != 1 {
		t.Fatalf("got %+v, %v", r, err)
	}
	got := content(t, there)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: got %.100s, want %.100s", name, got[name], text)
		}
	}
	if len(alive(t, st)) > 0 {
		t.Error("worlds are left at the source")
	}
}
