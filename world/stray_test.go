package world_test

import (
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// TestObjectsByPosition compares queries with a twin that looks at all objects: an object is found where
// it is, whichever column it belongs to, and a box has nothing of elsewhere.
func TestObjectsByPosition(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	point := func(n int) geom.Point {
		return geom.Point{X: r.IntN(2*n) - n, Y: r.IntN(2*n) - n, Z: r.IntN(2*n) - n}
	}
	all := make(map[geom.ColumnPos][]voxel.Object)
	check := func(w *world.World) {
		t.Helper()
		for range 200 {
			box := geom.Box{Min: point(3000)}
			box.Max = box.Min.Add(geom.Point{X: r.IntN(3000), Y: r.IntN(3000), Z: r.IntN(3000)})
			var got, want []geom.Point
			for _, o := range w.View().Dimension(earth).Objects("list", box) {
				got = append(got, o.At)
			}
			homes := make([]geom.ColumnPos, 0, len(all))
			for pos := range all {
				homes = append(homes, pos)
			}
			slices.SortFunc(homes, geom.ColumnPos.Compare)
			for _, pos := range homes {
				for _, o := range all[pos] {
					if o.Place != voxel.Nowhere && box.Contains(o.At) {
						want = append(want, o.At)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v: found %v, want %v", box, got, want)
			}
		}
	}
	for range 20 {
		update(t, w, func(tx *world.Tx) {
			for range 20 {
				pos := geom.ColumnPos{X: int32(r.IntN(300) - 150), Z: int32(r.IntN(300) - 150)}
				var objects []voxel.Object
				for range r.IntN(3) {
					o := voxel.Object{Place: voxel.Moved, At: pos.Min(r.IntN(100)), Payload: []byte{1}}
					switch r.IntN(4) {
					case 0:
						o.At = point(3000)
					case 1:
						o.At, o.Place = geom.Point{}, voxel.Nowhere
					}
					objects = append(objects, o)
				}
				all[pos] = objects
				tx.Dimension(earth).SetObjects("list", pos, objects)
			}
		})
		check(w)
	}
	commit(t, w)
	w.Close()
	w, err := world.Open(ctx, st, "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	check(w)
}

// TestObjectsOfAHugeBox: a box may be larger than space.
func TestObjectsOfAHugeBox(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).Add("list", voxel.Object{At: geom.Point{X: 5}, Place: voxel.Moved, Payload: []byte{1}})
	})
	for _, n := range []int{1 << 25, 1 << 36, math.MaxInt} {
		found := 0
		for range w.View().Dimension(earth).Objects("list", geom.Box{Min: geom.Point{X: -n, Y: -n, Z: -n}, Max: geom.Point{X: n, Y: n, Z: n}}) {
			found++
		}
		if found != 1 {
			t.Errorf("%d objects in a box to %d", found, n)
		}
	}
}

// TestNothingThere reads dimensions and volumes that a world does not have.
func TestNothingThere(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	none := w.View().Dimension("none")
	if none != nil || none.Name() != "" || none.Volumes() != nil || none.WithoutCells() == nil || none.Model(geom.ColumnPos{}) != nil || none.Apart(nil) != nil || none.Versions(world.Everywhere) != nil {
		t.Error("a dimension that is not there has something in it")
	}
	for range none.Columns(world.Everywhere) {
		t.Error("a column")
	}
	for range none.Objects("list", world.Everywhere) {
		t.Error("an object")
	}
	if c, ok := none.Column(geom.ColumnPos{}); c != nil || !ok {
		t.Error(c, ok)
	}
	for _, v := range []*world.Volume{none.Volume(voxel.Block), w.View().Dimension(earth).Volume("none")} {
		if _, ok := v.Cell(geom.Point{}); v != nil || ok {
			t.Error("a cell")
		}
		if c, ok := v.Chunk(geom.ChunkPos{}); c != nil || ok {
			t.Error("a chunk")
		}
		if _, ok := v.Named("air"); ok || v.Names() != nil || v.CellName(0) != "" {
			t.Error("a name")
		}
	}
	update(t, w, func(tx *world.Tx) {
		none := tx.Dimension("none")
		if none.Column(geom.ColumnPos{}) != nil || none.Objects("list", geom.ColumnPos{}) != nil {
			t.Error("a column of no dimension")
		}
		v := none.Volume(voxel.Block)
		_, cell := v.Cell(geom.Point{})
		if c, chunk := v.Chunk(geom.ChunkPos{}); v != nil || cell || c != nil || chunk || v.Names() != nil || v.Versions(world.Everywhere) != nil || v.ReadBox(geom.Box{}, nil) {
			t.Error("a volume of no dimension")
		}
	})
}

// TestPartCountsOnce: a world of Options.Part counts what it comes to know, however often it is asked for.
func TestPartCountsOnce(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{})
	update(t, w, func(tx *world.Tx) {
		for x := range int32(10) {
			tx.Dimension(earth).SetColumn(voxel.Column{Pos: geom.ColumnPos{X: x}})
		}
	})
	commit(t, w)
	p, err := world.Open(ctx, st, "a", world.Options{Part: 10})
	if err != nil {
		t.Fatal(err)
	}
	for x := range 3 {
		h, err := p.Load(ctx, earth, geom.Box{Max: geom.Point{X: 16 + 64*x, Y: 1, Z: 16}}, world.Columns)
		if err != nil {
			t.Fatal(x, err)
		}
		h.Release()
		if err := p.LoadColumns(earth); err != nil {
			t.Fatal(x, err)
		}
	}
	if err := p.LoadColumns("none"); err == nil {
		t.Error("a dimension that is not there has columns")
	}
}

// TestOpenOfLargeWorld: opening reads the directories of stones, and no more of a large world than of a small one
// until somebody asks where something is.
func TestOpenOfLargeWorld(t *testing.T) {
	st := newStore()
	sized(t, st, "a", 16384, 1)
	head, err := st.Head(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	took := func(do func() io.Closer) uint64 {
		least := uint64(math.MaxUint64)
		for range 5 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c := do()
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
			closeWorld(t, c)
		}
		return least
	}
	version := took(func() io.Closer {
		s, err := world.OpenSnapshot(ctx, st, "a", head.Commit, world.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
	opened := took(func() io.Closer { return open(t, st, "a", world.Options{}) })
	if opened > version+64<<10 {
		t.Errorf("opening takes %d bytes, and %d for a version", opened, version)
	}
	w := open(t, st, "a", world.Options{})
	v := w.View().Dimension(earth).Volume(voxel.Block)
	closeWorld(t, w) // a View stays good
	if n := v.Len(); n != 16384 || !v.Known(geom.ChunkPos{X: -64, Z: 63}) || v.Known(geom.ChunkPos{X: -65}) {
		t.Errorf("%d chunks", n)
	}
}
