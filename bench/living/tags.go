package living

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// The tags of NBT.
const (
	tByte = iota + 1
	tShort
	tInt
	tLong
	tFloat
	tDouble
	tBytes
	tString
	tList
	tCompound
	tInts
	tLongs
)

// value is one tag: a number as its bits, a text or an array as its bytes, a list or a compound. The
// package reads and writes tags itself, so that its comparison shares nothing with what it checks.
type value struct {
	kind  byte
	bits  uint64
	bytes []byte // of a string or an array, as stored, without its length
	item  byte   // of a list: the kind of its items
	items []*value
	tags  []named // of a compound, in order
}

// named is a tag of a compound.
type named struct {
	name string
	*value
}

func number(kind byte, n int64) *value { return &value{kind: kind, bits: uint64(n)} }
func text(s string) *value             { return &value{kind: tString, bytes: []byte(s)} }
func list(item byte, all ...*value) *value {
	return &value{kind: tList, item: item, items: all}
}
func compound(tags ...named) *value { return &value{kind: tCompound, tags: tags} }

// get returns a tag of a compound, or nil.
func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for i := range v.tags {
		if v.tags[i].name == name {
			return v.tags[i].value
		}
	}
	return nil
}

// set replaces a tag of a compound, or adds one at its end.
func (v *value) set(name string, to *value) {
	for i := range v.tags {
		if v.tags[i].name == name {
			v.tags[i].value = to
			return
		}
	}
	v.tags = append(v.tags, named{name, to})
}

func (v *value) remove(name string) {
	v.tags = slices.DeleteFunc(v.tags, func(t named) bool { return t.name == name })
}

// int returns a number of any integer kind, 0 for nil.
func (v *value) int() int64 {
	if v == nil {
		return 0
	}
	switch v.kind {
	case tByte:
		return int64(int8(v.bits))
	case tShort:
		return int64(int16(v.bits))
	case tInt:
		return int64(int32(v.bits))
	}
	return int64(v.bits)
}

func (v *value) longs() []uint64 {
	out := make([]uint64, len(v.bytes)/8)
	for i := range out {
		out[i] = binary.BigEndian.Uint64(v.bytes[8*i:])
	}
	return out
}

func longs(all []uint64) *value {
	v := &value{kind: tLongs}
	for _, n := range all {
		v.bytes = binary.BigEndian.AppendUint64(v.bytes, n)
	}
	return v
}

// parse reads a document. What does not parse is an error.
func parse(doc []byte) (name string, v *value, err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("living: %d bytes that are no tags", len(doc))
		}
	}()
	p := &parser{doc}
	kind := p.take(1)[0]
	name = string(p.take(int(p.number(2))))
	return name, p.value(kind), nil
}

type parser struct{ rest []byte }

func (p *parser) take(n int) []byte {
	b := p.rest[:n:n]
	p.rest = p.rest[n:]
	return b
}

func (p *parser) number(size int) (n uint64) {
	for _, b := range p.take(size) {
		n = n<<8 | uint64(b)
	}
	return n
}

// sizes of numbers, and of the elements of arrays.
var sizes = [...]int{tByte: 1, tShort: 2, tInt: 4, tLong: 8, tFloat: 4, tDouble: 8, tBytes: 1, tInts: 4, tLongs: 8}

func (p *parser) value(kind byte) *value {
	v := &value{kind: kind}
	switch kind {
	case tBytes, tInts, tLongs:
		v.bytes = p.take(int(p.number(4)) * sizes[kind])
	case tString:
		v.bytes = p.take(int(p.number(2)))
	case tList:
		v.item = p.take(1)[0]
		for range int32(p.number(4)) {
			v.items = append(v.items, p.value(v.item))
		}
	case tCompound:
		for k := p.take(1)[0]; k != 0; k = p.take(1)[0] {
			name := string(p.take(int(p.number(2))))
			v.tags = append(v.tags, named{name, p.value(k)})
		}
	default:
		v.bits = p.number(sizes[kind])
	}
	return v
}

func document(name string, v *value) []byte {
	b := append([]byte{v.kind, byte(len(name) >> 8), byte(len(name))}, name...)
	return v.append(b, false)
}

// append appends the payload of a tag. sorted puts the tags of compounds into the order of their names.
func (v *value) append(b []byte, sorted bool) []byte {
	switch v.kind {
	case tBytes, tInts, tLongs:
		b = binary.BigEndian.AppendUint32(b, uint32(len(v.bytes)/sizes[v.kind]))
		return append(b, v.bytes...)
	case tString:
		return append(binary.BigEndian.AppendUint16(b, uint16(len(v.bytes))), v.bytes...)
	case tList:
		b = binary.BigEndian.AppendUint32(append(b, v.item), uint32(len(v.items)))
		for _, item := range v.items {
			b = item.append(b, sorted)
		}
		return b
	case tCompound:
		tags := v.tags
		if sorted {
			tags = slices.Clone(tags)
			slices.SortStableFunc(tags, func(x, y named) int { return cmp.Compare(x.name, y.name) })
		}
		for _, t := range tags {
			b = binary.BigEndian.AppendUint16(append(b, t.kind), uint16(len(t.name)))
			b = t.append(append(b, t.name...), sorted)
		}
		return append(b, 0)
	}
	n := sizes[v.kind]
	return append(b, binary.BigEndian.AppendUint64(nil, v.bits)[8-n:]...)
}

// canonical returns a document that is the same for equal tags, in whatever order compounds have them.
func canonical(doc []byte) ([]byte, error) {
	name, v, err := parse(doc)
	if err != nil {
		return nil, err
	}
	return v.append([]byte(name+"\x00"), true), nil
}

func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func gzipped(b []byte) []byte {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, _ = w.Write(b) // to memory
	_ = w.Close()
	return out.Bytes()
}
