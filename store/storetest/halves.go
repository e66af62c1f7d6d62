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
	"github.com/cairnvoxel/cairn/store/pair"
	"github.com/cairnvoxel/cairn/store/record"
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

// hook is asked before every call of a half; what it returns, unless nil, is the
// result, and done says that the call is made first.
type hook func() (done bool, err error)

func (h hook) call(what func() error) error {
	done, err := h()
	if err == nil || done {
		if made := what(); err == nil {
			err = made
		}
	}
	return err
}

type hookedCatalogue struct {
	history.Catalogue
	hook
}

func (c hookedCatalogue) Swap(ctx context.Context, conditions, changes []history.Record) error {
	return c.call(func() error { return c.Catalogue.Swap(ctx, conditions, changes) })
}

func (c hookedCatalogue) Snapshot(ctx context.Context) (r history.Records, release func(), err error) {
	err = c.call(func() error {
		r, release, err = c.Catalogue.Snapshot(ctx)
		return err
	})
	return r, release, err
}

type hookedStones struct {
	history.Stones
	hook
}

func (s hookedStones) Put(ctx context.Context, key string, data []byte) error {
	return s.call(func() error { return s.Stones.Put(ctx, key, data) })
}

func (s hookedStones) Delete(ctx context.Context, key string) error {
	return s.call(func() error { return s.Stones.Delete(ctx, key) })
}

func (s hookedStones) List(ctx context.Context, after string, n int) (keys []string, err error) {
	err = s.call(func() error {
		keys, err = s.Stones.List(ctx, after, n)
		return err
	})
	return keys, err
}

type halves struct {
	*testing.T
	open func(t *testing.T) (history.Catalogue, history.Stones)
}

func (h halves) with(t *testing.T) halves { return halves{t, h.open} }

// play is a Store whose calls of its halves are hooked, and another of the same
// halves beside it.
type play struct {
	*env
	catalogue history.Catalogue
	stones    history.Stones
	beside    *env
}

