package tags_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// maker makes documents up.
type maker struct{ *rand.Rand }

func newMaker(seed uint64) *maker { return &maker{rand.New(rand.NewPCG(seed, 1))} }

var names = []string{"id", "Items", "Slot", "Count", "", "not a word", "tag", "minecraft:full", "x"}

func (m *maker) name() string { return names[m.IntN(len(names))] }

func (m *maker) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(m.IntN(256))
	}
	return b
}

func (m *maker) string() string {
	switch m.IntN(6) {
	case 0:
		return string(m.bytes(m.IntN(9)))
	case 1:
		return base64.StdEncoding.EncodeToString(m.bytes(20))
	case 2:
		return base64.StdEncoding.EncodeToString(fmt.Appendf(nil, `{"n":%d,"text":"of some length"}`, m.IntN(3)))
	case 3:
		return "minecraft:" + m.name()
	}
	return m.name()
}

// payload appends the payload of a tag of type t.
func (m *maker) payload(dst []byte, t nbt.Type, depth int) []byte {
	fixed := map[nbt.Type]int{nbt.Byte: 1, nbt.Short: 2, nbt.Int: 4, nbt.Float: 4, nbt.Long: 8, nbt.Double: 8}
	switch t {
	case nbt.String:
		s := m.string()
		return append(append(dst, byte(len(s)>>8), byte(len(s))), s...)
	case nbt.ByteArray, nbt.IntArray, nbt.LongArray:
		n := m.IntN(4)
		dst = append(dst, 0, 0, 0, byte(n))
		return append(dst, m.bytes(n*map[nbt.Type]int{nbt.ByteArray: 1, nbt.IntArray: 4, nbt.LongArray: 8}[t])...)
	case nbt.List:
		elem, n := nbt.Type(m.IntN(13)), m.IntN(5)
		if elem == nbt.End || depth == 0 {
			n = -m.IntN(2)
		}
		dst = nbt.AppendListPayload(dst, elem, n)
		for range n {
			dst = m.payload(dst, elem, depth-1)
		}
		return dst
	case nbt.Compound:
		for range m.IntN(6) {
			t := nbt.Type(1 + m.IntN(12))
			if depth == 0 && (t == nbt.List || t == nbt.Compound) {
				t = nbt.Int
			}
			dst = m.payload(nbt.AppendHeader(dst, t, m.name()), t, depth-1)
		}
		return nbt.AppendEnd(dst)
	}
	return append(dst, m.bytes(fixed[t])...)
}

func (m *maker) compound() []byte { return m.payload(nil, nbt.Compound, 4) }

// document makes a whole document.
func (m *maker) document() []byte {
	t := nbt.Type(1 + m.IntN(12))
	return m.payload(nbt.AppendHeader(nil, t, m.name()), t, 4)
}

// chest makes a block entity with loot.
func (m *maker) chest() []byte {
	b := nbt.AppendString(nil, "id", "minecraft:chest")
	b = nbt.AppendByte(b, "keepPacked", 0)
	n := m.IntN(9)
	b = nbt.AppendList(b, "Items", nbt.Compound, n)
	for range n {
		b = nbt.AppendByte(b, "Slot", int8(m.IntN(27)))
		b = nbt.AppendString(b, "id", []string{"minecraft:arrow", "minecraft:bread", "minecraft:iron_ingot", "minecraft:oak_planks"}[m.IntN(4)])
		b = nbt.AppendByte(b, "Count", int8(1+m.IntN(16)))
		b = nbt.AppendEnd(b)
	}
	return nbt.AppendEnd(b)
}
