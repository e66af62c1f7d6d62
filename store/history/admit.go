package history

import (
	"fmt"
	"time"
)

// HasTime reports whether the caller of Store.Commit says the time of c: one after 1970 began.
func (c Commit) HasTime() bool { return c.Time.UnixMilli() > 0 }

// Complete returns c as a Store keeps it: with its number, and with its time if it has none. A
// commit without a parent gets the zero Commit.
func (c Commit) Complete(parent Commit, now time.Time) Commit {
	c.Number = parent.Number + 1
	if c.HasTime() {
		now = c.Time
	}
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
