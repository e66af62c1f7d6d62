package nbt

import (
	"encoding/binary"
	"fmt"
	"io"
)

// These functions take the position p of a payload and return its end, or -1 after
// an error. depth is how many more levels of compounds and lists are allowed. It
// bounds the recursion.

func (r *Reader) skip(t Type, p, depth int) int {
	switch t {
	case Byte, Short, Int, Long, Float, Double:
		if end := p + int(fixed[t]); end <= len(r.doc) {
			return end
		}
		return r.fail(p, t.String(), io.ErrUnexpectedEOF)
	case ByteArray, IntArray, LongArray:
		return r.skipArray(p, t, int(elemSize(t)))
	case String:
		return r.skipString(p)
	case List:
		return r.skipList(p, depth-1)
	case Compound:
		return r.skipCompound(p, depth-1)
	}
	return r.fail(p, "payload", fmt.Errorf("has %v", t))
}

func (r *Reader) skipString(p int) int {
	if len(r.doc)-p >= 2 {
		if end := p + 2 + int(binary.BigEndian.Uint16(r.doc[p:])); end <= len(r.doc) {
			return end
		}
	}
	return r.fail(p, String.String(), io.ErrUnexpectedEOF)
}

func (r *Reader) skipArray(p int, t Type, size int) int {
	if len(r.doc)-p < 4 {
		return r.fail(p, t.String(), io.ErrUnexpectedEOF)
	}
	n := int(int32(binary.BigEndian.Uint32(r.doc[p:])))
	switch {
	case n < 0:
		return r.fail(p, t.String(), fmt.Errorf("length %d", n))
	case n > (len(r.doc)-p-4)/size:
		return r.fail(p, t.String(), fmt.Errorf("length %d: %w", n, io.ErrUnexpectedEOF))
	}
	return p + 4 + n*size
}

func (r *Reader) skipList(p, depth int) int {
	end := r.list(p)
	if end < 0 {
		return -1
	}
	if depth < 0 {
		return r.failDepth(p, List)
	}
	elem, n := listHeader(r.doc[p:])
	if n <= 0 {
		return end
	}
	if size := int(fixed[elem]); size > 0 {
		return end + n*size // list has checked that they are there
	}
	for ; n > 0 && end >= 0; n-- {
		end = r.skip(elem, end, depth)
	}
	return end
}

func (r *Reader) failDepth(p int, t Type) int {
	return r.fail(p, t.String(), fmt.Errorf("more than %d deep", r.depth))
}

func (r *Reader) skipCompound(p, depth int) int {
	if depth < 0 {
		return r.failDepth(p, Compound)
	}
	doc := r.doc
	for p >= 0 && p < len(doc) {
		t := Type(doc[p])
		if t == End {
			return p + 1
		}
		if len(doc)-p < 3 {
			return r.fail(p, "name", io.ErrUnexpectedEOF)
		}
		if !t.Valid() {
			return r.failType(p, t)
		}
		q := p + 3 + int(binary.BigEndian.Uint16(doc[p+1:]))
		if q > len(doc) {
			return r.fail(p, "name", io.ErrUnexpectedEOF)
		}
		p = r.skip(t, q, depth)
	}
	if p < 0 {
		return -1
	}
	return r.fail(p, Compound.String(), io.ErrUnexpectedEOF)
}
