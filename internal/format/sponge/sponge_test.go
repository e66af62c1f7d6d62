package sponge_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/sponge"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

type tags = nbt.Entries

// tag returns an entry.
func tag(name string, v nbt.Value) nbt.Entry { return nbt.Entry{Name: name, Value: v} }

// base is a schematic of version 2 of 3x1x1 blocks: air, stone, dirt.
func base() tags {
	return tags{
		{Name: "Version", Value: int32(2)}, {Name: "DataVersion", Value: int32(2586)},
		{Name: "Width", Value: int16(3)}, {Name: "Height", Value: int16(1)}, {Name: "Length", Value: int16(1)},
		{Name: "Palette", Value: tags{{Name: "minecraft:air", Value: int32(0)}, {Name: "minecraft:stone", Value: int32(1)}, {Name: "minecraft:dirt", Value: int32(2)}}},
		{Name: "BlockData", Value: []byte{0, 1, 2}},
	}
}

// with returns the tags with others of the same names replaced, added, or removed if nil.
func with(t tags, others ...nbt.Entry) tags {
	var out tags
	for _, e := range t {
		keep := true
		for _, o := range others {
			keep = keep && o.Name != e.Name
		}
		if keep {
			out = append(out, e)
		}
	}
	for _, o := range others {
		if o.Value != nil {
			out = append(out, o)
		}
	}
	return out
}

// file compresses a schematic.
func file(name string, root tags) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(nbt.Append(nil, name, root))
	z.Close()
	return out.Bytes()
}

func third(t tags) []byte { return file("", tags{{Name: "Schematic", Value: t}}) }

func read(b []byte) (*clip.Clip, error) {
	return sponge.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{})
}

// row returns the names of the blocks at y 0 and z 0.
func row(t *testing.T, c *clip.Clip, v *clip.Contents) string {
	t.Helper()
	slice := make([]voxel.Cell, c.Area())
	c.Slice(v, 0, slice)
	var names []string
	for _, cell := range slice[:c.Size.X] {
		names = append(names, strings.TrimPrefix(v.Names[cell], "minecraft:"))
	}
	return strings.Join(names, " ")
}

func compounds(list ...tags) nbt.Items {
	out := nbt.Items{Elem: nbt.Compound}
	for _, c := range list {
		out.Values = append(out.Values, c)
	}
	return out
}

func doubles(v ...float64) nbt.Items {
	out := nbt.Items{Elem: nbt.Double}
	for _, x := range v {
		out.Values = append(out.Values, x)
	}
	return out
}

var v3 = tags{
	{Name: "Version", Value: int32(3)}, {Name: "DataVersion", Value: int32(3700)},
	{Name: "Width", Value: int16(3)}, {Name: "Height", Value: int16(1)}, {Name: "Length", Value: int16(1)},
	{Name: "Blocks", Value: tags{{Name: "Data", Value: []byte{1, 2, 3}},
		{Name: "Palette", Value: tags{{Name: "minecraft:air", Value: int32(1)}, {Name: "minecraft:stone", Value: int32(2)}, {Name: "minecraft:dirt", Value: int32(3)}}}}},
}

