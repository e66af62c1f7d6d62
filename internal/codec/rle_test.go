package codec_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// flat is the cells of a chunk in index order.
type flat [voxel.ChunkCells]voxel.Cell

func flatOf(c *voxel.Chunk) *flat {
	f := new(flat)
	c.Flat((*[voxel.ChunkCells]voxel.Cell)(f))
	return f
}

func (f *flat) pack() *voxel.Chunk { return voxel.FromFlat((*[voxel.ChunkCells]voxel.Cell)(f)) }

// slowRLE writes the article's runs off a flat array.
func slowRLE(f *flat) (out []byte) {
	for i := 0; i < len(f); {
		n := 1
		for i+n < len(f) && n < 256 && f[i+n] == f[i] {
			n++
		}
		material, occupancy := f[i].Material(), byte(f[i])
		lead, rest := material, []byte(nil)
		if material != 0 && occupancy != 255 {
			lead |= 1 << 6
			rest = append(rest, occupancy)
		}
		if n > 1 {
			lead |= 1 << 7
			rest = append(rest, byte(n-1))
		}
		out = append(append(out, lead), rest...)
		i += n
	}
	return out
}

// slowDecodeRLE reads one chunk, nil if there is none, and how long it is.
func slowDecodeRLE(b []byte) (cells []voxel.Cell, size int) {
	next := func() byte {
		size++
		if size > len(b) {
			return 0
		}
		return b[size-1]
	}
	for len(cells) < voxel.ChunkCells {
		lead := next()
		material, occupancy, n := lead&63, byte(255), 1
		if lead>>6&1 == 1 {
			if occupancy = next(); material == 0 {
				return nil, 0
			}
		}
		if lead>>7 == 1 {
			if n = int(next()) + 1; n == 1 {
				return nil, 0
			}
		}
		for range n {
			cells = append(cells, voxel.TerrainCell(material, occupancy))
		}
		if size > len(b) || len(cells) > voxel.ChunkCells {
			return nil, 0
		}
	}
	return cells, size
}

// randomTerrain returns chunks of Terrain cells: runs of many lengths, slabs,
// noise.
func randomTerrain(r *rand.Rand) *flat {
	f := new(flat)
	longest, materials := 1<<r.IntN(13), 1+r.IntN(64)
	for i := 0; i < len(f); {
		cell := voxel.TerrainCell(uint8(r.IntN(materials)), uint8(r.IntN(256)|r.IntN(2)*255))
		for n := 1 + r.IntN(longest); n > 0 && i < len(f); i, n = i+1, n-1 {
			f[i] = cell
		}
	}
	return f
}

func terrainChunks() (chunks []*voxel.Chunk) {
	l := terrain.Level{Seed: 3}
	for y := range int32(4) {
		for x := range int32(3) {
			chunks = append(chunks, l.Chunk(geom.ChunkPos{X: x, Y: y}))
		}
	}
	return chunks
}

func TestRLECases(t *testing.T) {
	stone, half := voxel.TerrainCell(5, 255), voxel.TerrainCell(5, 127)
	one := func(i int, c voxel.Cell) *flat {
		f := new(flat)
		f[i] = c
		return f
	}
	fill := func(c voxel.Cell) *flat {
		f := new(flat)
		for i := range f {
			f[i] = c
		}
		return f
	}
	alternate := fill(stone)
	for i := 0; i < len(alternate); i += 2 {
		alternate[i] = half
	}
	for _, tt := range []struct {
		name  string
		cells *flat
		size  int
	}{
		{"air", fill(0), 256},
		{"solid", fill(stone), 256},
		{"solid, not full", fill(half), 384},
		{"a full cell first", one(0, stone), 257},
		{"a cell that is not full first", one(0, half), 258},
		{"a full cell last", one(voxel.ChunkCells-1, stone), 257},
		{"a full cell that leaves one of 256", one(255, stone), 257},
		{"a full cell within", one(300, stone), 259},
		{"the least and the greatest", one(9, voxel.TerrainCell(63, 0)), 260},
		{"no two alike", alternate, voxel.ChunkCells / 2 * 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := codec.AppendRLE(nil, tt.cells.pack())
			if len(got) != tt.size {
				t.Errorf("%d bytes, want %d", len(got), tt.size)
			}
			checkRLE(t, tt.cells)
		})
	}
}

