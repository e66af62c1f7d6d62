package codec

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Odds encodes runs along y, column by column, with an arithmetic coder. The model
// predicts whether a run ends where one beside it does, and the cell after it. It
// takes half to two thirds of the bytes of Columns and two to three times as long to
// read.
const Odds Form = 5

// Streams of the form Odds.
const (
	oddsTable   = streamTable
	oddsBits    = 1
	oddsStreams = 2
)

// none is the number of the column that stands for a missing tower. It is all of the
// lowest cell of the table.
const none = 0

// How a column is found that differs from those beside it and from the guesses.
const (
	foundBack = iota
	foundNew
	founds
)

// Indexes of odds in oddsModel.columns.
const (
	rowOdds    = 0                    // a row equals the one to the north; by whether the last one did
	sameOdds   = rowOdds + 2          // west and north are equal; this one equals them
	firstOdds  = sameOdds + 2*founds  // they differ; this one equals the likelier one
	otherOdds  = firstOdds + 3*founds // this one equals the other one
	southOdds  = otherOdds + 3*founds // it equals the guess by north
	eastOdds   = southOdds + 1        // it equals the guess by west
	backOdds   = eastOdds + 1         // a reference follows
	distOdds   = backOdds + founds
	distTrees  = distOdds + 16
	columnOdds = distTrees + 8*(distBits+2)
)

// distBits is the number of bits of a reference's distance after the highest.
const (
	distBits = 15
	maxBack  = 1<<(distBits+1) - 1
)

// How a run ended.
const (
	endFirst = iota // at the likeliest height
	endOther        // where the other column beside it changes
	endElse
	endNone // there is no run below: the lowest run
)

// Indexes of odds in the block of a cell, for the run that ends.
const (
	endOdds    = 0               // it ends at the likeliest height
	elseOdds   = endOdds + 3*12  // it ends at the second likeliest height
	beforeOdds = elseOdds + 2*12 // it ends before that; by height
	valueOdds  = beforeOdds + 4*8
	thirdOdds  = valueOdds + 4*2
	cellOdds   = 128
	cellBlocks = 256
)

// A number is written as its number of bits after the highest, then these bits. The
// first three have odds of their own.
const (
	numberBits  = 11
	numberTrees = 16
	numberOdds  = numberTrees + 8*(numberBits+2)
)

// The tags of odds in oddsModel.hashed, by purpose.
const (
	tagBefore = iota
	tagAfter
	tagValue
	tagCell
)

const (
	leastHashBits = 12
	mostHashBits  = 16
	hashPrime     = 0x9E3779B97F4A7C15
)

// mostChanges is the most changes of literal columns that so many bytes may hold.
func mostChanges(bytes int) int { return 1<<14 + 64*bytes }

// rankBits is the number of bits of a rank of so many cells.
func rankBits(cells int) int { return bits.Len(uint(max(cells, 1) - 1)) }

// oddsModel holds the odds of all bits of a page, and guesses of columns.
type oddsModel struct {
	columns [columnOdds]odds
	cells   []odds // blocks by rank
	hashed  []odds
	shift   uint8 // from 64 bits of hash to a place in hashed

	souths []int32 // by column: the last column to its south
	easts  []int32
	found  int // how the last column was found that no column beside it and no guess predicted
}

func (m *oddsModel) reset(cells, chunks int) {
	size := min(max(bits.Len(uint(chunks))+10, leastHashBits), mostHashBits)
	m.shift = uint8(64 - size)
	m.hashed = resized(m.hashed, 1<<size+numberOdds)
	m.cells = resized(m.cells, min(cells+1, cellBlocks)*cellOdds)
	resetOdds(m.columns[:])
	resetOdds(m.cells)
	resetOdds(m.hashed)
	m.easts, m.souths = append(m.easts[:0], none), append(m.souths[:0], none)
	m.found = foundNew
}

func resized(o []odds, n int) []odds {
	if cap(o) < n {
		return make([]odds, n)
	}
	return o[:n]
}

