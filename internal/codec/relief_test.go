package codec_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ground is towers and where their topmost chunks are.
type ground struct {
	page
	tops []geom.ChunkPos
}

func (g *ground) add(x, y, z int32, chunks ...*voxel.Chunk) {
	g.page = append(g.page, chunks)
	g.tops = append(g.tops, geom.ChunkPos{X: x, Y: y + int32(len(chunks)) - 1, Z: z})
}

// levelGround is a part of a level without its uniform chunks, as stones have it.
func levelGround(seed uint64, edge, from int32) (g ground) {
	for z := range edge {
		for x := range edge {
			pos := geom.ChunkPos{X: from + x, Z: from - z}
			var s codec.Tower
			for y, c := range (terrain.Level{Seed: seed}).Tower(pos.X, pos.Z) {
				if _, same := c.Uniform(); !same {
					s = append(s, c)
					pos.Y = int32(y)
				}
			}
			if len(s) > 0 {
				g.page, g.tops = append(g.page, s), append(g.tops, pos)
			}
		}
	}
	return g
}

// farGround is a level's cells 8 times as wide.
func farGround(seed uint64) (g ground) {
	rule := &voxel.Rule{Schema: voxel.Terrain}
	for x := range int32(2) {
		f := new(flat)
		for i := range 8 * 8 * 4 {
			at := geom.Point{X: i % 8, Z: i / 8 % 8, Y: i / 64}
			c := terrain.Level{Seed: seed}.Chunk(geom.ChunkPos{X: 8*x + int32(at.X), Y: int32(at.Y), Z: int32(at.Z)})
			m := c.Mip(rule, 3)
			for n := range 64 {
				x, z, y := at.X*4+n%4, at.Z*4+n/4%4, at.Y*4+n/16
				f[y*towerColumns+z*32+x] = m.Cell(n%4, n/16, n/4%4)
			}
		}
		g.add(x, 0, 0, f.pack())
	}
	return g
}

// grounds are kinds of terrain: name, towers, bytes of all streams.
func grounds() []struct {
	name   string
	ground ground
	bytes  int
} {
	r := rand.New(rand.NewPCG(15, 16))
	cells := func(cell func(x, y, z int) voxel.Cell) *voxel.Chunk {
		f := new(flat)
		for i := range f {
			f[i] = cell(i%32, i/towerColumns, i/32%32)
		}
		return f.pack()
	}
	one := func(chunks ...*voxel.Chunk) (g ground) {
		g.add(0, 0, 0, chunks...)
		return g
	}
	rock := voxel.TerrainCell(6, 255)
	var random, apart, tall ground
	for z := range int32(2) {
		for x := range int32(2) {
			random.add(x, 3*x-z, z, randomTerrain(r).pack(), randomTerrain(r).pack())
		}
	}
	some := func() *voxel.Chunk { return levelGround(r.Uint64(), 1, 0).page[0][0] }
	apart.add(-1<<20, -1<<20, -1<<20, some())
	apart.add(1<<20-1, 1<<20-1, -1<<20, some())
	apart.add(5, 0, 1, some())
	apart.add(6, -1<<20, 1, some(), some())
	apart.add(7, 1<<20-2, 1, some())
	apart.add(5, 3, 2, some())
	apart.add(5, 9, 2, some())
	apart.add(6, 9, 2, some())
	var layers codec.Tower
	for y := range codec.MaxTower {
		fill := uint8(255)
		if y == 3 {
			fill = 9
		}
		layers = append(layers, voxel.Uniform(voxel.TerrainCell(uint8(1+y%63), fill)))
	}
	tall.add(0, 0, 0, layers...)
	tall.add(1, 0, 0, append(layers[32:64:64], layers[:32]...)...)
	holes := cells(func(x, y, z int) voxel.Cell {
		if r.IntN(40) == 0 {
			return voxel.TerrainCell(uint8(r.IntN(3)), uint8(r.IntN(256)))
		}
		return rock
	})
	return []struct {
		name   string
		ground ground
		bytes  int
	}{
		{"no towers", ground{}, 0},
		{"air", one(voxel.Uniform(0)), 1024},
		{"rock", one(voxel.Uniform(rock), voxel.Uniform(rock)), 4100},
		{"half full", one(voxel.Uniform(voxel.TerrainCell(6, 127))), 67592},
		{"air in rock", one(cells(func(x, y, z int) voxel.Cell { return rock * voxel.Cell((x+y+z)&1) })), 35393},
		{"a ceiling", one(voxel.Uniform(0), voxel.Uniform(rock)), 5126},
		{"holes", one(holes, holes), 9974},
		{"all different", one(cells(func(x, y, z int) voxel.Cell { return voxel.Cell(256 + r.IntN(63<<8)) })), 130000},
		{"as tall as can be", tall, 271491},
		{"random", random, 697954},
		{"far apart", apart, 41122},
		{"level", levelGround(2, 3, -1), 46674},
		{"far level", farGround(1), 11948},
	}
}

func encodeRelief(t testing.TB, e *codec.Encoder, g ground) [][]byte {
	t.Helper()
	streams, ok := e.EncodeRelief(g.page, g.tops)
	if !ok {
		t.Fatal("not taken for terrain")
	}
	return streams
}

