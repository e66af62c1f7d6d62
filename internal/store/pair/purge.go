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
func (s *Store) Purge(ctx context.Context, name string, fence uint64) (history.Purged, error) {
	p := &purger{Store: s, ctx: ctx}
	err := s.calls.OnWorld(ctx, "purge", name, func() error {
		return s.alone(ctx, func() (err error) {
			if p.at, err = s.now(ctx); err == nil {
				err = p.unname(name, fence)
			}
			if err == nil {
				err = p.forgetLong()
			}
			if err == nil {
				err = s.run(ctx, time.Time{}, p.condemn)
			}
			if err == nil {
				err = s.run(ctx, time.Time{}, p.sweep)
			}
			return err
		})
	})
	return p.done, err
}

// purger is one Purge.
type purger struct {
	*Store
	ctx  context.Context
	at   time.Time                 // when it began
	had  map[record.Thing]struct{} // what only the purged worlds reach
	long []leaving                 // worlds that have no name any more, but a log
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
			l, err := doom(d, w, key)
			p.long = append(p.long, l)
			return err
		})
		return err
	})
}

// forgetLong removes the worlds whose logs are long.
func (p *purger) forgetLong() error {
	for _, l := range p.long {
		err := p.shorten(p.ctx, &l)
		if err == nil {
			_, err = p.forget(p.ctx, l)
		}
		if err != nil && !errors.Is(err, history.ErrChanged) { // otherwise a Collect has removed it
			return err
		}
	}
	return nil
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
		in.Condemned, in.Since = true, p.at
		return w.take(garbage{key: string(t[:]), was: value, next: in.Value()})
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

// each calls what for the stones in had that exist.
func (p *purger) each(w *sweeper, r record.Reads, what func(t record.Thing, in record.Info, value []byte) error) error {
	return p.eachKind(w, r, record.Stones, func(t record.Thing, value []byte) error {
		in, err := record.ParseInfo(value)
		if err == nil {
			err = what(t, in, value)
		}
		return err
	})
}

// eachKind calls what for the things of a kind in had that exist.
func (p *purger) eachKind(w *sweeper, r record.Reads, kind byte, what func(t record.Thing, value []byte) error) error {
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
	return w.flush()
}

// sweep deletes the condemned stones that still no other world reaches, and the
// packs and commits.
func (p *purger) sweep(w *sweeper, r record.Reads) error {
	if err := r.Spare(p.ctx, p.had, func(id stone.ID) error { return p.shared(r, id) }); err != nil {
		return err
	}
	for _, kind := range []byte{record.Packs, record.Commits} { // a stone is deleted after the records that name it
		if err := p.takeKind(w, r, kind); err != nil {
			return err
		}
	}
	return p.each(w, r, func(t record.Thing, in record.Info, value []byte) error {
		if !in.Condemned {
			return nil
		}
		v := garbage{key: string(t[:]), was: value, taken: func() {
			p.done.Stones++
			p.done.Bytes += in.Size
		}}
		v.holds(stone.ID(t[1:]), in)
		return w.take(v)
	})
}

func (p *purger) takeKind(w *sweeper, r record.Reads, kind byte) error {
	return p.eachKind(w, r, kind, func(t record.Thing, value []byte) error {
		v := garbage{key: string(t[:]), was: value}
		if kind == record.Commits {
			v.taken = func() { p.done.Commits++ }
		}
		return w.take(v)
	})
}
