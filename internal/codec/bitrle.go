package codec

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"sort"

	"github.com/cairnvoxel/cairn/voxel"
)

// Sizes and limits of BITRLE.md.
const (
	bitMaxList  = 256            // symbols in a list
	bitNoList   = bitMaxList + 1 // a count of symbols that means: no list
	bitMaxOrder = 15             // of Exp-Golomb codes
)

// The guides of BITRLE.md: other run ends at which a run may end.
const (
	noGuide    = 0
	guideNorth = 1
	guideBelow = 2
)

// noCell differs from every cell.
const noCell voxel.Cell = voxel.MaxCell + 1

// AppendBitRLE appends the bit-packed RLE of a box to dst and returns the extended
// slice. The box is 4, 8, 16 or 32 cells an edge. cells are its edge^3 cells with
// index (y*edge+z)*edge+x, each valid in s; they are not kept. It panics if cells
// are invalid. The decoder must know edge and s. A box of one cell takes at most 3
// bytes. Layout: BITRLE.md.
func AppendBitRLE(dst []byte, cells []voxel.Cell, edge int, s voxel.Schema) []byte {
	checkBox(cells, edge)
	e := bitEncoder{bitBox: bitBox{cells, edge, s == voxel.Terrain}}
	var few [512]bitRun // most boxes have no more, so they need no allocation
	e.runs, e.width = e.gather(few[:0], s)
	w := bitWriter{buf: dst}
	w.put(bits.Len(uint(edge))-3, 2)
	uniform := len(e.runs) == 1
	w.flag(uniform)
	w.put(e.width-1, 4)
	if uniform {
		e.verbatim(&w, e.runs[0])
		return w.bytes()
	}
	var list [bitMaxList]uint16
	e.list = e.rank(list[:0])
	e.choose()
	e.head(&w)
	e.body(&w)
	return w.bytes()
}

func checkBox(cells []voxel.Cell, edge int) {
	if edge < 4 || edge > 32 || edge&(edge-1) != 0 || len(cells) != edge*edge*edge {
		panic(fmt.Sprintf("codec: a box of %d cells an edge has %d cells", edge, len(cells)))
	}
}

// bitBox is the state that both directions share.
type bitBox struct {
	cells   []voxel.Cell
	edge    int
	terrain bool
}

// at returns cell i. It returns noCell before the first.
func (b *bitBox) at(i int) voxel.Cell {
	if i < 0 {
		return noCell
	}
	return b.cells[i]
}

// guesses returns what the cell at pos may be: the cell below, the cell to the
// north, the cell of the run before last. It never returns last, and no cell twice.
func (b *bitBox) guesses(pos int, last, before voxel.Cell) (g [3]voxel.Cell, n int) {
	for _, c := range [3]voxel.Cell{b.at(pos - b.edge*b.edge), b.at(pos - b.edge), before} {
		if c != noCell && c != last && (n == 0 || c != g[0]) && (n < 2 || c != g[1]) {
			g[n] = c
			n++
		}
	}
	return g, n
}

// bitGuide follows the cells at distance off before those being coded.
type bitGuide struct{ off, at int }

func (b *bitBox) guide(kind int) bitGuide {
	return bitGuide{off: [3]int{0, b.edge, b.edge * b.edge}[kind]}
}

// end returns where a run from pos ends if it ends at the next change of the guide.
// It returns false if there is none. pos must not descend, and the cells before it
// must be set.
func (g *bitGuide) end(cells []voxel.Cell, pos int) (int, bool) {
	if g.off == 0 || pos < g.off {
		return 0, false
	}
	j := max(g.at, pos-g.off+1)
	for j < pos && cells[j] == cells[j-1] {
		j++
	}
	g.at = j
	return min(j+g.off, len(cells)), true
}

