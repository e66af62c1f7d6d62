package tile

import "slices"

// ghosts are the tiles that were read and whose records were forgotten, so that reading them again
// counts as that. The cache's mu guards them.
type ghosts struct {
	// squares are tiles with Flat keys, 64 to a square of 8x8, by the first key of the square.
	squares map[Flat]uint64
	// sets are marks of the hashes of others, each newest first; the oldest of a full set goes. A mark is
	// taken for another tile's once in some thousand tiles.
	sets [][ghostWays]uint16
}

const ghostWays = 16 // a set for each record, 32 bytes

// add adds a tile of a cache of so many records.
func (g *ghosts) add(key any, hash uint64, records int) {
	if k, ok := key.(Flat); ok {
		if g.squares == nil {
			g.squares = make(map[Flat]uint64)
		}
		square, bit := k.square()
		g.squares[square] |= 1 << bit
		return
	}
	if g.sets == nil {
		g.sets = make([][ghostWays]uint16, records)
	}
	set, mark := g.set(hash)
	copy(set[1:], set[:])
	set[0] = mark
}

// take takes a tile out and reports whether it was there.
func (g *ghosts) take(key any, hash uint64) bool {
	if k, ok := key.(Flat); ok {
		square, bit := k.square()
		bits := g.squares[square]
		if bits>>bit&1 == 0 {
			return false
		}
		g.squares[square] = bits &^ (1 << bit)
		return true
	}
	if g.sets == nil {
		return false
	}
	set, mark := g.set(hash)
	i := slices.Index(set[:], mark)
	if i < 0 {
		return false
	}
	copy(set[i:], set[i+1:])
	set[ghostWays-1] = 0
	return true
}

// set returns the set and the mark of a hash; 0 is no mark. Keys that are neighbours have hashes that
// are alike.
func (g *ghosts) set(hash uint64) (set *[ghostWays]uint16, mark uint16) {
	hash = mix(hash)
	return &g.sets[hash>>32*uint64(len(g.sets))>>32], max(1, uint16(hash))
}

// drop takes tiles with Flat keys out.
func (g *ghosts) drop(fits func(Flat) bool) {
	for square, old := range g.squares {
		bits := old
		for bit := range 64 {
			if bits>>bit&1 != 0 && fits(square.inSquare(bit)) {
				bits &^= 1 << bit
			}
		}
		if bits == 0 {
			delete(g.squares, square)
		} else if bits != old {
			g.squares[square] = bits
		}
	}
}
