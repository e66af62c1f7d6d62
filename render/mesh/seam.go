package mesh

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// apron is how far the cells around a box reach whose neighbours have another level.
const apron = 4

// seam holds the cells of a box whose neighbours have other levels, and of an apron around it: a place
// for each cell. A cell of the next level stands in each of the eight places that it covers. A cube between eight places
// is then a cube, a wedge or a pyramid between the cells there, or nothing, where it lies within one
// layer of coarse cells. These solids fill space without gaps, whatever levels meet: each that the
// surface passes gets a vertex, and each edge between two cells that the surface passes gets the
// polygon of the vertices around it.
type seam struct {
	size    [3]int // with the apron
	cells   []voxel.Cell
	borders []Border
	coarse  []voxel.Cell // of the next level, in the box wide
	wide    geom.Box     // in cells of that level, from the least corner of the box, which is even
	numbers []uint32     // of the vertex of the cube from here to the next cells, plus 1; 0 is not made yet
	ring    []geom.Point
	corners []uint32
}

func (n *Netter) loadSeam(b geom.Box, level int, around *Around) {
	if n.seam == nil {
		n.seam = new(seam)
	}
	s := n.seam
	all := grown(b, apron)
	t := all.Size()
	s.size = [3]int{t.X, t.Y, t.Z}
	count := all.Cells()
	s.cells, s.borders, s.numbers = resize(s.cells, count), resize(s.borders, count), resize(s.numbers, count)
	clear(s.numbers)
	n.reader.read(all, level, s.cells, all.Min, t)
	least := geom.Point{X: b.Min.X >> 1, Y: b.Min.Y >> 1, Z: b.Min.Z >> 1}
	s.wide = grown(geom.Box{Max: geom.Point{X: (n.size[0] + 1) >> 1, Y: (n.size[1] + 1) >> 1, Z: (n.size[2] + 1) >> 1}}, apron/2+1)
	s.coarse = resize(s.coarse, s.wide.Cells())
	coarse := s.wide.Add(least)
	n.reader.read(coarse, level+1, s.coarse, coarse.Min, coarse.Size())
	part := func(i, size int) int { // of Around
		switch {
		case i < apron:
			return 0
		case i < apron+size:
			return 1
		}
		return 2
	}
	i := 0
	for y := range t.Y {
		for z := range t.Z {
			for x := range t.X {
				s.borders[i] = around[part(x, n.size[0])][part(y, n.size[1])][part(z, n.size[2])]
				if s.cell(geom.Point{X: x - apron, Y: y - apron, Z: z - apron}) >= missing && n.options.Missing == Opaque {
					s.borders[i] = Finer // which has no surface here
				}
				i++
			}
		}
	}
}

// index returns the place of p, relative to the box.
func (s *seam) index(p geom.Point) int {
	return ((p.Y+apron)*s.size[2]+p.Z+apron)*s.size[0] + p.X + apron
}

// cell returns the cell in the place p.
func (s *seam) cell(p geom.Point) voxel.Cell {
	if i := s.index(p); s.borders[i] != Coarser {
		return s.cells[i]
	}
	return s.wider(geom.Point{X: p.X >> 1, Y: p.Y >> 1, Z: p.Z >> 1})
}

// wider returns a cell of the next level.
func (s *seam) wider(p geom.Point) voxel.Cell {
	size := s.wide.Size()
	p = p.Sub(s.wide.Min)
	return s.coarse[(p.Y*size.Z+p.Z)*size.X+p.X]
}

// same reports whether one coarse cell covers the places p and q.
func (s *seam) same(p, q geom.Point) bool {
	return s.borders[s.index(p)] == Coarser && s.borders[s.index(q)] == Coarser &&
		p.X>>1 == q.X>>1 && p.Y>>1 == q.Y>>1 && p.Z>>1 == q.Z>>1
}

// corner returns a corner of the cube at p.
func corner(p geom.Point, i int) geom.Point {
	return geom.Point{X: p.X + i&1, Y: p.Y + i>>1&1, Z: p.Z + i>>2}
}

// flat reports whether the cube at p has no volume.
func (s *seam) flat(p geom.Point) bool {
	for axis := range 3 {
		apart := false
		for i := range 8 {
			if i>>axis&1 == 0 && !s.same(corner(p, i), corner(p, i|1<<axis)) {
				apart = true
				break
			}
		}
		if !apart {
			return true
		}
	}
	return false
}

// The cubes around an edge, counterclockwise by the two axes after its own: of an edge between two
// cells, and of one between two coarse cells, which stands in 2x2 places.
var (
	ringOne  = [][2]int{{-1, -1}, {0, -1}, {0, 0}, {-1, 0}}
	ringFour = [][2]int{{-1, -1}, {0, -1}, {1, -1}, {1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}}
)

func (n *Netter) surfaceOfSeam() {
	s := n.seam
	for y := -2; y <= n.size[1]; y++ {
		for z := -2; z <= n.size[2]; z++ {
			for x := -2; x <= n.size[0]; x++ {
				p := geom.Point{X: x, Y: y, Z: z}
				here := fullness(s.cell(p)) > 0
				for axis := range 3 {
					q := p.Add(along(axis, 1))
					if there := fullness(s.cell(q)) > 0; here != there && !s.same(p, q) {
						n.seamFace(p, q, axis, here)
					}
				}
			}
		}
	}
}

