package texture_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/texture"
)

// TestRoundTrip makes files of images of all types and reads them.
func TestRoundTrip(t *testing.T) {
	for _, of := range storable {
		for _, s := range []raster.Size{{Width: 1, Height: 1}, {Width: 1, Height: 70}, {Width: 37, Height: 91}, {Width: 64, Height: 32}, {Width: 130, Height: 129}} {
			for _, n := range []int{1, 4, 64} {
				for _, edge := range []int{0, 16, 128} {
					if n == 64 && edge != 16 {
						continue
					}
					im := painted(of, s, channels(n)...)
					im.h.Wrap = [2]string{"periodic", "clamp"}
					a := opened(t, made(t, texture.Options{Tile: edge}, 0, im))
					h := a.Header()
					what := fmt.Sprintf("%v, %v, %d channels, tiles of %d", of, s, n, edge)
					if !bytes.Equal(levelOf(t, a, 0), im.pix) {
						t.Fatalf("%s: another image", what)
					}
					if h.Type != of || !slices.Equal(h.Channels, im.h.Channels) || h.Wrap != im.h.Wrap || h.SRGB || h.Levels[0] != s || h.Levels[len(h.Levels)-1] != (raster.Size{Width: 1, Height: 1}) {
						t.Errorf("%s: header %+v", what, h)
					}
					if err := errors.Join(h.Check(), a.Check(t.Context())); err != nil {
						t.Errorf("%s: %v", what, err)
					}
				}
			}
		}
	}
}

// TestSameBytes makes a file with and without goroutines, and twice.
func TestSameBytes(t *testing.T) {
	im := painted(raster.Half, raster.Size{Width: 700, Height: 200}, "R", "G", "B")
	want := made(t, texture.Options{Tile: 16}, 0, im)
	run := func(n int, f func(i int)) {
		var wait sync.WaitGroup
		for i := range n {
			wait.Go(func() { f(n - 1 - i) })
		}
		wait.Wait()
	}
	for range 2 {
		if !bytes.Equal(made(t, texture.Options{Tile: 16, Run: run}, 0, im), want) {
			t.Error("another file with goroutines")
		}
	}
}

// TestConstantAndRepeated: such tiles take no bytes but in the directory.
func TestConstantAndRepeated(t *testing.T) {
	for _, tt := range []struct {
		name               string
		value              func(x, y, c int) float64
		constant, repeated int // of the 256 tiles of level 0 at least
		most               int // bytes
	}{
		{"constant", func(x, y, c int) float64 { return 0.25 }, 256, 0, 1000},
		{"two colours", func(x, y, c int) float64 { return float64(x / 64 & 1) }, 256, 0, 1000},
		{"a pattern", func(x, y, c int) float64 { return float64((x&63)*(y&63)*(c+1)%97) / 97 }, 0, 255, 50_000},
	} {
		im := newBitmap(raster.Half, raster.Size{Width: 1024, Height: 1024}, channels(3), tt.value)
		b := made(t, texture.Options{}, 0, im)
		a := opened(t, b)
		if s := a.Stats(); s.Constant < tt.constant || s.Repeated < tt.repeated || s.Tiles != 256+64+16+4+1+6 || len(b) > tt.most || s.Plain < int64(len(im.pix)) {
			t.Errorf("%s: %+v in %d bytes", tt.name, s, len(b))
		}
		pixel, ok := a.Constant(0, 1, 2)
		if want := im.pix[2*64*1024*6+64*6:][:6]; ok != (tt.constant > 0) || ok && !bytes.Equal(pixel, want) {
			t.Errorf("%s: a tile is constant: %v, %x, want %x", tt.name, ok, pixel, want)
		}
		if !bytes.Equal(levelOf(t, a, 0), im.pix) {
			t.Errorf("%s: another image", tt.name)
		}
	}
	// The same bytes in tiles of another width are another tile.
	im := newBitmap(raster.Uint8, raster.Size{Width: 24, Height: 48}, channels(1), func(x, y, c int) float64 { return float64(x+y) / 90 })
	copy(im.pix[24*16:], im.pix[:24*16])
	if !bytes.Equal(levelOf(t, opened(t, made(t, texture.Options{Tile: 16}, 0, im)), 0), im.pix) {
		t.Error("tiles of two widths: another image")
	}
}

