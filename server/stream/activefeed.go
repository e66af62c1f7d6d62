package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// refs counts the users of something that closes with its last user.
type refs struct {
	n     atomic.Int32
	close func() error
}

// ref adds a user. The caller is one already.
func (r *refs) ref() { r.n.Add(1) }

// tryRef adds a user, unless the last one is gone.
func (r *refs) tryRef() bool {
	for {
		n := r.n.Load()
		if n == 0 || r.n.CompareAndSwap(n, n+1) {
			return n > 0
		}
	}
}

// release takes a user away.
func (r *refs) release() error {
	if r.n.Add(-1) > 0 {
		return nil
	}
	return r.close()
}

// sharedState is a State with the Server and its viewers as users.
type sharedState struct {
	State
	refs
}

// share returns a State that the caller is the first user of.
func share(s State) *sharedState {
	c := &sharedState{State: s}
	c.n.Store(1)
	c.close = s.Close
	return c
}

// headScene shows the newest state in a feed, which is one more user of it.
func (s *Server) headScene(f *feed) (*scene, error) {
	next, err := newScene(f, s.head, &s.o)
	if err == nil {
		next.ref()
	}
	return next, err
}

// activeFeed is a feed that viewers see.
type activeFeed struct {
	*feed
	head    *scene
	viewers int

	mu     sync.Mutex        // guards opened, and the feed against who has not the Server's
	opened map[string]*scene // by ID of the commit
}

// idleFeed is a feed without viewers. It is kept for those who come back: what differs from
// the versions that they have is found in its records.
type idleFeed struct {
	key string
	*feed
}

// maxIdle is how many feeds without viewers are kept.
const maxIdle = 4

// setHead makes a scene the newest one, and its feed that of those to come.
func (g *activeFeed) setHead(next *scene) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.head, g.feed = next, next.feed
}

// copyVersions takes over what an older scene knows, but for what changed.
func (s *scene) copyVersions(old *scene, d *difference) {
	if d.all {
		return
	}
	old.mu.Lock()
	known := old.versions
	old.versions = nil
	old.mu.Unlock()
	for k := range d.maybe {
		delete(known, k)
	}
	for _, c := range d.changes {
		delete(known, c.Key)
	}
	s.versions = known
}

// openFeed makes an idle feed active again, or a new one if there is none. The caller holds mu.
func (s *Server) openFeed(key, dimension string, volumes []string) (*activeFeed, error) {
	var head *scene
	if i := slices.IndexFunc(s.idle, func(f idleFeed) bool { return f.key == key }); i >= 0 {
		head, _ = s.headScene(s.idle[i].feed) // fails if its volumes are of another kind by now
		s.idle = slices.Delete(s.idle, i, i+1)
	}
	if head == nil {
		f, err := newFeed(s.head.State, dimension, volumes, &s.o)
		if err == nil {
			head, err = s.headScene(f)
		}
		if err != nil {
			return nil, err
		}
	}
	return &activeFeed{feed: head.feed, head: head, opened: make(map[string]*scene)}, nil
}

// removeViewer frees what a viewer had.
func (s *Server) removeViewer(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewers = slices.DeleteFunc(s.viewers, func(o *viewer) bool { return o == v })
	v.mu.Lock()
	scene := v.scene
	v.scene, v.plan, v.gone = nil, nil, true
	v.mu.Unlock()
	if scene != nil {
		scene.release()
	}
	if v.active.viewers--; v.active.viewers == 0 {
		for key, g := range s.feeds {
			if g == v.active {
				delete(s.feeds, key)
				g.head.release()
				s.idle = append(s.idle, idleFeed{key, g.feed})
			}
		}
		s.idle = s.idle[max(0, len(s.idle)-maxIdle):]
		s.shareCache()
	}
}

// shareCache shares the cache between the feeds.
func (s *Server) shareCache() {
	most := s.o.Cache / max(1, len(s.feeds)+len(s.idle))
	for _, g := range s.feeds {
		g.bound(most)
	}
	for _, i := range s.idle {
		i.feed.bound(most)
	}
}

// openVersion returns a scene of a version; the caller releases it.
func (s *Server) openVersion(ctx context.Context, g *activeFeed, version string) (*scene, error) {
	state, err := s.src.At(ctx, version)
	if err != nil {
		return nil, err
	}
	id := state.Moment().ID
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.opened[id]; p != nil && id != "" && p.tryRef() {
		return p, state.Close()
	}
	shared := share(state)
	p, err := newScene(g.feed, shared, &s.o)
	if err != nil {
		return nil, errors.Join(err, state.Close())
	}
	shared.close = func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.opened[id] == p {
			delete(g.opened, id)
		}
		return state.Close()
	}
	if p.feed != g.feed {
		p.bound(s.o.Cache / maxIdle) // it is for those alone who see this version
	}
	g.opened[id] = p
	return p, nil
}
