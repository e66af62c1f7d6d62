package picture_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// land is a Land of a function. Its chunks are made when they are read.
type land struct {
	box     geom.Box
	names   []string
	at      func(x, y, z int) voxel.Cell
	far     int // the greatest far level
	terrain bool
	wet     bool                                    // the liquid has far levels too
	others  map[string]func(x, y, z int) voxel.Cell // of scale 1, or 4 for biomes
	heights []int32
	asked   int // chunks
}

func (l *land) Bounds() geom.Box { return l.box }
func (l *land) Matter() string   { return "block" }
func (l *land) Terrain() bool    { return l.terrain }

func (l *land) Level(volume string, most int) int {
	if volume != "block" {
		if l.others[volume] == nil {
			return -1
		}
		if volume != "liquid" || !l.wet {
			return 0
		}
	}
	if most < 3 {
		return 0
	}
	return min(most, l.far)
}

func (l *land) Scale(volume string) int {
	if volume == voxel.Biome {
		return 4
	}
	return 1
}

func (l *land) Default(string) voxel.Cell { return 0 }

func (l *land) Heights(level int) (out []int32) {
	if l.heights != nil {
		return l.heights
	}
	for y := int32(l.box.Min.Y >> level >> 5); y <= int32((l.box.Max.Y-1)>>level>>5); y++ {
		out = append(out, y)
	}
	return out
}

func (l *land) Read(volume string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error {
	for i, pos := range want {
		if i > 0 && geom.CodeOf(want[i-1], level).Compare(geom.CodeOf(pos, level)) >= 0 {
			panic("what is read does not ascend")
		}
		l.asked++
		at := l.others[volume]
		if volume == "block" {
			at = l.at
			if pos.Box().Scale(1 << level).Intersect(l.box).Empty() {
				continue
			}
		}
		if l.heights != nil {
			continue
		}
		cells := new([voxel.ChunkCells]voxel.Cell)
		for i := range cells {
			p := pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})
			p = geom.Point{X: p.X << level, Y: p.Y << level, Z: p.Z << level}
			if volume != "block" || l.box.Contains(p) {
				cells[i] = at(p.X, p.Y, p.Z)
			}
		}
		f(pos, voxel.FromFlat(cells))
	}
	return nil
}

func (l *land) Name(volume string, c voxel.Cell) string {
	if volume == voxel.Biome {
		return []string{"minecraft:desert", "minecraft:ocean"}[c]
	}
	return l.names[c]
}

// hills is a land of stone hills and grass with holes in it.
func hills(box geom.Box) *land {
	return &land{box: box, names: []string{"air", "minecraft:stone", "minecraft:grass_block", "minecraft:water", "minecraft:glass"}, at: func(x, y, z int) voxel.Cell {
		switch {
		case x%97 == 0 && z%89 < 3, y > hillTop(x, z):
			return 0
		case hillTop(x, z) > 24:
			return 1
		}
		return 2
	}}
}

func hillTop(x, z int) int {
	slope := func(n, width int) int { return max(n&(2*width-1), 2*width-1-n&(2*width-1)) - width }
	return 12 + slope(x+z, 16)*slope(x, 64)/64 + slope(z, 32)/4
}

func mustTile(t testing.TB, l picture.Land, o picture.TileOptions) *image.NRGBA {
	t.Helper()
	b, err := picture.Tile(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil || img.Bounds() != image.Rect(0, 0, picture.TileEdge, picture.TileEdge) {
		t.Fatalf("%v, %v", img.Bounds(), err)
	}
	out := image.NewNRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, image.Point{}, draw.Src)
	return out
}

var square = geom.Box{Min: geom.Point{X: -300, Z: -300}, Max: geom.Point{X: 300, Y: 64, Z: 300}}

