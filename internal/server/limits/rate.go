package limits

import (
	"net/netip"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/lru"
	"golang.org/x/time/rate"
)

// Caller is whom a bound counts for: the hash of a token, or AddressKey. Zero is nobody in
// particular.
type Caller = [32]byte

// Rates limits each caller to a rate. It remembers the last 16,384 callers.
type Rates struct {
	limit rate.Limit
	burst int

	mu  sync.Mutex
	all *lru.Cache[Caller, *rate.Limiter]
}

// NewRates returns rates of so many calls a second. A rate of Unbounded or more has no bound.
func NewRates(perSecond float64) *Rates {
	if perSecond >= Unbounded {
		return &Rates{limit: rate.Inf}
	}
	return &Rates{limit: rate.Limit(perSecond), burst: max(1, int(2*perSecond)), all: lru.New[Caller, *rate.Limiter](1<<14, nil)}
}

// Allow reports whether this caller may make a call now.
func (r *Rates) Allow(who Caller, now time.Time) bool {
	return r.limit == rate.Inf || r.of(who).AllowN(now, 1)
}

func (r *Rates) of(who Caller) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, ok := r.all.Get(who)
	if !ok {
		l = rate.NewLimiter(r.limit, r.burst)
		r.all.Put(who, l, 1)
	}
	return l
}

// Known returns how many callers are remembered.
func (r *Rates) Known() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return int(r.all.Weight())
}

// AddressKey returns the key of a remote address. For IPv6 that is the network of
// 64 bits, because one caller often has all of its addresses.
func AddressKey(remote string) (key Caller) {
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
