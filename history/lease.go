package history

import (
	"fmt"
	"time"
)

// maxLease is what a longer lease is cut to.
const maxLease = 24 * time.Hour

// Live reports whether the lease's time is not over.
func (l Lease) Live(now time.Time) bool { return now.Before(l.Until) }

// What follows is for Stores. To them a Lease is the fence of a world with the
// lease that has this number; Until is zero if that was ended.

// Admit returns an error unless something may be done under a fence.
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

// After returns what is left when something was done under a fence that Admit
// takes. Raises says that it is one of those that raise the fence.
func (l Lease) After(fence uint64, raises bool) Lease {
	switch {
	case fence == Force || fence == 0 && raises:
		return Lease{Fence: l.Fence + 1}
	case raises:
		l.Fence++
	}
	return l
}

// Take returns the next lease, for holder.
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

// Release returns what is left when the lease has ended.
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
