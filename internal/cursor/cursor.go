// Package cursor reads numbers and bytes from outside, bounded. Begin with New.
package cursor

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
)

// CorruptError is that of package voxel.
type CorruptError = voxel.CorruptError

// What is wrong where bytes are missing, and where some are left over.
var (
	ErrShort = errors.New("ends too early")
	ErrLong  = errors.New("bytes left over")
)

// A Cursor reads numbers and bytes. The first error sticks, and later reads return
// nothing.
type Cursor struct {
	b    []byte
	at   int
	base int64 // of b, in offsets of errors
	part string
	err  error
}

// New returns a Cursor over b, which errors call by the name part.
func New(b []byte, part string) Cursor { return Cursor{b: b, part: part} }

// At returns a Cursor over b that lies at an offset of something greater, which errors tell.
func At(b []byte, base int64, part string) Cursor { return Cursor{b: b, base: base, part: part} }

// Part gives what follows a name, which errors call it by.
func (c *Cursor) Part(name string) { c.part = name }

// Err returns the error that stuck.
func (c *Cursor) Err() error { return c.err }

// Left returns how many bytes are not read yet, 0 after an error.
func (c *Cursor) Left() int { return len(c.b) - c.at }

// Offset returns how many bytes have been read.
func (c *Cursor) Offset() int { return c.at }

// Since returns the bytes that were read since Offset was from.
func (c *Cursor) Since(from int) []byte { return c.b[from:c.at:c.at] }

// Fail makes err the error that sticks, unless there is one.
func (c *Cursor) Fail(err error) {
	if c.err == nil {
		c.err = &CorruptError{Offset: c.base + int64(c.at), Part: c.part, Err: err}
	}
	c.at = len(c.b)
}

// Uvarint reads an unsigned number.
func (c *Cursor) Uvarint() uint64 {
	v, n := binary.Uvarint(c.b[c.at:])
	if n <= 0 {
		c.Fail(ErrShort)
		c.at = len(c.b)
		return 0
	}
	c.at += n
	return v
}

// Varint reads a signed number.
func (c *Cursor) Varint() int64 {
	u := c.Uvarint()
	return int64(u>>1) ^ -int64(u&1)
}

// Count reads the number of items that follow. Each takes at least size bytes, and
// there are at most most.
func (c *Cursor) Count(size, most int) int {
	return c.AtMost(min((len(c.b)-c.at)/size, most))
}

// Within returns v. It fails unless v is in least..most.
func (c *Cursor) Within(v, least, most int64) int64 {
	if v < least || v > most {
		c.Fail(fmt.Errorf("%d is not within %d..%d", v, least, most))
		return least
	}
	return v
}

// Flags reads a number of at most so many bits.
func (c *Cursor) Flags(bits int) uint64 {
	v := c.Uvarint()
	if v>>bits != 0 {
		c.Fail(fmt.Errorf("%d has more than %d bits", v, bits))
	}
	return v
}

// Int reads a signed number that an int holds.
func (c *Cursor) Int() int { return int(c.Within(c.Varint(), math.MinInt, math.MaxInt)) }

// Byte reads one byte.
func (c *Cursor) Byte() byte {
	if c.at >= len(c.b) {
		c.Fail(ErrShort)
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

// Flag reads a byte that is 0 or 1.
func (c *Cursor) Flag() bool { return c.Within(int64(c.Byte()), 0, 1) == 1 }

// Bytes reads n bytes, which lie in the stream.
func (c *Cursor) Bytes(n int) []byte {
	if n < 0 || n > len(c.b)-c.at {
		c.Fail(ErrShort)
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at : c.at]
}

// Text reads a string behind its size.
func (c *Cursor) Text() string { return string(c.Bytes(c.Size())) }

// Magic reads the bytes that a format begins with.
func (c *Cursor) Magic(want string) {
	if got := c.Bytes(len(want)); c.err == nil && string(got) != want {
		c.at = 0
		c.Fail(fmt.Errorf("it begins with %q: want %q", got, want))
	}
}

// Big16 reads 2 bytes, the greatest first.
func (c *Cursor) Big16() uint16 {
	if b := c.Bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

// Big32 reads 4 bytes, the greatest first.
func (c *Cursor) Big32() uint32 {
	if b := c.Bytes(4); b != nil {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// Uint16 reads 2 bytes, the least first.
func (c *Cursor) Uint16() uint16 { return bits.ReverseBytes16(c.Big16()) }

// Uint32 reads 4 bytes, the least first.
func (c *Cursor) Uint32() uint32 {
	if b := c.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 reads 8 bytes, the least first.
func (c *Cursor) Uint64() uint64 {
	if b := c.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// End returns the first error, or an error if bytes are left over.
func (c *Cursor) End() error {
	if c.err == nil && c.at < len(c.b) {
		c.Fail(ErrLong)
	}
	return c.err
}

// AtMost reads a count of at most n.
func (c *Cursor) AtMost(n int) int {
	v := c.Uvarint()
	if v > uint64(n) {
		c.Fail(fmt.Errorf("%d things, want at most %d", v, n))
		return 0
	}
	return int(v)
}

// Size reads the size of bytes stored elsewhere. A huge value is cut to one that is
// still too large.
func (c *Cursor) Size() int { return int(min(c.Uvarint(), math.MaxInt32)) }
