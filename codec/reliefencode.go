package codec

import (
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// reliefEncoder is what an Encoder keeps for the form Relief.
type reliefEncoder struct {
	streams [reliefStreams][]byte
	land    land
	numbers map[string]int32 // of lists of layers
	cut     cut
}

// cut is a column taken apart.
type cut struct {
	layers []byte // top down
	floors []uint16
	ground int32
	dents  []dent // top down
}

// EncodeRelief returns the streams of the form Relief for stacks of a Terrain
// volume whose topmost chunks lie at tops; ok is false if a cell is not valid in
// one. The streams are valid until the next call of EncodeRelief.
func (e *Encoder) EncodeRelief(stacks []Stack, tops []geom.ChunkPos) (streams [][]byte, ok bool) {
	r := &e.relief
	for i := range r.streams {
		r.streams[i] = r.streams[i][:0]
	}
	r.land.reset()
	r.numbers = map[string]int32{"": 0}
	for i, s := range stacks {
		e.sweep(s)
		e.sort()
		r.land.begin(tops[i], len(s))
		for z := range edge {
			r.land.row(z)
			for x := range edge {
				col := z*edge + x
				if !r.cut.of(e.first[col], e.cols[e.start[col]:e.start[col+1]], len(s)*edge) {
					return nil, false
				}
				r.column(x, z, len(s)*edge)
			}
		}
	}
	return r.streams[:], true
}

// of takes apart a column of a stack that ends at top.
func (c *cut) of(first voxel.Cell, list []change, top int) bool {
	c.layers, c.floors, c.dents, c.ground = c.layers[:0], c.floors[:0], c.dents[:0], 0
	last := byte(0)
	for i := len(list); i >= 0; i-- {
		cell, from := first, 0
		if i > 0 {
			cell, from = list[i-1].cell, int(list[i-1].at)
		}
		m, fill := byte(cell>>8), byte(cell)
		if m > maxLayer || m == 0 && fill != 0 {
			return false
		}
		end := top
		if m != last {
			if len(c.layers) > 0 {
				c.floors = append(c.floors, uint16(top))
			} else {
				c.ground = int32((top-1)*unit) + int32(fill) + 1
				end--
			}
			c.layers = append(c.layers, m)
			last = m
		}
		if m != 0 && fill != full {
			for y := end - 1; y >= from; y-- {
				c.dents = append(c.dents, dent{uint16(y), fill})
			}
		}
		top = from
	}
	return true
}

// column writes a column.
func (r *reliefEncoder) column(x, z, top int) {
	l, c := &r.land, &r.cut
	w, n, nw := l.beside(x, z)
	list := r.list(w, n, nw)
	guess, grade := l.guess(x, z)
	l.note(x, z, c.ground)
	l.which = append(l.which, list)
	if len(c.layers) > 0 {
		r.ground(int(c.ground)-int(max(1, min(guess, int64(top*unit)))), grade)
		above := topOf(c.ground)
		for i, at := range c.floors {
			guess, sure := l.guessFloor(w, n, nw, list, i+1, above)
			to := &r.streams[reliefEdges]
			if sure {
				to = &r.streams[reliefFloors]
			}
			above = int(at)
			*to = appendSmall(*to, zigzag(above-guess))
		}
	}
	l.floors = append(l.floors, c.floors...)
	l.start = append(l.start, int32(len(l.floors)))
	l.dents = append(l.dents, c.dents...)
	l.dented = append(l.dented, int32(len(l.dents)))
	if len(c.layers) > 0 {
		r.dents(w, n, nw)
	}
}

func zigzag(v int) int { return v<<1 ^ v>>63 }

// list writes which layers the column has and returns their number.
func (r *reliefEncoder) list(w, n, nw int32) int32 {
	l, layers := &r.land, r.cut.layers
	likely, other, sure := l.likely(w, n, nw)
	to := &r.streams[reliefUnsure]
	if sure {
		to = &r.streams[reliefSure]
	}
	if slices.Equal(layers, l.layers(likely)) {
		*to = append(*to, opLikely)
		return likely
	}
	if slices.Equal(layers, l.layers(other)) {
		*to = append(*to, opOther)
		return other
	}
	if list, ok := r.numbers[string(layers)]; ok {
		*to = appendSmall(*to, opListed+int(list))
		return list
	}
	*to = append(*to, opNew)
	list := int32(len(l.bounds) - 1)
	r.numbers[string(layers)] = list
	l.lists = append(l.lists, layers...)
	l.bounds = append(l.bounds, int32(len(l.lists)))
	r.streams[reliefLayers] = append(appendSmall(r.streams[reliefLayers], len(layers)), layers...)
	return list
}

// ground writes by how much the ground is not as guessed.
func (r *reliefEncoder) ground(off, grade int) {
	low := int(int8(off))
	r.streams[reliefLow+grade] = append(r.streams[reliefLow+grade], byte(low))
	r.streams[reliefHigh] = appendSmall(r.streams[reliefHigh], zigzag((off-low)>>8))
}

// dents writes the cells that are not full.
func (r *reliefEncoder) dents(w, n, nw int32) {
	l, c := &r.land, &r.cut
	to := &r.streams[reliefFew]
	if l.dented[w] != l.dented[w+1] || l.dented[n] != l.dented[n+1] {
		to = &r.streams[reliefMany]
	}
	*to = appendSmall(*to, len(c.dents))
	if len(c.dents) == 0 {
		return
	}
	g := dentGuess{l.probe(int32(len(l.which) - 1)), l.probe(w), l.probe(n), l.probe(nw)}
	above := topOf(c.ground) - 1
	to = &r.streams[reliefDepths]
	for _, d := range c.dents {
		*to = appendSmall(*to, above-int(d.at)-1)
		above = int(d.at)
		r.streams[reliefFill] = append(r.streams[reliefFill], d.fill-g.at(above))
	}
}
