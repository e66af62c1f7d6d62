package voxel

import "unsafe"

// mips is what a chunk is at 16, 8 and 4 cells an edge.
type mips struct {
	rule *Rule
	flat [4096 + 512 + 64]Cell
}

// Mip is a chunk's content at 16, 8 or 4 cells an edge: read-only, for any
// number of goroutines.
type Mip struct {
	m     *mips
	level int
}

// Mip returns the chunk at ChunkEdge>>level cells an edge; level is 1, 2 or 3.
// All three are made when one is first asked for, and kept for the rule last
// used.
func (c *Chunk) Mip(rule *Rule, level int) Mip {
	m := c.mips.Load()
	if m == nil || !m.rule.same(rule) {
		m = c.makeMips(rule)
		c.mips.Store(m)
	}
	return Mip{m, level}
}

func (c *Chunk) makeMips(rule *Rule) *mips {
	m := &mips{rule: rule}
	above := func(x, y, z int) Cell { return c.Cell(x, y, z) }
	for level := 1; level <= 3; level++ {
		p := Mip{m, level}
		e := p.Edge()
		for i := range e * e * e {
			x, z, y := i%e, i/e%e, i/e/e
			var cells [8]Cell
			for o := range cells {
				cells[o] = above(2*x+o&1, 2*y+o>>2, 2*z+o>>1&1)
			}
			m.flat[p.at(x, y, z)] = Downsample(rule, cells)
		}
		above = p.Cell
	}
	return m
}

func (p Mip) at(x, y, z int) int {
	e := p.Edge()
	return [4]int{0, 0, 4096, 4096 + 512}[p.level] + (y*e+z)*e + x
}

// Edge returns the number of cells along each edge: 16, 8 or 4.
func (p Mip) Edge() int { return ChunkEdge >> p.level }

// Cell returns one cell; coordinates are 0..Edge-1.
func (p Mip) Cell(x, y, z int) Cell { return p.m.flat[p.at(x, y, z)] }

// Row returns the Edge cells of a row, under the terms of Chunk.Row.
func (p Mip) Row(y, z int, buf *[64]Cell) []Cell {
	o := p.at(0, y, z)
	return p.m.flat[o : o+p.Edge()]
}

// MipBytes returns how many bytes of heap the chunk's mips hold now.
func (c *Chunk) MipBytes() int {
	if c.mips.Load() == nil {
		return 0
	}
	return int(unsafe.Sizeof(mips{}))
}
