package light

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Octants returns the octants of a chunk of light that the last Fill predicts better
// than Channel.Full. Octants are the eight 16x16x16 parts of a chunk: bit i is the part
// whose x is in half i&1, its z in half i>>1&1 and its y in half i>>2. pos is the chunk's
// position in the box. Octants looks at every fourth slice.
func (f *Flood) Octants(c *voxel.Chunk, pos geom.ChunkPos) (octants uint8) {
	var gain [8]int // cells equal to the flood minus cells equal to Full
	full := All(f.kind.Full())
	for y := 1; y < geom.ChunkEdge; y += 4 {
		for z := range geom.ChunkEdge {
			row := BitsOf(c, y, z)
			flooded, plain := row.Differ(f.Bits(pos, y, z)), row.Differ(full)
			o := z>>4<<1 | y>>4<<2
			gain[o] += bits.OnesCount32(plain&half) - bits.OnesCount32(flooded&half)
			gain[o|1] += bits.OnesCount32(plain&^half) - bits.OnesCount32(flooded&^half)
		}
	}
	for o := range gain {
		if gain[o] > 0 {
			octants |= 1 << o
		}
	}
	return octants
}

// Minus returns a chunk of light minus what the last Fill predicts, modulo 16: the
// flood in the given octants, and Channel.Full elsewhere.
func (f *Flood) Minus(b *voxel.ChunkBuilder, c *voxel.Chunk, pos geom.ChunkPos, octants uint8) *voxel.Chunk {
	return f.onto(b, c, pos, octants, true)
}

// Plus undoes Minus.
func (f *Flood) Plus(b *voxel.ChunkBuilder, c *voxel.Chunk, pos geom.ChunkPos, octants uint8) *voxel.Chunk {
	return f.onto(b, c, pos, octants, false)
}

func (f *Flood) onto(b *voxel.ChunkBuilder, c *voxel.Chunk, pos geom.ChunkPos, octants uint8, minus bool) *voxel.Chunk {
	var runs [geom.ChunkEdge]voxel.Cell
	full := All(f.kind.Full())
	for y := range geom.ChunkEdge {
		rows := c.Changed(y) | f.Changed(pos, y)
		if y == geom.ChunkEdge/2 && octants != 0xff {
			rows = ^uint32(0)
		}
		for left := rows; left != 0; left &= left - 1 {
			z := bits.TrailingZeros32(left)
			predicted := f.Bits(pos, y, z).Within(rowOf(octants, y, z), full)
			row := BitsOf(c, y, z)
			if minus {
				row = row.Minus(predicted)
			} else {
				row = row.Plus(predicted)
			}
			starts, cells := row.Runs(&runs)
			b.Runs(z, starts, cells)
		}
		b.Next(rows)
	}
	return b.Chunk()
}

// half is the cells of half a row.
const half = 1<<(geom.ChunkEdge/2) - 1

// rowOf returns the cells of a row that are in the given octants.
func rowOf(octants uint8, y, z int) uint32 {
	two := uint32(octants >> (z>>4<<1 | y>>4<<2) & 3)
	return two&1*half | two>>1*half<<(geom.ChunkEdge/2)
}
