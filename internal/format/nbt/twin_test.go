package nbt_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"unicode/utf16"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// twin is the slow obvious parser: it writes what it reads as lines of text.
type twin struct {
	in  *bytes.Reader
	out strings.Builder
}

var errTwin = errors.New("refused")

// slowParse returns the text of a document and where it ends, or an error.
func slowParse(doc []byte) (text string, end int, err error) {
	defer func() {
		if e := recover(); e != nil {
			err = e.(error)
		}
	}()
	t := &twin{in: bytes.NewReader(doc)}
	kind := nbt.Type(t.byte())
	t.need(kind != nbt.End)
	t.printf("%q", t.string())
	t.payload(kind, 1)
	return t.out.String(), len(doc) - t.in.Len(), nil
}

func (t *twin) need(ok bool) {
	if !ok {
		panic(errTwin)
	}
}

func (t *twin) printf(format string, args ...any) { fmt.Fprintf(&t.out, format+"\n", args...) }

func (t *twin) bytes(n int) []byte {
	t.need(n >= 0 && n <= t.in.Len())
	b := make([]byte, n)
	_, err := io.ReadFull(t.in, b)
	t.need(err == nil)
	return b
}

func (t *twin) byte() byte  { return t.bytes(1)[0] }
func (t *twin) int() int32  { return int32(binary.BigEndian.Uint32(t.bytes(4))) }
func (t *twin) long() int64 { return int64(binary.BigEndian.Uint64(t.bytes(8))) }

func (t *twin) string() string {
	b := t.bytes(int(binary.BigEndian.Uint16(t.bytes(2))))
	var units []uint16
	for i := 0; i < len(b); {
		found := false
		for n := 1; n <= 3 && i+n <= len(b) && !found; n++ {
			c := map[int]uint16{1: uint16(b[i]), 2: uint16(b[i]&31)<<6 | uint16(b[i+n-1]&63), 3: uint16(b[i])<<12 | uint16(b[i+n/2]&63)<<6 | uint16(b[i+n-1]&63)}[n]
			if found = bytes.Equal(slowUnit(c), b[i:i+n]); found {
				units = append(units, c)
				i += n
			}
		}
		t.need(found)
	}
	return wtf(units)
}

// wtf is the WTF-8 of units.
func wtf(units []uint16) string {
	var s []byte
	for i := 0; i < len(units); i++ {
		switch c := rune(units[i]); {
		case !utf16.IsSurrogate(c):
			s = append(s, string(c)...)
		case i+1 < len(units) && utf16.DecodeRune(c, rune(units[i+1])) != 0xFFFD:
			s = append(s, string(utf16.DecodeRune(c, rune(units[i+1])))...)
			i++
		default:
			s = append(s, slowUnit(units[i])...)
		}
	}
	return string(s)
}

func (t *twin) payload(kind nbt.Type, depth int) {
	t.need(depth <= 512 || kind != nbt.List && kind != nbt.Compound)
	switch kind {
	case nbt.Byte:
		t.printf("byte %d", int8(t.byte()))
	case nbt.Short:
		t.printf("short %d", int16(binary.BigEndian.Uint16(t.bytes(2))))
	case nbt.Int:
		t.printf("int %d", t.int())
	case nbt.Long:
		t.printf("long %d", t.long())
	case nbt.Float:
		t.printf("float %x", uint32(t.int()))
	case nbt.Double:
		t.printf("double %x", uint64(t.long()))
	case nbt.ByteArray:
		t.printf("bytes %x", t.bytes(int(t.int())))
	case nbt.String:
		t.printf("string %q", t.string())
	case nbt.List:
		t.list(depth)
	case nbt.Compound:
		for k := nbt.Type(t.byte()); k != nbt.End; k = nbt.Type(t.byte()) {
			t.printf("%q", t.string())
			t.payload(k, depth+1)
		}
		t.printf("end")
	case nbt.IntArray:
		t.printf("ints %x", t.bytes(4*int(t.int())))
	case nbt.LongArray:
		t.printf("longs %x", t.bytes(8*int(t.int())))
	default:
		t.need(false)
	}
}

func (t *twin) list(depth int) {
	kind, n := nbt.Type(t.byte()), t.int()
	t.need(kind <= nbt.LongArray && (n <= 0 || kind != nbt.End && int(n) <= t.in.Len()))
	t.printf("list of %d %d", max(n, 0), kind)
	for range n {
		t.payload(kind, depth+1)
	}
}

// treeText is the same text from a tree.
func treeText(name string, v nbt.Value) string {
	t := &twin{}
	t.printf("%q", name)
	t.tree(v)
	return t.out.String()
}

