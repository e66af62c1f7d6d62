package tags

import "encoding/binary"

// Types of tags, as NBT numbers them.
const (
	tEnd byte = iota
	tByte
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
	numTypes
)

// width holds by type the bytes of a number or of an array's element.
const width = "\x00\x01\x02\x04\x08\x04\x08\x01\x00\x00\x00\x04\x08"

// least holds by type the least bytes of a payload.
const least = "\x00\x01\x02\x04\x08\x04\x08\x04\x02\x05\x01\x04\x04"

func isNumber(t byte) bool { return t >= tByte && t <= tDouble }
func isArray(t byte) bool  { return t == tBytes || t == tInts || t == tLongs }

// skip returns the end of the payload of type t at p, or -1 if it is malformed. p
// may be -1.
func skip(doc []byte, t byte, p, depth int) int {
	switch {
	case p < 0:
		return -1
	case isNumber(t):
		return within(doc, p+int(width[t]))
	case t == tString:
		if p = within(doc, p+2); p >= 0 {
			p = within(doc, p+int(binary.BigEndian.Uint16(doc[p-2:])))
		}
		return p
	case isArray(t):
		if p = within(doc, p+4); p >= 0 {
			n := int(int32(binary.BigEndian.Uint32(doc[p-4:])))
			if n < 0 || n > (len(doc)-p)/int(width[t]) {
				return -1
			}
			p += n * int(width[t])
		}
		return p
	case depth == 0:
		return -1
	case t == tList:
		return skipList(doc, p, depth-1)
	case t == tCompound:
		return skipCompound(doc, p, depth-1)
	}
	return -1
}

// within returns p, or -1 if p is beyond the end.
func within(doc []byte, p int) int {
	if p > len(doc) {
		return -1
	}
	return p
}

func skipList(doc []byte, p, depth int) int {
	if p = within(doc, p+5); p < 0 {
		return -1
	}
	t, n := listHead(doc, p-5)
	if t >= numTypes {
		return -1
	}
	if n <= 0 {
		return p
	}
	if t == tEnd || n > (len(doc)-p)/int(least[t]) {
		return -1
	}
	if isNumber(t) {
		return p + n*int(width[t])
	}
	for ; n > 0 && p >= 0; n-- {
		p = skip(doc, t, p, depth)
	}
	return p
}

func listHead(doc []byte, p int) (elem byte, n int) {
	return doc[p], int(int32(binary.BigEndian.Uint32(doc[p+1:])))
}

func skipCompound(doc []byte, p, depth int) int {
	for p >= 0 && p < len(doc) {
		if doc[p] == tEnd {
			return p + 1
		}
		t, q := doc[p], nameEnd(doc, p)
		p = skip(doc, t, q, depth)
	}
	return -1
}

// nameEnd returns the end of the header of the tag at p, or -1 if it is cut off.
func nameEnd(doc []byte, p int) int {
	if p = within(doc, p+3); p < 0 {
		return -1
	}
	return within(doc, p+int(binary.BigEndian.Uint16(doc[p-2:])))
}
