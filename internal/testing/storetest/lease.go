package storetest

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/store/history"
)

const term = time.Minute // of leases

func (e *env) lease(name, holder string) uint64 {
	e.Helper()
	l, err := e.s.Lease(e.ctx, name, holder, term)
	e.want("lease of "+name, err, nil)
	return l.Fence
}

func (e *env) release(name string, fence uint64) {
	e.Helper()
	e.want("release of "+name, e.s.Release(e.ctx, name, fence), nil)
}

func (e *env) wantLease(name string, want history.Lease) {
	e.Helper()
	got, err := e.s.Leased(e.ctx, name)
	if err != nil || got != want {
		e.Fatalf("lease of %s: got %+v, %v, want %+v", name, got, err, want)
	}
}

func (e *env) wantFence(name string, want uint64) {
	e.Helper()
	if got := e.head(name).Fence; got != want {
		e.Fatalf("fence of %s: got %d, want %d", name, got, want)
	}
}

// tenure is a possible state of a world's lease.
type tenure struct {
	name string
	// set brings a world into it and returns the fence that ann has or had.
	set func(e *env, name string) uint64
	// want is how a change is answered that is made under no fence, ann's, the
	// one before and the one after.
	want [4]error
	// dead says that ann cannot renew or release.
	dead bool
}

func tenures() []tenure {
	take := func(e *env, name string) uint64 { return e.lease(name, "ann") }
	expired := func(e *env, name string) uint64 {
		defer e.clock.add(term)
		return e.lease(name, "ann")
	}
	lost := history.ErrFenced
	return []tenure{
		{"live", take, [4]error{history.ErrLeased, nil, lost, lost}, false},
		{"expired", expired, [4]error{nil, nil, lost, lost}, false},
		{"released", func(e *env, name string) uint64 {
			own := take(e, name)
			e.release(name, own)
			return own
		}, [4]error{nil, lost, lost, nil}, true},
		{"forced", func(e *env, name string) uint64 {
			own := take(e, name)
			e.release(name, history.Force)
			return own
		}, [4]error{nil, lost, lost, nil}, true},
		{"taken over", func(e *env, name string) uint64 {
			own := expired(e, name)
			e.lease(name, "bob")
			return own
		}, [4]error{history.ErrLeased, lost, lost, nil}, true},
		{"taken by the same", func(e *env, name string) uint64 {
			own := take(e, name)
			e.lease(name, "ann")
			return own
		}, [4]error{history.ErrLeased, lost, lost, nil}, true},
	}
}

// deed is a change that is made under a fence.
type deed struct {
	name string
	do   func(e *env, name string, h history.Head, fence uint64) error
	// raises says that it raises the fence, ends that it ends the lease.
	raises, ends bool
	// to is the name after it, "" if the world has none.
	to func(name string) string
}

func deeds() []deed {
	same := func(name string) string { return name }
	moved := func(name string) string { return name + "/moved" }
	gone := func(string) string { return "" }
	commit := func(e *env, name string, h history.Head, fence uint64, on history.ID) error {
		s := stoneOf(e, "more")
		c := history.Commit{Parent: h.Commit, Base: on, Stones: []history.StoneRef{refOf(s)}}
		return second(e.s.Commit(e.ctx, name, history.Head{Commit: h.Commit, Fence: fence}, c, s))
	}
	return []deed{
		{"commit", func(e *env, name string, h history.Head, fence uint64) error {
			return commit(e, name, h, fence, h.Commit)
		}, false, false, same},
		{"go back", func(e *env, name string, h history.Head, fence uint64) error {
			return commit(e, name, h, fence, history.ID{})
		}, true, false, same},
		{"rename", func(e *env, name string, _ history.Head, fence uint64) error {
			return e.s.Rename(e.ctx, name, moved(name), fence)
		}, true, false, moved},
		{"delete and back", func(e *env, name string, _ history.Head, fence uint64) error {
			err := e.s.Delete(e.ctx, name, fence)
			if err == nil {
				e.want("undelete", e.s.Undelete(e.ctx, name), nil)
			}
			return err
		}, true, true, same},
		{"purge", func(e *env, name string, _ history.Head, fence uint64) error {
			return second(e.s.Purge(e.ctx, name, fence))
		}, true, true, gone},
	}
}

