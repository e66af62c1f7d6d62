package voxel

// Highest returns the greatest cell of the chunk.
func (c *Chunk) Highest() Cell {
	highest := Empty
	c.eachRun(func(v Cell, _ int) { highest = max(highest, v) })
	return highest
}
