package picture_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var update = flag.Bool("update", false, "rewrite the golden pictures")

// model is a Land of a few chunks and names.
type model struct {
	chunks map[geom.ChunkPos]*voxel.Chunk
	names  []string
	bounds geom.Box
	lake   bool  // it is a terrain, with liquid everywhere
	err    error // of reading
}

func (m *model) Bounds() geom.Box          { return m.bounds }
func (m *model) Matter() string            { return "block" }
func (m *model) Terrain() bool             { return m.lake }
func (m *model) Scale(string) int          { return 1 }
func (m *model) Default(string) voxel.Cell { return 0 }
func (m *model) Heights(int) []int32       { return nil }

func (m *model) Level(volume string, most int) int {
	if volume != "block" && !(volume == "liquid" && m.lake) {
		return -1
	}
	return 0
}

func (m *model) Read(volume string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error {
	for _, pos := range want {
		if volume == "liquid" {
			f(pos, voxel.Uniform(255))
		} else if c := m.chunks[pos]; c != nil {
			f(pos, c)
		}
	}
	return m.err
}

func (m *model) Name(_ string, c voxel.Cell) string {
	if m.lake {
		return m.names[c.Material()]
	}
	return m.names[c]
}

// modelOf returns the volume of a world's blocks.
func modelOf(v *convert.LoadedVolume) *model {
	m := &model{chunks: v.Chunks, names: v.Names}
	for pos := range v.Chunks {
		m.bounds = m.bounds.Union(pos.Box())
	}
	return m
}

// build makes a world of the cells that at returns.
func build(b geom.Box, names []string, at func(x, y, z int) voxel.Cell) *model {
	m := &model{chunks: map[geom.ChunkPos]*voxel.Chunk{}, names: names, bounds: b}
	lo, hi := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	for y := lo.Y; y <= hi.Y; y++ {
		for z := lo.Z; z <= hi.Z; z++ {
			for x := lo.X; x <= hi.X; x++ {
				pos := geom.ChunkPos{X: x, Y: y, Z: z}
				cells := new([voxel.ChunkCells]voxel.Cell)
				for i := range cells {
					p := pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})
					if b.Contains(p) {
						cells[i] = at(p.X, p.Y, p.Z)
					}
				}
				m.chunks[pos] = voxel.FromFlat(cells)
			}
		}
	}
	return m
}

// hill is a world with a slope, a lake, a glass roof, flowers and a hole.
func hill() *model {
	names := []string{"air", "minecraft:stone", "minecraft:grass_block[snowy=false]", "minecraft:water[level=0]", "minecraft:red_stained_glass", "minecraft:poppy", "mod:strange"}
	return build(geom.Box{Min: geom.Point{X: -16, Y: 0, Z: -16}, Max: geom.Point{X: 32, Y: 80, Z: 32}}, names, func(x, y, z int) voxel.Cell {
		top := 40 + x/2
		switch {
		case x > 26 && z > 26:
			return 0
		case y < top-1:
			return 1
		case y < top && x == 10 && z == 10:
			return 6
		case y < top:
			return 2
		case y < 42:
			return 3
		case y == 70 && z > 20 && x > 4 && x < 20:
			return 4
		case y == top && x%5 == 0 && z%5 == 0:
			return 5
		}
		return 0
	})
}

func golden(t *testing.T, name string, img image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if want.Bounds() != img.Bounds() {
		t.Fatalf("%s is %v, want %v", name, img.Bounds(), want.Bounds())
	}
	for y := range want.Bounds().Dy() {
		for x := range want.Bounds().Dx() {
			if got, want := img.At(x, y), want.At(x, y); !near(got, want) {
				t.Fatalf("%s: pixel (%d,%d) is %v, want %v", name, x, y, got, want)
			}
		}
	}
}

// near allows for machines that round a product and a sum at once.
func near(a, b color.Color) bool {
	p, q := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	for _, d := range [3]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
		if d < -1 || d > 1 {
			return false
		}
	}
	return true
}

