package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

func names(e *env) {
	e.create("a", "b/c")
	c := e.commit("a", "one")
	e.want("create twice", e.s.Create(e.ctx, "a"), history.ErrExists)
	e.want("rename onto another", e.s.Rename(e.ctx, "a", "b/c", 0), history.ErrExists)
	e.want("rename onto itself", e.s.Rename(e.ctx, "a", "a", 0), history.ErrExists)
	e.want("rename nothing", e.s.Rename(e.ctx, "x", "y", 0), history.ErrNoWorld)
	e.want("rename", e.s.Rename(e.ctx, "a", "z", 0), nil)
	e.wantLog("z", history.ID{}, 9, c)
	e.wantTexts("z", c, "one")
	_, err := e.s.Head(e.ctx, "a")
	e.want("the old name", err, history.ErrNoWorld)
	e.create("a")
	e.wantLog("a", history.ID{}, 9)
}

func namesRefused(e *env) {
	e.create("a")
	bad, id := "Not A Name", history.ID{}
	_, headErr := e.s.Head(e.ctx, bad)
	_, logErr := e.s.Log(e.ctx, bad, id, 1)
	_, commitErr := e.s.Commit(e.ctx, bad, history.Head{}, history.Commit{})
	_, stackErr := e.s.Stack(e.ctx, bad, id)
	s := stoneOf(e, "s")
	_, openErr := e.s.Open(e.ctx, bad, s.ID)
	for what, err := range map[string]error{
		"create":      e.s.Create(e.ctx, bad),
		"rename from": e.s.Rename(e.ctx, bad, "x", 0),
		"rename to":   e.s.Rename(e.ctx, "a", bad, 0),
		"delete":      e.s.Delete(e.ctx, bad, 0),
		"undelete":    e.s.Undelete(e.ctx, bad),
		"purge":       second(e.s.Purge(e.ctx, bad, 0)),
		"lease":       second(e.s.Lease(e.ctx, bad, "ann", term)),
		"renew":       second(e.s.Renew(e.ctx, bad, 1, term)),
		"release":     e.s.Release(e.ctx, bad, 1),
		"leased":      second(e.s.Leased(e.ctx, bad)),
		"head":        headErr,
		"log":         logErr,
		"commit":      commitErr,
		"fork from":   e.s.Fork(e.ctx, bad, id, "x"),
		"fork to":     e.s.Fork(e.ctx, "a", id, bad),
		"stack":       stackErr,
		"open":        openErr,
		"pack":        e.s.PutPack(e.ctx, bad, history.Pack{Upto: history.ID{1}, Stone: refOf(s)}, s),
	} {
		e.want(what, err, history.ErrName)
	}
}

func deleted(e *env) {
	e.want("delete nothing", e.s.Delete(e.ctx, "a", 0), history.ErrNoWorld)
	e.want("undelete nothing", e.s.Undelete(e.ctx, "a"), history.ErrNoWorld)
	var commits []history.ID
	for _, text := range []string{"first", "second"} {
		e.create("a")
		commits = append(commits, e.commit("a", text))
		e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
		e.clock.add(-time.Minute) // the last is the last by deeds, not by dates
	}
	_, err := e.s.Head(e.ctx, "a")
	e.want("head of a deleted world", err, history.ErrNoWorld)
	e.collect(history.Policy{})
	e.want("undelete", e.s.Undelete(e.ctx, "a"), nil)
	e.wantTexts("a", commits[1], "second")
	e.want("undelete onto a world", e.s.Undelete(e.ctx, "a"), history.ErrExists)
	e.want("rename away", e.s.Rename(e.ctx, "a", "b", 0), nil)
	e.want("undelete", e.s.Undelete(e.ctx, "a"), nil)
	e.wantTexts("a", commits[0], "first")
	e.wantTexts("b", commits[1], "second")
	e.want("rename away", e.s.Rename(e.ctx, "a", "c", 0), nil)
	e.want("undelete once more", e.s.Undelete(e.ctx, "a"), history.ErrNoWorld)
}

func list(e *env) {
	var all []string
	for i := range 25 {
		name := fmt.Sprintf("p/%d", i)
		all = append(all, name)
		e.create(name)
	}
	e.create("o", "p", "p-x", "p.x", "q/1", "p/1/deep")
	all = append(all, "p/1/deep")
	slices.Sort(all)
	var got []string
	for after := ""; ; {
		page, err := e.s.List(e.ctx, "p/", after, 4)
		e.want("list", err, nil)
		if len(page) == 0 {
			break
		}
		got = append(got, page...)
		after = page[len(page)-1]
	}
	if !slices.Equal(got, all) {
		e.Errorf("pages: got %q, want %q", got, all)
	}
	for _, tt := range []struct {
		prefix, after string
		n             int
		want          []string
	}{
		{"p/2", "", 3, []string{"p/2", "p/20", "p/21"}},
		{"", "p/9", 9, []string{"q/1"}},
		{"p/", "o", 1, all[:1]},
		{"p", "", 4, []string{"p", "p-x", "p.x", "p/0"}},
		{"p", "q", 9, nil},
		{"", "", 0, nil},
		{"zz", "", 9, nil},
		{"\xff", "", 9, nil},
		{"", "\xff\xff", 9, nil},
	} {
		got, err := e.s.List(e.ctx, tt.prefix, tt.after, tt.n)
		if err != nil || !slices.Equal(got, tt.want) {
			e.Errorf("list %q after %q: got %q, %v, want %q", tt.prefix, tt.after, got, err, tt.want)
		}
	}
}
