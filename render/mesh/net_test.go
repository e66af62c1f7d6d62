package mesh_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// land is a source of made cells of edge places, empty outside, with levels by Downsample.
type land struct {
	levels [][]voxel.Cell
	edge   int
}

func newLand(edge int, cell func(p geom.Point) voxel.Cell) *land {
	l := &land{edge: edge}
	first := make([]voxel.Cell, edge*edge*edge)
	for i := range first {
		first[i] = cell(geom.Point{X: i % edge, Y: i / edge / edge, Z: i / edge % edge})
	}
	l.levels = append(l.levels, first)
	rule := &voxel.Rule{Schema: voxel.Terrain}
	for e := edge / 2; e > 0; e /= 2 {
		next := make([]voxel.Cell, e*e*e)
		for i := range next {
			var eight [8]voxel.Cell
			for k := range eight {
				eight[k] = l.cell(len(l.levels)-1, geom.Point{X: i%e*2 + k&1, Y: i/e/e*2 + k>>1&1, Z: i/e%e*2 + k>>2})
			}
			next[i] = voxel.Downsample(rule, eight)
		}
		l.levels = append(l.levels, next)
	}
	return l
}

func (l *land) cell(level int, p geom.Point) voxel.Cell {
	e := l.edge >> level
	if min(p.X, p.Y, p.Z) < 0 || max(p.X, p.Y, p.Z) >= e {
		return 0
	}
	return l.levels[level][(p.Y*e+p.Z)*e+p.X]
}

func (l *land) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	s := b.Size()
	for i := range dst[:b.Cells()] {
		dst[i] = l.cell(level, b.Min.Add(geom.Point{X: i % s.X, Y: i / s.X / s.Z, Z: i / s.X % s.Z}))
	}
	return true
}

// shapes of materials 0 to 3.
var shapes = []mesh.Shape{mesh.Round, mesh.Round, mesh.Faceted, mesh.Square}

// wild returns random cells: noise, balls or steps, as many as margin away from the sides of the land.
func wild(r *rand.Rand, edge, margin int) *land {
	kind, materials := r.IntN(4), 1+r.IntN(3)
	x0, y0, z0, radius := r.Float64()*float64(edge), r.Float64()*float64(edge), r.Float64()*float64(edge), 2+r.Float64()*float64(edge)/2
	full := r.IntN(2) == 0
	return newLand(edge, func(p geom.Point) voxel.Cell {
		in := false
		switch kind {
		case 0:
			in = r.IntN(3) == 0
		case 1:
			in = math.Hypot(math.Hypot(float64(p.X)-x0, float64(p.Y)-y0), float64(p.Z)-z0) < radius
		case 2:
			in = p.Y < p.X/2+p.Z/3
		case 3:
			in = r.IntN(20) > 0
		}
		if !in || min(p.X, p.Y, p.Z) < margin || max(p.X, p.Y, p.Z) >= edge-margin {
			return 0
		}
		o := 255
		if !full {
			o = r.IntN(256)
		}
		return voxel.TerrainCell(uint8(1+r.IntN(materials)), uint8(o))
	})
}

// edges counts directed edges of triangles by the exact places of their ends.
type edges map[[2][3]float64]int

func (e edges) add(vertices []mesh.NetVertex, indices []uint32, at geom.Point, level int) {
	place := func(i uint32) (p [3]float64) {
		min := [3]int{at.X, at.Y, at.Z}
		for a, c := range vertices[i].Position {
			p[a] = (float64(c) + float64(min[a])) * float64(int(1)<<level)
		}
		return p
	}
	for i := 0; i < len(indices); i += 3 {
		for k := range 3 {
			e[[2][3]float64{place(indices[i+k]), place(indices[i+(k+1)%3])}]++
		}
	}
}

// open returns an edge that has not as many triangles on one side as on the other.
func (e edges) open() (at [2][3]float64, found bool) {
	for k, n := range e {
		if e[[2][3]float64{k[1], k[0]}] != n {
			return k, true
		}
	}
	return at, false
}

// octree splits a land into boxes of edge cells at different levels.
type octree struct {
	edge, top int
	split     map[[4]int]bool // level and place
}

// levelAt returns the level of the box that has a cell of level 0.
func (o *octree) levelAt(p geom.Point) int {
	level := o.top
	for level > 0 {
		s := o.edge << level
		if !o.split[[4]int{level, geom.FloorDiv(p.X, s), geom.FloorDiv(p.Y, s), geom.FloorDiv(p.Z, s)}] {
			break
		}
		level--
	}
	return level
}

