package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// step is what there is of a commit. Its record may be missing where a pack is.
type step struct {
	at     history.ID
	commit history.Commit
	pack   history.Pack
	packed bool
}

func (r Reads) step(at history.ID) (s step, err error) {
	s.at = at
	if s.pack, s.packed, err = r.Pack(at); err != nil {
		return s, err
	}
	s.commit, err = r.Commit(at)
	if s.packed && errors.Is(err, history.ErrNoCommit) {
		err = nil
	}
	return s, err
}

// below returns what the stack goes on with below the step: zero if nothing.
func (s *step) below() history.ID {
	if s.packed {
		return s.pack.After
	}
	return s.commit.Base
}

// names reports whether the commit names the stone or has a pack of it.
func (s *step) names(id stone.ID) bool {
	found := s.packed && s.pack.Stone.ID == id
	for _, ref := range s.commit.Stones {
		found = found || ref.ID == id
	}
	return found
}

// things returns the commit, its stones, its pack and the pack's stone.
func (s *step) things() []Thing {
	out := []Thing{CommitThing(s.at)}
	for _, ref := range s.commit.Stones {
		out = append(out, StoneThing(ref.ID))
	}
	if s.packed {
		out = append(out, PackThing(s.at), StoneThing(s.pack.Stone.ID))
	}
	return out
}

// Below returns what the stack of at goes on with below it: zero if nothing.
func (r Reads) Below(at history.ID) (history.ID, error) {
	p, ok, err := r.Pack(at)
	if ok || err != nil {
		return p.After, err
	}
	return r.Base(at)
}

// Base returns the base of a commit.
func (r Reads) Base(at history.ID) (history.ID, error) {
	c, err := r.Commit(at)
	return c.Base, err
}

// stands reports whether going down from at by next comes to on.
func stands(at, on history.ID, next func(history.ID) (history.ID, error)) (bool, error) {
	var err error
	for at != (history.ID{}) && at != on && err == nil {
		at, err = next(at)
	}
	return at == on, err
}

// Reaches reports whether a commit of the world's log, or one that its stack
// lies on, names the stone or has a pack of it. The head comes first.
func (r Reads) Reaches(w uint64, id stone.ID) (found bool, err error) {
	seen := make(map[history.ID]bool)
	err = r.Log(w, Newest, func(e Entry) (bool, error) {
		for at := e.Commit; at != (history.ID{}) && !seen[at]; {
			seen[at] = true
			s, err := r.step(at)
			if err != nil || s.names(id) {
				found = err == nil
				return false, err
			}
			at = s.below()
		}
		return true, nil
	})
	return found, err
}

// Walks is what Fits goes by. Reads is one; a store may remember some of it.
type Walks interface {
	Head(w uint64) (history.Head, error)
	Logged(w uint64, at history.ID) (Entry, error)
	Below(at history.ID) (history.ID, error)
	Base(at history.ID) (history.ID, error)
}

// Fits returns an error unless both ends of the pack are the world's, and the
// upper one stands on the lower.
func Fits(r Walks, w uint64, p history.Pack) error {
	if _, err := r.Logged(w, p.Upto); errors.Is(err, history.ErrNoCommit) {
		h, err := r.Head(w)
		if err != nil {
			return err
		}
		if ok, err := stands(h.Commit, p.Upto, r.Below); !ok || err != nil {
			return errors.Join(err, fmt.Errorf("upto %v: %w", p.Upto, history.ErrNoCommit))
		}
	} else if err != nil {
		return err
	}
	ok, err := stands(p.Upto, p.After, r.Below)
	if ok || err != nil {
		return err
	}
	if _, err := r.Logged(w, p.After); err != nil {
		return fmt.Errorf("after %w", err)
	}
	if ok, err := stands(p.Upto, p.After, r.Base); !ok || err != nil {
		return errors.Join(err, fmt.Errorf("after %v: not below %v: %w", p.After, p.Upto, history.ErrNoCommit))
	}
	return nil
}

