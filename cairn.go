package cairn

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/store"
	"github.com/cairnvoxel/cairn/undo"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Main is the dimension of worlds that Create makes.
const Main = "main"

type (
	// Store is where worlds are kept.
	Store = history.Store
	// Point is a position in blocks: x east, y up, z south.
	Point = geom.Point
)

// World is a world of blocks in memory. Its own methods read and write memory
// only but for Undo, which may read the store. Of those of world.World: Commit,
// Fork, Restore, Log and Pack read and write the store; View and Update do not.
type World struct {
	*world.World
	steps *undo.History
}

// Open opens the store at "memory:", at "local:DIR", made if it is missing and open
// once at a time, or at "http://HOST". It does I/O. Close it after its worlds.
func Open(ctx context.Context, url string) (Store, error) { return store.Open(ctx, url) }

// Create makes a world of air, durable with its first Commit. It does I/O.
func Create(ctx context.Context, st Store, name string) (*World, error) {
	w, err := world.Create(ctx, st, name, world.Options{Whole: true, Relight: true})
	if err != nil {
		return nil, err
	}
	return begin(w)
}

// begin makes an empty world one of air.
func begin(w *world.World) (*World, error) {
	_, err := w.Update(func(tx *world.Tx) error {
		tx.AddDimension(Main, []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
		return nil
	})
	return &World{w, undo.New(w, undo.Options{})}, err
}

// Load brings a world that Create made into memory, as its last Commit left it,
// or of air if there was none. It does I/O.
func Load(ctx context.Context, st Store, name string) (*World, error) {
	w, err := world.Open(ctx, st, name, world.Options{Whole: true, Relight: true})
	if err != nil {
		return nil, err
	}
	if w.Head() == (history.ID{}) {
		return begin(w)
	}
	if d := w.View().Dimension(Main); d == nil || d.Volume(voxel.Block) == nil {
		return nil, errors.Join(errors.New("cairn: "+name+": not a world that Create made: package world opens it"), w.Close())
	}
	return &World{w, undo.New(w, undo.Options{})}, nil
}

// Block returns the name of the block at p, "air" where nothing is.
func (w *World) Block(p Point) string {
	v := w.View().Dimension(Main).Volume(voxel.Block)
	c, _ := v.Cell(p)
	return v.CellName(c)
}

// Blocks are the blocks of a world that is being edited.
type Blocks struct{ v *world.VolumeTx }

// Set puts a block at p.
func (b Blocks) Set(p Point, block string) { b.v.Set(p, b.v.Named(block)) }

// Fill puts a block everywhere in a region: see package region.
func (b Blocks) Fill(r region.Region, block string) { b.v.Fill(r, b.v.Named(block)) }

// Edit calls f to change blocks. All of it is seen at once, and is one step for
// Undo; if f fails nothing changes.
func (w *World) Edit(f func(b Blocks) error) error {
	_, err := w.steps.Update("", "edit", func(tx *world.Tx) error {
		return f(Blocks{tx.Dimension(Main).Volume(voxel.Block)})
	})
	return err
}

// Undo takes back the last Edit, and the one before if called again.
func (w *World) Undo(ctx context.Context) error {
	_, err := w.steps.Undo(ctx, "")
	return err
}
