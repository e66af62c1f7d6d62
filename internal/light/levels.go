package light

import "github.com/cairnvoxel/cairn/voxel/geom"

// at returns the tile at the corner of slice y of a chunk of the box. It returns 0
// above and below the box, where light is full.
func (f *Flood) at(pos geom.ChunkPos, y int) int {
	y += int(pos.Y)*geom.ChunkEdge - f.y0
	if f.ny == 0 || y >= f.ny || y < 0 && f.kind == Block {
		return 0
	}
	y = max(y, 0) // below the box, sky light is as at its bottom
	x, z := int(pos.X)*geom.ChunkEdge-f.x0, int(pos.Z)*geom.ChunkEdge-f.z0
	return f.first + y*f.slice + z/tileEdge*f.row + x/tileEdge
}

// Changed returns a bit z for each row z of slice y whose light differs from that of
// slice y-1, and perhaps for other rows. pos is a chunk of the box. For slice 0 it
// is all ones.
func (f *Flood) Changed(pos geom.ChunkPos, y int) (rows uint32) {
	here := f.at(pos, y)
	if y == 0 {
		return ^uint32(0)
	}
	below := f.at(pos, y-1)
	if here == below {
		return 0
	}
	if here == 0 || below == 0 {
		return ^uint32(0)
	}
	for z := range geom.ChunkEdge / tileEdge {
		d := uint64(0)
		for x := range geom.ChunkEdge / tileEdge {
			i, j := here+z*f.row+x, below+z*f.row+x
			a, b := &f.level[i], &f.level[j]
			d |= (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3])
		}
		for i := 0; d != 0 && i < tileEdge; i++ {
			if uint8(d>>(i*tileEdge)) != 0 {
				rows |= 1 << (z*tileEdge + i)
			}
		}
	}
	return rows
}

// Row writes the light of row z of slice y of a chunk of the box to dst.
func (f *Flood) Row(pos geom.ChunkPos, y, z int, dst *[geom.ChunkEdge]uint8) {
	b := f.Bits(pos, y, z)
	for x := range dst {
		dst[x] = b.at(x)
	}
}

// Bits returns the light of row z of slice y of a chunk of the box.
func (f *Flood) Bits(pos geom.ChunkPos, y, z int) (b Bits) {
	at := f.at(pos, y)
	if at == 0 {
		return All(f.kind.Full())
	}
	at += z / tileEdge * f.row
	shift := z % tileEdge * tileEdge
	levels := f.level[at:][:geom.ChunkEdge/tileEdge]
	for x := range levels {
		v, to := &levels[x], x*tileEdge&(geom.ChunkEdge-1)
		b.ones |= uint32(uint8(v[0]>>shift)) << to
		b.twos |= uint32(uint8(v[1]>>shift)) << to
		b.fours |= uint32(uint8(v[2]>>shift)) << to
		b.eights |= uint32(uint8(v[3]>>shift)) << to
	}
	return b
}
