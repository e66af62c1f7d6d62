package measure

import "github.com/cairnvoxel/cairn/voxel"

// The reads that are timed are plain functions: what a closure costs would
// hide what a read costs.

// sumRow is the work done on a row: the same machine code for either form,
// because where a loop happens to lie in memory makes a factor of two.
//
//go:noinline
func sumRow(row []voxel.Cell) (sum int) {
	for _, v := range row {
		sum += int(v)
	}
	return sum
}

func scanFlats(flats []*flatChunk) (sum int) {
	for _, f := range flats {
		for i := 0; i < len(f); i += voxel.ChunkEdge {
			sum += sumRow(f[i : i+voxel.ChunkEdge])
		}
	}
	return sum
}

func scanChunks(chunks []*voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for _, c := range chunks {
		for y := range voxel.ChunkEdge {
			for z := range voxel.ChunkEdge {
				sum += sumRow(c.Row(y, z, &buf))
			}
		}
	}
	return sum
}

func skipChunks(chunks []*voxel.Chunk) (sum int) {
	for _, c := range chunks {
		sum += skipChunk(c)
	}
	return sum
}

func skipChunk(c *voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for y := range voxel.ChunkEdge {
		if v, ok := c.SliceUniform(y); ok {
			sum += int(v) * voxel.SliceCells
			continue
		}
		for z := range voxel.ChunkEdge {
			sum += sumRow(c.Row(y, z, &buf))
		}
	}
	return sum
}

// Random reads are at numbers that count the cells of all chunks in order.

func rowsFlats(flats []*flatChunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += sumRow(flats[p>>15][p&0x7FE0:][:voxel.ChunkEdge])
	}
	return sum
}

func rowsChunks(chunks []*voxel.Chunk, at []uint32) (sum int) {
	var buf [64]voxel.Cell
	for _, p := range at {
		sum += sumRow(chunks[p>>15].Row(int(p>>10&31), int(p>>5&31), &buf))
	}
	return sum
}

func cellsFlats(flats []*flatChunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += int(flats[p>>15][p&0x7FFF])
	}
	return sum
}

func cellsChunks(chunks []*voxel.Chunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += int(chunks[p>>15].Cell(int(p&31), int(p>>10&31), int(p>>5&31)))
	}
	return sum
}
