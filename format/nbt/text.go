package nbt

import (
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// AppendText appends v to dst as SNBT, the game's text notation
// (https://minecraft.wiki/w/NBT_format#SNBT_format). With an indent, compounds and
// lists of compounds have a line for each entry; without, the text is one line.
// Bytes that are not printable characters are escaped, so the text is safe on a
// terminal. It panics where Append does.
func AppendText(dst []byte, v Value, indent string) []byte {
	p := printer{dst: dst, indent: indent}
	p.value(v)
	return p.dst
}

type printer struct {
	dst    []byte
	indent string
	depth  int
}

func (p *printer) value(v Value) {
	switch v := v.(type) {
	case string:
		p.quote(v)
	case []byte:
		array(p, "B", v)
	case []int32:
		array(p, "I", v)
	case []int64:
		array(p, "L", v)
	case Items:
		p.items(v)
	case Entries:
		p.entries(v)
	default:
		p.number(v)
	}
}

func (p *printer) number(v Value) {
	switch v := v.(type) {
	case float32:
		p.dst = append(strconv.AppendFloat(p.dst, float64(v), 'g', -1, 32), 'f')
	case float64:
		p.dst = append(strconv.AppendFloat(p.dst, v, 'g', -1, 64), 'd')
	default:
		p.dst = fmt.Append(p.dst, v)
		p.dst = append(p.dst, [...]string{Byte: "b", Short: "s", Int: "", Long: "L"}[TypeOf(v)]...)
	}
}

func array[T byte | int32 | int64](p *printer, kind string, v []T) {
	p.dst = append(p.dst, '[')
	p.dst = append(append(p.dst, kind...), ';')
	for i, x := range v {
		if i > 0 {
			p.dst = append(p.dst, ',')
		}
		switch x := any(x).(type) {
		case byte:
			p.dst = append(strconv.AppendInt(p.dst, int64(int8(x)), 10), 'b')
		case int32:
			p.dst = strconv.AppendInt(p.dst, int64(x), 10)
		case int64:
			p.dst = append(strconv.AppendInt(p.dst, x, 10), 'L')
		}
	}
	p.dst = append(p.dst, ']')
}

func (p *printer) items(v Items) {
	p.dst = append(p.dst, '[')
	p.depth++
	for i, x := range v.Values {
		p.step(i, fixed[v.Elem] == 0)
		p.value(x)
	}
	p.depth--
	p.close(len(v.Values) > 0 && fixed[v.Elem] == 0, ']')
}

func (p *printer) entries(v Entries) {
	p.dst = append(p.dst, '{')
	p.depth++
	for i, e := range v {
		p.step(i, true)
		p.name(e.Name)
		p.dst = append(p.dst, ':')
		if p.indent != "" {
			p.dst = append(p.dst, ' ')
		}
		p.value(e.Value)
	}
	p.depth--
	p.close(len(v) > 0, '}')
}

// step separates the i-th value from the text before it.
func (p *printer) step(i int, line bool) {
	if i > 0 {
		p.dst = append(p.dst, ',')
	}
	if line {
		p.line()
	}
}

func (p *printer) close(line bool, c byte) {
	if line {
		p.line()
	}
	p.dst = append(p.dst, c)
}

func (p *printer) line() {
	if p.indent == "" {
		return
	}
	p.dst = append(p.dst, '\n')
	for range p.depth {
		p.dst = append(p.dst, p.indent...)
	}
}

func (p *printer) name(s string) {
	for _, c := range []byte(s) {
		if c != '_' && c != '-' && c != '.' && c != '+' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			p.quote(s)
			return
		}
	}
	if s == "" {
		p.quote(s)
		return
	}
	p.dst = append(p.dst, s...)
}

func (p *printer) quote(s string) {
	p.dst = append(p.dst, '"')
	for len(s) > 0 {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c == '"' || c == '\\':
			p.dst = append(p.dst, '\\', byte(c))
		case c == '\n':
			p.dst = append(p.dst, `\n`...)
		case c == utf8.RuneError && n == 1 && isSurrogate(s):
			unit, _ := decodeUnit([]byte(s[:3]))
			p.dst, n = fmt.Appendf(p.dst, `\u%04x`, unit), 3
		case c == utf8.RuneError && n == 1:
			p.dst = fmt.Appendf(p.dst, `\x%02x`, s[0])
		case !unicode.IsPrint(c) && c > 0xFFFF:
			p.dst = fmt.Appendf(p.dst, `\U%08x`, c)
		case !unicode.IsPrint(c):
			p.dst = fmt.Appendf(p.dst, `\u%04x`, c)
		default:
			p.dst = append(p.dst, s[:n]...)
		}
		s = s[n:]
	}
	p.dst = append(p.dst, '"')
}
