package token

import (
	"container/list"
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// SessionTime is how long a session lasts.
const SessionTime = 12 * time.Hour

// mostSessions is how many sessions a token has at a time. Its next login ends its
// oldest session.
const mostSessions = 256

// Sessions are logins with the tokens of a Set, in memory. A session ends after
// SessionTime, and when its token is no longer in the Set. All methods are safe for any
// number of goroutines.
type Sessions struct {
	set *Set

	mu    sync.Mutex // guards what follows
	all   map[Hash]*list.Element
	order list.List // of *session, the oldest first
	of    map[Hash]int
}

type session struct {
	key, token Hash
	ends       time.Time
}

// NewSessions returns sessions with the tokens of set.
func NewSessions(set *Set) *Sessions {
	return &Sessions{set: set, all: make(map[Hash]*list.Element), of: make(map[Hash]int)}
}

// Begin begins a session of a token that the caller found in the Set, and returns its
// id, which is a secret.
func (s *Sessions) Begin(g *Grant, now time.Time) (id string) {
	id = rand.Text() + rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.order.Front(); e != nil; {
		next := e.Next()
		old := e.Value.(*session)
		ended := !now.Before(old.ends) || s.set.of(old.token) == nil
		if ended || old.token == g.Hash && s.of[g.Hash] >= mostSessions {
			s.remove(e)
		}
		e = next
	}
	n := &session{key: sha256.Sum256([]byte(id)), token: g.Hash, ends: now.Add(SessionTime)}
	s.all[n.key] = s.order.PushBack(n)
	s.of[n.token]++
	return id
}

// remove ends a session. The caller holds mu.
func (s *Sessions) remove(e *list.Element) {
	old := s.order.Remove(e).(*session)
	delete(s.all, old.key)
	if s.of[old.token]--; s.of[old.token] == 0 {
		delete(s.of, old.token)
	}
}

// Find returns the token of a session as it is in the Set now, or nil if there is no
// such session. It compares hashes only.
func (s *Sessions) Find(id string, now time.Time) *Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.all[keyOf(id)]
	if e == nil {
		return nil
	}
	one := e.Value.(*session)
	g := s.set.of(one.token)
	if g == nil || !now.Before(one.ends) {
		s.remove(e)
		return nil
	}
	return g
}

// End ends a session if it is there.
func (s *Sessions) End(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.all[keyOf(id)]; e != nil {
		s.remove(e)
	}
}

// keyOf returns the key of an id, zero for one that is too long to be one.
func keyOf(id string) Hash {
	if len(id) > longestSecret {
		return Hash{}
	}
	return sha256.Sum256([]byte(id))
}
