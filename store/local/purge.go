package local

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Purge is for history.Store. It reads the logs of all worlds, beside which
// everything else goes on, and needs memory for what the purged ones reach.
func (s *Store) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	leave, err := s.enter(ctx, name)
	if err != nil {
		return history.Purged{}, fail("purge", name, err)
	}
	defer leave()
	s.alone.Lock()
	defer s.alone.Unlock()
	p := &purger{Store: s, ctx: ctx, had: make(map[thing]struct{})}
	err = p.unname(name, fence)
	for _, step := range []func() error{p.sweep, s.flush, p.removeFiles} {
		if err == nil {
			err = step()
		}
	}
	return p.done, fail("purge", name, err)
}

// purger is one Purge.
type purger struct {
	*Store
	ctx   context.Context
	had   map[thing]struct{} // what the purged worlds reach and no other
	files []stone.ID         // taken
	done  history.Purged
}

// unname takes away the world of a name, or those that were deleted under it.
func (p *purger) unname(name string, fence uint64) error {
	w, unlock, err := p.lockWorld(name)
	switch {
	case errors.Is(err, history.ErrNoWorld):
		return p.unnameGraves(name, fence)
	case err != nil:
		return err
	}
	defer unlock()
	defer p.lockNames(name)()
	if _, _, err := p.under(w, fence); err != nil {
		return err
	}
	defer p.worldOf.drop(keyOf(name)) // before it is unlocked
	return p.unnameOne(nameKey(name), w)
}

func (p *purger) unnameGraves(name string, fence uint64) error {
	snap := p.db.NewSnapshot()
	defer snap.Close()
	err := reads{Reader: snap}.each(func(key, value []byte) (bool, error) {
		if err := (history.Lease{}).Admit(fence, p.Now()); err != nil { // they have no leases
			return false, err
		}
		g, err := parseGrave(value)
		if err == nil {
			err = p.buryOne(bytes.Clone(key), g.world, p.unnameOne)
		}
		return true, errors.Join(err, p.ctx.Err())
	}, gravesOf(name)...)
	if err == nil && p.done.Worlds == 0 {
		err = history.ErrNoWorld
	}
	return err
}

// unnameOne notes what a world reaches and takes it away with its key. Its lock
// is held.
func (p *purger) unnameOne(key []byte, w uint64) error {
	r := p.live()
	all := walker{r: r, done: make(map[history.ID]struct{}), visit: func(t thing) error {
		p.had[t] = struct{}{}
		return nil
	}}
	if err := r.back(w, 1<<64-1, all.entry(p.ctx)); err != nil {
		return err
	}
	p.done.Worlds++
	return p.forget(key, w)
}

// sweep takes what no other world reaches.
func (p *purger) sweep() error {
	snap := p.guard.begin(p.db)
	defer snap.Close()
	defer p.guard.end()
	err := p.spare(reads{Reader: snap})
	if err != nil {
		return err
	}
	rank := func(t thing) int { return bytes.IndexByte([]byte("pci"), t[0]) } // a stone goes after what names it
	things := slices.SortedFunc(maps.Keys(p.had), func(a, b thing) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), bytes.Compare(a[:], b[:]))
	})
	for some := range slices.Chunk(things, sweepBatch) {
		if err := errors.Join(p.ctx.Err(), p.take(some, p.takeOne)); err != nil {
			return err
		}
	}
	return nil
}

// spare leaves in had what no world that is there reaches.
func (p *purger) spare(r reads) error {
	open, err := p.doubts(r)
	if err != nil {
		return err
	}
	rest := walker{r: r, done: make(map[history.ID]struct{}), visit: func(t thing) error {
		if _, ok := open[t]; !ok {
			return nil
		}
		delete(open, t)
		delete(p.had, t)
		if t[0] != 'i' {
			return nil
		}
		in, ok, err := r.info(stone.ID(t[1:]))
		if ok {
			p.done.SharedStones++
			p.done.SharedBytes += in.size
		}
		return err
	}}
	entry := rest.entry(p.ctx)
	return r.each(func(key, value []byte) (bool, error) {
		e, err := parseEntry(key, value)
		if err != nil || len(open) == 0 {
			return false, err
		}
		return entry(e)
	}, 'l')
}

