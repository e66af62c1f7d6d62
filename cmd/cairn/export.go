package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/spf13/cobra"
)

type exportOptions struct {
	format, dimension string
	kind              format.Kind
	unasked           bool   // nobody said which format
	version           int    // of the format
	game              string // a release of Minecraft
	dataVersion       int32
	cache             bool   // of Slime
	table             string // of names
	names             *port.NameTable
	file              string // of the world, alone
	region            string
	within            region.Region // nil: everything
	force, dryRun     bool          // of many worlds
}

// exported is the result of export.
type exported struct {
	World  string         `json:"world"`
	Target string         `json:"target"`
	Format string         `json:"format"`
	Bytes  int64          `json:"bytes"`
	Lost   map[string]int `json:"lost"`

	Remarks []string `json:"remarks,omitempty"` // on oddities of a SRC
}

func newExport(sf *storeFlag) *cobra.Command {
	var o exportOptions
	c := printing(&cobra.Command{
		Use:   "export SRC|WORLD DST",
		Short: "Writes a world as a folder, a Slime or Polar file, a schematic or a .cairn file",
		Long: `export writes a world as a folder (Anvil, Linear, McRegion or Hytale), or as one file:
Slime (.slime), Polar (.polar), a .cairn file with everything, a schematic of Sponge and WorldEdit (.schem), one of
MCEdit (.schematic) or Litematica (.litematic), a structure of the game (.nbt), a prefab of Hytale (.prefab.json), or a scene of
MagicaVoxel (.vox), whose cells have names of colours, such as rgb:ff8800; --format
maptemplate writes a map of Nucleoid's minigames. The default is what the name of DST ends
in. A folder is of the format that the world was read from, and otherwise Anvil. A schematic
has the least box with all blocks, or the box around a --region: what lies in it and outside
of the region is structure void, which a paste leaves out. A folder, a Slime or a Polar file has, with
--region, the whole chunks that the region touches, of one dimension, and the files of the
world. --file writes one file of the world as it is, such as that of a player. A file whose
name this system cannot have, such as aux.txt on Windows, is left out; an import keeps it under
its name. export lists by name what the format cannot hold. It does not convert between versions of a game: it does not
write a McRegion world as Anvil, nor another one as McRegion, and it does not write a world of several versions as
Slime or Polar, because such a file has one version. A world that a program made has no
version: give one by --version or --data-version. Its block names must be the game's,
with or without "minecraft:".

@prefix/ is all worlds below it: those that changed since the last such export go to DST, a
place. Each is read back and compared. In a folder each has the format that it was read
from, or --format.
` + placeHelp + `
A world that is there and that export did not write is left alone, unless --force is given.`,
		Example: "  cairn export hub.cairn ./restored\n  cairn export --version 1.21.1 @islands/ann ann.slime\n  cairn export --dimension overworld hub.cairn hub.slime\n  cairn export @hub@3 ./part --region box:0,-64,0..511,319,511\n  cairn export @islands/ ./islands\n  cairn export @islands/ redis://127.0.0.1/0\n  cairn export @hub@3 --file playerdata/069a79f4-44e9-4726-a5be-fca90e38aaf5.dat ann.dat",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) {
		switch {
		case isPrefix(args[0]):
			return exportPlace(ctx, sf, args[0], args[1], o)
		case o.force || o.dryRun:
			return nil, usagef("--force and --dry-run: only for the worlds of @prefix/")
		}
		return export(ctx, sf, args[0], args[1], o)
	})
	f := c.Flags()
	f.StringVar(&o.format, "format", "", strings.Join(port.Formats(), " or ")+"; by default from DST's name")
	f.IntVar(&o.version, "format-version", 0, "the version of the format: "+formatVersions())
	f.IntVar(&o.version, "slime-version", 0, "the same")
	f.BoolVar(&o.cache, "hypixel-blocks3", false, "slime 1 to 3: store the blocks of each section once more, in the form of 1.9")
	f.StringVar(&o.table, "names", "", "a TOML file that says what blocks are in another game, or one of cairn's: "+strings.Join(port.Shipped(), ", "))
	f.StringVar(&o.game, "version", "", "the release of Minecraft, such as 1.21.1, for a world that a program made")
	f.Int32Var(&o.dataVersion, "data-version", 0, "the same as a data version, such as 3955")
	f.StringVar(&o.dimension, "dimension", "", "write only this dimension")
	f.StringVar(&o.region, "region", "", "write only this region, such as box:0,0,0..63,255,63; in a folder the chunks that it touches")
	f.StringVar(&o.file, "file", "", "write only this file of the world, such as playerdata/UUID.dat")
	f.BoolVar(&o.force, "force", false, "of @prefix/: replace also worlds that export did not write")
	f.BoolVar(&o.dryRun, "dry-run", false, "of @prefix/: write nothing, and list what would be written")
	return c
}

