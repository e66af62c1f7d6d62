package radiance_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/radiance"
	"github.com/cairnvoxel/cairn/internal/raster/tiff"
)

func open(b []byte) (raster.Image, error) {
	return radiance.Open(bytes.NewReader(b), int64(len(b)))
}

// numbers reads all blocks of a picture.
func numbers(m raster.Image) ([]float32, error) {
	h := m.Header()
	s := h.Levels[0]
	out := make([]float32, s.Width*s.Height*3)
	across, down := h.Blocks(0)
	for i := range across * down {
		x, y := i%across, i/across
		b := h.BlockSize(0, x, y)
		dst := make([]byte, b.Width*b.Height*h.Pixel())
		if err := m.ReadBlock(0, x, y, dst); err != nil {
			return nil, err
		}
		for r := range b.Height {
			at := ((y*h.Block.Height+r)*s.Width + x*h.Block.Width) * 3
			raster.Float.Floats(out[at:at+b.Width*3], dst[r*b.Width*h.Pixel():])
		}
	}
	return out, nil
}

// pixel is a pixel of the pictures of the tests: flat in places, so that there are runs, else rough.
func pixel(x, y int) [4]byte {
	if x < 300 && x%100 < 60 || x > 1000 {
		return [4]byte{200, byte(y), 128, 130}
	}
	n := uint32(x*31+y*1009) * 2654435761
	return [4]byte{128 | byte(n>>8), byte(n >> 16), byte(n >> 24), byte(n>>12)%40 + 100}
}

func value(m, e byte) float32 {
	if e == 0 {
		return 0
	}
	return float32(math.Ldexp(float64(m), int(e)-136))
}

// scanline encodes pixels: "flat", "old" or "new".
func scanline(pixels [][4]byte, code string) (out []byte) {
	switch code {
	case "flat":
		for _, p := range pixels {
			out = append(out, p[:]...)
		}
	case "old":
		for i := 0; i < len(pixels); i++ {
			out = append(out, pixels[i][:]...)
			run := 0
			for i+run+1 < len(pixels) && pixels[i+run+1] == pixels[i] {
				run++
			}
			for i += run; run > 0; run >>= 8 {
				out = append(out, 1, 1, 1, byte(run))
			}
		}
	default:
		out = append(out, 2, 2, byte(len(pixels)>>8), byte(len(pixels)))
		for c := range 4 {
			for i := 0; i < len(pixels); {
				run := 1
				for i+run < len(pixels) && run < 127 && pixels[i+run][c] == pixels[i][c] {
					run++
				}
				if run > 2 {
					out = append(out, byte(128+run), pixels[i][c])
				} else {
					run = min(len(pixels)-i, 1+i%128)
					out = append(out, byte(run))
					for k := range run {
						out = append(out, pixels[i+k][c])
					}
				}
				i += run
			}
		}
	}
	return out
}

// file makes a file of a picture in an order.
func file(size raster.Size, order [2]string, code, header string) []byte {
	w, h := size.Width, size.Height
	count, length := h, w
	if order[0][1] == 'X' {
		count, length = w, h
	}
	out := []byte(fmt.Sprintf("#?RADIANCE\n# a remark\n%s\n%s %d %s %d\n", header, order[0], count, order[1], length))
	for i := range count {
		var pixels [][4]byte
		for j := range length {
			at := map[byte]int{order[0][1]: i, order[1][1]: j}
			x, y := at['X'], at['Y']
			if slices.Contains(order[:], "-X") {
				x = w - 1 - x
			}
			if slices.Contains(order[:], "+Y") {
				y = h - 1 - y
			}
			pixels = append(pixels, pixel(x, y))
		}
		out = append(out, scanline(pixels, code)...)
	}
	return out
}

func wanted(size raster.Size, factor float32) (out []float32) {
	for i := range size.Width * size.Height {
		p := pixel(i%size.Width, i/size.Width)
		for c := range 3 {
			out = append(out, value(p[c], p[3])*factor)
		}
	}
	return out
}

