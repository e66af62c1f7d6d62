package rules

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Walk reads all records of a store and reports what is wrong with them.
type Walk struct {
	record.Reads // of one moment
	Ctx          context.Context
	// Each calls what for every record of a kind, or for every one that can be read.
	Each   func(kind byte, what func(key, value []byte) error) error
	Report record.Report
}

// EachRecord is Each. An error of what is a fault.
func (w *Walk) EachRecord(kind byte, what func(key, value []byte) error) error {
	return w.Each(kind, func(key, value []byte) error {
		if err := what(key, value); err != nil {
			w.Report.Fault("%c %x: %v", kind, key[1:], err)
		}
		return w.Ctx.Err()
	})
}

// Batches calls what with all records of a kind, BatchSize at a time. Those are left out
// for which parse returns an error, which is a fault.
func Batches[T any](w *Walk, kind byte, parse func(key, value []byte) (T, error), what func([]T) error) error {
	var now []T
	var failed error
	err := w.EachRecord(kind, func(key, value []byte) error {
		t, err := parse(key, value)
		if err != nil {
			return err
		}
		if now = append(now, t); len(now) == BatchSize && failed == nil {
			failed, now = what(now), now[:0]
		}
		return nil
	})
	if failed == nil && err == nil && len(now) > 0 {
		failed = what(now)
	}
	return errors.Join(err, failed)
}

// BatchSize is how many records are checked together.
const BatchSize = 1024

// Check verifies what all stores have: first Records, then whatever the store knows of the
// bytes of stones, then Hurt.
type Check struct {
	Walk
	Stone func(stone.ID, record.Info) error // called for each stone; an error is a fault

	worlds []world                 // in ascending order of numbers
	broken map[uint64]struct{}     // worlds without a head that their log ends with
	done   map[history.ID]struct{} // visited commits; cleared when it is large
	bad    map[stone.ID]struct{}   // stones whose bytes are lost or damaged
}

// world is what a Check remembers of a world.
type world struct {
	number  uint64
	head    history.Head
	last    history.ID // the newest entry of its log
	deleted bool
}

// Lost reports that the bytes of a stone are missing or damaged.
func (c *Check) Lost(id stone.ID, size int64, err error) {
	c.Report.Fault("stone %v: %v", id, err)
	if !c.IsLost(id) && len(c.Report.Lost) < record.MaxLost {
		c.Report.Lost = append(c.Report.Lost, history.StoneRef{ID: id, Size: size})
	}
	if c.bad == nil {
		c.bad = make(map[stone.ID]struct{})
	}
	c.bad[id] = struct{}{}
}

// IsLost reports whether Lost was called for a stone.
func (c *Check) IsLost(id stone.ID) bool {
	_, lost := c.bad[id]
	return lost
}

// Records checks the records of worlds, commits, packs and stones.
func (c *Check) Records() error {
	c.broken, c.done = make(map[uint64]struct{}), make(map[history.ID]struct{})
	for _, step := range []func() error{c.heads, c.names, c.deleted, c.leases, c.logs, c.commits, c.packs, c.stones} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Check) heads() error {
	return c.EachRecord(record.Heads, func(key, value []byte) error {
		h, err := record.ParseHead(value)
		if err == nil && len(key) != len(record.HeadKey(0)) {
			err = errors.New("not the key of a world")
		}
		if err == nil {
			c.worlds = append(c.worlds, world{number: record.Number(key), head: h})
		}
		return err
	})
}

// world returns the world with a number, nil if it has no head.
func (c *Check) world(number uint64) *world {
	i, ok := slices.BinarySearchFunc(c.worlds, number, func(w world, number uint64) int { return cmp.Compare(w.number, number) })
	if !ok {
		return nil
	}
	return &c.worlds[i]
}

// names checks that each name leads to a world.
func (c *Check) names() error {
	return c.EachRecord(record.Names, func(key, value []byte) error {
		c.Report.Worlds++
		n, err := record.ParseNumber(value)
		if err == nil && c.world(n) == nil {
			c.broken[n] = struct{}{}
			c.Report.Fault("world %q: %v", key[1:], history.ErrNoWorld)
		}
		return errors.Join(err, history.CheckName(string(key[1:])))
	})
}

