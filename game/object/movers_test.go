package object_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

var errFull = errors.New("the store is full")

// full is a store that cannot commit while it is told so.
type full struct {
	history.Store
	now bool
}

func (s *full) Commit(ctx context.Context, name string, head history.Head, c history.Commit, stones ...history.Stone) (history.Commit, error) {
	if s.now {
		return history.Commit{}, errFull
	}
	return s.Store.Commit(ctx, name, head, c, stones...)
}

// animal is an entity of a block world.
func animal(number int, at octree.Vec) voxel.Object {
	b := nbt.AppendInt(nil, "number", int32(number))
	b = nbt.AppendList(b, "Pos", nbt.Double, 3)
	for range 24 {
		b = append(b, 0)
	}
	o, err := object.SetPosition(voxel.Object{Place: voxel.Indexed, Payload: nbt.AppendEnd(nbt.AppendString(b, "id", "cow"))}, at)
	if err != nil {
		panic(err)
	}
	return o
}

// numberOf undoes animal.
func numberOf(o *voxel.Object) int {
	r := nbt.NewPayload(o.Payload, nbt.Limits{})
	r.Next()
	return int(r.Int())
}

func columnOf(at octree.Vec) geom.ColumnPos {
	return geom.ColumnPos{X: int32(math.Floor(at.X / 16)), Z: int32(math.Floor(at.Z / 16))}
}