// bitSymbol returns the symbol of a cell. part says that its occupancy follows.
func bitSymbol(c voxel.Cell, terrain bool) (symbol uint16, part bool) {
	if !terrain {
		return uint16(c), false
	}
	symbol = uint16(c) >> 8 << 1
	if part = c != 0 && c&0xFF != 0xFF; part {
		symbol |= 1
	}
	return symbol, part
}

type bitRun struct {
	cell   voxel.Cell
	last   uint16 // length - 1
	symbol uint16 // index in the list; the symbol itself if there is no list
	part   bool   // the occupancy follows
}

type bitEncoder struct {
	bitBox
	runs  []bitRun
	list  []uint16 // symbols; empty if there are too many
	width int      // bits of a symbol

	near  bool // cells may equal their neighbours
	kind  int  // of guide
	order [2]int
}

// gather returns the runs, in dst if they fit, and the bits of their symbols.
func (e *bitEncoder) gather(dst []bitRun, s voxel.Schema) (runs []bitRun, width int) {
	var all uint16
	for rest := e.cells; len(rest) > 0; {
		c, n := rest[0], 1
		for n < len(rest) && rest[n] == c {
			n++
		}
		if !s.Valid(c, int(voxel.MaxCell)+1) {
			panic(fmt.Sprintf("codec: cell %d is not valid in a box of %v", c, s))
		}
		symbol, part := bitSymbol(c, e.terrain)
		dst = append(dst, bitRun{c, uint16(n - 1), symbol, part})
		all |= symbol
		rest = rest[n:]
	}
	return dst, max(1, bits.Len16(all))
}

// rank appends the symbols to list, most frequent first, and replaces those of the
// runs by their indexes in it. If there are too many it does nothing.
func (e *bitEncoder) rank(list []uint16) []uint16 {
	type entry struct {
		symbol uint16
		runs   int
	}
	var store [bitMaxList]entry
	entries := store[:0]
	var hint [256]uint8 // by the low bits of a symbol, its likely index in entries
	for _, r := range e.runs {
		i := int(hint[r.symbol&0xFF])
		if i >= len(entries) || entries[i].symbol != r.symbol {
			i = slices.IndexFunc(entries, func(e entry) bool { return e.symbol == r.symbol })
		}
		if i < 0 {
			if i = len(entries); i == bitMaxList {
				return list
			}
			entries = append(entries, entry{symbol: r.symbol})
		}
		hint[r.symbol&0xFF] = uint8(i)
		entries[i].runs++
	}
	sort.Slice(entries, func(i, j int) bool {
		a, b := entries[i], entries[j]
		return cmp.Or(b.runs-a.runs, int(a.symbol)-int(b.symbol)) < 0
	})
	for i, x := range entries {
		list = append(list, x.symbol)
		hint[x.symbol&0xFF] = uint8(i)
	}
	for i, r := range e.runs {
		if at := hint[r.symbol&0xFF]; list[at] == r.symbol {
			e.runs[i].symbol = uint16(at)
		} else {
			e.runs[i].symbol = uint16(slices.Index(list, r.symbol))
		}
	}
	return list
}

// place returns the index of run i's symbol among the possible ones, and their
// number. A full cell never follows a run of the same cell.
func (e *bitEncoder) place(i int) (place, n int) {
	place, n = int(e.runs[i].symbol), len(e.list)
	if i == 0 || e.runs[i-1].part {
		return place, n
	}
	if place > int(e.runs[i-1].symbol) {
		place--
	}
	return place, n - 1
}

// before returns the cells of the two runs before run i.
func (e *bitEncoder) before(i int) (last, before voxel.Cell) {
	last, before = noCell, noCell
	if i > 0 {
		last = e.runs[i-1].cell
	}
	if i > 1 {
		before = e.runs[i-2].cell
	}
	return last, before
}

