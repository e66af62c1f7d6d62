package record

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// stackLink is one commit of a stack, with its pack. The commit's record may be
// missing if there is a pack.
type stackLink struct {
	at     history.ID
	commit history.Commit
	pack   history.Pack
	packed bool
}

func (r Reads) link(at history.ID) (s stackLink, err error) {
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

// below returns the next commit down the stack, or zero.
func (s *stackLink) below() history.ID {
	if s.packed {
		return s.pack.After
	}
	return s.commit.Base
}

// names reports whether the commit names the stone or has a pack with it.
func (s *stackLink) names(id stone.ID) bool {
	found := s.packed && s.pack.Stone.ID == id
	for _, ref := range s.commit.Stones {
		found = found || ref.ID == id
	}
	return found
}

// things returns the commit, its stones, its pack and the pack's stone.
func (s *stackLink) things() []Thing {
	out := []Thing{CommitThing(s.at)}
	for _, ref := range s.commit.Stones {
		out = append(out, StoneThing(ref.ID))
	}
	if s.packed {
		out = append(out, PackThing(s.at), StoneThing(s.pack.Stone.ID))
	}
	return out
}

// Below returns the commit below at in its stack, or zero.
func (r Reads) Below(at history.ID) (history.ID, error) {
	p, ok, c, err := r.step(at)
	if ok || err != nil {
		return p.After, err
	}
	return c.Base, nil
}

// Base returns the base of a commit.
func (r Reads) Base(at history.ID) (history.ID, error) {
	c, err := r.Commit(at)
	return c.Base, err
}

// stands reports whether a walk down from at by next reaches on.
func stands(at, on history.ID, next func(history.ID) (history.ID, error)) (bool, error) {
	var err error
	for at != (history.ID{}) && at != on && err == nil {
		at, err = next(at)
	}
	return at == on, err
}

// Reaches reports whether the world reaches the stone: a commit of its log, or a
// commit below one, names the stone or has a pack with it. The walk begins with the
// head.
func (r Reads) Reaches(w uint64, id stone.ID) (found bool, err error) {
	seen := make(map[history.ID]bool)
	err = r.Log(w, Newest, func(e Entry) (bool, error) {
		for at := e.Commit; at != (history.ID{}) && !seen[at]; {
			seen[at] = true
			s, err := r.link(at)
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

// Fits returns an error unless both ends of the pack are commits of the world and
// the lower end is below the upper.
func (r Reads) Fits(w uint64, p history.Pack) error {
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

// walker walks down from commits, as Reaches does, and visits everything it meets.
type walker struct {
	r     Reads
	done  map[history.ID]struct{} // visited commits; cleared when it is large
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
		s, err := w.r.link(at)
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

// DoneLimit is how many visited commits a walk remembers. Commits that logs share
// are near each other in the logs.
const DoneLimit = 1 << 17

// All adds everything that the log of a world reaches to things: commits, packs,
// stones.
func (r Reads) All(ctx context.Context, w uint64, things map[Thing]struct{}) error {
	all := walker{r: r, done: make(map[history.ID]struct{}), visit: func(t Thing) error {
		things[t] = struct{}{}
		return nil
	}}
	return r.Log(w, Newest, func(e Entry) (bool, error) { return true, errors.Join(all.down(e.Commit), ctx.Err()) })
}

// Spare removes from had what an existing world reaches, and calls shared for each
// stone that it removes.
func (r Reads) Spare(ctx context.Context, had map[Thing]struct{}, shared func(stone.ID) error) error {
	open, err := r.maybeShared(ctx, had)
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

// maybeShared returns the part of had that another world may reach: what a log, a commit
// or a pack outside of had names, and everything below that. It reads all records
// in order, which takes a tenth of the time of walking all logs. After it, the
// walks of a few logs are usually enough.
func (r Reads) maybeShared(ctx context.Context, had map[Thing]struct{}) (map[Thing]struct{}, error) {
	open := make(map[Thing]struct{})
	add := func(t Thing) error {
		if _, ok := had[t]; ok {
			open[t] = struct{}{}
		}
		return nil
	}
	below := walker{r: r, done: make(map[history.ID]struct{}), visit: add}
	named := func(at history.ID, refs ...history.StoneRef) error {
		for _, ref := range refs {
			if err := add(StoneThing(ref.ID)); err != nil {
				return err
			}
		}
		if _, ok := had[CommitThing(at)]; !ok {
			return nil
		}
		// A Purge that starts again has deleted some of it already. What no world reaches
		// may still name that.
		if err := below.down(at); !errors.Is(err, history.ErrNoCommit) {
			return err
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
