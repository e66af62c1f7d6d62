package main_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
)

// grey writes a PNG of what a function says of its pixels.
func grey(t *testing.T, path string, width, height int, value func(x, y int) uint8) {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = value(i%width, i/width)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
}

// shown returns the picture at a path.
func shown(t *testing.T, path string) image.Image {
	t.Helper()
	m, err := png.Decode(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func at(m image.Image, x, y int) color.NRGBA {
	return color.NRGBAModel.Convert(m.At(x, y)).(color.NRGBA)
}

// TestTexture makes a file of one white and one mid-grey pixel in each format.
func TestTexture(t *testing.T) {
	dir := t.TempDir()
	grey(t, filepath.Join(dir, "png"), 2, 1, func(x, y int) uint8 { return uint8(255 - 67*x) })
	var b bytes.Buffer
	m := image.NewGray(image.Rect(0, 0, 2, 1))
	m.Pix = []uint8{255, 188}
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "jpeg"), b.Bytes())
	b.Reset()
	linear := raster.Header{Levels: []raster.Size{{Width: 2, Height: 1}}, Block: raster.Size{Width: 2, Height: 1}, Channels: []string{"Y"}, Type: raster.Float, Wrap: [2]string{"clamp", "mirror"}}
	pixels := binary.LittleEndian.AppendUint32(nil, math.Float32bits(1))
	if err := exr.Write(&b, &linear, binary.LittleEndian.AppendUint32(pixels, math.Float32bits(0.5))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "exr"), b.Bytes())
	write(t, filepath.Join(dir, "hdr"), []byte("#?RADIANCE\n\n-Y 1 +X 2\n\x80\x80\x80\x81\x80\x80\x80\x80"))
	tiff := []byte("II*\x00\x08\x00\x00\x00\x06\x00") // of 16 bits, which are linear
	for _, tag := range [][2]uint16{{256, 2}, {257, 1}, {258, 16}, {262, 1}, {273, 86}, {279, 4}} {
		tiff = binary.LittleEndian.AppendUint16(tiff, tag[0])
		tiff = append(tiff, 3, 0, 1, 0, 0, 0, byte(tag[1]), byte(tag[1]>>8), 0, 0)
	}
	write(t, filepath.Join(dir, "tiff"), append(tiff, "\x00\x00\x00\x00\xFF\xFF\x00\x80"...))
	for _, tt := range []struct{ name, is string }{
		{"png", "[Y] uint8 true []"}, {"jpeg", "[Y] uint8 true []"}, {"exr", "[Y] float false [clamp mirror]"},
		{"hdr", "[R G B] float false []"}, {"tiff", "[Y] uint16 false []"}, {"png.ctex", "[Y] uint8 true []"},
	} {
		name := tt.name + ".ctex"
		v := mustJSON(t, 0, dir, "texture", "make", tt.name, name)
		if got, want := keys(v), "bytes channels constant file images plain repeated srgb stored tile tiles type wrap"; got != want {
			t.Errorf("%s: make prints %s, want %s", tt.name, got, want)
		}
		if is := fmt.Sprintf("%v %v %v %v", v["channels"], v["type"], v["srgb"], v["wrap"]); is != tt.is {
			t.Errorf("%s is %s, want %s", tt.name, is, tt.is)
		}
		if v["bytes"] != float64(len(read(t, filepath.Join(dir, name)))) || v["tiles"] != 2.0 || fmt.Sprint(v["images"]) != "[map[height:1 levels:2 width:2]]" {
			t.Errorf("%s: %v", tt.name, v)
		}
		if info := mustJSON(t, 0, dir, "texture", "info", name); fmt.Sprint(info) != fmt.Sprint(v) {
			t.Errorf("%s: info prints %v, make printed %v", tt.name, info, v)
		}
		mustRun(t, 0, dir, "texture", "show", "--force", name, "a.png")
		if m := shown(t, filepath.Join(dir, "a.png")); at(m, 0, 0) != (color.NRGBA{255, 255, 255, 255}) || at(m, 1, 0) != (color.NRGBA{188, 188, 188, 255}) {
			t.Errorf("%s shows %v and %v", tt.name, at(m, 0, 0), at(m, 1, 0))
		}
	}
}

