package disk

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var _ history.Archiver = (*Store)(nil)

// Identity is for history.ArchiveReader. A Store that Restore made has another
// identity than the backup.
func (s *Store) Identity(ctx context.Context) (string, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return "", fmt.Errorf("local: identity: %w", err)
	}
	defer leave()
	return s.id, nil
}

// Outlines is for history.ArchiveReader.
func (s *Store) Outlines(ctx context.Context, what func(history.Outline) error) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return fmt.Errorf("local: outlines: %w", err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	if err := frozen(snap).Outlines(ctx, what); err != nil {
		return fmt.Errorf("local: outlines: %w", err)
	}
	return nil
}

// Archive is for history.ArchiveReader.
func (s *Store) Archive(ctx context.Context, m history.Outline) (history.Archive, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return history.Archive{}, fail("archive", m.Name, err)
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	a, err := frozen(snap).Archive(ctx, m)
	return a, fail("archive", m.Name, err)
}

// ReadStone is for history.ArchiveReader.
func (s *Store) ReadStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	st, release, err := s.readStone(ctx, id)
	if err != nil {
		err = fmt.Errorf("local: stone %v: %w", id, err)
	}
	return st, release, err
}

func (s *Store) readStone(ctx context.Context, id stone.ID) (history.Stone, func() error, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return history.Stone{}, nil, err
	}
	defer leave()
	snap := s.db.NewSnapshot()
	defer snap.Close()
	r := frozen(snap)
	in, ok, err := r.Info(id)
	if err == nil && !ok {
		err = history.ErrGone
	}
	if err != nil {
		return history.Stone{}, nil, err
	}
	b, err := s.openBytes(r, id, in)
	if err != nil {
		return history.Stone{}, nil, err
	}
	return history.Stone{ID: id, File: io.NewSectionReader(b, 0, in.Size)}, b.Close, nil
}

// Lacks is for history.ArchiveWriter.
func (s *Store) Lacks(ctx context.Context, stones []history.StoneRef) (out []history.StoneRef, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, fmt.Errorf("local: lacks: %w", err)
	}
	defer leave()
	for _, ref := range stones {
		in, ok, err := s.live().Info(ref.ID)
		if err != nil {
			return nil, fmt.Errorf("local: lacks: stone %v: %w", ref.ID, err)
		}
		if !ok || in.Size != ref.Size {
			out = append(out, ref)
		}
	}
	return out, nil
}

// Give is for history.ArchiveWriter.
func (s *Store) Give(ctx context.Context, stones ...history.Stone) error {
	leave, err := s.enter(ctx)
	if err == nil {
		defer leave()
		err = s.give(stones)
	}
	if err != nil {
		err = fmt.Errorf("local: give: %w", err)
	}
	return err
}

func (s *Store) give(stones []history.Stone) error {
	h := s.guard.hold()
	defer h.release()
	for _, st := range stones {
		if err := st.Check(); err != nil {
			return err
		}
		h.add(record.StoneThing(st.ID))
	}
	if err := s.room(sizeOf(stones)); err != nil {
		return err
	}
	defer s.lockStones(stones)()
	b := s.db.NewBatch()
	for _, st := range stones {
		in, ok, err := s.live().Info(st.ID)
		if err == nil && !ok {
			in, err = s.addStone(b, st)
		}
		if err != nil {
			return err
		}
		if ok && !in.Condemned {
			continue
		}
		in.Condemned, in.Since = true, s.Now() // its grace begins, perhaps again
		if err := b.Set(record.StoneKey(st.ID), in.Value(), nil); err != nil {
			return err
		}
	}
	if b.Empty() {
		return nil
	}
	return s.apply(b, durable())
}

// Adopt is for history.ArchiveWriter.
func (s *Store) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	leave, err := s.enter(ctx, a.Name)
	if err != nil {
		return fail("adopt", a.Name, err)
	}
	defer leave()
	return fail("adopt", a.Name, s.adopt(a, base))
}

