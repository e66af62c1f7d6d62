package ledger_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/store/history"
)

// gates stops calls of a bucket where a test wants it.
type gates struct {
	hooked
	mu   sync.Mutex
	shut map[string]gate
}

// gate stops one call: it says that the call came, and waits until it may pass.
type gate struct{ came, pass chan struct{} }

func newGates(b blob.Bucket) *gates {
	g := &gates{shut: make(map[string]gate)}
	g.hooked = hooked{Bucket: b, hook: func(op, key string) (bool, error) {
		g.mu.Lock()
		at, shut := g.shut[op+" "+key]
		delete(g.shut, op+" "+key)
		g.mu.Unlock()
		if shut {
			close(at.came)
			<-at.pass
		}
		return false, nil
	}}
	return g
}

// close stops the next call op of an entry.
func (g *gates) close(op string, n int) gate {
	at := gate{make(chan struct{}), make(chan struct{})}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut[fmt.Sprintf("%s %slog/%019d", op, quick.Prefix, n)] = at
	return at
}

// patient are Options for calls that a test stops.
var patient = func() ledger.Options {
	o := quick
	o.Timeout = time.Minute
	return ledger.Patient(o)
}()

// cached opens a ledger with a cache behind gates, and writes entries.
func cached(t *testing.T, g *gates, o ledger.Options, entries int) *ledger.Ledger {
	t.Helper()
	o = ledger.WithFiles(o, vfs.NewMem())
	o.Cache = "cache"
	l := open(t, g, o)
	for i := range entries {
		if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// TestBrokenWhilePut breaks the cache while an entry is put. A reader finds that and
// begins anew far behind, and has not caught up when the put is done.
func TestBrokenWhilePut(t *testing.T) {
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprint("old state held ", held), func(t *testing.T) {
			b := inmemory.NewBucket()
			g := newGates(b)
			l := cached(t, g, patient, 5)
			if held {
				_, release, err := l.Near(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				defer release()
			}
			put := g.close("put", 6)
			written := make(chan error, 1)
			go func() { written <- l.Swap(t.Context(), nil, []history.Record{{Key: "b", Value: []byte("new")}}) }()
			<-put.came
			l.Break()
			first := g.close("get", 1)
			got := make(chan []history.Record, 1)
			go func() { got <- all(t, l) }()
			<-first.came
			close(put.pass)
			if err := <-written; err != nil {
				t.Error(err)
			}
			close(first.pass)
			want := number(5)
			want[1].Value = []byte("new")
			for name, got := range map[string][]history.Record{"the reader": <-got, "later": all(t, l), "another process": all(t, open(t, b, quick))} {
				if !same(got, want) {
					t.Errorf("%s: got %q, want %q", name, got, want)
				}
			}
			if s := l.Stats(); s.Entry != 6 || s.Entries != 6 || s.Unknown != 0 || s.Rebuilds != 2 {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// TestJump asks for the end of the log, and lets a writer begin anew before the answer
// comes. The answer is about the old state, so the reader must look again.
func TestJump(t *testing.T) {
	// jump makes the next Swap of l begin anew. It returns the entry that the Swap tries
	// then, which is in the middle of the log, and the end of the log.
	for name, jump := range map[string]func(t *testing.T, l *ledger.Ledger, b blob.Bucket, o ledger.Options, c *clock) (tries, end int){
		"back, since the cache broke": func(_ *testing.T, l *ledger.Ledger, _ blob.Bucket, _ ledger.Options, _ *clock) (tries, end int) {
			l.Break()
			return 1, 3
		},
		"forward, since the log was cut": func(t *testing.T, _ *ledger.Ledger, b blob.Bucket, o ledger.Options, c *clock) (tries, end int) {
			other := open(t, b, o)
			for end = 3; other.Stats().Checkpoints < 3 || other.Stats().Checkpoint == uint64(end); end++ {
				if err := other.Swap(t.Context(), number(end), number(end+1)); err != nil {
					t.Fatal(err)
				}
				other.Quiet()
				c.add(time.Hour)
				if err := other.Maintain(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := b.Head(t.Context(), fmt.Sprintf("%slog/%019d", o.Prefix, 4)); err == nil {
				t.Fatal("the log is not cut")
			}
			return int(other.Stats().Checkpoint) + 1, end
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, clock := inmemory.NewBucket(), newClock()
			g, o := newGates(b), patient
			o.Now, o.CheckpointBytes = clock.now, 1000
			l := cached(t, g, o, 3)
			next := g.close("get", 4)
			got := make(chan []history.Record, 1)
			go func() { got <- all(t, l) }()
			<-next.came
			tries, end := jump(t, l, b, o, clock)
			put := g.close("put", tries)
			written := make(chan error, 1)
			go func() { written <- l.Swap(t.Context(), nil, []history.Record{{Key: "b", Value: []byte("new")}}) }()
			<-put.came
			close(next.pass)
			if got := <-got; !same(got, number(end)) {
				t.Errorf("got %q, want %q", got, number(end))
			}
			close(put.pass)
			if err := <-written; err != nil {
				t.Error(err)
			}
			want := number(end)
			want[1].Value = []byte("new")
			if got := all(t, l); !same(got, want) {
				t.Errorf("later: got %q, want %q", got, want)
			}
		})
	}
}

// TestSlowCall stops a call that all who wait for the log wait for: before the bucket makes it,
// or after. The ledger makes it again, and needs no answer of the first.
func TestSlowCall(t *testing.T) {
	const key = "ledger/log/0000000000000000003"
	for name, tt := range map[string]struct {
		op   string
		late bool
	}{"put": {"put", false}, "answer to a put": {"put", true}, "get": {"get", false}} {
		t.Run(name, func(t *testing.T) {
			op, late := tt.op, tt.late
			var once sync.Once
			release := make(chan struct{})
			stop := func(at, k string) {
				if at == op && k == key {
					first := false
					if once.Do(func() { first = true }); first {
						<-release
					}
				}
			}
			h := &hooked{Bucket: inmemory.NewBucket(), hook: func(at, k string) (bool, error) {
				if !late {
					stop(at, k)
				}
				return false, nil
			}, done: func(at, k string) {
				if late {
					stop(at, k)
				}
			}}
			o := quick
			o.Timeout = time.Minute
			l := open(t, h, o)
			defer close(release)
			for i := range 5 {
				if err := l.Swap(t.Context(), number(i), number(i+1)); err != nil {
					t.Fatal(err)
				}
				if got := all(t, l); !same(got, number(i+1)) {
					t.Fatalf("got %q, want %q", got, number(i+1))
				}
			}
			if s := l.Stats(); s.Entries != 5 || s.Races != 0 || s.Unknown != 0 || s.Repeated == 0 {
				t.Errorf("got %+v", s)
			}
		})
	}
}
