package texture_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
	texfile "github.com/cairnvoxel/cairn/internal/texture"
	"github.com/cairnvoxel/cairn/render/texture"
	"github.com/cairnvoxel/cairn/tile"
)

var channelNames = [][]string{{"Y"}, {"Y", "A"}, {"R", "G", "B"}, {"R", "G", "B", "A"}, {"R", "G", "B", "A", "Z"}}

// randomPicture is an image of any size, type and number of channels. Some of it is flat, so that
// tiles are constant.
func randomPicture(r *rand.Rand) *picture {
	sizes := []int{1, 7, 16, 33, 64, 100}
	blocks := []int{4, 16, 20}
	h := raster.Header{
		Levels: mips(sizes[r.IntN(len(sizes))], sizes[r.IntN(len(sizes))]), Channels: channelNames[r.IntN(len(channelNames))],
		Type: raster.Type(r.IntN(int(raster.Float) + 1)), Block: raster.Size{Width: blocks[r.IntN(len(blocks))], Height: blocks[r.IntN(len(blocks))]},
		SRGB: r.IntN(3) == 0,
	}
	if r.IntN(4) == 0 { // strips
		h.Block.Width = h.Levels[0].Width
	}
	return newPicture(h, noisy(r))
}

func noisy(r *rand.Rand) func(x, y, c int) float64 {
	return func(x, y, _ int) float64 {
		if x < 40 && y < 24 {
			return 0.5
		}
		return r.Float64()
	}
}

func randomTexture(r *rand.Rand) *texture.Texture {
	t := &texture.Texture{
		Filter: r.IntN(texture.Smart + 1), Levels: r.IntN(texture.NoMip + 1), Purpose: r.IntN(texture.Mask + 1),
		WrapS: texture.Black + r.IntN(4), WrapT: texture.Black + r.IntN(4), MaxAnisotropy: []int{0, 1, 3, 64}[r.IntN(4)], Sharp: r.IntN(4) == 0,
		Fill: 0.75,
	}
	if r.IntN(3) == 0 {
		t.Width = [2]float64{r.Float64() + 0.2, r.Float64() + 0.2}
	}
	if r.IntN(3) == 0 {
		t.Blur = [2]float64{r.Float64() / 10, r.Float64() / 10}
	}
	return t
}

// randomLookup looks about the unit square, with a footprint of any size and shape. Some have no
// derivatives.
func randomLookup(r *rand.Rand, l *texture.Lookup) {
	e, f, angle := math.Exp2(-9*r.Float64()), math.Exp2(-7*r.Float64()), 2*math.Pi*r.Float64()
	sin, cos := math.Sincos(angle)
	l.S, l.T = 1.4*r.Float64()-0.2, 1.4*r.Float64()-0.2
	l.DSDX, l.DTDX, l.DSDY, l.DTDY = e*cos, e*sin, -e*f*sin, e*f*cos
	l.Width = e
	switch r.IntN(12) {
	case 0:
		l.DSDX, l.DTDX, l.DSDY, l.DTDY = 0, 0, 0, 0
	case 1:
		l.DTDY = math.NaN()
	case 2:
		l.DSDX, l.Width = math.Inf(1), math.Inf(1)
	}
}

// difference returns how far a result is from the twin's, for channels from one on.
func difference(got []float32, want []float64, first int, fill float64) (worst float64) {
	for i, v := range got {
		w := fill
		if first+i < len(want) {
			w = want[first+i]
		}
		if d := math.Abs(float64(v) - w); !(d <= worst) {
			worst = d
		}
	}
	return worst
}

// TestTwin compares random footprints in random images with the twin.
func TestTwin(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 31))
		p, of := randomPicture(r), randomTexture(r)
		of.Name, of.First = "p", r.IntN(2)
		slow := twin{of: of, at: func(int, int) *picture { return p }}
		sys := texture.System{Open: album{"p": p}.open}
		err := sys.With(func(m *texture.Sampler) error {
			for range 40 {
				l := texture.Lookup{Texture: of, Result: make([]float32, 1+r.IntN(5))}
				randomLookup(r, &l)
				if err := m.Sample(t.Context(), &l); err != nil {
					return err
				}
				if want := slow.sample(&l); difference(l.Result, want, of.First, 0.75) > 2e-6 {
					return fmt.Errorf("at %+v of %v\n%v: want %v", l, &p.header, l.Result, want)
				}
			}
			return nil
		})
		if err = errors.Join(err, sys.Close()); err != nil {
			t.Fatalf("seed %d: %+v: %v", seed, of, err)
		}
	}
}

