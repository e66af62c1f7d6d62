package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Head is for history.Commits.
func (s *Store) Head(ctx context.Context, name string) (history.Head, error) {
	if err := begin(ctx, name); err != nil {
		return history.Head{}, fail("head", name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err != nil {
		return history.Head{}, fail("head", name, err)
	}
	return l.head(), nil
}

// Log is for history.Commits.
func (s *Store) Log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error) {
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
	if from != (history.ID{}) {
		if i, err = s.place(l, from); err != nil {
			return nil, fail("log", name, err)
		}
	}
	var out []history.Commit
	for ; i >= 0 && len(out) < n; i-- {
		out = append(out, s.commit(l.log[i]))
	}
	return out, nil
}

// commit returns a copy that the caller may change.
func (s *Store) commit(id history.ID) history.Commit {
	c := s.commits[id]
	c.Stones = slices.Clone(c.Stones)
	return c
}

// Commit is for history.Commits.
func (s *Store) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	c, err := s.save(ctx, name, base, c, stones)
	return c, fail("commit", name, err)
}

func (s *Store) save(ctx context.Context, name string, base history.Head, c history.Commit, stones []history.Stone) (history.Commit, error) {
	if err := begin(ctx, name); err != nil {
		return history.Commit{}, err
	}
	reached, err := c.Admit(base, stones)
	if err != nil {
		return history.Commit{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := s.under(name, base.Fence)
	switch {
	case err != nil:
		return history.Commit{}, err
	case l.head().Commit != base.Commit:
		return history.Commit{}, fmt.Errorf("on %v: %w", base.Commit, history.ErrConflict)
	}
	if c.Base != (history.ID{}) {
		if _, err := s.place(l, c.Base); err != nil {
			return history.Commit{}, fmt.Errorf("base: %w", err)
		}
	}
	for _, ref := range reached {
		k := s.stones[ref.ID]
		if k == nil || int64(len(k.data)) != ref.Size || !s.reaches(l, ref.ID) {
			return history.Commit{}, fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, history.ErrGone)
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
func (s *Store) keep(named []history.StoneRef, stones []history.Stone) {
	for _, st := range stones {
		s.stones[st.ID] = &kept{data: st.Data}
	}
	for _, ref := range named {
		s.stones[ref.ID] = &kept{data: s.stones[ref.ID].data}
	}
}

// Stack is for history.Stacks.
func (s *Store) Stack(ctx context.Context, name string, at history.ID) ([]history.Layer, error) {
	if err := begin(ctx, name); err != nil {
		return nil, fail("stack", name, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.line(name)
	if err == nil && at != (history.ID{}) {
		_, err = s.place(l, at)
	}
	if err != nil {
		return nil, fail("stack", name, err)
	}
	stack, err := history.StackOf(at, s.record, s.pack, nil)
	return stack, fail("stack", name, err)
}

func (s *Store) record(id history.ID) (history.Commit, error) {
	c, ok := s.commits[id]
	if !ok {
		return c, fmt.Errorf("%v: %w", id, history.ErrNoCommit)
	}
	return c, nil
}

func (s *Store) pack(id history.ID) (history.Pack, bool, error) {
	p, ok := s.packs[id]
	return p, ok, nil
}

// below returns the commit that the stack of at goes on with below it, zero if
// nothing is.
func (s *Store) below(at history.ID) history.ID {
	if p, ok := s.packs[at]; ok {
		return p.After
	}
	return s.commits[at].Base
}

// reaches reports whether a commit of l, or one that its stack lies on, names
// the stone or has a pack of it.
func (s *Store) reaches(l *line, id stone.ID) bool {
	seen := make(map[history.ID]bool)
	for _, at := range l.log {
		for ; at != (history.ID{}) && !seen[at]; at = s.below(at) {
			seen[at] = true
			named := func(ref history.StoneRef) bool { return ref.ID == id }
			if p, ok := s.packs[at]; ok && p.Stone.ID == id || slices.ContainsFunc(s.commits[at].Stones, named) {
				return true
			}
		}
	}
	return false
}

// PutPack is for history.Stacks.
func (s *Store) PutPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
	return fail("pack", name, s.putPack(ctx, name, p, st))
}

func (s *Store) putPack(ctx context.Context, name string, p history.Pack, st history.Stone) error {
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
		base := func(at history.ID) history.ID { return s.commits[at].Base }
		if _, err := s.place(l, p.After); err != nil || !s.stands(p.Upto, p.After, base) {
			return fmt.Errorf("after %v: not below %v: %w", p.After, p.Upto, history.ErrNoCommit)
		}
	}
	s.keep([]history.StoneRef{p.Stone}, []history.Stone{st})
	s.packs[p.Upto] = p
	return nil
}

// stands reports whether going down from at by next comes to on; it comes to
// zero in the end.
func (s *Store) stands(at, on history.ID, next func(history.ID) history.ID) bool {
	for at != (history.ID{}) && at != on {
		at = next(at)
	}
	return at == on
}
