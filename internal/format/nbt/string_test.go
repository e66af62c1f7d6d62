package nbt_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

func TestStrings(t *testing.T) {
	for _, c := range []struct{ name, s, raw string }{
		{"empty", "", ""},
		{"ascii", "minecraft:oak_stairs\x7f", "minecraft:oak_stairs\x7f"},
		{"nul", "a\x00b", "a\xC0\x80b"},
		{"two bytes", "grün", "gr\xC3\xBCn"},
		{"three bytes", "石", "\xE7\x9F\xB3"},
		{"pair", "a\U0001F600b", "a\xED\xA0\xBD\xED\xB8\x80b"},
		{"last pair", "\U0010FFFF", "\xED\xAF\xBF\xED\xBF\xBF"},
		{"lone high", "\xED\xA0\x80x", "\xED\xA0\x80x"},
		{"lone low", "x\xED\xBF\xBF", "x\xED\xBF\xBF"},
		{"low before high", "\xED\xB0\x80\xED\xA0\x80", "\xED\xB0\x80\xED\xA0\x80"},
		{"high before pair", "\xED\xA0\x80\U00010000", "\xED\xA0\x80\xED\xA0\x80\xED\xB0\x80"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := nbt.AppendStringPayload(nil, c.s)[2:], []byte(c.raw); !bytes.Equal(got, want) {
				t.Errorf("encoded % x, want % x", got, want)
			}
			got, err := nbt.DecodeString([]byte(c.raw))
			if got != c.s || err != nil {
				t.Errorf("decoded %q, %v, want %q", got, err, c.s)
			}
		})
	}
}

func TestStringsRefused(t *testing.T) {
	for _, c := range []struct {
		name, raw string
		offset    int64
	}{
		{"nul byte", "ab\x00", 2},
		{"continuation", "a\x80", 1},
		{"cut in two", "\xC3", 0},
		{"cut in three", "a\xE7\x9F", 1},
		{"overlong two", "\xC1\x81", 0},
		{"overlong three", "\xE0\x80\x80", 0},
		{"four bytes", "abc\xF0\x9F\x98\x80", 3},
		{"bad second", "\xC3a", 0},
		{"bad third", "\xE7\x9Fa", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := nbt.DecodeString([]byte(c.raw))
			var corrupt *nbt.CorruptError
			if got != "" || !errors.As(err, &corrupt) || corrupt.Offset != c.offset {
				t.Errorf("got %q, %v, want an error at %d", got, err, c.offset)
			}
		})
	}
}

// TestStringUnits compares the coding with what it is: UTF-16 units of 1 to 3
// bytes each.
func TestStringUnits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	starts := []uint16{0, 0x20, 0x7E, 0x80, 0x7FE, 0x800, 0xD7FE, 0xD800, 0xDBFE, 0xDC00, 0xDFFE, 0xE000, 0xFFFC}
	for range 20000 {
		units := make([]uint16, rnd.IntN(6))
		var raw []byte
		for i := range units {
			units[i] = starts[rnd.IntN(len(starts))] + uint16(rnd.IntN(3))
			raw = append(raw, slowUnit(units[i])...)
		}
		s, err := nbt.DecodeString(raw)
		if err != nil {
			t.Fatalf("units %x: %v", units, err)
		}
		if got := nbt.AppendStringPayload(nil, s)[2:]; !bytes.Equal(got, raw) {
			t.Fatalf("units %x: came back as % x, want % x", units, got, raw)
		}
		if !strings.Contains(s, "\xED") && s != string(utf16.Decode(units)) {
			t.Fatalf("units %x: decoded %q, want %q", units, s, string(utf16.Decode(units)))
		}
	}
}

func slowUnit(c uint16) []byte {
	switch {
	case c > 0 && c < 0x80:
		return []byte{byte(c)}
	case c < 0x800:
		return []byte{0xC0 | byte(c>>6), 0x80 | byte(c&0x3F)}
	}
	return []byte{0xE0 | byte(c>>12), 0x80 | byte(c>>6&0x3F), 0x80 | byte(c&0x3F)}
}

func TestAppendStringReplacesNoCharacter(t *testing.T) {
	got := nbt.AppendStringPayload(nil, "a\xFFb\xED\xA0")[2:]
	if want := "a\uFFFDb\uFFFD\uFFFD"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAppendStringTooLong(t *testing.T) {
	nbt.AppendStringPayload(nil, strings.Repeat("x", 65535))
	defer func() {
		if recover() == nil {
			t.Error("65,536 bytes were accepted")
		}
	}()
	nbt.AppendStringPayload(nil, strings.Repeat("\x00", 32768))
}
