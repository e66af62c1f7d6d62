package object_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

// scene makes a world with some blocks and chests.
func scene(t testing.TB, rng *rand.Rand, blocks, chests int) *world.View {
	w := create(t, newStore(), world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		v := d.Volume(voxel.Block)
		stone := v.Named("stone")
		at := func() geom.Point { return geom.Point{X: rng.IntN(24) - 12, Y: rng.IntN(24), Z: rng.IntN(24) - 12} }
		for range blocks {
			v.Set(at(), stone)
		}
		for range chests {
			p := at()
			if rng.IntN(2) == 0 {
				v.Set(p, stone)
			}
			d.Add(voxel.BlockEntities, voxel.Object{Place: voxel.Moved, At: p, Payload: []byte{0}})
		}
	})
	return w.View()
}

// TestRay holds both rays against all cells and all objects on the way.
func TestRay(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	kinds := make(map[[2]bool]int)
	for range 20 {
		v := scene(t, rng, 120, 40)
		d := v.Dimension(earth)
		cells := d.Volume(voxel.Block).View
		x, err := object.New(d, object.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			r := object.Ray{From: octree.Vec{X: rng.Float64()*30 - 15, Y: rng.Float64() * 24, Z: float64(rng.IntN(30) - 15)},
				Direction: octree.Vec{X: float64(rng.IntN(7) - 3), Y: float64(rng.IntN(7) - 3), Z: float64(rng.IntN(7) - 3)}, Reach: rng.Float64() * 40}
			if r.Direction == (octree.Vec{}) {
				continue
			}
			if rng.IntN(3) == 0 {
				r.Reach = math.Inf(1)
			}
			var cell grid.Hit
			met := false
			if err := cells.Raycast([3]float64{r.From.X, r.From.Y, r.From.Z}, [3]float64{r.Direction.X, r.Direction.Y, r.Direction.Z}, min(r.Reach, 1000), func(h grid.Hit) bool {
				cell, met = h, true
				return false
			}); err != nil {
				t.Fatal(err)
			}
			length := math.Sqrt(r.Direction.X*r.Direction.X + r.Direction.Y*r.Direction.Y + r.Direction.Z*r.Direction.Z)
			limit := min(r.Reach, 1000)
			if met {
				limit = cell.Distance
			}
			var before []float64
			for _, f := range walked(d, object.Options{}) {
				if at, ok := (octree.Ray{Origin: r.From, Direction: r.Direction, Max: 1000}).Enter(f.Box); ok && at*length <= limit+1e-9 {
					before = append(before, at*length)
				}
			}
			slices.Sort(before)

			hits, c, ok, err := appendBefore(cells, x, r)
			if err != nil || ok != met || c != cell || len(hits) != len(before) {
				t.Fatalf("%v: %d objects before %v, %v; want %v before %v", r, len(hits), c, err, before, cell)
			}
			for i, h := range hits {
				if math.Abs(h.T-before[i]) > 1e-9 {
					t.Fatalf("%v: object at %v, want %v", r, h.T, before[i])
				}
			}
			first, ok, err := first(cells, x, r)
			if err != nil || ok != (met || len(hits) > 0) {
				t.Fatalf("%v: %v, %v", r, first, err)
			}
			kinds[[2]bool{first.IsCell, first.Object.ID != 0}]++
			switch {
			case len(hits) == 0:
				if first != (object.FirstHit{Distance: cell.Distance, Cell: cell, IsCell: met}) {
					t.Fatalf("%v: %v, want the cell %v", r, first, cell)
				}
			case first.Object != hits[0] || first.Distance != hits[0].T || first.IsCell != (met && cell.Distance == hits[0].T) || first.IsCell && first.Cell != cell:
				t.Fatalf("%v: %v, want %v and %v", r, first, hits[0], cell)
			}
		}
	}
	for _, kind := range [][2]bool{{true, false}, {false, true}, {true, true}, {false, false}} {
		if kinds[kind] < 20 {
			t.Errorf("cell %v, object %v: %d times", kind[0], kind[1], kinds[kind])
		}
	}
}

