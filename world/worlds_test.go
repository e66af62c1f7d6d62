package world_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// fromFolder brings a real world into a store and opens it.
func fromFolder(t *testing.T, path string) *world.World {
	t.Helper()
	src, err := anvil.Open(path, anvil.Options{})
	if err != nil {
		t.Skip(err)
	}
	defer src.Close()
	from, err := convert.Load(ctx, src)
	if err != nil {
		t.Skip(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, from, &out, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	st := newStore()
	if _, err := world.Import(ctx, st, "a", history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "import"); err != nil {
		t.Fatal(err)
	}
	return open(t, st, "a", world.Options{Whole: true, Relight: true, Manual: true})
}

// differ counts the cells of light that differ between two views, where the first
// has light.
func differ(a, b *world.Dimension) (n int) {
	var x, y [voxel.ChunkCells]voxel.Cell
	for has, name := range map[voxel.Has]string{voxel.HasSky: voxel.Sky, voxel.HasLight: voxel.Light} {
		v, w := a.Volume(name), b.Volume(name)
		for pos := range b.Volume(name).Chunks() {
			c, _ := v.Chunk(pos)
			d, _ := w.Chunk(pos)
			if c == d {
				continue
			}
			v.ReadBox(pos.Box(), 0, x[:])
			w.ReadBox(pos.Box(), 0, y[:])
			for i := range x {
				at := pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})
				if x[i] != y[i] && hasLight(a, at, has) {
					n++
				}
			}
		}
	}
	return n
}

func hasLight(d *world.Dimension, p geom.Point, has voxel.Has) bool {
	c, _ := d.Column(geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)})
	return c != nil && slices.ContainsFunc(c.Sections, func(s voxel.Section) bool { return int(s.Y) == p.Y>>4 && s.Has&has != 0 })
}

// Blocks of real worlds are taken away and put back, one by one and in lumps:
// the light comes back too, but for a little where it was not as the rule has it.
func TestRelightWorlds(t *testing.T) {
	long.Rest(t)
	onlyInFull(t)
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	list, err := os.ReadDir(filepath.Join(root, "anvil"))
	if err != nil {
		t.Skip(err)
	}
	changed, left, edits := 0, 0, 0
	for i := 0; i < len(list); i += 12 {
		t.Run(list[i].Name(), func(t *testing.T) {
			w := fromFolder(t, filepath.Join(root, "anvil", list[i].Name()))
			defer closeWorld(t, w)
			c, l, e := takeAndPut(t, w, rand.New(rand.NewPCG(1, uint64(i))))
			t.Logf("%d edits: %d cells of light changed, %d did not come back", e, c, l)
			changed, left, edits = changed+c, left+l, edits+e
		})
	}
	t.Logf("%d edits: %d cells of light changed, %d did not come back", edits, changed, left)
	if left*20 > changed {
		t.Errorf("of %d cells of light that changed %d did not come back", changed, left)
	}
}

func takeAndPut(t *testing.T, w *world.World, r *rand.Rand) (changed, left, edits int) {
	t.Helper()
	first := w.View().Dimensions()[0]
	v := first.Volume(voxel.Block)
	if v == nil {
		return 0, 0, 0
	}
	var at []geom.ChunkPos
	for pos := range v.Chunks() {
		at = append(at, pos)
	}
	for try := 0; try < 400 && edits < 12 && len(at) > 0; try++ {
		p := at[r.IntN(len(at))].Min().Add(geom.Point{X: r.IntN(32), Y: r.IntN(32), Z: r.IntN(32)})
		size := 1 + edits%2*4
		box := geom.Box{Min: p, Max: p.Add(geom.Point{X: size, Y: size, Z: size})}
		cells := make([]voxel.Cell, box.Cells())
		if c, _ := v.Cell(p); c == voxel.Empty || !v.ReadBox(box, 0, cells) {
			continue
		}
		before := w.View().Dimension(first.Name())
		update(t, w, func(tx *world.Tx) {
			tx.Dimension(first.Name()).Volume(voxel.Block).WriteBox(box, make([]voxel.Cell, len(cells)))
		})
		commit(t, w)
		n := differ(before, w.View().Dimension(first.Name()))
		if n == 0 {
			continue // deep in stone
		}
		changed += n
		edits++
		update(t, w, func(tx *world.Tx) { tx.Dimension(first.Name()).Volume(voxel.Block).WriteBox(box, cells) })
		commit(t, w)
		back := w.View().Dimension(first.Name())
		left += differ(before, back)
		for pos, c := range back.Columns(box) {
			if old, _ := before.Column(pos); c != nil && c.Stale != old.Stale {
				t.Errorf("column %v: stale %d", pos, c.Stale)
			}
		}
	}
	return changed, left, edits
}
