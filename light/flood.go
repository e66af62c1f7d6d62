package light

import (
	"context"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
)

// MaxLight is the most light there is in a cell, and how far it goes.
const MaxLight = 15

// maxFlood bounds the cells that a Flood is computed in.
const maxFlood = 8 << 20

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

// workOfFloor is the work of looking for the slices of a chunk that hold anything.
const workOfFloor = 4

// tileEdge is how many cells a tile has along x and z. A tile is 8x8 cells of
// one height, a bit each: z*8+x. Light of one level goes on in 64 cells at once.
const tileEdge = 8

// Flood computes the light of a box of chunks. It keeps its memory for the next, and what it
// knows of the blocks, which both kinds of light go through. The zero value follows no rule
// yet. Not safe for concurrent use.
type Flood struct {
	matters Matters
	classes
	traits []trait // by class

	ctx  context.Context // nil: never ends
	most int             // work that may be done
	work int             // of the last Fill
	kind Kind
	box
	ny         int         // cells of height that this kind of light needs; 0 where nothing stands in the way, or nothing shines
	row, slice int         // tiles from one to the next along z and y, one more than there are
	first      int         // the tile at x0, y0, z0; those before, behind and between rows are never lit
	laid       bool        // what is known of tiles before light comes is of the box
	ground     []footprint // the blocks that were laid
	near       []footprint // and those that are asked for
	tiles
	now, next wave                  // what has the level under way, and the one below; empty between floods
	queue     [MaxLight + 1][]int32 // odd tiles where cells wait for that level; empty between floods
	sky       []uint64              // what falls into the slice under way
}

// tiles is what is known of each tile, and the light in it.
type tiles struct {
	dim   []uint64 // cells that light may enter
	open  []uint64 // cells that sky light falls through
	odd   []int32  // place in odds, 0 for none
	odds  []oddTile
	lamps []glow

	dark  []uint64    // cells that light may enter, and that have none yet
	level [][4]uint64 // the bits of the level of each cell, lowest first
	// waiting is cells of odd tiles that have a level when its turn comes, if they are
	// not brighter then.
	waiting [][MaxLight + 1]uint64
}

// oddTile is a tile with cells that are more to light than clear or opaque.
type oddTile struct {
	thick uint64    // cells that light loses 2 to 14 in
	lost  [4]uint64 // the bits of that
	shut  [Faces]uint64
	waits int32 // place in waiting, 0 for none yet
}

// glow is cells of a tile that give light.
type glow struct {
	cells uint64
	at    int32
	level uint8
}

// wave is cells that light goes on from.
type wave struct {
	cells []uint64 // by tile
	at    []int32  // tiles that have any, in the order in which they got them
}

// trait is what matters of a class while blocks are laid.
type trait struct {
	dim, open bool  // takes not all light; none of that which falls
	thick     uint8 // what it takes, if more than 1 and not all
	shut      uint8
	gives     uint8
}

// Follow makes the Flood go by a rule from now on, which must be Valid.
func (f *Flood) Follow(m Matters) {
	if f.matters != nil && slices.Equal(m, f.matters) {
		return
	}
	f.matters, f.laid = slices.Clone(m), false
	f.classes = newClasses(m)
	f.traits = f.traits[:0]
	for _, v := range f.classes.list {
		t := trait{dim: v.takes() < MaxLight, open: v.takes() == 0, shut: v.shut(), gives: v.gives()}
		if t.dim && v.takes() > 1 {
			t.thick = v.takes()
		}
		f.traits = append(f.traits, t)
	}
}

// Until makes the calls of Fill to come end, with false, soon after ctx ends, and when one has
// done more than so much work; 0 sets no bound.
func (f *Flood) Until(ctx context.Context, most int) { f.ctx, f.most = ctx, most }

func (f *Flood) ended() bool {
	return f.most > 0 && f.work > f.most || f.ctx != nil && f.ctx.Err() != nil
}

// Work returns about how many steps the last Fill took: one for each 8x8 cells of one height,
// again for each level of light that they have, and for each run of a row of blocks that
// differs from the row below.
func (f *Flood) Work() int { return f.work }

// Fill computes the light of the chunks from..to-1. towers must give the blocks of
// the box and of one chunk around it, of all heights; what it lacks is clear. It reports
// whether that was possible: a box may be too large.
func (f *Flood) Fill(kind Kind, from, to geom.ChunkPos, towers Towers) bool {
	f.kind, f.ny, f.work = kind, 0, 0
	const most = maxFlood / (geom.ChunkEdge * geom.ChunkEdge)
	if wide, deep := int64(to.X-from.X), int64(to.Z-from.Z); wide > most || deep > most || wide*deep > most {
		return false // before towers are asked for
	}
	b, ok := f.lie(from, to, towers)
	if !ok || len(f.near) == 0 {
		return ok
	}
	if !f.knows(&b) {
		f.box, f.laid = b, false
		f.ground, f.near = f.near, f.ground
		f.clear()
		for i := range f.ground {
			if f.ended() {
				return false
			}
			f.lay(&f.ground[i])
		}
		f.laid = true
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

// knows reports whether the blocks of a box, near, are laid already, and the box that was laid
// is hardly larger. Lamps light up few of the cells of a box, so that it may be larger for them.
func (f *Flood) knows(b *box) bool {
	l := &f.box
	in := l.from.X <= b.from.X && l.from.Z <= b.from.Z && b.to.X <= l.to.X && b.to.Z <= l.to.Z
	if !f.laid || !in || l.cells(f.kind) > b.cells(f.kind) && (f.kind == Sky || l.cells(f.kind)/4 > b.cells(f.kind)) {
		return false
	}
	near := f.near
	for i := range f.ground {
		g := &f.ground[i]
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

// box is where a Flood looks.
type box struct {
	from, to   geom.ChunkPos // the chunks that it is for
	x0, y0, z0 int           // of the first cell
	nx, nz     int           // cells
	high       int           // from the lowest block to the highest
}

// height returns how many cells of height a kind of light needs.
func (b *box) height(k Kind) int {
	// Above all blocks sky light is the same, and so it is so far below them.
	if k == Sky {
		return b.high + reach + 1
	}
	return b.high + 2*reach
}

func (b *box) cells(k Kind) int { return b.nx * b.height(k) * b.nz }

// footprint is a tower and where it stands.
type footprint struct {
	x, z int32
	t    Tower
}

// sides are how far a box reaches beyond its chunks.
type sides struct{ west, east, north, south int }

// reach is how far a box reaches where blocks are beside it: at least MaxLight.
const reach = geom.ChunkEdge / 2

// lie decides which cells there are, and puts the towers with any blocks into near.
func (f *Flood) lie(from, to geom.ChunkPos, towers Towers) (b box, ok bool) {
	b.from, b.to = from, to
	lo, hi := math.MaxInt, math.MinInt
	// Light of blocks may leave the box for so far and come back.
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
			f.near = append(f.near, footprint{x, z, slices.Clone(t)})
			lo, hi = min(lo, low), max(hi, high)
			s.widen(x < from.X, x == to.X, z < from.Z, z == to.Z)
			if !b.around(lo, hi, s, f.kind) {
				return b, false // before more is asked for
			}
		}
	}
	return b, true
}

// around sets the cells of a box whose blocks lie from lo to hi, and reports
// whether it may be that large for a kind of light.
func (b *box) around(lo, hi int, s sides, k Kind) bool {
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
