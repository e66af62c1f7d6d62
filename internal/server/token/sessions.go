package token

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"sync"
	"time"
)

// SessionTime is how long a session lasts.
const SessionTime = 12 * time.Hour

// mostEnded is how many ended sessions of a token are remembered. When more end, the
// oldest sessions of the token end too.
const mostEnded = 256

// aheadAtMost is how far the clock of the server that began a session may be ahead.
const aheadAtMost = time.Minute

// Sessions are logins with the tokens of a Set. The id of a session says itself what it
// is for, and is signed, so every server with the same tokens and the same secret knows
// it. A session ends after SessionTime, and when its token is no longer in the Set. All
// methods are safe for any number of goroutines.
type Sessions struct {
	set    *Set
	secret []byte

	mu    sync.Mutex // guards what follows
	ended map[Hash]*endedSessions
}

// endedSessions are the sessions of a token that ended before their time, as far as
// this server was told.
type endedSessions struct {
	all map[nonce]int64 // when they began
	// before is the time until which sessions began of which no one lasts.
	before int64
}

// nonce tells the sessions of a token apart.
type nonce [8]byte

// An id is, in base64, which token it is for, when the session began (in nanoseconds
// since 1970), a nonce, and the signature of these.
const (
	sessionIDBytes = 16
	beganAt        = sessionIDBytes
	nonceAt        = beganAt + 8
	signatureAt    = nonceAt + len(nonce{})
	idBytes        = signatureAt + sha256.Size
)

// sessionID names a token in the ids of its sessions.
type sessionID [sessionIDBytes]byte

func sessionIDOf(h Hash) sessionID {
	m := hmac.New(sha256.New, h[:])
	m.Write([]byte("cairn session which"))
	return sessionID(m.Sum(nil)[:sessionIDBytes])
}

// sign returns the signature of the id of a session. Who has the file of tokens alone
// cannot make it.
func (s *Sessions) sign(h Hash, signed []byte) []byte {
	m := hmac.New(sha256.New, s.secret)
	m.Write(h[:])
	m.Write(signed)
	return m.Sum(nil)
}

// NewSessions returns sessions with the tokens of set. The servers that share logins have
// the same secret, and nobody else knows it.
func NewSessions(set *Set, secret []byte) *Sessions {
	return &Sessions{set: set, secret: secret, ended: make(map[Hash]*endedSessions)}
}

// Begin begins a session of a token that the caller found in the Set, and returns its
// id, which is a secret.
func (s *Sessions) Begin(g *Grant, now time.Time) (id string) {
	b := make([]byte, signatureAt, idBytes)
	w := sessionIDOf(g.Hash)
	copy(b, w[:])
	binary.BigEndian.PutUint64(b[beganAt:], uint64(now.UnixNano()))
	_, _ = rand.Read(b[nonceAt:]) // never fails
	return base64.RawURLEncoding.EncodeToString(append(b, s.sign(g.Hash, b)...))
}

// parse returns the token of a session, when the session began, and its nonce. The
// token is nil if the Set has none that signed the id.
func (s *Sessions) parse(id string) (g *Grant, began int64, n nonce) {
	if len(id) != base64.RawURLEncoding.EncodedLen(idBytes) {
		return nil, 0, n
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(id)
	if err != nil {
		return nil, 0, n
	}
	g = s.set.bySession(sessionID(b[:sessionIDBytes]))
	if g == nil || !hmac.Equal(b[signatureAt:], s.sign(g.Hash, b[:signatureAt])) {
		return nil, 0, n
	}
	return g, int64(binary.BigEndian.Uint64(b[beganAt:])), nonce(b[nonceAt:])
}

// Find returns the token of a session as it is in the Set now, or nil if there is no
// such session.
func (s *Sessions) Find(id string, now time.Time) *Grant {
	g, began, n := s.parse(id)
	if age := now.Sub(time.Unix(0, began)); g == nil || age >= SessionTime || age < -aheadAtMost {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.ended[g.Hash]; e != nil {
		if _, ended := e.all[n]; ended || began <= e.before {
			return nil
		}
	}
	return g
}

// End ends a session for these Sessions. Other servers are not told: for them it lasts
// until its time is over, or its token is removed.
func (s *Sessions) End(id string) {
	g, began, n := s.parse(id)
	if g == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.ended[g.Hash]
	if e == nil {
		for h := range s.ended { // of tokens that are gone
			if s.set.byHash(h) == nil {
				delete(s.ended, h)
			}
		}
		e = &endedSessions{all: make(map[nonce]int64)}
		s.ended[g.Hash] = e
	}
	e.all[n] = began
	for len(e.all) > mostEnded {
		oldest, first := n, began
		for n, began := range e.all {
			if began < first {
				oldest, first = n, began
			}
		}
		e.before = max(e.before, first)
		delete(e.all, oldest)
	}
}
