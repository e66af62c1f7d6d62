package lock

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"
	"unsafe"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/lock"
)

// Table is a table of many small locks, on all processors. The locks of a row are in memory side
// by side, as the table has them.
type Table struct {
	Table      string `json:"table"`
	Lock       string `json:"lock"`
	Goroutines int    `json:"goroutines"`
	// Each is the time from one piece of work to the next, of whichever goroutine: the best of
	// the rounds.
	Each  float64 `json:"ns_per_call"`
	Call  Times   `json:"call_ns"`
	Bytes int     `json:"bytes"` // of one lock and what belongs to it
}

// The tables of shards have that many, of so many keys each. A hot key is drawn often.
const (
	shardBits = 6
	shards    = 1 << shardBits
	keyBits   = 16
	hotPower  = 4
	records   = 1 << 20
)

// rounds of all locks alternate in a table, because differences are small.
const tableRounds = 5

// locks are a table of them with what a goroutine does to it.
type locks struct {
	lock string
	call func(key uint64) uint64
	size uintptr
}

// shardTables are maps of shards: a call locks a shard and looks a key up. The calls are written out,
// so that the compiler inlines each lock.
func shardTables() []locks {
	mutexes, mutexesPadded := new(mutexTable[bare]), new(mutexTable[padded])
	rw := new(rwTable)
	spins, spinsPadded := new(spinTable[bare]), new(spinTable[padded])
	for i := range shards {
		m := map[uint64]uint64{}
		for k := range uint64(1 << (keyBits - shardBits)) {
			m[k<<shardBits|uint64(i)] = k
		}
		mutexes[i].m, mutexesPadded[i].m, rw[i].m, spins[i].m, spinsPadded[i].m = m, m, m, m, m
	}
	return []locks{
		{"sync.Mutex", mutexes.get, unsafe.Sizeof(mutexes[0])},
		{"sync.Mutex padded", mutexesPadded.get, unsafe.Sizeof(mutexesPadded[0])},
		{"sync.RWMutex, RLock", rw.get, unsafe.Sizeof(rw[0])},
		{"TTAS", spins.get, unsafe.Sizeof(spins[0])},
		{"TTAS padded", spinsPadded.get, unsafe.Sizeof(spinsPadded[0])},
	}
}

type mutexTable[P lock.Pad] [shards]struct {
	_  P
	mu sync.Mutex
	m  map[uint64]uint64
}

func (t *mutexTable[P]) get(key uint64) uint64 {
	s := &t[key%shards]
	s.mu.Lock()
	v := s.m[key]
	s.mu.Unlock()
	return v
}

type rwTable [shards]struct {
	mu sync.RWMutex
	m  map[uint64]uint64
}

func (t *rwTable) get(key uint64) uint64 {
	s := &t[key%shards]
	s.mu.RLock()
	v := s.m[key]
	s.mu.RUnlock()
	return v
}

type spinTable[P lock.Pad] [shards]struct {
	mu lock.TTAS[P]
	m  map[uint64]uint64
}

func (t *spinTable[P]) get(key uint64) uint64 {
	s := &t[key%shards]
	s.mu.Lock()
	v := s.m[key]
	s.mu.Unlock()
	return v
}

// recordTables have a lock in each record: a call locks one at random and counts it.
func recordTables() []locks {
	type (
		mutexRecord struct {
			mu   sync.Mutex
			uses uint32
		}
		spinRecord struct {
			mu   lock.TTAS[bare]
			uses uint32
		}
	)
	mutexes, spins := make([]mutexRecord, records), make([]spinRecord, records)
	return []locks{
		{"sync.Mutex", func(key uint64) uint64 {
			r := &mutexes[spread(key)]
			r.mu.Lock()
			r.uses++
			r.mu.Unlock()
			return 0
		}, unsafe.Sizeof(mutexes[0])},
		{"TTAS", func(key uint64) uint64 {
			r := &spins[spread(key)]
			r.mu.Lock()
			r.uses++
			r.mu.Unlock()
			return 0
		}, unsafe.Sizeof(spins[0])},
	}
}

// spread makes a place among the records of a key.
func spread(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 >> 44 % records }

func uniform(r *rand.Rand) uint64 { return r.Uint64() % (1 << keyBits) }

// hot draws a few keys most of the time.
func hot(r *rand.Rand) uint64 { return uint64(math.Pow(r.Float64(), hotPower) * (1 << keyBits)) }

func wide(r *rand.Rand) uint64 { return r.Uint64() }

// benchTables measures tables with one goroutine, with one for each processor, and with eight times as many.
func benchTables(ctx context.Context, o lab.Options, round time.Duration) ([]Table, error) {
	var out []Table
	p := runtime.GOMAXPROCS(0)
	for _, kind := range []struct {
		name   string
		tables []locks
		draw   func(*rand.Rand) uint64
	}{
		{fmt.Sprintf("%d shards, keys alike", shards), shardTables(), uniform},
		{fmt.Sprintf("%d shards, hot keys", shards), shardTables(), hot},
		{"one shard", shardTables(), func(r *rand.Rand) uint64 { return uniform(r) / shards * shards }},
		{fmt.Sprintf("%d records", records), recordTables(), wide},
	} {
		for _, g := range []int{1, p, 8 * p} {
			o.Step(0, 0, fmt.Sprintf("%s, %d goroutines", kind.name, g))
			rows := make([]Table, len(kind.tables))
			times := make([]histogram, len(kind.tables))
			for i := range 2 * tableRounds {
				for j, t := range kind.tables {
					if ctx.Err() != nil {
						return nil, ctx.Err()
					}
					var s stop
					run := s.run(t.loops(g, kind.draw), round, i >= tableRounds, nil)
					if times[j].join(&run.times); i < tableRounds {
						rows[j].Each = lab.Least(rows[j].Each, run.each())
					}
				}
			}
			for j, t := range kind.tables {
				rows[j] = Table{kind.name, t.lock, g, rows[j].Each, times[j].summary(), int(t.size)}
			}
			out = append(out, rows...)
		}
	}
	return out, nil
}

// drawn is how many keys a goroutine draws beforehand.
const drawn = 1 << 12

// loops work on a table with keys of their own.
func (t locks) loops(goroutines int, draw func(*rand.Rand) uint64) []loop {
	out := make([]loop, goroutines)
	for g := range out {
		random := rand.New(rand.NewPCG(1, uint64(g)))
		keys := make([]uint64, drawn)
		for i := range keys {
			keys[i] = draw(random)
		}
		out[g] = func(s *stop, times *histogram) (n int64) {
			for ; !s.over.Load(); n++ {
				key := keys[n%drawn]
				if times == nil {
					t.call(key)
					continue
				}
				start := time.Now()
				t.call(key)
				times.add(time.Since(start))
			}
			return n
		}
	}
	return out
}
