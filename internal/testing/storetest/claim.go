package storetest

import (
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// claim is the state of a world's lease.
type claim struct {
	fence  uint64
	leased bool // the fence is the number of a lease, which may be over
	holder string
	until  time.Time
}

// live reports whether someone has a lease.
func (c claim) live(now time.Time) bool { return c.leased && c.until.After(now) }

// under returns an error unless the fence permits a call.
func (c claim) under(fence uint64, now time.Time) error {
	switch {
	case fence == history.Force || fence == 0 && !c.live(now):
		return nil
	case fence == 0:
		return history.ErrLeased
	case fence != c.fence:
		return history.ErrFenced
	}
	return nil
}

// raise gives the world a new fence after a call under the old one.
func (c *claim) raise(fence uint64) {
	c.leased = c.leased && fence == c.fence
	c.fence++
}

func (c *claim) take(holder string, d time.Duration, now time.Time) error {
	if c.live(now) && (holder == "" || holder != c.holder) {
		return history.ErrLeased
	}
	*c = claim{fence: c.fence + 1, leased: true, holder: holder, until: now.Add(d)}
	return nil
}

func (c *claim) renew(fence uint64, d time.Duration, now time.Time) error {
	if !c.leased || fence != c.fence {
		return history.ErrFenced
	}
	c.until = now.Add(d)
	return nil
}

func (c *claim) release(fence uint64) error {
	if fence != history.Force && (!c.leased || fence != c.fence) {
		return history.ErrFenced
	}
	c.raise(0)
	return nil
}

// lease returns the live lease, or a zero one.
func (c claim) lease(now time.Time) history.Lease {
	if !c.live(now) {
		return history.Lease{}
	}
	return c.granted()
}

// granted returns the lease as the answer to its holder described it.
func (c claim) granted() history.Lease {
	return history.Lease{Fence: c.fence, Holder: c.holder, Until: c.until}
}
