package storetest

import (
	"context"
	"encoding/base64"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/cairnvoxel/cairn/internal/store/spool"
	"github.com/cairnvoxel/cairn/store/history"
)

func pack(e *env) {
	e.create("a")
	var c [7]history.ID
	for i, text := range []string{"1", "2", "3", "4", "5", "6"} {
		c[i+1] = e.commit("a", text)
	}
	e.pack("a", c[1], c[3], "2-3")
	e.wantTexts("a", c[6], "1", "2-3", "4", "5", "6")
	e.wantTexts("a", c[3], "1", "2-3")
	e.wantTexts("a", c[2], "1", "2")
	e.pack("a", c[3], c[5], "4-5")
	e.wantTexts("a", c[6], "1", "2-3", "4-5", "6")
	e.pack("a", c[1], c[5], "2-5") // in place of 4-5
	e.wantTexts("a", c[6], "1", "2-5", "6")
	e.wantTexts("a", c[4], "1", "2-3", "4")
	e.pack("a", history.ID{}, c[5], "1-5")
	e.wantTexts("a", c[6], "1-5", "6")
	e.wantTexts("a", c[4], "1", "2-3", "4")
	e.pack("a", c[4], c[5], "5 again")
	e.wantTexts("a", c[6], "1", "2-3", "4", "5 again", "6")

	stack, err := e.s.Stack(e.ctx, "a", c[6])
	e.want("stack", err, nil)
	ends := [][2]history.ID{{{}, c[1]}, {c[1], c[3]}, {c[3], c[4]}, {c[4], c[5]}, {c[5], c[6]}}
	for i, l := range stack {
		if got := [2]history.ID{l.After, l.Upto}; got != ends[i] {
			e.Errorf("layer %d: got %v, want %v", i, got, ends[i])
		}
	}
	if log, _ := e.s.Log(e.ctx, "a", c[5], 1); !slices.Equal(log[0].Stones, refsOf([]history.Stone{stoneOf(e, "5")})) {
		e.Errorf("a pack changed its commit: %+v", log[0])
	}
}

func packRefused(e *env) {
	e.create("a", "b")
	one, two, three := e.commit("a", "one"), e.commit("a", "two"), e.commit("a", "three")
	other := e.commit("b", "other")
	s, x := stoneOf(e, "pack"), stoneOf(e, "x")
	wrong := history.Stone{ID: s.ID, Data: x.Data}
	for _, tt := range []struct {
		name        string
		after, upto history.ID
		ref         history.StoneRef
		stone       history.Stone
		want        error // nil for any
	}{
		{"upto nowhere", history.ID{}, history.ID{7}, refOf(s), s, history.ErrNoCommit},
		{"upto zero", history.ID{}, history.ID{}, refOf(s), s, history.ErrNoCommit},
		{"upto another world's", history.ID{}, other, refOf(s), s, history.ErrNoCommit},
		{"after nowhere", history.ID{7}, two, refOf(s), s, history.ErrNoCommit},
		{"after another world's", other, two, refOf(s), s, history.ErrNoCommit},
		{"after above upto", three, two, refOf(s), s, history.ErrNoCommit},
		{"nothing", two, two, refOf(s), s, nil},
		{"another stone", one, two, refOf(x), s, nil},
		{"another size", one, two, history.StoneRef{ID: s.ID, Size: 1}, s, nil},
		{"bytes of another stone", one, two, refOf(wrong), wrong, nil},
	} {
		err := e.s.PutPack(e.ctx, "a", history.Pack{After: tt.after, Upto: tt.upto, Stone: tt.ref}, tt.stone)
		e.wantErr(tt.name, err)
		if tt.want != nil {
			e.want(tt.name, err, tt.want)
		}
	}
	e.want("no world", e.s.PutPack(e.ctx, "x", history.Pack{Upto: one, Stone: refOf(s)}, s), history.ErrNoWorld)
	e.wantTexts("a", three, "one", "two", "three")
}

// packOfAFork puts packs on commits that worlds share.
func packOfAFork(e *env) {
	e.create("a")
	one, two := e.commit("a", "one"), e.commit("a", "two")
	e.fork("a", two, "b")
	three := e.commit("b", "three")
	e.pack("b", history.ID{}, two, "1-2") // of the other's making
	e.wantTexts("a", two, "1-2")
	e.wantTexts("b", three, "1-2", "three")
	e.pack("a", history.ID{}, one, "1") // below the fork
	e.pack("a", one, two, "2")
	e.wantTexts("b", three, "1", "2", "three")
	e.pack("b", history.ID{}, one, "1 by b") // not in its log, but below its head
	e.wantTexts("a", two, "1 by b", "2")
	e.pack("b", one, three, "2-3")
	e.wantTexts("b", three, "1 by b", "2-3")
	e.collect(history.Policy{Grace: -1})
	e.wantTexts("a", two, "1 by b", "2")
	e.wantTexts("a", one, "1 by b")
	e.wantTexts("b", two, "1 by b", "2")
	e.wantTexts("b", three, "1 by b", "2-3")
}