// TestTileSlow compares a tile with what a look at each cell gives.
func TestTileSlow(t *testing.T) {
	l := hills(square)
	table := picture.NewLooks()
	for _, at := range []image.Point{{0, 0}, {-1, -2}, {1, 0}} {
		img := mustTile(t, l, picture.TileOptions{X: at.X, Z: at.Y})
		top := func(x, z int) (int, voxel.Cell) {
			for y := square.Max.Y - 1; y >= 0 && square.Contains(geom.Point{X: x, Y: y, Z: z}); y-- {
				if c := l.at(x, y, z); c != 0 {
					return y, c
				}
			}
			return math.MinInt, 0
		}
		for i := range picture.TileEdge * picture.TileEdge {
			px, pz := i%picture.TileEdge, i/picture.TileEdge
			x, z := at.X*256+px, at.Y*256+pz
			y, c := top(x, z)
			want := color.NRGBA{}
			if c != 0 {
				rise := 0
				for _, n := range [][2]int{{x - 1, z}, {x, z - 1}} {
					if h, cell := top(n[0], n[1]); cell != 0 {
						rise += y - h
					}
				}
				d := float64(max(-24, min(24, rise)))
				light := 1 + .3*d/(2.5+math.Abs(d)) + max(-.12, min(.12, float64(y-64)/500))
				light = float64(int(light*24+.5)) / 24
				part := func(v uint8) uint8 { return uint8(int(max(0, min(31, float64(v)*light*31/255+.5))) * 255 / 31) }
				f := table.Find(l.names[c]).Colour
				want = color.NRGBA{part(f.R), part(f.G), part(f.B), 255}
			}
			if got := img.NRGBAAt(px, pz); far(got, want) {
				t.Fatalf("tile %v: %d,%d is %v, want %v", at, px, pz, got, want)
			}
		}
	}
}

// far reports whether colours differ by more than rounding does.
func far(a, b color.NRGBA) bool {
	d := func(x, y uint8) bool { return max(x, y)-min(x, y) > 9 }
	return d(a.R, b.R) || d(a.G, b.G) || d(a.B, b.B) || a.A != b.A
}

// TestTileSeams: a land that is moved by a part of a tile gives the same picture, moved. So nothing
// shows where tiles or chunks meet.
func TestTileSeams(t *testing.T) {
	for _, zoom := range []int{0, 1, 3}[:long.By(2, 3, 3)] {
		l := hills(geom.Box{Min: geom.Point{X: -4000, Z: -4000}, Max: geom.Point{X: 4000, Y: 64, Z: 4000}})
		l.far = 3
		moved := hills(l.box)
		by := 96 << zoom
		moved.far, moved.at = 3, func(x, y, z int) voxel.Cell { return l.at(x-by, y, z-by) }
		joined := image.NewNRGBA(image.Rect(0, 0, 512, 512))
		for i := range 4 {
			tile := mustTile(t, l, picture.TileOptions{Zoom: zoom, X: i%2 - 1, Z: i/2 - 1})
			draw.Draw(joined, tile.Rect.Add(image.Pt(i%2*256, i/2*256)), tile, image.Point{}, draw.Src)
		}
		got := mustTile(t, moved, picture.TileOptions{Zoom: zoom})
		for i := range 256 * 256 {
			if a, b := got.NRGBAAt(i%256, i/256), joined.NRGBAAt(i%256+160, i/256+160); a != b {
				t.Fatalf("zoom %d: %d,%d is %v, in its own place %v", zoom, i%256, i/256, a, b)
			}
		}
	}
}

func TestTileZooms(t *testing.T) {
	l := hills(square)
	one, eight := mustTile(t, l, picture.TileOptions{}), mustTile(t, l, picture.TileOptions{Zoom: -3})
	for i := range 256 * 256 {
		if a, b := eight.NRGBAAt(i%256, i/256), one.NRGBAAt(i%256/8, i/256/8); far(a, b) {
			t.Fatalf("a block of 8 pixels: %d,%d is %v, want %v", i%256, i/256, a, b)
		}
	}
	l.far = 3
	for zoom := range 8 {
		img := mustTile(t, l, picture.TileOptions{Zoom: zoom})
		wide := (300-1)>>zoom - 1
		if zoom < 2 && wide > 254 {
			wide = 254
		}
		if wide > 0 && (img.NRGBAAt(wide/2, wide/2).A == 0 || zoom > 1 && img.NRGBAAt(wide+3, 0).A != 0) {
			t.Errorf("zoom %d: the land does not end at %d", zoom, wide)
		}
	}
	for _, zoom := range []int{picture.MinZoom - 1, geom.MaxDepth} {
		if _, err := picture.Tile(t.Context(), l, picture.TileOptions{Zoom: zoom}); err == nil {
			t.Errorf("zoom %d is drawn", zoom)
		}
	}
}

