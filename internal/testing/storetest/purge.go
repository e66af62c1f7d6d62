package storetest

import (
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

func (e *env) wantPurged(name string, want history.Purged) {
	e.Helper()
	got, err := e.s.Purge(e.ctx, name, 0)
	e.want("purge "+name, err, nil)
	if got != want {
		e.Fatalf("purged %s: got %+v, want %+v", name, got, want)
	}
}

// wantClean fails the test if Collect finds garbage.
func (e *env) wantClean() {
	e.Helper()
	e.wantCollected(history.Policy{Grace: -1, Keep: history.Retention{All: true}}, history.Collected{})
}

func purge(e *env) {
	e.want("purge nothing", second(e.s.Purge(e.ctx, "a", 0)), history.ErrNoWorld)
	e.create("a", "b")
	e.wantPurged("a", history.Purged{Worlds: 1})
	e.create("a")
	e.commit("a", "one", "two")
	e.commitOn("a", history.ID{}, "one", "three")
	e.commit("b", "two")
	e.wantPurged("a", history.Purged{Worlds: 1, Commits: 2, Stones: 2, Bytes: e.sizeOf("one", "three"),
		SharedStones: 1, SharedBytes: e.sizeOf("two")})
	e.want("head", second(e.s.Head(e.ctx, "a")), history.ErrNoWorld)
	e.want("undelete", e.s.Undelete(e.ctx, "a"), history.ErrNoWorld)
	e.wantClean()
	e.reopen()
	e.create("a")
	e.wantLog("a", history.ID{}, 9)
	e.wantTexts("b", e.head("b").Commit, "two")
	e.wantTexts("a", e.commit("a", "one"), "one")
}

// purgeForks purges a template and its forks, one after another.
func purgeForks(e *env) {
	e.create("a")
	one := e.commit("a", "one")
	two := e.commit("a", "two")
	e.commit("a", "three")
	e.fork("a", two, "b")
	four := e.commit("b", "four")
	e.fork("a", one, "c")
	e.wantPurged("a", history.Purged{Worlds: 1, Commits: 1, Stones: 1, Bytes: e.sizeOf("three"),
		SharedStones: 2, SharedBytes: e.sizeOf("one", "two")})
	e.wantTexts("b", four, "one", "two", "four")
	e.wantTexts("c", one, "one")
	e.wantPurged("b", history.Purged{Worlds: 1, Commits: 2, Stones: 2, Bytes: e.sizeOf("two", "four"),
		SharedStones: 1, SharedBytes: e.sizeOf("one")})
	e.wantTexts("c", one, "one")
	e.wantPurged("c", history.Purged{Worlds: 1, Commits: 1, Stones: 1, Bytes: e.sizeOf("one")})
	e.wantClean()
}

// purgePacked purges packs and the stones that they replace.
func purgePacked(e *env) {
	e.create("a")
	one := e.commit("a", "one")
	two := e.commit("a", "two")
	e.pack("a", history.ID{}, two, "both")
	e.fork("a", two, "b")
	three := e.commit("a", "three")
	e.pack("a", two, three, "pack")
	e.wantPurged("a", history.Purged{Worlds: 1, Commits: 2, Stones: 3, Bytes: e.sizeOf("one", "three", "pack"),
		SharedStones: 2, SharedBytes: e.sizeOf("two", "both")})
	e.wantTexts("b", two, "both")
	e.want("a commit that is gone", second(e.s.Stack(e.ctx, "b", one)), history.ErrNoCommit)
	e.wantPurged("b", history.Purged{Worlds: 1, Commits: 1, Stones: 2, Bytes: e.sizeOf("two", "both")})
	e.wantClean()
}

// purgeDeleted purges deleted worlds.
func purgeDeleted(e *env) {
	for _, text := range []string{"one", "two"} {
		e.create("a")
		e.commit("a", text)
		e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	}
	e.create("a")
	e.commit("a", "three")
	e.wantPurged("a", history.Purged{Worlds: 1, Commits: 1, Stones: 1, Bytes: e.sizeOf("three")})
	e.want("undelete", e.s.Undelete(e.ctx, "a"), nil)
	e.wantTexts("a", e.head("a").Commit, "two")
	e.lease("a", "ann")
	e.want("delete by force", e.s.Delete(e.ctx, "a", history.Force), nil)
	e.want("a deleted world has no lease", second(e.s.Purge(e.ctx, "a", 1)), history.ErrFenced)
	e.wantPurged("a", history.Purged{Worlds: 2, Commits: 2, Stones: 2, Bytes: e.sizeOf("one", "two")})
	e.want("undelete", e.s.Undelete(e.ctx, "a"), history.ErrNoWorld)
	e.wantClean()

	// One that was deleted can be had back: what it needs stays.
	e.create("a", "b")
	e.commit("a", "one")
	e.commit("b", "one", "two")
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.wantPurged("b", history.Purged{Worlds: 1, Commits: 1, Stones: 1, Bytes: e.sizeOf("two"),
		SharedStones: 1, SharedBytes: e.sizeOf("one")})
	e.want("undelete", e.s.Undelete(e.ctx, "a"), nil)
	e.wantTexts("a", e.head("a").Commit, "one")
}

// purgeOpened reads a stone during and after its purge.
func purgeOpened(e *env) {
	e.create("a")
	e.commit("a", "one")
	ref := refOf(stoneOf(e, "one"))
	o, err := e.s.Open(e.ctx, "a", ref.ID)
	e.want("open", err, nil)
	e.wantPurged("a", history.Purged{Worlds: 1, Commits: 1, Stones: 1, Bytes: ref.Size})
	text, err := readText(e.ctx, o, ref.Size)
	if err != nil || text != "one" {
		e.Errorf("a purged stone that is open: got %q, %v", text, err)
	}
	e.want("close", o.Close(), nil)
}

// purgeCondemned purges stones that are condemned already, except those that the
// world no longer reached.
func purgeCondemned(e *env) {
	e.create("a")
	e.commit("a", "one")
	e.commitOn("a", history.ID{}, "two")
	e.wantCollected(history.Policy{Keep: newest(1)}, history.Collected{Commits: 1, Condemned: 1})
	e.wantPurged("a", history.Purged{Worlds: 1, Commits: 1, Stones: 1, Bytes: e.sizeOf("two")})
	e.clock.add(2 * time.Hour)
	e.wantCollected(history.Policy{}, history.Collected{Stones: 1, Bytes: e.sizeOf("one")})
}
