package storetest

import (
	"reflect"
	"slices"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/archive"
	"github.com/cairnvoxel/cairn/store/history"
)

// archiver returns a Store as an Archiver. It skips the test if it is none.
func archiver(e *env, s history.Store) history.Archiver {
	a, ok := s.(history.Archiver)
	if !ok {
		e.Skip("not a history.Archiver")
	}
	return a
}

func (e *env) outlines(s history.Store) (out []history.Outline) {
	e.Helper()
	e.want("outlines", archiver(e, s).Outlines(e.ctx, func(m history.Outline) error {
		out = append(out, m)
		return nil
	}), nil)
	return out
}

func (e *env) archive(s history.Store, m history.Outline) history.Archive {
	e.Helper()
	a, err := archiver(e, s).Archive(e.ctx, m)
	e.want("archive of "+m.Name, err, nil)
	if got := archive.Sum(&a); got != m.Sum || a.Head != m.Head {
		e.Fatalf("archive of %s: sum %x, head %v: the outline has %x, %v", m.Name, got, a.Head, m.Sum, m.Head)
	}
	back, err := archive.Parse(archive.Append(nil, &a))
	e.want("parse", err, nil)
	if !reflect.DeepEqual(back, a) {
		e.Fatalf("parsed: got %+v, want %+v", back, a)
	}
	return a
}

// copyStones gives another Store the stones of an archive that it lacks, and returns
// how many these were.
func (e *env) copyStones(to history.Archiver, a history.Archive) int {
	e.Helper()
	lacks, err := to.Lacks(e.ctx, archive.Stones(&a))
	e.want("lacks", err, nil)
	for _, ref := range lacks {
		st, release, err := archiver(e, e.s).ReadStone(e.ctx, ref.ID)
		e.want("read stone", err, nil)
		e.want("stone", st.Check(), nil)
		e.want("give", to.Give(e.ctx, st), nil)
		e.want("release", release(), nil)
	}
	return len(lacks)
}

// archives copies worlds into another Store.
func archives(e *env) {
	archiver(e, e.s)
	e.create("a", "b", "empty", "gone")
	one := e.commit("a", "one")
	two := e.commit("a", "two")
	e.pack("a", history.ID{}, two, "both")
	e.commitOn("a", one, "three")
	e.fork("a", two, "c")
	e.commit("c", "four")
	for range 5 {
		e.commit("b", "five", "six")
		e.clock.add(time.Hour)
	}
	e.commit("gone", "seven")
	e.lease("b", "someone")
	e.want("delete", e.s.Delete(e.ctx, "gone", 0), nil)
	_, err := e.s.Collect(e.ctx, history.Policy{Keep: newest(3), Grace: -1})
	e.want("collect", err, nil)
	was := e.outlines(e.s)
	other := e.kind.Open(e.T, e.clock.now)
	defer func() { e.want("close", other.Close(), nil) }()
	to := archiver(e, other)
	mine, err := archiver(e, e.s).Identity(e.ctx)
	e.want("identity", err, nil)
	again, err := archiver(e, e.s).Identity(e.ctx)
	e.want("identity", err, nil)
	if theirs, err := to.Identity(e.ctx); err != nil || theirs == mine || mine != again || mine == "" {
		e.Fatalf("identities: got %q, %q and %q of another, %v", mine, again, theirs, err)
	}
	for _, m := range was {
		a := e.archive(e.s, m)
		e.copyStones(to, a)
		e.want("adopt "+m.Name, to.Adopt(e.ctx, a, history.Head{}), nil)
		if n := e.copyStones(to, a); n > 0 {
			e.Fatalf("%s lacks %d stones after it was adopted", m.Name, n)
		}
	}
	_, err = other.Collect(e.ctx, history.Policy{Keep: history.Retention{All: true}, Grace: -1})
	e.want("collect", err, nil)
	now := e.outlines(other)
	for i := range now {
		now[i].World = was[i].World
	}
	if !slices.Equal(now, was) {
		e.Fatalf("outlines there: got %+v, want %+v", now, was)
	}
	s := e.s
	e.s = other
	e.want("undelete", other.Undelete(e.ctx, "gone"), nil)
	e.wantTexts("gone", e.head("gone").Commit, "seven")
	e.wantTexts("a", e.head("a").Commit, "one", "three")
	e.wantTexts("a", two, "both")
	e.wantTexts("c", e.head("c").Commit, "both", "four")
	e.commit("c", "eight")
	e.wantLease("b", history.Lease{})
	e.s = s
}