// formatVersions lists the formats that have versions, and these.
func formatVersions() string {
	var list []string
	for _, name := range port.Formats() {
		if k, _ := port.Format(name); len(k.Versions) > 0 {
			list = append(list, name+" "+listNumbers(k.Versions))
		}
	}
	return strings.Join(list, "; ")
}

func listNumbers(versions []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(versions), "[]"), " ", ", ")
}

// noFolder are the extensions of files that export does not write: whoever names one does not want a folder.
var noFolder = []string{".zip", ".tar", ".gz", ".tgz", ".rar", ".7z", ".mcworld", ".mca"}

func (o *exportOptions) resolve(to string) error {
	if o.format == "" {
		o.format, o.unasked = port.FormatOf(to), true
		if ext := strings.ToLower(filepath.Ext(to)); o.format == port.Anvil && slices.Contains(slices.Concat(noFolder, port.FileExts()), ext) {
			return usagef("%s: export writes no %s; it writes files that end in %s, and folders; --format anvil makes a folder of this name", to, filepath.Ext(to), strings.Join(port.FileExts(), ", "))
		}
	}
	kind, ok := port.Format(o.format)
	if !ok {
		return usagef("--format %s: %s", o.format, strings.Join(port.Formats(), " or "))
	}
	if kind.Versions == nil && o.version != 0 {
		return usagef("--format-version: %s has no versions", o.format)
	}
	if o.kind = kind; o.version != 0 && kind.Versions != nil && !slices.Contains(kind.Versions, o.version) {
		return usagef("--format-version %d: %s has %s", o.version, o.format, listNumbers(kind.Versions))
	}
	if o.cache && o.format != port.Slime {
		return usagef("--hypixel-blocks3: only slime has it")
	}
	if o.table != "" {
		var err error
		if o.names, err = port.ReadNames(o.table); err != nil {
			return usagef("--names: %w", err)
		}
	}
	if o.region != "" {
		r, err := parseRegion(o.region)
		if err != nil {
			return err
		}
		o.within = r
	}
	if o.game != "" {
		version, ok := block.DataVersion(o.game)
		if !ok || o.dataVersion != 0 && o.dataVersion != version {
			return usagef("--version %s: a release from 1.13 on, such as 1.21.1; or --data-version", o.game)
		}
		o.dataVersion = version
	}
	if isAddress(to) {
		return usagef("%s: export writes files and folders; cairn import puts worlds into the store", to)
	}
	return nil
}

func export(ctx context.Context, sf *storeFlag, from, to string, o exportOptions) (*exported, error) {
	check, write := o.resolve, (*exported).write
	if o.file != "" {
		return exportOne(ctx, sf, from, to, o)
	}
	if strings.HasSuffix(to, port.Ext) {
		check, write = o.checkStone, (*exported).asStone
	}
	if err := check(to); err != nil {
		return nil, err
	}
	if !isAddress(from) {
		if err := outside(to, from); err != nil {
			return nil, err
		}
	}
	free := checkFree
	if o.format == formatCairn || o.kind.Ext != "" {
		free = checkNew
	}
	if err := free(to); err != nil {
		return nil, err
	}
	done := &exported{World: from, Target: to, Format: o.format}
	return done, withContent(ctx, sf, from, false, func(src *source, w stone.Content) error {
		done.Lost, done.Remarks = src.Remarks().Lost, src.notes(w)
		if o.unasked {
			o.format = port.FormatFor(to, w)
			o.kind, _ = port.Format(o.format)
			done.Format = o.format
		}
		return write(done, ctx, sf, w, o)
	})
}

