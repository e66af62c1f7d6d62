package convert

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// canvas fills the chunks of a volume from columns. A chunk in work is flat. The canvas closes
// a tower, and so makes its chunks, when every column of the tower is done or when too many
// chunks are open. A later column opens the tower again.
type canvas struct {
	v        *LoadedVolume
	perChunk int // columns along an edge of a chunk: 2 at scale 1, 8 at scale 4
	towers   map[geom.ColumnPos]*openTower
	order    []geom.ColumnPos // towers, in the order in which they were used last
	free     []*flat
	builder  voxel.ChunkBuilder
	open     int // flat chunks held
	bound    *budget
	takeBack func(geom.ChunkPos) *voxel.Chunk // a chunk that left memory, or nil
	blank    flat                             // the default throughout
}

type flat [voxel.ChunkCells]voxel.Cell

// openTower is the open chunks over one footprint. Its key counts chunks.
type openTower struct {
	columns int // how many are done
	chunks  map[int32]*flat
}

// maxOpen bounds the flat chunks that a canvas holds (1.5 MiB).
const maxOpen = 24

// newCanvas returns a canvas for v, or nil if v is nil or differs from like in schema or scale.
func newCanvas(v *LoadedVolume, like voxel.Volume, bound *budget, takeBack func(geom.ChunkPos) *voxel.Chunk) *canvas {
	if v == nil || v.Schema != like.Schema || v.Scale != like.Scale {
		return nil
	}
	c := &canvas{v: v, perChunk: geom.ChunkEdge * v.Scale / geom.ColumnEdge, towers: map[geom.ColumnPos]*openTower{}, bound: bound, takeBack: takeBack}
	for i := range c.blank {
		c.blank[i] = v.Default
	}
	return c
}

func (c *canvas) key(pos geom.ColumnPos) geom.ColumnPos {
	return geom.ColumnPos{X: int32(geom.FloorDiv(int(pos.X), c.perChunk)), Z: int32(geom.FloorDiv(int(pos.Z), c.perChunk))}
}

// at returns the flat chunk at height y (in cells of the volume) of a column, and the index of
// the column's first cell in it.
func (c *canvas) at(pos geom.ColumnPos, y, edge int) (*flat, int) {
	key := c.key(pos)
	f := c.tower(key)
	cy := int32(y >> geom.ChunkShift)
	cells := f.chunks[cy]
	if cells == nil {
		cells = c.openChunk(geom.ChunkPos{X: key.X, Y: cy, Z: key.Z})
		f.chunks[cy] = cells
	}
	x := geom.FloorMod(int(pos.X), c.perChunk) * edge
	z := geom.FloorMod(int(pos.Z), c.perChunk) * edge
	return cells, (y&(geom.ChunkEdge-1)*geom.ChunkEdge+z)*geom.ChunkEdge + x
}

// tower returns the tower of that key and makes it the last one to be closed.
func (c *canvas) tower(key geom.ColumnPos) *openTower {
	if n := len(c.order); n > 0 && c.order[n-1] == key {
		return c.towers[key]
	}
	f := c.towers[key]
	if f == nil {
		f = &openTower{chunks: map[int32]*flat{}}
		c.towers[key] = f
	}
	c.order = append(slices.DeleteFunc(c.order, func(k geom.ColumnPos) bool { return k == key }), key)
	return f
}

func (c *canvas) openChunk(pos geom.ChunkPos) *flat {
	for c.open >= maxOpen && len(c.order) > 1 {
		c.close(c.order[0]) // never the tower of pos, which at has moved to the end
	}
	c.open++
	var cells *flat
	if n := len(c.free); n > 0 {
		cells, c.free = c.free[n-1], c.free[:n-1]
	} else {
		cells = new(flat)
	}
	old := c.v.Chunks[pos]
	if old != nil {
		delete(c.v.Chunks, pos) // a spill must not have it as it is now
		c.bound.chunk(old, -1)
	} else {
		old = c.takeBack(pos)
	}
	if old != nil {
		old.Flat((*[voxel.ChunkCells]voxel.Cell)(cells))
		return cells
	}
	*cells = c.blank
	return cells
}

