package pair

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Check reads and verifies everything: all records, which bytes there are, and the
// bytes of all stones. It calls progress, which may be nil, with the bytes of stones
// that are done and their total. The error says why Check could not continue. The
// Report lists what is wrong: up to 100 faults and the number of the others. Other
// calls continue meanwhile.
func (s *Store) Check(ctx context.Context, progress func(done, total int64)) (record.Report, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	return s.check(ctx, progress)
}

// CheckRecords is Check without the bytes of stones that are in the bucket. It finds
// those that are missing or that have another size.
func (s *Store) CheckRecords(ctx context.Context) (record.Report, error) { return s.check(ctx, nil) }

func (s *Store) check(ctx context.Context, progress func(done, total int64)) (record.Report, error) {
	c := &checker{Store: s, ctx: ctx, progress: progress, bad: make(map[stone.ID]struct{})}
	err := s.calls.OnStore(ctx, "check", func() error {
		err := c.look(ctx, func(r record.Reads) error {
			c.r = r
			return c.steps(c.names, c.heads, c.commits, c.packs, c.infos, c.smalls, c.others)
		})
		if err == nil {
			err = c.steps(c.listed)
		}
		if err == nil && progress != nil {
			err = c.steps(c.read)
		}
		if err == nil && len(c.report.Faults) > 0 {
			err = c.look(ctx, func(r record.Reads) error {
				c.r = r
				return c.hurt()
			})
		}
		return err
	})
	c.report.End()
	return c.report, err
}

// checkBatch is how many records are checked together.
const checkBatch = 1024

// checker is one Check.
type checker struct {
	*Store
	ctx      context.Context
	r        record.Reads // of a snapshot
	progress func(done, total int64)
	report   record.Report
	done     map[history.ID]struct{} // visited commits; cleared when it is large
	small    int                     // number of small stones
	total    int64                   // bytes of stones
	bad      map[stone.ID]struct{}   // stones that are lost or damaged
}

