package object_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// An index that is not brought up to date keeps its objects in memory, not the cells of the world.
func TestIndexKeepsNoCells(t *testing.T) {
	long.Alone(t)
	w := create(t, newStore(), world.Options{Whole: true})
	rng := rand.New(rand.NewPCG(1, 1))
	fill := func() {
		update(t, w, func(tx *world.Tx) {
			v := tx.Dimension(earth).Volume(voxel.Block)
			a, b := v.Named("a"), v.Named("b")
			for x := range 32 * 8 {
				for z := range 32 * 8 {
					for y := range 32 {
						c := a
						if rng.IntN(2) == 0 {
							c = b
						}
						v.Set(geom.Point{X: x, Y: y, Z: z}, c)
					}
				}
			}
		})
	}
	fill()
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).Add("x", voxel.Object{Place: voxel.Moved, Payload: []byte{0}})
	})
	commit(t, w)
	x, err := object.New(w.View().Dimension(earth), object.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fill()
	commit(t, w)
	with := heap()
	runtime.KeepAlive(x)
	x = nil
	kept := with - heap()
	t.Log(kept)
	if kept > 100_000 {
		t.Errorf("an index of one object keeps %d bytes", kept)
	}
	runtime.KeepAlive(w)
}

// A mover whose object cannot be made keeps nobody else from being saved, and can be let go.
func TestMoversSick(t *testing.T) {
	sick := errors.New("sick")
	st := newStore()
	w, m, ids := herd(t, st, 3, object.MoverOptions{Object: func(p object.Mover) (voxel.Object, error) {
		if numberOf(&p.Object) == 1 {
			return voxel.Object{}, sick
		}
		return object.SetPosition(p.Object, p.At)
	}})
	tick(t, m, func(tk *object.Tick) error {
		return errors.Join(tk.Move(ids[0], octree.Vec{X: 20}), tk.Move(ids[1], octree.Vec{X: 20}))
	})
	if _, err := w.Commit(ctx, ""); !errors.Is(err, sick) {
		t.Errorf("the game is not told: %v", err)
	}
	tick(t, m, func(tk *object.Tick) error { return tk.Release(ids[1]) })
	c, err := w.Commit(ctx, "")
	if err != nil {
		t.Fatalf("a mover that was released fails each commit: %v", err)
	}
	if got := entities(t, st, c.ID()); len(got) != 3 {
		t.Errorf("%v", got)
	}
}

// A Tick that fails halfway in a tree that takes no fractions leaves a mover where it is.
func TestMoversIntegerTree(t *testing.T) {
	_, m, ids := herd(t, newStore(), 1, object.MoverOptions{Tree: octree.Options{Integer: true}, Body: func(string, *voxel.Object) object.Body { return object.Body{} }})
	tick(t, m, func(tk *object.Tick) error {
		before, _ := tk.Get(ids[0])
		if err := tk.Move(ids[0], octree.Vec{X: 1.5}); err == nil {
			return nil
		}
		after, _ := tk.Get(ids[0])
		if b, _ := tk.Tree().Get(ids[0]); before.At != after.At || b != after.Body.At(after.At) {
			t.Errorf("a move failed, and the mover went from %v to %v, its box to %v", before.At, after.At, b)
		}
		return nil
	})
}

// A released mover cannot be taken until it was written.
func TestMoversReleased(t *testing.T) {
	w, m, ids := herd(t, newStore(), 2, object.MoverOptions{})
	at := geom.ColumnPos{X: 1}
	again := func(pos geom.ColumnPos) (err error) {
		c, _ := w.View().Dimension(earth).Column(pos)
		tick(t, m, func(tk *object.Tick) error {
			_, err = tk.Take(object.Found{Column: pos, List: &c.Lists[0]})
			return nil
		})
		return err
	}
	tick(t, m, func(tk *object.Tick) error {
		return errors.Join(tk.Move(ids[0], octree.Vec{X: 20}), tk.Release(ids[0]))
	})
	if err := again(geom.ColumnPos{}); err == nil {
		t.Error("took what is about to be written elsewhere")
	}
	commit(t, w)
	if err := again(at); err != nil {
		t.Error(err)
	}
	if lost := m.Check(); len(lost) > 0 {
		t.Errorf("lost %v", lost)
	}
}

