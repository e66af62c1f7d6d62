package codec

import (
	"math/bits"

	"github.com/cairnvoxel/cairn/geom"
)

// Streams of the form Relief.
const (
	reliefSure    = iota // ops of columns whose neighbours have equal layers
	reliefUnsure         // other ops
	reliefLayers         // lists of layers that had not occurred, top down
	reliefHigh           // ground: what differs from the guess, 256ths of it
	reliefFloors         // where layers end, if neighbours have equal ones
	reliefEdges          // where other layers end
	reliefFew            // how many cells are not full, if columns beside have none
	reliefMany           // other counts of cells that are not full
	reliefDepths         // where they are
	reliefFill           // how full they are: what differs from the guess
	reliefLow            // ground: low bytes, by how well guesses did so far
	grades        = 4
	reliefStreams = reliefLow + grades
)

// Ops of a column of the form Relief; greater ones are the number of a list of
// layers, plus opListed.
const (
	opLikely = iota // layers as the neighbour that is likely to have the same
	opOther         // as the other neighbour
	opNew           // a new list
	opListed
)

const (
	full      = 255 // occupancy of a full cell
	unit      = 256 // a cell in units of ground
	maxLayer  = 63  // greatest material
	guesses   = 4
	maxMiss   = 1 << 12
	lastShift = 10 // columns of a stack, as bits
)

// land is what is known at both ends of the columns so far. Column c of stack s
// has number (s+1)*1024+c; the columns before are of a stack that is not there.
type land struct {
	at     map[foot]int32 // stack by place, plus one
	bases  []int64        // height of stacks' lowest cells
	which  []int32        // list of layers of each column
	ground []int32        // 1/256 of a cell above the stack's base, 0 if there is none
	start  []int32        // into floors, of each column; one more than there are columns
	floors []uint16       // for each layer but the lowest, top down: the cell in which it begins
	lists  []byte         // materials, top down
	bounds []int32        // into lists; one more than there are lists

	dents  []dent  // of each column, top down
	dented []int32 // into dents, of each column; one more than there are columns

	base            int64 // of the stack under way
	first           int32 // column of the stack under way
	west, north, nw int32 // first columns of the stacks beside
	window          [edge + 2][edge + 2]int64
	misses          [edge + 2][guesses]int64 // by x+1: of the row, and from x on of the row before
	now             [guesses]int64
}

// foot is the x and z of a stack, in chunks.
type foot struct{ x, z int32 }

func (l *land) reset() {
	if l.at == nil {
		l.at = map[foot]int32{}
	}
	clear(l.at)
	l.bases = append(l.bases[:0], 0)
	l.which = append(l.which[:0], make([]int32, columns)...)
	l.ground = append(l.ground[:0], make([]int32, columns)...)
	l.start = append(l.start[:0], make([]int32, columns+1)...)
	l.dented = append(l.dented[:0], make([]int32, columns+1)...)
	l.floors, l.dents = l.floors[:0], l.dents[:0]
	l.lists = l.lists[:0]
	l.bounds = append(l.bounds[:0], 0, 0)
}

// begin goes on to a stack of so many chunks with its topmost one at top.
func (l *land) begin(top geom.ChunkPos, height int) {
	l.first = int32(len(l.which))
	l.base = (int64(top.Y) + 1 - int64(height)) * edge
	l.bases = append(l.bases, l.base)
	l.west = l.at[foot{top.X - 1, top.Z}] * columns
	l.north = l.at[foot{top.X, top.Z - 1}] * columns
	l.nw = l.at[foot{top.X - 1, top.Z - 1}] * columns
	l.at[foot{top.X, top.Z}] = l.first >> lastShift
	l.misses = [edge + 2][guesses]int64{}
	l.margins()
}

