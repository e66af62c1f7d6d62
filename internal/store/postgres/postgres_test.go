package postgres_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// The server that most tests share. Each test has a schema of its own in it.
var shared struct {
	sync.Once
	dir     string
	server  *parts.Postgres
	err     error
	schemas atomic.Int64
}

func TestMain(m *testing.M) {
	flag.Parse()
	for name, value := range map[string]string{"rapid.checks": "100", "test.short": "true"} { // 20 checks
		if long.Set() {
			break
		}
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if shared.server != nil {
		if err := shared.server.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	_ = os.RemoveAll(shared.dir)
	os.Exit(code)
}

func server(t testing.TB) *parts.Postgres {
	t.Helper()
	parts.Need(t, "postgres")
	shared.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "cairn-postgres"); shared.err == nil {
			shared.server, shared.err = parts.StartPostgres(context.Background(), shared.dir, parts.PostgresOptions{})
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// schema returns the URL of an empty schema.
func schema(t testing.TB) string {
	t.Helper()
	p := server(t)
	name := fmt.Sprint("s", shared.schemas.Add(1))
	if _, err := p.Query(t.Context(), "CREATE SCHEMA "+name); err != nil {
		t.Fatal(err)
	}
	return p.URL() + "&search_path=" + name
}

func open(t testing.TB, url string, o postgres.Options) *postgres.Database {
	t.Helper()
	c, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// emptied is a Database that outlives many Stores.
type emptied struct{ *postgres.Database }

func (emptied) Close() error { return nil }

// empties returns a function that empties a Database and returns it.
func empties(t *testing.T) func(*testing.T) history.Catalogue {
	c := open(t, schema(t), postgres.Options{})
	return func(t *testing.T) history.Catalogue {
		ctx := context.Background()
		all, err := c.Scan(ctx, "", "\xff", 1<<30, false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i].Value = nil
		}
		if err := c.Swap(ctx, nil, all); err != nil {
			t.Fatal(err)
		}
		return emptied{c}
	}
}

func TestPartsHalves(t *testing.T) {
	empty := empties(t)
	storetest.HalvesEvery(t, long.Of(20, 1), func(t *testing.T) (history.Catalogue, blob.Bucket) { return empty(t), inmemory.NewBucket() })
}

// kept is a Store with its bucket, which outlives it.
type kept struct {
	*pair.Pair
	url string
	b   blob.Bucket
}

func TestPartsStore(t *testing.T) {
	server(t)
	with := func(t *testing.T, url string, b blob.Bucket, now func() time.Time) history.Store {
		return kept{pair.New(open(t, url, postgres.Options{}), b, pair.Options{Now: now}), url, b}
	}
	storetest.Run(t, storetest.Kind{
		Open: func(t *testing.T, now func() time.Time) history.Store {
			return with(t, schema(t), inmemory.NewBucket(), now)
		},
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return with(t, s.(kept).url, s.(kept).b, now)
		},
	})
}
