package level

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// whole is what is read of rows and cells, and a snapshot of all.
func (s *gridSet) whole() []gridWork {
	v, order, walk := s.grid.View(), s.inOrder(), s.walk(s.reads)
	rows := len(s.at) * voxel.ChunkEdge * voxel.ChunkEdge
	inBox := s.box.Cells() / voxel.ChunkEdge
	scanMap, scanBox := func() int { return rowsOfMap(s.chunks, s.at) }, func() int { return rowsOfBox(s.flat) }
	return []gridWork{
		{"row in order, uniform slices skipped", task{rows, func() int { return skipView(v) }}, task{inBox, scanBox}, task{rows, scanMap}},
		{"row in order", task{rows, func() int { return rowsOfView(v) }}, task{inBox, scanBox}, task{rows, scanMap}},
		each("row at random", len(s.points), func() int { return viewRows(v, s.points) }, func() int { return boxRows(s.flat, s.points) }, func() int { return mapRows(s.chunks, s.points) }),
		each("cell in order", len(order), func() int { return cursorCells(v, order) }, func() int { return boxCells(s.flat, order) }, func() int { return mapNear(s.chunks, order) }),
		each("cell beside the last", len(walk), func() int { return cursorCells(v, walk) }, func() int { return boxCells(s.flat, walk) }, func() int { return mapNear(s.chunks, walk) }),
		each("cell at random", len(s.points), func() int { return viewCells(v, s.points) }, func() int { return boxCells(s.flat, s.points) }, func() int { return mapCells(s.chunks, s.points) }),
		{"snapshot", task{s.reads, func() int { return snapshots(s.grid, s.reads) }},
			task{1, func() int { return len(slices.Clone(s.flat.cells)) / len(s.flat.cells) * len(s.at) }}, task{1, func() int { return len(s.chunks.clone()) }}},
	}
}

// boxes is what is read of boxes.
func (s *gridSet) boxes() (out []gridWork) {
	v := s.grid.View()
	dst := make([]voxel.Cell, boxMost*boxMost*boxMost)
	for edge := 4; edge <= boxMost; edge *= 2 {
		n := max(1, min(s.reads/16, max(s.reads>>12, s.reads*16/(edge*edge*edge))))
		for _, k := range []struct {
			name string
			at   []geom.Point
		}{{"in order", s.tiles(edge, n)}, {"at random", s.corners(edge, n)}} {
			out = append(out, each(fmt.Sprintf("box of %d %s", edge, k.name), n,
				func() int { return viewBoxes(v, k.at, edge, dst) },
				func() int { return boxBoxes(s.flat, k.at, edge, dst) },
				func() int { return mapBoxes(s.chunks, k.at, edge, dst) }))
		}
	}
	return out
}

// corners returns the least cells of random boxes.
func (s *gridSet) corners(edge, n int) []geom.Point {
	out := make([]geom.Point, n)
	for i := range out {
		out[i] = s.inside(s.point(), edge)
	}
	return out
}

// tiles returns the least cells of n boxes side by side, x fastest, then z, then
// y, from the first chunk on, and again.
func (s *gridSet) tiles(edge, n int) []geom.Point {
	out := make([]geom.Point, 0, n)
	for len(out) < n {
		before := len(out)
		low := geom.ChunkPos{X: geom.MaxChunk}
		for _, pos := range s.at {
			wide := int32(max(1, edge/voxel.ChunkEdge))
			pos = geom.ChunkPos{X: pos.X &^ (wide - 1), Y: pos.Y &^ (wide - 1), Z: pos.Z &^ (wide - 1)}
			if pos == low {
				continue
			}
			low = pos
			out = appendTiles(out, low.Min(), edge)
		}
		for i := before; i < len(out); i++ {
			out[i] = s.inside(out[i], edge)
		}
	}
	return out[:n]
}

// appendTiles appends the least cells of the boxes in a chunk, or of the one that
// begins there.
func appendTiles(out []geom.Point, low geom.Point, edge int) []geom.Point {
	n := max(1, voxel.ChunkEdge/edge)
	for y := range n {
		for z := range n {
			for x := range n {
				out = append(out, low.Add(geom.Point{X: x * edge, Y: y * edge, Z: z * edge}))
			}
		}
	}
	return out
}

// What is timed are plain functions; see reads.go.

func rowsOfView(v *grid.View) (sum int) {
	for _, c := range v.Chunks() {
		sum += rowsOfChunk(c)
	}
	return sum
}

func rowsOfChunk(c *voxel.Chunk) (sum int) {
	var buf [64]voxel.Cell
	for y := range voxel.ChunkEdge {
		for z := range voxel.ChunkEdge {
			sum += lab.SumRow(c.Row(y, z, &buf))
		}
	}
	return sum
}

func rowsOfMap(m flatChunks, at []geom.ChunkPos) (sum int) {
	for _, pos := range at {
		c := m[pos]
		for i := 0; i < len(c); i += voxel.ChunkEdge {
			sum += lab.SumRow(c[i : i+voxel.ChunkEdge])
		}
	}
	return sum
}

func rowsOfBox(b *flatBox) (sum int) {
	for i := 0; i < len(b.cells); i += voxel.ChunkEdge {
		sum += lab.SumRow(b.cells[i : i+voxel.ChunkEdge])
	}
	return sum
}

