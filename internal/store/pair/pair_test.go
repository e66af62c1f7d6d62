package pair_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// modes are the ways to keep and to read stones and records.
var modes = []pair.Options{{}, {Inline: -1}, {Inline: -1, CacheBytes: -1}}

func TestHalves(t *testing.T) {
	storetest.Halves(t, func(*testing.T) (history.Catalogue, blob.Bucket) {
		return inmemory.NewCatalogue(), inmemory.NewBucket()
	}, modes...)
}

// kindOf returns the kind of the Stores that open makes. Their halves outlive them.
func kindOf(open func(c *inmemory.Catalogue, b *inmemory.Bucket, now func() time.Time) history.Store) storetest.Kind {
	type halves struct {
		c *inmemory.Catalogue
		b *inmemory.Bucket
	}
	kept := make(map[history.Store]halves)
	put := func(h halves, now func() time.Time) history.Store {
		s := open(h.c, h.b, now)
		kept[s] = h
		return s
	}
	return storetest.Kind{
		Open: func(_ *testing.T, now func() time.Time) history.Store {
			return put(halves{inmemory.NewCatalogue(), inmemory.NewBucket()}, now)
		},
		Reopen: func(t *testing.T, s history.Store, now func() time.Time) history.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return put(kept[s], now)
		},
	}
}

// TestReopened runs the contract on a Store that is put together again and again.
func TestReopened(t *testing.T) {
	storetest.Run(t, kindOf(func(c *inmemory.Catalogue, b *inmemory.Bucket, now func() time.Time) history.Store {
		return pair.New(c, b, pair.Options{Now: now, Inline: -1, CacheBytes: 16 << 10})
	}))
}

// TestTwo runs the contract on two Stores with the same halves, which take turns. So
// whatever one remembers was changed by the other.
func TestTwo(t *testing.T) {
	open := func(inline int) storetest.Kind {
		return kindOf(func(c *inmemory.Catalogue, b *inmemory.Bucket, now func() time.Time) history.Store {
			o := pair.Options{Now: now, Inline: inline}
			return &two{stores: [2]*pair.Pair{pair.New(c, b, o), pair.New(c, b, o)}}
		})
	}
	t.Run("Small", func(t *testing.T) { storetest.Run(t, open(0)) })
	t.Run("Large", func(t *testing.T) { storetest.Run(t, open(-1)) })
	storetest.Linear(t, open(-1), 1000)
}

// stoneOf returns a stone that contains a text.
func stoneOf(t testing.TB, text string) history.Stone {
	t.Helper()
	var b bytes.Buffer
	id, err := stonetest.Spec{Properties: []stone.Property{{Key: "text", Value: text}}}.Write(&b, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	return history.Stone{ID: id, Data: b.Bytes()}
}

// save makes a commit with one stone for each text and returns its ID.
func save(t testing.TB, s history.Store, name string, base history.Head, texts ...string) history.ID {
	t.Helper()
	c := history.Commit{Parent: base.Commit, Base: base.Commit, Message: fmt.Sprint(texts)}
	var stones []history.Stone
	for _, text := range texts {
		st := stoneOf(t, text)
		stones, c.Stones = append(stones, st), append(c.Stones, st.Ref())
	}
	c, err := s.Commit(t.Context(), name, base, c, stones...)
	if err != nil {
		t.Fatalf("commit %q: %v", texts, err)
	}
	return c.ID()
}
