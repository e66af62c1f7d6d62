package block_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
)

// entry returns the payload of {Name, Properties}; pairs are keys and values.
func entry(name string, pairs ...string) []byte {
	p := nbt.AppendString(nil, "Name", name)
	if len(pairs) > 0 {
		p = nbt.AppendCompound(p, "Properties")
		for i := 0; i < len(pairs); i += 2 {
			p = nbt.AppendString(p, pairs[i], pairs[i+1])
		}
		p = nbt.AppendEnd(p)
	}
	return nbt.AppendEnd(p)
}

func emptyProperties(p []byte) []byte { return nbt.AppendEnd(nbt.AppendCompound(p, "Properties")) }

// emptied returns the payload of {Name, Properties: {}}.
func emptied(name string) []byte {
	return nbt.AppendEnd(emptyProperties(nbt.AppendString(nil, "Name", name)))
}

// document makes a whole document of a compound's payload.
func document(payload []byte) []byte { return append([]byte{10, 0, 0}, payload...) }

func TestName(t *testing.T) {
	for _, c := range []struct {
		name    string
		payload []byte
		want    string // "nbt:" stands for any escaped name
	}{
		{"bare", entry("minecraft:stone"), "minecraft:stone"},
		{"air", entry("minecraft:air"), format.Air},
		{"sorted", entry("minecraft:oak_stairs", "half", "bottom", "facing", "east"), "minecraft:oak_stairs[facing=east,half=bottom]"},
		{"air with a property", entry("minecraft:air", "a", "b"), "minecraft:air[a=b]"},
		{"empty value", entry("m:s", "k", ""), "m:s[k=]"},
		{"no namespace", entry("stone"), "stone"},
		{"named air", entry("air"), "nbt:"},
		{"empty name", entry(""), "nbt:"},
		{"looks numeric", entry("legacy:1/0"), "nbt:"},
		{"looks escaped", entry("nbt:00"), "nbt:"},
		{"bracket", entry("a[b"), "nbt:"},
		{"comma in value", entry("m:s", "k", "a,b"), "nbt:"},
		{"equals in key", entry("m:s", "k=", "a"), "nbt:"},
		{"empty key", entry("m:s", "", "a"), "nbt:"},
		{"beyond ASCII", entry("m:é"), "nbt:"},
		{"same key twice", entry("m:s", "k", "a", "k", "b"), "nbt:"},
		{"empty properties", emptied("m:s"), "m:s"},
		{"air with empty properties", emptied("minecraft:air"), format.Air},
		{"empty properties first", nbt.AppendEnd(nbt.AppendString(nbt.AppendEnd(nbt.AppendCompound(nil, "Properties")), "Name", "m:s")), "m:s"},
		{"properties twice", nbt.AppendEnd(append(emptyProperties(emptyProperties(nil)), 8, 0, 4, 'N', 'a', 'm', 'e', 0, 1, 'm')), "nbt:"},
		{"no name", nbt.AppendEnd(nil), "nbt:"},
		{"another tag", nbt.AppendEnd(nbt.AppendInt(nbt.AppendString(nil, "Name", "m:s"), "Id", 7)), "nbt:"},
		{"name is a number", nbt.AppendEnd(nbt.AppendInt(nil, "Name", 7)), "nbt:"},
		{"property is a number", nbt.AppendEnd(nbt.AppendEnd(nbt.AppendInt(nbt.AppendCompound(nbt.AppendString(nil, "Name", "m:s"), "Properties"), "k", 7))), "nbt:"},
		{"name twice", nbt.AppendEnd(nbt.AppendString(nbt.AppendString(nil, "Name", "m:s"), "Name", "m:t")), "nbt:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name, has, err := block.Name(c.payload)
			if err != nil {
				t.Fatal(err)
			}
			if name != c.want && (c.want != "nbt:" || !strings.HasPrefix(name, "nbt:")) {
				t.Errorf("name %q, want %q", name, c.want)
			}
			back, err := block.AppendEntry(nil, name, has == block.EmptyProperties)
			if err != nil {
				t.Fatal(err)
			}
			if path, equal := nbt.Equal(document(c.payload), document(back)); !equal {
				t.Errorf("%q came back different at %s", name, path)
			}
		})
	}
}

