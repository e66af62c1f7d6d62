package voxel

// Translate returns a chunk in which every cell v is table[v]. It costs as
// much as there are headers and distinct rows, unless table makes two cells of
// the chunk equal. It panics if a cell is not below len(table).
func (c *Chunk) Translate(table []Cell) *Chunk {
	var flat [ChunkCells]Cell
	c.Flat(&flat)
	for i, v := range flat {
		flat[i] = table[v]
	}
	return Pack(&flat)
}
