package trace

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// node is a chunk as rays meet it: where it has matter, by bits, and its cells. It never changes.
type node struct {
	// octants are the cubes of 16x16x16 cells, by the lowest bits of spread. Each has a bit for every
	// brick of 4x4x4 cells with matter.
	octants [8]branch
	// bricks have a bit for every cell with matter.
	bricks []uint64
	matter *voxel.Chunk
	liquid *voxel.Chunk // nil: none
}

// newNode makes a node of the chunks of matter and of liquid, which may be nil.
func newNode(matter, liquid *voxel.Chunk) *node {
	n := &node{matter: matter, liquid: liquid}
	var rows [geom.ChunkEdge * geom.ChunkEdge]uint32 // by y*32+z
	fill(&rows, matter)
	fill(&rows, liquid)
	for o := range n.octants {
		x0, y0, z0 := o&1<<4, o>>1&1<<4, o>>2&1<<4
		oct := &n.octants[o]
		oct.first = uint32(len(n.bricks))
		for b := range 64 {
			x, y, z := x0+unspread(b)*4, y0+unspread(b>>1)*4, z0+unspread(b>>2)*4
			if brick := brickOf(&rows, x, y, z); brick != 0 {
				oct.mask |= 1 << b
				n.bricks = append(n.bricks, brick)
			}
		}
	}
	return n
}

// unspread undoes spread for the lowest bit and the one three above it.
func unspread(n int) int { return n&1 | n>>2&2 }

// fill sets the bits of the cells of a chunk that are not empty.
func fill(rows *[geom.ChunkEdge * geom.ChunkEdge]uint32, c *voxel.Chunk) {
	if c == nil {
		return
	}
	var buf [64]voxel.Cell
	for y := range geom.ChunkEdge {
		if v, ok := c.SliceUniform(y); ok {
			if v != voxel.Empty {
				for z := range geom.ChunkEdge {
					rows[y*geom.ChunkEdge+z] = ^uint32(0)
				}
			}
			continue
		}
		for z := range geom.ChunkEdge {
			starts, cells := c.Runs(y, z, &buf)
			for _, v := range cells {
				at := bits.TrailingZeros32(starts)
				starts &= starts - 1
				if v != voxel.Empty {
					end := bits.TrailingZeros32(starts) // 32 behind the last
					rows[y*geom.ChunkEdge+z] |= uint32(1<<end - 1<<at)
				}
			}
		}
	}
}

// brickOf gathers the bits of a brick in the order of spread.
func brickOf(rows *[geom.ChunkEdge * geom.ChunkEdge]uint32, x, y, z int) (brick uint64) {
	for dy := range 4 {
		for dz := range 4 {
			four := rows[(y+dy)*geom.ChunkEdge+z+dz] >> x & 15
			if four == 0 {
				continue
			}
			row := uint64(four&1 | four>>1&1<<1 | four>>2&1<<8 | four>>3&1<<9)
			brick |= row << (spread[dy]<<1 | spread[dz]<<2)
		}
	}
	return brick
}

// clear says what is at a cell of a level from 0 to 3. The lowest five bits of x, y and z are used. If
// there is matter, ok is true; else size is log2 of the edge of an empty cube around the cell.
func (n *node) clear(x, y, z, flip uint32, level uint) (size uint, ok bool) {
	o := &n.octants[(x>>4&1|y>>4&1<<1|z>>4&1<<2)^flip&7]
	if o.mask == 0 {
		return 4, false
	}
	b := digit(x, y, z, 2) ^ flip
	if eight := o.mask >> (b &^ 7) & 0xFF; level > 2 || eight == 0 {
		return 3, eight != 0
	}
	if o.mask>>b&1 == 0 {
		return 2, false
	}
	if level > 1 {
		return 2, true
	}
	brick := n.bricks[o.first+uint32(bits.OnesCount64(o.mask&(1<<b-1)))]
	c := digit(x, y, z, 0) ^ flip
	if eight := brick >> (c &^ 7) & 0xFF; level > 0 || eight == 0 {
		return 1, eight != 0
	}
	return 0, brick>>c&1 != 0
}

// cell returns the cells of matter and liquid of a level from 0 to 3 at a place within the chunk, in cells
// of level 0.
func (n *node) cell(l *land, level uint, x, y, z int) (matter, liquid voxel.Cell) {
	return cellOf(n.matter, &l.rule, level, x, y, z), cellOf(n.liquid, &l.wet, level, x, y, z)
}

func cellOf(c *voxel.Chunk, rule *voxel.Rule, level uint, x, y, z int) voxel.Cell {
	switch {
	case c == nil:
		return voxel.Empty
	case level == 0:
		return c.Cell(x, y, z)
	}
	if v, ok := c.Uniform(); ok {
		return v
	}
	return c.Mip(rule, int(level)).Cell(x>>level, y>>level, z>>level)
}

// bytes returns about how many bytes of memory the node takes, its mips included.
func (n *node) bytes() int64 {
	total := 8*cap(n.bricks) + 256
	for _, c := range []*voxel.Chunk{n.matter, n.liquid} {
		if c != nil {
			total += c.Bytes() * 8 / 7
		}
	}
	return int64(total)
}
