package tiles_test

import (
	"container/list"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/tiles"
	"github.com/cairnvoxel/cairn/tile"
)

const reads = 20_000

func mustTrace(t *testing.T, name string, seed uint64, n int, bytes int32) *tiles.Trace {
	t.Helper()
	trace, err := tiles.NewTrace(name, seed, n, bytes)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

func TestTraces(t *testing.T) {
	for _, name := range tiles.TraceNames() {
		t.Run(name, func(t *testing.T) {
			a, b := mustTrace(t, name, 1, reads, 0), mustTrace(t, name, 1, reads, 0)
			if !slices.Equal(a.Keys, b.Keys) || !slices.Equal(a.Reads, b.Reads) || !slices.Equal(a.Sizes, b.Sizes) {
				t.Error("one seed makes two traces")
			}
			if c := mustTrace(t, name, 2, reads, 0); name != "loop" && slices.Equal(a.Keys, c.Keys) {
				t.Error("two seeds make one trace")
			}
			if len(a.Reads) != reads || len(a.Sizes) != len(a.Keys) {
				t.Errorf("%d reads of %d keys with %d sizes", len(a.Reads), len(a.Keys), len(a.Sizes))
			}
			seen, next := make(map[uint64]bool), int32(0)
			for _, i := range a.Reads {
				if i > next || i < 0 {
					t.Fatalf("read of key %d before key %d", i, next)
				}
				if i == next {
					if next++; seen[a.Keys[i]] {
						t.Fatalf("two keys are %x", a.Keys[i])
					}
					seen[a.Keys[i]] = true
				}
				if n := a.Sizes[i]; n < 2<<10 || n > 64<<10 {
					t.Fatalf("a tile of %d bytes", n)
				}
			}
			for _, n := range mustTrace(t, name, 1, 100, 1234).Sizes {
				if n != 1234 {
					t.Fatalf("a tile of %d bytes, want 1234", n)
				}
			}
		})
	}
	if _, err := tiles.NewTrace("dream", 1, 1, 0); err == nil || !strings.Contains(err.Error(), "zipf") {
		t.Errorf("an unknown trace: %v", err)
	}
}

// TestScene counts what the article says of its scene.
func TestScene(t *testing.T) {
	trace := mustTrace(t, "scene", 1, 2_000_000, 0)
	files := make(map[uint64]bool)
	for _, key := range trace.Keys {
		files[key>>32] = true
		level, y, x := key>>24&0xff, key>>14&0x3ff, key&0x3fff
		if edge := uint64(256) >> level; level > 8 || y >= edge || x >= edge {
			t.Fatalf("level %d, y %d, x %d", level, y, x)
		}
	}
	if len(files) != 898 {
		t.Errorf("%d files were read, want all 898", len(files))
	}
}

// model is a slow policy over the records that have a payload, the oldest first.
type model struct {
	order *list.List
	at    map[uint32]*list.Element
	marks map[uint32]bool
	// hit is called for a hit, next for the record that leaves.
	hit  func(m *model, id uint32)
	next func(m *model) uint32
	mark bool // of new payloads
}

func (m *model) Hit(id uint32) { m.hit(m, id) }

func (m *model) Add(id uint32, _ int64) {
	m.at[id] = m.order.PushBack(id)
	m.marks[id] = m.mark
}

func (m *model) Evict(leave func(uint32) bool) bool {
	id := m.next(m)
	leave(id)
	m.Remove(id)
	return true
}

func (m *model) Remove(id uint32) { m.order.Remove(m.at[id]) }
func (m *model) Forget(uint32)    {}

func (m *model) front() uint32 { return m.order.Front().Value.(uint32) }

func newModel(mark bool, hit func(*model, uint32), next func(*model) uint32) tile.NewPolicy {
	return func(int64, func(uint32) bool) tile.Policy {
		return &model{order: list.New(), at: make(map[uint32]*list.Element), marks: make(map[uint32]bool), hit: hit, next: next, mark: mark}
	}
}

func setMark(m *model, id uint32) { m.marks[id] = true }

// round gives marked payloads another round.
func round(m *model) uint32 {
	for m.marks[m.front()] {
		m.marks[m.front()] = false
		m.order.MoveToBack(m.order.Front())
	}
	return m.front()
}

// newSieve is a model whose hand stays where it is.
func newSieve(budget int64, used func(uint32) bool) tile.Policy {
	var hand *list.Element
	return newModel(false, setMark, func(m *model) uint32 {
		if hand == nil {
			hand = m.order.Front()
		}
		for {
			id, next := hand.Value.(uint32), hand.Next()
			marked := m.marks[id]
			m.marks[id] = false
			hand = next
			if !marked {
				return id
			}
			if hand == nil {
				hand = m.order.Front()
			}
		}
	})(budget, used)
}

// TestModels compares policies with slow ones.
func TestModels(t *testing.T) {
	for _, tt := range []struct {
		name        string
		fast, model tile.NewPolicy
	}{
		{"LRU", tiles.LRU, newModel(false, func(m *model, id uint32) { m.order.MoveToBack(m.at[id]) }, (*model).front)},
		{"clock, new marked", tiles.MarkedClock, newModel(true, setMark, round)},
		{"clock", tile.Clock, newModel(false, setMark, round)},
		{"SIEVE", tiles.Sieve, newSieve},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range tiles.TraceNames() {
				trace := mustTrace(t, name, 1, reads, 0)
				for _, budget := range []int64{64 << 10, 1 << 20, 16 << 20} {
					if got, want := tiles.Simulate(trace, tt.fast, budget), tiles.Simulate(trace, tt.model, budget); got != want {
						t.Errorf("%s, %d bytes: %+v, want %+v", name, budget, got, want)
					}
				}
			}
		})
	}
}

