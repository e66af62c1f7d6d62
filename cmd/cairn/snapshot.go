package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/game/schematics"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

// snapshot is a named snapshot as the verbs print it.
type snapshot struct {
	World     string    `json:"world"`
	Name      string    `json:"name"`
	Stored    string    `json:"stored"` // the world that the snapshot is
	Number    uint64    `json:"number"`
	Time      time.Time `json:"time"`
	Author    string    `json:"author"`
	Message   string    `json:"message"`
	Dimension string    `json:"dimension"` // "" for all, or for the first if there is a region
	Region    string    `json:"region"`    // "" for everything
	Mask      string    `json:"mask"`      // "" for every cell
	Bytes     int64     `json:"bytes"`     // of stones that the newest version of the world does not use
}

func snapshotOf(ctx context.Context, st history.Store, s *arena.Snapshot) (*snapshot, error) {
	bytes, err := s.Kept(ctx, st)
	return &snapshot{"@" + s.World, s.Name, "@" + s.Stored(), s.Commit.Number, s.Commit.Time, s.Commit.Author, s.Message,
		s.Dimension, s.Region, s.Mask, bytes}, err
}

// snapshotOptions are the flags of the verbs of snapshots.
type snapshotOptions struct {
	arena.Area
	without []string
	schem   string
	replace bool
	note
}

func newSnapshot(sf *storeFlag) *cobra.Command {
	c := &cobra.Command{
		Use:   "snapshot",
		Short: "Named snapshots of worlds and arenas: save, list, restore, diff or delete",
		Long: `snapshot keeps a version of a world, or of a part of it, under a name, and brings it back
as often as it is asked to. A snapshot is a fork of the world, @WORLD/.snapshots/NAME: it
copies nothing, it stays until it is deleted, and every verb takes it as it takes a world.

A REGION is box:X,Y,Z..X,Y,Z with both corners included, ball:X,Y,Z,R, cylinder:X,Y,Z,R,H
or prism:Y..Y:X,Z;X,Z;X,Z; + joins regions, - takes one away, & is what both have. A MASK
says which cells may change: names such as stone*,*_log[axis=y], air, since:VERSION for
cells changed since a version, by:AUTHOR for cells that an author changed, ! for all
others, & between terms. docs/ARENAS.md has examples.`,
		Example: "  cairn snapshot save @hub before --region box:0,0,0..63,255,63",
	}
	return group(c, newSnapshotSave(sf), newSnapshotList(sf), newSnapshotRestore(sf), newSnapshotDiff(sf), newSnapshotDelete(sf))
}

