// Package keeper does the work that a store needs besides its calls: it packs worlds after
// saves, collects, and makes backups.
package keeper

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/server/metrics"
	"github.com/cairnvoxel/cairn/store/history"
)

// Options of a Keeper. The zero value is the default.
type Options struct {
	// Packers is the number of worlds that are packed at a time. Default 1.
	Packers int
	// Queue is the largest number of worlds that wait to be packed. Default 4,096.
	Queue int
	// CollectEvery is the time between two collections of the Store. Default an
	// hour; negative means never.
	CollectEvery time.Duration
	// Policy is the policy of collections.
	Policy history.Policy
	// Backup makes a backup; nil makes none.
	Backup func(context.Context) (Backed, error)
	// BackupEvery is the time between two backups. Default 12 hours.
	BackupEvery time.Duration
	// LastBackup is the time of the newest existing backup. If it is zero the first
	// backup is made at once.
	LastBackup time.Time
	// Holder identifies this Keeper among the processes that share a history.Shared Store. It
	// must be unique; a Keeper that restarts under the same Holder goes on
	// with its jobs at once. Default: random.
	Holder string
	// Claim is how long a job is claimed for. A third of it passes until the claim is
	// prolonged. Default a minute.
	Claim time.Duration
	// Metrics count the work. Default none.
	Metrics *metrics.Metrics
	// Log receives collections, backups and failures. Default none.
	Log *slog.Logger
}

// Backed says what a backup did.
type Backed struct {
	Name    string // "" if none was made
	Removed int    // older backups
	metrics.Backed
}

func (o Options) withDefaults() Options {
	if o.Packers <= 0 {
		o.Packers = 1
	}
	if o.Queue <= 0 {
		o.Queue = 4096
	}
	if o.CollectEvery == 0 {
		o.CollectEvery = time.Hour
	}
	if o.BackupEvery <= 0 {
		o.BackupEvery = 12 * time.Hour
	}
	if o.Holder == "" {
		o.Holder = rand.Text()
	}
	if o.Claim <= 0 {
		o.Claim = time.Minute
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Keeper does the work that a Store needs besides its calls: it packs worlds after
// saves, collects, and makes backups. The caller drives it with Step. All of its
// methods are safe for any number of goroutines.
type Keeper struct {
	o  Options // resolved
	st history.Store
	// shared is the Store if others share it, else nil.
	shared history.Shared
	ctx    context.Context // of packing
	stop   context.CancelFunc
	work   sync.WaitGroup // packers and jobs

	jobsCtx  context.Context
	stopJobs context.CancelFunc

	packs packs

	mu     sync.Mutex // guards what follows, and the jobs' fields
	closed bool
	jobs   []*job
}

// job is work that is repeated at intervals, one run at a time.
type job struct {
	name    string
	every   time.Duration
	due     time.Time
	running bool
	do      func(context.Context) ([]any, error) // returns what to log
}

// New returns a Keeper of a Store. now is the time of the clock that Step
// gets. The caller closes the Keeper before the Store.
func New(st history.Store, now time.Time, o Options) *Keeper {
	k := &Keeper{o: o.withDefaults(), st: st}
	k.shared, _ = st.(history.Shared)
	k.ctx, k.stop = context.WithCancel(context.Background())
	k.jobsCtx, k.stopJobs = context.WithCancel(k.ctx)
	if every := k.o.CollectEvery; every > 0 {
		// A server that restarts more often than that must collect too.
		k.jobs = append(k.jobs, &job{name: metrics.Collect, every: every, due: now.Add(soon(every)), do: k.collect})
	}
	if every := k.o.BackupEvery; k.o.Backup != nil {
		k.o.Metrics.LastBackup(k.o.LastBackup)
		due := k.o.LastBackup.Add(every)
		if latest := now.Add(every); due.After(latest) { // the clock went back
			due = latest
		}
		k.jobs = append(k.jobs, &job{name: metrics.Backup, every: every, due: due, do: k.backup})
	}
	k.startPacking()
	return k
}

// soon returns the delay before the first run of a job, and before a retry.
func soon(every time.Duration) time.Duration { return every / 10 }

// Step starts the jobs that are due at now and does not wait for them. A job that
// is still running is not started again.
func (k *Keeper) Step(now time.Time) {
	k.o.Metrics.Step(now)
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, j := range k.jobs {
		if !k.closed && !j.running && !now.Before(j.due) {
			j.running = true
			k.work.Go(func() { k.run(j, now) })
		}
	}
}

func (k *Keeper) run(j *job, now time.Time) {
	start := time.Now()
	var attrs []any
	mine, err := k.claimed(k.jobsCtx, j.name, j.every-soon(j.every), true, func(ctx context.Context) (err error) {
		attrs, err = j.do(ctx)
		return err
	})
	took := time.Since(start)
	ended := k.jobsCtx.Err() != nil
	next := now.Add(j.every)
	if err != nil || !mine {
		next = now.Add(soon(j.every))
	}
	k.mu.Lock()
	j.running, j.due = false, next
	k.mu.Unlock()
	attrs = append([]any{"seconds", took.Seconds()}, attrs...)
	switch {
	case err == nil && !mine: // another Keeper does it
	case err != nil && ended:
		k.o.Log.Info(j.name+" was stopped", attrs[:2]...)
	case err != nil:
		k.o.Metrics.Worked(j.name, now, took, err)
		k.o.Log.Error(j.name+" failed", append(attrs[:2], "err", err)...)
	default:
		k.o.Metrics.Worked(j.name, now, took, nil)
		k.o.Log.Info(j.name+" done", attrs...)
	}
}

func (k *Keeper) collect(ctx context.Context) ([]any, error) {
	c, err := k.st.Collect(ctx, k.o.Policy)
	k.o.Metrics.Collected(c)
	return []any{"worlds", c.Worlds, "commits", c.Commits, "condemned", c.Condemned, "stones", c.Stones, "bytes", c.Bytes}, err
}

func (k *Keeper) backup(ctx context.Context) ([]any, error) {
	b, err := k.o.Backup(ctx)
	if b.Name != "" { // also if some worlds could not be read
		k.o.Metrics.BackedUp(b.Backed)
	}
	return []any{"name", b.Name, "worlds", b.Worlds, "new_bytes", b.New, "shared_bytes", b.Shared, "removed", b.Removed, "hurt", b.Hurt, "wrong", b.Wrong}, err
}

// Close starts no more work and stops collections and backups; an unfinished backup
// is removed. It waits for the worlds that are being packed. When ctx ends it stops
// the packing too, and returns an error. Worlds in the queue are packed after their
// next save, so nothing is lost.
func (k *Keeper) Close(ctx context.Context) error {
	k.mu.Lock()
	k.closed = true
	k.mu.Unlock()
	k.packs.close()
	k.stopJobs()
	defer k.stop()
	inTime := context.AfterFunc(ctx, k.stop)
	k.work.Wait()
	k.packs.mu.Lock()
	defer k.packs.mu.Unlock()
	if !inTime() && k.packs.cut {
		return fmt.Errorf("keeper: packing was stopped: %w", ctx.Err())
	}
	return nil
}
