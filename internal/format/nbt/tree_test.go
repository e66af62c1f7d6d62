package nbt_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// every returns a document with every type, in places of every kind.
func every() []byte {
	d := nbt.AppendCompound(nil, "Gr\u00FC\u00DFe\x00\U0001F5FF")
	d = nbt.AppendByte(d, "byte", -128)
	d = nbt.AppendShort(d, "short", 32767)
	d = nbt.AppendInt(d, "int", -2147483648)
	d = nbt.AppendLong(d, "long", 9223372036854775807)
	d = nbt.AppendFloat(d, "float", 0.1)
	d = nbt.Append(d, "double", math.Inf(-1))
	d = nbt.AppendByteArray(d, "byte array", []byte{1, 0xFF})
	d = nbt.AppendString(d, "", "a \"stone\"\\ \xED\xA0\x80 \U000E0001\x1b[0m\n")
	d = nbt.AppendIntArray(d, "int_array", []int32{1, -1})
	d = nbt.Append(d, "long.array", []int64{1, -1})
	d = nbt.AppendList(d, "empty", nbt.End, 0)
	d = nbt.AppendList(d, "empty compounds", nbt.Compound, 0)
	d = nbt.AppendList(d, "negative", nbt.Byte, -3)
	d = nbt.AppendList(d, "shorts", nbt.Short, 2)
	d = append(d, 0, 1, 0xFF, 0xFF)
	d = nbt.AppendList(d, "lists", nbt.List, 2)
	d = nbt.AppendListPayload(d, nbt.String, 1)
	d = nbt.AppendStringPayload(d, "x")
	d = nbt.AppendListPayload(d, nbt.Compound, 2)
	d = nbt.AppendEnd(d)
	d = nbt.AppendInt(d, "twice", 1)
	d = nbt.AppendInt(d, "twice", 2)
	d = nbt.AppendEnd(d)
	return nbt.AppendEnd(d)
}

// shuffled returns a document of nested compounds whose entries are in an order
// that depends on seed, and of equal content otherwise.
func shuffled(seed uint64) []byte {
	rnd := rand.New(rand.NewPCG(seed, 0))
	compound := func(n int, entry func(i int) nbt.Entry) nbt.Entries {
		e := make(nbt.Entries, n)
		for i, at := range rnd.Perm(n) {
			e[at] = entry(i)
		}
		return e
	}
	inner := func(i int) nbt.Value {
		return compound(3, func(j int) nbt.Entry { return nbt.Entry{Name: fmt.Sprint("f", j), Value: int32(10*i + j)} })
	}
	return nbt.Append(nil, "", compound(4, func(i int) nbt.Entry {
		return nbt.Entry{Name: fmt.Sprint("e", i), Value: nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{inner(i), inner(i + 1)}}}
	}))
}

// chunk returns a document like a chunk of the game from 1.18 on.
func chunk() []byte {
	rnd := rand.New(rand.NewPCG(5, 6))
	d := nbt.AppendCompound(nil, "")
	d = nbt.AppendInt(d, "DataVersion", 3465)
	d = nbt.AppendList(d, "sections", nbt.Compound, 24)
	for y := range 24 {
		d = nbt.AppendByte(d, "Y", int8(y-4))
		d = nbt.AppendCompound(d, "block_states")
		d = nbt.AppendList(d, "palette", nbt.Compound, 20)
		for i := range 20 {
			d = nbt.AppendString(d, "Name", fmt.Sprintf("minecraft:block_%d", i))
			d = nbt.AppendCompound(d, "Properties")
			d = nbt.AppendString(d, "facing", "north")
			d = nbt.AppendString(d, "waterlogged", "false")
			d = nbt.AppendEnd(nbt.AppendEnd(d))
		}
		d = nbt.Append(d, "data", make([]int64, 342))
		d = nbt.AppendEnd(d)
		d = nbt.AppendByteArray(d, "SkyLight", make([]byte, 2048))
		d = nbt.AppendEnd(d)
	}
	d = nbt.AppendList(d, "block_entities", nbt.Compound, 30)
	for range 30 {
		d = nbt.AppendString(d, "id", "minecraft:chest")
		d = nbt.AppendInt(d, "x", rnd.Int32())
		d = nbt.AppendInt(d, "y", rnd.Int32())
		d = nbt.AppendInt(d, "z", rnd.Int32())
		d = nbt.AppendEnd(d)
	}
	return nbt.AppendEnd(d)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs:\n%s\nwant\n%s", path, got, want)
	}
}

func TestGolden(t *testing.T) {
	golden(t, "every.nbt", every())
	if name, _, err := nbt.Parse(every(), nbt.Limits{}); err != nil || name != "Gr\u00FC\u00DFe\x00\U0001F5FF" {
		t.Fatalf("name %q, %v", name, err)
	}
}

func TestBytesAfterRoot(t *testing.T) {
	name, v, err := nbt.Parse([]byte("\x01\x00\x01a\x05xyz"), nbt.Limits{})
	if name != "a" || v != int8(5) || err != nil {
		t.Errorf("got %q, %v, %v", name, v, err)
	}
}

func TestGet(t *testing.T) {
	e := nbt.Entries{{"a", int8(1)}, {"a", int8(2)}, {"b", "x"}}
	if e.Get("a") != int8(1) || e.Get("b") != "x" || e.Get("c") != nil {
		t.Errorf("got %v %v %v", e.Get("a"), e.Get("b"), e.Get("c"))
	}
}