func (s *Store) adopt(a history.Archive, base history.Head) error {
	if err := a.Check(); err != nil {
		return err
	}
	refs := a.Stones()
	h := s.guard.hold()
	defer h.release()
	stones := make([]history.Stone, len(refs))
	for i, ref := range refs {
		stones[i].ID = ref.ID
		h.add(record.StoneThing(ref.ID))
	}
	for i := range a.Commits {
		h.add(record.CommitThing(a.Commits[i].ID()))
	}
	for _, p := range a.Packs {
		h.add(record.PackThing(p.Upto))
	}
	defer s.lockStones(stones)() // Give may be changing one
	b := s.db.NewBatch()
	for _, ref := range refs {
		in, ok, err := s.live().Info(ref.ID)
		if err == nil && (!ok || in.Size != ref.Size) {
			err = fmt.Errorf("stone %v of %d bytes: %w", ref.ID, ref.Size, history.ErrGone)
		}
		if err == nil {
			err = reprieve(b, ref.ID, in)
		}
		if err != nil {
			return err
		}
	}
	w, lease, had, unlock, err := s.place(b, a, base)
	defer unlock()
	if err != nil {
		return err
	}
	r := record.Reads{Reader: s.reader}
	changes, err := r.Adopt(w, lease, a, had, func(t record.Thing) { h.add(t) })
	if err != nil {
		return err
	}
	if err := errors.Join(s.room(b.Len()), add(b, changes...)); err != nil {
		return err
	}
	defer func() {
		for i := range a.Commits {
			s.stackCache.drop(a.Commits[i].ID())
		}
		for _, p := range a.Packs {
			s.stackCache.drop(p.Upto)
		}
	}()
	return s.apply(b, durable())
}

// place finds or makes the world that takes in an archive, and locks it. It returns
// what is left of the world's lease, and its log. The caller calls unlock.
func (s *Store) place(b *pebble.Batch, a history.Archive, base history.Head) (w uint64, lease history.Lease, had []record.Entry, unlock func(), err error) {
	if !a.Deleted.IsZero() {
		unlock = s.lockSpent(a.Name)
		n, _, err := s.live().LastDeleted(a.Name)
		if err != nil {
			return 0, lease, nil, unlock, err
		}
		spent, err := s.live().Spend(a.Name, a.Head.Fence)
		w = s.last.Add(1)
		g := record.DeletedWorld{World: w, Deleted: a.Deleted}
		err = errors.Join(err, add(b, spent...), b.Set(record.DeletedKey(a.Name, n+1), g.Value(), nil))
		return w, history.Lease{Fence: a.Head.Fence}, nil, unlock, err
	}
	w, unlock, err = s.lockWorld(a.Name)
	if errors.Is(err, history.ErrNoWorld) && base.Commit == (history.ID{}) {
		unlock = s.lockNames(a.Name)
		if _, err := s.live().World(a.Name); !errors.Is(err, history.ErrNoWorld) {
			return 0, lease, nil, unlock, errors.Join(history.ErrConflict, err) // someone made it just now
		}
		w = s.last.Add(1)
		lease, err = s.live().Raised(a.Name, 0, history.Lease{Fence: a.Head.Fence})
		return w, lease, nil, unlock, errors.Join(err, b.Set(record.NameKey(a.Name), record.NumberValue(w), nil))
	}
	if err != nil {
		return 0, lease, nil, func() {}, err
	}
	head, l, err := s.under(w, base.Fence)
	if err == nil {
		err = head.Follows(base)
	}
	if err == nil {
		had, err = s.live().Entries(w)
	}
	if err != nil {
		return 0, lease, nil, unlock, err
	}
	lease, err = s.live().Raised(a.Name, l.Fence, record.Adopted(l, base.Fence, a))
	return w, lease, had, unlock, err
}
