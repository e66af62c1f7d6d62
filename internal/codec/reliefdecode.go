package codec

import (
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// reliefDecoder is the state of a Decoder for the form Relief.
type reliefDecoder struct {
	s     [reliefStreams]smallReader
	page  reliefPage
	top   int32 // of the tower under way
	cells [MaxTower * edge]voxel.Cell
}

func (r *reliefDecoder) begin(streams [][]byte) {
	for i := range r.s {
		r.s[i] = smallReader{b: streams[i], part: reliefPart(i)}
	}
	r.page.reset()
}

func (r *reliefDecoder) end() error {
	for i := range r.s {
		if err := r.s[i].end(); err != nil {
			return err
		}
	}
	return nil
}

func reliefPart(stream int) string {
	parts := [...]string{"ops", "layers", "ground", "floors", "dents", "dents", "dents"}
	if stream < len(parts) {
		return parts[stream]
	}
	return "ground"
}

func (r *reliefDecoder) tower(d *Decoder, top geom.ChunkPos, height int) error {
	r.page.begin(top, height)
	r.top = r.page.base + int32(height*edge)
	set := &d.literals
	set.reset()
	for z := range edge {
		r.page.ground.row(z)
		for x := range edge {
			col := z*edge + x
			r.column(set, x, z)
			if d.literal[col] = set.len() - 1; x > 0 {
				d.literal[col] = set.fold(d.literal[col-1])
			}
		}
		for i := range r.s {
			if r.s[i].err != nil {
				return r.s[i].err
			}
		}
		if err := d.ended(); err != nil {
			return err
		}
	}
	return nil
}

// fold drops the last column if it equals another, and returns the remaining one.
func (s *columnSet) fold(other int32) int32 {
	last := s.len() - 1
	if !s.equal(other, s.first[last], s.changes(last)) {
		return last
	}
	s.first, s.list, s.start = s.first[:last], s.list[:s.start[last]], s.start[:last+1]
	return other
}

// column reads a column and adds it to set. After an error it reads zeros.
func (r *reliefDecoder) column(set *columnSet, x, z int) {
	l := &r.page
	w, n, nw := l.beside(x, z)
	list := r.list(w, n, nw)
	layers := l.layers(list)
	guess, grade := l.ground.guess(x, z)
	ground := int64(l.base) * unit
	if len(layers) > 0 {
		ground = r.ground(l.within(guess, r.top), grade)
	}
	l.ground.note(x, z, ground)
	from := len(l.floors)
	if len(layers) > 0 {
		above := topOf(ground)
		l.floors = append(l.floors, above)
		for i := 1; i < len(layers); i++ {
			above = r.floor(w, n, nw, list, i, above)
			l.floors = append(l.floors, above)
		}
	}
	own := site{ground: ground, list: list, floors: int32(from), dents: int32(len(l.dents))}
	if len(layers) > 0 {
		if dents := r.s[reliefDents].next(); dents > 0 {
			r.dents(&own, w, n, nw, dents)
		}
	}
	l.sites = append(l.sites, own)
	if own.dented > 0 {
		r.addDented(set, &own)
		return
	}
	r.addPlain(set, &own)
}

// list reads which layers the column has.
func (r *reliefDecoder) list(w, n, nw *site) int32 {
	likely, other := likely(w, n, nw)
	s := &r.s[reliefOps]
	op := s.next()
	switch lists := len(r.page.bounds) - 1; {
	case op == opLikely:
		return likely
	case op == opOther:
		return other
	case op == opNew:
		return r.newList()
	case op-opListed >= lists:
		s.fail(fmt.Errorf("list %d of %d", op-opListed, lists))
		return 0
	}
	return int32(op - opListed)
}

func (r *reliefDecoder) newList() int32 {
	l, s := &r.page, &r.s[reliefLayers]
	n := s.next()
	if n == 0 || n > len(s.b)-s.at || n > MaxTower*edge {
		s.fail(fmt.Errorf("a list of %d layers", n))
		return 0
	}
	layers, above := s.b[s.at:s.at+n], byte(0)
	for _, m := range layers {
		if m == above || m > maxLayer {
			s.fail(fmt.Errorf("material %d below %d", m, above))
			return 0
		}
		above = m
	}
	s.at += n
	l.lists = append(l.lists, layers...)
	l.bounds = append(l.bounds, int32(len(l.lists)))
	return int32(len(l.bounds) - 2)
}

// ground reads the ground of a column that has one.
func (r *reliefDecoder) ground(guess int64, grade int) int64 {
	low, high := &r.s[reliefLow+grade], &r.s[reliefHigh]
	v := guess + int64(int8(low.byte())) + int64(unzigzag(high.next()))*unit
	if v != r.page.within(v, r.top) {
		high.fail(fmt.Errorf("ground at %d/256, the tower ends at %d", v, r.top))
		return guess
	}
	return v
}

func unzigzag(v int) int { return v>>1 ^ -(v & 1) }

// floor reads floor i of a column.
func (r *reliefDecoder) floor(w, n, nw *site, list int32, i int, above int32) int32 {
	guess := r.page.guessFloor(w, n, nw, list, int32(i), above)
	s := &r.s[reliefFloors]
	at := guess + int32(unzigzag(s.next()))
	if at <= r.page.base || at >= above {
		s.fail(fmt.Errorf("a floor at %d below one at %d", at, above))
		return guess
	}
	return at
}

// dents reads the cells that are not full, below the topmost one.
func (r *reliefDecoder) dents(own, w, n, nw *site, left int) {
	l, depths, fills := &r.page, &r.s[reliefDepths], &r.s[reliefFill]
	g := l.dentGuesser(own, w, n, nw)
	for y := topOf(own.ground) - 1; left > 0; left-- {
		if y -= int32(depths.next()) + 1; y < l.base {
			depths.fail(errors.New("a cell below the lowest"))
			return
		}
		d := dent{y, fills.byte() + g.guess(y)}
		if d.fill == full || g.own.full(y) == 0 {
			fills.fail(fmt.Errorf("cell %d is full or empty", y))
			return
		}
		l.dents = append(l.dents, d)
		own.dented++
		g.own.dents = l.dents[len(l.dents)-1:]
	}
}

// addPlain adds a column whose cells are full, except the topmost.
func (r *reliefDecoder) addPlain(set *columnSet, own *site) {
	layers, floors := r.page.layers(own.list), r.page.floorsOf(own)
	if len(layers) == 0 {
		set.add(voxel.Empty, nil)
		return
	}
	low := len(layers) - 1
	cell := solid(layers[low])
	set.first = append(set.first, cell)
	list := set.list
	for i := low; i > 0; i-- {
		cell = solid(layers[i-1])
		list = append(list, change{r.at(floors[i]), cell})
	}
	end := floors[0]
	if fill := byte(own.ground - 1); fill != full {
		cell = cell&^full | voxel.Cell(fill)
		switch at := end - 1; {
		case low > 0 && floors[1] == at:
			list[len(list)-1].cell = cell
		case at == r.page.base:
			set.first[len(set.first)-1] = cell
		default:
			list = append(list, change{r.at(at), cell})
		}
	}
	if end < r.top {
		list = append(list, change{r.at(end), voxel.Empty})
	}
	set.list, set.start = list, append(set.start, int32(len(list)))
}

// at is a height above the tower's lowest cells.
func (r *reliefDecoder) at(y int32) uint16 { return uint16(y - r.page.base) }

// solid returns the full cell of a material, or air.
func solid(material byte) voxel.Cell { return voxel.TerrainCell(material, full) }

// addDented adds a column that has dents.
func (r *reliefDecoder) addDented(set *columnSet, own *site) {
	layers, floors := r.page.layers(own.list), r.page.floorsOf(own)
	cells := r.cells[:r.top-r.page.base]
	clear(cells)
	for i, m := range layers {
		from := uint16(0)
		if i+1 < len(floors) {
			from = r.at(floors[i+1])
		}
		for y := from; y < r.at(floors[i]); y++ {
			cells[y] = solid(m)
		}
	}
	cells[r.at(floors[0])-1] = voxel.TerrainCell(layers[0], byte(own.ground-1))
	for _, d := range r.page.dents[own.dents:] {
		cells[r.at(d.at)] = cells[r.at(d.at)]&^full | voxel.Cell(d.fill)
	}
	set.first = append(set.first, cells[0])
	for y := 1; y < len(cells); y++ {
		if cells[y] != cells[y-1] {
			set.list = append(set.list, change{uint16(y), cells[y]})
		}
	}
	set.start = append(set.start, int32(len(set.list)))
}
