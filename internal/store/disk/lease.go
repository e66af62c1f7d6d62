package disk

import (
	"context"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// lockWorld locks the head, the log and the name of a world. If it returns no
// error, the caller calls unlock.
func (s *Store) lockWorld(name string) (w uint64, unlock func(), err error) {
	if w, err = s.live().World(name); err != nil {
		return 0, nil, err
	}
	return s.lockNamed(name, w)
}

// lockNamed is lockWorld for a caller that knows which world had the name a moment
// ago.
func (s *Store) lockNamed(name string, was uint64) (w uint64, unlock func(), err error) {
	for w = was; ; {
		lock := s.worlds.of(w)
		lock.Lock()
		now, err := s.live().World(name)
		if err == nil && now == w {
			return w, lock.Unlock, nil
		}
		lock.Unlock()
		if err != nil {
			return 0, nil, err
		}
		w = now
	}
}

// under returns the head and the lease of a world, or an error if the fence does
// not permit a call.
func (s *Store) under(w, fence uint64) (history.Head, history.Lease, error) {
	r, now := s.live(), s.Now() // the time first, so that what is read is not older than the time
	h, err := r.Head(w)
	if err != nil {
		return h, history.Lease{}, err
	}
	l, err := r.Lease(w, h)
	if err == nil {
		err = l.Admit(fence, now)
	}
	return h, l, err
}

// Lease is for history.Leases.
func (s *Store) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	l, err := s.change(ctx, name, func(l history.Lease) (history.Lease, error) { return l.Take(holder, d, s.Now()) })
	return l, fail("lease", name, err)
}

// Renew is for history.Leases.
func (s *Store) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	l, err := s.change(ctx, name, func(l history.Lease) (history.Lease, error) { return l.Renew(fence, d, s.Now()) })
	return l, fail("renew", name, err)
}

// Release is for history.Leases.
func (s *Store) Release(ctx context.Context, name string, fence uint64) error {
	_, err := s.change(ctx, name, func(l history.Lease) (history.Lease, error) { return l.Release(fence) })
	return fail("release", name, err)
}

// change replaces a world's lease by the one that what returns.
func (s *Store) change(ctx context.Context, name string, what func(history.Lease) (history.Lease, error)) (history.Lease, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return history.Lease{}, err
	}
	defer leave()
	w, unlock, err := s.lockWorld(name)
	if err != nil {
		return history.Lease{}, err
	}
	defer unlock()
	h, old, err := s.under(w, history.Force)
	if err != nil {
		return history.Lease{}, err
	}
	next, err := what(old)
	if err == nil {
		next, err = s.live().Raised(name, h.Fence, next)
	}
	if err != nil {
		return history.Lease{}, err
	}
	b := s.db.NewBatch()
	if err := add(b, record.Fenced(w, h, old, next)...); err != nil {
		return history.Lease{}, err
	}
	if err := s.apply(b, durable()); err != nil {
		return history.Lease{}, err
	}
	return next, nil
}

// Leased is for history.Leases.
func (s *Store) Leased(ctx context.Context, name string) (history.Lease, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return history.Lease{}, fail("leased", name, err)
	}
	defer leave()
	now := s.Now()             // before the lease is read, as in under
	snap := s.db.NewSnapshot() // to see head and lease of one moment
	defer snap.Close()
	l, err := frozen(snap).leased(name, now)
	return l, fail("leased", name, err)
}

// leased returns the lease that was live at a time, or a zero one.
func (r reads) leased(name string, now time.Time) (history.Lease, error) {
	w, err := r.World(name)
	if err != nil {
		return history.Lease{}, err
	}
	h, err := r.Head(w)
	if err != nil {
		return history.Lease{}, err
	}
	l, err := r.Lease(w, h)
	if err != nil || !l.Live(now) {
		return history.Lease{}, err
	}
	return l, nil
}
