package mcedit_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/mcedit"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// file returns a schematic of 3x1x1 blocks with some tags replaced, added, or removed if nil.
func file(others ...nbt.Entry) []byte {
	all := nbt.Entries{
		{Name: "Width", Value: int16(3)}, {Name: "Height", Value: int16(1)}, {Name: "Length", Value: int16(1)},
		{Name: "Materials", Value: "Alpha"}, {Name: "Blocks", Value: []byte{0, 53, 255}}, {Name: "Data", Value: []byte{0, 1, 15}},
	}
	for _, o := range others {
		all = slices.DeleteFunc(all, func(e nbt.Entry) bool { return e.Name == o.Name })
		if o.Value != nil {
			all = append(all, o)
		}
	}
	return nbt.Append(nil, "Schematic", all)
}

func tag(name string, v nbt.Value) nbt.Entry { return nbt.Entry{Name: name, Value: v} }

func read(b []byte) (*clip.Clip, error) {
	return mcedit.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{})
}

func row(c *clip.Clip) string {
	slice := make([]voxel.Cell, c.Area())
	c.Slice(&c.Block, 0, slice)
	var names []string
	for _, cell := range slice {
		names = append(names, strings.TrimPrefix(c.Block.Names[cell], "legacy:"))
	}
	return strings.Join(names, " ")
}

