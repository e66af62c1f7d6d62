package pages_test

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/tags"
)

func TestCursor(t *testing.T) {
	b := uvarints(300, 5)
	b = binary.AppendVarint(b, -7)
	b = binary.AppendVarint(b, math.MinInt32)
	b = append(pages.AppendString(b, "text"), 3)
	b = binary.LittleEndian.AppendUint64(b, 1<<63)
	c := pages.NewCursor(b, "part")
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

func TestCursorRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []byte
		read func(c *pages.Cursor)
		want string
	}{
		{"no number", nil, func(c *pages.Cursor) { c.Uvarint() }, "too early"},
		{"half a number", []byte{0x80}, func(c *pages.Cursor) { c.Varint() }, "too early"},
		{"no byte", nil, func(c *pages.Cursor) { c.Byte() }, "too early"},
		{"few bytes", []byte{1, 2}, func(c *pages.Cursor) { c.Bytes(3) }, "too early"},
		{"negative bytes", []byte{1, 2}, func(c *pages.Cursor) { c.Bytes(-1) }, "too early"},
		{"few of eight", []byte{1, 2}, func(c *pages.Cursor) { c.Uint64() }, "too early"},
		{"a string of 2^40", uvarints(1 << 40), func(c *pages.Cursor) { c.Text() }, "too early"},
		{"too many things", uvarints(9), func(c *pages.Cursor) { c.AtMost(8) }, "9 things, want at most 8"},
		{"things without bytes", append(uvarints(2), 0, 0), func(c *pages.Cursor) { c.Count(2, 9) }, "2 things, want at most 1"},
		{"too many bits", uvarints(4), func(c *pages.Cursor) { c.Flags(2) }, "more than 2 bits"},
		{"beyond", nil, func(c *pages.Cursor) { c.Within(8, 0, 7) }, "8 is not within 0..7"},
		{"left over", []byte{1}, func(c *pages.Cursor) {}, "left over"},
	} {
		c := pages.NewCursor(tt.b, "part")
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

// known returns a name that has a number.
func known(t testing.TB) string {
	name, ok := tags.Name(0)
	if !ok {
		t.Fatal("no name has a number")
	}
	return name
}

func TestNames(t *testing.T) {
	for _, s := range []pages.Spelling{pages.ByBytes, pages.ByWords} {
		for _, set := range []bool{false, true} {
			for _, names := range [][]string{nil, {"air"}, {"air", "made:up", "made:up_too", known(t)}, {"id", "zebra"}} {
				if len(names) > 1 {
					slices.Sort(names[1:])
				}
				b := s.AppendNames(nil, set, names)
				c := pages.NewCursor(b, "names")
				got := s.Names(&c, set, 99, func(int) bool { return true })
				if err := c.End(); err != nil || !slices.Equal(got, names) {
					t.Errorf("spelling %d, set %v: %q, want %q, %v", s, set, got, names, err)
				}
				for n := range b {
					c := pages.NewCursor(b[:n], "names")
					if s.Names(&c, set, 99, func(int) bool { return true }); !refused(c.Err()) {
						t.Errorf("spelling %d, set %v: %v for %d of %d bytes of %q", s, set, c.Err(), n, len(b), names)
					}
				}
			}
		}
	}
}
