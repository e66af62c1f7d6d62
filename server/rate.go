package server

import (
	"net/netip"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/server/token"
	"golang.org/x/time/rate"
)

// rates limits each caller to a rate. It remembers a bounded number of callers:
// when young is full, it drops old, and young becomes old.
type rates struct {
	limit rate.Limit
	burst int

	mu         sync.Mutex
	young, old map[token.Hash]*rate.Limiter
}

const maxRates = 8192

func newRates(perSecond float64) *rates {
	if perSecond >= unbounded {
		return &rates{limit: rate.Inf}
	}
	return &rates{limit: rate.Limit(perSecond), burst: max(1, int(2*perSecond)), young: make(map[token.Hash]*rate.Limiter)}
}

// allow reports whether this caller may make a call now.
func (r *rates) allow(who token.Hash, now time.Time) bool {
	return r.limit == rate.Inf || r.of(who).AllowN(now, 1)
}

func (r *rates) of(who token.Hash) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.young[who]
	if l != nil {
		return l
	}
	if l = r.old[who]; l == nil {
		l = rate.NewLimiter(r.limit, r.burst)
	}
	if len(r.young) >= maxRates {
		r.young, r.old = make(map[token.Hash]*rate.Limiter), r.young
	}
	r.young[who] = l
	return l
}

// addressKey returns the key of a remote address. For IPv6 that is the network of
// 64 bits, because one caller often has all of its addresses.
func addressKey(remote string) (key token.Hash) {
	at, err := netip.ParseAddrPort(remote)
	if err != nil {
		return key
	}
	ip := at.Addr().Unmap()
	if ip.Is6() {
		p, err := ip.WithZone("").Prefix(64)
		if err != nil {
			return key
		}
		ip = p.Addr()
	}
	b := ip.As16()
	copy(key[:], b[:])
	return key
}
