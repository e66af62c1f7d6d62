package terrain

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

const (
	cubeEdge = 4 // caves and veins are noise at the corners of cubes, interpolated within
	lattice  = geom.ChunkEdge/cubeEdge + 1
)

// cloud3 is noise at the corners of the cubes of one chunk, index (y*9+z)*9+x.
type cloud3 [lattice * lattice * lattice]float64

// sample sets the corners to noise of the given wavelength, minus offset.
func (n *cloud3) sample(s seed, x, y, z int, length, offset float64) {
	for i := range n {
		px := float64(x + i%lattice*cubeEdge)
		pz := float64(z + i/lattice%lattice*cubeEdge)
		py := float64(y + i/lattice/lattice*cubeEdge)
		n[i] = s.cloud(px/length, py/length, pz/length) - offset
	}
}

// corners returns the noise at the corners of a cube: x = 1, z = 2, y = 4.
func (n *cloud3) corners(cx, cy, cz int) (c [8]float64, low, high float64) {
	base := (cy*lattice+cz)*lattice + cx
	low, high = n[base], n[base]
	for i := range c {
		c[i] = n[base+i&1+i>>1&1*lattice+i>>2*lattice*lattice]
		low, high = min(low, c[i]), max(high, c[i])
	}
	return c, low, high
}

// blend returns the noise within a cube; x, y and z are 0..3.
func blend(c *[8]float64, x, y, z int) float64 {
	u, v, w := float64(x)/cubeEdge, float64(y)/cubeEdge, float64(z)/cubeEdge
	return lerp(lerp(lerp(c[0], c[1], u), lerp(c[2], c[3], u), w), lerp(lerp(c[4], c[5], u), lerp(c[6], c[7], u), w), v)
}

// hollow adds veins and caves to a chunk that starts at height y0. A cave is where
// two noises are both near zero, along the line where two surfaces meet, and where a
// third noise allows it.
func (f *heightField) hollow(cells *[voxel.ChunkCells]voxel.Cell, y0 int) {
	s := seed(f.Seed)
	var a, b, v, where cloud3
	a.sample(s.salt(60), f.x, y0, f.z, 46, .5)
	b.sample(s.salt(61), f.x, y0, f.z, 46, .5)
	v.sample(s.salt(62), f.x, y0, f.z, 17, f.Shape.Vein)
	where.sample(s.salt(63), f.x, y0, f.z, 96, .68)
	wide := 4 * f.Shape.Cave
	const n = geom.ChunkEdge / cubeEdge
	for i := range n * n * n {
		cx, cz, cy := i%n, i/n%n, i/n/n
		corner := (cy*cubeEdge*geom.ChunkEdge+cz*cubeEdge)*geom.ChunkEdge + cx*cubeEdge
		if c, _, high := v.corners(cx, cy, cz); high > 0 {
			veins3(cells, corner, &c)
		}
		ca, far := a.farFrom0(cx, cy, cz, wide)
		cb, alsoFar := b.farFrom0(cx, cy, cz, wide)
		if _, _, high := where.corners(cx, cy, cz); high > 0 && !far && !alsoFar && y0+cy > 0 {
			cave(cells, corner, &ca, &cb, wide)
		}
	}
}

// farFrom0 returns the corners of a cube, and whether the squares of all values
// between them exceed twice wide.
func (n *cloud3) farFrom0(cx, cy, cz int, wide float64) (c [8]float64, far bool) {
	c, low, high := n.corners(cx, cy, cz)
	return c, low*low > 2*wide && high*high > 2*wide && low*high > 0
}

// eachCell calls f for the cells of a cube with their index and position in it.
func eachCell(corner int, f func(i, x, y, z int)) {
	for n := range cubeEdge * cubeEdge * cubeEdge {
		x, z, y := n%cubeEdge, n/cubeEdge%cubeEdge, n/cubeEdge/cubeEdge
		f(corner+(y*geom.ChunkEdge+z)*geom.ChunkEdge+x, x, y, z)
	}
}

// veins3 turns rock into ore where the noise is above zero.
func veins3(cells *[voxel.ChunkCells]voxel.Cell, corner int, c *[8]float64) {
	eachCell(corner, func(i, x, y, z int) {
		if cells[i].Material() >= rock && blend(c, x, y, z) > 0 {
			cells[i] = voxel.TerrainCell(ore, 255)
		}
	})
}

// cave empties the middle of a tunnel and leaves its wall partly full.
func cave(cells *[voxel.ChunkCells]voxel.Cell, corner int, a, b *[8]float64, wide float64) {
	eachCell(corner, func(i, x, y, z int) {
		p, q := blend(a, x, y, z), blend(b, x, y, z)
		switch d := (p*p + q*q) / wide; {
		case d < 1:
			cells[i] = voxel.Empty
		case d < 2:
			full := min(uint8(cells[i]), uint8((d-1)*255))
			cells[i] = voxel.TerrainCell(cells[i].Material(), full)
		}
	})
}