// deleted checks that each deleted world exists, and that there are as many worlds as names.
func (c *Check) deleted() error {
	err := c.EachRecord(record.DeletedWorlds, func(key, value []byte) error {
		c.Report.Worlds++
		g, err := record.ParseDeleted(value)
		if err == nil && len(key) < len(record.DeletedKey("", 0)) {
			err = errors.New("the key is short")
		}
		if err != nil {
			return err
		}
		w := c.world(g.World)
		if w == nil {
			c.broken[g.World] = struct{}{}
			return history.ErrNoWorld
		}
		w.deleted = true
		return nil
	})
	if len(c.worlds) != c.Report.Worlds {
		c.Report.Fault("%d heads for %d names", len(c.worlds), c.Report.Worlds)
	}
	return err
}

// leases checks that each lease belongs to a world that is not deleted, and has a number.
func (c *Check) leases() error {
	return c.EachRecord(record.Leases, func(key, value []byte) error {
		if len(key) != len(record.LeaseKey(0)) {
			return errors.New("not the key of a lease")
		}
		w := c.world(record.Number(key))
		switch {
		case w == nil:
			return history.ErrNoWorld
		case w.deleted:
			return errors.New("a lease of a deleted world")
		case w.head.Fence == 0:
			return errors.New("a lease without a number")
		}
		_, err := record.ParseLease(w.head.Fence, value)
		return err
	})
}

// logs checks that everything below each entry of a log exists, and that the newest entry is
// the head.
func (c *Check) logs() error {
	err := Batches(&c.Walk, record.Logs, func(key, value []byte) (record.Entry, error) {
		e, err := record.ParseEntry(key, value)
		if err != nil {
			return e, err
		}
		if w := c.world(record.WorldOfLog(key)); w != nil {
			w.last = e.Commit
		} else {
			c.Report.Fault("%c %x: %v", record.Logs, key[1:], history.ErrNoWorld)
		}
		return e, nil
	}, c.entries)
	for _, w := range c.worlds {
		if w.last != w.head.Commit {
			c.broken[w.number] = struct{}{}
			c.Report.Fault("%c %016x: the head is %v, the log ends with %v", record.Heads, w.number, w.head.Commit, w.last)
		}
	}
	return err
}

// entries checks entries of logs and everything below them, one level of all stacks
// at a time.
func (c *Check) entries(all []record.Entry) error {
	var keys [][]byte
	for _, e := range all {
		keys = append(keys, record.CommitKey(e.Commit), record.PackKey(e.Commit))
	}
	if err := c.Ahead(keys...); err != nil {
		return err
	}
	var level []history.ID
	for _, e := range all {
		commit, err := c.Commit(e.Commit)
		if err == nil && (commit.Number != e.Number || !commit.Time.Equal(e.Time)) {
			err = fmt.Errorf("it is number %d of %v, in the log number %d of %v", commit.Number, commit.Time, e.Number, e.Time)
		}
		if err != nil {
			c.Report.Fault("commit %v: %v", e.Commit, err)
		}
		level = append(level, e.Commit)
	}
	for len(level) > 0 {
		below, err := c.level(level)
		if err != nil {
			return err
		}
		level = below
	}
	return nil
}

// level checks the packs, or else the commits, and their stones. It returns the
// commits below.
func (c *Check) level(ids []history.ID) (below []history.ID, err error) {
	var keys [][]byte
	ids = slices.DeleteFunc(ids, func(id history.ID) bool {
		if _, done := c.done[id]; done || id == (history.ID{}) {
			return true
		}
		if len(c.done) == record.DoneLimit {
			clear(c.done)
		}
		c.done[id] = struct{}{}
		keys = append(keys, record.CommitKey(id), record.PackKey(id))
		return false
	})
	if err := c.Ahead(keys...); err != nil {
		return nil, err
	}
	refs := make(map[history.StoneRef]history.ID)
	for _, id := range ids {
		p, packed, err := c.Pack(id)
		var commit history.Commit
		if err == nil && !packed {
			commit, err = c.Commit(id)
		}
		if err != nil {
			c.Report.Fault("commit %v: %v", id, err)
			continue
		}
		if packed {
			commit.Base, commit.Stones = p.After, []history.StoneRef{p.Stone}
		}
		for _, ref := range commit.Stones {
			refs[ref] = id
		}
		below = append(below, commit.Base)
	}
	keys = keys[:0]
	for ref := range refs {
		keys = append(keys, record.StoneKey(ref.ID))
	}
	if err := c.Ahead(keys...); err != nil {
		return nil, err
	}
	for ref, id := range refs {
		if _, err := c.Reads.Stone(ref); err != nil {
			c.Report.Fault("commit %v: %v", id, err)
		}
	}
	return below, nil
}