// sets returns a set of images in files and one in a file, of the same images: a square of four, one
// to the right that is larger, and a hole.
func sets(r *rand.Rand) (album, map[[2]int]*picture) {
	all, pictures := album{}, make(map[[2]int]*picture)
	one := &folder{pictures: make(map[int]*picture)}
	for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {9, 1}} {
		h := raster.Header{Levels: mips(40, 24), Channels: channelNames[2], Type: raster.Uint8, Block: raster.Size{Width: 16, Height: 16}}
		if at == [2]int{2, 0} {
			h.Levels, h.Type = mips(80, 48), raster.Half
		}
		number := 1001 + at[0] + 10*at[1]
		fill := noisy(r)
		p := newPicture(h, func(x, y, c int) float64 {
			if y < 20 {
				return 0 // in numbers of any size
			}
			return fill(x, y, c)
		})
		pictures[at], one.pictures[number] = p, p
		all[fmt.Sprint("w.", number)] = p
	}
	all["set"] = one
	return all, pictures
}

// folder is an image of many.
type folder struct{ pictures map[int]*picture }

func (f *folder) Members() (all []int) {
	for n := range f.pictures {
		all = append(all, n)
	}
	return all
}
func (f *folder) Member(n int) raster.Image                   { return f.pictures[n] }
func (f *folder) Header() *raster.Header                      { return f.pictures[1001].Header() }
func (f *folder) ReadBlock(level, x, y int, dst []byte) error { panic("of which image?") }

// TestSets: footprints go across the borders of a set's images.
func TestSets(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 31))
	files, pictures := sets(r)
	for _, name := range []string{"w.*", "set"} {
		for filter := range texture.Smart + 1 {
			of := &texture.Texture{Name: name, Filter: filter, Fill: 0.5}
			slow := twin{of: of, set: true, at: func(u, v int) *picture { return pictures[[2]int{u, v}] }}
			sys := texture.System{Open: files.open, Members: files.members}
			err := sys.With(func(m *texture.Sampler) error {
				for i := range 300 {
					l := texture.Lookup{Texture: of, Result: make([]float32, 3)}
					randomLookup(r, &l)
					l.S, l.T = l.S*3, l.T*2
					if i%8 == 0 { // the last column
						l.S, l.T = 9.9+r.Float64()/5, r.Float64()*2
					}
					if err := m.Sample(t.Context(), &l); err != nil {
						return err
					}
					if want := slow.sample(&l); difference(l.Result, want, 0, 0.5) > 2e-6 {
						return fmt.Errorf("at %+v\n%v: want %v", l, l.Result, want)
					}
				}
				return nil
			})
			if err = errors.Join(err, sys.Close()); err != nil {
				t.Fatalf("%s, filter %d: %v", name, filter, err)
			}
		}
	}
}

// scene is images with different types and sizes, and lookups of them in any order.
func scene(n int) (album, []texture.Lookup) {
	r := rand.New(rand.NewPCG(3, 31))
	all := album{}
	var textures []*texture.Texture
	for i := range 6 {
		of := randomTexture(r)
		of.Name = fmt.Sprint(i)
		all[of.Name] = newPicture(raster.Header{
			Levels: mips(128, 96), Channels: channelNames[i%len(channelNames)], Type: raster.Type(i % 5), Block: raster.Size{Width: 16, Height: 16},
		}, noisy(r))
		textures = append(textures, of)
	}
	more, _ := sets(r)
	for name, p := range more {
		all[name] = p
	}
	textures = append(textures, &texture.Texture{Name: "w.*"}, &texture.Texture{Name: "set"})
	lookups := make([]texture.Lookup, n)
	for i := range lookups {
		randomLookup(r, &lookups[i])
		lookups[i].Texture = textures[r.IntN(len(textures))]
		lookups[i].Result = make([]float32, 3)
	}
	return all, lookups
}

// results samples lookups and returns all numbers.
func results(t *testing.T, sys *texture.System, lookups []texture.Lookup, do func(*texture.Sampler, []texture.Lookup) error) (all []float32) {
	t.Helper()
	mine := slices.Clone(lookups)
	for i := range mine {
		mine[i].Result = make([]float32, 3)
	}
	if err := sys.With(func(m *texture.Sampler) error { return do(m, mine) }); err != nil {
		t.Error(err)
	}
	for _, l := range mine {
		all = append(all, l.Result...)
	}
	return all
}

