package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/storetest"
	"github.com/cairnvoxel/cairn/store/history"
)

// clock is a clock that a test sets.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// randomSwap returns a Swap of a few of 40 keys. The conditions hold in have, mostly.
func randomSwap(r *rand.Rand, have history.Catalogue, t *testing.T) (conditions, changes []history.Record) {
	for range 1 + r.IntN(4) {
		key := fmt.Sprint("k", r.IntN(40))
		v, err := have.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if r.IntN(8) == 0 {
			v[0] = []byte("never")
		}
		if r.IntN(2) == 0 {
			conditions = append(conditions, history.Record{Key: key, Value: v[0]})
		}
		var next []byte
		switch r.IntN(4) {
		case 0:
		case 1:
			next = []byte{}
		default:
			next = bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(300))
		}
		if r.IntN(4) > 0 {
			changes = append(changes, history.Record{Key: key, Value: next})
		}
	}
	return conditions, changes
}

func all(t *testing.T, c history.Records) []history.Record {
	t.Helper()
	found, err := c.Scan(t.Context(), "", "\xff", 1<<20, false)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func same(a, b []history.Record) bool {
	return slices.EqualFunc(a, b, func(a, b history.Record) bool {
		return a.Key == b.Key && bytes.Equal(a.Value, b.Value) && (a.Value == nil) == (b.Value == nil)
	})
}

// TestTwin makes random Swaps on three replicas in turn, one of which is opened again
// and again, while checkpoints are written and the log is cut. A catalogue in memory
// says what each must answer.
func TestTwin(t *testing.T) {
	steps := long.By(1600, 4000, 4000)
	if testing.Short() {
		steps /= 4
	}
	for _, trust := range []time.Duration{-1, time.Minute} {
		t.Run(fmt.Sprint("trust ", trust), func(t *testing.T) {
			b, twin, clock := inmemory.NewBucket(), inmemory.NewCatalogue(), newClock()
			o := quick
			o.Trust, o.Grace, o.Now = trust, 3*time.Minute, clock.now
			var replicas [3]*ledger.Ledger
			caches := []string{"", t.TempDir(), ""}
			for i := range replicas {
				o.Cache = caches[i]
				replicas[i] = open(t, b, o)
			}
			r := rand.New(rand.NewPCG(7, 7))
			for i := range steps {
				l := replicas[r.IntN(len(replicas))]
				conditions, changes := randomSwap(r, twin, t)
				want := twin.Swap(t.Context(), conditions, changes)
				if got := l.Swap(t.Context(), conditions, changes); !errors.Is(got, want) {
					t.Fatalf("step %d: swap: got %v, want %v", i, got, want)
				}
				switch r.IntN(100) {
				case 0:
					l.Quiet()
					clock.add(time.Duration(r.IntN(400)) * time.Second)
					if err := l.Maintain(t.Context()); err != nil {
						t.Fatal(err)
					}
				case 1:
					n := r.IntN(2) + 1 // one with a cache, or one without
					if err := replicas[n].Close(); err != nil {
						t.Fatal(err)
					}
					o.Cache = caches[n]
					replicas[n] = open(t, b, o)
				case 2:
					if got, want := all(t, l), all(t, twin); !same(got, want) {
						t.Fatalf("step %d: got %q, want %q", i, got, want)
					}
				}
			}
			for i, l := range replicas {
				if got, want := all(t, l), all(t, twin); !same(got, want) {
					t.Errorf("replica %d: got %q, want %q", i, got, want)
				}
				l.Quiet()
			}
			if have := keys(t, b); have["log"] == 0 || have["log"] > 1000 || have["mark"] == 0 || have["mark"] > 60 || have["part"] > 1000 {
				t.Errorf("the bucket has %v", have)
			}
		})
	}
}

// TestSideBySide lets goroutines on several replicas add to the same numbers: over a
// bucket that fails now and then, and while all of them write checkpoints and cut the
// log without any grace. A Swap without an answer may or may not count.
func TestSideBySide(t *testing.T) {
	const counters, rounds, replicas = 3, 60, 8
	for _, tt := range []struct {
		name       string
		fails, cut bool
	}{
		{"plain", false, false},
		{"flaky", true, false},
		{"cut", false, true},
		{"flaky and cut", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := inmemory.NewBucket()
			o := quick
			if tt.cut {
				o.Trust, o.Grace, o.CheckpointBytes = -1, 1, 1000
			}
			var sure, maybe [counters]int
			var mu sync.Mutex
			var all sync.WaitGroup
			var opened [replicas]*ledger.Ledger // before the log is cut: a checkpoint may go while it is read
			for i := range opened {
				opened[i] = open(t, b, o)
				if i%2 == 0 && tt.fails {
					opened[i] = open(t, flaky(b, uint64(i), 20), o)
				}
			}
			for i, l := range opened {
				n := rounds
				if tt.fails {
					n /= 4 // each failure costs a pause
				}
				all.Go(func() {
					r := rand.New(rand.NewPCG(uint64(i), 3))
					for round := range n {
						n := r.IntN(counters)
						err := increment(t, l, fmt.Sprint("n", n))
						mu.Lock()
						if err == nil {
							sure[n]++
						} else if errors.Is(err, history.ErrAway) {
							maybe[n]++
						} else {
							t.Error(err)
						}
						mu.Unlock()
						if tt.cut && round%4 == 0 {
							if err := l.Maintain(t.Context()); err != nil && !tt.fails {
								t.Error(err)
							}
						}
					}
				})
			}
			all.Wait()
			for n, v := range counts(t, open(t, b, o), counters) {
				if v < sure[n] || v > sure[n]+maybe[n] {
					t.Errorf("counter %d: got %d, want %d to %d", n, v, sure[n], sure[n]+maybe[n])
				}
			}
			if t.Logf("%v sure, %v maybe, in the bucket %v", sure, maybe, keys(t, b)); sure[0] == 0 {
				t.Error("nothing was sure")
			}
		})
	}
}

