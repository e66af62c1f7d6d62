package exr_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
	"github.com/cairnvoxel/cairn/internal/testing/long"
)

// goldens are files that the library of OpenEXR 3.1.5 wrote, and the hashes of what it reads from them:
// the pixels of all levels as in blocks as large as the levels. Numbers that Open makes floats were made so.
var goldens = []struct{ name, header, hash string }{
	{"ids-zip", "[{11 20}] {11 16} [id] uint32 false [periodic clamp]", "e87de572cf150ed7"},
	{"layers-dwaa", "[{19 17} {10 9} {5 5} {3 3} {2 2} {1 1}] {16 16} [A N.x Y diffuse.B diffuse.G diffuse.R spec.red] float false [periodic clamp]", "74b6949ddf4175ce"},
	{"layers-piz", "[{19 17} {10 9} {5 5} {3 3} {2 2} {1 1}] {16 16} [A N.x Y diffuse.B diffuse.G diffuse.R spec.red] float false [periodic clamp]", "fd53fce67544488d"},
	{"linear-b44", "[{21 14}] {21 32} [R G B Y] half false [periodic clamp]", "868a89f50c9b1fb1"},
	{"linear-dwaa", "[{21 14}] {21 32} [R G B Y] half false [periodic clamp]", "305ed13ee9b74029"},
	{"lines-b44", "[{11 35}] {11 32} [R G B A id] float false [periodic clamp]", "c277824fe2788643"},
	{"lines-dwaa", "[{11 35}] {11 32} [R G B A id] float false [periodic clamp]", "a1caa7e8e953c76d"},
	{"lines-dwab", "[{4 261}] {4 256} [R G B A] float false [periodic clamp]", "0b57a003bfb2e666"},
	{"lines-none", "[{11 35}] {11 1} [R G B A id] float false [periodic clamp]", "343ec79390fee171"},
	{"lines-piz", "[{11 35}] {11 32} [R G B A id] float false [periodic clamp]", "343ec79390fee171"},
	{"lines-pxr24", "[{11 35}] {11 16} [R G B A id] float false [periodic clamp]", "2ca0d660882f9795"},
	{"lines-rle", "[{11 35}] {11 1} [R G B A id] float false [periodic clamp]", "343ec79390fee171"},
	{"lines-zip", "[{11 35}] {11 16} [R G B A id] float false [periodic clamp]", "343ec79390fee171"},
	{"lines-zips", "[{11 35}] {11 1} [R G B A id] float false [periodic clamp]", "343ec79390fee171"},
	{"parts", "[{20 11}] {8 8} [R G] half false [periodic clamp]", "7f071bf9a3c8910d"},
	{"rip-zip", "[{17 17} {9 9} {5 5} {3 3} {2 2} {1 1}] {12 10} [R G] float false [periodic clamp]", "bae8931bf5568ce6"},
	{"tiles-b44", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "f317bba1dd8937a3"},
	{"tiles-b44a", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "f317bba1dd8937a3"},
	{"tiles-dwaa", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "e440b5980ab4b853"},
	{"tiles-dwab", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "36820fc4598a8be3"},
	{"tiles-piz", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "44486ff1de3467b1"},
	{"tiles-pxr24", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "44486ff1de3467b1"},
	{"tiles-rle", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "44486ff1de3467b1"},
	{"tiles-zip", "[{67 50}] {64 64} [R G B] half false [periodic clamp]", "44486ff1de3467b1"},
}

func TestGoldens(t *testing.T) {
	files, err := filepath.Glob("testdata/*.exr")
	if err != nil || len(files) != len(goldens) {
		t.Fatalf("%d files, %d goldens: %v", len(files), len(goldens), err)
	}
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			im := open(t, golden(t, g.name))
			if got := describe(im.Header()); got != g.header {
				t.Errorf("%s\nwant %s", got, g.header)
			}
			levels := whole(t, im)
			if got := hash(levels); got != g.hash {
				t.Errorf("pixels %s: want %s", got, g.hash)
			}
			var group sync.WaitGroup
			for range 4 {
				group.Go(func() {
					if got, err := read(im); err != nil || hash(got) != hash(levels) {
						t.Errorf("read at once: %v, pixels %s", err, hash(got))
					}
				})
			}
			group.Wait()
		})
	}
}

