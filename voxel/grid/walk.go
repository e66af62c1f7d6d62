package grid

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// span is a box of chunks from lo to hi, both included. Coordinates count from the
// least chunk in range.
type span struct{ lo, hi [3]int } // x, z, y: the order of a code's bits

// spanOf returns the chunks of the level that b touches. b counts cells of the
// level. It returns false if there are none.
func spanOf(b geom.Box, level int) (span, bool) {
	edge := geom.MaxChunk >> level * geom.ChunkEdge
	b = b.Intersect(geom.Box{Min: geom.Point{X: -edge, Y: -edge, Z: -edge}, Max: geom.Point{X: edge, Y: edge, Z: edge}})
	lo := b.Min.Add(geom.Point{X: edge, Y: edge, Z: edge})
	hi := b.Max.Add(geom.Point{X: edge - 1, Y: edge - 1, Z: edge - 1})
	return span{
		[3]int{lo.X >> geom.ChunkShift, lo.Z >> geom.ChunkShift, lo.Y >> geom.ChunkShift},
		[3]int{hi.X >> geom.ChunkShift, hi.Z >> geom.ChunkShift, hi.Y >> geom.ChunkShift},
	}, !b.Empty()
}

// over reports whether s has more than n chunks.
func (s span) over(n int) bool {
	chunks := uint64(1) // at most 1<<63
	for axis := range s.lo {
		chunks *= uint64(s.hi[axis] - s.lo[axis] + 1)
	}
	return chunks > uint64(n)
}

// among returns a mask of the kids of n that touch s.
func (s *span) among(n *node) (mask [nodeKids / 64]uint64) {
	x, y, z := geom.Unmorton(uint64(n.low()))
	shift := n.shift / 3
	var low, high [3]uint64
	for axis, origin := range [3]uint32{x, z, y} {
		from := max(s.lo[axis]-int(origin), 0) >> shift
		to := (s.hi[axis] - int(origin)) >> shift
		for i := from; i <= min(to, 7); i++ {
			half := &low[axis]
			if i >= 4 {
				half = &high[axis]
			}
			*half |= lanes[axis][i&3]
		}
	}
	for w := range mask {
		mask[w] = n.mask[w]
		for axis := range low {
			if w>>axis&1 == 0 {
				mask[w] &= low[axis]
			} else {
				mask[w] &= high[axis]
			}
		}
	}
	return mask
}

// lanes has, by axis and by the lower two bits of a coordinate, the bits of a mask
// word whose kids have these bits.
var lanes = [3][4]uint64{
	{0x0055005500550055, 0x00AA00AA00AA00AA, 0x5500550055005500, 0xAA00AA00AA00AA00},
	{0x0000333300003333, 0x0000CCCC0000CCCC, 0x3333000033330000, 0xCCCC0000CCCC0000},
	{0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000},
}

// walk calls yield with the chunks within s in ascending order until yield returns
// false.
func (n *node) walk(s *span, yield func(geom.Code, *voxel.Chunk) bool) bool {
	if n == nil {
		return true
	}
	for w, m := range s.among(n) {
		for ; m != 0; m &= m - 1 {
			i := w<<6 | bits.TrailingZeros64(m)
			k, _ := n.place(i)
			switch {
			case n.shift > 0:
				if !n.kids[k].walk(s, yield) {
					return false
				}
			case !yield(n.prefix<<nodeBits|geom.Code(i), n.chunks[k]):
				return false
			}
		}
	}
	return true
}

// anyMissing reports whether a chunk within s is NotLoaded.
func (n *node) anyMissing(s *span) bool {
	if n == nil || !n.missing {
		return false
	}
	for w, m := range s.among(n) {
		for ; m != 0; m &= m - 1 {
			k, _ := n.place(w<<6 | bits.TrailingZeros64(m))
			if n.shift > 0 && n.kids[k].anyMissing(s) || n.shift == 0 && n.chunks[k] == NotLoaded {
				return true
			}
		}
	}
	return false
}
