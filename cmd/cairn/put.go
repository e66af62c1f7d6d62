package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/game/rollback"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/world"
	"github.com/spf13/cobra"
)

type putOptions struct {
	dimension, region string
	files             []string
	dryRun            bool
}

// putBack is the result of put.
type putBack struct {
	World     string               `json:"world"`
	Version   *version             `json:"version"`
	Folder    string               `json:"folder"`
	Dry       bool                 `json:"dry_run"`
	Dimension string               `json:"dimension,omitempty"`
	Chunks    int                  `json:"chunks"`  // that differed, and were written
	Added     int                  `json:"added"`   // of these: the folder did not have them
	Removed   int                  `json:"removed"` // of these: the version does not have them
	Left      int                  `json:"left"`    // that the version does not have, and that lie in the region in part
	Cells     int                  `json:"cells"`   // of blocks and biomes, that differed
	Objects   int                  `json:"objects"` // that differed
	Files     []*rollback.FileDone `json:"files"`
	// Kept says that the newest version of the world has all that was replaced.
	Kept   bool     `json:"kept"`
	Newest *version `json:"newest"`
}

func newPut(sf *storeFlag) *cobra.Command {
	var o putOptions
	c := printing(&cobra.Command{
		Use:   "put @name[@VERSION] FOLDER",
		Short: "Puts a region or files of a version back into a stopped game's folder",
		Long: `put makes a region of a game's folder what it was in a version, in place: blocks, biomes,
entities, block entities and ticks. It writes only the chunks that the region touches and that
differ, and says what it replaced. What lies beside the region stays, also in the same chunk.
A REGION is as in cairn snapshot --help.

The game must not have the world open: put refuses while it does, and keeps it out until it is
done. A chunk that lies in the region at all its heights is taken whole. Where blocks changed,
the game computes the light again when it loads the chunk. A chunk that the folder does not have comes
whole; one that the version does not have is removed if it lies in the region at all heights, so that
the game generates it, and stays otherwise. Chunks of the folder and of the version must be of one
data version. Before Minecraft 1.15 the biomes of a chunk come back only with the whole chunk.

--file puts back a file of the world, such as that of a player.

put says whether the newest version of the world has what it replaces. If not, cairn import
FOLDER @name before it keeps that as a version, and putting that version back undoes the
put. --dry-run says the same and writes nothing. A put that is interrupted before it writes
the first file changes nothing. After a crash some region files may be changed and others not,
each of them whole; the same command again completes it.`,
		Example: "  cairn put @hub@2026-11-20T10:00 ./world --region box:0,-64,0..63,319,63\n  cairn put @hub@7 ./world --dimension the_nether --region box:-8,30,-8..8,60,8 --dry-run\n  cairn put @hub@7 ./world --file playerdata/069a79f4-44e9-4726-a5be-fca90e38aaf5.dat",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) { return o.run(ctx, sf, args[0], args[1]) })
	f := c.Flags()
	f.StringVar(&o.region, "region", "", "the region, such as box:0,0,0..63,255,63")
	f.StringVar(&o.dimension, "dimension", "", "the dimension of the region; by default the first")
	f.StringArrayVar(&o.files, "file", nil, "put back this file of the world, such as playerdata/UUID.dat; may be repeated")
	f.BoolVar(&o.dryRun, "dry-run", false, "write nothing, and print what would be replaced")
	return c
}

func (o *putOptions) run(ctx context.Context, sf *storeFlag, arg, dir string) (*putBack, error) {
	if o.region == "" && len(o.files) == 0 || o.region == "" && o.dimension != "" {
		return nil, usagef("put: give a --region, or a --file")
	}
	what := rollback.Options{Dimension: o.dimension, Dry: o.dryRun, Read: sf.options()}
	if o.region != "" {
		in, err := parseRegion(o.region)
		if err != nil {
			return nil, err
		}
		what.Region = in
	}
	a, st, at, err := sf.find(ctx, arg)
	if err != nil {
		return nil, err
	}
	head, err := address{name: a.name}.commit(ctx, st)
	if err != nil {
		return nil, err
	}
	options := world.Options{Cache: sf.memory.cache()}
	then, err := world.OpenSnapshot(ctx, st, a.name, at.ID(), options)
	if err != nil {
		return nil, err
	}
	defer then.Close()
	newest, err := world.OpenSnapshot(ctx, st, a.name, head.ID(), options)
	if err != nil {
		return nil, err
	}
	defer newest.Close()
	folder, err := anvil.Open(dir, anvil.Options{})
	if err != nil {
		return nil, sourceError(dir, err)
	}
	defer folder.Close()
	r := &putBack{World: "@" + a.name, Version: versionOf(at), Folder: dir, Dry: o.dryRun, Kept: true, Newest: versionOf(head), Files: []*rollback.FileDone{}}
	what.Newest = newest
	return r, r.put(ctx, folder, then, what, o.files)
}

