package rules

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// put gives a name to the world that what returns.
func (s *Runner) put(ctx context.Context, about Subject, name string, what func(*Proposal) (uint64, error)) error {
	if err := history.CheckName(name); err != nil {
		return err
	}
	about.Names = append(about.Names, name)
	return s.Change(ctx, about, func(d *Proposal) error {
		if _, err := d.World(name); err == nil {
			return fmt.Errorf("%q: %w", name, history.ErrExists)
		} else if !errors.Is(err, history.ErrNoWorld) {
			return err
		}
		w, err := what(d)
		d.Set(record.NameKey(name), record.NumberValue(w))
		return err
	})
}

// ErrTaken says that another world has the number of a new world.
var ErrTaken = errors.New("the number of the new world is taken")

// CheckFree returns ErrTaken if a world has the number.
func (d *Proposal) CheckFree(w uint64) error {
	b, err := d.Get(record.HeadKey(w))
	if b != nil {
		err = ErrTaken
	}
	return err
}

// putNew gives a name to a new world. what sets the head of the world with number w.
func (s *Runner) putNew(ctx context.Context, about Subject, name string, what func(d *Proposal, w uint64) error) error {
	about.Room = 1
	for {
		w := s.Number()
		err := s.put(ctx, about, name, func(d *Proposal) (uint64, error) {
			if err := d.CheckFree(w); err != nil {
				return w, err
			}
			return w, what(d, w)
		})
		if !errors.Is(err, ErrTaken) {
			return err
		}
	}
}

// Create implements history.Names.
func (s *Worlds) Create(ctx context.Context, name string) error {
	return s.calls.OnWorld(ctx, "create", name, func() error {
		return s.calls.putNew(ctx, Subject{}, name, func(d *Proposal, w uint64) error {
			d.Set(record.HeadKey(w), record.HeadValue(history.Head{}))
			return nil
		})
	})
}

// Fork implements history.Commits.
func (s *Worlds) Fork(ctx context.Context, from string, at history.ID, name string) error {
	return s.calls.OnWorld(ctx, "fork", from, func() error {
		return s.calls.putNew(ctx, Subject{World: from, Stays: true}, name, func(d *Proposal, w uint64) error {
			old, err := d.World(from)
			if err != nil {
				return err
			}
			e, err := d.Logged(old, at)
			if err != nil {
				return err
			}
			head := record.Advance(w, 0, e)
			d.Add(head[:]...)
			return nil
		})
	})
}

// Rename implements history.Names.
func (s *Worlds) Rename(ctx context.Context, from, to string, fence uint64) error {
	return s.calls.OnWorld(ctx, "rename", from, func() error {
		return s.calls.put(ctx, Subject{World: from, Names: []string{from}}, to, func(d *Proposal) (uint64, error) {
			w, err := d.World(from)
			if err != nil {
				return 0, err
			}
			h, l, err := d.LosesName(from, w, fence)
			if err != nil {
				return 0, err
			}
			next, err := d.Beyond(to, leaseAfter(l, fence, true))
			d.Set(record.NameKey(from), nil)
			d.Add(record.Fenced(w, h, l, next)...)
			return w, err
		})
	})
}

// Delete implements history.Names.
func (s *Worlds) Delete(ctx context.Context, name string, fence uint64) error {
	return s.calls.ChangeWorld(ctx, "delete", Subject{World: name, Names: []string{name}}, func(d *Proposal, w uint64) error {
		h, l, err := d.LosesName(name, w, fence)
		if err != nil {
			return err
		}
		d.Set(record.NameKey(name), nil)
		d.Add(record.Fenced(w, h, l, leaseAfter(l, history.Force, true))...)
		return d.addDeleted(name, record.DeletedWorld{World: w, Deleted: d.Now})
	})
}

// Undelete implements history.Names.
func (s *Worlds) Undelete(ctx context.Context, name string) error {
	return s.calls.OnWorld(ctx, "undelete", name, func() error {
		return s.calls.put(ctx, Subject{}, name, func(d *Proposal) (uint64, error) {
			n, value, err := d.LastDeleted(name)
			if err != nil {
				return 0, err
			}
			if value == nil {
				return 0, history.ErrNoWorld
			}
			for _, n := range []uint64{n, n + 1} { // it stays, and it stays the last
				if _, err := d.Get(record.DeletedKey(name, n)); err != nil {
					return 0, err
				}
			}
			d.Set(record.DeletedKey(name, n), nil)
			g, err := record.ParseDeleted(value)
			if err != nil {
				return 0, err
			}
			changes, err := d.Undeleted(name, g.World)
			d.Add(changes...)
			return g.World, err
		})
	})
}

// LosesName returns the fence of a world's head and its lease, which the fence of a call
// permits to lose the name. Fences of the next world with this name are above.
func (d *Proposal) LosesName(name string, w, fence uint64) (history.Head, history.Lease, error) {
	h, l, err := checkFence(d.Reads, d.Now, w, fence)
	if err != nil {
		return h, l, err
	}
	spent, err := d.Spend(name, h.Fence)
	d.Add(spent...)
	return h, l, err
}

// addDeleted adds the record of a world that is deleted under a name.
func (d *Proposal) addDeleted(name string, g record.DeletedWorld) error {
	n, _, err := d.LastDeleted(name)
	if err != nil {
		return err
	}
	key := record.DeletedKey(name, n+1)
	_, err = d.Get(key) // it stays missing
	d.Set(key, g.Value())
	return err
}
