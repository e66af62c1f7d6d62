package light

import (
	"context"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// MaxLight is the most light of a cell, and the range of light in cells.
const MaxLight = 15

// maxFlood bounds the cells of a Flood.
const maxFlood = 8 << 20

// Channel is the source of light.
type Channel uint8

// Sky light falls from above and does not weaken in clear cells. Block light comes
// from cells that emit it.
const (
	Sky Channel = iota
	Block
)

// Full returns the light of open space.
func (k Channel) Full() uint8 {
	if k == Sky {
		return MaxLight
	}
	return 0
}

// workOfFloor is the work of finding the slices of a chunk that are not empty.
const workOfFloor = 4

// workOfSpecial is the work of light from a tile with special cells, besides that of any tile.
const workOfSpecial = 3

// tilesAtOnce is how many tiles light spreads from before the bounds are looked at again.
const tilesAtOnce = 1 << 12

// tileEdge is the edge of a tile in cells along x and z. A tile is 8x8 cells of one
// height with one bit each: z*8+x. Light of one level spreads in 64 cells at once.
const tileEdge = 8

// Flood computes the light of a box of chunks. It reuses its memory, and the blocks
// it has rasterized, which serve both kinds of light. Call Use before the first Fill.
// Goroutines must not share a Flood.
type Flood struct {
	matters Matters
	classes
	traits []trait // by class
	bits   []byte  // by cell, for those that matters tells about: its traitBits

	ctx  context.Context // nil: never ends
	most int             // work that a Fill may do; 0: no bound
	work int             // of the last Fill
	size int             // cells of its box
	kind Channel
	box
	ny         int           // cells of height that this kind of light needs; 0 if nothing blocks it, or nothing emits it
	row, slice int           // tiles from one to the next along z and y, including one of margin
	first      int           // the tile at x0, y0, z0; tiles before it, after the last and in the margins are never lit
	rasterized bool          // the tiles hold the blocks of the box
	towers     []placedTower // whose blocks are in the tiles
	near       []placedTower // whose blocks the current Fill needs
	tiles
	now, next wave                  // the cells of the current level, and of the next lower one; empty between floods
	queue     [MaxLight + 1][]int32 // special tiles with cells that wait for the level; empty between floods
	sky       []uint64              // the sky light that falls into the current slice
}

// tiles holds the blocks and the light of each tile.
type tiles struct {
	dim      []uint64 // cells that light may enter
	open     []uint64 // cells that sky light falls through
	special  []int32  // index in specials, 0 for none
	specials []specialTile
	sources  []source

	dark  []uint64    // cells that light may enter and that have none yet
	level [][4]uint64 // the bits of the level of each cell, lowest first
	// waiting holds for special tiles and levels the cells that get the level in its
	// turn, unless they are brighter by then.
	waiting [][MaxLight + 1]uint64
}

// specialTile is a tile with cells that are neither clear nor opaque, or that emit
// light, or whose faces are closed in part.
type specialTile struct {
	dimming uint64    // cells that weaken light by 2 to 14
	lost    [4]uint64 // the bit planes of that number
	closed  [Sides]uint64
	waits   int32 // index in waiting, 0 for none yet
}

// source is the cells of a tile that emit one level of light.
type source struct {
	cells uint64
	at    int32
	level uint8
}

// wave is the cells that light spreads from.
type wave struct {
	cells []uint64 // by tile
	at    []int32  // the tiles with such cells, in the order of arrival
}

// trait is what rasterizing needs to know of a class.
type trait struct {
	dim, open bool  // dim: light may enter; open: sky light falls through
	dimming   uint8 // how much it weakens light, if by 2 to 14
	closed    uint8
	emits     uint8
}

// The bits of a trait that most cells are told by.
const (
	dimBit     = 1 << iota // light may enter
	openBit                // sky light falls through
	specialBit             // see specialTile
)

// traitBits returns the bits of t.
func (t *trait) traitBits() (b byte) {
	if t.dim {
		b |= dimBit
	}
	if t.open {
		b |= openBit
	}
	if t.dimming|t.closed|t.emits != 0 {
		b |= specialBit
	}
	return b
}

// Use sets the rule. m must be Valid.
func (f *Flood) Use(m Matters) {
	if f.matters != nil && slices.Equal(m, f.matters) {
		return
	}
	f.matters, f.rasterized = slices.Clone(m), false
	f.classes = newClasses(m)
	f.traits = f.traits[:0]
	for _, v := range f.classes.list {
		t := trait{dim: v.absorbs() < MaxLight, open: v.absorbs() == 0, closed: v.closed(), emits: v.emits()}
		if t.dim && v.absorbs() > 1 {
			t.dimming = v.absorbs()
		}
		f.traits = append(f.traits, t)
	}
	f.bits = f.bits[:0]
	for _, class := range f.classes.of {
		f.bits = append(f.bits, f.traits[class].traitBits())
	}
}

// Until bounds later calls of Fill: they return false soon after ctx ends, and if they
// need more than most work. 0 sets no bound.
func (f *Flood) Until(ctx context.Context, most int) { f.ctx, f.most = ctx, most }

func (f *Flood) ended() bool {
	return f.most > 0 && f.work > f.most || f.ctx != nil && f.ctx.Err() != nil
}

// Work estimates the steps of the last Fill: one for each tile, one for each level of
// light in a tile, workOfSpecial more if cells of it take or give light in an unusual way, and one
// for each run of a row of blocks that differs from the row below.
func (f *Flood) Work() int { return f.work }

// Cells returns the cells of the box of the last Fill, 0 if it was too large. It follows from the
// box and from the heights of blocks in and around it.
func (f *Flood) Cells() int { return f.size }

// Fill computes the light of the chunks from..to-1. towers must return the blocks of
// the box and of one chunk around it, at all heights; missing chunks are clear. It
// returns false if the box is too large.
func (f *Flood) Fill(kind Channel, from, to geom.ChunkPos, towers Towers) bool {
	f.kind, f.ny, f.work, f.size = kind, 0, 0, 0
	const most = maxFlood / (geom.ChunkEdge * geom.ChunkEdge)
	if wide, deep := int64(to.X-from.X), int64(to.Z-from.Z); wide > most || deep > most || wide*deep > most {
		return false // before towers is called
	}
	b, ok := f.lie(from, to, towers)
	if !ok || len(f.near) == 0 {
		return ok
	}
	f.size = b.cells(kind)
	if !f.knows(&b) {
		f.box, f.rasterized = b, false
		f.towers, f.near = f.near, f.towers
		f.clear()
		for i := range f.towers {
			if !f.rasterize(&f.towers[i]) {
				return false
			}
		}
		f.rasterized = true
	}
	f.ny = f.height(kind)
	f.work += f.slice * f.ny
	if kind == Sky {
		f.fall()
	} else if !f.shine() {
		f.ny = 0
		return true
	}
	return f.spread()
}

// knows reports whether the blocks of a box and around it are in the tiles already, in a
// box that is hardly larger. For block light the box may be larger, because it
// spreads to few cells.
func (f *Flood) knows(b *box) bool {
	l := &f.box
	in := l.from.X <= b.from.X && l.from.Z <= b.from.Z && b.to.X <= l.to.X && b.to.Z <= l.to.Z
	if !f.rasterized || !in || l.cells(f.kind) > b.cells(f.kind) && (f.kind == Sky || l.cells(f.kind)/4 > b.cells(f.kind)) {
		return false
	}
	near := f.near
	for i := range f.towers {
		g := &f.towers[i]
		if g.x < b.from.X-1 || g.x > b.to.X || g.z < b.from.Z-1 || g.z > b.to.Z {
			continue
		}
		if len(near) == 0 || near[0].x != g.x || near[0].z != g.z || !slices.Equal(near[0].t, g.t) {
			return false
		}
		near = near[1:]
	}
	return len(near) == 0
}

// box is the space that a Flood computes.
type box struct {
	from, to   geom.ChunkPos // the chunks to compute
	x0, y0, z0 int           // of the first cell
	nx, nz     int           // cells
	high       int           // height from the lowest block to the highest
}

// height returns how many cells of height a kind of light needs.
func (b *box) height(k Channel) int {
	// Sky light is the same everywhere above all blocks, and everywhere far enough
	// below them.
	if k == Sky {
		return b.high + reach + 1
	}
	return b.high + 2*reach
}

func (b *box) cells(k Channel) int { return b.nx * b.height(k) * b.nz }

// placedTower is a tower and its position.
type placedTower struct {
	x, z int32
	t    Tower
}

// sides is how far a box extends beyond its chunks.
type sides struct{ west, east, north, south int }

// reach is how far a box extends where it has blocks beside it. It is at least
// MaxLight.
const reach = geom.ChunkEdge / 2

// lie computes the cells of the box and puts the towers with blocks into near.
func (f *Flood) lie(from, to geom.ChunkPos, towers Towers) (b box, ok bool) {
	b.from, b.to = from, to
	lo, hi := math.MaxInt, math.MinInt
	// Block light may leave the box by this much and come back.
	s := sides{reach / 2, reach / 2, reach / 2, reach / 2}
	f.near = f.near[:0]
	for z := from.Z - 1; z <= to.Z; z++ {
		for x := from.X - 1; x <= to.X; x++ {
			t := towers(x, z)
			if f.ended() {
				return b, false
			}
			f.work += workOfFloor * len(t)
			low, high := f.extent(t)
			if low > high {
				continue
			}
			f.near = append(f.near, placedTower{x, z, slices.Clone(t)})
			lo, hi = min(lo, low), max(hi, high)
			s.widen(x < from.X, x == to.X, z < from.Z, z == to.Z)
			if !b.around(lo, hi, s, f.kind) {
				return b, false // before further towers are read
			}
		}
	}
	return b, true
}

// around sets the cells of a box whose blocks lie from lo to hi. It reports whether
// this size is allowed for a kind of light.
func (b *box) around(lo, hi int, s sides, k Channel) bool {
	b.y0, b.high = lo-reach, hi-lo+1
	b.x0, b.z0 = int(b.from.X)*geom.ChunkEdge-s.west, int(b.from.Z)*geom.ChunkEdge-s.north
	b.nx, b.nz = int(b.to.X)*geom.ChunkEdge+s.east-b.x0, int(b.to.Z)*geom.ChunkEdge+s.south-b.z0
	return b.nx <= maxFlood && b.nz <= maxFlood/b.nx && b.height(k) <= maxFlood/(b.nx*b.nz)
}

func (s *sides) widen(west, east, north, south bool) {
	if west {
		s.west = reach
	}
	if east {
		s.east = reach
	}
	if north {
		s.north = reach
	}
	if south {
		s.south = reach
	}
}

// extent returns the lowest and highest height of a tower's blocks. low is above
// high if there are none.
func (f *Flood) extent(t Tower) (low, high int) {
	low, high = math.MaxInt, math.MinInt
	for _, floor := range t {
		for y := range geom.ChunkEdge {
			if f.clearSlice(floor.Chunk, y) {
				continue
			}
			at := int(floor.Y)*geom.ChunkEdge + y
			low, high = min(low, at), max(high, at)
		}
	}
	return low, high
}