// TestSet makes a set in which images share tiles.
func TestSet(t *testing.T) {
	size := raster.Size{Width: 100, Height: 60}
	one, two := painted(raster.Uint16, size, "Y"), painted(raster.Uint16, raster.Size{Width: 40, Height: 40}, "Y")
	b := made(t, texture.Options{}, 1009, one, one, two)
	a := opened(t, b)
	if !slices.Equal(a.Members(), []int{1009, 1010, 1011}) || a.Member(1008) != nil || a.Member(0) != nil {
		t.Fatalf("images %v", a.Members())
	}
	for n, want := range map[int]*bitmap{1009: one, 1010: one, 1011: two} {
		for l := range a.Member(n).Header().Levels {
			if got := levelOf(t, a.Member(n), l); l == 0 && !bytes.Equal(got, want.pix) {
				t.Errorf("image %d is another one", n)
			}
		}
	}
	single := made(t, texture.Options{}, 0, one)
	if all, s := a.Stats(), opened(t, single).Stats(); s.Constant == s.Tiles || all.Repeated != s.Tiles-s.Constant || len(b) > 2*len(single) {
		t.Errorf("one image: %+v in %d bytes, with another and itself: %+v in %d bytes", s, len(single), all, len(b))
	}
	if opened(t, made(t, texture.Options{}, 0, one)).Members() != nil {
		t.Error("one image is a set")
	}
}

// TestLevels compares levels with means that are taken one texel at a time.
func TestLevels(t *testing.T) {
	for _, s := range []raster.Size{{Width: 64, Height: 64}, {Width: 100, Height: 60}, {Width: 37, Height: 91}, {Width: 130, Height: 255}, {Width: 5, Height: 1}, {Width: 1, Height: 12}} {
		im := painted(raster.Float, s, "R", "G", "B")
		a := opened(t, made(t, texture.Options{}, 0, im))
		was := valuesOf(t, im, 0)
		for l, to := range a.Header().Levels[1:] {
			from := a.Header().Levels[l]
			got := valuesOf(t, a, l+1)
			for i, v := range got {
				if want := sampled(was, from, to, i/3%to.Width, i/3/to.Width, i%3); math.Abs(float64(v)-want) > 2e-5 {
					t.Fatalf("%v: level %d: number %d is %g, want %g", s, l+1, i, v, want)
				}
			}
			was = got
		}
	}
}

// sampled returns the value of a level of 3 channels at the middle of a texel of the next one.
func sampled(level []float32, from, to raster.Size, x, y, c int) float64 {
	at := func(x, y int) float64 {
		return float64(level[(min(y, from.Height-1)*from.Width+min(x, from.Width-1))*3+c])
	}
	u, v := (float64(x)+0.5)*float64(from.Width)/float64(to.Width)-0.5, (float64(y)+0.5)*float64(from.Height)/float64(to.Height)-0.5
	i, j := math.Floor(u), math.Floor(v)
	u, v = u-i, v-j
	return (at(int(i), int(j))*(1-u)+at(int(i)+1, int(j))*u)*(1-v) + (at(int(i), int(j)+1)*(1-u)+at(int(i)+1, int(j)+1)*u)*v
}