// exportOne writes one file of a world.
func exportOne(ctx context.Context, sf *storeFlag, from, to string, o exportOptions) (*exported, error) {
	if !o.bare() {
		return nil, usagef("--file: one file is written as it is: of the flags it takes --json alone")
	}
	if !isAddress(from) {
		if err := outside(to, from); err != nil {
			return nil, err
		}
	}
	if err := checkNew(to); err != nil {
		return nil, err
	}
	done := &exported{World: from, Target: to, Format: "file", Lost: map[string]int{}}
	return done, withContent(ctx, sf, from, false, func(_ *source, w stone.Content) error {
		r, err := w.OpenFile(o.file)
		if errors.Is(err, fs.ErrNotExist) {
			err = noFile(from, o.file, w)
		}
		if err != nil {
			return err
		}
		defer r.Close()
		done.Bytes, err = writeFile(to, func(out io.Writer) error { _, err := io.Copy(out, r); return err })
		return err
	})
}

// noFile is the error of a file that a world does not have.
func noFile(of, path string, w stone.Content) error {
	var near []string
	for _, f := range w.About().Files {
		if filepath.Ext(f.Path) == filepath.Ext(path) {
			near = append(near, f.Path)
		}
	}
	err := fmt.Errorf("%s: no file %q: %w", of, path, fs.ErrNotExist)
	if len(near) > 0 {
		err = fmt.Errorf("%w; it has %s", err, format.SomeOf(near))
	}
	return err
}

// formatCairn is the format of a whole world in one stone.
const formatCairn = "cairn"

// bare reports whether no flag says how to write.
func (o *exportOptions) bare() bool {
	return o.format == "" && o.version == 0 && o.game == "" && o.dataVersion == 0 && o.dimension == "" && o.region == "" && !o.cache && o.table == ""
}

// checkStone checks the flags of a .cairn file.
func (o *exportOptions) checkStone(to string) error {
	if !o.bare() {
		return usagef("%s: a %s file has a whole world as it is: of the flags it takes --json alone", to, port.Ext)
	}
	o.format = formatCairn
	return checkWorldPath(to)
}

// asStone writes a world as a .cairn file.
func (r *exported) asStone(ctx context.Context, sf *storeFlag, w stone.Content, _ exportOptions) (err error) {
	_, r.Bytes, err = writeWorld(ctx, w, r.Target, sf.whole(stone.Options{}))
	return err
}

// forGame converts a world that a program made to the release of the game that the flags
// name. It does that in memory, of which it takes at most maxBytes.
func (r *exported) forGame(ctx context.Context, c stone.Content, maxBytes int64, o exportOptions) (stone.Content, error) {
	made, err := port.IsMade(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case made && port.TakesMade(o.format):
		return c, nil
	case o.dataVersion == 0 && made:
		return nil, usagef("%s was made by a program: name the release of the game, as in --version 1.21.1", r.World)
	case o.dataVersion == 0:
		return c, nil
	case !made:
		return nil, usagef("%s has a version of a game already; cairn does not convert it", r.World)
	}
	w, err := convert.FromContent(ctx, c, maxBytes)
	if err == nil {
		err = port.ForGame(ctx, w, filepath.Base(strings.TrimSuffix(r.Target, o.kind.Ext)), o.dataVersion, r.Lost)
	}
	if errors.Is(err, convert.ErrTooLarge) {
		err = fmt.Errorf("%s: %w; --memory allows more", r.World, err)
	}
	if err != nil {
		return nil, err
	}
	return w.Content(), nil
}

// write writes a world in a format of a game.
func (r *exported) write(ctx context.Context, sf *storeFlag, w stone.Content, o exportOptions) error {
	w, err := r.renamed(ctx, w, &o)
	if err == nil {
		w, err = r.forGame(ctx, w, sf.memory.world(), o)
	}
	if err == nil {
		err = r.writeWorld(ctx, w, o)
	}
	var which *inspect.DimensionError
	switch {
	case errors.As(err, &which) && which.Want == "":
		return usagef("this format holds one dimension and the world has %d; give --dimension %s", len(which.Have), strings.Join(which.Have, " or "))
	case errors.As(err, &which):
		return noDimension(which)
	}
	return err
}

