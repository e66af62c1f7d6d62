package structure_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/structure"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func tag(name string, v nbt.Value) nbt.Entry { return nbt.Entry{Name: name, Value: v} }

func list(elem nbt.Type, values ...nbt.Value) nbt.Items { return nbt.Items{Elem: elem, Values: values} }

func ints(v ...int32) nbt.Items {
	out := nbt.Items{Elem: nbt.Int}
	for _, x := range v {
		out.Values = append(out.Values, x)
	}
	return out
}

// at returns a block.
func at(x, y, z, state int32, more ...nbt.Entry) nbt.Value {
	return append(nbt.Entries{tag("pos", ints(x, y, z)), tag("state", state)}, more...)
}

// palette is air, stone, stairs and a chest.
var palette = list(nbt.Compound,
	nbt.Entries{tag("Name", "minecraft:air")}, nbt.Entries{tag("Name", "minecraft:stone")},
	nbt.Entries{tag("Name", "minecraft:oak_stairs"), tag("Properties", nbt.Entries{tag("facing", "east")})}, nbt.Entries{tag("Name", "minecraft:chest")})

// file returns a structure of 2x2x2 blocks with some tags replaced, added, or removed if nil.
func file(others ...nbt.Entry) []byte {
	all := nbt.Entries{
		tag("size", ints(2, 2, 2)), tag("entities", nbt.Items{}),
		tag("blocks", list(nbt.Compound, at(0, 0, 0, 1), at(1, 0, 0, 1), at(0, 1, 0, 2), at(1, 1, 1, 0), at(0, 0, 1, 3, tag("nbt", nbt.Entries{tag("id", "minecraft:chest")})))),
		tag("palette", palette), tag("DataVersion", int32(3465)),
	}
	for _, o := range others {
		all = slices.DeleteFunc(all, func(e nbt.Entry) bool { return e.Name == o.Name })
		if o.Value != nil {
			all = append(all, o)
		}
	}
	return nbt.Append(nil, "", all)
}

func read(b []byte) (*clip.Clip, error) {
	return structure.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{})
}

