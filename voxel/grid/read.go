package grid

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// chunkMips is the last level that a chunk holds itself.
const chunkMips = 3

// pieces calls f with the part of b in each cube of 1<<shift cells an edge, x
// fastest, then z, then y, until f returns false. b must be in range.
func pieces(b geom.Box, shift int, f func(pos geom.ChunkPos, in geom.Box) bool) bool {
	if b.Empty() {
		return true
	}
	edge := 1 << shift
	cut := func(c int, lo, hi int) (int, int) { return max(c<<shift, lo), min(c<<shift+edge, hi) }
	var in geom.Box
	for y := b.Min.Y >> shift; y <= (b.Max.Y-1)>>shift; y++ {
		in.Min.Y, in.Max.Y = cut(y, b.Min.Y, b.Max.Y)
		for z := b.Min.Z >> shift; z <= (b.Max.Z-1)>>shift; z++ {
			in.Min.Z, in.Max.Z = cut(z, b.Min.Z, b.Max.Z)
			for x := b.Min.X >> shift; x <= (b.Max.X-1)>>shift; x++ {
				in.Min.X, in.Max.X = cut(x, b.Min.X, b.Max.X)
				if !f(geom.ChunkPos{X: int32(x), Y: int32(y), Z: int32(z)}, in) {
					return false
				}
			}
		}
	}
	return true
}

// within reports whether b, in cells of the level, is empty or in range.
func within(b geom.Box, level int) bool {
	m := geom.MaxChunk >> level * geom.ChunkEdge
	return b.Empty() || b.Min.X >= -m && b.Min.Y >= -m && b.Min.Z >= -m && b.Max.X <= m && b.Max.Y <= m && b.Max.Z <= m
}

// chunk returns the chunk at pos, or nil if it is not loaded. For the default it
// makes a chunk. pos must be in range.
func (v *View) chunk(pos geom.ChunkPos) *voxel.Chunk {
	switch c := v.tree().find(geom.CodeOf(pos, 0)); c {
	case nil:
		return v.vol.filler
	case NotLoaded:
		return nil
	default:
		return c
	}
}

// ReadBox writes the cells of b to dst, x fastest, then z, then y. b counts cells of
// the level, 0..geom.MaxLevel; such a cell is 1<<level cells wide. b may have any size
// and place, and dst must hold b.Cells() cells. It returns false if part of b is not
// loaded or out of range; dst is then partly written.
//
// Levels 1 to 3 come from the chunks' mips. The first read of a higher level makes
// or updates the volume's far levels.
func (v *View) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	if level < 0 || !within(b, level) {
		return false
	}
	t := target{dst[:b.Cells()], b.Min, b.Size()}
	switch {
	case level == 0:
		return pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
			c := v.chunk(pos)
			if c != nil {
				t.copyChunk(c, in)
			}
			return c != nil
		})
	case level <= chunkMips:
		return pieces(b, geom.ChunkShift-level, func(pos geom.ChunkPos, in geom.Box) bool {
			c := v.chunk(pos)
			if c != nil {
				t.copyMip(c.Mip(&v.vol.rule, level), in)
			}
			return c != nil
		})
	}
	return v.readFar(b, level, &t)
}

// target is a buffer for the cells of a box, in the order of ReadBox.
type target struct {
	cells []voxel.Cell
	min   geom.Point
	size  geom.Point
}

// place returns the index of the cell p.
func (t *target) place(p geom.Point) int {
	p = p.Sub(t.min)
	return (p.Y*t.size.Z+p.Z)*t.size.X + p.X
}

// copyChunk copies the cells of in, which lie in c.
func (t *target) copyChunk(c *voxel.Chunk, in geom.Box) {
	const edge = geom.ChunkEdge
	o, w := t.place(in.Min), in.Max.X-in.Min.X
	from, size := in.Min.InChunk(), in.Size()
	if size == (geom.Point{X: edge, Y: edge, Z: edge}) && t.size.X == edge && t.size.Z == edge {
		c.Flat((*[voxel.ChunkCells]voxel.Cell)(t.cells[o:]))
		return
	}
	var buf [64]voxel.Cell
	for y := from.Y; y < from.Y+size.Y; y++ {
		p := o
		for z := from.Z; z < from.Z+size.Z; z++ {
			copy(t.cells[p:p+w], c.Row(y, z, &buf)[from.X:])
			p += t.size.X
		}
		o += t.size.X * t.size.Z
	}
}

// copyMip copies the cells of in, which lie in the mip.
func (t *target) copyMip(m voxel.Mip, in geom.Box) {
	o, w := t.place(in.Min), in.Max.X-in.Min.X
	edge, size := m.Edge()-1, in.Size()
	fromX, fromY, fromZ := in.Min.X&edge, in.Min.Y&edge, in.Min.Z&edge
	var buf [64]voxel.Cell
	for y := fromY; y < fromY+size.Y; y++ {
		p := o
		for z := fromZ; z < fromZ+size.Z; z++ {
			copy(t.cells[p:p+w], m.Row(y, z, &buf)[fromX:])
			p += t.size.X
		}
		o += t.size.X * t.size.Z
	}
}

// Rows calls f with every row of b until f returns false: chunk by chunk, and in
// each by ascending y, then z. cells are at most 32 cells that start at at; f must
// not write or keep them. It returns false at a chunk that is not loaded, or if b is
// not in range.
func (v *View) Rows(b geom.Box, f func(at geom.Point, cells []voxel.Cell) bool) bool {
	if !within(b, 0) {
		return false
	}
	loaded := true
	var buf [64]voxel.Cell
	pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
		c := v.chunk(pos)
		if c == nil {
			loaded = false
			return false
		}
		x0 := in.Min.X & (geom.ChunkEdge - 1)
		x1 := x0 + in.Max.X - in.Min.X
		for y := in.Min.Y; y < in.Max.Y; y++ {
			for z := in.Min.Z; z < in.Max.Z; z++ {
				row := c.Row(y&(geom.ChunkEdge-1), z&(geom.ChunkEdge-1), &buf)
				if !f(geom.Point{X: in.Min.X, Y: y, Z: z}, row[x0:x1]) {
					return false
				}
			}
		}
		return true
	})
	return loaded
}

// Cursor reads cells of one View. It is fast if the next cell lies in the same
// chunk. It belongs to one goroutine.
type Cursor struct {
	view  *View
	min   geom.Point
	chunk *voxel.Chunk
}

// Cursor returns a Cursor of v.
func (v *View) Cursor() Cursor {
	const nowhere = 1 << 62
	return Cursor{view: v, min: geom.Point{X: nowhere, Y: nowhere, Z: nowhere}}
}

// Cell returns the cell at p as View.Cell does.
func (c *Cursor) Cell(p geom.Point) (voxel.Cell, bool) {
	q := p.Sub(c.min)
	if uint(q.X|q.Y|q.Z) >= geom.ChunkEdge {
		if !c.move(p) {
			return voxel.Empty, false
		}
		q = p.InChunk()
	}
	return c.chunk.Cell(q.X, q.Y, q.Z), true
}

// move goes to the chunk of p. It returns false if the chunk is not loaded.
func (c *Cursor) move(p geom.Point) bool {
	if !inRange(p) {
		return false
	}
	pos := p.Chunk()
	next := c.view.chunk(pos)
	if next == nil {
		return false
	}
	c.min, c.chunk = pos.Min(), next
	return true
}
