package object_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// An Update takes an object away, and the game moves or releases its mover while the Write that finds
// that out is under way: the object does not come back.
func TestMoversLostMeanwhile(t *testing.T) {
	for _, release := range []bool{false, true} {
		t.Run(fmt.Sprint(release), func(t *testing.T) {
			st := newStore()
			w, m, ids := herd(t, st, 3, object.MoverOptions{})
			tick(t, m, func(tk *object.Tick) error { return tk.Move(ids[0], octree.Vec{X: 20}) })
			update(t, w, func(tx *world.Tx) {
				d := tx.Dimension(earth)
				d.SetObjects(voxel.Entities, geom.ColumnPos{}, d.Objects(voxel.Entities, geom.ColumnPos{})[1:])
			})
			object.Pause(m, func(bool) error {
				object.Pause(m, nil)
				tick(t, m, func(tk *object.Tick) error {
					err := tk.Move(ids[0], octree.Vec{X: 21})
					if release {
						err = errors.Join(err, tk.Release(ids[0]))
					}
					return err
				})
				return nil
			})
			commit(t, w)
			head := commit(t, w)
			if got := entities(t, st, head.ID()); !sameMap(got, map[int]octree.Vec{1: {X: 1, Y: 1}, 2: {X: 2, Y: 1}}) {
				t.Errorf("got %v", got)
			}
		})
	}
}

