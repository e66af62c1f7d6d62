package light

import (
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// MaxLight is the most light there is in a cell, and how far it goes.
const MaxLight = 15

// maxFlood bounds the cells that a Flood is computed in.
const maxFlood = 4 << 20

// Kind is what light comes from.
type Kind uint8

// Sky light falls from above, unlessened through clear cells; block light comes
// from cells that give it.
const (
	Sky Kind = iota
	Block
)

// Full is the light where nothing is.
func (k Kind) Full() uint8 {
	if k == Sky {
		return MaxLight
	}
	return 0
}

// Flood computes the light of a box of chunks. It keeps its memory for the next. The
// zero value follows no rule yet. Not safe for concurrent use.
type Flood struct {
	classes
	through []uint8 // by class: what light loses there
	faces   bool    // some class has shut faces

	kind       Kind
	x0, y0, z0 int // of the cell at index 0
	nx, ny, nz int // with a wall around; ny is 0 where nothing stands in the way
	what       []uint8
	level      []uint8
	bare       []bool // slices of nothing, by y
	open       []uint8
	queue      [MaxLight + 1][]uint32
	offs       [Faces]int
}

// Follow makes the Flood go by a rule from now on, which must be Valid.
func (f *Flood) Follow(m Matters) {
	f.classes = newClasses(m)
	f.through, f.faces = f.through[:0], false
	for _, v := range f.list {
		f.through = append(f.through, max(1, v.takes()))
		f.faces = f.faces || v.shut() != 0
	}
}

// Fill computes the light of the chunks from..to-1. towers must give the blocks of
// the box and of one chunk around it, of all heights; what it lacks is clear. It reports
// whether that was possible: a box may be too large.
func (f *Flood) Fill(kind Kind, from, to geom.ChunkPos, towers Towers) bool {
	f.kind = kind
	if wide, deep := int64(to.X-from.X), int64(to.Z-from.Z); wide > maxFlood || deep > maxFlood || wide*deep > maxFlood/voxel.SliceCells {
		return false // before towers are asked for
	}
	ground, ok := f.lie(from, to, towers)
	if !ok || f.ny == 0 {
		return ok
	}
	f.lay(ground)
	for l := range f.queue {
		f.queue[l] = f.queue[l][:0]
	}
	if kind == Sky {
		f.fall()
		f.enter()
	} else {
		f.kindle()
	}
	f.spread()
	return true
}

// footprint is a tower and where it stands.
type footprint struct {
	x, z int32
	t    Tower
}

// lie decides which cells there are.
func (f *Flood) lie(from, to geom.ChunkPos, towers Towers) (ground []footprint, ok bool) {
	lo, hi := math.MaxInt, math.MinInt
	reach := int(geom.ChunkEdge / 2) // at least MaxLight
	around := 1
	if f.kind == Block {
		around = MaxLight/2 + 1 // light may leave the box for so far and come back
	}
	west, east, north, south := around, around, around, around
	for z := from.Z - 1; z <= to.Z; z++ {
		for x := from.X - 1; x <= to.X; x++ {
			t := towers(x, z)
			low, high := f.extent(t)
			if low > high {
				continue
			}
			ground = append(ground, footprint{x, z, t})
			lo, hi = min(lo, low), max(hi, high)
			if x < from.X {
				west = reach
			}
			if x == to.X {
				east = reach
			}
			if z < from.Z {
				north = reach
			}
			if z == to.Z {
				south = reach
			}
		}
	}
	if f.ny = 0; len(ground) == 0 {
		return nil, true
	}
	upDown := 1 // sky light is the same at all heights from there on
	if f.kind == Block {
		upDown = reach
	}
	f.x0, f.y0, f.z0 = int(from.X)*geom.ChunkEdge-west-1, lo-upDown-1, int(from.Z)*geom.ChunkEdge-north-1
	f.nx = int(to.X-from.X)*geom.ChunkEdge + west + east + 2
	f.nz = int(to.Z-from.Z)*geom.ChunkEdge + north + south + 2
	f.ny = hi - lo + 1 + 2*upDown + 2
	return ground, f.nx <= maxFlood && f.nz <= maxFlood/f.nx && f.ny <= maxFlood/(f.nx*f.nz)
}

// extent returns the lowest and highest height of a tower at which there is
// anything, low above high if there is nothing.
func (f *Flood) extent(t Tower) (low, high int) {
	low, high = math.MaxInt, math.MinInt
	for _, floor := range t {
		for y := range geom.ChunkEdge {
			if f.bareSlice(floor.Chunk, y) {
				continue
			}
			at := int(floor.Y)*geom.ChunkEdge + y
			low, high = min(low, at), max(high, at)
		}
	}
	return low, high
}

func (f *Flood) bareSlice(c *voxel.Chunk, y int) bool {
	v, ok := c.SliceUniform(y)
	return ok && f.cell(v) == clearClass
}

// lay writes down what is in each cell.
func (f *Flood) lay(ground []footprint) {
	n := f.nx * f.ny * f.nz
	f.what = zeroed(f.what, n)
	if f.level = slices.Grow(f.level[:0], n)[:n]; f.kind == Block {
		clear(f.level)
	}
	f.bare = slices.Grow(f.bare[:0], f.ny)[:f.ny]
	for y := range f.bare {
		f.bare[y] = true
	}
	f.offs = [Faces]int{-1, 1, -f.nx * f.nz, f.nx * f.nz, -f.nx, f.nx}
	for _, g := range ground {
		for _, floor := range g.t {
			for y := range geom.ChunkEdge {
				if !f.bareSlice(floor.Chunk, y) {
					f.laySlice(g, floor, y)
				}
			}
		}
	}
	f.wallIn()
}

func zeroed(b []uint8, n int) []uint8 {
	b = slices.Grow(b[:0], n)[:n]
	clear(b)
	return b
}

// laySlice writes down slice y of a chunk, as far as it is near.
func (f *Flood) laySlice(g footprint, floor Floor, y int) {
	at := int(floor.Y)*geom.ChunkEdge + y - f.y0
	f.bare[at] = false
	x0, z0 := int(g.x)*geom.ChunkEdge-f.x0, int(g.z)*geom.ChunkEdge-f.z0
	left, right := max(0, -x0), min(geom.ChunkEdge, f.nx-x0)
	v, uniform := floor.Chunk.SliceUniform(y)
	same := f.cell(v)
	var buf [64]voxel.Cell
	for z := max(0, -z0); z < min(geom.ChunkEdge, f.nz-z0); z++ {
		row := f.what[(at*f.nz+z0+z)*f.nx+x0+left:][:right-left]
		if uniform {
			for i := range row {
				row[i] = same
			}
			continue
		}
		for i, v := range floor.Chunk.Row(y, z, &buf)[left:right] {
			row[i] = f.cell(v)
		}
	}
}

// wallIn puts walls around.
func (f *Flood) wallIn() {
	n := f.nx * f.nz
	for y := range f.ny {
		s := f.what[y*n:][:n]
		if y == 0 || y == f.ny-1 {
			for i := range s {
				s[i] = wall
			}
			continue
		}
		for x := range f.nx {
			s[x], s[n-f.nx+x] = wall, wall
		}
		for z := range f.nz {
			s[z*f.nx], s[z*f.nx+f.nx-1] = wall, wall
		}
	}
}

// shut reports whether no light goes from one cell to another by a face of the
// first.
func (f *Flood) shut(from, to int, by Face) bool {
	return (f.list[f.what[from]].shut()>>by|f.list[f.what[to]].shut()>>(by^1))&1 != 0
}

// light gives a cell a level and lets it spread.
func (f *Flood) light(at int, l uint8) {
	f.level[at] = l
	f.queue[l] = append(f.queue[l], uint32(at))
}

// kindle lights the cells that give light.
func (f *Flood) kindle() {
	gives := make([]uint8, len(f.list))
	any := false
	for i, m := range f.list {
		gives[i] = m.gives()
		any = any || gives[i] > 0
	}
	n := f.nx * f.nz
	for y := 1; y < f.ny-1 && any; y++ {
		if f.bare[y] {
			continue
		}
		for i, c := range f.what[y*n:][:n] {
			if l := gives[c]; l > 0 {
				f.light(y*n+i, l)
			}
		}
	}
}

// spread lets light go on from the brightest to the darkest cells.
func (f *Flood) spread() {
	level, what, through, offs := f.level, f.what[:len(f.level)], f.through, f.offs
	for l := uint8(MaxLight); l > 1; l-- {
		next := f.queue[l-1]            // where most goes
		for _, at := range f.queue[l] { // which nothing is added to from now on
			if level[at] != l {
				continue // brighter by now, and gone on from
			}
			for face, off := range offs {
				to := int(at) + off
				if level[to] >= l-1 {
					continue
				}
				lost := through[what[to]]
				if lost >= l || l-lost <= level[to] || f.faces && f.shut(int(at), to, Face(face)) {
					continue
				}
				if lost == 1 {
					level[to] = l - 1
					next = append(next, uint32(to))
					continue
				}
				f.light(to, l-lost)
			}
		}
		f.queue[l-1] = next
	}
}

// Slice writes down the light of slice y of a chunk of the box, index z*32+x.
func (f *Flood) Slice(pos geom.ChunkPos, y int, dst *[voxel.SliceCells]uint8) {
	at := int(pos.Y)*geom.ChunkEdge + y - f.y0
	if f.ny == 0 || at > f.ny-2 || at < 1 && f.kind == Block {
		for i := range dst {
			dst[i] = f.kind.Full()
		}
		return
	}
	at = max(at, 1) // below, light is as at the bottom
	x0, z0 := int(pos.X)*geom.ChunkEdge-f.x0, int(pos.Z)*geom.ChunkEdge-f.z0
	for z := range geom.ChunkEdge {
		copy(dst[z*geom.ChunkEdge:][:geom.ChunkEdge], f.level[(at*f.nz+z0+z)*f.nx+x0:])
	}
}
