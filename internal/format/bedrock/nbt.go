package bedrock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

const maxDepth = 500 // of tags in each other; package nbt takes 512

// little turns NBT of Bedrock on disk, which is little-endian and has UTF-8, into that of Java.
type little struct {
	*cursor.Cursor
	dst []byte
}

// compound reads a compound with a root of no name and returns its payload.
func compound(c *cursor.Cursor) []byte {
	if head := c.Bytes(3); head != nil && [3]byte(head) != [3]byte{byte(nbt.Compound)} {
		c.Fail(errors.New("a root that is no compound without a name"))
	}
	l := little{Cursor: c}
	l.payload(nbt.Compound, 0)
	return l.dst
}

// number copies a number of that many bytes, and returns the lowest 32 bits.
func (l *little) number(size int) int {
	b := slices.Clone(l.Bytes(size))
	slices.Reverse(b)
	l.dst = append(l.dst, b...)
	v := uint32(0)
	for _, c := range b {
		v = v<<8 | uint32(c)
	}
	return int(int32(v))
}

func (l *little) text() {
	n := 0
	if b := l.Bytes(2); b != nil {
		n = int(binary.LittleEndian.Uint16(b))
	}
	s := string(l.Bytes(n))
	other := utf8.ValidString(s) && strings.ContainsFunc(s, func(r rune) bool { return r == 0 || r > math.MaxUint16 })
	switch {
	case !other: // the same in Java's form
		l.dst = append(binary.BigEndian.AppendUint16(l.dst, uint16(len(s))), s...)
	case len(s)*2 > math.MaxUint16: // which has at most twice the bytes
		l.Fail(fmt.Errorf("a text of %d bytes that Java's form cannot hold", len(s)))
	default:
		l.dst = nbt.AppendStringPayload(l.dst, s)
	}
}

func (l *little) payload(t nbt.Type, depth int) {
	if depth > maxDepth {
		l.Fail(fmt.Errorf("more than %d tags in each other", maxDepth))
		return
	}
	switch t {
	case nbt.Byte:
		l.number(1)
	case nbt.Short:
		l.number(2)
	case nbt.Int, nbt.Float:
		l.number(4)
	case nbt.Long, nbt.Double:
		l.number(8)
	case nbt.String:
		l.text()
	case nbt.Compound:
		for t := nbt.Type(l.number(1)); t != nbt.End && l.Err() == nil; t = nbt.Type(l.number(1)) {
			l.text()
			l.payload(t, depth+1)
		}
	case nbt.List:
		l.many(nbt.Type(l.number(1)), depth+1)
	case nbt.ByteArray:
		l.many(nbt.Byte, depth)
	case nbt.IntArray:
		l.many(nbt.Int, depth)
	case nbt.LongArray:
		l.many(nbt.Long, depth)
	default:
		l.Fail(fmt.Errorf("unknown %v", t))
	}
}

// many reads a count and so many payloads.
func (l *little) many(t nbt.Type, depth int) {
	n := l.number(4)
	if n > l.Left() || n > 0 && t == nbt.End || !t.Valid() {
		l.Fail(fmt.Errorf("%d elements of %v in %d bytes", n, t, l.Left()))
	}
	for range n {
		if l.Err() != nil {
			return
		}
		l.payload(t, depth)
	}
}

// javaEntry returns a palette entry {name, states, version}, or {name, val, version} of versions before 1.13, as one of Java,
// {Name, Properties}: numbers are texts, and bytes false and true. It is as it was if that cannot
// hold it, version and all.
func javaEntry(payload []byte) (java []byte, version int32) {
	var name, states []byte
	r := nbt.NewPayload(payload, nbt.Limits{})
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		switch {
		case string(key) == "name" && t == nbt.String && name == nil:
			name = r.Raw(t)
		case string(key) == "states" && t == nbt.Compound && states == nil:
			if states = javaStates(&r); states == nil {
				return payload, 0
			}
		case string(key) == "val" && t == nbt.Short && states == nil:
			states = nbt.AppendString(nil, "val", strconv.Itoa(int(r.Short())))
		case string(key) == "version" && t == nbt.Int && version == 0:
			version = r.Int()
		default:
			return payload, 0
		}
	}
	if len(states) > 0 {
		java = nbt.AppendEnd(append(nbt.AppendCompound(nil, "Properties"), states...))
	}
	return nbt.AppendEnd(append(nbt.AppendHeader(java, nbt.String, "Name"), name...)), version
}

// javaStates returns entries of texts, nil if they would not tell all. Texts that could be another type do not.
func javaStates(r *nbt.Reader) []byte {
	out := []byte{}
	for t, key := r.Next(); t != nbt.End; t, key = r.Next() {
		value := ""
		switch t {
		case nbt.Byte:
			b := r.Byte()
			if value = strconv.FormatBool(b == 1); b|1 != 1 {
				return nil
			}
		case nbt.Int:
			value = strconv.Itoa(int(r.Int()))
		case nbt.String:
			value = string(r.String())
			if _, err := strconv.Atoi(value); err == nil || value == "true" || value == "false" {
				return nil
			}
		default:
			return nil
		}
		out = append(binary.BigEndian.AppendUint16(nbt.AppendRawHeader(out, nbt.String, key), uint16(len(value))), value...)
	}
	return out
}
