// Package living keeps the history of a folder that a game is writing.
package living

import (
	"context"
	"time"
)

// Options of Run. The zero value is the default.
type Options struct {
	// Every is the time from one look to the next. Default 5 min.
	Every time.Duration
	// Settle is how long nothing in the folder must have changed before a look: a game saves many
	// chunks at a time. If it never stops, there is a look after twice Every. Default 10 s.
	Settle time.Duration
	// Poll is how often a folder is looked through whose system does not tell what changes.
	// Default 5 s.
	Poll time.Duration
}

const (
	defaultEvery  = 5 * time.Minute
	defaultSettle = 10 * time.Second
	defaultPoll   = 5 * time.Second
)

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		to  *time.Duration
		def time.Duration
	}{{&o.Every, defaultEvery}, {&o.Settle, defaultSettle}, {&o.Poll, defaultPoll}} {
		if *d.to <= 0 {
			*d.to = d.def
		}
	}
	return o
}

// Run calls look at once, and then whenever the folder dir has changed and settled, at most once in
// Options.Every. It returns when ctx has ended, or with the error of look.
func Run(ctx context.Context, dir string, o Options, look func(context.Context) error) error {
	o = o.withDefaults()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes, err := watch(ctx, dir, o.Poll)
	if err != nil {
		return err
	}
	return run(ctx, changes, o, look)
}

// run is Run of a folder whose changes come from a channel.
func run(ctx context.Context, changes <-chan struct{}, o Options, look func(context.Context) error) error {
	for {
		begun := time.Now()
		if err := look(ctx); err != nil || ctx.Err() != nil {
			return err
		}
		select {
		case <-changes:
		case <-ctx.Done():
			return nil
		}
		if !settle(ctx, changes, begun, o) {
			return nil
		}
	}
}

// settle waits until it is time for a look, after that at begun. It reports false when ctx has ended.
func settle(ctx context.Context, changes <-chan struct{}, begun time.Time, o Options) bool {
	quiet := time.NewTimer(max(o.Settle, time.Until(begun.Add(o.Every))))
	defer quiet.Stop()
	latest := time.NewTimer(max(o.Settle, time.Until(begun.Add(2*o.Every))))
	defer latest.Stop()
	for {
		select {
		case <-changes:
			quiet.Reset(max(o.Settle, time.Until(begun.Add(o.Every))))
		case <-quiet.C:
			return true
		case <-latest.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}
