package codec

import (
	"encoding/binary"

	"github.com/cairnvoxel/cairn/voxel"
)

// write writes the streams.
func (m *imageEncoder) write(e *Encoder) {
	table := e.table(&m.set)
	m.streams[streamTable] = appendAscending(m.streams[streamTable], table)
	m.writeImages(e, table)
	w := imageWriter{imageEncoder: m, e: e, numbers: make([]int32, m.set.len()), of: make([]int32, len(m.ids)), made: map[[2]int32]int32{}}
	for i := range w.numbers {
		w.numbers[i] = -1
	}
	for n := range m.ids {
		w.column(int32(n))
	}
}

func (m *imageEncoder) writeImages(e *Encoder, table []voxel.Cell) {
	out := append(m.streams[streamImages], byte(len(m.images)))
	for _, img := range m.images {
		out = append(out, img.turn)
		out = binary.AppendVarint(out, int64(img.a))
		out = binary.AppendVarint(out, int64(img.b))
		out = binary.AppendUvarint(out, uint64(len(img.to)))
		prev := -1
		for i, c := range table {
			if to, ok := img.to[c]; ok {
				out = binary.AppendUvarint(out, uint64(i-prev-1))
				out = binary.AppendUvarint(out, uint64(e.ranks[to]))
				prev = i
			}
		}
	}
	m.streams[streamImages] = out
}

// imageWriter writes the ops of columns. Columns are numbered as a decoder does:
// literals, and images that differ from what they are of, when they first come by.
type imageWriter struct {
	*imageEncoder
	e       *Encoder
	numbers []int32 // of distinct columns, the last one; -1 if none
	of      []int32 // numbers of the page's columns
	count   int32
	made    map[[2]int32]int32 // numbers of images, by number of source and image
	last    byte
}

// can reports whether a column may have an op other than literal and earlier.
func (w *imageWriter) can(op byte, n int32) bool {
	col := n % columns
	switch {
	case op == opWest:
		return col%edge > 0 && w.ids[n-1] == w.ids[n]
	case op == opNorth:
		return col >= edge && w.ids[n-edge] == w.ids[n]
	}
	return w.isImage(&w.images[op-opImage], n)
}

// lookahead is how far ops are compared by how long they go on.
const lookahead = 24

func (w *imageWriter) pick(n int32) byte {
	if w.last != opLiteral && w.last != opEarlier && n%columns > 0 && w.can(w.last, n) {
		return w.last
	}
	best, most := byte(opLiteral), int32(0)
	end := min(n+lookahead, (n/columns+1)*columns)
	for op := byte(opWest); int(op) < opImage+len(w.images); op++ {
		if op == opEarlier {
			continue
		}
		run := int32(0)
		for n+run < end && w.can(op, n+run) {
			run++
		}
		if run > most {
			best, most = op, run
		}
	}
	if most == 0 {
		if i := w.numbers[w.ids[n]]; i >= 0 && w.count-i <= maxLiterals {
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
		w.of[n] = w.numbers[id]
		back := w.count - w.numbers[id] - 1
		w.streams[streamNear] = append(w.streams[streamNear], byte(back))
		w.streams[streamFar] = append(w.streams[streamFar], byte(back>>8))
	case opLiteral:
		w.of[n] = w.number(id)
		w.literal(id)
	default:
		w.of[n] = w.imageOf(n, int32(op-opImage))
	}
	ops := w.streams[streamOps]
	if last := len(ops) - 1; n%columns > 0 && op == w.last && ops[last] < (maxImageRun-1)<<imageOpBits {
		ops[last] += 1 << imageOpBits
	} else {
		w.streams[streamOps] = append(ops, op)
	}
	w.last = op
}

// number gives a distinct column the next number.
func (w *imageWriter) number(id int32) int32 {
	w.numbers[id] = w.count
	w.count++
	return w.count - 1
}

// imageOf returns the number of the image of the source of a column.
func (w *imageWriter) imageOf(n, img int32) int32 {
	s := w.source(w.images[img].way, n)
	if w.ids[s] == w.ids[n] {
		return w.of[s]
	}
	key := [2]int32{w.of[s], img}
	i, ok := w.made[key]
	if !ok {
		i = w.number(w.ids[n])
		w.made[key] = i
	}
	return i
}

func (w *imageWriter) literal(id int32) {
	out := appendSmall(w.streams[streamRuns], int(w.e.ranks[w.set.first[id]]))
	below := uint16(0)
	for _, c := range w.set.changes(id) {
		out = appendSmall(out, int(c.at-below))
		out = appendSmall(out, int(w.e.ranks[c.cell]))
		below = c.at
	}
	w.streams[streamRuns] = append(out, 0)
}
