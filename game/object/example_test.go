package object_test

import (
	"fmt"

	"github.com/cairnvoxel/cairn/game/object"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// farm makes a world with a cow on grass behind a stone, and a chest.
func farm() (*world.World, error) {
	w, err := world.Create(ctx, memory.New(memory.Options{}), "farm", world.Options{Whole: true})
	if err != nil {
		return nil, err
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension(earth, voxel.BlockVolumes(), nil)
		v := d.Volume(voxel.Block)
		v.Set(geom.Point{X: 4, Y: 1}, v.Named("minecraft:stone"))
		v.Set(geom.Point{X: 20, Y: 1, Z: 3}, v.Named("minecraft:chest"))
		d.Add(voxel.BlockEntities, voxel.Object{Place: voxel.Moved, At: geom.Point{X: 20, Y: 1, Z: 3}, Payload: []byte{0}})
		d.Add(voxel.Entities, animal(1, octree.Vec{X: 8.5, Y: 1, Z: 0.5}))
		return nil
	})
	return w, err
}

func Example() {
	w, err := farm()
	if err != nil {
		fmt.Println(err)
		return
	}
	d := w.View().Dimension(earth)
	chests, err := object.New(d, object.Options{Lists: []string{voxel.BlockEntities}})
	if err != nil {
		fmt.Println(err)
		return
	}
	chests.Read(func(l object.Lookup) {
		l.Tree().Ball(octree.Vec{X: 16, Y: 1}, 8, func(id octree.ObjectID, _ octree.Box) bool {
			f, _ := l.Get(id)
			fmt.Println("near:", f.List.Name, "at", f.Object().At, "in column", f.Column)
			return true
		})

		// A look to the chest ends at its block, where the chest is.
		look := object.Ray{From: octree.Vec{X: 20.5, Y: 1.5, Z: -10}, Direction: octree.Vec{Z: 1}, Reach: 64}
		hit, ok, err := object.First(d.Volume(voxel.Block).View, l.Tree(), look)
		fmt.Println("look:", ok, err, hit.Distance, hit.IsCell, hit.Cell.At, hit.Object.ID != 0)
	})
	// Output:
	// near: block_entities at (20,1,3) in column (1,0)
	// look: true <nil> 13 true (20,1,3) true
}

func ExampleMovers() {
	w, err := farm()
	if err != nil {
		fmt.Println(err)
		return
	}
	animals, err := object.NewMovers(w, earth, object.MoverOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer animals.Close()

	var cow octree.ObjectID
	err = animals.Tick(func(t *object.Tick) error {
		_, err := t.TakeAll(voxel.Entities, world.Everywhere)
		t.Tree().All(func(id octree.ObjectID, _ octree.Box) bool { cow = id; return false })
		return err
	})
	for range 20 { // ticks in which it runs east
		err = animals.Tick(func(t *object.Tick) error {
			m, _ := t.Get(cow)
			m.At.X += 0.5
			return t.Move(cow, m.At)
		})
	}
	where := func() {
		for pos, o := range w.View().Dimension(earth).Objects(voxel.Entities, world.Everywhere) {
			fmt.Println("column", pos, "has it at", o.At)
		}
	}
	where()
	if _, err := w.Commit(ctx, "the cow ran"); err != nil {
		fmt.Println(err)
	}
	where()
	fmt.Println(err)
	// Output:
	// column (0,0) has it at (8,1,0)
	// column (1,0) has it at (18,1,0)
	// <nil>
}
