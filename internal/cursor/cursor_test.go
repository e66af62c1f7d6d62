package cursor_test

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/cursor"
)

func uvarints(numbers ...uint64) (b []byte) {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func refused(err error) bool { return errors.As(err, new(*cursor.CorruptError)) }

func TestCursor(t *testing.T) {
	b := uvarints(300, 5)
	b = binary.AppendVarint(b, -7)
	b = binary.AppendVarint(b, math.MinInt32)
	b = append(b, "\x04text\x03"...)
	b = binary.LittleEndian.AppendUint64(b, 1<<63)
	c := cursor.New(b, "part")
	if a, n, v, i := c.Uvarint(), c.AtMost(5), c.Varint(), c.Int(); a != 300 || n != 5 || v != -7 || i != math.MinInt32 {
		t.Errorf("%d %d %d %d", a, n, v, i)
	}
	if s, f, u := c.Text(), c.Flags(2), c.Uint64(); s != "text" || f != 3 || u != 1<<63 {
		t.Errorf("%q %d %d", s, f, u)
	}
	if err := c.End(); err != nil || c.Left() != 0 {
		t.Error(err)
	}
}

func TestOrders(t *testing.T) {
	c := cursor.At([]byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 0, 2}, 100, "part")
	if a, b, l := c.Big16(), c.Big32(), c.Uint16(); a != 0x102 || b != 0x3040506 || l != 0x807 {
		t.Errorf("%#x %#x %#x", a, b, l)
	}
	if from := c.Offset(); !c.Flag() || c.Flag() || string(c.Since(from)) != "\x01\x00" {
		t.Errorf("flags from %d on", from)
	}
	var corrupt *cursor.CorruptError
	if c.Flag(); !errors.As(c.Err(), &corrupt) || corrupt.Offset != 111 {
		t.Error(c.Err())
	}
}

func TestCursorRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []byte
		read func(c *cursor.Cursor)
		want string
	}{
		{"no number", nil, func(c *cursor.Cursor) { c.Uvarint() }, "too early"},
		{"half a number", []byte{0x80}, func(c *cursor.Cursor) { c.Varint() }, "too early"},
		{"no byte", nil, func(c *cursor.Cursor) { c.Byte() }, "too early"},
		{"few bytes", []byte{1, 2}, func(c *cursor.Cursor) { c.Bytes(3) }, "too early"},
		{"negative bytes", []byte{1, 2}, func(c *cursor.Cursor) { c.Bytes(-1) }, "too early"},
		{"few of four", []byte{1, 2}, func(c *cursor.Cursor) { c.Uint32() }, "too early"},
		{"another magic", []byte("cairm"), func(c *cursor.Cursor) { c.Magic("cairn") }, `begins with "cairm"`},
		{"few of eight", []byte{1, 2}, func(c *cursor.Cursor) { c.Uint64() }, "too early"},
		{"a string of 2^40", uvarints(1 << 40), func(c *cursor.Cursor) { c.Text() }, "too early"},
		{"too many things", uvarints(9), func(c *cursor.Cursor) { c.AtMost(8) }, "9 things, want at most 8"},
		{"things without bytes", append(uvarints(2), 0, 0), func(c *cursor.Cursor) { c.Count(2, 9) }, "2 things, want at most 1"},
		{"too many bits", uvarints(4), func(c *cursor.Cursor) { c.Flags(2) }, "more than 2 bits"},
		{"beyond", nil, func(c *cursor.Cursor) { c.Within(8, 0, 7) }, "8 is not within 0..7"},
		{"left over", []byte{1}, func(c *cursor.Cursor) {}, "left over"},
	} {
		c := cursor.New(tt.b, "part")
		tt.read(&c)
		err := c.End()
		if !refused(err) || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "part") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if c.Fail(nil); c.Err() != err || c.Uvarint() != 0 || c.Left() != 0 {
			t.Errorf("%s: the first error does not stick", tt.name)
		}
	}
}
