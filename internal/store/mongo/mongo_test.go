package mongo_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/mongo"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/blobtest"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// server starts a FerretDB and returns its URL.
func server(t *testing.T) string {
	parts.Need(t, "ferret")
	f, err := parts.StartFerret(t.Context(), t.TempDir(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f.URL()
}

var collections atomic.Int64

// open opens an empty bucket.
func open(t *testing.T, url string) *mongo.Database {
	t.Helper()
	b, err := mongo.Open(url, mongo.Options{Collection: fmt.Sprint("c", collections.Add(1)), Timeout: 30 * time.Second, ChunkBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestPartsBucket(t *testing.T) {
	url := server(t)
	blobtest.Run(t, func(t *testing.T) blob.Bucket { return open(t, url) })
}

// options are those of a ledger with many checkpoints.
var options = ledger.Options{Prefix: "ledger/", CacheBytes: 1 << 20, CheckpointBytes: 1 << 14, PartBytes: 1 << 12, Timeout: 30 * time.Second}

func ledgerIn(t *testing.T, b blob.Bucket) *ledger.Ledger {
	l, err := ledger.Open(t.Context(), b, options)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestPartsCatalogue(t *testing.T) {
	url := server(t)
	t.Run("Linear", func(t *testing.T) {
		storetest.Linear(t, storetest.Kind{Open: func(t *testing.T, now func() time.Time) history.Store {
			b := open(t, url)
			return pair.New(ledgerIn(t, b), b, pair.Options{Now: now})
		}}, 100)
	})
	t.Run("Time", func(t *testing.T) {
		at, err := open(t, url).Time(t.Context())
		if d := time.Since(at).Abs(); err != nil || d > time.Minute {
			t.Errorf("the server's time is %v, %v", at, err)
		}
	})
}

func TestAway(t *testing.T) {
	const secret = "hunter2"
	b, err := mongo.Open("mongodb://user:"+secret+"@127.0.0.1:1/?connectTimeoutMS=100", mongo.Options{Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Ping(t.Context()); !errors.Is(err, blob.ErrAway) || strings.Contains(err.Error(), secret) {
		t.Errorf("got %v", err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	for _, url := range []string{"", "http://" + secret + "@host/", "mongodb://user:" + secret + "@:::/"} {
		if _, err := mongo.Open(url, mongo.Options{}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%q: got %v", url, err)
		}
	}
	if _, err := mongo.Open("mongodb://host/", mongo.Options{ChunkBytes: 16 << 20}); err == nil {
		t.Error("chunks that are too large are taken")
	}
}
