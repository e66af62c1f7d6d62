package object_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

const earth = "earth"

var ctx = context.Background()

func newStore() history.Store { return memory.New(memory.Options{}) }

func create(t testing.TB, st history.Store, o world.Options) *world.World {
	t.Helper()
	w, err := world.Create(ctx, st, "a", o)
	if err != nil {
		t.Fatal(err)
	}
	update(t, w, func(d *world.Tx) { d.AddDimension(earth, voxel.BlockVolumes(), nil) })
	return w
}

func update(t testing.TB, w *world.World, f func(tx *world.Tx)) {
	t.Helper()
	if _, err := w.Update(func(tx *world.Tx) error { f(tx); return nil }); err != nil {
		t.Fatal(err)
	}
}

func commit(t testing.TB, w *world.World) history.Commit {
	t.Helper()
	c, err := w.Commit(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sprinkle changes some lists of some columns.
func sprinkle(rng *rand.Rand, d *world.DimensionTx, columns int) {
	for range columns {
		pos := geom.ColumnPos{X: rng.Int32N(12) - 6, Z: rng.Int32N(12) - 6}
		list := []string{voxel.BlockEntities, voxel.Entities, "marks"}[rng.IntN(3)]
		if rng.IntN(8) == 0 {
			d.RemoveColumn(pos)
			continue
		}
		objects := slices.Clone(d.Objects(list, pos))
		switch rng.IntN(4) {
		case 0:
			objects = nil
		case 1:
			if len(objects) > 0 {
				objects = slices.Delete(objects, 0, 1)
			}
		default:
			for range 1 + rng.IntN(6) {
				objects = append(objects, someObject(rng, pos))
			}
		}
		d.SetObjects(list, pos, objects)
	}
}

func someObject(rng *rand.Rand, pos geom.ColumnPos) voxel.Object {
	payload := []byte(fmt.Sprint(rng.Uint32()))
	if rng.IntN(5) == 0 {
		return voxel.Object{Payload: payload}
	}
	at := pos.Min(rng.IntN(64) - 32).Add(geom.Point{X: rng.IntN(16), Z: rng.IntN(16)})
	if rng.IntN(20) == 0 {
		at.X += 500 // the position decides nothing about the column
	}
	return voxel.Object{Place: voxel.Moved, At: at, Payload: payload}
}

// walked is what the index is to find, by walking all columns.
func walked(d *world.Dimension, o object.Options) (out []object.Found) {
	box := o.Box
	if box == nil {
		box = object.Cell
	}
	for pos, c := range d.Columns(world.Everywhere) {
		if c == nil {
			continue
		}
		for _, l := range c.Lists {
			if len(o.Lists) > 0 && !slices.Contains(o.Lists, l.Name) {
				continue
			}
			for i := range l.Objects {
				if b, ok := box(l.Name, &l.Objects[i]); ok {
					out = append(out, object.Found{Box: b, Column: pos, List: &l, Ordinal: i})
				}
			}
		}
	}
	return out
}

// said writes what was found in one order, without IDs.
func said(found []object.Found, payload bool) []string {
	var out []string
	for _, f := range found {
		o := f.Object()
		if !payload || o == nil {
			o = new(voxel.Object)
		}
		out = append(out, fmt.Sprintf("%v %v %q %d %v", f.Box, f.Column, f.List.Name, f.Ordinal, *o))
	}
	slices.Sort(out)
	return out
}

// collect returns what a query finds.
func collect(x *object.Index, ask func(t *octree.Tree, yield func(octree.ObjectID, octree.Box) bool)) (out []object.Found) {
	x.Read(func(l object.Lookup) {
		ask(l.Tree(), func(id octree.ObjectID, _ octree.Box) bool {
			f, _ := l.Get(id)
			out = append(out, f)
			return true
		})
	})
	return out
}

// count returns how many objects an index has.
func count(x *object.Index) (n int) {
	x.Read(func(l object.Lookup) { n = l.Tree().Len() })
	return n
}

// get returns an object of an index.
func get(x *object.Index, id octree.ObjectID) (f object.Found, ok bool) {
	x.Read(func(l object.Lookup) { f, ok = l.Get(id) })
	return f, ok
}

// first is object.First in an index.
func first(cells *grid.View, x *object.Index, r object.Ray) (hit object.FirstHit, ok bool, err error) {
	x.Read(func(l object.Lookup) { hit, ok, err = object.First(cells, l.Tree(), r) })
	return hit, ok, err
}

// appendBefore is object.AppendBefore in an index.
func appendBefore(cells *grid.View, x *object.Index, r object.Ray) (hits []octree.Hit, cell grid.Hit, met bool, err error) {
	x.Read(func(l object.Lookup) { hits, cell, met, err = object.AppendBefore(nil, cells, l.Tree(), r) })
	return hits, cell, met, err
}

func keep(all []object.Found, f func(b octree.Box) bool) (out []object.Found) {
	for _, o := range all {
		if f(o.Box) {
			out = append(out, o)
		}
	}
	return out
}

// compare asks an index everything and holds it against all.
func compare(t *testing.T, rng *rand.Rand, x *object.Index, all []object.Found, payload bool) {
	t.Helper()
	check := func(what string, got, want []object.Found) {
		t.Helper()
		if g, w := said(got, payload), said(want, payload); !slices.Equal(g, w) {
			t.Fatalf("%s:\n got %q\nwant %q", what, g, w)
		}
	}
	if count(x) != len(all) {
		t.Fatalf("%d objects, want %d", count(x), len(all))
	}
	check("all", collect(x, (*octree.Tree).All), all)
	vec := func() octree.Vec {
		return octree.Vec{X: float64(rng.IntN(240) - 120), Y: float64(rng.IntN(80) - 40), Z: float64(rng.IntN(240) - 120)}
	}
	for range 8 {
		center, r := vec(), float64(rng.IntN(60))
		q := octree.Around(center, r)
		check("overlapping", collect(x, func(t *octree.Tree, y func(octree.ObjectID, octree.Box) bool) { t.Overlapping(q, y) }), keep(all, q.Overlaps))
		check("inside", collect(x, func(t *octree.Tree, y func(octree.ObjectID, octree.Box) bool) { t.Inside(q, y) }), keep(all, q.Contains))
		check("point", collect(x, func(t *octree.Tree, y func(octree.ObjectID, octree.Box) bool) { t.Point(center, y) }), keep(all, octree.At(center).Overlaps))
		check("ball", collect(x, func(t *octree.Tree, y func(octree.ObjectID, octree.Box) bool) { t.Ball(center, r, y) }), keep(all, func(b octree.Box) bool { return b.Distance(center) <= r }))
		f := octree.Frustum{{Normal: octree.Vec{X: 1}, Offset: -center.X}, {Normal: octree.Vec{Y: 1, Z: 1}, Offset: 3},
			{Normal: octree.Vec{X: -1}, Offset: center.X + 90}, {}, {}, {}}
		check("frustum", collect(x, func(t *octree.Tree, y func(octree.ObjectID, octree.Box) bool) { t.Frustum(f, y) }), keep(all, f.Sees))
		var near []octree.Near
		x.Read(func(l object.Lookup) { near = l.Tree().Nearest(center, make([]octree.Near, 7)) })
		byDistance := slices.Clone(all)
		slices.SortFunc(byDistance, func(a, b object.Found) int {
			return cmp.Compare(a.Box.Distance(center), b.Box.Distance(center))
		})
		for i, n := range near {
			found, ok := get(x, n.ID)
			if !ok || found.Box.Distance(center) != n.Distance || n.Distance != byDistance[i].Box.Distance(center) {
				t.Fatalf("nearest %d of %v: %v at %v, want %v", i, center, found, n, byDistance[i])
			}
		}
		if len(near) != min(7, len(all)) {
			t.Fatalf("%d near objects", len(near))
		}
		ray := octree.Ray{Origin: center, Direction: vec(), Max: 5}
		var hits []octree.Hit
		var first octree.Hit
		var ok bool
		x.Read(func(l object.Lookup) {
			hits = l.Tree().AppendHits(nil, ray)
			first, ok = l.Tree().First(ray)
		})
		want := keep(all, func(b octree.Box) bool { _, ok := ray.Enter(b); return ok })
		var got []object.Found
		for _, h := range hits {
			found, _ := get(x, h.ID)
			got = append(got, found)
		}
		check("ray", got, want)
		if ok != (len(hits) > 0) || ok && first != hits[0] {
			t.Fatalf("first %v, %v, want %v", first, ok, hits)
		}
	}
}

func TestIndex(t *testing.T) {
	long.Alone(t)
	wide := func(list string, o *voxel.Object) (octree.Box, bool) {
		b, ok := object.Cell(list, o)
		b.Max.Y += float64(len(o.Payload))
		if o.Payload[0] == '7' {
			b.Min.X = math.NaN() // is left out
		}
		return b, ok && list != "marks"
	}
	for _, tt := range []struct {
		name string
		o    object.Options
	}{
		{"all lists", object.Options{}},
		{"two lists", object.Options{Lists: []string{voxel.Entities, "marks"}}},
		{"other boxes", object.Options{Box: wide}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 8))
			st := newStore()
			w := create(t, st, world.Options{})
			x, err := object.New(w.View().Dimension(earth), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			walk := tt.o
			if walk.Box != nil {
				walk.Box = func(list string, o *voxel.Object) (octree.Box, bool) {
					b, ok := wide(list, o)
					return b, ok && b.Valid()
				}
			}
			for range 60 {
				update(t, w, func(tx *world.Tx) { sprinkle(rng, tx.Dimension(earth), rng.IntN(12)) })
				d := w.View().Dimension(earth)
				if _, err := x.Update(d); err != nil {
					t.Fatal(err)
				}
				compare(t, rng, x, walked(d, walk), true)
			}
			all := walked(w.View().Dimension(earth), walk)
			commit(t, w) // nothing is held, so the columns leave memory
			if _, err := x.Update(w.View().Dimension(earth)); err != nil || count(x) != 0 {
				t.Fatalf("%d objects of columns that are not loaded, %v", count(x), err)
			}
			s, err := w.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			y, err := object.Read(ctx, s, earth, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, rng, y, all, false)
			var read []object.Found
			for _, f := range collect(y, (*octree.Tree).All) {
				o, err := y.Load(ctx, f)
				if err != nil || f.Object() != nil {
					t.Fatal(f, err)
				}
				f.List = &voxel.List{Name: f.List.Name, Objects: slices.Repeat([]voxel.Object{*o}, f.Ordinal+1)}
				read = append(read, f)
			}
			if !slices.Equal(said(read, true), said(all, true)) {
				t.Error("the snapshot has other objects")
			}
			if _, err := y.Update(w.View().Dimension(earth)); err == nil {
				t.Error("the index of a snapshot took a view")
			}
		})
	}
}

