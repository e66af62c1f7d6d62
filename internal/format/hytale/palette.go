package hytale

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// sectionCells is the number of cells of a section of the game, index y<<10 | z<<5 | x.
const sectionCells = 32 * 32 * 32

// The types of palettes: how wide an index is.
const (
	paletteEmpty = iota // all cells are the empty one, and nothing follows
	paletteHalf
	paletteByte
	paletteShort
)

// entry is one value of a palette. Its key orders it: the empty value has "", and no other has.
type entry struct {
	id    uint16 // what indexes say
	key   string
	count int
}

// keyer reads or appends the value of an entry, which is the only thing in which palettes of names, fillers and rotations differ.
type keyer struct {
	read   func(r *cursor.Cursor) string
	append func(dst []byte, key string) []byte
}

// emptyBlock is the game's name of the empty block and the empty fluid.
const emptyBlock = "Empty"

var (
	nameKeys = keyer{
		func(r *cursor.Cursor) string {
			if b := r.Bytes(int(r.Big16())); string(b) != emptyBlock {
				return string(b)
			}
			return ""
		},
		func(dst []byte, key string) []byte {
			key = cmp.Or(key, emptyBlock)
			return append(binary.BigEndian.AppendUint16(dst, uint16(len(key))), key...)
		},
	}
	fillerKeys   = numberKeys(2)
	rotationKeys = numberKeys(1)
)

// numberKeys is for numbers of so many bytes. The key has the bytes, the value 0 is empty.
func numberKeys(size int) keyer {
	return keyer{
		func(r *cursor.Cursor) string {
			if b := r.Bytes(size); len(bytes.Trim(b, "\x00")) > 0 {
				return string(b)
			}
			return ""
		},
		func(dst []byte, key string) []byte {
			return append(append(dst, make([]byte, size-len(key))...), key...)
		},
	}
}

// palette is a palette as it is stored.
type palette struct {
	kind    int
	entries []entry
	indexes []byte // as they are stored
}

var errPalette = errors.New("an index that is not in the palette")

// read reads a palette.
func (p *palette) read(r *cursor.Cursor, k keyer) {
	*p = palette{kind: int(r.Within(int64(r.Byte()), paletteEmpty, paletteShort)), entries: p.entries[:0]}
	if p.kind == paletteEmpty {
		p.entries = append(p.entries, entry{count: sectionCells})
		return
	}
	n := int(r.Big16())
	for i := 0; i < n && r.Err() == nil; i++ {
		var e entry
		if p.kind == paletteShort {
			e.id = uint16(int(r.Big16()))
		} else {
			e.id = uint16(int(r.Byte()))
		}
		e.key = k.read(r)
		if e.count = int(r.Big16()); e.count == 0 {
			e.count = 1 << 16
		}
		p.entries = append(p.entries, e)
	}
	p.indexes = r.Bytes(sectionCells << p.kind >> 2)
}

// uniform returns the one entry of a palette whose cells are all of it.
func (p *palette) uniform() bool {
	if p.kind == paletteEmpty {
		return true
	}
	if len(p.entries) != 1 {
		return false
	}
	e := p.entries[0]
	switch first := p.indexes[0]; p.kind {
	case paletteHalf:
		return e.id < 16 && first == byte(e.id)*0x11 && sameBytes(p.indexes)
	case paletteByte:
		return first == byte(e.id) && sameBytes(p.indexes)
	}
	return false
}

func sameBytes(b []byte) bool { return bytes.Equal(b[1:], b[:len(b)-1]) }

// unpack sets dst to the number of the entry of each cell, and reports whether the palette is what the game writes: entries
// that differ, each with the number of its cells.
func (p *palette) unpack(dst *[sectionCells]uint16) (regular bool, err error) {
	var number [1 << 16]uint16 // 1 + the entry of an id
	regular = true
	for i, e := range p.entries {
		regular = regular && number[e.id] == 0
		number[e.id] = uint16(i) + 1
	}
	counts := make([]int, len(p.entries)+1)
	switch p.kind {
	case paletteHalf:
		for i, b := range p.indexes {
			lo, hi := number[b&15], number[b>>4]
			dst[2*i], dst[2*i+1] = hi-1, lo-1
			counts[lo]++
			counts[hi]++
		}
	case paletteByte:
		for i, b := range p.indexes {
			n := number[b]
			dst[i] = n - 1
			counts[n]++
		}
	case paletteShort:
		for i := range dst {
			n := number[binary.BigEndian.Uint16(p.indexes[2*i:])]
			dst[i] = n - 1
			counts[n]++
		}
	}
	if counts[0] > 0 {
		return false, errPalette
	}
	keys := map[string]bool{}
	for i, e := range p.entries {
		regular = regular && e.count == counts[i+1] && !keys[e.key]
		keys[e.key] = true
	}
	return regular, nil
}

// order describes how entries lie in a palette, as far as they do not lie as order "" says: the empty one first, the others
// by key, numbered from 0 in a palette of the narrowest type. It is the type, and for each entry its rank in that order and its id.
func (p *palette) order() []byte {
	ranks := ranksOf(p.entries)
	plain := p.kind == kindFor(p.entries)
	out := []byte{byte(p.kind)}
	for i, e := range p.entries {
		plain = plain && ranks[i] == i && (p.kind == paletteEmpty || int(e.id) == i)
		out = binary.BigEndian.AppendUint16(out, uint16(ranks[i]))
		out = binary.BigEndian.AppendUint16(out, e.id)
	}
	if plain {
		return nil
	}
	return out
}

