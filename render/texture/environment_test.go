package texture_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/render/texture"
	"github.com/cairnvoxel/cairn/tile"
)

// sky is an environment with a sun, in tiles.
func sky(t raster.Type, at func(x, y, c int) float64) *picture {
	return newPicture(raster.Header{Levels: []raster.Size{{Width: 32, Height: 16}}, Channels: []string{"R", "G", "B"}, Type: t, Block: raster.Size{Width: 12, Height: 5}}, at)
}

func sunny(x, y, c int) float64 {
	if x == 20 && y == 3 {
		return 50 * float64(c+1)
	}
	return float64(y+x%3) / 16
}

func withEnvironment(t *testing.T, p *picture, do func(m *texture.Sampler, l *texture.Lookup) error) {
	t.Helper()
	sys := texture.System{Open: album{"sky": p}.open, Tiles: tile.Options{Budget: 1 << 20}}
	l := texture.Lookup{Texture: &texture.Texture{Name: "sky", Purpose: texture.Environment}, Result: make([]float32, 3)}
	err := sys.With(func(m *texture.Sampler) error { return do(m, &l) })
	if err = errors.Join(err, sys.Close()); err != nil {
		t.Error(err)
	}
}

// direction is that of the middle of a texel.
func direction(p *picture, x, y int) [3]float64 {
	size := p.header.Levels[0]
	theta, phi := math.Pi*(float64(y)+0.5)/float64(size.Height), 2*math.Pi*((float64(x)+0.5)/float64(size.Width)-0.5)
	return [3]float64{-3 * math.Sin(theta) * math.Sin(phi), 3 * math.Cos(theta), 3 * math.Sin(theta) * math.Cos(phi)}
}

// TestEnvironmentTexels: each texel lies where it should, and all pdfs are 1 together.
func TestEnvironmentTexels(t *testing.T) {
	for name, p := range map[string]*picture{
		"floats": sky(raster.Float, sunny), "halves": sky(raster.Half, sunny), "bytes": sky(raster.Uint8, sunny),
		"black":    sky(raster.Float, func(x, y, c int) float64 { return -1 }),
		"infinite": sky(raster.Float, func(x, y, c int) float64 { return sunny(x, y, c) * math.Pow(1e300, sunny(x, y, c)) }),
	} {
		withEnvironment(t, p, func(m *texture.Sampler, l *texture.Lookup) error {
			solid := func(y int) float64 {
				return (math.Cos(math.Pi*float64(y)/16) - math.Cos(math.Pi*float64(y+1)/16)) * 2 * math.Pi / 32
			}
			light := func(i int) (sum float64) {
				for _, v := range p.values[0][3*i : 3*i+3] {
					sum += min(max(v, 1e-30), math.MaxFloat32)
				}
				return sum
			}
			all := 0.0
			for i := range 32 * 16 {
				all += light(i) * solid(i/32)
			}
			sum := 0.0
			for y := range 16 {
				for x := range 32 {
					i := y*32 + x
					l.Direction = direction(p, x, y)
					if err := m.Sample(t.Context(), l); err != nil {
						return err
					}
					for c, v := range l.Result {
						if want := p.values[0][3*i+c]; float64(v) != want {
							t.Fatalf("%s: texel %d,%d is %v, want %v", name, x, y, v, want)
						}
					}
					if want := light(i) / all; !(math.Abs(l.Pdf-want) < 1e-3*want+1e-6) {
						t.Fatalf("%s: the pdf of texel %d,%d is %v, want %v", name, x, y, l.Pdf, want)
					}
					sum += l.Pdf * solid(y)
				}
			}
			if !(math.Abs(sum-1) < 1e-6) {
				t.Errorf("%s: the pdfs are %v", name, sum)
			}
			return nil
		})
	}
}

// TestDraw: directions come as often as Pdf says, and their light over Pdf is the light of all.
func TestDraw(t *testing.T) {
	p := sky(raster.Float, sunny)
	want := [3]float64{}
	for y := range 16 {
		solid := (math.Cos(math.Pi*float64(y)/16) - math.Cos(math.Pi*float64(y+1)/16)) * 2 * math.Pi / 32
		for x := range 32 {
			for c := range want {
				want[c] += p.values[0][(y*32+x)*3+c] * solid
			}
		}
	}
	withEnvironment(t, p, func(m *texture.Sampler, l *texture.Lookup) error {
		const edge = 300
		var got [3]float64
		for i := range edge {
			for j := range edge {
				if err := m.Draw(t.Context(), l, (float64(i)+0.5)/edge, (float64(j)+0.5)/edge); err != nil {
					return err
				}
				d := l.Direction
				if length := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]; math.Abs(length-1) > 1e-9 || !(l.Pdf > 0) {
					t.Fatalf("direction %v, pdf %v", d, l.Pdf)
				}
				pdf, drawn := l.Pdf, [3]float32(l.Result)
				for c, v := range drawn {
					got[c] += float64(v) / pdf / edge / edge
				}
				if err := m.Sample(t.Context(), l); err != nil || l.Pdf != pdf || [3]float32(l.Result) != drawn {
					t.Fatalf("direction %v has %v and pdf %v, drawn %v and %v", d, l.Result, l.Pdf, drawn, pdf)
				}
			}
		}
		for c := range want {
			if math.Abs(got[c]/want[c]-1) > 0.01 {
				t.Errorf("light of channel %d is %v, want %v", c, got[c], want[c])
			}
		}
		for _, u := range []float64{-1, 0, 1, 2} {
			if err := m.Draw(t.Context(), l, u, u); err != nil || !(l.Pdf > 0) {
				t.Errorf("u %v: %v", u, err)
			}
		}
		l.Direction = [3]float64{math.NaN(), math.Inf(1), 0}
		return m.Sample(t.Context(), l)
	})
}

// TestEnvironmentRoom: an environment takes room of the budget as long as the System is open, and one
// that is larger is refused.
func TestEnvironmentRoom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	files := album{"sky": sky(raster.Float, sunny), "p": randomPicture(r)}
	for _, c := range []struct {
		budget int64
		want   error
	}{{32*16*3*4 + 33*16*4, nil}, {32*16*3*4 + 33*16*4 - 1, tile.ErrOversize}} {
		sys := texture.System{Open: files.open, Tiles: tile.Options{Budget: c.budget}}
		l := texture.Lookup{Texture: &texture.Texture{Name: "sky", Purpose: texture.Environment}, Result: make([]float32, 3)}
		err := sys.With(func(m *texture.Sampler) error { return m.Sample(t.Context(), &l) })
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("budget %d: %v", c.budget, err)
		}
		if s := sys.Stats(); c.want == nil && s.Tiles.Bytes != c.budget {
			t.Errorf("%v", s)
		}
		if err := sys.Close(); err != nil {
			t.Error(err)
		}
	}
	sys := texture.System{Open: files.open}
	l := texture.Lookup{Texture: &texture.Texture{Name: "p"}, Result: make([]float32, 3)}
	if err := sys.With(func(m *texture.Sampler) error { return m.Draw(t.Context(), &l, 0, 0) }); err == nil {
		t.Error("a picture is an environment")
	}
}
