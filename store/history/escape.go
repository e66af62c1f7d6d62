package history

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escape makes any text a part of a name, so that different texts become different parts. What is a valid
// part and does not begin with a dash stays. Another begins with a dash, and has after it:
//
//	a letter           .LETTER     the capital
//	two digits         .HH         the ASCII character of this hexadecimal code
//	8, digits, a dash  .8HHHH-     any other character
//	9, two digits      .9HH        a byte that is not UTF-8
//
// So "SkyWars Map 1" is "-.sky.wars.20.map.201". A part that would be longer than MaxPart is cut and ends with .-
// and a checksum of the text.
func Escape(text string) string {
	if len(text) <= MaxPart && CheckName(text) == nil && !strings.ContainsAny(text, "/") && text[0] != '-' {
		return text
	}
	var b strings.Builder
	b.WriteByte('-')
	for i, r := range text {
		switch {
		case r >= 'A' && r <= 'Z':
			fmt.Fprintf(&b, ".%c", r-'A'+'a')
		case r != '.' && !foreign(r):
			b.WriteRune(r)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, ".%02x", r)
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, ".9%02x", text[i])
		default:
			fmt.Fprintf(&b, ".8%x-", r)
		}
	}
	if b.Len() <= MaxPart {
		return b.String()
	}
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(text)) // never fails
	end := fmt.Sprintf(".-%016x", sum.Sum64())
	return b.String()[:MaxPart-len(end)] + end
}

// Unescape returns the text of which Escape made a part of a name. It reports false, and returns the part, if
// that cannot be told.
func Unescape(part string) (text string, ok bool) {
	if !strings.HasPrefix(part, "-") {
		return part, true
	}
	var b strings.Builder
	for rest := part[1:]; rest != ""; {
		if rest[0] != '.' {
			b.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		n := escaped(&b, rest[1:])
		if n == 0 {
			return part, false
		}
		rest = rest[1+n:]
	}
	if text = b.String(); Escape(text) != part {
		return part, false
	}
	return text, true
}

// escaped appends what an escape stands for, and returns the length of that after its dot; 0: it is none.
func escaped(b *strings.Builder, s string) int {
	code, size := "", 0
	switch {
	case s == "":
		return 0
	case s[0] >= 'a' && s[0] <= 'z':
		b.WriteByte(s[0] - 'a' + 'A')
		return 1
	case s[0] == '8':
		size = strings.IndexByte(s, '-')
		code = s[1:max(size, 1)]
		size++
	case s[0] == '9' && len(s) >= 3:
		code, size = s[1:3], 3
	case len(s) >= 2:
		code, size = s[:2], 2
	}
	v, err := strconv.ParseUint(code, 16, 32)
	switch {
	case err != nil:
		return 0
	case s[0] == '8':
		b.WriteRune(rune(v))
	default:
		b.WriteByte(byte(v))
	}
	return size
}