func (c *Check) commits() error {
	return c.EachRecord(record.Commits, func(key, value []byte) error {
		c.Report.Commits++
		id, err := idOf(key)
		if err == nil {
			_, err = record.ParseCommit(id, value)
		}
		return err
	})
}

// idOf returns the ID in the key of a commit, a pack or a stone.
func idOf(key []byte) (history.ID, error) {
	if len(key) != len(record.Thing{}) {
		return history.ID{}, errors.New("not a key of this kind")
	}
	return history.ID(key[1:]), nil
}

func (c *Check) packs() error {
	return c.EachRecord(record.Packs, func(key, value []byte) error {
		c.Report.Packs++
		id, err := idOf(key)
		if err == nil {
			_, err = record.ParsePack(id, value)
		}
		return err
	})
}

func (c *Check) stones() error {
	return c.EachRecord(record.Stones, func(key, value []byte) error {
		id, err := idOf(key)
		if err != nil {
			return err
		}
		in, err := record.ParseInfo(value)
		if err == nil {
			err = c.Stone(stone.ID(id), in)
		}
		if err == nil {
			c.Report.Stones++
			c.Report.Bytes += in.Size
		}
		return err
	})
}

// Hurt finds the worlds that the faults affect.
func (c *Check) Hurt() error {
	if len(c.Report.Faults) == 0 {
		return nil
	}
	hurt, err := c.hurtLogs()
	if err != nil {
		return err
	}
	add := func(h record.Hurt, w uint64, err error) {
		log := hurt[w]
		if _, broken := c.broken[w]; broken || err != nil {
			log.Newest = true
		}
		if log.Newest || log.Lost > 0 {
			log.World, log.Deleted = h.World, h.Deleted
			c.Report.Hurt = append(c.Report.Hurt, log)
		}
	}
	err = c.Each(record.Names, func(key, value []byte) error {
		w, err := record.ParseNumber(value)
		add(record.Hurt{World: string(key[1:])}, w, err)
		return c.Ctx.Err()
	})
	return errors.Join(err, c.Each(record.DeletedWorlds, func(key, value []byte) error {
		if g, err := record.ParseDeleted(value); !record.Nameless(key) {
			add(record.Hurt{World: record.NameOfDeleted(key), Deleted: true}, g.World, err)
		}
		return c.Ctx.Err()
	}))
}

// hurtLogs returns the worlds whose logs have versions that cannot be read.
func (c *Check) hurtLogs() (map[uint64]record.Hurt, error) {
	stacks := record.Stacks{Reads: c.Reads, Has: func(ref history.StoneRef) bool {
		_, err := c.Reads.Stone(ref)
		return err == nil && !c.IsLost(ref.ID)
	}}
	type log struct {
		world   uint64
		entries []record.Entry
	}
	var logs []log
	entries := 0
	hurt := make(map[uint64]record.Hurt)
	flush := func() error {
		var keys [][]byte
		for _, l := range logs {
			for _, e := range l.entries {
				keys = append(keys, record.CommitKey(e.Commit), record.PackKey(e.Commit))
			}
		}
		if err := c.Ahead(keys...); err != nil {
			return err
		}
		for _, l := range logs {
			h := record.Hurt{Versions: len(l.entries)}
			for i, e := range l.entries {
				if !stacks.Entry(e.Commit) {
					h.Lost++
					h.Newest = h.Newest || i == len(l.entries)-1
				}
			}
			if h.Lost > 0 {
				hurt[l.world] = h
			}
		}
		logs, entries = logs[:0], 0
		return c.Ctx.Err()
	}
	add := func(w uint64, all []record.Entry) error {
		logs = append(logs, log{w, slices.Clone(all)})
		if entries += len(all); entries < BatchSize {
			return nil
		}
		return flush()
	}
	err := c.EachLog(add)
	if err != nil && c.Ctx.Err() == nil && !errors.Is(err, history.ErrAway) { // some logs cannot be read: which ones?
		logs, err = logs[:0], nil
		for _, w := range c.worlds {
			all, failed := c.Entries(w.number)
			if failed != nil {
				c.broken[w.number] = struct{}{}
			}
			slices.Reverse(all)
			if err = errors.Join(err, add(w.number, all)); err != nil {
				break
			}
		}
	}
	return hurt, errors.Join(err, flush())
}
