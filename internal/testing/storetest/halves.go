package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/blob"
	"github.com/cairnvoxel/cairn/internal/store/pair"
	"github.com/cairnvoxel/cairn/store/history"
)

// Halves tests a Catalogue, and what package pair makes of it and of a Bucket when
// it is stopped, or overtaken, between any two calls of the halves. Open returns
// empty halves. The tests of pair run once with each of the options; by default once
// with all stones in the catalogue and once with all in the Bucket. blob/blobtest
// tests the Bucket.
func Halves(t *testing.T, open func(t *testing.T) (history.Catalogue, blob.Bucket), options ...pair.Options) {
	n := 1
	if testing.Short() { // under the race detector it is slow
		n = 20
	}
	HalvesEvery(t, n, open, options...)
}

// HalvesEvery is Halves for slow halves. It takes every n-th of the places between
// two calls, from a random one on.
func HalvesEvery(t *testing.T, n int, open func(t *testing.T) (history.Catalogue, blob.Bucket), options ...pair.Options) {
	t.Run("Catalogue", func(t *testing.T) {
		c, _ := open(t)
		catalogue(t, c)
	})
	if len(options) == 0 {
		options = []pair.Options{{}, {Inline: -1}}
	}
	for _, o := range options {
		h := halves{t, open, o, n}
		t.Run(fmt.Sprintf("Inline%d/Cache%d", o.Inline, o.CacheBytes), func(t *testing.T) {
			t.Run("Stopped", func(t *testing.T) { h.with(t).stopped() })
			t.Run("Lost", func(t *testing.T) { h.with(t).lost() })
			t.Run("Overtaken", func(t *testing.T) { h.with(t).overtaken() })
			t.Run("MadeAgain", func(t *testing.T) { h.with(t).madeAgain() })
			t.Run("OtherClocks", func(t *testing.T) { h.with(t).otherClocks() })
		})
	}
}

