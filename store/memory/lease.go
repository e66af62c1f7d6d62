package memory

import (
	"context"
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// Lease is for history.Leases.
func (s *Store) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	l, err := s.change(ctx, name, func(l history.Lease) (history.Lease, error) { return l.Take(holder, d, s.now()) })
	return l, fail("lease", name, err)
}

// Renew is for history.Leases.
func (s *Store) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	l, err := s.change(ctx, name, func(l history.Lease) (history.Lease, error) { return l.Renew(fence, d, s.now()) })
	return l, fail("renew", name, err)
}

// Release is for history.Leases.
func (s *Store) Release(ctx context.Context, name string, fence uint64) error {
	_, err := s.change(ctx, name, func(l history.Lease) (history.Lease, error) { return l.Release(fence) })
	return fail("release", name, err)
}

// change puts what what returns in place of a world's lease.
func (s *Store) change(ctx context.Context, name string, what func(history.Lease) (history.Lease, error)) (history.Lease, error) {
	if err := begin(ctx, name); err != nil {
		return history.Lease{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.line(name)
	if err != nil {
		return history.Lease{}, err
	}
	next, err := what(l.lease)
	if err != nil {
		return history.Lease{}, err
	}
	l.lease = next
	return next, nil
}

// Leased is for history.Leases.
func (s *Store) Leased(ctx context.Context, name string) (history.Lease, error) {
	if err := begin(ctx, name); err != nil {
		return history.Lease{}, fail("leased", name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err != nil {
		return history.Lease{}, fail("leased", name, err)
	}
	if !l.lease.Live(s.now()) {
		return history.Lease{}, nil
	}
	return l.lease, nil
}