func TestBlocks(t *testing.T) {
	for _, tt := range []struct {
		name string
		file []byte
		want string
		lost int
	}{
		{"plain", file(), "air 53/1 255/15", 0},
		{"edges are ints", file(tag("Width", int32(3)), tag("Height", int32(1)), tag("Length", int32(1))), "air 53/1 255/15", 0},
		{"no materials", file(tag("Materials", nil)), "air 53/1 255/15", 0},
		{"AddBlocks, low half first", file(tag("AddBlocks", []byte{0x21, 0x03})), "256/0 565/1 1023/15", 0},
		{"AddBlocks that is too short", file(tag("AddBlocks", []byte{0x20})), "air 565/1 255/15", 0},
		{"AddBlocks that is too long", file(tag("AddBlocks", []byte{0x20, 0, 7, 7})), "air 565/1 255/15", 0},
		{"Add", file(tag("Add", []byte{0, 1, 15})), "air 309/1 4095/15", 0},
		{"data above 15", file(tag("Data", []byte{0, 0x81, 15})), "air 53/1 255/15", 1},
		{"air with data", file(tag("Data", []byte{3, 1, 15})), "0/3 53/1 255/15", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !mcedit.Detect(tt.file) {
				t.Error("not detected")
			}
			c, err := read(tt.file)
			if err != nil {
				t.Fatal(err)
			}
			if got := row(c); got != tt.want || len(c.Lost) != tt.lost {
				t.Errorf("got %q, lost %v; want %q", got, c.Lost, tt.want)
			}
			var out bytes.Buffer
			if _, err := mcedit.Write(&out, c, clip.WriteOptions{}); err != nil {
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

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		file    []byte
		want    string
		corrupt bool
	}{
		{"Classic", file(tag("Materials", "Classic")), `materials "Classic"`, false},
		{"Pocket", file(tag("Materials", "Pocket")), `materials "Pocket"`, false},
		{"no width", file(tag("Width", nil)), "missing", true},
		{"a width that is too large", file(tag("Width", int32(65536))), "beyond 0 to 65535", true},
		{"no blocks", file(tag("Blocks", nil)), "missing", true},
		{"no data", file(tag("Data", nil)), "Data", true},
		{"few blocks", file(tag("Blocks", []byte{1})), "1 bytes for 3 x 1 x 1", true},
		{"many blocks", file(tag("Blocks", []byte{1, 1, 1, 1})), "4 bytes for 3 x 1 x 1", true},
		{"much data", file(tag("Data", []byte{1, 1, 1, 1})), "4 bytes for 3 blocks", true},
		{"a box that is too large", file(tag("Width", int16(-1)), tag("Height", int16(-1)), tag("Length", int16(-1))), "65535 x 65535 x 65535", true},
	} {
		_, err := read(tt.file)
		var corrupt *format.CorruptError
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &corrupt) != tt.corrupt {
			t.Errorf("%s: %v, want %q, a CorruptError: %v", tt.name, err, tt.want, tt.corrupt)
		}
	}
}

// TestPlaces reads where WorldEdit says that the clip and its entities are.
func TestPlaces(t *testing.T) {
	pos := nbt.Items{Elem: nbt.Double, Values: []nbt.Value{101.5, 64.0, -6.5}}
	frame := nbt.Entries{{Name: "id", Value: "ItemFrame"}, {Name: "Pos", Value: pos}, {Name: "TileX", Value: int32(101)}, {Name: "TileY", Value: int32(64)}, {Name: "TileZ", Value: int32(-7)}}
	chest := nbt.Entries{{Name: "id", Value: "Chest"}, {Name: "x", Value: int32(2)}, {Name: "y", Value: int32(0)}, {Name: "z", Value: int32(0)}}
	c, err := read(file(tag("WEOriginX", int32(100)), tag("WEOriginY", int32(64)), tag("WEOriginZ", int32(-7)), tag("WEOffsetX", int32(-1)), tag("WEOffsetY", int32(-2)), tag("WEOffsetZ", int32(-3)),
		tag("Entities", nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{frame}}), tag("TileEntities", nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{chest}}), tag("Icon", nbt.Entries{})))
	if err != nil {
		t.Fatal(err)
	}
	if c.Min != (geom.Point{X: 100, Y: 64, Z: -7}) || c.Offset != (geom.Point{X: -1, Y: -2, Z: -3}) {
		t.Errorf("least corner %v, offset %v", c.Min, c.Offset)
	}
	if o := c.List(voxel.BlockEntities)[0]; o.Place != voxel.Moved || o.At != (geom.Point{X: 2}) {
		t.Errorf("the chest is at %v", o.At)
	}
	o := c.List(voxel.Entities)[0]
	if p, ok := clip.Hangs(&o); o.At != (geom.Point{X: 1}) || !ok || p != (geom.Point{X: 1}) {
		t.Errorf("the frame is at %v, hangs at %v", o.At, p)
	}
	far := nbt.Entries{{Name: "id", Value: "Chest"}, {Name: "x", Value: int32(102)}, {Name: "y", Value: int32(64)}, {Name: "z", Value: int32(-7)}}
	fawe, err := read(file(tag("WEOriginX", int32(100)), tag("WEOriginY", int32(64)), tag("WEOriginZ", int32(-7)), tag("TileEntities", nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{far}})))
	if err != nil {
		t.Fatal(err)
	}
	if o := fawe.List(voxel.BlockEntities)[0]; o.At != (geom.Point{X: 2}) {
		t.Errorf("a chest that counts from the origin of the world is at %v", o.At)
	}
	if fields, err := document.Fields(c.Tags); err != nil || len(fields) != 1 || fields[0].Name != "Icon" {
		t.Errorf("tags %v, %v", fields, err)
	}
	var out bytes.Buffer
	if _, err := mcedit.Write(&out, c, clip.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := read(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if d := clip.Difference(c, again); d != "" {
		t.Error(d)
	}
}

// TestZeros: WorldEdit always writes where a clip lies. A file keeps zeros, one without them gets
// none, and a new one gets them.
func TestZeros(t *testing.T) {
	names := []string{"WEOffsetX", "WEOffsetY", "WEOffsetZ", "WEOriginX", "WEOriginY", "WEOriginZ"}
	var zeros []nbt.Entry
	for _, name := range names {
		zeros = append(zeros, tag(name, int32(0)))
	}
	for _, tt := range []struct {
		name   string
		file   []byte
		format string
		offset geom.Point
		want   map[string]int32
	}{
		{"zeros", file(zeros...), "mcedit", geom.Point{}, map[string]int32{"WEOffsetX": 0, "WEOffsetY": 0, "WEOffsetZ": 0, "WEOriginX": 0, "WEOriginY": 0, "WEOriginZ": 0}},
		{"one zero", file(zeros[1]), "mcedit", geom.Point{}, map[string]int32{"WEOffsetY": 0}},
		{"none", file(), "mcedit", geom.Point{}, map[string]int32{}},
		{"zeros that are moved", file(zeros[:3]...), "mcedit", geom.Point{Y: -4}, map[string]int32{"WEOffsetX": 0, "WEOffsetY": -4, "WEOffsetZ": 0}},
		{"a clip of a world", file(), "", geom.Point{X: 1}, map[string]int32{"WEOffsetX": 1, "WEOffsetY": 0, "WEOffsetZ": 0, "WEOriginX": 0, "WEOriginY": 0, "WEOriginZ": 0}},
	} {
		c, err := read(tt.file)
		if err != nil {
			t.Fatal(err)
		}
		c.Format, c.Offset = tt.format, tt.offset
		var out bytes.Buffer
		if _, err := mcedit.Write(&out, c, clip.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		doc := document.NewDocument(bytes.NewReader(out.Bytes()), int64(out.Len()), 0)
		got := map[string]int32{}
		err = doc.Walk(func(s *nbt.Stream, ty nbt.Type, name string) error {
			if raw := s.Raw(ty); slices.Contains(names, name) {
				if _, twice := got[name]; twice {
					t.Errorf("%s: %s comes twice", tt.name, name)
				}
				got[name] = int32(binary.BigEndian.Uint32(raw))
			}
			return nil
		})
		if err != nil || !maps.Equal(got, tt.want) {
			t.Errorf("%s: %v, %v, want %v", tt.name, got, err, tt.want)
		}
	}
}
