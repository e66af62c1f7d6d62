package bitmap_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/bitmap"
	"github.com/cairnvoxel/cairn/internal/raster/tiff"
)

func open(b []byte) (raster.Image, error) { return bitmap.Open(bytes.NewReader(b), int64(len(b))) }

// pixels reads all blocks of a picture.
func pixels(m raster.Image) ([]byte, error) {
	h := m.Header()
	s := h.Levels[0]
	out := make([]byte, s.Width*s.Height*h.Pixel())
	across, down := h.Blocks(0)
	for i := range across * down {
		x, y := i%across, i/across
		b := h.BlockSize(0, x, y)
		dst := make([]byte, b.Width*b.Height*h.Pixel())
		if err := m.ReadBlock(0, x, y, dst); err != nil {
			return nil, err
		}
		for r := range b.Height {
			copy(out[((y*h.Block.Height+r)*s.Width+x*h.Block.Width)*h.Pixel():], dst[r*b.Width*h.Pixel():][:b.Width*h.Pixel()])
		}
	}
	return out, nil
}

// A form is one way to store a picture as PNG.
type form struct {
	colour, depth int
	interlaced    bool
	transparent   bool // a chunk says which colour is
	chunks        string
}

const width, height = 75, 66

// sample returns a sample as it is stored.
func (f form) sample(x, y, c int) uint32 {
	return uint32(x*x*7+y*13+c*57) * 2654435761 >> 11 & (1<<f.depth - 1)
}

// samples has the number of them in a pixel, for each type of colour.
var samples = [...]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}

// entry returns a colour of the palette.
func entry(v uint32) []byte { return []byte{byte(v * 11), byte(255 - v), byte(v * v), byte(v * 3)} }

func chunk(name string, b []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(b)))
	out = append(append(out, name...), b...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func (f form) file() []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	head = append(head, byte(f.depth), byte(f.colour), 0, 0, 0)
	passes := [][4]int{{0, 0, 1, 1}}
	if f.interlaced {
		head[12] = 1
		passes = [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	}
	var raw []byte
	for _, p := range passes {
		for y := p[1]; y < height; y += p[3] {
			raw = append(raw, 0) // no filter
			fill, have := byte(0), 0
			for x := p[0]; x < width; x += p[2] {
				for c := range samples[f.colour] {
					switch v := f.sample(x, y, c); f.depth {
					case 16:
						raw = binary.BigEndian.AppendUint16(raw, uint16(v))
					case 8:
						raw = append(raw, byte(v))
					default:
						fill |= byte(v) << (8 - f.depth - have)
						if have += f.depth; have == 8 {
							raw, fill, have = append(raw, fill), 0, 0
						}
					}
				}
			}
			if have > 0 {
				raw = append(raw, fill)
			}
		}
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	w.Write(raw)
	w.Close()
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head)...)
	out = append(out, f.chunks...)
	if f.colour == 3 {
		var colours, alphas []byte
		for v := range uint32(1 << f.depth) {
			colours, alphas = append(colours, entry(v)[:3]...), append(alphas, entry(v)[3])
		}
		out = append(out, chunk("PLTE", colours)...)
		if f.transparent {
			out = append(out, chunk("tRNS", alphas)...)
		}
	} else if f.transparent {
		var colour []byte
		for c := range samples[f.colour] {
			colour = binary.BigEndian.AppendUint16(colour, uint16(f.sample(5, 5, c)))
		}
		out = append(out, chunk("tRNS", colour)...)
	}
	out = append(out, chunk("IDAT", packed.Bytes())...)
	return append(out, chunk("IEND", nil)...)
}

// wanted returns the channels and the numbers that reading is to return.
func (f form) wanted() (channels string, out []byte) {
	channels = []string{0: "Y", 2: "RGB", 3: "RGB", 4: "YA", 6: "RGBA"}[f.colour]
	if f.transparent {
		channels += "A"
	}
	for i := range width * height {
		x, y := i%width, i/width
		if f.colour == 3 {
			out = append(out, entry(f.sample(x, y, 0))[:len(channels)]...)
			continue
		}
		same := true
		for c := range channels {
			v := uint32(1<<f.depth - 1)
			if c < samples[f.colour] {
				v = f.sample(x, y, c)
				same = same && v == f.sample(5, 5, c)
			} else if same {
				v = 0
			}
			if f.depth == 16 {
				out = binary.LittleEndian.AppendUint16(out, uint16(v))
			} else {
				out = append(out, byte(v*255/(1<<f.depth-1)))
			}
		}
	}
	return channels, out
}

