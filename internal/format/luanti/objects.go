package luanti

import (
	"encoding/binary"
	"errors"
	"math"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Entries of the payloads of objects. What is usual is left out.
const (
	tagFields    = "fields"    // of metadata: a compound of its variables
	tagPrivate   = "private"   // one byte for each variable; 1 for those that clients do not see
	tagInventory = "inventory" // the text, unless it has no lists
	tagTimer     = "timer"     // of a timer: timeout and elapsed
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

// payloadOf returns the payload of a compound.
func payloadOf(e nbt.Entries) []byte {
	return nbt.Append(nil, "", e)[len(nbt.AppendCompound(nil, "")):]
}

// entriesOf is the inverse of payloadOf.
func entriesOf(payload []byte) (nbt.Entries, error) {
	_, v, err := nbt.Parse(append(nbt.AppendCompound(nil, ""), payload...), nbt.Limits{})
	if err != nil {
		return nil, err
	}
	return v.(nbt.Entries), nil
}

// isText reports whether a string of NBT can hold text. Some characters are longer there.
func isText(text []byte) bool { return utf8.Valid(text) && len(text) <= math.MaxUint16/2 }

// textValue returns text as a string, or as an array of bytes where a string cannot hold it.
func textValue(text []byte) nbt.Value {
	if isText(text) {
		return string(text)
	}
	return text
}

// textOf is the inverse of textValue. It returns nil for what is no text.
func textOf(v nbt.Value) []byte {
	switch v := v.(type) {
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	return nil
}

// entries returns what the object for metadata has.
func (d *metadata) entries() nbt.Entries {
	fields, some, private := nbt.Entries{}, uint8(0), make([]byte, len(d.vars))
	for i, v := range d.vars {
		fields = append(fields, nbt.Entry{Name: string(v.key), Value: textValue(v.value)})
		some, private[i] = some|v.private, v.private
	}
	out := nbt.Entries{{Name: tagFields, Value: fields}}
	if some != 0 {
		out = append(out, nbt.Entry{Name: tagPrivate, Value: private})
	}
	if string(d.inventory) != endInventory {
		out = append(out, nbt.Entry{Name: tagInventory, Value: textValue(d.inventory)})
	}
	return out
}

// addNode adds the metadata or the timer of a node that an object has.
func (m *mapBlock) addNode(node uint16, payload []byte) error {
	e, err := entriesOf(payload)
	if err != nil {
		return err
	}
	if t, _ := e.Get(tagTimer).([]int32); len(t) == 2 {
		m.timers = append(m.timers, timer{node, t[0], t[1]})
		return nil
	}
	fields, ok := e.Get(tagFields).(nbt.Entries)
	if !ok {
		return errNotOurs
	}
	d := metadata{node: node, inventory: []byte(endInventory)}
	if text := textOf(e.Get(tagInventory)); text != nil {
		d.inventory = text
	}
	ok = inventorySize(d.inventory) == len(d.inventory)
	private := textOf(e.Get(tagPrivate))
	for i, f := range fields {
		v := variable{key: []byte(f.Name), value: textOf(f.Value)}
		if ok = ok && v.value != nil; i < len(private) {
			v.private = private[i]
		}
		d.vars = append(d.vars, v)
	}
	if !ok {
		return errNotOurs
	}
	m.meta = append(m.meta, d)
	return nil
}

// perNode is the parts of a node in the position of a static object.
const perNode = 10_000

// object returns the object for a static object that the map block at pos has.
func (s *static) object(pos blockPos) voxel.Object {
	var at [3]int
	offset := make([]int32, 3)
	for i, v := range s.pos {
		at[i] = geom.FloorDiv(int(v)+perNode/2, perNode)
		offset[i] = int32(int(v) - at[i]*perNode)
	}
	p := geom.Point{X: at[0], Y: at[1], Z: at[2]}
	out := nbt.Entries{{Name: tagType, Value: int8(s.kind)}}
	if offset[0]|offset[1]|offset[2] != 0 {
		out = append(out, nbt.Entry{Name: tagOffset, Value: offset})
	}
	if p.Y>>4 != int(pos.y) {
		out = append(out, nbt.Entry{Name: tagBlock, Value: pos.y})
	}
	out = append(out, nbt.Entry{Name: tagData, Value: textValue(s.data)})
	return voxel.Object{Place: voxel.Moved, At: p, Payload: payloadOf(out)}
}

// staticOf is the inverse of object. It returns the height of the map block too.
func staticOf(o voxel.Object) (s static, y int32, err error) {
	e, err := entriesOf(o.Payload)
	kind, _ := e.Get(tagType).(int8)
	offset, _ := e.Get(tagOffset).([]int32)
	offset = append(offset, 0, 0, 0)
	s = static{kind: uint8(kind), data: textOf(e.Get(tagData))}
	for i, at := range []int{o.At.X, o.At.Y, o.At.Z} {
		at = at*perNode + int(offset[i])
		if s.pos[i] = int32(at); int(s.pos[i]) != at {
			err = errNotOurs
		}
	}
	if s.data == nil || len(s.data) > math.MaxUint16 {
		err = errNotOurs
	}
	y, ok := e.Get(tagBlock).(int32)
	if !ok {
		y = int32(o.At.Y >> 4)
	}
	return s, y, err
}

// kept is what is kept of a map block beside its cells and objects: its header, or all of it.
type kept struct{ head, stored []byte }

// entries returns the entries for what is kept.
func (k kept) entries() (e nbt.Entries) {
	if k.head != nil {
		e = append(e, nbt.Entry{Name: tagHeader, Value: k.head})
	}
	if k.stored != nil {
		e = append(e, nbt.Entry{Name: tagStored, Value: k.stored})
	}
	return e
}

// keptOf is the inverse of entries.
func keptOf(e nbt.Entries) (k kept) {
	k.head, _ = e.Get(tagHeader).([]byte)
	k.stored, _ = e.Get(tagStored).([]byte)
	return k
}

// bytes returns a header as it is kept.
func (h header) bytes() []byte {
	be := binary.BigEndian
	return append(be.AppendUint32(be.AppendUint16([]byte{h.version, h.flags}, h.lighting), h.timestamp), h.metadata)
}

// headerOf is the inverse of bytes.
func headerOf(b []byte) (h header, err error) {
	c := cursor.New(b, tagHeader)
	h.version = uint8(c.Within(int64(c.Byte()), minVersion, maxVersion))
	h.flags, h.lighting, h.timestamp, h.metadata = c.Byte(), c.Big16(), c.Big32(), c.Byte()
	return h, c.End()
}
