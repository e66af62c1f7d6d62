package local_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/world"
)

// script is a run of a Store, with what it was told.
type script struct {
	acked map[string]world.ID // heads that were acknowledged
	doing string              // the world that a call is under way for
}

func (sc *script) run(t *testing.T, s *local.Store) {
	step := func(name string, what func() (world.ID, error)) {
		sc.doing = name
		id, err := what()
		if err != nil {
			t.Fatal(err)
		}
		sc.acked[name] = id
		sc.doing = ""
	}
	create := func(name string) {
		step(name, func() (world.ID, error) { return world.ID{}, s.Create(t.Context(), name) })
	}
	commit := func(name, text string, n int) {
		step(name, func() (world.ID, error) { return save(t, s, name, mustStone(t, text, n)) })
	}
	create("a")
	commit("a", "small", 10)
	commit("a", "large", 5000)
	create("b")
	commit("b", "large", 5000)
	commit("b", "larger", 6000)
	step("c", func() (world.ID, error) {
		return sc.acked["a"], s.Fork(t.Context(), "a", sc.acked["a"], "c")
	})
	commit("c", "of the fork", 7000)
	step("c", func() (world.ID, error) {
		st := mustStone(t, "pack", 8000)
		p := world.Pack{Upto: sc.acked["c"], Stone: world.StoneRef{ID: st.ID, Size: int64(len(st.Data))}}
		return sc.acked["c"], s.PutPack(t.Context(), "c", p, st)
	})
	step("b", func() (world.ID, error) {
		delete(sc.acked, "b") // whether it is there is told by no call
		if err := s.Delete(t.Context(), "b", 0); err != nil {
			return world.ID{}, err
		}
		_, err := s.Collect(t.Context(), world.Policy{Grace: -1, Deleted: -1, Keep: world.Retention{Newest: 1, Hourly: -1, Daily: -1, Monthly: -1}})
		return world.ID{}, err
	})
	delete(sc.acked, "b")
	commit("a", "larger", 6000) // once more, after it was taken
	step("d", func() (world.ID, error) {
		head := sc.acked["a"]
		delete(sc.acked, "a") // it is the one or the other
		return head, s.Rename(t.Context(), "a", "d", 0)
	})
}

// TestCrash stops a run at every sync and looks at what a crash leaves there,
// with all, some and none of what was not synced.
func TestCrash(t *testing.T) {
	stops := 0
	for stop := 0; ; stop++ {
		mem := vfs.NewCrashableMem()
		sc := &script{acked: make(map[string]world.ID)}
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
				sc.look(t, fmt.Sprintf("stop %d with %d %%", stop, percent),
					mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng}))
				stops++
			}
			return nil
		}
		s := mustOpen(t, "store", local.Options{FS: hookFS{mem, look}, FileBytes: 4000})
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
	s, err := local.Open("store", local.Options{FS: left, FileBytes: 4000})
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
	if _, err := s.Collect(t.Context(), world.Policy{}); err != nil {
		t.Fatalf("%s: collect: %v", at, err)
	}
	if _, err := s.Check(t.Context(), nil); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	mustClose(t, s)
}
