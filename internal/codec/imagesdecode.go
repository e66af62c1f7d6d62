package codec

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/voxel"
)

// imageDecoder is the state of a Decoder for Images.
type imageDecoder struct {
	positions  columnIndex
	transforms []readTransform
	of         []int32 // numbers of the page's columns
}

// readTransform is a transform and how it replaces cells.
type readTransform struct {
	transform
	to   []voxel.Cell // by cell
	made []int32      // by number of the source: number of the image plus one
}

// begin starts a page of that many towers. b is the stream of images.
func (m *imageDecoder) begin(b []byte, table []voxel.Cell, towers int) (err error) {
	m.positions.reset(towers)
	m.of = m.of[:0]
	m.transforms, err = readTransforms(b, table)
	return err
}

// readTransforms reads the stream of images.
func readTransforms(b []byte, table []voxel.Cell) ([]readTransform, error) {
	at := 0
	fail := func(err error) ([]readTransform, error) { return nil, corrupt(at, "images", err) }
	if len(b) == 0 {
		return fail(errShort)
	}
	if b[0] > maxTransforms {
		return fail(fmt.Errorf("%d ways, at most %d", b[0], maxTransforms))
	}
	transforms := make([]readTransform, b[0])
	at = 1
	short := false
	number := func() uint64 {
		v, n := binary.Uvarint(b[at:])
		short = short || n <= 0
		at += max(n, 0)
		return v
	}
	signed := func() int64 {
		v, n := binary.Varint(b[at:])
		short = short || n <= 0
		at += max(n, 0)
		return v
	}
	for i := range transforms {
		w := &transforms[i]
		if at == len(b) {
			return fail(errShort)
		}
		w.turn = b[at]
		at++
		x, z := signed(), signed()
		count := number()
		if int(w.turn) >= len(turns) || short || x != int64(int32(x)) || z != int64(int32(z)) || count > uint64(len(table)) {
			return fail(fmt.Errorf("way %d by %d, %d of %d cells: impossible", w.turn, x, z, count))
		}
		w.a, w.b = int32(x), int32(z)
		w.to = make([]voxel.Cell, 0)
		if len(table) > 0 {
			w.to = make([]voxel.Cell, int(table[len(table)-1])+1)
		}
		for _, c := range table {
			w.to[c] = c
		}
		from := -1
		for range count {
			gap, to := number(), number()
			if short || gap >= uint64(len(table)-from-1) || to >= uint64(len(table)) {
				return fail(errors.New("a cell that is not in the table"))
			}
			from += int(gap) + 1
			w.to[table[from]] = table[to]
		}
	}
	if at < len(b) {
		return fail(errLong)
	}
	return transforms, nil
}

// imagesOf makes columns images by transform i up to end, or as far as possible, and
// returns how far.
func (d *Decoder) imagesOf(i, col, end int) int {
	m := &d.images
	if i >= len(m.transforms) {
		return col
	}
	first := int32(len(m.of) - col) // of the tower
	for ; col < end; col++ {
		x, z := m.positions.place(first + int32(col))
		s := m.positions.at(m.transforms[i].source(x, z))
		switch {
		case s < 0 || s >= first+int32(col):
			return col
		case s >= int32(len(m.of)): // of this run
			d.literal[col] = d.image(&m.transforms[i], d.literal[s-first])
		default:
			d.literal[col] = d.image(&m.transforms[i], m.of[s])
		}
	}
	return col
}

// image returns the number of the image of a numbered column.
func (d *Decoder) image(w *readTransform, n int32) int32 {
	for int(n) >= len(w.made) {
		w.made = append(w.made, make([]int32, d.literals.len()-int32(len(w.made)))...)
	}
	if w.made[n] == 0 {
		w.made[n] = d.makeImage(w, n) + 1
	}
	return w.made[n] - 1
}

func (d *Decoder) makeImage(w *readTransform, n int32) int32 {
	set := &d.literals
	list := set.changes(n)
	first := w.to[set.first[n]]
	same := first == set.first[n]
	for _, c := range list {
		same = same && w.to[c.cell] == c.cell
	}
	if same {
		return n
	}
	i := set.add(first, list)
	made := set.changes(i)
	for k := range made {
		made[k].cell = w.to[made[k].cell]
	}
	return i
}
