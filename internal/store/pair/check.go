package pair

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
)

// Check reads and verifies everything: all records, which bytes there are, and the
// bytes of all stones. It calls progress, which may be nil, with the bytes of stones
// that are done and their total. The error says why Check could not continue. The
// Report lists what is wrong: up to 100 faults and the number of the others. Other
// calls continue meanwhile.
func (s *Pair) Check(ctx context.Context, progress func(done, total int64)) (record.Report, error) {
	if progress == nil {
		progress = func(int64, int64) {}
	}
	return s.check(ctx, progress)
}

// CheckRecords is Check without the bytes of stones that are in the bucket. It finds
// those that are missing or that have another size.
func (s *Pair) CheckRecords(ctx context.Context) (record.Report, error) { return s.check(ctx, nil) }

func (s *Pair) check(ctx context.Context, progress func(done, total int64)) (record.Report, error) {
	c := &checker{Pair: s, progress: progress}
	c.Ctx, c.Stone = ctx, c.count
	err := s.calls.OnStore(ctx, "check", func() error {
		err := c.atSnapshot(c.Records, c.smalls, c.others)
		if err == nil {
			err = c.listed()
		}
		if err == nil && progress != nil {
			err = c.read()
		}
		if err == nil && len(c.Report.Faults) > 0 {
			err = c.atSnapshot(c.Hurt)
		}
		return err
	})
	c.Report.End()
	return c.Report, err
}

// checker is one Check.
type checker struct {
	*Pair
	rules.Check
	progress func(done, total int64)
	small    int   // number of small stones
	total    int64 // bytes of other stones
}

// atSnapshot makes steps with the records of one moment.
func (c *checker) atSnapshot(steps ...func() error) error {
	return c.Pair.atSnapshot(c.Ctx, func(r record.Reads) error {
		c.Reads, c.Each = r, eachOf(r)
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	})
}

// eachOf calls what for every record of a kind.
func eachOf(r record.Reads) func(kind byte, what func(key, value []byte) error) error {
	return func(kind byte, what func(key, value []byte) error) error {
		return r.Each([]byte{kind}, func(key, value []byte) (bool, error) { return true, what(key, value) })
	}
}

func (c *checker) count(_ stone.ID, in record.Info) error {
	switch {
	case in.File:
		return errors.New("not the record of a stone of such a store")
	case in.Number == 0:
		c.small++
	default:
		c.total += in.Size
	}
	return nil
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
	err := rules.Batches(&c.Walk, smalls, func(key, value []byte) (smallStone, error) {
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
		if err := c.Ahead(keys...); err != nil {
			return err
		}
		for _, st := range all {
			in, ok, err := c.Info(st.id)
			switch {
			case err != nil: // a fault of its record
			case !ok || in.Number != 0:
				c.Report.Fault("s %x: no record names these bytes", st.id)
			default:
				if right++; in.Size != st.size {
					c.Lost(st.id, in.Size, errOtherBytes)
				}
			}
		}
		return nil
	})
	if err != nil || right == c.small {
		return err
	}
	return rules.Batches(&c.Walk, record.Stones, func(key, value []byte) (smallStone, error) {
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
		if err := c.Ahead(keys...); err != nil {
			return err
		}
		for _, st := range all {
			if data, err := c.Get([]byte(smallKey(st.id))); data == nil || err != nil {
				c.Lost(st.id, st.size, errors.Join(err, errNoBytes))
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
		if err := c.EachRecord(kind, parse); err != nil {
			return err
		}
	}
	from := ""
	for _, kind := range kinds + "\xff" {
		to := string([]byte{byte(kind)})
		if kind > 0xff {
			to = strings.Repeat("\xff", 64) // behind everything
		}
		err := c.Back([]byte(from), []byte(to), func(key, _ []byte) (bool, error) {
			c.Report.Fault("%q: %v", key, errUnknown)
			return true, c.Ctx.Err()
		})
		if err != nil {
			return err
		}
		from = string(record.End([]byte(to)))
	}
	return nil
}

var errUnknown = errors.New("a record of unknown form")