// border returns what lies beyond a box by a step; ok is false if its level is not next.
func (o *octree) around(b geom.Box, level int) (a mesh.Around, ok bool) {
	size := o.edge << level
	lo := scale(b.Min, 1<<level)
	for i := range 27 {
		x, y, z := i%3, i/3%3, i/9
		q := lo.Add(geom.Point{X: (x - 1) * size, Y: (y - 1) * size, Z: (z - 1) * size})
		// All finer boxes that touch this one have the level before.
		least, most := 99, -1
		for k := range 8 {
			l := o.levelAt(q.Add(geom.Point{X: k & 1 * size / 2, Y: k >> 1 & 1 * size / 2, Z: k >> 2 * size / 2}))
			least, most = min(least, l), max(most, l)
		}
		switch {
		case least < level-1 || most > level+1:
			return a, false
		case most > level:
			a[x][y][z] = mesh.Coarser
		case least < level:
			a[x][y][z] = mesh.Finer
		}
	}
	return a, true
}

// boxes returns all boxes by level, or false if the levels of neighbours are too far apart.
func (o *octree) boxes(size int) (out []placed, ok bool) {
	for level := o.top; level >= 0; level-- {
		s := o.edge << level
		for i := range (size / s) * (size / s) * (size / s) {
			e := size / s
			p := geom.Point{X: i % e, Y: i / e % e, Z: i / e / e}
			if o.levelAt(scale(p, s)) != level {
				continue
			}
			b := geom.Box{Min: scale(p, o.edge)}
			b.Max = b.Min.Add(geom.Point{X: o.edge, Y: o.edge, Z: o.edge})
			a, fits := o.around(b, level)
			if !fits {
				return nil, false
			}
			out = append(out, placed{b, level, a})
		}
	}
	return out, true
}

type placed struct {
	box    geom.Box
	level  int
	around mesh.Around
}

// TestSmoothClosed looks for open edges where boxes of equal and of other levels meet.
func TestSmoothClosed(t *testing.T) {
	want := 10000
	if testing.Short() {
		want = 1000
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := mesh.NewNetter(shapes, mesh.Options{})
	equal, unequal := 0, 0
	for equal < want || unequal < want {
		l, boxes, ok := mixed(r)
		if !ok {
			continue
		}
		all := make(edges)
		for _, b := range boxes {
			n.Load(l, b.box, b.level, b.around)
			v, i := n.Surface()
			all.add(v, i, b.box.Min, b.level)
			if len(i) == 0 {
				continue
			}
			for k := range 27 {
				x, y, z := k%3, k/3%3, k/9
				if (x-1)*(x-1)+(y-1)*(y-1)+(z-1)*(z-1) != 1 {
					continue
				}
				if b.around[x][y][z] == mesh.Same {
					equal++
				} else {
					unequal++
				}
			}
		}
		if at, is := all.open(); is {
			t.Fatalf("after %d and %d borders: open edge %v of %d boxes", equal, unequal, at, len(boxes))
		}
	}
	t.Logf("%d borders of one level, %d of two", equal, unequal)
}

// netTwin makes the polygons of a surface cell by cell: by edge, the vertices around it in order.
func netTwin(l mesh.BoxReader, b geom.Box) map[string]int {
	rule := &voxel.Rule{Schema: voxel.Terrain}
	at := cellsOf(l, 0)
	full := func(p geom.Point) int {
		c, _ := at(p)
		return rule.Fullness(c)
	}
	dirs := [3]geom.Point{{X: 1}, {Y: 1}, {Z: 1}}
	vertex := func(cube geom.Point) [3]float64 {
		var sum, own, count [3]float64
		n, best, bestFull := 0., geom.Point{}, 0
		for i := range 8 {
			p := cube.Add(geom.Point{X: i & 1, Y: i >> 1 & 1, Z: i >> 2})
			f := full(p)
			if f == 0 {
				continue
			}
			if f >= bestFull {
				best, bestFull = p, f
			}
			low, high := rule.Extent(f, func(axis, step int) bool { return full(p.Add(scale(dirs[axis], step))) > 0 })
			for axis := range 3 {
				step := 1 - i>>axis&1*2
				if full(p.Add(scale(dirs[axis], step))) > 0 {
					continue
				}
				var face [3]float64
				for a := range face {
					face[a] = float64(i>>a&1*256 + (low[a]+high[a]-256)/2)
				}
				face[axis] = float64(i>>axis&1*256 - 128 + high[axis])
				if step < 0 {
					face[axis] = float64(i>>axis&1*256 - 128 + low[axis])
				}
				for a := range sum {
					sum[a] += face[a]
				}
				own[axis] += face[axis]
				count[axis]++
				n++
			}
		}
		c, _ := at(best)
		min := [3]int{cube.X, cube.Y, cube.Z}
		for a := range sum {
			s := math.Floor(sum[a]/n + .5)
			switch shapes[c.Material()] {
			case mesh.Square:
				if s = 128; count[a] > 0 {
					s = math.Floor(own[a]/count[a] + .5)
				}
			case mesh.Faceted: // the quarters of a cell from its centre on, but not the centre
				cell := math.Floor(s / 256)
				s = 256*cell + 64*math.Floor(math.Min(math.Max((s-256*cell+32)/64, 1), 3))
			}
			s += float64(min[a]&1) - math.Abs(math.Mod(s, 2)) // cubes next to one another have no place in common
			sum[a] = s/256 + float64(min[a]) + .5
		}
		return sum
	}
	out := make(map[string]int)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				p := geom.Point{X: x, Y: y, Z: z}
				for axis := range 3 {
					a, u, v := dirs[axis], dirs[(axis+1)%3], dirs[(axis+2)%3]
					if full(p) > 0 == (full(p.Add(a)) > 0) {
						continue
					}
					for _, c := range []geom.Point{p, p.Sub(u), p.Sub(v), p.Sub(u).Sub(v)} {
						w := vertex(c)
						out[fmt.Sprintf("%.2f", [3]float64{w[0] - float64(b.Min.X), w[1] - float64(b.Min.Y), w[2] - float64(b.Min.Z)})]++
					}
				}
			}
		}
	}
	return out
}