// TestLossless compares the goldens of compressions that lose nothing with each other.
func TestLossless(t *testing.T) {
	for _, names := range [][]string{
		{"lines-none", "lines-rle", "lines-zips", "lines-zip", "lines-piz"}, {"tiles-zip", "tiles-rle", "tiles-piz", "tiles-pxr24"},
	} {
		want := hash(whole(t, open(t, golden(t, names[0]))))
		for _, name := range names[1:] {
			if got := hash(whole(t, open(t, golden(t, name)))); got != want {
				t.Errorf("%s is not %s", name, names[0])
			}
		}
	}
}

// TestTruncated cuts the goldens at many places. No cut may go unnoticed.
func TestTruncated(t *testing.T) {
	for _, g := range goldens {
		b := golden(t, g.name)
		end := len(b)
		if g.name == "parts" {
			end = bytes.Index(b, []byte("\x02\x00\x00\x00\x02\x00\x00\x00")) // the first chunk of the part that is not read
		}
		for n := 0; n < end; n += long.By(97, 13, 1) {
			if err := readAll(b[:n]); !errors.As(err, new(*cursor.CorruptError)) {
				t.Errorf("%s, cut at %d of %d: %v", g.name, n, len(b), err)
			}
		}
		if err := readAll(b[:end-1]); err == nil {
			t.Errorf("%s, cut at the last byte: no error", g.name)
		}
	}
}

// TestFlipped flips bits of the goldens. Nothing may panic; most is noticed where there are checksums.
func TestFlipped(t *testing.T) {
	noticed := 0
	for _, g := range goldens {
		b := golden(t, g.name)
		for i := 0; i < len(b); i += long.By(61, 7, 1) {
			b[i] ^= 1 << (i % 8)
			if err := readAll(b); err != nil {
				noticed++
			}
			b[i] ^= 1 << (i % 8)
		}
	}
	if noticed == 0 {
		t.Error("no flipped bit was noticed")
	}
}

func open(t testing.TB, b []byte) raster.Image {
	t.Helper()
	im, err := exr.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

func golden(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".exr")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func describe(h *raster.Header) string {
	return fmt.Sprint(h.Levels, h.Block, h.Channels, h.Type, h.SRGB, h.Wrap)
}

func hash(levels [][]byte) string {
	sum := sha256.Sum256(slices.Concat(levels...))
	return fmt.Sprintf("%x", sum[:8])
}

func whole(t testing.TB, im raster.Image) [][]byte {
	t.Helper()
	levels, err := read(im)
	if err != nil {
		t.Fatal(err)
	}
	return levels
}

func readAll(b []byte) error {
	im, err := exr.Open(bytes.NewReader(b), int64(len(b)))
	if err == nil {
		_, err = read(im)
	}
	return err
}

// read returns the pixels of all levels, each as one block.
func read(im raster.Image) (levels [][]byte, err error) {
	h := im.Header()
	pixel := h.Pixel()
	for l, size := range h.Levels {
		level := make([]byte, size.Width*size.Height*pixel)
		across, down := h.Blocks(l)
		for i := range across * down {
			x, y := i%across, i/across
			s := h.BlockSize(l, x, y)
			block := bytes.Repeat([]byte{0xAA}, s.Width*s.Height*pixel)
			if err := im.ReadBlock(l, x, y, block); err != nil {
				return nil, err
			}
			for line := range s.Height {
				at := ((y*h.Block.Height+line)*size.Width + x*h.Block.Width) * pixel
				copy(level[at:], block[line*s.Width*pixel:][:s.Width*pixel])
			}
		}
		levels = append(levels, level)
	}
	return levels, nil
}