func catalogue(t *testing.T, c history.Catalogue) {
	ctx := t.Context()
	rec := func(pairs ...string) (out []history.Record) {
		for i := 0; i < len(pairs); i += 2 {
			r := history.Record{Key: pairs[i]}
			if pairs[i+1] != "" {
				r.Value = []byte(pairs[i+1])
			}
			out = append(out, r)
		}
		return out
	}
	swap := func(conditions, changes []history.Record, want error) {
		t.Helper()
		if err := c.Swap(ctx, conditions, changes); !errors.Is(err, want) {
			t.Fatalf("swap %q if %q: got %v, want %v", changes, conditions, err, want)
		}
	}
	scan := func(r history.Records, from, to string, n int, back bool, want ...string) {
		t.Helper()
		found, err := r.Scan(ctx, from, to, n, back)
		var got []string
		for _, r := range found {
			got = append(got, r.Key+string(r.Value))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("scan from %q to %q, %d, back %v: got %q, %v, want %q", from, to, n, back, got, err, want)
		}
	}
	swap(nil, rec("b", "1", "a", "2", "b\x00", "3", "b\xff", "4", "c", "5"), nil)
	scan(c, "a", "d", 9, false, "a2", "b1", "b\x003", "b\xff4", "c5")
	scan(c, "a", "d", 9, true, "c5", "b\xff4", "b\x003", "b1", "a2")
	scan(c, "a", "d", 2, true, "c5", "b\xff4")
	scan(c, "b", "c", 9, false, "b1", "b\x003", "b\xff4")
	scan(c, "b\x00", "c", 1, false, "b\x003")
	scan(c, "d", "e", 9, false)
	snap, release, err := c.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	scan(snap, "a", "b", 9, false, "a2") // the moment is at the latest that of the first read
	swap(rec("a", "1"), rec("a", "3"), history.ErrChanged)
	swap(rec("a", "2", "x", "1"), rec("a", "3"), history.ErrChanged)
	swap(rec("a", "2", "b", ""), rec("a", "3"), history.ErrChanged)
	swap(rec("a", "2", "x", ""), rec("a", "", "x", "7", "y", ""), nil)
	scan(c, "", "z", 9, false, "b1", "b\x003", "b\xff4", "c5", "x7")
	scan(snap, "", "z", 9, false, "a2", "b1", "b\x003", "b\xff4", "c5")
	for r, want := range map[history.Records]string{c: "7 - 1", snap: "- 2 1"} {
		values, err := r.Get(ctx, "x", "a", "b")
		var got []string
		for _, v := range values {
			if got = append(got, string(v)); v == nil {
				got[len(got)-1] = "-"
			}
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("get: got %q, %v, want %q", got, err, want)
		}
	}
	release()
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := c.Swap(ended, nil, rec("x", "8")); !errors.Is(err, context.Canceled) {
		t.Errorf("swap after the end: got %v", err)
	}
	scan(c, "x", "y", 9, false, "x7")
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// after returns the place after a place. Before the first is -1.
func (h halves) after(at int) int {
	if at < 0 {
		return rand.IntN(h.every)
	}
	return at + h.every
}

var errStop = errors.New("stopped")

// stopped stops the script between any two calls of the halves, before or after a
// call is made, and checks the state.
func (h halves) stopped() {
	runs := 0
	for _, made := range []bool{false, true} {
		for at := h.after(-1); ; at = h.after(at) {
			n := 0
			p := h.play(func() (bool, error) {
				n++
				if n <= at {
					return false, nil
				}
				return made && n == at+1, errStop
			})
			if !p.stop() {
				break
			}
			runs++
		}
	}
	if h.Logf("%d stops", runs); runs < 100/h.every-2 { // each of the two rounds may miss one
		h.Errorf("%d stops: the calls are not seen", runs)
	}
}

// stop runs the script until it is stopped. It reports whether it was stopped.
func (p *play) stop() bool {
	for _, s := range script {
		before := p.beside.state(!s.many)
		err := s.call(p)
		after := p.beside.state(!s.many)
		if err == nil {
			continue
		}
		if !errors.Is(err, errStop) {
			p.Fatalf("%s: %v", s.name, err)
		}
		// It is as it was, or all of it is there, which calling it again would say.
		whole := p.with(p.beside)
		if slices.Equal(after, before) {
			if err := s.call(whole); err != nil {
				p.Fatalf("%s after a stop: %v", s.name, err)
			}
			after = whole.state(!s.many)
		}
		p.clean()
		if got := p.beside.state(!s.many); !slices.Equal(got, after) {
			p.Fatalf("%s: got %q after collection, want %q", s.name, got, after)
		}
		return true
	}
	return false
}

// lost runs the script once for each call of the halves, whose answer is lost: the
// call was made or not, and nobody knows. The Store goes on. What was lost is there
// whole or not at all, the Store itself sees it so, and calling it again makes it
// whole.
func (h halves) lost() {
	var want []string
	for _, made := range []bool{false, true} {
		for at := -1; ; at = h.after(at) { // the first time nothing is lost
			n := 0
			p := h.play(func() (bool, error) {
				if n++; n-1 != at {
					return false, nil
				}
				return made, fmt.Errorf("no answer: %w", history.ErrAway)
			})
			for _, s := range script {
				var before []string
				if n <= at && at < n+30 { // no step has more calls
					before = p.beside.state(!s.many)
				}
				err := s.call(p)
				if err == nil {
					continue
				}
				if !errors.Is(err, history.ErrAway) || before == nil && s.name != "create a" {
					p.Fatalf("call %d, made: %v: %s: %v", at, made, s.name, err)
				}
				after := p.beside.state(!s.many)
				if own := p.env.state(!s.many); !slices.Equal(own, after) {
					p.Fatalf("call %d, made: %v: %s: the store sees %q, another one %q", at, made, s.name, own, after)
				}
				if s.many || slices.Equal(before, after) {
					if err := s.call(p); !errors.Is(err, history.ErrNoWorld) { // a purge may have taken the name already
						p.want(s.name+" again", err, nil)
					}
				}
			}
			p.clean()
			got := p.beside.state(true)
			if at < 0 {
				want = got
			}
			if !slices.Equal(got, want) {
				p.Fatalf("call %d, made: %v: got %q, want %q", at, made, got, want)
			}
			if n <= at {
				break
			}
		}
	}
}

// with returns the play with another Store.
func (p *play) with(e *env) *play {
	c := *p
	c.env = e
	return &c
}

// overtaken runs the script, and something else on the same halves between any two
// calls of the halves.
func (h halves) overtaken() {
	other := func(p *play, texts ...string) error {
		if err := p.s.Create(p.ctx, "other"); err != nil {
			return err
		}
		return p.save("other", "", texts...)
	}
	for _, tt := range []struct {
		name string
		call func(*play) error
	}{
		{"collect", func(p *play) error { return second(p.s.Collect(p.ctx, noGrace)) }},
		{"collect late", func(p *play) error {
			p.clock.add(2 * time.Hour)
			return second(p.s.Collect(p.ctx, noGrace))
		}},
		{"the same stones", func(p *play) error { return other(p, "one", "two", "three", "four", "packed") }},
		{"come and go", func(p *play) error {
			err := other(p, "one", "two", "three", "four", "packed")
			return errors.Join(err, second(p.s.Purge(p.ctx, "other", 0)))
		}},
		{"condemn and come", func(p *play) error {
			_, err := p.s.Collect(p.ctx, history.Policy{Keep: history.Retention{All: true}})
			return errors.Join(err, other(p, "one", "two", "three", "four", "packed"))
		}},
	} {
		h.Run(tt.name, func(t *testing.T) {
			var want []string
			for at := -1; ; at = h.after(at) { // the first time beside nothing
				n, busy := 0, false
				var p *play
				p = h.with(t).play(func() (bool, error) {
					if busy {
						return false, nil
					}
					if n++; n-1 == at {
						busy = true
						if err := tt.call(p.with(p.beside)); err != nil {
							t.Fatalf("call %d: %v", at, err)
						}
						busy = false
					}
					return false, nil
				})
				for _, s := range script {
					if err := s.call(p); err != nil {
						t.Fatalf("call %d: %s: %v", at, s.name, err)
					}
				}
				p.clean()
				got := slices.DeleteFunc(p.beside.state(true), func(line string) bool { return strings.HasPrefix(line, "other") })
				if at < 0 {
					want = got
				}
				if !slices.Equal(got, want) {
					t.Fatalf("call %d: got %q, want %q", at, got, want)
				}
				if n <= at {
					break
				}
			}
		})
	}
}

// madeAgain purges a world while, between any two calls of the halves, another
// world makes the same commit, which has the same name.
func (h halves) madeAgain() {
	for at, n := -1, 0; at < n; at = h.after(at) { // the first time beside nothing
		calls, purging := 0, false
		var p *play
		p = h.play(func() (bool, error) {
			if !purging {
				return false, nil
			}
			if calls++; calls-1 == at {
				purging = false
				p.want("commit again", p.with(p.beside).save("a", "", "two"), nil)
				purging = true
			}
			return false, nil
		})
		p.create("a")
		p.want("commit", p.save("a", "", "one"), nil)
		p.want("fork", p.forkHead("a", "b"), nil)
		p.want("commit", p.save("b", "", "two"), nil)
		purging = true
		p.want("purge", second(p.s.Purge(p.ctx, "b", history.Force)), nil)
		purging = false
		n = max(n, calls)
		p.clean()
		if got := fmt.Sprint(p.beside.state(true)); at >= 0 && at < calls && got != "[a2 [one two] [two one]]" {
			p.Errorf("call %d: got %s", at, got)
		}
	}
}
