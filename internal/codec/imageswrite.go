package codec

import (
	"encoding/binary"
	"slices"
)

// write writes the streams.
func (m *imageEncoder) write(e *Encoder) {
	for i := range m.streams {
		m.streams[i] = m.streams[i][:0]
	}
	m.streams[streamTable] = append(m.streams[streamTable], e.streams[streamTable]...)
	m.writeImages(e)
	w := &m.writer
	w.reset(m, e)
	for n := range m.ids {
		w.column(int32(n))
	}
}

func (m *imageEncoder) writeImages(e *Encoder) {
	out := append(m.streams[streamImages], byte(len(m.images)))
	for _, img := range m.images {
		out = append(out, img.turn)
		out = binary.AppendVarint(out, int64(img.a))
		out = binary.AppendVarint(out, int64(img.b))
		changed := 0
		for _, c := range m.table {
			if img.to[c] != c {
				changed++
			}
		}
		out = binary.AppendUvarint(out, uint64(changed))
		prev := -1
		for i, c := range m.table {
			if to := img.to[c]; to != c {
				out = binary.AppendUvarint(out, uint64(i-prev-1))
				out = binary.AppendUvarint(out, uint64(e.ranks[to]))
				prev = i
			}
		}
	}
	m.streams[streamImages] = out
}

// imageWriter writes the ops of columns. It numbers columns as a decoder does:
// literals, and images that differ from their source, at first use.
type imageWriter struct {
	*imageEncoder
	ranks   []uint16
	ops     []byte    // the ops that a column may have besides literal and earlier
	numbers []int32   // by literal: 1 + its last number
	of      []int32   // numbers of the page's columns
	made    [][]int32 // by image and number of the source: 1 + number of the image
	count   int32
	last    byte
}

func (w *imageWriter) reset(m *imageEncoder, e *Encoder) {
	w.imageEncoder, w.ranks, w.count, w.last = m, e.ranks, 0, 0
	size := int(m.set.len())
	w.numbers = slices.Grow(w.numbers[:0], size)[:size]
	clear(w.numbers)
	w.of = slices.Grow(w.of[:0], len(m.ids))[:len(m.ids)]
	w.ops = append(w.ops[:0], opWest, opNorth)
	for i := range m.images {
		w.ops = append(w.ops, byte(opImage+i))
		m.mark(i)
	}
	for i := range w.made {
		w.made[i] = w.made[i][:0]
	}
	for len(w.made) < len(m.images) {
		w.made = append(w.made, nil)
	}
}

// mark marks the columns that are images by a transform, except in rows of 32 that need
// none.
func (m *imageEncoder) mark(i int) {
	op := opImage + i
	for len(m.can) < op {
		m.can = append(m.can, nil)
	}
	can := bitsetOf(m.can[op-1], len(m.ids))
	m.can[op-1] = can
	img := &m.images[i]
	dx, dz := turns[img.turn][0], turns[img.turn][2]
	lastFrom, lastTo, yes := int32(-1), int32(-1), false
	for n := int32(0); int(n) < len(m.ids); n += edge {
		if m.can[opWest-1].ones(n, edge) == edge || m.can[opNorth-1].ones(n, edge) == edge {
			continue
		}
		x, z := m.positions.place(n)
		x, z = img.source(x, z)
		for i, to := range m.ids[n : n+edge] {
			s := m.positions.at(x, z)
			x, z = x+dx, z+dz
			if s < 0 || s >= n+int32(i) {
				continue
			}
			if from := m.ids[s]; from != lastFrom || to != lastTo {
				lastFrom, lastTo, yes = from, to, m.mapsTo(img.to, from, to)
			}
			if yes {
				can.set(int(n) + i)
			}
		}
	}
}

// lookahead is how many columns ahead ops are compared by their length.
const lookahead = 24

func (w *imageWriter) pick(n int32) byte {
	if w.last != opLiteral && w.last != opEarlier && n%columns > 0 && w.can[w.last-1].has(n) {
		return w.last
	}
	best, most := byte(opLiteral), int32(0)
	end := min(lookahead, columns-n%columns)
	for _, op := range w.ops {
		if run := w.can[op-1].ones(n, end); run > most {
			best, most = op, run
		}
	}
	if most == 0 {
		if i := w.numbers[w.ids[n]]; i > 0 && w.count-i < maxLiterals {
			return opEarlier
		}
	}
	return best
}

func (w *imageWriter) column(n int32) {
	op, id := w.pick(n), w.ids[n]
	switch op {
	case opWest:
		w.of[n] = w.of[n-1]
	case opNorth:
		w.of[n] = w.of[n-edge]
	case opEarlier:
		w.of[n] = w.numbers[id] - 1
		back := w.count - w.numbers[id]
		w.streams[streamNear] = append(w.streams[streamNear], byte(back))
		w.streams[streamFar] = append(w.streams[streamFar], byte(back>>8))
	case opLiteral:
		w.of[n] = w.number(id)
		w.literal(id)
	default:
		w.of[n] = w.imageOf(n, int(op-opImage))
	}
	ops := w.streams[streamOps]
	if last := len(ops) - 1; n%columns > 0 && op == w.last && ops[last] < (maxImageRun-1)<<imageOpBits {
		ops[last] += 1 << imageOpBits
	} else {
		w.streams[streamOps] = append(ops, op)
	}
	w.last = op
}

// number gives a literal the next number.
func (w *imageWriter) number(id int32) int32 {
	w.count++
	w.numbers[id] = w.count
	return w.count - 1
}

// imageOf returns the number of the image of the source of a column.
func (w *imageWriter) imageOf(n int32, img int) int32 {
	x, z := w.positions.place(n)
	s := w.positions.at(w.images[img].source(x, z))
	if a, b := w.ids[s], w.ids[n]; a == b || w.set.equal(a, w.set.first[b], w.set.changes(b)) {
		return w.of[s]
	}
	made := w.made[img]
	for int(w.of[s]) >= len(made) {
		made = append(made, 0)
	}
	i := made[w.of[s]]
	if i == 0 {
		i = w.number(w.ids[n]) + 1
		made[w.of[s]] = i
	}
	w.made[img] = made
	return i - 1
}

func (w *imageWriter) literal(id int32) {
	out := appendSmall(w.streams[streamRuns], int(w.ranks[w.set.first[id]]))
	below := uint16(0)
	for _, c := range w.set.changes(id) {
		out = appendSmall(out, int(c.at-below))
		out = appendSmall(out, int(w.ranks[c.cell]))
		below = c.at
	}
	w.streams[streamRuns] = append(out, 0)
}
