package pair

import (
	"context"
	"crypto/rand"
	"errors"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var _ history.Archiver = (*Store)(nil)

// identityKey is the key of the Store's identity.
const identityKey = "u"

// Identity makes an identity if the Store has none.
func (s *Store) Identity(ctx context.Context) (id string, err error) {
	err = s.onStore(ctx, "identity", func() error {
		return s.change(ctx, func(d *draft) error {
			had, err := d.Get([]byte(identityKey))
			if id = string(had); had == nil && err == nil {
				id = rand.Text()
				d.set([]byte(identityKey), []byte(id))
			}
			return err
		})
	})
	return id, err
}

func (s *Store) Outlines(ctx context.Context, what func(history.Outline) error) error {
	return s.onStore(ctx, "outlines", func() error {
		return s.look(ctx, func(r record.Reads) error { return r.Outlines(ctx, what) })
	})
}

func (s *Store) Archive(ctx context.Context, m history.Outline) (a history.Archive, err error) {
	return a, fail("archive", m.Name, s.enter(ctx, func() error {
		return s.look(ctx, func(r record.Reads) error {
			if m.World == 0 {
				if m.World, err = r.World(m.Name); err != nil {
					return err
				}
			}
			log, err := r.Entries(m.World)
			if err != nil {
				return err
			}
			doomed := record.DeletedKey(nobody, m.World)
			keys := [][]byte{doomed}
			for _, e := range log {
				keys = append(keys, record.CommitKey(e.Commit), record.PackKey(e.Commit))
			}
			if err := r.Ahead(keys...); err != nil {
				return err
			}
			if v, err := r.Get(doomed); err != nil || v != nil {
				return errors.Join(err, history.ErrNoWorld)
			}
			a, err = r.Archive(ctx, m)
			return err
		})
	}))
}

func (s *Store) ReadStone(ctx context.Context, id stone.ID) (st history.Stone, release func() error, err error) {
	err = s.onStore(ctx, "stone "+id.String(), func() error {
		st, release, err = s.readStone(ctx, id)
		return err
	})
	if err != nil {
		return history.Stone{}, nil, err
	}
	return st, release, nil
}

func (s *Store) readStone(ctx context.Context, id stone.ID) (st history.Stone, release func() error, err error) {
	var in record.Info
	st.ID = id
	err = s.ask(ctx, func(r record.Reads) error {
		err := r.Ahead(record.StoneKey(id), []byte(smallKey(id)))
		if err == nil {
			in, st.Data, err = locate(r, id)
		}
		return err
	})
	if err == nil && st.Data == nil && in.Size <= wholeBytes {
		st.Data, err = s.whole(ctx, id, in)
	}
	if err != nil || st.Data != nil {
		return st, func() error { return nil }, err
	}
	b := s.hold(ctx, bytesKey(id, in.Number), in.Size)
	st.File = io.NewSectionReader(b, 0, in.Size)
	return st, b.Close, nil
}

func (s *Store) Lacks(ctx context.Context, stones []history.StoneRef) (out []history.StoneRef, err error) {
	err = s.onStore(ctx, "lacks", func() error {
		return s.ask(ctx, func(r record.Reads) error {
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

func (s *Store) Give(ctx context.Context, stones ...history.Stone) error {
	return s.onStore(ctx, "give", func() error {
		for _, st := range stones {
			if err := st.Check(); err != nil {
				return err
			}
		}
		return s.with(ctx, stones, func(d *draft, a *attempt) error {
			for _, st := range stones {
				in, there, err := d.Info(st.ID)
				if err != nil {
					return err
				}
				if !there {
					if err := a.name(d, st); err != nil {
						return err
					}
					in = record.Info{Size: st.Size(), Number: a.numbers[st.ID], Condemned: true}
				}
				if in.Condemned {
					in.Since = d.now // its grace begins again
					d.put(record.StoneKey(st.ID), in.Value())
				}
			}
			return nil
		})
	})
}

// put is set for a record that the change may have already.
func (d *draft) put(key, value []byte) {
	for i := range d.changes {
		if d.changes[i].Key == string(key) {
			d.changes[i].Value = value
			return
		}
	}
	d.set(key, value)
}

func (s *Store) Adopt(ctx context.Context, a history.Archive, base history.Head) error {
	return s.onWorld(ctx, "adopt", a.Name, func() error { return s.adopt(ctx, a, base) })
}

func (s *Store) adopt(ctx context.Context, a history.Archive, base history.Head) error {
	if err := a.Check(); err != nil {
		return err
	}
	as := s.adoptAs
	if steps := stepsOf(&a); len(steps) > 1 {
		as = func(ctx context.Context, fresh uint64, a history.Archive, base history.Head) error {
			return s.adoptLong(ctx, fresh, a, base, steps)
		}
	}
	for {
		err := as(ctx, s.number(), a, base)
		if !errors.Is(err, errTaken) || ctx.Err() != nil {
			return err
		}
	}
}

// adoptAs is adopt. If it makes a world, it is the one with this number.
func (s *Store) adoptAs(ctx context.Context, fresh uint64, a history.Archive, base history.Head) error {
	return s.change(ctx, func(d *draft) error {
		w, lease, err := place(d, fresh, a, base)
		if err == nil && w == fresh {
			err = d.checkFree(fresh)
		}
		var had []record.Entry
		if err == nil && w != fresh {
			had, err = d.Entries(w) // it changes together with the head, or by a Collect, which only takes entries away
		}
		if err != nil {
			return err
		}
		return s.takeIn(d, w, lease, a, had)
	})
}

// takeIn makes a world equal to an archive, where had is its log until now.
func (s *Store) takeIn(d *draft, w uint64, lease history.Lease, a history.Archive, had []record.Entry) error {
	refs := a.Stones()
	if err := d.Ahead(append(record.AdoptKeys(a), stoneKeys(refs)...)...); err != nil {
		return err
	}
	for _, ref := range refs {
		if err := d.requireStone(ref, nil); err != nil {
			return err
		}
	}
	reached, err := reaches(d, w, a, had)
	if err != nil {
		return err
	}
	reused := false
	changes, err := d.Adopt(w, lease, a, had, func(t record.Thing) {
		_, safe := reached[t]
		reused = reused || !safe
	})
	if err != nil {
		return err
	}
	d.add(changes...)
	if reused {
		s.restartSweep(d)
	}
	return nil
}

// reaches returns the commits of an archive that the world reaches already, and their
// packs. No Collect under way deletes them, so the change need not restart one. All that
// leads to them are conditions: the packs and commits on the way, and the entries of the
// log, had, where the way begins. Otherwise a Collect could take such an entry out of the
// log first.
func reaches(d *draft, w uint64, a history.Archive, had []record.Entry) (map[record.Thing]struct{}, error) {
	out := make(map[record.Thing]struct{})
	if len(had) == 0 {
		return out, nil
	}
	in := make(map[history.ID]struct{}, len(a.Commits))
	for i := range a.Commits {
		in[a.Commits[i].ID()] = struct{}{}
	}
	for _, e := range had {
		at := e.Commit
		if _, ok := in[at]; ok {
			d.conditions.require(string(record.LogKey(w, e.Number)), e.Value())
		}
		for {
			if _, ok := in[at]; !ok {
				break
			}
			delete(in, at) // the way down from here is known
			out[record.CommitThing(at)], out[record.PackThing(at)] = struct{}{}, struct{}{}
			below, err := d.Below(at)
			var corrupt *stone.CorruptError
			if errors.Is(err, history.ErrNoCommit) || errors.As(err, &corrupt) {
				break // the archive has it whole
			}
			if err != nil {
				return nil, err
			}
			at = below
		}
	}
	return out, nil
}

// place finds the world that takes in an archive, or gives the name to the world fresh. It
// returns what is left of the world's lease.
func place(d *draft, fresh uint64, a history.Archive, base history.Head) (w uint64, lease history.Lease, err error) {
	if !a.Deleted.IsZero() {
		spent, err := d.Spend(a.Name, a.Head.Fence)
		if err == nil {
			d.add(spent...)
			err = d.addDeleted(a.Name, record.DeletedWorld{World: fresh, Deleted: a.Deleted})
		}
		return fresh, history.Lease{Fence: a.Head.Fence}, err
	}
	w, err = d.World(a.Name)
	if errors.Is(err, history.ErrNoWorld) && base.Commit == (history.ID{}) {
		lease, err = d.raised(a.Name, 0, history.Lease{Fence: a.Head.Fence})
		d.set(record.NameKey(a.Name), record.NumberValue(fresh))
		return fresh, lease, err
	}
	if err != nil {
		return 0, lease, err
	}
	l, err := checkBase(d.Reads, d.now, w, base)
	if err == nil {
		lease, err = d.raised(a.Name, l.Fence, record.Adopted(l, base.Fence, a))
	}
	return w, lease, err
}