// fences makes every change under every fence in every state of a lease.
func fences(e *env) {
	for _, state := range tenures() {
		for _, d := range deeds() {
			for i, want := range append(state.want[:], nil) {
				fenceNames := []string{"no fence", "her own", "an older", "a newer", "force"}
				what := fmt.Sprintf("%s under %s, %s", d.name, fenceNames[i], state.name)
				name := strings.ReplaceAll(strings.ReplaceAll(what, ",", ""), " ", "-")
				e.create(name)
				e.commit(name, "one")
				e.release(name, e.lease(name, "old"))
				own := state.set(e, name)
				fence := [...]uint64{0, own, own - 1, own + 1, history.Force}[i]
				h := e.head(name)
				lease, err := e.s.Leased(e.ctx, name)
				e.want("leased", err, nil)
				e.want(what, d.do(e, name, h, fence), want)
				if want != nil {
					if got := e.head(name); got != h {
						e.Fatalf("%s: the head is %+v, was %+v", what, got, h)
					}
					e.wantLease(name, lease)
					continue
				}
				e.wantAfter(d, name, h.Fence, fence, lease)
			}
		}
	}
}

// wantAfter checks a world after d, which had a fence and a lease.
func (e *env) wantAfter(d deed, name string, had, fence uint64, lease history.Lease) {
	e.Helper()
	to := d.to(name)
	if to != name {
		e.want("the old name", second(e.s.Head(e.ctx, name)), history.ErrNoWorld)
	}
	if to == "" {
		e.want("undelete", e.s.Undelete(e.ctx, name), history.ErrNoWorld)
		return
	}
	if d.raises || fence == history.Force {
		had++
	}
	if d.ends || fence == history.Force || d.raises && fence == 0 {
		lease = history.Lease{}
	}
	if lease.Fence != 0 {
		lease.Fence = had
	}
	e.wantFence(to, had)
	e.wantLease(to, lease)
	e.want("under the new fence", deeds()[0].do(e, to, e.head(to), had), nil)
}

// leaseCalls calls Renew and Release under every fence in every state.
func leaseCalls(e *env) {
	renew := func(name string, fence uint64) error { return second(e.s.Renew(e.ctx, name, fence, 2*term)) }
	release := func(name string, fence uint64) error { return e.s.Release(e.ctx, name, fence) }
	for i, state := range tenures() {
		name := fmt.Sprint("w", i)
		e.create(name)
		e.release(name, e.lease(name, "old"))
		own := state.set(e, name)
		h := e.head(name)
		lease, err := e.s.Leased(e.ctx, name)
		e.want("leased", err, nil)
		for _, fence := range []uint64{0, own - 1, h.Fence + 1} {
			e.want(fmt.Sprintf("renew %d, %s", fence, state.name), renew(name, fence), history.ErrFenced)
			e.want(fmt.Sprintf("release %d, %s", fence, state.name), release(name, fence), history.ErrFenced)
		}
		e.want("renew by force, "+state.name, renew(name, history.Force), history.ErrFenced)
		e.wantLease(name, lease)
		want := error(nil)
		if state.dead {
			want = history.ErrFenced
		}
		e.want("renew, "+state.name, renew(name, own), want)
		if want == nil {
			e.wantLease(name, history.Lease{Fence: own, Holder: "ann", Until: e.clock.now().Add(2 * term)})
		}
		e.wantFence(name, h.Fence)
		e.want("release, "+state.name, release(name, own), want)
		if want == nil {
			e.wantLease(name, history.Lease{})
			e.wantFence(name, own+1)
			e.want("release twice", release(name, own), history.ErrFenced)
			e.want("release what nobody has", release(name, own+1), history.ErrFenced)
			e.want("renew what nobody has", renew(name, own+1), history.ErrFenced)
		}
		had := e.head(name).Fence
		e.release(name, history.Force)
		e.wantLease(name, history.Lease{})
		e.wantFence(name, had+1)
	}
}

