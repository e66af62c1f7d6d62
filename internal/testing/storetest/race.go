package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

const (
	crowdWorlds  = 3
	crowdWriters = 2 // of each world
	crowdSaves   = 25
)

// crowd holds writers, readers, a packer and a collector that work at the same time
// on worlds that share stones.
type crowd struct {
	*env
	over atomic.Bool // the writers are done

	mu    sync.Mutex
	texts map[history.ID]string // of every acknowledged commit's stack
}

func sideBySide(e *env) {
	c := &crowd{env: e, texts: make(map[history.ID]string)}
	e.create("w0")
	first := e.commit("w0", "ground")
	c.texts[first] = "ground"
	for i := 1; i < crowdWorlds; i++ {
		e.fork("w0", first, fmt.Sprint("w", i))
	}
	var writers, others sync.WaitGroup
	for i := range crowdWorlds {
		name := fmt.Sprint("w", i)
		for j := range crowdWriters {
			writers.Go(func() { c.write(name, j) })
		}
		others.Go(c.until(func() error { return c.read(name, false) }))
		others.Go(c.until(func() error { return c.repack(name) }))
	}
	others.Go(c.until(c.sweep))
	others.Go(c.until(c.comeAndGo))
	others.Go(c.until(c.forkAndPurge))
	writers.Wait()
	c.over.Store(true)
	others.Wait()
	for i := range crowdWorlds {
		c.want("read", c.read(fmt.Sprint("w", i), true), nil)
	}
}

// until runs step repeatedly until the writers are done.
func (c *crowd) until(step func() error) func() {
	return func() {
		for !c.over.Load() {
			if err := step(); err != nil {
				c.Error(err)
				return
			}
		}
	}
}

// write saves. Stones of the same text come and go in all worlds.
func (c *crowd) write(name string, writer int) {
	for i := 0; i < crowdSaves; {
		h, err := c.s.Head(c.ctx, name)
		if err != nil {
			c.Error(err)
			return
		}
		text := fmt.Sprint("text ", (i*7+writer)%5)
		s := stoneOf(c.env, text)
		commit := history.Commit{Parent: h.Commit, Base: h.Commit, Message: name, Stones: []history.StoneRef{refOf(s)}}
		below, ok := c.textsOf(h.Commit)
		if !ok {
			continue // its writer is about to say
		}
		below += ","
		if i%8 == 7 {
			commit.Base, below = history.ID{}, ""
		}
		got, err := c.s.Commit(c.ctx, name, history.Head{Commit: h.Commit}, commit, s)
		if errors.Is(err, history.ErrConflict) {
			continue
		}
		if err != nil {
			c.Error(err)
			return
		}
		c.mu.Lock()
		c.texts[got.ID()] = below + text
		c.mu.Unlock()
		c.clock.add(time.Second)
		i++
	}
}

func (c *crowd) textsOf(id history.ID) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.texts[id]
	return text, ok
}

// passing reports whether a caller of a busy Store would repeat the call after err.
func passing(err error) bool {
	return errors.Is(err, history.ErrGone) || errors.Is(err, history.ErrNoCommit)
}

// read opens everything under the head of a world. All of it must exist if nobody
// else works.
func (c *crowd) read(name string, alone bool) error {
	f, err := history.Fetch(c.ctx, c.s, name, history.ID{}, 1<<20)
	if passing(err) && !alone {
		return nil
	}
	if err == nil {
		err = data(f, len(f.Layers))
	}
	if err != nil {
		return err
	}
	h, stack := f.Head, f.Layers
	var got []string
	for _, l := range stack {
		text, err := textOf(c.ctx, c.s, name, l.Stone)
		if passing(err) && !alone {
			return nil
		}
		if err != nil {
			return err
		}
		got = append(got, text)
	}
	if want, ok := c.textsOf(h.Commit); ok && strings.Join(got, ",") != want {
		return fmt.Errorf("stack of %v: got %q, want %q", h.Commit, got, want)
	}
	return nil
}

// repack puts a pack of everything up to a commit, with the texts of the commit's
// stones.
func (c *crowd) repack(name string) error {
	log, err := c.s.Log(c.ctx, name, history.ID{}, 3)
	if err != nil {
		return err
	}
	upto := log[len(log)-1].ID()
	text, ok := c.textsOf(upto)
	if !ok {
		return nil
	}
	s := stoneOf(c.env, text)
	err = c.s.PutPack(c.ctx, name, history.Pack{Upto: upto, Stone: refOf(s)}, s)
	if passing(err) {
		return nil
	}
	return err
}

func (c *crowd) sweep() error {
	_, err := c.s.Collect(c.ctx, history.Policy{Keep: newest(4), Grace: -1, Deleted: -1})
	return err
}

// forkAndPurge purges a world that shares stones with others, and has stones that
// others are about to make.
func (c *crowd) forkAndPurge() error {
	h, err := c.s.Head(c.ctx, "w1")
	if err != nil {
		return err
	}
	err = c.s.Fork(c.ctx, "w1", h.Commit, "purged")
	if passing(err) {
		return nil
	}
	h.Fence = 0
	for i := 0; i < 3 && err == nil; i++ {
		s := stoneOf(c.env, fmt.Sprint("text ", i))
		commit := history.Commit{Parent: h.Commit, Base: h.Commit, Stones: []history.StoneRef{refOf(s)}}
		if commit, err = c.s.Commit(c.ctx, "purged", h, commit, s); err == nil {
			h.Commit = commit.ID()
		}
	}
	if err != nil {
		return err
	}
	if err := c.read("purged", false); err != nil {
		return err
	}
	_, err = c.s.Purge(c.ctx, "purged", 0)
	return err
}

// comeAndGo forks, renames and deletes.
func (c *crowd) comeAndGo() error {
	h, err := c.s.Head(c.ctx, "w0")
	if err != nil {
		return err
	}
	err = c.s.Fork(c.ctx, "w0", h.Commit, "short")
	if passing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	err = errors.Join(c.s.Rename(c.ctx, "short", "life", 0), c.read("life", false), c.s.Delete(c.ctx, "life", 0))
	if err != nil {
		return err
	}
	err = c.s.Undelete(c.ctx, "life")
	if errors.Is(err, history.ErrNoWorld) {
		return nil // it was taken for good already
	}
	return errors.Join(err, c.read("life", false), c.s.Delete(c.ctx, "life", 0))
}
