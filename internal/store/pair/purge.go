package pair

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Purge reads the records of all worlds. Its memory grows with what the purged worlds reach.
func (s *Pair) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	p := &purger{Pair: s, ctx: ctx}
	err := s.calls.OnWorld(ctx, "purge", name, func() error {
		return s.alone(ctx, func() (err error) {
			if p.at, err = s.now(ctx); err == nil {
				err = p.unname(name, fence)
			}
			if err == nil {
				err = p.forgetLong()
			}
			if err == nil {
				err = s.sweep(ctx, time.Time{}, p.condemn)
			}
			if err == nil {
				err = s.sweep(ctx, time.Time{}, p.remove)
			}
			return err
		})
	})
	return p.done, err
}

// purger is one Purge.
type purger struct {
	*Pair
	ctx  context.Context
	at   time.Time                 // when it began
	had  map[record.Thing]struct{} // what only the purged worlds reach
	long []removal                 // worlds that have no name any more, but a log
	done history.Purged
}

// unname records what the world with this name reaches, or the worlds that were
// deleted under the name, and removes them.
func (p *purger) unname(name string, fence uint64) error {
	return p.change(p.ctx, func(d *rules.Proposal) (err error) {
		p.had, p.long = make(map[record.Thing]struct{}), nil
		p.done.Worlds, err = d.Unname(p.ctx, name, fence, p.had, func(key []byte, w uint64) error {
			changes, err := d.Unconditional.Forget(key, w)
			if err != nil || len(d.Changes)+len(changes) <= changeSize {
				d.Add(changes...)
				return err
			}
			world, err := unname(d, w, key)
			p.long = append(p.long, world)
			return err
		})
		return err
	})
}

// forgetLong removes the worlds whose logs are long.
func (p *purger) forgetLong() error {
	b := &batch{Pair: p.Pair, ctx: p.ctx}
	for _, world := range p.long {
		err := p.shorten(p.ctx, &world)
		if errors.Is(err, history.ErrChanged) { // a Collect has removed it
			continue
		}
		if err == nil {
			err = b.add(world.step(nil))
		}
		if err != nil {
			return err
		}
	}
	return b.flush()
}

// condemn condemns the stones that no other world reaches.
func (p *purger) condemn(b *batch, r record.Reads) error {
	return p.each(b, r, []byte{record.Stones}, func(t record.Thing, value []byte) error {
		in, err := record.ParseInfo(value)
		if err != nil || in.Condemned {
			return err
		}
		in.Condemned, in.Since = true, p.at
		return b.add(replace(t[:], value, in.Value()))
	})
}

// remove deletes the condemned stones that still no other world reaches, and the
// packs and commits. A stone is deleted after the records that name it.
func (p *purger) remove(b *batch, r record.Reads) error {
	return p.each(b, r, []byte{record.Packs, record.Commits, record.Stones}, func(t record.Thing, value []byte) error {
		st := replace(t[:], value, nil)
		switch t.Kind() {
		case record.Commits:
			st.done = func() { p.done.Commits++ }
		case record.Stones:
			in, err := record.ParseInfo(value)
			if err != nil || !in.Condemned {
				return err
			}
			st = removeStone(t[:], value, in)
			st.done = func() {
				p.done.Stones++
				p.done.Bytes += in.Size
			}
		}
		return b.add(st)
	})
}

// each calls what for the things of some kinds that only the purged worlds reach, those of
// one kind after those of the kind before.
func (p *purger) each(b *batch, r record.Reads, kinds []byte, what func(t record.Thing, value []byte) error) error {
	err := r.Spare(p.ctx, p.had, func(id stone.ID) error {
		in, ok, err := r.Info(id)
		if ok {
			p.done.SharedStones++
			p.done.SharedBytes += in.Size
		}
		return err
	})
	for _, kind := range kinds {
		if err == nil {
			err = p.eachOfKind(b, r, kind, what)
		}
	}
	return err
}

func (p *purger) eachOfKind(b *batch, r record.Reads, kind byte, what func(t record.Thing, value []byte) error) error {
	var all []record.Thing
	for t := range p.had {
		if t.Kind() == kind {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, func(a, b record.Thing) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(all, walkSize) {
		keys := make([][]byte, len(some))
		for i := range some {
			keys[i] = some[i][:]
		}
		if err := r.Ahead(keys...); err != nil {
			return err
		}
		for _, t := range some {
			value, err := r.Get(t[:])
			if err == nil && value != nil { // otherwise a pack replaced it
				err = what(t, value)
			}
			if err != nil {
				return err
			}
		}
	}
	return b.flush()
}
