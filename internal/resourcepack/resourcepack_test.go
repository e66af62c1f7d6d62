package resourcepack_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/resourcepack"
)

// square returns a texture of one colour whose pixel in the corner is another one.
func square(edge int, c, corner color.NRGBA) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, edge, edge))
	for i := range edge * edge {
		img.SetNRGBA(i%edge, i/edge, c)
	}
	for i := range (edge / 16) * (edge / 16) {
		img.SetNRGBA(i%(edge/16), i/(edge/16), corner)
	}
	return encoded(img)
}

func encoded(img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic("resourcepack: an image cannot be encoded: " + err.Error())
	}
	return b.Bytes()
}

var (
	red   = color.NRGBA{200, 0, 0, 255}
	green = color.NRGBA{0, 200, 0, 255}
	blue  = color.NRGBA{0, 0, 200, 255}
	white = color.NRGBA{255, 255, 255, 255}
	none  = color.NRGBA{}
)

const (
	block  = "assets/minecraft/textures/block/"
	models = "assets/minecraft/models/block/"
	states = "assets/minecraft/blockstates/"
	cube   = `{"elements":[{"from":[0,0,0],"to":[16,16,16],"faces":{` +
		`"down":{"texture":"#down"},"up":{"texture":"#up"},"north":{"texture":"#north"},"south":{"texture":"#south"},"west":{"texture":"#west"},"east":{"texture":"#east"}}}]}`
)

// pack is a pack by the names of its files.
type pack map[string]string

func madeUp() pack {
	return pack{
		block + "stone.png":                   string(square(16, red, blue)),
		block + "oak_log.png":                 string(square(32, green, blue)),
		block + "oak_log_top.png":             string(square(16, white, blue)),
		block + "dirt.png":                    string(square(16, blue, blue)),
		block + "overlay.png":                 string(square(16, none, white)),
		block + "grass_top.png":               string(square(64, white, white)),
		block + "furnace_front.png":           string(square(16, red, white)),
		block + "furnace_side.png":            string(square(16, green, white)),
		block + "poppy.png":                   string(square(16, red, none)),
		models + "cube.json":                  cube,
		models + "cube_all.json":              `{"parent":"block/cube","textures":{"down":"#all","up":"#all","north":"#all","south":"#all","west":"#all","east":"#all"}}`,
		models + "cube_column.json":           `{"parent":"minecraft:block/cube","textures":{"down":"#end","up":"#end","north":"#side","south":"#side","west":"#side","east":"#side"}}`,
		models + "stone.json":                 `{"parent":"minecraft:block/cube_all","textures":{"all":"minecraft:block/stone"}}`,
		models + "oak_log.json":               `{"parent":"minecraft:block/cube_column","textures":{"end":"block/oak_log_top","side":"block/oak_log"}}`,
		models + "grass_block.json":           strings.Replace(strings.Replace(cube, `"#up"`, `"#up","tintindex":0`, 1), `]}`, `,{"from":[0,0,0],"to":[16,16,16],"faces":{"west":{"texture":"#over","tintindex":0}}}],"textures":{"up":"block/grass_top","down":"block/dirt","north":"block/dirt","south":"block/dirt","west":"block/dirt","east":"block/dirt","over":"block/overlay"}}`, 1),
		models + "loop.json":                  `{"parent":"block/loop","textures":{"all":"#all"}}`,
		models + "poppy.json":                 `{"elements":[{"from":[1,0,8],"to":[15,16,8],"faces":{"north":{"texture":"block/poppy"},"south":{"texture":"block/poppy"}}}]}`,
		states + "stone.json":                 `{"variants":{"":[{"model":"minecraft:block/stone"},{"model":"block/none","y":180}]}}`,
		states + "oak_log.json":               `{"variants":{"axis=x":{"model":"block/oak_log","x":90,"y":90},"axis=y":{"model":"block/oak_log"},"axis=z":{"model":"block/oak_log","x":90}}}`,
		states + "grass_block.json":           `{"variants":{"snowy=false":{"model":"block/grass_block"},"snowy=true":{"model":"block/stone"}}}`,
		states + "loop.json":                  `{"variants":{"":{"model":"block/loop"}}}`,
		states + "poppy.json":                 `{"variants":{"":{"model":"block/poppy"}}}`,
		states + "broken.json":                `{"variants":`,
		states + "wall.json":                  `{"multipart":[{"apply":{"model":"block/stone"}}]}`,
		"assets/mod/blockstates/thing.json":   `{"variants":{"":{"model":"mod:block/thing"}}}`,
		"assets/mod/models/block/thing.json":  `{"parent":"block/cube_all","textures":{"all":"mod:block/thing"}}`,
		"assets/mod/textures/block/thing.png": string(square(16, blue, red)),
	}
}

