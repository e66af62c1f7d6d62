package pair

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

func (s *Store) Head(ctx context.Context, name string) (h history.Head, err error) {
	err = s.readWorld(ctx, "head", name, func(r record.Reads, w uint64) error {
		h, err = r.Head(w)
		return err
	})
	return h, err
}

func (s *Store) Log(ctx context.Context, name string, from history.ID, n int) (out []history.Commit, err error) {
	err = s.readWorld(ctx, "log", name, func(r record.Reads, w uint64) error {
		out, err = r.CommitsOf(ctx, w, from, n)
		return err
	})
	return out, err
}

func (s *Store) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (done history.Commit, err error) {
	err = s.onWorld(ctx, "commit", name, func() error {
		done, err = s.commit(ctx, name, base, c, stones)
		return err
	})
	if err != nil {
		return history.Commit{}, err
	}
	done.Stones = slices.Clone(done.Stones)
	return done, nil
}

func (s *Store) commit(ctx context.Context, name string, base history.Head, c history.Commit, stones []history.Stone) (done history.Commit, err error) {
	reached, err := c.Admit(base, stones)
	if err != nil {
		return done, err
	}
	needs := [][]byte{record.NameKey(name)}
	for _, at := range []history.ID{c.Parent, c.Base} {
		if at != (history.ID{}) {
			needs = append(needs, record.CommitKey(at))
		}
	}
	return done, s.with(ctx, stones, func(d *draft, a *attempt) error {
		if err := a.ahead(d, needs...); err != nil {
			return err
		}
		w, err := d.World(name)
		if err != nil {
			return err
		}
		lease, err := checkBase(d.Reads, d.now, w, base)
		if err != nil {
			return err
		}
		if done, err = complete(d, w, c); err != nil {
			return err
		}
		for _, st := range stones {
			if err := a.name(d, st); err != nil {
				return err
			}
		}
		for _, ref := range reached {
			reaches := func() (bool, error) { return d.unconditional().Reaches(w, ref.ID) }
			if err := d.requireStone(ref, reaches); err != nil {
				return err
			}
		}
		return s.advance(d, name, w, base, lease, done)
	})
}

// Confirm writes the head as it is. That the commit is in the log is a condition: the Swap
// may come to another server than what was read.
func (s *Store) Confirm(ctx context.Context, name string, at history.ID) error {
	return s.changeWorld(ctx, "confirm", name, func(d *draft, w uint64) error {
		if _, err := d.Logged(w, at); err != nil {
			return err
		}
		head, err := d.Get(record.HeadKey(w))
		d.set(record.HeadKey(w), head)
		return err
	})
}

// complete sets number and time of c. The parent of c is the head of the world.
func complete(d *draft, w uint64, c history.Commit) (history.Commit, error) {
	if c.Base != (history.ID{}) && c.Base != c.Parent {
		if _, err := d.Logged(w, c.Base); err != nil {
			return c, fmt.Errorf("base: %w", err)
		}
	}
	var parent history.Commit
	if c.Parent != (history.ID{}) {
		var err error
		// That it is the head is a condition: so it is there.
		if parent, err = d.unconditional().Commit(c.Parent); err != nil {
			return c, err
		}
	}
	return c.Complete(parent, d.now), nil
}

// advance makes c the head.
func (s *Store) advance(d *draft, name string, w uint64, base history.Head, lease history.Lease, c history.Commit) error {
	id := c.ID()
	d.presumeMissing(record.CommitKey(id))
	had, err := d.Get(record.CommitKey(id))
	if err != nil {
		return err
	}
	if had == nil {
		d.set(record.CommitKey(id), c.Append(nil))
	} else {
		s.restartSweep(d) // a fork made the same commit and may be losing it now
	}
	next, err := d.raised(name, lease.Fence, lease.After(base.Fence, c.Base != c.Parent))
	if err != nil {
		return err
	}
	head := record.Advance(w, next.Fence, record.Entry{Number: c.Number, Commit: id, Time: c.Time})
	d.add(head[:]...)
	d.add(record.Leased(w, lease, next)...)
	return nil
}
