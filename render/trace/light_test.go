package trace_test

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/render/trace"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// TestFurnace draws white blocks under a white sky: nothing is to be seen. Of grey ones without a hollow each
// throws back its part.
func TestFurnace(t *testing.T) {
	box := grid.New(grid.Options{}).Edit()
	box.Fill(geom.Box{Min: at(-8, 0, -8), Max: at(8, 16, 8)}, 1)
	convex, _ := box.Publish()
	for _, tt := range []struct {
		name           string
		v              *grid.View
		albedo         float64
		bounces        int
		least, most    float64 // of each pixel
		meanOff, shown float64
	}{
		{"white in white", scattered(rand.New(rand.NewPCG(1, 7))), 1, 200, 0.9, 1 + 1e-6, 1e-3, 0},
		{"a grey block", convex, 0.4, 1, 0.4 - 1e-6, 1 + 1e-6, 1, 0.01},
		{"a black block", convex, 0, 3, 0, 1 + 1e-6, 1, 0.01},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := land(t, tt.v, "minecraft:air", "minecraft:stone")
			p, err := trace.RenderWith(t.Context(), l, trace.Options{Width: 48, Height: 32, Samples: 8, Bounces: tt.bounces}, 1, tt.albedo, 99, 0)
			if err != nil {
				t.Fatal(err)
			}
			sum, shown := 0.0, 0
			for _, v := range p.Pix {
				v := float64(v)
				if v < tt.least || v > tt.most {
					t.Fatalf("a pixel is %v: want %v to %v", v, tt.least, tt.most)
				}
				if sum += v; math.Abs(v-tt.albedo) < 1e-6 {
					shown++
				}
			}
			n := float64(len(p.Pix))
			if mean := sum / n; math.Abs(mean-1) > tt.meanOff {
				t.Errorf("the mean is %v", mean)
			}
			if float64(shown) < tt.shown*n {
				t.Errorf("%d of %v pixels show the block", shown, n)
			}
		})
	}
}

// TestEnds: paths that end by chance take no light away. Under an even sky the mean of a picture with two bounces is a
// square function of the albedo. From an albedo of 0.5 on no path ends that had light to bring.
func TestEnds(t *testing.T) {
	l := land(t, scattered(rand.New(rand.NewPCG(1, 7))), "minecraft:air", "minecraft:stone")
	mean := func(albedo float64) (sum float64) {
		p, err := trace.RenderWith(t.Context(), l, trace.Options{Width: 48, Height: 32, Samples: 64, Bounces: 2}, 1, albedo, 99, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range p.Pix {
			sum += float64(v) / float64(len(p.Pix))
		}
		return sum
	}
	black, half, white := mean(0), mean(0.5), mean(1)
	square := 2 * (white + black - 2*half)
	const albedo = 0.2
	want := black + (white-black-square)*albedo + square*albedo*albedo
	if got := mean(albedo); math.Abs(got-want) > 0.2*square*albedo*albedo {
		t.Errorf("a mean of %v, want %v, of which %v is light that was scattered twice", got, want, square*albedo*albedo)
	}
}

// TestLamp compares the light of a block that shines on a floor below it with the integral over the side of the
// block that the floor sees.
func TestLamp(t *testing.T) {
	const albedo, shed = 0.7, 5.0
	for _, high := range []int{2, 5} {
		d := grid.New(grid.Options{}).Edit()
		d.Fill(geom.Box{Min: at(-16, -1, -16), Max: at(16, 0, 16)}, 1)
		d.Set(at(0, high, 0), 2)
		v, _ := d.Publish()
		l := land(t, v, "minecraft:air", "minecraft:stone", "minecraft:glowstone")
		o := trace.Options{
			Width: 1, Height: 1, View: 0.05, Samples: 1 << 16, Bounces: 1,
			From: [3]float64{6, 4, 0.5}, Look: [3]float64{0.5, 0, 0.5},
		}
		p, err := trace.RenderWith(t.Context(), l, o, 0, albedo, 2, shed)
		if err != nil {
			t.Fatal(err)
		}
		x := 0.5 / float64(high)
		s := math.Sqrt(1 + x*x)
		want := albedo * shed * 4 / (2 * math.Pi) * 2 * x / s * math.Atan(x/s)
		if got := float64(p.Pix[0]); math.Abs(got/want-1) > 0.03 {
			t.Errorf("%d blocks below the lamp: %v, want %v", high, got, want)
		}
	}
}

// TestSecond compares with the matrix of the Sobol sequence, column by column.
func TestSecond(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		i := r.Uint32() >> r.IntN(32)
		want, column := uint32(0), uint32(1)<<31
		for left := i; left != 0; left >>= 1 {
			if left&1 != 0 {
				want ^= column
			}
			column ^= column >> 1
		}
		if got := bits.Reverse32(trace.Second(i)); got != want {
			t.Fatalf("point %d: %08x, want %08x", i, got, want)
		}
	}
}

