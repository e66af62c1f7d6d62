package nbt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"
)

// Modified UTF-8 differs from UTF-8 in two ways: U+0000 is C0 80, and a code point
// above U+FFFF is a surrogate pair of three bytes each. Java strings may have a lone
// surrogate, which is invalid Unicode. A Go string keeps it as its three bytes
// (WTF-8), so it survives a round trip.

var errModified = errors.New("not modified UTF-8")

// DecodeString returns a raw name or string as a Go string in WTF-8. An error is a
// *CorruptError with an offset in raw. Only the canonical modified UTF-8 of a string
// is accepted, so AppendStringPayload returns the same bytes.
func DecodeString(raw []byte) (string, error) {
	i := plain(raw)
	if i == len(raw) {
		return string(raw), nil
	}
	dst := make([]byte, i, len(raw))
	copy(dst, raw)
	for i < len(raw) {
		c, n := decodeUnit(raw[i:])
		if n == 0 {
			return "", &CorruptError{Offset: int64(i), Part: prefix + String.String(), Err: fmt.Errorf("%w: % x", errModified, raw[i:min(i+3, len(raw))])}
		}
		i += n
		if isHigh(c) {
			if low, m := decodeUnit(raw[i:]); m > 0 && isLow(low) {
				dst = utf8.AppendRune(dst, (c-0xD800)<<10+(low-0xDC00)+0x10000)
				i += m
				continue
			}
		}
		dst = appendWTF(dst, c)
	}
	return string(dst), nil
}

func isHigh(c rune) bool { return c&^0x3FF == 0xD800 }
func isLow(c rune) bool  { return c&^0x3FF == 0xDC00 }

// plain returns how many bytes at the start of b are ASCII except NUL. They are the
// same in every form.
func plain[S string | []byte](b S) int {
	i := 0
	for i < len(b) && b[i]-1 < 0x7F {
		i++
	}
	return i
}

// decodeUnit returns the UTF-16 unit at the start of b and its length in bytes. The
// length is 0 if b is malformed.
func decodeUnit(b []byte) (rune, int) {
	switch {
	case len(b) == 0:
	case b[0]-1 < 0x7F:
		return rune(b[0]), 1
	case b[0]&0xE0 == 0xC0 && len(b) >= 2 && b[1]&0xC0 == 0x80:
		if c := rune(b[0]&0x1F)<<6 | rune(b[1]&0x3F); c >= 0x80 || c == 0 {
			return c, 2
		}
	case b[0]&0xF0 == 0xE0 && len(b) >= 3 && b[1]&0xC0 == 0x80 && b[2]&0xC0 == 0x80:
		if c := rune(b[0]&0x0F)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F); c >= 0x800 {
			return c, 3
		}
	}
	return 0, 0
}

// appendWTF appends the UTF-8 of c and treats surrogates as characters.
func appendWTF(dst []byte, c rune) []byte {
	if c&^0x7FF == 0xD800 {
		return append(dst, 0xE0|byte(c>>12), 0x80|byte(c>>6)&0x3F, 0x80|byte(c)&0x3F)
	}
	return utf8.AppendRune(dst, c)
}

// AppendStringPayload appends the payload of a string: its length, and s as modified
// UTF-8. s is WTF-8; its invalid bytes become U+FFFD.
func AppendStringPayload(dst []byte, s string) []byte {
	at := len(dst)
	dst = append(dst, 0, 0)
	if i := plain(s); i == len(s) {
		dst = append(dst, s...)
	} else {
		dst = appendModified(append(dst, s[:i]...), s[i:])
	}
	n := len(dst) - at - 2
	checkLength(n)
	binary.BigEndian.PutUint16(dst[at:], uint16(n))
	return dst
}

func checkLength(n int) {
	if n > math.MaxUint16 {
		panic(fmt.Sprintf("nbt: a name or string of %d bytes: at most %d", n, math.MaxUint16))
	}
}

func appendModified(dst []byte, s string) []byte {
	for len(s) > 0 {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == 0:
			dst = append(dst, 0xC0, 0x80)
		case c == utf8.RuneError && n == 1 && isSurrogate(s):
			n = 3
			dst = append(dst, s[:3]...)
		case c > 0xFFFF:
			dst = appendWTF(dst, 0xD800+(c-0x10000)>>10)
			dst = appendWTF(dst, 0xDC00+(c-0x10000)&0x3FF)
		default:
			dst = utf8.AppendRune(dst, c)
		}
		s = s[n:]
	}
	return dst
}

// isSurrogate reports whether s starts with a surrogate in WTF-8.
func isSurrogate(s string) bool {
	return len(s) >= 3 && s[0] == 0xED && s[1]&0xE0 == 0xA0 && s[2]&0xC0 == 0x80
}
