package nbt

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// Stream walks one document that comes from a reader, such as one that inflates a file.
// It holds only the payloads that Raw returns, so the arrays of a document may be larger
// than memory. The caller reads each payload by the type that Root, Next or List
// returned, as with a Reader:
//
//	for t, name := s.Next(); t != nbt.End; t, name = s.Next() {
//		if t == nbt.ByteArray && string(name) == "BlockData" {
//			n := s.Array(t)
//			... // read n bytes
//		} else {
//			s.Skip(t)
//		}
//	}
//
// Errors stick, as those of a Reader do. Goroutines must not use a Stream at the same
// time.
type Stream struct {
	r    *bufio.Reader
	off  int64
	lim  Limits
	name []byte
	raw  []byte
	err  *CorruptError

	ended bool
}

// streamBuffer is the size of a Stream's buffer in bytes.
const streamBuffer = 64 << 10

// NewStream returns a Stream at the root of a document. lim.Bytes bounds one payload that
// Raw returns.
func NewStream(r io.Reader, lim Limits) *Stream {
	return &Stream{r: bufio.NewReaderSize(r, streamBuffer), lim: lim.resolve()}
}

// Err returns the first error, a *CorruptError, or nil.
func (s *Stream) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// Ended reports whether the reader ended, without an error of its own, where Next looked for an
// entry: only Ends are missing, or what would follow.
func (s *Stream) Ended() bool { return s.ended }

// Offset returns the number of bytes read.
func (s *Stream) Offset() int64 { return s.off }

// Fail makes err the error of the stream unless it has one. part is the tag.
func (s *Stream) Fail(part string, err error) {
	if s.err == nil {
		s.err = &CorruptError{Offset: s.off, Part: prefix + part, Err: err}
	}
}

// full reads len(b) bytes and reports whether it could.
func (s *Stream) full(b []byte, part string) bool {
	if s.err != nil {
		return false
	}
	n, err := io.ReadFull(s.r, b)
	s.off += int64(n)
	if err != nil {
		s.end(part, err)
	}
	return err == nil
}

// end keeps an error of the reader.
func (s *Stream) end(part string, err error) {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	s.Fail(part, err)
}

// Root reads the root's header: its type and raw name.
func (s *Stream) Root() (Type, []byte) {
	t, name := s.Next()
	if t == End {
		s.Fail("root", fmt.Errorf("is of type %v", End))
	}
	return t, name
}

// Next reads the header of the next entry of a compound: its type and raw name in
// modified UTF-8, which is valid until the next call. Type End closes the compound.
func (s *Stream) Next() (Type, []byte) {
	var b [3]byte
	if _, err := s.r.Peek(1); err == io.EOF && s.err == nil {
		s.ended = true
	}
	if !s.full(b[:1], Compound.String()) || b[0] == byte(End) {
		return End, nil
	}
	t := Type(b[0])
	if !t.Valid() {
		s.Fail(Compound.String(), fmt.Errorf("entry of unknown %v", t))
		return End, nil
	}
	if !s.full(b[1:], "name") {
		return End, nil
	}
	n := int(binary.BigEndian.Uint16(b[1:]))
	if cap(s.name) < n {
		s.name = make([]byte, n)
	}
	s.name = s.name[:n]
	if !s.full(s.name, "name") {
		return End, nil
	}
	return t, s.name
}

// List reads the header of a list. n payloads of type elem follow. A list of negative
// length is empty.
func (s *Stream) List() (elem Type, n int) {
	var b [5]byte
	if !s.full(b[:], List.String()) {
		return End, 0
	}
	elem, n = listHeader(b[:])
	switch {
	case !elem.Valid():
		s.Fail(List.String(), fmt.Errorf("elements of unknown %v", elem))
		return End, 0
	case n > 0 && elem == End:
		s.Fail(List.String(), fmt.Errorf("%d elements of type %v", n, End))
		return End, 0
	}
	return elem, max(n, 0)
}

// Array reads the header of an array of type t and returns its length in bytes. That
// many bytes follow; the caller takes them by Bytes.
func (s *Stream) Array(t Type) int64 {
	var b [4]byte
	if !s.full(b[:], t.String()) {
		return 0
	}
	n := int64(int32(binary.BigEndian.Uint32(b[:])))
	if n < 0 {
		s.Fail(t.String(), fmt.Errorf("length %d", n))
		return 0
	}
	return n * elemSize(t)
}

func elemSize(t Type) int64 {
	switch t {
	case IntArray:
		return 4
	case LongArray:
		return 8
	}
	return 1
}

