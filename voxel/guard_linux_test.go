package voxel_test

import (
	"math"
	"math/rand/v2"
	"runtime/debug"
	"syscall"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
)

// Reads must stay within data: here it ends where memory does, or starts there.
func TestReadsStayInside(t *testing.T) {
	mem := guarded(t)
	table := make([]voxel.Cell, 1<<15)
	for v := range table {
		table[v] = voxel.Cell(v ^ 1)
	}
	check := func(t *testing.T, c *voxel.Chunk) {
		for _, c := range []*voxel.Chunk{c, c.Translate(table)} {
			for _, atEnd := range []bool{true, false} {
				mustStayInside(t, c.In(mem, atEnd))
			}
		}
	}
	each(t, func(t *testing.T, r *rand.Rand, want *flat, c *voxel.Chunk) {
		check(t, c)
		d := c.Edit()
		d.Set(r.IntN(32), r.IntN(32), r.IntN(32), voxel.Cell(r.IntN(1<<15)))
		check(t, d.Publish(new(voxel.ChunkBuilder)))
		for range 3 {
			d.Set(r.IntN(32), r.IntN(32), r.IntN(32), voxel.Cell(r.IntN(1<<15)))
			check(t, patch(d))
		}
	})
	for range 50 { // all of the data is what was written
		d := voxel.Uniform(1).Edit()
		d.Set(rand.IntN(32), rand.IntN(32), rand.IntN(32), 2)
		check(t, patch(d))
	}
	for k := range 70 {
		for _, kinds := range []int{1, 2, 70} {
			check(t, voxel.FromFlat(fewRows(k, kinds)))
		}
	}
}

// guarded returns as much memory as a flat chunk takes, between pages that must
// not be touched.
func guarded(t *testing.T) []byte {
	page := syscall.Getpagesize()
	size := (2*voxel.ChunkCells + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no memory to map: %v", err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, guard := range [][]byte{mem[:page], mem[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Skipf("no memory to protect: %v", err)
		}
	}
	return mem[page : page+size]
}

// fewRows is k cells of a few kinds, each in another place of its row of the top
// slice, so that there is little data, with or without a list.
func fewRows(k, kinds int) *flat {
	f := new(flat)
	for i := range k {
		f[31*1024+i&31*32+(31-i-i>>5)&31] = voxel.Cell(i%kinds + 1)
	}
	return f
}

func mustStayInside(t *testing.T, c *voxel.Chunk) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	if voxel.Wide {
		mustReadAlike(t, c)
	}
	var buf [64]voxel.Cell
	for _, far := range []int{-1, 32, 33, -32, 1 << 15, 1 << 16, math.MaxInt32, math.MinInt32, math.MaxInt, math.MinInt} {
		for at := range 32 {
			mustNotFault(t, func() { c.Row(at, far, &buf) })
			mustNotFault(t, func() { c.Row(far, at, &buf) })
			mustNotFault(t, func() { c.Cell(far, at, at) })
			mustNotFault(t, func() { c.Cell(at, at, far) })
			mustNotFault(t, func() { c.Cell(at, far, at) })
		}
	}
}

// mustNotFault runs f, which may panic, though not for memory it must not touch.
func mustNotFault(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if fault, ok := recover().(interface{ Addr() uintptr }); ok {
			t.Fatalf("%v at %#x", fault, fault.Addr())
		}
	}()
	f()
}
