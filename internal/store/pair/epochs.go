package pair

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
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
	// closeFor is how long Close tries to end the epochs of its Store.
	closeFor = 2 * time.Second
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
	old      []*epoch      // earlier ones whose records may be there
	starting chan struct{} // closed when the start of an epoch is over; nil if none is under way
	err      error         // of the last start
}

func epochKey(number uint64) []byte {
	return be.AppendUint64([]byte{running}, number>>sequenceBits<<sequenceBits)
}

// fresh reports whether an attempt may begin in the epoch. Calls that begin at the same
// time can have times in another order, and clocks are set back a little: a begin that
// lies ahead is as good as one that has passed.
func (e *epoch) fresh(now time.Time) bool {
	age := now.Sub(e.begun)
	return age > -epochFor && age < epochFor && e.next < e.number+1<<sequenceBits
}

// enterEpoch returns the epoch of now for an attempt, which must leave it.
func (s *Pair) enterEpoch(ctx context.Context, now time.Time) (*epoch, error) {
	t := &s.epochs
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		if e := t.now; e != nil && e.fresh(now) {
			e.users++
			return e, nil
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
func (s *Pair) start(ctx context.Context, now time.Time) error {
	t := &s.epochs
	t.retire()
	e := &epoch{number: s.number() << sequenceBits, begun: now}
	e.next = e.number + 1
	e.record = history.Record{Key: string(epochKey(e.number)), Value: be.AppendUint64(nil, millisOf(now))}
	unused, ends := t.unused()
	t.mu.Unlock()
	// It is for all who wait, so it does not end with the call that began it.
	err := noteRoom(&s.full.catalogue, s.catalogue.Swap(context.WithoutCancel(ctx), []history.Record{{Key: e.record.Key}}, append([]history.Record{e.record}, ends...)))
	t.mu.Lock()
	switch {
	case err == nil:
		t.now = e
		s.cache.put(e.record.Key, e.record.Value)
	case errors.Is(err, history.ErrChanged): // another epoch has this number: try again
		t.old = append(t.old, unused...)
		err = nil
	default:
		t.old = append(append(t.old, unused...), e) // its record may have been made
		// A catalogue that takes no writes for hours: a collection ends what is forgotten.
		t.old = t.old[max(0, len(t.old)-maxOld):]
	}
	return err
}

const (
	maxEnds = 64   // old epochs that one Swap ends
	maxOld  = 1024 // that are remembered
)

// retire makes the epoch of now an old one.
func (t *epochs) retire() {
	if t.now != nil {
		t.old = append(t.old, t.now)
		t.now = nil
	}
}

// unused takes the epochs out of old that nobody uses. It returns them and the changes
// that end them.
func (t *epochs) unused() (unused []*epoch, ends []history.Record) {
	t.old = slices.DeleteFunc(t.old, func(e *epoch) bool {
		if e.users > 0 || len(unused) >= maxEnds {
			return false
		}
		unused, ends = append(unused, e), append(ends, history.Record{Key: e.record.Key})
		return true
	})
	return unused, ends
}

// endUnused ends the old epochs of this Store that nobody uses, and the epoch of now if
// over says so.
func (s *Pair) endUnused(ctx context.Context, over func(*epoch) bool) error {
	t := &s.epochs
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.now != nil && over(t.now) {
		t.retire()
	}
	unused, ends := t.unused()
	if len(ends) == 0 {
		return nil
	}
	t.mu.Unlock()
	err := s.catalogue.Swap(ctx, nil, ends)
	t.mu.Lock()
	if err != nil {
		t.old = append(t.old, unused...)
	}
	return err
}

// take returns a number that was never used.
func (s *Pair) take(e *epoch) (number uint64, ok bool) {
	s.epochs.mu.Lock()
	defer s.epochs.mu.Unlock()
	if e.next == e.number+1<<sequenceBits {
		return 0, false
	}
	e.next++
	return e.next - 1, true
}

// leaveEpoch ends the use of an epoch by an attempt. over says that the attempt could not go
// on in it: its numbers have run out, or its record is gone.
func (s *Pair) leaveEpoch(e *epoch, over bool) {
	s.epochs.mu.Lock()
	defer s.epochs.mu.Unlock()
	e.users--
	if over && s.epochs.now == e {
		s.epochs.retire() // its record may be there
	}
}
