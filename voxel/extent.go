package voxel

// Whole is the fullness of a cell that is matter from side to side.
const Whole = 256

// Fullness returns how much of a cell is matter, in 256ths: 0 for cells that count as empty, the
// occupancy of a Terrain cell, the value of a Level cell (of a liquid), and Whole of any other.
func (r *Rule) Fullness(c Cell) int {
	switch {
	case r.Empty(c):
		return 0
	case r.Schema == Terrain:
		return int(c&0xFF) + 1
	case r.Schema == Level:
		return min(int(c), 255) + 1
	}
	return Whole
}

// Reach returns how far the matter of a cell reaches from its centre towards a neighbour that is
// empty, in 256ths of its edge: -127 to 128. behind says that the neighbour on the other side has
// matter. The cell then holds on to that one; else it lies in the middle.
func Reach(full int, behind bool) int {
	if behind {
		return full - Whole/2
	}
	return (full + 1) / 2
}

// Extent returns the box that the matter of a cell takes, in 256ths of the cell's edge by axis (x, y, z). It
// is what surfaces, rays, sweeps and boxes mean by matter. full is the fullness of the cell, and beside
// reports whether the next cell along an axis, in the direction -1 or 1, has matter. Along each
// axis matter goes from side to side between two neighbours that have matter, and else as far as
// Reach says. A Level cell is a liquid, which fills its cell from below.
func (r *Rule) Extent(full int, beside func(axis, step int) bool) (low, high [3]int) {
	for axis := range 3 {
		high[axis] = Whole
		switch {
		case full == Whole:
		case r.Schema == Level:
			if axis == 1 && !beside(1, 1) {
				high[1] = full
			}
		default:
			below, above := beside(axis, -1), beside(axis, 1)
			if !below {
				low[axis] = Whole/2 - Reach(full, above)
			}
			if !above {
				high[axis] = Whole/2 + Reach(full, below)
			}
		}
	}
	return low, high
}
