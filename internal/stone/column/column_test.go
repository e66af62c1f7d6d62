package column_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// rules are of the maps "high" and "floor".
var rules = []light.Rule{{Map: "high", Base: -64, Cells: []voxel.Cell{1, 2}}, {Map: "floor", Base: 7, Cells: []voxel.Cell{2}}}

// blocks is the towers of a ground at 32 to 63 everywhere.
func blocks(x, z int32) light.Tower {
	var cells [voxel.ChunkCells]voxel.Cell
	for i := range cells {
		if y := i / (geom.ChunkEdge * geom.ChunkEdge); y <= (i%geom.ChunkEdge+int(x&7))/2 {
			cells[i] = voxel.Cell(1 + y%2)
		}
	}
	return light.Tower{{Y: 1, Chunk: voxel.FromFlat(&cells)}}
}

func document(i int) []byte {
	if i%3 == 0 {
		return []byte(fmt.Sprint("no NBT ", i))
	}
	return nbt.AppendEnd(nbt.AppendInt(nbt.AppendCompound(nil, ""), "LastUpdate", int32(i)))
}

// made returns columns with something of each kind, without lists.
func made(seed uint64, n int) (columns []voxel.Column) {
	r := rand.New(rand.NewPCG(seed, 1))
	h := column.NewHeights(rules, blocks)
	for i := range n {
		c := voxel.Column{Pos: geom.ColumnPos{X: int32(i % 8), Z: int32(i / 8)}, Version: int32(3900 + r.IntN(99)), Layout: uint16(r.IntN(9)), Stale: voxel.Has(r.IntN(16)), Whole: voxel.HasSky}
		for y := range r.IntN(4) {
			c.Sections = append(c.Sections, voxel.Section{Y: int8(y - 2), Has: voxel.Has(r.IntN(256)), Tags: document(i + y)})
		}
		c.Sections = append(c.Sections, voxel.Section{Y: 127})
		for m, name := range []string{"floor", "alike", "near", "high", "flat", "wild"} {
			v := voxel.Map{Name: name, Form: uint8(m)}
			switch name {
			case "floor", "high":
				v.Values = *h.Of(c.Pos, name)
				if r.IntN(2) == 0 { // not quite as the rule says
					v.Values[r.IntN(256)]++
				}
			case "alike":
				v.Values = c.Maps[m-1].Values
			case "near":
				v.Values = c.Maps[m-1].Values
				v.Values[r.IntN(256)]--
			case "wild":
				for k := range v.Values {
					v.Values[k] = r.Int32() - r.Int32()
				}
			}
			c.Maps = append(c.Maps, v)
		}
		for part := range r.IntN(3) {
			c.Parts = append(c.Parts, voxel.Part{Name: fmt.Sprint("part ", part), Stamp: uint32(r.IntN(2) * 1_700_000_000), Damaged: part == 1, Data: document(i * part)})
		}
		columns = append(columns, c)
	}
	return columns
}

func positions(columns []voxel.Column) (at []geom.ColumnPos) {
	for i := range columns {
		at = append(at, columns[i].Pos)
	}
	return at
}

// encode returns the page of columns in each form.
func encode(t testing.TB, columns []voxel.Column) []pages.Page {
	var all []*voxel.Column
	for i := range columns {
		if err := column.Check(&columns[i]); err != nil {
			t.Fatal(err)
		}
		all = append(all, &columns[i])
	}
	return column.Encode(all, column.NewHeights(rules, blocks).Of)
}

func TestColumns(t *testing.T) {
	for _, n := range []int{0, 1, 7, 64} {
		want := made(uint64(n), n)
		forms := encode(t, want)
		if len(forms) != 2 {
			t.Fatalf("%d columns: %d forms", n, len(forms))
		}
		for _, p := range forms {
			page, err := column.Decode(context.Background(), p.Form, p.Streams, positions(want), rules)
			if err != nil {
				t.Fatalf("form %d: %v", p.Form, err)
			}
			h := column.NewHeights(rules, blocks)
			for i := range want {
				got, ok := page.Column(i, h.Of)
				if !ok || !reflect.DeepEqual(got, want[i]) {
					t.Errorf("form %d: column %d of %d is %+v, want %+v", p.Form, i, n, got, want[i])
				}
			}
			if n > 0 && page.Memory() < int64(n)*1024 {
				t.Errorf("%d columns in %d bytes of memory", n, page.Memory())
			}
		}
	}
}

