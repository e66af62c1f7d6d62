package history

import (
	"fmt"
	"time"
)

// maxLease is the longest lease. A longer one is cut to it.
const maxLease = 24 * time.Hour

// wrongBy is by how much a time may be wrong that was written while a clock was. What lies
// ahead by more can only come of a wrong clock.
const wrongBy = time.Hour

// Live reports whether the lease has not ended at now. One that would last longer than
// leases do was taken while a clock was wrong, and is not live: otherwise nobody could take
// the world for as long as that clock was ahead. Its number still guards the world.
func (l Lease) Live(now time.Time) bool {
	return now.Before(l.Until) && l.Until.Before(now.Add(maxLease+wrongBy))
}

// The methods below are for Stores. There, a Lease is the fence of a world together
// with the lease that has this number. Until is zero if the lease was ended.

// Admit returns an error unless a call under this fence is allowed now.
func (l Lease) Admit(fence uint64, now time.Time) error {
	switch {
	case fence == 0 && l.Live(now):
		return fmt.Errorf("fence 0: until %v: %w", l.Until, ErrLeased)
	case fence != 0 && fence != Force && fence != l.Fence:
		return fmt.Errorf("fence %d: %w", fence, ErrFenced)
	}
	return nil
}

// Follows returns ErrConflict unless h is the commit of base.
func (h Head) Follows(base Head) error {
	if h.Commit != base.Commit {
		return fmt.Errorf("on %v: %w", base.Commit, ErrConflict)
	}
	return nil
}

// After returns the lease that is left after a call under a fence that Admit
// accepts. raises says whether the call is one that raises the fence.
func (l Lease) After(fence uint64, raises bool) Lease {
	switch {
	case fence == Force || fence == 0 && raises:
		return Lease{Fence: l.Fence + 1}
	case raises:
		l.Fence++
	}
	return l
}

// Take returns the next lease, which belongs to holder.
func (l Lease) Take(holder string, d time.Duration, now time.Time) (Lease, error) {
	if len(holder) > MaxHolder {
		return l, fmt.Errorf("history: lease: holder of %d bytes: at most %d", len(holder), MaxHolder)
	}
	if l.Live(now) && (holder == "" || holder != l.Holder) {
		return l, fmt.Errorf("until %v: %w", l.Until, ErrLeased)
	}
	until, err := leaseEnd(d, now)
	return Lease{Fence: l.Fence + 1, Holder: holder, Until: until}, err
}

// Renew returns the lease with a new end.
func (l Lease) Renew(fence uint64, d time.Duration, now time.Time) (Lease, error) {
	if fence != l.Fence || l.Until.IsZero() {
		return l, fmt.Errorf("fence %d: %w", fence, ErrFenced)
	}
	var err error
	l.Until, err = leaseEnd(d, now)
	return l, err
}

// Release returns the lease that is left after this one was ended.
func (l Lease) Release(fence uint64) (Lease, error) {
	if fence != Force && (fence != l.Fence || l.Until.IsZero()) {
		return l, fmt.Errorf("fence %d: %w", fence, ErrFenced)
	}
	return Lease{Fence: l.Fence + 1}, nil
}

func leaseEnd(d time.Duration, now time.Time) (time.Time, error) {
	if d < time.Millisecond {
		return time.Time{}, fmt.Errorf("history: lease: %v: at least a millisecond", d)
	}
	return time.UnixMilli(now.Add(min(d, maxLease)).UnixMilli()).UTC(), nil
}
