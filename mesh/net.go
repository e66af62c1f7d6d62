package mesh

import (
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// NetVertex is a vertex of a smooth surface, in cells of its level from the least corner of the
// box. Positions are multiples of 1/256, so meshes of one level have equal vertices where they meet.
type NetVertex struct {
	Position [3]float32
	Normal   [3]float32 // of length 1, from the occupancies around
	Material uint8
	Shape    Shape // of the material; a Faceted or Square surface has the normals of its triangles
}

// Around says what the 26 neighbours of a box are: by x, y and z, each 0 below the box, 1 at the
// box and 2 above it.
type Around [3][3][3]Border

// Netter makes smooth surfaces of Terrain cells by naive surface nets: the surface is where the
// occupancy passes one half between the centres of cells. It keeps its memory, so that in the long
// run it allocates nothing. Goroutines must not share it.
type Netter struct {
	shapes  [64]Shape
	options Options
	reader  reader

	size  [3]int // of the box
	cells []voxel.Cell
	// Masks by x of the box with a border of one cell, at y*(size[2]+2)+z: full is set where the
	// occupancy is half or more, hidden where the cell is not known and has no surface, mixed where
	// the cube from here to the next cells has a vertex. first is its number in each row.
	full, hidden, mixed []uint64
	first               []uint32
	partly              bool // hidden is not empty

	seam *seam // if a neighbour has another level

	vertices []NetVertex
	indices  []uint32
}

// NewNetter returns a Netter. shapes are those of the materials by number; others are Round.
func NewNetter(shapes []Shape, o Options) *Netter {
	n := &Netter{options: o}
	copy(n.shapes[:], shapes)
	return n
}

// Load reads the cells of b, which counts cells of the level, and those around it. If a neighbour
// has another level, b must have even coordinates, its neighbours must be boxes of its size, and
// levels of boxes that touch must differ by one at most. Then all meshes together have no crack. Load
// panics if an edge of b is longer than MaxEdge.
func (n *Netter) Load(src Source, b geom.Box, level int, around Around) {
	checkBox(b)
	s := b.Size()
	n.size = [3]int{s.X, s.Y, s.Z}
	n.reader.src = src
	if around != (Around{}) {
		n.loadSeam(b, level, &around)
	} else {
		n.seam = nil
		n.cells = resize(n.cells, (s.X+2)*(s.Y+2)*(s.Z+2))
		all := grown(b, 1)
		n.reader.read(all, level, n.cells, all.Min, all.Size())
		n.mask()
	}
	n.reader.src = nil
}

// grown returns b with a border.
func grown(b geom.Box, by int) geom.Box {
	d := geom.Point{X: by, Y: by, Z: by}
	return geom.Box{Min: b.Min.Sub(d), Max: b.Max.Add(d)}
}

// half is the least occupancy inside the surface, in 256th.
const half = 128

// fullness is the occupancy of a cell in 256th.
func fullness(c voxel.Cell) int32 {
	if c.Material() == 0 {
		return 0
	}
	return int32(c&0xFF) + 1
}

// mask makes the masks of the cells.
func (n *Netter) mask() {
	nx, rows := n.size[0]+2, (n.size[1]+2)*(n.size[2]+2)
	n.full, n.hidden = resize(n.full, rows), resize(n.hidden, rows)
	any := uint64(0)
	for i := range rows {
		row := n.cells[i*nx : i*nx+nx]
		full, hidden := uint64(0), uint64(0)
		for runs := changes(row); runs != 0; {
			from := bits.TrailingZeros64(runs)
			runs &= runs - 1
			mask := uint64(1)<<min(bits.TrailingZeros64(runs), nx) - 1<<from
			switch c := row[from]; {
			case c >= missing:
				hidden |= mask
			case fullness(c) >= half:
				full |= mask
			}
		}
		for m := hidden; m != 0; m &= m - 1 {
			row[bits.TrailingZeros64(m)] = 0
		}
		n.full[i], n.hidden[i] = full, hidden
		any |= hidden
	}
	n.partly = any != 0 && n.options.Missing == Opaque
}

// Surface makes the surface of what was loaded: vertices, and three indices for each triangle,
// counterclockwise seen from outside. Both are valid until the next call.
func (n *Netter) Surface() ([]NetVertex, []uint32) {
	n.vertices, n.indices = n.vertices[:0], n.indices[:0]
	if n.seam != nil {
		n.surfaceOfSeam()
		return n.vertices, n.indices
	}
	n.points()
	n.faces()
	return n.vertices, n.indices
}

// points makes the vertices of all cubes that the surface passes.
func (n *Netter) points() {
	nx, ny, nz := n.size[0]+2, n.size[1]+2, n.size[2]+2
	n.mixed, n.first = resize(n.mixed, ny*nz), resize(n.first, ny*nz)
	inner := uint64(1)<<(nx-1) - 1
	for y := range ny - 1 {
		for z := range nz - 1 {
			i := y*nz + z
			a, b, c, d := n.full[i], n.full[i+1], n.full[i+nz], n.full[i+nz+1]
			or, and := a|b|c|d, a&b&c&d
			mixed := (or | or>>1) &^ (and & (and >> 1)) & inner
			n.mixed[i], n.first[i] = mixed, uint32(len(n.vertices))
			for ; mixed != 0; mixed &= mixed - 1 {
				x := bits.TrailingZeros64(mixed)
				o := i*nx + x
				row := nz * nx
				cube := [8]voxel.Cell{
					n.cells[o], n.cells[o+1], n.cells[o+row], n.cells[o+row+1],
					n.cells[o+nx], n.cells[o+nx+1], n.cells[o+nx+row], n.cells[o+nx+row+1],
				}
				n.vertices = append(n.vertices, NetVertex{})
				v := &n.vertices[len(n.vertices)-1]
				n.vertexOf(&cube, v)
				// The cube is between centres of cells, and the mask has a border of one cell.
				v.Position[0] += float32(x) - .5
				v.Position[1] += float32(y) - .5
				v.Position[2] += float32(z) - .5
			}
		}
	}
}

// corners of a cube are bits: x is 1, y is 2 and z is 4.

// cubeEdges has for each set of full corners the edges that the surface passes: the lower corner
// of each, by axis; and the number of edges and their sums of corners.
var cubeEdges = makeCubeEdges()

type cubeCase struct {
	edges [3][4]uint8
	n     [3]uint8
	base  [3]float32 // sums of the lower corners
	part  float32    // 1 / number of edges
}

func makeCubeEdges() *[256]cubeCase {
	t := new([256]cubeCase)
	for full := range t {
		k := &t[full]
		all := 0
		for axis := range 3 {
			for corner := range 8 {
				if corner>>axis&1 != 0 || full>>corner&1 == full>>(corner|1<<axis)&1 {
					continue
				}
				k.edges[axis][k.n[axis]] = uint8(corner)
				k.n[axis]++
				all++
				for a := range 3 {
					k.base[a] += float32(corner >> a & 1)
				}
			}
		}
		if all > 0 {
			k.part = 1 / float32(all)
		}
	}
	return t
}

// inverse is 1/(i-256).
var inverse = func() (t [513]float32) {
	for i := range t {
		if i != 256 {
			t[i] = 1 / float32(i-256)
		}
	}
	return t
}()

// The positions of a vertex in its cube, in 256th of it, stay off the sides, so that vertices of two
// cubes are never the same.
const (
	grain    = 256
	leastPos = grain / 16
	mostPos  = grain - leastPos
)

// vertexOf fills in a vertex relative to the least corner of its cube. Its corners are neither all
// full nor all empty.
func (n *Netter) vertexOf(cube *[8]voxel.Cell, v *NetVertex) {
	var f [8]int32
	full := 0
	best, bestFull := 0, int32(0)
	for i, c := range cube {
		f[i] = fullness(c)
		if f[i] >= half {
			full |= 1 << i
			if f[i] >= bestFull {
				best, bestFull = i, f[i]
			}
		}
	}
	v.Material = cube[best].Material()
	v.Shape = n.shapes[v.Material&63]
	v.Normal = normal(&f)
	if v.Shape == Square {
		v.Position = [3]float32{.5, .5, .5}
		return
	}
	k := &cubeEdges[full&255]
	sum := k.base
	for axis := range 3 {
		for _, e := range k.edges[axis][:k.n[axis]&7] {
			a, b := f[e&7], f[(e|1<<axis)&7]
			sum[axis] += float32(half-a) * inverse[(b-a+256)&1023]
		}
	}
	for a, s := range sum {
		p := min(max(int32(s*k.part*grain+.5), leastPos), mostPos)
		if v.Shape == Faceted {
			p = facet(p)
		}
		v.Position[a] = float32(p) * (1. / grain)
	}
}

// facet moves a place in a cube to one of three, so that neighbouring faces lie in one plane and meet
// in sharp edges.
func facet(p int32) int32 {
	switch {
	case p < grain*3/8:
		return grain / 4
	case p < grain*5/8:
		return grain / 2
	}
	return grain * 3 / 4
}

// normal is the direction in which the occupancies of a cube fall.
func normal(f *[8]int32) [3]float32 {
	x := float32(f[0] + f[2] + f[4] + f[6] - f[1] - f[3] - f[5] - f[7])
	y := float32(f[0] + f[1] + f[4] + f[5] - f[2] - f[3] - f[6] - f[7])
	z := float32(f[0] + f[1] + f[2] + f[3] - f[4] - f[5] - f[6] - f[7])
	return unit([3]float32{x, y, z})
}

// unit returns d at length 1, or straight up if it has no length.
func unit(d [3]float32) [3]float32 {
	l := d[0]*d[0] + d[1]*d[1] + d[2]*d[2]
	if l == 0 {
		return [3]float32{0, 1, 0}
	}
	l = 1 / float32(math.Sqrt(float64(l)))
	return [3]float32{d[0] * l, d[1] * l, d[2] * l}
}

// faces makes a quad around each edge between two cells that the surface passes: of those from a
// cell of the box to the next.
func (n *Netter) faces() {
	nx, ny, nz := n.size[0]+2, n.size[1]+2, n.size[2]+2
	inner := (uint64(1)<<(nx-1) - 1) &^ 1 // cells of the box
	for y := 1; y < ny-1; y++ {
		for z := 1; z < nz-1; z++ {
			i := y*nz + z
			here := n.full[i]
			ex, ey, ez := (here^here>>1)&inner, (here^n.full[i+nz])&inner, (here^n.full[i+1])&inner
			if ex|ey|ez == 0 {
				continue
			}
			if n.partly {
				h := n.hidden[i]
				ex &^= h | h>>1
				ey &^= h | n.hidden[i+nz]
				ez &^= h | n.hidden[i+1]
			}
			for all := ex | ey | ez; all != 0; all &= all - 1 {
				x := bits.TrailingZeros64(all)
				bit := all & -all
				inside := here&bit != 0
				// Rings go counterclockwise around the axis.
				if ex&bit != 0 {
					n.quad(n.at(i-nz-1, x), n.at(i-1, x), n.at(i, x), n.at(i-nz, x), inside)
				}
				if ey&bit != 0 {
					n.quad(n.at(i-1, x-1), n.at(i, x-1), n.at(i, x), n.at(i-1, x), inside)
				}
				if ez&bit != 0 {
					n.quad(n.at(i-nz, x-1), n.at(i-nz, x), n.at(i, x), n.at(i, x-1), inside)
				}
			}
		}
	}
}

// at returns the number of the vertex of a cube.
func (n *Netter) at(row, x int) uint32 {
	return n.first[row] + uint32(bits.OnesCount64(n.mixed[row]&(1<<x-1)))
}

// quad adds the triangles of a ring. Its diagonal is the shorter one.
func (n *Netter) quad(a, b, c, d uint32, outward bool) {
	if !outward {
		b, d = d, b
	}
	p, q, r, s := &n.vertices[a].Position, &n.vertices[b].Position, &n.vertices[c].Position, &n.vertices[d].Position
	if far(p, r) <= far(q, s) {
		n.indices = append(n.indices, a, b, c, a, c, d)
	} else {
		n.indices = append(n.indices, a, b, d, b, c, d)
	}
}

// far is the square of a distance.
func far(p, q *[3]float32) float32 {
	x, y, z := p[0]-q[0], p[1]-q[1], p[2]-q[2]
	return x*x + y*y + z*z
}
