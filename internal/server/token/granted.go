package token

import "sync"

// Granted remembers which stones a limited token received in stacks. It holds at
// least the last grantedMost, in memory only. The zero value is ready; any number of
// goroutines may use it.
type Granted struct {
	mu          sync.Mutex
	now, before map[grantOf]struct{}
}

type grantOf struct {
	token Hash
	stone Hash // its id
}

const grantedMost = 1 << 14

// Add notes that a token received a stone.
func (g *Granted) Add(t Hash, id Hash) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.now) >= grantedMost || g.now == nil {
		g.before, g.now = g.now, make(map[grantOf]struct{})
	}
	g.now[grantOf{t, id}] = struct{}{}
}

// Has reports whether a token received a stone.
func (g *Granted) Has(t Hash, id Hash) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, now := g.now[grantOf{t, id}]
	_, before := g.before[grantOf{t, id}]
	return now || before
}
