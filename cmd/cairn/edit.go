package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/brush"
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/port"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type editOptions struct {
	dimension, volume string
	tool              toolOptions
	paste             pasteOptions
	json              bool
	note
}

// edited is what edit prints.
type edited struct {
	World string `json:"world"`
	Cells int    `json:"cells"` // that changed
	commitResult
	volume string
}

func newEdit(sf *storeFlag) *cobra.Command {
	var o editOptions
	c := &cobra.Command{
		Use:   "edit @name BRUSH|paste FILE|undo|redo",
		Short: "Changes a world with a brush or a schematic: one version for each edit",
		Long: `edit changes a world with a brush and makes the result its next version.

` + toolHelp() + `
A SHAPE is a ball: --at X,Y,Z --r N; a cylinder: a ball with --height N; a box that
includes both corners: --from X,Y,Z --to X,Y,Z; or a prism over a polygon:
--points "X,Z X,Z X,Z ..." --floor Y --height N. MATTER is --name NAME, or --cell N for
the number of a cell. In a Minecraft world, the world or the game must know NAME;
--any-name allows any.

paste puts a schematic with its least corner at --at: blocks, biomes, block entities and
entities. Structure void keeps what is there, and so does air with --no-air. The states of
blocks turn with --rotate and --mirror.

undo reverts the last edit of --author, and redo reverts the undo. Both leave cells
alone that others have changed since.`,
		Example: "  cairn edit @hub ball --at 0,70,0 --r 12 --name stone\n  cairn edit @hub paste tower.schem --at 0,64,0 --rotate 90 --no-air\n  cairn edit @hub undo",
		Args:    takes(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			if o.message == "" && args[1] != undoVerb && args[1] != redoVerb {
				o.message = editMessage(c.Flags(), args[1:]...)
			}
			if (args[1] == pasteVerb) != (len(args) == 3) {
				return usagef("paste takes a FILE, and no other verb does; see cairn edit --help")
			}
			return runEdit(c.Context(), sf, c.OutOrStdout(), args, c.Flags(), o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.dimension, "dimension", "", "the dimension; by default the first that has blocks")
	f.StringVar(&o.volume, "volume", "", "the volume; by default block or solid; for sea, liquid if there is one")
	o.tool.flags(f)
	o.paste.flags(f)
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	o.note.flags(f)
	return c
}

// editMessage returns the command line of an edit, for the log.
func editMessage(f *pflag.FlagSet, args ...string) string {
	words := append([]string{"edit"}, args...)
	f.Visit(func(f *pflag.Flag) {
		if slices.Contains([]string{"author", "json", "store"}, f.Name) {
			return
		}
		words = append(words, "--"+f.Name)
		if f.Value.Type() != "bool" {
			words = append(words, f.Value.String())
		}
	})
	return console.ShellLine(words...)
}

func runEdit(ctx context.Context, sf *storeFlag, out io.Writer, args []string, f *pflag.FlagSet, o editOptions) error {
	name, err := parseName(args[0])
	if err = errors.Join(err, o.note.check()); err != nil {
		return err
	}
	verb := args[1]
	if verb == pasteVerb {
		return runPaste(ctx, sf, out, name, args[2], f, o)
	}
	if verb == undoVerb || verb == redoVerb {
		if err := onlyFlags(f, verb); err != nil {
			return err
		}
		return runRevert(ctx, sf, out, name, verb, o)
	}
	t, known := tools()[verb]
	if !known {
		return usagef("no brush %q; there are %s, paste, undo and redo", verb, strings.Join(slices.Sorted(maps.Keys(tools())), ", "))
	}
	if err := onlyFlags(f, verb, append(t.flags, "dimension", "volume")...); err != nil {
		return err
	}
	if verb == "cylinder" && o.tool.height == 0 {
		return usagef("a cylinder needs --height")
	}
	w, err := sf.world(ctx, name, o.author)
	if err != nil {
		return err
	}
	r, err := o.edit(ctx, w, t)
	if err = errors.Join(err, w.Close()); err != nil {
		return err
	}
	return report(out, r, o.json)
}

// onlyFlags returns an error if a flag is set that is neither known nor allowed for every
// edit.
func onlyFlags(f *pflag.FlagSet, verb string, known ...string) (err error) {
	known = append([]string{"store", "message", "author", "json"}, known...)
	f.Visit(func(f *pflag.Flag) {
		if !slices.Contains(known, f.Name) && err == nil {
			err = usagef("%s takes no --%s; see cairn edit --help", verb, f.Name)
		}
	})
	return err
}

// edit does one edit and commits it.
func (o *editOptions) edit(ctx context.Context, w *world.World, t tool) (*edited, error) {
	in, err := o.place(w.View(), t)
	if err != nil {
		return nil, err
	}
	b, err := t.brush(&o.tool, in)
	if err != nil {
		return nil, err
	}
	if err := in.apply(ctx, w, b, o.tool.checked(in)); err != nil {
		return nil, err
	}
	r := &edited{volume: in.volume.Volume.Name}
	return r, r.commit(ctx, w, o.message)
}

// commit commits an edit and counts the cells that it changed.
func (e *edited) commit(ctx context.Context, w *world.World, message string) error {
	head := w.Head()
	c, err := w.Commit(ctx, message)
	if err != nil {
		return err
	}
	e.World, e.commitResult = "@"+w.Name(), commitResult{versionOf(c), c.ID() == head}
	if !e.Same {
		d, err := between(ctx, w, head, c.ID(), func(s, t *world.Snapshot) (*convert.Difference, error) { return port.Diff(ctx, s, t, 0) })
		if err != nil {
			return err
		}
		e.Cells = d.Volumes[e.volume] // the light of it is no edit
	}
	return nil
}

// between calls do with two commits of a world.
func between[T any](ctx context.Context, w *world.World, a, b history.ID, do func(a, b *world.Snapshot) (T, error)) (done T, err error) {
	s, err := w.SnapshotAt(ctx, a)
	if err != nil {
		return done, err
	}
	defer s.Close()
	t, err := w.SnapshotAt(ctx, b)
	if err != nil {
		return done, err
	}
	defer t.Close()
	return do(s, t)
}

// place is where an edit works.
type place struct {
	dimension *world.Dimension
	volume    *world.Volume
}

// place finds the dimension and the volume that were asked for.
func (o *editOptions) place(v *world.View, t tool) (place, error) {
	var names []string
	for _, d := range v.Dimensions() {
		names = append(names, d.Name())
		if o.dimension != "" && d.Name() != o.dimension {
			continue
		}
		if vol := o.volumeOf(d, t); vol != nil {
			return place{d, vol}, nil
		}
		if o.dimension != "" || o.volume != "" {
			return place{}, usagef("--volume %s: dimension %s has %s", o.volume, d.Name(), strings.Join(volumesOf(d), ", "))
		}
	}
	if o.dimension != "" {
		return place{}, usagef("--dimension %s: the world has %s", o.dimension, strings.Join(names, ", "))
	}
	return place{}, errors.New("the world has no blocks to edit")
}

func (o *editOptions) volumeOf(d *world.Dimension, t tool) *world.Volume {
	if o.volume != "" {
		return d.Volume(o.volume)
	}
	if v := d.Volume("liquid"); v != nil && t.liquid {
		return v
	}
	for _, v := range d.Volumes() {
		if port.IsMatter(v.Volume.Name) {
			return v
		}
	}
	return nil
}

func volumesOf(d *world.Dimension) []string {
	var names []string
	for _, v := range d.Volumes() {
		names = append(names, v.Volume.Name)
	}
	return names
}

// maxEdit bounds the box of an edit in cells.
const maxEdit = 1 << 30

// apply loads the bounds of a brush and applies it. Before that it calls check with the
// data version of every column in the bounds.
func (in place) apply(ctx context.Context, w *world.World, b brush.Brush, check func(version int32) error) error {
	bounds := b.Bounds()
	if s := bounds.Size(); max(s.X, s.Y, s.Z) > maxEdit || s.X*s.Y > maxEdit || s.X*s.Y*s.Z > maxEdit {
		return usagef("the box of the edit has more than %s cells", console.Count(maxEdit))
	}
	times := func(p geom.Point) geom.Point {
		n := in.volume.Scale
		return geom.Point{X: p.X * n, Y: p.Y * n, Z: p.Z * n}
	}
	bounds = geom.Box{Min: times(bounds.Min), Max: times(bounds.Max)}
	held, err := w.Load(ctx, in.dimension.Name(), bounds.Intersect(world.Everywhere))
	if err != nil {
		return err
	}
	defer held.Release()
	if err := checkColumns(w, in.dimension.Name(), bounds, check); err != nil {
		return err
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.Dimension(in.dimension.Name())
		v := d.Volume(in.volume.Volume.Name)
		if sea, ok := b.(brush.Sea); ok && in.volume.Volume.Name == "liquid" {
			sea.Solid = d.Volume("solid")
			b = sea
		}
		return errors.Join(b.Apply(v), ctx.Err())
	})
	return err
}

// checkColumns calls check with each data version of the columns in a box, or with 0,
// which stands for any, if the box has no columns.
func checkColumns(w *world.World, dimension string, box geom.Box, check func(version int32) error) error {
	seen := map[int32]bool{}
	for _, c := range w.View().Dimension(dimension).Columns(box) {
		if c != nil {
			seen[c.Version] = true
		}
	}
	if len(seen) == 0 {
		seen[0] = true
	}
	for _, version := range slices.Sorted(maps.Keys(seen)) {
		if err := check(version); err != nil {
			return err
		}
	}
	return nil
}

func (e *edited) print(out io.Writer) {
	if e.Same {
		fmt.Fprintf(out, "%s: nothing changes; it stays at version %s\n", e.World, e.Commit)
		return
	}
	fmt.Fprintf(out, "%s: version %s, %s changed\n", e.World, e.Commit, console.Counted(e.Cells, "cell"))
}