// cells stores edge*edge*edge cells, or one cell for all of them. Each place is stored to at
// most once, so the default needs no storing.
func (c *canvas) cells(pos geom.ColumnPos, y, edge int, cells []voxel.Cell) {
	if c == nil || len(cells) == 0 || len(cells) == 1 && cells[0] == c.v.Default {
		return
	}
	to, i := c.at(pos, y, edge)
	var one [geom.ColumnEdge]voxel.Cell
	for x := range one {
		one[x] = cells[0]
	}
	for dy := range edge {
		for z := range edge {
			row := to[i+(dy*geom.ChunkEdge+z)*geom.ChunkEdge:][:edge]
			if len(cells) == 1 && edge == geom.ColumnEdge {
				*(*[geom.ColumnEdge]voxel.Cell)(row) = one
				continue
			}
			if len(cells) == 1 {
				copy(row, one[:])
				continue
			}
			if edge == geom.ColumnEdge {
				*(*[geom.ColumnEdge]voxel.Cell)(row) = [geom.ColumnEdge]voxel.Cell(cells[(dy*edge+z)*edge:])
				continue
			}
			copy(row, cells[(dy*edge+z)*edge:][:edge])
		}
	}
}

// nibbles stores 4096 cells of 4 bits.
func (c *canvas) nibbles(pos geom.ColumnPos, y int, b []byte) {
	if c == nil || len(b) == 0 {
		return
	}
	if half := b[0] & 15; allBytes(b, half*0x11) {
		c.cells(pos, y, geom.ColumnEdge, []voxel.Cell{voxel.Cell(half)})
		return
	}
	to, i := c.at(pos, y, geom.ColumnEdge)
	for dy := range geom.ColumnEdge {
		for z := range geom.ColumnEdge {
			row := (*[16]voxel.Cell)(to[i+(dy*geom.ChunkEdge+z)*geom.ChunkEdge:])
			halves := binary.LittleEndian.Uint64(b[(dy*16+z)*8:])
			for x := 0; x < len(row); x += 4 {
				unpackHalves((*[4]voxel.Cell)(row[x:]), halves)
				halves >>= 16
			}
		}
	}
}

// unpackHalves sets four cells to the low half bytes of v, moving all of them at once.
func unpackHalves(cells *[4]voxel.Cell, v uint64) {
	v = (v&0xFF00)<<24 | v&0xFF
	v = (v<<12 | v) & 0x000F_000F_000F_000F
	cells[0], cells[1], cells[2], cells[3] = voxel.Cell(v), voxel.Cell(v>>16), voxel.Cell(v>>32), voxel.Cell(v>>48)
}

// allBytes reports whether all bytes of b are v. b must not be empty.
func allBytes(b []byte, v byte) bool { return b[0] == v && bytes.Equal(b[1:], b[:len(b)-1]) }

// columnDone says that a column is complete.
func (c *canvas) columnDone(pos geom.ColumnPos) {
	if c == nil {
		return
	}
	key := c.key(pos)
	f := c.towers[key]
	if f == nil {
		return
	}
	if f.columns++; f.columns == c.perChunk*c.perChunk {
		c.close(key)
	}
}

// close makes the open chunks of a tower chunks of the volume.
func (c *canvas) close(key geom.ColumnPos) {
	c.order = slices.DeleteFunc(c.order, func(k geom.ColumnPos) bool { return k == key })
	for y, cells := range c.towers[key].chunks {
		made := c.builder.FromFlat((*[voxel.ChunkCells]voxel.Cell)(cells))
		c.v.put(geom.ChunkPos{X: key.X, Y: y, Z: key.Z}, made)
		c.bound.chunk(made, 1)
		c.free = append(c.free, cells)
		c.open--
	}
	delete(c.towers, key)
}

func (c *canvas) closeAll() {
	for c != nil && len(c.order) > 0 {
		c.close(c.order[0])
	}
}
