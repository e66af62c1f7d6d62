package tiff_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/tiff"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

func open(b []byte) (raster.Image, error) { return tiff.Open(bytes.NewReader(b), int64(len(b))) }

// level reads all blocks of a level.
func level(m raster.Image, level int) ([]byte, error) {
	h := m.Header()
	s := h.Levels[level]
	out := make([]byte, s.Width*s.Height*h.Pixel())
	across, down := h.Blocks(level)
	for y := range down {
		for x := range across {
			b := h.BlockSize(level, x, y)
			dst := make([]byte, b.Width*b.Height*h.Pixel())
			if err := m.ReadBlock(level, x, y, dst); err != nil {
				return nil, err
			}
			for r := range b.Height {
				at := ((y*h.Block.Height+r)*s.Width + x*h.Block.Width) * h.Pixel()
				copy(out[at:], dst[r*b.Width*h.Pixel():][:b.Width*h.Pixel()])
			}
		}
	}
	return out, nil
}

// check says what of a file is not what the form says.
func check(f form, b []byte) error {
	m, err := open(b)
	if err != nil {
		return err
	}
	h := m.Header()
	if err := h.Check(); err != nil {
		return err
	}
	if h.Type != f.kindOf() || len(h.Levels) != max(f.levels, 1) {
		return fmt.Errorf("%v in %d levels", h.Type, len(h.Levels))
	}
	for i := range h.Levels {
		if h.Levels[i] != halved(f.size, i) {
			return fmt.Errorf("level %d has the size %v", i, h.Levels[i])
		}
		got, err := level(m, i)
		if err != nil {
			return err
		}
		want := f.pixels(i)
		for at := range want {
			if len(got) != len(want) || got[at] != want[at] {
				n := at / h.Pixel()
				return fmt.Errorf("level %d: %d bytes: want %d; number %d of pixel %d,%d has another value", i, len(got), len(want),
					at%h.Pixel()/h.Type.Size(), n%h.Levels[i].Width, n/h.Levels[i].Width)
			}
		}
	}
	return nil
}

var plain = form{size: raster.Size{Width: 37, Height: 21}, samples: 3, bits: 8, kind: 1, photo: 2, rows: 8, compression: 1, predictor: 1}

// forms are all combinations.
func forms() (all []form) {
	for _, t := range []struct{ bits, kind, photo, samples int }{
		{1, 1, 0, 1}, {1, 1, 1, 1}, {2, 1, 1, 1}, {4, 1, 0, 1}, {4, 1, 2, 3}, {1, 1, 3, 1}, {4, 1, 3, 1}, {8, 1, 3, 1},
		{8, 1, 0, 1}, {8, 1, 1, 1}, {8, 1, 1, 2}, {8, 1, 0, 2}, {8, 1, 2, 3}, {8, 1, 2, 4}, {8, 1, 2, 7},
		{16, 1, 0, 1}, {16, 1, 1, 1}, {16, 1, 2, 3}, {16, 1, 2, 4}, {32, 1, 0, 1}, {32, 1, 2, 3},
		{16, 2, 1, 1}, {16, 2, 2, 3}, {16, 3, 1, 1}, {16, 3, 2, 3}, {32, 3, 1, 1}, {32, 3, 2, 3}, {32, 3, 2, 4},
	} {
		for _, where := range []struct {
			tile raster.Size
			rows int
		}{{rows: 8}, {rows: 21}, {tile: raster.Size{Width: 16, Height: 16}}, {tile: raster.Size{Width: 64, Height: 32}}} {
			for _, c := range []struct{ compression, predictor int }{{1, 1}, {5, 1}, {5, 2}, {5, 3}, {8, 1}, {8, 2}, {8, 3}, {32946, 2}, {32773, 1}} {
				if c.predictor == 2 && t.bits < 8 || c.predictor == 3 && t.kind != 3 {
					continue
				}
				for i := range 8 {
					f := plain
					f.bits, f.kind, f.photo, f.samples = t.bits, t.kind, t.photo, t.samples
					f.tile, f.rows, f.compression, f.predictor = where.tile, where.rows, c.compression, c.predictor
					f.bigEndian, f.big, f.planar = i&1 != 0, i&2 != 0, i&4 != 0
					all = append(all, f)
				}
			}
		}
	}
	return all
}

