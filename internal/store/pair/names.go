package pair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// List is for history.Store.
func (s *Store) List(ctx context.Context, prefix, after string, n int) ([]string, error) {
	leave, err := s.begin(ctx)
	if err != nil {
		return nil, fail("list", prefix, err)
	}
	defer leave()
	from, to := string(record.NameKey(prefix)), string(record.End(record.NameKey(prefix)))
	from = max(from, string(record.NameKey(after))+"\x00")
	if n <= 0 || from >= to {
		return nil, nil
	}
	found, err := s.catalogue.Scan(ctx, from, to, n, false)
	var out []string
	for _, r := range found {
		out = append(out, r.Key[1:])
	}
	return out, fail("list", prefix, err)
}

// put gives a name to the world that what returns.
func (s *Store) put(ctx context.Context, name string, what func(*draft) (uint64, error)) error {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return err
	}
	defer leave()
	return s.change(ctx, func(d *draft) error {
		d.likely(record.NameKey(name), nil)
		if _, err := d.World(name); err == nil {
			return fmt.Errorf("%q: %w", name, history.ErrExists)
		} else if !errors.Is(err, history.ErrNoWorld) {
			return err
		}
		w, err := what(d)
		d.set(record.NameKey(name), record.NumberValue(w))
		return err
	})
}

// errTaken says that another world has the number of a new world.
var errTaken = errors.New("the number of the new world is taken")

// free returns errTaken if a world has the number.
func free(d *draft, w uint64) error {
	d.likely(record.HeadKey(w), nil)
	b, err := d.Get(record.HeadKey(w))
	if b != nil {
		err = errTaken
	}
	return err
}

// putNew gives a name to a new world. what sets the head of the world with number w.
func (s *Store) putNew(ctx context.Context, name string, what func(d *draft, w uint64) error) error {
	for {
		w := s.number()
		err := s.put(ctx, name, func(d *draft) (uint64, error) {
			if err := free(d, w); err != nil {
				return w, err
			}
			return w, what(d, w)
		})
		if !errors.Is(err, errTaken) {
			return err
		}
	}
}

// Create is for history.Names.
func (s *Store) Create(ctx context.Context, name string) error {
	return fail("create", name, s.putNew(ctx, name, func(d *draft, w uint64) error {
		d.set(record.HeadKey(w), record.HeadValue(history.Head{}))
		return nil
	}))
}

// Fork is for history.Commits.
func (s *Store) Fork(ctx context.Context, from string, at history.ID, name string) error {
	leave, err := s.begin(ctx, from)
	if err == nil {
		defer leave()
		err = s.putNew(ctx, name, func(d *draft, w uint64) error {
			old, err := d.World(from)
			if err != nil {
				return err
			}
			e, err := d.Logged(old, at)
			if err != nil {
				return err
			}
			head := record.Advance(w, 0, e)
			d.add(head[:]...)
			return nil
		})
	}
	return fail("fork", from, err)
}

// Rename is for history.Names.
func (s *Store) Rename(ctx context.Context, from, to string, fence uint64) error {
	leave, err := s.begin(ctx, from)
	if err == nil {
		defer leave()
		err = s.put(ctx, to, func(d *draft) (uint64, error) {
			w, err := d.World(from)
			if err != nil {
				return 0, err
			}
			h, l, err := under(d.Reads, d.now, w, fence)
			if err != nil {
				return 0, err
			}
			spent, err := d.Spend(from, h.Fence)
			if err != nil {
				return 0, err
			}
			next, err := d.Beyond(to, l.After(fence, true))
			d.set(record.NameKey(from), nil)
			d.add(spent...)
			d.add(record.Fenced(w, h, l, next)...)
			return w, err
		})
	}
	return fail("rename", from, err)
}

