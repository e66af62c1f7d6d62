package measure_test

import (
	"os"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/internal/measure"
	"github.com/cairnvoxel/cairn/voxel"
)

// mustMap is a made map in pages of 512 bytes: blocks of versions 25, 27, 28 and 29 by
// turns in x -3..1, y -1..0 and z -2, 0, 1, and one at each of two far corners.
func mustMap(t testing.TB) []byte {
	t.Helper()
	file, err := os.ReadFile("testdata/luanti/map.sqlite")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// madeBlocks yields where the made map has blocks, counted in blocks.
func madeBlocks(f func(x, y, z int)) {
	for x := -3; x <= 1; x++ {
		for y := -1; y <= 0; y++ {
			for _, z := range []int{-2, 0, 1} {
				f(x, y, z)
			}
		}
	}
	f(2047, -2048, 2047)
	f(-2048, 2047, -2048)
}

func TestLuanti(t *testing.T) {
	w, err := measure.ReadLuanti(mustMap(t))
	if err != nil {
		t.Fatal(err)
	}
	d := w.Dimensions[0]
	cell := func(volume string, x, y, z int) voxel.Cell {
		c := d.Volume(volume).Chunks[geom.ChunkPos{X: int32(x >> 5), Y: int32(y >> 5), Z: int32(z >> 5)}]
		if c == nil {
			t.Fatalf("no chunk of %s at %d, %d, %d", volume, x, y, z)
		}
		var cells [voxel.ChunkCells]voxel.Cell
		c.Flat(&cells)
		return cells[y&31<<10|z&31<<5|x&31]
	}
	names := []string{"air", "default:stone", "default:dirt", "mod:a", "mod:b"}
	blocks := 0
	madeBlocks(func(bx, by, bz int) {
		blocks++
		for i := range 4096 {
			if i%37 > 0 {
				continue
			}
			x, y, z := bx*16+i&15, by*16+i>>4&15, bz*16+i>>8
			if got, want := d.Volume(voxel.Block).Names[cell(voxel.Block, x, y, z)], names[mod5(x>>2+3*(y>>3)+7*(z>>2))]; got != want {
				t.Fatalf("node %d, %d, %d is %q, want %q", x, y, z, got, want)
			}
			if p, day, night := cell("param2", x, y, z), cell(voxel.Sky, x, y, z), cell(voxel.Light, x, y, z); int(p) != (x>>3+100)&255 ||
				int(day) != y&15 || int(night) != z>>3&15 {
				t.Fatalf("node %d, %d, %d has %d, light %d and %d", x, y, z, p, day, night)
			}
		}
	})
	if blocks != 32 || cell(voxel.Block, -48-16, 0, 0) != 0 || cell(voxel.Sky, -48-16, 0, 0) != 15 {
		t.Errorf("%d blocks; what is not there is not air under the sky", blocks)
	}
}

func mod5(n int) int { return (n%5 + 5) % 5 }

// TestLuantiDamaged cuts and changes the map: what is read is a world or an error.
func TestLuantiDamaged(t *testing.T) {
	file := mustMap(t)
	for n := 0; n < len(file); n += 397 {
		if _, err := measure.ReadLuanti(file[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a map", n, len(file))
		}
	}
	wrong := 0
	for i := 0; i < len(file); i += 97 {
		b := append([]byte(nil), file...)
		b[i] ^= 1 << (i % 8)
		if _, err := measure.ReadLuanti(b); err != nil {
			wrong++
		}
	}
	if wrong == 0 {
		t.Error("no change was an error")
	}
}

// FuzzLuanti reads bytes as a map and as one block; testdata/fuzz has both.
func FuzzLuanti(f *testing.F) {
	f.Fuzz(func(t *testing.T, b []byte) {
		w, err := measure.ReadLuanti(b)
		if err == nil && len(w.Dimensions) != 1 {
			t.Errorf("%d dimensions", len(w.Dimensions))
		}
		if nodes, err := measure.ReadLuantiBlock(b); err == nil && len(nodes) != 4*4096 {
			t.Errorf("%d bytes of nodes", len(nodes))
		}
	})
}
