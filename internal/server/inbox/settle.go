package inbox

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// listed is how many names are listed at a time.
const listed = 1000

// Run makes versions of what waits until ctx ends, first of what an earlier process left.
func (b *Inbox) Run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { b.find(ctx) })
	room := make(chan struct{}, b.o.At)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			for _, world := range b.due(now) {
				select {
				case room <- struct{}{}:
				case <-ctx.Done():
					return
				}
				all.Go(func() {
					defer func() { <-room }()
					if err := b.Settle(ctx, world); err != nil && ctx.Err() == nil {
						b.o.Log.Error("inbox: no version was made; it is tried again", "world", world, "err", err)
					}
				})
			}
		case <-ctx.Done():
			return
		}
	}
}

// due returns the worlds of which a version is due, and puts off the next try.
func (b *Inbox) due(now time.Time) (worlds []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for world, s := range b.worlds {
		if !s.came.IsZero() && s.making == nil && now.Sub(s.since) >= b.o.Delay {
			s.since = now
			worlds = append(worlds, world)
		}
	}
	return worlds
}

// find looks for what an earlier process left, or another one.
func (b *Inbox) find(ctx context.Context) {
	wait := time.Second
	for ctx.Err() == nil {
		err := b.findAll(ctx)
		b.mu.Lock()
		b.scanned = b.scanned || err == nil
		b.mu.Unlock()
		if err == nil && !b.shared {
			return
		}
		if err == nil {
			wait = time.Minute
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
}

func (b *Inbox) findAll(ctx context.Context) error {
	for after := ""; ; {
		names, err := b.st.List(ctx, "", after, listed)
		if err != nil {
			return err
		}
		for _, name := range names {
			world, ok := record.InboxOf(name)
			if !ok {
				continue
			}
			w, err := b.Open(ctx, world)
			if err = errors.Join(err, w.Close()); err != nil {
				return err
			}
			if w == nil {
				continue
			}
			b.mu.Lock()
			if b.worlds[world] == nil {
				now := time.Now()
				b.worlds[world] = &state{came: now, since: now.Add(-b.o.Delay)}
			}
			b.mu.Unlock()
		}
		if len(names) < listed {
			return nil
		}
		after = names[len(names)-1]
	}
}

// Settle makes a version of what waits for a world, if something does. It returns no error if none can be made: because of
// the bytes, which then stay, or because another has a lease of the world.
func (b *Inbox) Settle(ctx context.Context, world string) error {
	for {
		b.mu.Lock()
		s := b.worlds[world]
		if s == nil && b.scanned && !b.shared {
			b.mu.Unlock()
			return nil
		}
		if s == nil {
			s = new(state)
			b.worlds[world] = s
		}
		busy := s.making
		if busy == nil {
			s.making = make(chan struct{})
		}
		b.mu.Unlock()
		if busy == nil {
			err := b.settle(ctx, world, s)
			b.mu.Lock()
			close(s.making)
			s.making = nil
			b.mu.Unlock()
			return err
		}
		select {
		case <-busy:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// settle makes versions until nothing waits.
func (b *Inbox) settle(ctx context.Context, world string, s *state) error {
	for {
		w, err := b.Open(ctx, world)
		if err != nil {
			return err
		}
		if w == nil {
			if b.forget(ctx, world) {
				return nil
			}
			continue
		}
		c, err := history.Commit{}, error(nil)
		known := b.isKept(s, w.At)
		if !known {
			c, err = b.make(ctx, w)
		}
		if closing := w.Close(); err == nil {
			err = closing
		}
		switch {
		case known:
			return nil
		case errors.Is(err, history.ErrLeased) || errors.Is(err, history.ErrFenced):
			return nil
		case passing(ctx, err):
			return err
		case err != nil:
			if kept, err := b.keep(ctx, s, w, err); kept || err != nil {
				return err
			}
			continue
		}
		for _, f := range b.saved {
			f(world, c.Number)
		}
		if done, err := b.empty(ctx, w, c); done || err != nil {
			return err
		}
	}
}

// passing reports whether an error may be another one soon.
func passing(ctx context.Context, err error) bool {
	for _, one := range []error{history.ErrAway, history.ErrClosed, history.ErrConflict, history.ErrGone, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, one) {
			return true
		}
	}
	return err != nil && ctx.Err() != nil
}

// make is Options.Make, but it turns a panic into an error: the bytes come from outside.
func (b *Inbox) make(ctx context.Context, w *Waiting) (c history.Commit, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("inbox: panic: %v\n%s", v, debug.Stack())
		}
	}()
	return b.o.Make(ctx, w)
}

func (b *Inbox) isKept(s *state, at history.ID) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return s.kept == at
}

// keep notes that no version can be made of what waits, unless something came meanwhile.
func (b *Inbox) keep(ctx context.Context, s *state, w *Waiting, why error) (kept bool, err error) {
	lock := b.lock(w.World)
	lock.Lock()
	defer lock.Unlock()
	head, err := b.st.Head(ctx, record.InboxName(w.World))
	if err != nil || head.Commit != w.At {
		return false, err
	}
	b.o.Log.Error("inbox: no version can be made of what was saved; it stays as it came", "world", w.World, "err", why)
	b.mu.Lock()
	defer b.mu.Unlock()
	s.kept, s.came = w.At, time.Time{}
	b.stats.Failed++
	return true, nil
}

// forget forgets a world for which nothing waits, unless something came.
func (b *Inbox) forget(ctx context.Context, world string) bool {
	lock := b.lock(world)
	lock.Lock()
	defer lock.Unlock()
	if w, err := b.Open(ctx, world); w != nil || err != nil {
		_ = w.Close() // it is opened again
		return false
	}
	b.drop(world)
	return true
}

func (b *Inbox) drop(world string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.worlds, world)
}

// empty empties the inbox of a world of which c was made, unless something came meanwhile.
func (b *Inbox) empty(ctx context.Context, w *Waiting, c history.Commit) (done bool, err error) {
	lock := b.lock(w.World)
	lock.Lock()
	defer lock.Unlock()
	_, err = b.st.Commit(ctx, record.InboxName(w.World), history.Head{Commit: w.At}, history.Commit{Parent: w.At})
	if errors.Is(err, history.ErrConflict) {
		return false, nil
	}
	if err == nil {
		b.drop(w.World)
		b.mu.Lock()
		b.stats.Made++
		b.mu.Unlock()
	}
	return err == nil, err
}
