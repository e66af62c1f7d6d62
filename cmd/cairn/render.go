package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/spf13/cobra"
)

type renderOptions struct {
	dimension, box string
	scale, top     int
	force          bool
	trace          traceOptions
}

func newRender(sf *storeFlag) *cobra.Command {
	var o renderOptions
	c := &cobra.Command{
		Use:   "render SRC|WORLD OUT.png",
		Short: "Draws a world from above, or from any place",
		Long: `render draws a world from above, north up, with a scale in blocks. Such a map has at most
4,096 pixels an edge. Of a wider world it shows means; one of about 8,000 blocks or more has some
1,024 pixels an edge, each a wide cell of the far levels of a stone of a whole world, which cairn
pack makes of several. --scale 1 draws it as large and as fine as can be. Without --box, render
leaves out a few chunks that lie alone far away, and says so.

With --from, or with --isometric, it draws what one sees from a place, with sun, shadows, water
and the light of lamps. The picture is the same for any --memory.`,
		Example: "  cairn render hub.cairn hub.png\n  cairn render --dimension the_nether --top 90 ./saves/hub nether.png\n  cairn render @hub square.png --box 0,0,0..255,319,255\n  cairn render hub.cairn view.png --from 60,110,90 --look 0,75,0",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return runRender(c.Context(), sf, c.OutOrStdout(), args[0], args[1], o)
		},
	}
	f := c.Flags()
	f.StringVar(&o.dimension, "dimension", "", "the dimension; by default the first that has blocks")
	f.StringVar(&o.box, "box", "", boxHelp)
	f.IntVar(&o.scale, "scale", 0, "pixels for each block, 1 to 64; by default what suits the world")
	f.IntVar(&o.top, "top", 0, fmt.Sprintf("hide blocks from this height up; 0 hides none, in the_nether those from %d up", scene.NetherTop))
	f.BoolVar(&o.force, "force", false, "replace OUT.png")
	o.trace.flags(f)
	return c
}

func runRender(ctx context.Context, sf *storeFlag, out io.Writer, from, to string, o renderOptions) error {
	if err := o.check(from, to); err != nil {
		return err
	}
	box, err := parseBox(o.box)
	if err != nil {
		return err
	}
	return withContent(ctx, sf, from, true, func(src *source, w stone.Content) error {
		v, err := sceneOf(ctx, src, w, o.dimension)
		if err != nil {
			return err
		}
		left, at := 0, geom.Box{}
		if o.box == "" {
			left, at = v.Frame()
		} else {
			v.Cut(box)
		}
		if o.top == 0 && v.Dimension == "the_nether" && o.trace.from == "" {
			o.top = scene.NetherTop
		}
		if o.trace.asked() {
			if b := v.Bounds(); o.top != 0 {
				b.Max.Y = o.top
				v.Cut(b)
			}
			stats, err := o.trace.draw(ctx, v, out, to, sf.memory.share())
			if sf.memory.stats && stats.Calls > 0 {
				fmt.Fprint(sf.warnings, stats)
			}
			return err
		}
		img, result, err := picture.Top(ctx, v, picture.Options{Zoom: o.scale, Top: o.top})
		switch {
		case errors.Is(err, picture.ErrTooWide):
			err = fmt.Errorf("%w; --box draws a part", err)
		case err == nil && o.box != "" && result.Drawn == 0:
			err = fmt.Errorf("--box %s: %w there", o.box, inspect.ErrNoMatter)
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = writePNG(img, to)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d x %d pixels\n", to, img.Rect.Dx(), img.Rect.Dy())
		if left > 0 {
			fmt.Fprintf(out, "  left out, because it lies far away: %s; --box %d,%d,%d..%d,%d,%d draws one of them\n", console.Counted(left, "stack")+" of chunks",
				at.Min.X, at.Min.Y, at.Min.Z, at.Max.X-1, at.Max.Y-1, at.Max.Z-1)
		}
		console.PrintList(out, "remarks:", src.notes(w))
		for _, u := range result.Unknown {
			fmt.Fprintf(out, "  no colour known for %s (%s)\n", u.Name, console.Counted(u.N, "column"))
		}
		return nil
	})
}

func (o renderOptions) check(from, to string) error {
	switch {
	case !strings.HasSuffix(to, ".png") && !(strings.HasSuffix(to, ".exr") && o.trace.asked()):
		return usagef("%s: the picture's path ends in .png, or in .exr with --from or --isometric", to)
	case o.scale != 0 && o.trace.asked():
		return usagef("--scale is for a map; --size is the size of a picture from another place")
	case (len(o.trace.packs) > 0 || o.trace.sky != "") && !o.trace.asked():
		return usagef("--resource-pack and --sky are for a picture with --from or --isometric")
	case o.scale < 0 || o.scale > 64:
		return usagef("--scale %d: 1 to 64", o.scale)
	}
	return checkOutput(to, from, o.force)
}

// boxHelp is the help of --box.
const boxHelp = "X,Y,Z..X,Y,Z: only the blocks of this box, both corners included"

// parseBox parses a --box, which may be empty.
func parseBox(s string) (geom.Box, error) {
	if s == "" {
		return geom.Box{}, nil
	}
	r, err := region.Parse("box:" + s)
	if err != nil {
		return geom.Box{}, usagef("--box %s: want X,Y,Z..X,Y,Z: %v", s, err)
	}
	return r.Bounds(), nil
}

// sceneOf returns the named dimension, or of the first with chunks if name is
// empty.
func sceneOf(ctx context.Context, src *source, w stone.Content, name string) (*scene.Scene, error) {
	v, err := scene.Of(ctx, w, name, 0)
	var which *inspect.DimensionError
	if errors.As(err, &which) {
		err = noDimension(which)
	}
	if damaged := src.Remarks().Damaged; errors.Is(err, inspect.ErrNoMatter) && len(damaged) > 0 {
		err = fmt.Errorf("%w: it has %s, which cairn check names", err, console.Counted(len(damaged), "damaged chunk"))
	}
	if err == nil {
		v.NameMaterials(terrain.Materials())
	}
	return v, err
}

func writePNG(img image.Image, path string) error {
	_, err := writeFile(path, func(out io.Writer) error { return png.Encode(out, img) })
	return err
}
