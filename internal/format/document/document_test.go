package document_test

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// sample returns a document with fields of the types that leaves read, in a compound Schematic if nested.
func sample(nested bool) []byte {
	b := nbt.AppendCompound(nil, "root")
	if nested {
		b = nbt.AppendCompound(b, "Schematic")
	}
	b = nbt.AppendInt(b, "Version", 2)
	b = nbt.AppendString(b, "Name", "hut")
	b = nbt.AppendByteArray(b, "Data", bytes.Repeat([]byte{7}, 300))
	b = nbt.AppendList(b, "Entities", nbt.Compound, 2)
	for i := range int32(2) {
		b = nbt.AppendEnd(nbt.AppendInt(b, "n", i))
	}
	if nested {
		b = nbt.AppendEnd(b)
	}
	return nbt.AppendEnd(b)
}

func zipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	var o document.Output
	if err := o.WriteGzip(&out, func() error {
		o.Buf = b[: len(b)/2 : len(b)/2]
		err := o.Emit()
		o.Buf = b[len(b)/2:]
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// held is what read keeps of a document.
type held struct {
	Version  int32
	Entities [][]byte
	Fields   []document.Field
}

// read reads a file as leaves do.
func read(file []byte, maxBytes int64) (h held, d *document.Document, err error) {
	d = document.NewDocument(bytes.NewReader(file), int64(len(file)), maxBytes)
	err = d.Walk(func(s *nbt.Stream, t nbt.Type, name string) error {
		switch {
		case name == "Version" && t == nbt.Int:
			h.Version = document.Int(s)
			return nil
		case name == "Entities" && t == nbt.List:
			return d.KeepList(s, name, &h.Entities)
		}
		raw, err := d.Keep(s, t)
		h.Fields = append(h.Fields, document.Field{Type: t, Name: name, Payload: raw})
		return err
	})
	return h, d, err
}

func TestRoundTrip(t *testing.T) {
	for _, nested := range []bool{false, true} {
		plain := sample(nested)
		var first held
		for i, file := range [][]byte{plain, zipped(t, plain)} {
			h, d, err := read(file, 0)
			if err != nil || h.Version != 2 || len(h.Entities) != 2 || len(h.Fields) != 2 || len(d.Notes()) != 0 {
				t.Fatalf("nested %t, file %d: %+v, notes %v, %v", nested, i, h, d.Notes(), err)
			}
			if i == 0 {
				first = h
			} else if !reflect.DeepEqual(h, first) {
				t.Errorf("nested %t: compressed %+v, want %+v", nested, h, first)
			}
		}
		for i, raw := range first.Entities {
			fields, err := document.Fields(raw)
			if err != nil || len(fields) != 1 || !bytes.Equal(document.Compound(fields), raw) {
				t.Errorf("entity %d: %v, %v", i, fields, err)
			}
		}
	}
}

// TestTruncated cuts files at every byte. No prefix is a whole file.
func TestTruncated(t *testing.T) {
	for name, file := range map[string][]byte{"plain": sample(true), "gzip": zipped(t, sample(true))} {
		for n := range len(file) {
			_, _, err := read(file[:n], 0)
			var corrupt *format.CorruptError
			var damage *nbt.CorruptError
			if !errors.As(err, &corrupt) && !errors.As(err, &damage) {
				t.Fatalf("%s: %d of %d bytes: %v", name, n, len(file), err)
			}
		}
	}
	payload := sample(false)[len("\x0a\x00\x04root"):]
	if _, err := document.Fields(payload); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(payload); n++ {
		if _, err := document.Fields(payload[:n]); err == nil {
			t.Fatalf("Fields of %d of %d bytes: no error", n, len(payload))
		}
	}
}

// TestNoEnd reads files whose last Ends are missing: one that gzip says is whole counts as whole.
func TestNoEnd(t *testing.T) {
	b := sample(true)
	for missing := 1; missing <= 2; missing++ {
		cut := b[:len(b)-missing]
		h, d, err := read(zipped(t, cut), 0)
		if err != nil || h.Version != 2 || len(d.Notes()) != 1 {
			t.Errorf("%d missing: %+v, notes %v, %v", missing, h, d.Notes(), err)
		}
		if _, _, err := read(cut, 0); err == nil {
			t.Errorf("%d missing of a plain file: no error", missing)
		}
	}
	if _, _, err := read(zipped(t, b[:len(b)-3]), 0); err == nil {
		t.Error("an entry is cut: no error")
	}
}

// TestLimits bounds the memory of what is kept, and the bytes of what is inflated.
func TestLimits(t *testing.T) {
	if _, _, err := read(sample(true), 256); err == nil {
		t.Error("300 bytes of 256 are kept: no error")
	}
	if _, _, err := read(sample(true), 400); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("400 bytes: got %v", err)
	}
	large := nbt.AppendEnd(nbt.AppendByteArray(nbt.AppendCompound(nil, ""), "zeros", make([]byte, 1<<20)))
	skip := func(s *nbt.Stream, tag nbt.Type, _ string) error { s.Skip(tag); return nil }
	file := zipped(t, large)
	if err := document.NewDocument(bytes.NewReader(file), int64(len(file)), 1<<10).Walk(skip); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("a megabyte inflated: got %v", err)
	}
	if err := document.NewDocument(bytes.NewReader(file), int64(len(file)), 1<<20).Walk(skip); err != nil {
		t.Error(err)
	}
	l := document.NewLimit(10)
	if err := errors.Join(l.Take(4), l.Take(6)); err != nil {
		t.Error(err)
	}
	if err := l.Take(1); !errors.Is(err, document.ErrTooLarge) {
		t.Errorf("11 of 10 bytes: got %v", err)
	}
}

