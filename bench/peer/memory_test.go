package peer_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/bench/peer"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestSameCells holds dragonfly's chunks to the cells they were made of.
func TestSameCells(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	cells := map[geom.Point]voxel.Cell{}
	for _, at := range []geom.ColumnPos{{X: 0, Z: 0}, {X: -1, Z: 5}, {X: 1, Z: 0}} {
		c := &format.Column{Column: voxel.Column{Pos: at}}
		for _, y := range []int8{-4, 0, 1, 19} {
			block := make([]voxel.Cell, 4096)
			for i := range block {
				block[i] = voxel.Cell(rnd.IntN(5))
				cells[at.Min(int(y)*16).Add(geom.Point{X: i & 15, Y: i >> 8, Z: i >> 4 & 15})] = block[i]
			}
			c.Sections = append(c.Sections, voxel.Section{Y: y, Has: voxel.HasBlock})
			c.Cells = append(c.Cells, format.Cells{Block: block})
		}
		p := peer.PeerChunk(c)
		for y := -64; y < 320; y++ {
			for i := range 256 {
				want := cells[at.Min(y).Add(geom.Point{X: i & 15, Z: i >> 4})]
				if got := p.Block(uint8(i&15), int16(y), uint8(i>>4), 0); got != uint32(want) {
					t.Fatalf("dragonfly's chunk %v at %d,%d,%d: got %d, want %d", at, i&15, y, i>>4, got, want)
				}
			}
		}
	}
}

// TestMeasurements runs everything on one real world and looks for sense.
func TestMeasurements(t *testing.T) {
	file := regions(t)[0]
	dir := filepath.Dir(filepath.Dir(file))
	m, err := peer.MeasureMemory(dir)
	if err != nil || m.Columns == 0 || m.Cells == 0 || m.Blocks <= 0 || m.Mips > m.Blocks || m.PeerStorages > m.PeerBlocks || m.PeerStorages <= 0 {
		t.Errorf("memory: %+v, %v", m, err)
	}
	rows, err := peer.MeasureAnvil([]string{dir}, func(int) {})
	if err != nil || rows[0].Chunks == 0 || rows[0].Decode <= 0 || rows[1].Decode <= 0 {
		t.Errorf("anvil: %+v, %v", rows, err)
	}
	tokens, err := peer.MeasureNBT([]string{file}, func(int) {})
	if err != nil || len(tokens) != 4 {
		t.Fatalf("nbt: %+v, %v", tokens, err)
	}
	for _, n := range tokens {
		if n.Documents+n.Refused != tokens[0].Documents+tokens[0].Refused || n.Decode <= 0 {
			t.Errorf("nbt: %+v", n)
		}
	}
}

func TestWorlds(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"a/region", "a/DIM-1/region", "b/c/region", "d"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	got, err := peer.Worlds(dir)
	want := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b/c")}
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
