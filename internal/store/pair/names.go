package pair

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

func (s *Store) List(ctx context.Context, prefix, after string, n int) (out []string, err error) {
	err = s.onStore(ctx, "list", func() error {
		from, to := string(record.NameKey(prefix)), string(record.End(record.NameKey(prefix)))
		from = max(from, string(record.NameKey(after))+"\x00")
		if n <= 0 || from >= to {
			return nil
		}
		found, err := s.catalogue.Scan(ctx, from, to, n, false)
		for _, r := range found {
			out = append(out, r.Key[1:])
		}
		return err
	})
	return out, err
}

// put gives a name to the world that what returns.
func (s *Store) put(ctx context.Context, name string, what func(*draft) (uint64, error)) error {
	if err := history.CheckName(name); err != nil {
		return err
	}
	return s.change(ctx, func(d *draft) error {
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

// putNew gives a name to a new world. what sets the head of the world with number w.
func (s *Store) putNew(ctx context.Context, name string, what func(d *draft, w uint64) error) error {
	for {
		w := s.number()
		err := s.put(ctx, name, func(d *draft) (uint64, error) {
			if err := d.checkFree(w); err != nil {
				return w, err
			}
			return w, what(d, w)
		})
		if !errors.Is(err, errTaken) {
			return err
		}
	}
}

func (s *Store) Create(ctx context.Context, name string) error {
	return s.onWorld(ctx, "create", name, func() error {
		return s.putNew(ctx, name, func(d *draft, w uint64) error {
			d.set(record.HeadKey(w), record.HeadValue(history.Head{}))
			return nil
		})
	})
}

func (s *Store) Fork(ctx context.Context, from string, at history.ID, name string) error {
	return s.onWorld(ctx, "fork", from, func() error {
		return s.putNew(ctx, name, func(d *draft, w uint64) error {
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
	})
}

func (s *Store) Rename(ctx context.Context, from, to string, fence uint64) error {
	return s.onWorld(ctx, "rename", from, func() error {
		return s.put(ctx, to, func(d *draft) (uint64, error) {
			w, err := d.World(from)
			if err != nil {
				return 0, err
			}
			h, l, err := d.losesName(from, d.now, w, fence)
			if err != nil {
				return 0, err
			}
			next, err := d.Beyond(to, l.After(fence, true))
			d.set(record.NameKey(from), nil)
			d.add(record.Fenced(w, h, l, next)...)
			return w, err
		})
	})
}

func (s *Store) Delete(ctx context.Context, name string, fence uint64) error {
	return s.changeWorld(ctx, "delete", name, func(d *draft, w uint64) error {
		h, l, err := d.losesName(name, d.now, w, fence)
		if err != nil {
			return err
		}
		d.set(record.NameKey(name), nil)
		d.add(record.Fenced(w, h, l, l.After(history.Force, true))...)
		return d.addDeleted(name, record.DeletedWorld{World: w, Deleted: d.now})
	})
}

func (s *Store) Undelete(ctx context.Context, name string) error {
	return s.onWorld(ctx, "undelete", name, func() error {
		return s.put(ctx, name, func(d *draft) (uint64, error) {
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
		})
	})
}

func (s *Store) Lease(ctx context.Context, name, holder string, d time.Duration) (history.Lease, error) {
	return s.lease(ctx, "lease", name, func(l history.Lease, now time.Time) (history.Lease, error) { return l.Take(holder, d, now) })
}

func (s *Store) Renew(ctx context.Context, name string, fence uint64, d time.Duration) (history.Lease, error) {
	return s.lease(ctx, "renew", name, func(l history.Lease, now time.Time) (history.Lease, error) { return l.Renew(fence, d, now) })
}

func (s *Store) Release(ctx context.Context, name string, fence uint64) error {
	_, err := s.lease(ctx, "release", name, func(l history.Lease, _ time.Time) (history.Lease, error) { return l.Release(fence) })
	return err
}

// lease replaces a world's lease by the one that what returns.
func (s *Store) lease(ctx context.Context, op, name string, what func(history.Lease, time.Time) (history.Lease, error)) (next history.Lease, err error) {
	err = s.changeWorld(ctx, op, name, func(d *draft, w uint64) error {
		h, old, err := checkFence(d.Reads, d.now, w, history.Force)
		if err != nil {
			return err
		}
		if next, err = what(old, d.now); err == nil {
			next, err = d.raised(name, h.Fence, next)
		}
		d.add(record.Fenced(w, h, old, next)...)
		return err
	})
	if err != nil {
		return history.Lease{}, err
	}
	return next, nil
}

func (s *Store) Leased(ctx context.Context, name string) (l history.Lease, err error) {
	now, err := s.now(ctx) // before the lease is read, so that the lease is not older than the time
	if err != nil {
		return l, fail("leased", name, err)
	}
	err = s.readWorld(ctx, "leased", name, func(r record.Reads, w uint64) error {
		_, l, err = checkFence(r, now, w, history.Force)
		return err
	})
	if err != nil || !l.Live(now) {
		l = history.Lease{}
	}
	return l, err
}
