package mesh

import (
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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

// Netter makes smooth surfaces of Terrain cells by surface nets around all cells that have
// matter, so that at no level a thin piece is lost: a vertex between eight cells is the mean of the middles
// of the faces there of their matter, which voxel.Rule.Extent defines. It keeps its memory, so that in the long
// run it allocates nothing. Goroutines must not share it.
type Netter struct {
	shapes  [64]Shape
	options Options
	reader  reader

	size  [3]int // of the box
	min   geom.Point
	cells []voxel.Cell // of the box with a border of two cells
	// Masks by x of the box with a border of one cell, at y*(size[2]+2)+z: full is set where there
	// is matter, hidden where the cell is not known and has no surface, mixed where
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
func (n *Netter) Load(src BoxReader, b geom.Box, level int, around Around) {
	checkBox(b)
	s := b.Size()
	n.size, n.min = [3]int{s.X, s.Y, s.Z}, b.Min
	n.reader.src = src
	if around != (Around{}) {
		n.loadSeam(b, level, &around)
	} else {
		n.seam = nil
		n.cells = resize(n.cells, (s.X+4)*(s.Y+4)*(s.Z+4))
		all := grown(b, 2)
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

// fullness is the occupancy of a cell in 256th, 0 if it is not known.
func fullness(c voxel.Cell) int32 {
	if c.Material() == 0 || c >= missing {
		return 0
	}
	return int32(c&0xFF) + 1
}

// mask makes the masks of the cells.
func (n *Netter) mask() {
	nx, ny, nz := n.size[0]+2, n.size[1]+2, n.size[2]+2
	n.full, n.hidden = resize(n.full, ny*nz), resize(n.hidden, ny*nz)
	any := uint64(0)
	for i := range ny * nz {
		o := n.place(0, i)
		row := n.cells[o : o+nx]
		full, hidden := uint64(0), uint64(0)
		for runs := changes(row); runs != 0; {
			from := bits.TrailingZeros64(runs)
			runs &= runs - 1
			mask := uint64(1)<<min(bits.TrailingZeros64(runs), nx) - 1<<from
			switch c := row[from]; {
			case c >= missing:
				hidden |= mask
			case c.Material() != 0:
				full |= mask
			}
		}
		n.full[i], n.hidden[i] = full, hidden
		any |= hidden
	}
	n.partly = any != 0 && n.options.Missing == Opaque
}

// place returns the place in cells of a bit of a mask.
func (n *Netter) place(x, row int) int {
	nz := n.size[2] + 2
	return ((row/nz+1)*(nz+2)+row%nz+1)*(n.size[0]+4) + x + 1
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
	stride := [3]int{1, (nx + 2) * (nz + 2), nx + 2}
	var steps [8]int // from the least cell of a cube
	for k := range steps {
		steps[k] = k&1 + k>>1&1*stride[1] + k>>2*stride[2]
	}
	n.mixed, n.first = resize(n.mixed, ny*nz), resize(n.first, ny*nz)
	inner := uint64(1)<<(nx-1) - 1
	for y := range ny - 1 {
		for z := range nz - 1 {
			i := y*nz + z
			a, b, c, d := n.full[i], n.full[i+1], n.full[i+nz], n.full[i+nz+1]
			or, and := a|b|c|d, a&b&c&d
			mixed := (or | or>>1) &^ (and & (and >> 1)) & inner
			n.mixed[i], n.first[i] = mixed, uint32(len(n.vertices))
			row := n.place(0, i)
			for ; mixed != 0; mixed &= mixed - 1 {
				x := bits.TrailingZeros64(mixed)
				var cube cube
				o := row + x
				for k, p := range steps {
					cube.put(k, n.cells[o+p])
				}
				h := cube.has
				flat := h == 0x55 || h == 0xAA || h == 0x33 || h == 0xCC || h == 0x0F || h == 0xF0
				for k, p := range steps {
					if f := cube.full[k]; f == voxel.Whole || f == 0 && flat {
						continue // what is behind it makes no difference
					}
					for axis, s := range stride {
						cube.lean(k, axis, n.cells[o+p+s*(k>>axis&1*2-1)])
					}
				}
				n.vertices = append(n.vertices, NetVertex{})
				v := &n.vertices[len(n.vertices)-1]
				n.vertexOf(&cube, &corners, n.min.Add(geom.Point{X: x - 1, Y: y - 1, Z: z - 1}), v)
				// The cube is between centres of cells, and the mask has a border of one cell.
				v.Position[0] += float32(x) - .5
				v.Position[1] += float32(y) - .5
				v.Position[2] += float32(z) - .5
			}
		}
	}
}

// cube is the eight cells around a vertex. Corners of a cube are bits: x is 1, y is 2 and z is 4.
type cube struct {
	cells [8]voxel.Cell
	full  [8]int32
	has   uint8 // a bit for each cell that has matter
	// behind is by axis the fullness of the next cell away from the cube, and leans has a bit for each
	// axis where that has matter. A whole cell needs none, nor an empty one beside a flat face.
	behind [8][3]int32
	leans  [8]uint8
}

func (c *cube) put(corner int, cell voxel.Cell) {
	c.cells[corner] = cell
	if f := fullness(cell); f > 0 {
		c.full[corner] = f
		c.has |= 1 << corner
	}
}

// lean sets the next cell away from the cube.
func (c *cube) lean(corner, axis int, cell voxel.Cell) {
	if f := fullness(cell); f > 0 {
		c.behind[corner][axis] = f
		c.leans[corner] |= 1 << axis
	}
}

// where says how a cube lies: the centres of its cells in 256th of a cell, and their edges in cells.
type where struct {
	centres [8][3]int32
	edges   [8]int32
}

// corners are those of a cube between cells of one level.
var corners = func() (w where) {
	for i := range w.centres {
		w.centres[i] = [3]int32{int32(i&1) * grain, int32(i>>1&1) * grain, int32(i>>2) * grain}
		w.edges[i] = 1
	}
	return w
}()

// grain is how many places a cell has along an edge.
const grain = voxel.Whole

// far is a depth that no cell has.
const far = 1 << 20

// vertexOf fills in a vertex relative to the least corner of its cube, which lies at a place among the cubes of
// its level. Its corners neither all have matter nor are all empty.
func (n *Netter) vertexOf(c *cube, w *where, at geom.Point, v *NetVertex) {
	var depth [8]int32 // about how deep in matter the centres of the cells lie
	best := bits.TrailingZeros8(c.has)
	for i, f := range c.full {
		if depth[i] = far; f == 0 {
			depth[i] = -far
			for axis := range bits.Len8(c.leans[i]) {
				if b := c.behind[i][axis]; b > 0 { // matter that ends before the cube
					depth[i] = max(depth[i], b-grain*3/2)
				}
			}
		} else if f >= c.full[best] {
			best = i
		}
	}
	var sum, own, faces [3]int32 // of all faces, and of those across an axis
	var count int32
	faced := uint8(0)
	for m := c.has; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m) & 7
		f, edge, middle := c.full[i], w.edges[i], w.centres[i]
		leans, beside := c.leans[i], c.has>>(i^1)&1|c.has>>(i^2)&1<<1|c.has>>(i^4)&1<<2
		for x := leans ^ beside; x != 0 && f < voxel.Whole; x &= x - 1 {
			axis := bits.TrailingZeros8(x) & 3
			shift := (voxel.Whole - f) / 2 * edge // of the middle of the matter, to the side that it lies on
			if i>>axis&1 != int(leans>>axis&1) {
				shift = -shift
			}
			if middle[axis] += shift; leans>>axis&1 == 0 {
				depth[i] = min(depth[i], f-grain/2)
			}
		}
		open := ^beside & 7
		for o := open; o != 0; o &= o - 1 {
			axis := bits.TrailingZeros8(o) & 3
			k := i ^ 1<<axis&7
			reach := int32(voxel.Reach(int(f), leans>>axis&1 != 0))
			to := w.centres[i][axis] + reach*edge*int32(1-i>>axis&1*2)
			sum[axis] += to - middle[axis]
			own[axis] += to
			faces[axis]++
			depth[i], depth[k] = min(depth[i], reach), max(depth[k], reach-grain)
			faced |= 1<<i | 1<<k
		}
		n := int32(bits.OnesCount8(open))
		for a := range sum {
			sum[a] += n * middle[a]
		}
		count += n
	}
	if faced != 0xFF {
		c.deepen(&depth)
	}
	v.Material = c.cells[best].Material()
	v.Shape = n.shapes[v.Material&63]
	v.Normal = normal(&depth)
	for a := range sum {
		p := mean(sum[a], count)
		switch {
		case v.Shape == Faceted:
			p = facet(p)
		case v.Shape == Square && faces[a] == 0:
			p = grain / 2
		case v.Shape == Square:
			p = mean(own[a], faces[a])
		}
		// Vertices of neighbours must not be in one place: their triangle would have no area.
		p = p&^1 | int32([3]int{at.X, at.Y, at.Z}[a]&1)
		v.Position[a] = float32(p) * (1. / grain)
	}
}

// mean returns sum / n, rounded.
func mean(sum, n int32) int32 {
	const up = 8 * grain // so that it rounds down
	return (2*(sum+up*n)+n)/(2*n) - up
}

// facet moves a place in a cube to one of three within each cell, so that neighbouring faces lie in one
// plane and meet in sharp edges.
func facet(p int32) int32 {
	switch q := (p + grain) % grain; { // from the centre of a cell
	case q < grain*3/8:
		return p - q + grain/4
	case q < grain*5/8:
		return p - q + grain/2
	default:
		return p - q + grain*3/4
	}
}

// deepen sets the depths of cells without a face in the cube: one cell deeper than those beside them.
func (c *cube) deepen(depth *[8]int32) {
	for range 2 { // the farthest cells are two steps from one with a face
		for i, d := range depth {
			if d != far && d != -far {
				continue
			}
			for axis := range 3 {
				switch k := i ^ 1<<axis; {
				case d > 0 && c.full[k] > 0:
					depth[i] = min(depth[i], depth[k]+grain)
				case d < 0 && c.full[k] == 0:
					depth[i] = max(depth[i], depth[k]-grain)
				}
			}
		}
	}
}

// normal is the direction out of the matter: that in which depths fall.
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
	if apart(p, r) <= apart(q, s) {
		n.indices = append(n.indices, a, b, c, a, c, d)
	} else {
		n.indices = append(n.indices, a, b, d, b, c, d)
	}
}

// apart is the square of a distance.
func apart(p, q *[3]float32) float32 {
	x, y, z := p[0]-q[0], p[1]-q[1], p[2]-q[2]
	return x*x + y*y + z*z
}
