package light

import "math/bits"

// The cells at the sides of a tile.
const (
	atWest = 0x0101010101010101
	atEast = atWest << (tileEdge - 1)
)

// begin clears what waited in the previous flood.
func (f *Flood) begin() {
	for i := range f.specials {
		f.specials[i].waits = 0
	}
	f.waiting = append(f.waiting[:0], [MaxLight + 1]uint64{})
}

// shine puts sources in the queues of their levels and reports whether there are any.
func (f *Flood) shine() bool {
	if len(f.sources) == 0 {
		return false
	}
	f.begin()
	n := f.slice * (f.ny + 2)
	copy(f.dark[:n], f.dim)
	clear(f.dark[n-f.slice : n])
	clear(f.level[:n])
	for _, l := range f.sources {
		f.wait(int(l.at), f.specialTile(int(l.at)), l.cells, l.level)
	}
	return true
}

// fall lets sky light fall, then spread to the sides and up.
func (f *Flood) fall() {
	f.begin()
	f.sky = sized(f.sky, f.slice)
	clear(f.sky)
	for z := range f.nz / tileEdge {
		fill(f.sky[z*f.row:][:f.nx/tileEdge])
	}
	top := f.first + f.ny*f.slice
	clear(f.dark[top : top+f.slice])
	clear(f.dark[:f.first])
	for at := top - f.slice; at >= f.first; at -= f.slice {
		f.fallThrough(at)
		if at < top-f.slice {
			f.flowFrom(at + f.slice)
		}
	}
	f.flowFrom(f.first)
	f.now, f.next = f.next, f.now
}

// fallThrough lets sky light fall through the slice of tiles at at.
func (f *Flood) fallThrough(at int) {
	n := len(f.sky)
	open, dim, special, dark, level := f.open[at:][:n], f.dim[at:][:n], f.special[at:][:n], f.dark[at:][:n], f.level[at:][:n]
	for i, s := range f.sky {
		s &= open[i]
		if special[i] != 0 {
			s &^= f.specials[special[i]].closed[Above]
			f.sky[i] = s &^ f.specials[special[i]].closed[Below]
		} else {
			f.sky[i] = s
		}
		dark[i] = dim[i] &^ s
		level[i] = [4]uint64{s, s, s, s}
	}
}

// flowFrom spreads the sky light that fell into the slice of tiles at at. The slice
// below has what fell into it.
func (f *Flood) flowFrom(at int) {
	n := f.slice
	level, dark := f.level[at:][:n], f.dark[at:][:n]
	west, east, north, south := f.dark[at-1:][:n], f.dark[at+1:][:n], f.dark[at-f.row:][:n], f.dark[at+f.row:][:n]
	below := f.dark[at-f.slice:][:n]
	for i := range level {
		if s := level[i][0]; s != 0 && dark[i]|west[i]|east[i]|north[i]|south[i]|below[i] != 0 {
			f.flow(at+i, s, MaxLight)
		}
	}
}

// spread lets light go on from the brightest to the darkest cells. Those of MaxLight-1
// that the sky lights are in now. It reports whether it came to the end.
func (f *Flood) spread() bool {
	for l := uint8(MaxLight); l > 0; l-- {
		if l == MaxLight && f.kind == Sky {
			continue
		}
		if f.ended() {
			f.drop()
			return false
		}
		f.wake(l)
		plane := [4]uint64{-uint64(l & 1), -uint64(l >> 1 & 1), -uint64(l >> 2 & 1), -uint64(l >> 3)}
		f.work += len(f.now.at)
		for i, k := range f.now.at {
			if i%tilesAtOnce == tilesAtOnce-1 && f.ended() {
				f.drop()
				return false
			}
			cells := f.now.cells[k]
			f.now.cells[k] = 0
			v := &f.level[k]
			v[0] |= cells & plane[0]
			v[1] |= cells & plane[1]
			v[2] |= cells & plane[2]
			v[3] |= cells & plane[3]
			if l > 1 {
				f.flow(int(k), cells, l)
			}
		}
		f.now.at = f.now.at[:0]
		f.now, f.next = f.next, f.now
	}
	return true
}

// drop forgets light that was to go on.
func (f *Flood) drop() {
	for _, w := range []*wave{&f.now, &f.next} {
		clear(w.cells)
		w.at = w.at[:0]
	}
	for l := range f.queue {
		f.queue[l] = f.queue[l][:0]
	}
}

