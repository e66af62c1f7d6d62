package world_test

import (
	"bytes"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// imported makes a world of a source.
func imported(t testing.TB, st history.Store, name string, src format.Source) *convert.Loaded {
	t.Helper()
	have, err := convert.Load(ctx, src)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(ctx, have, &out, stone.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := world.Import(ctx, st, name, history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "import"); err != nil {
		t.Fatal(err)
	}
	return have
}

// exported returns the last commit of w as a world in memory.
func exported(t testing.TB, w *world.World) *convert.Loaded {
	t.Helper()
	r, err := wholeStone(w)
	if err != nil {
		t.Fatal(err)
	}
	out, err := convert.FromContent(ctx, r, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func difference(t testing.TB, a, b *convert.Loaded) *diff.Difference {
	t.Helper()
	d, err := diff.Worlds(t.Context(), a.Content(), b.Content(), diff.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// A world that was imported is what it was, packed or not; an edit changes the
// cell, the height maps above it and what is known of its light.
func TestImportedWorld(t *testing.T) {
	onlyInFull(t)
	for _, version := range []int32{0, terrain.Modern} {
		st := newStore()
		have := imported(t, st, "a", terrain.Island(terrain.Options{Seed: 3, Version: version}))
		w := open(t, st, "a", world.Options{Manual: true})
		if d := difference(t, have, exported(t, w)); !d.Same() {
			t.Errorf("version %d: imported: %+v", version, d)
		}
		d := w.View().Dimensions()[0]
		p := geom.Point{X: 5, Y: 100, Z: 7}
		held, err := w.Load(ctx, d.Name(), geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}, voxel.Block, world.Columns)
		if err != nil {
			t.Fatal(err)
		}
		update(t, w, func(tx *world.Tx) {
			v := tx.Dimension(d.Name()).Volume(voxel.Block)
			v.Set(p, voxel.Cell(len(v.Names())-1))
		})
		commit(t, w)
		for _, pack := range []bool{false, true} {
			if pack {
				if err := w.Pack(ctx); err != nil {
					t.Fatal(err)
				}
			}
			got := difference(t, have, exported(t, w))
			if got.Cells != 1 || got.Columns != 1 || got.Objects != 0 || got.Files != 0 || got.Properties != 0 {
				t.Errorf("version %d, packed %v: %+v, want one cell and its column", version, pack, got)
			}
			checkEdited(t, w, d.Name(), p)
		}
		held.Release()
		closeWorld(t, w)
	}
}

// checkEdited checks what follows from a block at p that is the highest of its
// column.
func checkEdited(t *testing.T, w *world.World, dim string, p geom.Point) {
	t.Helper()
	pos := geom.ColumnPos{X: int32(p.X >> 4), Z: int32(p.Z >> 4)}
	c, ok := w.View().Dimension(dim).Column(pos)
	if !ok || c == nil {
		t.Fatalf("column %v: %v, %v", pos, c, ok)
	}
	if c.Stale != voxel.HasSky|voxel.HasLight {
		t.Errorf("column %v: stale %d", pos, c.Stale)
	}
	highest := int32(0)
	for _, m := range c.Maps {
		highest = max(highest, m.Values[(p.Z&15)*16+p.X&15])
	}
	if base := highest - int32(p.Y) - 1; base != 0 && base != 64 {
		t.Errorf("column %v: the highest map says %d above a block at height %d", pos, highest, p.Y)
	}
}
