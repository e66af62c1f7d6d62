package luanti

import (
	"bytes"
	"errors"
	"fmt"
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
func (p *packer) decode(b []byte, m *mapBlock) error {
	c := &coder{b: b, part: "header"}
	*m = mapBlock{header: header{lighting: allLit}, size: len(b)}
	number(c, &m.version)
	if c.err == nil && (m.version < minVersion || m.version > maxVersion) {
		c.fail(0, fmt.Errorf("version %d; cairn reads %d to %d", m.version, minVersion, maxVersion))
	}
	if c.err == nil && m.version == 29 {
		body, err := p.unzstd(b[1:])
		if err != nil {
			return corrupt(1, "zstd", err)
		}
		c.b, c.off, m.size = body, 0, len(body)
	}
	m.code(c, p)
	return c.end()
}

// encode returns a map block.
func (p *packer) encode(m *mapBlock) []byte {
	c := &coder{writes: true}
	m.code(c, p)
	if m.version == 29 {
		return p.enc.EncodeAll(c.b, []byte{m.version})
	}
	return append([]byte{m.version}, c.b...)
}

// code codes what is behind the version.
func (m *mapBlock) code(c *coder, p *packer) {
	number(c, &m.flags)
	if hasLighting(m.version) {
		number(c, &m.lighting)
	}
	if m.version == 29 {
		m.codeNames(c)
	}
	c.part = "nodes"
	c.must(2, "bytes of an id")
	c.must(2, "bytes of parameters")
	nodes := func(c *coder) { c.bytes(&m.nodes, 4*blockNodes) }
	if m.version == 29 {
		nodes(c)
		m.codeMetadata(c)
	} else {
		m.size += p.packed(c, "nodes", nodes) + p.packed(c, "metadata", m.codeMetadata)
	}
	c.part = "static objects"
	c.must(0, "version")
	list(c, &m.statics, uint16(0), func(s *static) {
		number(c, &s.kind)
		for i := range s.pos {
			number(c, &s.pos[i])
		}
		text(c, &s.data, uint16(0))
	})
	if m.version < 29 {
		m.codeNames(c)
	}
	c.part = "timers"
	c.must(10, "bytes of a timer")
	list(c, &m.timers, uint16(0), func(t *timer) {
		codeNode(c, &t.node)
		number(c, &t.timeout)
		number(c, &t.elapsed)
	})
}

func (m *mapBlock) codeNames(c *coder) {
	c.part = "names"
	number(c, &m.timestamp)
	c.must(0, "version")
	list(c, &m.names, uint16(0), func(n *nodeName) {
		number(c, &n.id)
		text(c, &n.name, uint16(0))
	})
}

// codeNode codes the number of a node.
func codeNode(c *coder, n *uint16) {
	if number(c, n); *n >= blockNodes {
		c.fail(c.off-2, fmt.Errorf("node %d of %d", *n, blockNodes))
	}
}

func (m *mapBlock) codeMetadata(c *coder) {
	c.part = "metadata"
	if number(c, &m.metadata); m.metadata == 0 {
		return
	}
	if m.metadata > 2 {
		c.fail(c.off-1, fmt.Errorf("version %d; known are 0 to 2", m.metadata))
	}
	list(c, &m.meta, uint16(0), func(d *metadata) {
		codeNode(c, &d.node)
		list(c, &d.vars, uint32(0), func(v *variable) {
			at := c.off
			if text(c, &v.key, uint16(0)); !isText(v.key) {
				c.fail(at, errors.New("a key that is no text"))
			}
			text(c, &v.value, uint32(0))
			if m.metadata == 2 {
				number(c, &v.private)
			}
		})
		if c.err == nil {
			c.bytes(&d.inventory, c.inventory())
		}
	})
}

// endInventory ends the text of an inventory. An inventory without lists is this line alone.
const endInventory = "EndInventory\n"

// inventory returns the bytes of the lines up to the one that ends an inventory.
func (c *coder) inventory() int {
	if c.writes {
		return 0
	}
	rest := c.b[c.off:]
	if bytes.HasPrefix(rest, []byte(endInventory)) {
		return len(endInventory)
	}
	i := bytes.Index(rest, []byte("\n"+endInventory))
	if i < 0 {
		c.fail(c.off, errors.New("an inventory without end"))
	}
	return i + 1 + len(endInventory)
}
