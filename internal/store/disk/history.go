package disk

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Head is for history.Commits.
func (s *Store) Head(ctx context.Context, name string) (history.Head, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return history.Head{}, fail("head", name, err)
	}
	defer leave()
	r := s.live()
	w, err := r.World(name)
	if err != nil {
		return history.Head{}, fail("head", name, err)
	}
	h, err := r.Head(w)
	return h, fail("head", name, err)
}

// Log is for history.Commits.
func (s *Store) Log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return nil, fail("log", name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	out, err := frozen(snap).log(ctx, name, from, n)
	return out, fail("log", name, err)
}

func (r reads) log(ctx context.Context, name string, from history.ID, n int) ([]history.Commit, error) {
	w, err := r.World(name)
	if err != nil {
		return nil, err
	}
	return r.CommitsOf(ctx, w, from, n)
}

// Commit is for history.Commits.
func (s *Store) Commit(ctx context.Context, name string, base history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return history.Commit{}, fail("commit", name, err)
	}
	defer leave()
	c, err = s.commit(name, base, c, stones)
	return c, fail("commit", name, err)
}

func (s *Store) commit(name string, base history.Head, c history.Commit, stones []history.Stone) (history.Commit, error) {
	reached, err := c.Admit(base, stones)
	if err != nil {
		return history.Commit{}, err
	}
	size := sizeOf(stones)
	if err := s.room(size); err != nil {
		return history.Commit{}, err
	}
	w, err := s.live().World(name)
	if err != nil {
		return history.Commit{}, err
	}
	if size >= s.FileBytes { // so that large stones are not written in vain
		if _, err := s.follows(w, base); err != nil {
			return history.Commit{}, err
		}
	}
	h := s.guard.hold()
	defer h.release()
	for _, ref := range c.Stones {
		h.add(record.StoneThing(ref.ID))
	}
	defer s.lockStones(stones)()
	b := s.db.NewBatch()
	in, fresh, err := s.addStones(b, stones)
	if err != nil {
		return history.Commit{}, err
	}
	w, unlock, err := s.lockNamed(name, w)
	if err != nil {
		return history.Commit{}, err
	}
	defer unlock()
	lease, err := s.follows(w, base)
	if err != nil {
		return history.Commit{}, err
	}
	if c, err = s.number(w, c); err != nil {
		return history.Commit{}, err
	}
	if err := s.addReached(b, w, reached); err != nil {
		return history.Commit{}, err
	}
	next, err := s.live().Raised(name, lease.Fence, lease.After(base.Fence, c.Base != c.Parent))
	if err != nil {
		return history.Commit{}, err
	}
	id := c.ID()
	if err := errors.Join(addCommit(b, h, w, history.Head{Commit: id, Fence: next.Fence}, c), add(b, record.Leased(w, lease, next)...)); err != nil {
		return history.Commit{}, err
	}
	_, _, t := s.stackCache.get(id)
	if err := s.apply(b, durable()); err != nil {
		return history.Commit{}, err
	}
	if st, ok := linkOf(c); ok && fresh {
		st.data = in.Number
		s.stackCache.put(id, st, t)
	}
	return c, nil
}

func sizeOf(stones []history.Stone) (n int) {
	for _, s := range stones {
		n += int(s.Size())
	}
	return n
}

// follows returns an error unless the head of the world is base and the fence of
// base permits the commit.
func (s *Store) follows(w uint64, base history.Head) (history.Lease, error) {
	h, l, err := s.under(w, base.Fence)
	if err == nil {
		err = h.Follows(base)
	}
	return l, err
}

// number completes c, whose parent is the head of the world.
func (s *Store) number(w uint64, c history.Commit) (history.Commit, error) {
	r := s.live()
	if c.Base != (history.ID{}) && c.Base != c.Parent {
		if _, err := r.Logged(w, c.Base); err != nil {
			return c, fmt.Errorf("base: %w", err)
		}
	}
	var parent record.Entry
	if c.Parent != (history.ID{}) {
		var err error
		if parent, err = r.Placed(c.Parent); err != nil {
			return c, err
		}
	}
	return c.Complete(history.Commit{Number: parent.Number, Time: parent.Time}, s.Now()), nil
}

// addCommit adds the record of c, its place in the log and the head.
func addCommit(b *pebble.Batch, h *hold, w uint64, head history.Head, c history.Commit) error {
	h.add(record.CommitThing(head.Commit)) // forks may have made the same commit
	if err := b.Set(record.CommitKey(head.Commit), c.Append(nil), nil); err != nil {
		return err
	}
	next := record.Advance(w, head.Fence, record.Entry{Number: c.Number, Commit: head.Commit, Time: c.Time})
	return add(b, next[:]...)
}
