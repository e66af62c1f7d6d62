package nbt_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// compare reads doc in every way there is and checks that all agree.
func compare(t *testing.T, doc []byte) {
	t.Helper()
	want, end, slowErr := slowParse(doc)
	name, v, err := nbt.Parse(doc, nbt.Limits{})
	if (err == nil) != (slowErr == nil) {
		t.Fatalf("Parse of % x: %v, the twin: %v", doc, err, slowErr)
	}
	r := nbt.NewReader(doc, nbt.Limits{})
	kind, _ := r.Root()
	r.Skip(kind)
	checkError(t, r.Err(), len(doc))
	if err != nil {
		checkError(t, err, len(doc))
		readerText(doc)
		return
	}
	if got := treeText(name, v); got != want {
		t.Fatalf("% x: tree\n%s\nwant\n%s", doc, got, want)
	}
	if got, err := readerText(doc); got != want || err != nil {
		t.Fatalf("% x: tokens (%v)\n%s\nwant\n%s", doc, err, got, want)
	}
	if r.Rest() != len(doc)-end || r.Offset() != end || r.Err() != nil {
		t.Fatalf("% x: Skip stopped at %d with %v", doc, r.Offset(), r.Err())
	}
	if got := nbt.Append(nil, name, v); !bytes.Equal(got, doc[:end]) {
		t.Fatalf("written again:\n% x\nwant\n% x", got, doc)
	}
}

func checkError(t *testing.T, err error, length int) {
	t.Helper()
	var corrupt *nbt.CorruptError
	if err == nil {
		return
	}
	if !errors.As(err, &corrupt) || corrupt.Part == "" || corrupt.Err == nil {
		t.Fatalf("error %v is no whole CorruptError", err)
	}
	if corrupt.Offset < 0 || corrupt.Offset > int64(length) {
		t.Fatalf("error %v is not within the %d bytes", err, length)
	}
}

func TestRandomDocuments(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		compare(t, randomDoc(rnd))
	}
}

func TestTruncations(t *testing.T) {
	for _, doc := range [][]byte{every(), shuffled(1)} {
		for n := range doc {
			if _, _, err := nbt.Parse(doc[:n], nbt.Limits{}); err == nil {
				t.Errorf("%d of %d bytes: no error", n, len(doc))
			}
			r := nbt.NewReader(doc[:n], nbt.Limits{})
			kind, _ := r.Root()
			r.Skip(kind)
			if !errors.Is(r.Err(), io.ErrUnexpectedEOF) {
				t.Errorf("skipping %d of %d bytes: %v", n, len(doc), r.Err())
			}
			checkError(t, r.Err(), n)
		}
	}
}

func TestFlippedBytes(t *testing.T) {
	for i := range every() {
		for _, flip := range []byte{0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF} {
			doc := every()
			doc[i] ^= flip
			compare(t, doc)
		}
	}
}

func TestHostile(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("\x0A\x00\x00", n) }
	lists := func(n int) string { return "\x09\x00\x00" + strings.Repeat("\x09\x00\x00\x00\x01", n) }
	for _, c := range []struct {
		name, doc, want string
	}{
		{"empty", "", "compound at byte 0: unexpected EOF"},
		{"root of type end", "\x00", "root at byte 0: is of type end"},
		{"root of unknown type", "\x0D\x00\x00", "compound at byte 0: entry of unknown type 13"},
		{"entry of unknown type", "\x0A\x00\x00\xFF\x00\x00", "compound at byte 3: entry of unknown type 255"},
		{"list of 2^31-1 compounds", "\x0A\x00\x00\x09\x00\x00\x0A\x7F\xFF\xFF\xFF\x00\x00", "list at byte 6: 2147483647 elements of type compound in 2 bytes: unexpected EOF"},
		{"list of 2^31-1 bytes", "\x09\x00\x00\x01\x7F\xFF\xFF\xFF", "list at byte 3: 2147483647 elements of type byte in 0 bytes: unexpected EOF"},
		{"list of ends", "\x09\x00\x00\x00\x00\x00\x00\x01", "list at byte 3: 1 elements of type end"},
		{"empty list of unknown type", "\x09\x00\x00\x0D\x00\x00\x00\x00", "list at byte 3: elements of unknown type 13"},
		{"negative byte array", "\x07\x00\x00\xFF\xFF\xFF\xFF", "byte array at byte 3: length -1"},
		{"negative int array", "\x0B\x00\x00\x80\x00\x00\x00", "int array at byte 3: length -2147483648"},
		{"long array of 2^31-1", "\x0C\x00\x00\x7F\xFF\xFF\xFF\x00", "long array at byte 3: length 2147483647: unexpected EOF"},
		{"513 compounds", deep(513), "compound at byte 1539: more than 512 deep"},
		{"a million compounds", deep(1e6), "compound at byte 1539: more than 512 deep"},
		{"513 lists", lists(513) + "\x00\x00\x00\x00\x00", "list at byte 2563: more than 512 deep"},
		{"a million lists", lists(1e6), "list at byte 2563: more than 512 deep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := nbt.NewReader([]byte(c.doc), nbt.Limits{})
			kind, _ := r.Root()
			r.Skip(kind)
			if err := r.Err(); err == nil || err.Error() != "nbt: "+c.want {
				t.Errorf("Skip: %v, want nbt: %s", err, c.want)
			}
			if _, _, err := nbt.Parse([]byte(c.doc), nbt.Limits{}); err == nil || err.Error() != "nbt: "+c.want {
				t.Errorf("Parse: %v, want nbt: %s", err, c.want)
			}
		})
	}
}