// TestTileWork: a tile asks for a bounded number of chunks, however wide the land and far the zoom.
func TestTileWork(t *testing.T) {
	wide := geom.Box{Min: geom.Point{X: -1 << 24, Z: -1 << 24}, Max: geom.Point{X: 1 << 24, Y: 64, Z: 1 << 24}}
	for _, far := range []int{0, 3, 6} {
		for zoom := picture.MinZoom; zoom < geom.MaxDepth; zoom++ {
			l := hills(wide)
			l.far = far
			l.heights = []int32{0, 1} // nothing is read, so that it is quick
			if _, err := picture.Tile(t.Context(), l, picture.TileOptions{Zoom: zoom}); err != nil {
				t.Fatal(err)
			}
			if l.asked > 2*34*34 {
				t.Errorf("far level %d, zoom %d: %d chunks", far, zoom, l.asked)
			}
		}
	}
	l := hills(wide)
	l.far, l.asked = 9, 0
	l.others = map[string]func(x, y, z int) voxel.Cell{voxel.Light: func(x, y, z int) voxel.Cell { return 15 }}
	if mustTile(t, l, picture.TileOptions{Zoom: 9, Layer: picture.LayerLight}); l.asked > 1<<13 {
		t.Errorf("light without far levels: %d chunks", l.asked)
	}
	l = hills(wide)
	for y := range int32(1 << 20) {
		l.heights = append(l.heights, y)
	}
	l.box.Max.Y = 1 << 25
	if _, err := picture.Tile(t.Context(), l, picture.TileOptions{}); !errors.Is(err, picture.ErrTall) {
		t.Errorf("a tower of a million chunks: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := picture.Tile(ctx, hills(square), picture.TileOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that has ended: %v", err)
	}
}

func TestTileEmpty(t *testing.T) {
	l := hills(square)
	for _, o := range []picture.TileOptions{{X: 9}, {Z: -9}, {Zoom: 20, X: 3}, {Heights: picture.Heights{From: 500, To: 600}}, {Heights: picture.Heights{From: 50, To: 64}}} {
		b, err := picture.Tile(t.Context(), l, o)
		if err != nil || len(b) > 150 {
			t.Errorf("%+v: %d bytes, %v", o, len(b), err)
		}
		for i, v := range mustTile(t, l, o).Pix {
			if v != 0 {
				t.Fatalf("%+v: byte %d is %d", o, i, v)
			}
		}
	}
}

// TestTileHeights looks into a cave through rock.
func TestTileHeights(t *testing.T) {
	l := hills(square)
	l.at = func(x, y, z int) voxel.Cell {
		if y >= 30 && y < 34 && z < 100 || y > 50 {
			return 0
		}
		return 1
	}
	img := mustTile(t, l, picture.TileOptions{Heights: picture.Heights{From: 10, To: 33}})
	cave, rock := img.NRGBAAt(50, 50), img.NRGBAAt(50, 200)
	if cave.A != 255 || rock.A != 255 || int(rock.R)*2 > int(cave.R) {
		t.Errorf("cave %v, rock around it %v", cave, rock)
	}
	if img = mustTile(t, l, picture.TileOptions{Heights: picture.Heights{From: 31, To: 33}}); img.NRGBAAt(50, 50).A != 0 {
		t.Error("what is below the range shows")
	}
}

