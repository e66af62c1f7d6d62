package ledger_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/ledger"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// sleepy is a bucket whose calls take ten milliseconds.
type sleepy struct{ blob.Bucket }

const latency = 10 * time.Millisecond

func (s sleepy) Put(ctx context.Context, key string, body *io.SectionReader) error {
	time.Sleep(latency)
	return s.Bucket.Put(ctx, key, body)
}

func (s sleepy) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	time.Sleep(latency)
	return s.Bucket.Get(ctx, key, off, n)
}

func (s sleepy) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	time.Sleep(latency)
	return s.Bucket.List(ctx, prefix, after, n)
}

// uneven is a bucket whose calls take two milliseconds, and some of them 200: every call in
// so many, by chance.
type uneven struct {
	blob.Bucket
	slow int
}

func (u uneven) wait() {
	d := 2 * time.Millisecond
	if u.slow > 0 && rand.IntN(u.slow) == 0 {
		d = 200 * time.Millisecond
	}
	time.Sleep(d)
}

func (u uneven) Put(ctx context.Context, key string, body *io.SectionReader) error {
	u.wait()
	return u.Bucket.Put(ctx, key, body)
}

func (u uneven) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	u.wait()
	return u.Bucket.Get(ctx, key, off, n)
}

func (u uneven) List(ctx context.Context, prefix, after string, n int) ([]blob.Object, error) {
	u.wait()
	return u.Bucket.List(ctx, prefix, after, n)
}

