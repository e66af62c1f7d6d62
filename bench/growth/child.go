package growth

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/store/local"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// ChildName is the first argument with which a measurement starts its own program again;
// that program then calls Child with the others.
const ChildName = "growth-child"

// What children do.
const (
	openWorld = "open"
	saveWorld = "save"
)

// child is a program that uses the library, in a process of its own.
func child(what string) func(context.Context, *land) (lab.Cost, error) {
	return func(ctx context.Context, l *land) (lab.Cost, error) {
		self, err := os.Executable()
		if err != nil {
			return lab.Cost{}, err
		}
		_, cost, err := lab.Run(ctx, l.dir, self, ChildName, what, storeDir)
		return cost, err
	}
}

// Child opens a store and its world and closes both; or, told to save, sets a block
// between.
func Child(ctx context.Context, args []string) error {
	if len(args) != 2 || args[0] != openWorld && args[0] != saveWorld {
		return fmt.Errorf("growth: this is for measurements alone: %q", args)
	}
	st, err := local.Open(args[1], local.Options{})
	if err != nil {
		return err
	}
	w, err := world.Open(ctx, st, bigName, world.Options{})
	if err != nil {
		return errors.Join(err, st.Close())
	}
	if args[0] == saveWorld {
		err = save(ctx, w)
	}
	return errors.Join(err, w.Close(), st.Close())
}

// save sets a block to what it was not and commits.
func save(ctx context.Context, w *world.World) error {
	at := geom.Point{X: 5, Y: 70, Z: 5}
	dimension := w.View().Dimensions()[0].Name()
	held, err := w.Load(ctx, dimension, geom.Box{Min: at, Max: at.Add(geom.Point{X: 1, Y: 1, Z: 1})})
	if err != nil {
		return err
	}
	defer held.Release()
	_, err = w.Update(func(tx *world.Tx) error {
		v := tx.Dimension(dimension).Volume(voxel.Block)
		was, _ := v.Cell(at) // it is loaded
		v.Set(at, 1-min(was, 1))
		return nil
	})
	if err == nil {
		_, err = w.Commit(ctx, "one block")
	}
	return err
}
