package voxel

import (
	"slices"
	"unsafe"
)

// The twins of the kernels, and whether the processor has these.
var (
	PlainRow  = plainRow
	PlainCell = plainCell
	Wide      = wide
)

// UseKernels says whether reads use the kernels; the processor must have them.
func UseKernels(use bool) { wide = use }

// In returns c with its data at the end or the start of mem, with no more room
// than kernels may use.
func (c *Chunk) In(mem []byte, atEnd bool) *Chunk {
	if len(c.data) == 0 {
		return c
	}
	room := max(len(c.data), min(cap(c.data), maxBytes))
	if atEnd {
		mem = mem[len(mem)-2*room:]
	}
	data := unsafe.Slice((*Cell)(unsafe.Pointer(&mem[0])), room)[:len(c.data)]
	copy(data, c.data)
	return &Chunk{slices: c.slices, data: data, plain: c.plain}
}

// SameForm reports whether c and d are the same in memory.
func (c *Chunk) SameForm(d *Chunk) bool {
	return c.slices == d.slices && slices.Equal(c.data, d.data)
}

// SliceUniform is sliceUniform.
func (p Mip) SliceUniform(y int) (Cell, bool) { return p.sliceUniform(y) }
