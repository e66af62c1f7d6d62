package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cairnvoxel/cairn/internal/console"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
	"github.com/cairnvoxel/cairn/internal/resourcepack"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/service"
	"github.com/cairnvoxel/cairn/render/texture"
	"github.com/cairnvoxel/cairn/render/trace"
	"github.com/spf13/pflag"
)

// traceOptions are those of a picture that is not from straight above.
type traceOptions struct {
	from, look, size, preview string
	sky                       string
	packs                     []string // --resource-pack
	view                      float64
	isometric                 bool
	samples, bounces          int
}

func (o *traceOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.from, "from", "", "X,Y,Z: where the camera is, in blocks")
	f.StringVar(&o.look, "look", "", "X,Y,Z: the place in the middle of the picture; by default that of the world")
	f.BoolVar(&o.isometric, "isometric", false, "draw the world, or --box of it, at an angle, without perspective")
	f.StringVar(&o.size, "size", "1280x720", "WIDTHxHEIGHT of a picture with --from, --look or --isometric, in pixels")
	f.Float64Var(&o.view, "angle", 50, "the height of the picture as an angle, in degrees")
	f.IntVar(&o.samples, "samples", 16, "rays for each pixel: more take longer and leave less noise")
	f.IntVar(&o.bounces, "bounces", 2, "how often light is scattered on its way")
	f.StringArrayVar(&o.packs, "resource-pack", nil, packHelp)
	f.StringVar(&o.sky, "sky", "", "an image of all directions, .hdr or .exr, which is the sky in place of the blue one; the sun stays")
	f.StringVar(&o.preview, "preview", "", "a PNG that shows the picture while it becomes finer")
}

// asked reports whether the picture is not from straight above.
func (o *traceOptions) asked() bool { return o.from != "" || o.look != "" || o.isometric }

// paints returns what blocks and the sky are painted with, or nil if nothing is.
func (o *traceOptions) paints(v *scene.Scene, memory int64) (*resourcepack.Paints, error) {
	if o.sky == "" && len(o.packs) == 0 {
		return nil, nil
	}
	a, err := service.Textures(o.packs)
	if err != nil {
		return nil, err
	}
	return a.Paints(v.Names(), o.sky, memory, time.Now), nil
}

// options returns those of package trace for a scene.
func (o *traceOptions) options(v *scene.Scene, memory int64) (t trace.Options, err error) {
	t = trace.Options{View: o.view, Isometric: o.isometric, Samples: o.samples, Bounces: o.bounces, Memory: memory}
	switch {
	case o.samples < 1 || o.samples > 1<<16:
		return t, usagef("--samples %d: 1 to %d", o.samples, 1<<16)
	case o.bounces < 0 || o.bounces > 1<<10:
		return t, usagef("--bounces %d: 0 to %d", o.bounces, 1<<10)
	case !(o.view > 0 && o.view < 179):
		return t, usagef("--angle %g: more than 0, less than 179", o.view)
	}
	if o.bounces == 0 {
		t.Bounces = -1
	}
	if n, err := fmt.Sscanf(o.size+" ", "%dx%d ", &t.Width, &t.Height); n != 2 || err != nil || min(t.Width, t.Height) < 1 || max(t.Width, t.Height) > 1<<15 {
		return t, usagef("--size %s: want WIDTHxHEIGHT, such as 1920x1080, at most %d an edge", o.size, 1<<15)
	}
	if o.from == "" && o.look == "" {
		return t, nil
	}
	b := v.Bounds()
	t.Look = [3]float64{float64(b.Min.X+b.Max.X) / 2, float64(b.Min.Y+b.Max.Y) / 2, float64(b.Min.Z+b.Max.Z) / 2}
	if o.look != "" {
		if t.Look, err = parsePlace("look", o.look); err != nil {
			return t, err
		}
	}
	if o.from == "" {
		return t, usagef("--look needs --from")
	}
	if t.From, err = parsePlace("from", o.from); err == nil && t.From == t.Look {
		err = usagef("--from and --look are one place")
	}
	return t, err
}

// parsePlace parses the place of a flag.
func parsePlace(flag, s string) (p [3]float64, err error) {
	parts := strings.Split(s, ",")
	for i := range p {
		if len(parts) == len(p) {
			p[i], err = strconv.ParseFloat(strings.TrimSpace(parts[i]), 64)
		}
		if len(parts) != len(p) || err != nil || math.IsNaN(p[i]) || math.IsInf(p[i], 0) {
			return p, usagef("--%s %s: want X,Y,Z", flag, s)
		}
	}
	return p, nil
}

// draw draws a scene to a file. Cells and textures take at most memory bytes.
func (o *traceOptions) draw(ctx context.Context, v *scene.Scene, out io.Writer, to string, memory int64) (of texture.Stats, err error) {
	t, err := o.options(v, memory)
	if err != nil {
		return of, err
	}
	paints, err := o.paints(v, memory/3)
	if err != nil {
		return of, err
	}
	if paints != nil {
		t.Memory -= memory / 3
		t.Paint = func(draw func(trace.Painter)) error { return paints.Paint(ctx, draw) }
		defer func() { of, err = paints.Stats(), errors.Join(err, paints.Close()) }()
	}
	progress := console.NewProgress()
	defer progress.Done()
	t.Progress = func(done, all int64) { progress.Show(fmt.Sprintf("%d %%", 100*done/all)) }
	if o.preview != "" {
		t.Preview = func(p *trace.Picture) error { return writePNG(shown(p), o.preview) }
	}
	p, err := trace.Render(ctx, v, t)
	progress.Done()
	if err == nil && filepath.Ext(to) == ".exr" {
		err = writeEXR(p, to)
	} else if err == nil {
		err = writePNG(shown(p), to)
	}
	if err == nil {
		fmt.Fprintf(out, "%s: %d x %d pixels\n", to, p.Width, p.Height)
	}
	return of, err
}

// writeEXR writes a picture as it is, in linear light.
func writeEXR(p *trace.Picture, path string) error {
	h := &raster.Header{Levels: []raster.Size{{Width: p.Width, Height: p.Height}}, Channels: []string{"R", "G", "B"}, Type: raster.Half}
	b := make([]byte, len(p.Pix)*h.Type.Size())
	h.Type.Put(b, p.Pix)
	_, err := writeFile(path, func(w io.Writer) error { return exr.Write(w, h, b) })
	return err
}

// shown returns a picture as a screen shows it: what is brighter than white paper in the sun is
// not cut off.
func shown(p *trace.Picture) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
	for i := range p.Width * p.Height {
		light := p.Pix[3*i:]
		img.SetRGBA(i%p.Width, i/p.Width, color.RGBA{tone(light[0]), tone(light[1]), tone(light[2]), 255})
	}
	return img
}

// tone returns light as a number of sRGB. Up to knee it is as it is.
func tone(light float32) uint8 {
	const knee = 0.7
	v := float64(light)
	if v > knee {
		v = 1 - (1-knee)*math.Exp(-(v-knee)/(1-knee))
	}
	if v <= 0.0031308 {
		v *= 12.92
	} else {
		v = 1.055*math.Pow(v, 1/2.4) - 0.055
	}
	return uint8(255*v + 0.5)
}
