package luanti

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

// edge is the edge of a map block in nodes; a map block has blockNodes, index z*256 + y*16 + x.
const (
	edge       = 16
	blockNodes = edge * edge * edge
)

// header is what a map block says of itself.
type header struct {
	version   uint8
	flags     uint8
	lighting  uint16 // which borders light has crossed
	timestamp uint32
	metadata  uint8 // version of the metadata
}

// The usual values of a header. A flag says that the two lights of a node differ.
const (
	flagDayDiffers = 2
	allLit         = 0xFFFF
	noTime         = 0xFFFFFFFF
)

// mapBlock is a map block as it is stored. Slices of one that was read are those of what it was read of.
type mapBlock struct {
	header
	names   []nodeName
	nodes   []byte // 4 for each: u16 ids, then param1, then param2
	meta    []metadata
	statics []static
	timers  []timer
	size    int // bytes, unpacked
}

type nodeName struct {
	id   uint16
	name []byte
}

// metadata is that of one node: variables, and an inventory as text.
type metadata struct {
	node      uint16
	vars      []variable
	inventory []byte
}

type variable struct {
	key, value []byte
	private    uint8
}

// static is an object that the game keeps while nobody is near. pos is in 10,000 parts of a node.
type static struct {
	kind uint8
	pos  [3]int32
	data []byte
}

// timer is that of a node, in milliseconds.
type timer struct {
	node             uint16
	timeout, elapsed int32
}

// hasLighting reports whether map blocks of a version say how far light is.
func hasLighting(version uint8) bool { return version >= 27 }

// hasPrivate reports whether variables may be private in map blocks of a version.
func hasPrivate(version uint8) bool { return version >= 28 }

// usual returns the header that such map blocks have mostly.
func (m *mapBlock) usual(version uint8) header {
	h := header{version: version, lighting: allLit, timestamp: noTime}
	for _, light := range m.nodes[2*blockNodes : 3*blockNodes] {
		if light>>4 != light&15 {
			h.flags = flagDayDiffers
			break
		}
	}
	if len(m.meta) > 0 {
		h.metadata = 1
		if hasPrivate(m.version) {
			h.metadata = 2
		}
	}
	return h
}

// decode reads a map block. Offsets of errors are those in the bytes, or in what they or a part of them unpack to.
func (p *packer) decode(b []byte, m *mapBlock) (err error) {
	*m = mapBlock{header: header{lighting: allLit}, size: len(b)}
	c := cursor.New(b, "header")
	if m.version = c.Byte(); c.Err() == nil && (m.version < minVersion || m.version > maxVersion) {
		return corrupt(0, "header", fmt.Errorf("version %d; cairn reads %d to %d", m.version, minVersion, maxVersion))
	}
	whole := m.version == 29
	if whole {
		if b, err = p.unzstd(b[1:]); err != nil {
			return corrupt(1, "zstd", err)
		}
		c, m.size = cursor.New(b, "header"), len(b)
	}
	m.flags = c.Byte()
	if hasLighting(m.version) {
		m.lighting = c.Big16()
	}
	if whole {
		m.readNames(&c)
	}
	c.Part("nodes")
	c.Within(int64(c.Byte()), 2, 2) // bytes of an id
	c.Within(int64(c.Byte()), 2, 2) // bytes of parameters
	if whole {
		m.nodes = c.Bytes(4 * blockNodes)
		m.readMetadata(&c, b)
	} else {
		unpack := func(part string) (cursor.Cursor, []byte) {
			c.Part(part)
			out, n, err := p.unzlib(b[c.Offset():])
			if err != nil {
				c.Fail(err)
			}
			c.Bytes(n)
			m.size += len(out)
			return cursor.New(out, part), out
		}
		nodes, _ := unpack("nodes")
		m.nodes = nodes.Bytes(4 * blockNodes)
		meta, text := unpack("metadata")
		m.readMetadata(&meta, text)
		if err := cmp.Or(c.Err(), nodes.End(), meta.End()); err != nil {
			return err
		}
	}
	m.readStatics(&c)
	if !whole {
		m.readNames(&c)
	}
	c.Part("timers")
	c.Within(int64(c.Byte()), 10, 10) // bytes of a timer
	for n := c.Big16(); n > 0 && c.Err() == nil; n-- {
		m.timers = append(m.timers, timer{readNode(&c), int32(c.Big32()), int32(c.Big32())})
	}
	return c.End()
}

func (m *mapBlock) readNames(c *cursor.Cursor) {
	c.Part("names")
	m.timestamp = c.Big32()
	c.Within(int64(c.Byte()), 0, 0) // version
	for n := c.Big16(); n > 0 && c.Err() == nil; n-- {
		m.names = append(m.names, nodeName{c.Big16(), c.Bytes(int(c.Big16()))})
	}
}