// Delete is for history.Names.
func (s *Store) Delete(ctx context.Context, name string, fence uint64) error {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return fail("delete", name, err)
	}
	defer leave()
	return fail("delete", name, s.change(ctx, func(d *draft) error {
		w, err := d.World(name)
		if err != nil {
			return err
		}
		h, l, err := under(d.Reads, d.now, w, fence)
		if err != nil {
			return err
		}
		spent, err := d.Spend(name, h.Fence)
		if err != nil {
			return err
		}
		n, _, err := d.LastDeleted(name)
		if err != nil {
			return err
		}
		deleted := record.DeletedKey(name, n+1)
		if _, err := d.Get(deleted); err != nil { // make its absence a condition
			return err
		}
		d.set(record.NameKey(name), nil)
		d.set(deleted, record.DeletedWorld{World: w, Deleted: d.now}.Value())
		d.add(spent...)
		d.add(record.Fenced(w, h, l, l.After(history.Force, true))...)
		return nil
	}))
}

// Undelete is for history.Names.
func (s *Store) Undelete(ctx context.Context, name string) error {
	return fail("undelete", name, s.put(ctx, name, func(d *draft) (uint64, error) {
		n, value, err := d.LastDeleted(name)
		if err != nil {
			return 0, err
		}
		if value == nil {
			return 0, history.ErrNoWorld
		}
		for _, n := range []uint64{n, n + 1} { // conditions: it exists, and it is the last
			if _, err := d.Get(record.DeletedKey(name, n)); err != nil {
				return 0, err
			}
		}
		d.set(record.DeletedKey(name, n), nil)
		g, err := record.ParseDeleted(value)
		if err != nil {
			return 0, err
		}
		changes, err := d.Undeleted(name, g.World)
		d.add(changes...)
		return g.World, err
	}))
}

// Lease is for history.Leases.
func (s *Store) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	l, err := s.lease(ctx, name, func(l history.Lease, now time.Time) (history.Lease, error) { return l.Take(holder, d, now) })
	return l, fail("lease", name, err)
}

// Renew is for history.Leases.
func (s *Store) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	l, err := s.lease(ctx, name, func(l history.Lease, now time.Time) (history.Lease, error) { return l.Renew(fence, d, now) })
	return l, fail("renew", name, err)
}

// Release is for history.Leases.
func (s *Store) Release(ctx context.Context, name string, fence uint64) error {
	_, err := s.lease(ctx, name, func(l history.Lease, _ time.Time) (history.Lease, error) { return l.Release(fence) })
	return fail("release", name, err)
}

// lease replaces a world's lease by the one that what returns.
func (s *Store) lease(ctx context.Context, name string, what func(history.Lease, time.Time) (history.Lease, error)) (next history.Lease, err error) {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return history.Lease{}, err
	}
	defer leave()
	err = s.change(ctx, func(d *draft) error {
		w, err := d.World(name)
		if err != nil {
			return err
		}
		h, old, err := under(d.Reads, d.now, w, history.Force)
		if err != nil {
			return err
		}
		if next, err = what(old, d.now); err == nil {
			next, err = d.raised(name, h.Fence, next)
		}
		if err != nil {
			return err
		}
		d.add(record.Fenced(w, h, old, next)...)
		return nil
	})
	if err != nil {
		return history.Lease{}, err
	}
	return next, nil
}

// raised is Raised. A record that is missing is a dear condition for some catalogues, so it
// makes the one that was missing.
func (d *draft) raised(name string, was uint64, next history.Lease) (history.Lease, error) {
	if was > 0 || next.Fence == 0 {
		return next, nil
	}
	key := record.SpentKey(name)
	d.likely(key, nil)
	if b, err := d.Get(key); b == nil && err == nil {
		d.set(key, record.NumberValue(0))
	}
	return d.Raised(name, was, next)
}

// Leased is for history.Leases.
func (s *Store) Leased(ctx context.Context, name string) (l history.Lease, err error) {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return l, fail("leased", name, err)
	}
	defer leave()
	now, err := s.now(ctx) // before the lease is read, so that the lease is not older than the time
	if err != nil {
		return l, fail("leased", name, err)
	}
	err = s.ask(ctx, func(r record.Reads) error {
		w, err := r.World(name)
		if err != nil {
			return err
		}
		h, err := r.Head(w)
		if err != nil {
			return err
		}
		l, err = r.Lease(w, h)
		return err
	})
	if err != nil || !l.Live(now) {
		l = history.Lease{}
	}
	return l, fail("leased", name, err)
}