func forms() (out []form) {
	for _, t := range [][2]int{{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {2, 8}, {2, 16}, {3, 1}, {3, 2}, {3, 4}, {3, 8}, {4, 8}, {4, 16}, {6, 8}, {6, 16}} {
		for i := range 4 {
			f := form{colour: t[0], depth: t[1], interlaced: i&1 != 0, transparent: i&2 != 0}
			if !f.transparent || f.colour < 4 {
				out = append(out, f)
			}
		}
	}
	return out
}

func TestPNG(t *testing.T) {
	for _, f := range forms() {
		m, err := open(f.file())
		if err != nil {
			t.Errorf("%+v: %v", f, err)
			continue
		}
		channels, want := f.wanted()
		h := m.Header()
		if err := h.Check(); err != nil || strings.Join(h.Channels, "") != channels || (h.Type == raster.Uint16) != (f.depth == 16) || !h.SRGB {
			t.Errorf("%+v: %v %+v", f, err, h)
			continue
		}
		if got, err := pixels(m); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%+v: %v, other numbers", f, err)
		}
	}
}

func TestSRGB(t *testing.T) {
	gamma := func(v uint32) string {
		return string(chunk("gAMA", binary.BigEndian.AppendUint32(nil, v)))
	}
	srgb, profile := string(chunk("sRGB", []byte{0})), string(chunk("iCCP", []byte("x\x00\x00")))
	for _, c := range []struct {
		chunks string
		srgb   bool
	}{
		{"", true}, {gamma(45455), true}, {gamma(100000), false}, {gamma(100000) + srgb, true}, {srgb + gamma(100000), true}, {profile + gamma(100000), true},
	} {
		m, err := open(form{colour: 2, depth: 8, chunks: c.chunks}.file())
		if err != nil {
			t.Fatal(err)
		}
		if m.Header().SRGB != c.srgb {
			t.Errorf("%q: sRGB is %v", c.chunks, m.Header().SRGB)
		}
	}
}