// TestMaketx compares levels with those that maketx 2.4.7 makes of the same image.
func TestMaketx(t *testing.T) {
	im := newBitmap(raster.Float, raster.Size{Width: 13, Height: 7}, []string{"Y"}, func(x, y, c int) float64 { return float64(x*x+3*y*y) / 256 })
	a := opened(t, made(t, texture.Options{}, 0, im))
	for l, want := range [][]float32{1: {0.010091147, 0.038085938, 0.10253908, 0.20410159, 0.34277344, 0.51790369, 0.10774739, 0.13574219, 0.20019533, 0.30175784, 0.44042969, 0.61555994, 0.33821616, 0.36621094, 0.43066412, 0.53222662, 0.67089844, 0.84602869}, 2: {0.12174479, 0.25097659, 0.52799481}, 3: {0.25097659}} {
		for i, v := range valuesOf(t, a, l) {
			if want != nil && math.Abs(float64(v-want[i])) > 1e-6 {
				t.Errorf("level %d: number %d is %g, want %g", l, i, v, want[i])
			}
		}
	}
}

// TestColours: levels are made of linear light, and types are converted.
func TestColours(t *testing.T) {
	half, eight, sixteen := raster.Half, raster.Uint8, raster.Uint16
	for _, tt := range []struct {
		name           string
		from           raster.Type
		srgb           bool
		to             *raster.Type
		level0, level1 [2]float32 // of a black texel of level 0 and of level 1, R and A
		kept           bool       // sRGB
	}{
		{"sRGB", raster.Uint8, true, nil, [2]float32{0, 0}, [2]float32{188. / 255, 128. / 255}, true},
		{"linear", raster.Uint8, false, nil, [2]float32{0, 0}, [2]float32{128. / 255, 128. / 255}, false},
		{"sRGB to half", raster.Uint8, true, &half, [2]float32{0, 0}, [2]float32{0.5, 0.5}, false},
		{"sRGB floats to half", raster.Float, true, &half, [2]float32{0, 0}, [2]float32{0.5, 0.5}, false},
		{"sRGB of 16 bits to 8", raster.Uint16, true, &eight, [2]float32{0, 0}, [2]float32{188. / 255, 128. / 255}, true},
		{"half to 16 bits", raster.Half, false, &sixteen, [2]float32{0, 0}, [2]float32{32768. / 65535, 32768. / 65535}, false},
	} {
		im := newBitmap(tt.from, raster.Size{Width: 2, Height: 2}, []string{"R", "A"}, func(x, y, c int) float64 { return float64(x) })
		im.h.SRGB = tt.srgb
		a := opened(t, made(t, texture.Options{Type: tt.to}, 0, im))
		zero, one := valuesOf(t, a, 0), valuesOf(t, a, 1)
		if [2]float32(zero[:2]) != tt.level0 || [2]float32(zero[2:4]) != [2]float32{1, 1} || [2]float32(one) != tt.level1 || a.Header().SRGB != tt.kept {
			t.Errorf("%s: levels %v and %v, sRGB %v", tt.name, zero, one, a.Header().SRGB)
		}
	}
	// What is stored as it is read is that, whatever the curve does to it.
	im := newBitmap(raster.Uint8, raster.Size{Width: 256, Height: 1}, []string{"Y"}, func(x, y, c int) float64 { return float64(x) / 255 })
	im.h.SRGB = true
	if !bytes.Equal(levelOf(t, opened(t, made(t, texture.Options{}, 0, im)), 0), im.pix) {
		t.Error("numbers of sRGB changed")
	}
}

// failing is a writer that takes so many bytes.
type failing int

func (f *failing) Write(b []byte) (int, error) {
	if *f -= failing(len(b)); *f < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(b), nil
}

// broken is an image that cannot be read.
type broken struct{ *bitmap }

func (broken) ReadBlock(level, x, y int, dst []byte) error { return io.ErrNoProgress }

