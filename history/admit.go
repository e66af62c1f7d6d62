package history

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/stone"
)

// Admit checks, for Stores, what can be checked of a Commit call without one:
// bounds, that c follows base, that the stones are what they are called, and
// that c names each of them with its size. It returns those that c names and
// that were not given: the world must reach them already.
func (c Commit) Admit(base Head, stones []Stone) ([]StoneRef, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.Parent != base.Commit {
		return nil, fmt.Errorf("history: commit: parent %v: the base is %v", c.Parent, base.Commit)
	}
	given := make(map[stone.ID]int64, len(stones))
	for _, s := range stones {
		if err := s.check(); err != nil {
			return nil, err
		}
		given[s.ID] = int64(len(s.Data))
	}
	var reached []StoneRef
	named := 0
	for i, ref := range c.Stones {
		size, ok := given[ref.ID]
		switch {
		case !ok:
			reached = append(reached, ref)
		case size != ref.Size:
			return nil, fmt.Errorf("history: commit: stone %v of %d bytes: named with %d", ref.ID, size, ref.Size)
		case !namedIn(c.Stones[:i], ref.ID):
			named++
		}
	}
	if named < len(given) {
		return nil, errors.New("history: commit: a stone is given that the commit does not name")
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

func (s Stone) check() error {
	if got := stone.ID(sha256.Sum256(s.Data)); got != s.ID {
		return fmt.Errorf("history: stone %v: its bytes are those of %v", s.ID, got)
	}
	return nil
}

// Complete returns c as a Store keeps it: numbered and dated after its parent,
// the zero Commit if it has none.
func (c Commit) Complete(parent Commit, now time.Time) Commit {
	c.Number = parent.Number + 1
	c.Time = time.UnixMilli(now.UnixMilli()).UTC()
	if parent.Number > 0 && c.Time.Before(parent.Time) {
		c.Time = parent.Time
	}
	return c
}

// Admit checks, for Stores, what can be checked of a PutPack call without one.
func (p Pack) Admit(s Stone) error {
	switch {
	case p.Upto == ID{}:
		return fmt.Errorf("history: pack: upto: %w", ErrNoCommit)
	case p.Upto == p.After:
		return fmt.Errorf("history: pack of %v: stands for nothing", p.Upto)
	case p.Stone != s.Ref():
		return fmt.Errorf("history: pack of %v: names stone %v of %d bytes: given %v of %d",
			p.Upto, p.Stone.ID, p.Stone.Size, s.ID, len(s.Data))
	}
	return s.check()
}

// GraceOver reports whether a stone condemned at t may be deleted.
func (p Policy) GraceOver(now, t time.Time) bool { return over(p.Grace, time.Hour, now, t) }

// DeletedOver reports whether a world deleted at t may be taken for good.
func (p Policy) DeletedOver(now, t time.Time) bool { return over(p.Deleted, 7*day, now, t) }

func over(wait, standard time.Duration, now, t time.Time) bool {
	if wait == 0 {
		wait = standard
	}
	return wait < 0 || now.Sub(t) > wait
}