// TestNoRule reads columns whose blocks say nothing.
func TestNoRule(t *testing.T) {
	columns := made(1, 3)
	p := encode(t, columns)[0]
	page, err := column.Decode(context.Background(), p.Form, p.Streams, positions(columns), rules)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := page.Column(0, func(geom.ColumnPos, string) *[256]int32 { return nil }); ok {
		t.Error("maps are complete without what they follow from")
	}
	if _, err := column.Decode(context.Background(), p.Form, p.Streams, positions(columns), nil); !refused(err) {
		t.Errorf("maps that follow from blocks in a dimension without rules: %v", err)
	}
}

func refused(err error) bool {
	var c *codec.CorruptError
	return errors.As(err, &c)
}

// lists returns a list for each of n columns.
func lists(n int) (at []geom.ColumnPos, all []voxel.List) {
	for i := range n {
		at = append(at, geom.ColumnPos{X: int32(i), Z: -7})
		l := voxel.List{Name: "list"}
		for k := range i % 5 {
			o := voxel.Object{Place: voxel.Place(k % 3), Payload: document(k)}
			if o.Place != voxel.Nowhere {
				o.At = geom.Point{X: 16*i + k, Y: 64 - k, Z: -k << 20}
			}
			l.Objects = append(l.Objects, o)
		}
		all = append(all, l)
	}
	return at, all
}

func TestObjects(t *testing.T) {
	for _, n := range []int{0, 1, 40} {
		at, want := lists(n)
		for _, p := range column.EncodeObjects(at, want) {
			got, err := column.DecodeObjects(context.Background(), p.Form, p.Streams, at)
			if err != nil {
				t.Fatalf("form %d: %v", p.Form, err)
			}
			count := 0
			for i := range want {
				count += len(want[i].Objects)
				if !reflect.DeepEqual(got.Lists[i], want[i].Objects) {
					t.Errorf("form %d: list %d is %+v, want %+v", p.Form, i, got.Lists[i], want[i].Objects)
				}
			}
			if got.Count != count || got.Bytes < got.Count || got.Memory() < int64(64*count) {
				t.Errorf("form %d: %d objects, %d bytes, %d of memory", p.Form, got.Count, got.Bytes, got.Memory())
			}
		}
	}
}

// bend calls f with pages one of whose streams is another. sure says that they cannot be read.
func bend(p pages.Page, f func(how string, sure bool, streams [][]byte)) {
	for i, s := range p.Streams {
		with := func(b []byte) [][]byte {
			streams := append([][]byte(nil), p.Streams...)
			streams[i] = b
			return streams
		}
		if len(s) > 0 {
			f(fmt.Sprintf("stream %d without its last byte", i), true, with(s[:len(s)-1]))
			f(fmt.Sprintf("stream %d of large numbers", i), false, with(bytes.Repeat([]byte{0xff}, len(s))))
		}
		f(fmt.Sprintf("stream %d with another byte", i), false, with(append(bytes.Clone(s), 1)))
	}
	f("a stream missing", true, p.Streams[1:])
	f("no stream", true, nil)
}

