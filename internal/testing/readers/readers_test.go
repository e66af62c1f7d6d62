package readers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// reader is a package that others wrote.
type reader struct {
	name, format string
	tool         func(*testing.T) tool
	driver       []string               // before the path
	path         string                 // within an export that is a folder
	rest         func(cells int) string // behind the path
	versions     []int                  // of the format that it reads, the first for worlds of others
	inputs       func(*testing.T) []input
	placed       bool                                // it says where in the world cells lie
	say          func(string) string                 // makes its name of cairn's
	objects      []string                            // lists whose objects it counts
	can          func(*convert.LoadedDimension) bool // nil: it reads all
}

// step returns the step at which a reader of chunks says some million cells of a world.
func step(cells int) string { return fmt.Sprint(1 + cells/long.Of(1<<22, 1<<24)) }

var readers = []reader{
	{
		name: "hytale-region-parser 0.1.2", format: port.Hytale, tool: python, driver: []string{"testdata/hytale.py"}, rest: step,
		path: "universe/worlds/default/chunks", versions: []int{0}, inputs: hytaleWorlds, placed: true,
		// it has no fillers and no rotations
		say: func(name string) string {
			if name, _, _ = strings.Cut(name, "["); name == "Empty" {
				return ""
			}
			return name
		},
		objects: []string{voxel.BlockEntities, voxel.Entities},
	},
	{
		name: "linearify 0.1.6, fastanvil 0.32.0", format: linearFormat, tool: rust, driver: []string{"linear"}, path: "region",
		versions: []int{1}, inputs: linearWorlds, placed: true, say: without("waterlogged", "powered"), can: named,
	},
	{
		name: "polar 1.16.0", format: polarFormat, tool: java, versions: []int{0, 1, 2, 3, 4, 5, 6, 7}, inputs: polarWorlds, placed: true,
		// it gives the grass of files before version 5 its later name
		say: func(name string) string {
			if name == "minecraft:grass" {
				return "short_grass"
			}
			return name
		},
		objects: []string{voxel.BlockEntities},
	},
	{
		name: "litemapy 0.11.0b0", format: port.Litematica, tool: python, driver: []string{"testdata/litematic.py"},
		versions: []int{0, 4, 5, 6, 7}, inputs: litematics, say: as, objects: []string{voxel.BlockEntities, voxel.Entities},
	},
	{
		name: "nucleation 0.10.24", format: port.Litematica, tool: node, driver: []string{"testdata/litematic.mjs"},
		versions: []int{0, 4, 5, 6, 7}, inputs: litematics, say: as, objects: []string{voxel.BlockEntities, voxel.Entities},
	},
	{
		name: "vox-reader 4.0.1", format: port.Vox, tool: node, driver: []string{"testdata/vox.js"},
		versions: []int{0, 150, 200}, inputs: scenes, say: without("index"),
	},
	{
		name: "dot_vox 5.2.0", format: port.Vox, tool: rust, driver: []string{"vox"},
		versions: []int{0, 150, 200}, inputs: scenes, say: without("index"),
	},
	{
		name: "mtanvil 0.3.1", format: port.Luanti, tool: python, driver: []string{"testdata/luanti.py"}, path: "map.sqlite",
		versions: []int{29}, inputs: luantiWorlds, placed: true, say: as, objects: []string{voxel.Entities},
	},
}

// The formats that have no name in package port.
const (
	linearFormat = "linear"
	polarFormat  = "polar"
)

func as(name string) string { return name }

// without leaves properties out, which a reader does not say.
func without(properties ...string) func(string) string {
	return func(name string) string {
		id, rest, has := strings.Cut(strings.TrimSuffix(name, "]"), "[")
		if !has {
			return name
		}
		left := slices.DeleteFunc(strings.Split(rest, ","), func(p string) bool {
			key, _, _ := strings.Cut(p, "=")
			return slices.Contains(properties, key)
		})
		if len(left) == 0 {
			return id
		}
		return id + "[" + strings.Join(left, ",") + "]"
	}
}

// named reports whether all columns have blocks with names, as they are from 1.13 on.
func named(d *convert.LoadedDimension) bool {
	return !slices.ContainsFunc(d.Columns, func(c voxel.Column) bool { return c.Version < 1451 })
}

// TestReaders lets each reader read worlds that went through cairn, and compares all cells with what cairn read.
func TestReaders(t *testing.T) {
	for _, r := range readers {
		t.Run(strings.ReplaceAll(r.name, " ", "-"), func(t *testing.T) {
			r.tool(t) // or the test ends here
			read, total := 0, 0
			for _, in := range r.inputs(t) {
				t.Run(in.name, func(t *testing.T) {
					for _, version := range r.versions[:in.versions(len(r.versions))] {
						n := r.check(t, in, version)
						if n > 0 {
							read++
						}
						total += n
					}
				})
			}
			if read == 0 {
				t.Error("no world was compared")
			}
			t.Logf("read by %s: %d exports of %s, %d cells", r.name, read, r.format, total)
		})
	}
}

// check exports a world, compares what the reader says, and returns the number of cells, 0 if the reader cannot read such a world.
func (r *reader) check(t *testing.T, in input, version int) int {
	t.Helper()
	w := in.open(t)
	loaded, err := convert.FromContent(t.Context(), w, 0)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(loaded.Dimensions, func(d *convert.LoadedDimension) bool { return d.Volume(voxel.Block) != nil })
	dim := loaded.Dimensions[i]
	if r.can != nil && !r.can(dim) {
		return 0
	}
	want := cellsOf(dim, r.say)
	path := export(t, w, port.Target{Format: r.format, Version: version})
	args := append(slices.Clone(r.driver), filepath.Join(path, r.path))
	if r.rest != nil {
		args = append(args, r.rest(want.count))
	}
	got := r.tool(t).list(t, args...)
	if got.cannot != "" {
		t.Logf("cannot %s", got.cannot)
		return 0
	}
	for _, fault := range want.faults(got, r.placed) {
		t.Errorf("version %d: %s", version, fault)
	}
	for _, list := range r.objects {
		n := 0
		for i := range dim.Columns {
			n += len(dim.Columns[i].Objects(list))
		}
		if got.objects[list] != n {
			t.Errorf("version %d: %d %s, want %d", version, got.objects[list], list, n)
		}
	}
	return want.count
}

// export writes a world as a file or a folder.
func export(t *testing.T, w stone.Content, to port.Target) string {
	t.Helper()
	kind, _ := port.Format(to.Format)
	ctx, path, lost := context.Background(), filepath.Join(t.TempDir(), "export"+kind.Ext), map[string]int{}
	w, err := port.Pick(ctx, w, "", kind.Single, lost)
	if err != nil {
		t.Fatal(err)
	}
	if kind.Ext == "" {
		if err = os.Mkdir(path, 0o755); err == nil {
			err = port.WriteFolder(ctx, w, path, to, nil, lost)
		}
	} else {
		var file *os.File
		if file, err = os.Create(path); err == nil {
			err = port.WriteFile(ctx, w, file, to, nil, lost)
			file.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
