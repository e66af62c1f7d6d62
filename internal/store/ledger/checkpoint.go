package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/blob"
)

// Sizes and magic numbers of FORMAT.md.
const (
	markMagic  = "cairnLm\x01"
	markBytes  = 8 + 8 + positionBytes + 4 + 4 + 8 + 8 + sha256.Size + sumBytes
	partMagic  = "cairnLp\x01"
	partHeader = 8 + 8 + 4 + 4

	maxPart   = 12 << 20 // without the last record
	partsRead = 4        // at a time
	marksRead = 1000     // keys in one list
)

// mark says that a checkpoint is complete: the records at a position.
type mark struct {
	position
	name    uint64 // a unique number
	parts   uint32
	records uint64
	bytes   uint64            // of all parts
	sum     [sha256.Size]byte // of the sums of the parts

	damaged error // what is wrong with its bytes: only number and name are known, from its key
}

// stem is what the keys of a checkpoint begin with.
func (m mark) stem() string { return fmt.Sprintf("%019d-%016x", m.number, m.name) }

func (m mark) key() string { return markKeys + m.stem() }

func (m mark) partKey(i uint32) string { return fmt.Sprintf("%s%s/%08d", partKeys, m.stem(), i) }

func (m mark) encode() []byte {
	b := append(make([]byte, 0, markBytes), markMagic...)
	b = le.AppendUint64(b, m.name)
	b = m.position.append(b)
	b = le.AppendUint32(b, m.parts)
	b = le.AppendUint32(b, 0)
	b = le.AppendUint64(b, m.records)
	b = le.AppendUint64(b, m.bytes)
	b = append(b, m.sum[:]...)
	return le.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// decodeMark is the inverse of encode.
func decodeMark(part string, b []byte) (m mark, err error) {
	r, err := open(part, b, markMagic, markBytes-sumBytes)
	if err != nil {
		return m, err
	}
	m.name = r.Uint64()
	m.position = parsePosition(r.Bytes(positionBytes))
	m.parts = r.Uint32()
	zero := r.Uint32()
	m.records = r.Uint64()
	m.bytes = r.Uint64()
	m.sum = [sha256.Size]byte(r.Bytes(sha256.Size))
	if zero != 0 || m.number == 0 || m.number > math.MaxInt64 || m.millis < 0 || m.millis > maxMillis || m.claimed > m.total {
		r.Fail(errors.New("a field is out of range"))
	}
	return m, r.End()
}

// knownMark is a checkpoint that this process knows.
type knownMark struct {
	mark
	since moment // when it was first known
	own   bool   // this process wrote it
}

// partWriter makes the parts of a checkpoint.
type partWriter struct {
	b     []byte
	count uint32
	last  []byte
}

func (w *partWriter) add(key, value []byte) {
	if w.count == 0 {
		w.b = append(w.b[:0], make([]byte, partHeader)...)
		w.last = w.last[:0]
	}
	shared := 0
	for shared < min(len(key), len(w.last)) && key[shared] == w.last[shared] {
		shared++
	}
	w.b = binary.AppendUvarint(w.b, uint64(shared))
	w.b = binary.AppendUvarint(w.b, uint64(len(key)-shared))
	w.b = append(w.b, key[shared:]...)
	w.b = binary.AppendUvarint(w.b, uint64(len(value)))
	w.b = append(w.b, value...)
	w.last = append(w.last[:0], key...)
	w.count++
}

// finish returns the bytes of the part. They are valid until the next add.
func (w *partWriter) finish(name uint64, i uint32) []byte {
	h := append(w.b[:0:0], partMagic...)
	h = le.AppendUint64(h, name)
	h = le.AppendUint32(h, i)
	copy(w.b, le.AppendUint32(h, w.count))
	w.b = le.AppendUint32(w.b, crc32.Checksum(w.b, castagnoli))
	w.count = 0
	return w.b
}

// decodePart calls each for the records of a part of a checkpoint, in ascending
// order of their keys. The key is valid until each returns; the value lies in b.
func decodePart(part string, b []byte, name uint64, i uint32, each func(key, value []byte) error) (uint64, error) {
	r, err := open(part, b, partMagic, partHeader)
	if err != nil {
		return 0, err
	}
	if got := r.Uint64(); got != name {
		r.Fail(fmt.Errorf("it belongs to the checkpoint %016x, not to %016x", got, name))
	}
	if got := r.Uint32(); got != i {
		r.Fail(fmt.Errorf("it is part %d, not %d", got, i))
	}
	count := r.Uint32()
	var key, last []byte
	for n := uint32(0); n < count && r.Err() == nil; n++ {
		shared := r.AtMost(len(last))
		key = append(append(key[:0], last[:shared]...), r.Bytes(r.AtMost(maxEntry))...)
		value := r.Bytes(r.AtMost(maxEntry))
		if n > 0 && bytes.Compare(key, last) <= 0 {
			r.Fail(errors.New("a key is not above the one before"))
		}
		if r.Err() == nil {
			if err := each(key, value); err != nil {
				return 0, err
			}
		}
		key, last = last, key
	}
	return uint64(count), r.End()
}

// newest returns the newest checkpoint after entry number after. Its number is zero
// if there is none. Its mark may be damaged.
func (l *Ledger) newest(ctx context.Context, after uint64) (m mark, err error) {
	for range tries {
		last, from := "", fmt.Sprintf("%s%019d~", markKeys, after)
		for {
			var keys []string
			err := l.patient(ctx, func() (err error) {
				keys, err = prompt(ctx, l, &l.lists, func(ctx context.Context) ([]string, error) { return l.list(ctx, markKeys, from, marksRead) })
				return err
			})
			if err != nil {
				return m, err
			}
			if len(keys) > 0 {
				last = keys[len(keys)-1]
			}
			if len(keys) < marksRead {
				break
			}
			from = last
		}
		if last == "" {
			return m, nil
		}
		var b []byte
		err := l.patient(ctx, func() (err error) {
			b, err = prompt(ctx, l, &l.gets, func(ctx context.Context) ([]byte, error) { return l.get(ctx, l.Prefix+last) })
			return err
		})
		if err != nil {
			return m, err
		}
		if b == nil {
			continue // a newer one took its place
		}
		return l.markOf(last, b), nil
	}
	return m, away(errGone)
}

// markOf returns the mark in the bytes of a key, which may be damaged.
func (l *Ledger) markOf(key string, b []byte) mark {
	m, err := decodeMark(l.Prefix+key, b)
	if err == nil && m.key() != key {
		err = &CorruptError{Offset: int64(len(markMagic)), Part: l.Prefix + key, Err: fmt.Errorf("it is the mark %s", m.key())}
	}
	if err != nil {
		m = mark{damaged: err}
		_, _ = fmt.Sscanf(strings.TrimPrefix(key, markKeys), "%d-%x", &m.number, &m.name) // a stranger's key is number 0
	}
	return m
}

// older returns the checkpoints before one, the newest first. Those whose marks are damaged
// are left out.
func (l *Ledger) older(ctx context.Context, before mark) (out []mark, err error) {
	for after := ""; ; {
		keys, err := l.list(ctx, markKeys, after, marksRead)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			if key >= before.key() {
				continue
			}
			b, err := l.get(ctx, l.Prefix+key)
			if err != nil {
				return nil, err
			}
			if m := l.markOf(key, b); b != nil && m.damaged == nil {
				out = append(out, m)
			}
		}
		if len(keys) < marksRead {
			slices.Reverse(out)
			return out, nil
		}
		after = keys[len(keys)-1]
	}
}