// walker goes down from commits, as Reaches does, and visits all that it comes by.
type walker struct {
	r     Reads
	done  map[history.ID]struct{} // walked down from; forgotten when it is large
	visit func(Thing) error
}

func (w *walker) down(at history.ID) error {
	for at != (history.ID{}) {
		if _, ok := w.done[at]; ok {
			return nil
		}
		if len(w.done) == DoneLimit {
			clear(w.done)
		}
		w.done[at] = struct{}{}
		s, err := w.r.step(at)
		if err != nil {
			return err
		}
		for _, t := range s.things() {
			if err := w.visit(t); err != nil {
				return err
			}
		}
		at = s.below()
	}
	return nil
}

// DoneLimit is how many commits a walk remembers to have walked down from: what
// logs share is near in them.
const DoneLimit = 1 << 17

// All adds to things all that the log of a world reaches: commits, packs, stones.
func (r Reads) All(ctx context.Context, w uint64, things map[Thing]struct{}) error {
	all := walker{r: r, done: make(map[history.ID]struct{}), visit: func(t Thing) error {
		things[t] = struct{}{}
		return nil
	}}
	return r.Log(w, Newest, func(e Entry) (bool, error) { return true, errors.Join(all.down(e.Commit), ctx.Err()) })
}

// Spare takes out of had what a world that is there reaches, and calls shared with
// each stone of that.
func (r Reads) Spare(ctx context.Context, had map[Thing]struct{}, shared func(stone.ID) error) error {
	open, err := r.doubts(ctx, had)
	if err != nil {
		return err
	}
	rest := walker{r: r, done: make(map[history.ID]struct{}), visit: func(t Thing) error {
		if _, ok := open[t]; !ok {
			return nil
		}
		delete(open, t)
		delete(had, t)
		if t.Kind() != Stones {
			return nil
		}
		return shared(stone.ID(t[1:]))
	}}
	return r.Each([]byte{Logs}, func(key, value []byte) (bool, error) {
		e, err := ParseEntry(key, value)
		if err != nil || len(open) == 0 {
			return false, err
		}
		return true, errors.Join(rest.down(e.Commit), ctx.Err())
	})
}

// doubts returns what of had another world may reach: what a log, a commit or a
// pack names that is not of had, and what lies below that. Reading all records in
// their order takes a tenth of the time of all walks; after it, walks of a few
// logs mostly do.
func (r Reads) doubts(ctx context.Context, had map[Thing]struct{}) (map[Thing]struct{}, error) {
	open := make(map[Thing]struct{})
	doubt := func(t Thing) error {
		if _, ok := had[t]; ok {
			open[t] = struct{}{}
		}
		return nil
	}
	below := walker{r: r, done: make(map[history.ID]struct{}), visit: doubt}
	named := func(at history.ID, refs ...history.StoneRef) error {
		for _, ref := range refs {
			if err := doubt(StoneThing(ref.ID)); err != nil {
				return err
			}
		}
		if _, ok := had[CommitThing(at)]; ok {
			return below.down(at)
		}
		return nil
	}
	err := r.Each([]byte{Logs}, func(key, value []byte) (bool, error) {
		e, err := ParseEntry(key, value)
		return true, errors.Join(err, ctx.Err(), named(e.Commit))
	})
	err = errors.Join(err, r.Each([]byte{Commits}, func(key, value []byte) (bool, error) {
		if _, ok := had[Thing(key)]; ok {
			return true, nil
		}
		c, err := history.ParseCommit(value)
		return true, errors.Join(err, ctx.Err(), named(c.Base, c.Stones...))
	}))
	return open, errors.Join(err, r.Each([]byte{Packs}, func(key, value []byte) (bool, error) {
		if _, ok := had[Thing(key)]; ok {
			return true, nil
		}
		pack, err := ParsePack(history.ID(key[1:]), value)
		return true, errors.Join(err, ctx.Err(), named(pack.After, pack.Stone))
	}))
}
