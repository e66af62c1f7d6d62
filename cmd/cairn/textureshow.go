package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/texture"
	"github.com/spf13/cobra"
)

type showOptions struct {
	number, level int
	tile          string
	force         bool
}

// A picture of texture show has at most so many pixels an edge; by default it is the finest level of fewer.
const (
	mostShown    = 16384
	defaultShown = 2048
)

func newTextureShow() *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use:   "show FILE" + texture.Ext + " OUT.png",
		Short: "Draws a level or a tile",
		Long: `show writes a level, or one tile of it, as a picture: of the first channel in grey, or of the first
three and of A if there are as many. Linear colours are encoded by the curve of sRGB.`,
		Example: "  cairn texture show rock.ctex rock.png\n  cairn texture show --image 1002 --level 0 --tile 3,5 wall.ctex tile.png",
		Args:    takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			return showTexture(c.Context(), c.OutOrStdout(), args[0], args[1], o)
		},
	}
	f := c.Flags()
	f.IntVar(&o.number, "image", 0, "the number of the image of a set, such as 1001; by default the first")
	f.IntVar(&o.level, "level", -1, fmt.Sprintf("the level, 0 for the finest; by default the first of at most %d pixels an edge", defaultShown))
	f.StringVar(&o.tile, "tile", "", "X,Y: only the tile in this column and row")
	f.BoolVar(&o.force, "force", false, "replace OUT.png")
	return c
}

func showTexture(ctx context.Context, out io.Writer, from, to string, o showOptions) error {
	if !strings.HasSuffix(to, ".png") {
		return usagef("%s: the picture's path ends in .png", to)
	}
	if err := checkReplaceable(to, o.force); err != nil {
		return err
	}
	var shown *image.NRGBA
	err := withTexture(from, func(a *texture.Atlas, _ int64) (err error) {
		img := raster.Image(a)
		if o.number != 0 {
			if img = a.Member(o.number); img == nil {
				return usagef("--image %d: there are %v", o.number, a.Members())
			}
		}
		shown, err = o.draw(ctx, img)
		return err
	})
	if err == nil {
		err = writePNG(shown, to)
	}
	if err == nil {
		fmt.Fprintf(out, "%s: %d x %d pixels of level %d\n", to, shown.Rect.Dx(), shown.Rect.Dy(), o.level)
	}
	return err
}

// draw draws what the options say, and sets the level if they leave it open.
func (o *showOptions) draw(ctx context.Context, img raster.Image) (*image.NRGBA, error) {
	h := img.Header()
	if o.level < 0 {
		o.level = slices.IndexFunc(h.Levels, func(s raster.Size) bool { return max(s.Width, s.Height) <= defaultShown })
	}
	if o.level >= len(h.Levels) {
		return nil, usagef("--level %d: there are 0 to %d", o.level, len(h.Levels)-1)
	}
	s := h.Levels[o.level]
	left, top := 0, 0
	right, bottom := h.Blocks(o.level)
	if o.tile != "" {
		if n, err := fmt.Sscanf(o.tile+" ", "%d,%d ", &left, &top); n != 2 || err != nil || left < 0 || top < 0 || left >= right || top >= bottom {
			return nil, usagef("--tile %s: want X,Y, of %d x %d tiles", o.tile, right, bottom)
		}
		right, bottom, s = left+1, top+1, h.BlockSize(o.level, left, top)
	} else if max(s.Width, s.Height) > mostShown {
		return nil, usagef("--level %d: a picture has at most %d pixels an edge; --tile shows a part", o.level, mostShown)
	}
	shown := image.NewNRGBA(image.Rect(0, 0, s.Width, s.Height))
	for y := top; y < bottom; y++ {
		for x := left; x < right; x++ {
			s := h.BlockSize(o.level, x, y)
			b := make([]byte, s.Width*s.Height*h.Pixel())
			if err := img.ReadBlock(o.level, x, y, b); err != nil {
				return nil, err
			}
			drawBlock(shown, (x-left)*h.Block.Width, (y-top)*h.Block.Height, s.Width, h, b)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return shown, nil
}

// drawBlock draws the pixels of a block of a width.
func drawBlock(to *image.NRGBA, x, y, width int, h *raster.Header, b []byte) {
	n, alpha := len(h.Channels), slices.Index(h.Channels, "A")
	p := make([]float32, n)
	for i := 0; len(b) > 0; i++ {
		h.Type.Floats(p, b)
		b = b[h.Pixel():]
		c := [4]float32{p[0], p[0], p[0], 1}
		if n >= 3 {
			copy(c[:], p[:3])
		}
		for k := range c[:3] {
			if !h.SRGB {
				c[k] = raster.Encoded(c[k])
			}
		}
		if alpha >= 0 {
			c[3] = p[alpha]
		}
		raster.Uint8.Put(to.Pix[to.PixOffset(x+i%width, y+i/width):][:4], c[:])
	}
}
