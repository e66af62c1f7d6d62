package record

import (
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// Change is the new value of a record. A nil Value deletes the record.
type Change struct{ Key, Value []byte }

// Advance returns the changes that make e the newest entry of a world's log, and
// its head.
func Advance(w, fence uint64, e Entry) [2]Change {
	return [...]Change{
		{Key: HeadKey(w), Value: HeadValue(history.Head{Commit: e.Commit, Fence: fence})},
		{Key: LogKey(w, e.Number), Value: e.Value()},
	}
}

// Fenced returns the changes of a world's records when its lease changes from old
// to next.
func Fenced(w uint64, h history.Head, old, next history.Lease) []Change {
	out := Leased(w, old, next)
	if h.Fence != next.Fence {
		h.Fence = next.Fence
		out = append(out, Change{Key: HeadKey(w), Value: HeadValue(h)})
	}
	return out
}

// Leased returns those of the changes of Fenced that are not the head.
func Leased(w uint64, old, next history.Lease) []Change {
	switch {
	case next.Holder == old.Holder && next.Until.Equal(old.Until):
		return nil
	case next.Until.IsZero():
		return []Change{{Key: LeaseKey(w)}}
	}
	return []Change{{Key: LeaseKey(w), Value: LeaseValue(next)}}
}

// Trim returns the changes that delete the entries of a log, oldest first, that
// keep does not keep.
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

// KeepOf is what stays of the log of the world with a name: of an inbox its head alone.
func KeepOf(name string, keep history.Retention) history.Retention {
	if _, ok := InboxOf(name); ok {
		return history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}
	}
	return keep
}

// Keeps returns what stays of the log of each world, by its number: KeepOf its name.
func (r Reads) Keeps(keep history.Retention) (of func(w uint64) history.Retention, err error) {
	inboxes := map[uint64]string{}
	err = r.Each([]byte{Names}, func(key, value []byte) (bool, error) {
		name := string(key[1:])
		if _, ok := InboxOf(name); !ok {
			return true, nil
		}
		w, err := ParseNumber(value)
		inboxes[w] = name
		return true, err
	})
	return func(w uint64) history.Retention { return KeepOf(inboxes[w], keep) }, err
}
