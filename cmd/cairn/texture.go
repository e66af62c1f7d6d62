package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/texture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/spf13/cobra"
)

func newTexture() *cobra.Command {
	return group(&cobra.Command{
		Use:     "texture",
		Short:   "Makes files of image textures, and looks inside: make, info, check, show or dump",
		Example: "  cairn texture make rock.exr rock" + texture.Ext,
	}, newTextureMake(), newTextureInfo(), textureVerb("check", "Reads every tile", checkTexture),
		newTextureShow(), textureVerb("dump", "Prints what each tile is, and where its bytes lie", dumpTexture))
}

func textureVerb(name, short string, do func(ctx context.Context, out io.Writer, path string, a *texture.Atlas) error) *cobra.Command {
	return &cobra.Command{
		Use:     name + " FILE" + texture.Ext,
		Short:   short,
		Example: "  cairn texture " + name + " rock" + texture.Ext,
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return withTexture(args[0], func(a *texture.Atlas, _ int64) error { return do(c.Context(), c.OutOrStdout(), args[0], a) })
		},
	}
}

// withTexture opens a texture file of some bytes.
func withTexture(path string, do func(a *texture.Atlas, bytes int64) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	a, err := texture.Open(f, info.Size())
	if err == nil {
		err = do(a, info.Size())
	}
	if err != nil {
		return pathError(path, err)
	}
	return nil
}

