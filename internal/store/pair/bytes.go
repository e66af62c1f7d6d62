package pair

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/internal/store/rules"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

var be = binary.BigEndian

// bytesKey is the key of the bytes of a stone with a number.
func bytesKey(id stone.ID, number uint64) string { return fmt.Sprintf("%v.%016x", id, number) }

// parseBytesKey is the inverse of bytesKey.
func parseBytesKey(key string) (id stone.ID, number uint64, ok bool) {
	name, num, _ := strings.Cut(key, ".")
	a, err := hex.DecodeString(name)
	b, err2 := hex.DecodeString(num)
	if err != nil || err2 != nil || len(a) != len(id) || len(b) != 8 {
		return id, 0, false
	}
	id, number = stone.ID(a), be.Uint64(b)
	return id, number, bytesKey(id, number) == key
}

// attempt puts the bytes of the stones of a call.
type attempt struct {
	s       *Pair
	stones  []history.Stone
	epoch   *epoch // nil if all stones are small
	numbers map[stone.ID]uint64
	done    map[stone.ID]bool // bytes that were put
	use     []history.Stone   // that the last draft names
	spare   map[stone.ID]bool // of done, what another call made known too
}

// guessBytes is how many bytes are put before it is known whether the change that
// needs them can be made.
const guessBytes = 256 << 10

// large reports whether the last draft needs many bytes to be put.
func (a *attempt) large() bool {
	if a == nil {
		return false
	}
	size := int64(0)
	for _, st := range a.use {
		if !a.done[st.ID] {
			size += st.Size()
		}
	}
	return size > guessBytes
}

// put puts the bytes that the last draft needs.
func (a *attempt) put(ctx context.Context) error {
	if a == nil {
		return nil
	}
	for _, st := range a.use {
		if a.done[st.ID] {
			continue
		}
		// The key is used by this attempt alone. So if it has bytes, an earlier try of
		// the bucket put them.
		err := a.s.putBytes(ctx, bytesKey(st.ID, a.numbers[st.ID]), st.Open())
		if err != nil && !errors.Is(err, blob.ErrExists) {
			return fmt.Errorf("stone %v: %w", st.ID, err)
		}
		a.done[st.ID] = true
	}
	return nil
}

// errStale says that the epoch of an attempt is over.
var errStale = errors.New("the bytes were put in an epoch that is over")

// with calls what to prepare a change that uses stones, and makes it.
func (s *Pair) with(ctx context.Context, stones []history.Stone, what func(*rules.Proposal, *attempt) error) error {
	for {
		err := s.withOne(ctx, stones, what)
		if !errors.Is(err, errStale) || ctx.Err() != nil {
			return err
		}
	}
}

// withOne is with, within one epoch.
func (s *Pair) withOne(ctx context.Context, stones []history.Stone, what func(*rules.Proposal, *attempt) error) error {
	a := &attempt{s: s, stones: stones, numbers: make(map[stone.ID]uint64), done: make(map[stone.ID]bool), spare: make(map[stone.ID]bool)}
	for _, st := range stones {
		if s.small(st.Size()) {
			continue
		}
		now, err := s.now(ctx)
		if err == nil {
			a.epoch, err = s.enterEpoch(ctx, now)
		}
		if err != nil {
			return err
		}
		break
	}
	err := s.changeBytes(ctx, a, func(d *rules.Proposal) error {
		a.use = a.use[:0]
		return what(d, a)
	})
	if a.epoch != nil {
		s.leaveEpoch(a.epoch, errors.Is(err, errStale))
	}
	if err == nil {
		for _, st := range stones {
			s.cache.putStone(st.ID, st.Data)
		}
	}
	for id := range a.spare {
		// After an error Collect deletes what is left; metered halves count the error.
		_ = s.bucket.Delete(context.WithoutCancel(ctx), bytesKey(id, a.numbers[id]))
	}
	return err
}

// small reports whether a stone of this size is kept in the catalogue.
func (s *Pair) small(size int64) bool { return size <= int64(s.Inline) }

// ahead reads what a change needs in any case: the records of its stones and of the epoch.
func (a *attempt) ahead(d *rules.Proposal) error {
	var keys [][]byte
	for _, st := range a.stones {
		keys = append(keys, record.StoneKey(st.ID))
	}
	if a.epoch != nil {
		keys = append(keys, []byte(a.epoch.record.Key))
	}
	return d.Ahead(keys...)
}

// name adds the record of a given stone to a change, or keeps the stone if it is
// there.
func (a *attempt) name(d *rules.Proposal, st history.Stone) (record.Info, error) {
	in, there, err := d.Info(st.ID)
	if err != nil {
		return in, err
	}
	if there {
		if a.done[st.ID] && in.Number != a.numbers[st.ID] {
			a.spare[st.ID] = true
		}
		d.Keep(st.Ref(), in)
		return in, nil
	}
	return a.store(d, st, record.Info{Size: st.Size()})
}

// store makes the bytes of a stone, and its record, a part of a change.
func (a *attempt) store(d *rules.Proposal, st history.Stone, in record.Info) (record.Info, error) {
	if a.s.small(st.Size()) {
		data, err := st.Bytes()
		in.Number = 0
		d.Set([]byte(smallKey(st.ID)), data)
		d.Set(record.StoneKey(st.ID), in.Value())
		return in, err
	}
	value, err := d.Get([]byte(a.epoch.record.Key))
	if err != nil {
		return in, err
	}
	if value == nil {
		return in, errStale
	}
	n, ok := a.numbers[st.ID]
	if !ok {
		if n, ok = a.s.take(a.epoch); !ok {
			return in, errStale
		}
		a.numbers[st.ID] = n
	}
	a.use = append(a.use, st)
	in.Number = n
	d.Set(record.StoneKey(st.ID), in.Value())
	return in, nil
}

// read returns n bytes of a key from offset off.
func (s *Pair) read(ctx context.Context, key string, off, n int64) ([]byte, error) {
	b, err := s.bucket.Get(ctx, key, off, n)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = fmt.Errorf("%w: %w", history.ErrGone, err)
	case errors.Is(err, blob.ErrDamaged): // the bucket has a checksum of its own
		err = &stone.CorruptError{Offset: -1, Part: "stone in the bucket", Err: err}
	case errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, blob.ErrAway):
		err = fmt.Errorf("%w: %w", blob.ErrAway, err)
	}
	return b, rules.Away(err)
}
