package peer

import (
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

type flat = [voxel.ChunkCells]voxel.Cell

// grid puts sections together to chunks.
type grid struct {
	value   voxel.Cell // where nothing is stored
	chunks  map[geom.ChunkPos]*voxel.Chunk
	open    map[geom.ChunkPos]*flat // chunks of the footprint being filled
	spare   []*flat
	builder voxel.Builder
}

func newGrid(value voxel.Cell) *grid {
	return &grid{value: value, chunks: map[geom.ChunkPos]*voxel.Chunk{}, open: map[geom.ChunkPos]*flat{}}
}

// section sets the 4096 cells of a section, index y*256+z*16+x.
func (g *grid) section(at geom.ColumnPos, y int8, cell func(i int) voxel.Cell) {
	low := at.Min(int(y) * geom.ColumnEdge)
	cells, p := g.flat(low.Chunk()), low.InChunk()
	for i := range 4096 {
		x, z, y := i&15, i>>4&15, i>>8
		cells[((p.Y+y)*voxel.ChunkEdge+p.Z+z)*voxel.ChunkEdge+p.X+x] = cell(i)
	}
}

func (g *grid) flat(pos geom.ChunkPos) *flat {
	if cells := g.open[pos]; cells != nil {
		return cells
	}
	for other := range g.open {
		if other.X != pos.X || other.Z != pos.Z {
			g.flush()
		}
		break
	}
	cells := g.unpack(pos)
	g.open[pos] = cells
	return cells
}

// unpack returns the cells that are at pos so far.
func (g *grid) unpack(pos geom.ChunkPos) *flat {
	cells := new(flat)
	if n := len(g.spare); n > 0 {
		cells, g.spare = g.spare[n-1], g.spare[:n-1]
	}
	if c := g.chunks[pos]; c != nil {
		c.Flat(cells)
		return cells
	}
	for i := range cells {
		cells[i] = g.value
	}
	return cells
}

// flush packs what has been filled.
func (g *grid) flush() {
	for pos, cells := range g.open {
		c := g.builder.Pack(cells)
		if v, ok := c.Uniform(); ok && v == g.value {
			delete(g.chunks, pos)
		} else {
			g.chunks[pos] = c
		}
		g.spare = append(g.spare, cells)
	}
	clear(g.open)
}

// finish flushes and leaves nothing but the chunks.
func (g *grid) finish() map[geom.ChunkPos]*voxel.Chunk {
	g.flush()
	return g.chunks
}

// blocks returns the cells of a section's blocks.
func blocks(c format.Cells) func(i int) voxel.Cell {
	if len(c.Block) == 1 {
		return func(int) voxel.Cell { return c.Block[0] }
	}
	return func(i int) voxel.Cell { return c.Block[i] }
}

// nibbles returns the cells of a section's light.
func nibbles(b []byte) func(i int) voxel.Cell {
	return func(i int) voxel.Cell { return voxel.Cell(b[i>>1] >> (i & 1 * 4) & 15) }
}
