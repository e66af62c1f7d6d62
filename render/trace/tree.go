package trace

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// tree says which chunks of a level there are. A branch stands for a cube of 4x4x4 branches of the depth
// below, or of chunks. It knows which of them there are by 64 bits, so a ray skips what is empty in
// few steps.
type tree struct {
	base   int             // the level of the chunks
	origin geom.Point      // the least corner, in cells of the level
	depth  int             // of branches above each other, at least 1
	levels [][]branch      // of the highest depth first
	chunks []geom.ChunkPos // by number, ascending by place
	bits   uint            // the tree is 1<<bits cells wide
}

// branch has a bit for each of 64 cubes, in the order of spread. The numbers of those that are there
// follow each other.
type branch struct {
	mask  uint64
	first uint32
}

// spread moves two bits apart: the number of a cube of 4x4x4 is spread[x] | spread[y]<<1 | spread[z]<<2,
// so that cubes of 2x2x2 are bytes of a mask.
var spread = [4]uint32{0, 1, 8, 9}

const (
	chunkBits = 5 // of 32 cells
	digitBits = 2 // of a branch
)

// digit returns the number of the cube of a branch, whose cubes are 1<<shift cells wide, that a cell is
// in.
func digit(x, y, z uint32, shift uint) uint32 {
	return spread[x>>shift&3] | spread[y>>shift&3]<<1 | spread[z>>shift&3]<<2
}

// newTree makes a tree of chunks, each given once.
func newTree(base int, chunks []geom.ChunkPos) *tree {
	t := &tree{base: base, depth: 1}
	if len(chunks) == 0 {
		t.levels, t.bits = [][]branch{{{}}}, chunkBits+digitBits
		return t
	}
	low, high := chunks[0], chunks[0]
	for _, p := range chunks {
		low = geom.ChunkPos{X: min(low.X, p.X), Y: min(low.Y, p.Y), Z: min(low.Z, p.Z)}
		high = geom.ChunkPos{X: max(high.X, p.X), Y: max(high.Y, p.Y), Z: max(high.Z, p.Z)}
	}
	for edge := max(high.X-low.X, high.Y-low.Y, high.Z-low.Z); edge>>(digitBits*t.depth) > 0; {
		t.depth++
	}
	t.bits = uint(chunkBits + digitBits*t.depth)
	t.origin = geom.Point{X: int(low.X), Y: int(low.Y), Z: int(low.Z)}
	key := func(p geom.ChunkPos) (k uint64) {
		x, y, z := uint32(p.X-low.X), uint32(p.Y-low.Y), uint32(p.Z-low.Z)
		for d := t.depth - 1; d >= 0; d-- {
			k = k<<6 | uint64(digit(x, y, z, uint(digitBits*d)))
		}
		return k
	}
	t.chunks = slices.Clone(chunks)
	slices.SortFunc(t.chunks, func(p, q geom.ChunkPos) int { return cmp.Compare(key(p), key(q)) })
	t.origin = geom.Point{X: t.origin.X * geom.ChunkEdge, Y: t.origin.Y * geom.ChunkEdge, Z: t.origin.Z * geom.ChunkEdge}
	keys := make([]uint64, len(t.chunks))
	for i, p := range t.chunks {
		keys[i] = key(p)
	}
	t.levels = make([][]branch, t.depth)
	for d := t.depth - 1; d >= 0; d-- {
		var level []branch
		var last uint64
		var up []uint64
		for i, k := range keys {
			if i == 0 || k>>6 != last {
				last = k >> 6
				level, up = append(level, branch{first: uint32(i)}), append(up, last)
			}
			level[len(level)-1].mask |= 1 << (k & 63)
		}
		t.levels[d], keys = level, up
	}
	return t
}

// find returns the number of the chunk that a cell is in. If there is none, clear is log2 of the edge of
// an empty cube around the cell, in cells. Cells count from the origin. flip is that of a ray.
func (t *tree) find(x, y, z, flip uint32) (chunk uint32, clear uint, ok bool) {
	at := uint32(0)
	shift := t.bits
	for _, level := range t.levels {
		shift -= digitBits
		b := &level[at]
		n := digit(x, y, z, shift) ^ flip
		if b.mask>>n&1 == 0 {
			if b.mask>>(n&^7)&0xFF == 0 {
				return 0, shift + 1, false
			}
			return 0, shift, false
		}
		at = b.first + uint32(bits.OnesCount64(b.mask&(1<<n-1)))
	}
	return at, 0, true
}