// adopt refuses what does not fit, and replaces a world in one step.
func adopt(e *env) {
	here := archiver(e, e.s)
	other := e.kind.Open(e.T, e.clock.now)
	defer func() { e.want("close", other.Close(), nil) }()
	to := archiver(e, other)
	e.create("a")
	e.commit("a", "one")
	first := e.archive(e.s, e.outlines(e.s)[0])
	e.want("adopt without stones", to.Adopt(e.ctx, first, history.Head{}), history.ErrGone)
	e.want("head", second(other.Head(e.ctx, "a")), history.ErrNoWorld)
	e.copyStones(to, first)
	e.want("adopt a world that is gone", to.Adopt(e.ctx, first, first.Head), history.ErrNoWorld)
	e.want("adopt", to.Adopt(e.ctx, first, history.Head{}), nil)
	e.commit("a", "two")
	e.fork("a", e.head("a").Commit, "b")
	for _, name := range []string{"a", "b"} {
		l := e.lease(name, "me")
		e.release(name, l)
	}
	then := e.archive(e.s, e.outlines(e.s)[0])
	e.copyStones(to, then)
	e.want("adopt on nothing", to.Adopt(e.ctx, then, history.Head{}), history.ErrConflict)
	l, err := other.Lease(e.ctx, "a", "them", time.Minute)
	e.want("lease", err, nil)
	e.want("adopt without the lease", to.Adopt(e.ctx, then, first.Head), history.ErrLeased)
	e.want("adopt under an old lease", to.Adopt(e.ctx, then, history.Head{Commit: first.Head.Commit, Fence: l.Fence + 5}), history.ErrFenced)
	e.want("adopt under the lease", to.Adopt(e.ctx, then, history.Head{Commit: first.Head.Commit, Fence: l.Fence}), nil)
	h, err := other.Head(e.ctx, "a")
	e.want("head", err, nil)
	if h.Commit != then.Head.Commit || h.Fence < then.Head.Fence || h.Fence <= l.Fence {
		e.Fatalf("head: got %+v, want %+v and a fence above %d", h, then.Head, l.Fence)
	}
	e.want("renew", second(other.Renew(e.ctx, "a", l.Fence, time.Minute)), history.ErrFenced)
	e.want("renew the lease that goes on", second(other.Renew(e.ctx, "a", h.Fence, time.Minute)), nil)
	e.want("back without the lease", to.Adopt(e.ctx, first, history.Head{Commit: h.Commit}), history.ErrLeased)
	e.want("back", to.Adopt(e.ctx, first, h), nil) // a shorter log
	e.want("adopt by force", to.Adopt(e.ctx, first, history.Head{Commit: first.Head.Commit, Fence: history.Force}), nil)
	if l, err := other.Leased(e.ctx, "a"); err != nil || l != (history.Lease{}) {
		e.Fatalf("lease after force: got %+v, %v", l, err)
	}
	back, err := other.Log(e.ctx, "a", history.ID{}, 9)
	e.want("log", err, nil)
	if len(back) != 1 || back[0].ID() != first.Head.Commit {
		e.Fatalf("log: got %v", back)
	}
	broken := then
	broken.Commits = broken.Commits[1:]
	e.wantErr("adopt a part", to.Adopt(e.ctx, broken, first.Head))
	named, err := here.Archive(e.ctx, history.Outline{Name: "b"})
	e.want("archive by name", err, nil)
	if named.Name != "b" || named.Head != e.head("b") {
		e.Fatalf("archive by name: got %+v", named)
	}
	e.want("archive of no name", second(here.Archive(e.ctx, history.Outline{Name: "none"})), history.ErrNoWorld)
	e.want("archive of a world that is gone", second(here.Archive(e.ctx, history.Outline{World: 1 << 60, Name: "a"})), history.ErrNoWorld)
	_, _, err = here.ReadStone(e.ctx, stoneOf(e, "nine").ID)
	e.want("read a stone that is gone", err, history.ErrGone)
}

// given stones stay for their grace.
func given(e *env) {
	to := archiver(e, e.s)
	one := stoneOf(e, "one")
	bad := one
	bad.ID[0]++
	e.wantErr("give other bytes", to.Give(e.ctx, bad))
	e.want("give", to.Give(e.ctx, one), nil)
	e.clock.add(50 * time.Minute)
	e.want("give again", to.Give(e.ctx, one, one), nil)
	e.clock.add(50 * time.Minute)
	e.wantCollected(history.Policy{Grace: time.Hour}, history.Collected{Condemned: 1})
	e.create("a")
	e.commit("a", "one")
	e.clock.add(2 * time.Hour)
	e.wantCollected(history.Policy{Grace: time.Hour}, history.Collected{})
	e.want("give what is needed", to.Give(e.ctx, one), nil)
	e.wantCollected(history.Policy{Grace: -1}, history.Collected{})
	e.want("give", to.Give(e.ctx, stoneOf(e, "two")), nil)
	e.clock.add(2 * time.Hour)
	e.wantCollected(history.Policy{Grace: time.Hour}, history.Collected{Stones: 1, Bytes: e.sizeOf("two")})
}