// An update looks at the columns that changed and at no others.
func TestIndexUpdate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	w := create(t, newStore(), world.Options{})
	update(t, w, func(tx *world.Tx) { sprinkle(rng, tx.Dimension(earth), 500) })
	x, err := object.New(w.View().Dimension(earth), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	pos := geom.ColumnPos{X: 1, Z: 2}
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).Add("marks", voxel.Object{Place: voxel.Moved, At: pos.Min(5), Payload: []byte("x")})
	})
	before := collect(x, (*octree.Tree).All)
	if n, err := x.Update(w.View().Dimension(earth)); n != 1 || err != nil {
		t.Errorf("looked at %d columns, %v", n, err)
	}
	if n, err := x.Update(w.View().Dimension(earth)); n != 0 || err != nil {
		t.Errorf("looked at %d columns, %v", n, err)
	}
	for _, f := range before {
		if now, ok := get(x, f.ID); !ok || now.Column != f.Column || now.List.Name != f.List.Name || now.Ordinal != f.Ordinal {
			t.Errorf("%v has another ID", f)
		}
	}
	if _, err := x.Update(nil); err == nil {
		t.Error("updated to no dimension")
	}
	if _, err := object.New(nil, object.Options{}); err == nil {
		t.Error("an index of no dimension")
	}
	if _, err := object.New(w.View().Dimension(earth), object.Options{Tree: octree.Options{Loose: 9}}); err == nil {
		t.Error("a tree too loose")
	}
}