func TestRayFaults(t *testing.T) {
	v := scene(t, rand.New(rand.NewPCG(1, 1)), 10, 10)
	cells := v.Dimension(earth).Volume(voxel.Block).View
	tree, err := octree.New(octree.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id, _ := tree.Insert(octree.At(octree.Vec{X: 40, Y: 2.5, Z: 100}))
	nan := math.NaN()
	for _, r := range []object.Ray{{}, {Direction: octree.Vec{X: nan}, Reach: 1}, {Direction: octree.Vec{X: math.Inf(1)}, Reach: 1},
		{From: octree.Vec{Y: nan}, Direction: octree.Vec{X: 1}, Reach: 1}, {Direction: octree.Vec{X: 1}, Reach: -1}, {Direction: octree.Vec{X: 1}, Reach: nan}} {
		if hit, ok, err := object.First(cells, tree, r); err == nil || ok {
			t.Errorf("%v: %v, %v", r, hit, ok)
		}
		if hits, _, ok, err := object.AppendBefore(nil, cells, tree, r); err == nil || ok || hits != nil {
			t.Errorf("%v: %v, %v", r, hits, ok)
		}
	}
	// Beyond what is loaded.
	part := cells.With([]grid.Placed{{Pos: geom.ChunkPos{X: 2, Z: 3}, Chunk: grid.NotLoaded}})
	r := object.Ray{From: octree.Vec{X: 20, Y: 2.5, Z: 100}, Direction: octree.Vec{X: 2}, Reach: 500}
	if hit, _, err := object.First(part, tree, r); err != nil || hit.Object.ID != id || hit.Distance != 20 {
		t.Errorf("%v, %v", hit, err)
	}
	tree.Remove(id)
	if _, _, err := object.First(part, tree, r); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("a ray through what is not loaded: %v", err)
	}
}

func TestPosition(t *testing.T) {
	payload := func(elem nbt.Type, n int, after string) []byte {
		b := nbt.AppendCompound(nbt.AppendString(nil, "id", "x"), "Passenger")
		b = append(nbt.AppendList(b, "Pos", nbt.Double, 1), make([]byte, 8)...)
		b = nbt.AppendEnd(b)
		b = nbt.AppendList(b, "Pos", elem, n)
		size := map[nbt.Type]int{nbt.Double: 8, nbt.Float: 4}[elem]
		return nbt.AppendEnd(nbt.AppendString(append(b, make([]byte, n*size)...), "after", after))
	}
	at := octree.Vec{X: 1.25, Y: -3.5, Z: 1e6}
	for _, tt := range []struct {
		name    string
		payload []byte
		kept    bool // the payload has the position
	}{
		{"three doubles", payload(nbt.Double, 3, "z"), true},
		{"two doubles", payload(nbt.Double, 2, "z"), false},
		{"floats", payload(nbt.Float, 3, "z"), false},
		{"nothing", nil, false},
		{"no compound", []byte{1, 2, 3}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			was := slices.Clone(tt.payload)
			o, err := object.SetPosition(voxel.Object{Payload: tt.payload}, at)
			if err != nil || o.At != (geom.Point{X: 1, Y: -4, Z: 1000000}) || o.Place != voxel.Indexed || !slices.Equal(was, tt.payload) {
				t.Fatalf("%v, %v", o, err)
			}
			want := octree.Vec{X: 1.5, Y: -4, Z: 1000000.5}
			if tt.kept {
				want = at
			}
			if got, ok := object.Position(&o); got != want || !ok {
				t.Errorf("got %v, want %v", got, want)
			}
			if !tt.kept && !slices.Equal(o.Payload, was) {
				t.Errorf("another payload: %q", o.Payload)
			}
			b, ok := object.Exact("x", &o)
			if wantBox, _ := object.Cell("x", &o); tt.kept && b != object.Person.At(at) || !tt.kept && b != wantBox || !ok {
				t.Errorf("box %v", b)
			}
		})
	}
	full := payload(nbt.Double, 3, "z")
	for i := range full {
		o := voxel.Object{Payload: full[:i]}
		object.Position(&o)
		if _, err := object.SetPosition(o, at); err != nil {
			t.Error(err)
		}
	}
	wrong, err := object.SetPosition(voxel.Object{Payload: full}, octree.Vec{X: 1})
	if err != nil {
		t.Fatal(err)
	}
	one := slices.Index(wrong.Payload, 0x3f)
	wrong.Payload[one], wrong.Payload[one+1] = 0x7f, 0xf8 // NaN
	if got, ok := object.Position(&wrong); !ok || got != (octree.Vec{X: 1.5, Z: 0.5}) {
		t.Errorf("a Pos that is not a number: %v, %v", got, ok)
	}
	if _, err := object.SetPosition(voxel.Object{}, octree.Vec{X: math.NaN()}); !errors.Is(err, geom.ErrOutOfRange) {
		t.Error(err)
	}
}