func TestFields(t *testing.T) {
	payload := document.Compound([]document.Field{
		{Type: nbt.String, Name: "id", Payload: nbt.AppendStringPayload(nil, "pig")},
		{Type: nbt.Int, Name: "id", Payload: []byte{0, 0, 0, 1}},
		{Type: nbt.Byte, Name: "b", Payload: []byte{5}},
	})
	id, rest, err := document.ID(&voxel.Object{Payload: payload})
	if err != nil || !bytes.Equal(id, nbt.AppendStringPayload(nil, "pig")) || len(rest) != 2 {
		t.Fatalf("ID: %q, %v, %v", id, rest, err)
	}
	if got := document.Find(rest, "b", nbt.Byte); !bytes.Equal(got, []byte{5}) {
		t.Errorf("Find: %v", got)
	}
	if got := document.Find(rest, "b", nbt.Int); got != nil {
		t.Errorf("Find of another type: %v", got)
	}
	if got := document.Without(rest, "b"); len(got) != 1 || got[0].Name != "id" {
		t.Errorf("Without: %v", got)
	}
}

func TestNumbers(t *testing.T) {
	ints := nbt.AppendIntArray(nil, "", []int32{1, -2, 3})[3:]
	list := append(nbt.AppendListPayload(nil, nbt.Int, 3), ints[4:]...)
	for name, tt := range map[string]struct {
		t       nbt.Type
		payload []byte
	}{"array": {nbt.IntArray, ints}, "list": {nbt.List, list}} {
		if v, ok := document.Ints(tt.t, tt.payload); !ok || v != (geom.Point{X: 1, Y: -2, Z: 3}) {
			t.Errorf("%s: %v %t", name, v, ok)
		}
		for n := range len(tt.payload) {
			if _, ok := document.Ints(tt.t, tt.payload[:n]); ok {
				t.Errorf("%s: %d bytes are three ints", name, n)
			}
		}
	}
	doubles := nbt.AppendListPayload(nil, nbt.Double, 3)
	for _, v := range []float64{0.5, -1, 2} {
		doubles = append(doubles, nbt.Append(nil, "", v)[3:]...)
	}
	if v := document.Doubles(doubles); v == nil || *v != [3]float64{0.5, -1, 2} {
		t.Errorf("doubles: %v", v)
	}
	for n := range len(doubles) {
		if document.Doubles(doubles[:n]) != nil {
			t.Errorf("%d bytes are three doubles", n)
		}
	}
}

func TestPeek(t *testing.T) {
	want := []string{"Version", "Name", "Data", "Entities"}
	for _, file := range [][]byte{sample(false), sample(true), zipped(t, sample(true))} {
		var names []string
		for _, f := range document.Peek(file) {
			names = append(names, f.Name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("got %v, want %v", names, want)
		}
	}
	if got := document.Peek(sample(true)[:40]); len(got) != 2 {
		t.Errorf("the first 40 bytes name %v", got)
	}
}

// FuzzDocument reads any bytes as a document. What is kept is within the limit, and fields
// that can be read are the same when they are written and read again.
func FuzzDocument(f *testing.F) {
	const most = 1 << 12
	f.Add(sample(false))
	f.Add(sample(true))
	f.Add(zipped(f, sample(true)))
	f.Add(sample(true)[:60])
	f.Fuzz(func(t *testing.T, file []byte) {
		document.Peek(file)
		h, _, err := read(file, most)
		kept := 0
		for _, raw := range h.Entities {
			kept += len(raw)
			fields, err := document.Fields(raw)
			if err != nil {
				continue
			}
			again, err := document.Fields(document.Compound(fields))
			if err != nil || !reflect.DeepEqual(again, fields) {
				t.Fatalf("%v: read again %v, %v", fields, again, err)
			}
		}
		if err == nil && kept > most {
			t.Fatalf("kept %d bytes, at most %d", kept, most)
		}
	})
}
