package light

import (
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func (f *Flood) clearSlice(c *voxel.Chunk, y int) bool {
	v, ok := c.SliceUniform(y)
	return ok && f.cell(v) == clearClass
}

// clear fills the box with air.
func (f *Flood) clear() {
	f.row = f.nx/tileEdge + 1
	f.slice = f.row * (f.nz/tileEdge + 1)
	f.first = f.slice
	tall := f.height(Block) // at least what Sky needs
	n := f.slice * (tall + 2)
	if len(f.specials) > 1 {
		clear(f.special) // so all its memory is clear
	}
	f.special = sized(f.special, n)
	f.dim, f.open = sized(f.dim, n), sized(f.open, n)
	f.dark, f.level = sized(f.dark, n), sized(f.level, n)
	f.now.cells, f.next.cells = sized(f.now.cells, n), sized(f.next.cells, n)
	clear(f.dim)
	for y := range tall {
		for z := range f.nz / tileEdge {
			at := f.first + y*f.slice + z*f.row
			fill(f.dim[at:][:f.nx/tileEdge])
		}
	}
	copy(f.open, f.dim)
	f.specials = append(f.specials[:0], specialTile{})
	f.sources = f.sources[:0]
}

// sized returns s with n elements. Elements within the old memory keep their values.
func sized[T any](s []T, n int) []T {
	return slices.Grow(s[:0], n)[:n]
}

func fill(tiles []uint64) {
	for i := range tiles {
		tiles[i] = ^uint64(0)
	}
}

// layer is a slice of a chunk that is being rasterized.
type layer struct {
	dim, open [geom.ChunkEdge]uint32 // by z, bit x
	special   uint32                 // rows with special cells
	at        int                    // the chunk's first tile at this height, possibly outside of the box
	window
}

// window is the part of a chunk in the box, in tiles.
type window struct {
	west, east, north, south int
	rows                     uint32 // by z
}

// rasterize copies the cells of a tower into the bit tiles, clipped to the box. It returns
// false if the work limit is reached or the context ends.
func (f *Flood) rasterize(g *placedTower) bool {
	var l layer
	x0, z0 := int(g.x)*geom.ChunkEdge-f.x0, int(g.z)*geom.ChunkEdge-f.z0
	clip := func(from, n int) (low, high int) {
		return max(0, -from) / tileEdge, min(geom.ChunkEdge, n-from) / tileEdge
	}
	l.west, l.east = clip(x0, f.nx)
	l.north, l.south = clip(z0, f.nz)
	l.rows = uint32(uint64(1)<<(l.south*tileEdge) - uint64(1)<<(l.north*tileEdge))
	at := f.first + z0/tileEdge*f.row + x0/tileEdge
	for _, floor := range g.t {
		if f.ended() {
			return false
		}
		rasterized := false // the slice below was written
		for y := range geom.ChunkEdge {
			if f.clearSlice(floor.Chunk, y) {
				rasterized = false
				continue
			}
			l.at = at + (int(floor.Y)*geom.ChunkEdge+y-f.y0)*f.slice
			changed := ^uint32(0)
			if rasterized {
				changed = floor.Chunk.Changed(y)
			}
			f.rasterizeRows(&l, floor.Chunk, y, (changed|l.special)&l.rows)
			f.writeTiles(&l, changed)
			rasterized = true
		}
	}
	return true
}

// rasterizeRows updates some rows of l to height y and writes their special cells.
func (f *Flood) rasterizeRows(l *layer, c *voxel.Chunk, y int, rows uint32) {
	var buf [64]voxel.Cell
	for ; rows != 0; rows &= rows - 1 {
		z := bits.TrailingZeros32(rows)
		dim, open := uint32(0), uint32(0)
		l.special &^= 1 << z
		starts, cells := c.Runs(y, z, &buf)
		f.work += len(cells)
		m := uint64(starts) | 1<<geom.ChunkEdge
		for _, v := range cells {
			x := m & -m
			m ^= x
			run := uint32(m&-m - x)
			b := uint32(0)
			if int(v) < len(f.bits) {
				b = uint32(f.bits[v])
			} else {
				b = uint32(f.traits[f.cell(v)].traitBits())
			}
			dim |= run & -(b & dimBit)
			open |= run & -(b & openBit / openBit)
			if b&specialBit != 0 {
				l.special |= 1 << z
				f.rasterizeSpecial(l, z, run, &f.traits[f.cell(v)])
			}
		}
		l.dim[z], l.open[z] = dim, open
	}
}

// writeTiles writes the tiles of l whose rows changed. It copies the others from
// below.
func (f *Flood) writeTiles(l *layer, changed uint32) {
	for z := l.north; z < l.south; z++ {
		at := l.at + z*f.row
		if changed>>(z*tileEdge)&(1<<tileEdge-1) == 0 {
			copy(f.dim[at+l.west:at+l.east], f.dim[at+l.west-f.slice:])
			copy(f.open[at+l.west:at+l.east], f.open[at+l.west-f.slice:])
			continue
		}
		dim := tilesOf(l.dim[z*tileEdge:])
		copy(f.dim[at+l.west:at+l.east], dim[l.west:])
		open := tilesOf(l.open[z*tileEdge:])
		copy(f.open[at+l.west:at+l.east], open[l.west:])
	}
}

// tilesOf returns the four tiles of eight rows.
func tilesOf(rows []uint32) (t [4]uint64) {
	for z, r := range rows[:tileEdge] {
		t[0] |= uint64(r&0xff) << (z * tileEdge)
		t[1] |= uint64(r>>8&0xff) << (z * tileEdge)
		t[2] |= uint64(r>>16&0xff) << (z * tileEdge)
		t[3] |= uint64(r>>24) << (z * tileEdge)
	}
	return t
}

// rasterizeSpecial writes a run of special cells in row z.
func (f *Flood) rasterizeSpecial(l *layer, z int, run uint32, t *trait) {
	for x := l.west; x < l.east; x++ {
		cells := uint64(run>>(x*tileEdge)&(1<<tileEdge-1)) << (z % tileEdge * tileEdge)
		at := l.at + z/tileEdge*f.row + x
		if cells == 0 {
			continue
		}
		if t.dimming|t.closed != 0 {
			f.specialTile(at).add(cells, t)
		}
		if t.emits > 0 {
			f.sources = append(f.sources, source{cells, int32(at), t.emits})
		}
	}
}

func (f *Flood) specialTile(at int) *specialTile {
	if f.special[at] == 0 {
		f.special[at] = int32(len(f.specials))
		f.specials = append(f.specials, specialTile{})
	}
	return &f.specials[f.special[at]]
}

func (o *specialTile) add(cells uint64, t *trait) {
	if t.dimming != 0 {
		o.dimming |= cells
		for b := range o.lost {
			if t.dimming>>b&1 != 0 {
				o.lost[b] |= cells
			}
		}
	}
	for face := range o.closed {
		if t.closed>>face&1 != 0 {
			o.closed[face] |= cells
		}
	}
}