func TestReliefRoundTrip(t *testing.T) {
	var used codec.Encoder
	var decoder codec.Decoder
	for _, tt := range grounds() {
		t.Run(tt.name, func(t *testing.T) {
			streams := cloneStreams(encodeRelief(t, new(codec.Encoder), tt.ground))
			checkChunks(t, tt.ground.page, checkDecodeRelief(t, streams, tt.ground.heights(), tt.ground.tops))
			total := 0
			for i, s := range encodeRelief(t, &used, tt.ground) {
				total += len(s)
				if !bytes.Equal(s, streams[i]) {
					t.Errorf("stream %d is another from an Encoder that was used", i)
				}
			}
			pinned(t, "streams", total, tt.bytes)
			before := []*voxel.Chunk{voxel.Uniform(1)}
			got, err := decoder.Decode(before, codec.Relief, streams, tt.ground.heights(), tt.ground.tops)
			if err != nil || got[0] != before[0] {
				t.Fatalf("a Decoder that was used: %v", err)
			}
			checkChunks(t, tt.ground.page, got[1:])
		})
	}
}

// TestReliefLevels goes through levels of many seeds.
func TestReliefLevels(t *testing.T) {
	for seed := range uint64(12) {
		g := levelGround(seed, 2, int32(seed*50))
		streams := encodeRelief(t, new(codec.Encoder), g)
		got, err := new(codec.Decoder).Decode(nil, codec.Relief, streams, g.heights(), g.tops)
		if err != nil {
			t.Fatal(err)
		}
		checkChunks(t, g.page, got)
	}
}

// TestReliefRandom brings cells of every kind together, in towers that lie
// anyhow beside each other.
func TestReliefRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 18))
	for range long.By(6, 20, 20) {
		var g ground
		for range 1 + r.IntN(5) {
			var s codec.Tower
			for range 1 + r.IntN(3) {
				switch r.IntN(4) {
				case 0:
					s = append(s, voxel.Uniform(voxel.TerrainCell(uint8(r.IntN(64)), uint8(r.IntN(256)))))
				case 1:
					s = append(s, randomTerrain(r).pack())
				default:
					s = append(s, slices.Concat(levelGround(r.Uint64(), 1, 0).page...)...)
				}
			}
			g.add(int32(r.IntN(3)), int32(r.IntN(3)), int32(r.IntN(3)), s...)
		}
		streams := encodeRelief(t, new(codec.Encoder), g)
		checkChunks(t, g.page, checkDecodeRelief(t, streams, g.heights(), g.tops))
	}
}

// TestReliefManyLists has more lists of layers than an op can name, and the last
// ones again.
func TestReliefManyLists(t *testing.T) {
	var g ground
	for i := range int32(65) {
		f := new(flat)
		for col := range towerColumns {
			n := int(i)*towerColumns + col
			for y := range 3 {
				f[y*towerColumns+col] = voxel.TerrainCell(uint8(1+21*y+n%21), 255)
				n /= 21
			}
			f[3*towerColumns+col] = voxel.TerrainCell(uint8(1+n), 255)
		}
		g.add(i, 0, 0, f.pack())
	}
	g.add(2, 0, 2, g.page[64]...)
	streams := encodeRelief(t, new(codec.Encoder), g)
	got, err := new(codec.Decoder).Decode(nil, codec.Relief, streams, g.heights(), g.tops)
	if err != nil {
		t.Fatal(err)
	}
	checkChunks(t, g.page, got)
}

// TestReliefRefuses has cells that no Terrain volume has.
func TestReliefRefuses(t *testing.T) {
	for _, c := range []voxel.Cell{1, 255, 64 << 8, voxel.MaxCell} {
		f := new(flat)
		f[17] = c
		if _, ok := new(codec.Encoder).EncodeRelief(page{{f.pack()}}, make([]geom.ChunkPos, 1)); ok {
			t.Errorf("cell %d is taken", c)
		}
	}
}

// TestReliefKeepsColumns uses one Encoder for both forms at once.
func TestReliefKeepsColumns(t *testing.T) {
	g := levelGround(1, 1, 0)
	var e codec.Encoder
	columns := e.Encode(g.page)
	relief := encodeRelief(t, &e, g)
	for i, s := range encode(g.page) {
		if !bytes.Equal(columns[i], s) {
			t.Errorf("stream %d of Columns is lost", i)
		}
	}
	e.Encode(g.page)
	checkChunks(t, g.page, checkDecodeRelief(t, relief, g.heights(), g.tops))
}

// TestReliefMemory bounds what a used Encoder and Decoder allocate.
func TestReliefMemory(t *testing.T) {
	g := levelGround(2, 3, 0)
	var e codec.Encoder
	var d codec.Decoder
	if n := testing.AllocsPerRun(5, func() { encodeRelief(t, &e, g) }); n > 200 {
		t.Errorf("EncodeRelief allocates %v times", n)
	}
	streams, heights := encodeRelief(t, &e, g), g.heights()
	chunks := make([]*voxel.Chunk, 0, 64)
	per := testing.AllocsPerRun(5, func() {
		if _, err := d.Decode(chunks, codec.Relief, streams, heights, g.tops); err != nil {
			t.Fatal(err)
		}
	})
	if most := 3*float64(len(slices.Concat(g.page...))) + 5; per > most {
		t.Errorf("DecodeRelief allocates %v times, at most %v", per, most)
	}
}