func increment(t *testing.T, l *ledger.Ledger, key string) error {
	for {
		was, err := l.Get(t.Context(), key)
		if err != nil {
			return err
		}
		err = l.Swap(t.Context(), []history.Record{{Key: key, Value: was[0]}}, []history.Record{{Key: key, Value: append(slices.Clone(was[0]), 'x')}})
		if !errors.Is(err, history.ErrChanged) {
			return err
		}
	}
}

func counts(t *testing.T, l *ledger.Ledger, n int) []int {
	t.Helper()
	var out []int
	for i := range n {
		v, err := l.Get(t.Context(), fmt.Sprint("n", i))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, len(v[0]))
	}
	return out
}

// both is a catalogue whose calls go to one or the other of two replicas.
type both struct {
	replicas [2]*ledger.Ledger
	calls    atomic.Uint64
}

func (b *both) one() *ledger.Ledger { return b.replicas[b.calls.Add(1)*0x9e3779b97f4a7c15>>63] }

func (b *both) Get(ctx context.Context, keys ...string) ([][]byte, error) {
	return b.one().Get(ctx, keys...)
}

func (b *both) Scan(ctx context.Context, from, to string, n int, back bool) ([]history.Record, error) {
	return b.one().Scan(ctx, from, to, n, back)
}

func (b *both) Snapshot(ctx context.Context) (history.Records, func(), error) {
	return b.one().Snapshot(ctx)
}

func (b *both) Swap(ctx context.Context, conditions, changes []history.Record) error {
	return b.one().Swap(ctx, conditions, changes)
}

func (b *both) Close() error { return errors.Join(b.replicas[0].Close(), b.replicas[1].Close()) }

// TestLinear looks for an order of the calls of a Store, each of which uses one of two
// replicas.
func TestLinear(t *testing.T) {
	storetest.Linear(t, storetest.Kind{Open: func(t *testing.T, now func() time.Time) history.Store {
		b := inmemory.NewBucket()
		return pair.New(&both{replicas: [2]*ledger.Ledger{open(t, b, quick), open(t, b, quick)}}, b, pair.Options{Now: now})
	}}, 300)
}

// TestLinearPaused is TestLinear with replicas that are paused before and after their
// calls of the bucket, while checkpoints are written all the time and the log is cut
// without any grace. CAIRN_ROUNDS says how often; default 100.
func TestLinearPaused(t *testing.T) {
	rounds := 100
	if n, err := strconv.Atoi(os.Getenv("CAIRN_ROUNDS")); err == nil {
		rounds = n
	}
	var paused, cut atomic.Int64
	storetest.Linear(t, storetest.Kind{Open: func(t *testing.T, now func() time.Time) history.Store {
		b := inmemory.NewBucket()
		o := quick
		o.Trust, o.Grace, o.CheckpointBytes = -1, 1, 2000
		var replicas [2]*ledger.Ledger
		for i := range replicas {
			pause := func() {
				if rand.IntN(50) == 0 {
					paused.Add(1)
					time.Sleep(time.Duration(rand.IntN(int(3 * time.Millisecond))))
				}
			}
			replicas[i] = open(t, &hooked{Bucket: b,
				hook: func(op, _ string) (bool, error) {
					if op == "delete" {
						cut.Add(1)
					}
					pause()
					return false, nil
				},
				done: func(string, string) { pause() },
			}, o)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var tending sync.WaitGroup
		for _, l := range replicas {
			tending.Go(func() {
				for ctx.Err() == nil {
					_ = l.Maintain(ctx) // it fails once the ledger is closed
					time.Sleep(time.Millisecond)
				}
			})
		}
		t.Cleanup(func() { cancel(); tending.Wait() })
		return pair.New(&both{replicas: replicas}, inmemory.NewBucket(), pair.Options{Now: now})
	}}, rounds)
	if t.Logf("%d pauses, %d deletions", paused.Load(), cut.Load()); cut.Load() == 0 {
		t.Error("nothing was cut")
	}
}