func (c *checker) steps(steps ...func() error) error {
	for _, step := range steps {
		if err := errors.Join(step(), c.ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// lost notes a stone whose bytes are missing or damaged.
func (c *checker) lost(id stone.ID, size int64, err error) {
	c.report.Fault("stone %v: %v", id, err)
	if _, had := c.bad[id]; !had && len(c.report.Lost) < record.MaxLost {
		c.report.Lost = append(c.report.Lost, history.StoneRef{ID: id, Size: size})
	}
	c.bad[id] = struct{}{}
}

// each calls what for every record of a kind; an error of what is a fault.
func (c *checker) each(kind byte, what func(key, value []byte) error) error {
	return c.r.Each([]byte{kind}, func(key, value []byte) (bool, error) {
		if err := what(key, value); err != nil {
			c.report.Fault("%c %x: %v", kind, key[1:], err)
		}
		return true, c.ctx.Err()
	})
}

// batches calls what with all records of a kind, many at a time. Those are left out
// for which parse returns an error, which is a fault.
func batches[T any](c *checker, kind byte, parse func(key, value []byte) (T, error), what func([]T) error) error {
	var now []T
	var failed error
	err := c.each(kind, func(key, value []byte) error {
		t, err := parse(key, value)
		if err != nil {
			return err
		}
		if now = append(now, t); len(now) == checkBatch && failed == nil {
			failed, now = what(now), now[:0]
		}
		return nil
	})
	if failed == nil && err == nil && len(now) > 0 {
		failed = what(now)
	}
	return errors.Join(err, failed)
}

func (c *checker) commits() error {
	return c.each(record.Commits, func(key, value []byte) error {
		c.report.Commits++
		if len(key) != 33 {
			return errors.New("not the key of a commit")
		}
		_, err := record.ParseCommit(history.ID(key[1:]), value)
		return err
	})
}

func (c *checker) packs() error {
	return c.each(record.Packs, func(key, value []byte) error {
		c.report.Packs++
		if len(key) != 33 {
			return errors.New("not the key of a pack")
		}
		_, err := record.ParsePack(history.ID(key[1:]), value)
		return err
	})
}

func (c *checker) infos() error {
	return c.each(record.Stones, func(key, value []byte) error {
		in, err := record.ParseInfo(value)
		if err == nil && (len(key) != 33 || in.File) {
			err = errors.New("not the record of a stone of such a store")
		}
		if err != nil {
			return err
		}
		c.report.Stones++
		c.report.Bytes += in.Size
		if in.Number == 0 {
			c.small++
		} else {
			c.total += in.Size
		}
		return nil
	})
}

// smallStone is what is known of a small stone: the size of its bytes, or -1 if they
// are not its bytes.
type smallStone struct {
	id   stone.ID
	size int64
}

// smalls checks the bytes of small stones.
func (c *checker) smalls() error {
	right := 0
	err := batches(c, smalls, func(key, value []byte) (smallStone, error) {
		if len(key) != 33 {
			return smallStone{}, errors.New("not the key of a stone")
		}
		st := smallStone{stone.ID(key[1:]), int64(len(value))}
		if sha256.Sum256(value) != st.id {
			st.size = -1
		}
		return st, nil
	}, func(all []smallStone) error {
		var keys [][]byte
		for _, st := range all {
			keys = append(keys, record.StoneKey(st.id))
		}
		if err := c.r.Ahead(keys...); err != nil {
			return err
		}
		for _, st := range all {
			in, ok, err := c.r.Info(st.id)
			switch {
			case err != nil: // a fault of its record
			case !ok || in.Number != 0:
				c.report.Fault("s %x: no record names these bytes", st.id)
			default:
				if right++; in.Size != st.size {
					c.lost(st.id, in.Size, errOtherBytes)
				}
			}
		}
		return nil
	})
	if err != nil || right == c.small {
		return err
	}
	return batches(c, record.Stones, func(key, value []byte) (smallStone, error) {
		in, err := record.ParseInfo(value)
		if err != nil || len(key) != 33 || in.Number != 0 {
			return smallStone{size: -1}, nil
		}
		return smallStone{stone.ID(key[1:]), in.Size}, nil
	}, func(all []smallStone) error {
		all = slices.DeleteFunc(all, func(st smallStone) bool { return st.size < 0 })
		var keys [][]byte
		for _, st := range all {
			keys = append(keys, []byte(smallKey(st.id)))
		}
		if err := c.r.Ahead(keys...); err != nil {
			return err
		}
		for _, st := range all {
			if data, err := c.r.Get([]byte(smallKey(st.id))); data == nil || err != nil {
				c.lost(st.id, st.size, errors.Join(err, errNoBytes))
			}
		}
		return nil
	})
}

var (
	errOtherBytes = errors.New("its bytes have another hash")
	errNoBytes    = errors.New("its bytes are missing")
)

// kinds are the kinds of records, in ascending order. Those of kind w are the
// bucket's, and their form is its own.
const kinds = "cefhijlnopstuwx"

// others checks the records that are not about worlds, and finds those of unknown
// kinds.
func (c *checker) others() error {
	for kind, parse := range map[byte]func(key, value []byte) error{
		running: func(key, value []byte) error {
			_, err := record.ParseNumber(value)
			if err == nil && string(key) != string(epochKey(record.Number(append(make([]byte, 8), key...)))) {
				err = errors.New("not the key of an epoch")
			}
			return err
		},
		claims: func(_, value []byte) error {
			_, err := parseClaim(value)
			return err
		},
		runKey[0]: func(key, value []byte) error {
			_, err := record.ParseNumber(value)
			if string(key) != runKey {
				err = errUnknown
			}
			return err
		},
		record.Spent: func(key, value []byte) error {
			_, err := record.ParseNumber(value)
			if len(key) != len(record.SpentKey("")) {
				err = errUnknown
			}
			return err
		},
		identityKey[0]: func(key, _ []byte) error {
			if string(key) != identityKey {
				return errUnknown
			}
			return nil
		},
	} {
		if err := c.each(kind, parse); err != nil {
			return err
		}
	}
	from := ""
	for _, kind := range kinds + "\xff" {
		to := string([]byte{byte(kind)})
		if kind > 0xff {
			to = strings.Repeat("\xff", 64) // behind everything
		}
		err := c.r.Back([]byte(from), []byte(to), func(key, _ []byte) (bool, error) {
			c.report.Fault("%q: %v", key, errUnknown)
			return true, c.ctx.Err()
		})
		if err != nil {
			return err
		}
		from = string(record.End([]byte(to)))
	}
	return nil
}

var errUnknown = errors.New("a record of unknown form")

func (c *checker) hurt() error {
	stacks := record.Stacks{Reads: c.r, Has: func(ref history.StoneRef) bool {
		if _, bad := c.bad[ref.ID]; bad {
			return false
		}
		_, err := c.r.Stone(ref)
		return err == nil
	}}
	hurt := make(map[uint64]*record.Hurt)
	type log struct {
		world   uint64
		entries []record.Entry
	}
	var logs []log
	entries := 0
	flush := func() error {
		var keys [][]byte
		for _, l := range logs {
			for _, e := range l.entries {
				keys = append(keys, record.CommitKey(e.Commit), record.PackKey(e.Commit))
			}
		}
		if err := c.r.Ahead(keys...); err != nil {
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
				hurt[l.world] = &h
			}
		}
		logs, entries = logs[:0], 0
		return c.ctx.Err()
	}
	err := c.r.EachLog(func(w uint64, all []record.Entry) error {
		logs = append(logs, log{w, slices.Clone(all)})
		if entries += len(all); entries < checkBatch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return c.r.Each([]byte{record.Names}, func(key, value []byte) (bool, error) {
		w, err := record.ParseNumber(value)
		h := hurt[w]
		if err != nil {
			h = &record.Hurt{Newest: true}
		}
		if h != nil {
			h.World = string(key[1:])
			c.report.Hurt = append(c.report.Hurt, *h)
		}
		return true, c.ctx.Err()
	})
}
