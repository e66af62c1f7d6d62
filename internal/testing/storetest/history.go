package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

func empty(e *env) {
	e.create("a")
	if h := e.head("a"); h != (history.Head{}) {
		e.Errorf("head: got %+v, want none", h)
	}
	e.wantLog("a", history.ID{}, 9)
	e.wantTexts("a", history.ID{})
	_, err := e.s.Log(e.ctx, "a", history.ID{7}, 9)
	e.want("log from nowhere", err, history.ErrNoCommit)
	_, err = e.s.Stack(e.ctx, "a", history.ID{7})
	e.want("stack of nothing", err, history.ErrNoCommit)
	f, err := history.Fetch(e.ctx, e.s, "a", history.ID{}, 9)
	if e.want("fetch of nothing", err, nil); f.Head != (history.Head{}) || len(f.Layers)+len(f.Data) > 0 {
		e.Errorf("fetch of nothing: got %+v", f)
	}
	_, err = history.Fetch(e.ctx, e.s, "a", history.ID{7}, 9)
	e.want("fetch of no commit", err, history.ErrNoCommit)
	e.want("fork of nothing", e.s.Fork(e.ctx, "a", history.ID{}, "b"), history.ErrNoCommit)
	for _, err := range []error{
		second(e.s.Head(e.ctx, "x")), second(e.s.Log(e.ctx, "x", history.ID{}, 1)), second(e.s.Stack(e.ctx, "x", history.ID{})),
		second(history.Fetch(e.ctx, e.s, "x", history.ID{}, 9)), second(history.Fetch(e.ctx, e.s, "x", history.ID{7}, 9)),
		second(e.s.Open(e.ctx, "x", stoneOf(e, "s").ID)), e.s.Fork(e.ctx, "x", history.ID{}, "b"), second(e.s.Commit(e.ctx, "x", history.Head{}, history.Commit{})),
	} {
		e.want("a world that is missing", err, history.ErrNoWorld)
	}
}

func second[T any](_ T, err error) error { return err }

func commit(e *env) {
	e.create("a")
	one, two := stoneOf(e, "one"), stoneOf(e, "two")
	give := history.Commit{Number: 77, Author: "ann", Message: "a wall", Stones: refsOf([]history.Stone{one, two}), IdempotencyKey: 99}
	got, err := e.s.Commit(e.ctx, "a", history.Head{}, give, two, one)
	e.want("commit", err, nil)
	want := give
	want.Number, want.Time = 1, e.clock.now()
	if !reflect.DeepEqual(got, want) {
		e.Errorf("got %+v, want %+v", got, want)
	}
	e.wantTexts("a", got.ID(), "one", "two")
	log, err := e.s.Log(e.ctx, "a", history.ID{}, 9)
	if err != nil || !reflect.DeepEqual(log, []history.Commit{want}) {
		e.Errorf("log: got %+v, %v, want %+v", log, err, want)
	}
	e.clock.add(1500 * time.Microsecond)
	none := e.commit("a")
	e.wantTexts("a", none, "one", "two")
	again := history.Commit{Parent: none, Base: none, Stones: refsOf([]history.Stone{one})}
	got, err = e.s.Commit(e.ctx, "a", e.head("a"), again)
	e.want("a stone that is there already", err, nil)
	if got.Number != 3 || !got.Time.Equal(want.Time.Add(time.Millisecond)) {
		e.Errorf("got number %d at %v, want 3, a millisecond after the first", got.Number, got.Time)
	}
	e.wantTexts("a", got.ID(), "one", "two", "one")
}

