package codec

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// reliefDecoder is what a Decoder keeps for the form Relief.
type reliefDecoder struct {
	s     [reliefStreams]smalls
	land  land
	cells [MaxStack * edge]voxel.Cell
}

// DecodeRelief reads stacks of the given heights in chunks, whose topmost chunks
// lie at tops, from streams of the form Relief and appends their chunks to dst,
// stack by stack, bottom up. It fails with a *CorruptError that names the
// stream. All cells are valid in a Terrain volume.
func (d *Decoder) DecodeRelief(dst []*voxel.Chunk, streams [][]byte, heights []int, tops []geom.ChunkPos) ([]*voxel.Chunk, error) {
	if len(streams) != reliefStreams {
		return dst, corrupt(-1, "page", fmt.Errorf("%d streams, want %d", len(streams), reliefStreams))
	}
	r := &d.relief
	for i := range r.s {
		r.s[i] = smalls{b: streams[i], part: reliefPart(i)}
	}
	r.land.reset()
	for i, h := range heights {
		if h < 1 || h > MaxStack {
			return dst, corrupt(-1, "page", fmt.Errorf("a stack of %d chunks", h))
		}
		r.land.begin(tops[i], h)
		d.literals.reset()
		for z := range edge {
			r.land.row(z)
			for x := range edge {
				r.column(&d.literals, x, z, h*edge)
				d.literal[z*edge+x] = d.literals.same(x, z, &d.literal)
			}
			if err := r.err(); err != nil {
				return dst, err
			}
		}
		if !d.split(h * edge) {
			panic("codec: a column of relief ends above its stack")
		}
		dst = d.chunks(dst, h)
	}
	for i := range r.s {
		if err := r.s[i].end(); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func reliefPart(stream int) string {
	parts := [...]string{"ops", "ops", "layers", "ground", "floors", "floors", "dents", "dents", "dents", "dents"}
	if stream < len(parts) {
		return parts[stream]
	}
	return "ground"
}

// same returns which literal the column is that was added last; it is dropped
// if it is that of the column to the west.
func (s *columnSet) same(x, z int, literal *[columns]int32) int32 {
	here := s.len() - 1
	if x == 0 {
		return here
	}
	west := literal[z*edge+x-1]
	if !s.equal(west, s.first[here], s.changes(here)) {
		return here
	}
	s.first, s.list, s.start = s.first[:here], s.list[:s.start[here]], s.start[:here+1]
	return west
}

func (r *reliefDecoder) err() error {
	for i := range r.s {
		if r.s[i].err != nil {
			return r.s[i].err
		}
	}
	return nil
}

// column reads a column and adds it to set. After an error it reads zeros.
func (r *reliefDecoder) column(set *columnSet, x, z, top int) {
	l := &r.land
	w, n, nw := l.beside(x, z)
	list := r.list(w, n, nw)
	layers := l.layers(list)
	guess, grade := l.guess(x, z)
	ground, floors := int32(0), len(l.floors)
	if len(layers) > 0 {
		ground = r.ground(guess, grade, top)
	}
	l.note(x, z, ground)
	l.which = append(l.which, list)
	above := topOf(ground)
	for i := 1; i < len(layers); i++ {
		above = r.floor(w, n, nw, list, i, above)
		l.floors = append(l.floors, uint16(above))
	}
	l.start = append(l.start, int32(len(l.floors)))
	l.dented = append(l.dented, int32(len(l.dents)))
	if len(layers) > 0 && r.dents(w, n, nw, topOf(ground)-1) {
		r.addDented(set, layers, l.floors[floors:], ground, top)
		return
	}
	addPlain(set, layers, l.floors[floors:], ground, top)
}

// list reads which layers the column has.
func (r *reliefDecoder) list(w, n, nw int32) int32 {
	l := &r.land
	likely, other, sure := l.likely(w, n, nw)
	s := &r.s[reliefUnsure]
	if sure {
		s = &r.s[reliefSure]
	}
	switch op := s.next(); op {
	case opLikely:
		return likely
	case opOther:
		return other
	case opNew:
		return r.newList()
	default:
		if op -= opListed; op >= len(l.bounds)-1 {
			s.fail(fmt.Errorf("list %d of %d", op, len(l.bounds)-1))
			return 0
		}
		return int32(op)
	}
}

func (r *reliefDecoder) newList() int32 {
	l, s := &r.land, &r.s[reliefLayers]
	n := s.next()
	if n == 0 || n > len(s.b)-s.at || n > MaxStack*edge {
		s.fail(fmt.Errorf("a list of %d layers", n))
		return 0
	}
	last := byte(0)
	for _, m := range s.b[s.at : s.at+n] {
		if m == last || m > maxLayer {
			s.fail(fmt.Errorf("material %d below %d", m, last))
			return 0
		}
		last = m
	}
	l.lists = append(l.lists, s.b[s.at:s.at+n]...)
	l.bounds = append(l.bounds, int32(len(l.lists)))
	s.at += n
	return int32(len(l.bounds) - 2)
}

// ground reads the ground of a column that has some.
func (r *reliefDecoder) ground(guess int64, grade, top int) int32 {
	low, high := &r.s[reliefLow+grade], &r.s[reliefHigh]
	v := int(max(1, min(guess, int64(top*unit)))) + int(int8(low.byte())) + unzigzag(high.next())*unit
	if v < 1 || v > top*unit {
		high.fail(fmt.Errorf("ground at %d of %d", v, top*unit))
		return unit
	}
	return int32(v)
}

func unzigzag(v int) int { return v>>1 ^ -(v & 1) }

// floor reads where floor i of a column begins.
func (r *reliefDecoder) floor(w, n, nw, list int32, i, above int) int {
	guess, sure := r.land.guessFloor(w, n, nw, list, i, above)
	s := &r.s[reliefEdges]
	if sure {
		s = &r.s[reliefFloors]
	}
	at := guess + unzigzag(s.next())
	if at < 1 || at >= above {
		s.fail(fmt.Errorf("a floor at %d below one at %d", at, above))
		return 1
	}
	return at
}

// dents reads the cells below the topmost one, at above, that are not full, and
// says whether there are any.
func (r *reliefDecoder) dents(w, n, nw int32, above int) bool {
	l, count := &r.land, &r.s[reliefFew]
	if l.dented[w] != l.dented[w+1] || l.dented[n] != l.dented[n+1] {
		count = &r.s[reliefMany]
	}
	left := count.next()
	if left == 0 {
		return false
	}
	g := dentGuess{l.probe(int32(len(l.which) - 1)), l.probe(w), l.probe(n), l.probe(nw)}
	depth, fill := &r.s[reliefDepths], &r.s[reliefFill]
	for ; left > 0; left-- {
		if above -= depth.next() + 1; above < 0 {
			depth.fail(errors.New("a cell below the lowest"))
			return false
		}
		d := dent{uint16(above), fill.byte() + g.at(above)}
		if d.fill == full || g.own.at(above) == 0 {
			fill.fail(fmt.Errorf("cell %d is full or empty", above))
		}
		l.dents = append(l.dents, d)
		l.dented[len(l.dented)-1]++
		g.own.dents = l.dents[len(l.dents)-1:]
	}
	return true
}

// addPlain adds a column whose cells are full but for the topmost.
func addPlain(set *columnSet, layers []byte, floors []uint16, ground int32, top int) {
	if len(layers) == 0 {
		set.add(voxel.Empty, nil)
		return
	}
	lowest := len(layers) - 1
	set.first = append(set.first, solid(layers[lowest]))
	for i := lowest - 1; i >= 0; i-- {
		set.list = append(set.list, change{floors[i], solid(layers[i])})
	}
	end := topOf(ground)
	if fill := byte(ground - 1); fill != full {
		cell := voxel.Cell(layers[0])<<8 | voxel.Cell(fill)
		switch {
		case end == 1:
			set.first[len(set.first)-1] = cell
		case lowest > 0 && int(floors[0]) == end-1:
			set.list[len(set.list)-1].cell = cell
		default:
			set.list = append(set.list, change{uint16(end - 1), cell})
		}
	}
	if end < top {
		set.list = append(set.list, change{uint16(end), voxel.Empty})
	}
	set.start = append(set.start, int32(len(set.list)))
}

// solid returns the full cell of a material, or air.
func solid(material byte) voxel.Cell { return voxel.TerrainCell(material, full) }

// addDented adds a column that has dents.
func (r *reliefDecoder) addDented(set *columnSet, layers []byte, floors []uint16, ground int32, top int) {
	end := topOf(ground)
	cells, at := r.cells[:top], end
	clear(cells[end:])
	for i, m := range layers {
		from := 0
		if i < len(floors) {
			from = int(floors[i])
		}
		for ; at > from; at-- {
			cells[at-1] = solid(m)
		}
	}
	cells[end-1] = voxel.TerrainCell(layers[0], byte(ground-1))
	for _, d := range r.land.dents[r.land.dented[len(r.land.dented)-2]:] {
		cells[d.at] = cells[d.at]&^full | voxel.Cell(d.fill)
	}
	set.first = append(set.first, cells[0])
	for y := 1; y < top; y++ {
		if cells[y] != cells[y-1] {
			set.list = append(set.list, change{uint16(y), cells[y]})
		}
	}
	set.start = append(set.start, int32(len(set.list)))
}