// ranksOf returns for each entry its place when they are sorted by key.
func ranksOf(entries []entry) []int {
	sorted := make([]int, len(entries))
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(entries[a].key, entries[b].key) })
	ranks := make([]int, len(entries))
	for rank, i := range sorted {
		ranks[i] = rank
	}
	return ranks
}

// kindFor returns the narrowest type of a palette of the entries.
func kindFor(entries []entry) int {
	switch n := len(entries); {
	case n == 1 && entries[0].key == "":
		return paletteEmpty
	case n <= 16:
		return paletteHalf
	case n <= 256:
		return paletteByte
	}
	return paletteShort
}

// arrange makes a palette of entries that are sorted by key, as order says. An order of other entries counts as none.
func arrange(sorted []entry, order []byte) palette {
	plain := palette{kind: kindFor(sorted), entries: sorted}
	for i := range sorted {
		sorted[i].id = uint16(i)
	}
	if len(order) != 1+4*len(sorted) {
		return plain
	}
	p := palette{kind: int(order[0])}
	limit := [4]int{1, 16, 256, 1 << 16}
	if p.kind > paletteShort || p.kind == paletteEmpty && plain.kind != paletteEmpty {
		return plain
	}
	ids, ranks := map[uint16]bool{}, map[int]bool{}
	for i := 1; i < len(order); i += 4 {
		rank, id := int(binary.BigEndian.Uint16(order[i:])), binary.BigEndian.Uint16(order[i+2:])
		if rank >= len(sorted) || ranks[rank] || ids[id] || int(id) >= limit[p.kind] {
			return plain
		}
		ranks[rank], ids[id] = true, true
		e := sorted[rank]
		e.id = id
		p.entries = append(p.entries, e)
	}
	return p
}

// appendPalette appends a palette. entry says the number of each cell's entry in sorted, which is sorted by key.
func appendPalette(dst []byte, sorted []entry, cells *[sectionCells]uint16, order []byte, k keyer) []byte {
	p := arrange(sorted, order)
	dst = append(dst, byte(p.kind))
	if p.kind == paletteEmpty {
		return dst
	}
	dst = binary.BigEndian.AppendUint16(dst, uint16(len(p.entries)))
	for _, e := range p.entries {
		if p.kind == paletteShort {
			dst = binary.BigEndian.AppendUint16(dst, e.id)
		} else {
			dst = append(dst, byte(e.id))
		}
		dst = k.append(dst, e.key)
		dst = binary.BigEndian.AppendUint16(dst, uint16(e.count))
	}
	ids := make([]uint16, len(sorted)) // by rank
	for _, e := range p.entries {
		ids[slices.IndexFunc(sorted, func(s entry) bool { return s.key == e.key })] = e.id
	}
	switch p.kind {
	case paletteHalf:
		dst = slices.Grow(dst, sectionCells/2)
		for i := 0; i < sectionCells; i += 2 {
			dst = append(dst, byte(ids[cells[i]])<<4|byte(ids[cells[i+1]]))
		}
	case paletteByte:
		for _, c := range cells {
			dst = append(dst, byte(ids[c]))
		}
	default:
		for _, c := range cells {
			dst = binary.BigEndian.AppendUint16(dst, ids[c])
		}
	}
	return dst
}

// tally makes the entries of the keys that cells have.
type tally struct {
	entries []entry
	number  map[string]int
	known   [1 << 16]uint16 // 1 + the entry, by value of a cell
	used    []uint16        // values in known
}

func (t *tally) reset() {
	t.entries, t.number = t.entries[:0], map[string]int{}
	for _, v := range t.used {
		t.known[v] = 0
	}
	t.used = t.used[:0]
}

// all counts cells that are all of one key.
func (t *tally) all(key string, cells *[sectionCells]uint16) {
	t.entries = append(t.entries, entry{key: key, count: sectionCells})
	*cells = [sectionCells]uint16{}
}

// entryOf counts a cell and returns the number of its value's entry, in the order in which they come. It asks keyOf once for each value.
func (t *tally) entryOf(v uint16, keyOf func(uint16) string) uint16 {
	if t.known[v] == 0 {
		key := keyOf(v)
		i, there := t.number[key]
		if !there {
			i = len(t.entries)
			t.number[key] = i
			t.entries = append(t.entries, entry{key: key})
		}
		t.known[v], t.used = uint16(i)+1, append(t.used, v)
	}
	n := t.known[v] - 1
	t.entries[n].count++
	return n
}

// sort sorts the entries and renumbers cells.
func (t *tally) sort(cells *[sectionCells]uint16) {
	ranks := ranksOf(t.entries)
	plain := true
	for i, r := range ranks {
		plain = plain && r == i
	}
	if plain {
		return
	}
	for i, c := range cells {
		cells[i] = uint16(ranks[c])
	}
	slices.SortFunc(t.entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
}