func (h halves) play(on hook) *play {
	c, s := h.open(h.T)
	at := &clock{at: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	env := func(s history.Store) *env { return &env{T: h.T, ctx: h.Context(), clock: at, s: s} }
	o := pair.Options{Now: at.now}
	return &play{
		env:       env(pair.New(hookedCatalogue{c, on}, hookedStones{s, on}, o)),
		catalogue: c, stones: s,
		beside: env(pair.New(c, s, o)),
	}
}

// step is a call of a Store, and whether it may stop half way: it begins again then.
type step struct {
	name string
	call func(*play) error
	many bool
}

func (p *play) save(name, on string, texts ...string) error {
	h, err := p.s.Head(p.ctx, name)
	if err != nil {
		return err
	}
	base := h.Commit
	if on != "" {
		base = history.ID{}
	}
	var stones []history.Stone
	for _, text := range texts {
		stones = append(stones, stoneOf(p, text))
	}
	c := history.Commit{Parent: h.Commit, Base: base, Message: strings.Join(texts, "+"), Stones: refsOf(stones)}
	_, err = p.s.Commit(p.ctx, name, history.Head{Commit: h.Commit, Fence: history.Force}, c, stones...)
	return err
}

func (p *play) packAll(name, text string) error {
	h, err := p.s.Head(p.ctx, name)
	if err != nil {
		return err
	}
	s := stoneOf(p, text)
	return p.s.PutPack(p.ctx, name, history.Pack{Upto: h.Commit, Stone: refOf(s)}, s)
}

func (p *play) forkHead(from, name string) error {
	h, err := p.s.Head(p.ctx, from)
	if err != nil {
		return err
	}
	return p.s.Fork(p.ctx, from, h.Commit, name)
}

var noGrace = history.Policy{Grace: -1, Keep: history.Retention{All: true}}

// script is a little of everything.
var script = []step{
	{"create a", func(p *play) error { return p.s.Create(p.ctx, "a") }, false},
	{"commit a", func(p *play) error { return p.save("a", "", "one", "two") }, false},
	{"fork", func(p *play) error { return p.forkHead("a", "b") }, false},
	{"commit b", func(p *play) error { return p.save("b", "", "three") }, false},
	{"commit a again", func(p *play) error { return p.save("a", "", "three", "one") }, false},
	{"pack", func(p *play) error { return p.packAll("a", "packed") }, false},
	{"lease", func(p *play) error { return second(p.s.Lease(p.ctx, "b", "ann", term)) }, false},
	{"go back", func(p *play) error { return p.save("b", "nothing", "four") }, false},
	{"rename", func(p *play) error { return p.s.Rename(p.ctx, "b", "c", history.Force) }, false},
	{"delete", func(p *play) error { return p.s.Delete(p.ctx, "a", history.Force) }, false},
	{"undelete", func(p *play) error { return p.s.Undelete(p.ctx, "a") }, false},
	{"trim", func(p *play) error {
		return second(p.s.Collect(p.ctx, history.Policy{Grace: -1, Keep: newest(1)}))
	}, true},
	{"commit what was collected", func(p *play) error { return p.save("c", "nothing", "two") }, false},
	{"condemn", func(p *play) error { return second(p.s.Collect(p.ctx, history.Policy{Keep: newest(1)})) }, true},
	{"reprieve", func(p *play) error { return p.save("a", "", "four") }, false},
	{"purge", func(p *play) error { return second(p.s.Purge(p.ctx, "c", history.Force)) }, true},
	{"commit what was purged", func(p *play) error { return p.save("a", "", "two") }, false},
}

// state returns what can be seen of all worlds: for each a line with its fence and the
// texts of its stack, and if logs is set of its commits.
func (e *env) state(logs bool) (out []string) {
	e.Helper()
	names, err := e.s.List(e.ctx, "", "", 99)
	e.want("list", err, nil)
	for _, name := range names {
		h := e.head(name)
		stack, err := e.s.Stack(e.ctx, name, h.Commit)
		e.want("stack of "+name, err, nil)
		var texts, messages []string
		for _, l := range stack {
			text, err := textOf(e.ctx, e.s, name, l.Stone)
			e.want("open", err, nil)
			texts = append(texts, text)
		}
		log, err := e.s.Log(e.ctx, name, history.ID{}, 99)
		e.want("log of "+name, err, nil)
		for _, c := range log {
			messages = append(messages, c.Message)
			stack, err := e.s.Stack(e.ctx, name, c.ID())
			e.want("stack of "+c.Message, err, nil)
			for _, l := range stack {
				_, err := textOf(e.ctx, e.s, name, l.Stone)
				e.want("open a stone of "+c.Message, err, nil)
			}
		}
		if !logs {
			messages = nil
		}
		out = append(out, fmt.Sprint(name, h.Fence, texts, messages))
	}
	return out
}

// clean fails the test if there are bytes that no record names, records that nothing
// needs, or attempts.
func (p *play) clean() {
	p.Helper()
	p.clock.add(2 * time.Hour)
	p.beside.collect(noGrace)
	keys, err := p.stones.List(p.ctx, "", 999)
	p.want("list of bytes", err, nil)
	records := func(kind byte) []history.Record {
		found, err := p.catalogue.Scan(p.ctx, string(kind), string(kind+1), 999, false)
		p.want("scan", err, nil)
		return found
	}
	infos := records(record.Stones)
	if len(keys) != len(infos) {
		p.Errorf("bytes of %d stones, records of %d", len(keys), len(infos))
	}
	for _, r := range infos {
		if in, err := record.ParseInfo(r.Value); err != nil || in.Condemned {
			p.Errorf("stone %x: %+v, %v", r.Key[1:], in, err)
		}
	}
	if left := records('x'); len(left) > 0 {
		p.Errorf("%d attempts are left", len(left))
	}
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
