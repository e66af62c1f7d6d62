package voxel

import "math/bits"

// Highest returns the greatest cell of the chunk.
func (c *Chunk) Highest() (highest Cell) {
	switch {
	case c.patched():
		c.eachRun(func(v Cell, _ int) { highest = max(highest, v) })
		return highest
	case len(c.data) == ChunkCells:
		for _, v := range c.data {
			highest = max(highest, v)
		}
		return highest
	}
	var below [ChunkEdge]Cell // the headers of the slice below
	for y, h := range c.slices {
		switch {
		case h < refBit:
			highest = max(highest, h)
		case y == 0 || h != c.slices[y-1]:
			for z, h := range c.data[h&^refBit:][:ChunkEdge] {
				if h != below[z] {
					highest = max(highest, c.highestOf(h))
					below[z] = h
				}
			}
		}
	}
	return highest
}

// highestOf is Highest for a row of a chunk that is not flat.
func (c *Chunk) highestOf(h Cell) (highest Cell) {
	if h < refBit {
		return h
	}
	d, o := c.data, int(h&^refBit)
	mask := rowMask(d, o)
	runs := bits.OnesCount32(mask | 1)
	if o += 2; mask&1 != 0 {
		for _, v := range d[o : o+runs] {
			highest = max(highest, v)
		}
		return highest
	}
	for _, pair := range d[o : o+runs/2] {
		highest = max(highest, d[pair&0xFF], d[pair>>8])
	}
	if runs%2 != 0 {
		highest = max(highest, d[d[o+runs/2]&0xFF])
	}
	return highest
}
