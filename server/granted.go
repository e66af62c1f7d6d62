package server

import (
	"sync"

	"github.com/cairnvoxel/cairn/stone"
)

// granted is which stones tokens for some names were told of. It holds the last
// grantedMost at least, and forgets when the process ends.
type granted struct {
	mu          sync.Mutex
	now, before map[grantOf]struct{}
}

type grantOf struct {
	token Hash
	stone stone.ID
}

const grantedMost = 1 << 14

func (g *granted) add(t Hash, id stone.ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.now) >= grantedMost || g.now == nil {
		g.before, g.now = g.now, make(map[grantOf]struct{})
	}
	g.now[grantOf{t, id}] = struct{}{}
}

func (g *granted) has(t Hash, id stone.ID) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, now := g.now[grantOf{t, id}]
	_, before := g.before[grantOf{t, id}]
	return now || before
}
