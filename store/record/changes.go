package record

import (
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// Change is a record as it is to be. A nil Value says that there is none.
type Change struct{ Key, Value []byte }

// Advance returns what makes e the newest of a world's log, and its head.
func Advance(w, fence uint64, e Entry) [2]Change {
	return [...]Change{
		{Key: HeadKey(w), Value: HeadValue(history.Head{Commit: e.Commit, Fence: fence})},
		{Key: LogKey(w, e.Number), Value: e.Value()},
	}
}

// Fenced returns what changes of a world when its lease was old and is next.
func Fenced(w uint64, h history.Head, old, next history.Lease) []Change {
	out := Leased(w, old, next)
	if h.Fence != next.Fence {
		h.Fence = next.Fence
		out = append(out, Change{Key: HeadKey(w), Value: HeadValue(h)})
	}
	return out
}

// Leased returns what of that changes beside the head.
func Leased(w uint64, old, next history.Lease) []Change {
	switch {
	case next.Holder == old.Holder && next.Until.Equal(old.Until):
		return nil
	case next.Until.IsZero():
		return []Change{{Key: LeaseKey(w)}}
	}
	return []Change{{Key: LeaseKey(w), Value: LeaseValue(next)}}
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
func Trim(w uint64, log []Entry, keep history.Retention, now time.Time) (drop []Change) {
	times := make([]time.Time, len(log))
	for i, e := range log {
		times[len(log)-1-i] = e.Time
	}
	for i, stays := range keep.Keep(now, times) {
		if !stays {
			drop = append(drop, Change{Key: LogKey(w, log[len(log)-1-i].Number)})
		}
	}
	return drop
}