// doubts returns what of had another world may reach: what a log, a commit or a
// pack names that is not of had, and what lies below that. Reading all records in
// their order takes a tenth of the time of all walks; after it, walks of a few
// logs mostly do.
func (p *purger) doubts(r reads) (map[thing]struct{}, error) {
	open := make(map[thing]struct{})
	doubt := func(t thing) error {
		if _, ok := p.had[t]; ok {
			open[t] = struct{}{}
		}
		return nil
	}
	below := walker{r: r, done: make(map[history.ID]struct{}), visit: doubt}
	named := func(at history.ID, refs ...history.StoneRef) error {
		for _, ref := range refs {
			if err := doubt(stoneThing(ref.ID)); err != nil {
				return err
			}
		}
		if _, ok := p.had[commitThing(at)]; ok {
			return below.down(at)
		}
		return nil
	}
	err := r.each(func(key, value []byte) (bool, error) {
		e, err := parseEntry(key, value)
		return true, errors.Join(err, p.ctx.Err(), named(e.commit))
	}, 'l')
	err = errors.Join(err, r.each(func(key, value []byte) (bool, error) {
		if _, ok := p.had[thing(key)]; ok {
			return true, nil
		}
		c, err := history.ParseCommit(value)
		return true, errors.Join(err, p.ctx.Err(), named(c.Base, c.Stones...))
	}, 'c'))
	return open, errors.Join(err, r.each(func(key, value []byte) (bool, error) {
		if _, ok := p.had[thing(key)]; ok {
			return true, nil
		}
		pack, err := parsePack(history.ID(key[1:]), value)
		return true, errors.Join(err, p.ctx.Err(), named(pack.After, pack.Stone))
	}, 'p'))
}

func (p *purger) takeOne(b *pebble.Batch, t thing) error {
	if t[0] != 'i' {
		if t[0] == 'c' {
			p.done.Commits++
		}
		return b.Delete(t[:], nil)
	}
	id := stone.ID(t[1:])
	in, ok, err := p.live().info(id)
	if !ok || err != nil {
		return err // a pack stands for it
	}
	if in.file {
		p.files = append(p.files, id)
	}
	p.done.Stones++
	p.done.Bytes += in.size
	return errors.Join(b.Delete(t[:], nil), b.Delete(in.dataKey(id), nil))
}

func (p *purger) removeFiles() error {
	for _, id := range p.files {
		if err := p.removeFile(id); err != nil {
			return err
		}
	}
	return nil
}

// walker goes down from commits by what reaches goes by.
type walker struct {
	r     reads
	done  map[history.ID]struct{} // walked down from; forgotten when it is large
	visit func(thing) error
}

// entry is for logs.
func (w *walker) entry(ctx context.Context) func(entry) (bool, error) {
	return func(e entry) (bool, error) { return true, errors.Join(w.down(e.commit), ctx.Err()) }
}

func (w *walker) down(at history.ID) error {
	for at != (history.ID{}) {
		if _, ok := w.done[at]; ok {
			return nil
		}
		if len(w.done) == doneLimit {
			clear(w.done)
		}
		w.done[at] = struct{}{}
		p, packed, err := w.r.pack(at)
		if err != nil {
			return err
		}
		c, err := w.r.commit(at)
		if err != nil && (!packed || !errors.Is(err, history.ErrNoCommit)) {
			return err
		}
		things := []thing{commitThing(at)}
		for _, ref := range c.Stones {
			things = append(things, stoneThing(ref.ID))
		}
		at = c.Base
		if packed {
			things = append(things, packThing(p.Upto), stoneThing(p.Stone.ID))
			at = p.After
		}
		for _, t := range things {
			if err := w.visit(t); err != nil {
				return err
			}
		}
	}
	return nil
}
