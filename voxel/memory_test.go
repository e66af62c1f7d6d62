package voxel_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

// No chunk comes back as none.
func TestAppendMemoryOfNone(t *testing.T) {
	b := voxel.Uniform(3).AppendMemory((*voxel.Chunk)(nil).AppendMemory(nil))
	if c, rest := voxel.FromMemory(b); c != nil || len(rest) == 0 {
		t.Errorf("%v, and %d bytes after it", c, len(rest))
	}
}

// A chunk comes back from its memory as it was: patched or not, and readable by kernels.
func TestAppendMemory(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		d := c.Edit()
		d.Set(int(r.IntN(32)), int(r.IntN(32)), int(r.IntN(32)), voxel.Cell(r.IntN(1<<15)))
		for _, c := range []*voxel.Chunk{c, patch(d)} {
			end := []byte("the next chunk")
			got, rest := voxel.FromMemory(append(c.AppendMemory(nil), end...))
			if !got.SameForm(c) || !bytes.Equal(rest, end) {
				t.Fatalf("%d bytes of %d in memory, and %q after them", got.Bytes(), c.Bytes(), rest)
			}
			mustReadAlike(t, got)
		}
	})
}
