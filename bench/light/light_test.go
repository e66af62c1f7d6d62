package light_test

import (
	"context"
	"testing"

	"github.com/cairnvoxel/cairn/bench/labtest"
	"github.com/cairnvoxel/cairn/bench/light"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// differing counts the cells that differ, by whether others make them.
func differing(t *testing.T, k light.Kind) (own, carried int64) {
	t.Helper()
	for _, c := range k.Causes {
		own += c.Darker + c.Brighter
	}
	if k.Cells != k.Equal+k.Carried+own || k.Play < k.PlayEqual || k.Cells == 0 || k.Play-k.PlayEqual != k.Cells-k.Equal {
		t.Errorf("does not add up: %+v", k)
	}
	return own, k.Carried
}

func mustBenchLight(t *testing.T, dir string) light.Version {
	t.Helper()
	r, err := light.Bench(context.Background(), []string{dir}, labtest.Small())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Versions) != 1 || len(r.Skipped) != 0 || r.Flooded == 0 {
		t.Fatalf("got %+v", r)
	}
	labtest.JSON(t, r)
	labtest.Table(t, r.Table, "M cells/s", "carried", "elsewhere")
	return r.Versions[0]
}

// A lamp that is not there lights its cell and, as far as anybody can tell rightly, those
// around it.
func TestBenchLight(t *testing.T) {
	w, err := convert.Load(context.Background(), terrain.Island(terrain.Options{Seed: 2, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	before := mustBenchLight(t, labtest.Anvil(t, w.Source(), t.TempDir(), "as made"))
	own, carried := differing(t, before.Block)
	if differing(t, before.Sky); before.Columns == 0 || before.Sky.Equal*10 < before.Sky.Cells*9 {
		t.Errorf("not plausible: %+v", before)
	}
	v := w.Dimensions[0].Volume(voxel.Light)
	pos, in := emptyNook(t, w.Dimensions[0])
	c := v.Chunks[pos]
	if c == nil {
		c = voxel.Uniform(0)
	}
	e := c.Edit()
	e.Set(in.X, in.Y, in.Z, 5)
	e.Set(in.X+1, in.Y, in.Z, 4)
	v.Chunks[pos] = e.Publish(new(voxel.ChunkBuilder))
	after := mustBenchLight(t, labtest.Anvil(t, w.Source(), t.TempDir(), "changed"))
	ownNow, carriedNow := differing(t, after.Block)
	if after.Block.Equal != before.Block.Equal-2 || carriedNow-carried != 1 || ownNow-own != 1 {
		t.Errorf("two cells more that differ, one for the other: got %d equal, %d and %d that differ, before %d, %d and %d",
			after.Block.Equal, ownNow, carriedNow, before.Block.Equal, own, carried)
	}
}

// emptyNook returns a place of air without block light near, within a chunk that has light.
func emptyNook(t *testing.T, d *convert.LoadedDimension) (geom.ChunkPos, geom.Point) {
	t.Helper()
	blocks, lamps := d.Volume(voxel.Block), d.Volume(voxel.Light)
	for _, pos := range blocks.Positions() {
		for y := 4; y < 28; y += 4 {
			at := geom.Point{X: 10, Y: y, Z: 10}
			empty := true
			for i := range 5 * 5 * 5 {
				x, y, z := at.X+i%5-2, at.Y+i/25-2, at.Z+i/5%5-2
				empty = empty && blocks.Chunks[pos].Cell(x, y, z) == voxel.Empty && (lamps.Chunks[pos] == nil || lamps.Chunks[pos].Cell(x, y, z) == 0)
			}
			if empty && hasSection(d, pos, y) {
				return pos, at
			}
		}
	}
	t.Fatal("no air")
	return geom.ChunkPos{}, geom.Point{}
}

func hasSection(d *convert.LoadedDimension, pos geom.ChunkPos, y int) bool {
	for _, c := range d.Columns {
		for _, s := range c.Sections {
			if c.Pos.Chunk(int(s.Y)*16) == pos && c.Pos.X == pos.X*2 && c.Pos.Z == pos.Z*2 && int(s.Y)&1 == y>>4 && s.Has&voxel.HasLight != 0 {
				return true
			}
		}
	}
	return false
}