// zipped writes a pack as a zip.
func (p pack) zipped(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(p)) {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(p[name]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pack.zip")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// folder writes a pack as a folder.
func (p pack) folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range p {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func load(t *testing.T, names ...string) *resourcepack.Atlas {
	t.Helper()
	a, err := resourcepack.Load(names...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// seen decodes the image and returns a function that describes a side of a block: its colour, and
// the corner of the pixel that differs.
func seen(t *testing.T, a *resourcepack.Atlas) func(name string) string {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(a.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	at := func(k int32, x, y int) color.NRGBA {
		i := a.Info()
		pitch := i.Tile + 2*i.Pad
		return color.NRGBAModel.Convert(img.At(int(k)%i.Columns*pitch+i.Pad+x, int(k)/i.Columns*pitch+i.Pad+y)).(color.NRGBA)
	}
	text := func(c color.NRGBA) string { return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B) }
	return func(name string) string {
		f, ok := a.Faces(name)
		if !ok {
			return "none"
		}
		var out []string
		for _, k := range f {
			side := text(at(k, 8, 8))
			for i, corner := range [][2]int{{0, 0}, {15, 0}, {15, 15}, {0, 15}} { // clockwise
				c := at(k, corner[0], corner[1])
				if c != at(k, 8, 8) {
					side += fmt.Sprintf("/%d", i)
				}
				if round := at(k, corner[0]-8+16*(1-corner[0]/15), corner[1]); corner[0] == 0 && round != at(k, 8, corner[1]) {
					t.Errorf("%s: the pixels beside tile %d do not repeat it", name, k)
				}
			}
			out = append(out, side)
		}
		return strings.Join(out, " ")
	}
}

func TestFaces(t *testing.T) {
	zip := load(t, madeUp().zipped(t))
	folder := load(t, madeUp().folder(t))
	if zip.Info() != folder.Info() || !bytes.Equal(zip.PNG(), folder.PNG()) {
		t.Errorf("a zip is %+v, the folder %+v", zip.Info(), folder.Info())
	}
	see := seen(t, zip)
	all := func(s string) string { return strings.Join([]string{s, s, s, s, s, s}, " ") }
	for name, want := range map[string]string{ // west east down up north south
		"minecraft:stone":                          all("c80000/0"),
		"legacy:1/0":                               all("c80000/0"),
		"rock":                                     all("c80000/0"),
		"minecraft:stone_stairs[facing=east]":      all("c80000/0"),
		"minecraft:wall":                           all("c80000/0"),
		"minecraft:oak_log[axis=y]":                "00c800/0 00c800/0 ffffff/0 ffffff/0 00c800/0 00c800/0",
		"minecraft:oak_log":                        "00c800/0 00c800/0 ffffff/0 ffffff/0 00c800/0 00c800/0",
		"minecraft:oak_log[axis=z]":                "00c800/3 00c800/1 00c800/2 00c800/0 ffffff/2 ffffff/0",
		"minecraft:grass_block[snowy=false]":       "0000c8/0 0000c8 0000c8 91bd59 0000c8 0000c8",
		"minecraft:grass_block[snowy=true]":        all("c80000/0"),
		"mod:thing":                                all("0000c8/0"),
		"minecraft:furnace[facing=north,lit=true]": "00c800/0 00c800/0 00c800/0 00c800/0 c80000/0 00c800/0",
		"minecraft:poppy":                          "none",
		"minecraft:loop":                           "none",
		"minecraft:broken":                         "none",
		"minecraft:unheard_of":                     "none",
		"air":                                      "none",
		"":                                         "none",
		"minecraft:stone[":                         all("c80000/0"),
	} {
		if got := see(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if x := strings.Fields(see("minecraft:oak_log[axis=x]")); len(x) != 6 || x[0][:6] != "ffffff" || x[1][:6] != "ffffff" || x[2][:6] != "00c800" || x[4][:6] != "00c800" {
		t.Errorf("a log along x: %s", x)
	}
	if east := strings.Fields(see("minecraft:furnace[facing=east]")); len(east) != 6 || east[1] != "c80000/0" || east[4][:6] != "00c800" {
		t.Errorf("a furnace that faces east: %s", east)
	}
}

// TestLaterPack: a pack with textures alone goes before the one with the models.
func TestLaterPack(t *testing.T) {
	a := load(t, madeUp().zipped(t), pack{block + "stone.png": string(square(32, blue, red))}.folder(t))
	if got := seen(t, a)("minecraft:stone"); !strings.HasPrefix(got, "0000c8/0") {
		t.Errorf("the stone is %s", got)
	}
}

// TestOldPack has textures alone, with the names of 1.12.
func TestOldPack(t *testing.T) {
	const blocks = "assets/minecraft/textures/blocks/"
	tall := image.NewNRGBA(image.Rect(0, 0, 16, 64)) // an animation
	for i := range 16 * 16 {
		tall.SetNRGBA(i%16, i/16, white)
	}
	a := load(t, pack{
		blocks + "wool_colored_red.png": string(square(16, red, red)), blocks + "log_oak.png": string(square(16, green, green)),
		blocks + "log_oak_top.png": string(square(16, white, white)), blocks + "planks_oak.png": string(square(8, blue, blue)),
		blocks + "water_still.png": string(encoded(tall)), blocks + "leaves_birch.png": string(square(16, white, none)),
		blocks + "broken.png": "\x89PNG no", blocks + "grass_top.png": string(square(16, white, white)), blocks + "grass_side.png": string(square(16, red, red)),
	}.zipped(t))
	see := seen(t, a)
	for name, want := range map[string]string{
		"legacy:35/14":              "c80000",
		"legacy:17/0":               "00c800",
		"minecraft:oak_stairs":      "0000c8",
		"minecraft:water[level=0]":  "3f76e4",
		"minecraft:birch_leaves":    "80a755/0",
		"minecraft:red_carpet":      "c80000",
		"minecraft:grass_block":     "c80000",
		"minecraft:oak_log[axis=x]": "ffffff",
		"minecraft:broken":          "none",
	} {
		if got, _, _ := strings.Cut(see(name), " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestMeanOfOpaque: a smaller copy of a texture with holes has the colour of what is there.
func TestMeanOfOpaque(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := 0; i < 16*16; i += 2 {
		img.SetNRGBA(i%16, i/16, green)
	}
	a := load(t, pack{block + "oak_leaves.png": string(encoded(img))}.zipped(t))
	sheet, err := png.Decode(bytes.NewReader(a.PNG()))
	if err != nil {
		t.Fatal(err)
	}
	i := a.Info()
	f, ok := a.Faces("oak_leaves")
	k := int(f[0])
	x, y := k%i.Columns*(i.Tile+2*i.Pad)+i.Pad, k/i.Columns*(i.Tile+2*i.Pad)+i.Pad
	solid, hole := sheet.(*image.NRGBA).NRGBAAt(x, y), sheet.(*image.NRGBA).NRGBAAt(x+1, y)
	if !ok || solid.A != 255 || hole.A != 0 || solid.G == 0 || solid.R != hole.R || solid.G != hole.G || solid.B != hole.B {
		t.Errorf("a hole is %v beside %v", hole, solid)
	}
}

func TestNoPack(t *testing.T) {
	var a *resourcepack.Atlas
	if _, ok := a.Faces("minecraft:stone"); ok || a.Info().Tiles != 0 || a.PNG() != nil {
		t.Error("no pack has textures")
	}
	big := image.NewGray(image.Rect(0, 0, 1, 1))
	huge := encoded(big)
	copy(huge[16:24], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65,536 pixels an edge
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, []byte("no pack"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, name := range map[string]string{
		"no such file":                  "none.zip",
		"a zip, or cut short: 7 bytes ": file,
		"no textures of blocks":         pack{"readme.txt": "empty"}.zipped(t),
		"no textures of blocks below a": pack{block + "stone.png": string(huge)}.zipped(t),
		"too large":                     pack{block + "stone.png": string(make([]byte, 17<<20)), block + "dirt.png": string(square(16, red, red))}.zipped(t),
	} {
		if _, err := resourcepack.Load(name); (err == nil) != (want == "too large") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// FuzzLoad opens zips that are not packs.
func FuzzLoad(f *testing.F) {
	f.Add([]byte("PK\x03\x04"), "minecraft:stone[axis=x]")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		path := filepath.Join(t.TempDir(), "pack.zip")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if a, err := resourcepack.Load(path); err == nil {
			a.Faces(name)
		}
		p := pack{states + "a.json": string(data), models + "a.json": string(data), block + "a.png": string(data), block + "b.png": string(square(16, red, red))}
		if a, err := resourcepack.Load(p.folder(t)); err != nil || a.Info().Tiles == 0 {
			t.Errorf("one broken file breaks the pack: %v", err)
		}
	})
}
