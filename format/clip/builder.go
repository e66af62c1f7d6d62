package clip

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Builder makes the view of a box from its cells in the order of schematics: x fastest, then
// z, then y. It packs them into chunks while they come; in memory is one slice of cells. The
// least corner lies at 0,0,0. Cells outside of the box have the default.
type Builder struct {
	size   geom.Point
	def    voxel.Cell
	limit  *document.Limit
	left   int // cells that are still to come
	v      voxel.Cell
	n      int          // cells of v that came last and are not written yet
	slice  []voxel.Cell // made when a slice is not uniform
	have   int          // cells in slice
	y      int          // slices done
	wide   int          // towers along x
	towers []tower
	free   []*voxel.ChunkBuilder
	placed []grid.Placed
	same   map[shape]*voxel.Chunk
	flat   [voxel.SliceCells]voxel.Cell
	err    error
}

// tower is the chunk that is being made over one footprint.
type tower struct {
	v    voxel.Cell // of all slices so far, if b is nil; of the last slice, if even is set
	n    int        // slices so far
	even bool       // the last slice was uniform
	b    *voxel.ChunkBuilder
	w, l int // cells of the footprint within the box
	x, z int // its least corner
}

// builderBytes is about the memory of a chunk that is being made.
const builderBytes = 8 << 10

// errCells says that a caller gave too many or too few cells.
var errCells = errors.New("not as many cells as its size says")

// NewBuilder returns a Builder of a box. Size has no negative edge. limit is that of the file that is
// read; nil bounds the memory by 4 GiB.
func NewBuilder(size geom.Point, def voxel.Cell, limit *document.Limit) *Builder {
	if limit == nil {
		limit = document.NewLimit(0)
	}
	b := &Builder{size: size, def: def, limit: limit, left: size.X * size.Y * size.Z, same: map[shape]*voxel.Chunk{}}
	if b.left == 0 {
		return b
	}
	const edge = geom.ChunkEdge
	b.wide = (size.X + edge - 1) / edge
	n := b.wide * ((size.Z + edge - 1) / edge)
	if b.fail(limit.Take(int64(n) * 64)) {
		return b
	}
	b.towers = make([]tower, n)
	for i := range b.towers {
		t := &b.towers[i]
		t.x, t.z = i%b.wide*edge, i/b.wide*edge
		t.w, t.l = min(edge, size.X-t.x), min(edge, size.Z-t.z)
	}
	return b
}

func (b *Builder) fail(err error) bool {
	if b.err == nil {
		b.err = err
	}
	return b.err != nil
}

// Err returns the first error.
func (b *Builder) Err() error { return b.err }

// Run adds n cells of one value.
func (b *Builder) Run(v voxel.Cell, n int) {
	if v == b.v {
		b.n += n
		return
	}
	b.flush()
	b.v, b.n = v, n
}

// Cells adds cells that differ. Those that are equal are faster as a Run.
func (b *Builder) Cells(cells []voxel.Cell) {
	b.flush()
	if len(cells) > b.left {
		b.fail(errCells)
	}
	for len(cells) > 0 && b.room() {
		n := copy(b.slice[b.have:], cells)
		cells = cells[n:]
		b.wrote(n)
	}
}

// room makes the slice. It returns false after an error.
func (b *Builder) room() bool {
	area := b.size.X * b.size.Z
	if b.err == nil && b.slice == nil && !b.fail(b.limit.Take(2*int64(area))) {
		b.slice = make([]voxel.Cell, area)
	}
	return b.err == nil
}

// wrote ends the writing of n cells to the slice.
func (b *Builder) wrote(n int) {
	b.left -= n
	if b.have += n; b.have == len(b.slice) {
		b.have = 0
		for i := range b.towers {
			b.cut(&b.towers[i])
		}
		b.advance(1)
	}
}

// flush writes the run.
func (b *Builder) flush() {
	v, n := b.v, b.n
	b.n = 0
	if n > b.left {
		b.fail(errCells)
	}
	if b.err != nil || n == 0 {
		return
	}
	area := b.size.X * b.size.Z
	for n > 0 && b.err == nil {
		if b.have == 0 && n >= area {
			k := min(n/area, geom.ChunkEdge-b.y%geom.ChunkEdge)
			for i := range b.towers {
				b.even(&b.towers[i], v, k)
			}
			b.advance(k)
			n -= k * area
			b.left -= k * area
			continue
		}
		if !b.room() {
			return
		}
		part := b.slice[b.have:min(b.have+n, area)]
		for i := range part {
			part[i] = v
		}
		n -= len(part)
		b.wrote(len(part))
	}
}

// cut adds the tower's part of the slice to it.
func (b *Builder) cut(t *tower) {
	const edge = geom.ChunkEdge
	for z := range edge {
		row := b.flat[z*edge : z*edge+edge]
		n := 0
		if z < t.l {
			n = copy(row, b.slice[(t.z+z)*b.size.X+t.x:][:t.w])
		}
		for ; n < edge; n++ {
			row[n] = b.def
		}
	}
	if v := b.flat[0]; b.within(t) && uniform(&b.flat) {
		b.even(t, v, 1)
		return
	}
	b.open(t)
	t.b.Slice(&b.flat, 1<<edge-1)
	t.n, t.even = t.n+1, false
}

