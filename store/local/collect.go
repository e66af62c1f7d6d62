package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
)

// Collect is for history.Shelf. It reads the records of all worlds, not their
// stones, beside which everything else goes on. FORMAT.md says why it takes
// nothing that is needed.
func (s *Store) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return history.Collected{}, fmt.Errorf("local: collect: %w", err)
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
	s.collected(c.left)
	return c.done, nil
}

// collector is one Collect.
type collector struct {
	*Store
	ctx    context.Context
	policy history.Policy
	now    time.Time
	done   history.Collected
	left   Stats
}

// bury takes worlds for good that were deleted long enough ago.
func (c *collector) bury() error {
	snap := c.db.NewSnapshot()
	defer snap.Close()
	return reads{Reader: snap}.each(func(key, value []byte) (bool, error) {
		g, err := parseGrave(value)
		if err == nil && c.policy.DeletedOver(c.now, g.deleted) {
			err = c.buryOne(bytes.Clone(key), g.world, func(key []byte, w uint64) error {
				c.done.Worlds++
				return c.forget(key, w)
			})
		}
		return true, errors.Join(err, c.ctx.Err())
	}, 't')
}

// buryOne calls what for a deleted world, which is locked, unless it was given
// back.
func (s *Store) buryOne(key []byte, w uint64, what func(key []byte, w uint64) error) error {
	s.worlds.of(w).Lock()
	defer s.worlds.of(w).Unlock()
	defer s.lockNames(string(key[1 : len(key)-9]))()
	if still, err := s.live().get(key); still == nil || err != nil {
		return err
	}
	return what(key, w)
}

// forget takes a world for good, with the key that leads to it.
func (s *Store) forget(key []byte, w uint64) error {
	b := s.db.NewBatch()
	err := s.live().keys(func(key []byte) error { return b.Delete(key, nil) }, logOf(w)...)
	if err = errors.Join(err, b.Delete(key, nil), b.Delete(headKey(w), nil), b.Delete(leaseKey(w), nil)); err != nil {
		return err
	}
	return s.apply(b, pebble.NoSync)
}

// trim drops from every log what the policy does not keep.
func (c *collector) trim() error {
	snap := c.db.NewSnapshot()
	defer snap.Close()
	var (
		w   uint64
		log []entry // of w, oldest first
	)
	err := reads{Reader: snap}.each(func(key, value []byte) (bool, error) {
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
	r := reads{Reader: snap}
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
	err := r.each(func(key, value []byte) (bool, error) {
		c.see(kind, value)
		if t := thing(key); !need.has(t) {
			found = append(found, t)
		}
		if len(found) < sweepBatch {
			return true, c.ctx.Err()
		}
		err := c.take(found, c.takeOne)
		found = found[:0]
		return true, errors.Join(err, c.ctx.Err())
	}, kind)
	return errors.Join(err, c.take(found, c.takeOne))
}

// see counts a thing for Stats, as if it stayed.
func (c *collector) see(kind byte, value []byte) {
	switch kind {
	case 'c':
		c.left.Commits++
	case 'p':
		c.left.Packs++
	case 'i':
		if in, err := parseInfo(value); err == nil { // otherwise Check says so
			c.left.Stones++
			c.left.StoneBytes += in.size
		}
	}
}

// take takes those of things that no call holds. It may not wait for the disk:
// all calls wait for it.
func (s *Store) take(things []thing, one func(*pebble.Batch, thing) error) error {
	b := s.db.NewBatch()
	s.guard.mu.Lock()
	defer s.guard.mu.Unlock()
	for _, t := range things {
		if s.guard.needs(t) {
			continue
		}
		if err := one(b, t); err != nil {
			return err
		}
	}
	if b.Empty() {
		return nil
	}
	err := s.apply(b, pebble.NoSync)
	for _, t := range things {
		if t[0] != 'i' {
			s.steps.drop(history.ID(t[1:]))
		}
	}
	return err
}

// takeOne deletes a thing; a stone whose grace is not over it condemns.
func (c *collector) takeOne(b *pebble.Batch, t thing) error {
	switch t[0] {
	case 'c':
		c.left.Commits--
		return b.Delete(t[:], nil)
	case 'p':
		c.left.Packs--
		return b.Delete(t[:], nil)
	}
	id := stone.ID(t[1:])
	in, ok, err := c.live().info(id)
	if !ok || err != nil {
		return err
	}
	c.left.Stones--
	c.left.StoneBytes -= in.size
	doomed := in.doomed
	if !doomed {
		in.doomed, in.since = true, c.now
	}
	if c.policy.GraceOver(c.now, in.since) {
		c.done.Stones++
		c.done.Bytes += in.size
		return errors.Join(b.Delete(t[:], nil), b.Delete(in.dataKey(id), nil))
	}
	c.done.Condemned++
	c.left.Condemned++
	c.left.CondemnedBytes += in.size
	if doomed {
		return nil
	}
	return b.Set(t[:], in.value(), nil)
}

// flush waits until all of it is on stable storage.
func (s *Store) flush() error {
	b := s.db.NewBatch()
	if err := b.LogData([]byte("collected"), nil); err != nil {
		return err
	}
	return s.apply(b, durable())
}

// removeFiles removes large stones that have no record, now that none will be
// back after a crash: those that were taken, and those of saves that failed.
func (c *collector) removeFiles() error {
	return c.files.each(func(id stone.ID) error {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		return c.removeFile(id)
	})
}

func (s *Store) removeFile(id stone.ID) error {
	s.guard.mu.Lock()
	defer s.guard.mu.Unlock()
	_, ok, err := s.live().info(id)
	if ok || err != nil || s.guard.needs(stoneThing(id)) {
		return err
	}
	return ignoreMissing(s.FS.Remove(s.files.path(id)))
}