func commitRefused(e *env) {
	e.create("a", "b")
	c := e.commit("a", "one")
	e.commit("b", "other")
	h := e.head("a")
	one, other, fresh := stoneOf(e, "one"), stoneOf(e, "other"), stoneOf(e, "fresh")
	wrong := history.Stone{ID: fresh.ID, Data: other.Data}
	longer := refOf(one)
	longer.Size++
	for _, tt := range []struct {
		name   string
		commit history.Commit
		stones []history.Stone
		want   error // nil for any
	}{
		{"another parent", history.Commit{}, nil, nil},
		{"a base from nowhere", history.Commit{Parent: c, Base: history.ID{7}}, nil, history.ErrNoCommit},
		{"a base of another world", history.Commit{Parent: c, Base: e.head("b").Commit}, nil, history.ErrNoCommit},
		{"a stone of another world", history.Commit{Parent: c, Stones: refsOf([]history.Stone{other})}, nil, history.ErrGone},
		{"a stone from nowhere", history.Commit{Parent: c, Stones: refsOf([]history.Stone{fresh})}, nil, history.ErrGone},
		{"a stone of another size", history.Commit{Parent: c, Stones: []history.StoneRef{longer}}, nil, nil},
		{"a given stone of another size", history.Commit{Parent: c, Stones: []history.StoneRef{longer}}, []history.Stone{one}, nil},
		{"a stone by another name", history.Commit{Parent: c, Stones: []history.StoneRef{refOf(wrong)}}, []history.Stone{wrong}, nil},
		{"a stone that is not named", history.Commit{Parent: c, Stones: refsOf([]history.Stone{one})}, []history.Stone{one, fresh}, nil},
		{"a long message", history.Commit{Parent: c, Message: string(make([]byte, history.MaxMessage+1))}, nil, nil},
	} {
		_, err := e.s.Commit(e.ctx, "a", h, tt.commit, tt.stones...)
		e.wantErr(tt.name, err)
		if tt.want != nil {
			e.want(tt.name, err, tt.want)
		}
	}
	if got := e.head("a"); got != h {
		e.Errorf("head: got %+v, want %+v", got, h)
	}
	e.wantLog("a", history.ID{}, 9, c)
}

func conflict(e *env) {
	e.create("a")
	first := e.commit("a", "one")
	second := e.commit("a", "two")
	for _, tt := range []struct {
		base history.Head
		want error
	}{
		{history.Head{}, history.ErrConflict},
		{history.Head{Commit: first}, history.ErrConflict},
		{history.Head{Commit: history.ID{7}}, history.ErrConflict},
		{history.Head{Commit: second, Fence: 1}, history.ErrFenced},
	} {
		s := stoneOf(e, "three")
		_, err := e.s.Commit(e.ctx, "a", tt.base, history.Commit{Parent: tt.base.Commit, Stones: []history.StoneRef{refOf(s)}}, s)
		e.want(fmt.Sprintf("on %+v", tt.base), err, tt.want)
	}
	e.wantLog("a", history.ID{}, 9, second, first)
}

// race lets 16 writers save on one head. One wins, and its commit becomes the head.
func race(e *env) {
	const writers, rounds = 16, 10
	e.create("a")
	for round := range rounds {
		base := e.head("a")
		var stones [writers]history.Stone
		for i := range stones {
			stones[i] = stoneOf(e, fmt.Sprint(round, i))
		}
		var (
			wg   sync.WaitGroup
			errs [writers]error
			ids  [writers]history.ID
		)
		for i := range writers {
			wg.Go(func() {
				c := history.Commit{Parent: base.Commit, Base: base.Commit, Stones: refsOf(stones[i : i+1])}
				c, errs[i] = e.s.Commit(e.ctx, "a", base, c, stones[i])
				ids[i] = c.ID()
			})
		}
		wg.Wait()
		won := 0
		for i, err := range errs {
			switch {
			case err == nil && e.head("a").Commit == ids[i]:
				won++
			case err == nil:
				e.Errorf("round %d: writer %d won, but the head is another's", round, i)
			case !errors.Is(err, history.ErrConflict):
				e.Errorf("round %d: writer %d: got %v, want %v", round, i, err, history.ErrConflict)
			}
		}
		if won != 1 {
			e.Fatalf("round %d: %d winners", round, won)
		}
	}
	if log, err := e.s.Log(e.ctx, "a", history.ID{}, 99); len(log) != rounds || err != nil {
		e.Errorf("log of %d commits, %v, want %d", len(log), err, rounds)
	}
}

func clockGoesBack(e *env) {
	e.create("a")
	start := e.clock.now()
	var last history.Commit
	for _, d := range []time.Duration{0, time.Hour, -2 * time.Hour, time.Minute, 3 * time.Hour} {
		e.clock.add(d)
		e.commit("a")
		log, err := e.s.Log(e.ctx, "a", history.ID{}, 1)
		e.want("log", err, nil)
		if log[0].Time.Before(last.Time) {
			e.Errorf("commit %d: got %v, below the parent's %v", log[0].Number, log[0].Time, last.Time)
		}
		last = log[0]
	}
	if want := start.Add(2*time.Hour + time.Minute); !last.Time.Equal(want) {
		e.Errorf("the last: got %v, want %v", last.Time, want)
	}
	e.fork("a", last.ID(), "b")
	e.clock.add(-9 * time.Hour)
	e.commit("b")
	if log, _ := e.s.Log(e.ctx, "b", history.ID{}, 1); log[0].Time.Before(last.Time) {
		e.Errorf("of a fork: got %v, below the parent's %v", log[0].Time, last.Time)
	}
}

