package limits

import (
	"sync"
	"sync/atomic"
)

// Memory bounds bytes in memory or on a disk. A call that gets none is refused: if calls held
// some and waited for more, all of them could wait forever.
type Memory struct{ free atomic.Int64 }

// Set sets how many bytes there are.
func (m *Memory) Set(n int64) { m.free.Store(n) }

// Reserve reports whether it got n bytes. The caller gives them back with Release.
func (m *Memory) Reserve(n int64) bool {
	if m.free.Add(-n) >= 0 {
		return true
	}
	m.free.Add(n)
	return false
}

// Release gives back n bytes.
func (m *Memory) Release(n int64) { m.free.Add(n) }

// Greetings count the connections that have not named their token yet, all and by address. The
// zero value is ready.
type Greetings struct {
	mu  sync.Mutex
	all int64
	by  map[Caller]int64
}

// Enter counts a connection, unless there are most of them, or half as many of its address. The
// caller calls leave.
func (g *Greetings) Enter(from Caller, most int64) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.all >= most || g.by[from] >= max(most/2, min(most, 2)) {
		return nil, busy("too many connections without a known token")
	}
	if g.by == nil {
		g.by = make(map[Caller]int64)
	}
	g.all++
	g.by[from]++
	return sync.OnceFunc(func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.all--
		if g.by[from]--; g.by[from] == 0 {
			delete(g.by, from)
		}
	}), nil
}

// Waiting returns how many connections there are.
func (g *Greetings) Waiting() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.all
}
