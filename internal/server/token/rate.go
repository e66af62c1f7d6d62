package token

import (
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates limits each caller to a rate. It remembers a bounded number of callers:
// when young is full, it drops old, and young becomes old.
type Rates struct {
	limit rate.Limit
	burst int

	mu         sync.Mutex
	young, old map[Hash]*rate.Limiter
}

const maxRates = 8192

// Unbounded is a rate without a bound.
const Unbounded = 1 << 60

// NewRates returns rates of so many calls a second. A rate of Unbounded or more has no bound.
func NewRates(perSecond float64) *Rates {
	if perSecond >= Unbounded {
		return &Rates{limit: rate.Inf}
	}
	return &Rates{limit: rate.Limit(perSecond), burst: max(1, int(2*perSecond)), young: make(map[Hash]*rate.Limiter)}
}

// Allow reports whether this caller may make a call now.
func (r *Rates) Allow(who Hash, now time.Time) bool {
	return r.limit == rate.Inf || r.of(who).AllowN(now, 1)
}

func (r *Rates) of(who Hash) *rate.Limiter {
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
		r.young, r.old = make(map[Hash]*rate.Limiter), r.young
	}
	r.young[who] = l
	return l
}

// AddressKey returns the key of a remote address. For IPv6 that is the network of
// 64 bits, because one caller often has all of its addresses.
func AddressKey(remote string) (key Hash) {
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

// Known returns how many callers are remembered.
func (r *Rates) Known() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.young) + len(r.old)
}
