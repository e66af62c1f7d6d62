package column_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// documented are columns with what is at the edge of what a column may be.
var documented = []*voxel.Column{
	{},
	{Version: -5, Layout: 65535, Stale: 15, Whole: 3, Sections: []voxel.Section{{Y: -128, Has: 255, Tags: []byte{}}, {Y: 127}, {Y: 3, Tags: []byte{10}}}},
	{Maps: []voxel.Map{{Name: "m", Form: 255}, {Name: "n", Values: [256]int32{3: 1 << 30, 7: -1 << 31}}, {Name: "m"}},
		Parts: []voxel.Part{{Name: "a", Data: []byte{}}, {Name: "b"}, {Name: "a", Stamp: 1<<32 - 1, Data: []byte{4, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8}}, {Name: "", Damaged: true}}},
}

// TestDocument writes columns in pages of each form: what is read back has the same document, and comes of it.
func TestDocument(t *testing.T) {
	pos := geom.ColumnPos{X: 3, Z: -9}
	for n, c := range documented {
		c.Pos = pos
		d := column.DocumentOf(c)
		for _, page := range column.Encode([]*voxel.Column{c}, nil) {
			p, err := column.Decode(t.Context(), page.Form, page.Streams, []geom.ColumnPos{pos}, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := p.Column(0, nil)
			if string(column.DocumentOf(&got)) != string(d) {
				t.Errorf("column %d of a page of form %d has another document", n, page.Form)
			}
			made, err := d.Column(t.Context(), pos)
			if err != nil || page.Form == column.Plain && !reflect.DeepEqual(*made, got) {
				t.Errorf("column %d: %v: %+v, want %+v", n, err, made, got)
			}
		}
		for n := range d {
			if _, err := d[:n].Column(t.Context(), pos); err == nil {
				t.Errorf("%d of %d bytes of a column", n, len(d))
			}
		}
	}
}

// TestListDocument makes lists of their documents.
func TestListDocument(t *testing.T) {
	pos := geom.ColumnPos{X: -3, Z: 1 << 16}
	list := []voxel.Object{{Payload: []byte{0}}, {Place: voxel.Indexed, At: pos.Min(-70).Add(geom.Point{X: 15, Z: -400}), Payload: []byte("ab\x00")}, {Place: voxel.Moved, At: geom.Point{}, Payload: []byte{0}}}
	d := column.DocumentOfList(pos, list)
	got, err := d.List(t.Context(), pos)
	if err != nil || !reflect.DeepEqual(got, list) {
		t.Errorf("%v: %+v, want %+v", err, got, list)
	}
	for n := range d {
		if got, err := d[:n].List(t.Context(), pos); err == nil && len(got) == len(list) {
			t.Errorf("%d of %d bytes of a list", n, len(d))
		}
	}
	if _, err := (column.Document{3, 0}).List(t.Context(), pos); err == nil {
		t.Error("a place that there is none of")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.List(ctx, pos); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// FuzzDocument reads any bytes as a column and as a list; a list that is read has a document that makes it.
func FuzzDocument(f *testing.F) {
	for _, c := range documented {
		f.Add([]byte(column.DocumentOf(c)))
	}
	f.Add([]byte{0, 1, 0, 2, 2, 4, 6, 2, 'a', 0})
	pos := geom.ColumnPos{X: 1, Z: -1}
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := column.Document(b).Column(t.Context(), pos); err == nil {
			if again, err := column.DocumentOf(c).Column(t.Context(), pos); err != nil || !reflect.DeepEqual(again, c) {
				t.Errorf("%v: %+v, want %+v", err, again, c)
			}
		}
		if l, err := column.Document(b).List(t.Context(), pos); err == nil {
			if again, err := column.DocumentOfList(pos, l).List(t.Context(), pos); err != nil || !reflect.DeepEqual(again, l) {
				t.Errorf("%v: %+v, want %+v", err, again, l)
			}
		}
	})
}