func (t *twin) tree(v nbt.Value) {
	switch v := v.(type) {
	case int8:
		t.printf("byte %d", v)
	case int16:
		t.printf("short %d", v)
	case int32:
		t.printf("int %d", v)
	case int64:
		t.printf("long %d", v)
	case float32:
		t.printf("float %x", math.Float32bits(v))
	case float64:
		t.printf("double %x", math.Float64bits(v))
	case []byte:
		t.printf("bytes %x", v)
	case string:
		t.printf("string %q", v)
	case nbt.Items:
		t.printf("list of %d %d", len(v.Values), v.Elem)
		for _, x := range v.Values {
			t.tree(x)
		}
	case nbt.Entries:
		for _, e := range v {
			t.printf("%q", e.Name)
			t.tree(e.Value)
		}
		t.printf("end")
	case []int32:
		b, _ := binary.Append(nil, binary.BigEndian, v)
		t.printf("ints %x", b)
	case []int64:
		b, _ := binary.Append(nil, binary.BigEndian, v)
		t.printf("longs %x", b)
	}
}

// readerText is the same text from a Reader's tokens.
func readerText(doc []byte) (string, error) {
	t := &twin{}
	r := nbt.NewReader(doc, nbt.Limits{})
	kind, name := r.Root()
	t.printf("%q", t.decode(name))
	t.tokens(&r, kind)
	return t.out.String(), r.Err()
}

func (t *twin) decode(raw []byte) string {
	s, err := nbt.DecodeString(raw)
	if err != nil {
		return err.Error()
	}
	return s
}

func (t *twin) tokens(r *nbt.Reader, kind nbt.Type) {
	switch kind {
	case nbt.Byte:
		t.printf("byte %d", r.Byte())
	case nbt.Short:
		t.printf("short %d", r.Short())
	case nbt.Int:
		t.printf("int %d", r.Int())
	case nbt.Long:
		t.printf("long %d", r.Long())
	case nbt.Float:
		t.printf("float %x", math.Float32bits(r.Float()))
	case nbt.Double:
		t.printf("double %x", math.Float64bits(r.Double()))
	case nbt.ByteArray:
		t.printf("bytes %x", r.ByteArray())
	case nbt.String:
		t.printf("string %q", t.decode(r.String()))
	case nbt.List:
		elem, n := r.List()
		t.printf("list of %d %d", n, elem)
		for i := 0; i < n && r.Err() == nil; i++ {
			t.tokens(r, elem)
		}
	case nbt.Compound:
		for k, name := r.Next(); k != nbt.End; k, name = r.Next() {
			t.printf("%q", t.decode(name))
			t.tokens(r, k)
		}
		t.printf("end")
	case nbt.IntArray:
		t.printf("ints %x", r.IntArray())
	case nbt.LongArray:
		t.printf("longs %x", r.LongArray())
	}
}

// randomDoc writes a document with its own hands.
func randomDoc(rnd *rand.Rand) []byte {
	kind := nbt.Compound
	if rnd.IntN(8) == 0 {
		kind = nbt.Type(1 + rnd.IntN(12))
	}
	return randomPayload(rnd, randomString(rnd, []byte{byte(kind)}), kind, 4)
}

func randomPayload(rnd *rand.Rand, dst []byte, kind nbt.Type, depth int) []byte {
	size := map[nbt.Type]int{nbt.Byte: 1, nbt.Short: 2, nbt.Int: 4, nbt.Long: 8, nbt.Float: 4, nbt.Double: 8, nbt.ByteArray: 1, nbt.IntArray: 4, nbt.LongArray: 8}[kind]
	n := rnd.IntN(5)
	switch kind {
	case nbt.ByteArray, nbt.IntArray, nbt.LongArray:
		return randomBytes(rnd, append(dst, 0, 0, 0, byte(n)), n*size)
	case nbt.String:
		return randomString(rnd, dst)
	case nbt.List:
		elem := nbt.Type(rnd.IntN(13))
		if depth == 0 || elem == nbt.End {
			n = 0
		}
		dst = append(dst, byte(elem), 0, 0, 0, byte(n))
		if n == 0 && rnd.IntN(3) == 0 {
			dst[len(dst)-4] = 0xFF
		}
		for range n {
			dst = randomPayload(rnd, dst, elem, depth-1)
		}
		return dst
	case nbt.Compound:
		for depth > 0 && rnd.IntN(4) != 0 {
			elem := nbt.Type(1 + rnd.IntN(12))
			dst = randomPayload(rnd, randomString(rnd, append(dst, byte(elem))), elem, depth-1)
		}
		return append(dst, 0)
	}
	return randomBytes(rnd, dst, size)
}

func randomBytes(rnd *rand.Rand, dst []byte, n int) []byte {
	for range n {
		dst = append(dst, byte(rnd.IntN(256)))
	}
	return dst
}

func randomString(rnd *rand.Rand, dst []byte) []byte {
	var s []byte
	for range rnd.IntN(6) {
		s = append(s, slowUnit([]uint16{0, 'a', 'b', 0xE9, 0x77F3, 0xD83D, 0xDE00}[rnd.IntN(7)])...)
	}
	return append(append(dst, 0, byte(len(s))), s...)
}
