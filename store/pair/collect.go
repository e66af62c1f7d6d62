package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/record"
)

// Collect is for history.Store. It reads the records of all worlds at one moment,
// and lists all bytes; everything else goes on beside it. FORMAT.md says why it
// takes nothing that is needed.
func (s *Store) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	s.alone.Lock()
	defer s.alone.Unlock()
	c := &collector{Store: s, ctx: ctx, policy: p, now: s.Now()}
	err := ctx.Err()
	for _, step := range []func() error{c.bury, c.trim, c.sweep, c.endAttempts, c.removeOrphans} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		return c.done, fmt.Errorf("pair: collect: %w", err)
	}
	return c.done, nil
}

// collector is one Collect.
type collector struct {
	*Store
	ctx    context.Context
	policy history.Policy
	now    time.Time
	done   history.Collected
}

// bury takes worlds for good that were deleted long enough ago.
func (c *collector) bury() error {
	return c.look(c.ctx, func(r record.Reads) error {
		return r.Each([]byte{record.Graves}, func(key, value []byte) (bool, error) {
			g, err := record.ParseGrave(value)
			if err == nil && c.policy.DeletedOver(c.now, g.Deleted) {
				var taken bool
				taken, err = c.forget(c.ctx, key, g.World)
				if taken {
					c.done.Worlds++
				}
			}
			return true, err
		})
	})
}

// forget takes a deleted world for good, unless it was given back.
func (s *Store) forget(ctx context.Context, key []byte, w uint64) (taken bool, err error) {
	err = s.change(ctx, func(d *draft) error {
		value, err := d.Get(key)
		if taken = value != nil; !taken || err != nil {
			return err
		}
		changes, err := d.unseen().Forget(key, w)
		d.add(changes...)
		return err
	})
	return taken && err == nil, err
}

// trim drops from every log what the policy does not keep.
func (c *collector) trim() error {
	return c.look(c.ctx, func(r record.Reads) error {
		return r.EachLog(func(w uint64, log []record.Entry) error {
			drop := record.Trim(w, log, c.policy.Keep, c.now)
			for some := range slices.Chunk(drop, pageOf) {
				err := c.change(c.ctx, func(d *draft) error {
					d.add(some...)
					return nil
				})
				if err != nil {
					return err
				}
				c.done.Commits += len(some)
			}
			return nil
		})
	})
}