func viewRows(v *grid.View, at []geom.Point) (sum int) {
	var buf [64]voxel.Cell
	for _, p := range at {
		if c, _ := v.Chunk(p.Chunk()); c != nil {
			sum += lab.SumRow(c.Row(p.Y&31, p.Z&31, &buf))
		}
	}
	return sum
}

func mapRows(m flatChunks, at []geom.Point) (sum int) {
	for _, p := range at {
		if c := m[p.Chunk()]; c != nil {
			sum += lab.SumRow(c[chunkPlace(p)&^31:][:voxel.ChunkEdge])
		}
	}
	return sum
}

func boxRows(b *flatBox, at []geom.Point) (sum int) {
	for _, p := range at {
		p.X &^= 31
		sum += lab.SumRow(b.cells[b.place(p):][:voxel.ChunkEdge])
	}
	return sum
}

func viewCells(v *grid.View, at []geom.Point) (sum int) {
	for _, p := range at {
		c, _ := v.Cell(p)
		sum += int(c)
	}
	return sum
}

func cursorCells(v *grid.View, at []geom.Point) (sum int) {
	k := v.Cursor()
	for _, p := range at {
		c, _ := k.Cell(p)
		sum += int(c)
	}
	return sum
}

func mapCells(m flatChunks, at []geom.Point) (sum int) {
	for _, p := range at {
		if c := m[p.Chunk()]; c != nil {
			sum += int(c[chunkPlace(p)])
		}
	}
	return sum
}

// mapNear keeps the last chunk, as a Cursor does.
func mapNear(m flatChunks, at []geom.Point) (sum int) {
	last := geom.ChunkPos{X: geom.MaxChunk}
	var c *lab.FlatChunk
	for _, p := range at {
		if pos := p.Chunk(); pos != last {
			c, last = m[pos], pos
		}
		if c != nil {
			sum += int(c[chunkPlace(p)])
		}
	}
	return sum
}

func boxCells(b *flatBox, at []geom.Point) (sum int) {
	for _, p := range at {
		sum += int(b.cells[b.place(p)])
	}
	return sum
}

// ends is the sum of some cells of what was read.
func ends(cells []voxel.Cell) int {
	return int(cells[0]) + 3*int(cells[len(cells)/2]) + 5*int(cells[len(cells)-1])
}

// cube returns the box of edge cells from p on.
func cube(p geom.Point, edge int) geom.Box {
	return geom.Box{Min: p, Max: p.Add(geom.Point{X: edge, Y: edge, Z: edge})}
}

func viewBoxes(v *grid.View, at []geom.Point, edge int, dst []voxel.Cell) (sum int) {
	dst = dst[:edge*edge*edge]
	for _, p := range at {
		v.ReadBox(cube(p, edge), 0, dst)
		sum += ends(dst)
	}
	return sum
}

func boxBoxes(b *flatBox, at []geom.Point, edge int, dst []voxel.Cell) (sum int) {
	dst = dst[:edge*edge*edge]
	for _, p := range at {
		to := dst
		for y := range edge {
			i := b.place(geom.Point{X: p.X, Y: p.Y + y, Z: p.Z})
			for range edge {
				copy(to[:edge], b.cells[i:])
				to, i = to[edge:], i+b.wide
			}
		}
		sum += ends(dst)
	}
	return sum
}

func mapBoxes(m flatChunks, at []geom.Point, edge int, dst []voxel.Cell) (sum int) {
	dst = dst[:edge*edge*edge]
	for _, p := range at {
		m.readBox(cube(p, edge), dst)
		sum += ends(dst)
	}
	return sum
}

// readBox reads chunk by chunk.
func (m flatChunks) readBox(b geom.Box, dst []voxel.Cell) {
	edge := b.Max.X - b.Min.X
	for low := range chunksIn(b) {
		c, in := m[low], b.Intersect(low.Box())
		for y := in.Min.Y; y < in.Max.Y; y++ {
			for z := in.Min.Z; z < in.Max.Z; z++ {
				to := dst[((y-b.Min.Y)*edge+z-b.Min.Z)*edge+in.Min.X-b.Min.X:][:in.Max.X-in.Min.X]
				if c == nil {
					clear(to)
				} else {
					copy(to, c[chunkPlace(geom.Point{X: in.Min.X, Y: y, Z: z}):])
				}
			}
		}
	}
}

// chunksIn yields the chunks that b touches.
func chunksIn(b geom.Box) func(yield func(geom.ChunkPos) bool) {
	low, high := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	return func(yield func(geom.ChunkPos) bool) {
		for y := low.Y; y <= high.Y; y++ {
			for z := low.Z; z <= high.Z; z++ {
				for x := low.X; x <= high.X; x++ {
					if !yield(geom.ChunkPos{X: x, Y: y, Z: z}) {
						return
					}
				}
			}
		}
	}
}

func snapshots(g *grid.Grid, n int) (chunks int) {
	for range n {
		chunks = g.View().Len()
	}
	return chunks
}

func (m flatChunks) clone() flatChunks {
	out := make(flatChunks, len(m))
	for pos, c := range m {
		d := *c
		out[pos] = &d
	}
	return out
}