// leasing checks who may take a lease, and for how long.
func leasing(e *env) {
	e.create("a")
	start := e.clock.now()
	e.clock.add(700 * time.Microsecond)
	l, err := e.s.Lease(e.ctx, "a", "ann", 48*time.Hour)
	e.want("lease", err, nil)
	if want := (history.Lease{Fence: 1, Holder: "ann", Until: start.Add(24 * time.Hour)}); l != want {
		e.Fatalf("got %+v, want %+v", l, want)
	}
	e.wantLease("a", l)
	for _, holder := range []string{"bob", "", "Ann"} {
		e.want("a lease for "+holder, second(e.s.Lease(e.ctx, "a", holder, term)), history.ErrLeased)
	}
	if got := e.lease("a", "ann"); got != 2 {
		e.Fatalf("taken by the same: got fence %d, want 2", got)
	}
	l, err = e.s.Renew(e.ctx, "a", 2, time.Millisecond)
	e.want("renew", err, nil)
	e.wantLease("a", l)
	e.clock.add(time.Millisecond)
	e.wantLease("a", history.Lease{})
	if got := e.lease("a", ""); got != 3 {
		e.Fatalf("after the end: got fence %d, want 3", got)
	}
	e.want("without a name, twice", second(e.s.Lease(e.ctx, "a", "", term)), history.ErrLeased)
	e.clock.add(-time.Hour)
	e.want("the clock went back", second(e.s.Lease(e.ctx, "a", "bob", term)), history.ErrLeased)
	e.clock.add(2 * time.Hour)
	e.lease("a", "bob")
	for what, err := range map[string]error{
		"no time":         second(e.s.Lease(e.ctx, "a", "bob", time.Millisecond-1)),
		"less than none":  second(e.s.Lease(e.ctx, "a", "bob", -1)),
		"renew, no time":  second(e.s.Renew(e.ctx, "a", 4, 0)),
		"a long holder":   second(e.s.Lease(e.ctx, "a", strings.Repeat("b", history.MaxHolder+1), term)),
		"lease of none":   second(e.s.Lease(e.ctx, "x", "bob", term)),
		"renew of none":   second(e.s.Renew(e.ctx, "x", 1, term)),
		"release of none": e.s.Release(e.ctx, "x", 1),
		"leased of none":  second(e.s.Leased(e.ctx, "x")),
	} {
		e.wantErr(what, err)
		if strings.HasSuffix(what, "of none") {
			e.want(what, err, history.ErrNoWorld)
		}
	}
	e.wantLease("a", history.Lease{Fence: 4, Holder: "bob", Until: e.clock.now().Add(term).Truncate(time.Millisecond)})
	e.release("a", 4)
	e.lease("a", strings.Repeat("b", history.MaxHolder))
}

// leaseStays checks how a lease of one world affects other worlds and names.
func leaseStays(e *env) {
	e.create("a")
	one := e.commit("a", "one")
	own := e.lease("a", "ann")
	want := history.Lease{Fence: own, Holder: "ann", Until: e.clock.now().Add(term)}
	e.fork("a", one, "b")
	e.wantFence("b", 0)
	e.wantLease("b", history.Lease{})
	e.commit("b", "two")
	e.pack("a", history.ID{}, one, "pack") // is no change
	e.collect(history.Policy{Grace: -1})
	e.reopen()
	e.wantLease("a", want)
	e.want("rename onto a world", e.s.Rename(e.ctx, "a", "b", own), history.ErrExists)
	e.wantFence("a", own)

	e.want("rename", e.s.Rename(e.ctx, "a", "c", own), nil)
	want.Fence++
	e.wantLease("c", want)
	e.want("the lease before", second(e.s.Renew(e.ctx, "c", own, term)), history.ErrFenced)
	e.create("a")
	e.wantFence("a", 0)
	e.want("delete", e.s.Delete(e.ctx, "c", want.Fence), nil)
	e.want("leased, deleted", second(e.s.Leased(e.ctx, "c")), history.ErrNoWorld)
	e.want("renew, deleted", second(e.s.Renew(e.ctx, "c", want.Fence, term)), history.ErrNoWorld)
	e.reopen()
	e.want("undelete", e.s.Undelete(e.ctx, "c"), nil)
	e.wantLease("c", history.Lease{})
	e.wantFence("c", want.Fence+1)
	e.want("late", deeds()[0].do(e, "c", e.head("c"), want.Fence), history.ErrFenced)
	e.wantTexts("c", one, "pack")
}