// renamed gives the blocks of a world the names of the game of the format, if it is another one or the user has names.
func (r *exported) renamed(ctx context.Context, w stone.Content, o *exportOptions) (stone.Content, error) {
	if o.names == nil {
		var other *port.GameError
		err := port.CheckGame(w, o.format)
		if errors.As(err, &other) {
			err = usagef("%s has blocks of %s, and %s wants those of %s: give --names FILE; cairn formats lists tables of names", r.World, other.Has, o.format, other.Wants)
		}
		return w, err
	}
	if o.within != nil && !o.kind.Piece && port.TakesMade(o.format) {
		return nil, usagef("--region with --names: %s is written whole; a file of a piece of a world can have a region", o.format)
	}
	w, err := port.Pick(ctx, w, o.dimension, true, r.Lost)
	if err != nil {
		return nil, err
	}
	o.dimension = ""
	return port.Rename(ctx, w, o.names, o.format, o.dataVersion, r.Lost)
}

func (r *exported) writeWorld(ctx context.Context, w stone.Content, o exportOptions) error {
	if o.within != nil && o.kind.Piece {
		c, err := port.Clip(ctx, w, o.dimension, o.within)
		if err == nil {
			r.Bytes, err = writeFile(r.Target, func(out io.Writer) error { return port.WriteClip(out, c, o.target(), r.Lost) })
		}
		return err
	}
	var through port.Through
	var err error
	if o.within != nil {
		if w, through, err = port.Touching(w, o.dimension, o.within); err == nil {
			err = touches(ctx, w)
		}
	} else {
		w, err = port.Pick(ctx, w, o.dimension, o.kind.Single, r.Lost)
	}
	switch {
	case err != nil:
	case o.kind.Ext != "":
		r.Bytes, err = exportFile(ctx, w, r.Target, o.target(), through, r.Lost)
	default:
		r.Bytes, err = exportFolder(ctx, w, r.Target, o.target(), through, r.Lost)
	}
	return err
}

// touches fails if a world reduced to a region has no chunk.
func touches(ctx context.Context, w stone.Content) error {
	dim := w.About().Dimensions[0].Name
	for _, err := range w.ReadColumns(ctx, dim) {
		return err
	}
	return fmt.Errorf("--region: it touches no chunk of %s", dim)
}

func (o *exportOptions) target() port.Target {
	return port.Target{Format: o.format, Version: o.version, DataVersion: o.dataVersion, Cache: o.cache}
}

func noDimension(e *inspect.DimensionError) error {
	return usagef("--dimension %s: the world has %s", e.Want, strings.Join(e.Have, ", "))
}

func (r *exported) print(out io.Writer) {
	fmt.Fprintf(out, "%s -> %s (%s, %s)\n", r.World, r.Target, r.Format, table.Size(r.Bytes))
	console.PrintList(out, "remarks:", r.Remarks)
	console.PrintCounts(out, "the format does not hold:", r.Lost)
}

// checkFree checks that a folder may be made at a path: there is nothing, or an empty
// folder.
func checkFree(path string) error {
	list, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return checkParent(path)
	}
	if err == nil && len(list) == 0 {
		return nil
	}
	if err == nil {
		err = errors.New("the folder is not empty")
	}
	return pathError(path, err)
}

// exportFile writes w as a file. It adds to lost what the format cannot hold.
func exportFile(ctx context.Context, w stone.Content, path string, t port.Target, through port.Through, lost map[string]int) (int64, error) {
	p := console.NewProgress()
	defer p.Done()
	return writeFile(path, func(file io.Writer) error {
		return port.WriteFile(ctx, w, file, t, p.Through("writing", through), lost)
	})
}

// exportFolder writes w as a folder, which appears only when it is complete. It adds to
// lost what the format cannot hold.
func exportFolder(ctx context.Context, w stone.Content, path string, t port.Target, through port.Through, lost map[string]int) (int64, error) {
	t.Name = filepath.Base(path)
	return newFolder(path, func(dir string, p *console.Progress) error {
		return port.WriteFolder(ctx, w, dir, t, p.Through("writing", through), lost)
	})
}

// newFolder makes a folder, which write fills. It returns the bytes of its files.
func newFolder(path string, write func(dir string, p *console.Progress) error) (n int64, err error) {
	folder, err := atomicfile.NewFolder(path)
	if err != nil {
		return 0, pathError(path, err)
	}
	defer folder.Abort()
	p := console.NewProgress()
	defer p.Done()
	if err = write(folder.Temp, p); err == nil {
		n, err = port.FolderSize(folder.Temp)
	}
	if err == nil {
		err = folder.Commit()
	}
	if err != nil {
		return 0, pathError(path, err)
	}
	return n, nil
}
