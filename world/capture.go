package world

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/internal/store/spool"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// Capture is an open world at one moment, with what no commit holds yet. It never
// changes, and the world goes on beside it. Any number of goroutines may use it until
// Close.
type Capture struct {
	w      *World
	closed atomic.Bool
	base   history.ID
	dirty  *dirty // what base does not have
	moment
}

// Capture captures the world as it is now. It costs a copy of the list of what was changed
// since the last commit. Before that it has every Unwritten write.
func (w *World) Capture() (*Capture, error) {
	c := &Capture{w: w}
	err := w.still(context.Background(), func() (err error) {
		if c.moment, err = w.locked(); err == nil {
			c.base, c.dirty = w.base, w.unsaved()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// unsaved returns a copy of what base does not have. The caller holds w.mu.
func (w *World) unsaved() *dirty {
	d := w.dirty.clone()
	if w.saved != nil {
		d.add(w.saved)
	}
	return d
}

// View returns what was in memory at the moment.
func (c *Capture) View() *View { return &View{c.now} }

// Save makes a new world of that name with what was captured, and returns its head. It
// copies no stone of the world: the new one is a fork of the last commit before the
// moment, and a commit with what was changed since. If a collection has dropped that commit from
// the log since, the new world is one commit with a copy of everything. The world that was captured stays as
// it is, also its list of changes. Options.Relight has no effect: light that was stale stays so.
func (c *Capture) Save(ctx context.Context, name, message string) (history.Commit, error) {
	if c.closed.Load() {
		return history.Commit{}, fmt.Errorf("world: %s: capture: %w", c.w.name, ErrClosed)
	}
	next := history.Commit{Parent: c.base, Base: c.base, Time: c.w.o.Time, Author: c.w.o.Author, Message: message}
	var stones []history.Stone
	if !c.dirty.empty() {
		written, err := c.now.content(c.dirty).write(ctx)
		if err != nil {
			return history.Commit{}, err
		}
		stones = append(stones, written)
		next.Stones = append(next.Stones, written.Ref())
	}
	err := history.ErrNoCommit
	if c.base != (history.ID{}) {
		err = c.w.store.Fork(ctx, c.w.name, c.base, name)
	}
	if errors.Is(err, history.ErrNoCommit) {
		next.Parent, next.Base = history.ID{}, history.ID{}
		err = nil
		if len(c.openStack) > 0 {
			out := spool.New(c.w.store)
			defer out.Close()
			below := c.Base()
			defer below.Close()
			var id stone.ID
			if id, _, err = below.Write(ctx, out, stone.Options{Effort: stone.Good}); err == nil {
				whole := out.Stone(id)
				stones = append([]history.Stone{whole}, stones...)
				next.Stones = append([]history.StoneRef{whole.Ref()}, next.Stones...)
			}
		}
		if err == nil {
			err = c.w.store.Create(ctx, name)
		}
	}
	if err != nil {
		return history.Commit{}, fmt.Errorf("world: %s: save as %s: %w", c.w.name, name, err)
	}
	done, err := c.w.store.Commit(ctx, name, history.Head{Commit: next.Parent}, next, stones...)
	if err != nil {
		err = errors.Join(err, c.w.store.Delete(context.WithoutCancel(ctx), name, 0)) // who may only write may not force
	}
	return done, err
}

// World returns the world that was captured.
func (c *Capture) World() *World { return c.w }

// Apart says where the world as it is now may differ from the moment.
func (c *Capture) Apart() (*Apart, error) { return c.w.apart(c.openStack, c.dirty) }

// Base returns the last commit before the moment. The caller closes it.
func (c *Capture) Base() *Snapshot {
	return &Snapshot{world: c.w.name, id: c.base, stack: c.openStack.hold(), about: c.now, empty: c.w.o.Empty}
}

// Close lets go of the stones that the moment stands on. Its View stays good.
func (c *Capture) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.release()
	}
	return nil
}
