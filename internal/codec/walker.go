package codec

import "github.com/cairnvoxel/cairn/voxel"

// walker goes up a column beside the current one. Cells are ranks.
type walker struct {
	list []change
	n    int // number of changes passed
	off  int // added to heights
	next int // height of the next change, or top
	top  int
	rank voxel.Cell
}

// begin starts at height 0 with column i of a set.
func (w *walker) begin(s *columnSet, i int32, off, top int) {
	*w = walker{list: s.changes(i), rank: s.first[i], off: off, top: top}
	w.aim()
	w.advance(0)
}

// advance moves on to height y.
func (w *walker) advance(y int) {
	for w.next <= y {
		w.pass()
	}
}

func (w *walker) pass() {
	w.rank = w.list[w.n].cell
	w.n++
	w.aim()
}

func (w *walker) aim() {
	w.next = w.top
	if w.n < len(w.list) {
		w.next = min(int(w.list[w.n].at)+w.off, w.top)
	}
}

// walkers go up the columns to the west and north.
type walkers [2]walker

func (w *walkers) begin(s *columnSet, west, north int32, f *pageMap, x, z int) {
	offWest, offNorth := 0, 0
	if x == 0 {
		offWest = f.off[0]
	}
	if z == 0 {
		offNorth = f.off[1]
	}
	w[0].begin(s, west, offWest, f.top)
	w[1].begin(s, north, offNorth, f.top)
}

func (w *walkers) advance(y int) {
	w[0].advance(y)
	w[1].advance(y)
}

// ends returns the likeliest end of a run of a rank, the second likeliest, and a
// number of 0 to 35 that selects odds. Its lowest bits say whether the runs to the
// north and west are alike, the next how the run below ended, the highest which of
// the two ends first.
func (w *walkers) ends(rank, last int) (first, other, o int) {
	o = last * 4
	if int(w[0].rank) == rank {
		o += 2
	}
	if int(w[1].rank) == rank {
		o++
	}
	first, other = w[0].next, w[1].next
	switch {
	case first < other:
		return first, other, o + 12
	case first > other:
		return other, first, o + 24
	}
	return first, other, o
}
