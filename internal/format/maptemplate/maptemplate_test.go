package maptemplate_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/maptemplate"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func tag(name string, v nbt.Value) nbt.Entry { return nbt.Entry{Name: name, Value: v} }

func list(elem nbt.Type, values ...nbt.Value) nbt.Items { return nbt.Items{Elem: elem, Values: values} }

// with returns entries with some replaced, added, or removed if nil.
func with(all nbt.Entries, others ...nbt.Entry) nbt.Entries {
	all = slices.Clone(all)
	for _, o := range others {
		all = slices.DeleteFunc(all, func(e nbt.Entry) bool { return e.Name == o.Name })
		if o.Value != nil {
			all = append(all, o)
		}
	}
	return all
}

func state(name string) nbt.Value { return nbt.Entries{tag("Name", "minecraft:"+name)} }

var (
	air   = list(nbt.Compound, state("air"))
	mixed = list(nbt.Compound, state("air"), state("stone"))
)

// longs are stone at the given cells, in entries of 4 bits.
func longs(cells ...int) []int64 {
	out := make([]int64, 256)
	for _, i := range cells {
		out[i/16] |= 1 << (i % 16 * 4)
	}
	return out
}

func bounds(a, b []int32) nbt.Entry { return tag("bounds", nbt.Entries{tag("min", a), tag("max", b)}) }

var frame = nbt.Entries{tag("id", "minecraft:item_frame"), tag("Pos", list(nbt.Double, 1.5, 2.0, 3.5)), tag("TileX", int32(1)), tag("TileY", int32(2)), tag("TileZ", int32(3))}

// doc returns a template of two chunks, one of which is air, in a form.
func doc(form int, others ...nbt.Entry) []byte {
	chunk := func(palette nbt.Items, data []int64, pos ...int32) nbt.Entries {
		if form == 1 {
			return nbt.Entries{tag("pos", pos), tag("palette", palette), tag("block_states", data)}
		}
		inner := nbt.Entries{tag("palette", palette)}
		if len(palette.Values) > 1 {
			inner = append(inner, tag("data", data))
		}
		return nbt.Entries{tag("pos", pos), tag("block_states", inner)}
	}
	all := nbt.Entries{
		bounds([]int32{-20, 60, 0}, []int32{10, 70, 15}), tag("biome", "minecraft:plains"), tag("data", nbt.Entries{tag("k", int8(1))}), tag("data_version", int32(2860)),
		tag("regions", list(nbt.Compound, nbt.Entries{tag("marker", "spawn"), tag("min", []int32{1, 2, 3}), tag("max", []int32{1, 2, 3}), tag("data", nbt.Entries{})})),
		tag("block_entities", list(nbt.Compound, nbt.Entries{tag("id", "minecraft:chest"), tag("x", int32(-16)), tag("y", int32(64)), tag("z", int32(0))})),
		tag("chunks", list(nbt.Compound, with(chunk(mixed, longs(1, 16+3), -1, 4, 0), tag("entities", list(nbt.Compound, frame))), chunk(air, longs(), 0, 4, 0))),
	}
	return nbt.Append(nil, "", with(all, others...))
}

func read(b []byte) (*clip.Clip, error) {
	return maptemplate.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{})
}

func write(t *testing.T, c *clip.Clip, version int) []byte {
	t.Helper()
	var out bytes.Buffer
	lost, err := maptemplate.Write(&out, c, clip.WriteOptions{Version: version})
	if err != nil || len(lost) > 0 {
		t.Fatal(err, lost)
	}
	return inflate(t, out.Bytes())
}

