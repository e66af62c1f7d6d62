package grid

import (
	"iter"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Apart yields where v and u have other chunks, in ascending order of codes, and what both
// have there: nil is the default alone, NotLoaded a chunk that is not in
// memory. It compares chunks by identity, so chunks with equal cells may be among them.
// What the two share costs nothing.
func (v *View) Apart(u *View) iter.Seq2[geom.ChunkPos, [2]*voxel.Chunk] {
	return func(yield func(geom.ChunkPos, [2]*voxel.Chunk) bool) {
		apart(v.tree(), u.tree(), yield)
	}
}

// Whole reports whether all chunks are in memory.
func (v *View) Whole() bool {
	root := v.tree()
	return root == nil || !root.missing
}

// apart reports false when yield did. Either node may be nil.
func apart(a, b *node, yield func(geom.ChunkPos, [2]*voxel.Chunk) bool) bool {
	switch {
	case a == b:
		return true
	case a == nil || b == nil || a.shift == b.shift && a.prefix == b.prefix:
		return apartKids(a, b, yield)
	case a.shift > b.shift && a.covers(b.low()):
		return apartBelow(a, b, func(a, b *node) bool { return apart(a, b, yield) })
	case b.shift > a.shift && b.covers(a.low()):
		return apartBelow(b, a, func(b, a *node) bool { return apart(a, b, yield) })
	case a.low() < b.low():
		return apart(a, nil, yield) && apart(nil, b, yield)
	}
	return apart(nil, b, yield) && apart(a, nil, yield)
}

// apartBelow compares the kids of big with small, which lies in the cube of at most one of
// them.
func apartBelow(big, small *node, compare func(big, small *node) bool) bool {
	at := big.number(small.low())
	for i := range nodeKids {
		k, there := big.place(i)
		var kid, other *node
		if there {
			kid = big.kids[k]
		}
		if i == at {
			other = small
		}
		if (kid != nil || other != nil) && !compare(kid, other) {
			return false
		}
	}
	return true
}

// apartKids compares two nodes of one cube, or one node with nothing.
func apartKids(a, b *node, yield func(geom.ChunkPos, [2]*voxel.Chunk) bool) bool {
	any := a
	if any == nil {
		any = b
	}
	for i := range nodeKids {
		var chunks [2]*voxel.Chunk
		var kids [2]*node
		for side, n := range [2]*node{a, b} {
			if n == nil {
				continue
			}
			if k, there := n.place(i); !there {
				continue
			} else if n.shift == 0 {
				chunks[side] = n.chunks[k]
			} else {
				kids[side] = n.kids[k]
			}
		}
		if kids[0] != kids[1] && !apart(kids[0], kids[1], yield) {
			return false
		}
		if chunks[0] != chunks[1] && !yield((any.low()+geom.Code(i)).Pos(), chunks) {
			return false
		}
	}
	return true
}
