package disk

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Report is the result of Check.
type Report = record.Report

// Hurt is a world with something that cannot be read.
type Hurt = record.Hurt

// Check reads and verifies everything in the current Store: names, heads, logs,
// commits, packs and the bytes of all stones. It calls progress, which may be nil,
// with the bytes of stones that are done and their total. The error says why Check
// could not continue. The Report lists what is wrong with the Store: up to 100
// faults and the number of the others.
func (s *Store) Check(ctx context.Context, progress func(done, total int64)) (Report, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	c := &checker{Store: s, ctx: ctx, progress: progress, done: make(map[history.ID]struct{}), bad: make(map[stone.ID]bool)}
	c.report.Faults = append(c.report.Faults, s.damage...)
	err := s.calls.OnStore(ctx, "check", func() error {
		s.alone.Lock() // otherwise Collect could delete files of the snapshot
		defer s.alone.Unlock()
		return s.calls.Walk(ctx, c.run)
	})
	c.report.End()
	return c.report, err
}

func (c *checker) run(r record.Reads) error {
	c.r, c.stacks = r, record.Stacks{Reads: r, Has: c.readable}
	c.skip = skipReader{r, c.db, func(kind string, err error) { c.report.Fault("some %s cannot be read: %v", kind, err) }}
	for _, step := range []func() error{c.names, c.heads, c.leases, c.logs, c.commits, c.packs, c.data, c.stones, c.hurt} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checker is one Check.
type checker struct {
	*Store
	ctx      context.Context
	r        record.Reads
	skip     skipReader
	stacks   record.Stacks
	bad      map[stone.ID]bool
	progress func(done, total int64)
	report   Report
	done     map[history.ID]struct{} // visited commits; cleared when it is large
	total    int64                   // bytes of stones
}

// each calls what for every record of a kind; an error of what is a fault.
func (c *checker) each(kind byte, what func(key, value []byte) error) error {
	return c.skip.each(func(key, value []byte) error {
		if err := what(key, value); err != nil {
			c.report.Fault("%c %x: %v", kind, key[1:], err)
		}
		return c.ctx.Err()
	}, kind)
}

func (c *checker) names() error {
	err := c.each('n', func(key, _ []byte) error {
		c.report.Worlds++
		w, err := c.r.World(string(key[1:]))
		if err == nil {
			_, err = c.r.Head(w)
		}
		return errors.Join(err, history.CheckName(string(key[1:])))
	})
	return errors.Join(err, c.each('t', func(_, value []byte) error {
		c.report.Worlds++
		g, err := record.ParseDeleted(value)
		if err != nil {
			return err
		}
		lease, err := c.r.Get(record.LeaseKey(g.World))
		if lease != nil {
			err = errors.New("it is deleted and has a lease")
		}
		_, missing := c.r.Head(g.World)
		return errors.Join(err, missing)
	}))
}

// heads checks that each world has one name, and that its head is the last entry of
// its log.
func (c *checker) heads() error {
	heads := 0
	err := c.each('h', func(key, value []byte) error {
		heads++
		h, err := record.ParseHead(value)
		if err != nil {
			return err
		}
		var last record.Entry
		err = c.r.Log(record.Number(key), record.Newest, func(e record.Entry) (bool, error) {
			last = e
			return false, nil
		})
		if err == nil && last.Commit != h.Commit {
			err = fmt.Errorf("the head is %v, the log ends with %v", h.Commit, last.Commit)
		}
		return err
	})
	if heads != c.report.Worlds {
		c.report.Fault("%d heads for %d names", heads, c.report.Worlds)
	}
	return err
}

// leases checks that each lease belongs to a world and has a number.
func (c *checker) leases() error {
	return c.each('o', func(key, value []byte) error {
		h, err := c.r.Head(record.Number(key))
		if err != nil {
			return err
		}
		if h.Fence == 0 {
			return errors.New("a lease without a number")
		}
		_, err = record.ParseLease(h.Fence, value)
		return err
	})
}

// logs checks that everything below each commit of each log exists.
func (c *checker) logs() error {
	return c.each('l', func(key, value []byte) error {
		e, err := record.ParseEntry(key, value)
		if err != nil {
			return err
		}
		commit, err := c.r.Commit(e.Commit)
		if err == nil && (commit.Number != e.Number || !commit.Time.Equal(e.Time)) {
			err = fmt.Errorf("commit %v is number %d of %v: it is number %d of %v",
				e.Commit, e.Number, e.Time, commit.Number, commit.Time)
		}
		return errors.Join(err, c.down(e.Commit))
	})
}

func (c *checker) down(at history.ID) error {
	for at != (history.ID{}) {
		if _, ok := c.done[at]; ok {
			return nil
		}
		if len(c.done) == record.DoneLimit {
			clear(c.done)
		}
		c.done[at] = struct{}{}
		p, ok, err := c.r.Pack(at)
		if err != nil {
			return err
		}
		if ok {
			at = p.After
			if err := c.present(p.Stone); err != nil {
				return err
			}
			continue
		}
		commit, err := c.r.Commit(at)
		if err != nil {
			return err
		}
		if err := c.present(commit.Stones...); err != nil {
			return fmt.Errorf("commit %v: %w", at, err)
		}
		at = commit.Base
	}
	return nil
}

func (c *checker) present(refs ...history.StoneRef) error {
	for _, ref := range refs {
		if _, err := c.r.Stone(ref); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) commits() error {
	return c.each('c', func(key, _ []byte) error {
		c.report.Commits++
		_, err := c.r.Commit(history.ID(key[1:]))
		return err
	})
}

func (c *checker) packs() error {
	return c.each('p', func(key, value []byte) error {
		c.report.Packs++
		_, err := record.ParsePack(history.ID(key[1:]), value)
		return err
	})
}

// data finds bytes of stones that no record names.
func (c *checker) data() error {
	known := func(key []byte) error {
		id := stone.ID(key[len(key)-len(stone.ID{}):])
		in, ok, err := c.r.Info(id)
		if err == nil && (!ok || in.File || !bytes.Equal(dataKey(id, in), key)) {
			err = errors.New("no record names these bytes")
		}
		if err != nil {
			c.report.Fault("%c %x: %v", key[0], key[1:], err)
		}
		return c.ctx.Err()
	}
	return errors.Join(c.skip.keys(known, 's'), c.skip.keys(known, 'd'))
}

func (c *checker) stones() error {
	err := c.each('i', func(_, value []byte) error {
		in, err := record.ParseInfo(value)
		c.total += in.Size
		return err
	})
	return errors.Join(err, c.skip.each(func(key, value []byte) error {
		in, err := record.ParseInfo(value)
		if err != nil {
			return nil // reported above
		}
		id := stone.ID(key[1:])
		if err := c.stone(id, in); err != nil {
			c.report.Fault("stone %v: %v", id, err)
			c.bad[id] = true
		}
		c.report.Stones++
		c.report.Bytes += in.Size
		c.progress(c.report.Bytes, c.total)
		return c.ctx.Err()
	}, 'i'))
}

func (c *checker) readable(ref history.StoneRef) bool {
	return !c.bad[ref.ID] && c.present(ref) == nil
}

// hurt finds the worlds that the faults affect.
func (c *checker) hurt() error {
	if len(c.report.Faults) == 0 {
		return nil
	}
	names := c.skip.each(func(key, value []byte) error {
		w, err := record.ParseNumber(value)
		return c.hurtWorld(Hurt{World: string(key[1:])}, w, err)
	}, 'n')
	return errors.Join(names, c.skip.each(func(key, value []byte) error {
		if record.Doomed(key) {
			return nil
		}
		g, err := record.ParseDeleted(value)
		return c.hurtWorld(Hurt{World: record.NameOfDeleted(key), Deleted: true}, g.World, err)
	}, 't'))
}

// hurtWorld adds a world to the report if something of it cannot be read. err says that
// its number cannot be.
func (c *checker) hurtWorld(h Hurt, w uint64, err error) error {
	var head history.Head
	if err == nil {
		head, err = c.r.Head(w)
	}
	if err == nil {
		err = c.r.Log(w, record.Newest, func(e record.Entry) (bool, error) {
			h.Versions++
			if !c.stacks.Entry(e.Commit) {
				h.Lost++
				h.Newest = h.Newest || e.Commit == head.Commit
			}
			return true, c.ctx.Err()
		})
	}
	if h.Newest = h.Newest || err != nil; h.Newest || h.Lost > 0 {
		c.report.Hurt = append(c.report.Hurt, h)
	}
	return c.ctx.Err()
}

// stone reads a stone twice: to compare its hash, and to check its content.
func (c *checker) stone(id stone.ID, in record.Info) error {
	b, err := c.openBytes(c.r, id, in)
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err = io.Copy(h, io.NewSectionReader(b, 0, in.Size)); err == nil {
		if got := stone.ID(h.Sum(nil)); got != id {
			err = fmt.Errorf("its bytes have the hash %v", got)
		}
	}
	if err == nil {
		err = checkContent(c.ctx, b, in.Size)
	}
	return errors.Join(err, b.Close())
}

// checkContent reads everything that a stone holds.
func checkContent(ctx context.Context, b io.ReaderAt, size int64) error {
	r, err := stone.Open(b, size)
	if err == nil {
		err = r.Check(ctx)
	}
	return err
}
