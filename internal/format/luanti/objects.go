package luanti

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Entries of the payloads of objects. What is usual is left out.
const (
	tagFields    = "fields"    // of a node with metadata: a compound of its variables
	tagPrivate   = "private"   // one byte for each variable; 1 for those that clients do not see
	tagInventory = "inventory" // the text, unless it has no lists
	tagTimer     = "timer"     // of a node with a timer: timeout and elapsed
	tagType      = "type"      // of a static object
	tagOffset    = "offset"    // from the node that it is at, in 10,000 parts
	tagBlock     = "block"     // the height of the map block that has it, in map blocks, where the node is in another
	tagData      = "data"
)

// Entries of the tags of a section, or of a map block in PartBlocks.
const (
	tagHeader = "header" // if not the usual one: its numbers as they are stored
	tagStored = "stored" // the map block as it is stored, because nobody could read it
	tagHeight = "y"      // in the part alone
	tagBlocks = "blocks" // of the part: the list
)

var errNotOurs = errors.New("not what this format writes")

// values are the entries of a compound of ours.
type values struct {
	numbers map[string]int32
	texts   map[string][]byte
	arrays  map[string][]int32
	vars    []variable
}

// readValues reads entries up to the end of a compound.
func readValues(r *nbt.Reader) (v values, err error) {
	v = values{map[string]int32{}, map[string][]byte{}, map[string][]int32{}, nil}
	for t, name := r.Next(); t != nbt.End && err == nil; t, name = r.Next() {
		switch name := string(name); t {
		case nbt.Byte:
			v.numbers[name] = int32(r.Byte())
		case nbt.Int:
			v.numbers[name] = r.Int()
		case nbt.IntArray:
			b := r.IntArray()
			for ; len(b) > 0; b = b[4:] {
				v.arrays[name] = append(v.arrays[name], int32(binary.BigEndian.Uint32(b)))
			}
		case nbt.Compound:
			v.numbers[name] = 1
			v.vars, err = readVars(r)
		default:
			v.texts[name], err = readText(r, t)
		}
	}
	return v, errors.Join(err, r.Err())
}

// isText reports whether a string of NBT can hold text. Some characters are longer there.
func isText(text []byte) bool { return utf8.Valid(text) && len(text) <= math.MaxUint16/2 }

// appendText appends text as a string, or as an array of bytes where a string cannot hold it.
func appendText(dst []byte, name string, text []byte) []byte {
	if isText(text) {
		return nbt.AppendString(dst, name, string(text))
	}
	return nbt.AppendByteArray(dst, name, text)
}

// readText is the inverse of appendText.
func readText(r *nbt.Reader, t nbt.Type) ([]byte, error) {
	switch t {
	case nbt.String:
		s, err := nbt.DecodeString(r.String())
		return []byte(s), err
	case nbt.ByteArray:
		return r.ByteArray(), nil
	}
	return nil, errNotOurs
}

// payload returns the payload of the object for metadata.
func (d *metadata) payload() []byte {
	out := nbt.AppendCompound(nil, tagFields)
	some, private := uint8(0), make([]byte, len(d.vars))
	for i, v := range d.vars {
		out = appendText(out, string(v.key), v.value)
		some, private[i] = some|v.private, v.private
	}
	if out = nbt.AppendEnd(out); some != 0 {
		out = nbt.AppendByteArray(out, tagPrivate, private)
	}
	if string(d.inventory) != endInventory {
		out = appendText(out, tagInventory, d.inventory)
	}
	return out
}

func readVars(r *nbt.Reader) (vars []variable, err error) {
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		key, err := nbt.DecodeString(name)
		if err != nil {
			return nil, err
		}
		value, err := readText(r, t)
		if err != nil {
			return nil, err
		}
		vars = append(vars, variable{key: []byte(key), value: value})
	}
	return vars, r.Err()
}

// payload returns the payload of the object for a timer.
func (t *timer) payload() []byte {
	return nbt.AppendIntArray(nil, tagTimer, []int32{t.timeout, t.elapsed})
}

