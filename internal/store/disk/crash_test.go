package disk_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/internal/store/disk"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
)

// script is a run of a Store, with what it was told.
type script struct {
	acked  map[string]history.ID    // heads that were acknowledged
	leases map[string]history.Lease // the same of worlds that are leased
	doing  string                   // the world that a call is under way for
}

func (sc *script) run(t *testing.T, s *disk.Store) {
	step := func(name string, what func() (history.ID, error)) {
		sc.doing = name
		id, err := what()
		if err != nil {
			t.Fatal(err)
		}
		sc.acked[name] = id
		sc.doing = ""
	}
	create := func(name string) {
		step(name, func() (history.ID, error) { return history.ID{}, s.Create(t.Context(), name) })
	}
	commit := func(name, text string, n int) {
		step(name, func() (history.ID, error) { return save(t, s, name, mustStone(t, text, n)) })
	}
	create("a")
	commit("a", "small", 10)
	commit("a", "large", 5000)
	create("b")
	commit("b", "large", 5000)
	commit("b", "larger", 6000)
	step("c", func() (history.ID, error) {
		return sc.acked["a"], s.Fork(t.Context(), "a", sc.acked["a"], "c")
	})
	commit("c", "of the fork", 7000)
	step("c", func() (history.ID, error) {
		st := mustStone(t, "pack", 8000)
		p := history.Pack{Upto: sc.acked["c"], Stone: history.StoneRef{ID: st.ID, Size: int64(len(st.Data))}}
		return sc.acked["c"], s.PutPack(t.Context(), "c", p, st)
	})
	step("b", func() (history.ID, error) {
		delete(sc.acked, "b") // whether it is there is told by no call
		if err := s.Delete(t.Context(), "b", 0); err != nil {
			return history.ID{}, err
		}
		_, err := s.Collect(t.Context(), history.Policy{Grace: -1, Deleted: -1, Keep: history.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}})
		return history.ID{}, err
	})
	delete(sc.acked, "b")
	sc.own(t, s, step)
	sc.purge(t, s, step)
	commit("a", "larger", 6000) // once more, after it was taken
	step("d", func() (history.ID, error) {
		head := sc.acked["a"]
		delete(sc.acked, "a") // it is the one or the other
		return head, s.Rename(t.Context(), "a", "d", 0)
	})
}

// own takes a lease of c, and changes c under it.
func (sc *script) own(t *testing.T, s *disk.Store, step func(string, func() (history.ID, error))) {
	lease := func(what func() (history.Lease, error)) history.Lease {
		step("c", func() (history.ID, error) {
			l, err := what()
			sc.leases["c"] = l
			return sc.acked["c"], err
		})
		return sc.leases["c"]
	}
	lease(func() (history.Lease, error) { return s.Lease(t.Context(), "c", "ann", time.Hour) })
	l := lease(func() (history.Lease, error) { return s.Renew(t.Context(), "c", 1, 2*time.Hour) })
	step("c", func() (history.ID, error) {
		base := history.Head{Commit: sc.acked["c"], Fence: l.Fence}
		c, err := s.Commit(t.Context(), "c", base, history.Commit{Parent: base.Commit})
		l.Fence++
		sc.leases["c"] = l
		return c.ID(), err
	})
	lease(func() (history.Lease, error) { return history.Lease{}, s.Release(t.Context(), "c", l.Fence) })
	lease(func() (history.Lease, error) { return s.Lease(t.Context(), "c", "bob", time.Hour) })
}

// purge purges a world that shares stones with others.
func (sc *script) purge(t *testing.T, s *disk.Store, step func(string, func() (history.ID, error))) {
	step("e", func() (history.ID, error) { return sc.acked["a"], s.Fork(t.Context(), "a", sc.acked["a"], "e") })
	for _, n := range []int{20, 6000, 9000} {
		step("e", func() (history.ID, error) { return save(t, s, "e", mustStone(t, "purged", n)) })
	}
	step("e", func() (history.ID, error) {
		delete(sc.acked, "e")
		_, err := s.Purge(t.Context(), "e", 0)
		return history.ID{}, err
	})
	delete(sc.acked, "e")
}

// TestCrash stops a run at every sync and looks at what a crash leaves there,
// with all, some and none of what was not synced.
func TestCrash(t *testing.T) {
	long.Alone(t)
	stops := 0
	for stop := 0; ; stop++ {
		mem := vfs.NewCrashableMem()
		sc := &script{acked: make(map[string]history.ID), leases: make(map[string]history.Lease)}
		n, hit := 0, false
		look := func(op string) error {
			if op != "sync" || hit {
				return nil
			}
			if n++; n-1 != stop {
				return nil
			}
			hit = true
			for _, percent := range []int{0, 50} {
				rng := rand.New(rand.NewPCG(uint64(stop), uint64(percent)))
				left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
				var wg sync.WaitGroup // a test that ends here must not end a goroutine of the database
				wg.Go(func() { sc.look(t, fmt.Sprintf("stop %d with %d %%", stop, percent), left) })
				wg.Wait()
				stops++
			}
			return nil
		}
		s := mustOpen(t, "store", disk.Options{FS: hookFS{mem, look}, FileBytes: 4000})
		sc.run(t, s)
		mustClose(t, s)
		if !hit {
			break
		}
	}
	t.Logf("%d stops", stops)
	if stops < 40 {
		t.Errorf("%d stops: the syncs are not seen", stops)
	}
}

// look opens what a crash left.
func (sc *script) look(t *testing.T, at string, left *vfs.MemFS) {
	s, err := disk.Open("store", disk.Options{FS: left, FileBytes: 4000})
	if err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	r, err := s.Check(t.Context(), nil)
	if err != nil || len(r.Faults) > 0 {
		t.Fatalf("%s: check: %v, %q", at, err, r.Faults)
	}
	for name, id := range sc.acked {
		h, err := s.Head(t.Context(), name)
		if name == sc.doing {
			continue // it may be as it was or as it is about to be
		}
		if err != nil || h.Commit != id {
			t.Fatalf("%s: head of %s: got %v, %v, want %v", at, name, h.Commit, err, id)
		}
	}
	for name, want := range sc.leases {
		if got, err := s.Leased(t.Context(), name); name != sc.doing && (err != nil || got != want) {
			t.Fatalf("%s: lease of %s: got %+v, %v, want %+v", at, name, got, err, want)
		}
	}
	if _, err := s.Collect(t.Context(), history.Policy{}); err != nil {
		t.Fatalf("%s: collect: %v", at, err)
	}
	if r, err := s.Check(t.Context(), nil); err != nil || len(r.Faults) > 0 {
		t.Fatalf("%s: check after collect: %v, %q", at, err, r.Faults)
	}
	mustClose(t, s)
}
