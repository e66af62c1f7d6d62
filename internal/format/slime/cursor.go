package slime

import (
	"encoding/binary"
	"fmt"
	"io"
)

// cursor reads big-endian numbers and slices of b. After an error every method returns zero
// values.
type cursor struct {
	b   []byte
	off int
	err error
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *cursor) rest() int { return len(c.b) - c.off }

// bytes returns the next n bytes, or nil.
func (c *cursor) bytes(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > c.rest() {
		c.fail(fmt.Errorf("%d bytes of %d: %w", n, c.rest(), io.ErrUnexpectedEOF))
		return nil
	}
	p := c.off
	c.off += n
	return c.b[p:c.off:c.off]
}

func (c *cursor) u8() uint8 {
	if b := c.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) u16() uint16 {
	if b := c.bytes(2); b != nil {
		return binary.BigEndian.Uint16(b)
	}
	return 0
}

func (c *cursor) i32() int {
	if b := c.bytes(4); b != nil {
		return int(int32(binary.BigEndian.Uint32(b)))
	}
	return 0
}

// block returns bytes that follow a length of 32 bits.
func (c *cursor) block() []byte { return c.bytes(c.i32()) }

// count returns a number of things, each of at least size bytes.
func (c *cursor) count(size int) int {
	n := c.i32()
	if n < 0 || n > c.rest()/size {
		c.fail(fmt.Errorf("%d entries in %d bytes: %w", n, c.rest(), io.ErrUnexpectedEOF))
		return 0
	}
	return n
}

// optional returns the next n bytes if has, else nil.
func (c *cursor) optional(has bool, n int) []byte {
	if !has {
		return nil
	}
	return c.bytes(n)
}