// The world goes back to before its dimension was made.
func TestMoversNoDimension(t *testing.T) {
	st := newStore()
	w, err := world.Create(ctx, st, "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	update(t, w, func(tx *world.Tx) { tx.SetFile("x", []byte("y")) })
	first := commit(t, w)
	update(t, w, func(tx *world.Tx) {
		tx.AddDimension(earth, voxel.BlockVolumes(), nil).Add(voxel.Entities, animal(1, octree.Vec{X: 3}))
	})
	commit(t, w)
	m := movers(t, w, object.MoverOptions{})
	tick(t, m, func(tk *object.Tick) error { _, err := tk.TakeAll(voxel.Entities, world.Everywhere); return err })
	if _, err := w.Restore(ctx, first.ID(), ""); err != nil {
		t.Fatal(err)
	}
	t.Run("check", func(t *testing.T) {
		defer noPanic(t)
		if lost := m.Check(); len(lost) != 1 {
			t.Errorf("lost %v", lost)
		}
	})
	t.Run("take", func(t *testing.T) {
		defer noPanic(t)
		tick(t, m, func(tk *object.Tick) error {
			tk.Clear()
			if n, err := tk.TakeAll(voxel.Entities, world.Everywhere); n != 0 || err == nil {
				t.Errorf("took %d, %v", n, err)
			}
			return nil
		})
	})
}

func noPanic(t *testing.T) {
	if p := recover(); p != nil {
		t.Errorf("panic: %v", p)
	}
}

// A mover that no column can hold is an error when it is made, not of each commit from then on.
func TestSpawnFaults(t *testing.T) {
	for _, tt := range []struct {
		name, list string
		o          voxel.Object
	}{
		{"place", voxel.Entities, voxel.Object{Place: 7}},
		{"size", voxel.Entities, voxel.Object{Place: voxel.Moved, Payload: make([]byte, 65<<20)}},
		{"no list", "", voxel.Object{Place: voxel.Moved, Payload: []byte{0}}},
		{"long list", strings.Repeat("x", 1<<17), voxel.Object{Place: voxel.Moved, Payload: []byte{0}}},
		{"list", "\xff\x00", voxel.Object{Place: voxel.Moved, Payload: []byte{0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, m, _ := herd(t, newStore(), 1, object.MoverOptions{})
			tick(t, m, func(tk *object.Tick) error {
				_, err := tk.Spawn(tt.list, tt.o, octree.Vec{})
				t.Log("spawn: ", err)
				return nil
			})
			if _, err := w.Commit(ctx, ""); err != nil {
				t.Errorf("no commit can be made any more: %v", err)
			}
		})
	}
}

// One object that cannot be taken does not keep the others.
func TestTakeAllFar(t *testing.T) {
	w := create(t, newStore(), world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		d.SetObjects(voxel.Entities, geom.ColumnPos{X: -3}, []voxel.Object{{Place: voxel.Indexed, At: geom.Point{X: 1<<31 - 1}, Payload: []byte{0}}})
		d.Add(voxel.Entities, animal(1, octree.Vec{X: 3}))
	})
	commit(t, w)
	m := movers(t, w, object.MoverOptions{})
	tick(t, m, func(tk *object.Tick) error {
		if n, err := tk.TakeAll(voxel.Entities, world.Everywhere); n != 1 || err != nil {
			t.Errorf("took %d: %v", n, err)
		}
		return nil
	})
}

// An animal goes through a gate to another dimension, while a commit writes one after the other.
func TestMoversGate(t *testing.T) {
	st := newStore()
	w := create(t, st, world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		tx.AddDimension("moon", voxel.BlockVolumes(), nil)
		tx.Dimension(earth).Add(voxel.Entities, animal(1, octree.Vec{X: 3}))
	})
	commit(t, w)
	a := movers(t, w, object.MoverOptions{})
	b, err := object.NewMovers(w, "moon", object.MoverOptions{Beside: a})
	if err != nil {
		t.Fatal(err)
	}
	var id, other octree.ObjectID
	tick(t, a, func(tk *object.Tick) error {
		_, err := tk.TakeAll(voxel.Entities, world.Everywhere)
		tk.Tree().All(func(i octree.ObjectID, _ octree.Box) bool { id = i; return true })
		return errors.Join(err, tk.Move(id, octree.Vec{X: 4}))
	})
	tick(t, b, func(tk *object.Tick) (err error) {
		other, err = tk.Spawn(voxel.Entities, animal(2, octree.Vec{X: 4}), octree.Vec{X: 4})
		return err
	})
	object.Pause(a, func(bool) error { // 1 goes to the moon, and 2 comes back
		object.Pause(a, nil)
		return a.Tick(func(ta *object.Tick) error {
			tb := ta.Beside(b)
			one, _ := ta.Get(id)
			two, _ := tb.Get(other)
			_, err := tb.Spawn(voxel.Entities, one.Object, one.At)
			_, err2 := ta.Spawn(voxel.Entities, two.Object, two.At)
			return errors.Join(err, err2, ta.Remove(id), tb.Remove(other))
		})
	})
	head := commit(t, w)
	if count := everywhere(t, st, head.ID()); count[1] != 1 || count[2] != 1 {
		t.Errorf("in the commit are %v", count)
	}
	tick(t, a, func(tk *object.Tick) error { // both Ticks of b know what one took
		c, _ := w.View().Dimension("moon").Column(geom.ColumnPos{})
		f := object.Found{List: &c.Lists[0]}
		one, err := tk.Beside(b).Take(f)
		two, err2 := tk.Beside(b).Take(f)
		if err != nil || err2 != nil || one != two {
			t.Errorf("%v and %v: %v, %v", one, two, err, err2)
		}
		return nil
	})
	alone := movers(t, w, object.MoverOptions{})
	tick(t, a, func(tk *object.Tick) error {
		if tk.Beside(alone) != nil {
			t.Error("a Tick of Movers that share nothing")
		}
		return nil
	})
	far := create(t, newStore(), world.Options{})
	if _, err := object.NewMovers(far, earth, object.MoverOptions{Beside: a}); err == nil {
		t.Error("movers beside those of another world")
	}
}

