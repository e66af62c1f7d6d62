package undo

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// cells is what was replaced in a chunk: a cube around the replaced cells, before and after.
// Cells that are equal in both were not replaced.
type cells struct {
	pos    geom.ChunkPos
	corner geom.Point // of the cube in the chunk, at a multiple of edge
	edge   int        // 4, 8, 16 or 32
	n      int        // how many were replaced
	boxes  []byte     // both cubes, as codec.AppendBitRLE
}

// cellsBytes is the memory of cells without their boxes.
const cellsBytes = 80

func (c *cells) bytes() int { return cellsBytes + cap(c.boxes) }

// box returns the cube in the volume.
func (c *cells) box() geom.Box {
	return cubeAt(c.pos.Min().Add(c.corner), c.edge)
}

func cubeAt(corner geom.Point, edge int) geom.Box {
	return geom.Box{Min: corner, Max: corner.Add(geom.Point{X: edge, Y: edge, Z: edge})}
}

// pair is the cells of a cube before and after, in the order of ReadBox.
type pair struct{ old, new []voxel.Cell }

func newPair(edge int) pair {
	n := edge * edge * edge
	both := make([]voxel.Cell, 2*n)
	return pair{both[:n], both[n:]}
}

// replaced returns the difference of two chunks of a volume, and false if there is none.
func replaced(pos geom.ChunkPos, old, new *voxel.Chunk, s voxel.Schema) (cells, bool) {
	b := differing(old, new)
	if b.Empty() {
		return cells{}, false
	}
	corner, edge := cubeOf(b)
	p := newPair(edge)
	old.ReadBox(cubeAt(corner, edge), p.old)
	new.ReadBox(cubeAt(corner, edge), p.new)
	return p.encode(pos, corner, edge, s)
}

// encode returns cells for a pair, and whether the two sides differ. It changes the pair.
func (p pair) encode(pos geom.ChunkPos, corner geom.Point, edge int, s voxel.Schema) (cells, bool) {
	c := cells{pos: pos, corner: corner, edge: edge}
	var rest voxel.Cell // the first new cell, so that a filled cube is uniform
	for i, v := range p.new {
		if v != p.old[i] {
			if c.n == 0 {
				rest = v
			}
			c.n++
		}
	}
	for i, v := range p.new {
		if v == p.old[i] {
			p.old[i], p.new[i] = rest, rest
		}
	}
	boxes := codec.AppendBitRLE(nil, p.old, edge, s)
	boxes = codec.AppendBitRLE(boxes, p.new, edge, s)
	c.boxes = append(make([]byte, 0, len(boxes)), boxes...)
	return c, c.n > 0
}

// decode is the inverse of encode.
func (c *cells) decode(s voxel.Schema) pair {
	p := newPair(c.edge)
	n, err := codec.DecodeBitRLE(p.old, c.edge, s, c.boxes)
	if err == nil {
		_, err = codec.DecodeBitRLE(p.new, c.edge, s, c.boxes[n:])
	}
	if err != nil {
		panic("undo: encoded cells cannot be decoded: " + err.Error())
	}
	return p
}

// widen returns the pair of c in a larger cube.
func (c *cells) widen(corner geom.Point, edge int, s voxel.Schema) pair {
	p := c.decode(s)
	if edge == c.edge {
		return p
	}
	wide := newPair(edge)
	at := c.corner.Sub(corner)
	for y := range c.edge {
		for z := range c.edge {
			from, to := (y*c.edge+z)*c.edge, ((at.Y+y)*edge+at.Z+z)*edge+at.X
			copy(wide.old[to:], p.old[from:from+c.edge])
			copy(wide.new[to:], p.new[from:from+c.edge])
		}
	}
	return wide
}

// join returns c and a later replacement in the same chunk as one, and false if they cancel
// out. If someone else wrote in between, the old cells are theirs.
func (c *cells) join(d *cells, s voxel.Schema) (cells, bool) {
	corner, edge := cubeOf(c.inChunk().Union(d.inChunk()))
	p, q := c.widen(corner, edge, s), d.widen(corner, edge, s)
	for i, v := range q.new {
		switch {
		case q.old[i] == v:
		case p.old[i] != p.new[i] && p.new[i] == q.old[i]:
			p.new[i] = v
		default:
			p.old[i], p.new[i] = q.old[i], v
		}
	}
	return p.encode(c.pos, corner, edge, s)
}

func (c *cells) inChunk() geom.Box { return cubeAt(c.corner, c.edge) }

// cubeOf returns the least cube that the codec can encode and that holds b, a box in a chunk.
func cubeOf(b geom.Box) (corner geom.Point, edge int) {
	last := b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1})
	apart := uint((b.Min.X ^ last.X) | (b.Min.Y ^ last.Y) | (b.Min.Z ^ last.Z))
	shift := max(2, bits.Len(apart))
	mask := -1 << shift
	return geom.Point{X: b.Min.X & mask, Y: b.Min.Y & mask, Z: b.Min.Z & mask}, 1 << shift
}

// differing returns the least box around the cells in which the chunks differ. It is empty if
// they are equal.
func differing(a, b *voxel.Chunk) (box geom.Box) {
	var bufA, bufB [64]voxel.Cell
	for y, rows := range a.Differing(b) {
		for ; rows != 0; rows &= rows - 1 {
			z := bits.TrailingZeros32(rows)
			x0, x1 := apart(a.Row(y, z, &bufA), b.Row(y, z, &bufB))
			box = box.Union(geom.Box{Min: geom.Point{X: x0, Y: y, Z: z}, Max: geom.Point{X: x1, Y: y + 1, Z: z + 1}})
		}
	}
	return box
}

// apart returns where two rows begin and cease to differ. Both are the same if the rows are
// equal.
func apart(a, b []voxel.Cell) (x0, x1 int) {
	x1 = len(a)
	for x0 < x1 && a[x0] == b[x0] {
		x0++
	}
	for x1 > x0 && a[x1-1] == b[x1-1] {
		x1--
	}
	return x0, x1
}