// TestNameOrder: the order of tags is no part of an entry's identity, at any depth.
func TestNameOrder(t *testing.T) {
	odd := func(turned bool) []byte {
		pair := func(p []byte, a, b func([]byte) []byte) []byte {
			if turned {
				a, b = b, a
			}
			return b(a(p))
		}
		number := func(name string) func([]byte) []byte {
			return func(p []byte) []byte { return nbt.AppendInt(p, name, 7) }
		}
		deep := func(p []byte) []byte {
			p = nbt.AppendList(p, "list", nbt.Compound, 2)
			for range 2 {
				p = nbt.AppendEnd(pair(p, number("x"), number("y")))
			}
			return p
		}
		return nbt.AppendEnd(pair(nil, func(p []byte) []byte { return nbt.AppendString(p, "Name", "m:s") }, deep))
	}
	for _, c := range []struct {
		name string
		a, b []byte
	}{
		{"two properties", entry("m:s", "a", "1", "b", "2"), entry("m:s", "b", "2", "a", "1")},
		{"other tags", odd(false), odd(true)},
		{"an old name", emptied("a[b"), nbt.AppendEnd(nbt.AppendString(emptyProperties(nil), "Name", "a[b"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _, err := block.Name(c.a)
			b, _, err2 := block.Name(c.b)
			if err != nil || err2 != nil || a != b {
				t.Errorf("%q, %q, %v, %v", a, b, err, err2)
			}
		})
	}
	list := nbt.AppendEnd(nbt.AppendList(nil, "l", nbt.Int, -1))
	if name, _, err := block.Name(list); err != nil || name != "nbt:"+hex.EncodeToString(list) {
		t.Errorf("a list of negative length is %q, %v", name, err)
	}
}

// TestOldNames: stones of older versions name an entry with an empty Properties by
// its tags.
func TestOldNames(t *testing.T) {
	for _, want := range [][]byte{emptied("minecraft:air"), emptied("m:s")} {
		for _, empty := range []bool{false, true} {
			got, err := block.AppendEntry(nil, "nbt:"+hex.EncodeToString(want), empty)
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("% x came back as % x, %v", want, got, err)
			}
		}
	}
}

func TestNameTruncated(t *testing.T) {
	whole := entry("minecraft:oak_stairs", "half", "bottom", "facing", "east")
	for n := range whole {
		if name, _, err := block.Name(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes gave %q", n, len(whole), name)
		}
	}
	if name, _, err := block.Name(append(whole, 0)); err == nil {
		t.Errorf("a byte too many gave %q", name)
	}
}

func TestBadNames(t *testing.T) {
	for _, name := range []string{"", "legacy:1/0", "m:s[", "m:s[a]", "m:s[]", "m:s[a=b", "nbt:", "nbt:0", "nbt:zz", "nbt:0a", "nbt:0000"} {
		if p, err := block.AppendEntry(nil, name, false); !errors.Is(err, block.ErrName) {
			t.Errorf("entry %q: % x, %v", name, p, err)
		}
	}
	for _, name := range []string{"", "air", "legacy:1", "nbt:", "nbt:0001", "nbt:00016161"} {
		if p, err := block.AppendBiome(nil, name); !errors.Is(err, block.ErrName) {
			t.Errorf("biome %q: % x, %v", name, p, err)
		}
	}
	for _, name := range []string{"", "m:s", "legacy:", "legacy:1", "legacy:1/", "legacy:1/16", "legacy:4096/0", "legacy:-1/0"} {
		if id, data, err := block.ParseLegacy(name); !errors.Is(err, block.ErrName) {
			t.Errorf("state %q: %d/%d, %v", name, id, data, err)
		}
	}
	for _, name := range []string{"", "m:plains", "legacy:", "legacy:1/0", "legacy:2147483648"} {
		if id, err := block.ParseLegacyBiome(name); !errors.Is(err, block.ErrName) {
			t.Errorf("biome %q: %d, %v", name, id, err)
		}
	}
}

func TestBiomeName(t *testing.T) {
	for _, raw := range []string{"minecraft:plains", "air", "", "legacy:3", "nbt:00", "a b", "\xC0\x80"} {
		name := block.BiomeName([]byte(raw))
		if name == format.Air {
			t.Errorf("biome %q is the empty cell", raw)
		}
		got, err := block.AppendBiome(nil, name)
		want := append([]byte{0, byte(len(raw))}, raw...)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("biome %q as %q came back as % x, %v", raw, name, got, err)
		}
	}
}

