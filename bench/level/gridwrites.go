package level

import (
	"fmt"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

const (
	updateCells = 1000 // published at once
	ballRadius  = 12
)

// writes is what is written. A grid publishes; an array or a map is written in
// place, and so can keep no snapshot.
func (s *gridSet) writes() []gridWork {
	many := s.reads / 128
	out := []gridWork{
		s.setting("write cell, published", s.corners(1, many), 1),
		s.setting(fmt.Sprintf("write cell, %d in a walk published", updateCells), s.walk(many*8), updateCells),
		s.setting(fmt.Sprintf("write cell, %d at random published", updateCells), s.corners(1, many*2), updateCells),
	}
	for edge := 4; edge <= boxMost; edge *= 4 {
		out = append(out, s.pasting(edge, s.corners(edge, max(1, many/edge))))
	}
	var balls []region.Region
	for _, p := range s.corners(2*ballRadius+1, max(1, many/ballRadius)) {
		balls = append(balls, region.Ball{Center: p.Add(geom.Point{X: ballRadius, Y: ballRadius, Z: ballRadius}), Radius: ballRadius})
	}
	return append(out, s.fillingBoxes(boxMost, s.corners(boxMost, max(1, many/boxMost))), s.fillingBalls(balls))
}

// matter returns a cell of any schema that is not empty.
func matter(i int) voxel.Cell { return voxel.TerrainCell(1, uint8(i)) }

// changing is work that writes something else in every round.
func changing(what string, n int, cairn, flat, tree func(round int)) gridWork {
	next := func(write func(round int)) func() int {
		round := 0
		return func() int {
			round++
			write(round)
			return 0
		}
	}
	return each(what, n, next(cairn), next(flat), next(tree))
}

// setting is the writing of cells, some in one update.
func (s *gridSet) setting(what string, at []geom.Point, some int) gridWork {
	return changing(what, len(at),
		func(round int) {
			for i := 0; i < len(at); i += some {
				update(s.grid, func(d *grid.Draft) { viewSet(d, at[i:min(len(at), i+some)], i+round) })
			}
		},
		func(round int) { boxSet(s.flat, at, round) },
		func(round int) { mapSet(s.chunks, at, round) })
}

// pasting is the writing of boxes.
func (s *gridSet) pasting(edge int, at []geom.Point) gridWork {
	src := make([]voxel.Cell, edge*edge*edge)
	fresh := func(round int) {
		for i := range src {
			src[i] = matter(round + i/97)
		}
	}
	return changing(fmt.Sprintf("write box of %d, published", edge), len(at),
		func(round int) {
			fresh(round)
			for _, p := range at {
				update(s.grid, func(d *grid.Draft) { d.WriteBox(cube(p, edge), src) })
			}
		},
		func(round int) { fresh(round); boxWrites(s.flat, at, edge, src) },
		func(round int) { fresh(round); mapWrites(s.chunks, at, edge, src) })
}

// fillingBoxes is the filling of boxes, each in an update of its own; the other
// forms copy.
func (s *gridSet) fillingBoxes(edge int, at []geom.Point) gridWork {
	src := make([]voxel.Cell, edge*edge*edge)
	return changing(fmt.Sprintf("fill box of %d, published", edge), len(at),
		func(round int) {
			for _, p := range at {
				update(s.grid, func(d *grid.Draft) { d.Fill(cube(p, edge), matter(round)) })
			}
		},
		func(round int) { fill(src, matter(round)); boxWrites(s.flat, at, edge, src) },
		func(round int) { fill(src, matter(round)); mapWrites(s.chunks, at, edge, src) })
}

// fillingBalls is the filling of balls, each in an update of its own.
func (s *gridSet) fillingBalls(all []region.Region) gridWork {
	return changing(fmt.Sprintf("fill ball of %d, published", ballRadius), len(all),
		func(round int) {
			for i, r := range all {
				update(s.grid, func(d *grid.Draft) { d.Fill(r, matter(round+i)) })
			}
		},
		func(round int) { boxFills(s.flat, all, round) },
		func(round int) { mapFills(s.chunks, all, round) })
}

func update(g *grid.Grid, f func(*grid.Draft)) {
	if _, err := g.Update(func(d *grid.Draft) error { f(d); return nil }); err != nil {
		panic("level: a write of ours is refused: " + err.Error())
	}
}

func viewSet(d *grid.Draft, at []geom.Point, from int) {
	for i, p := range at {
		d.Set(p, matter(from+i))
	}
}

func boxSet(b *flatBox, at []geom.Point, from int) {
	for i, p := range at {
		b.cells[b.place(p)] = matter(from + i)
	}
}

func mapSet(m flatChunks, at []geom.Point, from int) {
	for i, p := range at {
		m.chunk(p.Chunk())[chunkPlace(p)] = matter(from + i)
	}
}

// chunk returns a chunk to write to.
func (m flatChunks) chunk(pos geom.ChunkPos) *lab.FlatChunk {
	c := m[pos]
	if c == nil {
		c = new(lab.FlatChunk)
		m[pos] = c
	}
	return c
}

func boxWrites(b *flatBox, at []geom.Point, edge int, src []voxel.Cell) {
	for _, p := range at {
		from := src
		for y := range edge {
			i := b.place(geom.Point{X: p.X, Y: p.Y + y, Z: p.Z})
			for range edge {
				copy(b.cells[i:], from[:edge])
				from, i = from[edge:], i+b.wide
			}
		}
	}
}

func mapWrites(m flatChunks, at []geom.Point, edge int, src []voxel.Cell) {
	for _, p := range at {
		b := cube(p, edge)
		for pos := range chunksIn(b) {
			c, in := m.chunk(pos), b.Intersect(pos.Box())
			for y := in.Min.Y; y < in.Max.Y; y++ {
				for z := in.Min.Z; z < in.Max.Z; z++ {
					from := src[((y-b.Min.Y)*edge+z-b.Min.Z)*edge+in.Min.X-b.Min.X:][:in.Max.X-in.Min.X]
					copy(c[chunkPlace(geom.Point{X: in.Min.X, Y: y, Z: z}):], from)
				}
			}
		}
	}
}

func boxFills(b *flatBox, all []region.Region, round int) {
	for i, r := range all {
		v := matter(round + i)
		runs(r, r.Bounds(), func(p geom.Point, n int) { fill(b.cells[b.place(p):][:n], v) })
	}
}

func mapFills(m flatChunks, all []region.Region, round int) {
	for i, r := range all {
		v := matter(round + i)
		for pos := range chunksIn(r.Bounds()) {
			c := m.chunk(pos)
			runs(r, pos.Box().Intersect(r.Bounds()), func(p geom.Point, n int) { fill(c[chunkPlace(p):][:n], v) })
		}
	}
}

// runs calls f with where the runs of r within b begin, and their lengths.
func runs(r region.Region, b geom.Box, f func(p geom.Point, n int)) {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			r.Spans(y, z, func(x0, x1 int) bool {
				x0, x1 = max(x0, b.Min.X), min(x1, b.Max.X)
				if x0 < x1 {
					f(geom.Point{X: x0, Y: y, Z: z}, x1-x0)
				}
				return true
			})
		}
	}
}

func fill(cells []voxel.Cell, v voxel.Cell) {
	for i := range cells {
		cells[i] = v
	}
}

// same reports whether all forms have the same cells.
func (s *gridSet) same() bool {
	v, cells := s.grid.View(), new(lab.FlatChunk)
	for pos, c := range s.chunks {
		v.ReadBox(pos.Box(), 0, cells[:])
		if *cells != *c {
			return false
		}
		if s.flat == nil {
			continue
		}
		boxBoxes(s.flat, []geom.Point{pos.Min()}, voxel.ChunkEdge, cells[:])
		if *cells != *c {
			return false
		}
	}
	return true
}