func TestDamaged(t *testing.T) {
	columns := made(5, 9)
	for _, p := range encode(t, columns) {
		bend(p, func(how string, sure bool, streams [][]byte) {
			_, err := column.Decode(context.Background(), p.Form, streams, positions(columns), rules)
			if !refused(err) && (sure || err != nil) {
				t.Errorf("columns of form %d, %s: %v", p.Form, how, err)
			}
		})
	}
	at, all := lists(9)
	for _, p := range column.EncodeObjects(at, all) {
		bend(p, func(how string, sure bool, streams [][]byte) {
			_, err := column.DecodeObjects(context.Background(), p.Form, streams, at)
			if !refused(err) && (sure || err != nil) {
				t.Errorf("objects of form %d, %s: %v", p.Form, how, err)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	objects := func(o ...voxel.Object) voxel.Column {
		return voxel.Column{Lists: []voxel.List{{Name: "a", Objects: o}}}
	}
	for _, tt := range []struct {
		name string
		c    voxel.Column
		want string
	}{
		{"fine", made(1, 1)[0], ""},
		{"outside", voxel.Column{Pos: geom.ColumnPos{X: 1 << 30}}, "out of range"},
		{"too many maps", voxel.Column{Maps: make([]voxel.Map, 33)}, "33 maps"},
		{"a list twice", voxel.Column{Lists: []voxel.List{{Name: "a"}, {Name: "a"}}}, "a second time"},
		{"no such place", objects(voxel.Object{Place: voxel.Moved + 1}), "object 0"},
		{"nowhere and somewhere", objects(voxel.Object{At: geom.Point{X: 1}}), "object 0"},
		{"too many bytes", voxel.Column{Parts: []voxel.Part{{Data: make([]byte, pages.MaxPage)}}}, "bytes, at most"},
	} {
		err := column.Check(&tt.c)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// streamsOf takes streams out of what the fuzzer makes: a page.
func streamsOf(page []byte) (byte, [][]byte, bool) {
	form, streams, err := pages.Split(context.Background(), page)
	return form, streams, err == nil
}

func FuzzDecode(f *testing.F) {
	columns := made(3, 2)
	for i := range columns {
		columns[i].Maps = columns[i].Maps[:5] // without the wild one: a short page is soon bent
	}
	for _, p := range encode(f, columns) {
		f.Add(pages.NewEncoder(false).Append(nil, p.Form, p.Streams))
	}
	at := positions(columns)
	f.Fuzz(func(t *testing.T, b []byte) {
		form, streams, ok := streamsOf(b)
		if !ok {
			return
		}
		page, err := column.Decode(context.Background(), form, streams, at, rules)
		if err != nil {
			if !refused(err) {
				t.Fatalf("%v is no CorruptError", err)
			}
			return
		}
		h := column.NewHeights(rules, blocks)
		var all []*voxel.Column
		for i := range at {
			c, ok := page.Column(i, h.Of)
			if !ok {
				t.Fatalf("column %d cannot be completed", i)
			}
			all = append(all, &c)
		}
		for _, p := range column.Encode(all, h.Of) {
			again, err := column.Decode(context.Background(), p.Form, p.Streams, at, rules)
			if err != nil {
				t.Fatal(err)
			}
			for i := range all {
				if c, ok := again.Column(i, h.Of); !ok || !reflect.DeepEqual(&c, all[i]) {
					t.Fatalf("form %d: column %d is %+v, want %+v", p.Form, i, c, all[i])
				}
			}
		}
	})
}

func FuzzDecodeObjects(f *testing.F) {
	at, all := lists(5)
	for _, p := range column.EncodeObjects(at, all) {
		f.Add(pages.NewEncoder(false).Append(nil, p.Form, p.Streams))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		form, streams, ok := streamsOf(b)
		if !ok {
			return
		}
		got, err := column.DecodeObjects(context.Background(), form, streams, at)
		if err != nil {
			if !refused(err) {
				t.Fatalf("%v is no CorruptError", err)
			}
			return
		}
		var made []voxel.List
		for _, objects := range got.Lists {
			made = append(made, voxel.List{Objects: objects})
		}
		for _, p := range column.EncodeObjects(at, made) {
			again, err := column.DecodeObjects(context.Background(), p.Form, p.Streams, at)
			if err != nil || !reflect.DeepEqual(again.Lists, got.Lists) {
				t.Fatalf("form %d: other objects, %v", p.Form, err)
			}
		}
	})
}

// TestFits has columns that are small enough by Size, and whose page is not.
func TestFits(t *testing.T) {
	big := make([]byte, pages.MaxPage-8)
	name := strings.Repeat("n", 200_000)
	for what, tt := range map[string]struct {
		c    voxel.Column
		fits bool
	}{
		"nothing":              {voxel.Column{}, true},
		"a part of all":        {voxel.Column{Parts: []voxel.Part{{Name: "x", Data: big}}}, false},
		"a part and its name":  {voxel.Column{Parts: []voxel.Part{{Name: name, Data: big[:len(big)-1000]}}}, false},
		"a map of a long name": {voxel.Column{Maps: []voxel.Map{{Name: name}}, Parts: []voxel.Part{{Name: "x", Data: big[:len(big)-1000]}}}, false},
		"a large part":         {voxel.Column{Parts: []voxel.Part{{Name: "x", Data: big[:len(big)/2]}}}, true},
	} {
		if err := column.Fits(&tt.c); (err == nil) != tt.fits {
			t.Errorf("%s: %v", what, err)
		}
	}
}
