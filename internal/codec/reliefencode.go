package codec

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// reliefEncoder is the state of an Encoder for the form Relief.
type reliefEncoder struct {
	streams [reliefStreams][]byte
	page    reliefPage
	numbers map[string]int32 // of lists of layers
	cut     cut
}

// EncodeRelief returns the streams of the form Relief for towers of a Terrain
// volume. tops are the positions of their topmost chunks. ok is false if a cell is
// not valid in a Terrain volume. The streams are valid until the next call.
func (e *Encoder) EncodeRelief(towers []Tower, tops []geom.ChunkPos) (streams [][]byte, ok bool) {
	r := &e.relief
	r.reset()
	for i, s := range towers {
		e.sweep(s)
		e.sort()
		r.page.begin(tops[i], len(s))
		r.cut.base, r.cut.top = r.page.base, r.page.base+int32(len(s)*edge)
		for col := range columns {
			if !r.cut.column(e.first[col], e.cols[e.start[col]:e.start[col+1]]) {
				return nil, false
			}
			r.column(col%edge, col/edge)
		}
	}
	return r.streams[:], true
}

func (r *reliefEncoder) reset() {
	for i := range r.streams {
		r.streams[i] = r.streams[i][:0]
	}
	r.page.reset()
	if r.numbers == nil {
		r.numbers = map[string]int32{}
	}
	clear(r.numbers)
	r.numbers[""] = 0
}

// cut is a column split into its parts.
type cut struct {
	base, top int32 // of the tower
	ground    int64
	layers    []byte  // top down
	floors    []int32 // of layers
	dents     []dent  // top down
}

// column splits a column. It fails if a cell is not a Terrain cell.
func (c *cut) column(first voxel.Cell, list []change) bool {
	c.layers, c.floors, c.dents, c.ground = c.layers[:0], c.floors[:0], c.dents[:0], int64(c.base)*unit
	last, top := byte(0), c.top
	for i := len(list); i >= 0; i-- {
		cell, from := first, c.base
		if i > 0 {
			cell, from = list[i-1].cell, c.base+int32(list[i-1].at)
		}
		m, fill := byte(cell>>8), byte(cell)
		if m > maxLayer || m == 0 && fill != 0 {
			return false
		}
		end := top
		if m != last {
			if len(c.layers) == 0 {
				c.ground = int64(top-1)*unit + int64(fill) + 1
				end--
			}
			c.layers, c.floors = append(c.layers, m), append(c.floors, top)
			last = m
		}
		if m != 0 && fill != full {
			for y := end - 1; y >= from; y-- {
				c.dents = append(c.dents, dent{y, fill})
			}
		}
		top = from
	}
	return true
}

// column writes the column in the cut.
func (r *reliefEncoder) column(x, z int) {
	l, c := &r.page, &r.cut
	if x == 0 {
		l.ground.row(z)
	}
	w, n, nw := l.beside(x, z)
	list := r.list(w, n, nw)
	guess, grade := l.ground.guess(x, z)
	l.ground.note(x, z, c.ground)
	if len(c.layers) > 0 {
		r.ground(int(c.ground-l.within(guess, c.top)), grade)
		for i := 1; i < len(c.floors); i++ {
			guess := l.guessFloor(w, n, nw, list, int32(i), c.floors[i-1])
			r.add(reliefFloors, zigzag(int(c.floors[i]-guess)))
		}
		r.add(reliefDents, len(c.dents))
	}
	var g dentGuesser
	if len(c.dents) > 0 {
		g = dentGuesser{probe{c.layers, c.floors, c.dents, c.ground}, l.probe(w), l.probe(n), l.probe(nw)}
		r.dents(&g)
	}
	l.add(list, c.ground).dented = uint16(len(c.dents))
	l.floors = append(l.floors, c.floors...)
	l.dents = append(l.dents, c.dents...)
}

// add writes a small number.
func (r *reliefEncoder) add(stream, v int) {
	r.streams[stream] = appendSmall(r.streams[stream], v)
}

func zigzag(v int) int { return v<<1 ^ v>>63 }

// list writes which layers the column has and returns their number.
func (r *reliefEncoder) list(w, n, nw *site) int32 {
	l, layers := &r.page, r.cut.layers
	likely, other := likely(w, n, nw)
	if slices.Equal(layers, l.layers(likely)) {
		r.add(reliefOps, opLikely)
		return likely
	}
	if slices.Equal(layers, l.layers(other)) {
		r.add(reliefOps, opOther)
		return other
	}
	if list, ok := r.numbers[string(layers)]; ok && opListed+list <= maxSmall {
		r.add(reliefOps, opListed+int(list))
		return list
	}
	r.add(reliefOps, opNew)
	list := int32(len(l.bounds) - 1)
	r.numbers[string(layers)] = list
	l.lists = append(l.lists, layers...)
	l.bounds = append(l.bounds, int32(len(l.lists)))
	r.add(reliefLayers, len(layers))
	r.streams[reliefLayers] = append(r.streams[reliefLayers], layers...)
	return list
}

// ground writes the difference of the ground from its guess.
func (r *reliefEncoder) ground(off, grade int) {
	low := int(int8(off))
	r.streams[reliefLow+grade] = append(r.streams[reliefLow+grade], byte(low))
	r.add(reliefHigh, zigzag((off-low)/unit))
}

// dents writes the cells that are not full.
func (r *reliefEncoder) dents(g *dentGuesser) {
	above := topOf(r.cut.ground) - 1
	for _, d := range r.cut.dents {
		r.add(reliefDepths, int(above-d.at)-1)
		r.streams[reliefFill] = append(r.streams[reliefFill], d.fill-g.guess(d.at))
		above = d.at
	}
}
