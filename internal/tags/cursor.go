package tags

import (
	"encoding/binary"
	"fmt"
)

// cursor reads numbers and bytes from b. The first error empties it and becomes the
// error of its Decoder.
type cursor struct {
	r    *Decoder
	b    []byte
	at   int
	part string
}

func (c *cursor) fail(err error) {
	c.r.fail(corrupt(c.at, c.part, err))
	c.at = len(c.b)
}

func (c *cursor) uvarint() uint64 {
	if c.at < len(c.b) && c.b[c.at] < 0x80 {
		c.at++
		return uint64(c.b[c.at-1])
	}
	v, n := binary.Uvarint(c.b[c.at:])
	if n <= 0 {
		c.fail(errShort)
		return 0
	}
	c.at += n
	return v
}

// atMost reads a number of at most n.
func (c *cursor) atMost(n int) int {
	v := c.uvarint()
	if v > uint64(n) {
		c.fail(fmt.Errorf("%d, want at most %d", v, n))
		return 0
	}
	return int(v)
}

func (c *cursor) byte() byte {
	if c.at >= len(c.b) {
		c.fail(errShort)
		return 0
	}
	c.at++
	return c.b[c.at-1]
}

func (c *cursor) take(n int) []byte {
	if n > len(c.b)-c.at {
		c.fail(errShort)
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

// end fails if bytes are left over.
func (c *cursor) end() {
	if c.at < len(c.b) {
		c.fail(errLong)
	}
}
