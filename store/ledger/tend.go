package ledger

import (
	"context"
	"fmt"
	"sync"
	"time"
)

const (
	deletesAtOnce = 8
	keysListed    = 1000
)

// tends looks after the ledger from time to time.
func (l *Ledger) tends() {
	for {
		wait(l.ctx, l.Every)
		if l.ctx.Err() != nil {
			return
		}
		if err := l.tend(l.ctx); err != nil {
			l.trouble(err)
		}
	}
}

// tend stays in touch with the log, so that what it learns later can be trusted, and
// deletes what a checkpoint made useless.
func (l *Ledger) tend(ctx context.Context) error {
	l.apply.Lock()
	recent := l.within(l.seen, l.Trust/4)
	l.apply.Unlock()
	if !recent {
		if err := l.refresh(ctx); err != nil {
			return err
		}
	}
	m, err := l.newest(ctx, 0)
	if err != nil || m.number == 0 {
		return err
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
	ready := to.number > l.cut && l.Now().Sub(to.seen.at) >= grace
	l.mu.Unlock()
	if !ready {
		return nil
	}
	if err := l.cutTo(ctx, to.mark); err != nil {
		return fmt.Errorf("ledger: delete entries before the checkpoint %s: %w", to.stem(), err)
	}
	l.mu.Lock()
	l.cut = to.number
	l.mu.Unlock()
	return nil
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
