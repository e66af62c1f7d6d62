package pair

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// Kinds of records that only this package has: see FORMAT.md.
const (
	running = 'x' // epochs
	smalls  = 's' // bytes of small stones
	runKey  = "e"
)

const (
	// epochFor is how long a Store begins puts in an epoch.
	epochFor = 10 * time.Minute
	// epochEnds is how long an epoch lasts if its process does not end it: a put takes less than the
	// difference.
	epochEnds = epochFor + time.Hour
	// sequenceBits is the part of a number that counts within an epoch.
	sequenceBits = 16
)

// epoch is a time of one process. The numbers of the bytes that it puts begin with
// the epoch. While the epoch's record is there, nobody deletes such bytes; once it
// is deleted, no change can use them, because the record is a condition of the
// change.
type epoch struct {
	number uint64 // its lower bits are zero
	record history.Record
	begun  time.Time
	next   uint64 // the next number
	users  int    // attempts under way
}

// epochs are the epochs of a Store.
type epochs struct {
	mu       sync.Mutex
	now      *epoch        // nil if there is none
	old      []*epoch      // whose records may be there
	starting chan struct{} // closed when the start of an epoch is over; nil if none is under way
	err      error         // of the last start
}

func epochKey(number uint64) []byte {
	return be.AppendUint64([]byte{running}, number>>sequenceBits<<sequenceBits)
}

// enter returns the epoch of now for an attempt, which must leave it.
func (s *Store) enter(ctx context.Context, now time.Time) (*epoch, error) {
	t := &s.epochs
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if e := t.now; e != nil {
			if age := now.Sub(e.begun); age >= 0 && age < epochFor && e.next < e.number+1<<sequenceBits {
				e.users++
				return e, nil
			}
		}
		if started := t.starting; started != nil { // by another call
			t.mu.Unlock()
			select {
			case <-started:
			case <-ctx.Done():
			}
			t.mu.Lock()
			if err := errors.Join(ctx.Err(), t.err); err != nil {
				return nil, err
			}
			continue
		}
		done := make(chan struct{})
		t.starting = done
		t.err = s.start(ctx, now)
		t.starting = nil
		close(done)
		if t.err != nil {
			return nil, t.err
		}
	}
}

// start begins an epoch and ends those of this Store that nobody uses. It unlocks
// the epochs while it waits.
func (s *Store) start(ctx context.Context, now time.Time) error {
	t := &s.epochs
	if t.now != nil {
		t.old = append(t.old, t.now)
		t.now = nil
	}
	e := &epoch{number: s.number() << sequenceBits, begun: now}
	e.next = e.number + 1
	e.record = history.Record{Key: string(epochKey(e.number)), Value: be.AppendUint64(nil, millisOf(now))}
	changes := []history.Record{e.record}
	var kept []*epoch
	for _, old := range t.old {
		if old.users > 0 {
			kept = append(kept, old)
		} else {
			changes = append(changes, history.Record{Key: old.record.Key})
		}
	}
	t.mu.Unlock()
	// It is for all who wait, so it does not end with the call that began it.
	err := s.catalogue.Swap(context.WithoutCancel(ctx), []history.Record{{Key: e.record.Key}}, changes)
	t.mu.Lock()
	if err == nil {
		t.now, t.old = e, kept
	} else if errors.Is(err, history.ErrChanged) {
		err = nil // another epoch has this number: try again
	}
	return err
}

// take returns a number that was never used.
func (s *Store) take(e *epoch) (number uint64, ok bool) {
	s.epochs.mu.Lock()
	defer s.epochs.mu.Unlock()
	if e.next == e.number+1<<sequenceBits {
		return 0, false
	}
	e.next++
	return e.next - 1, true
}

// leave ends the use of an epoch by an attempt. over says that its record is gone.
func (s *Store) leave(e *epoch, over bool) {
	s.epochs.mu.Lock()
	defer s.epochs.mu.Unlock()
	e.users--
	if over && s.epochs.now == e {
		s.epochs.now = nil
	}
}
