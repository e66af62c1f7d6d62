package autosave

import (
	"cmp"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Options of a Fleet. The zero value is the default.
type Options struct {
	// World is the options for opening worlds; the Fleet sets Fence. Set Manual if the server
	// packs. Otherwise commits pack stacks that have become too high. Without a Cache all
	// worlds of the Fleet share one of World.Memory.
	World world.Options
	// Create makes Open create worlds that do not exist.
	Create bool
	// Lease is how long leases are taken and renewed for. After a crash of the game its worlds
	// are free after that time, or at once for the same holder. Default a minute.
	Lease time.Duration
	// Run runs a save, a renewal or a closing, which may take as long as the Store takes.
	// Default: each in its own goroutine. Run may also call task and return when it is done.
	Run func(task func())
	// Every is the time between two saves of a world that changed little. Worlds with changes
	// that nobody reported to the Fleet are found at the same rate. Default 5 minutes.
	Every time.Duration
	// Cells is the number of changed cells that halve Every; twice as many make it a third,
	// and so on. Default 10,000.
	Cells int
	// Soonest is the least time between two saves of a world, except for the save before it is
	// closed. Default 10 seconds; negative is none.
	Soonest time.Duration
	// Idle is how long after the last player left the Fleet saves and closes a world. Default
	// 10 seconds; negative is none.
	Idle time.Duration
	// AtOnce bounds the saves that run at a time. Default 4.
	AtOnce int
	// Retry is the delay before a failed save is retried. It doubles with each failure, up to
	// Every. Default a second.
	Retry time.Duration
	// Message of commits. Default "autosave".
	Message string
	// Closing is called before a world is closed, saved or lost: who has a stream.Server or
	// object.Movers of it closes these. A world that changes meanwhile stays open, and Closing is called
	// again when it is to be closed; in Fleet.Close what it changes is saved. Saved is called with
	// the version that a save made. Both run where Run does, for several worlds at once. Default none.
	Closing func(*Kept)
	Saved   func(*Kept, history.Commit)
}

func (o Options) resolved() Options {
	if o.Closing == nil {
		o.Closing = func(*Kept) {}
	}
	if o.Saved == nil {
		o.Saved = func(*Kept, history.Commit) {}
	}
	if o.Run == nil {
		o.Run = func(task func()) { go task() }
	}
	o.Every, o.Retry = positive(o.Every, 5*time.Minute), positive(o.Retry, time.Second)
	o.Cells, o.AtOnce = positive(o.Cells, 10_000), positive(o.AtOnce, 4)
	o.Soonest, o.Idle = max(cmp.Or(o.Soonest, 10*time.Second), 0), max(cmp.Or(o.Idle, 10*time.Second), 0)
	o.Message = cmp.Or(o.Message, "autosave")
	return o
}

func positive[T cmp.Ordered](v, otherwise T) T {
	var zero T
	if v > zero {
		return v
	}
	return otherwise
}

// wait returns the time between two saves of a world with that many changed cells.
func (o *Options) wait(cells int) time.Duration {
	sooner := 1 + float64(cells)/float64(o.Cells)
	return max(time.Duration(float64(o.Every)/sooner), o.Soonest)
}

// retry returns the delay before the next save after that many failures.
func (o *Options) retry(fails int) time.Duration {
	d := o.Retry
	for ; fails > 1 && d < o.Every; fails-- {
		d *= 2
	}
	return min(d, o.Every)
}
