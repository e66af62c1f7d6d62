package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/slime"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/spf13/cobra"
)

type exportOptions struct {
	format, dimension string
	slimeVersion      int
	json              bool
}

// exported is what the verb says of its work.
type exported struct {
	World  string         `json:"world"`
	Target string         `json:"target"`
	Format string         `json:"format"`
	Bytes  int64          `json:"bytes"`
	Lost   map[string]int `json:"lost"`
}

func newExport(d *depot) *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export WORLD DST",
		Short: "Gives a world back as a folder or a Slime file",
		Long: `export writes a world in a format of the field: Anvil, a folder, or Slime, one
file; by default Slime if DST ends in .slime. What the format cannot hold is
listed by name. Nothing is converted from one version of a game to another: a
McRegion world is not written as Anvil, and a Slime file, which has one version,
refuses a world of several.`,
		Example: "  cairn export hub.cairn ./restored\n  cairn export --dimension overworld hub.cairn hub.slime",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runExport(c.Context(), d, c.OutOrStdout(), args[0], args[1], o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", "anvil or slime; by default from DST's name")
	f.IntVar(&o.slimeVersion, "slime-version", 0, "3, 9 or 13; by default what the world's data version asks for")
	f.StringVar(&o.dimension, "dimension", "", "write this dimension alone")
	f.BoolVar(&o.json, "json", false, "print one JSON document")
	return c
}

func (o *exportOptions) resolve(to string) error {
	if o.format == "" {
		o.format = "anvil"
		if strings.HasSuffix(to, ".slime") {
			o.format = "slime"
		}
	}
	if o.format != "anvil" && o.format != "slime" {
		return usagef("--format %s: anvil or slime", o.format)
	}
	if !slices.Contains([]int{0, 3, 9, 13}, o.slimeVersion) {
		return usagef("--slime-version %d: 3, 9 or 13", o.slimeVersion)
	}
	if strings.HasSuffix(to, worldExt) || isAddress(to) {
		return usagef("%s: cairn import makes worlds; export makes what others read", to)
	}
	return nil
}

func runExport(ctx context.Context, d *depot, out io.Writer, from, to string, o exportOptions) error {
	if err := o.resolve(to); err != nil {
		return err
	}
	free := isFree
	if o.format == "slime" {
		free = isNew
	}
	if err := free(to); err != nil {
		return err
	}
	return withWorld(ctx, d, from, false, func(src *source, w *convert.World) error {
		if src.stone == nil {
			return usagef("%s: not a %s file; cairn import makes one of it", from, worldExt)
		}
		done := &exported{World: from, Target: to, Format: o.format, Lost: map[string]int{}}
		if err := done.write(ctx, w, o); err != nil {
			return err
		}
		return report(out, done, o.json)
	})
}

func (r *exported) write(ctx context.Context, w *convert.World, o exportOptions) error {
	err := o.pick(w, r.Lost)
	switch {
	case err != nil:
	case o.format == "slime":
		if v := w.Head.Version; o.slimeVersion == 0 && w.Head.Format == "slime" && slices.Contains([]int{3, 9, 13}, v) {
			o.slimeVersion = v // as it was
		}
		r.Bytes, err = writeSlime(ctx, w, r.Target, o.slimeVersion, r.Lost)
	default:
		r.Bytes, err = writeAnvil(ctx, w, r.Target, r.Lost)
	}
	return err
}

func (r *exported) print(out io.Writer) {
	fmt.Fprintf(out, "%s -> %s (%s, %s)\n", r.World, r.Target, r.Format, size(r.Bytes))
	printLosses(out, "the format does not hold:", r.Lost)
}

// isFree checks that a folder can be made at a path: nothing is there, or an
// empty folder.
func isFree(path string) error {
	list, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil
	}
	if err == nil {
		err = errors.New("the folder is not empty")
	}
	return about(path, err)
}

// pick leaves in w the dimension that was asked for, or, for a Slime file, the
// one with columns, and counts the columns of the others as lost.
func (o *exportOptions) pick(w *convert.World, lost map[string]int) error {
	if o.dimension == "" && o.format != "slime" {
		return nil
	}
	var names []string
	var picked []*convert.Dimension
	for _, d := range w.Dimensions {
		names = append(names, d.Name)
		if d.Name == o.dimension || o.dimension == "" && len(d.Columns) > 0 {
			picked = append(picked, d)
		} else if len(d.Columns) > 0 {
			lost["columns of "+d.Name] = len(d.Columns)
		}
	}
	switch {
	case o.dimension != "" && len(picked) == 0:
		return usagef("--dimension %s: the world has %s", o.dimension, strings.Join(names, ", "))
	case len(picked) > 1 && o.format == "slime":
		return usagef("a Slime file holds one dimension and the world has %d; say --dimension %s", len(names), strings.Join(names, " or "))
	}
	w.Dimensions = picked
	return nil
}

// writeSlime writes w as a Slime file and adds to lost what it does not hold.
func writeSlime(ctx context.Context, w *convert.World, path string, version int, lost map[string]int) (int64, error) {
	return writeFile(path, func(file io.Writer) error {
		out, err := slime.Create(file, slime.WriteOptions{Version: version})
		if err == nil {
			err = read(ctx, w.Source(), "writing", out)
		}
		if err == nil {
			err = errors.Join(out.Close(), ctx.Err())
			maps.Copy(lost, out.Lost())
		}
		return err
	})
}

// writeAnvil writes w as a folder that is there only when it is whole, and adds
// to lost what it does not hold.
func writeAnvil(ctx context.Context, w *convert.World, path string, lost map[string]int) (n int64, err error) {
	if w.Head.Format == "mcregion" {
		return 0, fmt.Errorf("%s: the world was read from McRegion; to write it as Anvil would be a conversion nobody asked for", path)
	}
	l, err := landFolder(path)
	if err != nil {
		return 0, about(path, err)
	}
	defer l.abort()
	if err = fillAnvil(ctx, w, l.temp, filepath.Base(path), lost); err == nil {
		n, err = folderBytes(l.temp)
	}
	if err == nil {
		err = l.land()
	}
	if err != nil {
		return 0, about(path, err)
	}
	return n, nil
}

// fillAnvil writes w into an empty folder. A world from elsewhere gets a
// level.dat with that name; an Anvil world that had none gets none.
func fillAnvil(ctx context.Context, w *convert.World, dir, name string, lost map[string]int) error {
	if w.Head.Format == "anvil" {
		name = ""
	}
	out, err := anvil.Create(dir, anvil.WriteOptions{LevelName: name, Spawn: spawnOf(w.Head)})
	if err != nil {
		return err
	}
	if err := read(ctx, w.Source(), "writing", out); err != nil {
		return errors.Join(err, out.Abort())
	}
	err = errors.Join(out.Close(), ctx.Err())
	maps.Copy(lost, out.Lost())
	return err
}

// spawnOf is where a Slime file says that players begin.
func spawnOf(h format.Head) (p geom.Point) {
	for name, to := range map[string]*int{"spawnX": &p.X, "spawnY": &p.Y, "spawnZ": &p.Z} {
		if n, err := strconv.Atoi(h.Properties[name]); err == nil {
			*to = n
		}
	}
	return p
}

// folderBytes is the size of all regular files below a folder.
func folderBytes(dir string) (n int64, err error) {
	err = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}
