package postgres_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/inmemory"
	"github.com/cairnvoxel/cairn/internal/store/metered"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/internal/store/postgres"
	"github.com/cairnvoxel/cairn/internal/testing/parts"
	"github.com/cairnvoxel/cairn/store/history"
)

// BenchmarkSwap makes Swaps as a save makes them: the head changes, a commit, an
// entry of the log and a stone are new. All have the same epoch as a condition, or
// none.
func BenchmarkSwap(b *testing.B) {
	c := open(b, schema(b), postgres.Options{})
	ctx := b.Context()
	epoch := history.Record{Key: "xepoch", Value: make([]byte, 8)}
	const worlds = 1000
	heads := make([][]byte, worlds)
	key := func(kind byte, n uint64) string {
		return string(binary.BigEndian.AppendUint64([]byte{kind}, n*0x9e3779b97f4a7c15))
	}
	all := []history.Record{epoch}
	for w := range heads {
		heads[w] = make([]byte, 100)
		all = append(all, history.Record{Key: key('h', uint64(w)), Value: heads[w]})
	}
	if err := c.Swap(ctx, nil, all); err != nil {
		b.Fatal(err)
	}
	for _, clients := range []int{1, 16} {
		for _, epochs := range []int{0, 1} {
			b.Run(fmt.Sprintf("clients=%d/epoch=%d", clients, epochs), func(b *testing.B) {
				var wg sync.WaitGroup
				var next atomic.Int64
				for i := range clients {
					wg.Go(func() {
						for n := i; next.Add(1) <= int64(b.N); n += clients {
							w := n % (worlds / clients * clients)
							head := make([]byte, 100)
							binary.BigEndian.PutUint64(head, rand.Uint64())
							record := make([]byte, 150)
							conditions := []history.Record{{Key: key('h', uint64(w)), Value: heads[w]}}
							if epochs > 0 {
								conditions = append(conditions, epoch)
							}
							changes := []history.Record{{Key: key('h', uint64(w)), Value: head}}
							for _, kind := range []byte("cil") {
								r := history.Record{Key: key(kind, rand.Uint64()), Value: record}
								changes = append(changes, r)
								conditions = append(conditions, history.Record{Key: r.Key})
							}
							if err := c.Swap(ctx, conditions, changes); err != nil {
								b.Error(err)
								return
							}
							heads[w] = head
						}
					})
				}
				wg.Wait()
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "swaps/s")
			})
		}
	}
}

// BenchmarkSave saves stones of 23,000 bytes into 1,000 worlds of a pair.Pair whose
// bucket is in memory, and loads them.
func BenchmarkSave(b *testing.B) { save(b, schema(b)) }

// BenchmarkSaveSynchronous is BenchmarkSave with a server that waits for its disk and
// for a standby on the same disk.
func BenchmarkSaveSynchronous(b *testing.B) {
	parts.Need(b, "postgres")
	p, err := parts.StartPostgres(b.Context(), b.TempDir(), parts.PostgresOptions{Standby: true, Fsync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	save(b, p.URL())
}

func save(b *testing.B, url string) {
	calls := metered.New(nil)
	s := pair.New(calls.Catalogue(open(b, url, postgres.Options{})), inmemory.NewBucket(), pair.Options{})
	ctx := b.Context()
	const worlds = 1000
	heads := make([]history.Head, worlds)
	name := func(w int) string { return fmt.Sprint("w", w) }
	for w := range heads {
		if err := s.Create(ctx, name(w)); err != nil {
			b.Fatal(err)
		}
	}
	each := func(b *testing.B, clients int, what func(w int) error) {
		before := made(calls)
		var wg sync.WaitGroup
		var next atomic.Int64
		for i := range clients {
			wg.Go(func() {
				for n := i; next.Add(1) <= int64(b.N); n += clients {
					if err := what(n % (worlds / clients * clients)); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		b.ReportMetric(float64(made(calls)-before)/float64(b.N), "catalogue-calls/op")
	}
	for _, clients := range []int{1, 16} {
		b.Run(fmt.Sprintf("save/clients=%d", clients), func(b *testing.B) {
			each(b, clients, func(w int) error {
				data := make([]byte, 23000)
				binary.BigEndian.PutUint64(data, rand.Uint64())
				st := history.Stone{ID: sha256.Sum256(data), Data: data}
				c, err := s.Commit(ctx, name(w), heads[w], history.Commit{Parent: heads[w].Commit, Base: heads[w].Commit, Stones: []history.StoneRef{{ID: st.ID, Size: 23000}}}, st)
				heads[w] = history.Head{Commit: c.ID()}
				return err
			})
		})
		b.Run(fmt.Sprintf("load/clients=%d", clients), func(b *testing.B) {
			each(b, clients, func(w int) error {
				_, err := s.Head(ctx, name(w))
				return err
			})
		})
	}
}

// made returns how many calls of the catalogue there were.
func made(calls *metered.Calls) (n uint64) {
	for _, c := range calls.All() {
		if c.Operation == "time" {
			continue // answered from the last answer
		}
		for _, k := range c.Results {
			n += k
		}
	}
	return n
}

// BenchmarkWalk reads many records of one moment, as a collection does.
func BenchmarkWalk(b *testing.B) {
	url := schema(b)
	c := open(b, url, postgres.Options{Timeout: time.Minute})
	ctx := b.Context()
	_, name, _ := strings.Cut(url, "search_path=")
	const records, some = 1_000_000, 50_000
	for from := 0; from < records; from += some {
		sql := "INSERT INTO %s.cairn_records SELECT sha256(n::text::bytea), decode(repeat('ab', 100), 'hex') FROM generate_series(%d, %d) n"
		if _, err := shared.server.Query(ctx, fmt.Sprintf(sql, name, from+1, from+some)); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		snap, release, err := c.Snapshot(ctx)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for from := ""; ; {
			page, err := snap.Scan(ctx, from, "\xff\xff", 4096, false)
			if err != nil {
				b.Fatal(err)
			}
			if n += len(page); len(page) < 4096 {
				break
			}
			from = page[len(page)-1].Key + "\x00"
		}
		release()
		if n < records*99/100 {
			b.Fatalf("got %d records", n)
		}
	}
	b.ReportMetric(records*float64(b.N)/b.Elapsed().Seconds(), "records/s")
}