func TestSmooth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := mesh.NewNetter(shapes, mesh.Options{})
	for range 20 {
		l := wild(r, 32, 4)
		b := geom.Box{Min: geom.Point{X: r.IntN(10), Y: r.IntN(10), Z: r.IntN(10)}}
		b.Max = b.Min.Add(geom.Point{X: 1 + r.IntN(22), Y: 1 + r.IntN(22), Z: 1 + r.IntN(22)})
		n.Load(l, b, 0, mesh.Around{})
		vertices, indices := n.Surface()
		got := make(map[string]int)
		for i := 0; i < len(indices); i += 6 { // a quad has two triangles with a common edge
			seen := make(map[uint32]bool)
			for _, j := range indices[i : i+6] {
				if !seen[j] {
					p := vertices[j].Position
					got[fmt.Sprintf("%.2f", [3]float64{float64(p[0]), float64(p[1]), float64(p[2])})]++
				}
				seen[j] = true
			}
		}
		want := netTwin(l, b)
		for k, c := range want {
			if got[k] != c {
				t.Fatalf("vertex %s has %d quads, want %d", k, got[k], c)
			}
		}
		if len(got) != len(want) {
			t.Fatalf("%d vertices, want %d", len(got), len(want))
		}
		for _, v := range vertices {
			if l := v.Normal[0]*v.Normal[0] + v.Normal[1]*v.Normal[1] + v.Normal[2]*v.Normal[2]; math.Abs(float64(l)-1) > 1e-5 {
				t.Fatalf("a normal of length %v", math.Sqrt(float64(l)))
			}
		}
	}
}

func scale(p geom.Point, n int) geom.Point { return geom.Point{X: p.X * n, Y: p.Y * n, Z: p.Z * n} }

// mixed returns a random tree of boxes over a land of cells.
func mixed(r *rand.Rand) (l *land, boxes []placed, ok bool) {
	const edge = 4
	top := r.IntN(3)
	size := edge << top * (1 + r.IntN(2))
	if top == 0 {
		size = 4 * edge
	}
	o := &octree{edge: edge, top: top, split: make(map[[4]int]bool)}
	for level := top; level > 0; level-- {
		e := size / (edge << level)
		for i := range e * e * e {
			o.split[[4]int{level, i % e, i / e % e, i / e / e}] = r.IntN(3) > 0
		}
	}
	boxes, ok = o.boxes(size)
	return wild(r, size, 1<<top), boxes, ok
}