// put puts back what was asked for: first chunks, then files. A file that cannot be put back is found before anything
// is written.
func (r *putBack) put(ctx context.Context, folder *anvil.Folder, then stone.Content, o rollback.Options, files []string) error {
	err := r.putFiles(folder, then, o.Newest, files, true)
	if err == nil && o.Region != nil {
		err = r.putRegion(ctx, folder, then, o)
	}
	if err == nil && !o.Dry {
		err = r.putFiles(folder, then, o.Newest, files, false)
	}
	for _, f := range r.Files {
		r.Kept = r.Kept && f.Kept
	}
	return err
}

func (r *putBack) putFiles(folder *anvil.Folder, then, newest stone.Content, files []string, dry bool) error {
	r.Files = r.Files[:0]
	for _, path := range files {
		f, err := rollback.File(folder, then, newest, path, dry)
		if errors.Is(err, fs.ErrNotExist) {
			err = noFile(fmt.Sprintf("%s, version %s", r.World, r.Version), path, then)
		}
		if err != nil {
			return err
		}
		r.Files = append(r.Files, f)
	}
	return nil
}

func (r *putBack) putRegion(ctx context.Context, folder *anvil.Folder, then stone.Content, o rollback.Options) error {
	d, err := rollback.Region(ctx, folder, then, o)
	if which := (*inspect.DimensionError)(nil); errors.As(err, &which) {
		return noDimension(which)
	}
	if err != nil {
		return err
	}
	r.Dimension, r.Chunks, r.Added, r.Removed, r.Left, r.Cells, r.Objects, r.Kept = d.Dimension, d.Chunks, d.Added, d.Removed, d.Left, d.Cells, d.Objects, d.Kept || d.Chunks == 0
	return nil
}

func (r *putBack) print(out io.Writer) {
	verb := "put"
	if r.Dry {
		verb = "would put"
	}
	fmt.Fprintf(out, "%s %s, version %s, into %s\n", verb, r.World, r.Version, r.Folder)
	t := console.NewColumns(out)
	changed := r.Chunks
	if r.Dimension != "" {
		text := console.Count(r.Chunks)
		if r.Added+r.Removed > 0 {
			text += fmt.Sprintf(" (the folder lacked %s, the version lacks %s)", console.Count(r.Added), console.Count(r.Removed))
		}
		t.Row("  dimension", r.Dimension)
		t.Row("  chunks replaced", text)
		t.Row("  cells that differed", console.Count(r.Cells))
		t.Row("  objects that differed", console.Count(r.Objects))
	}
	for _, f := range r.Files {
		text := fmt.Sprintf("%s, of %s in place of %s", console.Line(f.Path), console.Counted(int(f.Bytes), "byte"), console.Count(int(f.Was)))
		switch {
		case f.Same:
			text = console.Line(f.Path) + ", the same"
		case f.Was < 0:
			text = fmt.Sprintf("%s, of %s, which the folder lacked", console.Line(f.Path), console.Counted(int(f.Bytes), "byte"))
		}
		if t.Row("  file", text); !f.Same {
			changed++
		}
	}
	t.Flush()
	if r.Left > 0 {
		fmt.Fprintf(out, "%s stay: the version lacks them, and the region has them in part\n", console.Counted(r.Left, "chunk"))
	}
	switch {
	case changed == 0:
		fmt.Fprintln(out, "nothing differs")
	case r.Kept:
		fmt.Fprintf(out, "version %s has what this replaces\n", r.Newest)
	default:
		fmt.Fprintf(out, "version %s does not have what this replaces; %s before a put keeps it\n", r.Newest, console.ShellLine("cairn", "import", r.Folder, r.World))
	}
}
