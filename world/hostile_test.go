package world_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// blockStone is a stone with a volume of blocks that is one chunk of its last name.
func blockStone(v voxel.Volume, rules []light.Rule, names ...string) stonetest.Spec {
	last := voxel.Uniform(voxel.Cell(max(len(names), 1) - 1))
	return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: earth, Rules: rules, Volumes: []stonetest.VolumeSpec{{
		Volume: v, Names: names,
		Levels: []stonetest.LevelSpec{{Chunks: []stone.Placed{{Chunk: last}}}},
	}}}}}
}

// stacked opens a world of a stack of stones that no world wrote.
func stacked(t *testing.T, specs ...stonetest.Spec) (*world.World, error) {
	t.Helper()
	st := newStore()
	if err := st.Create(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	var head history.Head
	for _, s := range specs {
		var out bytes.Buffer
		id, err := s.Write(&out, stone.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := history.Commit{Parent: head.Commit, Base: head.Commit, Stones: []history.StoneRef{{ID: id, Size: int64(out.Len())}}}
		if c, err = st.Commit(ctx, "a", head, c, history.Stone{ID: id, Data: out.Bytes()}); err != nil {
			t.Fatal(err)
		}
		head.Commit = c.ID()
	}
	return world.Open(ctx, st, "a", world.Options{})
}

// Stacks of stones that fit each other are read by what their cells mean; others
// are refused when they are opened.
func TestForeignStacks(t *testing.T) {
	block := voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}
	rock := block
	rock.Default = 1
	wide := block
	wide.Scale = 4
	solid := voxel.Volume{Name: voxel.Block, Schema: voxel.Terrain, Scale: 1}
	rule := []light.Rule{{Map: "m", Cells: []voxel.Cell{1, 2, 9, 30_000}}}
	for _, tt := range []struct {
		name  string
		specs []stonetest.Spec
		want  string // "" if it is refused
	}{
		{"names in another order", []stonetest.Spec{blockStone(block, nil, "air", "rock"), blockStone(block, rule, "air", "moss", "rock", "zinc")}, "zinc"},
		{"another default", []stonetest.Spec{blockStone(block, nil, "air", "rock"), blockStone(rock, nil, "air", "rock", "zinc")}, ""},
		{"a default under another number", []stonetest.Spec{blockStone(rock, nil, "air", "rock", "zinc"), blockStone(voxel.Volume{
			Name: voxel.Block, Schema: voxel.Palette, Scale: 1, Default: 2}, nil, "air", "moss", "rock", "tin")}, "tin"},
		{"another empty cell", []stonetest.Spec{blockStone(block, nil, "air", "rock"), blockStone(block, nil, "void", "rock")}, ""},
		{"another scale", []stonetest.Spec{blockStone(block, nil, "air", "rock"), blockStone(wide, nil, "air", "rock")}, ""},
		{"another schema", []stonetest.Spec{blockStone(block, nil, "air", "rock"), blockStone(solid, nil)}, ""},
		{"other materials", []stonetest.Spec{blockStone(solid, nil, ""), blockStone(solid, nil, "air")}, ""},
		{"a name twice", []stonetest.Spec{blockStone(block, nil, "air", "air")}, "air"},
	} {
		w, err := stacked(t, tt.specs...)
		if (tt.want == "") != (err != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil {
			continue
		}
		if _, err := w.Load(ctx, earth, world.Everywhere); err != nil {
			t.Fatal(err)
		}
		if got := name(w, geom.Point{X: 3}); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		set(t, w, geom.Point{X: 3}, "new")
		commit(t, w)
		if err := w.Pack(ctx); err != nil {
			t.Error(err)
		}
		closeWorld(t, w)
	}
}

// A name of an empty cell counts wherever in the stack it was first used.
func TestEmptyNamesOfLaterStones(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	commit(t, w)
	set(t, w, geom.Point{X: 2}, "minecraft:cave_air")
	commit(t, w)
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{Whole: true})
	defer closeWorld(t, w)
	v := w.View().Dimension(earth).Volume(voxel.Block)
	if _, full, err := v.Overlap([3]float64{2, 0, 0}, [3]float64{3, 1, 1}); full || err != nil {
		t.Errorf("a cell of air is in the way: %v, %v", full, err)
	}
}

// A large stone is read from the Store, not kept in memory, and closed.
func TestLargeCommit(t *testing.T) {
	long.Alone(t)
	st := &flaky{Store: newStore()}
	w := create(t, st, "a", world.Options{})
	r := rand.New(rand.NewPCG(1, 1))
	cells := make([]voxel.Cell, voxel.ChunkCells)
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Light)
		for x := range int32(64) {
			for i := range cells {
				cells[i] = voxel.Cell(r.IntN(256))
			}
			v.SetChunk(geom.ChunkPos{X: x}, voxel.FromFlat((*[voxel.ChunkCells]voxel.Cell)(cells)))
		}
	})
	if k := commit(t, w); k.Stones[0].Size < 1<<20 || st.count(0) != 1 {
		t.Errorf("a stone of %d bytes, %d are open, want 1", k.Stones[0].Size, st.count(0))
	}
	h, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := w.View().Dimension(earth).Volume(voxel.Light).Chunk(geom.ChunkPos{X: 63}); !ok || !c.Equal(voxel.FromFlat((*[voxel.ChunkCells]voxel.Cell)(cells))) {
		t.Error("what was read is not what was written")
	}
	h.Release()
	closeWorld(t, w)
	st.noneOpen(t, "closed")
}

