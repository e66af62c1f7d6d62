package imagefile_test

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/imagefile"
)

// write makes files in a new folder, which it returns.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// tiff is a picture of one pixel, at byte 0 of the file: "I".
func tiff() string {
	return "II*\x00\x08\x00\x00\x00\x05\x00\x00\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x01\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x02\x01\x03\x00\x01\x00\x00\x00\x08\x00\x00\x00" +
		"\x11\x01\x03\x00\x01\x00\x00\x00\x00\x00\x00\x00\x17\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"
}

func TestOpen(t *testing.T) {
	var p, j bytes.Buffer
	if err := errors.Join(png.Encode(&p, image.NewGray(image.Rect(0, 0, 3, 2))), jpeg.Encode(&j, image.NewGray(image.Rect(0, 0, 3, 2)), nil)); err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{
		"png": p.String(), "jpg": j.String(), "hdr": "#?RADIANCE\n\n-Y 1 +X 1\nabcd", "tif": tiff(),
		"gif": "GIF89a, more", "empty": "", "damaged": "#?RADIANCE\n\n",
	})
	for name, want := range map[string]raster.Type{"png": raster.Uint8, "jpg": raster.Uint8, "hdr": raster.Float, "tif": raster.Uint8} {
		m, c, err := imagefile.Open(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		h := m.Header()
		s := h.BlockSize(0, 0, 0)
		if err := m.ReadBlock(0, 0, 0, make([]byte, s.Width*s.Height*h.Pixel())); err != nil || h.Type != want {
			t.Errorf("%s: %v, %v", name, h.Type, err)
		}
		if err := c.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if m, err := imagefile.New(bytes.NewReader(p.Bytes()), int64(p.Len())); err != nil || m.Header().Levels[0] != (raster.Size{Width: 3, Height: 2}) {
		t.Error(err)
	}
	if m, err := imagefile.New(bytes.NewReader(p.Bytes()), 20); !errors.As(err, new(*cursor.CorruptError)) || m != nil {
		t.Error(err)
	}
	for _, begin := range []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+", "#?", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff", "\x76\x2f\x31\x01"} {
		if _, err := imagefile.New(strings.NewReader(begin), int64(len(begin))); !errors.As(err, new(*cursor.CorruptError)) {
			t.Errorf("%q: %v", begin, err)
		}
	}
	for name, is := range map[string]func(error) bool{
		"gif":     func(err error) bool { return errors.Is(err, raster.ErrUnsupported) },
		"empty":   func(err error) bool { return errors.Is(err, raster.ErrUnsupported) },
		"damaged": func(err error) bool { return errors.As(err, new(*cursor.CorruptError)) },
		"none":    func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
		"":        func(err error) bool { return err != nil }, // a folder
	} {
		if m, c, err := imagefile.Open(filepath.Join(dir, name)); !is(err) || m != nil || c != nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMembers(t *testing.T) {
	dir := write(t, map[string]string{
		"a.1001.exr": "", "a.1002.exr": "", "a.1011.exr": "", "a.9999.exr": "", "a.1000.exr": "", "a.0999.exr": "", "a.10011.exr": "", "a.1001.tif": "", "b.1001.exr": "",
		"w.u0_v0.exr": "", "w.u9_v3.exr": "", "w.u1_v10.exr": "", "w.u01_v1.exr": "", "w.1_1.exr": "",
		"n_u00v00.exr": "", "n_u01v12.exr": "",
		"c.<UDIM>.exr": "", "c.1001.exr": "",
	})
	if err := os.Mkdir(filepath.Join(dir, "a.1003.exr"), 0o700); err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]map[int]string{
		"a.<UDIM>.exr":   {1001: "a.1001.exr", 1002: "a.1002.exr", 1011: "a.1011.exr", 9999: "a.9999.exr"},
		"a.%(UDIM)d.exr": {1001: "a.1001.exr", 1002: "a.1002.exr", 1011: "a.1011.exr", 9999: "a.9999.exr"},
		"w.<u>_<v>.exr":  {1001: "w.u0_v0.exr", 1040: "w.u9_v3.exr", 1102: "w.u1_v10.exr"},
		"w.<uvtile>.exr": {1001: "w.u0_v0.exr", 1040: "w.u9_v3.exr", 1102: "w.u1_v10.exr"},
		"w.<U>_<V>.exr":  {1029: "w.u9_v3.exr", 1091: "w.u1_v10.exr"},
		"w.<UVTILE>.exr": {1029: "w.u9_v3.exr", 1091: "w.u1_v10.exr"},
		"n_u##v##.exr":   {1001: "n_u00v00.exr", 1122: "n_u01v12.exr"},
		"c.<UDIM>.exr":   nil, // a file has that name
		"a.1001.exr":     nil,
		"none":           nil,
	} {
		got, err := imagefile.Members(filepath.Join(dir, pattern))
		for n := range want {
			want[n] = filepath.Join(dir, want[n])
		}
		if err != nil || (got == nil) != (want == nil) || !maps.Equal(got, want) {
			t.Errorf("%s: %v, %v", pattern, got, err)
		}
	}
	for _, pattern := range []string{"x.<UDIM>.exr", "none/x.<UDIM>.exr"} {
		if got, err := imagefile.Members(filepath.Join(dir, pattern)); !errors.Is(err, fs.ErrNotExist) || got != nil {
			t.Errorf("%s: %v, %v", pattern, got, err)
		}
	}
	t.Chdir(dir)
	if got, err := imagefile.Members("b.<UDIM>.exr"); err != nil || !maps.Equal(got, map[int]string{1001: "b.1001.exr"}) {
		t.Errorf("%v, %v", got, err)
	}
}

// TestAgain opens a closed file again: the image then reads from that, unless it is another file.
func TestAgain(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(name string) error
		same   bool
	}{
		{"untouched", func(string) error { return nil }, true},
		{"written to", func(name string) error { return os.WriteFile(name, []byte(tiff()+"more"), 0o600) }, false},
		{"older", func(name string) error { return os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)) }, false},
		{"replaced", func(name string) error {
			info, err := os.Stat(name)
			return errors.Join(err, os.Rename(name, name+".old"), os.WriteFile(name, []byte(tiff()), 0o600), os.Chtimes(name, info.ModTime(), info.ModTime()))
		}, false},
	} {
		name := filepath.Join(write(t, map[string]string{"a.tif": tiff()}), "a.tif")
		m, closer, err := imagefile.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		pixel := make([]byte, 1)
		if err := errors.Join(closer.Close(), c.change(name)); err != nil || m.ReadBlock(0, 0, 0, pixel) == nil {
			t.Errorf("%s: %v, or a closed file was read", c.name, err)
		}
		h, err := closer.(*imagefile.Handle).Again()
		if err != nil || (h != nil) != c.same {
			t.Errorf("%s: opened again %v, %v", c.name, h != nil, err)
		}
		if h == nil {
			continue
		}
		if err := errors.Join(m.ReadBlock(0, 0, 0, pixel), h.Close()); err != nil || pixel[0] != 'I' {
			t.Errorf("%s: %q, %v", c.name, pixel, err)
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if h, err = h.Again(); h != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a file that is away: %v, %v", h, err)
		}
	}
	name := filepath.Join(write(t, map[string]string{"a.hdr": "#?RADIANCE\n\n-Y 1 +X 1\nabcd"}), "a.hdr")
	_, closer, err := imagefile.Open(name)
	if _, ok := closer.(*imagefile.Handle); err != nil || ok {
		t.Errorf("an image that is whole in memory would stay there: %v", err)
	}
	closer.Close()
}