// TestTextureSet makes one file of three images, and another file of that one.
func TestTextureSet(t *testing.T) {
	dir := t.TempDir()
	for i, number := range []int{1001, 1002, 1011} {
		grey(t, filepath.Join(dir, fmt.Sprintf("w.%d.png", number)), 100, 70, func(x, y int) uint8 { return uint8(70*i + x/2 + y/4) })
	}
	v := mustJSON(t, 0, dir, "texture", "make", "w.<UDIM>.png", "w.ctex")
	var numbers []any
	for _, i := range v["images"].([]any) {
		numbers = append(numbers, i.(map[string]any)["number"])
	}
	if fmt.Sprint(numbers) != "[1001 1002 1011]" || v["tiles"] != 30.0 {
		t.Errorf("made %v", v)
	}
	if r := mustRun(t, 0, dir, "texture", "info", "w.ctex"); !strings.Contains(r.out, "3 images, Y as uint8, sRGB\n  1001: 100 x 70, 7 levels\n") {
		t.Errorf("info prints %s", r.out)
	}
	if r := mustRun(t, 0, dir, "texture", "check", "w.ctex"); r.out != "w.ctex: ok (30 tiles)\n" {
		t.Errorf("check prints %s", r.out)
	}
	if r := mustRun(t, 0, dir, "texture", "dump", "w.ctex"); strings.Count(r.out, "\n") != 31 || !strings.Contains(r.out, "image 1011 level 0 tile 1,1 of 36 x 6: at ") {
		t.Errorf("dump prints %s", r.out)
	}
	for _, tt := range []struct {
		args          []string
		width, height int
		x, y          int
		value         uint8
	}{
		{nil, 100, 70, 67, 66, 33 + 16},
		{[]string{"--image", "1011"}, 100, 70, 67, 66, 140 + 33 + 16},
		{[]string{"--image", "1002", "--level", "0", "--tile", "1,1"}, 36, 6, 3, 2, 70 + 33 + 16},
		{[]string{"--image", "1002", "--level", "6"}, 1, 1, 0, 0, 103},
	} {
		r := mustRun(t, 0, dir, append([]string{"texture", "show", "--force", "w.ctex", "a.png"}, tt.args...)...)
		m := shown(t, filepath.Join(dir, "a.png"))
		if m.Bounds().Dx() != tt.width || m.Bounds().Dy() != tt.height || at(m, tt.x, tt.y).G != tt.value || !strings.Contains(r.out, fmt.Sprintf(" %d x %d ", tt.width, tt.height)) {
			t.Errorf("%v: %v, %v: %s", tt.args, m.Bounds(), at(m, tt.x, tt.y), r.out)
		}
	}
	mustRun(t, 0, dir, "texture", "make", "--tile", "16", "w.ctex", "of-one.ctex")
	mustRun(t, 0, dir, "texture", "make", "--tile", "16", "w.%(UDIM)d.png", "of-images.ctex")
	if !bytes.Equal(read(t, filepath.Join(dir, "of-one.ctex")), read(t, filepath.Join(dir, "of-images.ctex"))) {
		t.Error("a set of a texture file differs from that of its images")
	}
}

// TestTextureFlags stores one picture with different words about its numbers.
func TestTextureFlags(t *testing.T) {
	dir := t.TempDir()
	grey(t, filepath.Join(dir, "g.png"), 1, 1, func(x, y int) uint8 { return 188 })
	write(t, filepath.Join(dir, "g.hdr"), []byte("#?RADIANCE\n\n-Y 1 +X 1\n\x80\x80\x80\x80"))
	for _, tt := range []struct {
		args, kind, wrap string
		srgb             bool
		shown            uint8
	}{
		{"g.png", "uint8", "[]", true, 188},
		{"g.png --linear", "uint8", "[]", false, 223},
		{"g.png --type half", "half", "[]", false, 188},
		{"g.png --type float --linear", "float", "[]", false, 223},
		{"g.hdr", "float", "[]", false, 188},
		{"g.hdr --srgb --wrap mirror", "float", "[mirror mirror]", false, 128},
		{"g.hdr --srgb --type uint16 --wrap black,periodic", "uint16", "[black periodic]", true, 128},
	} {
		v := mustJSON(t, 0, dir, strings.Fields("texture make --force "+tt.args+" a.ctex")...)
		mustRun(t, 0, dir, "texture", "show", "--force", "a.ctex", "a.png")
		got := at(shown(t, filepath.Join(dir, "a.png")), 0, 0).G
		if v["type"] != tt.kind || v["srgb"] != tt.srgb || fmt.Sprint(v["wrap"]) != tt.wrap || got != tt.shown {
			t.Errorf("%s: %v, shown as %d", tt.args, v, got)
		}
	}
}

// TestTextureColours shows colours with alpha, and of a wide image the second level.
func TestTextureColours(t *testing.T) {
	dir := t.TempDir()
	size := raster.Size{Width: 3000, Height: 1}
	h := raster.Header{Levels: []raster.Size{size}, Block: size, Channels: []string{"R", "G", "B", "A"}, Type: raster.Half}
	pixels := make([]byte, 0, 3000*h.Pixel())
	for range size.Width {
		pixels = append(pixels, 0, 0x3C, 0, 0, 0, 0x38, 0, 0x38) // 1, 0, 0.5, 0.5
	}
	var b bytes.Buffer
	if err := exr.Write(&b, &h, pixels); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "wide.exr"), b.Bytes())
	mustRun(t, 0, dir, "texture", "make", "wide.exr", "wide.ctex")
	r := mustRun(t, 0, dir, "texture", "show", "wide.ctex", "wide.png")
	if m := shown(t, filepath.Join(dir, "wide.png")); r.out != "wide.png: 1500 x 1 pixels of level 1\n" || at(m, 1499, 0) != (color.NRGBA{255, 0, 188, 128}) {
		t.Errorf("%v of %v: %s", at(m, 1499, 0), m.Bounds(), r.out)
	}
}