func mustTop(t *testing.T, w picture.Land, o picture.Options) (*image.RGBA, picture.Result) {
	t.Helper()
	img, r, err := picture.Top(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return img, r
}

func TestTop(t *testing.T) {
	for _, c := range []struct {
		name string
		o    picture.Options
	}{
		{"hill", picture.Options{Zoom: 3}},
		{"plain", picture.Options{Zoom: 1, Plain: true}},
		{"small", picture.Options{MaxEdge: 20, Plain: true}},
		{"cut", picture.Options{Zoom: 2, Top: 45, Plain: true, Box: geom.Box{Min: geom.Point{X: -4, Z: -4}, Max: geom.Point{X: 22, Y: 99, Z: 30}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			img, _ := mustTop(t, hill(), c.o)
			golden(t, c.name, img)
		})
	}
}

func TestResult(t *testing.T) {
	_, r := mustTop(t, hill(), picture.Options{})
	if want := 48*48 - 25; r.Drawn != want {
		t.Errorf("%d columns drawn, want %d", r.Drawn, want)
	}
	if len(r.Unknown) != 1 || r.Unknown[0] != (picture.Count{Name: "mod:strange", N: 1}) {
		t.Errorf("unknown are %v", r.Unknown)
	}
}

func TestUnseen(t *testing.T) {
	for _, w := range []*model{
		{},
		build(geom.Box{Max: geom.Point{X: 4, Y: 4, Z: 4}}, []string{"air", "minecraft:barrier"}, func(x, y, z int) voxel.Cell { return 1 }),
	} {
		img, r := mustTop(t, w, picture.Options{Plain: true})
		if r.Drawn != 0 || img.Rect.Empty() {
			t.Errorf("%d columns drawn, picture %v", r.Drawn, img.Rect)
		}
	}
}

// TestScaleOfSmallWorlds: a world of less than four blocks has no scale, which would be as long as it.
func TestScaleOfSmallWorlds(t *testing.T) {
	for edge, want := range map[int]bool{1: false, 3: false, 4: true, 40: true} {
		w := build(geom.Box{Max: geom.Point{X: edge, Y: 4, Z: edge}}, []string{"air", "minecraft:stone"}, func(x, y, z int) voxel.Cell { return 1 })
		img, r := mustTop(t, w, picture.Options{})
		plain, _ := mustTop(t, w, picture.Options{Plain: true})
		if got := img.Rect != plain.Rect; got != want || int(r.PerBlock*float64(edge)) != plain.Rect.Dx() {
			t.Errorf("%d blocks: a scale is %v, want %v; %v pixels a block in %v", edge, got, want, r.PerBlock, plain.Rect)
		}
	}
}

func TestTooWide(t *testing.T) {
	far := &model{bounds: geom.Box{Min: geom.Point{X: -1 << 24, Z: -1 << 24}, Max: geom.Point{X: 1 << 24, Y: 1, Z: 1 << 24}}}
	if _, _, err := picture.Top(t.Context(), far, picture.Options{}); err == nil {
		t.Error("a world of a million chunks an edge is drawn")
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := picture.Top(ended, hill(), picture.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits for it: got %v", err)
	}
	if _, _, err := picture.Top(t.Context(), far, picture.Options{Box: geom.Box{Max: geom.Point{X: 32, Y: 1, Z: 32}}}); err != nil {
		t.Error(err)
	}
}

func TestTerrain(t *testing.T) {
	w := build(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, []string{"air", "grass", "unheard_of"}, func(x, y, z int) voxel.Cell {
		if y > x/2 || x > 24 {
			return 0
		}
		return voxel.TerrainCell(uint8(1+z/31), uint8(x*8))
	})
	w.lake = true
	img, _ := mustTop(t, w, picture.Options{Zoom: 2, Plain: true})
	golden(t, "terrain", img)
}

func TestSheet(t *testing.T) {
	img, _ := mustTop(t, hill(), picture.Options{Zoom: 1, Plain: true})
	golden(t, "sheet", picture.Sheet([]picture.Card{{Image: img, Caption: "Abc-123"}, {Image: img, Caption: "the quick brown fox, jumps"}, {Image: img, Caption: "0123456789 %/"}}, 40))
}

// TestShrunk: a pixel of a shrunk picture is the mean of a square of the whole picture, in which
// void is all around.
func TestShrunk(t *testing.T) {
	w := build(geom.Box{Min: geom.Point{X: -37, Z: -41}, Max: geom.Point{X: 63, Y: 40, Z: 49}}, []string{"air", "minecraft:stone", "minecraft:sand", "minecraft:grass_block"}, func(x, y, z int) voxel.Cell {
		if y > 20+x*x%11+z%7 {
			return 0
		}
		return voxel.Cell(1 + (x*x+z*z)%3)
	})
	whole, _ := mustTop(t, w, picture.Options{Zoom: 1, Plain: true})
	void := color.RGBA{24, 27, 34, 255}
	for _, most := range []int{99, 50, 33, 14, 7, 3, 1} {
		n := (100 + most - 1) / most
		img, r := mustTop(t, w, picture.Options{Zoom: 1, MaxEdge: most, Plain: true})
		if want := image.Rect(0, 0, (100+n-1)/n, (90+n-1)/n); img.Rect != want || r.Drawn != 9000 {
			t.Fatalf("at most %d: %v, %d drawn, want %v", most, img.Rect, r.Drawn, want)
		}
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				var sum [3]int
				for i := range n * n {
					c, p := void, image.Pt(x*n+i%n, y*n+i/n)
					if p.In(whole.Rect) {
						c = whole.RGBAAt(p.X, p.Y)
					}
					sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
				}
				want := color.RGBA{uint8(sum[0] / (n * n)), uint8(sum[1] / (n * n)), uint8(sum[2] / (n * n)), 255}
				if got := img.RGBAAt(x, y); !near(got, want) {
					t.Fatalf("at most %d: pixel %d,%d is %v, want %v", most, x, y, got, want)
				}
			}
		}
	}
}

func TestFailing(t *testing.T) {
	broken := hill()
	broken.err = errors.New("broken")
	if _, _, err := picture.Top(t.Context(), broken, picture.Options{}); !errors.Is(err, broken.err) {
		t.Errorf("got %v, want %v", err, broken.err)
	}
}

// TestFar draws a land whose pixels are coarser than blocks from the far level that fits, and only then.
func TestFar(t *testing.T) {
	const wide = picture.MaxEdge << 3
	for _, tt := range []struct {
		name            string
		o               picture.Options
		wide, far       int
		level, perPixel int
	}{
		{"no far levels", picture.Options{MaxEdge: 1024}, wide, 0, 0, 32},
		{"a finer level", picture.Options{MaxEdge: 1024}, wide, 3, 3, 32},
		{"the level of a pixel", picture.Options{MaxEdge: 1024}, wide, 9, 5, 32},
		{"the default of a wide land", picture.Options{}, wide, 9, 5, 32},
		{"each block of a land that fits", picture.Options{}, picture.MaxEdge, 9, 0, 1},
		{"four blocks a pixel", picture.Options{MaxEdge: 1024}, picture.MaxEdge, 9, 0, 4},
		{"zoom", picture.Options{Zoom: 1}, 2 * picture.MaxEdge, 9, 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := hills(geom.Box{Max: geom.Point{X: tt.wide, Y: 64, Z: 8}})
			l.far, tt.o.Plain = tt.far, true
			_, r := mustTop(t, l, tt.o)
			all := tt.wide >> tt.level * max(1, 8>>tt.level) // some are holes
			if r.PerBlock != 1/float64(tt.perPixel) || r.Drawn > all || r.Drawn < all*9/10 {
				t.Errorf("%v pixels a block, %d of %d drawn", r.PerBlock, r.Drawn, all)
			}
		})
	}
}