// TestHabits reads what other programs write.
func TestHabits(t *testing.T) {
	for _, tt := range []struct {
		name string
		file []byte
		want string // the row
	}{
		{"version 2", file("Schematic", base()), "air stone dirt"},
		{"another root name", file("", base()), "air stone dirt"},
		{"version 1", file("Schematic", with(base(), tag("Version", int32(1)), tag("DataVersion", nil))), "air stone dirt"},
		{"version 3, a palette from 1, data before it", third(v3), "air stone dirt"},
		{"no data version", file("", with(base(), tag("DataVersion", nil))), "air stone dirt"},
		{"edges are ints", file("", with(base(), tag("Width", int32(3)), tag("Height", int32(1)), tag("Length", int32(1)))), "air stone dirt"},
		{"edges come last", file("", with(base(), tag("Width", int16(3)))), "air stone dirt"},
		{"data first", file("", append(tags{{Name: "BlockData", Value: []byte{2, 1, 0}}}, with(base(), tag("BlockData", nil))...)), "dirt stone air"},
		{"indices with gaps", file("", with(base(), tag("Palette", tags{tag("minecraft:air", int32(7)), tag("minecraft:stone", int32(300)), tag("minecraft:dirt", int32(1<<30))}),
			tag("BlockData", []byte{7, 0xAC, 0x02, 0x80, 0x80, 0x80, 0x80, 0x04}))), "air stone dirt"},
		{"unused entries", file("", with(base(), tag("BlockData", []byte{2, 2, 2}))), "dirt dirt dirt"},
		{"a long varint", file("", with(base(), tag("BlockData", []byte{0x81, 0x00, 0, 0x82, 0x80, 0x00}))), "stone air dirt"},
		{"properties in any order", file("", with(base(), tag("Palette", tags{tag("a:b[y=1,x=2]", int32(0)), tag("a:b[x=2,y=1]", int32(1)), tag("stone[]", int32(2))}))), "a:b[x=2,y=1] a:b[x=2,y=1] stone"},
		{"names without a namespace", file("", with(base(), tag("Palette", tags{tag("air", int32(0)), tag("oak_log[axis=y]", int32(1)), tag("dirt", int32(2))}))), "air oak_log[axis=y] dirt"},
		{"a name of unusual form", file("", with(base(), tag("Palette", tags{tag("a:b[", int32(0)), tag("minecraft:stone", int32(1)), tag("minecraft:dirt", int32(2))}))), "nbt:0800044e616d650004613a625b00 stone dirt"},
		{"version 3 without blocks", third(with(v3, tag("Blocks", nil))), "air air air"},
		{"bytes behind the document", func() []byte {
			var out bytes.Buffer
			z := gzip.NewWriter(&out)
			z.Write(append(nbt.Append(nil, "", base()), 1, 2, 3))
			z.Close()
			return out.Bytes()
		}(), "air stone dirt"},
		{"nothing compressed", nbt.Append(nil, "Schematic", base()), "air stone dirt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !sponge.Detect(tt.file) {
				t.Error("not detected")
			}
			c, err := read(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := row(t, c, &c.Block); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			var out bytes.Buffer
			if _, err := sponge.Write(&out, c, clip.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			again, err := read(out.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if d := clip.Difference(c, again); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestRefused reads what cannot be read.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		file    []byte
		want    string
		corrupt bool
	}{
		{"nothing", nil, "unexpected EOF", true},
		{"no NBT", []byte("hello"), "", true},
		{"a list", nbt.Append(nil, "", nbt.Items{}), "root", true},
		{"no version", file("", with(base(), tag("Version", nil))), "not a Sponge schematic", true},
		{"a version to come", file("", with(base(), tag("Version", int32(4)))), "version 4", false},
		{"no palette", file("", with(base(), tag("Palette", nil))), "no palette", false},
		{"no width", file("", with(base(), tag("Width", nil))), "Width", true},
		{"a width that is too large", file("", with(base(), tag("Width", int32(65536)))), "65536", true},
		{"a width that is text", file("", with(base(), tag("Width", "3"))), "Width", true},
		{"no blocks", file("", with(base(), tag("BlockData", nil))), "no array", true},
		{"a short array", file("", with(base(), tag("BlockData", []byte{0, 1}))), "2 bytes for 3 x 1 x 1", true},
		{"an array of too few cells", file("", with(base(), tag("BlockData", []byte{0, 0x81, 0}))), "not as many cells", true},
		{"an array of too many cells", file("", with(base(), tag("BlockData", []byte{0, 1, 2, 0}))), "not as many cells", true},
		{"a varint that is cut", file("", with(base(), tag("BlockData", []byte{0, 1, 2, 0x80}))), "", true},
		{"a varint that is too long", file("", with(base(), tag("BlockData", []byte{0, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}))), "varint", true},
		{"an index that is not there", file("", with(base(), tag("BlockData", []byte{0, 1, 3}))), "index 3", true},
		{"a negative index", file("", with(base(), tag("Palette", tags{tag("minecraft:air", int32(-1))}))), "index -1", true},
		{"two states of an index", file("", with(base(), tag("Palette", tags{tag("a:a", int32(0)), tag("a:b", int32(0))}))), "index 0", true},
		{"an index that is text", file("", with(base(), tag("Palette", tags{tag("a:a", "0")}))), "string", true},
		{"a box that is too large for its bytes", file("", with(base(), tag("Width", int16(-1)), tag("Height", int16(-1)), tag("Length", int16(-1)))), "3 bytes for 65535 x 65535 x 65535", true},
		{"an object beyond the world", file("", with(base(), tag("BlockEntities", compounds(tags{tag("Pos", []int32{1 << 30, 0, 0}), tag("Id", "a:b")})))), "out of range", true},
		{"objects that are numbers", file("", with(base(), tag("BlockEntities", nbt.Items{Elem: nbt.Int, Values: []nbt.Value{int32(1)}}))), "list", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.file)
			var corrupt *format.CorruptError
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &corrupt) != tt.corrupt {
				t.Errorf("%v, want %q, a CorruptError: %v", err, tt.want, tt.corrupt)
			}
		})
	}
}