func TestMakerRefuses(t *testing.T) {
	small := raster.Size{Width: 20, Height: 20}
	grey, rgb := painted(raster.Uint8, small, "Y"), painted(raster.Uint8, small, "R", "G", "B")
	wrapped := painted(raster.Uint8, small, "Y")
	wrapped.h.Wrap[0] = "clamp"
	long := raster.Uint32
	type step struct {
		number int
		image  raster.Image
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		name  string
		ctx   context.Context
		o     texture.Options
		room  failing
		steps []step
		want  string
	}{
		{"a tile of 20", t.Context(), texture.Options{Tile: 20}, 1e6, []step{{0, grey}}, "tiles of 20"},
		{"a tile of 512", t.Context(), texture.Options{Tile: 512}, 1e6, []step{{0, grey}}, "tiles of 512"},
		{"uint32", t.Context(), texture.Options{Type: &long}, 1e6, []step{{0, grey}}, "uint32: not supported"},
		{"of uint32", t.Context(), texture.Options{}, 1e6, []step{{0, painted(raster.Uint32, small, "Y")}}, "uint32: not supported"},
		{"65 channels", t.Context(), texture.Options{}, 1e6, []step{{0, painted(raster.Uint8, small, channels(65)...)}}, "65 channels"},
		{"other channels", t.Context(), texture.Options{}, 1e6, []step{{1001, grey}, {1002, rgb}}, "image 1002 has channels"},
		{"another type", t.Context(), texture.Options{}, 1e6, []step{{1001, grey}, {1002, painted(raster.Half, small, "Y")}}, "image 1002 has numbers of half, the first of uint8"},
		{"other wraps", t.Context(), texture.Options{}, 1e6, []step{{1001, grey}, {1002, wrapped}}, "wraps"},
		{"a number twice", t.Context(), texture.Options{}, 1e6, []step{{1001, grey}, {1001, grey}}, "image 1001 behind image 1001"},
		{"two images without numbers", t.Context(), texture.Options{}, 1e6, []step{{0, grey}, {1001, grey}}, "image 1001 behind image 0"},
		{"a low number", t.Context(), texture.Options{}, 1e6, []step{{1, grey}}, "image 1 of a set"},
		{"no image", t.Context(), texture.Options{}, 1e6, nil, "without an image"},
		{"a full disk", t.Context(), texture.Options{}, 30, []step{{0, grey}}, "closed pipe"},
		{"a broken image", t.Context(), texture.Options{}, 1e6, []step{{0, broken{grey}}}, io.ErrNoProgress.Error()},
		{"an image without a level", t.Context(), texture.Options{}, 1e6, []step{{0, &bitmap{}}}, "no level"},
		{"too many tiles", t.Context(), texture.Options{Tile: 16}, 1e6, []step{{0, &bitmap{h: raster.Header{Levels: []raster.Size{{Width: 1 << 17, Height: 1 << 17}}, Channels: channels(1), Block: small}}}}, "tiles: at most"},
		{"cancelled", gone, texture.Options{}, 1e6, []step{{0, grey}}, context.Canceled.Error()},
	} {
		m := texture.NewMaker(&tt.room, tt.o)
		var err error
		for _, s := range tt.steps {
			err = m.Add(tt.ctx, s.number, s.image)
		}
		if tt.steps == nil {
			err = m.Close()
		}
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if again := m.Close(); again == nil {
			t.Errorf("%s: Close forgets the error", tt.name)
		}
	}
}

// TestSeams: the levels of a set are the box levels of the sheet that its images make together, to the last bit.
func TestSeams(t *testing.T) {
	const edge = 32
	sheet := painted(raster.Float, raster.Size{Width: 2 * edge, Height: edge}, "Y")
	all := valuesOf(t, sheet, 0)
	half := func(u int) raster.Image {
		return newBitmap(raster.Float, raster.Size{Width: edge, Height: edge}, []string{"Y"}, func(x, y, _ int) float64 { return float64(all[y*2*edge+u*edge+x]) })
	}
	whole, set := opened(t, made(t, texture.Options{}, 0, sheet)), opened(t, made(t, texture.Options{}, 1001, half(0), half(1)))
	for l, s := range set.Header().Levels {
		want := valuesOf(t, whole, l)
		for u := range 2 {
			for i, v := range valuesOf(t, set.Member(1001+u), l) {
				if at := i/s.Width*2*s.Width + u*s.Width + i%s.Width; v != want[at] {
					t.Fatalf("image %d, level %d: number %d is %g, that of the sheet %g", 1001+u, l, i, v, want[at])
				}
			}
		}
	}
}