// TestFarPixels: a picture may have any size, and each of its pixels is a mean of whole cells of the far level.
func TestFarPixels(t *testing.T) {
	box := geom.Box{Min: geom.Point{X: -2048, Z: -512}, Max: geom.Point{X: 2048, Y: 32, Z: 512}}
	l := hills(box)
	l.far, l.at = 3, func(_, y, _ int) voxel.Cell { return voxel.Cell(1 - y>>3&1) }
	for _, edge := range []int{512, 511, 400, 300, 257, 90, 7} {
		img, r := mustTop(t, l, picture.Options{MaxEdge: edge, Plain: true, Box: box})
		if img.Rect != image.Rect(0, 0, edge, 127*edge/512+1) || r.Drawn != 512*128 {
			t.Fatalf("%d pixels: %v, %d drawn", edge, img.Rect, r.Drawn)
		}
		for i := 4; edge*4%512 == 0 && i < len(img.Pix); i++ { // elsewhere the last row is partly void
			if img.Pix[i] != img.Pix[i%4] {
				t.Fatalf("%d pixels: pixel %d is %v, want %v", edge, i/4, img.Pix[i/4*4:][:4], img.Pix[:4])
			}
		}
		for x := range edge - 1 {
			if got := img.RGBAAt(x, 0); got != img.RGBAAt(0, 0) {
				t.Fatalf("%d pixels: pixel %d is %v, want %v", edge, x, got, img.RGBAAt(0, 0))
			}
		}
	}
}
