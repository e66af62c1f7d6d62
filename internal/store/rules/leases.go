package rules

import (
	"context"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// checkFence returns the head and the lease of a world, or an error if the fence does not
// permit a call.
func checkFence(r record.Reads, now time.Time, w, fence uint64) (history.Head, history.Lease, error) {
	err := r.Ahead(record.HeadKey(w), record.LeaseKey(w))
	var h history.Head
	if err == nil {
		h, err = r.Head(w)
	}
	if err != nil {
		return h, history.Lease{}, err
	}
	l, err := r.Lease(w, h)
	if err == nil {
		err = permits(l, fence, now)
	}
	return h, l, err
}

// checkBase is checkFence, and returns an error unless base is the head.
func (d *Proposal) checkBase(w uint64, base history.Head) (history.Lease, error) {
	h, l, err := checkFence(d.Reads, d.Now, w, base.Fence)
	if err == nil && h.Commit != base.Commit {
		err = fmt.Errorf("on %v: %w", base.Commit, history.ErrConflict)
	}
	return l, err
}

// Lease implements history.Leases.
func (s *Worlds) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	return s.calls.lease(ctx, "lease", name, func(l history.Lease, now time.Time) (history.Lease, error) { return take(l, holder, d, now) })
}

// Renew implements history.Leases.
func (s *Worlds) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	return s.calls.lease(ctx, "renew", name, func(l history.Lease, now time.Time) (history.Lease, error) { return renew(l, fence, d, now) })
}

// Release implements history.Leases.
func (s *Worlds) Release(ctx context.Context, name string, fence uint64) error {
	_, err := s.calls.lease(ctx, "release", name, func(l history.Lease, _ time.Time) (history.Lease, error) { return release(l, fence) })
	return err
}

// lease replaces a world's lease by the one that what returns.
func (s *Runner) lease(ctx context.Context, op, name string, what func(history.Lease, time.Time) (history.Lease, error)) (next history.Lease, err error) {
	err = s.ChangeWorld(ctx, op, Subject{World: name}, func(d *Proposal, w uint64) error {
		h, old, err := checkFence(d.Reads, d.Now, w, history.Force)
		if err != nil {
			return err
		}
		if next, err = what(old, d.Now); err == nil {
			next, err = d.Raised(name, h.Fence, next)
		}
		d.Add(record.Fenced(w, h, old, next)...)
		return err
	})
	if err != nil {
		return history.Lease{}, err
	}
	return next, nil
}

// Leased implements history.Leases.
func (s *Worlds) Leased(ctx context.Context, name string) (l history.Lease, err error) {
	now, err := s.calls.Now(ctx) // before the lease is read, so that the lease is not older than the time
	if err != nil {
		return l, s.calls.Fail("leased", name, err)
	}
	err = s.calls.read(ctx, "leased", name, s.calls.Ask, func(r record.Reads, w uint64) error {
		_, l, err = checkFence(r, now, w, history.Force)
		return err
	})
	if err != nil || !live(l, now) {
		l = history.Lease{}
	}
	return l, err
}
