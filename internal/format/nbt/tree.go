package nbt

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Value is a tag's payload as a Go value, for tests, dumps and small files. A tree
// takes up to about 20 bytes of memory for each byte of the document. The type of a
// tag is the Go type of its Value, in the order from Byte to LongArray: int8, int16,
// int32, int64, float32, float64, []byte, string, Items, Entries, []int32, []int64.
// Strings are WTF-8, as DecodeString returns them.
type Value any

// Entries is a compound in the document's order, with duplicates.
type Entries []Entry

// Entry is a named tag of a compound.
type Entry struct {
	Name  string
	Value Value
}

// Get returns the value of the first entry with that name, or nil.
func (e Entries) Get(name string) Value {
	for _, x := range e {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// Items is a list. All its values must be of type Elem.
type Items struct {
	Elem   Type
	Values []Value
	// length is the length that an empty list gave: 0 or less.
	length int32
}

// TypeOf returns the tag type of v. It panics if v is not a Value.
func TypeOf(v Value) Type {
	switch v.(type) {
	case int8:
		return Byte
	case int16:
		return Short
	case int32:
		return Int
	case int64:
		return Long
	case float32:
		return Float
	case float64:
		return Double
	case []byte:
		return ByteArray
	case string:
		return String
	case Items:
		return List
	case Entries:
		return Compound
	case []int32:
		return IntArray
	case []int64:
		return LongArray
	}
	panic(fmt.Sprintf("nbt: %T is no Value", v))
}

// Parse returns a whole document as a tree that shares no memory with doc. Append
// returns the same bytes. As in the game, bytes after the root's end are ignored,
// because some programs leave them there. Names and strings that DecodeString
// refuses are errors. An error is a *CorruptError.
func Parse(doc []byte, lim Limits) (name string, v Value, err error) {
	r := NewReader(doc, lim)
	t, raw := r.Root()
	name = r.decode(raw)
	v = r.value(t, r.depth)
	if err := r.Err(); err != nil {
		return "", nil, err
	}
	return name, v, nil
}

// decode decodes raw, which ends at the Reader's position.
func (r *Reader) decode(raw []byte) string {
	s, err := DecodeString(raw)
	if err != nil {
		c := err.(*CorruptError)
		r.fail(r.off-len(raw)+int(c.Offset), strings.TrimPrefix(c.Part, prefix), c.Err)
	}
	return s
}

func (r *Reader) value(t Type, depth int) Value {
	switch t {
	case Byte:
		return r.Byte()
	case Short:
		return r.Short()
	case Int:
		return r.Int()
	case Long:
		return r.Long()
	case Float:
		return r.Float()
	case Double:
		return r.Double()
	case ByteArray:
		return append([]byte{}, r.ByteArray()...)
	case String:
		return r.decode(r.String())
	case List:
		return r.items(depth - 1)
	case Compound:
		return r.entries(depth - 1)
	case IntArray:
		return ints(r.IntArray())
	case LongArray:
		return longs(r.LongArray())
	}
	return nil // after an error
}

func ints(b []byte) []int32 {
	v := make([]int32, len(b)/4)
	for i := range v {
		v[i] = int32(binary.BigEndian.Uint32(b[4*i:]))
	}
	return v
}

func longs(b []byte) []int64 {
	v := make([]int64, len(b)/8)
	for i := range v {
		v[i] = int64(binary.BigEndian.Uint64(b[8*i:]))
	}
	return v
}

func (r *Reader) items(depth int) Value {
	if depth < 0 {
		r.failDepth(r.off, List)
	}
	end := r.list(r.off)
	if end < 0 {
		return nil
	}
	elem, n := listHeader(r.doc[r.off:])
	r.off = end
	if n <= 0 {
		return Items{Elem: elem, length: int32(n)}
	}
	v := Items{Elem: elem, Values: make([]Value, n)}
	for i := 0; i < n && r.err == nil; i++ {
		v.Values[i] = r.value(elem, depth)
	}
	return v
}

func (r *Reader) entries(depth int) Value {
	if depth < 0 {
		r.failDepth(r.off, Compound)
	}
	var v Entries
	for t, raw := r.Next(); t != End; t, raw = r.Next() {
		v = append(v, Entry{r.decode(raw), r.value(t, depth)})
	}
	return v
}

// Append appends an entry or a whole document with that name and value. It panics if
// v is not a Value, or if a list holds a value of another type.
func Append(dst []byte, name string, v Value) []byte {
	return appendValue(AppendHeader(dst, TypeOf(v), name), v)
}

func appendValue(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case int8:
		return append(dst, byte(v))
	case int16:
		return binary.BigEndian.AppendUint16(dst, uint16(v))
	case int32:
		return binary.BigEndian.AppendUint32(dst, uint32(v))
	case int64:
		return binary.BigEndian.AppendUint64(dst, uint64(v))
	case float32:
		return binary.BigEndian.AppendUint32(dst, math.Float32bits(v))
	case float64:
		return binary.BigEndian.AppendUint64(dst, math.Float64bits(v))
	case []byte:
		return appendBytes(dst, v)
	case string:
		return AppendStringPayload(dst, v)
	case Items:
		return appendItems(dst, v)
	case Entries:
		for _, e := range v {
			dst = Append(dst, e.Name, e.Value)
		}
		return AppendEnd(dst)
	case []int32:
		return appendInts(dst, v)
	}
	return appendLongs(dst, v.([]int64))
}

func appendItems(dst []byte, v Items) []byte {
	n := len(v.Values)
	if n == 0 {
		n = int(v.length)
	}
	dst = AppendListPayload(dst, v.Elem, n)
	for i, x := range v.Values {
		if t := TypeOf(x); t != v.Elem {
			panic(fmt.Sprintf("nbt: value %d of a list of type %v is of type %v", i, v.Elem, t))
		}
		dst = appendValue(dst, x)
	}
	return dst
}
