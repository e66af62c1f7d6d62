package nbt_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// everything is a document with a tag of each type.
func everything() []byte {
	return nbt.Append(nil, "root", nbt.Entries{
		{Name: "byte", Value: int8(-1)}, {Name: "short", Value: int16(300)}, {Name: "int", Value: int32(-70000)}, {Name: "long", Value: int64(1 << 40)},
		{Name: "float", Value: float32(1.5)}, {Name: "double", Value: -2.25}, {Name: "bytes", Value: []byte{1, 2, 3}}, {Name: "text", Value: "käse\x00"},
		{Name: "none", Value: nbt.Items{}}, {Name: "ints", Value: []int32{1, 2}}, {Name: "longs", Value: []int64{3}}, {Name: "", Value: nbt.Entries{}},
		{Name: "list", Value: nbt.Items{Elem: nbt.List, Values: []nbt.Value{
			nbt.Items{Elem: nbt.Double, Values: []nbt.Value{1.0, 2.0}}, nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{{Name: "x", Value: "y"}}}},
		}}},
	})
}

// streamed reads the entries of a document's root as a stream, each payload by Raw, or by
// Skip, or an array by Bytes.
func streamed(doc []byte, r io.Reader) (out map[string][]byte, rest int64, err error) {
	out = map[string][]byte{}
	s := nbt.NewStream(r, nbt.Limits{})
	t, _ := s.Root()
	if t != nbt.Compound {
		s.Skip(t)
		return out, s.Drain(), s.Err()
	}
	for t, name := s.Next(); t != nbt.End; t, name = s.Next() {
		key := string(name)
		switch from := s.Offset(); {
		case t == nbt.ByteArray:
			n := s.Array(t)
			for n > 0 && s.Err() == nil {
				b := s.Bytes(n)
				n -= int64(len(b))
			}
			if s.Err() == nil {
				out[key] = doc[from:s.Offset()]
			}
		case len(key)%2 == 0:
			if s.Skip(t); s.Err() == nil {
				out[key] = doc[from:s.Offset()]
			}
		default:
			out[key] = bytes.Clone(s.Raw(t))
		}
	}
	return out, s.Drain(), s.Err()
}

// read is streamed by a Reader.
func read(doc []byte) (out map[string][]byte, rest int64, err error) {
	out = map[string][]byte{}
	r := nbt.NewReader(doc, nbt.Limits{})
	t, _ := r.Root()
	if t != nbt.Compound {
		r.Skip(t)
		return out, int64(r.Rest()), r.Err()
	}
	for t, name := r.Next(); t != nbt.End; t, name = r.Next() {
		out[string(name)] = r.Raw(t)
	}
	return out, int64(r.Rest()), r.Err()
}

func TestStream(t *testing.T) {
	doc := append(everything(), 9, 9)
	for name, r := range map[string]io.Reader{
		"whole": bytes.NewReader(doc), "byte by byte": iotest.OneByteReader(bytes.NewReader(doc)), "error with the last": iotest.DataErrReader(bytes.NewReader(doc)),
	} {
		got, rest, err := streamed(doc, r)
		want, wantRest, _ := read(doc)
		if err != nil || rest != wantRest || len(got) != len(want) {
			t.Fatalf("%s: %d entries, %d bytes behind, %v; want %d and %d", name, len(got), rest, err, len(want), wantRest)
		}
		for key := range want {
			if !bytes.Equal(got[key], want[key]) {
				t.Errorf("%s: %s: got %x, want %x", name, key, got[key], want[key])
			}
		}
	}
}

func TestStreamTruncated(t *testing.T) {
	doc := everything()
	for n := range doc {
		_, _, err := streamed(doc, bytes.NewReader(doc[:n]))
		var corrupt *nbt.CorruptError
		if !errors.As(err, &corrupt) || !errors.Is(err, io.ErrUnexpectedEOF) || corrupt.Offset > int64(n) {
			t.Fatalf("%d of %d bytes: %v", n, len(doc), err)
		}
	}
}

func TestStreamFaults(t *testing.T) {
	deep := bytes.Repeat([]byte{byte(nbt.List), 0, 0, 0, 1}, 1000)
	for name, tt := range map[string]struct {
		doc []byte
		lim nbt.Limits
	}{
		"no root":          {doc: []byte{0}},
		"unknown type":     {doc: []byte{13, 0, 0}},
		"unknown element":  {doc: []byte{9, 0, 0, 13, 0, 0, 0, 1}},
		"elements of end":  {doc: []byte{9, 0, 0, 0, 0, 0, 0, 1}},
		"negative array":   {doc: []byte{7, 0, 0, 255, 255, 255, 255}},
		"too deep":         {doc: append([]byte{9, 0, 0}, deep...)},
		"a huge array":     {doc: []byte{7, 0, 0, 127, 255, 255, 255, 1}},
		"a tag over limit": {doc: nbt.Append(nil, "", nbt.Entries{{Name: "a", Value: make([]byte, 100)}}), lim: nbt.Limits{Bytes: 50}},
	} {
		s := nbt.NewStream(bytes.NewReader(tt.doc), tt.lim)
		typ, _ := s.Root()
		s.Raw(typ)
		if s.Err() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// FuzzStream compares a Stream with a Reader.
func FuzzStream(f *testing.F) {
	f.Add(everything())
	f.Add([]byte{10, 0, 0, 0})
	f.Fuzz(func(t *testing.T, doc []byte) {
		got, rest, err := streamed(doc, bytes.NewReader(doc))
		want, wantRest, wantErr := read(doc)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("stream %v, reader %v", err, wantErr)
		}
		if err != nil {
			return
		}
		if rest != wantRest || len(got) != len(want) {
			t.Fatalf("got %d entries, %d bytes behind; want %d and %d", len(got), rest, len(want), wantRest)
		}
	})
}