// sweep takes packs, commits and stones that are not needed. What has no grace is
// condemned by one walk and deleted by the next.
func (c *collector) sweep() error {
	again := false
	sweep := func(w *sweeper, r record.Reads) error {
		need, err := r.Mark(c.ctx, c.Rand())
		if err != nil {
			return err
		}
		c.done.Condemned, again = 0, false
		for _, kind := range []byte{record.Packs, record.Commits, record.Stones} { // a stone goes after what names it
			err := r.Each([]byte{kind}, func(key, value []byte) (bool, error) {
				t := record.Thing(key)
				if kind == record.Stones {
					return true, c.stone(w, t, value, need.Has(t), &again)
				}
				if need.Has(t) {
					return true, c.ctx.Err()
				}
				return true, w.take(victim{key: string(key), was: bytes.Clone(value)})
			})
			if err == nil {
				err = w.flush()
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	err := c.run(c.ctx, sweep)
	if err == nil && again {
		err = c.run(c.ctx, sweep)
	}
	return err
}

// stone condemns a stone that is not needed, and deletes it when its grace is over.
func (c *collector) stone(w *sweeper, t record.Thing, value []byte, needed bool, again *bool) error {
	in, err := record.ParseInfo(value)
	if err != nil || needed && !in.Condemned {
		return err
	}
	v := victim{key: string(t[:]), was: bytes.Clone(value)}
	next := in
	switch {
	case needed: // it was named while it was condemned
		next.Condemned = false
		v.next = next.Value()
	case !in.Condemned:
		next.Condemned, next.Since = true, c.now
		v.next = next.Value()
		if c.policy.GraceOver(c.now, c.now) {
			*again = true
		} else {
			c.done.Condemned++
		}
	case c.policy.GraceOver(c.now, in.Since):
		v.bytes = bytesKey(stone.ID(t[1:]), in.Number)
		v.taken = func() {
			c.done.Stones++
			c.done.Bytes += in.Size
		}
	default:
		c.done.Condemned++
		return nil
	}
	return w.take(v)
}

// endAttempts ends attempts that were begun long ago.
func (c *collector) endAttempts() error {
	return c.look(c.ctx, func(r record.Reads) error {
		return r.Each([]byte{attempts}, func(key, value []byte) (bool, error) {
			begun, err := record.ParseNumber(value)
			if err != nil || len(key) != len(attemptKey(stone.ID{}, 0)) {
				return false, errors.Join(err, fmt.Errorf("attempt %x: not a record of this kind", key))
			}
			if c.now.Sub(time.UnixMilli(int64(begun))) <= attemptFor {
				return true, nil
			}
			return true, c.discard(c.ctx, stone.ID(key[1:]), record.Number(key), bytes.Clone(value))
		})
	})
}

// removeOrphans deletes bytes that nothing in the catalogue stands for. Nothing will,
// for an attempt is there before its bytes are, and is not made again.
func (c *collector) removeOrphans() error {
	for after := ""; ; {
		keys, err := c.stones.List(c.ctx, after, pageOf)
		if err != nil || len(keys) == 0 {
			return err
		}
		after = keys[len(keys)-1]
		err = c.look(c.ctx, func(r record.Reads) error {
			for _, key := range keys {
				id, number, ok := parseBytesKey(key)
				if !ok {
					continue // not ours
				}
				attempt, err := r.Get(attemptKey(id, number))
				if err != nil {
					return err
				}
				in, _, err := r.Info(id)
				if err != nil {
					return err
				}
				if attempt == nil && in.Number != number {
					if err := c.remove(c.ctx, key); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// sweeper takes things, as long as no other Collect or Purge has begun and no
// commit has disturbed it.
type sweeper struct {
	*Store
	ctx context.Context
	own history.Record // the condition
	now []victim
}

// victim is a record that is to be deleted, or changed to next, if it still is what
// it was.
type victim struct {
	key       string
	was, next []byte
	bytes     string // to be deleted then, if not ""
	taken     func() // called then, if not nil
}

// maxRuns is how often a sweep begins anew.
const maxRuns = 5

// errDisturbed says that a sweep must begin anew.
var errDisturbed = errors.New("another collection has begun, or many worlds make the same commits")

// run calls what with the records as they are at one moment after it has ended what
// others sweep; again if it is disturbed itself.
func (s *Store) run(ctx context.Context, what func(*sweeper, record.Reads) error) error {
	for n := 1; ; n++ {
		w := &sweeper{Store: s, ctx: ctx, own: history.Record{Key: runKey, Value: record.NumberValue(s.number())}}
		err := s.catalogue.Swap(ctx, nil, []history.Record{w.own})
		if err == nil {
			err = s.look(ctx, func(r record.Reads) error { return what(w, r) })
		}
		if !errors.Is(err, errDisturbed) || n == maxRuns {
			return err
		}
	}
}

func (w *sweeper) take(v victim) error {
	if w.now = append(w.now, v); len(w.now) < pageOf {
		return nil
	}
	return w.flush()
}

// flush takes what was left to it: all at once, or if something of it was changed
// one by one.
func (w *sweeper) flush() error {
	all := w.now
	w.now = nil
	if len(all) == 0 {
		return w.ctx.Err()
	}
	err := w.swap(all)
	if !errors.Is(err, history.ErrChanged) {
		return err
	}
	for _, v := range all {
		if err := w.swap([]victim{v}); errors.Is(err, history.ErrChanged) {
			if err := w.undisturbed(); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeper) swap(some []victim) error {
	conditions := []history.Record{w.own}
	var changes []history.Record
	for _, v := range some {
		conditions = append(conditions, history.Record{Key: v.key, Value: v.was})
		changes = append(changes, history.Record{Key: v.key, Value: v.next})
	}
	if err := w.catalogue.Swap(w.ctx, conditions, changes); err != nil {
		return err
	}
	for _, v := range some {
		if v.taken != nil {
			v.taken()
		}
		if v.bytes == "" {
			continue
		}
		if err := w.remove(w.ctx, v.bytes); err != nil {
			return err
		}
	}
	return nil
}

func (w *sweeper) undisturbed() error {
	values, err := w.catalogue.Get(w.ctx, runKey)
	if err == nil && !bytes.Equal(values[0], w.own.Value) {
		err = errDisturbed
	}
	return err
}

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
