package exr_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// picture returns the pixels of a level: waves, noise and a quarter of one colour.
func picture(h *raster.Header, level int) []byte {
	s := h.Levels[level]
	random := rand.New(rand.NewPCG(1, uint64(level)))
	values := make([]float32, 0, s.Width*s.Height*len(h.Channels))
	for y := range s.Height {
		for x := range s.Width {
			for c := range h.Channels {
				v := float32(0.25)
				if x > s.Width/2 || y > s.Height/2 {
					v = float32((x*(c+1))%32+(y/(c+1))%32)/64 + random.Float32()/128
				}
				values = append(values, v)
			}
		}
	}
	b := make([]byte, len(values)*h.Type.Size())
	h.Type.Put(b, values)
	return b
}

func write(t testing.TB, h *raster.Header) (file []byte, levels [][]byte) {
	t.Helper()
	for l := range h.Levels {
		levels = append(levels, picture(h, l))
	}
	var b bytes.Buffer
	if err := exr.Write(&b, h, levels...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), levels
}

// mip returns a header of tiles.
func mip(width, height, tile, levels int, t raster.Type, channels ...string) *raster.Header {
	h := &raster.Header{Block: raster.Size{Width: tile, Height: tile}, Type: t, Channels: channels, Wrap: [2]string{"periodic", "clamp"}}
	for l := range levels {
		h.Levels = append(h.Levels, raster.Size{Width: max(width>>l, 1), Height: max(height>>l, 1)})
	}
	return h
}

func lines(width, height int, t raster.Type, channels ...string) *raster.Header {
	return &raster.Header{Levels: []raster.Size{{Width: width, Height: height}}, Type: t, Channels: channels}
}

// written are headers of files, and the sizes of the files.
var written = []struct {
	h    *raster.Header
	size int
}{
	{lines(1, 1, raster.Half, "Y"), 295},
	{lines(70, 33, raster.Half, "R", "G", "B"), 6602},
	{lines(33, 70, raster.Float, "R", "G", "B", "A", "N.x", "depth.Z"), 43173},
	{lines(5, 17, raster.Uint32, "id"), 649},
	{mip(70, 33, 32, 7, raster.Half, "R", "G", "B", "A"), 12830},
	{mip(1, 9, 16, 4, raster.Float, "Y"), 516},
	{mip(40, 40, 64, 1, raster.Half, "R", "G", "B"), 4944},
}

func TestWrite(t *testing.T) {
	for i, w := range written {
		file, want := write(t, w.h)
		if len(file) != w.size {
			t.Errorf("file %d has %d bytes: want %d", i, len(file), w.size)
		}
		im := open(t, file)
		h := *im.Header()
		if w.h.Block == (raster.Size{}) {
			h.Block = raster.Size{}
		}
		if describe(&h) != describe(w.h) {
			t.Errorf("file %d: %s\nwant %s", i, describe(&h), describe(w.h))
		}
		for l, got := range whole(t, im) {
			if !bytes.Equal(got, want[l]) {
				t.Errorf("file %d: level %d is not what was written", i, l)
			}
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	for name, spoil := range map[string]func(h *raster.Header){
		"bytes":                func(h *raster.Header) { h.Type = raster.Uint8 },
		"no level":             func(h *raster.Header) { h.Levels = nil },
		"other levels":         func(h *raster.Header) { h.Levels[1].Width++ },
		"levels without tiles": func(h *raster.Header) { h.Block = raster.Size{} },
		"no channel":           func(h *raster.Header) { h.Channels = nil },
		"two of one name":      func(h *raster.Header) { h.Channels[1] = "R" },
		"a channel no name":    func(h *raster.Header) { h.Channels[1] = "" },
		"a long name":          func(h *raster.Header) { h.Channels[1] = strings.Repeat("x", 32) },
		"other pixels":         func(h *raster.Header) { h.Type = raster.Float },
	} {
		h := mip(9, 9, 4, 4, raster.Half, "R", "G")
		_, levels := write(t, h)
		spoil(h)
		if err := exr.Write(new(bytes.Buffer), h, levels...); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	h := lines(3, 3, raster.Half, "Y")
	full := errors.New("the disk is full")
	if err := exr.Write(writer{full}, h, picture(h, 0)); !errors.Is(err, full) {
		t.Error(err)
	}
}

type writer struct{ err error }

func (w writer) Write([]byte) (int, error) { return 0, w.err }

// TestOiiotool has OpenImageIO, where it is there, copy what we wrote in each compression, and compares
// what we read of the copies with what we wrote, or, where something is lost, with what it reads of them.
func TestOiiotool(t *testing.T) {
	tool, err := exec.LookPath("oiiotool")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		c := exec.Command(tool, args...)
		c.Dir = dir
		if b, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, b)
		}
	}
	lossless, lossy := strings.Fields("none rle zips zip piz"), strings.Fields("pxr24 b44 b44a dwaa dwab")
	for i, w := range written[long.By(4, 1, 0):5] {
		file, want := write(t, w.h)
		if err := os.WriteFile(filepath.Join(dir, "in.exr"), file, 0o600); err != nil {
			t.Fatal(err)
		}
		copies, again := []string{"-i:native=1", "in.exr", "-a"}, []string{"-a"}
		for _, c := range append(lossless, lossy...) {
			copies = append(copies, "--compression", c, "-o", c+".exr")
			again = append(again, "-i:native=1", c+".exr", "--compression", "none", "-o", c+"-none.exr")
		}
		run(copies...)
		run(again...)
		levels := func(name string) [][]byte {
			b, err := os.ReadFile(filepath.Join(dir, name+".exr"))
			if err != nil {
				t.Fatal(err)
			}
			return whole(t, open(t, b))
		}
		for _, c := range lossless {
			if hash(levels(c)) != hash(want) {
				t.Errorf("file %d: the copy in %s differs", i, c)
			}
		}
		for _, c := range lossy {
			if hash(levels(c)) != hash(levels(c+"-none")) {
				t.Errorf("file %d: %s is read otherwise", i, c)
			}
		}
	}
}

func BenchmarkReadBlock(b *testing.B) {
	file, _ := write(b, mip(256, 256, 64, 1, raster.Half, "R", "G", "B"))
	files := map[string][]byte{"ZIP, 64 x 64": file}
	for _, g := range goldens {
		if name, ok := strings.CutPrefix(g.name, "tiles-"); ok {
			files[strings.ToUpper(name)+", 64 x 50"] = golden(b, g.name)
		}
	}
	for name, file := range files {
		b.Run(name, func(b *testing.B) {
			im := open(b, file)
			s := im.Header().BlockSize(0, 0, 0)
			dst := make([]byte, s.Width*s.Height*im.Header().Pixel())
			b.SetBytes(int64(len(dst)))
			b.ReportAllocs()
			for b.Loop() {
				if err := im.ReadBlock(0, 0, 0, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
