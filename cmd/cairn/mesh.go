package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/atomicfile"
	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/spf13/cobra"
)

type meshOptions struct {
	dimension, box string
	level          int
	blocky, force  bool
}

// meshFacts is the result of mesh.
type meshFacts struct {
	Path      string `json:"path"`
	Triangles int64  `json:"triangles"`
	Vertices  int64  `json:"vertices"`
	remarks   []string
}

func (m *meshFacts) print(out io.Writer) {
	fmt.Fprintf(out, "%s: %s triangles, %s vertices\n", m.Path, console.Count(m.Triangles), console.Count(m.Vertices))
	console.PrintList(out, "remarks:", m.remarks)
}

func newMesh(sf *storeFlag) *cobra.Command {
	var o meshOptions
	c := printing(&cobra.Command{
		Use:   "mesh SRC|WORLD OUT.glb|obj|ply",
		Short: "Makes a surface of a world for other tools",
		Long: `mesh makes a closed surface of a world, or of a box of it, as glTF (.glb), OBJ (.obj, with
.mtl beside it) or PLY (.ply). Blocks become quads, and a terrain of occupancies becomes a smooth
surface unless --blocky is given. Names of blocks become materials. A block that does not fill its
cell, such as a flower, is left out; stairs and fences fill theirs. The liquid of a terrain is left
out. --level 3 takes cells of 8 blocks an edge. Positions are those in the world, so files of
several boxes lie beside each other.`,
		Example: "  cairn mesh hub.cairn hub.glb\n  cairn mesh @land land.ply --box 0,0,0..999,255,999 --level 2",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) { return o.run(ctx, sf, args[0], args[1]) })
	f := c.Flags()
	f.StringVar(&o.dimension, "dimension", "", "the dimension; by default the first that has blocks")
	f.StringVar(&o.box, "box", "", boxHelp)
	f.IntVar(&o.level, "level", 0, "how coarse: cells are 2^level blocks wide")
	f.BoolVar(&o.blocky, "blocky", false, "make quads of a terrain of occupancies too")
	f.BoolVar(&o.force, "force", false, "replace the file")
	return c
}

func (o *meshOptions) run(ctx context.Context, sf *storeFlag, from, to string) (*meshFacts, error) {
	ext := filepath.Ext(to)
	name := strings.TrimSuffix(to, ext)
	library := filepath.Join(filepath.Dir(name), mesh.Library(filepath.Base(name))+".mtl")
	switch {
	case ext != ".glb" && ext != ".obj" && ext != ".ply":
		return nil, usagef("%s: the path of a mesh ends in .glb, .obj or .ply", to)
	case o.level < 0 || o.level > geom.MaxLevel:
		return nil, usagef("--level %d: 0 to %d", o.level, geom.MaxLevel)
	}
	box, err := parseBox(o.box)
	if err == nil {
		err = checkOutput(to, from, o.force)
	}
	if err == nil && ext == ".obj" {
		err = checkOutput(library, from, o.force)
	}
	if err != nil {
		return nil, err
	}
	facts := &meshFacts{Path: to}
	return facts, withContent(ctx, sf, from, true, func(src *source, w stone.Content) error {
		v, err := sceneOf(ctx, src, w, o.dimension)
		if err != nil {
			return err
		}
		if box.Empty() {
			box = v.Bounds()
		}
		asked := box
		box = box.Over(1 << o.level)
		surface := mesh.Blocky
		if v.Terrain() && !o.blocky {
			surface = mesh.Smooth
		}
		boxes := v.Boxes(o.level)
		model := surface(boxes, box, o.level, paletteOf(v), mesh.Options{})
		file, err := atomicfile.NewFile(to, 0o666)
		if err != nil {
			return pathError(to, err)
		}
		defer file.Abort()
		var stats mesh.Stats
		switch ext {
		case ".glb":
			stats, err = mesh.WriteGLB(ctx, file.File, model, filepath.Base(name))
		case ".ply":
			stats, err = mesh.WritePLY(ctx, file.File, model)
		default:
			stats, err = mesh.WriteOBJ(ctx, file.File, model, filepath.Base(library))
		}
		if err == nil {
			err = boxes.Err()
		}
		if err == nil && stats.Triangles == 0 {
			return fmt.Errorf("%s: the world has no surface in %v..%v; nothing was written", to, asked.Min, asked.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}))
		}
		if err == nil && ext == ".obj" { // the library comes last, so that no failure leaves it alone
			_, err = writeFile(library, func(w io.Writer) error { return mesh.WriteMTL(w, model, stats) })
		}
		if err == nil {
			err = file.Commit()
		}
		if err != nil {
			return pathError(to, err)
		}
		facts.Triangles, facts.Vertices, facts.remarks = stats.Triangles, stats.Vertices, src.notes(w)
		return nil
	})
}

// paletteOf says how the cells of a scene look.
func paletteOf(v *scene.Scene) *mesh.Palette {
	t := picture.NewLooks()
	terrain, schema := v.Terrain(), voxel.Palette
	if terrain {
		schema = voxel.Terrain
	}
	var all []mesh.Material
	names := v.Names()
	for i := len(names); terrain && i < 64; i++ {
		names = append(names[:i:i], v.Name(v.Matter(), voxel.TerrainCell(uint8(i), 255)))
	}
	for i, name := range names {
		look := t.Look(schema, i, name)
		all = append(all, mesh.Material{Name: block.Shown(name), Colour: look.Colour, Kind: mesh.Opacity(look.Kind)})
	}
	p := mesh.NewPalette(all, terrain)
	for _, m := range all {
		p.Shapes = append(p.Shapes, shapeOf(m.Name))
	}
	return p
}

// shapeOf says how a smooth surface is formed around a material: stone has facets, what people
// build has corners, and all else is round.
func shapeOf(name string) mesh.Shape {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
	}
	switch {
	case has("brick", "plank", "concrete", "cobblestone", "tile"):
		return mesh.Square
	case has("rock", "stone", "slate", "basalt", "granite", "ore", "ice", "glacier"):
		return mesh.Faceted
	}
	return mesh.Round
}