// checkRLE compares both directions with the twins.
func checkRLE(t *testing.T, f *flat) {
	t.Helper()
	prefix := []byte("before")
	got, want := codec.AppendRLE(slices.Clone(prefix), f.pack()), slowRLE(f)
	if !bytes.Equal(got[:len(prefix)], prefix) || !bytes.Equal(got[len(prefix):], want) {
		t.Fatalf("%d bytes, want %d others", len(got), len(want))
	}
	c, n, err := codec.DecodeRLE(append(want, 0xC0, 1))
	if err != nil || n != len(want) {
		t.Fatalf("%d bytes of %d read: %v", n, len(want), err)
	}
	if *flatOf(c) != *f || !c.Equal(f.pack()) {
		t.Fatal("other cells come back")
	}
}

func TestRLETwin(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		checkRLE(t, randomTerrain(r))
	}
	for _, c := range terrainChunks() {
		checkRLE(t, flatOf(c))
	}
}

func TestDecodeRLERefuses(t *testing.T) {
	air := slowRLE(new(flat))
	for _, tt := range []struct {
		name   string
		src    []byte
		offset int64
	}{
		{"nothing", nil, 0},
		{"count 0", []byte{0x85, 0}, 0},
		{"count 0 behind an occupancy", []byte{0xC5, 9, 0}, 0},
		{"air with an occupancy", []byte{0x40, 0}, 0},
		{"a run of air with an occupancy", []byte{0xC0, 255, 9}, 0},
		{"a run across the end", append(slices.Clone(air[:254]), 0x01, 0x80, 255), 255},
		{"a short run across the end", append(slices.Clone(air[:254]), 0x80, 254, 0x80, 1), 256},
	} {
		_, n, err := codec.DecodeRLE(tt.src)
		var corrupt *codec.CorruptError
		if !errors.As(err, &corrupt) || n != 0 || corrupt.Offset != tt.offset {
			t.Errorf("%s: %d bytes, %v, want an error at %d", tt.name, n, err, tt.offset)
		}
	}
}

func TestDecodeRLETruncations(t *testing.T) {
	src := codec.AppendRLE(nil, terrainChunks()[3])
	for n := range src {
		if _, _, err := codec.DecodeRLE(src[:n:n]); err == nil {
			t.Fatalf("%d bytes of %d are read", n, len(src))
		}
	}
}

func TestRLESizes(t *testing.T) {
	total := 0
	for _, c := range terrainChunks() {
		total += len(codec.AppendRLE(nil, c))
	}
	pinned(t, "RLE of terrain", total, 15654)
}

// pinned fails if got is not within 2 % of want.
func pinned(t *testing.T, what string, got, want int) {
	t.Helper()
	if d := got - want; d*50 > want || d*50 < -want {
		t.Errorf("%s: %d bytes, pinned at %d", what, got, want)
	}
}

func FuzzDecodeRLE(f *testing.F) {
	f.Add(slowRLE(new(flat)))
	f.Add(codec.AppendRLE(nil, terrainChunks()[3]))
	f.Add([]byte{0xC5, 9, 255, 0x40, 0, 0x85, 0})
	f.Fuzz(func(t *testing.T, src []byte) {
		c, n, err := codec.DecodeRLE(src)
		want, size := slowDecodeRLE(src)
		if (err == nil) != (want != nil) || n != size {
			t.Fatalf("%d bytes, %v; the twin reads %d", n, err, size)
		}
		if err != nil {
			return
		}
		got := flatOf(c)
		if !slices.Equal(got[:], want) {
			t.Fatal("the twin reads other cells")
		}
		again, _, err := codec.DecodeRLE(codec.AppendRLE(nil, c))
		if err != nil || !again.Equal(c) {
			t.Fatalf("other cells the second time: %v", err)
		}
	})
}