func inflate(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestSame writes what it read, in both forms.
func TestSame(t *testing.T) {
	for form := 1; form <= 2; form++ {
		for name, b := range map[string][]byte{"template": doc(form), "beyond its bounds": doc(form, bounds([]int32{-20, 60, 0}, []int32{-17, 61, 5})), "nothing": doc(1, tag("chunks", list(nbt.Compound)), bounds([]int32{0, 0, 0}, []int32{-1, -1, -1}))} {
			c, err := read(b)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if path, same := nbt.Equal(b, write(t, c, 0)); !same || len(c.Lost) > 0 {
				t.Errorf("%s, form %d: the documents differ at %q, lost %v", name, form, path, c.Lost)
			}
		}
		c, err := read(doc(3 - form))
		if err != nil {
			t.Fatal(err)
		}
		if path, same := nbt.Equal(doc(form), write(t, c, form)); !same {
			t.Errorf("from form %d to %d: the documents differ at %q", 3-form, form, path)
		}
	}
}

func TestCells(t *testing.T) {
	c, err := read(doc(2))
	if err != nil {
		t.Fatal(err)
	}
	if c.Size != (geom.Point{X: 31, Y: 11, Z: 16}) || c.Offset != (geom.Point{X: -20, Y: 60}) || c.Version != 2860 || !c.Inner.Empty() {
		t.Errorf("size %v, offset %v, data version %d, inner %v", c.Size, c.Offset, c.Version, c.Inner)
	}
	n := 0
	slice := make([]voxel.Cell, c.Area())
	for y := range c.Size.Y {
		c.Slice(&c.Block, y, slice)
		for i, cell := range slice {
			p := geom.Point{X: i % c.Size.X, Y: y, Z: i / c.Size.X}.Add(c.Offset)
			if want := p == (geom.Point{X: -15, Y: 64}) || p == (geom.Point{X: -13, Y: 64, Z: 1}); (c.Block.Names[cell] == "minecraft:stone") != want {
				t.Errorf("%v: %s", p, c.Block.Names[cell])
			}
			n++
		}
	}
	if o := c.List(voxel.BlockEntities); len(o) != 1 || o[0].At.Add(c.Offset) != (geom.Point{X: -16, Y: 64}) {
		t.Errorf("block entities %v", o)
	}
	o := c.List(voxel.Entities)
	if p, ok := clip.Hangs(&o[0]); len(o) != 1 || o[0].At.Add(c.Offset) != (geom.Point{X: -15, Y: 66, Z: 3}) || !ok || p != o[0].At {
		t.Errorf("entities %v", o)
	}
	c, err = read(doc(1, bounds([]int32{-20, 60, 0}, []int32{-17, 61, 5})))
	if err != nil || c.Inner.Size() != (geom.Point{X: 4, Y: 2, Z: 6}) || c.Offset != (geom.Point{X: -20, Y: 60}) || len(c.Notes) != 1 {
		t.Errorf("bounds that are too small: %v, %+v", err, c)
	}
}

func TestRefused(t *testing.T) {
	one := func(others ...nbt.Entry) nbt.Entry {
		return tag("chunks", list(nbt.Compound, with(nbt.Entries{tag("pos", []int32{0, 0, 0}), tag("palette", mixed), tag("block_states", longs(1))}, others...)))
	}
	for _, tt := range []struct {
		name, want string
		file       []byte
	}{
		{"no chunks", "not a map template", doc(1, tag("chunks", nil))},
		{"chunks that are numbers", "chunks", doc(1, tag("chunks", list(nbt.Int, int32(1))))},
		{"chunks that are a compound", "chunks", doc(1, tag("chunks", nbt.Entries{}))},
		{"no place", "no place", doc(1, one(tag("pos", nil)))},
		{"a far place", "no place", doc(1, one(tag("pos", []int32{1 << 30, 0, 0})))},
		{"no palette", "no palette", doc(1, one(tag("palette", nil)))},
		{"an empty palette", "palette of 0", doc(1, one(tag("palette", nbt.Items{})))},
		{"a palette of numbers", "a palette of 1", doc(1, one(tag("palette", list(nbt.Int, int32(1)))))},
		{"no cells", "no cells", doc(1, one(tag("block_states", nil)))},
		{"few cells", "packed longs", doc(1, one(tag("block_states", longs()[1:])))},
		{"a state beyond the palette", "palette of 1", doc(1, one(tag("palette", air)))},
		{"entities that are numbers", "an entity", doc(1, one(tag("entities", list(nbt.Int, int32(1)))))},
		{"bounds of nothing", "no min", doc(1, tag("bounds", nbt.Entries{}))},
		{"bounds of two", "not three ints", doc(1, bounds([]int32{1, 2}, []int32{1, 2, 3}))},
		{"bounds the wrong way", "bounds", doc(1, bounds([]int32{9, 9, 9}, []int32{1, 2, 3}))},
		{"a great box", "1000 x 1000 x 1000", doc(1, bounds([]int32{0, 0, 0}, []int32{999, 999, 999}), one())},
	} {
		_, err := read(tt.file)
		var corrupt *format.CorruptError
		if err == nil || !strings.Contains(err.Error(), tt.want) || !errors.As(err, &corrupt) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	c, err := read(doc(1, one(tag("odd", int8(1)), tag("palette", list(nbt.Compound, nbt.Entries{tag("Name", "minecraft:air"), tag("Properties", nbt.Entries{})}, state("stone"))))))
	if err != nil || c.Lost["tag odd of chunks"] != 1 || c.Lost["empty tags Properties"] != 1 {
		t.Errorf("%v, lost %v", err, c.Lost)
	}
}

func TestTruncated(t *testing.T) {
	for form := 1; form <= 2; form++ {
		b := doc(form)
		for n := range b {
			if _, err := read(b[:n]); err == nil {
				t.Fatalf("%d of %d bytes: no error", n, len(b))
			}
		}
	}
}

// TestRealFiles reads the templates below CAIRN_WORLDS. What is written has the same chunks, and reads the same.
func TestRealFiles(t *testing.T) {
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "nbt-maptemplate", "*", "*.nbt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, path := range files {
		name := filepath.Base(path)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := read(raw)
		if err != nil || len(c.Lost) > 0 || len(c.Notes) > 0 {
			t.Errorf("%s: %v, %+v", name, err, c)
			continue
		}
		got := write(t, c, 0)
		again, err := read(got)
		if err != nil {
			t.Fatal(err)
		}
		again.Tags = c.Tags // their order
		if d := clip.Difference(c, again); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if where, same := nbt.Equal(normal(t, inflate(t, raw)), normal(t, got)); !same {
			t.Errorf("%s: the documents differ at %q", name, where)
		}
	}
}

// normal returns a document with its chunks and block entities in order, and for each chunk its cells unpacked.
func normal(t *testing.T, b []byte) []byte {
	t.Helper()
	_, root, err := nbt.Parse(b, nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := root.(nbt.Entries)
	chunks := all.Get("chunks").(nbt.Items)
	for i, v := range chunks.Values {
		c := v.(nbt.Entries)
		palette, data := c.Get("palette"), c.Get("block_states")
		if inner, ok := data.(nbt.Entries); ok {
			palette, data = inner.Get("palette"), inner.Get("data")
		}
		states := palette.(nbt.Items).Values
		bits := 4
		for 1<<bits < len(states) {
			bits++
		}
		var cells bytes.Buffer
		for k := range 4096 {
			at := 0
			if longs, ok := data.([]int64); ok {
				at = int(uint64(longs[k/(64/bits)])>>(k%(64/bits)*bits)) & (1<<bits - 1)
			}
			cells.Write(nbt.Append(nil, "", sortedEntries(states[at].(nbt.Entries))))
		}
		c = with(c, tag("palette", nil), tag("block_states", nil), tag("cells", cells.Bytes()))
		if e, ok := c.Get("entities").(nbt.Items); ok {
			c = with(c, tag("entities", sortedItems(e)))
		}
		chunks.Values[i] = sortedEntries(c)
	}
	return nbt.Append(nil, "", with(all, tag("chunks", sortedItems(chunks)), tag("block_entities", sortedItems(all.Get("block_entities").(nbt.Items)))))
}

func sortedEntries(e nbt.Entries) nbt.Entries {
	e = slices.Clone(e)
	slices.SortFunc(e, func(a, b nbt.Entry) int { return strings.Compare(a.Name, b.Name) })
	for i, f := range e {
		if inner, ok := f.Value.(nbt.Entries); ok {
			e[i].Value = sortedEntries(inner)
		}
	}
	return e
}

func sortedItems(l nbt.Items) nbt.Items {
	for i, v := range l.Values {
		l.Values[i] = sortedEntries(v.(nbt.Entries))
	}
	slices.SortFunc(l.Values, func(a, b nbt.Value) int { return bytes.Compare(nbt.Append(nil, "", a), nbt.Append(nil, "", b)) })
	return l
}

func FuzzTemplate(f *testing.F) {
	f.Add(doc(1))
	f.Add(doc(2))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := maptemplate.Read(bytes.NewReader(b), int64(len(b)), clip.ReadOptions{MaxBytes: 64 << 20})
		if err != nil || c.Area()*c.Size.Y > 1<<22 {
			return
		}
		var out bytes.Buffer
		lost, err := maptemplate.Write(&out, c, clip.WriteOptions{})
		if errors.Is(err, format.ErrHolds) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := read(out.Bytes())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if again.Tags = c.Tags; len(lost) > 0 {
			return
		}
		if d := clip.Difference(c, again); d != "" {
			t.Fatal(d)
		}
	})
}
