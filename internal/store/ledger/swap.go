package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/retry"
	"github.com/cairnvoxel/cairn/store/history"
)

// A process that has just written an entry is the first to know that the next number
// is free. So that the others can write too, it waits for a random time and then looks
// at the log, before each of the next yields entries after another process wrote one,
// and before every yields-th entry of its own.
const yields = 16

// catchUp is how many entries a process asks for that others write too. It must catch
// up faster than they write.
const catchUp = 4

// swap is a Swap that waits for its entry.
type swap struct {
	ctx                 context.Context
	conditions, changes []history.Record
	bytes               int
	done                chan error
}

// own is the entry that this process is writing.
type own struct {
	id     id
	number uint64
	landed bool // it is part of the log
	lost   bool // whether it is will never be known
}

func (l *Ledger) Swap(ctx context.Context, conditions, changes []history.Record) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if l.Damaged {
		return errors.New("ledger: swap: it is damaged, and opened only to be read")
	}
	s := &swap{ctx: ctx, conditions: conditions, changes: changes, done: make(chan error, 1)}
	for _, r := range changes {
		s.bytes += changeBytes + len(r.Key) + len(r.Value)
	}
	if s.bytes > maxEntry-entryHeader-sumBytes {
		return fmt.Errorf("ledger: swap of %d bytes: an entry has at most %d", s.bytes, maxEntry)
	}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return errClosed
	}
	l.queue = append(l.queue, s)
	if !l.writing {
		l.writing = true
		l.work.Go(l.writes)
	}
	l.mu.Unlock()
	select {
	case err := <-s.done:
		if err != nil && !errors.Is(err, history.ErrChanged) {
			err = fmt.Errorf("ledger: swap: %w", err)
		}
		return err
	case <-ctx.Done():
		return fmt.Errorf("ledger: swap: %w", ctx.Err())
	}
}

// changeBytes is more than a change needs besides its key and value.
const changeBytes = 10

// writes writes entries until no Swap waits.
func (l *Ledger) writes() {
	var d draft
	var err error
	for l.more(&d) {
		if err = l.write(&d); err == nil {
			continue
		}
		if l.ctx.Err() != nil {
			err = errClosed
		}
		l.mu.Lock()
		d.all = append(d.all, l.queue...) // they would wait as long, in vain
		l.queue = nil
		l.mu.Unlock()
		l.answer(d.all, err)
		d.all = nil
	}
}

// draft is the next entry in preparation.
type draft struct {
	all     []*swap // that wait, in the order in which they came
	giveUp  time.Time
	winners []*swap // whose conditions hold
	losers  []*swap
	state   *state        // that the draft is made on, without a reference
	at      position      // of the state
	batch   *pebble.Batch // of the state's database
	body    []byte
	changes int
	claim   bool
}

// more takes Swaps that wait into a draft. It returns false if there are none.
func (l *Ledger) more(d *draft) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(d.all) == 0 {
		d.giveUp = time.Now().Add(l.Timeout)
	}
	size := 0
	for _, s := range d.all {
		size += s.bytes
	}
	n := 0
	for n < len(l.queue) && (len(d.all) == 0 || size+l.queue[n].bytes <= fullEntry) {
		if s := l.queue[n]; s.ctx.Err() == nil {
			d.all = append(d.all, s)
			size += s.bytes
		}
		n++
	}
	l.queue = l.queue[n:]
	if len(l.queue) == 0 {
		l.queue = nil
	}
	l.writing = len(d.all) > 0
	return l.writing
}

// answer ends Swaps.
func (l *Ledger) answer(some []*swap, err error) {
	l.counters.swaps.Add(uint64(len(some)))
	switch {
	case errors.Is(err, history.ErrChanged):
		l.counters.changed.Add(uint64(len(some)))
	case err != nil:
		l.counters.unknown.Add(uint64(len(some)))
	}
	for _, s := range some {
		s.done <- err
	}
}

// write tries to write an entry with the Swaps of a draft. It ends those about which
// it decided; the others stay. It returns an error for all that stay.
func (l *Ledger) write(d *draft) error {
	if ok, err := l.decide(d); err != nil || !ok {
		return err
	}
	defer d.batch.Close()
	if d.changes == 0 && !d.claim {
		// There is nothing to write. The decision counts if the state is current.
		if err := l.follow(l.ctx, 1); err != nil {
			return err
		}
		if l.position() == d.at {
			l.answer(d.winners, nil)
			l.answer(d.losers, history.ErrChanged)
			d.all = nil
		}
		return nil
	}
	now, err := l.Time(l.ctx)
	if err != nil {
		return err
	}
	e := entry{number: d.at.number + 1, millis: min(max(now.UnixMilli(), 0), maxMillis), before: d.at.last, claim: d.claim}
	le.PutUint64(e.nonce[:8], l.Rand())
	le.PutUint64(e.nonce[8:], l.Rand())
	b := e.encode(d.changes, d.body)
	l.mu.Lock()
	l.own = own{id: idOf(b), number: e.number}
	l.mu.Unlock()
	end, err := l.putUntilKnown(e, b, d)
	switch {
	case err != nil:
		return err
	case end.landed:
		l.counters.entries.Add(1)
		l.answer(d.winners, nil)
		l.answer(d.losers, history.ErrChanged)
		d.all = nil
		return l.yield()
	case end.lost:
		return fmt.Errorf("%w: whether entry %d was written is unknown, because the process was paused", history.ErrAway, e.number)
	}
	l.counters.races.Add(1)
	return nil // another process wrote this entry
}

