package stream

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// users counts who uses something that ends with its last user.
type users struct {
	n    atomic.Int32
	last func() error
}

// join adds a user. It fails if the last one is gone; who has a use of it already may add one to n.
func (u *users) join() bool {
	for {
		n := u.n.Load()
		if n == 0 || u.n.CompareAndSwap(n, n+1) {
			return n > 0
		}
	}
}

// release takes a user away.
func (u *users) release() error {
	if u.n.Add(-1) > 0 {
		return nil
	}
	return u.last()
}

// counted is a state that closes when its last user is gone.
type counted struct {
	State
	users
}

func count(s State) *counted {
	c := &counted{State: s}
	c.n.Store(1)
	c.last = s.Close
	return c
}

// shoot shows the state in a feed; the caller has the first use of it.
func (c *counted) shoot(f *feed, o *Options) (*shot, error) {
	s, err := newShot(f, c.State, o)
	if err != nil {
		return nil, err
	}
	c.n.Add(1)
	return s.own(c.release), nil
}

// stage is a feed with what it shows.
type stage struct {
	*feed
	head    *shot
	viewers int

	mu   sync.Mutex       // guards past, and the feed against who has not the Server's
	past map[string]*shot // by ID of the commit
}

// idle is a feed without viewers. It is kept for those who come back: what differs from
// the versions that they have is found in its records.
type idle struct {
	key string
	*feed
}

// maxIdle is how many feeds without viewers are kept.
const maxIdle = 4

// show makes a shot the newest one, and its feed that of those to come.
func (g *stage) show(next *shot) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.head, g.feed = next, next.feed
}

// inherit takes over what an older shot knows, but for what changed.
func (s *shot) inherit(old *shot, d *difference) {
	if d.all {
		return
	}
	old.mu.Lock()
	known := old.known
	old.known = nil
	old.mu.Unlock()
	for k := range d.vague {
		delete(known, k)
	}
	for _, c := range d.changes {
		delete(known, c.Key)
	}
	s.known = known
}

// open makes a stage, of an idle feed if there is one. The caller holds mu.
func (s *Server) open(key, dimension string, volumes []string) (*stage, error) {
	var head *shot
	if i := slices.IndexFunc(s.idle, func(f idle) bool { return f.key == key }); i >= 0 {
		head, _ = s.head.shoot(s.idle[i].feed, &s.o) // fails if its volumes are of another kind by now
		s.idle = slices.Delete(s.idle, i, i+1)
	}
	if head == nil {
		f, err := newFeed(s.head.State, dimension, volumes, &s.o)
		if err == nil {
			head, err = s.head.shoot(f, &s.o)
		}
		if err != nil {
			return nil, err
		}
	}
	return &stage{feed: head.feed, head: head, past: make(map[string]*shot)}, nil
}

// leave frees what a viewer had.
func (s *Server) leave(v *viewer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.viewers = slices.DeleteFunc(s.viewers, func(o *viewer) bool { return o == v })
	v.mu.Lock()
	shot := v.shot
	v.shot, v.plan, v.gone = nil, nil, true
	v.mu.Unlock()
	if shot != nil {
		shot.release()
	}
	if v.stage.viewers--; v.stage.viewers == 0 {
		for key, g := range s.feeds {
			if g == v.stage {
				delete(s.feeds, key)
				g.head.release()
				s.idle = append(s.idle, idle{key, g.feed})
			}
		}
		s.idle = s.idle[max(0, len(s.idle)-maxIdle):]
		s.share()
	}
}

// share shares the cache between the feeds.
func (s *Server) share() {
	most := s.o.Cache / max(1, len(s.feeds)+len(s.idle))
	for _, g := range s.feeds {
		g.bound(most)
	}
	for _, i := range s.idle {
		i.feed.bound(most)
	}
}

// at returns a shot of a version; the caller releases it.
func (s *Server) at(ctx context.Context, g *stage, version string) (*shot, error) {
	state, err := s.src.At(ctx, version)
	if err != nil {
		return nil, err
	}
	id := state.Moment().ID
	g.mu.Lock()
	defer g.mu.Unlock()
	if p := g.past[id]; p != nil && id != "" && p.join() {
		return p, state.Close()
	}
	p, err := newShot(g.feed, state, &s.o)
	if err != nil {
		return nil, errors.Join(err, state.Close())
	}
	p.own(func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.past[id] == p {
			delete(g.past, id)
		}
		return state.Close()
	})
	if p.feed != g.feed {
		p.bound(s.o.Cache / maxIdle) // it is for those alone who see this version
	}
	g.past[id] = p
	return p, nil
}

// own gives a shot its first user, and what to do when the last one is gone.
func (s *shot) own(last func() error) *shot {
	s.n.Store(1)
	s.last = last
	return s
}
