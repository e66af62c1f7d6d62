package disk

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Collect reads the records of all worlds, but not their
// stones. Other calls continue meanwhile. FORMAT.md explains why it deletes nothing
// that is needed.
func (s *Store) Collect(ctx context.Context, p history.Policy) (history.Collected, error) {
	if p.DryRun {
		return rules.DryCollect(ctx, s, p, s.Now())
	}
	c := &collector{Store: s, ctx: ctx, policy: p, now: s.Now()}
	err := s.calls.OnStore(ctx, "collect", func() error {
		s.alone.Lock()
		defer s.alone.Unlock()
		for _, step := range []func() error{c.removeDeleted, c.trim, c.sweep, c.flush, c.removeFiles} {
			if err := step(); err != nil {
				return err
			}
		}
		s.collected(c.left)
		return nil
	})
	return c.done, err
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

// removeDeleted removes worlds whose time to be restored has passed.
func (c *collector) removeDeleted() error {
	snap := c.db.NewSnapshot()
	defer snap.Close()
	return frozen(snap).Each([]byte{record.DeletedWorlds}, func(key, value []byte) (bool, error) {
		g, err := record.ParseDeleted(value)
		if err == nil && c.policy.DeletedOver(c.now, g.Deleted) {
			err = c.withDeleted(bytes.Clone(key), g.World, func(key []byte, w uint64) error {
				c.done.Worlds++
				return c.forget(key, w)
			})
		}
		return true, errors.Join(err, c.ctx.Err())
	})
}

// withDeleted locks a deleted world and calls what for it, unless it was restored.
func (s *Store) withDeleted(key []byte, w uint64, what func(key []byte, w uint64) error) error {
	s.worlds.of(w).Lock()
	defer s.worlds.of(w).Unlock()
	defer s.lockNames(record.NameOfDeleted(key))()
	if still, err := s.live().Get(key); still == nil || err != nil {
		return err
	}
	return what(key, w)
}

// forget removes a world for good, with the key that leads to it.
func (s *Store) forget(key []byte, w uint64) error {
	changes, err := s.live().Forget(key, w)
	if err != nil {
		return err
	}
	return s.applyAll(changes)
}

// applyAll makes changes that a crash may lose.
func (s *Store) applyAll(changes []record.Change) error {
	b := s.db.NewBatch()
	if err := add(b, changes...); err != nil {
		return err
	}
	return s.apply(b, pebble.NoSync)
}

// trim deletes the log entries that the policy does not keep.
func (c *collector) trim() error {
	snap := c.db.NewSnapshot()
	defer snap.Close()
	keep, err := frozen(snap).Keeps(c.policy.Keep)
	if err != nil {
		return err
	}
	return frozen(snap).EachLog(func(w uint64, log []record.Entry) error {
		drop := record.Trim(w, log, keep(w), c.now)
		if len(drop) == 0 {
			return c.ctx.Err()
		}
		c.done.Commits += len(drop)
		c.worlds.of(w).Lock() // a fork or a pack may be using one now
		defer c.worlds.of(w).Unlock()
		return errors.Join(c.applyAll(drop), c.ctx.Err())
	})
}

// sweep removes packs, commits and stones that are not needed.
func (c *collector) sweep() error {
	snap := c.guard.begin(c.db)
	defer snap.Close()
	defer c.guard.end()
	r := frozen(snap)
	need, err := r.Mark(c.ctx, uint64(c.now.UnixNano()))
	if err != nil {
		return err
	}
	for _, kind := range []byte{record.Packs, record.Commits, record.Stones} { // a stone is deleted after the records that name it
		if err := c.sweepKind(r, need, kind); err != nil {
			return err
		}
	}
	return nil
}

const sweepBatch = 256

func (c *collector) sweepKind(r record.Reads, need *record.GarbageMarks, kind byte) error {
	var found []record.Thing
	err := r.Each([]byte{kind}, func(key, value []byte) (bool, error) {
		c.countLeft(kind, value)
		if t := record.Thing(key); !need.Has(t) {
			found = append(found, t)
		}
		if len(found) < sweepBatch {
			return true, c.ctx.Err()
		}
		err := c.deleteUnheld(found, c.takeOne)
		found = found[:0]
		return true, errors.Join(err, c.ctx.Err())
	})
	return errors.Join(err, c.deleteUnheld(found, c.takeOne))
}

// countLeft counts a thing for Stats as if it stayed.
func (c *collector) countLeft(kind byte, value []byte) {
	switch kind {
	case record.Commits:
		c.left.Commits++
	case record.Packs:
		c.left.Packs++
	case record.Stones:
		if in, err := record.ParseInfo(value); err == nil { // Check reports other errors
			c.left.Stones++
			c.left.StoneBytes += in.Size
		}
	}
}

// deleteUnheld removes those things that no call holds. It must not wait for the disk,
// because all calls wait for it.
func (s *Store) deleteUnheld(things []record.Thing, one func(*pebble.Batch, record.Thing) error) error {
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
		s.memory.Forget(t)
	}
	return err
}

// takeOne deletes a thing, or condemns a stone whose grace has not ended.
func (c *collector) takeOne(b *pebble.Batch, t record.Thing) error {
	switch t.Kind() {
	case record.Commits:
		c.left.Commits--
		return b.Delete(t[:], nil)
	case record.Packs:
		c.left.Packs--
		return b.Delete(t[:], nil)
	}
	id := stone.ID(t[1:])
	in, ok, err := c.live().Info(id)
	if !ok || err != nil {
		return err
	}
	c.left.Stones--
	c.left.StoneBytes -= in.Size
	doomed := in.Condemned
	if !doomed {
		in.Condemned, in.Since = true, c.now
	}
	if c.policy.GraceOver(c.now, in.Since) {
		c.done.Stones++
		c.done.Bytes += in.Size
		return errors.Join(b.Delete(t[:], nil), b.Delete(dataKey(id, in), nil))
	}
	c.done.Condemned++
	c.left.Condemned++
	c.left.CondemnedBytes += in.Size
	if doomed {
		return nil
	}
	return b.Set(t[:], in.Value(), nil)
}

// unusedKey is the key of no record.
const unusedKey = 'z'

// flush waits until all deletions are on stable storage.
func (s *Store) flush() error {
	b := s.db.NewBatch()
	if err := b.Delete([]byte{unusedKey}, nil); err != nil { // only a batch with a record has a place
		return err
	}
	return s.apply(b, durable())
}

// removeFiles removes large stones without a record, which no crash can bring back
// now: those that were deleted, and those of failed saves.
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
	_, ok, err := s.live().Info(id)
	if ok || err != nil || s.guard.needs(record.StoneThing(id)) {
		return err
	}
	return ignoreMissing(s.FS.Remove(s.files.path(id)))
}
