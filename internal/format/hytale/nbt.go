package hytale

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// rawName is the name of the one entry of a compound that stands for a BSON value that NBT has not: a byte array of its type
// and its bytes.
const rawName = "$bson"

// A visitor may take an element in place of the plain translation. It appends the tag for it and returns true. path is the
// names of the elements around it, joined by dots, with # for an element of an array.
type visitor func(dst []byte, path string, e element) (out []byte, taken bool, err error)

// appendNBT appends the entries of a BSON document, without the End tag.
func appendNBT(dst []byte, doc []byte, at int, path string, visit visitor) ([]byte, error) {
	d := elementsOf(doc, at)
	for e, ok := d.next(); ok; e, ok = d.next() {
		if !isText(e.name) {
			return nil, corrupt(e.at, "bson", fmt.Errorf("a name of %d bytes, or no UTF-8", len(e.name)))
		}
		var taken bool
		var err error
		if visit != nil {
			if dst, taken, err = visit(dst, path, e); err != nil {
				return nil, err
			}
			if taken {
				continue
			}
		}
		dst = nbt.AppendHeader(dst, typeOf(e), string(e.name))
		below := path
		if visit != nil {
			below = join(path, string(e.name))
		}
		if dst, err = appendPayload(dst, e, below, visit); err != nil {
			return nil, err
		}
	}
	return dst, d.err
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// isText reports whether NBT can hold a string as it is.
func isText(s []byte) bool { return utf8.Valid(s) && len(s) < math.MaxUint16/2 }

// typeOf returns the type of the tag for an element.
func typeOf(e element) nbt.Type {
	switch e.kind {
	case bsonDouble:
		return nbt.Double
	case bsonInt32:
		return nbt.Int
	case bsonInt64:
		return nbt.Long
	case bsonBool:
		if e.value[0] <= 1 {
			return nbt.Byte
		}
	case bsonString:
		if isText(e.value[4 : len(e.value)-1]) {
			return nbt.String
		}
	case bsonBinary:
		switch b, subtype := binaryOf(e.value); {
		case subtype == 0:
			return nbt.ByteArray
		case subtype == 4 && len(b) == 16:
			return nbt.IntArray
		}
	case bsonArray:
		if _, ok := elementType(e); ok {
			return nbt.List
		}
	}
	return nbt.Compound
}

// elementType returns the type of tags of an array's elements. ok is false if a list cannot hold them.
func elementType(e element) (t nbt.Type, ok bool) {
	d := elementsOf(e.value, e.at)
	n := 0
	for el, more := d.next(); more; el, more = d.next() {
		et := typeOf(el)
		if !isIndex(el.name, n) || n > 0 && et != t {
			return 0, false
		}
		t = et
		n++
	}
	return t, d.err == nil
}

// appendRaw appends the one entry of a compound that is an element as it is stored.
func appendRaw(dst []byte, e element) []byte {
	return nbt.AppendByteArray(dst, rawName, append([]byte{e.kind}, e.value...))
}

// isRaw reports whether the payload of a compound is of appendRaw.
func isRaw(payload []byte) bool {
	r := nbt.NewPayload(payload, nbt.Limits{})
	t, first := r.Next()
	return t == nbt.ByteArray && string(first) == rawName
}

// appendPayload appends the payload of the tag of typeOf(e).
func appendPayload(dst []byte, e element, path string, visit visitor) (_ []byte, err error) {
	le := binary.LittleEndian
	switch t := typeOf(e); t {
	case nbt.Double, nbt.Long:
		return binary.BigEndian.AppendUint64(dst, le.Uint64(e.value)), nil
	case nbt.Int:
		return binary.BigEndian.AppendUint32(dst, le.Uint32(e.value)), nil
	case nbt.Byte:
		return append(dst, e.value[0]), nil
	case nbt.String:
		return nbt.AppendStringPayload(dst, string(e.value[4:len(e.value)-1])), nil
	case nbt.ByteArray, nbt.IntArray:
		b, _ := binaryOf(e.value)
		n := len(b)
		if t == nbt.IntArray {
			n /= 4
		}
		return append(binary.BigEndian.AppendUint32(dst, uint32(n)), b...), nil
	case nbt.List:
		elem, _ := elementType(e)
		return appendList(dst, e, elem, path, visit)
	}
	if e.kind != bsonDocument || isMarked(e.value) {
		return nbt.AppendEnd(appendRaw(dst, e)), nil
	}
	if dst, err = appendNBT(dst, e.value, e.at, path, visit); err != nil {
		return nil, err
	}
	return nbt.AppendEnd(dst), nil
}

// isMarked reports whether a document would look like a value that NBT has not.
func isMarked(doc []byte) bool {
	d := elementsOf(doc, 0)
	e, ok := d.next()
	return ok && string(e.name) == rawName
}

func appendList(dst []byte, e element, elem nbt.Type, path string, visit visitor) (_ []byte, err error) {
	at := len(dst)
	dst = nbt.AppendListPayload(dst, elem, 0)
	n := 0
	d := elementsOf(e.value, e.at)
	for el, ok := d.next(); ok; el, ok = d.next() {
		if dst, err = appendPayload(dst, el, path+"#"+strconv.Itoa(n), visit); err != nil {
			return nil, err
		}
		n++
	}
	binary.BigEndian.PutUint32(dst[at+1:], uint32(n))
	return dst, d.err
}

// A filler may append the element for a tag in place of the plain translation, and returns true then. The payload lies in raw.
type filler func(dst []byte, path, name string, t nbt.Type, raw []byte) (out []byte, taken bool, err error)

var errNotOurs = errors.New("a tag that no BSON document of the game became")

// appendBSON appends a BSON document of the compound at r.
func appendBSON(dst []byte, r *nbt.Reader, path string, fill filler) (_ []byte, err error) {
	dst, at := beginDocument(dst)
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		key, err := nbt.DecodeString(name)
		if err == nil && strings.Contains(key, "\x00") {
			err = errNotOurs
		}
		if err != nil {
			return nil, err
		}
		if fill != nil {
			from := *r
			raw := r.Raw(t)
			var taken bool
			if dst, taken, err = fill(dst, path, key, t, raw); err != nil {
				return nil, err
			}
			if taken {
				continue
			}
			*r = from
		}
		below := path
		if fill != nil {
			below = join(path, key)
		}
		if dst, err = appendValue(dst, r, t, key, below, fill); err != nil {
			return nil, err
		}
	}
	return endDocument(dst, at), r.Err()
}

