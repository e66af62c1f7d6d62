package pair

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/record"
)

// Kinds of records that only this package has: see FORMAT.md.
const (
	attempts = 'x'
	runKey   = "e"
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

func attemptKey(id stone.ID, number uint64) []byte {
	return be.AppendUint64(append([]byte{attempts}, id[:]...), number)
}

// attemptFor is how long an attempt may last.
const attemptFor = time.Hour

// attempt holds the numbers under which a call puts the bytes of stones.
type attempt struct {
	numbers map[stone.ID]uint64
	used    map[stone.ID]bool // by the last change that was prepared
	value   []byte
}

// putBytes records an attempt and then puts the bytes of those stones that are not
// there yet. It does nothing if first returns an error.
func (s *Store) putBytes(ctx context.Context, a *attempt, stones []history.Stone, first func(record.Reads) error) error {
	var changes []history.Record
	var fresh []history.Stone
	err := s.look(ctx, func(r record.Reads) error {
		if err := first(r); err != nil {
			return err
		}
		for _, st := range stones {
			_, there, err := r.Info(st.ID)
			if err != nil {
				return err
			}
			if _, put := a.numbers[st.ID]; !there && !put {
				n := s.number()
				a.numbers[st.ID] = n
				fresh = append(fresh, st)
				changes = append(changes, history.Record{Key: string(attemptKey(st.ID, n)), Value: a.value})
			}
		}
		return nil
	})
	if err != nil || len(fresh) == 0 {
		return err
	}
	if err := s.catalogue.Swap(ctx, nil, changes); err != nil {
		return err
	}
	for _, st := range fresh {
		data, err := st.Bytes()
		if err == nil {
			err = s.stones.Put(ctx, bytesKey(st.ID, a.numbers[st.ID]), data)
		}
		if err != nil {
			return fmt.Errorf("stone %v: %w", st.ID, err)
		}
	}
	return nil
}

// errStale says that a stone or an attempt that was there is gone.
var errStale = errors.New("bytes that were put were collected")

// with puts the bytes of stones, unless first fails, and calls what to prepare a
// change that uses them.
func (s *Store) with(ctx context.Context, stones []history.Stone, first func(record.Reads) error, what func(*draft, *attempt) error) error {
	a := &attempt{numbers: make(map[stone.ID]uint64), used: make(map[stone.ID]bool)}
	for {
		a.value = be.AppendUint64(nil, uint64(s.Now().UnixMilli()))
		err := s.putBytes(ctx, a, stones, first)
		if err == nil {
			err = s.change(ctx, func(d *draft) error {
				clear(a.used)
				return what(d, a)
			})
		}
		if err != nil {
			clear(a.used) // it may be unknown whether they are used: discard finds out
		}
		s.abandon(ctx, a)
		if !errors.Is(err, errStale) || ctx.Err() != nil {
			return err
		}
		clear(a.numbers)
	}
}

// name adds the record of a given stone to a change, or keeps the stone if it is
// there.
func (a *attempt) name(d *draft, st history.Stone) error {
	in, there, err := d.Info(st.ID)
	if err != nil {
		return err
	}
	if there {
		keep(d, st.ID, in)
		return nil
	}
	n, put := a.numbers[st.ID]
	if !put {
		return errStale
	}
	key := attemptKey(st.ID, n)
	value, err := d.Get(key)
	if err != nil {
		return err
	}
	if value == nil {
		return errStale
	}
	a.used[st.ID] = true
	d.set(key, nil)
	d.set(record.StoneKey(st.ID), record.Info{Size: st.Size(), Number: n}.Value())
	return nil
}

// keep makes a condemned stone needed again.
func keep(d *draft, id stone.ID, in record.Info) {
	if in.Condemned {
		in.Condemned = false
		d.set(record.StoneKey(id), in.Value())
	}
}

// abandon deletes the bytes of an attempt that no stone uses. It ignores errors
// because the call has its own result; Collect deletes what is left.
func (s *Store) abandon(ctx context.Context, a *attempt) {
	ctx = context.WithoutCancel(ctx)
	for _, id := range slices.SortedFunc(maps.Keys(a.numbers), func(a, b stone.ID) int { return bytes.Compare(a[:], b[:]) }) {
		if !a.used[id] {
			_ = s.discard(ctx, id, a.numbers[id], a.value)
		}
	}
}

// discard ends an attempt, if it has not ended, and deletes its bytes. After that
// the Swap that would use the bytes fails.
func (s *Store) discard(ctx context.Context, id stone.ID, number uint64, value []byte) error {
	key := string(attemptKey(id, number))
	err := s.catalogue.Swap(ctx, []history.Record{{Key: key, Value: value}}, []history.Record{{Key: key}})
	if errors.Is(err, history.ErrChanged) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.stones.Delete(ctx, bytesKey(id, number))
}

// wholeBytes is the largest size of a stone that Open reads whole.
const wholeBytes = 1 << 20

// opened reads the bytes of an open stone. Any number of goroutines may use it.
type opened struct {
	s    *Store
	ctx  context.Context // of reads: io.ReaderAt has none
	key  string
	size int64
}

// ReadAt is for io.ReaderAt.
func (o *opened) ReadAt(p []byte, off int64) (int, error) {
	n := min(int64(len(p)), o.size-off)
	if off < 0 || n < 0 {
		return 0, io.EOF
	}
	b, err := o.s.stones.Get(o.ctx, o.key, off, n)
	if err != nil {
		return 0, err
	}
	if copy(p, b); n < int64(len(p)) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// Close releases the bytes and deletes them if they were collected meanwhile.
func (o *opened) Close() error {
	s := o.s
	s.mu.Lock()
	s.open[o.key]--
	last := s.open[o.key] == 0
	late := last && s.late[o.key]
	if last {
		delete(s.open, o.key)
		delete(s.late, o.key)
	}
	s.mu.Unlock()
	if late {
		return s.stones.Delete(context.WithoutCancel(o.ctx), o.key)
	}
	return nil
}

// hold keeps the bytes of a stone until they are closed.
func (s *Store) hold(ctx context.Context, key string, size int64) *opened {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[key]++
	return &opened{s: s, ctx: context.WithoutCancel(ctx), key: key, size: size}
}

// remove deletes bytes that no record names any more, as soon as nobody reads them.
func (s *Store) remove(ctx context.Context, key string) error {
	s.mu.Lock()
	read := s.open[key] > 0
	if read {
		s.late[key] = true
	}
	s.mu.Unlock()
	if read {
		return nil
	}
	return s.stones.Delete(ctx, key)
}