// namesAgain gives a name to another world in every way. The holder of a lease of the world that
// had the name cannot change it, with any number that the first world ever had, and its own number is another.
func namesAgain(e *env) {
	lose := []struct {
		name string
		do   func(name string) error
	}{
		{"delete", func(name string) error { return e.s.Delete(e.ctx, name, history.Force) }},
		{"rename", func(name string) error { return e.s.Rename(e.ctx, name, "moved/"+name, history.Force) }},
		{"purge", func(name string) error { return second(e.s.Purge(e.ctx, name, history.Force)) }},
		{"delete and purge", func(name string) error {
			return errors.Join(e.s.Delete(e.ctx, name, history.Force), second(e.s.Purge(e.ctx, name, history.Force)))
		}},
		{"delete and collect", func(name string) error {
			return errors.Join(e.s.Delete(e.ctx, name, history.Force), second(e.s.Collect(e.ctx, history.Policy{Deleted: -1, Grace: -1})))
		}},
	}
	give := []struct {
		name string
		do   func(name string) error
	}{
		{"create", func(name string) error { return e.s.Create(e.ctx, name) }},
		{"fork", func(name string) error { return e.s.Fork(e.ctx, "other", e.head("other").Commit, name) }},
		{"rename", func(name string) error {
			return errors.Join(e.s.Create(e.ctx, "x"+name), e.s.Rename(e.ctx, "x"+name, name, 0))
		}},
		{"rename under a lease", func(name string) error {
			err := e.s.Create(e.ctx, "x"+name)
			return errors.Join(err, e.s.Rename(e.ctx, "x"+name, name, e.lease("x"+name, "bob")))
		}},
		{"undelete", func(name string) error { return e.s.Undelete(e.ctx, name) }},
		{"adopt", func(name string) error {
			a := archiver(e, e.s)
			made, err := a.Archive(e.ctx, history.Outline{Name: "other"})
			made.Name = name
			return errors.Join(err, a.Adopt(e.ctx, made, history.Head{}))
		}},
	}
	e.create("other")
	e.commit("other", "one")
	for i, l := range lose {
		for j, g := range give {
			what, name := l.name+", "+g.name, fmt.Sprintf("w/%d-%d", i, j)
			e.create(name)
			if g.name == "undelete" {
				if l.name != "rename" {
					continue // it would be the same world, or there is none
				}
				e.want(what, e.s.Delete(e.ctx, name, 0), nil) // an older world, which comes back
				e.create(name)
			}
			var had []uint64
			for range 3 {
				had = append(had, e.lease(name, "ann"))
			}
			asleep := e.head(name)
			e.want(what, l.do(name), nil)
			e.reopen()
			e.want(what, g.do(name), nil)
			e.release(name, history.Force)
			now := e.lease(name, "bob")
			for fence := had[0]; fence <= asleep.Fence+1; fence++ {
				if fence == now {
					e.Fatalf("%s: the lease of bob has the number %d, which ann may have had", what, now)
				}
				e.want(what+": ann renews", second(e.s.Renew(e.ctx, name, fence, term)), history.ErrFenced)
				e.want(what+": ann ends it", e.s.Release(e.ctx, name, fence), history.ErrFenced)
				e.want(what+": ann saves", deeds()[0].do(e, name, e.head(name), fence), history.ErrFenced)
			}
			e.want(what+": bob saves", deeds()[0].do(e, name, e.head(name), now), nil)
		}
	}
}

// sleepers lets a writer sleep while another takes its lease.
func sleepers(e *env) {
	e.create("a")
	e.commit("a", "one")
	ann := e.lease("a", "ann")
	save, back := deeds()[0], deeds()[1]
	e.want("ann saves", save.do(e, "a", e.head("a"), ann), nil)
	asleep := e.head("a")
	e.clock.add(2 * term)
	e.want("late, but nobody took it", save.do(e, "a", asleep, ann), nil)
	asleep = e.head("a")
	bob := e.lease("a", "bob")
	e.want("ann is late", save.do(e, "a", asleep, ann), history.ErrFenced)
	e.want("ann renews", second(e.s.Renew(e.ctx, "a", ann, term)), history.ErrFenced)
	e.want("bob saves", save.do(e, "a", asleep, bob), nil)
	e.want("bob saves on an old head", save.do(e, "a", asleep, bob), history.ErrConflict)
	e.want("ann is later still", save.do(e, "a", asleep, ann), history.ErrFenced)
	e.want("someone", save.do(e, "a", e.head("a"), 0), history.ErrLeased)
	e.want("bob goes back", back.do(e, "a", e.head("a"), bob), nil)
	e.want("under the old number", save.do(e, "a", e.head("a"), bob), history.ErrFenced)
	e.want("under the next", save.do(e, "a", e.head("a"), bob+1), nil)
	e.clock.add(2 * term)
	e.want("someone goes back", back.do(e, "a", e.head("a"), 0), nil)
	e.want("bob is late", save.do(e, "a", e.head("a"), bob+1), history.ErrFenced)
	if err := second(e.s.Renew(e.ctx, "a", bob+2, term)); !errors.Is(err, history.ErrFenced) {
		e.Errorf("renew the number of nobody: got %v, want %v", err, history.ErrFenced)
	}
}
