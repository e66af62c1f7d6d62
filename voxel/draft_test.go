package voxel_test

import (
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

func TestDraft(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		d := c.Edit()
		before := *want
		for range 4 {
			for range 20 {
				randomWrite(t, r, d, want, 1)
			}
			got := d.Publish(new(voxel.ChunkBuilder))
			mustEqual(t, got, want)
			mustEqual(t, c, &before)
			if !got.Equal(voxel.FromFlat(want)) {
				t.Fatal("not the form that FromFlat gives")
			}
			if got.Edit().Publish(new(voxel.ChunkBuilder)) != got || d.Publish(new(voxel.ChunkBuilder)) != got {
				t.Fatal("publishing nothing made another chunk")
			}
		}
	})
}

// randomWrite writes multiples of unit to d and want.
func randomWrite(t *testing.T, r *rand.Rand, d *voxel.Draft, want *flat, unit voxel.Cell) {
	t.Helper()
	b := randomBox(r)
	v := voxel.Cell(r.IntN(4)) * unit
	switch r.IntN(4) {
	case 0:
		d.Fill(b, v)
		eachIn(b, func(x, y, z int) { want[at(x, y, z)] = v })
	case 1:
		src := make([]voxel.Cell, 0, b.Cells())
		eachIn(b, func(x, y, z int) {
			src = append(src, v+voxel.Cell(bit(r.IntN(30) == 0))*unit)
			want[at(x, y, z)] = src[len(src)-1]
		})
		d.WriteBox(b, src)
	default:
		i := r.IntN(len(want))
		d.Set(i&31, i>>10, i>>5&31, v)
		want[i] = v
		if got := d.Cell(i&31, i>>10, i>>5&31); got != v {
			t.Fatalf("cell %d is %d after writing %d", i, got, v)
		}
	}
}

// Writing a cell and writing it back must not cost a chunk.
func TestDraftUndone(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		d := c.Edit()
		for range 30 {
			i := r.IntN(len(want))
			d.Set(i&31, i>>10, i>>5&31, want[i]^1)
			d.Set(i&31, i>>10, i>>5&31, want[i])
		}
		if d.Publish(new(voxel.ChunkBuilder)) != c {
			t.Error("another chunk of the same cells")
		}
	})
}