// times gives commits times: of long ago, the same again, before the parent's, and to come.
func times(e *env) {
	e.create("a")
	now := e.clock.now()
	old := time.Date(2019, 3, 4, 10, 0, 0, 5_999_999, time.FixedZone("", 7200))
	var ids []history.ID // newest first
	for _, tt := range []struct {
		name   string
		at     time.Time
		number uint64    // 0 for an error
		want   time.Time // in milliseconds
	}{
		{"the first, of long ago", old, 1, time.Date(2019, 3, 4, 8, 0, 0, 5_000_000, time.UTC)},
		{"the same time again", old, 2, time.Date(2019, 3, 4, 8, 0, 0, 5_000_000, time.UTC)},
		{"before the parent's", old.Add(-time.Millisecond), 0, time.Time{}},
		{"later", old.Add(time.Hour), 3, time.Date(2019, 3, 4, 9, 0, 0, 5_000_000, time.UTC)},
		{"to come", now.Add(time.Hour), 0, time.Time{}},
		{"no time", time.Time{}, 4, now},
		{"1970, which is none", time.Unix(0, 0), 5, now},
		{"an hour ago, now that one is of now", now.Add(-time.Hour), 0, time.Time{}},
		{"half a minute ahead", now.Add(30 * time.Second), 6, now.Add(30 * time.Second)},
		{"no time after that", time.Time{}, 7, now.Add(30 * time.Second)},
	} {
		s, h := stoneOf(e, tt.name), e.head("a")
		made, err := e.s.Commit(e.ctx, "a", h, history.Commit{Parent: h.Commit, Base: h.Commit, Time: tt.at, Stones: []history.StoneRef{refOf(s)}}, s)
		if tt.number == 0 {
			e.wantErr(tt.name, err)
			if got := e.head("a"); got != h {
				e.Errorf("%s: the head is %+v, was %+v", tt.name, got, h)
			}
			continue
		}
		e.want(tt.name, err, nil)
		if made.Number != tt.number || made.Time != tt.want {
			e.Errorf("%s: number %d of %v, want %d of %v", tt.name, made.Number, made.Time, tt.number, tt.want)
		}
		ids = append([]history.ID{made.ID()}, ids...)
		if log, err := e.s.Log(e.ctx, "a", history.ID{}, 1); err != nil || log[0].Time != tt.want {
			e.Errorf("%s: the log has %v, %v", tt.name, log, err)
		}
	}
	e.wantLog("a", history.ID{}, 9, ids...)
	e.fork("a", ids[len(ids)-3], "b")
	h := e.head("b")
	_, err := e.s.Commit(e.ctx, "b", h, history.Commit{Parent: h.Commit, Base: h.Commit, Time: old})
	e.wantErr("a fork, before its parent's", err)
	made, err := e.s.Commit(e.ctx, "b", h, history.Commit{Parent: h.Commit, Base: h.Commit, Time: old.Add(2 * time.Hour)})
	if err != nil || made.Number != 4 {
		e.Errorf("a fork: got %+v, %v", made, err)
	}
	if e.kind.Reopen != nil {
		e.s = e.kind.Reopen(e.T, e.s, e.clock.now)
		e.wantLog("a", history.ID{}, 9, ids...)
	}
}

func log(e *env) {
	e.create("a")
	var ids []history.ID // newest first
	for i := range 7 {
		ids = append([]history.ID{e.commit("a", fmt.Sprint(i))}, ids...)
	}
	e.wantLog("a", history.ID{}, 99, ids...)
	e.wantLog("a", history.ID{}, 3, ids[:3]...)
	e.wantLog("a", ids[0], 1, ids[0])
	e.wantLog("a", ids[2], 3, ids[2:5]...)
	e.wantLog("a", ids[6], 9, ids[6])
	e.wantLog("a", history.ID{}, 0)
	e.create("b")
	_, err := e.s.Log(e.ctx, "b", ids[0], 1)
	e.want("from a commit of another world", err, history.ErrNoCommit)
}

