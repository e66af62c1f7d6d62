package texture_test

import (
	"math"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/render/texture"
)

// ramp is the image of the goldens: its column, its row, and squares of 8 texels.
func ramp() *picture {
	h := raster.Header{Levels: mips(64, 64), Channels: []string{"R", "G", "B"}, Type: raster.Float, Block: raster.Size{Width: 16, Height: 16}}
	return newPicture(h, func(x, y, c int) float64 {
		return [3]float64{(float64(x) + 0.5) / 64, (float64(y) + 0.5) / 64, float64((x/8 + y/8) & 1)}[c]
	})
}

// TestGoldens compares with what OpenImageIO 2.4.7 gives.
func TestGoldens(t *testing.T) {
	const periodic = texture.Periodic
	wrap := func(w int) *texture.Texture { return &texture.Texture{WrapS: w, WrapT: w} }
	fine := [4]float64{.001, 0, 0, .001}
	between := [4]float64{.0234375, 0, 0, .0234375}
	for _, c := range []struct {
		name string
		s, t float64
		d    [4]float64 // dsdx dtdx dsdy dtdy
		of   *texture.Texture
		want [3]float64
	}{
		{"no footprint", .5, .5, [4]float64{}, wrap(periodic), [3]float64{.5, .5, .5}},
		{"magnified", .26, .41, fine, wrap(periodic), [3]float64{.26, .41, 1}},
		{"magnified, closest", .26, .41, fine, &texture.Texture{Filter: texture.Closest}, [3]float64{.2578125, .4140625, 1}},
		{"magnified, bicubic", .26, .41, fine, &texture.Texture{Filter: texture.Bicubic}, [3]float64{.26, .41, .8939905}},
		{"magnified, smart", .26, .41, fine, &texture.Texture{Filter: texture.Smart}, [3]float64{.26, .41, .8939905}},
		{"a texel", .26, .41, [4]float64{.015625, 0, 0, .015625}, wrap(periodic), [3]float64{.26, .41, 1}},
		{"between levels", .26, .41, between, wrap(periodic), [3]float64{.26, .41, .9099998}},
		{"between levels, trilinear", .26, .41, between, &texture.Texture{Levels: texture.Trilinear}, [3]float64{.26, .41, .9099998}},
		{"between levels, one", .26, .41, between, &texture.Texture{Levels: texture.OneLevel}, [3]float64{.26, .41, .8199997}},
		{"between levels, level 0", .26, .41, between, &texture.Texture{Levels: texture.NoMip}, [3]float64{.26, .41, 1}},
		{"between levels, smart", .26, .41, between, &texture.Texture{Filter: texture.Smart}, [3]float64{.26, .41, .8569951}},
		{"wide", .26, .41, between, &texture.Texture{Width: [2]float64{2, 2}}, [3]float64{.26, .41, .7399998}},
		{"blurred", .26, .41, between, &texture.Texture{Blur: [2]float64{.05, .05}}, [3]float64{.26, .41, .6398399}},
		{"9 probes", .26, .41, [4]float64{.1, 0, 0, .02}, wrap(periodic), [3]float64{.26, .41, .5727573}},
		{"3 probes", .26, .41, [4]float64{.1, 0, 0, .02}, &texture.Texture{MaxAnisotropy: 2}, [3]float64{.26, .41, .6873932}},
		{"long, trilinear", .26, .41, [4]float64{.1, 0, 0, .02}, &texture.Texture{Levels: texture.Trilinear}, [3]float64{.26, .41, .5908799}},
		{"5 probes", .26, .41, [4]float64{.06, .03, -.01, .02}, wrap(periodic), [3]float64{.26, .41, .6614774}},
		{"15 probes", .26, .41, [4]float64{.4, 0, 0, .02}, wrap(periodic), [3]float64{math.NaN(), .41, .4902138}},
		{"huge", .26, .41, [4]float64{2, 0, 0, 2}, wrap(periodic), [3]float64{.5, .5, .5}},
		{"edge, black", .003, .5, fine, wrap(texture.Black), [3]float64{.0054063, .3460000, .3460000}},
		{"edge, clamp", .003, .5, fine, wrap(texture.Clamp), [3]float64{.0078125, .5, .5}},
		{"edge, mirror", .003, .5, fine, wrap(texture.Mirror), [3]float64{.0078125, .5, .5}},
		{"edge, periodic", .003, .5, fine, wrap(periodic), [3]float64{.3110000, .5, .5}},
		{"outside, default", -.2, .5, fine, &texture.Texture{}, [3]float64{0, 0, 0}},
		{"outside, black", -.2, .5, fine, wrap(texture.Black), [3]float64{0, 0, 0}},
		{"outside, clamp", -.2, .5, fine, wrap(texture.Clamp), [3]float64{.0078125, .5, .5}},
		{"outside, periodic", -.2, .5, fine, wrap(periodic), [3]float64{.8, .5, math.NaN()}},
		{"outside, mirror", -.2, .5, fine, wrap(texture.Mirror), [3]float64{.2, .5, math.NaN()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := texture.System{Open: album{"ramp": ramp()}.open}
			c.of.Name = "ramp"
			var got [3]float32
			if c.of.WrapS == texture.FileWrap && c.s > 0 {
				c.of.WrapS, c.of.WrapT = periodic, periodic
			}
			l := texture.Lookup{Texture: c.of, S: c.s, T: c.t, DSDX: c.d[0], DTDX: c.d[1], DSDY: c.d[2], DTDY: c.d[3], Result: got[:]}
			if err := sys.With(func(m *texture.Sampler) error { return m.Sample(t.Context(), &l) }); err != nil {
				t.Fatal(err)
			}
			for i, want := range c.want {
				if math.Abs(float64(got[i])-want) > 1e-6 { // NaN: OpenImageIO's is not known
					t.Errorf("channel %d is %.7f, want %.7f", i, got[i], want)
				}
			}
			if err := sys.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
