package codec

// dent is a cell that is not full.
type dent struct {
	at   int32
	fill byte
}

// dentGuesser guesses the dents of a column from the cells around them, from the top
// down.
type dentGuesser struct{ own, w, n, nw probe }

func (l *reliefPage) dentGuesser(own, w, n, nw *site) dentGuesser {
	return dentGuesser{l.probe(own), l.probe(w), l.probe(n), l.probe(nw)}
}

// guess guesses the occupancy of the cell at height y.
func (g *dentGuesser) guess(y int32) byte {
	above := g.own.full(y+1) - g.w.full(y+1) - g.n.full(y+1) + g.nw.full(y+1)
	return byte(above + g.w.full(y) + g.n.full(y) - g.nw.full(y) - 1)
}

// probe looks up cells of a column from the top down.
type probe struct {
	layers []byte
	floors []int32
	dents  []dent
	ground int64
}

func (l *reliefPage) probe(s *site) probe {
	return probe{l.layers(s.list), l.floorsOf(s), l.dents[s.dents:][:s.dented], s.ground}
}

// full returns the fullness of the cell at height y, 0 to 256. y must not ascend
// between calls.
func (p *probe) full(y int32) int {
	if len(p.layers) == 0 || y >= p.floors[0] {
		return 0
	}
	if y == int32((p.ground-1)>>8) {
		return int(byte(p.ground-1)) + 1
	}
	for len(p.dents) > 0 && p.dents[0].at > y {
		p.dents = p.dents[1:]
	}
	if len(p.dents) > 0 && p.dents[0].at == y {
		return int(p.dents[0].fill) + 1
	}
	for len(p.floors) > 1 && p.floors[1] > y {
		p.floors, p.layers = p.floors[1:], p.layers[1:]
	}
	if p.layers[0] == 0 {
		return 0
	}
	return unit
}
