package rules

import (
	"bytes"
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Outlines implements history.ArchiveReader.
func (s *Worlds) Outlines(ctx context.Context, what func(history.Outline) error) error {
	return s.calls.OnStore(ctx, "outlines", func() error {
		return s.calls.Walk(ctx, func(r record.Reads) error { return r.Outlines(ctx, what) })
	})
}

// Nobody is the name under which worlds are deleted that nobody can restore, because no
// world can have it: those that are being purged or taken in.
const Nobody = ""

// Archive implements history.ArchiveReader.
func (s *Worlds) Archive(ctx context.Context, m history.Outline) (a history.Archive, err error) {
	err = s.calls.On(ctx, "archive", m.Name, func() error {
		return s.calls.Walk(ctx, func(r record.Reads) error {
			if m.World == 0 {
				if m.World, err = r.World(m.Name); err != nil {
					return err
				}
			}
			log, err := r.Entries(m.World)
			if err != nil {
				return err
			}
			nameless := record.DeletedKey(Nobody, m.World)
			keys := [][]byte{nameless}
			for _, e := range log {
				keys = append(keys, record.CommitKey(e.Commit), record.PackKey(e.Commit))
			}
			if err := r.Ahead(keys...); err != nil {
				return err
			}
			if v, err := r.Get(nameless); err != nil || v != nil {
				return errors.Join(err, history.ErrNoWorld)
			}
			a, err = r.Archive(ctx, m)
			return err
		})
	})
	return a, err
}

// Lacks implements history.ArchiveWriter.
func (s *Worlds) Lacks(ctx context.Context, stones []history.StoneRef) (out []history.StoneRef, err error) {
	err = s.calls.OnStore(ctx, "lacks", func() error {
		return s.calls.AskAny(ctx, func(r record.Reads) error {
			out = nil
			if err := r.Ahead(stoneKeys(stones)...); err != nil {
				return err
			}
			for _, ref := range stones {
				in, ok, err := r.Info(ref.ID)
				if err != nil {
					return err
				}
				if !ok || in.Size != ref.Size {
					out = append(out, ref)
				}
			}
			return nil
		})
	})
	return out, err
}

func stoneKeys(refs []history.StoneRef) (keys [][]byte) {
	for _, ref := range refs {
		keys = append(keys, record.StoneKey(ref.ID))
	}
	return keys
}

// Give implements history.ArchiveWriter.
func (s *Worlds) Give(ctx context.Context, stones ...history.Stone) error {
	return s.calls.OnStore(ctx, "give", func() error {
		about := Subject{Stones: stones, Room: 1 + sizeOf(stones)}
		for _, st := range stones {
			if err := st.Check(); err != nil {
				return err
			}
			about.Uses = append(about.Uses, record.StoneThing(st.ID))
		}
		return s.calls.Change(ctx, about, func(d *Proposal) error {
			for _, st := range stones {
				in, there, err := d.Info(st.ID)
				if err == nil && !there {
					in, err = d.Name(d, st)
				}
				if err != nil {
					return err
				}
				if there && !in.Condemned {
					continue
				}
				in.Condemned, in.Since = true, d.Now // its grace begins, perhaps again
				d.put(record.StoneKey(st.ID), in.Value())
			}
			return nil
		})
	})
}

// put is Set for a record that the change may have already.
func (d *Proposal) put(key, value []byte) {
	for i := range d.Changes {
		if bytes.Equal(d.Changes[i].Key, key) {
			d.Changes[i].Value = value
			return
		}
	}
	d.Set(key, value)
}

// Adopt implements history.ArchiveWriter.
func (s *Worlds) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	return s.calls.AdoptBy(ctx, a, func(fresh uint64) error { return s.calls.adoptAs(ctx, fresh, a, base) })
}

// AdoptBy is Adopt. It calls by with the number of the world if by makes one.
func (s *Runner) AdoptBy(ctx context.Context, a history.Archive, by func(fresh uint64) error) error {
	return s.OnWorld(ctx, "adopt", a.Name, func() error {
		if err := archive.Check(&a); err != nil {
			return err
		}
		for {
			err := by(s.Number())
			if !errors.Is(err, ErrTaken) || ctx.Err() != nil {
				return err
			}
		}
	})
}

// recordBytes is about what a commit or a pack of an archive takes in records.
const recordBytes = 256

func (s *Runner) adoptAs(ctx context.Context, fresh uint64, a history.Archive, base history.Head) error {
	about := Subject{Names: []string{a.Name}, Room: 1 + recordBytes*(len(a.Commits)+len(a.Packs))}
	if a.Deleted.IsZero() {
		about.World = a.Name
	}
	for _, ref := range archive.Stones(&a) {
		about.Uses = append(about.Uses, record.StoneThing(ref.ID))
	}
	for i := range a.Commits {
		about.Uses = append(about.Uses, record.CommitThing(a.Commits[i].ID()))
	}
	for _, p := range a.Packs {
		about.Uses = append(about.Uses, record.PackThing(p.Upto))
	}
	return s.Change(ctx, about, func(d *Proposal) error {
		w, lease, err := d.Place(fresh, a, base)
		if err == nil && w == fresh {
			err = d.CheckFree(fresh)
		}
		var had []record.Entry
		if err == nil && w != fresh {
			had, err = d.Entries(w) // it changes together with the head, or by a Collect, which only takes entries away
		}
		if err != nil {
			return err
		}
		return d.TakeIn(w, lease, a, had)
	})
}

// TakeIn makes a world equal to an archive, where had is its log until now.
func (d *Proposal) TakeIn(w uint64, lease history.Lease, a history.Archive, had []record.Entry) error {
	refs := archive.Stones(&a)
	if err := d.Ahead(append(record.AdoptKeys(a), stoneKeys(refs)...)...); err != nil {
		return err
	}
	for _, ref := range refs {
		if err := d.requireStone(ref, nil); err != nil {
			return err
		}
	}
	reused, err := d.Reuse(d, w, a, had)
	if err != nil {
		return err
	}
	changes, err := d.Adopt(w, lease, a, had, reused)
	d.Add(changes...)
	return err
}

// Place finds the world that takes in an archive, or gives the name to the world fresh. It
// returns what is left of the world's lease.
func (d *Proposal) Place(fresh uint64, a history.Archive, base history.Head) (w uint64, lease history.Lease, err error) {
	if !a.Deleted.IsZero() {
		spent, err := d.Spend(a.Name, a.Head.Fence)
		if err == nil {
			d.Add(spent...)
			err = d.addDeleted(a.Name, record.DeletedWorld{World: fresh, Deleted: a.Deleted})
		}
		return fresh, history.Lease{Fence: a.Head.Fence}, err
	}
	w, err = d.World(a.Name)
	if errors.Is(err, history.ErrNoWorld) && base.Commit == (history.ID{}) {
		lease, err = d.Raised(a.Name, 0, history.Lease{Fence: a.Head.Fence})
		d.Set(record.NameKey(a.Name), record.NumberValue(fresh))
		return fresh, lease, err
	}
	if err != nil {
		return 0, lease, err
	}
	l, err := d.checkBase(w, base)
	if err == nil {
		left := leaseAfter(l, base.Fence, true)
		left.Fence = max(left.Fence, a.Head.Fence)
		lease, err = d.Raised(a.Name, l.Fence, left)
	}
	return w, lease, err
}