func TestTileLayers(t *testing.T) {
	l := hills(square)
	l.at = func(x, y, z int) voxel.Cell {
		if y > 20 {
			return 0
		}
		return 2
	}
	l.others = map[string]func(x, y, z int) voxel.Cell{
		voxel.Biome: func(x, y, z int) voxel.Cell {
			if x >= 32 { // cells of 4 blocks
				return 1
			}
			return 0
		},
		voxel.Light: func(x, y, z int) voxel.Cell {
			if x >= 128 && y == 21 {
				return 14
			}
			return 0
		},
	}
	bright := func(c color.NRGBA) int { return int(c.R) + int(c.G) + int(c.B) }
	img := mustTile(t, l, picture.TileOptions{Layer: picture.LayerLight})
	if dark, lit := img.NRGBAAt(127, 9), img.NRGBAAt(128, 9); bright(lit) < 5*bright(dark) {
		t.Errorf("light %v, dark %v", lit, dark)
	}
	img = mustTile(t, l, picture.TileOptions{Layer: picture.LayerBiome})
	if desert, ocean := img.NRGBAAt(127, 9), img.NRGBAAt(128, 9); desert.R < desert.B || ocean.B < ocean.R {
		t.Errorf("desert %v, ocean %v", desert, ocean)
	}
	low := mustTile(t, l, picture.TileOptions{Layer: picture.LayerHeight}).NRGBAAt(9, 9)
	l.at = func(x, y, z int) voxel.Cell { return 2 }
	if high := mustTile(t, l, picture.TileOptions{Layer: picture.LayerHeight}).NRGBAAt(9, 9); high == low || bright(high) < bright(low) {
		t.Errorf("high %v, low %v", high, low)
	}
}

// TestTileClear: water is darker with depth, and glass lets colours through.
func TestTileClear(t *testing.T) {
	l := hills(square)
	l.at = func(x, y, z int) voxel.Cell {
		switch {
		case y < 10+x/16:
			return 1
		case y < 26:
			return 3
		case y == 40 && z >= 128:
			return 4
		}
		return 0
	}
	img := mustTile(t, l, picture.TileOptions{})
	deep, shallow, glass := img.NRGBAAt(8, 64), img.NRGBAAt(240, 64), img.NRGBAAt(8, 200)
	if deep.R >= shallow.R || deep.B <= deep.R || glass == deep {
		t.Errorf("deep %v, shallow %v, below glass %v", deep, shallow, glass)
	}
}

func TestTileTerrain(t *testing.T) {
	l := hills(square)
	l.terrain, l.names = true, []string{"air", "grass"}
	l.at = func(x, y, z int) voxel.Cell {
		if y > 20 {
			return 0
		}
		return voxel.TerrainCell(1, uint8(x*8))
	}
	l.others = map[string]func(x, y, z int) voxel.Cell{"liquid": func(x, y, z int) voxel.Cell {
		if z >= 128 && y < 25 {
			return 255
		}
		return 0
	}}
	l.names = make([]string, 1<<15)
	l.names[voxel.TerrainCell(1, 0)] = "grass"
	for i := range 256 {
		l.names[voxel.TerrainCell(1, uint8(i))] = "grass"
	}
	img := mustTile(t, l, picture.TileOptions{})
	if grass, lake := img.NRGBAAt(9, 9), img.NRGBAAt(9, 200); grass.G < grass.B || lake.B < lake.G {
		t.Errorf("grass %v, lake %v", grass, lake)
	}
	if a, b := img.NRGBAAt(8, 9), img.NRGBAAt(32, 9); a == b {
		t.Errorf("an edge of occupancies has no relief: %v", a)
	}
	l.far = 3
	for _, l.wet = range []bool{false, true} {
		img = mustTile(t, l, picture.TileOptions{Zoom: 3})
		if grass, lake := img.NRGBAAt(9, 9), img.NRGBAAt(9, 25); grass.G < grass.B || lake.B < lake.G {
			t.Errorf("from afar, the liquid has far levels: %v: grass %v, lake %v", l.wet, grass, lake)
		}
	}
}