// addNode adds the metadata and the timer of a node that an object has.
func (m *mapBlock) addNode(node uint16, payload []byte) error {
	r := nbt.NewPayload(payload, nbt.Limits{})
	v, err := readValues(&r)
	if err != nil {
		return err
	}
	if t, ok := v.arrays[tagTimer]; ok && len(t) == 2 {
		m.timers = append(m.timers, timer{node, t[0], t[1]})
	} else if ok || v.numbers[tagFields] == 0 {
		return errNotOurs
	}
	if v.numbers[tagFields] == 0 {
		return nil
	}
	d := metadata{node: node, vars: v.vars, inventory: v.texts[tagInventory]}
	for i := range min(len(v.texts[tagPrivate]), len(d.vars)) {
		d.vars[i].private = v.texts[tagPrivate][i]
	}
	if d.inventory == nil {
		d.inventory = []byte(endInventory)
	}
	c := coder{b: d.inventory}
	if c.off = c.inventory(); c.end() != nil {
		return errNotOurs
	}
	m.meta = append(m.meta, d)
	return nil
}

// perNode is the parts of a node in the position of a static object.
const perNode = 10_000

// object returns the object for a static object that the map block at pos has.
func (s *static) object(pos blockPos) voxel.Object {
	at, offset := [3]int{}, [3]int32{}
	for i, v := range s.pos {
		at[i] = geom.FloorDiv(int(v)+perNode/2, perNode)
		offset[i] = int32(int(v) - at[i]*perNode)
	}
	out := nbt.AppendByte(nil, tagType, int8(s.kind))
	if offset != [3]int32{} {
		out = nbt.AppendIntArray(out, tagOffset, offset[:])
	}
	p := geom.Point{X: at[0], Y: at[1], Z: at[2]}
	if p.Y>>4 != int(pos.y) {
		out = nbt.AppendInt(out, tagBlock, pos.y)
	}
	return voxel.Object{Place: voxel.Moved, At: p, Payload: nbt.AppendEnd(appendText(out, tagData, s.data))}
}

// staticOf is the inverse of object. It returns the height of the map block too.
func staticOf(o voxel.Object) (s static, y int32, err error) {
	r := nbt.NewPayload(o.Payload, nbt.Limits{})
	v, err := readValues(&r)
	s = static{kind: uint8(v.numbers[tagType]), data: v.texts[tagData]}
	offset := append(v.arrays[tagOffset], 0, 0, 0)
	for i, at := range []int{o.At.X, o.At.Y, o.At.Z} {
		at = at*perNode + int(offset[i])
		if s.pos[i] = int32(at); int(s.pos[i]) != at {
			err = errNotOurs
		}
	}
	if v.texts[tagData] == nil || len(s.data) > math.MaxUint16 {
		err = errNotOurs
	}
	y, ok := v.numbers[tagBlock]
	if !ok {
		y = int32(o.At.Y >> 4)
	}
	return s, y, err
}

// appendHeader appends the entry for a header, if it is not the usual one.
func (h header) appendHeader(dst []byte, usual header) []byte {
	if h == usual {
		return dst
	}
	c := &coder{writes: true}
	h.code(c)
	return nbt.AppendByteArray(dst, tagHeader, c.b)
}

func (h *header) code(c *coder) {
	number(c, &h.version)
	number(c, &h.flags)
	number(c, &h.lighting)
	number(c, &h.timestamp)
	number(c, &h.metadata)
}

// kept is what is kept of a map block beside its cells and objects.
type kept struct{ head, stored []byte }

// readKept reads entries up to the end of a compound. y is the height, 0 for a section.
func readKept(r *nbt.Reader) (k kept, y int32, err error) {
	v, err := readValues(r)
	k = kept{v.texts[tagHeader], v.texts[tagStored]}
	if k.head == nil && k.stored == nil && len(v.numbers) == 0 {
		err = errNotOurs
	}
	return k, v.numbers[tagHeight], err
}
