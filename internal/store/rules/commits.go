package rules

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Head implements history.Commits.
func (s *Worlds) Head(ctx context.Context, name string) (h history.Head, err error) {
	err = s.calls.read(ctx, "head", name, s.calls.AskAny, func(r record.Reads, w uint64) error {
		h, err = r.Head(w)
		return err
	})
	return h, err
}

// Log implements history.Commits.
func (s *Worlds) Log(ctx context.Context, name string, from history.ID, n int) (out []history.Commit, err error) {
	err = s.calls.read(ctx, "log", name, s.calls.Ask, func(r record.Reads, w uint64) error {
		out, err = r.CommitsOf(ctx, w, from, n)
		return err
	})
	return out, err
}

// Commit implements history.Commits.
func (s *Worlds) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (done history.Commit, err error) {
	err = s.calls.OnWorld(ctx, "commit", name, func() error {
		reached, err := admit(c, base, stones)
		if err != nil {
			return err
		}
		about := Subject{World: name, Stones: stones, Room: 1 + sizeOf(stones)}
		for _, ref := range c.Stones {
			about.Uses = append(about.Uses, record.StoneThing(ref.ID))
		}
		return s.calls.Change(ctx, about, func(d *Proposal) error {
			if err := d.Ahead(record.NameKey(name), record.CommitKey(c.Parent), record.CommitKey(c.Base)); err != nil {
				return err
			}
			done, err = d.commit(name, base, c, stones, reached)
			return err
		})
	})
	if err != nil {
		return history.Commit{}, err
	}
	done.Stones = slices.Clone(done.Stones)
	return done, nil
}

func sizeOf(stones []history.Stone) (n int) {
	for _, s := range stones {
		n += int(s.Size())
	}
	return n
}

// commit makes c the head. It returns c with its number and its time.
func (d *Proposal) commit(name string, base history.Head, c history.Commit, stones []history.Stone, reached []history.StoneRef) (history.Commit, error) {
	w, err := d.World(name)
	if err != nil {
		return c, err
	}
	lease, err := d.checkBase(w, base)
	if err != nil {
		return c, err
	}
	if c, err = d.complete(w, c); err != nil {
		return c, err
	}
	for _, st := range stones {
		if _, err := d.Name(d, st); err != nil {
			return c, err
		}
	}
	for _, ref := range reached {
		reaches := func() (bool, error) { return d.Unconditional.Reaches(w, ref.ID) }
		if err := d.requireStone(ref, reaches); err != nil {
			return c, err
		}
	}
	return c, d.advance(name, w, base, lease, c)
}

// complete checks and sets number and time of c. The parent of c is the head of the world.
func (d *Proposal) complete(w uint64, c history.Commit) (history.Commit, error) {
	if c.Base != (history.ID{}) && c.Base != c.Parent {
		if _, err := d.Logged(w, c.Base); err != nil {
			return c, fmt.Errorf("base: %w", err)
		}
	}
	var parent record.Entry
	if c.Parent != (history.ID{}) {
		var err error
		if parent, err = d.Unconditional.Placed(c.Parent); err != nil { // while it is the head, it is there
			return c, err
		}
	}
	stamp := func(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.999Z07:00") }
	switch {
	case c.HasTime() && c.Time.Before(parent.Time):
		return c, fmt.Errorf("%w: %s is before %s, the time of version %d", history.ErrTime, stamp(c.Time), stamp(parent.Time), parent.Number)
	case c.HasTime() && c.Time.After(d.Now.Add(time.Minute)): // the caller's clock may be ahead
		return c, fmt.Errorf("%w: %s is to come, it is %s", history.ErrTime, stamp(c.Time), stamp(d.Now))
	}
	return c.Complete(history.Commit{Number: parent.Number, Time: parent.Time}, d.Now), nil
}

// advance makes c the head.
func (d *Proposal) advance(name string, w uint64, base history.Head, lease history.Lease, c history.Commit) error {
	id := c.ID()
	if err := d.Make(d, record.CommitKey(id), c.Append(nil)); err != nil { // a fork may have made the same commit
		return err
	}
	next, err := d.Raised(name, lease.Fence, leaseAfter(lease, base.Fence, c.Base != c.Parent))
	if err != nil {
		return err
	}
	head := record.Advance(w, next.Fence, record.Entry{Number: c.Number, Commit: id, Time: c.Time})
	d.Add(head[:]...)
	d.Add(record.Leased(w, lease, next)...)
	d.ID, d.Commit = id, c
	return nil
}

// Keep makes a condemned stone needed again.
func (d *Proposal) Keep(ref history.StoneRef, in record.Info) {
	if in.Condemned {
		in.Condemned = false
		d.Set(record.StoneKey(ref.ID), in.Value())
	}
}

// requireStone keeps a stone, or returns ErrGone if there is none of this name and size, or
// if also says no.
func (d *Proposal) requireStone(ref history.StoneRef, also func() (bool, error)) error {
	in, err := d.Stone(ref)
	if err == nil && also != nil {
		var ok bool
		if ok, err = also(); err == nil && !ok {
			err = fmt.Errorf("stone %v: %w", ref.ID, history.ErrGone)
		}
	}
	if err == nil {
		d.Keep(ref, in)
	}
	return err
}