func TestForms(t *testing.T) {
	for _, f := range append(forms(), small()...) {
		if err := check(f, f.file()); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// tools skips a test without programs that know TIFF.
func tools(t *testing.T, names ...string) {
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
}

func write(t *testing.T, name string, b []byte) string {
	if err := os.WriteFile(name, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func read(t *testing.T, name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestOpenImageIO has OpenImageIO read what the tests write.
func TestOpenImageIO(t *testing.T) {
	tools(t, "oiiotool")
	dir := t.TempDir()
	args := []string{"--native", "--no-autopremult"}
	var all []form
	for i, f := range forms() {
		other := f.planar && f.tile.Width == 0 && f.compression != 1 || // "does not support random access"
			f.photo == 0 && (f.bits > 8 || f.samples > 1) // it leaves white as 0, or turns alpha too
		if i%long.By(97, 13, 1) == 0 && !other {
			from := write(t, filepath.Join(dir, fmt.Sprint(len(all), ".tif")), f.file())
			all, args = append(all, f), append(args, from, "-o", from+".tif")
		}
	}
	if out, err := exec.Command("oiiotool", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, f := range all {
		m, err := open(read(t, filepath.Join(dir, fmt.Sprint(i, ".tif.tif"))))
		if err != nil {
			t.Fatal(err)
		}
		b, err := level(m, 0)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float32, len(b)/m.Header().Type.Size()) // it writes halves as floats
		got := slices.Clone(want)
		m.Header().Type.Floats(got, b)
		if f.kindOf().Floats(want, f.pixels(0)); !slices.Equal(got, want) {
			t.Errorf("%v: other numbers", f)
		}
	}
}

// TestLibTIFF has libtiff write what the package reads.
func TestLibTIFF(t *testing.T) {
	tools(t, "tiffcp")
	from, to := filepath.Join(t.TempDir(), "from.tif"), filepath.Join(t.TempDir(), "to.tif")
	why, passed := map[string]int{}, 0
	for i, f := range forms() {
		if i%long.By(97, 13, 1) != 0 || f.bigEndian && f.predictor == 3 { // tiffcp 4.5 writes what libtiff does not read
			continue
		}
		args := []string{"-L", "-c", map[int]string{1: "none", 5: "lzw", 8: "zip", 32946: "zip", 32773: "packbits"}[f.compression], "-p", "contig"}
		if f.predictor != 1 {
			args[2] += fmt.Sprintf(":%d", f.predictor)
		}
		if f.bigEndian {
			args[0] = "-B"
		}
		if f.big {
			args = append(args, "-8")
		}
		if f.planar {
			args[4] = "separate"
		}
		if f.tile.Width > 0 {
			args = append(args, "-t", "-w", fmt.Sprint(f.tile.Width), "-l", fmt.Sprint(f.tile.Height))
		} else {
			args = append(args, "-s", "-r", fmt.Sprint(f.rows))
		}
		simple := f
		simple.bigEndian, simple.big, simple.planar, simple.tile, simple.rows, simple.compression, simple.predictor = false, false, false, raster.Size{}, 8, 1, 1
		write(t, from, simple.file())
		if out, err := exec.Command("tiffcp", append(args, from, to)...).CombinedOutput(); err != nil { // it has less than the library
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			why[strings.TrimPrefix(lines[len(lines)-1], from)]++
		} else if err := check(f, read(t, to)); err != nil {
			t.Errorf("%v: %v", f, err)
		} else {
			passed++
		}
	}
	t.Logf("%d files; tiffcp did not make: %v", passed, why)
}

// TestLevels has maketx make levels, and OpenImageIO say what they are.
func TestLevels(t *testing.T) {
	tools(t, "maketx", "oiiotool")
	dir := t.TempDir()
	plain := write(t, filepath.Join(dir, "plain.tif"), plain.file())
	for _, args := range [][]string{
		{"-d", "uint8"}, {"-d", "uint16"}, {"-d", "half"}, {"-d", "float"}, {"-d", "uint16", "--prman"}, {"-d", "uint8", "--tile", "16", "32"},
	} {
		made := filepath.Join(dir, "made.tif")
		if out, err := exec.Command("maketx", append(args, plain, "-o", made)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		m, err := open(read(t, made))
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if h := m.Header(); len(h.Levels) != 6 || h.SRGB || h.Wrap != [2]string{"black", "black"} {
			t.Fatalf("%s: %+v", args, h)
		}
		cut := []string{"--native"}
		for i := range m.Header().Levels {
			cut = append(cut, made, "--selectmip", fmt.Sprint(i), "-o", filepath.Join(dir, fmt.Sprint(i, ".tif")))
		}
		if out, err := exec.Command("oiiotool", cut...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for i, s := range m.Header().Levels {
			one, err := open(read(t, filepath.Join(dir, fmt.Sprint(i, ".tif"))))
			if err != nil {
				t.Fatal(err)
			}
			want, err := level(one, 0)
			if err != nil || one.Header().Levels[0] != s || one.Header().Type != m.Header().Type {
				t.Fatalf("%v %+v", err, one.Header())
			}
			if got, err := level(m, i); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s: level %d: %v, equal %v", args, i, err, bytes.Equal(got, want))
			}
		}
	}
}

var update = flag.Bool("update", false, "make the files in testdata, with maketx and tiffcp")

// TestGolden reads files that other programs wrote.
func TestGolden(t *testing.T) {
	half := plain
	half.size, half.bits, half.kind = raster.Size{Width: 32, Height: 16}, 16, 3
	long, grey := plain, plain
	long.size, long.samples = raster.Size{Width: 90, Height: 70}, 4
	grey.samples, grey.photo, grey.bits = 1, 1, 16
	single, bits := plain, grey
	grey.kind = 2
	single.bits, single.kind = 32, 3
	bits.bits, bits.kind, bits.photo = 1, 1, 0
	for _, g := range []struct {
		name string
		f    form
		by   string
	}{
		{"maketx", half, "maketx -d float --tile 16 16 --wrap periodic,clamp"},
		{"maketx8", plain, "maketx -d uint8 --tile 16 16 --nomipmap"},
		{"prman", grey, "maketx --prman --nomipmap"},
		{"lzw", long, "tiffcp -c lzw:2 -r 70"},
		{"lzwbig", single, "tiffcp -c lzw:1 -B -8"},
		{"float", single, "tiffcp -c zip:3 -t -w 32 -l 16"},
		{"planes", plain, "tiffcp -c zip:2 -p separate -r 5"},
		{"packbits", bits, "tiffcp -c packbits"},
	} {
		name := filepath.Join("testdata", g.name+".tif")
		if *update {
			args := strings.Fields(g.by)
			make := exec.Command(args[0], append(args[1:], "from.tif", "-o", "made.tif")...)
			if args[0] == "tiffcp" {
				make = exec.Command(args[0], append(args[1:], "from.tif", "made.tif")...)
			}
			make.Dir = t.TempDir()
			write(t, filepath.Join(make.Dir, "from.tif"), g.f.file())
			if out, err := make.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			write(t, name, read(t, filepath.Join(make.Dir, "made.tif")))
		}
		b := read(t, name)
		if g.name != "maketx" {
			if err := check(g.f, b); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		m, err := open(b)
		if err != nil {
			t.Fatal(err)
		}
		h := m.Header()
		if h.Wrap != [2]string{"periodic", "clamp"} || h.Type != raster.Float || len(h.Levels) != 6 || h.Block != (raster.Size{Width: 16, Height: 16}) {
			t.Errorf("%s: %+v", name, h)
		}
		want := make([]float32, 32*16*3)
		raster.Half.Floats(want, half.pixels(0))
		for i, s := range h.Levels {
			if i > 0 {
				want = means(want, h.Levels[i-1], s)
			}
			got := make([]float32, s.Width*s.Height*3)
			b, err := level(m, i)
			if err != nil {
				t.Fatal(err)
			}
			if raster.Float.Floats(got, b); !slices.Equal(got, want) {
				t.Errorf("%s: level %d is other than the means of pixels", name, i)
			}
		}
	}
}

// means returns the level after one with even edges.
func means(b []float32, from, to raster.Size) (out []float32) {
	x, y := from.Width/to.Width, from.Height/to.Height
	for i := range to.Width * to.Height * 3 {
		sum := float32(0)
		for k := range x * y {
			sum += b[((i/3/to.Width*y+k/x)*from.Width+i/3%to.Width*x+k%x)*3+i%3]
		}
		out = append(out, sum/float32(x*y))
	}
	return out
}

func TestHeader(t *testing.T) {
	for _, c := range []struct {
		name     string
		with     func(f *form)
		channels string
		srgb     bool
		wrap     [2]string
	}{
		{"colours", func(f *form) {}, "R G B", true, [2]string{}},
		{"grey", func(f *form) { f.samples, f.photo = 1, 1 }, "Y", true, [2]string{}},
		{"grey and alpha", func(f *form) { f.samples, f.photo, f.extra = 2, 1, []uint32{1} }, "Y A", true, [2]string{}},
		{"two colours", func(f *form) { f.samples = 2 }, "R G", true, [2]string{}},
		{"a palette", func(f *form) { f.samples, f.photo = 1, 3 }, "R G B", true, [2]string{}},
		{"alpha", func(f *form) { f.samples, f.extra = 4, []uint32{2} }, "R G B A", true, [2]string{}},
		{"no word of alpha", func(f *form) { f.samples = 4 }, "R G B A", true, [2]string{}},
		{"not alpha", func(f *form) { f.samples, f.extra = 4, []uint32{0} }, "R G B channel3", true, [2]string{}},
		{"many", func(f *form) { f.samples, f.extra = 6, []uint32{1, 0, 2} }, "R G B A channel4 channel5", true, [2]string{}},
		{"many of grey", func(f *form) { f.samples, f.photo = 3, 1 }, "Y channel1 channel2", true, [2]string{}},
		{"no photometric", func(f *form) { f.more = map[uint16]any{262: nil} }, "R G B", true, [2]string{}},
		{"no photometric of one", func(f *form) { f.samples, f.more = 1, map[uint16]any{262: nil} }, "Y", true, [2]string{}},
		{"one number of bits for all", func(f *form) { f.more = map[uint16]any{258: []uint32{8}} }, "R G B", true, [2]string{}},
		{"numbers of any kind", func(f *form) { f.more = map[uint16]any{339: []uint32{4, 4, 4}} }, "R G B", true, [2]string{}},
		{"a predictor of no compression", func(f *form) { f.more = map[uint16]any{317: []uint32{2}} }, "R G B", true, [2]string{}},
		{"one strip", func(f *form) { f.rows, f.more = 21, map[uint16]any{278: nil} }, "R G B", true, [2]string{}},
		{"one strip for ever", func(f *form) { f.rows, f.more = 21, map[uint16]any{278: []uint32{1<<32 - 1}} }, "R G B", true, [2]string{}},
		{"16 bits", func(f *form) { f.bits = 16 }, "R G B", false, [2]string{}},
		{"floats", func(f *form) { f.bits, f.kind = 32, 3 }, "R G B", false, [2]string{}},
		{"a texture", func(f *form) { f.more = map[uint16]any{33302: "Plain Texture", 33303: "periodic,clamp"} }, "R G B", false, [2]string{"periodic", "clamp"}},
		{"one wrap", func(f *form) { f.more = map[uint16]any{33303: "mirror"} }, "R G B", true, [2]string{"mirror", "mirror"}},
		{"wraps twice", func(f *form) { f.more = map[uint16]any{33303: "periodic,clamp,periodic,clamp"} }, "R G B", true, [2]string{"periodic", "clamp"}},
		{"a tag of an unknown kind", func(f *form) { f.more = map[uint16]any{33303: []uint32{1}} }, "R G B", true, [2]string{}},
	} {
		f := plain
		c.with(&f)
		b := f.file()
		if err := check(f, b); err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		m, _ := open(b)
		if h := m.Header(); strings.Join(h.Channels, " ") != c.channels || h.SRGB != c.srgb || h.Wrap != c.wrap {
			t.Errorf("%s: %+v", c.name, h)
		}
	}
}

// TestLonger has strips with more rows than the picture.
func TestLonger(t *testing.T) {
	for _, f := range small()[:4] {
		f.size.Height--
		f.more = map[uint16]any{257: []uint32{uint32(f.size.Height)}}
		longer := f
		longer.size.Height++
		if err := check(f, longer.file()); err != nil {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// TestPages has pictures after the first that are levels of it, and that are not.
func TestPages(t *testing.T) {
	for _, c := range []struct {
		name   string
		size   raster.Size
		tile   raster.Size
		spoil  func(f *form)
		levels int
	}{
		{"tiles", raster.Size{Width: 64, Height: 20}, raster.Size{Width: 16, Height: 16}, nil, 7},
		{"odd", raster.Size{Width: 37, Height: 21}, raster.Size{Width: 16, Height: 16}, nil, 6},
		{"strips", raster.Size{Width: 64, Height: 64}, raster.Size{}, nil, 7},
		{"another type", raster.Size{Width: 64, Height: 64}, raster.Size{}, func(f *form) { f.bits = 16 }, 1},
		{"other tiles", raster.Size{Width: 64, Height: 64}, raster.Size{Width: 16, Height: 16}, func(f *form) { f.tile.Width = 32 }, 1},
		{"a page", raster.Size{Width: 64, Height: 64}, raster.Size{}, func(f *form) { f.size.Width = 128 }, 1},
		{"a quarter", raster.Size{Width: 64, Height: 64}, raster.Size{}, func(f *form) { f.size.Width = 32 }, 1},
		{"pixels", raster.Size{Width: 1, Height: 1}, raster.Size{}, func(f *form) {}, 1},
		{"JPEG", raster.Size{Width: 64, Height: 64}, raster.Size{}, func(f *form) { f.compression = 7 }, 1},
	} {
		f := plain
		f.size, f.tile, f.levels = c.size, c.tile, c.levels
		b := f.file()
		if c.spoil != nil {
			second := f
			second.levels = 2
			second.second = &form{}
			*second.second = f
			c.spoil(second.second)
			b = second.file()
		}
		if err := check(f, b); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestUnsupported(t *testing.T) {
	for name, with := range map[string]func(f *form){
		"compression 7 (JPEG)":                               func(f *form) { f.compression = 7 },
		"compression 4 (fax)":                                func(f *form) { f.compression = 4 },
		"compression 50000 (Zstandard)":                      func(f *form) { f.compression = 50000 },
		"compression 12345":                                  func(f *form) { f.compression = 12345 },
		"photometric 5 (CMYK)":                               func(f *form) { f.samples, f.photo = 4, 5 },
		"photometric 6 (YCbCr)":                              func(f *form) { f.photo = 6 },
		"orientation 3":                                      func(f *form) { f.more = map[uint16]any{274: []uint32{3}} },
		"fill order 2":                                       func(f *form) { f.more = map[uint16]any{266: []uint32{2}} },
		"planar configuration 3":                             func(f *form) { f.more = map[uint16]any{284: []uint32{3}} },
		"samples of 8 bits in format 2":                      func(f *form) { f.kind = 2 },
		"samples of 12 bits in format 1":                     func(f *form) { f.more = map[uint16]any{258: []uint32{12}} },
		"samples of 64 bits in format 3":                     func(f *form) { f.kind, f.more = 3, map[uint16]any{258: []uint32{64}} },
		"different values of tag 258":                        func(f *form) { f.more = map[uint16]any{258: []uint32{8, 8, 16}} },
		"in format 3 and photometric 0":                      func(f *form) { f.bits, f.kind, f.photo = 32, 3, 0 },
		"2 samples of 8 bits in format 1 and photometric 3":  func(f *form) { f.samples, f.photo = 2, 3 },
		"1 samples of 16 bits in format 1 and photometric 3": func(f *form) { f.samples, f.photo, f.bits = 1, 3, 16 },
		"format 1 and predictor 3":                           func(f *form) { f.compression, f.more = 5, map[uint16]any{317: []uint32{3}} },
		"samples of 4 bits in format 1 and predictor 2":      func(f *form) { f.bits, f.compression, f.predictor = 4, 8, 2 },
		"MB of memory: at most":                              func(f *form) { f.more = map[uint16]any{256: []uint32{100000}, 257: []uint32{100000}, 278: nil} },
	} {
		f := plain
		with(&f)
		if _, err := open(f.file()); !errors.Is(err, raster.ErrUnsupported) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCorrupt(t *testing.T) {
	for name, with := range map[string]func(f *form){
		"no width":         func(f *form) { f.more = map[uint16]any{256: nil} },
		"no pixel":         func(f *form) { f.more = map[uint16]any{256: []uint32{0}} },
		"a huge edge":      func(f *form) { f.more = map[uint16]any{256: []uint32{1<<20 + 1}} },
		"no sample":        func(f *form) { f.more = map[uint16]any{277: []uint32{0}} },
		"many samples":     func(f *form) { f.more = map[uint16]any{277: []uint32{1025}} },
		"no rows":          func(f *form) { f.more = map[uint16]any{278: []uint32{0}} },
		"tiles of no row":  func(f *form) { f.more = map[uint16]any{322: []uint32{16}} },
		"no strips":        func(f *form) { f.more = map[uint16]any{273: nil} },
		"few strips":       func(f *form) { f.more = map[uint16]any{273: []uint32{8, 8}} },
		"no sizes":         func(f *form) { f.more = map[uint16]any{279: nil} },
		"strips of a text": func(f *form) { f.more = map[uint16]any{273: "offsets"} },
		"strips outside":   func(f *form) { f.more = map[uint16]any{279: []uint32{100, 100, 60000}} },
		"short strips":     func(f *form) { f.more = map[uint16]any{279: []uint32{888, 888, 554}} },
		"short deflate":    func(f *form) { f.compression, f.more = 8, map[uint16]any{278: []uint32{9}} },
		"short LZW":        func(f *form) { f.compression, f.more = 5, map[uint16]any{278: []uint32{9}} },
		"no palette":       func(f *form) { f.samples, f.photo, f.more = 1, 3, map[uint16]any{320: nil} },
		"a short palette":  func(f *form) { f.samples, f.photo, f.more = 1, 3, map[uint16]any{320: []uint32{1, 2, 3}} },
	} {
		f := plain
		with(&f)
		if err := all(f.file()); !errors.As(err, new(*cursor.CorruptError)) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := open(f.file()); err == nil && !strings.HasPrefix(name, "short") {
			t.Errorf("%s: it is open", name)
		}
	}
	f := plain
	f.more = map[uint16]any{273: []uint32{8, 8}}
	if err := all(f.file()); err == nil || !strings.Contains(err.Error(), "2 values of kind 4: want 3") {
		t.Errorf("few strips: %v", err)
	}
	f = plain
	f.compression = 8
	b, strip := f.file(), f.segments(0)[1]
	b[bytes.Index(b, strip)+len(strip)-1] ^= 1
	if err := all(b); !errors.As(err, new(*cursor.CorruptError)) || !strings.Contains(err.Error(), "block 0,1 of level 0") {
		t.Errorf("a wrong checksum: %v", err)
	}
	for _, b := range []string{"", "II*\x00", "II*\x00\xff\xff\xff\xff", "XX*\x00\x08\x00\x00\x00", "II+\x00\x04\x00\x00\x00", "MM\x00+\x00\x08\x00\x00\x80\x00\x00\x00\x00\x00\x00\x00"} {
		if err := all([]byte(b)); !errors.As(err, new(*cursor.CorruptError)) {
			t.Errorf("%q: %v", b, err)
		}
	}
}

// all reads all blocks of a file that are not huge.
func all(b []byte) error {
	m, err := open(b)
	if err != nil {
		return err
	}
	h := m.Header()
	if err := h.Check(); err != nil {
		return fmt.Errorf("a bad header: %w", err)
	}
	dst := make([]byte, 1<<20)
	for l := range h.Levels {
		across, down := h.Blocks(l)
		for i := range min(across*down, 100) {
			s := h.BlockSize(l, i%across, i/across)
			if n := s.Width * s.Height * h.Pixel(); n <= len(dst) {
				err = errors.Join(err, m.ReadBlock(l, i%across, i/across, dst[:n]))
			}
		}
	}
	return err
}

// small are forms of few bytes with all that there is.
func small() (out []form) {
	f := plain
	f.size = raster.Size{Width: 9, Height: 5}
	f.rows = 3
	for _, c := range []int{1, 5, 8, 32773} {
		f.compression = c
		out = append(out, f)
	}
	f.bits, f.kind, f.compression, f.predictor, f.bigEndian, f.big = 32, 3, 8, 3, true, true
	f.tile, f.levels = raster.Size{Width: 16, Height: 16}, 3
	out = append(out, f)
	f.bits, f.kind, f.compression, f.predictor, f.big, f.planar = 16, 1, 5, 2, false, true
	out = append(out, f)
	f.samples, f.bits, f.size, f.levels = 2, 8, raster.Size{Width: 8, Height: 16}, 1 // a plane of a tile is as large as the block
	out = append(out, f)
	f.samples, f.photo, f.bits, f.compression, f.predictor, f.planar = 1, 3, 4, 32773, 1, false
	return append(out, f)
}

func TestTruncated(t *testing.T) {
	for _, f := range small() {
		b := f.file()
		for n := range b {
			if err := all(b[:n]); !errors.As(err, new(*cursor.CorruptError)) {
				t.Fatalf("%v: %d of %d bytes: %v", f, n, len(b), err)
			}
		}
	}
}

// TestFlipped changes each byte: the answer is an error that says what is wrong, or another picture.
func TestFlipped(t *testing.T) {
	for _, f := range small() {
		b := f.file()
		for i := range b {
			for _, by := range []byte{1, 0x80, 0xFF} {
				b[i] ^= by
				if err := all(b); err != nil && !errors.As(err, new(*cursor.CorruptError)) && !errors.Is(err, raster.ErrUnsupported) {
					t.Fatalf("%v: byte %d: %v", f, i, err)
				}
				b[i] ^= by
			}
		}
	}
}

func TestBadCalls(t *testing.T) {
	m, err := open(plain.file())
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 37*8*3)
	for _, c := range [][3]int{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, 0, 3}, {0, -1, 0}, {0, 0, 2}} {
		if m.ReadBlock(c[0], c[1], c[2], dst) == nil {
			t.Errorf("%d: no error", c)
		}
	}
}

// TestShared has goroutines read one image.
func TestShared(t *testing.T) {
	f := small()[5]
	m, err := open(f.file())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				for i := range m.Header().Levels {
					if b, err := level(m, i); err != nil || !bytes.Equal(b, f.pixels(i)) {
						t.Errorf("level %d: %v", i, err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func FuzzOpen(f *testing.F) {
	for _, s := range small() {
		f.Add(s.file())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := all(b); err != nil && !errors.As(err, new(*cursor.CorruptError)) && !errors.Is(err, raster.ErrUnsupported) {
			t.Error(err)
		}
	})
}
