package record_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cairnvoxel/cairn/internal/store/record"
)

func TestCache(t *testing.T) {
	m := record.NewCache()
	for key := uint64(1); key <= 8; key++ {
		_, ok, ticket := m.Get(key)
		if ok {
			t.Errorf("%d is there", key)
		}
		m.Put(key, 10*key, ticket)
	}
	has := func(key uint64, want bool) {
		t.Helper()
		v, ok, _ := m.Get(key)
		if ok != want || ok && v != 10*key {
			t.Errorf("%d: got %d, %v: want %v", key, v, ok, want)
		}
	}
	has(1, true) // the last but this to be forgotten is 2
	_, _, ticket := m.Get(9)
	m.Put(9, 90, ticket)
	has(2, false)
	has(1, true)
	m.Fade(9)
	m.Put(10, 100, ticket)
	has(9, false)
	m.Put(10, 0, ticket)
	m.Put(10, 100, ticket)
	has(10, true)
	after := m.Drop(10)
	m.Put(10, 0, ticket) // read before it was dropped
	has(10, false)
	m.Put(10, 100, after)
	has(10, true)
}

// TestCacheGrows fills a cache far beyond what it is made for: it keeps much of what
// it has room for, and nothing wrong.
func TestCacheGrows(t *testing.T) {
	const most = 1 << 14
	m := record.GrowingCache(most)
	small := m.Room()
	for _, n := range []uint64{100, 10_000, 200_000} {
		for key := range n {
			m.Put(key, 3*key, 0)
		}
		found := uint64(0)
		for key := range n {
			v, ok, _ := m.Get(key)
			if ok && v != 3*key {
				t.Fatalf("%d: got %d", key, v)
			}
			if ok {
				found++
			}
		}
		if want := min(n*2/3, most*2/3); found < want {
			t.Errorf("%d of %d keys, want %d at least", found, n, want)
		}
	}
	if got := m.Room(); got > most || got < most/2 || small > most/16 {
		t.Errorf("room for %d keys, at first %d: want %d", got, small, most)
	}
}

// TestCacheBeside changes records and reads them at once: what a cache has when
// all is done is what the records are.
func TestCacheBeside(t *testing.T) {
	m := record.NewCache()
	var records [12]atomic.Uint64
	var all sync.WaitGroup
	for g := range uint64(4) {
		all.Go(func() {
			random := rand.New(rand.NewPCG(1, g))
			for range 20000 {
				key := random.Uint64N(uint64(len(records)))
				switch random.IntN(8) {
				case 0:
					records[key].Add(1)
					m.Drop(key)
				case 1:
					m.Fade(key)
				default:
					if _, ok, ticket := m.Get(key); !ok {
						m.Put(key, records[key].Load(), ticket)
					}
				}
			}
		})
	}
	all.Wait()
	found := 0
	for key := range uint64(len(records)) {
		v, ok, _ := m.Get(key)
		if ok && v != records[key].Load() {
			t.Errorf("%d: got %d: want %d", key, v, records[key].Load())
		}
		if ok {
			found++
		}
	}
	if found == 0 {
		t.Error("nothing is remembered")
	}
}
