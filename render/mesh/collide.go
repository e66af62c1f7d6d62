package mesh

import (
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Obstacles is what a thing can touch in one chunk.
type Obstacles struct {
	Pos geom.ChunkPos
	// Boxes cover exactly the solid cells that are whole and do not overlap, in cells of the volume.
	Boxes []geom.Box
	// Parts are the matter of solid cells of a terrain that are partly full, as voxel.Rule.Extent says.
	Parts []Obstacle
	// Unknown says that the chunk is not loaded. It has no boxes then.
	Unknown bool

	chunk *voxel.Chunk
	// Parts at a side follow from the chunk behind it, too: sides has a bit for each Face that parts touch.
	beside [Faces]*voxel.Chunk
	sides  uint8
	used   bool
}

// Obstacle is the matter of cells next to one another along x, in cells of the volume.
type Obstacle struct{ Low, High [3]float64 }

// Collider keeps the reports of the chunks near things that move. It makes a report anew only where
// the volume has another chunk. Goroutines must not share it.
type Collider struct {
	solid   *Opacities
	reports map[geom.ChunkPos]*Obstacles
	merger  merger
	mesher  *Mesher
}

// NewCollider returns a Collider. Cells that are Nothing in the table let things pass; all others are
// solid.
func NewCollider(solid *Opacities) *Collider {
	return &Collider{solid: solid, reports: make(map[geom.ChunkPos]*Obstacles)}
}

// Update makes the reports of all chunks of v that the boxes near touch, and drops those of other
// chunks. It calls f, which may be nil, with each report that is new or was made anew.
func (c *Collider) Update(v *grid.View, near []geom.Box, f func(*Obstacles)) {
	for _, r := range c.reports {
		r.used = false
	}
	for _, b := range near {
		if b.Empty() {
			continue
		}
		lo, hi := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
		for y := lo.Y; y <= hi.Y; y++ {
			for z := lo.Z; z <= hi.Z; z++ {
				for x := lo.X; x <= hi.X; x++ {
					c.update(v, geom.ChunkPos{X: x, Y: y, Z: z}, f)
				}
			}
		}
	}
	for pos, r := range c.reports {
		if !r.used {
			delete(c.reports, pos)
		}
	}
}

func (c *Collider) update(v *grid.View, pos geom.ChunkPos, f func(*Obstacles)) {
	r := c.reports[pos]
	if r != nil && r.used {
		return
	}
	chunk, ok := v.Chunk(pos)
	beside := func(f Face) *voxel.Chunk {
		n := f.step()
		b, ok := v.Chunk(geom.ChunkPos{X: pos.X + int32(n.X), Y: pos.Y + int32(n.Y), Z: pos.Z + int32(n.Z)})
		if !ok {
			return grid.NotLoaded
		}
		return b
	}
	if r != nil && r.chunk == chunk && r.Unknown == !ok {
		r.used = true
		for f := range Face(Faces) {
			r.used = r.used && (r.sides>>f&1 == 0 || r.beside[f] == beside(f))
		}
		if r.used {
			return
		}
	}
	if r == nil {
		r = &Obstacles{Pos: pos}
		c.reports[pos] = r
	}
	r.used, r.chunk, r.Unknown, r.Boxes, r.Parts, r.sides = true, chunk, !ok, r.Boxes[:0], r.Parts[:0], 0
	if ok {
		chunk = chunk.Or(v.Default())
		r.Boxes = c.merger.boxes(r.Boxes, c.solid, chunk, pos.Min())
		if v.Rule().Schema == voxel.Terrain {
			r.parts(c.solid, v, chunk)
		}
		for f := range Face(Faces) {
			r.beside[f] = beside(f)
		}
	}
	if f != nil {
		f(r)
	}
}

// parts makes the parts of the chunk's cells.
func (r *Obstacles) parts(solid *Opacities, v *grid.View, chunk *voxel.Chunk) {
	var buf [64]voxel.Cell
	rule, cells := v.Rule(), v.Cursor()
	for y := range geom.ChunkEdge {
		if c, ok := chunk.SliceUniform(y); ok && (rule.Empty(c) || rule.Fullness(c) == voxel.Whole) {
			continue
		}
		for z := range geom.ChunkEdge {
			for x, c := range chunk.Row(y, z, &buf) {
				full := rule.Fullness(c)
				if full == 0 || full == voxel.Whole || solid.kinds[c] == Nothing {
					continue
				}
				p := r.Pos.Min().Add(geom.Point{X: x, Y: y, Z: z})
				low, high := rule.Extent(full, func(axis, step int) bool {
					q := p.Add(along(axis, step))
					if q.Chunk() != r.Pos {
						r.sides |= 1 << (2*axis + (step+1)/2)
					}
					c, _ := cells.Cell(q)
					return !rule.Empty(c)
				})
				part := Obstacle{}
				for i, m := range [3]int{p.X, p.Y, p.Z} {
					part.Low[i], part.High[i] = float64(m)+float64(low[i])/voxel.Whole, float64(m)+float64(high[i])/voxel.Whole
				}
				if n := len(r.Parts); n > 0 {
					last := &r.Parts[n-1]
					if l, h := last.Low, last.High; h[0] == part.Low[0] && l[1] == part.Low[1] && l[2] == part.Low[2] && h[1] == part.High[1] && h[2] == part.High[2] {
						last.High[0] = part.High[0]
						continue
					}
				}
				r.Parts = append(r.Parts, part)
			}
		}
	}
}

// Touching calls f with the boxes of solid matter that overlap the box from low to high, until f
// returns false. It returns false if a part of the box is not known.
func (c *Collider) Touching(low, high [3]float64, f func(low, high [3]float64) bool) bool {
	var b geom.Box
	for i, to := range [3][2]*int{{&b.Min.X, &b.Max.X}, {&b.Min.Y, &b.Max.Y}, {&b.Min.Z, &b.Max.Z}} {
		*to[0], *to[1] = int(math.Floor(low[i])), int(math.Ceil(high[i]))
	}
	if b.Empty() {
		return true
	}
	known := true
	lo, hi := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	for y := lo.Y; y <= hi.Y; y++ {
		for z := lo.Z; z <= hi.Z; z++ {
			for x := lo.X; x <= hi.X; x++ {
				r := c.reports[geom.ChunkPos{X: x, Y: y, Z: z}]
				if r == nil || r.Unknown {
					known = false
					continue
				}
				touches := func(l, h [3]float64) bool {
					return l[0] < high[0] && low[0] < h[0] && l[1] < high[1] && low[1] < h[1] && l[2] < high[2] && low[2] < h[2]
				}
				for _, box := range r.Boxes {
					l := [3]float64{float64(box.Min.X), float64(box.Min.Y), float64(box.Min.Z)}
					h := [3]float64{float64(box.Max.X), float64(box.Max.Y), float64(box.Max.Z)}
					if touches(l, h) && !f(l, h) {
						return known
					}
				}
				for _, p := range r.Parts {
					if touches(p.Low, p.High) && !f(p.Low, p.High) {
						return known
					}
				}
			}
		}
	}
	return known
}

// AppendTriangles appends the triangles of the surface of the solid cells of b as blocks, counterclockwise
// seen from outside. Of smooth terrain Netter makes them.
func (c *Collider) AppendTriangles(dst [][3]geom.Point, v *grid.View, b geom.Box) [][3]geom.Point {
	if c.mesher == nil {
		c.mesher = NewMesher(c.solid, Options{Flat: true, Missing: Opaque})
	}
	// Only the function could fail, and it does not.
	_ = chunks(v, b, 0, false, func(part geom.Box) error {
		c.mesher.Load(v, part, 0, [Faces]Border{})
		opaque, cutOut, transparent := c.mesher.Quads()
		for _, quads := range [][]Quad{opaque, cutOut, transparent} {
			for _, q := range quads {
				corners, t := q.Corners(), q.Triangles()
				for i := range corners {
					corners[i] = corners[i].Add(part.Min)
				}
				dst = append(dst, [3]geom.Point{corners[t[0]], corners[t[1]], corners[t[2]]},
					[3]geom.Point{corners[t[3]], corners[t[4]], corners[t[5]]})
			}
		}
		return nil
	})
	return dst
}

// merger merges the solid cells of a chunk into boxes.
type merger struct {
	// cells are masks along each axis: by z at [x][y], by x at [y][z] and by y at [z][x].
	cells [3][32][32]uint32
	left  [32][32]uint32
	room  []geom.Box
}

// boxes appends boxes that cover exactly the solid cells of a chunk at min. It cuts the cells along
// each axis, in both orders of the others, and takes the fewest boxes.
func (m *merger) boxes(dst []geom.Box, solid *Opacities, chunk *voxel.Chunk, min geom.Point) []geom.Box {
	if v, ok := chunk.Uniform(); ok {
		if !solid.whole(v) {
			return dst
		}
		return append(dst, geom.Box{Min: min, Max: min.Add(geom.Point{X: 32, Y: 32, Z: 32})})
	}
	m.load(solid, chunk)
	first, best := len(dst), -1
	for axis := range 3 {
		for _, turned := range []bool{false, true} {
			m.left = m.cells[axis]
			if turned {
				for i := range 32 {
					for j := range i {
						m.left[i][j], m.left[j][i] = m.left[j][i], m.left[i][j]
					}
				}
			}
			m.room = m.room[:0]
			if m.merge(axis, turned, min, best); best < 0 || len(m.room) < best {
				best = len(m.room)
				dst = append(dst[:first], m.room...)
			}
		}
	}
	return dst
}

// load makes the masks.
func (m *merger) load(solid *Opacities, chunk *voxel.Chunk) {
	var buf [64]voxel.Cell
	m.cells = [3][32][32]uint32{}
	for y := range 32 {
		for z := range 32 {
			starts, cells := chunk.Runs(y, z, &buf)
			row := uint32(0)
			for _, c := range cells {
				from := bits.TrailingZeros32(starts)
				starts &= starts - 1
				if solid.whole(c) {
					row |= uint32(uint64(1)<<bits.TrailingZeros32(starts) - 1<<from)
				}
			}
			m.cells[1][y][z] = row
			for ; row != 0; row &= row - 1 {
				x := bits.TrailingZeros32(row)
				m.cells[0][x][y] |= 1 << z
				m.cells[2][z][x] |= 1 << y
			}
		}
	}
}

// merge takes boxes from what is left until nothing is: the longest run of the lowest cell, as far as
// it goes along the second axis, then as far as that goes along the first. It gives up once there
// are as many as best, unless best is below 0.
func (m *merger) merge(axis int, turned bool, min geom.Point, best int) {
	for i := range m.left {
		for j := range m.left[i] {
			for m.left[i][j] != 0 && len(m.room) != best {
				row := m.left[i][j]
				k := bits.TrailingZeros32(row)
				n := bits.TrailingZeros32(^(row >> k))
				run := uint32(uint64(1)<<n-1) << k
				to := j + 1
				for to < 32 && m.left[i][to]&run == run {
					to++
				}
				end := i + 1
				for end < 32 && all(m.left[end][j:to], run) {
					end++
				}
				for a := i; a < end; a++ {
					for b := j; b < to; b++ {
						m.left[a][b] &^= run
					}
				}
				lo, hi := [3]int{i, j, k}, [3]int{end, to, k + n}
				if turned {
					lo[0], lo[1], hi[0], hi[1] = lo[1], lo[0], hi[1], hi[0]
				}
				m.room = append(m.room, geom.Box{Min: min.Add(placed(axis, lo)), Max: min.Add(placed(axis, hi))})
			}
		}
	}
}

// placed returns a place in masks along an axis as a point.
func placed(axis int, p [3]int) geom.Point {
	switch axis {
	case 0:
		return geom.Point{X: p[0], Y: p[1], Z: p[2]}
	case 1:
		return geom.Point{Y: p[0], Z: p[1], X: p[2]}
	}
	return geom.Point{Z: p[0], X: p[1], Y: p[2]}
}

// all reports whether each row has the run.
func all(rows []uint32, run uint32) bool {
	for _, r := range rows {
		if r&run != run {
			return false
		}
	}
	return true
}