// wake moves the cells that wait for a level into now.
func (f *Flood) wake(l uint8) {
	for _, k := range f.queue[l] {
		w, v := &f.waiting[f.specials[f.special[k]].waits][l], &f.level[k]
		cells := *w &^ (v[0] | v[1] | v[2] | v[3]) // those are brighter by now
		*w = 0
		if cells != 0 {
			f.dark[k] &^= cells
			f.now.add(int(k), cells)
		}
	}
	f.queue[l] = f.queue[l][:0]
}

// wait makes cells of a special tile get a level in its turn.
func (f *Flood) wait(k int, o *specialTile, cells uint64, l uint8) {
	if o.waits == 0 {
		o.waits = int32(len(f.waiting))
		f.waiting = append(f.waiting, [MaxLight + 1]uint64{})
	}
	w := &f.waiting[o.waits][l]
	if *w == 0 {
		f.queue[l] = append(f.queue[l], int32(k))
	}
	*w |= cells
}

func (w *wave) add(k int, cells uint64) {
	if w.cells[k] == 0 {
		w.at = append(w.at, int32(k))
	}
	w.cells[k] |= cells
}

// flow spreads light of a level from cells of tile k.
func (f *Flood) flow(k int, cells uint64, l uint8) {
	if f.special[k] != 0 {
		f.flowSpecial(k, cells, l)
		return
	}
	dark := f.dark
	within := cells&^atEast<<1 | cells&^atWest>>1 | cells<<tileEdge | cells>>tileEdge
	if c := within & dark[k]; c != 0 {
		f.light(k, c)
	}
	if c := cells >> (tileEdge - 1) & atWest & dark[k+1]; c != 0 {
		f.into(k+1, c, West, l)
	}
	if c := cells & atWest << (tileEdge - 1) & dark[k-1]; c != 0 {
		f.into(k-1, c, East, l)
	}
	if c := cells >> (64 - tileEdge) & dark[k+f.row]; c != 0 {
		f.into(k+f.row, c, North, l)
	}
	if c := cells << (64 - tileEdge) & dark[k-f.row]; c != 0 {
		f.into(k-f.row, c, South, l)
	}
	if c := cells & dark[k+f.slice]; c != 0 {
		f.into(k+f.slice, c, Below, l)
	}
	if c := cells & dark[k-f.slice]; c != 0 {
		f.into(k-f.slice, c, Above, l)
	}
}

// flowSpecial is flow from a tile with special cells.
func (f *Flood) flowSpecial(k int, cells uint64, l uint8) {
	f.work += workOfSpecial
	s := &f.specials[f.special[k]].closed
	west, east, north, south := cells&^s[West], cells&^s[East], cells&^s[North], cells&^s[South]
	f.enter(k, east&^atEast<<1, West, l)
	f.enter(k, west&^atWest>>1, East, l)
	f.enter(k, south<<tileEdge, North, l)
	f.enter(k, north>>tileEdge, South, l)
	f.into(k+1, east>>(tileEdge-1)&atWest, West, l)
	f.into(k-1, west&atWest<<(tileEdge-1), East, l)
	f.into(k+f.row, south>>(64-tileEdge), North, l)
	f.into(k-f.row, north<<(64-tileEdge), South, l)
	f.into(k+f.slice, cells&^s[Above], Below, l)
	f.into(k-f.slice, cells&^s[Below], Above, l)
}

// into lets light of a level into cells of tile k through a face.
func (f *Flood) into(k int, cells uint64, by CellFace, l uint8) {
	if f.special[k] != 0 {
		f.enter(k, cells, by, l)
	} else if cells &= f.dark[k]; cells != 0 {
		f.light(k, cells)
	}
}

// enter is into for a tile with special cells.
func (f *Flood) enter(k int, cells uint64, by CellFace, l uint8) {
	o := &f.specials[f.special[k]]
	cells &= f.dark[k] &^ o.closed[by]
	if thin := cells &^ o.dimming; thin != 0 {
		f.light(k, thin)
	}
	for t := cells & o.dimming; t != 0; {
		some, lost := o.alike(t)
		t &^= some
		if lost < l {
			f.wait(k, o, some, l-lost)
		}
	}
}

// alike returns the cells that weaken light as much as the first one, and by how
// much.
func (o *specialTile) alike(cells uint64) (some uint64, lost uint8) {
	b := bits.TrailingZeros64(cells)
	some = cells
	for i, v := range o.lost {
		bit := v >> b & 1
		lost |= uint8(bit) << i
		some &^= v ^ -bit
	}
	return some, lost
}

// light gives dark cells of a tile the level below the current one.
func (f *Flood) light(k int, cells uint64) {
	f.dark[k] &^= cells
	f.next.add(k, cells)
}
