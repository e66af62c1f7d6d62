package pair

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Head is for history.Commits.
func (s *Store) Head(ctx context.Context, name string) (h history.Head, err error) {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return h, fail("head", name, err)
	}
	defer leave()
	err = s.ask(ctx, func(r record.Reads) error {
		w, err := r.World(name)
		if err == nil {
			h, err = r.Head(w)
		}
		return err
	})
	return h, fail("head", name, err)
}

// Log is for history.Commits.
func (s *Store) Log(ctx context.Context, name string, from history.ID, n int) (out []history.Commit, err error) {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return nil, fail("log", name, err)
	}
	defer leave()
	err = s.ask(ctx, func(r record.Reads) error {
		w, err := r.World(name)
		if err == nil {
			out, err = r.CommitsOf(ctx, w, from, n)
		}
		return err
	})
	return out, fail("log", name, err)
}

// Commit is for history.Commits.
func (s *Store) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	c, err := s.commit(ctx, name, base, c, stones)
	return c, fail("commit", name, err)
}

func (s *Store) commit(ctx context.Context, name string, base history.Head, c history.Commit, stones []history.Stone) (history.Commit, error) {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return history.Commit{}, err
	}
	defer leave()
	reached, err := c.Admit(base, stones)
	if err != nil {
		return history.Commit{}, err
	}
	var done history.Commit
	needs := [][]byte{record.NameKey(name)}
	for _, at := range []history.ID{c.Parent, c.Base} {
		if at != (history.ID{}) {
			needs = append(needs, record.CommitKey(at))
		}
	}
	err = s.with(ctx, stones, func(d *draft, a *attempt) error {
		if err := a.ahead(d, needs...); err != nil {
			return err
		}
		w, err := d.World(name)
		if err != nil {
			return err
		}
		h, lease, err := under(d.Reads, d.now, w, base.Fence)
		if err == nil {
			err = h.Follows(base)
		}
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
			if err := reach(d, w, ref); err != nil {
				return err
			}
		}
		return s.advance(d, name, w, base, lease, done)
	})
	if err != nil {
		return history.Commit{}, err
	}
	done.Stones = slices.Clone(done.Stones)
	return done, nil
}

// Confirm is for history.Confirmer. It writes the head as it is. That the commit is in the
// log is a condition: the Swap may come to another server than what was read.
func (s *Store) Confirm(ctx context.Context, name string, at history.ID) error {
	leave, err := s.begin(ctx, name)
	if err != nil {
		return fail("confirm", name, err)
	}
	defer leave()
	err = s.change(ctx, func(d *draft) error {
		w, err := d.World(name)
		if err != nil {
			return err
		}
		if _, err := d.Logged(w, at); err != nil {
			return err
		}
		head, err := d.Get(record.HeadKey(w))
		d.set(record.HeadKey(w), head)
		return err
	})
	return fail("confirm", name, err)
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
		// While it is the head, it is there.
		if parent, err = (record.Reads{Reader: implied{d.reader}}).Commit(c.Parent); err != nil {
			return c, err
		}
	}
	return c.Complete(parent, d.now), nil
}

// reach keeps a stone that the world must reach already.
func reach(d *draft, w uint64, ref history.StoneRef) error {
	in, ok, err := d.Info(ref.ID)
	if err == nil && ok {
		ok, err = d.unseen().Reaches(w, ref.ID)
	}
	if err != nil {
		return err
	}
	if !ok || in.Size != ref.Size {
		return fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, history.ErrGone)
	}
	keep(d, ref.ID, in)
	return nil
}

// advance makes c the head.
func (s *Store) advance(d *draft, name string, w uint64, base history.Head, lease history.Lease, c history.Commit) error {
	id := c.ID()
	d.assume(record.CommitKey(id))
	had, err := d.Get(record.CommitKey(id))
	if err != nil {
		return err
	}
	if had == nil {
		d.set(record.CommitKey(id), c.Append(nil))
	} else {
		s.disturb(d) // a fork made the same commit and may be losing it now
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

// disturb makes a Collect or a Purge in progress start again.
func (s *Store) disturb(d *draft) { d.set([]byte(runKey), record.NumberValue(s.number())) }