// TestBlockyClosed looks for open edges where boxes of equal and of other levels meet.
func TestBlockyClosed(t *testing.T) {
	want := 10000
	if testing.Short() {
		want = 1000
	}
	r := rand.New(rand.NewPCG(5, 2))
	m := mesh.NewMesher(mesh.NewTerrainOpacities(nil), mesh.Options{})
	equal, unequal := 0, 0
	for equal < want || unequal < want {
		l, boxes, ok := mixed(r)
		if !ok {
			continue
		}
		all := make(map[[2]geom.Point]int) // of unit edges
		for _, b := range boxes {
			var borders [mesh.Faces]mesh.Border
			for f := range borders {
				s := stepOf(mesh.Face(f))
				borders[f] = b.around[1+s.X][1+s.Y][1+s.Z]
			}
			m.Load(l, b.box, b.level, borders)
			opaque, _, _ := m.Quads()
			for _, q := range opaque {
				addUnits(all, q, b)
			}
			for _, border := range borders {
				if border == mesh.Same {
					equal++
				} else {
					unequal++
				}
			}
		}
		for k, n := range all {
			if n != 0 {
				t.Fatalf("after %d and %d borders: open edge %v of %d boxes", equal, unequal, k, len(boxes))
			}
		}
	}
	t.Logf("%d borders of one level, %d of two", equal, unequal)
}

// addUnits adds the directed edges of the faces of level 0 that a quad covers.
func addUnits(all map[[2]geom.Point]int, q mesh.Quad, b placed) {
	u, v := q.Face().Axes()
	w, h := q.Size()
	low := scale(q.Corners()[0].Add(b.box.Min), 1<<b.level)
	t := q.Triangles()
	for i := range w << b.level {
		for j := range h << b.level {
			at := low.Add(scale(u, i)).Add(scale(v, j))
			ring := [4]geom.Point{at, at.Add(u), at.Add(u).Add(v), at.Add(v)}
			if reversed := t[1] == 3 && t[2] == 1 || t[1] == 2; reversed {
				ring[1], ring[3] = ring[3], ring[1]
			}
			for k := range ring {
				all[[2]geom.Point{ring[k], ring[(k+1)%4]}]++
				all[[2]geom.Point{ring[(k+1)%4], ring[k]}]--
			}
		}
	}
}

// gap is a source that knows no cells from a place on, by x.
type gap struct {
	mesh.BoxReader
	from int
}

func (g gap) ReadBox(b geom.Box, level int, dst []voxel.Cell) bool {
	return b.Max.X<<level <= g.from && g.BoxReader.ReadBox(b, level, dst)
}

// TestSmoothMissing checks that a surface ends in a wall or is open where cells are not known.
func TestSmoothMissing(t *testing.T) {
	l := newLand(64, func(p geom.Point) voxel.Cell {
		if p.Y < 30 {
			return voxel.TerrainCell(1, 255)
		}
		return 0
	})
	for _, around := range []mesh.Around{{}, {{{mesh.Coarser}}}} { // the other way of making surfaces
		for _, o := range []mesh.Options{{}, {Missing: mesh.Opaque}} {
			n := mesh.NewNetter(nil, o)
			n.Load(gap{l, 32}, geom.ChunkPos{}.Box(), 0, around)
			vertices, indices := n.Surface()
			wall := 0
			for i := 0; i < len(indices); i += 3 {
				p, q, r := vertices[indices[i]].Position, vertices[indices[i+1]].Position, vertices[indices[i+2]].Position
				if p[0] > 31 && q[0] > 31 && r[0] > 31 {
					wall++
				}
			}
			if (wall > 0) != (o.Missing == mesh.Nothing) {
				t.Errorf("%v: %d triangles in the wall", o, wall)
			}
			if len(indices) < 2*31*30*3 {
				t.Errorf("%v: %d indices, the ground is missing", o, len(indices))
			}
		}
	}
}

func TestSmoothAllocates(t *testing.T) {
	v := level(t, 2)
	n := mesh.NewNetter(shapes, mesh.Options{})
	run := func() {
		n.Load(v, geom.ChunkPos{Y: 1}.Box(), 0, mesh.Around{})
		n.Surface()
	}
	run()
	if allocs := testing.AllocsPerRun(3, run); allocs != 0 {
		t.Errorf("%v allocations in the steady state", allocs)
	}
}
