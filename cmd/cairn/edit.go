package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type editOptions struct {
	dimension, volume string
	region, mask      string
	tool              toolOptions
	paste             pasteOptions
	note
}

// edited is the result of edit.
type edited struct {
	World string `json:"world"`
	Cells int    `json:"cells"` // that changed
	commitResult
	volume string
}

func newEdit(sf *storeFlag) *cobra.Command {
	var o editOptions
	c := &cobra.Command{
		Use:   "edit @name BRUSH|replace MASK NAME|paste FILE|undo|redo",
		Short: "Changes a world with a brush or a schematic: one version for each edit",
		Long: `edit changes a world with a brush and makes the result its next version.

` + tool.Help() + `
A SHAPE is a ball: --at X,Y,Z --r N; a cylinder: a ball with --height N; a box that
includes both corners: --from X,Y,Z --to X,Y,Z; or a prism over a polygon:
--points "X,Z X,Z X,Z ..." --floor Y --height N. MATTER is --name NAME, or --cell N for
the number of a cell. In a Minecraft world, the world or the game must know NAME;
--any-name allows any. Properties that NAME leaves out are the game's defaults: chest is
minecraft:chest[facing=north,type=single,waterlogged=false]. Before 1.13 blocks have numbers, and
NAME is one (1:0) or a name: red_wool is 35:14. There, blocks lie within the heights of the game unless --any-height is
given, and where the world has no columns only with --new-columns: the game takes such a column
for finished, so its other blocks stay air. The content of a chest or a sign goes with its block,
and undo gives both back.

replace puts NAME where a cell fits a MASK: cairn edit @hub replace 'stone,*_ore' glass.
Without --region it looks at the whole dimension; to replace air it needs one.

--region REGION and --mask MASK let brushes, replace and paste change only cells in a region,
and cells that a mask fits; cairn snapshot --help describes both. A name that neither the world
nor its game has is an error.

paste puts a schematic with its least corner at --at: blocks, biomes, block entities and
entities. Structure void keeps what is there, and so does air with --no-air. The states of
blocks turn with --rotate and --mirror.

undo reverts the last edit of --author, and redo reverts the undo. Both leave cells
alone that others have changed since.`,
		Example: "  cairn edit @hub ball --at 0,70,0 --r 12 --name stone --mask '!air'\n  cairn edit @hub replace stone glass --region box:0,0,0..63,255,63\n  cairn edit @hub paste tower.schem --at 0,64,0 --rotate 90 --no-air\n  cairn edit @hub undo",
		Args:    takes(2, 4),
	}
	printing(c, func(ctx context.Context, args []string) (result, error) {
		if o.message == "" && args[1] != undoVerb && args[1] != redoVerb {
			o.message = editMessage(c.Flags(), args[1:]...)
		}
		if more := map[string]int{pasteVerb: 1, replaceVerb: 2}[args[1]]; len(args) != 2+more {
			return nil, usagef("paste takes a FILE, replace a MASK and a NAME, and the others nothing; see cairn edit --help")
		}
		return o.run(ctx, sf, args, c.Flags())
	})
	f := c.Flags()
	f.StringVar(&o.dimension, "dimension", "", "the dimension; by default the first that has blocks")
	f.StringVar(&o.region, "region", "", "change only cells in this region, such as box:0,0,0..63,255,63")
	f.StringVar(&o.mask, "mask", "", "change only cells that this mask fits, such as stone*,dirt or !air")
	f.StringVar(&o.volume, "volume", "", "the volume; by default block or solid; for sea, liquid if there is one")
	o.tool.flags(f)
	o.paste.flags(f)
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

func (o *editOptions) run(ctx context.Context, sf *storeFlag, args []string, f *pflag.FlagSet) (r result, err error) {
	name, err := parseName(args[0])
	if err = errors.Join(err, o.note.check()); err != nil {
		return nil, err
	}
	verb := args[1]
	if verb == pasteVerb {
		return o.runPaste(ctx, sf, name, args[2], f)
	}
	if verb == undoVerb || verb == redoVerb {
		if err := onlyFlags(f, verb); err != nil {
			return nil, err
		}
		return o.runRevert(ctx, sf, name, verb)
	}
	words, known := tool.Words(verb)
	if verb == replaceVerb {
		words, known = []string{"any-name", "any-height", "new-columns"}, true
	}
	if !known {
		return nil, usagef("no brush %q; there are %s, replace, paste, undo and redo", verb, strings.Join(tool.Names(), ", "))
	}
	if err := onlyFlags(f, verb, append(words, "dimension", "volume", "region", "mask")...); err != nil {
		return nil, err
	}
	brush, err := o.tool.options(verb, f)
	if err != nil {
		return nil, err
	}
	what := ""
	if verb == replaceVerb {
		what, brush.Brush, brush.Name = args[2], "", args[3]
		if strings.TrimSpace(what) == "" {
			return nil, usagef("replace %q: want a MASK, such as stone*", what)
		}
	}
	if err := checkArea(o.area(what)); err != nil {
		return nil, err
	}
	err = sf.withWorld(ctx, name, o.author, func(w *world.World) (err error) {
		r, err = o.edit(ctx, sf.st, w, brush, what)
		return usageOf(toolUsage(err))
	})
	return r, err
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

// replaceVerb is the argument of edit that is not a brush and takes a mask and a name.
const replaceVerb = "replace"

// area is where an edit may change cells. mask is the mask of replace, "" for others.
func (o *editOptions) area(mask string) arena.Area {
	if mask != "" && o.mask != "" {
		mask += " & "
	}
	return arena.Area{Dimension: o.dimension, Region: o.region, Mask: mask + o.mask}
}

// checkArea checks --region and --mask.
func checkArea(a arena.Area) error {
	if a.Region != "" {
		if _, err := parseRegion(a.Region); err != nil {
			return err
		}
	}
	return usageOf(a.Check())
}

// parseRegion parses --region.
func parseRegion(text string) (region.Region, error) {
	r, err := region.Parse(text)
	if err == nil && r.Bounds().Empty() {
		err = errors.New("it has no cell")
	}
	if err != nil {
		return nil, usagef("--region %q: %s", text, strings.TrimPrefix(err.Error(), "region: parse: "))
	}
	return r, nil
}

// usageOf makes wrong areas wrong usage.
func usageOf(err error) error {
	if errors.Is(err, arena.ErrArea) {
		return usageError{err}
	}
	return err
}

// edit does one edit and commits it. what is the mask of replace.
func (o *editOptions) edit(ctx context.Context, st history.Store, w *world.World, t *tool.Options, what string) (*edited, error) {
	in, err := t.Find(w.View(), o.dimension, o.volume)
	if err != nil {
		return nil, err
	}
	if area := o.area(what); area.Region != "" || area.Mask != "" {
		area.Dimension = in.Dimension.Name()
		if _, t.Region, t.Mask, err = area.In(ctx, st, w); err != nil {
			return nil, err
		}
	}
	if what != "" {
		err = t.Replace(ctx, w, in)
	} else if b, wrong := t.Make(in); wrong != nil {
		err = wrong
	} else {
		_, err = t.Apply(ctx, w, in, b, maxEdit)
	}
	if err != nil {
		return nil, err
	}
	r := &edited{volume: in.Volume.Volume.Name}
	return r, r.commit(ctx, w, o.message)
}

// maxEdit bounds the box of an edit in cells.
const maxEdit = 1 << 30

// commit commits an edit and counts the cells that it changed.
func (e *edited) commit(ctx context.Context, w *world.World, message string) error {
	head := w.Head()
	c, err := w.Commit(ctx, message)
	if err != nil {
		return err
	}
	e.World, e.commitResult = "@"+w.Name(), commitResult{versionOf(c), c.ID() == head}
	if !e.Same {
		d, err := between(ctx, w, head, c.ID(), func(s, t *world.Snapshot) (*diff.Difference, error) { return diff.Worlds(ctx, s, t, diff.Options{}) })
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

func (e *edited) print(out io.Writer) {
	if e.Same {
		fmt.Fprintf(out, "%s: nothing changes; it stays at version %s\n", e.World, e.Commit)
		return
	}
	fmt.Fprintf(out, "%s: version %s, %s changed\n", e.World, e.Commit, console.Counted(e.Cells, "cell"))
}