func TestDepthAllowed(t *testing.T) {
	compare(t, []byte(strings.Repeat("\x0A\x00\x00", 512)+strings.Repeat("\x00", 512)))
	doc := every()
	for depth := 1; ; depth++ {
		_, _, err := nbt.Parse(doc, nbt.Limits{Depth: depth})
		r := nbt.NewReader(doc, nbt.Limits{Depth: depth})
		kind, _ := r.Root()
		r.Skip(kind)
		if (err == nil) != (r.Err() == nil) || (err == nil) != (depth >= 4) {
			t.Fatalf("depth %d: Parse %v, Skip %v", depth, err, r.Err())
		}
		if err == nil {
			return
		}
	}
}

func TestBytesLimit(t *testing.T) {
	doc := every()
	if _, _, err := nbt.Parse(doc, nbt.Limits{Bytes: len(doc)}); err != nil {
		t.Error(err)
	}
	_, _, err := nbt.Parse(doc, nbt.Limits{Bytes: len(doc) - 1})
	if err == nil || !strings.Contains(err.Error(), "above the limit") {
		t.Errorf("got %v", err)
	}
}

func TestErrorsStick(t *testing.T) {
	r := nbt.NewReader([]byte("\x0A\x00\x01x\x03\x00\x01y\x00\x00"), nbt.Limits{})
	r.Root()
	r.Next()
	if got := r.Int(); got != 0 || r.Err() == nil {
		t.Fatalf("a cut int is %d, %v", got, r.Err())
	}
	first := r.Err()
	for range 2 {
		kind, name := r.Next()
		elem, n := r.List()
		if kind != nbt.End || name != nil || elem != nbt.End || n != 0 {
			t.Errorf("Next %v %q, List %v %d", kind, name, elem, n)
		}
		if r.Byte() != 0 || r.Short() != 0 || r.Int() != 0 || r.Long() != 0 || r.Float() != 0 || r.Double() != 0 {
			t.Error("a number is not 0")
		}
		if r.String() != nil || r.ByteArray() != nil || r.IntArray() != nil || r.LongArray() != nil || r.Raw(nbt.Byte) != nil {
			t.Error("bytes are not nil")
		}
		r.Skip(nbt.Type(99))
	}
	if r.Err() != first || r.Rest() != 0 || r.Offset() != 8 {
		t.Errorf("now %v, rest %d, offset %d, was %v", r.Err(), r.Rest(), r.Offset(), first)
	}
}

func TestRaw(t *testing.T) {
	doc := every()
	r := nbt.NewReader(doc, nbt.Limits{})
	again := nbt.AppendRawHeader(nil, nbt.Compound, second(r.Root()))
	for kind, name := r.Next(); kind != nbt.End; kind, name = r.Next() {
		payload := r.Raw(kind)
		if cap(payload) != len(payload) {
			t.Errorf("%s: the payload can be appended into what follows", name)
		}
		p := nbt.NewPayload(payload, nbt.Limits{})
		if p.Skip(kind); p.Rest() != 0 || p.Err() != nil {
			t.Errorf("%s: %d bytes left, %v", name, p.Rest(), p.Err())
		}
		again = append(nbt.AppendRawHeader(again, kind, name), payload...)
	}
	if again = nbt.AppendEnd(again); !bytes.Equal(again, doc) {
		t.Errorf("written again:\n% x\nwant\n% x", again, doc)
	}
}

func second[A, B any](_ A, b B) B { return b }

func TestReaderAllocatesNothing(t *testing.T) {
	doc := every()
	got := testing.AllocsPerRun(100, func() {
		r := nbt.NewReader(doc, nbt.Limits{})
		r.Root()
		for kind, _ := r.Next(); kind != nbt.End; kind, _ = r.Next() {
			r.Raw(kind)
		}
		if r.Err() != nil || r.Rest() != 0 {
			t.Error(r.Err(), r.Rest())
		}
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

func FuzzReader(f *testing.F) {
	f.Add(every())
	f.Add(shuffled(1))
	f.Add([]byte("\x0A\x00\x00\x09\x00\x00\x0A\x7F\xFF\xFF\xFF\x00\x00"))
	f.Add([]byte(strings.Repeat("\x0A\x00\x00", 600)))
	f.Fuzz(func(t *testing.T, doc []byte) {
		compare(t, doc)
		nbt.Equal(doc, every())
	})
}

func BenchmarkSkip(b *testing.B) {
	doc := chunk()
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		r := nbt.NewReader(doc, nbt.Limits{})
		kind, _ := r.Root()
		if r.Skip(kind); r.Err() != nil {
			b.Fatal(r.Err())
		}
	}
}

func BenchmarkParse(b *testing.B) {
	doc := chunk()
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := nbt.Parse(doc, nbt.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