// TestBudget runs every policy over every trace and watches its bytes.
func TestBudget(t *testing.T) {
	for name, policy := range map[string]tile.NewPolicy{"lru": tiles.LRU, "marked": tiles.MarkedClock, "clock": tile.Clock, "sieve": tiles.Sieve,
		"s3fifo": tile.S3FIFO, "fixed": tiles.FixedTinyLFU, "climbing": tiles.ClimbingTinyLFU, "tinylfu": tile.TinyLFU} {
		t.Run(name, func(t *testing.T) {
			for _, name := range tiles.TraceNames() {
				trace := mustTrace(t, name, 3, reads, 0)
				for _, budget := range []int64{1 << 10, 64 << 10, 100_000, 8 << 20, 4 << 30} {
					o := tiles.Simulate(trace, policy, budget)
					if o.Peak > budget || o.Hits < 0 || o.Hits > 100 {
						t.Errorf("%s, %d bytes: %+v", name, budget, o)
					}
					if most := 100 - 100*float64(len(trace.Keys))/reads; o.Hits > most+1e-9 || budget > 8<<20 && o.Hits < most-1e-9 {
						t.Errorf("%s, %d bytes: %v %% hits, at most %v", name, budget, o.Hits, most)
					}
				}
			}
		})
	}
}

// TestGap is what the default policy must hold: on no trace is it much worse than another
// library.
func TestGap(t *testing.T) {
	if testing.Short() {
		t.Skip("drives three libraries over all traces")
	}
	for _, tt := range []struct {
		name   string
		budget int64
		bytes  int
	}{{"mixed sizes", 32 << 20, 0}, {"64 KiB", 64 << 20, 64 << 10}} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tiles.BenchPolicies(context.Background(), lab.Options{Traces: tiles.TraceNames(), Seed: 1, Budget: tt.budget, TileBytes: tt.bytes, Reads: 250_000})
			if err != nil {
				t.Fatal(err)
			}
			if gap, ok := r.Gap["TinyLFU of package tile"]; !ok || gap > 1 {
				var b strings.Builder
				r.Table(&b)
				t.Errorf("%.2f points below another library, want at most 1\n%s", gap, &b)
			}
		})
	}
}

// TestCaches runs each cache for a moment and checks what a row must have.
func TestCaches(t *testing.T) {
	for _, name := range append(tiles.CacheNames(), "clock+8", "s3fifo+1", "deferred+4") {
		t.Run(name, func(t *testing.T) {
			job := tiles.Job{Cache: name, Trace: "zipf", Seed: 1, Reads: reads, Budget: 4 << 20, Threads: 3, Seconds: .01}
			text, err := json.Marshal(job)
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := tiles.Child(context.Background(), []string{string(text)}, &out); err != nil {
				t.Fatal(err)
			}
			var r tiles.Row
			if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
				t.Fatal(err)
			}
			if r.Job != job || r.Gets <= 0 || r.Hits <= 0 || r.Hits >= 100 || (r.P99 <= 0) != strings.HasPrefix(name, "deferred") {
				t.Errorf("%+v", r)
			}
		})
	}
	for _, cache := range []string{"dream", "otter+4", "tinylfu+0", "tinylfu+many"} {
		text := `{"cache":"` + cache + `","trace":"zipf","reads":10,"budget":1000,"threads":1}`
		if err := tiles.Child(context.Background(), []string{text}, &strings.Builder{}); err == nil {
			t.Errorf("no error for the cache %q", cache)
		}
	}
	if err := tiles.Child(context.Background(), nil, &strings.Builder{}); err == nil {
		t.Error("no error without a job")
	}
}

func TestCheck(t *testing.T) {
	for _, o := range []lab.Options{{Traces: []string{"dream"}}, {Caches: []string{"dream"}}, {Threads: []int{0}}, {Budget: -1}, {TileBytes: 2 << 20}, {TileBytes: 4}, {Reads: -1}} {
		if err := tiles.Check(o); err == nil {
			t.Errorf("no error for %+v", o)
		}
	}
	if err := tiles.Check(lab.Options{Traces: tiles.TraceNames(), Caches: tiles.CacheNames(), Threads: tiles.Threads()}); err != nil {
		t.Error(err)
	}
}