// TestBombs reads small files that claim much.
func TestBombs(t *testing.T) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(nbt.AppendHeader(nil, nbt.Compound, "Schematic"))
	z.Write([]byte{byte(nbt.ByteArray), 0, 9})
	z.Write([]byte("BlockData\x7f\xff\xff\xff"))
	zeros := make([]byte, 1<<20)
	for range 64 {
		z.Write(zeros)
	}
	z.Close()
	if _, err := sponge.Read(bytes.NewReader(out.Bytes()), int64(out.Len()), clip.ReadOptions{MaxBytes: 1 << 20}); !errors.Is(err, clip.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	deep := nbt.AppendHeader(nil, nbt.Compound, "")
	for range 5000 {
		deep = nbt.AppendCompound(deep, "a")
	}
	if _, err := read(deep); err == nil {
		t.Error("5,000 compounds in one another: no error")
	}
}

// TestObjects reads block entities and entities in the forms of each version.
func TestObjects(t *testing.T) {
	at := []int32{2, 0, 0}
	for _, tt := range []struct {
		name string
		file []byte
		list string
		want string // of the payload
		at   geom.Point
		none bool // no position
		lost int
	}{
		{"version 2", file("", with(base(), tag("BlockEntities", compounds(tags{tag("Pos", at), tag("Id", "a:b"), tag("n", int8(1))})))), voxel.BlockEntities, "id n", geom.Point{X: 2}, false, 0},
		{"version 2, with x, y and z", file("", with(base(), tag("BlockEntities", compounds(tags{tag("x", int32(9)), tag("Pos", at), tag("y", int32(9)), tag("Id", "a:b"), tag("z", int32(9))})))), voxel.BlockEntities, "id", geom.Point{X: 2}, false, 0},
		{"version 1", file("", with(base(), tag("Version", int32(1)), tag("TileEntities", compounds(tags{tag("ContentVersion", int32(1)), tag("Pos", at), tag("Id", "a:b"), tag("n", int8(1))})))), voxel.BlockEntities, "id n", geom.Point{X: 2}, false, 0},
		{"version 1, another content version", file("", with(base(), tag("Version", int32(1)), tag("TileEntities", compounds(tags{tag("ContentVersion", int32(2)), tag("Pos", at), tag("Id", "a:b")})))), voxel.BlockEntities, "id ContentVersion", geom.Point{X: 2}, false, 0},
		{"version 3", third(with(v3, blocks(tags{tag("Pos", at), tag("Id", "a:b"), tag("Data", tags{tag("n", int8(1))})}))), voxel.BlockEntities, "id n", geom.Point{X: 2}, false, 0},
		{"version 3 without Data", third(with(v3, blocks(tags{tag("Pos", at), tag("Id", "a:b"), tag("n", int8(1))}))), voxel.BlockEntities, "id n", geom.Point{X: 2}, false, 0},
		{"version 3, the same id twice", third(with(v3, blocks(tags{tag("Pos", at), tag("Id", "a:b"), tag("Data", tags{tag("id", "a:b"), tag("x", int32(5))})}))), voxel.BlockEntities, "id", geom.Point{X: 2}, false, 0},
		{"version 3, another id within", third(with(v3, blocks(tags{tag("Pos", at), tag("Id", "a:b"), tag("Data", tags{tag("id", "a:c")})}))), voxel.BlockEntities, "id", geom.Point{X: 2}, false, 1},
		{"neither Id nor Pos", third(with(v3, blocks(tags{tag("Data", tags{tag("n", int8(1))})}))), voxel.BlockEntities, "n", geom.Point{}, true, 0},
		{"an entity of version 2", file("", with(base(), tag("Offset", []int32{100, 50, -7}), tag("Entities", compounds(tags{tag("Pos", doubles(101.5, 50, -6.25)), tag("Id", "a:b"), tag("n", int8(1))})))), voxel.Entities, "id Pos n", geom.Point{X: 1}, false, 0},
		{"an entity of version 3", third(with(v3, tag("Offset", []int32{100, 50, -7}), tag("Entities", compounds(tags{tag("Pos", doubles(1.5, 0, 0.75)), tag("Id", "a:b"), tag("Data", tags{tag("n", int8(1)), tag("Pos", doubles(9, 9, 9))})})))), voxel.Entities, "id Pos n", geom.Point{X: 1}, false, 0},
		{"an entity without Pos", third(with(v3, tag("Entities", compounds(tags{tag("Id", "a:b")})))), voxel.Entities, "id", geom.Point{}, true, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := read(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			o := c.List(tt.list)[0]
			fields, err := document.Fields(o.Payload)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range fields {
				names = append(names, f.Name)
			}
			if got := strings.Join(names, " "); got != tt.want || o.At != tt.at || (o.Place == voxel.Nowhere) != tt.none || len(c.Lost) != tt.lost {
				t.Errorf("got %q at %v, place %d, lost %v; want %q at %v", got, o.At, o.Place, c.Lost, tt.want, tt.at)
			}
			for _, version := range []int{2, 3} {
				var out bytes.Buffer
				if _, err := sponge.Write(&out, c, clip.WriteOptions{Version: version}); err != nil {
					t.Fatal(err)
				}
				again, err := read(out.Bytes())
				if err != nil {
					t.Fatal(err)
				}
				if d := clip.Difference(c, again); d != "" {
					t.Errorf("version %d: %s", version, d)
				}
			}
		})
	}
}

