package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
)

// Collect is for world.Shelf. It reads the records of all worlds, not their
// stones, beside which everything else goes on. FORMAT.md says why it takes
// nothing that is needed.
func (s *Store) Collect(ctx context.Context, p world.Policy) (world.Collected, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return world.Collected{}, fmt.Errorf("local: collect: %w", err)
	}
	defer leave()
	s.alone.Lock()
	defer s.alone.Unlock()
	c := &collector{Store: s, ctx: ctx, policy: p, now: s.Now()}
	for _, step := range []func() error{c.bury, c.trim, c.sweep, c.flush, c.removeFiles} {
		if err := step(); err != nil {
			return c.done, fmt.Errorf("local: collect: %w", err)
		}
	}
	return c.done, nil
}

// collector is one Collect.
type collector struct {
	*Store
	ctx    context.Context
	policy world.Policy
	now    time.Time
	done   world.Collected
}

// bury takes worlds for good that were deleted long enough ago.
func (c *collector) bury() error {
	snap := c.db.NewSnapshot()
	defer snap.Close()
	return reads{snap}.each(func(key, value []byte) (bool, error) {
		g, err := parseGrave(value)
		if err == nil && c.policy.DeletedOver(c.now, g.deleted) {
			err = c.buryOne(bytes.Clone(key), g.world)
		}
		return true, errors.Join(err, c.ctx.Err())
	}, 't')
}

func (c *collector) buryOne(key []byte, w uint64) error {
	c.worlds.of(w).Lock()
	defer c.worlds.of(w).Unlock()
	defer c.lockNames(string(key[1 : len(key)-9]))()
	r := reads{c.db}
	if still, err := r.get(key); still == nil || err != nil {
		return err // it was given back
	}
	b := c.db.NewBatch()
	err := r.each(func(key, _ []byte) (bool, error) { return true, b.Delete(key, nil) }, logOf(w)...)
	if err = errors.Join(err, b.Delete(key, nil), b.Delete(headKey(w), nil)); err != nil {
		return err
	}
	c.done.Worlds++
	return c.apply(b, pebble.NoSync)
}

// trim drops from every log what the policy does not keep.
func (c *collector) trim() error {
	snap := c.db.NewSnapshot()
	defer snap.Close()
	var (
		w   uint64
		log []entry // of w, oldest first
	)
	err := reads{snap}.each(func(key, value []byte) (bool, error) {
		e, err := parseEntry(key, value)
		if err != nil {
			return false, err
		}
		if at := be.Uint64(key[1:]); at != w {
			if err := c.trimOne(w, log); err != nil {
				return false, err
			}
			w, log = at, log[:0]
		}
		log = append(log, e)
		return true, c.ctx.Err()
	}, 'l')
	return errors.Join(err, c.trimOne(w, log))
}

func (c *collector) trimOne(w uint64, log []entry) error {
	times := make([]time.Time, len(log))
	for i, e := range log {
		times[len(log)-1-i] = e.time
	}
	b := c.db.NewBatch()
	for i, keep := range c.policy.Keep.Keep(c.now, times) {
		if keep {
			continue
		}
		if err := b.Delete(logKey(w, log[len(log)-1-i].number), nil); err != nil {
			return err
		}
	}
	if b.Empty() {
		return nil
	}
	c.done.Commits += int(b.Count())
	c.worlds.of(w).Lock() // a fork or a pack may be about to use one
	defer c.worlds.of(w).Unlock()
	return c.apply(b, pebble.NoSync)
}

// sweep takes packs, commits and stones that are not needed.
func (c *collector) sweep() error {
	snap := c.guard.begin(c.db)
	defer snap.Close()
	defer c.guard.end()
	r := reads{snap}
	need, err := r.mark(c.ctx, uint64(c.now.UnixNano()))
	if err != nil {
		return err
	}
	for _, kind := range []byte{'p', 'c', 'i'} { // a stone goes after what names it
		if err := c.sweepKind(r, need, kind); err != nil {
			return err
		}
	}
	return nil
}

const sweepBatch = 256

func (c *collector) sweepKind(r reads, need *marks, kind byte) error {
	var found []thing
	err := r.each(func(key, _ []byte) (bool, error) {
		if t := thing(key); !need.has(t) {
			found = append(found, t)
		}
		if len(found) < sweepBatch {
			return true, c.ctx.Err()
		}
		err := c.take(kind, found)
		found = found[:0]
		return true, errors.Join(err, c.ctx.Err())
	}, kind)
	return errors.Join(err, c.take(kind, found))
}

// take takes those of things that no call holds. It may not wait for the disk:
// all calls wait for it.
func (c *collector) take(kind byte, things []thing) error {
	b := c.db.NewBatch()
	c.guard.mu.Lock()
	defer c.guard.mu.Unlock()
	for _, t := range things {
		if c.guard.needs(t) {
			continue
		}
		var err error
		if kind == 'i' {
			err = c.takeStone(b, t)
		} else {
			err = b.Delete(t[:], nil)
		}
		if err != nil {
			return err
		}
	}
	if b.Empty() {
		return nil
	}
	return c.apply(b, pebble.NoSync)
}

// takeStone condemns a stone, or deletes it if its grace is over.
func (c *collector) takeStone(b *pebble.Batch, t thing) error {
	id := stone.ID(t[1:])
	in, ok, err := reads{c.db}.info(id)
	if !ok || err != nil {
		return err
	}
	doomed := in.doomed
	if !doomed {
		in.doomed, in.since = true, c.now
	}
	if c.policy.GraceOver(c.now, in.since) {
		c.done.Stones++
		c.done.Bytes += in.size
		return errors.Join(b.Delete(t[:], nil), b.Delete(dataKey(id), nil))
	}
	c.done.Condemned++
	if doomed {
		return nil
	}
	return b.Set(t[:], in.value(), nil)
}

// flush waits until all of it is on stable storage.
func (c *collector) flush() error {
	b := c.db.NewBatch()
	if err := b.LogData([]byte("collected"), nil); err != nil {
		return err
	}
	return c.apply(b, durable())
}

// removeFiles removes large stones that have no record, now that none will be
// back after a crash: those that were taken, and those of saves that failed.
func (c *collector) removeFiles() error {
	return c.files.each(func(id stone.ID) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.guard.mu.Lock()
		defer c.guard.mu.Unlock()
		_, ok, err := reads{c.db}.info(id)
		if ok || err != nil || c.guard.needs(stoneThing(id)) {
			return err
		}
		return ignoreMissing(c.FS.Remove(c.files.path(id)))
	})
}