func checkTexture(ctx context.Context, out io.Writer, path string, a *texture.Atlas) error {
	if err := a.Check(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: ok (%s)\n", path, console.Counted(a.Stats().Tiles, "tile"))
	return nil
}

func dumpTexture(_ context.Context, out io.Writer, _ string, a *texture.Atlas) error {
	return a.Dump(out)
}

// The words of --type and of --wrap.
var (
	textureTypes = []string{"uint8", "uint16", "half", "float"}
	textureWraps = []string{"black", "clamp", "periodic", "mirror"}
)

type textureOptions struct {
	tile                int
	kind, wrap          string
	wraps               [2]string // in s and t
	srgb, linear, force bool
}

func newTextureMake() *cobra.Command {
	var o textureOptions
	c := printing(&cobra.Command{
		Use:   "make IMAGE OUT" + texture.Ext,
		Short: "Makes a texture file of an image or a set of images",
		Long: `make writes an image with all its levels in tiles, as a renderer reads it. The image is an OpenEXR,
TIFF, Radiance HDR, PNG, JPEG or ` + texture.Ext + ` file, whatever its name is. A name with <UDIM>, %(UDIM)d,
<u>, <v>, <uvtile>, <U>, <V>, <UVTILE> or _u##v## in it is a set, which becomes one file.

A level has half the edges of the one before and is made of linear light. Levels that the image has
are not read.`,
		Example: "  cairn texture make rock.exr rock.ctex\n  cairn texture make --type half 'wall.<UDIM>.tif' wall.ctex",
		Args:    takes(2, 2),
	}, func(ctx context.Context, args []string) (result, error) { return makeTexture(ctx, args[0], args[1], o) })
	f := c.Flags()
	f.IntVar(&o.tile, "tile", 64, "the edge of a tile: 16, 32, 64, 128 or 256")
	f.StringVar(&o.kind, "type", "", "uint8, uint16, half or float: the numbers that are stored; by default those of the image")
	f.BoolVar(&o.srgb, "srgb", false, "colours are encoded by the curve of sRGB, whatever the image says; as half or float they become linear")
	f.BoolVar(&o.linear, "linear", false, "colours are linear, whatever the image says")
	f.StringVar(&o.wrap, "wrap", "", "black, clamp, periodic or mirror: how coordinates outside go on, also S,T; by default as the image says")
	f.BoolVar(&o.force, "force", false, "replace OUT"+texture.Ext)
	return c
}

// options checks the flags.
func (o *textureOptions) options() (options texture.Options, err error) {
	options = texture.Options{Tile: o.tile, Run: port.AtOnce(stone.Options{}).Run}
	types := []raster.Type{raster.Uint8, raster.Uint16, raster.Half, raster.Float}
	if i := slices.Index(textureTypes, o.kind); i >= 0 {
		options.Type = &types[i]
	}
	s, t, two := strings.Cut(o.wrap, ",")
	if !two {
		t = s
	}
	o.wraps = [2]string{s, t}
	switch {
	case o.kind != "" && options.Type == nil:
		return options, usagef("--type %s: one of %s", o.kind, strings.Join(textureTypes, ", "))
	case o.tile < 16 || o.tile > 256 || o.tile&(o.tile-1) != 0:
		return options, usagef("--tile %d: 16, 32, 64, 128 or 256", o.tile)
	case o.srgb && o.linear:
		return options, usagef("--srgb and --linear: one of them")
	case o.wrap != "" && (!slices.Contains(textureWraps, s) || !slices.Contains(textureWraps, t)):
		return options, usagef("--wrap %s: one or two of %s", o.wrap, strings.Join(textureWraps, ", "))
	}
	return options, nil
}

func makeTexture(ctx context.Context, from, to string, o textureOptions) (*textureFacts, error) {
	if !strings.HasSuffix(to, texture.Ext) {
		return nil, usagef("%s: the path of a texture file ends in %s", to, texture.Ext)
	}
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	files, err := imagefile.Members(from)
	if err != nil {
		return nil, err
	}
	if files == nil {
		files = map[int]string{0: from}
	}
	there, _ := os.Stat(to)
	for _, name := range files {
		if info, _ := os.Stat(name); os.SameFile(info, there) {
			return nil, usagef("%s: would replace an image that it is made of", to)
		}
	}
	if err := checkReplaceable(to, o.force); err != nil {
		return nil, err
	}
	var unread error // of an image, whose name it has
	_, err = writeFile(to, func(w io.Writer) error {
		out := &sticky{w: w}
		m := texture.NewMaker(out, options)
		for _, number := range slices.Sorted(maps.Keys(files)) {
			if err := o.add(ctx, m, number, files[number]); err != nil {
				if out.err == nil {
					unread = err
				}
				return cmp.Or(out.err, err)
			}
		}
		return cmp.Or(m.Close(), ctx.Err())
	})
	if err := cmp.Or(unread, err); err != nil {
		return nil, err
	}
	return textureFactsOf(to)
}

// add adds the image of a file, or the images of a texture file that has a set.
func (o *textureOptions) add(ctx context.Context, m *texture.Maker, number int, path string) error {
	img, file, err := imagefile.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	a, numbers := (*texture.Atlas)(nil), []int{number}
	if of, ok := img.(*texture.Atlas); ok && len(of.Members()) > 0 {
		if a, numbers = of, of.Members(); number != 0 {
			return fmt.Errorf("%s: is a set itself", path)
		}
	}
	for _, n := range numbers {
		if a != nil {
			img = a.Member(n)
		}
		h := *img.Header()
		h.SRGB = h.SRGB && !o.linear || o.srgb
		if o.wrap != "" {
			h.Wrap = o.wraps
		}
		if err := m.Add(ctx, n, retold{img, &h}); err != nil {
			return pathError(path, err)
		}
	}
	return nil
}

// retold is an image with another header.
type retold struct {
	raster.Image
	header *raster.Header
}

func (r retold) Header() *raster.Header { return r.header }

// textureFacts is the result of info and of make.
type textureFacts struct {
	File     string         `json:"file"`
	Bytes    int64          `json:"bytes"`
	Images   []textureImage `json:"images"`
	Channels []string       `json:"channels"`
	Type     string         `json:"type"`
	SRGB     bool           `json:"srgb"`
	Wrap     []string       `json:"wrap"` // in s and t, none if unknown
	Edge     int            `json:"tile"`
	texture.Stats
}

type textureImage struct {
	Number int `json:"number,omitempty"`
	Width  int `json:"width"`
	Height int `json:"height"`
	Levels int `json:"levels"`
}

func newTextureInfo() *cobra.Command {
	return printing(&cobra.Command{
		Use:     "info FILE" + texture.Ext,
		Short:   "Describes a texture file",
		Example: "  cairn texture info rock" + texture.Ext,
		Args:    takes(1, 1),
	}, func(_ context.Context, args []string) (result, error) { return textureFactsOf(args[0]) })
}

func textureFactsOf(path string) (*textureFacts, error) {
	f := &textureFacts{File: path, Wrap: []string{}}
	return f, withTexture(path, func(a *texture.Atlas, bytes int64) error {
		h := a.Header()
		f.Bytes, f.Channels, f.Type, f.SRGB, f.Edge, f.Stats = bytes, h.Channels, h.Type.String(), h.SRGB, h.Block.Width, a.Stats()
		if h.Wrap[0] != "" {
			f.Wrap = h.Wrap[:]
		}
		numbers := a.Members()
		if len(numbers) == 0 {
			numbers = []int{0}
		}
		for _, n := range numbers {
			levels := a.Member(n).Header().Levels
			f.Images = append(f.Images, textureImage{n, levels[0].Width, levels[0].Height, len(levels)})
		}
		return nil
	})
}

func (f *textureFacts) print(out io.Writer) {
	colours := "linear"
	if f.SRGB {
		colours = "sRGB"
	}
	fmt.Fprintf(out, "%s: %s, %s as %s, %s", f.File, console.Counted(len(f.Images), "image"), console.Line(strings.Join(f.Channels, " ")), f.Type, colours)
	if len(f.Wrap) > 0 {
		fmt.Fprintf(out, ", wrap %s", console.Line(strings.Join(f.Wrap, ",")))
	}
	fmt.Fprintln(out)
	for _, i := range f.Images {
		fmt.Fprint(out, "  ")
		if i.Number != 0 {
			fmt.Fprintf(out, "%d: ", i.Number)
		}
		fmt.Fprintf(out, "%d x %d, %s\n", i.Width, i.Height, console.Counted(i.Levels, "level"))
	}
	fmt.Fprintf(out, "  %s of %d x %d: %s constant, %s repeated; %s of %s\n", console.Counted(f.Tiles, "tile"), f.Edge, f.Edge,
		console.Count(f.Constant), console.Count(f.Repeated), table.Size(f.Bytes), table.Size(f.Plain))
}