// errGone says that a checkpoint was deleted while it was read.
var errGone = errors.New("the checkpoint was deleted while it was read")

// load fills an empty state with a checkpoint.
func (l *Ledger) load(ctx context.Context, s *state, m mark) error {
	if m.number == 0 || m.damaged != nil {
		return m.damaged
	}
	sums, records, size := sha256.New(), uint64(0), uint64(0)
	var files []string
	for i := uint32(0); i < m.parts; i += partsRead {
		parts, err := l.parts(ctx, m, i, min(partsRead, m.parts-i))
		if err != nil {
			return err
		}
		for k, b := range parts {
			add(sums, b)
			size += uint64(len(b))
			key := l.Prefix + m.partKey(i+uint32(k))
			full := []byte(recordPrefix)
			file, err := s.sorted(len(files), func(set func(key, value []byte) error) error {
				n, err := decodePart(key, b, m.name, i+uint32(k), func(key, value []byte) error {
					full = append(full[:len(recordPrefix)], key...)
					return set(full, value)
				})
				records += n
				return err
			})
			if err != nil {
				return err
			}
			files = append(files, file)
		}
	}
	if [sha256.Size]byte(sums.Sum(nil)) != m.sum || records != m.records || size != m.bytes {
		return &CorruptError{Part: l.Prefix + m.key(), Err: errors.New("the parts are not those that the mark names")}
	}
	if len(files) > 0 {
		if err := s.db.Ingest(context.WithoutCancel(ctx), files); err != nil { // every error is one of the cache
			return s.fail(err)
		}
	}
	batch := s.db.NewBatch()
	defer batch.Close()
	if err := s.save(batch, m.position); err != nil {
		return err
	}
	s.at = m.position // nobody else has the state yet
	return nil
}