func uniform(cells *[voxel.SliceCells]voxel.Cell) bool {
	for _, v := range cells[1:geom.ChunkEdge] {
		if v != cells[0] {
			return false
		}
	}
	first := *(*[geom.ChunkEdge]voxel.Cell)(cells[:])
	for z := geom.ChunkEdge; z < voxel.SliceCells; z += geom.ChunkEdge {
		if *(*[geom.ChunkEdge]voxel.Cell)(cells[z:]) != first {
			return false
		}
	}
	return true
}

// within reports whether the whole footprint lies in the box.
func (b *Builder) within(t *tower) bool { return t.w == geom.ChunkEdge && t.l == geom.ChunkEdge }

// even adds k slices whose cells within the box are all v.
func (b *Builder) even(t *tower, v voxel.Cell, k int) {
	if t.b == nil && (t.n == 0 || t.v == v) {
		t.v, t.n, t.even = v, t.n+k, true
		return
	}
	b.open(t)
	changed := uint32(1<<geom.ChunkEdge - 1)
	if t.even && t.v == v && t.n > 0 {
		changed = 0
	}
	for ; k > 0; k-- {
		if changed != 0 {
			b.paint(t, v)
		}
		t.b.Slice(&b.flat, changed)
		t.n++
		changed = 0
	}
	t.v, t.even = v, true
}

// paint fills flat with a slice that is v within the box.
func (b *Builder) paint(t *tower, v voxel.Cell) {
	for i := range b.flat {
		b.flat[i] = b.def
		if i%geom.ChunkEdge < t.w && i/geom.ChunkEdge < t.l {
			b.flat[i] = v
		}
	}
}

// open gives the tower a builder with the slices so far.
func (b *Builder) open(t *tower) {
	if t.b != nil {
		return
	}
	if n := len(b.free); n > 0 {
		t.b, b.free = b.free[n-1], b.free[:n-1]
	} else {
		b.fail(b.limit.Take(builderBytes))
		t.b = new(voxel.ChunkBuilder)
	}
	if t.n == 0 {
		return
	}
	keep := b.flat
	b.paint(t, t.v)
	changed := uint32(1<<geom.ChunkEdge - 1)
	for range t.n {
		t.b.Slice(&b.flat, changed)
		changed = 0
	}
	b.flat = keep
}

// advance ends k slices, and the chunks when they are full.
func (b *Builder) advance(k int) {
	b.y += k
	if b.y%geom.ChunkEdge == 0 || b.y == b.size.Y {
		for i := range b.towers {
			b.end(&b.towers[i], int32((b.y-1)>>geom.ChunkShift))
		}
	}
}

// end places the chunk of a tower. Towers of one cell share their chunks.
func (b *Builder) end(t *tower, y int32) {
	pos := geom.ChunkPos{X: int32(t.x >> geom.ChunkShift), Y: y, Z: int32(t.z >> geom.ChunkShift)}
	switch key := (shape{t.v, t.n, t.w, t.l}); {
	case t.b != nil:
		b.place(pos, b.chunk(t))
	case t.v == b.def:
	case b.same[key] != nil:
		b.place(pos, b.same[key])
	default:
		c := b.chunk(t)
		b.same[key] = c
		b.place(pos, c)
	}
	t.b, t.n, t.even = nil, 0, false
}

// shape is a chunk of one cell, and the default beyond the box.
type shape struct {
	v       voxel.Cell
	n, w, l int // slices, and cells along x and z, within the box
}

// chunk makes the chunk of a tower.
func (b *Builder) chunk(t *tower) *voxel.Chunk {
	if t.b == nil && b.within(t) && t.n == geom.ChunkEdge {
		return voxel.Uniform(t.v)
	}
	b.open(t)
	if t.n < geom.ChunkEdge {
		for i := range b.flat {
			b.flat[i] = b.def
		}
		changed := uint32(1<<geom.ChunkEdge - 1)
		for ; t.n < geom.ChunkEdge; t.n++ { // above the box
			t.b.Slice(&b.flat, changed)
			changed = 0
		}
	}
	c := t.b.Chunk()
	b.free = append(b.free, t.b)
	b.fail(b.limit.Take(int64(c.Bytes())))
	return c
}

func (b *Builder) place(pos geom.ChunkPos, c *voxel.Chunk) {
	b.fail(b.limit.Take(64))
	b.placed = append(b.placed, grid.Placed{Pos: pos, Chunk: c})
}

// View returns the volume. It fails if not all cells came, or too many.
func (b *Builder) View() (*grid.View, error) {
	b.flush()
	if b.left != 0 && b.err == nil {
		b.err = fmt.Errorf("%w: %d are missing", errCells, b.left)
	}
	if b.err != nil {
		return nil, b.err
	}
	return grid.New(grid.Options{Schema: voxel.Palette, Default: b.def}).With(b.placed), nil
}
