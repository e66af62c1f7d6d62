package voxel_test

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

// A kernel must read as its twin in Go does, for chunks of every kind and for the
// smallest, whose data ends soonest.
func TestKernels(t *testing.T) {
	if !voxel.Wide {
		t.Skip("the processor has no kernels")
	}
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		mustReadAlike(t, c)
		table := make([]voxel.Cell, 1<<15)
		for v := range table {
			table[v] = voxel.Cell(v ^ 1)
		}
		mustReadAlike(t, c.Translate(table))
	})
	for i := range 64 {
		f := new(flat)
		f[i*520] = voxel.Cell(i + 1)
		mustReadAlike(t, voxel.FromFlat(f))
	}
}

func mustReadAlike(t *testing.T, c *voxel.Chunk) {
	t.Helper()
	var buf, twin [64]voxel.Cell
	for y := range 32 {
		if _, ok := c.SliceUniform(y); ok {
			continue
		}
		for z := range 32 {
			row, want := c.Row(y, z, &buf), voxel.PlainRow(c, y, z, &twin)
			if !slices.Equal(row, want) {
				t.Fatalf("Row(%d,%d) is %d, its twin %d", y, z, row, want)
			}
			for x := range 32 {
				if got, want := c.Cell(x, y, z), voxel.PlainCell(c, x, y, z); got != want {
					t.Fatalf("Cell(%d,%d,%d) is %d, its twin %d", x, y, z, got, want)
				}
			}
		}
	}
}

// A row may be returned by the function whose buffer it lies in: the compiler
// must know that it does.
func TestRowOutlivesBuffer(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		for yz := range 1024 {
			row := rowOfOwnBuffer(c, yz>>5, yz&31)
			overwriteStack()
			if !slices.Equal(row, want[yz*32:][:32]) {
				t.Fatalf("Row(%d,%d) is %d after its buffer went out of scope, want %d", yz>>5, yz&31, row, want[yz*32:][:32])
			}
		}
	})
}

//go:noinline
func rowOfOwnBuffer(c *voxel.Chunk, y, z int) []voxel.Cell {
	var buf [64]voxel.Cell
	return c.Row(y, z, &buf)
}

//go:noinline
func overwriteStack() {
	var cells [1024]voxel.Cell
	for i := range cells {
		cells[i] = voxel.MaxCell
	}
	runtime.KeepAlive(&cells)
}

// All that reads must do so too on a processor without kernels.
func TestWithoutKernels(t *testing.T) {
	if !voxel.Wide {
		t.Skip("the processor has no kernels, so no test used any")
	}
	voxel.UseKernels(false)
	defer voxel.UseKernels(true)
	t.Run("reads", TestReads)
	t.Run("boxes", TestReadBox)
	t.Run("counts", TestCounts)
	t.Run("translation", TestTranslate)
	t.Run("buffers", TestRowOutlivesBuffer)
	t.Run("allocations", TestReadsDoNotAllocate)
}