func TestLegacyNames(t *testing.T) {
	for id := range 4096 {
		for data := range uint8(16) {
			if i, d, err := block.ParseLegacy(block.LegacyName(id, data)); i != id || d != data || err != nil {
				t.Fatalf("%d/%d came back as %d/%d, %v", id, data, i, d, err)
			}
		}
	}
	for _, id := range []int32{-1 << 31, -1, 0, 127, 1<<31 - 1} {
		if got, err := block.ParseLegacyBiome(block.LegacyBiomeName(id)); got != id || err != nil {
			t.Errorf("biome %d came back as %d, %v", id, got, err)
		}
	}
}

func TestPalette(t *testing.T) {
	names := format.NewNames()
	p := block.NewPalette(names)
	stairs := entry("m:s", "b", "1", "a", "2")
	for _, c := range []struct {
		entry []byte
		want  voxel.Cell
		has   block.Properties
	}{
		{entry("m:stone"), 1, block.NoProperties}, {entry("minecraft:air"), 0, block.NoProperties}, {stairs, 2, block.SomeProperties}, {stairs, 2, block.SomeProperties},
		{entry("m:s", "a", "2", "b", "1"), 2, block.SomeProperties}, {emptied("m:stone"), 1, block.EmptyProperties}, {emptied("m:stone"), 1, block.EmptyProperties},
		{entry("a b"), 3, block.SomeProperties},
	} {
		if got, has, err := p.Cell(c.entry); got != c.want || has != c.has || err != nil {
			t.Errorf("% x is cell %d, %d, %v; want %d, %d", c.entry, got, has, err, c.want, c.has)
		}
	}
	if allocs := testing.AllocsPerRun(10, func() { p.Cell(stairs) }); allocs != 0 {
		t.Errorf("%v allocations for a known entry", allocs)
	}
	if c, _, err := p.Cell([]byte{1}); err == nil {
		t.Errorf("a broken entry is cell %d", c)
	}
	b := block.NewPalette(format.NewNames())
	for range 2 {
		if c, err := b.Biome([]byte("air")); c != 1 || err != nil {
			t.Errorf("biome air is cell %d, %v", c, err)
		}
	}
}

func TestNumericUnpack(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{4096, 8, 6, 0} {
		ids, add, data := make([]byte, n), make([]byte, n/2), make([]byte, n/2)
		for i := range ids {
			ids[i], data[i/2], add[i/2] = byte(rng.IntN(20)), byte(rng.Uint32()), byte(rng.IntN(3))
			if i/64%2 == 0 { // all of one kind, but for a few
				ids[i], data[i/2], add[i/2] = byte(i/64), byte(i/512*0x11), 0
				if rng.IntN(16) == 0 {
					ids[i]++
				} else if rng.IntN(16) == 0 {
					data[i/2] ^= 0x10
				}
			}
		}
		for _, high := range [][]byte{nil, add} {
			checkNumericUnpack(t, ids, high, data)
		}
	}
}

func checkNumericUnpack(t *testing.T, ids, high, data []byte) {
	t.Helper()
	names, cells := format.NewNames(), make([]voxel.Cell, len(ids))
	if err := block.NewNumeric(names).Unpack(ids, high, data, cells); err != nil {
		t.Fatal(err)
	}
	half := func(b []byte, i int) int {
		if b == nil {
			return 0
		}
		return int(b[i/2] >> (i % 2 * 4) & 15)
	}
	for i, c := range cells {
		want := block.LegacyName(int(ids[i])|half(high, i)<<8, uint8(half(data, i)))
		if names.Name(c) != want {
			t.Fatalf("cell %d of %d is %s, want %s", i, len(cells), names.Name(c), want)
		}
	}
}

func TestNumericTooManyNames(t *testing.T) {
	n := block.NewNumeric(format.NewNames())
	var err error
	for id := 0; id < 4096 && err == nil; id++ {
		for data := uint8(0); data < 16 && err == nil; data++ {
			_, err = n.Cell(id, data)
		}
	}
	if err == nil {
		t.Error("65,536 names fitted into 32,768")
	}
}

func FuzzName(f *testing.F) {
	f.Add(entry("minecraft:oak_stairs", "half", "bottom", "facing", "east"))
	f.Add(entry("minecraft:air"))
	f.Add(entry("m:s", "k", "a,b"))
	f.Fuzz(func(t *testing.T, payload []byte) {
		name, has, err := block.Name(payload)
		if err != nil {
			return
		}
		back, err := block.AppendEntry(nil, name, has == block.EmptyProperties)
		if err != nil {
			t.Fatalf("%q does not come back: %v", name, err)
		}
		if path, equal := nbt.Equal(document(payload), document(back)); !equal {
			t.Fatalf("%q came back different at %s", name, path)
		}
	})
}
