package ledger

import (
	"sync/atomic"
	"time"
)

// Stats is what a Ledger knows without a call of the bucket. The counters count what
// this Ledger did.
type Stats struct {
	Entry           uint64    // number of the last entry that was applied
	Checkpoint      uint64    // number of the last entry in the newest known checkpoint; 0 without one
	CheckpointTime  time.Time // the ledger's time at that entry
	CheckpointBytes int64
	LogBytes        int64 // of the entries after that checkpoint

	Swaps       uint64        // that were answered
	Changed     uint64        // of these, whose conditions did not hold
	Unknown     uint64        // of these, whose outcome is not known
	Entries     uint64        // that were written
	Races       uint64        // entries whose number another process took
	Probes      uint64        // looks at the end of the log, each for all reads that waited
	Applied     uint64        // entries of other processes
	Repeated    uint64        // calls of the bucket that were made a second time, since the first was slow
	Rebuilds    uint64        // of the state, from a checkpoint
	Checkpoints uint64        // that were written
	Troubles    uint64        // checkpoints and deletions that failed
	Ahead       time.Duration // of the bucket's clock, compared with this process's, when it was asked last
	Holes       uint64        // objects that the bucket has lost and that another process would need
}

// counters are the counters of Stats.
type counters struct {
	swaps, changed, unknown, entries, races, probes, applied, repeated, rebuilds, checkpoints, troubles, holes atomic.Uint64
	ahead                                                                                                      atomic.Int64 // nanoseconds
}

// Stats returns what the Ledger knows now.
func (l *Ledger) Stats() Stats {
	c := &l.counters
	s := Stats{
		Swaps: c.swaps.Load(), Changed: c.changed.Load(), Unknown: c.unknown.Load(),
		Entries: c.entries.Load(), Races: c.races.Load(), Probes: c.probes.Load(), Applied: c.applied.Load(),
		Repeated: c.repeated.Load(), Rebuilds: c.rebuilds.Load(), Checkpoints: c.checkpoints.Load(), Troubles: c.troubles.Load(), Holes: c.holes.Load(), Ahead: time.Duration(c.ahead.Load()),
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at, m := l.state.at, l.marked
	s.Entry, s.Checkpoint, s.CheckpointBytes = at.number, m.number, int64(m.bytes)
	s.LogBytes = int64(at.total - min(at.total, m.total))
	if m.number > 0 {
		s.CheckpointTime = time.UnixMilli(m.millis)
	}
	return s
}