func TestParseRefused(t *testing.T) {
	for _, c := range []struct{ name, doc, want string }{
		{"bad root name", "\x01\x00\x02a\x80\x05", "string at byte 4: not modified UTF-8: 80"},
		{"bad name", "\x0A\x00\x00\x01\x00\x02a\x00\x05\x00", "string at byte 7: not modified UTF-8: 00"},
		{"bad string", "\x0A\x00\x00\x08\x00\x01a\x00\x04\xF0\x9F\x98\x80\x00", "string at byte 9: not modified UTF-8: f0 9f 98"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, v, err := nbt.Parse([]byte(c.doc), nbt.Limits{})
			if name != "" || v != nil || err == nil || err.Error() != "nbt: "+c.want {
				t.Errorf("got %q, %v, %v, want %s", name, v, err, c.want)
			}
		})
	}
}

func TestAppendPanics(t *testing.T) {
	for name, v := range map[string]nbt.Value{
		"int":         7,
		"nil":         nil,
		"wrong value": nbt.Items{Elem: nbt.Int, Values: []nbt.Value{int8(1)}},
		"nested":      nbt.Entries{{"x", uint16(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("accepted")
				}
			}()
			nbt.Append(nil, "", v)
		})
	}
}

func TestEqual(t *testing.T) {
	doc := func(e ...nbt.Entry) string { return string(nbt.Append(nil, "", nbt.Entries(e))) }
	list := func(elem nbt.Type, v ...nbt.Value) nbt.Value { return nbt.Items{Elem: elem, Values: v} }
	nan := math.Float64frombits(0x7FF8000000000001)
	for _, c := range []struct {
		name, a, b, path string
		equal            bool
	}{
		{"same bytes", "junk", "junk", "", true},
		{"order of entries", string(shuffled(1)), string(shuffled(2)), "", true},
		{"value", doc(nbt.Entry{"a", int8(1)}), doc(nbt.Entry{"a", int8(2)}), "a", false},
		{"type", doc(nbt.Entry{"a", int8(1)}), doc(nbt.Entry{"a", int16(1)}), "a", false},
		{"NaN", doc(nbt.Entry{"b", int8(1)}, nbt.Entry{"a", nan}), doc(nbt.Entry{"a", nan}, nbt.Entry{"b", int8(1)}), "", true},
		{"zeros", doc(nbt.Entry{"a", 0.0}), doc(nbt.Entry{"a", math.Copysign(0, -1)}), "a", false},
		{"one more", doc(nbt.Entry{"a", "x"}), doc(nbt.Entry{"a", "x"}, nbt.Entry{"b", "y"}), "b", false},
		{"one less", doc(nbt.Entry{"b", "y"}, nbt.Entry{"a", "x"}), doc(nbt.Entry{"a", "x"}), "b", false},
		{"twice and once", doc(nbt.Entry{"b", "y"}, nbt.Entry{"a", "x"}, nbt.Entry{"a", "x"}), doc(nbt.Entry{"a", "x"}, nbt.Entry{"b", "y"}), "a", false},
		{"order of a name's entries", doc(nbt.Entry{"a", "x"}, nbt.Entry{"b", "y"}, nbt.Entry{"a", "z"}), doc(nbt.Entry{"b", "y"}, nbt.Entry{"a", "z"}, nbt.Entry{"a", "x"}), "a", false},
		{"a name's entries among others", doc(nbt.Entry{"a", "x"}, nbt.Entry{"b", "y"}, nbt.Entry{"a", "z"}), doc(nbt.Entry{"b", "y"}, nbt.Entry{"a", "x"}, nbt.Entry{"a", "z"}), "", true},
		{"order of a list", doc(nbt.Entry{"a", list(nbt.Int, int32(1), int32(2))}), doc(nbt.Entry{"a", list(nbt.Int, int32(2), int32(1))}), "a[0]", false},
		{"length of a list", doc(nbt.Entry{"a", list(nbt.Int, int32(1))}), doc(nbt.Entry{"a", list(nbt.Int)}), "a", false},
		{"type of an empty list", doc(nbt.Entry{"a", list(nbt.End)}), doc(nbt.Entry{"a", list(nbt.Compound)}), "a", false},
		{"deep", doc(nbt.Entry{"a", list(nbt.Compound, nbt.Entries{}, nbt.Entries{{"b", int8(1)}})}), doc(nbt.Entry{"a", list(nbt.Compound, nbt.Entries{}, nbt.Entries{{"b", int8(2)}})}), "a[1].b", false},
		{"deep, other order", doc(nbt.Entry{"c", int8(0)}, nbt.Entry{"a", nbt.Entries{{"b", int8(1)}}}), doc(nbt.Entry{"a", nbt.Entries{{"b", int8(2)}}}, nbt.Entry{"c", int8(0)}), "a.b", false},
		{"root name", "\x01\x00\x01a\x05", "\x01\x00\x01b\x05", "", false},
		{"root type", "\x01\x00\x01a\x05", "\x02\x00\x01a\x05\x05", "", false},
		{"tail", "\x01\x00\x01a\x05", "\x01\x00\x01a\x05\x00", "bytes after the root", false},
		{"first is wrong", "\x02\x00\x00\x05", doc(), "first: nbt: short at byte 3: unexpected EOF", false},
		{"second is wrong", doc(), "\x0A\x00\x00", "second: nbt: compound at byte 3: unexpected EOF", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, equal := nbt.Equal([]byte(c.a), []byte(c.b))
			if path != c.path || equal != c.equal {
				t.Errorf("got %q, %v, want %q, %v", path, equal, c.path, c.equal)
			}
			if _, equal := nbt.Equal([]byte(c.b), []byte(c.a)); equal != c.equal {
				t.Errorf("the other way round: %v", equal)
			}
		})
	}
}