// block returns the odds of a cell by its rank; -1 is below the lowest run.
func (m *oddsModel) block(rank int) *[cellOdds]odds {
	return (*[cellOdds]odds)(m.cells[(rank+1)%cellBlocks*cellOdds:])
}

// slot returns the odds for a tag and three numbers of 16 bits.
func (m *oddsModel) slot(tag, a, b, c int) *[numberOdds]odds {
	k := (uint64(tag) | uint64(a)<<4 | uint64(b)<<20 | uint64(c)<<36) * hashPrime
	return (*[numberOdds]odds)(m.hashed[k>>(m.shift&63)&^15:])
}

// beside returns the column beside it that a column most likely equals, the other
// one, and the index of the odds of the first. The two may be equal.
func (m *oddsModel) beside(w, n, nw int32) (first, other int32, o int) {
	switch {
	case w == n && w == nw:
		return w, n, sameOdds + founds + m.found
	case w == n:
		return w, n, sameOdds + m.found
	case w == nw:
		return n, w, firstOdds + founds + m.found
	case n == nw:
		return w, n, firstOdds + 2*founds + m.found
	}
	return w, n, firstOdds + m.found
}

// guesses returns the last columns in similar places: south of north, and east of
// west. A guess that is known to be wrong is none.
func (m *oddsModel) guesses(w, n int32) (south, east int32) {
	south, east = m.souths[n], m.easts[w]
	if east == w || east == n || east == south {
		east = none
	}
	if south == w || south == n {
		south = none
	}
	return south, east
}

// note records what was beside columns.
func (m *oddsModel) note(w, n, number int32) { m.souths[n], m.easts[w] = number, number }

// grow makes room for the neighbours of one more column.
func (m *oddsModel) grow() { m.easts, m.souths = append(m.easts, none), append(m.souths, none) }

// window holds the numbers of a tower's columns and of earlier columns around it: a
// row to the north with both corners, and a column to the west.
type window [(edge + 1) * windowEdge]int32

const windowEdge = edge + 2

// row returns a row and the one to its north. Both start one column further west.
func (v *window) row(z int) (row, north *[windowEdge]int32) {
	return (*[windowEdge]int32)(v[(z+1)*windowEdge:]), (*[windowEdge]int32)(v[z*windowEdge:])
}

// pageMap holds the positions of the towers of a page, and their columns.
type pageMap struct {
	columnIndex columnIndex
	bases       []int   // of towers: the height of their lowest cells
	of          []int32 // numbers of columns
	around      window
	off         [2]int // from the base of the tower to those of the towers to the west and north
	top         int    // height of the tower
}

// reset starts a page of that many towers.
func (f *pageMap) reset(towers int) {
	f.columnIndex.reset(towers)
	f.bases, f.of = f.bases[:0], f.of[:0]
}

// begin moves on to a tower of that many chunks.
func (f *pageMap) begin(top geom.ChunkPos, height int) {
	base := (int(top.Y) + 1 - height) * edge
	f.off = [2]int{f.offset(top.X-1, top.Z, base), f.offset(top.X, top.Z-1, base)}
	f.top = height * edge
	for x := range int32(windowEdge) {
		f.around[x] = f.at(top.X*edge+x-1, top.Z*edge-1)
	}
	for z := range int32(edge) {
		row, _ := f.around.row(int(z))
		row[0], row[windowEdge-1] = f.at(top.X*edge-1, top.Z*edge+z), none
	}
	f.columnIndex.begin(top)
	f.bases = append(f.bases, base)
}

// offset returns how much higher than base the last tower at a place starts.
func (f *pageMap) offset(x, z int32, base int) int {
	if s := *f.columnIndex.slot(x, z); s > 0 {
		return f.bases[s-1] - base
	}
	return 0
}

func (f *pageMap) at(x, z int32) int32 {
	if n := f.columnIndex.at(x, z); n >= 0 {
		return f.of[n]
	}
	return none
}

// end records the columns of the tower.
func (f *pageMap) end() {
	for z := range edge {
		row, _ := f.around.row(z)
		f.of = append(f.of, row[1:edge+1]...)
	}
}