// margins fills the window's cells north and west of the stack, so far as they
// are of stacks.
func (l *land) margins() {
	for z := range 2 {
		for x := range edge {
			l.window[z][x+2] = l.height(l.north, (edge-2+z)*edge+x)
		}
		for x := range 2 {
			from := l.nw
			l.window[z][x] = l.window[z][2]
			if from != 0 {
				l.window[z][x] = l.height(from, (edge-2+z)*edge+edge-2+x)
			}
		}
	}
	if l.west != 0 {
		for z := range edge {
			for x := range 2 {
				l.window[z+2][x] = l.height(l.west, z*edge+edge-2+x)
			}
		}
	}
}

// height is the ground of a column, in units above nought, or the base of the
// stack under way where there is none.
func (l *land) height(first int32, col int) int64 {
	if first == 0 {
		return l.base * unit
	}
	return l.bases[first>>lastShift]*unit + int64(l.ground[first+int32(col)])
}

// beside returns the columns to the west, north and north-west; 0 is one that
// is not there.
func (l *land) beside(x, z int) (w, n, nw int32) {
	here := l.first + int32(z*edge+x)
	if x > 0 && z > 0 {
		return here - 1, here - edge, here - edge - 1
	}
	w, n, nw = here-1, here-edge, here-edge-1
	switch {
	case x == 0 && z == 0:
		nw = beyond(l.nw, columns-1)
	case x == 0:
		nw = beyond(l.west, z*edge-1)
	default:
		nw = beyond(l.north, columns-edge+x-1)
	}
	if x == 0 {
		w = beyond(l.west, z*edge+edge-1)
	}
	if z == 0 {
		n = beyond(l.north, columns-edge+x)
	}
	return w, n, nw
}

func beyond(first int32, col int) int32 {
	if first == 0 {
		return 0
	}
	return first + int32(col)
}

// likely returns which lists of layers a column is most likely to have.
func (l *land) likely(w, n, nw int32) (likely, other int32, sure bool) {
	a, b, c := l.which[w], l.which[n], l.which[nw]
	if a == c && a != b {
		return b, a, false
	}
	return a, b, a == b && a == c
}

func (l *land) layers(list int32) []byte { return l.lists[l.bounds[list]:l.bounds[list+1]] }

// guess guesses the ground of a column, in units above the stack's base, and
// grades how well the guess that it takes has done beside the column.
func (l *land) guess(x, z int) (units int64, grade int) {
	r2, r1, r0 := l.window[z][x:x+3], l.window[z+1][x:x+3], l.window[z+2][x:x+2]
	w, n, nw := r0[1], r1[2], r1[1]
	plane := w + n - nw
	alongX := plane + w - r0[0] - nw + r1[0]
	alongZ := plane + n - r2[2] - nw + r2[1]
	curved := alongX + n - nw - nw + r1[0] - r2[2] + 2*r2[1] - r2[0]
	l.now = [guesses]int64{plane, (alongX + alongZ) >> 1, curved, w}
	a, b, c := &l.misses[x], &l.misses[x+1], &l.misses[x+2]
	best, least := 0, a[0]+b[0]+c[0]
	for i := 1; i < guesses; i++ {
		if miss := a[i] + b[i] + c[i]; miss < least {
			best, least = i, miss
		}
	}
	return l.now[best] - l.base*unit, gradeOf(least)
}

// gradeOf maps 0..3, ..15, ..31 and above to 0 to 3.
func gradeOf(miss int64) int {
	const of = "\x00\x00\x00\x01\x01\x02\x03"
	return int(of[min(bits.Len64(uint64(miss)), len(of)-1)])
}

// note adds what the ground of a column is, after guess.
func (l *land) note(x, z int, ground int32) {
	v := l.base*unit + int64(ground)
	l.window[z+2][x+2] = v
	m := &l.misses[x+1]
	for i, g := range l.now {
		d := v - g
		m[i] = min(max(d, -d), maxMiss)
	}
	l.ground = append(l.ground, ground)
}

// row fills the margin of row z where no stack lies to the west.
func (l *land) row(z int) {
	if l.west == 0 {
		l.window[z+2][0], l.window[z+2][1] = l.window[z+1][2], l.window[z+1][2]
	}
}

