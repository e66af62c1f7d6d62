package pair

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// named is a name of a world, also of a deleted one.
type named struct {
	name    string
	world   uint64
	deleted bool
}

// names checks that each name leads to a world.
func (c *checker) names() error {
	check := func(all []named) error {
		var keys [][]byte
		for _, n := range all {
			if keys = append(keys, record.HeadKey(n.world)); n.deleted {
				keys = append(keys, record.LeaseKey(n.world))
			}
		}
		if err := c.r.Ahead(keys...); err != nil {
			return err
		}
		for _, n := range all {
			c.report.Worlds++
			if _, err := c.r.Head(n.world); err != nil {
				c.report.Fault("world %q: %v", n.name, err)
			}
			if !n.deleted {
				continue
			}
			if lease, err := c.r.Get(record.LeaseKey(n.world)); lease != nil || err != nil {
				c.report.Fault("deleted world %q: it has a lease (%v)", n.name, err)
			}
		}
		return nil
	}
	err := batches(c, record.Names, func(key, value []byte) (named, error) {
		w, err := record.ParseNumber(value)
		n := named{name: string(key[1:]), world: w}
		return n, errors.Join(err, history.CheckName(n.name))
	}, check)
	return errors.Join(err, batches(c, record.DeletedWorlds, func(key, value []byte) (named, error) {
		g, err := record.ParseDeleted(value)
		if err == nil && len(key) < 10 {
			err = errors.New("the key is short")
		}
		if err != nil {
			return named{}, err
		}
		return named{record.NameOfDeleted(key), g.World, true}, nil
	}, check))
}

// heads checks that each world has one name, that its head is the last entry of its
// log, that its lease has a number, and that everything below its log exists.
func (c *checker) heads() error {
	c.done = make(map[history.ID]struct{})
	type world struct {
		number uint64
		history.Head
	}
	heads, next := 0, uint64(0)
	err := batches(c, record.Heads, func(key, value []byte) (world, error) {
		h, err := record.ParseHead(value)
		if err == nil && len(key) != 9 {
			err = errors.New("not the key of a world")
		}
		if err != nil {
			return world{}, err
		}
		return world{record.Number(key), h}, nil
	}, func(all []world) error {
		heads += len(all)
		here := make(map[uint64]history.Head, len(all))
		for _, w := range all {
			here[w.number] = w.Head
		}
		last := all[len(all)-1].number
		err := c.worlds(here, next, last)
		next = last + 1
		return err
	})
	if err == nil && (next > 0 || heads == 0) {
		err = c.worlds(nil, next, 1<<64-1)
	}
	if heads != c.report.Worlds {
		c.report.Fault("%d heads for %d names", heads, c.report.Worlds)
	}
	return err
}

// worlds checks logs and leases of the worlds from first to last. Those that exist
// are in heads.
func (c *checker) worlds(heads map[uint64]history.Head, first, last uint64) error {
	end := func(key []byte) []byte { return append(key, make([]byte, 9)...) } // behind all keys that begin with key and 8 bytes
	err := c.r.Back(record.LeaseKey(first), end(record.LeaseKey(last)), func(key, value []byte) (bool, error) {
		h, ok := heads[record.Number(key)]
		_, err := record.ParseLease(h.Fence, value)
		switch {
		case !ok:
			err = history.ErrNoWorld
		case h.Fence == 0:
			err = errors.New("a lease without a number")
		}
		if err != nil {
			c.report.Fault("o %x: %v", key[1:], err)
		}
		return true, c.ctx.Err()
	})
	if err != nil {
		return err
	}
	var entries []record.Entry
	newest := make(map[uint64]history.ID)
	flush := func() error {
		err := c.entries(entries)
		entries = entries[:0]
		return err
	}
	err = c.r.Back(record.LogKey(first, 0), end(record.LogKey(last, 1<<64-1)), func(key, value []byte) (bool, error) {
		e, err := record.ParseEntry(key, value)
		if err != nil {
			c.report.Fault("l %x: %v", key[1:], err)
			return true, c.ctx.Err()
		}
		w := record.Number(key[:9])
		if _, ok := heads[w]; !ok {
			c.report.Fault("l %x: %v", key[1:], history.ErrNoWorld)
		}
		if _, seen := newest[w]; !seen {
			newest[w] = e.Commit
		}
		if entries = append(entries, e); len(entries) == checkBatch {
			err = flush()
		}
		return true, errors.Join(err, c.ctx.Err())
	})
	if err == nil {
		err = flush()
	}
	for w, h := range heads {
		if newest[w] != h.Commit {
			c.report.Fault("h %016x: the head is %v, the log ends with %v", w, h.Commit, newest[w])
		}
	}
	return err
}

// entries checks entries of logs and everything below them, one level of all stacks
// at a time.
func (c *checker) entries(all []record.Entry) error {
	var keys [][]byte
	for _, e := range all {
		keys = append(keys, record.CommitKey(e.Commit), record.PackKey(e.Commit))
	}
	if err := c.r.Ahead(keys...); err != nil {
		return err
	}
	var level []history.ID
	for _, e := range all {
		commit, err := c.r.Commit(e.Commit)
		if err == nil && (commit.Number != e.Number || !commit.Time.Equal(e.Time)) {
			err = fmt.Errorf("it is number %d of %v, in the log number %d of %v", commit.Number, commit.Time, e.Number, e.Time)
		}
		if err != nil {
			c.report.Fault("commit %v: %v", e.Commit, err)
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
func (c *checker) level(ids []history.ID) (below []history.ID, err error) {
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
	if err := c.r.Ahead(keys...); err != nil {
		return nil, err
	}
	refs := make(map[history.StoneRef]history.ID)
	for _, id := range ids {
		p, packed, err := c.r.Pack(id)
		var commit history.Commit
		if err == nil && !packed {
			commit, err = c.r.Commit(id)
		}
		if err != nil {
			c.report.Fault("commit %v: %v", id, err)
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
	if err := c.r.Ahead(keys...); err != nil {
		return nil, err
	}
	for ref, id := range refs {
		if _, err := c.r.Stone(ref); err != nil {
			c.report.Fault("commit %v: %v", id, err)
		}
	}
	return below, nil
}
