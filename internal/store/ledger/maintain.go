package ledger

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/retry"
)

const (
	deletesAtOnce = 8
	keysListed    = 1000
)

// maintainer maintains the ledger from time to time.
func (l *Ledger) maintainer() {
	for retry.Wait(l.ctx, l.Every) {
		if err := l.maintain(l.ctx); err != nil {
			l.trouble(err)
		}
	}
}

// maintain stays in touch with the log, so that what it learns later can be trusted, and
// deletes what a checkpoint made useless.
func (l *Ledger) maintain(ctx context.Context) error {
	l.apply.Lock()
	recent := l.within(l.observed, l.Trust/4)
	l.apply.Unlock()
	if !recent {
		if err := l.refresh(ctx); err != nil {
			return err
		}
	}
	m, err := l.newest(ctx, 0)
	if err != nil {
		return err
	}
	if now := l.Now(); l.looked.IsZero() || now.Sub(l.looked) >= looksEvery {
		l.looked = now
		if err := l.findLost(ctx, m); err != nil {
			l.looked = time.Time{}
			return err
		}
	}
	if m.number == 0 || m.damaged != nil {
		return nil // what is before it may be needed
	}
	l.mu.Lock()
	l.notice(m)
	// A target stays until it is reached. A newer one in its place would wait anew, and
	// where checkpoints come more often than the grace nothing would ever be deleted.
	if l.target.number <= l.cut {
		l.target = l.marked
	}
	to, grace := l.target, l.Grace
	if !to.own {
		grace *= 2 // its author does it, if it lives
	}
	ready := to.number > l.cut && l.Now().Sub(to.since.at) >= grace
	l.mu.Unlock()
	if !ready {
		return nil
	}
	if n, err := l.missingParts(ctx, to.mark); err != nil || n > 0 {
		return err // findLost finds it too
	}
	if err := l.cutTo(ctx, to.mark); err != nil {
		return fmt.Errorf("ledger: delete entries before the checkpoint %s: %w", to.stem(), err)
	}
	l.mu.Lock()
	l.cut = to.number
	l.mu.Unlock()
	return nil
}

// looksEvery is how often a process looks for objects that the bucket has lost.
const looksEvery = time.Hour

// findLost counts the objects that another process would need and that are lost: parts of the
// newest checkpoint, and entries after it. This one has all records, so it writes a new
// checkpoint, after which they are not needed any more.
func (l *Ledger) findLost(ctx context.Context, m mark) error {
	tip := l.position().number
	lost, err := l.missingParts(ctx, m)
	if err != nil {
		return err
	}
	next, after := m.number+1, l.entryKey(m.number)[len(l.Prefix):]
	for more := true; more && next <= tip; {
		keys, err := l.list(ctx, logKeys, after, keysListed)
		if err != nil {
			return err
		}
		for _, key := range keys {
			n, err := strconv.ParseUint(key[len(logKeys):], 10, 64)
			if err == nil && n >= next && n <= tip {
				lost += int(n - next)
				next = n + 1
			}
		}
		if more = len(keys) == keysListed; more {
			after = keys[len(keys)-1]
		}
	}
	if next <= tip {
		lost += int(tip - next + 1)
	}
	if now, err := l.newest(ctx, m.number); err != nil || now.number > m.number {
		return err // somebody wrote a newer one, and may have deleted what was before
	}
	l.counters.holes.Store(uint64(lost))
	if lost == 0 {
		return nil
	}
	l.trouble(fmt.Errorf("ledger: the bucket has lost %d objects after the checkpoint %s, or of it; a new one is made", lost, m.stem()))
	if err := l.Checkpoint(ctx); err != nil {
		return err
	}
	l.counters.holes.Store(0)
	return nil
}

// missingParts counts the parts of a checkpoint that are lost, and a mark that is damaged.
func (l *Ledger) missingParts(ctx context.Context, m mark) (int, error) {
	if m.number == 0 || m.damaged != nil {
		return min(1, int(m.number)), nil
	}
	n := 0
	for after := ""; ; {
		keys, err := l.list(ctx, partKeys+m.stem()+"/", after, keysListed)
		if err != nil {
			return 0, err
		}
		if n += len(keys); len(keys) < keysListed {
			return max(0, int(m.parts)-n), nil
		}
		after = keys[len(keys)-1]
	}
}

// cutTo deletes what is before a checkpoint: entries, and other checkpoints. There may
// be newer ones, and another process may have deleted this one.
func (l *Ledger) cutTo(ctx context.Context, m mark) error {
	stems := func(prefix string) func(string) bool {
		return func(key string) bool { return key[len(prefix):] < m.stem() }
	}
	if err := l.remove(ctx, logKeys, func(key string) bool { return key <= l.entryKey(m.number)[len(l.Prefix):] }); err != nil {
		return err
	}
	if err := l.remove(ctx, markKeys, stems(markKeys)); err != nil {
		return err
	}
	return l.remove(ctx, partKeys, stems(partKeys))
}

// remove deletes the keys with a prefix up to the first that is not old.
func (l *Ledger) remove(ctx context.Context, prefix string, old func(key string) bool) error {
	for after := ""; ; {
		keys, err := l.list(ctx, prefix, after, keysListed)
		if err != nil {
			return err
		}
		more := len(keys) == keysListed
		for i, key := range keys {
			if !old(key) {
				keys, more = keys[:i], false
				break
			}
		}
		if err := l.removeAll(ctx, keys); err != nil || !more {
			return err
		}
		after = keys[len(keys)-1]
	}
}

func (l *Ledger) removeAll(ctx context.Context, keys []string) error {
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		errs error
	)
	next := make(chan string)
	for range min(deletesAtOnce, len(keys)) {
		all.Go(func() {
			for key := range next {
				err := l.patient(ctx, func() error {
					ctx, cancel := context.WithTimeout(ctx, l.Timeout)
					defer cancel()
					return away(l.bucket.Delete(ctx, l.Prefix+key))
				})
				if err != nil {
					mu.Lock()
					errs = err
					mu.Unlock()
				}
			}
		})
	}
	for _, key := range keys {
		next <- key
	}
	close(next)
	all.Wait()
	return errs
}

// trouble notes an error of the work that nobody waits for.
func (l *Ledger) trouble(err error) {
	if l.ctx.Err() != nil {
		return
	}
	l.counters.troubles.Add(1)
	if l.Trouble != nil {
		l.Trouble(err)
	}
}

// every is how often a Ledger looks after itself.
const every = time.Minute
