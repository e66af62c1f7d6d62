package hytale

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/format"
)

// The types of BSON elements that have a meaning here. Source: bsonspec.org, version 1.1.
const (
	bsonDouble   = 0x01
	bsonString   = 0x02
	bsonDocument = 0x03
	bsonArray    = 0x04
	bsonBinary   = 0x05
	bsonBool     = 0x08
	bsonInt32    = 0x10
	bsonInt64    = 0x12
)

// maxDepth bounds how deep documents lie in each other. Of NBT, package tags takes apart 64 levels.
const maxDepth = 60

// element is a member of a BSON document. Its name and value are slices of the document.
type element struct {
	kind  byte
	name  []byte
	value []byte
	at    int // offset of value in the whole document
}

// elements reads a BSON document element by element, in order. After the last one, or an error, next
// returns false.
type elements struct {
	b   []byte // from the next element to the closing 0
	at  int    // offset of b in the whole document
	err error
}

// elementsOf begins to read the document in b, which is b's whole length. at is its offset in the
// whole document.
func elementsOf(b []byte, at int) elements {
	n, err := documentSize(b)
	switch {
	case err != nil:
		return elements{err: corrupt(at, "bson", err)}
	case n != len(b):
		return elements{err: corrupt(at, "bson", fmt.Errorf("a document of %d bytes in %d", n, len(b)))}
	}
	return elements{b: b[4:], at: at + 4}
}

// documentSize returns the length that the document at the start of b says, which b has.
func documentSize(b []byte) (int, error) {
	if len(b) < 5 {
		return 0, io.ErrUnexpectedEOF
	}
	n := int(int32(binary.LittleEndian.Uint32(b)))
	switch {
	case n < 5:
		return 0, fmt.Errorf("a document of %d bytes", n)
	case n > len(b):
		return 0, fmt.Errorf("a document of %d bytes in %d: %w", n, len(b), io.ErrUnexpectedEOF)
	case b[n-1] != 0:
		return 0, errors.New("a document that does not end with 0")
	}
	return n, nil
}

func (d *elements) next() (e element, ok bool) {
	if d.err != nil || len(d.b) == 1 {
		return e, false
	}
	e.kind = d.b[0]
	end := bytes.IndexByte(d.b[1:len(d.b)-1], 0)
	if end < 0 {
		return e, d.fail(errors.New("a name without end"))
	}
	e.name = d.b[1 : 1+end]
	rest := d.b[2+end : len(d.b)-1]
	n, err := valueSize(e.kind, rest)
	if err != nil {
		return e, d.fail(fmt.Errorf("%q: %w", e.name, err))
	}
	e.value, e.at = rest[:n:n], d.at+2+end
	d.b, d.at = d.b[2+end+n:], e.at+n
	return e, true
}

func (d *elements) fail(err error) bool {
	d.err = corrupt(d.at, "bson", err)
	return false
}

// checkDocument reports what is wrong with a document, or with one in it, down to depth of them. What reads a document after
// that need not bound its recursion.
func checkDocument(b []byte, at, depth int) error {
	if depth == 0 {
		return corrupt(at, "bson", fmt.Errorf("more than %d documents in each other", maxDepth))
	}
	d := elementsOf(b, at)
	for e, ok := d.next(); ok; e, ok = d.next() {
		if e.kind == bsonDocument || e.kind == bsonArray {
			if err := checkDocument(e.value, e.at, depth-1); err != nil {
				return err
			}
		}
	}
	return d.err
}

// valueSize returns the bytes of the value of that type at the start of b.
func valueSize(kind byte, b []byte) (int, error) {
	counted := func(more int) (int, error) {
		if len(b) < 4 {
			return 0, io.ErrUnexpectedEOF
		}
		n := int(int32(binary.LittleEndian.Uint32(b)))
		if n < 0 || n > len(b)-4-more {
			return 0, fmt.Errorf("a value of %d bytes: %w", n, io.ErrUnexpectedEOF)
		}
		return 4 + n + more, nil
	}
	n := 0
	switch kind {
	case bsonDocument, bsonArray:
		return documentSize(b)
	case bsonString, 0x0D, 0x0E:
		n, err := counted(0)
		if err == nil && (n == 4 || b[n-1] != 0) {
			err = errors.New("a string that does not end with 0")
		}
		return n, err
	case bsonBinary:
		return counted(1)
	case 0x0C:
		return counted(12)
	case 0x0B:
		for range 2 {
			end := bytes.IndexByte(b[n:], 0)
			if end < 0 {
				return 0, io.ErrUnexpectedEOF
			}
			n += end + 1
		}
	case 0x0F:
		if len(b) < 4 {
			return 0, io.ErrUnexpectedEOF
		}
		if n = int(int32(binary.LittleEndian.Uint32(b))); n < 4 {
			return 0, fmt.Errorf("a value of %d bytes", n)
		}
	case 0x06, 0x0A, 0x7F, 0xFF:
	case bsonBool:
		n = 1
	case bsonInt32:
		n = 4
	case bsonDouble, 0x09, 0x11, bsonInt64:
		n = 8
	case 0x07:
		n = 12
	case 0x13:
		n = 16
	default:
		return 0, fmt.Errorf("a value of unknown type %#x", kind)
	}
	if n > len(b) {
		return 0, io.ErrUnexpectedEOF
	}
	return n, nil
}

// binaryOf returns the bytes of a value of type bsonBinary and its subtype.
func binaryOf(value []byte) (b []byte, subtype byte) { return value[5:], value[4] }

// appendElement appends type and name of an element, whose value must follow.
func appendElement[S string | []byte](dst []byte, kind byte, name S) []byte {
	return append(append(append(dst, kind), name...), 0)
}

// beginDocument appends the beginning of a document, which endDocument closes.
func beginDocument(dst []byte) (grown []byte, at int) { return append(dst, 0, 0, 0, 0), len(dst) }

// endDocument closes the document that begins at at.
func endDocument(dst []byte, at int) []byte {
	dst = append(dst, 0)
	binary.LittleEndian.PutUint32(dst[at:], uint32(len(dst)-at))
	return dst
}

// appendBinary appends a value of type bsonBinary with subtype 0.
func appendBinary(dst, b []byte) []byte {
	return append(append(binary.LittleEndian.AppendUint32(dst, uint32(len(b))), 0), b...)
}

// isIndex reports whether name is how an array's element i is called.
func isIndex(name []byte, i int) bool {
	var buf [20]byte
	return bytes.Equal(name, strconv.AppendInt(buf[:0], int64(i), 10))
}

func corrupt(at int, part string, err error) error {
	return &format.CorruptError{Offset: int64(at), Part: part, Err: err}
}
