package masks_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// made returns an open world that was made up.
func made(t *testing.T) *world.World {
	t.Helper()
	st := memory.New(memory.Options{})
	src, err := convert.Load(t.Context(), terrain.Survival(terrain.Options{Seed: 7, Size: 4, Version: terrain.Modern}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), src, &out, stone.Options{Effort: stone.Quick})
	if err == nil {
		_, err = world.Import(t.Context(), st, "arena", history.Stone{ID: id, Data: out.Bytes()}, world.Options{}, "made")
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(t.Context(), st, "arena", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestChanged holds the cells that differ between versions against a list of those that were
// written.
func TestChanged(t *testing.T) {
	w := made(t)
	defer w.Close()
	rng := rand.New(rand.NewPCG(3, 4))
	first := w.Head()
	want := make(map[geom.Point]bool)
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		c := v.Named("test:new")
		for range 2000 {
			p := geom.Point{X: rng.IntN(70) - 3, Y: 90 + rng.IntN(8), Z: rng.IntN(40)}
			want[p] = true
			v.Set(p, c)
		}
		return v.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.Commit(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var got masks.Changed
	for _, ids := range [][2]history.ID{{first, c.ID()}, {first, first}, {c.ID(), first}} {
		a, err := w.SnapshotAt(t.Context(), ids[0])
		if err != nil {
			t.Fatal(err)
		}
		b, err := w.SnapshotAt(t.Context(), ids[1])
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(got.Add(t.Context(), a, b, "overworld", voxel.Block), got.Add(t.Context(), a, b, "overworld", "none"), a.Close(), b.Close()); err != nil {
			t.Fatal(err)
		}
	}
	few := masks.Changed{Most: 2}
	a, err := w.SnapshotAt(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	now, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if err := few.Add(t.Context(), a, now, "overworld", voxel.Block); err == nil {
		t.Error("more chunks than allowed")
	}
	n := 0
	b := got.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			last := b.Min.X - 1
			got.Spans(y, z, func(x0, x1 int) bool {
				if x0 <= last || x0 >= x1 {
					t.Errorf("row %d, %d: run %d..%d after %d", y, z, x0, x1, last)
				}
				for x := x0; x < x1; x++ {
					if n++; !want[geom.Point{X: x, Y: y, Z: z}] {
						t.Errorf("%d,%d,%d did not change", x, y, z)
					}
				}
				last = x1
				return true
			})
		}
	}
	if n != len(want) {
		t.Errorf("%d cells changed, want %d", n, len(want))
	}
	for p := range want {
		if !got.Contains(p) || got.Contains(p.Add(geom.Point{Y: 32})) {
			t.Errorf("%v", p)
		}
	}
	if n := region.Count(new(masks.Changed)); n != 0 {
		t.Errorf("the zero value has %d cells", n)
	}
}
