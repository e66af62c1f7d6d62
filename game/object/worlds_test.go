package object_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

const (
	mostBytes = 32 << 20 // of a real world that the test reads
	mostRead  = 30       // worlds
)

// The objects of real worlds are found as by walking, in views and in snapshots, and movers
// taken from them come back.
func TestWorlds(t *testing.T) {
	long.Rest(t)
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	if testing.Short() {
		t.Skip("reads real worlds")
	}
	paths, err := filepath.Glob(filepath.Join(root, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, path := range paths {
		if read == mostRead || size(path) > mostBytes {
			continue
		}
		whole, ok := wholeOf(path)
		if !ok {
			continue
		}
		read++
		t.Run("", func(t *testing.T) { testWorld(t, whole) })
	}
	if read == 0 {
		t.Error("no world could be read")
	}
}

// wholeOf returns a world of Anvil as a stone.
func wholeOf(path string) (history.Stone, bool) {
	src, err := anvil.Open(path, anvil.Options{})
	if err != nil {
		return history.Stone{}, false
	}
	defer src.Close()
	from, err := convert.Load(ctx, src)
	if err != nil {
		return history.Stone{}, false
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, from, &out, stone.Options{Effort: stone.Quick})
	return history.Stone{ID: id, Data: out.Bytes()}, err == nil
}

func size(path string) (n int64) {
	filepath.Walk(path, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}

func testWorld(t *testing.T, s history.Stone) {
	rng := rand.New(rand.NewPCG(9, 9))
	st := newStore()
	if _, err := world.Import(ctx, st, "a", s, world.Options{}, "import"); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(ctx, st, "a", world.Options{Whole: true, Manual: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	snap, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	for _, d := range w.View().Dimensions() {
		for _, o := range []object.Options{{}, {Box: object.Exact}} {
			x, err := object.New(d, o)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, rng, x, walked(d, o), true)
			y, err := object.Read(ctx, snap, d.Name(), o)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, rng, y, walked(d, o), false)
		}
		for _, list := range []string{voxel.Entities, voxel.ProtoEntities} {
			moveThere(t, st, w, d.Name(), list)
		}
	}
}

// moveThere moves all objects of a list by a bit and back, each time with a commit.
func moveThere(t *testing.T, st history.Store, w *world.World, dim, list string) {
	before := walked(w.View().Dimension(dim), object.Options{})
	m, err := object.NewMovers(w, dim, object.MoverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	n := 0
	tick(t, m, func(tk *object.Tick) (err error) {
		n, err = tk.TakeAll(list, world.Everywhere)
		return err
	})
	if n == 0 {
		return
	}
	for _, by := range []float64{20, -20} {
		tick(t, m, func(tk *object.Tick) error {
			var ids []octree.ObjectID
			tk.Tree().All(func(id octree.ObjectID, _ octree.Box) bool { ids = append(ids, id); return true })
			for _, id := range ids {
				p, _ := tk.Get(id)
				p.At.X += by
				if err := tk.Move(id, p.At); err != nil {
					return err
				}
			}
			return nil
		})
		commit(t, w)
	}
	if lost := m.Lost(); len(lost) > 0 {
		t.Errorf("lost %d of %d", len(lost), n)
	}
	old, err := world.Open(ctx, st, "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	// Each object is back in its column. Its place in the list may be another, and rounding may have moved it.
	where := func(found []object.Found) (out []string) {
		for _, f := range found {
			o := *f.Object()
			if f.List.Name == list {
				o.Payload = nil
			}
			f.Ordinal, f.Box, f.List = 0, octree.Box{}, &voxel.List{Name: f.List.Name, Objects: []voxel.Object{o}}
			out = append(out, said([]object.Found{f}, true)...)
		}
		slices.Sort(out)
		return out
	}
	if !slices.Equal(where(before), where(walked(old.View().Dimension(dim), object.Options{}))) {
		t.Error("objects are not where they were")
	}
}