// choose sets near, kind and order so that the box takes close to the fewest bits.
// It rounds lengths to powers of two.
func (e *bitEncoder) choose() {
	var gain int // bits that near saves
	var costs [3]lengthCosts
	guides := [3]bitGuide{e.guide(noGuide), e.guide(guideNorth), e.guide(guideBelow)}
	pos := 0
	for i, r := range e.runs {
		gain += e.gain(i, pos)
		end := pos + int(r.last) + 1
		for kind := range guides {
			guess, ok := guides[kind].end(e.cells, pos)
			costs[kind].add(r, ok, guess == end)
		}
		pos = end
	}
	e.near = gain > 0
	best := 0
	for kind := range costs {
		if n, order := costs[kind].least(); kind == noGuide || n < best {
			best, e.kind, e.order = n, kind, order
		}
	}
}

// gain returns how many bits the cell of run i saves if it may equal its neighbours.
func (e *bitEncoder) gain(i, pos int) int {
	last, before := e.before(i)
	g, n := e.guesses(pos, last, before)
	for j, c := range g[:n] {
		if c == e.runs[i].cell {
			return e.cellBits(i) - (j + 1)
		}
	}
	return -n
}

func (e *bitEncoder) cellBits(i int) int {
	n := e.width
	if len(e.list) > 0 {
		n = truncatedBits(e.place(i))
	}
	if e.runs[i].part {
		n += 8
	}
	return n
}

// lengthCosts adds up the costs of the lengths of runs of full and of partly full
// cells.
type lengthCosts struct {
	flags   int
	classes [2][17]int // by bits of length - 1
}

func (l *lengthCosts) add(r bitRun, guided, hit bool) {
	if guided {
		l.flags++
		if hit {
			return
		}
	}
	l.classes[orderOf(r.part)][bits.Len16(r.last)]++
}

// least returns the fewest bits and the orders that need them.
func (l *lengthCosts) least() (n int, order [2]int) {
	n = l.flags
	for part, classes := range l.classes {
		best := -1
		for k := range bitMaxOrder + 1 {
			cost := 0
			for class, runs := range classes {
				cost += runs * (2*max(class-k, 0) + 1 + k)
			}
			if best < 0 || cost < best {
				best, order[part] = cost, k
			}
		}
		n += best
	}
	return n, order
}

func orderOf(part bool) int {
	if part {
		return 1
	}
	return 0
}

func (e *bitEncoder) head(w *bitWriter) {
	n := len(e.list)
	if n == 0 {
		n = bitNoList
	}
	w.golomb(n-1, 0)
	for _, symbol := range e.list {
		w.put(int(symbol), e.width)
	}
	w.flag(e.near)
	w.put(e.kind, 2)
	w.put(e.order[0], 4)
	if e.terrain {
		w.put(e.order[1], 4)
	}
}

func (e *bitEncoder) body(w *bitWriter) {
	guide := e.guide(e.kind)
	pos := 0
	for i, r := range e.runs {
		e.cell(w, i, pos)
		end := pos + int(r.last) + 1
		guess, ok := guide.end(e.cells, pos)
		if ok {
			w.flag(guess == end)
		}
		if !ok || guess != end {
			w.golomb(int(r.last), e.order[orderOf(r.part)])
		}
		pos = end
	}
}

// cell writes the cell of run i.
func (e *bitEncoder) cell(w *bitWriter, i, pos int) {
	r := e.runs[i]
	if e.near {
		last, before := e.before(i)
		g, n := e.guesses(pos, last, before)
		for _, c := range g[:n] {
			w.flag(c == r.cell)
			if c == r.cell {
				return
			}
		}
	}
	if len(e.list) == 0 {
		e.verbatim(w, r)
		return
	}
	w.truncated(e.place(i))
	if r.part {
		w.put(int(r.cell&0xFF), 8)
	}
}

// verbatim writes a run's symbol without a guess.
func (e *bitEncoder) verbatim(w *bitWriter, r bitRun) {
	w.put(int(r.symbol), e.width)
	if r.part {
		w.put(int(r.cell&0xFF), 8)
	}
}
