package stone

import (
	"math"
	"math/bits"
)

// piece is neighbours of an entry that count in a run of stones. They are adjacent
// in the order of all that count.
type piece struct {
	entry     // first is the place in the page of the first of them
	layer int // of the stone in the run
	at    int // of the entry in the stone's
	solid bool
}

// overlay returns the parts of entries that count, in ascending order. Layers come
// bottom first, and for each neighbour the highest layer with an entry counts.
func overlay(layers [][]entry) (out []piece) {
	next := make([]int, len(layers))
	var live []piece
	for {
		key := uint64(math.MaxUint64)
		for l, entries := range layers {
			if next[l] < len(entries) {
				key = min(key, entries[next[l]].key)
			}
		}
		if key == math.MaxUint64 {
			return out
		}
		live = live[:0]
		taken := uint64(0)
		for l := len(layers) - 1; l >= 0; l-- {
			entries, said := layers[l], uint64(0)
			for i := next[l]; i < len(entries) && entries[i].key == key; i++ {
				said |= entries[i].mask
				if mask := entries[i].mask &^ taken; mask != 0 {
					live = append(live, piece{entry: entry{key: key, mask: mask}, layer: l, at: i})
				}
				next[l] = i + 1
			}
			taken |= said
		}
		out = order(out, live, layers)
	}
}

// order appends the neighbours of one key in ascending order. It consumes live.
func order(out, live []piece, layers [][]entry) []piece {
	for len(live) > 0 {
		lowest, low, beyond := 0, 64, 64
		for i := range live {
			switch at := bits.TrailingZeros64(live[i].mask); {
			case at < low:
				lowest, low, beyond = i, at, low
			case at < beyond:
				beyond = at
			}
		}
		p := live[lowest]
		p.mask &= 1<<beyond - 1
		if live[lowest].mask &^= p.mask; live[lowest].mask == 0 {
			live[lowest] = live[len(live)-1]
			live = live[:len(live)-1]
		}
		e := &layers[p.layer][p.at]
		within := e.mask &^ (1<<low - 1) & (1<<bits.Len64(p.mask) - 1)
		p.page, p.value, p.solid = e.page, e.value, within == p.mask
		p.first = e.first + int32(bits.OnesCount64(e.mask&(1<<low-1)))
		out = append(out, p)
	}
	return out
}

// intact returns how many of the first pieces make up a whole page, including those
// without a page between. It returns 0 if the first page is not whole.
func intact(pieces []piece, layers [][]entry) (n int) {
	p := &pieces[0]
	if !p.paged() || p.first > 0 {
		return 0
	}
	things, have := 0, int32(0)
	for i := range group(layers[p.layer], p.at) {
		if e := &layers[p.layer][p.at+i]; e.paged() {
			things += bits.OnesCount64(e.mask)
		}
	}
	for i := range pieces {
		q := &pieces[i]
		if !q.paged() {
			continue
		}
		if q.layer != p.layer || q.page != p.page || q.first != have || !q.solid {
			return 0
		}
		if have += int32(bits.OnesCount64(q.mask)); int(have) == things {
			return i + 1
		}
	}
	return 0
}
