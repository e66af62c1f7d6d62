package disk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// lockNames locks names and returns the function to unlock them.
func (s *Store) lockNames(names ...string) (unlock func()) {
	at := make([]uint64, len(names))
	for i, name := range names {
		at[i] = maphash.String(s.seed, name)
	}
	return s.names.lock(at)
}

// lockSpent is lockNames for a world that loses its name.
func (s *Store) lockSpent(name string, names ...string) (unlock func()) {
	return s.lockNames(append(names, name, string(record.SpentKey(name)))...)
}

// List is for history.Store.
func (s *Store) List(ctx context.Context, prefix, after string, n int) ([]string, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, fail("list", prefix, err)
	}
	defer leave()
	o := span(record.NameKey(prefix)...)
	if low := append(record.NameKey(after), 0); bytes.Compare(low, o.LowerBound) > 0 {
		o.LowerBound = low
	}
	if bytes.Compare(o.LowerBound, o.UpperBound) >= 0 {
		return nil, nil
	}
	it, err := s.db.NewIter(o)
	if err != nil {
		return nil, fail("list", prefix, err)
	}
	var out []string
	for more := n > 0 && it.First(); more; more = len(out) < n && it.Next() {
		out = append(out, string(it.Key()[1:]))
	}
	return out, fail("list", prefix, damaged(it.Close()))
}

// put gives name to a world, in the batch that fill fills. The name must be free
// and locked.
func (s *Store) put(name string, fill func(*pebble.Batch) (uint64, error)) error {
	_, err := s.live().World(name)
	if err == nil {
		return fmt.Errorf("%q: %w", name, history.ErrExists)
	}
	if !errors.Is(err, history.ErrNoWorld) {
		return err
	}
	b := s.db.NewBatch()
	w, err := fill(b)
	if err != nil {
		return err
	}
	if err := b.Set(record.NameKey(name), record.NumberValue(w), nil); err != nil {
		return err
	}
	return s.apply(b, durable())
}

// Create is for history.Names.
func (s *Store) Create(ctx context.Context, name string) error {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return fail("create", name, err)
	}
	defer leave()
	defer s.lockNames(name)()
	return fail("create", name, s.put(name, func(b *pebble.Batch) (uint64, error) {
		w := s.last.Add(1)
		return w, errors.Join(s.room(0), b.Set(record.HeadKey(w), record.HeadValue(history.Head{}), nil))
	}))
}

// Fork is for history.Commits.
func (s *Store) Fork(ctx context.Context, from string, at history.ID, name string) error {
	leave, err := s.enter(ctx, from, name)
	if err != nil {
		return fail("fork", from, err)
	}
	defer leave()
	return fail("fork", from, s.fork(from, at, name))
}

func (s *Store) fork(from string, at history.ID, name string) error {
	r := s.live()
	old, err := r.World(from)
	if err != nil {
		return err
	}
	s.worlds.of(old).RLock() // keep the commit from being deleted now
	defer s.worlds.of(old).RUnlock()
	defer s.lockNames(name)()
	return s.put(name, func(b *pebble.Batch) (uint64, error) {
		e, err := r.Logged(old, at)
		if err != nil {
			return 0, err
		}
		w := s.last.Add(1)
		head := record.Advance(w, 0, e)
		return w, errors.Join(s.room(0), add(b, head[:]...))
	})
}

// Rename is for history.Names.
func (s *Store) Rename(ctx context.Context, from, to string, fence uint64) error {
	leave, err := s.enter(ctx, from, to)
	if err != nil {
		return fail("rename", from, err)
	}
	defer leave()
	return fail("rename", from, s.rename(from, to, fence))
}

func (s *Store) rename(from, to string, fence uint64) error {
	w, unlock, missing := s.lockWorld(from)
	if missing == nil {
		defer unlock()
	}
	defer s.lockSpent(from, to)()
	defer s.worldOf.drop(keyOf(from)) // before it is unlocked
	return s.put(to, func(b *pebble.Batch) (uint64, error) {
		if missing != nil {
			return 0, missing
		}
		h, l, err := s.under(w, fence)
		if err != nil {
			return 0, err
		}
		spent, err := s.live().Spend(from, h.Fence)
		next, failed := s.live().Beyond(to, l.After(fence, true))
		return w, errors.Join(err, failed, b.Delete(record.NameKey(from), nil), add(b, spent...), add(b, record.Fenced(w, h, l, next)...))
	})
}

// Delete is for history.Names.
func (s *Store) Delete(ctx context.Context, name string, fence uint64) error {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return fail("delete", name, err)
	}
	defer leave()
	return fail("delete", name, s.delete(name, fence))
}

func (s *Store) delete(name string, fence uint64) error {
	w, unlock, err := s.lockWorld(name)
	if err != nil {
		return err
	}
	defer unlock()
	defer s.lockSpent(name)()
	h, l, err := s.under(w, fence)
	if err != nil {
		return err
	}
	spent, err := s.live().Spend(name, h.Fence)
	if err != nil {
		return err
	}
	n, _, err := s.live().LastDeleted(name)
	if err != nil {
		return err
	}
	b := s.db.NewBatch()
	g := record.DeletedWorld{World: w, Deleted: s.Now()}
	err = errors.Join(b.Delete(record.NameKey(name), nil), b.Set(record.DeletedKey(name, n+1), g.Value(), nil),
		add(b, spent...), add(b, record.Fenced(w, h, l, l.After(history.Force, true))...))
	if err != nil {
		return err
	}
	defer s.worldOf.drop(keyOf(name)) // before it is unlocked
	return s.apply(b, durable())
}

// Undelete is for history.Names.
func (s *Store) Undelete(ctx context.Context, name string) error {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return fail("undelete", name, err)
	}
	defer leave()
	defer s.lockNames(name)()
	return fail("undelete", name, s.put(name, func(b *pebble.Batch) (uint64, error) {
		n, value, err := s.live().LastDeleted(name)
		if err != nil {
			return 0, err
		}
		if value == nil {
			return 0, history.ErrNoWorld
		}
		g, err := record.ParseDeleted(value)
		if err != nil {
			return 0, err
		}
		changes, err := s.live().Undeleted(name, g.World)
		return g.World, errors.Join(err, b.Delete(record.DeletedKey(name, n), nil), add(b, changes...))
	}))
}