func movers(t testing.TB, w *world.World, o object.MoverOptions) *object.Movers {
	t.Helper()
	m, err := object.NewMovers(w, earth, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func tick(t testing.TB, m *object.Movers, f func(*object.Tick) error) {
	t.Helper()
	if err := m.Tick(f); err != nil {
		t.Fatal(err)
	}
}

// entities returns the animals of a commit by number, and fails if one is there twice or in a wrong column.
func entities(t *testing.T, st history.Store, at history.ID) map[int]octree.Vec {
	t.Helper()
	s, err := world.OpenSnapshot(ctx, st, "a", at, world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out := make(map[int]octree.Vec)
	for c, err := range s.ReadColumns(ctx, earth) {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.Lists {
			if l.Name != voxel.Entities {
				continue
			}
			for _, o := range l.Objects {
				n := numberOf(&o)
				at, ok := object.Position(&o)
				if _, twice := out[n]; twice || !ok || columnOf(at) != c.Pos || o.At != (geom.Point{X: int(math.Floor(at.X)), Y: int(math.Floor(at.Y)), Z: int(math.Floor(at.Z))}) {
					t.Fatalf("animal %d at %v, %v in column %v, twice: %v", n, at, o.At, c.Pos, twice)
				}
				out[n] = at
			}
		}
	}
	return out
}

// Random ticks, commits that fail and commits that do not, against a map.
func TestMovers(t *testing.T) {
	long.Alone(t)
	for _, whole := range []bool{true, false} {
		for seed := range uint64(6) {
			t.Run(fmt.Sprint(whole, seed), func(t *testing.T) { testMovers(t, seed, whole) })
		}
	}
}

func testMovers(t *testing.T, seed uint64, whole bool) {
	rng := rand.New(rand.NewPCG(seed, 2))
	st := &full{Store: newStore()}
	w := create(t, st, world.Options{Whole: whole})
	where := func() octree.Vec {
		return octree.Vec{X: rng.Float64()*200 - 100, Y: rng.Float64() * 50, Z: rng.Float64()*200 - 100}
	}
	truth := make(map[int]octree.Vec)
	next := 0
	update(t, w, func(tx *world.Tx) {
		for ; next < 60; next++ {
			truth[next] = where()
			tx.Dimension(earth).Add(voxel.Entities, animal(next, truth[next]))
		}
	})
	m := movers(t, w, object.MoverOptions{})
	ids := take(t, w, m)
	if len(ids) != 60 {
		t.Fatalf("took %d", len(ids))
	}
	var saves []save
	saves = append(saves, save{commit(t, w).ID(), maps.Clone(truth)})
	for range 60 {
		switch rng.IntN(6) {
		case 0: // somebody who is no mover comes or goes, and changes where others are in their lists
			at := where()
			truth[next] = at
			external(t, w, columnOf(at), func(list []voxel.Object) []voxel.Object {
				return slices.Insert(list, rng.IntN(len(list)+1), animal(next, at))
			})
			next++
		case 1: // somebody removes a mover from its column
			if len(ids) == 0 {
				break
			}
			if err := m.Write(ctx); err != nil {
				t.Fatal(err)
			}
			n := someKey(rng, ids)
			external(t, w, columnOf(truth[n]), func(list []voxel.Object) []voxel.Object {
				return slices.DeleteFunc(slices.Clone(list), func(o voxel.Object) bool { return numberOf(&o) == n })
			})
			tick(t, m, func(tk *object.Tick) error { return tk.Move(ids[n], where()) })
			if err := m.Write(ctx); err != nil {
				t.Fatal(err)
			}
			if lost := m.Lost(); !slices.Equal(lost, []octree.ObjectID{ids[n]}) {
				t.Fatalf("lost %v, want %v", lost, ids[n])
			}
			delete(ids, n)
			delete(truth, n)
		case 2: // the world goes back
			if rng.IntN(3) > 0 {
				break
			}
			back := saves[rng.IntN(len(saves))]
			st.now = false
			if _, err := w.Restore(ctx, back.id, ""); err != nil {
				t.Fatal(err)
			}
			tick(t, m, func(tk *object.Tick) error { tk.Clear(); return nil })
			ids, truth = take(t, w, m), maps.Clone(back.truth)
			if len(ids) != len(truth) {
				t.Fatalf("took %d of %d", len(ids), len(truth))
			}
		}
		for range rng.IntN(4) {
			tick(t, m, func(tk *object.Tick) error {
				for range rng.IntN(20) {
					if len(ids) == 0 {
						break
					}
					n := someKey(rng, ids)
					switch r := rng.IntN(12); {
					case r == 0:
						delete(truth, n)
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
						ids[next], truth[next] = id, at
						next++
					default:
						at := truth[n]
						if at.X += rng.Float64()*8 - 4; rng.IntN(5) == 0 {
							at = where()
						}
						if err := tk.Move(ids[n], at); err != nil {
							return err
						}
						truth[n] = at
					}
				}
				return nil
			})
		}
		for n, id := range ids {
			m.Read(func(r object.Reading) {
				p, ok := r.Get(id)
				if b, _ := r.Tree().Get(id); !ok || p.At != truth[n] || b != object.Person.At(truth[n]) {
					t.Fatalf("mover %d at %v, want %v", n, p.At, truth[n])
				}
			})
		}
		if st.now = rng.IntN(3) == 0; st.now {
			if _, err := w.Commit(ctx, ""); err != nil && !errors.Is(err, errFull) {
				t.Fatal(err)
			}
			continue
		}
		head := commit(t, w)
		if got := entities(t, st, head.ID()); !sameMap(got, truth) {
			t.Fatalf("got %v\nwant %v", got, truth)
		}
		saves = append(saves, save{head.ID(), maps.Clone(truth)})
		if again := commit(t, w); again.ID() != head.ID() || w.Dirty() {
			t.Fatal("nothing moved, and a commit was made")
		}
		if lost := append(m.Lost(), m.Check()...); len(lost) > 0 {
			t.Fatalf("lost %v", lost)
		}
	}
}

// save is a commit and the animals in it.
type save struct {
	id    history.ID
	truth map[int]octree.Vec
}

// take takes all animals, and returns the movers by number.
func take(t testing.TB, w *world.World, m *object.Movers) map[int]octree.ObjectID {
	t.Helper()
	h, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	ids := make(map[int]octree.ObjectID)
	tick(t, m, func(tk *object.Tick) error {
		_, err := tk.TakeAll(voxel.Entities, world.Everywhere)
		tk.Tree().All(func(id octree.ObjectID, _ octree.Box) bool {
			p, _ := tk.Get(id)
			ids[numberOf(&p.Object)] = id
			return true
		})
		return err
	})
	return ids
}

// external changes the animals of a column beside the movers.
func external(t testing.TB, w *world.World, pos geom.ColumnPos, f func([]voxel.Object) []voxel.Object) {
	t.Helper()
	_, err := w.UpdateContext(ctx, func(tx *world.Tx) error {
		d := tx.Dimension(earth)
		d.SetObjects(voxel.Entities, pos, f(slices.Clone(d.Objects(voxel.Entities, pos))))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func someKey(rng *rand.Rand, m map[int]octree.ObjectID) int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys[rng.IntN(len(keys))]
}

func sameMap(a, b map[int]octree.Vec) bool {
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return len(a) == len(b)
}

// numbers returns the animals of a list in their order.
func numbers(w *world.World, pos geom.ColumnPos) (out []int) {
	c, _ := w.View().Dimension(earth).Column(pos)
	if c == nil {
		return nil
	}
	for _, l := range c.Lists {
		for i := range l.Objects {
			out = append(out, numberOf(&l.Objects[i]))
		}
	}
	return out
}

// herd makes a world with n animals in a row in column 0,0 and takes them.
func herd(t testing.TB, st history.Store, n int, o object.MoverOptions) (*world.World, *object.Movers, []octree.ObjectID) {
	t.Helper()
	w := create(t, st, world.Options{Whole: true})
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).SetColumn(voxel.Column{Version: 4000, Layout: 2})
		for i := range n {
			tx.Dimension(earth).Add(voxel.Entities, animal(i, octree.Vec{X: float64(i % 16), Y: 1}))
		}
	})
	commit(t, w)
	m := movers(t, w, o)
	ids := make([]octree.ObjectID, n)
	for i, id := range take(t, w, m) {
		ids[i] = id
	}
	return w, m, ids
}

func TestMoversOrder(t *testing.T) {
	w, m, ids := herd(t, newStore(), 6, object.MoverOptions{})
	east := geom.ColumnPos{X: 1}
	tick(t, m, func(tk *object.Tick) error {
		return errors.Join(
			tk.Move(ids[4], octree.Vec{X: 17}), tk.Move(ids[3], octree.Vec{X: 2, Y: 7}),
			tk.Move(ids[1], octree.Vec{X: 16}), tk.Remove(ids[0]))
	})
	before := w.View()
	if got := numbers(w, geom.ColumnPos{}); !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) {
		t.Errorf("a move changed the column: %v", got)
	}
	commit(t, w)
	if a, b := numbers(w, geom.ColumnPos{}), numbers(w, east); !slices.Equal(a, []int{2, 3, 5}) || !slices.Equal(b, []int{1, 4}) {
		t.Errorf("%v and %v", a, b)
	}
	c, _ := w.View().Dimension(earth).Column(east)
	if c.Version != 4000 || c.Layout != 2 {
		t.Errorf("the new column is %+v", c)
	}
	if apart := w.View().Dimension(earth).Apart(before.Dimension(earth)); len(apart) != 2 {
		t.Errorf("columns %v changed", apart)
	}
	tick(t, m, func(tk *object.Tick) error { return tk.Move(ids[1], octree.Vec{X: 3}) })
	tick(t, m, func(tk *object.Tick) error { return tk.Move(ids[1], octree.Vec{X: 16}) })
	if head := w.Head(); !w.Dirty() || commit(t, w).ID() != head {
		t.Error("a way there and back made a commit")
	}
}

// While a commit writes, the game goes on: nothing is lost or doubled.
func TestMoversMeanwhile(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint(fails), func(t *testing.T) {
			st := newStore()
			w, m, ids := herd(t, st, 4, object.MoverOptions{})
			var born octree.ObjectID
			tick(t, m, func(tk *object.Tick) error {
				at := octree.Vec{X: 40}
				var err error
				born, err = tk.Spawn(voxel.Entities, animal(9, at), at)
				return errors.Join(err, tk.Move(ids[0], at), tk.Move(ids[1], at), tk.Move(ids[2], at))
			})
			inside, first := errors.New("no"), true
			w.AddUnwritten(late(func() error { // comes after the Write of the movers, before the commit
				if !first {
					return nil
				}
				first = false
				tick(t, m, func(tk *object.Tick) error {
					return errors.Join(tk.Remove(born), tk.Remove(ids[0]), tk.Release(ids[1]), tk.Move(ids[2], octree.Vec{X: 80}))
				})
				if fails {
					return inside
				}
				return nil
			}))
			if _, err := w.Commit(ctx, ""); fails != errors.Is(err, inside) {
				t.Fatal(err)
			}
			head := commit(t, w)
			got := entities(t, st, head.ID())
			if want := map[int]octree.Vec{1: {X: 40}, 2: {X: 80}, 3: {X: 3, Y: 1}}; !sameMap(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// late is a world.Unwritten that always has something to write.
type lateFunc struct{ f func() error }

func late(f func() error) *lateFunc                 { return &lateFunc{f} }
func (l *lateFunc) Dirty() bool                     { return true }
func (l *lateFunc) Write(ctx context.Context) error { return l.f() }

// The game goes on between the moment when a Write looks at the movers and the end of its update.
func TestMoversWithin(t *testing.T) {
	for _, fails := range []bool{false, true} {
		t.Run(fmt.Sprint(fails), func(t *testing.T) {
			st := newStore()
			w, m, ids := herd(t, st, 5, object.MoverOptions{})
			var born, other octree.ObjectID
			at := octree.Vec{X: 40}
			tick(t, m, func(tk *object.Tick) (err error) {
				if born, err = tk.Spawn(voxel.Entities, animal(9, at), at); err != nil {
					return err
				}
				if other, err = tk.Spawn(voxel.Entities, animal(10, at), at); err != nil {
					return err
				}
				return errors.Join(tk.Move(ids[0], at), tk.Move(ids[1], at), tk.Move(ids[2], at))
			})
			object.Pause(m, func(bool) error {
				object.Pause(m, nil)
				tick(t, m, func(tk *object.Tick) error {
					return errors.Join(tk.Remove(born), tk.Release(other), tk.Remove(ids[0]), tk.Release(ids[1]),
						tk.Move(ids[2], octree.Vec{X: 80}), tk.Move(ids[3], octree.Vec{X: 81}))
				})
				if fails {
					return errFull
				}
				return nil
			})
			if _, err := w.Commit(ctx, ""); fails != errors.Is(err, errFull) {
				t.Fatal(err)
			}
			if !w.Dirty() {
				t.Error("not dirty after what happened meanwhile")
			}
			got := entities(t, st, commit(t, w).ID())
			want := map[int]octree.Vec{1: {X: 40}, 2: {X: 80}, 3: {X: 81}, 4: {X: 4, Y: 1}, 10: {X: 40}}
			if !sameMap(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if lost := append(m.Lost(), m.Check()...); len(lost) != 0 {
				t.Errorf("lost %v", lost)
			}
		})
	}
}

// An object is one mover, however often it is taken, also where a Write has just put it.
func TestMoversTwice(t *testing.T) {
	st := newStore()
	w, m, ids := herd(t, st, 5, object.MoverOptions{})
	all := func(want int) {
		t.Helper()
		tick(t, m, func(tk *object.Tick) error {
			if n, err := tk.TakeAll(voxel.Entities, world.Everywhere); n != want || err != nil {
				t.Errorf("took %d, %v, want %d", n, err, want)
			}
			return nil
		})
	}
	again := func(at geom.ColumnPos, ordinal int) (id octree.ObjectID, err error) {
		c, _ := w.View().Dimension(earth).Column(at)
		tick(t, m, func(tk *object.Tick) error {
			id, err = tk.Take(object.Found{Column: at, List: &c.Lists[0], Ordinal: ordinal})
			return nil
		})
		return id, err
	}
	all(0)
	if id, err := again(geom.ColumnPos{}, 2); id != ids[2] || err != nil {
		t.Errorf("took %v, %v, want %v", id, err, ids[2])
	}
	tick(t, m, func(tk *object.Tick) error {
		return errors.Join(tk.Move(ids[2], octree.Vec{X: 40}), tk.Remove(ids[0]), tk.Release(ids[1]), tk.Release(ids[3]))
	})
	all(2) // what was released and had not moved
	if _, err := again(geom.ColumnPos{}, 0); err == nil {
		t.Error("took what is to be removed")
	}
	object.Pause(m, func(bool) error { all(0); return nil })
	head := commit(t, w)
	all(0)
	if id, err := again(geom.ColumnPos{X: 2}, 0); id != ids[2] || err != nil {
		t.Errorf("took %v, %v, want %v", id, err, ids[2])
	}
	if got := entities(t, st, head.ID()); len(got) != 4 {
		t.Errorf("%v", got)
	}
	tick(t, m, func(tk *object.Tick) error {
		return errors.Join(tk.Move(ids[2], octree.Vec{X: 41}), tk.Release(ids[2]))
	})
	all(0) // it is on its way out
	commit(t, w)
	all(1)
}

func TestMoversLost(t *testing.T) {
	st := newStore()
	w, m, ids := herd(t, st, 4, object.MoverOptions{})
	first := w.Head()
	tick(t, m, func(tk *object.Tick) error {
		return errors.Join(tk.Move(ids[0], octree.Vec{X: 20}), tk.Move(ids[1], octree.Vec{X: 21}), tk.Move(ids[2], octree.Vec{X: 22}))
	})
	update(t, w, func(tx *world.Tx) { // somebody takes an animal away, and feeds another
		d := tx.Dimension(earth)
		now := slices.Clone(d.Objects(voxel.Entities, geom.ColumnPos{}))
		now[1] = animal(11, octree.Vec{X: 1})
		d.SetObjects(voxel.Entities, geom.ColumnPos{}, slices.Delete(now, 0, 1))
	})
	head := commit(t, w)
	if lost := m.Lost(); !slices.Equal(lost, ids[:2]) {
		t.Errorf("lost %v, want %v", lost, ids[:2])
	}
	if got := entities(t, st, head.ID()); !sameMap(got, map[int]octree.Vec{11: {X: 1}, 2: {X: 22}, 3: {X: 3, Y: 1}}) {
		t.Errorf("got %v", got)
	}
	tick(t, m, func(tk *object.Tick) error {
		if err := tk.Move(ids[0], octree.Vec{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("moved what was lost: %v", err)
		}
		return nil
	})

	// The world goes back: 2 was at home there, 3 is where it was.
	tick(t, m, func(tk *object.Tick) error { return tk.Move(ids[3], octree.Vec{X: 50}) })
	if _, err := w.Restore(ctx, first, "back"); err != nil {
		t.Fatal(err)
	}
	if lost := m.Check(); !slices.Equal(lost, ids[2:3]) {
		t.Errorf("lost %v, want %v", lost, ids[2])
	}
	head = commit(t, w)
	if got := entities(t, st, head.ID()); !sameMap(got, map[int]octree.Vec{0: {Y: 1}, 1: {X: 1, Y: 1}, 2: {X: 2, Y: 1}, 3: {X: 50}}) {
		t.Errorf("got %v", got)
	}
	tick(t, m, func(tk *object.Tick) error {
		if err := tk.Move(ids[3], octree.Vec{X: 60}); err != nil {
			return err
		}
		tk.Clear()
		n, err := tk.TakeAll(voxel.Entities, world.Everywhere)
		if n != 4 {
			t.Errorf("took %d", n)
		}
		return err
	})
	if w.Dirty() || commit(t, w).ID() != head.ID() {
		t.Error("Clear left something to write")
	}
}

// The world goes back to before the dimension was made.
func TestMoversNowhere(t *testing.T) {
	st := newStore()
	w, err := world.Create(ctx, st, "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	update(t, w, func(tx *world.Tx) { tx.AddDimension("moon", voxel.BlockVolumes(), nil) })
	first := commit(t, w)
	update(t, w, func(tx *world.Tx) {
		tx.AddDimension(earth, voxel.BlockVolumes(), nil)
		for i := range 2 {
			tx.Dimension(earth).Add(voxel.Entities, animal(i, octree.Vec{X: float64(i)}))
		}
	})
	commit(t, w)
	m := movers(t, w, object.MoverOptions{})
	ids := take(t, w, m)
	if _, err := w.Restore(ctx, first.ID(), "back"); err != nil {
		t.Fatal(err)
	}
	tick(t, m, func(tk *object.Tick) error {
		_, err := tk.Spawn(voxel.Entities, animal(7, octree.Vec{}), octree.Vec{})
		return errors.Join(err, tk.Move(ids[0], octree.Vec{X: 9}))
	})
	commit(t, w)
	if lost := m.Lost(); len(lost) != 2 || m.Dirty() {
		t.Errorf("lost %v", lost)
	}
	if lost := m.Check(); !slices.Equal(lost, []octree.ObjectID{ids[1]}) {
		t.Errorf("lost %v", lost)
	}
	tick(t, m, func(tk *object.Tick) error {
		if n, err := tk.TakeAll(voxel.Entities, world.Everywhere); n != 0 || err == nil {
			t.Errorf("took %d, %v", n, err)
		}
		return nil
	})
}

// The payload comes from the game, and its error fails the commit.
func TestMoversObject(t *testing.T) {
	var fails error
	st := newStore()
	w, m, ids := herd(t, st, 2, object.MoverOptions{Object: func(p object.Mover) (voxel.Object, error) {
		return animal(numberOf(&p.Object)+100, p.At), fails
	}})
	tick(t, m, func(tk *object.Tick) error { return tk.Touch(ids[1]) })
	fails = errors.New("sick")
	if _, err := w.Commit(ctx, ""); !errors.Is(err, fails) {
		t.Errorf("commit: %v", err)
	}
	fails = nil
	commit(t, w)
	if got := numbers(w, geom.ColumnPos{}); !slices.Equal(got, []int{0, 101}) {
		t.Errorf("%v", got)
	}
	m.Close()
	tick(t, m, func(tk *object.Tick) error { return tk.Remove(ids[0]) })
	if w.Dirty() {
		t.Error("dirty after Close")
	}
}

func TestMoversFaults(t *testing.T) {
	w, m, ids := herd(t, newStore(), 1, object.MoverOptions{})
	nan := octree.Vec{X: math.NaN()}
	far := octree.Vec{Y: 1 << 25}
	tick(t, m, func(tk *object.Tick) error {
		for _, at := range []octree.Vec{nan, far, {Z: math.Inf(-1)}} {
			if err := tk.Move(ids[0], at); !errors.Is(err, geom.ErrOutOfRange) {
				t.Errorf("move to %v: %v", at, err)
			}
			if _, err := tk.Spawn("x", voxel.Object{}, at); !errors.Is(err, geom.ErrOutOfRange) {
				t.Errorf("spawn at %v: %v", at, err)
			}
		}
		for _, l := range []*voxel.List{nil, {}, {Objects: make([]voxel.Object, 1)}, {Objects: []voxel.Object{{Place: voxel.Moved, At: geom.Point{X: 1 << 30}}}}} {
			if _, err := tk.Take(object.Found{List: l}); err == nil {
				t.Errorf("took one of %v", l)
			}
		}
		for _, err := range []error{tk.Move(7, octree.Vec{}), tk.Remove(1 << 40), tk.Release(0), tk.Touch(99)} {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("no such mover: %v", err)
			}
		}
		return nil
	})
	if w.Dirty() {
		t.Error("faults made the world dirty")
	}
	if _, err := object.NewMovers(w, "moon", object.MoverOptions{}); err == nil {
		t.Error("movers of no dimension")
	}
	if _, err := object.NewMovers(w, earth, object.MoverOptions{Tree: octree.Options{Loose: 7}}); err == nil {
		t.Error("a tree too loose")
	}
}

// A game ticks, others read, and somebody commits, all at once.
func TestMoversBeside(t *testing.T) {
	st := newStore()
	w, m, ids := herd(t, st, 50, object.MoverOptions{})
	var wait sync.WaitGroup
	stop := make(chan bool)
	running := func(f func()) {
		wait.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					f()
				}
			}
		})
	}
	running(func() {
		m.Read(func(r object.Reading) {
			x := math.NaN()
			r.Tree().All(func(id octree.ObjectID, b octree.Box) bool {
				p, ok := r.Get(id)
				if x != x {
					x = p.At.X
				}
				if !ok || p.At.X != x && p.At.Y != 1 {
					t.Error("half a tick")
				}
				return true
			})
		})
	})
	running(func() {
		c, err := w.Commit(ctx, "")
		if err != nil {
			t.Error(err)
		}
		if got := entities(t, st, c.ID()); len(got) != 50 {
			t.Errorf("%d animals in a commit", len(got))
		} else {
			for _, at := range got {
				if at.X != got[0].X && at.Y != 1 {
					t.Errorf("half a tick in a commit: %v", got)
					break
				}
			}
		}
	})
	running(func() {
		c, err := w.Capture()
		if err != nil {
			t.Error(err)
			return
		}
		c.Close()
	})
	for i := range 200 {
		tick(t, m, func(tk *object.Tick) error {
			for _, id := range ids {
				if err := tk.Move(id, octree.Vec{X: float64(i % 90)}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	close(stop)
	wait.Wait()
	if lost := append(m.Lost(), m.Check()...); len(lost) != 0 {
		t.Errorf("lost %v", lost)
	}
}

// TestMomentOfTickAndUpdate kills a mob by a Tick and sets its loot by an Update: a commit or a capture has
// one of both, whatever comes between.
func TestMomentOfTickAndUpdate(t *testing.T) {
	w := create(t, newStore(), world.Options{Whole: true})
	m := movers(t, w, object.MoverOptions{})
	count := func(d *world.Dimension) (n int) {
		for _, list := range []string{voxel.Entities, voxel.BlockEntities} {
			for range d.Objects(list, world.Everywhere) {
				n++
			}
		}
		return n
	}
	var id octree.ObjectID
	for i := range 50 {
		taken := make(chan int, 2)
		err := w.Moment(func() error {
			err := m.Tick(func(tick *object.Tick) (err error) {
				if i%2 == 0 {
					id, err = tick.Spawn(voxel.Entities, animal(i, octree.Vec{}), octree.Vec{X: 5, Y: 64, Z: 5})
					return err
				}
				return tick.Remove(id)
			})
			go func() {
				c, err := w.Capture()
				if err != nil {
					t.Error(err)
				}
				taken <- count(c.View().Dimension(earth))
				c.Close()
			}()
			for range 1000 { // the capture may come now
				runtime.Gosched()
			}
			_, updated := w.Update(func(tx *world.Tx) error {
				var loot []voxel.Object
				if i%2 != 0 {
					loot = []voxel.Object{{Place: voxel.Moved, Payload: []byte("loot")}}
				}
				tx.Dimension(earth).SetObjects(voxel.BlockEntities, geom.ColumnPos{}, loot)
				return nil
			})
			return errors.Join(err, updated)
		})
		if err != nil {
			t.Fatal(err)
		}
		if n := <-taken; n != 1 {
			t.Fatalf("round %d: a capture has %d of mob and loot", i, n)
		}
		if _, err := w.Commit(ctx, ""); err != nil {
			t.Fatal(err)
		}
		if n := count(w.View().Dimension(earth)); n != 1 {
			t.Fatalf("round %d: the world has %d of mob and loot", i, n)
		}
	}
}
