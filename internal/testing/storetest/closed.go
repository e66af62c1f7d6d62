package storetest

import (
	"errors"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

// closed closes a Store beside calls, and twice. Later calls return ErrClosed.
func closed(e *env) {
	e.create("w")
	id := e.commit("w", "a")
	o, err := e.s.Open(e.ctx, "w", stoneOf(e, "a").ID)
	e.want("open", err, nil)
	closeBesideCalls(e)
	_, _ = readText(e.ctx, o, o.Size()) // may fail, and does not panic
	_ = o.Close()
	for _, tt := range []struct {
		name string
		call func(s history.Store) error
	}{
		{"Head", func(s history.Store) error { _, err := s.Head(e.ctx, "w"); return err }},
		{"Log", func(s history.Store) error { _, err := s.Log(e.ctx, "w", history.ID{}, 1); return err }},
		{"Commit", func(s history.Store) error {
			st := stoneOf(e, "b")
			_, err := s.Commit(e.ctx, "w", history.Head{Commit: id}, history.Commit{Parent: id, Base: id, Stones: refsOf([]history.Stone{st})}, st)
			return err
		}},
		{"Create", func(s history.Store) error { return s.Create(e.ctx, "v") }},
		{"Fork", func(s history.Store) error { return s.Fork(e.ctx, "w", id, "v") }},
		{"Rename", func(s history.Store) error { return s.Rename(e.ctx, "w", "v", 0) }},
		{"Delete", func(s history.Store) error { return s.Delete(e.ctx, "w", 0) }},
		{"Undelete", func(s history.Store) error { return s.Undelete(e.ctx, "v") }},
		{"Purge", func(s history.Store) error { _, err := s.Purge(e.ctx, "w", 0); return err }},
		{"Collect", func(s history.Store) error { _, err := s.Collect(e.ctx, history.Policy{}); return err }},
		{"List", func(s history.Store) error { _, err := s.List(e.ctx, "", "", 1); return err }},
		{"Stack", func(s history.Store) error { _, err := s.Stack(e.ctx, "w", id); return err }},
		{"Open", func(s history.Store) error { _, err := s.Open(e.ctx, "w", stoneOf(e, "a").ID); return err }},
		{"PutPack", func(s history.Store) error {
			st := stoneOf(e, "p")
			return s.PutPack(e.ctx, "w", history.Pack{Upto: id, Stone: refOf(st)}, st)
		}},
		{"Lease", func(s history.Store) error { _, err := s.Lease(e.ctx, "w", "me", time.Minute); return err }},
		{"Renew", func(s history.Store) error { _, err := s.Renew(e.ctx, "w", 1, time.Minute); return err }},
		{"Release", func(s history.Store) error { return s.Release(e.ctx, "w", 1) }},
		{"Leased", func(s history.Store) error { _, err := s.Leased(e.ctx, "w"); return err }},
		{"Fetch", func(s history.Store) error { _, err := history.Fetch(e.ctx, s, "w", id, 1<<20); return err }},
		{"Reaches", func(s history.Store) error {
			r, ok := s.(history.Reacher)
			if !ok {
				return history.ErrClosed
			}
			_, err := r.Reaches(e.ctx, "w", stone.ID{})
			return err
		}},
		{"Archives", func(s history.Store) error {
			a, ok := s.(history.Archiver)
			if !ok {
				return history.ErrClosed
			}
			_, err := a.Identity(e.ctx)
			return err
		}},
		{"Claim", func(s history.Store) error {
			c, ok := s.(history.Shared)
			if !ok {
				return history.ErrClosed
			}
			_, err := c.Claim(e.ctx, "job", "me", 0, time.Minute)
			return err
		}},
	} {
		e.want(tt.name+" after close", tt.call(e.s), history.ErrClosed)
	}
	e.want("close again", e.s.Close(), nil)
}

// closeBesideCalls closes the store while goroutines call it. Their calls succeed until they
// return ErrClosed.
func closeBesideCalls(e *env) {
	const callers = 4
	var calls sync.WaitGroup
	begun := make(chan struct{}, callers)
	for range callers {
		calls.Go(func() {
			for i := 0; ; i++ {
				_, err := e.s.Head(e.ctx, "w")
				if i == 0 {
					begun <- struct{}{}
				}
				if err != nil {
					if !errors.Is(err, history.ErrClosed) {
						e.Errorf("head beside close: got %v, want %v", err, history.ErrClosed)
					}
					return
				}
			}
		})
	}
	for range callers {
		<-begun
	}
	e.want("close", e.s.Close(), nil)
	calls.Wait()
}