// Bytes returns the next bytes of an array, at least 1 and at most n, valid until the next
// call. It returns nil after an error.
func (s *Stream) Bytes(n int64) []byte {
	if s.err != nil {
		return nil
	}
	if _, err := s.r.Peek(1); err != nil {
		s.end("array", err)
		return nil
	}
	b, _ := s.r.Peek(int(min(n, int64(s.r.Buffered())))) // they are there
	if _, err := s.r.Discard(len(b)); err != nil {
		s.end("array", err)
		return nil
	}
	s.off += int64(len(b))
	return b
}

// Discard passes n bytes of an array.
func (s *Stream) Discard(n int64) { s.pass(n, End, false) }

// Skip skips the payload of a tag of type t and checks its types, lengths and depth.
func (s *Stream) Skip(t Type) { s.walk(t, s.lim.Depth, false) }

// Raw returns the bytes of the payload of a tag of type t. They are valid until the next
// call of Raw. A list of negative length becomes an empty one. A payload of more than
// Limits.Bytes is an error.
func (s *Stream) Raw(t Type) []byte {
	s.raw = s.raw[:0]
	s.walk(t, s.lim.Depth, true)
	if s.err != nil {
		return nil
	}
	return s.raw
}

var errRaw = errors.New("a tag larger than the limit")

// pass reads n bytes and appends them to raw if keep is set.
func (s *Stream) pass(n int64, t Type, keep bool) {
	if keep && int64(len(s.raw))+n > int64(s.lim.Bytes) {
		s.Fail(t.String(), fmt.Errorf("%w of %d bytes", errRaw, s.lim.Bytes))
	}
	for n > 0 && s.err == nil {
		b := s.Bytes(n)
		n -= int64(len(b))
		if keep {
			s.raw = append(s.raw, b...)
		}
	}
}

// walk passes a payload. depth is how many more levels of compounds and lists are allowed.
func (s *Stream) walk(t Type, depth int, keep bool) {
	switch {
	case s.err != nil:
	case !t.Valid() || t == End:
		s.Fail("payload", fmt.Errorf("has %v", t))
	case fixed[t] > 0:
		s.pass(int64(fixed[t]), t, keep)
	case t == List && depth > 0:
		s.walkList(depth-1, keep)
	case t == Compound && depth > 0:
		s.walkCompound(depth-1, keep)
	case t == List || t == Compound:
		s.Fail(t.String(), fmt.Errorf("more than %d deep", s.lim.Depth))
	case t == String:
		var b [2]byte
		if s.full(b[:], t.String()) {
			s.keep(keep, b[:]...)
			s.pass(int64(binary.BigEndian.Uint16(b[:])), t, keep)
		}
	default:
		n := s.Array(t)
		if s.err == nil {
			s.keepLength(keep, int(n/elemSize(t)))
			s.pass(n, t, keep)
		}
	}
}

func (s *Stream) keep(keep bool, b ...byte) {
	if keep {
		s.raw = append(s.raw, b...)
	}
}

func (s *Stream) keepLength(keep bool, n int) {
	s.keep(keep, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
}

func (s *Stream) walkList(depth int, keep bool) {
	elem, n := s.List()
	if s.err != nil {
		return
	}
	s.keep(keep, byte(elem))
	s.keepLength(keep, n)
	if n == 0 {
		return
	}
	if size := int64(fixed[elem]); size > 0 {
		s.pass(size*int64(n), List, keep)
		return
	}
	for ; n > 0 && s.err == nil; n-- {
		s.walk(elem, depth, keep)
	}
}

func (s *Stream) walkCompound(depth int, keep bool) {
	for s.err == nil {
		t, name := s.Next()
		if s.err != nil {
			return
		}
		s.keep(keep, byte(t))
		if t == End {
			return
		}
		if keep && len(s.raw)+len(name) > s.lim.Bytes {
			s.Fail(Compound.String(), fmt.Errorf("%w of %d bytes", errRaw, s.lim.Bytes))
			return
		}
		s.keep(keep, byte(len(name)>>8), byte(len(name)))
		s.keep(keep, name...)
		s.walk(t, depth, keep)
	}
}

// Drain reads the rest of the bytes behind the document, so that a reader that checks a
// sum has seen its end. It returns how many there were.
func (s *Stream) Drain() (n int64) {
	for s.err == nil {
		b, err := s.r.Peek(1)
		if err == io.EOF {
			break
		}
		if err != nil {
			s.end("end", err)
			break
		}
		if len(b) > 0 {
			n += int64(len(s.Bytes(math.MaxInt32)))
		}
	}
	return n
}