// appendValue appends the element of a name for the tag at r.
func appendValue(dst []byte, r *nbt.Reader, t nbt.Type, name, path string, fill filler) ([]byte, error) {
	le := binary.LittleEndian
	switch t {
	case nbt.Double:
		return le.AppendUint64(appendElement(dst, bsonDouble, name), uint64(math.Float64bits(r.Double()))), r.Err()
	case nbt.Long:
		return le.AppendUint64(appendElement(dst, bsonInt64, name), uint64(r.Long())), r.Err()
	case nbt.Int:
		return le.AppendUint32(appendElement(dst, bsonInt32, name), uint32(r.Int())), r.Err()
	case nbt.Byte:
		return append(appendElement(dst, bsonBool, name), byte(r.Byte())&1), r.Err()
	case nbt.String:
		s, err := nbt.DecodeString(r.String())
		if err != nil {
			return nil, err
		}
		dst = le.AppendUint32(appendElement(dst, bsonString, name), uint32(len(s)+1))
		return append(append(dst, s...), 0), r.Err()
	case nbt.ByteArray:
		return appendBinary(appendElement(dst, bsonBinary, name), r.ByteArray()), r.Err()
	case nbt.IntArray:
		b := r.IntArray()
		dst = append(le.AppendUint32(appendElement(dst, bsonBinary, name), uint32(len(b))), 4)
		return append(dst, b...), r.Err()
	case nbt.List:
		return appendArray(appendElement(dst, bsonArray, name), r, path, fill)
	case nbt.Compound:
		from := *r
		if t, first := r.Next(); t == nbt.ByteArray && string(first) == rawName {
			b := r.ByteArray()
			if t, _ := r.Next(); t != nbt.End || len(b) == 0 || r.Err() != nil {
				return nil, errNotOurs
			}
			if n, err := valueSize(b[0], b[1:]); err != nil || n != len(b)-1 {
				return nil, errNotOurs
			}
			return append(appendElement(dst, b[0], name), b[1:]...), nil
		}
		*r = from
		return appendBSON(appendElement(dst, bsonDocument, name), r, path, fill)
	}
	return nil, fmt.Errorf("%q: %w: %v", name, errNotOurs, t)
}

func appendArray(dst []byte, r *nbt.Reader, path string, fill filler) (_ []byte, err error) {
	dst, at := beginDocument(dst)
	elem, n := r.List()
	for i := range n {
		if dst, err = appendValue(dst, r, elem, strconv.Itoa(i), path+"#"+strconv.Itoa(i), fill); err != nil {
			return nil, err
		}
	}
	return endDocument(dst, at), r.Err()
}
