package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"
)

// Retention says which commits of a log stay. The zero value is the default: the
// newest 16, one for each hour of the last day, one for each day of the last two
// weeks, and one for each month of the last year.
type Retention struct {
	All     bool          // keep every commit
	Newest  int           // default 16
	Hourly  time.Duration // how far back; default a day
	Daily   time.Duration // default two weeks
	Monthly time.Duration // default a year
}

const day = 24 * time.Hour

func (r Retention) withDefaults() Retention {
	if r.Newest <= 0 {
		r.Newest = 16
	}
	for _, d := range []struct {
		have *time.Duration
		want time.Duration
	}{{&r.Hourly, day}, {&r.Daily, 14 * day}, {&r.Monthly, 365 * day}} {
		if *d.have == 0 {
			*d.have = d.want
		}
	}
	return r
}

// Keep reports for each time of a log, newest first, whether its commit stays. In
// each hour, day and month (UTC) that counts, the newest commit stays. The head
// always stays.
func (r Retention) Keep(now time.Time, log []time.Time) []bool {
	r = r.withDefaults()
	keep := make([]bool, len(log))
	periods := []struct {
		back time.Duration
		name string
		last string
	}{{back: r.Hourly, name: "2006-01-02T15"}, {back: r.Daily, name: "2006-01-02"}, {back: r.Monthly, name: "2006-01"}}
	for i, t := range log {
		keep[i] = r.All || i < r.Newest
		for j := range periods {
			p := &periods[j]
			if now.Sub(t) > p.back {
				continue
			}
			if name := t.UTC().Format(p.name); name != p.last {
				p.last = name
				keep[i] = true
			}
		}
	}
	return keep
}

// Or returns p with what it does not say from other.
func (p Policy) Or(other Policy) Policy {
	if p.Keep == (Retention{}) {
		p.Keep = other.Keep
	}
	p.Grace, p.Deleted = cmp.Or(p.Grace, other.Grace), cmp.Or(p.Deleted, other.Deleted)
	return p
}

// DryCollect counts what a Collect of a Store at a time would drop, without its stones.
func DryCollect(ctx context.Context, st ArchiveReader, p Policy, now time.Time) (done Collected, err error) {
	var stay []Outline
	err = st.Outlines(ctx, func(o Outline) error {
		if !o.Deleted.IsZero() && p.DeletedOver(now, o.Deleted) {
			done.Worlds++
		} else {
			stay = append(stay, o)
		}
		return nil
	})
	if err != nil {
		return done, err
	}
	for _, o := range stay {
		a, err := st.Archive(ctx, o)
		if errors.Is(err, ErrNoWorld) {
			continue // it was purged meanwhile
		}
		if err != nil {
			return done, err
		}
		at := make(map[ID]time.Time, len(a.Commits))
		for _, c := range a.Commits {
			at[c.ID()] = c.Time
		}
		var log []time.Time
		for _, id := range a.Log {
			log = append(log, at[id])
		}
		for _, stays := range p.Keep.Keep(now, log) {
			if !stays {
				done.Commits++
			}
		}
	}
	return done, nil
}

// Keep says which backups stay: those that either rule keeps, and always the newest.
// The zero value keeps all.
type Keep struct {
	Newest int           // number of backups, including the new one; 0 is no rule
	For    time.Duration // age of a backup; 0 is no rule
}

// Over returns the indexes of the backups that are not kept, given their times, the
// oldest first. made is the time of the new backup; it is not the last of the list
// if the clock went back.
func (k Keep) Over(times []time.Time, made time.Time) (out []int) {
	if k.Newest <= 0 && k.For <= 0 {
		return nil
	}
	for i, t := range times {
		among := k.Newest > 0 && len(times)-i <= k.Newest
		young := k.For > 0 && made.Sub(t) <= k.For
		if !t.Equal(made) && !among && !young {
			out = append(out, i)
		}
	}
	return out
}

// ErrShrunk says that a Store has far fewer worlds than the backup before it, as a new one
// at a wrong address has.
var ErrShrunk = errors.New("is it the right store? cairn backup --force makes the backup all the same")

// Shrunk returns an error if a backup of so many worlds, deleted ones too, must not follow
// one of so many: it has less than half.
func Shrunk(worlds, before int64) error {
	if 2*worlds >= before {
		return nil
	}
	return fmt.Errorf("worlds of the store: %d, of the backup before: %d: %w", worlds, before, ErrShrunk)
}
