//go:build !amd64

package voxel

// wide is never so: there are kernels for amd64 only.
var wide = false

//go:noinline
func readRow(c *Chunk, y, z int, buf *[64]Cell) []Cell { return plainRow(c, y, z, buf) }

//go:noinline
func readCell(c *Chunk, x, y, z int) Cell { return plainCell(c, x, y, z) }
