package pair_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// counts counts the calls of both halves.
type counts struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *counts) add(call string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[call]++
}

// String names the calls since the last String.
func (c *counts) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, call := range []string{"get", "scan", "snapshot", "swap", "Put", "Get", "Delete", "List"} {
		if c.n[call] > 0 {
			out = append(out, fmt.Sprint(c.n[call], " ", call))
		}
	}
	clear(c.n)
	return strings.Join(out, ", ")
}

type countedCatalogue struct {
	history.Catalogue
	*counts
}

func (c countedCatalogue) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	c.add("get")
	return c.Catalogue.Get(ctx, keys...)
}

func (c countedCatalogue) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	c.add("scan")
	return c.Catalogue.Scan(ctx, from, to, n, back)
}

func (c countedCatalogue) Swap(ctx context.Context, conditions, changes []history.Record) error {
	c.add("swap")
	return c.Catalogue.Swap(ctx, conditions, changes)
}

func (c countedCatalogue) Snapshot(ctx context.Context) (history.Records, func(), error) {
	c.add("snapshot")
	r, release, err := c.Catalogue.Snapshot(ctx)
	return countedRecords{r, c.counts}, release, err
}

type countedRecords struct {
	history.Records
	*counts
}

func (c countedRecords) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	c.add("get")
	return c.Records.Get(ctx, keys...)
}

func (c countedRecords) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	c.add("scan")
	return c.Records.Scan(ctx, from, to, n, back)
}

type countedBucket struct {
	blob.Bucket
	*counts
}

func (b countedBucket) Put(ctx context.Context, key string, body *io.SectionReader) error {
	b.add("Put")
	return b.Bucket.Put(ctx, key, body)
}

func (b countedBucket) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	b.add("Get")
	return b.Bucket.Get(ctx, key, off, n)
}

func (b countedBucket) Delete(ctx context.Context, key string) error {
	b.add("Delete")
	return b.Bucket.Delete(ctx, key)
}

func (b countedBucket) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	b.add("List")
	return b.Bucket.List(ctx, prefix, after, n)
}

// TestCalls pins the calls that each call of a Store makes: by the process that made
// the change before ("own"), and by one that just began ("new") or that knows an
// older state ("old").
func TestCalls(t *testing.T) {
	for _, tt := range []struct {
		inline int
		want   map[string]string
	}{
		{0, map[string]string{
			"own create": "1 swap", "own first save": "1 swap", "own save": "1 swap", "own head": "1 get", "own fetch": "1 get",
			"own lease": "1 swap", "own renew": "1 swap", "own save under it": "1 swap", "own release": "1 swap", "own pack": "1 swap",
			"own fetch of the pack": "1 get", "own open": "1 get", "own log": "1 get, 1 scan, 1 snapshot",
			"new head": "2 get", "new log": "3 get, 3 scan, 1 snapshot", "new fetch": "4 get", "new fetch again": "1 get", "new save": "2 get, 1 swap",
			"old save": "1 get, 1 swap", "old fetch": "3 get", "old fetch of a long stack": "5 get, 1 scan, 1 snapshot",
			"new fetch of a long stack": "6 get, 1 scan, 1 snapshot",
		}},
		{-1, map[string]string{
			"own create": "1 swap", "own first save": "2 swap, 1 Put", "own save": "1 swap, 1 Put", "own head": "1 get", "own fetch": "1 get",
			"own lease": "1 swap", "own renew": "1 swap", "own save under it": "1 swap, 1 Put", "own release": "1 swap", "own pack": "1 swap, 1 Put",
			"own fetch of the pack": "1 get", "own open": "1 get", "own log": "1 get, 1 scan, 1 snapshot",
			"new head": "2 get", "new log": "3 get, 3 scan, 1 snapshot", "new fetch": "4 get, 1 Get", "new fetch again": "1 get", "new save": "2 get, 2 swap, 1 Put",
			"old save": "1 get, 1 swap, 1 Put", "old fetch": "3 get, 1 Get", "old fetch of a long stack": "5 get, 1 scan, 1 snapshot, 30 Get",
			"new fetch of a long stack": "6 get, 1 scan, 1 snapshot, 36 Get",
		}},
	} {
		t.Run(fmt.Sprint("Inline", tt.inline), func(t *testing.T) {
			n := &counts{n: make(map[string]int)}
			c, b := countedCatalogue{inmemory.NewCatalogue(), n}, countedBucket{inmemory.NewBucket(), n}
			open := func() history.Store { return pair.New(c, b, pair.Options{Inline: tt.inline}) }
			ctx := t.Context()
			did := func(call string, err error) {
				t.Helper()
				if got := n.String(); err != nil || got != tt.want[call] {
					t.Errorf("%s: got %s (%v), want %s", call, got, err, tt.want[call])
				}
			}
			var head history.Head
			put := func(s history.Store, call, text string) {
				t.Helper()
				head.Commit = save(t, s, "a", head, text)
				did(call, nil)
			}
			s := open()
			did("own create", s.Create(ctx, "a"))
			put(s, "own first save", "one")
			put(s, "own save", "two")
			did("own head", second(s.Head(ctx, "a")))
			did("own fetch", second(history.Fetch(ctx, s, "a", history.ID{}, 1<<20)))
			l, err := s.Lease(ctx, "a", "ann", time.Minute)
			did("own lease", err)
			did("own renew", second(s.Renew(ctx, "a", l.Fence, time.Hour)))
			head.Fence = l.Fence
			put(s, "own save under it", "three")
			did("own release", s.Release(ctx, "a", l.Fence))
			head.Fence = 0
			st := stoneOf(t, "packed")
			did("own pack", s.PutPack(ctx, "a", history.Pack{Upto: head.Commit, Stone: st.Ref()}, st))
			did("own fetch of the pack", second(history.Fetch(ctx, s, "a", history.ID{}, 1<<20)))
			did("own open", second(s.Open(ctx, "a", st.ID)))
			did("own log", second(s.Log(ctx, "a", history.ID{}, 9)))

			did("new head", second(open().Head(ctx, "a")))
			other := open()
			did("new fetch", second(history.Fetch(ctx, other, "a", history.ID{}, 1<<20)))
			did("new fetch again", second(history.Fetch(ctx, other, "a", history.ID{}, 1<<20)))
			put(open(), "new save", "four")
			put(s, "old save", "five")
			put(s, "own save", "six")
			_, _ = history.Fetch(ctx, s, "a", history.ID{}, 1<<20)
			_ = n.String()
			put(s, "own save", "seven")
			if _, err := history.Fetch(ctx, other, "a", history.ID{}, 1<<20); err != nil {
				t.Fatal(err)
			}
			_ = n.String()
			put(s, "own save", "eight")
			did("old fetch", second(history.Fetch(ctx, other, "a", history.ID{}, 1<<20)))
			for i := range 30 {
				put(s, "own save", fmt.Sprint(i))
			}
			did("old fetch of a long stack", second(history.Fetch(ctx, other, "a", history.ID{}, 1<<20)))
			did("new fetch of a long stack", second(history.Fetch(ctx, open(), "a", history.ID{}, 1<<20)))
			did("new log", second(open().Log(ctx, "a", history.ID{}, 99)))
		})
	}
}
