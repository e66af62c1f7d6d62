package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/history"
)

// Halves runs the contract of the two halves of a Store, and what package pair makes
// of them when it is stopped, or overtaken, between any two of its calls. Open
// returns empty ones.
func Halves(t *testing.T, open func(t *testing.T) (history.Catalogue, history.Stones)) {
	t.Run("Catalogue", func(t *testing.T) {
		c, _ := open(t)
		catalogue(t, c)
	})
	t.Run("Stones", func(t *testing.T) {
		_, s := open(t)
		stones(t, s)
	})
	h := halves{t, open}
	t.Run("Stopped", func(t *testing.T) { h.with(t).stopped() })
	t.Run("Overtaken", func(t *testing.T) { h.with(t).overtaken() })
	t.Run("MadeAgain", func(t *testing.T) { h.with(t).madeAgain() })
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

func stones(t *testing.T, s history.Stones) {
	ctx := t.Context()
	for _, key := range []string{"b", "a", "c.1", "c.10"} {
		if err := s.Put(ctx, key, []byte("bytes of "+key)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		key    string
		off, n int64
		want   string
	}{{"a", 0, 10, "bytes of a"}, {"c.10", 9, 4, "c.10"}, {"b", 2, 0, ""}, {"b", 5, 3, " of"}} {
		if got, err := s.Get(ctx, tt.key, tt.off, tt.n); err != nil || string(got) != tt.want {
			t.Errorf("get %s %d %d: got %q, %v, want %q", tt.key, tt.off, tt.n, got, err, tt.want)
		}
	}
	list := func(after string, n int, want ...string) {
		t.Helper()
		if got, err := s.List(ctx, after, n); err != nil || !slices.Equal(got, want) {
			t.Errorf("list %d after %q: got %q, %v, want %q", n, after, got, err, want)
		}
	}
	list("", 9, "a", "b", "c.1", "c.10")
	list("", 2, "a", "b")
	list("b", 9, "c.1", "c.10")
	for range 2 {
		if err := s.Delete(ctx, "c.1"); err != nil {
			t.Errorf("delete: %v", err)
		}
	}
	if _, err := s.Get(ctx, "c.1", 0, 1); !errors.Is(err, history.ErrGone) {
		t.Errorf("get what was deleted: got %v, want %v", err, history.ErrGone)
	}
	list("", 9, "a", "b", "c.10")
}

var errStop = errors.New("stopped")

// stopped stops the script between any two calls of the halves, before a call or when
// it was made, and looks what there is then.
func (h halves) stopped() {
	runs := 0
	for _, made := range []bool{false, true} {
		for at := 0; ; at++ {
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
	if h.Logf("%d stops", runs); runs < 100 {
		h.Errorf("%d stops: the calls are not seen", runs)
	}
}

// stop runs the script until it is stopped and reports whether it was.
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

// with returns the play with another Store.
func (p *play) with(e *env) *play {
	c := *p
	c.env = e
	return &c
}

// overtaken runs the script and between any two calls of the halves something else,
// on the same halves.
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
			for at := -1; ; at++ { // the first time beside nothing
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

// madeAgain purges a world, and between any two calls of the halves another makes the
// same commit, which has the same name.
func (h halves) madeAgain() {
	for at, n := -1, 0; at < n; at++ { // the first time beside nothing
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
