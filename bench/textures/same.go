package textures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"strings"

	"github.com/cairnvoxel/cairn/render/texture"
)

// OpenImageIO's numbers of filters and of levels, by ours.
var (
	interpOf = []int{texture.Bilinear: 1, texture.Closest: 0, texture.Bicubic: 2, texture.Smart: 3}
	mipOf    = []int{texture.Anisotropic: 4, texture.Trilinear: 3, texture.OneLevel: 2, texture.NoMip: 1}
)

// randomLookup returns a lookup with a footprint of any shape, and its line for the driver.
func randomLookup(r *rand.Rand, name string) (texture.Lookup, string) {
	single := func(v float64) float64 { return float64(float32(v)) }
	t := &texture.Texture{
		Name: name, Filter: r.IntN(texture.Smart + 1), Levels: r.IntN(texture.NoMip + 1), MaxAnisotropy: 1 + r.IntN(32), Sharp: r.IntN(4) == 0,
		WrapS: texture.Black + r.IntN(4), WrapT: texture.Black + r.IntN(4), Width: [2]float64{1, 1},
	}
	if r.IntN(3) == 0 {
		t.Width = [2]float64{single(0.2 + r.Float64()), single(0.2 + r.Float64())}
	}
	if r.IntN(3) == 0 {
		t.Blur = [2]float64{single(r.Float64() / 10), single(r.Float64() / 10)}
	}
	long := math.Exp2(-10 * r.Float64())
	short := long * math.Exp2(-6*r.Float64())
	sin, cos := math.Sincos(2 * math.Pi * r.Float64())
	l := texture.Lookup{
		Texture: t, S: single(1.4*r.Float64() - 0.2), T: single(1.4*r.Float64() - 0.2),
		DSDX: single(long * cos), DTDX: single(long * sin), DSDY: single(-short * sin), DTDY: single(short * cos), Result: make([]float32, 3),
	}
	conservative := 1
	if t.Sharp {
		conservative = 0
	}
	return l, fmt.Sprintln(interpOf[t.Filter], mipOf[t.Levels], t.MaxAnisotropy, conservative, t.WrapS, t.WrapT,
		t.Width[0], t.Width[1], t.Blur[0], t.Blur[1], l.S, l.T, l.DSDX, l.DTDX, l.DSDY, l.DTDY)
}

// compare samples an image both ways, with all filters.
func compare(ctx context.Context, dir, driver string) (s Same, err error) {
	name, err := image{edge: 256, seed: 9, form: theirs}.make(ctx, dir)
	if err != nil {
		return s, err
	}
	const n = 5000
	r := rand.New(rand.NewPCG(31, 31))
	lookups, text := make([]texture.Lookup, n), strings.Builder{}
	for i := range lookups {
		var line string
		lookups[i], line = randomLookup(r, name)
		text.WriteString(line)
	}
	sys := &texture.System{}
	if err := sys.With(func(m *texture.Sampler) error { return m.Batch(ctx, lookups, true) }); err != nil {
		return s, err
	}
	c := exec.CommandContext(ctx, driver, "lookups", name)
	c.Stdin = strings.NewReader(text.String())
	out, err := c.Output()
	if err != nil {
		return s, fmt.Errorf("textures: %s: %w", driver, err)
	}
	in := strings.NewReader(string(out))
	for _, l := range lookups {
		for _, ours := range l.Result {
			var its float64
			if _, err := fmt.Fscan(in, &its); err != nil {
				return s, fmt.Errorf("textures: the driver's results: %w", err)
			}
			s.Worst = max(s.Worst, math.Abs(its-float64(ours)))
		}
		s.Lookups++
	}
	return s, sys.Close()
}