// seamFace makes the polygon around the edge from p to q, if it belongs to the box.
func (n *Netter) seamFace(p, q geom.Point, axis int, outward bool) {
	s := n.seam
	bp, bq := s.borders[s.index(p)], s.borders[s.index(q)]
	if bp == Finer || bq == Finer {
		return
	}
	ring := ringOne
	b, c := along((axis+1)%3, 1), along((axis+2)%3, 1)
	if bp == Coarser && bq == Coarser {
		if odd := p.X&b.X&1 | p.Y&b.Y&1 | p.Z&b.Z&1 | p.X&c.X&1 | p.Y&c.Y&1 | p.Z&c.Z&1; odd != 0 {
			return // one of the four places has the edge
		}
		ring = ringFour
	}
	s.ring = s.ring[:0]
	for _, r := range ring {
		cube := p.Add(geom.Point{X: b.X*r[0] + c.X*r[1], Y: b.Y*r[0] + c.Y*r[1], Z: b.Z*r[0] + c.Z*r[1]})
		if !s.flat(cube) {
			s.ring = append(s.ring, cube)
		}
	}
	if !n.owns(p, bp) {
		return
	}
	s.corners = s.corners[:0]
	for _, cube := range s.ring {
		s.corners = append(s.corners, n.seamVertex(cube))
	}
	n.polygon(s.corners, outward)
}

// owns reports whether the polygon of the ring around the edge at p belongs to the box. The finest
// of the boxes that it touches has it: the one with p, or else the one with the least cell.
func (n *Netter) owns(p geom.Point, at Border) bool {
	s := n.seam
	least, any := geom.Point{}, false
	for _, cube := range s.ring {
		for i := range 8 {
			k := corner(cube, i)
			switch s.borders[s.index(k)] {
			case Finer:
				return false
			case Same:
				if !any || k.X < least.X || k.X == least.X && (k.Y < least.Y || k.Y == least.Y && k.Z < least.Z) {
					least, any = k, true
				}
			}
		}
	}
	if at == Same {
		least = p
	}
	box := geom.Box{Max: geom.Point{X: n.size[0], Y: n.size[1], Z: n.size[2]}}
	return any && box.Contains(least)
}

// seamVertex returns the number of the vertex of a cube.
func (n *Netter) seamVertex(at geom.Point) uint32 {
	s := n.seam
	number := &s.numbers[s.index(at)]
	if *number != 0 {
		return *number - 1
	}
	var cube cube
	var w where
	coarse := 0
	for i := range cube.cells {
		p := corner(at, i)
		size := 1
		q := geom.Point{X: 2*p.X + 1, Y: 2*p.Y + 1, Z: 2*p.Z + 1} // twice the centre
		beside := func(d geom.Point) voxel.Cell { return s.cells[s.index(p.Add(d))] }
		if s.borders[s.index(p)] == Coarser {
			coarse++
			size = 2
			wide := geom.Point{X: p.X >> 1, Y: p.Y >> 1, Z: p.Z >> 1}
			q = geom.Point{X: 4*wide.X + 2, Y: 4*wide.Y + 2, Z: 4*wide.Z + 2}
			beside = func(d geom.Point) voxel.Cell { return s.wider(wide.Add(d)) }
		}
		cube.put(i, s.cell(p))
		for axis := range 3 {
			cube.lean(i, axis, beside(along(axis, i>>axis&1*2-1)))
		}
		q = q.Sub(geom.Point{X: 2*at.X + 1, Y: 2*at.Y + 1, Z: 2*at.Z + 1})
		w.centres[i] = [3]int32{int32(q.X) * grain / 2, int32(q.Y) * grain / 2, int32(q.Z) * grain / 2}
		w.edges[i] = int32(size)
	}
	n.vertices = append(n.vertices, NetVertex{})
	v := &n.vertices[len(n.vertices)-1]
	low, edge := [3]float32{float32(at.X) + .5, float32(at.Y) + .5, float32(at.Z) + .5}, float32(1)
	place := n.min.Add(at)
	if coarse == 8 { // as the coarse neighbour makes it
		w = corners
		place = geom.Point{X: place.X >> 1, Y: place.Y >> 1, Z: place.Z >> 1}
		low, edge = [3]float32{float32(at.X), float32(at.Y), float32(at.Z)}, 2
	}
	n.vertexOf(&cube, &w, place, v)
	for a := range 3 {
		v.Position[a] = v.Position[a]*edge + low[a]
	}
	*number = uint32(len(n.vertices))
	return *number - 1
}

// polygon adds the triangles of a polygon of 3 to 8 vertices: those of a fan without triangles that
// have no area, if there is one.
func (n *Netter) polygon(p []uint32, outward bool) {
	if len(p) == 4 {
		n.quad(p[0], p[1], p[2], p[3], outward)
		return
	}
	first := 0
	for ; first < len(p)-1 && n.thin(p, first); first++ {
	}
	for i := 1; i < len(p)-1; i++ {
		a, b, c := p[first], p[(first+i)%len(p)], p[(first+i+1)%len(p)]
		if !outward {
			b, c = c, b
		}
		n.indices = append(n.indices, a, b, c)
	}
}

// thin reports whether a triangle of the fan from a corner has no area.
func (n *Netter) thin(p []uint32, first int) bool {
	at := func(i int) [3]float32 { return n.vertices[p[(first+i)%len(p)]].Position }
	for i := 1; i < len(p)-1; i++ {
		if cross(at(0), at(i), at(i+1)) == ([3]float32{}) {
			return true
		}
	}
	return false
}

// cross returns the normal of a triangle, as long as twice its area.
func cross(a, b, c [3]float32) [3]float32 {
	for i := range 3 {
		b[i] -= a[i]
		c[i] -= a[i]
	}
	return [3]float32{b[1]*c[2] - b[2]*c[1], b[2]*c[0] - b[0]*c[2], b[0]*c[1] - b[1]*c[0]}
}