func TestForms(t *testing.T) {
	for _, size := range []raster.Size{{Width: 350, Height: 67}, {Width: 7, Height: 9}, {Width: 1, Height: 1}, {Width: 33000, Height: 2}} {
		for _, code := range []string{"flat", "old", "new"} {
			for _, order := range [][2]string{{"-Y", "+X"}, {"-Y", "-X"}, {"+Y", "+X"}, {"+Y", "-X"}, {"+X", "-Y"}, {"+X", "+Y"}, {"-X", "-Y"}, {"-X", "+Y"}} {
				length := size.Width
				if order[0][1] == 'X' {
					length = size.Height
				}
				if code == "new" && (length < 8 || length > 0x7FFF) {
					continue
				}
				m, err := open(file(size, order, code, "FORMAT=32-bit_rle_rgbe\n"))
				if err != nil {
					t.Errorf("%v %s %s: %v", size, code, order, err)
					continue
				}
				h := m.Header()
				if err := h.Check(); err != nil || h.Levels[0] != size || h.Type != raster.Float || strings.Join(h.Channels, "") != "RGB" || h.SRGB {
					t.Errorf("%v %+v", err, h)
				}
				if got, err := numbers(m); err != nil || !slices.Equal(got, wanted(size, 1)) {
					t.Errorf("%v %s %s: %v, other numbers", size, code, order, err)
				}
			}
		}
	}
}

func TestExposure(t *testing.T) {
	size := raster.Size{Width: 20, Height: 3}
	for header, factor := range map[string]float32{
		"": 1, "EXPOSURE=2\n": 0.5, "EXPOSURE = 4 \nEXPOSURE=0.5\r\nGAMMA=1\n": 0.5, "SOFTWARE=x\nFORMAT= 32-bit_rle_rgbe\n": 1,
	} {
		m, err := open(file(size, [2]string{"-Y", "+X"}, "new", header))
		if err != nil {
			t.Errorf("%q: %v", header, err)
			continue
		}
		if got, err := numbers(m); err != nil || !slices.Equal(got, wanted(size, factor)) {
			t.Errorf("%q: %v, other numbers", header, err)
		}
	}
}