// Everybody at once: ticks that ask the world, commits, captures, restores, updates, an index, movers that come and go.
func TestMoversEverybody(t *testing.T) {
	st := newStore()
	w := create(t, st, world.Options{})
	update(t, w, func(tx *world.Tx) {
		for i := range 100 {
			tx.Dimension(earth).Add(voxel.Entities, animal(i, octree.Vec{X: float64(i * 7 % 90), Z: 3}))
		}
	})
	first := commit(t, w)
	m := movers(t, w, object.MoverOptions{})
	take(t, w, m)
	x, err := object.New(w.View().Dimension(earth), object.Options{Box: object.Exact})
	if err != nil {
		t.Fatal(err)
	}
	var wait sync.WaitGroup
	for k, f := range []func(i int) error{
		func(i int) error {
			return m.Tick(func(tk *object.Tick) error {
				w.Dirty()
				var ids []octree.ObjectID
				tk.Tree().All(func(id octree.ObjectID, _ octree.Box) bool { ids = append(ids, id); return true })
				if len(ids) == 0 || i%40 == 39 {
					tk.Clear()
					_, err := tk.TakeAll(voxel.Entities, world.Everywhere)
					return err
				}
				for k, id := range ids {
					if err := tk.Move(id, octree.Vec{X: float64((i*k + 7) % 90), Z: 3}); err != nil {
						return err
					}
				}
				return nil
			})
		},
		func(i int) error { _, err := w.Commit(ctx, ""); return err },
		func(i int) error {
			c, err := w.Capture()
			if err != nil {
				return err
			}
			return c.Close()
		},
		func(i int) error {
			if i%10 == 0 {
				_, err := w.Restore(ctx, first.ID(), "")
				return err
			}
			m.Check()
			m.Lost()
			return nil
		},
		func(i int) error { _, err := x.Update(w.View().Dimension(earth)); return err },
		func(i int) error {
			x.Read(func(l object.Lookup) {
				l.Tree().Ball(octree.Vec{}, 50, func(id octree.ObjectID, _ octree.Box) bool {
					f, _ := l.Get(id)
					return f.Object() != nil
				})
			})
			_, err := x.Load(ctx, object.Found{})
			if err != nil {
				err = nil
			}
			m.Read(func(r object.Reading) {
				r.Tree().Ball(octree.Vec{}, 50, func(octree.ObjectID, octree.Box) bool { return true })
			})
			return err
		},
		func(i int) error {
			_, err := w.UpdateContext(ctx, func(tx *world.Tx) error {
				pos := geom.ColumnPos{X: int32(i % 6)}
				d := tx.Dimension(earth)
				o := d.Objects(voxel.Entities, pos)
				d.SetObjects(voxel.Entities, pos, slices.Clone(o[:max(0, len(o)-1)]))
				return nil
			})
			return err
		},
	} {
		wait.Go(func() {
			for i := range 100 {
				if err := f(i); err != nil {
					t.Error(k, err)
					return
				}
			}
		})
	}
	wait.Wait()
	for range 2 {
		m.Check()
		c := commit(t, w)
		entities(t, st, c.ID())
	}
}

// Movers that are equal in every byte stand for each other: their number stays right.
func TestMoversEqual(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := create(t, newStore(), world.Options{Whole: true})
		places := []octree.Vec{{X: 1.5, Z: 0.5}, {X: 17.5, Z: 0.5}, {X: 2.5, Z: 0.5}}
		update(t, w, func(tx *world.Tx) {
			for range 10 {
				tx.Dimension(earth).Add("x", voxel.Object{Place: voxel.Moved, At: geom.Point{X: int(places[rng.IntN(3)].X)}, Payload: []byte{0}})
			}
		})
		m := movers(t, w, object.MoverOptions{})
		want := 10
		ids := func() (out []octree.ObjectID) {
			m.Read(func(r object.Reading) {
				r.Tree().All(func(id octree.ObjectID, _ octree.Box) bool { out = append(out, id); return true })
			})
			slices.Sort(out)
			return out
		}
		tick(t, m, func(tk *object.Tick) error { _, err := tk.TakeAll("x", world.Everywhere); return err })
		act := func(bool) error {
			all := ids()
			tick(t, m, func(tk *object.Tick) error {
				for range rng.IntN(5) {
					if len(all) == 0 {
						return nil
					}
					k := rng.IntN(len(all))
					switch rng.IntN(8) {
					case 0:
						want--
						if err := tk.Remove(all[k]); err != nil {
							return err
						}
						all = slices.Delete(all, k, k+1)
					case 1:
						want++
						if _, err := tk.Spawn("x", voxel.Object{Place: voxel.Moved, Payload: []byte{0}}, places[rng.IntN(3)]); err != nil {
							return err
						}
					case 2:
						if err := tk.Release(all[k]); err != nil {
							return err
						}
						all = slices.Delete(all, k, k+1)
					default:
						if err := tk.Move(all[k], places[rng.IntN(3)]); err != nil {
							return err
						}
					}
				}
				if rng.IntN(4) == 0 {
					_, err := tk.TakeAll("x", world.Everywhere)
					return err
				}
				return nil
			})
			return nil
		}
		object.Pause(m, act)
		for range 30 {
			act(true)
			if rng.IntN(3) == 0 {
				if err := m.Write(ctx); err != nil {
					t.Fatal(err)
				}
			}
		}
		object.Pause(m, nil)
		if err := m.Write(ctx); err != nil {
			t.Fatal(err)
		}
		n := 0
		for range w.View().Dimension(earth).Objects("x", world.Everywhere) {
			n++
		}
		if lost := append(m.Lost(), m.Check()...); n != want || len(lost) > 0 {
			t.Fatalf("seed %d: %d objects, want %d; lost %v", seed, n, want, lost)
		}
		tick(t, m, func(tk *object.Tick) error {
			if _, err := tk.TakeAll("x", world.Everywhere); err != nil || tk.Tree().Len() != want {
				t.Errorf("seed %d: %d movers of %d, %v", seed, tk.Tree().Len(), want, err)
			}
			return nil
		})
	}
}