// everywhere counts the animals of a commit by number.
func everywhere(t *testing.T, st history.Store, at history.ID) map[int]int {
	t.Helper()
	s, err := world.OpenSnapshot(ctx, st, "a", at, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	count := make(map[int]int)
	for _, dim := range []string{earth, "moon"} {
		for c, err := range s.ReadColumns(ctx, dim) {
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range c.Lists {
				for i := range l.Objects {
					count[numberOf(&l.Objects[i])]++
				}
			}
		}
	}
	return count
}

// Animals go to and fro between two dimensions while commits are made: each is in each commit once.
func TestMoversGates(t *testing.T) {
	st := newStore()
	w := create(t, st, world.Options{})
	update(t, w, func(tx *world.Tx) { tx.AddDimension("moon", voxel.BlockVolumes(), nil) })
	a := movers(t, w, object.MoverOptions{})
	b, err := object.NewMovers(w, "moon", object.MoverOptions{Beside: a})
	if err != nil {
		t.Fatal(err)
	}
	const n = 30
	tick(t, a, func(tk *object.Tick) error {
		for i := range n {
			at := octree.Vec{X: float64(i)}
			if _, err := tk.Spawn(voxel.Entities, animal(i, at), at); err != nil {
				return err
			}
		}
		return nil
	})
	var wait sync.WaitGroup
	defer wait.Wait()
	wait.Go(func() {
		for i := range 300 {
			from, to := a, b
			if i%2 == 1 {
				from, to = b, a
			}
			err := from.Tick(func(tk *object.Tick) error {
				there := tk.Beside(to)
				var all []object.Mover
				tk.Tree().All(func(id octree.ObjectID, _ octree.Box) bool {
					p, _ := tk.Get(id)
					all = append(all, p)
					return true
				})
				for k, p := range all {
					if k%3 == i/2%3 {
						continue
					}
					_, err := there.Spawn(voxel.Entities, p.Object, octree.Vec{X: p.At.X, Y: float64(i % 7)})
					if err = errors.Join(err, tk.Remove(p.ID)); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	})
	for range 40 {
		count := everywhere(t, st, commit(t, w).ID())
		for i := range n {
			if count[i] != 1 {
				t.Fatalf("animal %d is there %d times", i, count[i])
			}
		}
	}
}

// Movers that are taken anew while a Write is under way are movers.
func TestMoversTakenMeanwhile(t *testing.T) {
	st := newStore()
	w, m, ids := herd(t, st, 3, object.MoverOptions{})
	tick(t, m, func(tk *object.Tick) error { return tk.Move(ids[0], octree.Vec{X: 20}) })
	object.Pause(m, func(bool) error {
		object.Pause(m, nil)
		tick(t, m, func(tk *object.Tick) error {
			tk.Clear()
			n, err := tk.TakeAll(voxel.Entities, world.Everywhere)
			if n != 3 {
				t.Errorf("took %d", n)
			}
			return err
		})
		return nil
	})
	commit(t, w)
	if lost := m.Check(); len(lost) != 0 {
		t.Errorf("lost %v", lost)
	}
}

// lateStore fails commits before or after they are made.
type lateStore struct {
	history.Store
	fail int // 1: before, 2: after
}

func (s *lateStore) Commit(ctx context.Context, name string, head history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	switch s.fail {
	case 1:
		return history.Commit{}, errFull
	case 2:
		c, err := s.Store.Commit(ctx, name, head, c, stones...)
		if err != nil {
			return c, err
		}
		return history.Commit{}, errFull
	}
	return s.Store.Commit(ctx, name, head, c, stones...)
}

// Everything that can happen to animals, in any order, with the game going on in the middle of commits:
// no animal is lost, none is there twice, none comes back.
func TestMoversAnything(t *testing.T) {
	long.Alone(t)
	for _, whole := range []bool{true, false} {
		for seed := range uint64(12) {
			t.Run(fmt.Sprint(whole, seed), func(t *testing.T) { testAnything(t, seed, whole) })
		}
	}
}

func testAnything(t *testing.T, seed uint64, whole bool) {
	rng := rand.New(rand.NewPCG(seed, 7))
	st := &lateStore{Store: newStore()}
	w := create(t, st, world.Options{Whole: whole})
	where := func() octree.Vec {
		return octree.Vec{X: rng.Float64()*60 - 30, Y: rng.Float64() * 50, Z: rng.Float64()*60 - 30}
	}
	alive := make(map[int]bool) // in the world with its movers
	next := 0
	update(t, w, func(tx *world.Tx) {
		for ; next < 30; next++ {
			alive[next] = true
			tx.Dimension(earth).Add(voxel.Entities, animal(next, where()))
		}
	})
	commit(t, w)
	var m *object.Movers
	ids := make(map[int]octree.ObjectID)
	retake := func(tk *object.Tick) error {
		clear(ids)
		_, err := tk.TakeAll(voxel.Entities, world.Everywhere)
		tk.Tree().All(func(id octree.ObjectID, _ octree.Box) bool {
			p, _ := tk.Get(id)
			ids[numberOf(&p.Object)] = id
			return true
		})
		return err
	}
	lost := func() {
		gone := make(map[octree.ObjectID]bool)
		for _, id := range m.Lost() {
			gone[id] = true
		}
		for n, id := range ids {
			if gone[id] {
				delete(ids, n)
			}
		}
	}
	game := func() {
		lost()
		tick(t, m, func(tk *object.Tick) error {
			for range rng.IntN(8) {
				if len(ids) == 0 {
					break
				}
				n := someKey(rng, ids)
				switch r := rng.IntN(12); {
				case r == 0:
					delete(alive, n)
					if err := tk.Remove(ids[n]); err != nil {
						return err
					}
					delete(ids, n)
				case r == 1:
					if err := tk.Release(ids[n]); err != nil {
						return err
					}
					delete(ids, n)
				case r < 4:
					at := where()
					id, err := tk.Spawn(voxel.Entities, animal(next, at), at)
					if err != nil {
						return err
					}
					ids[next], alive[next] = id, true
					next++
				default:
					if err := tk.Move(ids[n], where()); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	m = movers(t, w, object.MoverOptions{})
	tick(t, m, retake)
	var durable map[int]bool
	type head struct {
		id    history.ID
		alive map[int]bool
	}
	var heads []head
	for range 60 {
		lost()
		for range rng.IntN(3) {
			game()
		}
		switch r := rng.IntN(10); {
		case r == 0: // somebody kills and feeds animals in their columns
			if err := m.Write(ctx); err != nil {
				t.Fatal(err)
			}
			during := rng.IntN(2) == 0
			if during {
				game()
			}
			var killed []int
			_, err := w.UpdateContext(ctx, func(tx *world.Tx) error {
				d := tx.Dimension(earth)
				killed = nil
				for x := int32(-2); x < 2; x++ {
					pos := geom.ColumnPos{X: x}
					var now []voxel.Object
					for _, o := range d.Objects(voxel.Entities, pos) {
						n := numberOf(&o)
						if !alive[n] && !during { // the removal was written
							t.Fatalf("%d is there", n)
						}
						if n%5 == 0 {
							killed = append(killed, n)
							continue
						}
						now = append(now, o)
					}
					d.SetObjects(voxel.Entities, pos, now)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range killed {
				delete(alive, n)
			}
		case r == 1: // the process dies
			if durable == nil {
				continue
			}
			var err error
			st.fail = 0
			if w, err = world.Open(ctx, st, "a", world.Options{Whole: whole}); err != nil {
				t.Fatal(err)
			}
			h, err := w.Load(ctx, earth, world.Everywhere, world.Columns)
			if err != nil {
				t.Fatal(err)
			}
			m = movers(t, w, object.MoverOptions{})
			tick(t, m, retake)
			h.Release()
			if len(ids) != len(durable) {
				t.Fatalf("opened with %d animals, want %d", len(ids), len(durable))
			}
			for n := range durable {
				if _, ok := ids[n]; !ok {
					t.Fatalf("animal %d is lost", n)
				}
			}
			alive = maps.Clone(durable)
		case r == 2 && len(heads) > 0: // the world goes back
			h := heads[rng.IntN(len(heads))]
			if _, err := w.Restore(ctx, h.id, ""); err != nil {
				t.Fatal(err)
			}
			held, err := w.Load(ctx, earth, world.Everywhere, world.Columns)
			if err != nil {
				t.Fatal(err)
			}
			tick(t, m, func(tk *object.Tick) error {
				tk.Clear()
				return retake(tk)
			})
			held.Release()
			alive = maps.Clone(h.alive)
			if len(ids) != len(alive) {
				t.Fatalf("restored %d animals, want %d", len(ids), len(alive))
			}
			durable = maps.Clone(alive)
		default:
			if rng.IntN(2) == 0 {
				object.Pause(m, func(bool) error {
					if rng.IntN(2) == 0 {
						game()
					}
					if rng.IntN(3) == 0 {
						return errFull
					}
					return nil
				})
			}
			st.fail = rng.IntN(3)
			was := maps.Clone(alive)
			_, err := w.Commit(ctx, "")
			object.Pause(m, nil)
			if err != nil && !errors.Is(err, errFull) {
				t.Fatal(err)
			}
			st.fail = 0
			if err != nil {
				was = maps.Clone(alive)
				if _, err = w.Commit(ctx, ""); err != nil {
					t.Fatal(err)
				}
			}
			lost()
			durable = was
			heads = append(heads, head{w.Head(), was})
			got := entities(t, st, w.Head())
			for n := range got {
				if !was[n] {
					t.Fatalf("animal %d is there and should not", n)
				}
			}
			for n := range was {
				if _, ok := got[n]; !ok {
					t.Fatalf("animal %d is lost", n)
				}
			}
		}
	}
}

// A chest and its block are met together, whatever the direction.
func TestRayTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	w := create(t, newStore(), world.Options{Whole: true})
	at := []geom.Point{{X: 3, Y: 2, Z: 5}, {X: 1 << 20, Y: 7, Z: -(1 << 21)}, {X: -31, Y: -65, Z: -97}}
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		v := d.Volume(voxel.Block)
		for _, p := range at {
			v.Set(p, v.Named("chest"))
			d.Add(voxel.BlockEntities, voxel.Object{Place: voxel.Moved, At: p, Payload: []byte{0}})
		}
	})
	d := w.View().Dimension(earth)
	cells := d.Volume(voxel.Block).View
	x, err := object.New(d, object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	bad, alone, cellAlone, none := 0, 0, 0, 0
	for range 50000 {
		p := at[rng.IntN(3)]
		target := octree.Vec{X: float64(p.X) + rng.Float64(), Y: float64(p.Y) + rng.Float64(), Z: float64(p.Z) + rng.Float64()}
		var way octree.Vec
		for way == (octree.Vec{}) {
			way = octree.Vec{X: rng.NormFloat64() * float64(rng.IntN(2)), Y: rng.NormFloat64() * float64(rng.IntN(2)), Z: rng.NormFloat64() * float64(rng.IntN(2))}
		}
		k := rng.Float64() * 40
		scale := math.Pow(10, float64(rng.IntN(600)-300))
		r := object.Ray{From: octree.Vec{X: target.X - k*way.X, Y: target.Y - k*way.Y, Z: target.Z - k*way.Z},
			Direction: octree.Vec{X: way.X * scale, Y: way.Y * scale, Z: way.Z * scale}, Reach: math.Inf(1)}
		hit, ok, err := first(cells, x, r)
		if err != nil {
			t.Fatal(r, err)
		}
		switch {
		case !ok:
			none++
		case hit.IsCell && hit.Object.ID == 0:
			cellAlone++
		case !hit.IsCell:
			alone++
		default:
			continue
		}
		if bad++; bad < 5 {
			t.Logf("%+v: %+v", r, hit)
		}
	}
	if bad > 0 {
		t.Errorf("missed %d, object alone %d, cell alone %d", none, alone, cellAlone)
	}
}