func TestRefused(t *testing.T) {
	size, down := raster.Size{Width: 20, Height: 3}, [2]string{"-Y", "+X"}
	const head = "#?RGBE\n\n-Y 1 +X 8\n"
	for _, c := range []struct{ name, b, want string }{
		{"empty", "", "where a line is to be"},
		{"another file", "# RADIANCE\n\n-Y 1 +X 1\nabcd", "where a line is to be"},
		{"no end of the header", "#?RADIANCE\nA=b\n", "where a line is to be"},
		{"a long header", "#?RADIANCE\n" + strings.Repeat("A=b\n", 1<<15), "where a line is to be"},
		{"no resolution", "#?RADIANCE\n\n", "0 words"},
		{"half a resolution", "#?RADIANCE\n\n-Y 1\n", "2 words"},
		{"a resolution without an end", "#?RADIANCE\n\n-Y 1 +X 1", "resolution"},
		{"one axis", "#?RADIANCE\n\n-Y 1 +Y 1\n", "unknown order"},
		{"another axis", "#?RADIANCE\n\n-Z 1 +Y 1\n", "unknown order"},
		{"no number", "#?RADIANCE\n\n-Y one +X 1\n", "invalid syntax"},
		{"no length", "#?RADIANCE\n\n-Y 1 +X 1x\n", "invalid syntax"},
		{"no pixel", "#?RADIANCE\n\n-Y 0 +X 1\n", "0 pixels"},
		{"fewer than none", "#?RADIANCE\n\n-Y 1 +X -1\n", "-1 x 1 pixels"},
		{"no exposure", string(file(size, down, "new", "EXPOSURE=none\n")), "EXPOSURE"},
		{"exposure 0", string(file(size, down, "new", "EXPOSURE=0\n")), "EXPOSURE"},
		{"a run at the start", head + "\x01\x01\x01\x01", "does not fit"},
		{"a long run", head + "abcd\x01\x01\x01\x08", "does not fit"},
		{"a long number", head + "abcd" + strings.Repeat("\x01\x01\x01\x00", 5), "does not fit"},
		{"another width", head + "\x02\x02\x00\x09", "9 pixels: want 8"},
		{"no run", head + "\x02\x02\x00\x08\x00\x00", "does not fit"},
		{"a long new run", head + "\x02\x02\x00\x08\x89\x00", "does not fit"},
		{"long bytes", head + "\x02\x02\x00\x08\x09abcdefghi", "does not fit"},
	} {
		_, err := open([]byte(c.b))
		if !errors.As(err, new(*cursor.CorruptError)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for name, b := range map[string][]byte{
		"32-bit_rle_xyze":      file(size, down, "new", "FORMAT=32-bit_rle_xyze\n"),
		"4398 MB of memory: a": []byte("#?RADIANCE\n\n-Y 1048576 +X 1048576\n"),
	} {
		if _, err := open(b); !errors.Is(err, raster.ErrUnsupported) || !strings.Contains(err.Error(), name[:4]) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTruncated(t *testing.T) {
	for _, code := range []string{"flat", "old", "new"} {
		b := file(raster.Size{Width: 130, Height: 2}, [2]string{"-Y", "+X"}, code, "EXPOSURE=1\n")
		for n := range b {
			if _, err := open(b[:n]); !errors.As(err, new(*cursor.CorruptError)) {
				t.Fatalf("%s: %d of %d bytes: %v", code, n, len(b), err)
			}
		}
	}
}

func TestFlipped(t *testing.T) {
	for _, code := range []string{"flat", "old", "new"} {
		b := file(raster.Size{Width: 130, Height: 2}, [2]string{"-Y", "+X"}, code, "EXPOSURE=1\n")
		for i := range b {
			for _, by := range []byte{1, 0x80, 0xFF} {
				b[i] ^= by
				try(t, b)
				b[i] ^= by
			}
		}
	}
}

// try reads a file that may be damaged.
func try(t *testing.T, b []byte) {
	m, err := open(b)
	if err == nil {
		if err = m.Header().Check(); err == nil && m.Header().Levels[0].Width*m.Header().Levels[0].Height < 1<<16 {
			_, err = numbers(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	} else if !errors.As(err, new(*cursor.CorruptError)) && !errors.Is(err, raster.ErrUnsupported) {
		t.Fatalf("%q: %v", b, err)
	}
}

func TestBadCalls(t *testing.T) {
	m, err := open(file(raster.Size{Width: 70, Height: 9}, [2]string{"-Y", "+X"}, "flat", ""))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]int{{1, 0, 0}, {0, 2, 0}, {0, 0, 1}, {0, 1, 0}, {0, -1, 0}} {
		if m.ReadBlock(c[0], c[1], c[2], make([]byte, 64*9*12)) == nil {
			t.Errorf("%d: no error", c)
		}
	}
}

// TestOpenImageIO has OpenImageIO read what the tests write, and write what the package reads.
func TestOpenImageIO(t *testing.T) {
	if _, err := exec.LookPath("oiiotool"); err != nil {
		t.Skip(err)
	}
	size := raster.Size{Width: 350, Height: 67}
	name := filepath.Join(t.TempDir(), "a.hdr")
	if err := os.WriteFile(name, file(size, [2]string{"-Y", "+X"}, "new", "FORMAT=32-bit_rle_rgbe\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("oiiotool", name, "-o", name+".hdr", "-o", name+".tif").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for end, open := range map[string]func(r io.ReaderAt, size int64) (raster.Image, error){".hdr": radiance.Open, ".tif": tiff.Open} {
		b, err := os.ReadFile(name + end)
		if err != nil {
			t.Fatal(err)
		}
		m, err := open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := numbers(m); err != nil || !slices.Equal(got, wanted(size, 1)) {
			t.Errorf("%s: %v, other numbers", end, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, code := range []string{"flat", "old", "new"} {
		f.Add(file(raster.Size{Width: 130, Height: 2}, [2]string{"+X", "-Y"}, code, "EXPOSURE=1\n"))
		f.Add(file(raster.Size{Width: 130, Height: 2}, [2]string{"-Y", "+X"}, code, "FORMAT=32-bit_rle_rgbe\n"))
	}
	f.Fuzz(try)
}