func TestWrongTextures(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	grey(t, path("w.1001.png"), 40, 40, func(x, y int) uint8 { return uint8(x * y) })
	grey(t, path("w.1002.png"), 40, 40, func(x, y int) uint8 { return uint8(x ^ y) })
	mustRun(t, 0, dir, "texture", "make", "w.<UDIM>.png", "w.ctex")
	made := read(t, path("w.ctex"))
	write(t, path("s.1001.ctex"), made)
	write(t, path("cut.ctex"), made[:len(made)/2])
	made[20] ^= 1
	write(t, path("bad.ctex"), made)
	write(t, path("mix.1001.png"), read(t, path("w.1001.png")))
	write(t, path("mix.1002.png"), []byte("#?RADIANCE\n\n-Y 1 +X 1\n\x80\x80\x80\x80"))
	png := read(t, path("w.1001.png"))
	write(t, path("cut.png"), png[:len(png)/2])
	bomb := bytes.Clone(png)
	copy(bomb[16:], "\x00\x00\xFF\xFF\x00\x00\xFF\xFF")
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	write(t, path("bomb.png"), bomb)
	write(t, path("a.gif"), []byte("GIF89a, more"))
	if err := os.Symlink(".", path("here")); err != nil {
		t.Fatal(err)
	}
	before := list(t, dir)
	for _, tt := range []struct {
		code   int
		reason string
		args   string
	}{
		{2, "takes make, info, check, show or dump", ""},
		{2, "no verb", "frobnicate"},
		{2, "usage: cairn texture make", "make w.1001.png"},
		{2, "ends in .ctex", "make w.1001.png w.exr"},
		{2, "--tile 20: 16,", "make --tile 20 w.1001.png a.ctex"},
		{2, "--type int: one of uint8,", "make --type int w.1001.png a.ctex"},
		{2, "one of them", "make --srgb --linear w.1001.png a.ctex"},
		{2, "--wrap clamp,wrong: one or two of black,", "make --wrap clamp,wrong w.1001.png a.ctex"},
		{2, "w.ctex: would replace an image that it is made of", "make --force w.ctex w.ctex"},
		{2, "here/s.1001.ctex: would replace", "make --force s.<UDIM>.ctex here/s.1001.ctex"},
		{3, "w.ctex: file already exists; --force", "make w.1001.png w.ctex"},
		{3, "make this folder first", "make w.1001.png none/a.ctex"},
		{3, "none.png: no such file", "make none.png a.ctex"},
		{3, "none.<UDIM>.png: no file", "make none.<UDIM>.png a.ctex"},
		{3, "is a directory", "make here a.ctex"},
		{3, "a.gif: not supported", "make a.gif a.ctex"},
		{3, "bomb.png: bitmap: 65535 x 65535 pixels: not supported", "make bomb.png a.ctex"},
		{1, "cut.png: bitmap: picture at byte ", "make --force cut.png w.ctex"},
		{1, "bad.ctex: texture: image 1001, level 0, tile (0,0): tile at byte 8: checksum", "make bad.ctex a.ctex"},
		{3, "s.1001.ctex: is a set itself", "make s.<UDIM>.ctex a.ctex"},
		{3, "mix.1002.png: texture: image 1002 has channels", "make mix.<UDIM>.png a.ctex"},
		{3, "none.ctex: no such file", "info none.ctex"},
		{1, "w.1001.png: texture: header", "info w.1001.png"},
		{1, "cut.ctex: texture: footer", "check cut.ctex"},
		{1, "bad.ctex: texture: image 1001, level 0, tile (0,0): tile at byte 8: checksum", "check bad.ctex"},
		{1, "bad.ctex: texture: tile at byte 8: checksum", "dump bad.ctex"},
		{1, "bad.ctex: texture: image 1001", "show bad.ctex a.png"},
		{2, "ends in .png", "show w.ctex a.jpg"},
		{3, "w.1001.png: file already exists; --force", "show w.ctex w.1001.png"},
		{2, "--image 1003: there are [1001 1002]", "show --image 1003 w.ctex a.png"},
		{2, "--level 6: there are 0 to 5", "show --level 6 w.ctex a.png"},
		{2, "--tile 0,1: want X,Y, of 1 x 1 tiles", "show --tile 0,1 w.ctex a.png"},
		{2, "--tile 0: want X,Y", "show --tile 0 w.ctex a.png"},
	} {
		r := mustRun(t, tt.code, dir, append([]string{"texture"}, strings.Fields(tt.args)...)...)
		if !strings.Contains(r.errors, tt.reason) || strings.Count(r.errors, "\n") != 1 || r.out != "" && !strings.HasPrefix(tt.args, "dump") {
			t.Errorf("%s: says %q, %q; want %q", tt.args, r.out, r.errors, tt.reason)
		}
	}
	if after := list(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}
