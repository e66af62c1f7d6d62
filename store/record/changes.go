package record

import (
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// A change is a record as it is to be; nil is none.

// Advance returns what makes e the newest of a world's log, and its head.
func Advance(w, fence uint64, e Entry) []history.Record {
	return []history.Record{
		{Key: string(HeadKey(w)), Value: HeadValue(history.Head{Commit: e.Commit, Fence: fence})},
		{Key: string(LogKey(w, e.Number)), Value: e.Value()},
	}
}

// Fenced returns what changes of a world when its lease was old and is next.
func Fenced(w uint64, h history.Head, old, next history.Lease) []history.Record {
	out := Leased(w, old, next)
	if h.Fence != next.Fence {
		h.Fence = next.Fence
		out = append(out, history.Record{Key: string(HeadKey(w)), Value: HeadValue(h)})
	}
	return out
}

// Leased returns what of that changes beside the head.
func Leased(w uint64, old, next history.Lease) []history.Record {
	switch {
	case next.Holder == old.Holder && next.Until.Equal(old.Until):
		return nil
	case next.Until.IsZero():
		return []history.Record{{Key: string(LeaseKey(w))}}
	}
	return []history.Record{{Key: string(LeaseKey(w)), Value: LeaseValue(next)}}
}

// Follows returns an error unless a commit on base may be made: the lease lets it,
// and the head is base.
func Follows(h history.Head, l history.Lease, base history.Head, now time.Time) error {
	if err := l.Admit(base.Fence, now); err != nil {
		return err
	}
	return h.Follows(base)
}

// Trim returns which entries of a log, oldest first, are not kept.
func Trim(w uint64, log []Entry, keep history.Retention, now time.Time) (drop []history.Record) {
	times := make([]time.Time, len(log))
	for i, e := range log {
		times[len(log)-1-i] = e.Time
	}
	for i, stays := range keep.Keep(now, times) {
		if !stays {
			drop = append(drop, history.Record{Key: string(LogKey(w, log[len(log)-1-i].Number))})
		}
	}
	return drop
}