// top returns the cell above the ground.
func topOf(ground int32) int { return int(ground+unit-1) / unit }

// floor returns where floor i of a column is, the ground being floor 0, in
// cells above the base of the stack under way.
func (l *land) floor(column int32, i int) (int, bool) {
	from, end := l.start[column], l.start[column+1]
	if i > int(end-from) || l.ground[column] == 0 {
		return 0, false
	}
	off := int(l.bases[column>>lastShift] - l.base)
	if i == 0 {
		return topOf(l.ground[column]) + off, true
	}
	return int(l.floors[from+int32(i)-1]) + off, true
}

// guessFloor guesses floor i (from 1) of a column of such layers, the one above
// being at above.
func (l *land) guessFloor(w, n, nw int32, list int32, i, above int) (cell int, sure bool) {
	a, b, c := l.which[w] == list, l.which[n] == list, l.which[nw] == list
	guess := above - 1
	if a && b && c {
		w0, _ := l.floor(w, i-1)
		w1, _ := l.floor(w, i)
		n0, _ := l.floor(n, i-1)
		n1, _ := l.floor(n, i)
		c0, _ := l.floor(nw, i-1)
		c1, _ := l.floor(nw, i)
		wt, nt, ct := w0-w1, n0-n1, c0-c1
		if abs(wt-ct)+abs(nt-ct) <= abs(w1-c1)+abs(n1-c1) {
			guess = above - between(wt, nt, ct)
		} else {
			guess = between(w1, n1, c1)
		}
	} else {
		from := w
		if !a && b {
			from = n
		}
		f1, ok := l.floor(from, i)
		if !ok {
			from = n
			f1, ok = l.floor(from, i)
		}
		if ok {
			guess = f1
			if i == 1 {
				f0, _ := l.floor(from, 0)
				guess = above - (f0 - f1)
			}
		}
	}
	return max(1, min(guess, above-1)), a && b && c && i == 1
}

func abs(v int) int { return max(v, -v) }

// between returns w+n-nw, but not outside of w..n.
func between(w, n, nw int) int { return max(min(w, n), min(max(w, n), w+n-nw)) }

// dent is a cell that is not full.
type dent struct {
	at   uint16
	fill byte
}

// probe looks up how full the cells of a column are, from the top down.
type probe struct {
	layers []byte
	floors []uint16
	dents  []dent
	off    int // height of the column's stack above the one under way
	top    int
	fill   int // of the topmost cell
}

func (l *land) probe(column int32) probe {
	return probe{
		layers: l.layers(l.which[column]), floors: l.floors[l.start[column]:l.start[column+1]],
		dents: l.dents[l.dented[column]:l.dented[column+1]],
		off:   int(l.bases[column>>lastShift] - l.base), top: topOf(l.ground[column]), fill: int(byte(l.ground[column]-1)) + 1,
	}
}

// at returns how full the cell at height y is, 0 to 256. No y is above the one before.
func (p *probe) at(y int) int {
	y -= p.off
	if y >= p.top || len(p.layers) == 0 {
		return 0
	}
	if y == p.top-1 {
		return p.fill
	}
	for len(p.dents) > 0 && int(p.dents[0].at) > y {
		p.dents = p.dents[1:]
	}
	if len(p.dents) > 0 && int(p.dents[0].at) == y {
		return int(p.dents[0].fill) + 1
	}
	for len(p.floors) > 0 && int(p.floors[0]) > y {
		p.floors, p.layers = p.floors[1:], p.layers[1:]
	}
	if p.layers[0] == 0 {
		return 0
	}
	return unit
}

// dentGuess guesses cells that are not full from those around them.
type dentGuess struct{ own, w, n, nw probe }

func (g *dentGuess) at(y int) byte {
	guess := g.own.at(y+1) - g.w.at(y+1) - g.n.at(y+1) + g.nw.at(y+1)
	guess += g.w.at(y) + g.n.at(y) - g.nw.at(y)
	return byte(guess - 1)
}