// blocks returns the tag Blocks with a block entity.
func blocks(e tags) nbt.Entry {
	inner := v3.Get("Blocks").(tags)
	return tag("Blocks", with(inner, tag("BlockEntities", compounds(e))))
}

// TestPlaces reads where a clip lies, in the tags of WorldEdit too.
func TestPlaces(t *testing.T) {
	meta := func(more ...nbt.Entry) nbt.Entry { return tag("Metadata", tags(more)) }
	offset := tag("Offset", []int32{10, 20, 30})
	for _, tt := range []struct {
		name        string
		file        []byte
		offset, min geom.Point
		tags        string
	}{
		{"nothing", file("", base()), geom.Point{}, geom.Point{}, ""},
		{"version 2", file("", with(base(), offset)), geom.Point{}, geom.Point{X: 10, Y: 20, Z: 30}, ""},
		{"WorldEdit, version 2", file("", with(base(), offset, meta(tag("WEOffsetX", int32(-1)), tag("WEOffsetY", int32(-2)), tag("WEOffsetZ", int32(-3))))), geom.Point{X: -1, Y: -2, Z: -3}, geom.Point{X: 10, Y: 20, Z: 30}, ""},
		{"WorldEdit, version 2, at 0", file("", with(base(), offset, meta(tag("WEOffsetX", int32(0)), tag("WEOffsetY", int32(0)), tag("WEOffsetZ", int32(0))))), geom.Point{}, geom.Point{X: 10, Y: 20, Z: 30}, "Metadata"},
		{"an offset as a list", file("", with(base(), tag("Offset", nbt.Items{Elem: nbt.Int, Values: []nbt.Value{int32(1), int32(2), int32(3)}}))), geom.Point{}, geom.Point{X: 1, Y: 2, Z: 3}, ""},
		{"an odd offset", file("", with(base(), tag("Offset", "here"))), geom.Point{}, geom.Point{}, ""},
		{"metadata stays", file("", with(base(), meta(tag("Name", "hut"), tag("FAWEVersion", int32(5))))), geom.Point{}, geom.Point{}, "Metadata"},
		{"version 3", third(with(v3, offset)), geom.Point{X: 10, Y: 20, Z: 30}, geom.Point{X: 10, Y: 20, Z: 30}, ""},
		{"WorldEdit, version 3", third(with(v3, offset, meta(tag("WorldEdit", tags{tag("Origin", []int32{1, 2, 3}), tag("Version", "7")})))), geom.Point{X: 10, Y: 20, Z: 30}, geom.Point{X: 11, Y: 22, Z: 33}, "Metadata"},
		{"unknown tags stay", third(with(v3, tag("Odd", int8(1)))), geom.Point{}, geom.Point{}, "Odd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := read(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			if len(c.Tags) > 0 {
				fields, err := document.Fields(c.Tags)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range fields {
					names = append(names, f.Name)
				}
			}
			if got := fmt.Sprint(c.Offset, c.Min, names); got != fmt.Sprint(tt.offset, tt.min, strings.Fields(tt.tags)) {
				t.Errorf("got %s, want %v %v [%s]", got, tt.offset, tt.min, tt.tags)
			}
		})
	}
}

// TestBiomes reads biomes for each column, and for each block.
func TestBiomes(t *testing.T) {
	palette := tags{tag("minecraft:plains", int32(1)), tag("minecraft:desert", int32(4))}
	for name, b := range map[string][]byte{
		"version 2": file("", with(base(), tag("BiomeData", []byte{4, 1, 4}), tag("BiomePalette", palette), tag("BiomePaletteMax", int32(2)))),
		"version 3": third(with(v3, tag("Biomes", tags{tag("Palette", palette), tag("Data", []byte{4, 1, 4})}))),
	} {
		c, err := read(b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if c.Biome == nil || row(t, c, c.Biome) != "desert plains desert" || c.Biome.Flat != (name == "version 2") {
			t.Errorf("%s: biomes %+v", name, c.Biome)
		}
	}
}
