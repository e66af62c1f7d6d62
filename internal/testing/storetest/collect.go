package storetest

import (
	"fmt"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

// newest keeps the newest n commits and ignores their age.
func newest(n int) history.Retention {
	return history.Retention{Newest: n, Hourly: -1, Daily: -1, Monthly: -1}
}

// gone fails the test unless the Store has lost the stone of each text.
func (e *env) gone(name string, texts ...string) {
	e.Helper()
	for _, text := range texts {
		_, err := e.s.Open(e.ctx, name, stoneOf(e, text).ID)
		e.want("open "+text, err, history.ErrGone)
	}
}

// sizeOf returns the number of bytes of the stones of the texts.
func (e *env) sizeOf(texts ...string) (n int64) {
	for _, text := range texts {
		n += int64(len(stoneOf(e, text).Data))
	}
	return n
}

func (e *env) wantCollected(p history.Policy, want history.Collected) {
	e.Helper()
	dry := p
	dry.DryRun = true
	for range 2 { // the first one changes nothing
		if got := e.collect(dry); got != (history.Collected{Worlds: want.Worlds, Commits: want.Commits}) {
			e.Fatalf("a dry run: %+v, want worlds and commits of %+v", got, want)
		}
	}
	if got := e.collect(p); got != want {
		e.Fatalf("collected %+v, want %+v", got, want)
	}
}

// trim deletes commits from logs; the commits above them stay.
func trim(e *env) {
	e.create("a")
	var ids []history.ID
	for i := range 6 {
		e.clock.add(25 * time.Hour)
		ids = append(ids, e.commit("a", fmt.Sprint(i)))
	}
	e.fork("a", ids[1], "b")
	p := history.Policy{Keep: newest(2), Grace: -1}
	e.wantCollected(p, history.Collected{Commits: 4})
	e.wantLog("a", history.ID{}, 9, ids[5], ids[4])
	_, err := e.s.Log(e.ctx, "a", ids[3], 9)
	e.want("log from a dropped commit", err, history.ErrNoCommit)
	_, err = e.s.Stack(e.ctx, "a", ids[3])
	e.want("stack of a dropped commit", err, history.ErrNoCommit)
	e.want("fork at a dropped commit", e.s.Fork(e.ctx, "a", ids[3], "c"), history.ErrNoCommit)
	e.wantTexts("a", ids[4], "0", "1", "2", "3", "4")
	e.wantTexts("b", ids[1], "0", "1")

	e.pack("a", history.ID{}, ids[4], "0-4")
	e.wantCollected(p, history.Collected{Stones: 3, Bytes: e.sizeOf("2", "3", "4")})
	e.wantTexts("a", ids[5], "0-4", "5")
	e.wantTexts("b", ids[1], "0", "1")
	e.gone("a", "2", "3", "4")
	next := e.commit("a", "6")
	e.wantTexts("a", next, "0-4", "5", "6")

	e.clock.add(400 * 24 * time.Hour)
	e.wantCollected(history.Policy{Keep: history.Retention{All: true}}, history.Collected{})
	e.wantLog("a", history.ID{}, 9, next, ids[5], ids[4])
	e.wantCollected(history.Policy{Keep: newest(1)}, history.Collected{Commits: 2})
	e.wantTexts("a", next, "0-4", "5", "6")
}

func grace(e *env) {
	e.create("a")
	one := e.commit("a", "one")
	two := e.commit("a", "two")
	e.pack("a", history.ID{}, two, "both")
	e.wantCollected(history.Policy{}, history.Collected{Condemned: 1})
	e.clock.add(59 * time.Minute)
	e.wantCollected(history.Policy{}, history.Collected{Condemned: 1})
	e.clock.add(-2 * time.Hour)
	e.wantCollected(history.Policy{}, history.Collected{Condemned: 1})
	e.clock.add(2*time.Hour + 2*time.Minute)
	e.wantCollected(history.Policy{Grace: 2 * time.Hour}, history.Collected{Condemned: 1})
	e.wantCollected(history.Policy{}, history.Collected{Stones: 1, Bytes: e.sizeOf("two")})
	e.wantCollected(history.Policy{}, history.Collected{})
	e.gone("a", "two")
	e.wantTexts("a", two, "both")
	e.wantTexts("a", one, "one")
}

// reprieve uses condemned stones again.
func reprieve(e *env) {
	e.create("a")
	e.commit("a", "one")
	e.commit("a", "two")
	e.commitOn("a", history.ID{}, "three")
	p := history.Policy{Keep: newest(1)}
	e.wantCollected(p, history.Collected{Commits: 2, Condemned: 2})
	two := stoneOf(e, "two")
	h := e.head("a")
	c := history.Commit{Parent: h.Commit, Base: h.Commit, Stones: refsOf([]history.Stone{two})}
	_, err := e.s.Commit(e.ctx, "a", h, c)
	e.want("a condemned stone without its bytes", err, history.ErrGone)
	_, err = e.s.Commit(e.ctx, "a", h, c, two)
	e.want("a condemned stone with its bytes", err, nil)
	e.pack("a", history.ID{}, h.Commit, "one")
	e.clock.add(2 * time.Hour)
	e.wantCollected(p, history.Collected{Commits: 1, Condemned: 1}) // three
	e.wantTexts("a", e.head("a").Commit, "one", "two")
	e.clock.add(2 * time.Hour)
	e.wantCollected(p, history.Collected{Stones: 1, Bytes: e.sizeOf("three")})
	e.wantTexts("a", e.head("a").Commit, "one", "two")
	last := e.commitOn("a", history.ID{}, "three") // anew after it was deleted
	e.wantTexts("a", last, "three")

	// One that was reprieved and is condemned again has all of its grace.
	e.commitOn("a", history.ID{}, "four")
	e.wantCollected(p, history.Collected{Commits: 2, Condemned: 3}) // one, two, three
	e.commitOn("a", history.ID{}, "three")
	e.commitOn("a", history.ID{}, "five")
	e.clock.add(2 * time.Hour)
	e.wantCollected(p, history.Collected{Commits: 2, Condemned: 2, Stones: 2, Bytes: e.sizeOf("one", "two")})
}

func buried(e *env) {
	e.create("a", "b")
	e.commit("a", "one")
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.clock.add(6 * 24 * time.Hour)
	e.wantCollected(history.Policy{Grace: -1}, history.Collected{})
	e.want("undelete", e.s.Undelete(e.ctx, "a"), nil)
	e.wantTexts("a", e.head("a").Commit, "one")
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.create("a")
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.clock.add(8 * 24 * time.Hour)
	e.wantCollected(history.Policy{}, history.Collected{Worlds: 2, Condemned: 1})
	e.want("undelete", e.s.Undelete(e.ctx, "a"), history.ErrNoWorld)
	e.want("delete", e.s.Delete(e.ctx, "b", 0), nil)
	e.wantCollected(history.Policy{Deleted: -1, Grace: -1}, history.Collected{Worlds: 1, Stones: 1, Bytes: e.sizeOf("one")})
	e.wantCollected(history.Policy{Deleted: -1, Grace: -1}, history.Collected{})
}

// openedStays reads stones during and after their deletion.
func openedStays(e *env) {
	e.create("a")
	e.commit("a", "one")
	ref := refOf(stoneOf(e, "one"))
	o, err := e.s.Open(e.ctx, "a", ref.ID)
	e.want("open", err, nil)
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.wantCollected(history.Policy{Deleted: -1, Grace: -1}, history.Collected{Worlds: 1, Stones: 1, Bytes: ref.Size})
	text, err := readText(e.ctx, o, ref.Size)
	if err != nil || text != "one" {
		e.Errorf("a deleted stone that is open: got %q, %v", text, err)
	}
	e.want("close", o.Close(), nil)
	e.create("a")
	e.gone("a", "one")
}

// sharedStays lets two worlds make the same stone, each by itself.
func sharedStays(e *env) {
	e.create("a", "b")
	e.commit("a", "same")
	e.commit("b", "same")
	e.want("delete", e.s.Delete(e.ctx, "a", 0), nil)
	e.wantCollected(history.Policy{Deleted: -1, Grace: -1}, history.Collected{Worlds: 1})
	e.wantTexts("b", e.head("b").Commit, "same")
	e.want("delete", e.s.Delete(e.ctx, "b", 0), nil)
	e.wantCollected(history.Policy{Deleted: -1}, history.Collected{Worlds: 1, Condemned: 1})
	e.wantCollected(history.Policy{Grace: -1}, history.Collected{Stones: 1, Bytes: e.sizeOf("same")})
	e.create("c")
	e.gone("c", "same")
}
