package history

import (
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

// Keep says which backups stay: those that either rule keeps, and always the newest.
// The zero value keeps all.
type Keep struct {
	Newest int           // number of backups, including the new one; 0 is no rule
	For    time.Duration // age of a backup; 0 is no rule
}