// opens opens stones, whether the world reaches them or not. Reaches tells whether
// it does.
func opens(e *env) {
	e.create("a", "b")
	one, other := e.commit("a", "one"), e.commit("b", "other")
	e.pack("b", history.ID{}, other, "pack")
	e.gone("a", "never was")
	e.fork("a", one, "c")
	e.commit("c", "of the fork")
	for _, tt := range []struct {
		name, text string
		want       bool
	}{
		{"a", "one", true}, {"c", "one", true}, {"c", "of the fork", true}, {"b", "pack", true}, {"b", "other", true},
		{"a", "other", false}, {"a", "pack", false}, {"a", "of the fork", false}, {"a", "never was", false},
	} {
		if tt.text != "never was" {
			if _, err := textOf(e.ctx, e.s, tt.name, refOf(stoneOf(e, tt.text))); err != nil {
				e.Errorf("open %s of %s: %v", tt.text, tt.name, err)
			}
		}
		r, ok := e.s.(history.Reacher)
		if !ok {
			continue
		}
		if got, err := r.Reaches(e.ctx, tt.name, stoneOf(e, tt.text).ID); err != nil || got != tt.want {
			e.Errorf("%s reaches %s: got %v, %v, want %v", tt.name, tt.text, got, err, tt.want)
		}
	}
}

// cancelled calls everything with a context that has ended.
func cancelled(e *env) {
	e.create("a")
	one := e.commit("a", "one")
	h := e.head("a")
	own := e.lease("a", "ann")
	h.Fence = own
	ctx, cancel := context.WithCancel(e.ctx)
	cancel()
	s := stoneOf(e, "two")
	for what, err := range map[string]error{
		"create":   e.s.Create(ctx, "b"),
		"rename":   e.s.Rename(ctx, "a", "b", own),
		"delete":   e.s.Delete(ctx, "a", own),
		"purge":    second(e.s.Purge(ctx, "a", own)),
		"lease":    second(e.s.Lease(ctx, "a", "ann", term)),
		"renew":    second(e.s.Renew(ctx, "a", own, 2*term)),
		"release":  e.s.Release(ctx, "a", own),
		"leased":   second(e.s.Leased(ctx, "a")),
		"undelete": e.s.Undelete(ctx, "a"),
		"list":     second(e.s.List(ctx, "", "", 9)),
		"head":     second(e.s.Head(ctx, "a")),
		"log":      second(e.s.Log(ctx, "a", history.ID{}, 9)),
		"commit":   second(e.s.Commit(ctx, "a", h, history.Commit{Parent: one, Base: one, Stones: []history.StoneRef{refOf(s)}}, s)),
		"fork":     e.s.Fork(ctx, "a", one, "b"),
		"stack":    second(e.s.Stack(ctx, "a", one)),
		"fetch":    second(history.Fetch(ctx, e.s, "a", one, 9)),
		"open":     second(e.s.Open(ctx, "a", stoneOf(e, "one").ID)),
		"pack":     e.s.PutPack(ctx, "a", history.Pack{Upto: one, Stone: refOf(s)}, s),
		"collect":  second(e.s.Collect(ctx, history.Policy{})),
	} {
		e.want(what, err, context.Canceled)
	}
	e.wantLog("a", history.ID{}, 9, one)
	e.wantTexts("a", one, "one")
	e.wantLease("a", history.Lease{Fence: own, Holder: "ann", Until: e.clock.now().Add(term)})
	if all, _ := e.s.List(e.ctx, "", "", 9); !slices.Equal(all, []string{"a"}) {
		e.Errorf("worlds: got %q", all)
	}
}

// stonesInFiles gives stones as files and as what a Spool holds.
func stonesInFiles(e *env) {
	e.create("a")
	inFile := func(text string) history.Stone {
		s := stoneOf(e, text)
		return history.Stone{ID: s.ID, File: s.Open()}
	}
	var parent history.ID
	for _, text := range []string{"one", "two"} {
		s := inFile(text)
		c, err := e.s.Commit(e.ctx, "a", history.Head{Commit: parent}, history.Commit{Parent: parent, Base: parent, Stones: []history.StoneRef{s.Ref()}}, s)
		e.want("commit", err, nil)
		parent = c.ID()
	}
	e.wantTexts("a", parent, "one", "two")
	cut := inFile("x")
	cut.File = io.NewSectionReader(cut.File, 1, cut.Size()-1)
	if _, err := e.s.Commit(e.ctx, "a", history.Head{Commit: parent}, history.Commit{Parent: parent, Stones: []history.StoneRef{cut.Ref()}}, cut); err == nil {
		e.Error("a file with other bytes was stored")
	}
	noise := make([]byte, 4<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	large := stoneOf(e, base64.StdEncoding.EncodeToString(noise))
	spool := spool.New(e.s)
	defer spool.Close()
	_, err := io.Copy(spool, large.Open())
	e.want("spool", err, nil)
	if _, can := e.s.(history.Spooling); can && spool.Stone(large.ID).File == nil {
		e.Errorf("a stone of %d bytes is kept in memory", large.Size())
	}
	packed := spool.Stone(large.ID)
	e.want("pack", e.s.PutPack(e.ctx, "a", history.Pack{Upto: parent, Stone: packed.Ref()}, packed), nil)
	if stack, err := e.s.Stack(e.ctx, "a", parent); err != nil || len(stack) != 1 || stack[0].Stone != large.Ref() {
		e.Errorf("the stack after a pack in a file: %v, %v", stack, err)
	}
}
