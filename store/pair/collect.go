package pair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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
