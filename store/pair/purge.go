package pair

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/record"
)

// Purge is for history.Store. It reads the records of all worlds, and needs memory
// for what the purged ones reach.
func (s *Store) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	s.alone.Lock()
	defer s.alone.Unlock()
	p := &purger{Store: s, ctx: ctx, now: s.Now()}
	err := begin(ctx, name)
	if err == nil {
		err = p.unname(name, fence)
	}
	if err == nil {
		err = s.run(ctx, p.condemn)
	}
	if err == nil {
		err = s.run(ctx, p.sweep)
	}
	return p.done, fail("purge", name, err)
}

// purger is one Purge.
type purger struct {
	*Store
	ctx  context.Context
	now  time.Time
	had  map[record.Thing]struct{} // what the purged worlds reach, and no other
	done history.Purged
}

// unname notes what the world of a name reaches, or those that were deleted under
// it, and takes it away.
func (p *purger) unname(name string, fence uint64) error {
	return p.change(p.ctx, func(d *draft) error {
		p.had, p.done.Worlds = make(map[record.Thing]struct{}), 0
		w, err := d.World(name)
		if err == nil {
			if _, _, err = p.under(d.Reads, w, fence); err == nil {
				err = p.unnameOne(d, record.NameKey(name), w)
			}
			return err
		}
		if !errors.Is(err, history.ErrNoWorld) {
			return err
		}
		if err := d.unseen().Each(record.GravesOf(name), func(key, _ []byte) (bool, error) {
			if err := (history.Lease{}).Admit(fence, p.now); err != nil { // they have no leases
				return false, err
			}
			value, err := d.Get(key)
			if err != nil {
				return false, err
			}
			g, err := record.ParseGrave(value)
			if err == nil {
				err = p.unnameOne(d, key, g.World)
			}
			return true, err
		}); err != nil {
			return err
		}
		if p.done.Worlds == 0 {
			return history.ErrNoWorld
		}
		return nil
	})
}

func (p *purger) unnameOne(d *draft, key []byte, w uint64) error {
	p.done.Worlds++
	r := d.unseen()
	if err := r.All(p.ctx, w, p.had); err != nil {
		return err
	}
	changes, err := r.Forget(key, w)
	d.add(changes...)
	return err
}

// condemn condemns the stones that no other world reaches.
func (p *purger) condemn(w *sweeper, r record.Reads) error {
	err := r.Spare(p.ctx, p.had, func(id stone.ID) error { return p.shared(r, id) })
	if err != nil {
		return err
	}
	return p.each(w, r, func(t record.Thing, in record.Info, value []byte) error {
		if in.Condemned {
			return nil
		}
		in.Condemned, in.Since = true, p.now
		return w.take(victim{key: string(t[:]), was: value, next: in.Value()})
	})
}

func (p *purger) shared(r record.Reads, id stone.ID) error {
	in, ok, err := r.Info(id)
	if ok {
		p.done.SharedStones++
		p.done.SharedBytes += in.Size
	}
	return err
}

// each calls what for the stones of had that are there.
func (p *purger) each(w *sweeper, r record.Reads, what func(t record.Thing, in record.Info, value []byte) error) error {
	for _, t := range slices.SortedFunc(maps.Keys(p.had), func(a, b record.Thing) int { return bytes.Compare(a[:], b[:]) }) {
		if t.Kind() != record.Stones {
			continue
		}
		value, err := r.Get(t[:])
		if value == nil && err == nil {
			continue // a pack stands for it
		}
		if err != nil {
			return err
		}
		in, err := record.ParseInfo(value)
		if err == nil {
			err = what(t, in, value)
		}
		if err != nil {
			return err
		}
	}
	return w.flush()
}

// sweep takes what was condemned and is still reached by no other world, and the
// packs and commits.
func (p *purger) sweep(w *sweeper, r record.Reads) error {
	if err := r.Spare(p.ctx, p.had, func(id stone.ID) error { return p.shared(r, id) }); err != nil {
		return err
	}
	for _, kind := range []byte{record.Packs, record.Commits} { // a stone goes after what names it
		if err := p.takeKind(w, r, kind); err != nil {
			return err
		}
	}
	return p.each(w, r, func(t record.Thing, in record.Info, value []byte) error {
		if !in.Condemned {
			return nil
		}
		return w.take(victim{key: string(t[:]), was: value, bytes: bytesKey(stone.ID(t[1:]), in.Number), taken: func() {
			p.done.Stones++
			p.done.Bytes += in.Size
		}})
	})
}

func (p *purger) takeKind(w *sweeper, r record.Reads, kind byte) error {
	for t := range p.had {
		if t.Kind() != kind {
			continue
		}
		value, err := r.Get(t[:])
		if err != nil {
			return err
		}
		if value == nil {
			continue
		}
		v := victim{key: string(t[:]), was: value}
		if kind == record.Commits {
			v.taken = func() { p.done.Commits++ }
		}
		if err := w.take(v); err != nil {
			return err
		}
	}
	return w.flush()
}
