package nbt

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// Reader walks one document in memory. It allocates only for errors. Each []byte
// that it returns is a slice of the document. The caller reads each payload by the
// type that Root, Next or List returned:
//
//	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
//		switch string(name) {
//		case "DataVersion":
//			version = r.Int()
//		default:
//			r.Skip(t)
//		}
//	}
//
// Errors stick: after one, every method returns zero values, so loops like this end,
// and Err returns the error. If a caller reads a payload as another type, the result
// is meaningless but never from beyond the document. Goroutines must not use a
// Reader at the same time.
type Reader struct {
	doc   []byte // empty after an error
	off   int
	depth int // limit of nesting
	err   *CorruptError
}

// NewReader returns a Reader at the root of doc. doc must not change while it is
// read.
func NewReader(doc []byte, lim Limits) Reader { return NewPayload(doc, lim) }

// NewPayload returns a Reader at the start of a payload without a header, such as
// Raw returns. The caller must know its type.
func NewPayload(payload []byte, lim Limits) Reader {
	lim = lim.resolve()
	r := Reader{doc: payload, depth: lim.Depth}
	if len(payload) > lim.Bytes {
		r.fail(0, "root", fmt.Errorf("%d bytes, above the limit of %d", len(payload), lim.Bytes))
	}
	return r
}

// Err returns the first error, a *CorruptError, or nil.
func (r *Reader) Err() error {
	if r.err == nil {
		return nil
	}
	return r.err
}

// Offset returns the number of bytes read. After an error it returns the error's
// offset.
func (r *Reader) Offset() int {
	if r.err != nil {
		return int(r.err.Offset)
	}
	return r.off
}

// Rest returns the number of bytes left. It returns 0 after an error.
func (r *Reader) Rest() int { return len(r.doc) - r.off }

// fail keeps the first error and empties the document, so all later reads fail. It
// returns -1 as a position.
func (r *Reader) fail(off int, part string, err error) int {
	if r.err == nil {
		r.err = &CorruptError{Offset: int64(off), Part: prefix + part, Err: err}
	}
	r.doc, r.off = nil, 0
	return -1
}

// take returns the next n bytes, or nil.
func (r *Reader) take(n int, t Type) []byte {
	if n > len(r.doc)-r.off {
		r.fail(r.off, t.String(), io.ErrUnexpectedEOF)
		return nil
	}
	p := r.off
	r.off += n
	return r.doc[p:r.off:r.off]
}

// Root reads the root's header: its type and raw name in modified UTF-8.
func (r *Reader) Root() (Type, []byte) {
	if len(r.doc) > 0 && r.doc[0] == byte(End) {
		r.fail(0, "root", fmt.Errorf("is of type %v", End))
	}
	return r.Next()
}

// Next reads the header of the next entry of a compound: its type and raw name in
// modified UTF-8. Type End closes the compound.
func (r *Reader) Next() (Type, []byte) {
	p := r.off
	if p >= len(r.doc) {
		r.fail(p, Compound.String(), io.ErrUnexpectedEOF)
		return End, nil
	}
	t := Type(r.doc[p])
	if t == End {
		r.off++
		return End, nil
	}
	if !t.Valid() {
		r.failType(p, t)
		return End, nil
	}
	if len(r.doc)-p < 3 {
		r.fail(p, "name", io.ErrUnexpectedEOF)
		return End, nil
	}
	end := p + 3 + int(binary.BigEndian.Uint16(r.doc[p+1:]))
	if end > len(r.doc) {
		r.fail(p, "name", io.ErrUnexpectedEOF)
		return End, nil
	}
	r.off = end
	return t, r.doc[p+3 : end : end]
}

func (r *Reader) failType(off int, t Type) int {
	return r.fail(off, Compound.String(), fmt.Errorf("entry of unknown %v", t))
}

// List reads the header of a list. n payloads of type elem follow. A list of
// negative length is empty. An empty list has an element type too.
func (r *Reader) List() (elem Type, n int) {
	p := r.list(r.off)
	if p < 0 {
		return End, 0
	}
	elem, n = listHeader(r.doc[r.off:])
	r.off = p
	return elem, max(n, 0)
}

func listHeader(b []byte) (Type, int) {
	return Type(b[0]), int(int32(binary.BigEndian.Uint32(b[1:5])))
}

// list checks the header of a list at p and returns the start of its elements, or
// -1.
func (r *Reader) list(p int) int {
	if len(r.doc)-p < 5 {
		return r.fail(p, List.String(), io.ErrUnexpectedEOF)
	}
	elem, n := listHeader(r.doc[p:])
	switch {
	case !elem.Valid():
		return r.fail(p, List.String(), fmt.Errorf("elements of unknown %v", elem))
	case n <= 0:
		return p + 5
	case elem == End:
		return r.fail(p, List.String(), fmt.Errorf("%d elements of type %v", n, End))
	case n > (len(r.doc)-p-5)/int(least[elem]):
		return r.fail(p, List.String(), fmt.Errorf("%d elements of type %v in %d bytes: %w", n, elem, len(r.doc)-p-5, io.ErrUnexpectedEOF))
	}
	return p + 5
}

// Byte reads the payload of a byte.
func (r *Reader) Byte() int8 {
	if b := r.take(1, Byte); b != nil {
		return int8(b[0])
	}
	return 0
}

// Short reads the payload of a short.
func (r *Reader) Short() int16 {
	if b := r.take(2, Short); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

// Int reads the payload of an int.
func (r *Reader) Int() int32 {
	if b := r.take(4, Int); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// Long reads the payload of a long.
func (r *Reader) Long() int64 {
	if b := r.take(8, Long); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// Float reads the payload of a float. It keeps the bits; a NaN keeps them if the
// processor does.
func (r *Reader) Float() float32 { return math.Float32frombits(uint32(r.Int())) }

// Double reads the payload of a double.
func (r *Reader) Double() float64 { return math.Float64frombits(uint64(r.Long())) }

// String reads the payload of a string: unchecked, raw modified UTF-8. DecodeString
// decodes it.
func (r *Reader) String() []byte {
	b := r.take(2, String)
	if b == nil {
		return nil
	}
	return r.take(int(binary.BigEndian.Uint16(b)), String)
}

// ByteArray reads the payload of a byte array.
func (r *Reader) ByteArray() []byte { return r.array(ByteArray, 1) }

// IntArray reads the payload of an int array: 4 bytes an int, big-endian.
func (r *Reader) IntArray() []byte { return r.array(IntArray, 4) }

// LongArray reads the payload of a long array: 8 bytes a long, big-endian.
func (r *Reader) LongArray() []byte { return r.array(LongArray, 8) }

func (r *Reader) array(t Type, size int) []byte {
	p, end := r.off, r.skipArray(r.off, t, size)
	if end < 0 {
		return nil
	}
	r.off = end
	return r.doc[p+4 : end : end]
}

// Skip skips the payload of a tag of type t and checks its types, lengths and depth,
// counted from t. It does not check modified UTF-8.
func (r *Reader) Skip(t Type) {
	if end := r.skip(t, r.off, r.depth); end >= 0 {
		r.off = end
	}
}

// Raw skips the payload of a tag of type t and returns its bytes.
func (r *Reader) Raw(t Type) []byte {
	p := r.off
	r.Skip(t)
	if r.err != nil {
		return nil
	}
	return r.doc[p:r.off:r.off]
}
