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

// claims tests claims of jobs if the Store is Shared.
func claims(e *env) {
	s, ok := e.s.(history.Shared)
	if !ok {
		e.Skip("not a Shared Store")
	}
	claim := func(job, holder string, every time.Duration, want bool) {
		e.Helper()
		got, err := s.Claim(e.ctx, job, holder, every, time.Minute)
		if err != nil || got != want {
			e.Fatalf("claim of %s for %s: got %v, %v, want %v", job, holder, got, err, want)
		}
	}
	finish := func(job, holder string, done bool, want error) {
		e.Helper()
		e.want("finish "+job+" of "+holder, s.Finish(e.ctx, job, holder, done), want)
	}
	claim("collect", "ann", 0, true)
	claim("collect", "bob", 0, false)
	claim("pack/a/b", "bob", 0, true)
	e.clock.add(40 * time.Second)
	claim("collect", "ann", 0, true) // prolongs it
	e.clock.add(40 * time.Second)
	claim("collect", "bob", 0, false)
	e.reopen()
	s = e.s.(history.Shared)
	finish("collect", "bob", true, history.ErrFenced)
	claim("pack/a/b", "ann", 0, true) // bob's is over
	finish("pack/a/b", "bob", true, history.ErrFenced)
	finish("collect", "ann", true, nil)
	finish("collect", "ann", true, history.ErrFenced)
	claim("collect", "bob", time.Hour, false) // it was finished just now
	claim("collect", "ann", time.Hour, false)
	claim("collect", "bob", 0, true)
	finish("collect", "bob", false, nil)
	claim("collect", "bob", time.Hour, false) // not done: the last time counts
	e.clock.add(time.Hour)
	claim("collect", "bob", time.Hour, true)
	e.clock.add(time.Hour)
	finish("collect", "bob", true, nil) // late, and nobody else has it
	claim("collect", "ann", time.Minute, false)

	e.collect(noGrace)
	claim("collect", "ann", time.Hour, false)
	e.clock.add(100 * 24 * time.Hour)
	e.collect(noGrace) // forgets what was finished long ago
	claim("collect", "ann", time.Second, true)
	for what, err := range map[string]error{
		"no job":     second(s.Claim(e.ctx, "", "ann", 0, term)),
		"large job":  second(s.Claim(e.ctx, strings.Repeat("j", 2000), "ann", 0, term)),
		"no holder":  second(s.Claim(e.ctx, "j", "", 0, term)),
		"no time":    second(s.Claim(e.ctx, "j", "ann", 0, 0)),
		"never held": s.Finish(e.ctx, "j", "ann", false),
	} {
		e.wantErr(what, err)
	}
	var wg sync.WaitGroup
	var got atomic.Int64
	for i := range 8 {
		wg.Go(func() {
			ok, err := s.Claim(e.ctx, "race", fmt.Sprint(i), 0, term)
			if err != nil {
				e.Error(err)
			}
			if ok {
				got.Add(1)
			}
		})
	}
	wg.Wait()
	if got.Load() != 1 {
		e.Errorf("%d of 8 have the same job", got.Load())
	}
	if p, ok := e.s.(history.Pinger); ok {
		e.want("ping", p.Ping(e.ctx), nil)
	}
}

// otherClocks lets two Stores whose clocks differ by hours change one world. The
// lease of the one never lives by the clock of the other. Fences protect all the same:
// what was acknowledged is there, and nothing else.
func (h halves) otherClocks() {
	p := h.play(func() (bool, error) { return false, nil })
	late := p.with(p.beside)
	late.env = &env{T: h.T, ctx: p.ctx, clock: &clock{at: p.clock.now().Add(-5 * time.Hour)}}
	late.s = h.store(p.catalogue, p.bucket, late.clock.now)
	p.create("a")
	var want []history.ID
	fences := make(map[*play]uint64)
	for i := range 60 {
		who := []*play{p, late}[i/3%2]
		switch i % 3 {
		case 0:
			l, err := who.s.Lease(who.ctx, "a", fmt.Sprint("writer ", i/3%2), time.Minute)
			if errors.Is(err, history.ErrLeased) { // by the late clock it lives for hours
				who.want("end the lease", who.s.Release(who.ctx, "a", history.Force), nil)
				l, err = who.s.Lease(who.ctx, "a", "late writer", time.Minute)
			}
			who.want("lease", err, nil)
			fences[who] = l.Fence
		default:
			// The one that took the lease saves; then the other one tries it too.
			if i%3 == 2 {
				who = []*play{late, p}[i/3%2]
			}
			if fences[who] == 0 {
				continue // it never had a lease
			}
			head := who.head("a")
			valid := fences[who] == head.Fence
			c := history.Commit{Parent: head.Commit, Base: head.Commit, Message: fmt.Sprint(i)}
			c, err := who.s.Commit(who.ctx, "a", history.Head{Commit: head.Commit, Fence: fences[who]}, c)
			if valid {
				who.want("save under the lease", err, nil)
				want = append([]history.ID{c.ID()}, want...)
			} else {
				who.want("save under a lost lease", err, history.ErrFenced)
			}
		}
	}
	if len(want) < 10 {
		h.Errorf("only %d saves", len(want))
	}
	p.wantLog("a", history.ID{}, 99, want...)
}