func add(sums hash.Hash, part []byte) {
	sum := sha256.Sum256(part)
	sums.Write(sum[:])
}

// parts reads n parts of a checkpoint from number from on.
func (l *Ledger) parts(ctx context.Context, m mark, from, n uint32) ([][]byte, error) {
	out, errs := make([][]byte, n), make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			errs[i] = l.patient(ctx, func() (err error) {
				out[i], err = l.get(ctx, l.Prefix+m.partKey(from+i))
				return err
			})
			if errs[i] == nil && out[i] == nil {
				errs[i] = fmt.Errorf("%s: %w", l.Prefix+m.partKey(from+i), errGone)
			}
		})
	}
	all.Wait()
	return out, errors.Join(errs...)
}

// due reports whether the log has grown so much that a checkpoint should be written.
// It is called with the mutex locked.
func (l *Ledger) due(at position) bool {
	if l.asked {
		return true
	}
	since := at.total - min(at.total, max(at.claimed, l.marked.total))
	return since >= uint64(max(l.CheckpointBytes, 1)) && since >= l.marked.bytes
}

// claimed begins the checkpoint that this process has claimed in the entry at which
// the state is. It is called with the mutex and apply locked.
func (l *Ledger) claimed(s *state) {
	l.wants, l.asked = false, false
	waiting := l.waiting
	l.waiting = nil
	if l.closed {
		for _, w := range waiting {
			w <- errClosed
		}
		return
	}
	s.refs++
	snap := s.db.NewSnapshot()
	m := mark{position: s.at, name: l.Rand()}
	l.work.Go(func() {
		err := errors.Join(l.checkpoint(l.ctx, snap, m), snap.Close(), l.drop(s))
		for _, w := range waiting {
			w <- err
		}
		if err != nil {
			l.trouble(err) // the next claim comes in time
		}
	})
}

// Checkpoint writes all records as a checkpoint now, so that older entries and checkpoints
// are not needed any more.
func (l *Ledger) Checkpoint(ctx context.Context) error {
	done := make(chan error, 1)
	l.mu.Lock()
	l.asked, l.wants, l.waiting = true, true, append(l.waiting, done)
	l.mu.Unlock()
	err := l.Swap(ctx, nil, nil)
	if err == nil {
		select {
		case err = <-done:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		return fmt.Errorf("ledger: checkpoint: %w", err)
	}
	return nil
}

// checkpoint writes a snapshot as a checkpoint.
func (l *Ledger) checkpoint(ctx context.Context, snap *pebble.Snapshot, m mark) error {
	it, err := snap.NewIter(&pebble.IterOptions{LowerBound: []byte(recordPrefix), UpperBound: []byte(recordEnd)})
	if err != nil {
		return err
	}
	defer it.Close()
	sums := sha256.New()
	var w partWriter
	flush := func() error {
		b := w.finish(m.name, m.parts)
		add(sums, b)
		m.bytes += uint64(len(b))
		m.parts++
		return l.putOnce(ctx, m.partKey(m.parts-1), b)
	}
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		w.add(it.Key()[len(recordPrefix):], v)
		m.records++
		if len(w.b) >= l.PartBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := it.Error(); err != nil {
		return err
	}
	if w.count > 0 {
		if err := flush(); err != nil {
			return err
		}
	}
	m.sum = [sha256.Size]byte(sums.Sum(nil))
	if err := l.putOnce(ctx, m.key(), m.encode()); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.notice(m)
	// maintain may have seen the mark before its author knew that it is there.
	for _, s := range []*knownMark{&l.marked, &l.target} {
		s.own = s.own || s.name == m.name
	}
	l.counters.checkpoints.Add(1)
	return nil
}

// putOnce puts a part or a mark. Its key is unique, so what is there already is the same.
func (l *Ledger) putOnce(ctx context.Context, key string, b []byte) error {
	err := l.patient(ctx, func() error { return l.put(ctx, l.Prefix+key, b) })
	if errors.Is(err, blob.ErrExists) {
		err = nil
	}
	return err
}

// notice notes the newest checkpoint. It is called with the mutex locked.
func (l *Ledger) notice(m mark) {
	if m.number > l.marked.number && m.damaged == nil {
		l.marked = knownMark{mark: m, since: l.now()}
	}
}