// TestSame: results do not depend on the budget, the goroutines, the order, and what the cache finds
// to be constant or equal.
func TestSame(t *testing.T) {
	images, lookups := scene(2000)
	one := func(m *texture.Sampler, all []texture.Lookup) error {
		for i := range all {
			if err := m.Sample(t.Context(), &all[i]); err != nil {
				return err
			}
		}
		return nil
	}
	batch := func(sorted bool) func(m *texture.Sampler, all []texture.Lookup) error {
		return func(m *texture.Sampler, all []texture.Lookup) error { return m.Batch(t.Context(), all, sorted) }
	}
	base := &texture.System{Open: images.open, Members: images.members}
	want := results(t, base, lookups, one)
	for _, c := range []struct {
		name       string
		tiles      tile.Options
		goroutines int
		do         func(*texture.Sampler, []texture.Lookup) error
	}{
		{"a batch", tile.Options{}, 1, batch(false)},
		{"sorted", tile.Options{}, 1, batch(true)},
		{"one tile", tile.Options{Budget: 5 << 10}, 1, one},
		{"few tiles", tile.Options{Budget: 20 << 10}, 1, one},
		{"few tiles, sorted", tile.Options{Budget: 20 << 10}, 1, batch(true)},
		{"goroutines", tile.Options{}, 8, one},
		{"goroutines, few tiles", tile.Options{Budget: 40 << 10}, 8, one},
		{"goroutines, few tiles, sorted", tile.Options{Budget: 40 << 10}, 8, batch(true)},
		{"instances, packed", tile.Options{Budget: 100 << 10, Instances: true, Packed: 50 << 10}, 2, one},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := &texture.System{Open: images.open, Members: images.members, Tiles: c.tiles}
			var wait sync.WaitGroup
			for range c.goroutines {
				wait.Go(func() {
					if got := results(t, sys, lookups, c.do); !slices.Equal(got, want) {
						t.Error("other results")
					}
				})
			}
			wait.Wait()
			calls := int64(c.goroutines * len(lookups)) // more if a batch began again
			if s := sys.Stats(); s.Tiles.PeakBytes > s.Tiles.Budget || s.Calls < calls || s.Calls > calls && !strings.Contains(c.name, "sorted") {
				t.Errorf("%v", s)
			}
			if err := sys.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if err := base.Close(); err != nil {
		t.Error(err)
	}
}

// TestDamage: a block that cannot be read is an error and leaves no colour. Others can be sampled.
func TestDamage(t *testing.T) {
	p := ramp()
	broken := &cursor.CorruptError{Part: "block", Offset: 17, Err: errors.New("torn")}
	p.fail = func(level, x, y int) error {
		if level == 0 && x == 1 {
			return broken
		}
		return nil
	}
	sys := texture.System{Open: album{"p": p}.open}
	of := &texture.Texture{Name: "p"}
	err := sys.With(func(m *texture.Sampler) error {
		for x := range 64 {
			l := texture.Lookup{Texture: of, S: (float64(x) + 0.5) / 64, T: 0.5, Width: 1. / 64, Result: []float32{9, 9, 9}}
			err := m.Sample(t.Context(), &l)
			reads := x >= 15 && x < 32 // a bilinear probe reads the texel to the right
			var is *cursor.CorruptError
			if reads != errors.As(err, &is) || reads != (err != nil) {
				t.Errorf("texel %d: %v", x, err)
			}
			if want := (float32(x) + 0.5) / 64; reads && l.Result[0] != 0 || !reads && l.Result[0] != want {
				t.Errorf("texel %d is %v", x, l.Result)
			}
			none := texture.Lookup{Texture: &texture.Texture{Name: "none"}, Result: make([]float32, 1)}
			if m.Batch(t.Context(), []texture.Lookup{l, none}, true) == nil || m.Batch(t.Context(), nil, true) != nil {
				t.Error("a batch with a missing image, or one without a lookup")
			}
			if batch := []texture.Lookup{l}; reads != (m.Batch(t.Context(), batch, true) != nil) {
				t.Errorf("texel %d in a batch", x)
			}
		}
		return nil
	})
	if err = errors.Join(err, sys.Close()); err != nil {
		t.Error(err)
	}
}

// TestErrors: what cannot be sampled says why.
func TestErrors(t *testing.T) {
	bad := ramp()
	bad.header.Levels = nil
	wide := ramp()
	wide.header.Levels, wide.header.Block = []raster.Size{{Width: 1 << 20, Height: 1}}, raster.Size{Width: 16, Height: 16}
	files := album{"p": ramp(), "bad": bad, "wide": wide, "set": &folder{map[int]*picture{1001: ramp()}}, "w.1001": ramp(),
		"early": &folder{map[int]*picture{1000: ramp(), 1001: ramp()}},
	}
	for _, c := range []struct {
		of   *texture.Texture
		want string
	}{
		{&texture.Texture{Name: "none"}, "not exist"},
		{&texture.Texture{Name: "bad"}, "no level"},
		{&texture.Texture{Name: "bad", Missing: []float32{1}}, "no level"},
		{&texture.Texture{Name: "early"}, "image 1000 of a set"},
		{&texture.Texture{Name: "wide"}, "65536 x 1 tiles"},
		{&texture.Texture{Name: "p", Purpose: 4}, "a field is 4"},
		{&texture.Texture{Name: "p", Filter: -1}, "a field is -1"},
		{&texture.Texture{Name: "p", MaxAnisotropy: 65}, "a field is 65"},
		{&texture.Texture{Name: "set", Purpose: texture.Environment}, "a set is no environment"},
		{&texture.Texture{Name: "w.*", Purpose: texture.Environment}, "a set is no environment"},
	} {
		sys := texture.System{Open: files.open, Members: files.members}
		l := texture.Lookup{Texture: c.of, Result: []float32{9}}
		err := sys.With(func(m *texture.Sampler) error { return m.Sample(t.Context(), &l) })
		if err == nil || !strings.Contains(err.Error(), c.want) || l.Result[0] != 0 {
			t.Errorf("%+v: %v, %v", c.of, err, l.Result)
		}
		if err := sys.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestMissing: a missing image has its own colour, without reading.
func TestMissing(t *testing.T) {
	files, _ := sets(rand.New(rand.NewPCG(1, 1)))
	for name, want := range map[string][]float32{"none": {1, 0, 0.5, 0.25}, "w.*": {1, 0, 0.5, 0.25}, "none.*": {1, 0, 0.5, 0.25}} {
		sys := texture.System{Open: files.open, Members: files.members}
		l := texture.Lookup{
			Texture: &texture.Texture{Name: name, Missing: []float32{1, 0, 0.5}, Fill: 0.25},
			S:       5.5, T: 0.5, Result: make([]float32, 4),
		}
		err := sys.With(func(m *texture.Sampler) error { return m.Sample(t.Context(), &l) })
		if err = errors.Join(err, sys.Close()); err != nil || !slices.Equal(l.Result, want) {
			t.Errorf("%s: %v, %v", name, l.Result, err)
		}
	}
}

// shelf is an album whose images can change and be closed.
type shelf struct {
	album
	opens, closes int
}

func (s *shelf) open(name string) (texture.Image, io.Closer, error) {
	i, _, err := s.album.open(name)
	s.opens++
	return i, s, err
}

func (s *shelf) Close() error { s.closes++; return nil }

// TestFiles: images are closed, opened again when they are needed, and refused if they are others
// by then.
func TestFiles(t *testing.T) {
	s := &shelf{album: album{"a": ramp(), "b": ramp()}}
	sys := texture.System{Open: s.open, Members: s.members, Files: tile.ItemsOptions{Open: 1}}
	a, b := &texture.Texture{Name: "a"}, &texture.Texture{Name: "b"}
	err := sys.With(func(m *texture.Sampler) error {
		at := func(of *texture.Texture, s float64) error {
			return m.Sample(t.Context(), &texture.Lookup{Texture: of, S: s, T: 0.1, Width: 1. / 64, Result: make([]float32, 3)})
		}
		if err := errors.Join(at(a, 0.1), at(b, 0.1), at(a, 0.4)); err != nil {
			return err
		}
		if s.opens != 3 || s.closes != 2 {
			t.Errorf("%d opens, %d closes", s.opens, s.closes)
		}
		changed := ramp()
		changed.header.Block.Width = 32
		s.album["b"] = changed
		if err := at(b, 0.1); err != nil {
			t.Errorf("a tile that is here: %v", err)
		}
		if err := at(b, 0.9); !errors.Is(err, tile.ErrChanged) {
			t.Errorf("another image: %v", err)
		}
		return nil
	})
	if err = errors.Join(err, sys.Close()); err != nil {
		t.Error(err)
	}
	if s.opens != s.closes {
		t.Errorf("%d opens, %d closes", s.opens, s.closes)
	}
}

// TestDirectoryStays: of a file that was closed and is opened again only tiles are read. Its directory is not
// there any more.
func TestDirectoryStays(t *testing.T) {
	dir := t.TempDir()
	noise := noisy(rand.New(rand.NewPCG(46, 31)))
	p := newPicture(raster.Header{Levels: mips(64, 64), Channels: channelNames[2], Type: raster.Half, Block: raster.Size{Width: 16, Height: 16}}, noise)
	names := []string{filepath.Join(dir, "a.exr"), filepath.Join(dir, "b.exr")}
	for _, name := range names {
		f, err := os.Create(name)
		if err = errors.Join(err, exr.Write(f, &p.header, p.levels...), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	sys := texture.System{Files: tile.ItemsOptions{Open: 1}}
	err := sys.With(func(m *texture.Sampler) error {
		for i, at := range []float64{0.1, 0.1, 0.9} { // a, b, a
			of := &texture.Texture{Name: names[i%2], Levels: texture.NoMip}
			l := texture.Lookup{Texture: of, S: at, T: at, Result: make([]float32, 3)}
			if err := m.Sample(t.Context(), &l); err != nil {
				return err
			}
			slow := twin{of: of, at: func(int, int) *picture { return p }}
			if want := slow.sample(&l); difference(l.Result, want, 0, 0) > 2e-6 {
				t.Errorf("lookup %d: %v, want %v", i, l.Result, want)
			}
			if i > 0 {
				continue
			}
			info, err := os.Stat(names[0])
			if err != nil {
				return err
			}
			b, err := os.ReadFile(names[0])
			clear(b[:16])
			if err = errors.Join(err, os.WriteFile(names[0], b, 0o600), os.Chtimes(names[0], info.ModTime(), info.ModTime())); err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, sys.Close()); err != nil {
		t.Error(err)
	}
}

// constant is an image that knows that its tiles are.
type constant struct{ *picture }

func (c constant) Constant(level, x, y int) ([]byte, bool) {
	return c.levels[level][:c.header.Pixel()], level > 0
}

// TestStats counts one lookup after another.
func TestStats(t *testing.T) {
	p := newPicture(raster.Header{Levels: mips(64, 64), Channels: []string{"Y"}, Type: raster.Uint8, Block: raster.Size{Width: 16, Height: 16}}, func(x, y, c int) float64 { return 1 })
	var now time.Time
	sys := texture.System{
		Open:  album{"p": constant{p}}.open,
		Files: tile.ItemsOptions{Now: func() time.Time { now = now.Add(time.Millisecond); return now }},
	}
	of := &texture.Texture{Name: "p", WrapS: texture.Clamp, WrapT: texture.Clamp}
	at := func(m *texture.Sampler, s, t, width float64) {
		l := texture.Lookup{Texture: of, S: s, T: t, Width: width, Result: make([]float32, 1)}
		if err := m.Sample(context.Background(), &l); err != nil || math.Abs(float64(l.Result[0])-1) > 1e-6 {
			panic(fmt.Sprint(l.Result, err))
		}
	}
	sys.With(func(m *texture.Sampler) error {
		at(m, 0.1, 0.1, 0)      // one tile
		at(m, 0.1, 0.1, 0)      // the same
		at(m, 0.25, 0.25, 0)    // four, one of them the same
		at(m, 0.1, 0.1, 1.5/64) // two levels
		at(m, 0.6, 0.6, 1)      // the last level
		return nil
	})
	s := sys.Stats()
	if s.Calls != 5 || s.Footprints != 6 || s.Bilinear != 6 || s.TileRequests != 9 || s.Tiles.Reads != 6 || p.reads.Load() != 4 || s.Tiles.Constants != 5 { // one has a single texel
		t.Errorf("%+v, %d blocks read", s, p.reads.Load())
	}
	text := s.String()
	for _, want := range []string{"texture calls", "6 bilinear", "5 constant", "  p (colour)  ", "6ms"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if err := sys.Close(); err != nil {
		t.Error(err)
	}
}

// lone is an image that could be a set.
type lone struct{ *picture }

func (lone) Members() []int          { return nil }
func (lone) Member(int) raster.Image { return nil }

// TestFileWrap: an image says how it goes on.
func TestFileWrap(t *testing.T) {
	p := ramp()
	p.header.Wrap = [2]string{"mirror", "periodic"}
	sys := texture.System{Open: album{"p": lone{p}}.open}
	l := texture.Lookup{Texture: &texture.Texture{Name: "p"}, S: -0.2, T: -0.2, Width: 1. / 64, Result: make([]float32, 2)}
	err := sys.With(func(m *texture.Sampler) error { return m.Sample(t.Context(), &l) })
	if err = errors.Join(err, sys.Close()); err != nil || math.Abs(float64(l.Result[0])-0.2) > 1e-6 || math.Abs(float64(l.Result[1])-0.8) > 1e-6 {
		t.Errorf("%v, %v", l.Result, err)
	}
}

// TestNoNumbers: coordinates that are no numbers, or too large, are 0.
func TestNoNumbers(t *testing.T) {
	sys := texture.System{Open: album{"p": ramp()}.open}
	of := &texture.Texture{Name: "p", WrapS: texture.Periodic, WrapT: texture.Mirror}
	err := sys.With(func(m *texture.Sampler) error {
		at := func(s, t float64) (out [3]float32) {
			if err := m.Sample(context.Background(), &texture.Lookup{Texture: of, S: s, T: t, Width: 1. / 64, Result: out[:]}); err != nil {
				panic(err)
			}
			return out
		}
		want := at(0, 0)
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -2e9} {
			if got := at(v, v); got != want {
				t.Errorf("at %v: %v, want %v", v, got, want)
			}
		}
		if got := at(1e9, -1e9); got != want {
			t.Errorf("far away: %v, want %v", got, want)
		}
		return nil
	})
	if err = errors.Join(err, sys.Close()); err != nil {
		t.Error(err)
	}
}

// TestTwoSystems: a Texture has the images of each System.
func TestTwoSystems(t *testing.T) {
	of := &texture.Texture{Name: "p", Filter: texture.Closest}
	for _, v := range []float32{1, 0.5, 0.25} {
		p := newPicture(raster.Header{Levels: mips(4, 4), Channels: []string{"Y"}, Type: raster.Float, Block: raster.Size{Width: 4, Height: 4}}, func(x, y, c int) float64 { return float64(v) })
		sys := texture.System{Open: album{"p": p}.open}
		l := texture.Lookup{Texture: of, S: 0.5, T: 0.5, Result: make([]float32, 1)}
		err := sys.With(func(m *texture.Sampler) error { return m.Sample(t.Context(), &l) })
		if err = errors.Join(err, sys.Close()); err != nil || l.Result[0] != v {
			t.Errorf("%v, %v, want %v", l.Result, err, v)
		}
	}
}

// TestNames: without Open, names are those of files, also of sets of files and in files.
func TestNames(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 31))
	dir := t.TempDir()
	write := func(name string, do func(w io.Writer) error) {
		f, err := os.Create(filepath.Join(dir, name))
		if err = errors.Join(err, do(f), f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	pictures := make(map[[2]int]*picture)
	write("set.ctex", func(w io.Writer) error {
		m := texfile.NewMaker(w, texfile.Options{Tile: 16})
		for _, at := range [][2]int{{0, 0}, {1, 0}, {0, 1}} {
			p := newPicture(raster.Header{Levels: mips(40, 24), Channels: channelNames[2], Type: raster.Half, Block: raster.Size{Width: 16, Height: 16}}, noisy(r))
			pictures[at] = p
			number := 1001 + at[0] + 10*at[1]
			write(fmt.Sprintf("w.%d.exr", number), func(w io.Writer) error { return exr.Write(w, &p.header, p.levels...) })
			if err := m.Add(t.Context(), number, p); err != nil {
				return err
			}
		}
		return m.Close()
	})
	sys := texture.System{}
	for _, name := range []string{"w.<UDIM>.exr", "set.ctex"} {
		of := &texture.Texture{Name: filepath.Join(dir, name), Levels: texture.NoMip}
		slow := twin{of: of, set: true, at: func(u, v int) *picture { return pictures[[2]int{u, v}] }}
		err := sys.With(func(m *texture.Sampler) error {
			for range 200 {
				l := texture.Lookup{Texture: of, S: 2 * r.Float64(), T: 2 * r.Float64(), Result: make([]float32, 3)}
				if err := m.Sample(t.Context(), &l); err != nil {
					return err
				}
				if want := slow.sample(&l); difference(l.Result, want, 0, 0) > 2e-6 {
					return fmt.Errorf("at %v %v: %v, want %v", l.S, l.T, l.Result, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := sys.Close(); err != nil {
		t.Error(err)
	}
}