// verb returns a verb of snapshots that takes a world and the name of a snapshot, and prints the result of do.
func (o *snapshotOptions) verb(name, short, long, example string, area bool, do func(ctx context.Context, world, snapshot string) (result, error)) *cobra.Command {
	c := printing(&cobra.Command{
		Use:     name + " @name SNAPSHOT",
		Short:   short,
		Long:    long,
		Example: "  cairn snapshot " + example,
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (r result, err error) {
		if err = errors.Join(checkArea(o.Area), o.note.check()); err == nil {
			r, err = do(ctx, args[0], strings.Join(args[1:], ""))
		}
		if errors.Is(err, history.ErrName) {
			err = usageError{err}
		}
		return r, usageOf(err)
	})
	f := c.Flags()
	if area {
		f.StringVar(&o.Region, "region", "", "the region; by default everything, or what the snapshot is of")
		f.StringVar(&o.Mask, "mask", "", "the mask; by default every cell, or what the snapshot is of")
		f.StringVar(&o.Dimension, "dimension", "", "the dimension; by default all, with a region the first")
	}
	return c
}

func newSnapshotSave(sf *storeFlag) *cobra.Command {
	o := new(snapshotOptions)
	c := o.verb("save", "Saves a version of a world under a name", `save keeps the newest version of a world, or @name@version, under the name SNAPSHOT. It
keeps all of the world; the region and the mask say what restore brings back. --schem
writes the box around the region as a folder of chunk schematics as well, which a
server with the plugin Gaia reads: DIR is the name of its arena.`,
		`save @hub before --region box:0,0,0..63,255,63 -m "before the tournament"`, true, func(ctx context.Context, world, snapshot string) (result, error) {
			return o.save(ctx, sf, world, snapshot)
		})
	c.Flags().StringVar(&o.schem, "schem", "", "also write a folder of chunk schematics there")
	c.Flags().BoolVar(&o.replace, "force", false, "replace a snapshot of that name")
	o.note.flags(c.Flags())
	return c
}

func (o *snapshotOptions) save(ctx context.Context, sf *storeFlag, arg, name string) (*snapshotSaved, error) {
	sf.writes = true
	a, st, at, err := sf.find(ctx, arg)
	if err != nil {
		return nil, err
	}
	if o.schem != "" && o.Region == "" {
		return nil, usagef("--schem needs a --region")
	}
	if o.schem != "" {
		if err := checkFree(o.schem); err != nil {
			return nil, err
		}
	}
	s, err := arena.Save(ctx, st, a.name, name, arena.SaveOptions{Area: o.Area, At: at.ID(), Message: o.message, Author: o.author, Replace: o.replace})
	if errors.Is(err, history.ErrExists) {
		err = fmt.Errorf("@%s has a snapshot %q; --force replaces it", a.name, name)
	}
	if err != nil {
		return nil, err
	}
	kept, err := snapshotOf(ctx, st, s)
	if err != nil {
		return nil, err
	}
	r := &snapshotSaved{snapshot: kept, Of: versionOf(at)}
	if o.schem != "" {
		r.Schem, r.Lost = o.schem, map[string]int{}
		if r.Columns, err = o.writeSchem(ctx, sf, s, r.Lost); err != nil {
			return nil, fmt.Errorf("the snapshot is saved, but not as schematics: %w", err)
		}
	}
	return r, nil
}

// writeSchem writes a snapshot as a folder of chunk schematics.
func (o *snapshotOptions) writeSchem(ctx context.Context, sf *storeFlag, s *arena.Snapshot, lost map[string]int) (columns int, err error) {
	from, err := world.OpenSnapshot(ctx, sf.st, s.Stored(), s.Commit.ID(), world.Options{Cache: sf.memory.cache()})
	if err != nil {
		return 0, err
	}
	defer from.Close()
	_, err = newFolder(o.schem, func(dir string, _ *console.Progress) (err error) {
		columns, err = schematics.Write(ctx, from, s.Area, filepath.Base(o.schem), func(name string) (io.WriteCloser, error) {
			return os.Create(filepath.Join(dir, name))
		}, lost)
		return err
	})
	return columns, err
}

// snapshotSaved is the result of snapshot save.
type snapshotSaved struct {
	*snapshot
	Of      *version       `json:"of"`              // the version that it is a snapshot of
	Schem   string         `json:"schem,omitempty"` // the folder of chunk schematics
	Columns int            `json:"columns,omitempty"`
	Lost    map[string]int `json:"lost,omitempty"` // what schematics do not hold
}

func (s *snapshotSaved) print(out io.Writer) {
	fmt.Fprintf(out, "snapshot %s of %s, version %s\n", s.Name, s.World, s.Of)
	if s.Schem != "" {
		fmt.Fprintf(out, "%s in %s\n", console.Counted(s.Columns, "chunk schematic"), s.Schem)
		console.PrintCounts(out, "the format does not hold:", s.Lost)
	}
}

// snapshotList is the result of snapshot list.
type snapshotList struct {
	World     string      `json:"world"`
	Snapshots []*snapshot `json:"snapshots"`
}

func newSnapshotList(sf *storeFlag) *cobra.Command {
	return printing(&cobra.Command{
		Use:   "list @name",
		Short: "Lists the snapshots of a world",
		Long: `list lists the snapshots of a world: name, time, author, the bytes that the newest version of
the world does not need, region and mask, message. Times are UTC.`,
		Example: "  cairn snapshot list @hub",
		Args:    takes(1, 1),
	}, func(ctx context.Context, args []string) (result, error) { return listSnapshots(ctx, sf, args[0]) })
}

func listSnapshots(ctx context.Context, sf *storeFlag, arg string) (*snapshotList, error) {
	name, err := parseName(arg)
	if err != nil {
		return nil, err
	}
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	all, err := arena.List(ctx, st, name)
	if err != nil {
		return nil, err
	}
	r := &snapshotList{World: "@" + name, Snapshots: []*snapshot{}}
	for _, s := range all {
		one, err := snapshotOf(ctx, st, s)
		if err != nil {
			return nil, err
		}
		r.Snapshots = append(r.Snapshots, one)
	}
	return r, nil
}

func (r *snapshotList) print(out io.Writer) {
	if len(r.Snapshots) == 0 {
		fmt.Fprintf(out, "%s has no snapshots\n", r.World)
	}
	t := console.NewColumns(out)
	for _, s := range r.Snapshots {
		t.Row(s.Name, stamp(s.Time), console.Line(s.Author), table.Size(s.Bytes), console.Line(areaText(arena.Area{Dimension: s.Dimension, Region: s.Region, Mask: s.Mask})), console.Line(s.Message))
	}
	t.Flush()
}

// areaText describes an area in one line.
func areaText(a arena.Area) string {
	text := a.Region
	if text == "" {
		text = "everything"
	}
	if a.Dimension != "" {
		text = a.Dimension + " " + text
	}
	if a.Mask != "" {
		text += " mask " + a.Mask
	}
	return text
}

func newSnapshotRestore(sf *storeFlag) *cobra.Command {
	o := new(snapshotOptions)
	c := o.verb("restore", "Brings back what a snapshot has", `restore makes the blocks, biomes, objects and columns of a snapshot the next version of its
world. It costs what differs. --region and --mask restore less than the snapshot is of.
Files and properties of the world stay as they are. If it is interrupted, the world stays
as it was. cairn edit undo takes a restore back.

With --schem and without SNAPSHOT it brings back the blocks of a folder of chunk
schematics, which save --schem or a server with the plugin Gaia wrote. A damaged
schematic is reported and the rest goes on.`, "restore @hub before --mask '!*_sign'", true, func(ctx context.Context, world, snapshot string) (result, error) {
		return o.restore(ctx, sf, world, snapshot)
	})
	c.Use = "restore @name [SNAPSHOT]"
	c.Args = func(c *cobra.Command, args []string) error {
		if o.schem != "" {
			return takes(1, 1)(c, args)
		}
		return takes(2, 2)(c, args)
	}
	c.Flags().StringVar(&o.schem, "schem", "", "bring back a folder of chunk schematics")
	c.Flags().StringSliceVar(&o.without, "without", nil, "leave biomes, columns or objects as they are")
	o.note.flags(c.Flags())
	return c
}

// snapshotRestored is the result of snapshot restore.
type snapshotRestored struct {
	World    string `json:"world"`
	Snapshot string `json:"snapshot"` // or the folder of schematics
	Chunks   int    `json:"chunks"`   // that were looked at
	Cells    int    `json:"cells"`    // that were changed
	Failed   int    `json:"failed"`   // chunks that could not be restored
	commitResult
}

func (o *snapshotOptions) restore(ctx context.Context, sf *storeFlag, arg, name string) (r *snapshotRestored, err error) {
	of, err := parseName(arg)
	if err != nil {
		return nil, err
	}
	err = sf.withWorld(ctx, of, o.author, func(w *world.World) (err error) {
		r, err = o.restoreTo(ctx, sf, w, name)
		return err
	})
	return r, err
}

// restoreTo restores and commits. The error is a partly if only some chunks failed.
func (o *snapshotOptions) restoreTo(ctx context.Context, sf *storeFlag, w *world.World, name string) (*snapshotRestored, error) {
	if l, err := sf.st.Leased(ctx, w.Name()); err != nil || l != (history.Lease{}) {
		return nil, errors.Join(err, fmt.Errorf("@%s: %w", w.Name(), history.ErrLeased))
	}
	if o.message == "" {
		o.message = "restore snapshot " + cmp.Or(name, o.schem)
	}
	p, failed := o.run(ctx, sf, w, name)
	if failed != nil && p.Failed == 0 || ctx.Err() != nil {
		return nil, cmp.Or(failed, ctx.Err())
	}
	head := w.Head()
	c, err := w.Commit(ctx, o.message)
	if err != nil {
		return nil, err
	}
	if failed != nil {
		failed = partly{fmt.Errorf("%s could not be restored: %w", console.Counted(p.Failed, "chunk"), failed)}
	}
	return &snapshotRestored{"@" + w.Name(), cmp.Or(name, o.schem), p.Chunks, p.Cells, p.Failed, commitResult{versionOf(c), c.ID() == head}}, failed
}

// run restores a snapshot, or a folder of schematics, in memory.
func (o *snapshotOptions) run(ctx context.Context, sf *storeFlag, w *world.World, name string) (edit.Progress, error) {
	shown := console.NewProgress()
	defer shown.Done()
	show := func(p edit.Progress) { shown.Show(fmt.Sprintf("%d of %s", p.Done, console.Counted(p.Chunks, "chunk"))) }
	if o.schem == "" {
		s, err := arena.Find(ctx, sf.st, w.Name(), name)
		if err != nil {
			return edit.Progress{}, err
		}
		return s.Run(ctx, sf.st, w, arena.RestoreOptions{Area: o.Area, Without: o.without}, show)
	}
	if len(o.without) > 0 {
		return edit.Progress{}, usagef("--schem restores blocks alone: it takes no --without")
	}
	p, failed, err := schematics.Restore(ctx, os.DirFS(o.schem), w, sf.st, o.Area, show)
	for _, f := range failed[:min(len(failed), 8)] {
		err = errors.Join(err, f)
	}
	return p, err
}

func (r *snapshotRestored) print(out io.Writer) {
	if r.Same {
		fmt.Fprintf(out, "%s is as %s already\n", r.World, r.Snapshot)
		return
	}
	fmt.Fprintf(out, "%s: version %s, %s of %s restored\n", r.World, r.Commit, console.Counted(r.Cells, "cell"), r.Snapshot)
}

func newSnapshotDiff(sf *storeFlag) *cobra.Command {
	o := new(snapshotOptions)
	return o.verb("diff", "Compares a world with a snapshot", `diff compares the newest version of a world with a snapshot, in the snapshot's region and mask or in
less. With a region or a mask it says nothing of light, height maps, files and
properties. The exit status is 0 if nothing differs and 1 if something does.`, "diff @hub before", true, func(ctx context.Context, world, snapshot string) (result, error) {
		d, err := o.diff(ctx, sf, world, snapshot)
		return differing(d, err)
	})
}

func (o *snapshotOptions) diff(ctx context.Context, sf *storeFlag, arg, snapshot string) (*diff.Difference, error) {
	name, err := parseName(arg)
	if err != nil {
		return nil, err
	}
	st, err := sf.open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := arena.Find(ctx, st, name, snapshot)
	if err != nil {
		return nil, err
	}
	d, err := s.Diff(ctx, st, arena.DiffOptions{Area: o.Area, Cache: sf.memory.cache()})
	return d, compared(err)
}

// snapshotDeleted is the result of snapshot delete.
type snapshotDeleted struct {
	World    string `json:"world"`
	Snapshot string `json:"snapshot"`
	DryRun   bool   `json:"dry_run,omitempty"`
	said
}

func newSnapshotDelete(sf *storeFlag) *cobra.Command {
	o := new(snapshotOptions)
	dryRun := false
	c := o.verb("delete", "Deletes a snapshot", `delete deletes a snapshot. cairn undelete @name/.snapshots/SNAPSHOT brings it back until cairn gc
deletes it for good, a week later.`, "delete @hub before", false, func(ctx context.Context, arg, snapshot string) (result, error) {
		name, st, err := sf.named(ctx, arg)
		if err != nil {
			return nil, err
		}
		if dryRun {
			s, err := arena.Find(ctx, st, name, snapshot)
			if err != nil {
				return nil, err
			}
			would, err := wouldDelete(ctx, st, s.Stored())
			return &snapshotDeleted{arg, snapshot, true, would}, err
		}
		text := fmt.Sprintf("snapshot %s of %s is deleted; cairn undelete @%s/.snapshots/%[1]s brings it back until gc deletes it for good", snapshot, arg, name)
		return &snapshotDeleted{arg, snapshot, false, said(text)}, arena.Delete(ctx, st, name, snapshot)
	})
	dryRunFlag(c.Flags(), &dryRun)
	return c
}
