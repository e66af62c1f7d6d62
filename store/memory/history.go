package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// Head is for world.History.
func (s *Store) Head(ctx context.Context, name string) (world.Head, error) {
	if err := begin(ctx, name); err != nil {
		return world.Head{}, fail("head", name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err != nil {
		return world.Head{}, fail("head", name, err)
	}
	return l.head(), nil
}

// Log is for world.History.
func (s *Store) Log(ctx context.Context, name string, from world.ID, n int) ([]world.Commit, error) {
	if err := begin(ctx, name); err != nil {
		return nil, fail("log", name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err != nil {
		return nil, fail("log", name, err)
	}
	i := len(l.log) - 1
	if from != (world.ID{}) {
		if i, err = s.place(l, from); err != nil {
			return nil, fail("log", name, err)
		}
	}
	var out []world.Commit
	for ; i >= 0 && len(out) < n; i-- {
		out = append(out, s.commit(l.log[i]))
	}
	return out, nil
}

// commit returns a copy that the caller may change.
func (s *Store) commit(id world.ID) world.Commit {
	c := s.commits[id]
	c.Stones = slices.Clone(c.Stones)
	return c
}

// Commit is for world.History.
func (s *Store) Commit(ctx context.Context, name string, base world.Head, c world.Commit, stones ...world.Stone) (world.Commit, error) {
	c, err := s.save(ctx, name, base, c, stones)
	return c, fail("commit", name, err)
}

func (s *Store) save(ctx context.Context, name string, base world.Head, c world.Commit, stones []world.Stone) (world.Commit, error) {
	if err := begin(ctx, name); err != nil {
		return world.Commit{}, err
	}
	reached, err := c.Admit(base, stones)
	if err != nil {
		return world.Commit{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.under(name, base.Fence)
	switch {
	case err != nil:
		return world.Commit{}, err
	case l.head().Commit != base.Commit:
		return world.Commit{}, fmt.Errorf("on %v: %w", base.Commit, world.ErrConflict)
	}
	if c.Base != (world.ID{}) {
		if _, err := s.place(l, c.Base); err != nil {
			return world.Commit{}, fmt.Errorf("base: %w", err)
		}
	}
	for _, ref := range reached {
		k := s.stones[ref.ID]
		if k == nil || int64(len(k.data)) != ref.Size || !s.reaches(l, ref.ID) {
			return world.Commit{}, fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, world.ErrGone)
		}
	}
	c = c.Complete(s.commits[base.Commit], s.now())
	c.Stones = slices.Clone(c.Stones)
	s.keep(c.Stones, stones)
	id := c.ID()
	s.commits[id] = c
	l.log = append(l.log, id)
	l.lease = l.lease.After(base.Fence, c.Base != c.Parent)
	return s.commit(id), nil
}

// keep adds stones and reprieves those that are named.
func (s *Store) keep(named []world.StoneRef, stones []world.Stone) {
	for _, st := range stones {
		s.stones[st.ID] = &kept{data: st.Data}
	}
	for _, ref := range named {
		s.stones[ref.ID] = &kept{data: s.stones[ref.ID].data}
	}
}

// Stack is for world.Shelf.
func (s *Store) Stack(ctx context.Context, name string, at world.ID) ([]world.Layer, error) {
	if err := begin(ctx, name); err != nil {
		return nil, fail("stack", name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err == nil && at != (world.ID{}) {
		_, err = s.place(l, at)
	}
	if err != nil {
		return nil, fail("stack", name, err)
	}
	stack, err := world.StackOf(at, s.record, s.pack, nil)
	return stack, fail("stack", name, err)
}

func (s *Store) record(id world.ID) (world.Commit, error) {
	c, ok := s.commits[id]
	if !ok {
		return c, fmt.Errorf("%v: %w", id, world.ErrNoCommit)
	}
	return c, nil
}

func (s *Store) pack(id world.ID) (world.Pack, bool, error) {
	p, ok := s.packs[id]
	return p, ok, nil
}

// below returns the commit that the stack of at goes on with below it, zero if
// nothing is.
func (s *Store) below(at world.ID) world.ID {
	if p, ok := s.packs[at]; ok {
		return p.After
	}
	return s.commits[at].Base
}

// reaches reports whether a commit of l, or one that its stack lies on, names
// the stone or has a pack of it.
func (s *Store) reaches(l *line, id stone.ID) bool {
	seen := make(map[world.ID]bool)
	for _, at := range l.log {
		for ; at != (world.ID{}) && !seen[at]; at = s.below(at) {
			seen[at] = true
			named := func(ref world.StoneRef) bool { return ref.ID == id }
			if p, ok := s.packs[at]; ok && p.Stone.ID == id || slices.ContainsFunc(s.commits[at].Stones, named) {
				return true
			}
		}
	}
	return false
}

// PutPack is for world.Shelf.
func (s *Store) PutPack(ctx context.Context, name string, p world.Pack, st world.Stone) error {
	return fail("pack", name, s.putPack(ctx, name, p, st))
}

func (s *Store) putPack(ctx context.Context, name string, p world.Pack, st world.Stone) error {
	if err := begin(ctx, name); err != nil {
		return err
	}
	if err := p.Admit(st); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.line(name)
	if err != nil {
		return err
	}
	if _, err := s.place(l, p.Upto); err != nil && !s.stands(l.head().Commit, p.Upto, s.below) {
		return fmt.Errorf("upto %w", err)
	}
	if !s.stands(p.Upto, p.After, s.below) {
		base := func(at world.ID) world.ID { return s.commits[at].Base }
		if _, err := s.place(l, p.After); err != nil || !s.stands(p.Upto, p.After, base) {
			return fmt.Errorf("after %v: not below %v: %w", p.After, p.Upto, world.ErrNoCommit)
		}
	}
	s.keep([]world.StoneRef{p.Stone}, []world.Stone{st})
	s.packs[p.Upto] = p
	return nil
}

// stands reports whether going down from at by next comes to on; it comes to
// zero in the end.
func (s *Store) stands(at, on world.ID, next func(world.ID) world.ID) bool {
	for at != (world.ID{}) && at != on {
		at = next(at)
	}
	return at == on
}
