package lab

import "github.com/cairnvoxel/cairn/voxel"

const (
	FlatChunkBytes = 2 * voxel.ChunkCells
	FlatDefault    = 1 << 30
)

// FlatChunk is the rival of a chunk: its cells as an array.
type FlatChunk = [voxel.ChunkCells]voxel.Cell

// The reads that are timed are plain functions: what a closure costs would
// hide what a read costs.

// SumRow is the work done on a row: the same machine code for either form,
// because where a loop happens to lie in memory makes a factor of two.
//
//go:noinline
func SumRow(row []voxel.Cell) (sum int) {
	for _, v := range row {
		sum += int(v)
	}
	return sum
}

// ScanFlats sums every row of flat chunks.
func ScanFlats(flats []*FlatChunk) (sum int) {
	for _, f := range flats {
		for i := 0; i < len(f); i += voxel.ChunkEdge {
			sum += SumRow(f[i : i+voxel.ChunkEdge])
		}
	}
	return sum
}

// ScanChunks sums every row of chunks.
func ScanChunks(chunks []*voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for _, c := range chunks {
		for y := range voxel.ChunkEdge {
			for z := range voxel.ChunkEdge {
				sum += SumRow(c.Row(y, z, &buf))
			}
		}
	}
	return sum
}

// SkipChunks sums every row of chunks, slices of one cell at once.
func SkipChunks(chunks []*voxel.Chunk) (sum int) {
	for _, c := range chunks {
		sum += SkipChunk(c)
	}
	return sum
}

// SkipChunk does what SkipChunks does with one chunk.
func SkipChunk(c *voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for y := range voxel.ChunkEdge {
		if v, ok := c.SliceUniform(y); ok {
			sum += int(v) * voxel.SliceCells
			continue
		}
		for z := range voxel.ChunkEdge {
			sum += SumRow(c.Row(y, z, &buf))
		}
	}
	return sum
}

// Random reads are at numbers that count the cells of all chunks in order.

// RowsFlats sums the rows at some places.
func RowsFlats(flats []*FlatChunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += SumRow(flats[p>>15][p&0x7FE0:][:voxel.ChunkEdge])
	}
	return sum
}

// RowsChunks sums the rows at some places.
func RowsChunks(chunks []*voxel.Chunk, at []uint32) (sum int) {
	var buf [64]voxel.Cell
	for _, p := range at {
		sum += SumRow(chunks[p>>15].Row(int(p>>10&31), int(p>>5&31), &buf))
	}
	return sum
}

// CellsFlats sums the cells at some places.
func CellsFlats(flats []*FlatChunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += int(flats[p>>15][p&0x7FFF])
	}
	return sum
}

// CellsChunks sums the cells at some places.
func CellsChunks(chunks []*voxel.Chunk, at []uint32) (sum int) {
	for _, p := range at {
		sum += int(chunks[p>>15].Cell(int(p&31), int(p>>10&31), int(p>>5&31)))
	}
	return sum
}