// readNode reads the number of a node.
func readNode(c *cursor.Cursor) uint16 { return uint16(c.Within(int64(c.Big16()), 0, blockNodes-1)) }

// readMetadata reads metadata from c, a cursor over b.
func (m *mapBlock) readMetadata(c *cursor.Cursor, b []byte) {
	c.Part("metadata")
	m.metadata = uint8(c.Within(int64(c.Byte()), 0, 2))
	if m.metadata == 0 {
		return
	}
	for n := c.Big16(); n > 0 && c.Err() == nil; n-- {
		d := metadata{node: readNode(c)}
		for k := c.Big32(); k > 0 && c.Err() == nil; k-- {
			v := variable{key: c.Bytes(int(c.Big16()))}
			if !isText(v.key) {
				c.Fail(errors.New("a key that is no text"))
			}
			v.value = c.Bytes(int(c.Big32()))
			if m.metadata == 2 {
				v.private = c.Byte()
			}
			d.vars = append(d.vars, v)
		}
		d.inventory = c.Bytes(inventorySize(b[c.Offset():]))
		m.meta = append(m.meta, d)
	}
}

func (m *mapBlock) readStatics(c *cursor.Cursor) {
	c.Part("static objects")
	c.Within(int64(c.Byte()), 0, 0) // version
	for n := c.Big16(); n > 0 && c.Err() == nil; n-- {
		s := static{kind: c.Byte()}
		for i := range s.pos {
			s.pos[i] = int32(c.Big32())
		}
		s.data = c.Bytes(int(c.Big16()))
		m.statics = append(m.statics, s)
	}
}

// endInventory ends the text of an inventory. An inventory without lists is this line alone.
const endInventory = "EndInventory\n"

// inventorySize returns the bytes of the lines up to the one that ends an inventory, -1 if there is none.
func inventorySize(b []byte) int {
	if bytes.HasPrefix(b, []byte(endInventory)) {
		return len(endInventory)
	}
	i := bytes.Index(b, []byte("\n"+endInventory))
	if i < 0 {
		return -1
	}
	return i + 1 + len(endInventory)
}

// encode returns a map block.
func (p *packer) encode(m *mapBlock) []byte {
	b := []byte{m.flags}
	if hasLighting(m.version) {
		b = binary.BigEndian.AppendUint16(b, m.lighting)
	}
	meta := m.appendMetadata(nil)
	if m.version == 29 {
		b = append(append(append(m.appendNames(b), 2, 2), m.nodes...), meta...)
		return p.enc.EncodeAll(m.appendTimers(m.appendStatics(b)), []byte{m.version})
	}
	b = p.appendZlib(p.appendZlib(append(b, 2, 2), m.nodes), meta)
	return append([]byte{m.version}, m.appendTimers(m.appendNames(m.appendStatics(b)))...)
}

func (m *mapBlock) appendNames(b []byte) []byte {
	be := binary.BigEndian
	b = append(be.AppendUint32(b, m.timestamp), 0)
	b = be.AppendUint16(b, uint16(len(m.names)))
	for _, n := range m.names {
		b = appendShort(be.AppendUint16(b, n.id), n.name)
	}
	return b
}

// appendShort appends a text behind its length in two bytes.
func appendShort(b, text []byte) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(text))), text...)
}

func (m *mapBlock) appendMetadata(b []byte) []byte {
	be := binary.BigEndian
	if b = append(b, m.metadata); m.metadata == 0 {
		return b
	}
	b = be.AppendUint16(b, uint16(len(m.meta)))
	for _, d := range m.meta {
		b = be.AppendUint32(be.AppendUint16(b, d.node), uint32(len(d.vars)))
		for _, v := range d.vars {
			b = be.AppendUint32(appendShort(b, v.key), uint32(len(v.value)))
			if b = append(b, v.value...); m.metadata == 2 {
				b = append(b, v.private)
			}
		}
		b = append(b, d.inventory...)
	}
	return b
}

func (m *mapBlock) appendStatics(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint16(append(b, 0), uint16(len(m.statics)))
	for _, s := range m.statics {
		b = append(b, s.kind)
		for _, v := range s.pos {
			b = be.AppendUint32(b, uint32(v))
		}
		b = appendShort(b, s.data)
	}
	return b
}

func (m *mapBlock) appendTimers(b []byte) []byte {
	be := binary.BigEndian
	b = be.AppendUint16(append(b, 10), uint16(len(m.timers)))
	for _, t := range m.timers {
		b = be.AppendUint32(be.AppendUint32(be.AppendUint16(b, t.node), uint32(t.timeout)), uint32(t.elapsed))
	}
	return b
}