func fork(e *env) {
	e.create("a")
	e.want("fork from nowhere", e.s.Fork(e.ctx, "a", history.ID{7}, "x"), history.ErrNoCommit)
	one, two := e.commit("a", "one"), e.commit("a", "two")
	e.want("fork onto a world", e.s.Fork(e.ctx, "a", one, "a"), history.ErrExists)
	e.fork("a", one, "b")
	if h := e.head("b"); h != (history.Head{Commit: one}) {
		e.Errorf("head: got %+v, want %v", h, one)
	}
	e.wantLog("b", history.ID{}, 9, one)
	three := e.commit("b", "three")
	e.wantTexts("a", two, "one", "two")
	e.wantTexts("b", three, "one", "three")
	e.wantLog("b", history.ID{}, 9, three, one)
	e.wantLog("a", history.ID{}, 9, two, one)
	if c, _ := e.s.Log(e.ctx, "b", history.ID{}, 1); c[0].Number != 2 {
		e.Errorf("number %d, want 2", c[0].Number)
	}
	for what, err := range map[string]error{
		"stack of the other's commit": second(e.s.Stack(e.ctx, "b", two)),
		"fetch of the other's commit": second(history.Fetch(e.ctx, e.s, "b", two, 9)),
		"log from the other's commit": second(e.s.Log(e.ctx, "a", three, 9)),
		"fork at the other's commit":  e.s.Fork(e.ctx, "b", two, "c"),
	} {
		e.want(what, err, history.ErrNoCommit)
	}
}

func forkOfAFork(e *env) {
	e.create("a")
	one := e.commit("a", "one")
	e.commit("a", "two")
	e.fork("a", one, "b")
	three := e.commit("b", "three")
	e.fork("b", three, "c")
	e.fork("b", one, "d")
	four := e.commit("c", "four")
	e.wantLog("c", history.ID{}, 9, four, three)
	e.wantTexts("c", four, "one", "three", "four")
	e.want("a commit before the fork", e.s.Fork(e.ctx, "c", one, "x"), history.ErrNoCommit)
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.want("delete", e.s.Delete(e.ctx, "b", 0), nil)
	e.collect(history.Policy{Deleted: -1, Grace: -1})
	e.wantTexts("c", four, "one", "three", "four")
	e.wantTexts("d", one, "one")
}

// goBack makes commits as a restore does: the parent is the head, and the base is
// an older commit.
func goBack(e *env) {
	e.create("a")
	one, two := e.commit("a", "one"), e.commit("a", "two")
	back := e.commitOn("a", one)
	e.wantTexts("a", back, "one")
	e.wantLog("a", history.ID{}, 9, back, two, one)
	three := e.commit("a", "three")
	e.wantTexts("a", three, "one", "three")
	anew := e.commitOn("a", history.ID{}, "anew")
	e.wantTexts("a", anew, "anew")
	again := e.commitOn("a", two, "more")
	e.wantTexts("a", again, "one", "two", "more")
	log, err := e.s.Log(e.ctx, "a", history.ID{}, 1)
	e.want("log", err, nil)
	if log[0].Parent != anew || log[0].Base != two || log[0].Number != 6 {
		e.Errorf("got %+v, want number 6 after %v on %v", log[0], anew, two)
	}
}

func reopened(e *env) {
	if e.kind.Reopen == nil {
		e.Skip("nothing outlives Close")
	}
	e.create("a", "gone")
	e.commit("gone", "gone")
	one := e.commit("a", "one")
	two := e.commit("a", "two")
	e.fork("a", one, "b")
	three := e.commitOn("b", history.ID{}, "three")
	e.pack("a", history.ID{}, two, "both")
	e.want("delete", e.s.Delete(e.ctx, "gone", 0), nil)
	e.reopen()
	e.wantTexts("a", two, "both")
	e.wantTexts("a", one, "one")
	e.wantLog("b", history.ID{}, 9, three, one)
	e.wantTexts("b", three, "three")
	e.want("undelete", e.s.Undelete(e.ctx, "gone"), nil)
	e.create("new")
	four := e.commit("new", "four")
	e.reopen()
	e.wantLog("new", history.ID{}, 9, four)
	e.wantLog("a", history.ID{}, 9, two, one)
	if c := e.collect(history.Policy{Grace: -1}); c.Stones != 1 {
		e.Errorf("collected %+v, want the one stone that the pack replaced", c)
	}
}
