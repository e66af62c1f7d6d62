package level

import (
	"math/rand/v2"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// flatMost is how many cells an array of a whole box may have.
const flatMost = 3 << 29

// flatBox is all cells of a box in one array, x fastest, then z, then y.
type flatBox struct {
	geom.Box
	wide, deep int
	cells      []voxel.Cell
}

func (b *flatBox) place(p geom.Point) int {
	p = p.Sub(b.Min)
	return (p.Y*b.deep+p.Z)*b.wide + p.X
}

type flatChunks map[geom.ChunkPos]*lab.FlatChunk

// chunkPlace returns where p is in its chunk.
func chunkPlace(p geom.Point) int { return p.Y&31<<10 | p.Z&31<<5 | p.X&31 }

// gridSet is a volume in three forms. Reads and writes are at the same places of
// each.
type gridSet struct {
	name   string
	reads  int             // of each kind
	box    geom.Box        // holds all chunks
	at     []geom.ChunkPos // of the chunks that are not all empty, by code
	cells  int             // not empty
	grid   *grid.Grid
	chunks flatChunks
	flat   *flatBox // nil if it were too large
	memory []GridRow

	random *rand.Rand
	points []geom.Point // at random, in chunks of the set
}

// newGridSet makes the forms of a volume, each of its own memory, of chunks that
// are not empty.
func newGridSet(name string, schema voxel.Schema, placed []grid.Placed, reads int) *gridSet {
	slices.SortFunc(placed, func(p, q grid.Placed) int { return geom.CodeOf(p.Pos, 0).Compare(geom.CodeOf(q.Pos, 0)) })
	s := &gridSet{name: name, reads: reads, random: rand.New(rand.NewPCG(1, 1))}
	for _, p := range placed {
		s.at = append(s.at, p.Pos)
		s.cells += p.Chunk.CountNonEmpty()
	}
	s.box = boundsOf(s.at)
	heap := GridRow{Set: name, What: "memory, with mips and levels", Unit: "B"}
	heap.Map = float64(lab.HeapGrowth(func() { s.chunks = flatten(placed) }))
	heap.Cairn = float64(lab.HeapGrowth(func() { s.grid = grid.Hold(s.view(schema)) }))
	// Boxes of the largest kind must fit.
	least := s.box.Min.Add(geom.Point{X: boxMost, Y: boxMost, Z: boxMost})
	s.box = s.box.Union(geom.Box{Min: s.box.Min, Max: least})
	if size := s.box.Size(); s.box.Cells() <= flatMost {
		s.flat = &flatBox{Box: s.box, wide: size.X, deep: size.Z}
		heap.Flat = float64(lab.HeapGrowth(func() { s.flat.cells = make([]voxel.Cell, s.box.Cells()) }))
		s.flat.take(s.chunks)
	}
	s.memory = []GridRow{heap.rated(), s.index().rated()}
	s.points = make([]geom.Point, reads)
	for i := range s.points {
		s.points[i] = s.point()
	}
	return s
}

func flatten(placed []grid.Placed) flatChunks {
	m := flatChunks{}
	for _, p := range placed {
		m[p.Pos] = new(lab.FlatChunk)
		p.Chunk.Flat(m[p.Pos])
	}
	return m
}

// view returns the flat chunks as a volume with all its levels.
func (s *gridSet) view(schema voxel.Schema) *grid.View {
	var b voxel.ChunkBuilder
	v := grid.Build(grid.Options{Schema: schema}, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for _, pos := range s.at {
			if !yield(pos, b.FromFlat(s.chunks[pos])) {
				return
			}
		}
	})
	for _, c := range v.Chunks() {
		c.Mip(v.Rule(), 1)
	}
	v.ReadBox(geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, farLevel+1, make([]voxel.Cell, 1))
	return v
}

// index is what finding chunks takes, without the chunks, for each of them.
func (s *gridSet) index() GridRow {
	var v *grid.View
	var m flatChunks
	row := GridRow{Set: s.name, What: "memory of the index, a chunk", Unit: "B"}
	row.Cairn = float64(lab.HeapGrowth(func() { v = grid.Build(grid.Options{}, s.grid.View().Chunks()) }))
	row.Map = float64(lab.HeapGrowth(func() {
		m = flatChunks{}
		for pos, c := range s.chunks {
			m[pos] = c
		}
	}))
	row.Cairn /= float64(v.Len())
	row.Map /= float64(len(m))
	return row
}

// take copies the chunks.
func (b *flatBox) take(chunks flatChunks) {
	for pos, c := range chunks {
		min := pos.Min()
		for i := 0; i < len(c); i += voxel.ChunkEdge {
			p := min.Add(geom.Point{Y: i >> 10, Z: i >> 5 & 31})
			copy(b.cells[b.place(p):], c[i:i+voxel.ChunkEdge])
		}
	}
}

const (
	gridReads  = 1 << 18
	leastReads = 1 << 12
	boxMost    = 64
)

// point returns a random cell of a random chunk.
func (s *gridSet) point() geom.Point {
	n := s.random.IntN(len(s.at) * voxel.ChunkCells)
	return s.at[n/voxel.ChunkCells].Min().Add(geom.Point{X: n & 31, Z: n >> 5 & 31, Y: n >> 10 & 31})
}

// inside returns p moved to where it and size cells along each axis beyond it
// are within the box.
func (s *gridSet) inside(p geom.Point, size int) geom.Point {
	in := func(v, low, high int) int { return max(low, min(v, high-size)) }
	return geom.Point{X: in(p.X, s.box.Min.X, s.box.Max.X), Y: in(p.Y, s.box.Min.Y, s.box.Max.Y), Z: in(p.Z, s.box.Min.Z, s.box.Max.Z)}
}

// inOrder returns the cells of a slice of one chunk after another.
func (s *gridSet) inOrder() []geom.Point {
	out := make([]geom.Point, 0, s.reads)
	for i := range s.reads / voxel.SliceCells {
		low := s.at[i*7%len(s.at)].Min().Add(geom.Point{Y: i * 5 % voxel.ChunkEdge})
		for j := range voxel.SliceCells {
			out = append(out, low.Add(geom.Point{X: j & 31, Z: j >> 5}))
		}
	}
	return out
}

// walk returns cells. Each is beside the one before it, or the same.
func (s *gridSet) walk(n int) []geom.Point {
	out := make([]geom.Point, n)
	p := s.point()
	for i := range out {
		p = p.Add(geom.Point{X: s.random.IntN(3) - 1, Y: s.random.IntN(3) - 1, Z: s.random.IntN(3) - 1})
		p = s.inside(p, 1)
		out[i] = p
	}
	return out
}
