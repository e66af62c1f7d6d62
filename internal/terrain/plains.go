package terrain

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Plains is a low land of hills in a few materials. It has no bounds, holds about 2.8 cells
// above each other on average, and is cheap to make, so that very wide worlds can be measured.
// All of it is in chunks at height 0. Its field determines all of it. Goroutines may share it.
type Plains struct{ Seed uint64 }

// plainsHigh is above the highest cell of Plains.
const plainsHigh = geom.ChunkEdge

// A hill field is noise on a square lattice of 1<<shift cells. Its height is in 1/256 of a cell.
type hillField struct{ shift, height int }

// hillFields returns the fields whose sum the land is. All arithmetic is on integers.
func hillFields() [4]hillField { return [...]hillField{{11, 4096}, {8, 3072}, {6, 1280}, {4, 320}} }

// plainsBase is the mean of the heights before low ground is filled up.
const plainsBase = -700

// Height returns the height of the ground at x and z, in 1/256 of a cell.
func (p Plains) Height(x, z int) int {
	h := plainsBase
	for n, f := range hillFields() {
		c := p.hill(n, f, x>>f.shift, z>>f.shift)
		h += c.at(f.shift, x&(1<<f.shift-1), z&(1<<f.shift-1))
	}
	return max(256, min(h, plainsHigh*256-1))
}

// corners are the heights at the corners of a square of a lattice.
type corners [4]int

func (p Plains) hill(n int, f hillField, x, z int) (c corners) {
	s := seed(p.Seed).salt(60 + n)
	for i := range c {
		c[i] = int(s.at(x+i&1, 0, z+i>>1)>>32&0xFFFF)*2*f.height>>16 - f.height
	}
	return c
}

// at returns the height between the corners.
func (c *corners) at(shift, x, z int) int {
	n := 1 << shift
	return ((c[0]*(n-x)+c[1]*x)*(n-z) + (c[2]*(n-x)+c[3]*x)*z) >> (2 * shift)
}

// Cell returns the cell of the volume "solid" at a point.
func (p Plains) Cell(at geom.Point) voxel.Cell {
	if at.Y < 0 || at.Y >= plainsHigh {
		return voxel.Empty
	}
	return plainsCell(p.Height(at.X, at.Z), at.Y)
}

// plainsCell returns the cell at height y of ground of height h.
func plainsCell(h, y int) voxel.Cell {
	full := h >> 8
	soil := grass
	switch {
	case full < 2:
		soil = sand
	case full > 14:
		soil = snow
	}
	switch {
	case y > full || y == full && h&255 < 16:
		return voxel.Empty
	case y == full:
		return voxel.TerrainCell(soil, uint8(h))
	case y > full-3:
		return voxel.TerrainCell(soil, 255)
	}
	return voxel.TerrainCell(rock, 255)
}

// Chunk returns the chunk of the volume "solid" at pos.
func (p Plains) Chunk(pos geom.ChunkPos) *voxel.Chunk {
	if pos.Y != 0 {
		return voxel.Uniform(voxel.Empty)
	}
	heights := p.heights(pos.Min().X, pos.Min().Z)
	top := 0
	for _, h := range heights {
		top = max(top, h>>8)
	}
	cells := new([voxel.ChunkCells]voxel.Cell)
	for y := range top + 1 {
		slice := cells[y*area:][:area]
		for i, h := range heights {
			slice[i] = plainsCell(h, y)
		}
	}
	return voxel.FromFlat(cells)
}

// heights returns Height for the 32x32 sites from x and z on, which are corners of a chunk.
func (p Plains) heights(x0, z0 int) (out [area]int) {
	for i := range out {
		out[i] = plainsBase
	}
	for n, f := range hillFields() {
		edge := min(1<<f.shift, geom.ChunkEdge) // of the part of a square that is in the chunk
		for dz := 0; dz < geom.ChunkEdge; dz += edge {
			for dx := 0; dx < geom.ChunkEdge; dx += edge {
				x, z := x0+dx, z0+dz
				c := p.hill(n, f, x>>f.shift, z>>f.shift)
				fx, fz := x&(1<<f.shift-1), z&(1<<f.shift-1)
				for j := range edge {
					for i := range edge {
						out[(dz+j)*geom.ChunkEdge+dx+i] += c.at(f.shift, fx+i, fz+j)
					}
				}
			}
		}
	}
	for i, h := range out {
		out[i] = max(256, min(h, plainsHigh*256-1))
	}
	return out
}
