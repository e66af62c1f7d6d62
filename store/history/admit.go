package history

import (
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// Admit makes those checks of a Commit call that need no Store. Stores call it. It
// checks the bounds, that c follows base, that each given stone has the bytes that
// its ID names, and that c names each given stone with its size. It returns the
// stones that c names and that were not given; the world must reach them already.
func (c Commit) Admit(base Head, stones []Stone) ([]StoneRef, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Parent != base.Commit {
		return nil, fmt.Errorf("history: commit: parent %v: the base is %v", c.Parent, base.Commit)
	}
	given := make(map[stone.ID]int64, len(stones))
	for _, s := range stones {
		if err := s.Check(); err != nil {
			return nil, err
		}
		given[s.ID] = s.Size()
	}
	var reached []StoneRef
	named := 0
	for i, ref := range c.Stones {
		size, ok := given[ref.ID]
		switch {
		case !ok:
			reached = append(reached, ref)
		case size != ref.Size:
			return nil, fmt.Errorf("history: commit: stone %v has %d bytes: the commit names it with %d", ref.ID, size, ref.Size)
		case !namedIn(c.Stones[:i], ref.ID):
			named++
		}
	}
	if named < len(given) {
		return nil, errors.New("history: commit: the commit does not name all given stones")
	}
	return reached, nil
}

func namedIn(refs []StoneRef, id stone.ID) bool {
	for _, ref := range refs {
		if ref.ID == id {
			return true
		}
	}
	return false
}

// Complete returns c as a Store keeps it: with its number and its time. A commit
// without a parent gets the zero Commit.
func (c Commit) Complete(parent Commit, now time.Time) Commit {
	c.Number = parent.Number + 1
	c.Time = time.UnixMilli(now.UnixMilli()).UTC()
	if parent.Number > 0 && c.Time.Before(parent.Time) {
		c.Time = parent.Time
	}
	return c
}

// Admit makes those checks of a PutPack call that need no Store. Stores call it.
func (p Pack) Admit(s Stone) error {
	switch {
	case p.Upto == ID{}:
		return fmt.Errorf("history: pack: upto: %w", ErrNoCommit)
	case p.Upto == p.After:
		return fmt.Errorf("history: pack of %v: replaces no commit", p.Upto)
	case p.Stone != s.Ref():
		return fmt.Errorf("history: pack of %v: names stone %v of %d bytes: got %v of %d",
			p.Upto, p.Stone.ID, p.Stone.Size, s.ID, s.Size())
	}
	return s.Check()
}

// GraceOver reports whether the grace of a stone that was condemned at t has ended.
func (p Policy) GraceOver(now, t time.Time) bool { return over(p.Grace, time.Hour, now, t) }

// DeletedOver reports whether Collect may remove a world that was deleted at t.
func (p Policy) DeletedOver(now, t time.Time) bool { return over(p.Deleted, 7*day, now, t) }

func over(wait, standard time.Duration, now, t time.Time) bool {
	if wait == 0 {
		wait = standard
	}
	return wait < 0 || now.Sub(t) > wait
}
