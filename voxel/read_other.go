//go:build !amd64

package voxel

// wide is false: only amd64 has kernels.
var wide = false

//go:noinline
func readRow(c *Chunk, y, z int, buf *[64]Cell) []Cell { return plainRow(c, y, z, buf) }

//go:noinline
func readCell(c *Chunk, x, y, z int) Cell { return plainCell(c, x, y, z) }