// A world that is opened under a lease is changed under it, until it is lost.
func TestLeased(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	first := commit(t, w)
	lease, err := st.Lease(ctx, "a", "ann", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	set(t, w, geom.Point{}, "late")
	if _, err := w.Commit(ctx, ""); !errors.Is(err, history.ErrLeased) || w.Fence() != 0 {
		t.Errorf("without the lease: got %v, fence %d, want ErrLeased", err, w.Fence())
	}
	closeWorld(t, w)
	if _, err := world.Open(ctx, st, "a", world.Options{Fence: lease.Fence + 1}); !errors.Is(err, history.ErrFenced) {
		t.Errorf("opened under another fence: got %v, want ErrFenced", err)
	}

	w = open(t, st, "a", world.Options{Fence: lease.Fence, Whole: true})
	set(t, w, geom.Point{}, "rock")
	commit(t, w)
	if _, err := w.Restore(ctx, first.ID(), "back"); err != nil || w.Fence() != lease.Fence+1 {
		t.Errorf("restore: %v, fence %d, want %d", err, w.Fence(), lease.Fence+1)
	}
	set(t, w, geom.Point{}, "moss")
	commit(t, w)
	whole, err := wholeStone(w)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, whole.Size())
	if _, err := whole.ReadAt(data, 0); err != nil {
		t.Fatal(err)
	}
	imported := history.Stone{ID: sha256.Sum256(data), Data: data}
	for _, tt := range []struct {
		fence uint64
		want  error
	}{{0, history.ErrLeased}, {lease.Fence, history.ErrFenced}, {w.Fence(), nil}} {
		if _, err := world.Import(ctx, st, "a", imported, world.Options{Fence: tt.fence}, ""); !errors.Is(err, tt.want) {
			t.Errorf("import under %d: got %v, want %v", tt.fence, err, tt.want)
		}
	}
	set(t, w, geom.Point{}, "lost")
	if _, err := w.Commit(ctx, ""); !errors.Is(err, history.ErrFenced) {
		t.Errorf("after an import: got %v, want ErrFenced", err)
	}
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{Fence: history.Force, Whole: true})
	defer closeWorld(t, w)
	set(t, w, geom.Point{}, "forced")
	commit(t, w)
	commit(t, w)
	if l, err := st.Leased(ctx, "a"); err != nil || l != (history.Lease{}) || w.Fence() != history.Force {
		t.Errorf("after an admin's save: %+v, %v, fence %d", l, err, w.Fence())
	}
}

// A fenced world keeps what it has, is read, and says so each time.
func TestFenced(t *testing.T) {
	st := &failing{Store: newStore(), err: history.ErrFenced}
	w := create(t, st, "a", world.Options{})
	defer closeWorld(t, w)
	set(t, w, geom.Point{}, "rock")
	for range 3 {
		if _, err := w.Commit(ctx, ""); !errors.Is(err, history.ErrFenced) {
			t.Errorf("got %v, want ErrFenced", err)
		}
		if _, err := w.Restore(ctx, history.ID{}, ""); !errors.Is(err, history.ErrFenced) {
			t.Errorf("restore: got %v, want ErrFenced", err)
		}
	}
	if got := name(w, geom.Point{}); got != "rock" || !w.Dirty() {
		t.Errorf("%q, dirty %v", got, w.Dirty())
	}
}