// A Box function that changes its mind makes the index anew.
func TestIndexUnlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	w := create(t, newStore(), world.Options{})
	update(t, w, func(tx *world.Tx) { sprinkle(rng, tx.Dimension(earth), 300) })
	shift := 0.0
	o := object.Options{Box: func(list string, o *voxel.Object) (octree.Box, bool) {
		b, ok := object.Cell(list, o)
		b.Min.X, b.Max.X = b.Min.X+shift, b.Max.X+shift
		return b, ok
	}}
	x, err := object.New(w.View().Dimension(earth), o)
	if err != nil {
		t.Fatal(err)
	}
	shift = 10000
	update(t, w, func(tx *world.Tx) { sprinkle(rng, tx.Dimension(earth), 20) })
	if _, err := x.Update(w.View().Dimension(earth)); err != nil {
		t.Fatal(err)
	}
	compare(t, rng, x, walked(w.View().Dimension(earth), o), true)
}

// Readers beside an updating goroutine see whole updates.
func TestIndexBeside(t *testing.T) {
	w := create(t, newStore(), world.Options{})
	put := func(at int) {
		update(t, w, func(tx *world.Tx) {
			for x := range int32(8) {
				tx.Dimension(earth).SetObjects("marks", geom.ColumnPos{X: x}, []voxel.Object{
					{Place: voxel.Moved, At: geom.Point{X: int(x) * 16, Y: at}, Payload: []byte{byte(at)}}})
			}
		})
	}
	put(0)
	x, err := object.New(w.View().Dimension(earth), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	stop := make(chan bool)
	for range 3 {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				n, sum := 0, 0
				first := -1
				x.Read(func(l object.Lookup) {
					l.Tree().Overlapping(octree.Box{Min: octree.Vec{X: -1, Y: -1, Z: -1}, Max: octree.Vec{X: 1000, Y: 1000, Z: 1000}}, func(id octree.ObjectID, _ octree.Box) bool {
						f, _ := l.Get(id)
						if first < 0 {
							first = f.Object().At.Y
						}
						if f.Object().At.Y != first || f.Object().Payload[0] != byte(first) {
							sum++
						}
						n++
						return true
					})
					l.Get(l.Tree().Nearest(octree.Vec{}, make([]octree.Near, 3))[0].ID)
				})
				if n != 8 || sum != 0 {
					t.Errorf("%d objects, %d of another update", n, sum)
					return
				}
			}
		})
	}
	for i := range 200 {
		put(i % 200)
		if _, err := x.Update(w.View().Dimension(earth)); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wait.Wait()
}

// An index of 100,000 objects takes at most 64 bytes for each.
func TestIndexBytes(t *testing.T) {
	d := crowd(t, 100_000, 16)
	before := heap()
	x, err := object.New(d, object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bytes, s := heap()-before, x.Stats()
	if s.Objects != 100_000 || s.Columns != 6250 || s.Bytes > 64*100_000 {
		t.Errorf("%+v: %d bytes for each object", s, s.Bytes/int64(s.Objects))
	}
	if off := bytes - s.Bytes; off > bytes/10 || off < -bytes/10 {
		t.Errorf("%d bytes counted, the heap has %d more", s.Bytes, bytes)
	}
}
