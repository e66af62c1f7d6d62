package cairn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/game/autosave"
	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/store"
	_ "github.com/cairnvoxel/cairn/store/client" // opens http: and https:
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Main is the dimension of worlds that Create makes.
const Main = "main"

type (
	// Store is a place where worlds are kept. The caller closes it after its worlds.
	Store = history.Store
	// Point is a position in blocks: x east, y up, z south.
	Point = geom.Point
	// Box is the blocks from Min to below Max.
	Box = geom.Box
	// Commit is a saved version of a world.
	Commit = history.Commit
	// ID is the name of a commit.
	ID = history.ID
	// StateError says that a block of a game has no such property or value.
	StateError = block.StateError
	// Change is what an edit replaced. Volumes lists the chunks that a game has to send, with
	// their content before and after.
	Change = world.Change
)

// Open opens the store at url. "memory:" keeps worlds until it is closed. "https://HOST" is a server,
// which the calls of the Store ask first, not Open; the token comes from the environment variable
// CAIRN_TOKEN, or from client.Open. "local:DIR" is a directory, for programs that import
// github.com/cairnvoxel/cairn/store/local; it is created if it is missing, and one program may have it
// open at a time. "cluster:FILE" is what docs/CLUSTER.md describes, for programs that import
// github.com/cairnvoxel/cairn/store/cluster. Open does I/O.
func Open(ctx context.Context, url string) (Store, error) { return store.Open(ctx, url) }

// Options of a World. The zero value is the default.
type Options struct {
	// Dimension is the space whose blocks are read and edited. Default: Main. In worlds
	// without Main it is the only dimension with blocks, or "overworld".
	Dimension string
	// Author is the author of commits and edits. Each author can undo its own edits.
	Author string
	// Parts opens the world without loading anything. Load then loads a box; blocks that are
	// not loaded cannot be read or edited. By default the whole dimension is loaded.
	Parts bool
	// AnyHeight allows edits to put blocks beyond the heights that a world of a game has. By
	// default such an edit fails with a world.HeightError. Worlds of no game have no bounds.
	AnyHeight bool
}

// World is an open world of blocks. Any number of goroutines may use it. Block, Edit, Dirty and
// Name use memory only; all other methods may read and write the store.
type World struct {
	w         *world.World
	steps     *undo.History
	kept      *autosave.Kept // nil without a Fleet
	dimension string
	author    string
	anyHeight bool
	known     meanings // of names, for Edit
}

// Create makes a world of air and opens it. Its first Commit saves it.
func Create(ctx context.Context, st Store, name string, o Options) (*World, error) {
	if err := st.Create(ctx, name); err != nil {
		return nil, err
	}
	return OpenWorld(ctx, st, name, o)
}

// OpenWorld opens a world at its last commit, whether Create made it or it was imported. The
// caller closes it.
func OpenWorld(ctx context.Context, st Store, name string, o Options) (*World, error) {
	w, err := world.Open(ctx, st, name, world.Options{Author: o.Author, Relight: true})
	if err != nil {
		return nil, err
	}
	out, err := From(ctx, w, o)
	if err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return out, nil
}

