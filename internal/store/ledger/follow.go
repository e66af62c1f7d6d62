package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/retry"
	"github.com/cairnvoxel/cairn/store/history"
)

const (
	maxWindow   = 16       // entries that are read at a time
	maxGap      = 32 << 20 // bytes of entries that are read before they can be trusted
	tries       = 4        // of a call that fails at once
	firstPause  = 50 * time.Millisecond
	maxRebuilds = 3 // of the state, one after another
)

// probe is a look at the end of the log that readers wait for.
type probe struct {
	done chan struct{}
	err  error
}

// refresh returns when the state has all entries that were there when it was called.
func (l *Ledger) refresh(ctx context.Context) error {
	if l.Damaged {
		return ctx.Err()
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errClosed
	}
	if l.next == nil {
		l.next = &probe{done: make(chan struct{})}
		if !l.probing {
			l.probing = true
			l.work.Go(l.probes)
		}
	}
	p := l.next
	l.mu.Unlock()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// probes runs probes until nobody waits.
func (l *Ledger) probes() {
	for {
		l.mu.Lock()
		p := l.next
		l.next = nil
		l.probing = p != nil
		window := 1
		if l.contended > 0 {
			window = catchUp
		}
		l.mu.Unlock()
		if p == nil {
			return
		}
		l.counters.probes.Add(1)
		p.err = l.follow(l.ctx, window)
		if l.ctx.Err() != nil {
			p.err = errClosed
		}
		close(p.done)
	}
}

// follow reads entries and applies them until the log ends. It asks for so many of
// them at first, and for more while they are all there.
func (l *Ledger) follow(ctx context.Context, window int) error {
	for ; ; window = min(2*window, maxWindow) {
		l.mu.Lock()
		n, jumps := l.state.at.number+1, l.jumps
		l.mu.Unlock()
		began := l.now()
		found, err := l.entries(ctx, n, window)
		if err != nil {
			return err
		}
		ended := len(found) < window
		again, err := l.applyFound(ctx, n, jumps, found, ended, began)
		if err != nil || ended && !again {
			return err
		}
	}
}

func (l *Ledger) position() position {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state.at
}

// entries returns the entries from number n on, without a gap, but not more than
// window.
func (l *Ledger) entries(ctx context.Context, n uint64, window int) ([][]byte, error) {
	found := make([][]byte, window)
	errs := make([]error, window)
	one := func(i int) {
		errs[i] = l.patient(ctx, func() (err error) {
			found[i], err = prompt(ctx, l, &l.gets, func(ctx context.Context) ([]byte, error) { return l.get(ctx, l.entryKey(n+uint64(i))) })
			return err
		})
	}
	var all sync.WaitGroup
	for i := 1; i < window; i++ {
		all.Go(func() { one(i) })
	}
	one(0)
	all.Wait()
	for i := range found {
		if errs[i] != nil {
			return found[:i], errs[i]
		}
		if found[i] == nil {
			return found[:i], nil
		}
	}
	return found, nil
}

// patient makes a call a few times if it fails at once.
func (l *Ledger) patient(ctx context.Context, call func() error) error {
	began := time.Now()
	pause := firstPause
	for i := 1; ; i++ {
		err := call()
		if err == nil || i == tries || errors.Is(err, context.Canceled) || errors.Is(err, history.ErrFull) || time.Since(began)+pause > l.Timeout/2 {
			return err
		}
		retry.Wait(ctx, pause)
		pause *= 2
	}
}

// applyFound applies entries that were read from number n on, after began. Ended says that
// there was none after them. If the entries cannot be trusted, the state is brought
// forward in another way, and again says that they must be read again. So it is if the
// state jumped meanwhile: the end after the old position is not the end after the new
// one, which may be far before it, or after entries that were deleted.
func (l *Ledger) applyFound(ctx context.Context, n, jumps uint64, found [][]byte, ended bool, began moment) (again bool, err error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	if ok, err := l.trusted(ctx); !ok || l.jumps != jumps {
		return true, err
	}
	for i, b := range found {
		if n+uint64(i) != l.state.at.number+1 {
			continue // it was applied meanwhile
		}
		if err := l.applyNext(b); errors.Is(err, errBroken) {
			_, err = l.trusted(ctx)
			return true, err
		} else if err != nil {
			return false, err
		}
	}
	if ended {
		l.observe(began)
	}
	return false, nil
}

// observe notes that at a moment there was no checkpoint above the position.
func (l *Ledger) observe(m moment) {
	if m.at.After(l.observed.at) {
		l.observed = m
	}
}

// trusted reports whether what was just read or written after the position is part of
// the log: no entry after the position was ever deleted. If it cannot tell, it brings
// the state forward to a checkpoint. It is called with apply locked.
func (l *Ledger) trusted(ctx context.Context) (bool, error) {
	if err := l.state.failure.get(); err != nil {
		if !l.inMemory {
			l.leaveCache(err)
		}
		return false, l.rebuild(ctx)
	}
	if l.within(l.observed, l.Trust) {
		return true, nil
	}
	began := l.now()
	m, err := l.newest(ctx, l.state.at.number)
	if err != nil {
		return false, err
	}
	if m.number == 0 {
		l.observed = began
		return true, nil
	}
	ok, err := l.applyGap(ctx, m)
	if errors.Is(err, errBroken) {
		return l.trusted(ctx)
	}
	if err == nil && !ok {
		err = l.rebuild(ctx)
	} else if err == nil {
		l.observed = began
		l.mu.Lock()
		l.jumps++
		l.mu.Unlock()
	}
	return false, err
}

// applyGap applies the entries up to a checkpoint, if they are all there and few: otherwise
// the checkpoint is read faster.
func (l *Ledger) applyGap(ctx context.Context, m mark) (bool, error) {
	if m.damaged == nil && m.total-l.state.at.total > maxGap {
		return false, nil
	}
	_, all, err := l.chain(ctx, l.state.at, m)
	if all == nil || err != nil {
		return false, err
	}
	for _, b := range all {
		if err := l.applyNext(b); err != nil {
			return false, err
		}
	}
	return true, nil
}

// chain reads the entries after a position up to a checkpoint, and returns their ids, nil
// if they are not all there. The id of the last one proves all of them. It returns their
// bytes too, if they are few.
func (l *Ledger) chain(ctx context.Context, at position, m mark) (ids []id, all [][]byte, err error) {
	if m.damaged == nil && m.total < at.total {
		return nil, nil, nil
	}
	from := at.total
	for at.number < m.number {
		found, err := l.entries(ctx, at.number+1, int(min(maxWindow, m.number-at.number)))
		if err != nil || len(found) == 0 {
			return nil, nil, err
		}
		for _, b := range found {
			e, err := decodeEntry(l.entryKey(at.number+1), b, func(change) error { return nil })
			if err != nil || e.number != at.number+1 || e.before != at.last {
				return nil, nil, nil
			}
			at = at.follows(e, b)
			ids = append(ids, at.last)
			if m.damaged == nil && at.total > m.total {
				return nil, nil, nil
			}
		}
		if all = append(all, found...); at.total-from > maxGap {
			all = nil
		}
	}
	if m.damaged == nil && at.last != m.last {
		return nil, nil, nil
	}
	if len(all) < len(ids) {
		all = nil
	}
	return ids, all, nil
}

// applyNext applies the entry after the position. It is called with apply locked.
func (l *Ledger) applyNext(b []byte) error {
	batch, e, err := l.changes(l.state, b)
	if err != nil {
		return err
	}
	defer batch.Close()
	return l.advance(batch, e, b)
}

// changes returns what the entry after the position of a state changes there. The caller
// closes the batch.
func (l *Ledger) changes(s *state, b []byte) (*pebble.Batch, entry, error) {
	batch := s.db.NewBatch()
	key := l.entryKey(s.at.number + 1)
	e, err := decodeEntry(key, b, func(c change) error {
		k := append([]byte(recordPrefix), c.key...)
		if c.deleted {
			return batch.Delete(k, nil)
		}
		return batch.Set(k, c.value, nil)
	})
	switch {
	case err != nil:
	case e.number != s.at.number+1:
		err = &CorruptError{Offset: 8, Part: key, Err: fmt.Errorf("it has the number %d", e.number)}
	case e.before != s.at.last:
		err = &CorruptError{Offset: 24, Part: key, Err: fmt.Errorf("it follows the entry %x, not %x", e.before, s.at.last)}
	}
	if err != nil {
		return nil, e, errors.Join(err, batch.Close())
	}
	return batch, e, nil
}

// advance makes the changes of an entry. It is called with apply locked.
func (l *Ledger) advance(batch *pebble.Batch, e entry, b []byte) error {
	s := l.state
	at := s.at.follows(e, b)
	if err := s.save(batch, at); err != nil {
		return fmt.Errorf("ledger: the cache: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.at = at
	if at.last == l.own.id {
		l.own.landed = true
		if e.claim {
			l.claimed(s)
		}
	} else {
		l.contended = yields
		l.counters.applied.Add(1)
	}
	return nil
}

// leaveCache lets the next states be in memory. It is called with apply locked.
func (l *Ledger) leaveCache(err error) {
	l.trouble(fmt.Errorf("ledger: the cache %s: %w; from now on it is in memory", l.Cache, err))
	l.inMemory = true
}

// rebuild replaces the state by the newest checkpoint, or by nothing if there is
// none. If a part of it is lost or damaged, it takes an older one and the entries after it.
// It is called with apply locked.
func (l *Ledger) rebuild(ctx context.Context) (err error) {
	for range maxRebuilds {
		began := l.now()
		var m mark
		if m, err = l.newest(ctx, 0); err != nil {
			return err
		}
		if err = l.begin(ctx, m, nil); err == nil {
			l.observed = began
			return nil
		}
		if errors.Is(err, errBroken) && l.Cache != "" && !l.inMemory {
			l.leaveCache(err)
			continue
		}
		now, again := l.newest(ctx, 0)
		if again != nil || now.stem() != m.stem() {
			err = cmp.Or(again, err) // a newer one took its place
			continue
		}
		if !damaged(err) {
			return err
		}
		if ok, why := l.fallBack(ctx, m); ok {
			l.trouble(fmt.Errorf("ledger: the checkpoint %s: %w; it is made again", m.stem(), err))
			l.observed = began
			return nil
		} else if why != nil {
			return why
		}
	}
	return away(err)
}

// begin makes the state that of a checkpoint. With lost, it is one before that, and what
// the entries up to that made of it; the error is errGone if they are not all there.
func (l *Ledger) begin(ctx context.Context, m mark, lost *mark) error {
	dir := ""
	if l.Cache != "" && !l.inMemory {
		dir = l.files.PathJoin(l.Cache, fmt.Sprintf("%s%016x", statePrefix, l.Rand()))
	}
	s, err := openState(dir, l.Options)
	if err != nil {
		return err
	}
	err = l.load(ctx, s, m)
	if err == nil && lost != nil {
		err = l.extend(ctx, s, *lost)
	}
	if err != nil {
		return errors.Join(err, s.close(false))
	}
	l.replace(s, m)
	l.counters.rebuilds.Add(1)
	return nil
}

// extend applies the entries up to a checkpoint to a state that nobody else has yet.
func (l *Ledger) extend(ctx context.Context, s *state, m mark) error {
	ids, _, err := l.chain(ctx, s.at, m)
	if err == nil && ids == nil && s.at.number < m.number {
		err = errGone
	}
	for err == nil && len(ids) > 0 {
		var found [][]byte
		if found, err = l.entries(ctx, s.at.number+1, min(maxWindow, len(ids))); err == nil && len(found) == 0 {
			err = errGone
		}
		for i, b := range found {
			if err == nil && idOf(b) != ids[i] {
				err = errGone
			}
			if err == nil {
				err = l.applyTo(s, b)
			}
		}
		ids = ids[len(found):]
	}
	return err
}

// applyTo applies the next entry to a state that nobody else has yet.
func (l *Ledger) applyTo(s *state, b []byte) error {
	batch, e, err := l.changes(s, b)
	if err != nil {
		return err
	}
	defer batch.Close()
	at := s.at.follows(e, b)
	if err := s.save(batch, at); err != nil {
		return err
	}
	s.at = at
	return nil
}

// fallBack makes the state that of a checkpoint which cannot be read, from an older one, or
// from nothing, and the entries after it. It reports false if they are not all there. The
// next entry claims a new checkpoint.
func (l *Ledger) fallBack(ctx context.Context, lost mark) (bool, error) {
	older, err := l.older(ctx, lost)
	if err != nil {
		return false, err
	}
	for _, m := range append(older, mark{}) {
		if err := l.begin(ctx, m, &lost); err == nil {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.asked, l.wants = true, true
			return true, nil
		} else if !damaged(err) {
			return false, err
		}
	}
	return false, nil
}

// damaged reports whether an error says that objects of the ledger are lost or damaged.
func damaged(err error) bool {
	corrupt := (*CorruptError)(nil)
	return errors.Is(err, errGone) || errors.As(err, &corrupt)
}

// replace makes s the state, which is that of a checkpoint. Whether the entry that is being written is part of the
// log is then unknown, if it is not the last one that s has, nor after it.
func (l *Ledger) replace(s *state, m mark) {
	l.mu.Lock()
	l.notice(m)
	old := l.state
	l.state = s
	l.jumps++
	l.own.landed = l.own.landed || l.own.id == s.at.last
	l.own.lost = l.own.number <= s.at.number && !l.own.landed
	l.mu.Unlock()
	if old != nil {
		l.dropLate(old)
	}
}