// BenchmarkCommit commits small stones on two replicas over such a bucket, each client into a world of
// its own.
func BenchmarkCommit(b *testing.B) {
	for _, slow := range []int{0, 100, 50, 10} {
		b.Run(fmt.Sprintf("one slow call in %d", slow), func(b *testing.B) {
			bucket := uneven{inmemory.NewBucket(), slow}
			var stores []history.Store
			for range 2 {
				stores = append(stores, pair.New(open(b, bucket, ledger.Options{}), bucket, pair.Options{}))
			}
			data := []byte("a stone, as far as the store knows")
			var all sync.WaitGroup
			var next atomic.Int64
			b.ResetTimer()
			for i := range 32 {
				all.Go(func() {
					s, name, head := stores[i%2], fmt.Sprint("w", i), history.Head{}
					if err := s.Create(b.Context(), name); err != nil {
						b.Error(err)
					}
					for n := 0; next.Add(1) <= int64(b.N); n++ {
						st := history.Stone{Data: fmt.Append(data, i, n)}
						st.ID = stone.ID(sha256.Sum256(st.Data))
						c := history.Commit{Parent: head.Commit, Base: head.Commit, Stones: []history.StoneRef{{ID: st.ID, Size: int64(len(st.Data))}}}
						c, err := s.Commit(b.Context(), name, head, c, st)
						if err != nil {
							b.Error(err)
							return
						}
						head.Commit = c.ID()
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "commits/s")
			for _, s := range stores {
				if err := s.Close(); err != nil {
					b.Error(err)
				}
			}
		})
	}
}

// BenchmarkUneven makes Swaps on two replicas over a bucket of which a few calls take 200 ms.
func BenchmarkUneven(b *testing.B) {
	for _, clients := range []int{2, 32} {
		for _, slow := range []int{0, 100, 50, 10} {
			b.Run(fmt.Sprintf("%d clients, one slow call in %d", clients, slow), func(b *testing.B) {
				swaps(b, uneven{inmemory.NewBucket(), slow}, 2, clients)
			})
		}
	}
}

// counted is a bucket that counts calls.
type counted struct {
	blob.Bucket
	puts, gets, bytes atomic.Int64
}

func (c *counted) Put(ctx context.Context, key string, body *io.SectionReader) error {
	c.puts.Add(1)
	c.bytes.Add(body.Size())
	return c.Bucket.Put(ctx, key, body)
}

func (c *counted) Get(ctx context.Context, key string, off, n int64) ([]byte, error) {
	c.gets.Add(1)
	return c.Bucket.Get(ctx, key, off, n)
}

// save is about what a save changes: a head, a log entry, a commit, a stone.
func save(world, number int) (conditions, changes []history.Record) {
	record := func(format string, bytes, n int) history.Record {
		key := fmt.Sprintf(format, world, n)
		value := make([]byte, bytes)
		r := rand.NewChaCha8(sha256.Sum256(fmt.Appendf(nil, "%s %d", key, number)))
		_, _ = r.Read(value) // it never fails
		return history.Record{Key: key, Value: value}
	}
	return nil, []history.Record{record("h%08d%.0d", 40, 0), record("l%08d%08d", 40, number), record("c%016d%016d", 120, number), record("i%016d%016d", 25, number)}
}

// BenchmarkSwap makes Swaps over a bucket whose calls take ten milliseconds: on one
// replica or three, with clients that share them.
func BenchmarkSwap(b *testing.B) {
	for _, tt := range []struct{ replicas, clients int }{{1, 1}, {1, 16}, {1, 64}, {3, 3}, {3, 48}} {
		b.Run(fmt.Sprintf("%d replicas, %d clients", tt.replicas, tt.clients), func(b *testing.B) {
			swaps(b, sleepy{inmemory.NewBucket()}, tt.replicas, tt.clients)
		})
	}
}

// swaps makes Swaps on replicas by clients that share them.
func swaps(b *testing.B, bucket blob.Bucket, nreplicas, clients int) {
	s := &counted{Bucket: bucket}
	var replicas []*ledger.Ledger
	for range nreplicas {
		replicas = append(replicas, open(b, s, ledger.Options{}))
	}
	s.puts.Store(0)
	s.gets.Store(0)
	s.bytes.Store(0)
	var all sync.WaitGroup
	var next, least atomic.Int64
	least.Store(1 << 60)
	b.ResetTimer()
	for i := range clients {
		all.Go(func() {
			n := int64(0)
			for ; next.Add(1) <= int64(b.N); n++ {
				conditions, changes := save(i, int(n))
				if err := replicas[i%len(replicas)].Swap(b.Context(), conditions, changes); err != nil {
					b.Error(err)
				}
			}
			for was := least.Load(); n < was && !least.CompareAndSwap(was, n); was = least.Load() {
			}
		})
	}
	all.Wait()
	per := func(n *atomic.Int64) float64 { return float64(n.Load()) / float64(b.N) }
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "swaps/s")
	b.ReportMetric(per(&s.puts), "puts/swap")
	b.ReportMetric(per(&s.gets), "gets/swap")
	b.ReportMetric(per(&s.bytes), "bytes/swap")
	b.ReportMetric(float64(least.Load())*float64(clients)/float64(b.N), "fairness")
}

// BenchmarkGet makes Gets over the same bucket.
func BenchmarkGet(b *testing.B) {
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("%d clients", clients), func(b *testing.B) {
			s := &counted{Bucket: sleepy{inmemory.NewBucket()}}
			l := open(b, s, ledger.Options{})
			s.gets.Store(0)
			var all sync.WaitGroup
			var next atomic.Int64
			b.ResetTimer()
			for range clients {
				all.Go(func() {
					for next.Add(1) <= int64(b.N) {
						if _, err := l.Get(b.Context(), "key"); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(s.gets.Load())/float64(b.N), "gets/get")
		})
	}
}

// BenchmarkOpen opens a ledger with many worlds: CAIRN_WORLDS_N, by default 10,000.
func BenchmarkOpen(b *testing.B) {
	worlds := 10_000
	if n, err := strconv.Atoi(os.Getenv("CAIRN_WORLDS_N")); err == nil {
		worlds = n
	}
	bucket := inmemory.NewBucket()
	l := open(b, bucket, ledger.Options{Every: -1})
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			for w := i; w < worlds; w += 64 {
				for n := range 5 {
					conditions, changes := save(w, n)
					if err := l.Swap(b.Context(), conditions, changes); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	l.Quiet()
	for _, cache := range []string{"", b.TempDir()} {
		name := "in memory"
		if cache != "" {
			name = "with a cache"
		}
		b.Run(name, func(b *testing.B) {
			began := spent()
			heap, stats := uint64(0), ledger.Stats{}
			for b.Loop() {
				before := heapNow()
				l := open(b, bucket, ledger.Options{Cache: cache, Every: -1})
				heap, stats = heapNow()-min(before, heapNow()), l.Stats()
				if err := l.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((spent()-began).Seconds()/float64(b.N), "cpu-s/op")
			b.ReportMetric(float64(heap)/1e6, "heap-MB")
			b.ReportMetric(float64(stats.CheckpointBytes)/1e6, "checkpoint-MB")
			b.ReportMetric(float64(stats.LogBytes)/1e6, "log-MB")
		})
	}
}

// heapNow is how many bytes live in the heap.
func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// spent is the processor time of this process.
func spent() time.Duration {
	sample := []metrics.Sample{{Name: "/cpu/classes/user:cpu-seconds"}}
	metrics.Read(sample)
	return time.Duration(sample[0].Value.Float64() * float64(time.Second))
}