// decide sorts the Swaps of a draft: whose conditions hold after those before it? It
// returns false if the state was too old for that, and is newer now.
func (l *Ledger) decide(d *draft) (bool, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	if ok, err := l.trusted(l.ctx); !ok {
		return false, err
	}
	l.mu.Lock()
	l.wants = l.wants && l.due(l.state.at)
	d.claim = l.wants
	l.mu.Unlock()
	s := l.state
	d.state, d.at, d.batch = s, s.at, s.db.NewIndexedBatch()
	d.winners, d.losers, d.body, d.changes = nil, nil, d.body[:0], 0
	for _, w := range d.all {
		ok, err := holds(d.batch, w.conditions)
		if err != nil {
			return false, err
		}
		if !ok {
			d.losers = append(d.losers, w)
			continue
		}
		d.winners = append(d.winners, w)
		for _, r := range w.changes {
			key := []byte(recordPrefix + r.Key)
			if r.Value == nil {
				err = d.batch.Delete(key, nil)
			} else {
				err = d.batch.Set(key, r.Value, nil)
			}
			if err != nil {
				return false, fmt.Errorf("the cache: %w", err)
			}
			d.body = appendChange(d.body, r)
			d.changes++
		}
	}
	return true, nil
}

// holds reports whether conditions hold.
func holds(from pebble.Reader, conditions []history.Record) (bool, error) {
	for _, r := range conditions {
		v, there, err := read(from, recordPrefix+r.Key)
		if err != nil || there != (r.Value != nil) || !bytes.Equal(v, r.Value) {
			return false, err
		}
	}
	return true, nil
}

// putUntilKnown puts an entry until it knows whether it is part of the log.
func (l *Ledger) putUntilKnown(e entry, b []byte, d *draft) (own, error) {
	for pause := firstPause; ; pause *= 2 {
		began := l.now()
		_, puts := prompt(l.ctx, l, &l.puts, func(ctx context.Context) (struct{}, error) {
			return struct{}{}, l.put(ctx, l.entryKey(e.number), b)
		})
		if errors.Is(puts, history.ErrFull) {
			if pause == firstPause {
				return own{}, puts // nothing was put, and it would stay full
			}
			puts = fmt.Errorf("%w: %v", history.ErrAway, puts) // an earlier put may take place yet
		}
		var applied bool
		var err error
		if puts == nil {
			applied, err = l.wrote(e, b, d, began)
		}
		if err == nil && !applied {
			err = l.follow(l.ctx, catchUp)
		}
		l.mu.Lock()
		end, at := l.own, l.state.at
		l.mu.Unlock()
		switch {
		case end.landed && err == nil && puts != nil && !errors.Is(puts, blob.ErrExists):
			err = puts // what can be read may be lost yet: the bucket must say that it has it
		case end.landed || end.lost || at.number >= e.number:
			return end, nil
		case err != nil && !errors.Is(err, history.ErrAway):
			return end, err
		case err == nil && (puts == nil || errors.Is(puts, blob.ErrExists)):
			err = fmt.Errorf("%w: entry %d was put and cannot be read", history.ErrAway, e.number)
		case err == nil:
			err = puts
		}
		if time.Now().Add(pause).After(d.giveUp) || l.ctx.Err() != nil {
			return end, err
		}
		retry.Wait(l.ctx, pause)
	}
}

// wrote applies an entry of this process that the bucket took after began, if the state
// is still the one that the draft was made on. It reports whether the state has an entry
// of this number.
func (l *Ledger) wrote(e entry, b []byte, d *draft, began moment) (bool, error) {
	l.apply.Lock()
	defer l.apply.Unlock()
	ok, err := l.trusted(l.ctx)
	if err != nil {
		return false, err
	}
	// The batch of another state would go to its database, which may be closed.
	if ok && l.state == d.state && l.state.at == d.at {
		err := l.advance(d.batch, e, b)
		if err == nil {
			l.observe(began)
		} else if !errors.Is(err, errBroken) {
			return false, err
		}
	}
	return l.state.at.number >= e.number, nil
}

// yield lets other processes write if they want to, and claims a checkpoint if one is
// due.
func (l *Ledger) yield() error {
	l.mu.Lock()
	look := l.contended > 0 || l.state.at.number%yields == 0
	l.contended = max(0, l.contended-1)
	due, known := l.due(l.state.at) && !l.wants, l.marked.number
	l.mu.Unlock()
	if due {
		m, err := l.newest(l.ctx, known)
		if err != nil {
			return err
		}
		l.mu.Lock()
		l.notice(m)
		l.wants = l.due(l.state.at)
		l.mu.Unlock()
	}
	if !look {
		return nil
	}
	retry.Wait(l.ctx, time.Duration(l.Rand()%uint64(2*l.puts.usual()+1)))
	return l.follow(l.ctx, 2)
}