// TestPoints: the first 16 points lie one in each part, however the square is cut into 16 parts.
func TestPoints(t *testing.T) {
	for pixel := range uint32(50) {
		for dimension := range uint32(4) {
			all := trace.Points(pixel, dimension, 16)
			for cut := range 5 {
				seen := map[[2]int]bool{}
				for _, p := range all {
					seen[[2]int{int(p[0] * float64(int(1)<<cut)), int(p[1] * float64(int(16)>>cut))}] = true
				}
				if len(seen) != 16 {
					t.Fatalf("pixel %d, dimension %d: %d of 16 parts have a point, cut %d", pixel, dimension, len(seen), cut)
				}
			}
		}
	}
}

func TestFresnel(t *testing.T) {
	const n = 1.33
	for _, tt := range []struct {
		name         string
		in, out, eta float64
		want         float64
	}{
		{"straight", 1, 1, 1 / n, (n - 1) * (n - 1) / (n + 1) / (n + 1)},
		{"grazing", 0, math.Sqrt(1 - 1/n/n), 1 / n, 1},
	} {
		if got := trace.Fresnel(tt.in, tt.out, tt.eta); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	// At the angle of Brewster one of the two parts of the light is not thrown back.
	in := 1 / math.Sqrt(1+n*n)
	out := math.Sqrt(1 - (1-in*in)/n/n)
	a := (in - n*out) / (in + n*out)
	if got := trace.Fresnel(in, out, 1/n); math.Abs(got-a*a/2) > 1e-9 {
		t.Errorf("Brewster: %v, want %v", got, a*a/2)
	}
}

// TestMirror: a picture of a world and one of its mirror image along an axis are mirror images too, where
// nothing is left to chance.
func TestMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	d, m := grid.New(grid.Options{}).Edit(), grid.New(grid.Options{}).Edit()
	for range 60 {
		c, radius := at(r.IntN(64), r.IntN(48), r.IntN(64)), r.Float64()*6
		d.Fill(region.Ball{Center: c, Radius: radius}, 1)
		m.Fill(region.Ball{Center: at(-1-c.X, c.Y, c.Z), Radius: radius}, 1)
	}
	v, _ := d.Publish()
	w, _ := m.Publish()
	a, b := trace.Finder(t.Context(), land(t, v, "minecraft:air", "minecraft:stone")), trace.Finder(t.Context(), land(t, w, "minecraft:air", "minecraft:stone"))
	hits := 0
	for range 20000 {
		from := [3]float64{r.Float64()*200 - 50, r.Float64()*200 - 50, r.Float64()*200 - 50}
		to := [3]float64{r.Float64() * 64, r.Float64() * 48, r.Float64() * 64}
		dir := unit([3]float64{to[0] - from[0], to[1] - from[1], to[2] - from[2]})
		t1, n1, ok1 := a(from, dir)
		t2, n2, ok2 := b([3]float64{-from[0], from[1], from[2]}, [3]float64{-dir[0], dir[1], dir[2]})
		n2[0] = -n2[0]
		if ok1 != ok2 || ok1 && (math.Abs(t1-t2) > 1e-9*(1+t1) || n1 != n2 && n1[0]+n1[1]+n1[2] != 0) {
			t.Fatalf("from %v along %v: %v %v %v, mirrored %v %v %v", from, dir, ok1, t1, n1, ok2, t2, n2)
		}
		if ok1 {
			hits++
		}
	}
	if hits < 5000 {
		t.Errorf("%d hits", hits)
	}
}

func unit(d [3]float64) [3]float64 {
	length := math.Sqrt(d[0]*d[0] + d[1]*d[1] + d[2]*d[2])
	return [3]float64{d[0] / length, d[1] / length, d[2] / length}
}

// TestDeepWater: deep water is blue, not black, and less so where the sun does not reach it.
func TestDeepWater(t *testing.T) {
	d := grid.New(grid.Options{}).Edit()
	d.Fill(geom.Box{Min: at(-64, -64, -64), Max: at(64, 0, 64)}, 2)
	d.Fill(geom.Box{Min: at(-64, -65, -64), Max: at(64, -64, 64)}, 1)
	open, _ := d.Publish()
	d.Fill(geom.Box{Min: at(-64, 30, -64), Max: at(64, 31, 64)}, 1)
	roofed, _ := d.Publish()
	o := trace.Options{Width: 16, Height: 16, Samples: 64, View: 10, From: [3]float64{0, 20, 0}, Look: [3]float64{0, 0, 0}}
	var blue [2]float64
	for i, v := range []*grid.View{open, roofed} {
		p, err := trace.Render(t.Context(), land(t, v, "minecraft:air", "minecraft:stone", "minecraft:water"), o)
		if err != nil {
			t.Fatal(err)
		}
		var sum [3]float64
		for k, c := range p.Pix {
			sum[k%3] += float64(c) / (16 * 16)
		}
		if blue[i] = sum[2]; sum[2] < 1.5*sum[0] {
			t.Errorf("water is %v", sum)
		}
	}
	if blue[0] < 0.1 || blue[1] > blue[0]/2 {
		t.Errorf("the blue of deep water is %v", blue)
	}
}