// write returns the document of a clip.
func write(t *testing.T, c *clip.Clip) []byte {
	t.Helper()
	var out bytes.Buffer
	if _, err := structure.Write(&out, c, clip.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestSame writes what it read: runs and states in the order of the game.
func TestSame(t *testing.T) {
	state := func(name string) nbt.Value { return nbt.Entries{tag("Name", "minecraft:"+name)} }
	for name, doc := range map[string][]byte{
		"full blocks, the rest, nbt": file(tag("palette", list(nbt.Compound, state("stone"), palette.Values[2], state("air"), state("chest"))),
			tag("blocks", list(nbt.Compound, at(0, 0, 0, 0), at(1, 0, 0, 0), at(0, 1, 0, 1), at(1, 1, 1, 2), at(0, 0, 1, 3, tag("nbt", nbt.Entries{tag("id", "minecraft:chest")}))))),
		"no full block": file(tag("palette", list(nbt.Compound, state("torch"), state("air"))), tag("blocks", list(nbt.Compound, at(0, 0, 0, 0), at(0, 0, 1, 1)))),
		"nothing":       file(tag("palette", nbt.Items{Elem: nbt.Compound}), tag("blocks", nbt.Items{Elem: nbt.Compound})),
		"other tags":    file(tag("author", "me"), tag("palette", list(nbt.Compound, state("stone"))), tag("blocks", list(nbt.Compound, at(0, 0, 0, 0)))),
	} {
		c, err := read(doc)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if path, same := nbt.Equal(doc, write(t, c)); !same {
			t.Errorf("%s: the documents differ at %q", name, path)
		}
	}
}

// TestMissing reads positions that are not there as void, and writes them as such.
func TestMissing(t *testing.T) {
	c, err := read(file())
	if err != nil {
		t.Fatal(err)
	}
	want := map[geom.Point]string{
		{}: "minecraft:stone", {X: 1}: "minecraft:stone", {Z: 1}: "minecraft:chest", {Y: 1}: "minecraft:oak_stairs[facing=east]", {X: 1, Y: 1, Z: 1}: "air",
	}
	for y := range 2 {
		for z := range 2 {
			for x := range 2 {
				p := geom.Point{X: x, Y: y, Z: z}
				cell, _ := c.Block.View.Cell(p)
				name := want[p]
				if name == "" {
					name = clip.Void
				}
				if got := c.Block.Names[cell]; got != name {
					t.Errorf("%v: %s, want %s", p, got, name)
				}
			}
		}
	}
	if o := c.List(voxel.BlockEntities); len(o) != 1 || o[0].At != (geom.Point{Z: 1}) {
		t.Errorf("block entities %v", o)
	}
	again, err := read(write(t, c))
	if err != nil {
		t.Fatal(err)
	}
	again.Tags = c.Tags // the order of runs is another, because this one was not the game's
	if d := clip.Difference(c, again); d != "" {
		t.Error(d)
	}
}

// TestOutside reads blocks outside of the size where the game places them, and writes the file as it
// was.
func TestOutside(t *testing.T) {
	pig := nbt.Entries{tag("pos", list(nbt.Double, 1.5, 0.0, 0.25)), tag("blockPos", ints(1, 0, 0)), tag("nbt", nbt.Entries{tag("Pos", list(nbt.Double, 1.5, 0.0, 0.25)), tag("id", "minecraft:pig")})}
	chest := tag("nbt", nbt.Entries{tag("id", "minecraft:chest")})
	for _, tt := range []struct {
		name        string
		blocks      []nbt.Value
		least, size geom.Point
		want        map[geom.Point]string // by the place in the file
	}{
		{"beyond", []nbt.Value{at(0, 0, 0, 0), at(1, 4, 1, 0), at(0, 4, 2, 1, chest)}, geom.Point{}, geom.Point{X: 2, Y: 5, Z: 3},
			map[geom.Point]string{{}: "minecraft:stone", {X: 1, Y: 4, Z: 1}: "minecraft:stone", {Y: 4, Z: 2}: "minecraft:chest"}},
		{"below", []nbt.Value{at(0, -3, 0, 0), at(-1, 0, 0, 0), at(0, -2, -20, 1, chest)}, geom.Point{X: -1, Y: -3, Z: -20}, geom.Point{X: 3, Y: 5, Z: 22},
			map[geom.Point]string{{X: -1}: "minecraft:stone", {Y: -3}: "minecraft:stone", {Y: -2, Z: -20}: "minecraft:chest"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := file(tag("palette", list(nbt.Compound, palette.Values[1], palette.Values[3])), tag("entities", list(nbt.Compound, pig)), tag("blocks", list(nbt.Compound, tt.blocks...)))
			c, err := read(doc)
			if err != nil {
				t.Fatal(err)
			}
			if inner := (geom.Box{Max: geom.Point{X: 2, Y: 2, Z: 2}}); c.Inner.Add(tt.least) != inner {
				t.Errorf("inner %v, want %v from %v", c.Inner, inner, tt.least)
			}
			if c.Size != tt.size || c.Offset != tt.least || len(c.Notes) != 1 || len(c.Lost) > 0 {
				t.Errorf("size %v from %v, notes %q, lost %v, want %v from %v", c.Size, c.Offset, c.Notes, c.Lost, tt.size, tt.least)
			}
			for y := range c.Size.Y {
				slice := make([]voxel.Cell, c.Area())
				c.Slice(&c.Block, y, slice)
				for i, cell := range slice {
					p := geom.Point{X: i % c.Size.X, Y: y, Z: i / c.Size.X}.Add(tt.least)
					want := tt.want[p]
					if want == "" {
						want = clip.Void
					}
					if got := c.Block.Names[cell]; got != want {
						t.Errorf("%v: %s, want %s", p, got, want)
					}
				}
			}
			if o := c.List(voxel.BlockEntities); len(o) != 1 || tt.want[o[0].At.Add(tt.least)] != "minecraft:chest" {
				t.Errorf("block entities %v", o)
			}
			if o := c.List(voxel.Entities); len(o) != 1 || o[0].At.Add(tt.least) != (geom.Point{X: 1}) {
				t.Errorf("entities %v", o)
			}
			if path, same := nbt.Equal(doc, write(t, c)); !same {
				t.Errorf("the document that is written differs at %q", path)
			}
			c.Inner = geom.Box{} // as if the clip had grown
			if again, err := read(write(t, c)); err != nil || again.Size != c.Size || len(again.Notes) > 0 {
				t.Errorf("written anew: %v, %v", again, err)
			}
		})
	}
}

// TestPalettes reads a structure of three palettes: any may be shown, and all are given back. In the
// first, states 1 and 4 are both stone.
func TestPalettes(t *testing.T) {
	state := func(name string) nbt.Value { return nbt.Entries{tag("Name", "minecraft:"+name)} }
	first := list(nbt.Compound, append(slices.Clone(palette.Values), state("stone"), state("unused"))...)
	second := list(nbt.Compound, palette.Values[1], palette.Values[0], state("dirt"), palette.Values[3], state("clay"), state("gold"))
	doc := file(tag("palette", nil), tag("palettes", list(nbt.List, first, second, second)),
		tag("blocks", list(nbt.Compound, at(0, 0, 0, 1), at(1, 0, 0, 4), at(0, 1, 0, 2), at(1, 1, 1, 0), at(0, 0, 1, 3, tag("nbt", nbt.Entries{tag("id", "minecraft:chest")})))))
	for shown, want := range []string{"minecraft:stone minecraft:stone", "air minecraft:clay", "air minecraft:clay"} {
		c, err := structure.Read(bytes.NewReader(doc), int64(len(doc)), clip.ReadOptions{Palette: shown})
		if err != nil {
			t.Fatal(err)
		}
		a, _ := c.Block.View.Cell(geom.Point{})
		b, _ := c.Block.View.Cell(geom.Point{X: 1})
		if got := c.Block.Names[a] + " " + c.Block.Names[b]; got != want || len(c.Lost) > 0 || len(c.Notes) != 1 {
			t.Errorf("palette %d: %s, lost %v, notes %q", shown, got, c.Lost, c.Notes)
		}
		if got := states(t, write(t, c)); got != "[0 0 0]1 [1 0 0]4 [1 1 1]0 [0 1 0]2 [0 0 1]3" && got != "[0 0 0]1 [1 0 0]4 [0 1 0]2 [1 1 1]0 [0 0 1]3" {
			t.Errorf("palette %d: %s", shown, got)
		}
		if path, _ := nbt.Equal(doc, write(t, c)); !strings.HasPrefix(path, "blocks") && path != "" {
			t.Errorf("palette %d: the documents differ at %q", shown, path)
		}
		// A new block gets a state in each palette, and one that was another state keeps its first.
		d := c.Block.View.Edit()
		c.Block.Names = append(c.Block.Names, "minecraft:gravel")
		d.Set(geom.Point{X: 1}, voxel.Cell(len(c.Block.Names)-1))
		c.Block.View, _ = d.Publish()
		_, root, err := nbt.Parse(write(t, c), nbt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range root.(nbt.Entries).Get("palettes").(nbt.Items).Values {
			all := p.(nbt.Items).Values
			if last := all[len(all)-1].(nbt.Entries).Get("Name"); len(all) != 7 || last != "minecraft:gravel" {
				t.Errorf("palette %d has %d states, the last %v", i, len(all), last)
			}
		}
	}
	if _, err := structure.Read(bytes.NewReader(doc), int64(len(doc)), clip.ReadOptions{Palette: 3}); err == nil || !strings.Contains(err.Error(), "palette 3 of 3") {
		t.Errorf("palette 3: %v", err)
	}
	for name, b := range map[string][]byte{
		"other lengths": file(tag("palette", nil), tag("palettes", list(nbt.List, first, palette))),
		"numbers":       file(tag("palette", nil), tag("palettes", list(nbt.Int, int32(1)))),
		"no states":     file(tag("palette", nil), tag("palettes", list(nbt.List, list(nbt.Int, int32(1))))),
		"none":          file(tag("palette", nil), tag("palettes", list(nbt.List))),
	} {
		if _, err := read(b); err == nil || !strings.Contains(err.Error(), "palette") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := read(file(tag("palettes", list(nbt.List, second)))); err != nil || c.Lost["second tags of palettes"] != 1 {
		t.Errorf("both tags: %v, %+v", err, c)
	}
}

// states returns the places and states of the blocks of a document.
func states(t *testing.T, doc []byte) string {
	t.Helper()
	_, root, err := nbt.Parse(doc, nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, v := range root.(nbt.Entries).Get("blocks").(nbt.Items).Values {
		b := v.(nbt.Entries)
		out = append(out, fmt.Sprint(b.Get("pos").(nbt.Items).Values, b.Get("state")))
	}
	return strings.ReplaceAll(strings.Join(out, " "), "] ", "]")
}

func TestEntities(t *testing.T) {
	pos := list(nbt.Double, 1.5, 0.0, 0.25)
	e := nbt.Entries{tag("pos", pos), tag("blockPos", ints(1, 0, 1)), tag("nbt", nbt.Entries{
		tag("Pos", list(nbt.Double, 900.0, 64.0, 2.0)), tag("TileX", int32(900)), tag("TileY", int32(64)), tag("TileZ", int32(2)), tag("id", "minecraft:painting")})}
	c, err := read(file(tag("entities", list(nbt.Compound, e))))
	if err != nil {
		t.Fatal(err)
	}
	o := c.List(voxel.Entities)[0]
	if p, ok := clip.Hangs(&o); o.Place != voxel.Indexed || o.At != (geom.Point{X: 1}) || !ok || p != (geom.Point{X: 1, Z: 1}) {
		t.Errorf("at %v, hangs at %v", o.At, p)
	}
	again, err := read(write(t, c))
	if err != nil {
		t.Fatal(err)
	}
	again.Tags = c.Tags
	if d := clip.Difference(c, again); d != "" {
		t.Error(d)
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name    string
		file    []byte
		want    string
		corrupt bool
	}{
		{"no size", file(tag("size", nil)), "not a structure", true},
		{"two edges", file(tag("size", ints(1, 2))), "no size", true},
		{"a negative edge", file(tag("size", ints(1, -2, 1))), "no size", true},
		{"no blocks", file(tag("blocks", nil)), "not a structure", true},
		{"no palette", file(tag("palette", nil)), "palette", true},
		{"a state that is not there", file(tag("blocks", list(nbt.Compound, at(0, 0, 0, 4)))), "state 4", true},
		{"a negative state", file(tag("blocks", list(nbt.Compound, at(0, 0, 0, -1)))), "state -1", true},
		{"a block far outside", file(tag("blocks", list(nbt.Compound, at(0, 1<<30, 0, 1)))), "a box of 2 x 1073741825 x 2", true},
		{"two blocks far apart", file(tag("blocks", list(nbt.Compound, at(-30000, 0, 0, 1), at(30000, 200, 300, 1)))), "a box of 60001 x 201 x 301", true},
		{"a block without a place", file(tag("blocks", list(nbt.Compound, nbt.Entries{tag("state", int32(0))}))), "place", true},
		{"a large box for few blocks", file(tag("size", ints(60000, 300, 60000))), "60000 x 300 x 60000", false},
		{"blocks that are numbers", file(tag("blocks", ints(1))), "list", true},
	} {
		_, err := read(tt.file)
		var corrupt *format.CorruptError
		if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &corrupt) != tt.corrupt {
			t.Errorf("%s: %v, want %q, a CorruptError: %v", tt.name, err, tt.want, tt.corrupt)
		}
	}
}

// TestDetect tells structures from other NBT.
func TestDetect(t *testing.T) {
	for name, tt := range map[string]struct {
		doc  nbt.Entries
		want bool
	}{
		"size first":     {nbt.Entries{tag("size", ints(1, 1, 1)), tag("entities", nbt.Items{})}, true},
		"level.dat":      {nbt.Entries{tag("Data", nbt.Entries{tag("DataVersion", int32(1))})}, false},
		"a map template": {nbt.Entries{tag("chunks", nbt.Items{}), tag("regions", nbt.Items{}), tag("block_entities", nbt.Items{})}, false},
		"nothing":        {nil, false},
	} {
		if got := structure.Detect(nbt.Append(nil, "", tt.doc)); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !structure.Detect(file()) {
		t.Error("a structure is not detected")
	}
}