// photo returns a JPEG, grey or in colours.
func photo(grey bool) []byte {
	var m image.Image = image.NewGray(image.Rect(0, 0, width, height))
	if !grey {
		m = image.NewRGBA(m.Bounds())
	}
	for i := range width * height {
		x, y := i%width, i/width
		m.(interface{ Set(x, y int, c color.Color) }).Set(x, y, color.RGBA{uint8(3 * x), uint8(2 * y), uint8(x + y), 255})
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestJPEG(t *testing.T) {
	for _, grey := range []bool{true, false} {
		b := photo(grey)
		m, err := open(b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := pixels(m)
		if err != nil {
			t.Fatal(err)
		}
		n := 3
		if grey {
			n = 1
		}
		if h := m.Header(); len(h.Channels) != n || h.Type != raster.Uint8 || !h.SRGB {
			t.Errorf("%+v", h)
		}
		want, err := jpeg.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			at := i / n
			c := color.RGBAModel.Convert(want.At(at%width, at/width)).(color.RGBA)
			if got[i] != []byte{c.R, c.G, c.B}[i%n] {
				t.Fatalf("grey %v: number %d is %d of %v", grey, i, got[i], c)
			}
		}
	}
}

// frame returns the beginning of a JPEG.
func frame(marker byte, components int, edge uint16, factors byte) []byte {
	b := []byte{0xFF, 0xD8, 0xFF, 0xE1, 0, 4, 0xFF, 0xC2, 0xFF, marker, 0, byte(8 + 3*components), 8}
	b = append(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(b, edge), edge), byte(components))
	for i := range components {
		b, factors = append(b, byte(i+1), factors, 0), 0x11
	}
	return append(b, 0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0)
}

func TestRefused(t *testing.T) {
	huge := form{colour: 2, depth: 8}.file()
	copy(huge[16:], "\x00\x00\xff\xff\x00\x00\xff\xff")
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	interlaced := bytes.Clone(huge)
	interlaced[28] = 1
	binary.BigEndian.PutUint32(interlaced[29:], crc32.ChecksumIEEE(interlaced[12:29]))
	rgb := frame(0xC0, 3, 65535, 0x11)
	rgb[18], rgb[21], rgb[24] = 'R', 'G', 'B'
	unsupported := raster.ErrUnsupported
	for _, c := range []struct {
		name string
		b    []byte
		is   error // nil for damage
		want string
	}{
		{"huge PNG", huge, unsupported, "65535 x 65535 pixels: not supported: it takes 17179 MB of memory: at most 268 MB"},
		{"huge interlaced PNG", interlaced, unsupported, "25769 MB"},
		{"huge JPEG in RGB", rgb, unsupported, "30063 MB"},
		{"CMYK", frame(0xC0, 4, 8, 0x11), unsupported, "CMYK"},
		{"huge JPEG", frame(0xC0, 3, 65535, 0x11), unsupported, "12884 MB"},
		{"huge JPEG, halved chroma", frame(0xC0, 3, 65535, 0x22), unsupported, "6442 MB"},
		{"progressive JPEG", frame(0xC2, 3, 4240, 0x11), unsupported, "269 MB"},
		{"plain JPEG of the size", frame(0xC0, 3, 4240, 0x11), nil, "Huffman table"},
		{"many scans", append(photo(true), bytes.Repeat([]byte{0xFF, 0xDA}, 501)...), unsupported, "500 scans"},
		{"12 bits", append(frame(0xC1, 1, 8, 0x11)[:12], 12, 0, 8, 0, 8, 1, 1, 0x11, 0), unsupported, "precision"},
		{"empty", nil, nil, "unexpected EOF"},
		{"another file", []byte("GIF89a"), nil, "missing SOI"},
	} {
		_, err := open(c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) || c.is == nil && !errors.As(err, new(*cursor.CorruptError)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// small are files of all kinds.
func small() [][]byte {
	return [][]byte{
		photo(true), photo(false), form{colour: 3, depth: 4, transparent: true}.file(), form{colour: 6, depth: 16, interlaced: true}.file(),
		form{depth: 8, transparent: true, chunks: string(chunk("gAMA", []byte{0, 0, 1, 0}))}.file(),
	}
}

func TestTruncated(t *testing.T) {
	for i, b := range small() {
		for n := 0; n < len(b); n += 1 + n/200 {
			if _, err := open(b[:n]); !errors.As(err, new(*cursor.CorruptError)) {
				t.Fatalf("file %d: %d of %d bytes: %v", i, n, len(b), err)
			}
		}
	}
}

// TestNoPixel: a JPEG that says that it is 0 pixels wide or high.
func TestNoPixel(t *testing.T) {
	for i, b := range small() {
		at := bytes.Index(b, []byte{0xFF, 0xC0})
		if !bytes.HasPrefix(b, []byte{0xFF, 0xD8}) || at < 0 {
			continue
		}
		for _, edge := range []int{5, 7} { // after the marker, its length and the depth
			c := bytes.Clone(b)
			copy(c[at+edge:], []byte{0, 0})
			if _, err := open(c); !errors.As(err, new(*cursor.CorruptError)) {
				t.Errorf("file %d, edge at %d: %v", i, edge, err)
			}
		}
	}
}

func TestFlipped(t *testing.T) {
	for _, b := range small() {
		for i := 0; i < len(b); i += 1 + i/100 {
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
			_, err = pixels(m)
		}
		if err != nil {
			t.Fatal(err)
		}
	} else if !errors.As(err, new(*cursor.CorruptError)) && !errors.Is(err, raster.ErrUnsupported) {
		t.Fatal(err)
	}
}

func TestBadCalls(t *testing.T) {
	m, err := open(photo(true))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]int{{1, 0, 0}, {0, 2, 0}, {0, 0, 2}, {0, 1, 0}, {0, -1, 0}} {
		if m.ReadBlock(c[0], c[1], c[2], make([]byte, 64*64)) == nil {
			t.Errorf("%d: no error", c)
		}
	}
}

// TestOpenImageIO has OpenImageIO read what the tests write.
func TestOpenImageIO(t *testing.T) {
	if _, err := exec.LookPath("oiiotool"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	args := []string{"--native", "--no-autopremult"}
	for i, f := range append(forms(), form{}) {
		name, b := filepath.Join(dir, fmt.Sprint(i, ".png")), f.file
		if f.depth == 0 {
			name, b = filepath.Join(dir, fmt.Sprint(i, ".jpg")), func() []byte { return photo(true) }
		}
		if err := os.WriteFile(name, b(), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name, "-o", filepath.Join(dir, fmt.Sprint(i, ".tif")))
	}
	if out, err := exec.Command("oiiotool", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for i, f := range append(forms(), form{}) {
		b, err := os.ReadFile(filepath.Join(dir, fmt.Sprint(i, ".tif")))
		if err != nil {
			t.Fatal(err)
		}
		m, err := tiff.Open(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := pixels(m)
		if err != nil {
			t.Fatal(err)
		}
		if f.depth > 0 {
			if _, want := f.wanted(); !bytes.Equal(got, want) {
				t.Errorf("%+v: other numbers, channels %q", f, m.Header().Channels)
			}
			continue
		}
		ours, err := open(photo(true))
		if err != nil {
			t.Fatal(err)
		}
		want, err := pixels(ours)
		if err != nil || len(got) != len(want) {
			t.Fatalf("%v: %d bytes: want %d", err, len(got), len(want))
		}
		for i := range got {
			if d := int(got[i]) - int(want[i]); d < -1 || d > 1 { // how cosines are rounded is free
				t.Fatalf("JPEG: number %d is %d: want %d", i, got[i], want[i])
			}
		}
	}
}

func FuzzOpen(f *testing.F) {
	for _, b := range small() {
		f.Add(b)
	}
	f.Fuzz(try)
}