// From returns a World for w. A world without a commit and a dimension becomes a world of air.
// Options.Author counts for edits only; w decides the author of commits.
func From(ctx context.Context, w *world.World, o Options) (*World, error) {
	out := &World{w: w, steps: undo.New(w, undo.Options{}), dimension: o.Dimension, author: o.Author, anyHeight: o.AnyHeight}
	if err := out.find(); err != nil {
		return nil, err
	}
	if !o.Parts {
		if _, err := w.Load(ctx, out.dimension, world.Everywhere); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// FromFleet is From for a world of a Fleet. The World tells the Fleet of every edit. The Fleet
// saves and closes the world.
func FromFleet(ctx context.Context, k *autosave.Kept, o Options) (*World, error) {
	out, err := From(ctx, k.World(), o)
	if err == nil {
		out.kept = k
	}
	return out, err
}

// find chooses the dimension. In a new world it creates the dimension.
func (w *World) find() error {
	var names []string
	for _, d := range w.w.View().Dimensions() {
		if v := d.Volume(voxel.Block); v != nil && v.Schema == voxel.Palette {
			names = append(names, d.Name())
		}
	}
	fresh := len(w.w.View().Dimensions()) == 0 && w.w.Head() == (ID{})
	switch {
	case w.dimension == "" && (fresh || slices.Contains(names, Main)):
		w.dimension = Main
	case w.dimension == "" && len(names) == 1:
		w.dimension = names[0]
	case w.dimension == "":
		w.dimension = "overworld"
	}
	switch {
	case slices.Contains(names, w.dimension):
		return nil
	case !fresh:
		return fmt.Errorf("cairn: %s: no dimension %q with named blocks: those of the world are %q", w.w.Name(), w.dimension, names)
	}
	_, err := w.w.Update(func(tx *world.Tx) error {
		tx.AddDimension(w.dimension, []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
		return nil
	})
	return err
}

// World returns the world with everything in it: dimensions, volumes, columns, objects, files,
// properties.
func (w *World) World() *world.World { return w.w }

// Name returns the world's name in the store.
func (w *World) Name() string { return w.w.Name() }

// Dimension returns the name of the dimension that this World reads and edits.
func (w *World) Dimension() string { return w.dimension }

// Block returns the name of the block at p. It is "air" where nothing is, and "" where the
// world is not loaded.
func (w *World) Block(p Point) string {
	v := w.w.View().Dimension(w.dimension).Volume(voxel.Block)
	c, ok := v.Cell(p)
	if !ok {
		return ""
	}
	return v.CellName(c)
}

// Load loads a box and keeps it in memory until it is released. It is for worlds opened with
// Options.Parts.
func (w *World) Load(ctx context.Context, box Box) (*world.Held, error) {
	return w.w.Load(ctx, w.dimension, box)
}

// Edit calls f to change blocks. Readers see all changes at once, and Undo takes them back as
// one step. If f fails, or ctx ends, nothing changes. There are two exceptions. The steps of a
// World take at most 64 MiB, and an edit may need more than that alone; or ctx may end after
// the blocks have changed. Then Edit returns the change together with an error, and Undo cannot
// take it back. Edits wait for each other: in f, Edit, Undo, Redo, Commit, Restore and Close return
// world.ErrNested; see world.World.Update.
func (w *World) Edit(ctx context.Context, f func(b Blocks) error) (*Change, error) {
	change, err := w.steps.Update(ctx, w.author, "edit", func(tx *world.Tx) error {
		d := tx.Dimension(w.dimension)
		if d == nil {
			return fmt.Errorf("cairn: %s: dimension %q is gone", w.Name(), w.dimension)
		}
		if w.anyHeight {
			d.AnyHeight()
		}
		b := Blocks{d.Volume(voxel.Block), &w.known}
		w.known.begin(b.Cells.Names())
		defer func() { w.known.end(b.Cells.Names()) }()
		return f(b)
	})
	w.changed(change)
	return change, err
}

// changed tells the Fleet how many rows of blocks a change replaced.
func (w *World) changed(c *Change) {
	if w.kept == nil || c == nil {
		return
	}
	air := voxel.Uniform(voxel.Empty)
	rows := 0
	for _, v := range c.Volumes {
		for _, r := range v.Chunks {
			for _, m := range cmp.Or(r.Old, air).Differing(cmp.Or(r.New, air)) {
				rows += bits.OnesCount32(m)
			}
		}
	}
	w.kept.Changed(rows)
}

// Undo takes back the author's last edit; the next call takes back the edit before. It restores
// blocks that nobody has changed since, and reports the others. The error wraps undo.ErrNothing
// if there is no edit.
func (w *World) Undo(ctx context.Context) (undo.Undone, error) {
	r, err := w.steps.Undo(ctx, w.author)
	w.changed(r.Change)
	return r, err
}

// Redo repeats the edit that Undo took back last, unless the author has edited since.
func (w *World) Redo(ctx context.Context) (undo.Undone, error) {
	r, err := w.steps.Redo(ctx, w.author)
	w.changed(r.Change)
	return r, err
}

// Players tells the world's Fleet how many players the world has. The Fleet saves and closes
// the world some time after the last player left. Players returns false if the world is closed;
// Fleet.Open opens it again. Without a Fleet it does nothing and returns true.
func (w *World) Players(n int) bool { return w.kept == nil || w.kept.Players(n) }

// Dirty reports whether there are changes that no commit holds.
func (w *World) Dirty() bool { return w.w.Dirty() }

// Commit saves the changes since the last commit. If it fails, the changes stay in memory.
func (w *World) Commit(ctx context.Context, message string) (Commit, error) {
	return w.w.Commit(ctx, message)
}

// Log returns the newest n commits, newest first.
func (w *World) Log(ctx context.Context, n int) ([]Commit, error) { return w.w.Log(ctx, n) }

// Restore returns the world to a commit, as a new commit.
func (w *World) Restore(ctx context.Context, at ID, message string) (Commit, error) {
	return w.w.Restore(ctx, at, message)
}

// Fork creates another world that begins at this world's last commit. It shares the stored data
// and copies nothing.
func (w *World) Fork(ctx context.Context, name string) error { return w.w.Fork(ctx, name) }

// Close closes the world. Changes without a commit are lost. If the world is of a Fleet, Close
// asks the Fleet to save and close it, as autosave.Kept.Close does.
func (w *World) Close() error {
	if w.kept != nil {
		w.kept.Close()
		return nil
	}
	return w.w.Close()
}

// Blocks are the blocks of a world during Edit, by name. They are valid until the function of
// Edit returns. A block that is not loaded cannot be read or set, and makes Edit fail with
// world.ErrNotLoaded.
//
// In a world of Minecraft a name without its properties, or with some of them, means the state
// with the game's defaults: "chest" is
// "minecraft:chest[facing=north,type=single,waterlogged=false]" of the data version of the column.
// A property or a value that the block does not have makes Edit fail with a StateError. Before
// 1.13 blocks have numbers: "red_wool" is "legacy:35/14".
type Blocks struct {
	// Cells are the same blocks as numbers, for loops over many blocks: Named looks a name up once.
	Cells *world.VolumeTx
	known *meanings
}

// meanings are the cells of names that Set has looked up. They are of one list of names and outlive an
// edit that adds none.
type meanings struct {
	names []string
	all   map[meaning]voxel.Cell
	near  [4]nearby // what columns were asked for last, by whether x and z are odd; of this edit
}

// meaning is a name in columns of a data version, or of none.
type meaning struct {
	name    string
	version int32
	none    bool
}

// nearby is a column, and what was asked for there.
type nearby struct {
	set  bool
	at   geom.ColumnPos
	last meaning
	of   voxel.Cell // of last, if its name is not ""
}

// begin makes the meanings those of an edit of a world with these names.
func (k *meanings) begin(names []string) {
	if !sameList(names, k.names) {
		*k = meanings{names: names, all: make(map[meaning]voxel.Cell)}
	}
	k.near = [4]nearby{}
}

// end forgets cells that are not valid if the edit fails.
func (k *meanings) end(names []string) {
	if !sameList(names, k.names) {
		*k = meanings{}
	}
}

func sameList(a, b []string) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// Get returns the name of the block at p, including the changes so far.
func (b Blocks) Get(p Point) string {
	c, _ := b.Cells.Cell(p)
	if names := b.Cells.Names(); int(c) < len(names) {
		return names[c]
	}
	return ""
}

// Set sets the block at p.
func (b Blocks) Set(p Point, name string) {
	at := p.Column()
	n := &b.known.near[at.X&1<<1|at.Z&1]
	if !n.set || n.at != at {
		*n = nearby{set: true, at: at, last: meaning{none: true}}
		if versions := b.Cells.Versions(boxOf(p)); len(versions) > 0 {
			n.last = meaning{version: versions[0]}
		}
	}
	if n.last.name != name || name == "" {
		n.last.name = name
		of, ok := b.known.all[n.last]
		if !ok {
			var valid bool
			if of, valid = b.meaningOf(name, boxOf(p)); valid {
				b.known.all[n.last] = of
			}
		}
		n.of = of
	}
	b.Cells.Set(p, n.of)
}

// boxOf returns the box of one block.
func boxOf(p Point) Box { return Box{Min: p, Max: p.Add(Point{X: 1, Y: 1, Z: 1})} }

// Fill sets all blocks of a region; see package region.
func (b Blocks) Fill(r region.Region, name string) { b.Cells.Fill(r, b.named(name, r.Bounds())) }

// Named looks up a name, for Cells, and adds it to the world. The cell is valid in this Edit. Where
// the columns of a world have several data versions, the name means what the column at 0, 0 or one
// that is loaded says.
func (b Blocks) Named(name string) voxel.Cell {
	return b.named(name, geom.Box{Max: Point{X: 1, Y: 1, Z: 1}})
}

// named looks up what a name means in a box.
func (b Blocks) named(name string, in Box) voxel.Cell {
	c, _ := b.meaningOf(name, in)
	return c
}

// meaningOf is named. It reports whether the cell is valid in later edits too, if the names stay: after an
// error it is not.
func (b Blocks) meaningOf(name string, in Box) (c voxel.Cell, valid bool) {
	name, err := block.State(name, b.Cells.Versions(in), b.Cells.Names())
	if err != nil {
		b.Cells.Fail(fmt.Errorf("cairn: %w", err))
		return voxel.Empty, false
	}
	c = b.Cells.Named(name)
	names := b.Cells.Names()
	return c, c == voxel.Empty && name == "air" || int(c) < len(names) && names[c] == name
}
