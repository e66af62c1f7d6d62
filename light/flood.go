package light

import (
	"math"

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

// tileEdge is how many cells a tile has along x and z. A tile is 8x8 cells of
// one height, a bit each: z*8+x. Light of one level goes on in 64 cells at once.
const tileEdge = 8

// Flood computes the light of a box of chunks. It keeps its memory for the next. The
// zero value follows no rule yet. Not safe for concurrent use.
type Flood struct {
	classes
	traits []trait // by class

	kind       Kind
	x0, y0, z0 int // of the first cell of the box
	nx, ny, nz int // cells; ny is 0 where nothing stands in the way
	row, slice int // tiles from one to the next along z and y, one more than there are
	first      int // the tile at x0, y0, z0; those before, behind and between rows are never lit

	tiles
	now, next wave                  // what has the level under way, and the one below; empty between floods
	queue     [MaxLight + 1][]int32 // odd tiles where cells wait for that level; empty between floods
	sky       []uint64              // what falls into the slice under way
}

// tiles is what is known of each tile.
type tiles struct {
	dark  []uint64    // cells that light may enter, and that have none yet
	open  []uint64    // cells that sky light falls through, and after fall those it falls into
	level [][4]uint64 // the bits of the level of each cell that is not open, lowest first
	odd   []int32     // place in odds, 0 for none
	odds  []oddTile
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

func (t *trait) odd(k Kind) bool {
	return t.thick != 0 || t.shut != 0 || t.gives != 0 && k == Block
}

// Follow makes the Flood go by a rule from now on, which must be Valid.
func (f *Flood) Follow(m Matters) {
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

// Fill computes the light of the chunks from..to-1. towers must give the blocks of
// the box and of one chunk around it, of all heights; what it lacks is clear. It reports
// whether that was possible: a box may be too large.
func (f *Flood) Fill(kind Kind, from, to geom.ChunkPos, towers Towers) bool {
	f.kind = kind
	f.nx, f.ny, f.nz = 0, 0, 0
	const most = maxFlood / (geom.ChunkEdge * geom.ChunkEdge)
	if wide, deep := int64(to.X-from.X), int64(to.Z-from.Z); wide > most || deep > most || wide*deep > most {
		return false // before towers are asked for
	}
	ground, ok := f.lie(from, to, towers)
	if !ok || f.ny == 0 {
		return ok
	}
	f.clear()
	for _, g := range ground {
		f.lay(g)
	}
	if kind == Sky {
		f.fall()
	}
	f.spread()
	return true
}

// Cells returns how many cells the last Fill looked at, or would have at least.
func (f *Flood) Cells() int { return f.nx * f.ny * f.nz }

// footprint is a tower and where it stands.
type footprint struct {
	x, z int32
	t    Tower
}

// sides are how far a box reaches beyond its chunks.
type sides struct{ west, east, north, south int }

// reach is how far a box reaches where blocks are beside it: at least MaxLight.
const reach = geom.ChunkEdge / 2

// lie decides which cells there are.
func (f *Flood) lie(from, to geom.ChunkPos, towers Towers) (ground []footprint, ok bool) {
	lo, hi := math.MaxInt, math.MinInt
	// Light of blocks may leave the box for so far and come back.
	s := sides{reach / 2, reach / 2, reach / 2, reach / 2}
	for z := from.Z - 1; z <= to.Z; z++ {
		for x := from.X - 1; x <= to.X; x++ {
			t := towers(x, z)
			low, high := f.extent(t)
			if low > high {
				continue
			}
			ground = append(ground, footprint{x, z, t})
			lo, hi = min(lo, low), max(hi, high)
			s.widen(x < from.X, x == to.X, z < from.Z, z == to.Z)
			if !f.bound(from, to, lo, hi, s) {
				return nil, false // before more is asked for
			}
		}
	}
	return ground, true
}

// bound sets the box around chunks whose blocks lie from lo to hi, and reports
// whether it may be that large.
func (f *Flood) bound(from, to geom.ChunkPos, lo, hi int, s sides) bool {
	// Above all blocks sky light is the same, and so it is so far below them.
	f.y0, f.ny = lo-reach, hi-lo+1+reach+1
	if f.kind == Block {
		f.ny += reach - 1
	}
	f.x0, f.z0 = int(from.X)*geom.ChunkEdge-s.west, int(from.Z)*geom.ChunkEdge-s.north
	f.nx, f.nz = int(to.X)*geom.ChunkEdge+s.east-f.x0, int(to.Z)*geom.ChunkEdge+s.south-f.z0
	return f.nx <= maxFlood && f.nz <= maxFlood/f.nx && f.ny <= maxFlood/(f.nx*f.nz)
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
