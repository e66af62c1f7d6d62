package rules

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// maxLease is the longest lease. A longer one is cut to it.
const maxLease = 24 * time.Hour

// wrongBy is by how much a time may be wrong that was written while a clock was. What lies
// ahead by more can only come of a wrong clock.
const wrongBy = time.Hour

// live reports whether the lease has not ended at now. One that would last longer than
// leases do was taken while a clock was wrong, and is not live: otherwise nobody could take
// the world for as long as that clock was ahead. Its number still guards the world.
func live(l history.Lease, now time.Time) bool {
	return now.Before(l.Until) && l.Until.Before(now.Add(maxLease+wrongBy))
}

// In the functions below a Lease is the fence of a world together with the lease that has
// this number. Until is zero if the lease was ended.

// permits returns an error unless a call under this fence is allowed now.
func permits(l history.Lease, fence uint64, now time.Time) error {
	switch {
	case fence == 0 && live(l, now):
		return fmt.Errorf("fence 0: until %v: %w", l.Until, history.ErrLeased)
	case fence != 0 && fence != history.Force && fence != l.Fence:
		return fmt.Errorf("fence %d: %w", fence, history.ErrFenced)
	}
	return nil
}

// leaseAfter returns the lease that is left after a call under a fence that permits
// accepts. raises says whether the call is one that raises the fence.
func leaseAfter(l history.Lease, fence uint64, raises bool) history.Lease {
	switch {
	case fence == history.Force || fence == 0 && raises:
		return history.Lease{Fence: l.Fence + 1}
	case raises:
		l.Fence++
	}
	return l
}

// take returns the next lease, which belongs to holder.
func take(l history.Lease, holder string, d time.Duration, now time.Time) (history.Lease, error) {
	if len(holder) > history.MaxHolder {
		return l, fmt.Errorf("lease: holder of %d bytes: at most %d", len(holder), history.MaxHolder)
	}
	if live(l, now) && (holder == "" || holder != l.Holder) {
		return l, fmt.Errorf("until %v: %w", l.Until, history.ErrLeased)
	}
	until, err := leaseEnd(d, now)
	return history.Lease{Fence: l.Fence + 1, Holder: holder, Until: until}, err
}

// renew returns the lease with a new end.
func renew(l history.Lease, fence uint64, d time.Duration, now time.Time) (history.Lease, error) {
	if fence != l.Fence || l.Until.IsZero() {
		return l, fmt.Errorf("fence %d: %w", fence, history.ErrFenced)
	}
	var err error
	l.Until, err = leaseEnd(d, now)
	return l, err
}

// release returns the lease that is left after this one was ended.
func release(l history.Lease, fence uint64) (history.Lease, error) {
	if fence != history.Force && (fence != l.Fence || l.Until.IsZero()) {
		return l, fmt.Errorf("fence %d: %w", fence, history.ErrFenced)
	}
	return history.Lease{Fence: l.Fence + 1}, nil
}

func leaseEnd(d time.Duration, now time.Time) (time.Time, error) {
	if d < time.Millisecond {
		return time.Time{}, fmt.Errorf("lease: %v: at least a millisecond", d)
	}
	return time.UnixMilli(now.Add(min(d, maxLease)).UnixMilli()).UTC(), nil
}

// admit makes those checks of a Commit call that need no record. It checks the bounds, that c follows base, that each given stone has the bytes that
// its ID names, and that c names each given stone with its size. It returns the
// stones that c names and that were not given; the world must reach them already.
func admit(c history.Commit, base history.Head, stones []history.Stone) ([]history.StoneRef, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Parent != base.Commit {
		return nil, fmt.Errorf("commit: parent %v: the base is %v", c.Parent, base.Commit)
	}
	given := make(map[stone.ID]int64, len(stones))
	for _, s := range stones {
		if err := s.Check(); err != nil {
			return nil, err
		}
		given[s.ID] = s.Size()
	}
	var reached []history.StoneRef
	named := 0
	for i, ref := range c.Stones {
		size, ok := given[ref.ID]
		switch {
		case !ok:
			reached = append(reached, ref)
		case size != ref.Size:
			return nil, fmt.Errorf("commit: stone %v has %d bytes: the commit names it with %d", ref.ID, size, ref.Size)
		case !namedIn(c.Stones[:i], ref.ID):
			named++
		}
	}
	if named < len(given) {
		return nil, errors.New("commit: the commit does not name all given stones")
	}
	return reached, nil
}

func namedIn(refs []history.StoneRef, id stone.ID) bool {
	for _, ref := range refs {
		if ref.ID == id {
			return true
		}
	}
	return false
}
