package tags_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/tags"
)

// entry is a document and how it is added.
type entry struct {
	root  string
	whole bool // by Document
	doc   []byte
}

func write(t testing.TB, entries []entry) [][]byte {
	t.Helper()
	var w tags.Builder
	n := 0
	for _, e := range entries {
		if e.whole {
			w.Document(e.root, e.doc)
		} else {
			w.Payload(e.root, e.doc)
		}
		n += len(e.doc)
	}
	if w.Bytes() != n {
		t.Fatalf("%d bytes added, want %d", w.Bytes(), n)
	}
	streams, ok := w.Streams()
	if !ok {
		t.Fatal("cannot be split")
	}
	return streams
}

// read calls as write did and returns the documents.
func read(streams [][]byte, entries []entry, most int) (docs [][]byte, err error) {
	r := tags.NewDecoder(streams, most)
	for _, e := range entries {
		if e.whole {
			docs = append(docs, r.Document(e.root))
		} else {
			docs = append(docs, r.Payload(e.root))
		}
	}
	return docs, r.End()
}

func mustRoundTrip(t testing.TB, entries []entry) [][]byte {
	t.Helper()
	streams := write(t, entries)
	docs, err := read(streams, entries, 1<<26)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range entries {
		if !bytes.Equal(docs[i], e.doc) || docs[i] == nil {
			t.Fatalf("document %d is\n% x\nwant\n% x", i, docs[i], e.doc)
		}
	}
	return streams
}

func nested(depth int) []byte {
	var b []byte
	for range depth - 1 {
		b = nbt.AppendCompound(b, "a")
	}
	return append(b, make([]byte, depth)...)
}

func TestRoundTrip(t *testing.T) {
	text := func(s string) []byte { return nbt.AppendEnd(nbt.AppendString(nil, "a", s)) }
	b64 := base64.StdEncoding.EncodeToString
	long := strings.Repeat("x", 65535)
	for _, tt := range []struct {
		name    string
		entries []entry
	}{
		{"nothing", nil},
		{"an empty document", []entry{{"", true, []byte{}}, {"", false, []byte{}}, {"", true, []byte{}}}},
		{"an empty compound", []entry{{"", false, []byte{0}}, {"", false, []byte{0}}}},
		{"no NBT", []entry{{"", false, []byte("bee")}, {"", true, []byte("bee")}, {"", true, []byte{0}}, {"", true, []byte{0, 0, 0}}}},
		{"both", []entry{{"", false, []byte("bee")}, {"", false, text("bee")}, {"", false, []byte("bee")}}},
		{"bytes behind", []entry{{"", false, append(text("a"), 0)}, {"", true, append(text("a"), 0)}}},
		{"roots", []entry{{"a", false, text("1")}, {"b", false, text("2")}, {"a", true, nbt.AppendInt(nil, "n", 3)}}},
		{"a name twice", []entry{{"", false, nbt.AppendEnd(nbt.AppendInt(nbt.AppendInt(nil, "a", 1), "a", 2))}}},
		{"a name with two types", []entry{{"", false, nbt.AppendEnd(nbt.AppendByte(nbt.AppendInt(nil, "a", 1), "a", 2))}}},
		{"other orders", []entry{{"", false, nbt.AppendEnd(nbt.AppendInt(nbt.AppendInt(nil, "a", 1), "b", 2))}, {"", false, nbt.AppendEnd(nbt.AppendInt(nbt.AppendInt(nil, "b", 1), "a", 2))}}},
		{"a negative list", []entry{{"", true, nbt.AppendList(nil, "l", nbt.Int, -7)}, {"", true, nbt.AppendList(nil, "l", nbt.End, -1)}}},
		{"an empty list with a type", []entry{{"", true, nbt.AppendList(nil, "l", nbt.Compound, 0)}}},
		{"a list of ends", []entry{{"", true, nbt.AppendList(nil, "l", nbt.End, 3)}}},
		{"a list of empty compounds", []entry{{"", true, append(nbt.AppendList(nil, "l", nbt.Compound, 3), 0, 0, 0)}}},
		{"deep", []entry{{"", false, nested(tags.MaxDepth)}, {"", false, nested(tags.MaxDepth + 1)}}},
		{"not UTF-8", []entry{{"", false, text("\xC0\xFF")}, {"", false, nbt.AppendEnd(nbt.AppendRawHeader(nil, nbt.Compound, []byte{0xFF}))[:5]}}},
		{"a long string", []entry{{"", false, text(long)}, {"", false, nbt.AppendEnd(nbt.AppendByte(nil, long, 1))}}},
		{"base64", []entry{{"", false, text(b64([]byte(`{"a":"some text"}`)))}, {"", false, text(b64([]byte("fifteen bytes..")))}, {"", false, text(b64([]byte("\xFF\xFEfourteen....")))}}},
		{"nearly base64", []entry{
			{"", false, text(strings.Replace(b64([]byte("fifteen bytes.")), "=", "\n", 1))},
			{"", false, text("AAAAAAAA\nAAAAAAA\r\n\n\n")}, {"", false, text("AAAAAAAAAAAAAAB=")}, {"", false, text("\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n")},
		}},
		{"long base64", []entry{{"", false, text(long[:65532])}}},
	} {
		t.Run(tt.name, func(t *testing.T) { mustRoundTrip(t, tt.entries) })
	}
}

func random(seed uint64, n int) (entries []entry) {
	m := newMaker(seed)
	for range n {
		e := entry{root: []string{"", "b"}[m.IntN(2)], whole: m.IntN(2) == 0}
		if e.doc = m.compound(); e.whole {
			e.doc = m.document()
		}
		if m.IntN(9) == 0 && len(e.doc) > 0 {
			e.doc[m.IntN(len(e.doc))] ^= 1 << m.IntN(8)
		}
		entries = append(entries, e)
	}
	return entries
}

func TestRandom(t *testing.T) {
	for seed := range uint64(300) {
		entries := random(seed, 30)
		streams := mustRoundTrip(t, entries)
		if want := slowRead(streams, entries); !same(want, entries) {
			t.Fatalf("seed %d: the twin reads other documents", seed)
		}
		if again := write(t, entries); !bytes.Equal(bytes.Join(again, nil), bytes.Join(streams, nil)) {
			t.Fatalf("seed %d: other bytes the second time", seed)
		}
	}
}

// TestSound compares what is taken for NBT with what package nbt reads.
func TestSound(t *testing.T) {
	m := newMaker(7)
	sound := 0
	for range 20000 {
		doc := m.compound()
		switch m.IntN(3) {
		case 0:
			doc[m.IntN(len(doc))] = byte(m.IntN(16))
		case 1:
			doc = doc[:m.IntN(len(doc)+1)]
		}
		r := nbt.NewPayload(doc, nbt.Limits{Depth: tags.MaxDepth})
		r.Skip(nbt.Compound)
		want := r.Err() == nil && r.Rest() == 0
		if got := tags.Sound(doc); got != want {
			t.Fatalf("% x: sound %t, want %t (%v)", doc, got, want, r.Err())
		}
		if want {
			sound++
		}
	}
	if sound < 5000 || sound > 15000 {
		t.Errorf("%d of 20000 are sound", sound)
	}
}

// slowNumbers undoes AppendNumbers by its definition.
func slowNumbers(t nbt.Type, b []byte) []byte {
	wide := map[nbt.Type]int{nbt.Byte: 1, nbt.Short: 2, nbt.Int: 4, nbt.Long: 8, nbt.ByteArray: 1, nbt.IntArray: 4}[t]
	if wide == 0 {
		return b
	}
	out := make([]byte, len(b))
	for i := range out {
		out[i] = b[i%wide*(len(b)/wide)+i/wide]
	}
	return out
}

func TestNumbers(t *testing.T) {
	m := newMaker(3)
	for _, kind := range []nbt.Type{nbt.Byte, nbt.Short, nbt.Int, nbt.Long, nbt.Float, nbt.Double, nbt.ByteArray, nbt.IntArray, nbt.LongArray} {
		for n := range 60 {
			b := m.bytes(8 * n)
			if n%2 == 0 {
				for i := range b {
					b[i] = byte(i / 8 * 3)
				}
			}
			packed := tags.AppendNumbers(byte(kind), b)
			if got, want := tags.DecodeNumbers(byte(kind), packed), slowNumbers(kind, packed); !bytes.Equal(got, b) || !bytes.Equal(want, b) {
				t.Fatalf("%v: got % x, by the twin % x, want % x", kind, got, want, b)
			}
		}
	}
}

// mustBeCorrupt checks an error about bytes.
func mustBeCorrupt(t testing.TB, err error) {
	t.Helper()
	var c *codec.CorruptError
	if !errors.As(err, &c) || c.Part == "" || c.Err == nil {
		t.Fatalf("%v is no CorruptError", err)
	}
}

// TestDamaged cuts and changes every byte of the streams.
func TestDamaged(t *testing.T) {
	entries := random(1, 12)
	streams := write(t, entries)
	cuts, flips, wrong := 0, 0, 0
	for i, s := range streams {
		for n := range s {
			streams[i] = s[:n]
			cuts++
			if _, err := read(streams, entries, 1<<20); err == nil {
				t.Fatalf("stream %d of %d bytes is read", i, n)
			} else {
				mustBeCorrupt(t, err)
			}
			for bit := range 8 {
				s[n] ^= 1 << bit
				streams[i] = s
				flips++
				docs, err := read(streams, entries, 1<<20)
				if err != nil {
					mustBeCorrupt(t, err)
					wrong++
				} else if same(docs, entries) && i > 0 {
					t.Errorf("stream %d: a change of byte %d is not seen", i, n)
				}
				s[n] ^= 1 << bit
			}
		}
		streams[i] = append(s[:len(s):len(s)], 0)
		if _, err := read(streams, entries, 1<<20); err == nil {
			t.Errorf("stream %d with a byte more is read", i)
		}
		streams[i] = s
	}
	if cuts < 300 || wrong < flips/8 {
		t.Errorf("%d cuts; %d of %d changes are errors", cuts, wrong, flips)
	}
}

func same(docs [][]byte, entries []entry) bool {
	for i, e := range entries {
		if !bytes.Equal(docs[i], e.doc) {
			return false
		}
	}
	return true
}

// section puts a stream of tags together.
func section(version byte, plain uint64, sections ...[]byte) []byte {
	b := binary.AppendUvarint([]byte{version}, plain)
	for _, s := range sections[:4] {
		b = binary.AppendUvarint(b, uint64(len(s)))
	}
	return append(b, bytes.Join(sections, nil)...)
}

func n(v ...uint64) (b []byte) {
	for _, v := range v {
		b = binary.AppendUvarint(b, v)
	}
	return b
}

// TestHostile gives streams that claim what cannot be.
func TestHostile(t *testing.T) {
	id, _ := tags.WordNumber("id")
	text := uint64(2 * len(tags.Words()))           // the number of the first string that is no word
	one := func(kind byte, more ...[]byte) []byte { // a compound of one tag
		return bytes.Join(append([][]byte{n(2, 0), {kind}, n(uint64(id))}, more...), nil)
	}
	for _, tt := range []struct {
		name    string
		streams [][]byte
		want    string
	}{
		{"no streams", nil, "0 streams"},
		{"nothing", make([][]byte, 3), "ends too early"},
		{"other words", [][]byte{section(2, 1, nil, nil, nil, nil, nil), nil, nil}, "words of version 2"},
		{"too many bytes", [][]byte{section(1, 1<<30, n(1), n(1), n(0), nil, nil), nil, nil}, "at most"},
		{"a section too long", [][]byte{append([]byte{1, 1}, n(1<<40, 0, 0, 0)...), nil, nil}, "at most"},
		{"other bytes than said", [][]byte{section(1, 2, n(1), n(1), n(0), nil, nil), nil, nil}, "documents of 1 bytes, want 2"},
		{"more bytes than said", [][]byte{section(1, 0, n(1), n(1), n(0), nil, nil), nil, nil}, "more than 0 bytes"},
		{"a shape that is not there", [][]byte{section(1, 1, n(1), nil, n(1), nil, nil), nil, nil}, "shape 0 of 0"},
		{"members beyond", [][]byte{section(1, 1, n(1), n(1<<20), n(0), nil, nil), nil, nil}, "at most"},
		{"a member that is not there", [][]byte{section(1, 1, n(1), n(2, 1), n(0), nil, nil), nil, nil}, "at most 0"},
		{"a type that is none", [][]byte{section(1, 1, n(1), one(13), n(0), nil, nil), nil, nil}, "type 13"},
		{"a tag of type end", [][]byte{section(1, 1, n(1), one(0), n(0), nil, nil), nil, nil}, "type 0"},
		{"a string that is not there", [][]byte{section(1, 1, n(1), append(n(2, 0), append([]byte{1}, n(text+1)...)...), n(0), nil, nil), nil, nil}, "at most"},
		{"a string of unknown kind", [][]byte{section(1, 1, n(1), append(n(2, 0), append([]byte{1}, n(text, 3)...)...), n(0), nil, nil), nil, nil}, "unknown kind"},
		{"a string too long", [][]byte{section(1, 1, n(1), append(n(2, 0), append([]byte{1}, n(text, 60000<<2|1)...)...), n(0), nil, nil), make([]byte, 60000), nil}, "a string of 80000"},
		{"numbers that are not there", [][]byte{section(1, 8, n(1, 1<<40), one(1), n(0), nil, nil), nil, nil}, "numbers of 1 bytes"},
		{"a list of nothing", [][]byte{section(1, 11, n(1, 1), one(9), n(0, 9), nil, nil), nil, nil}, "ends too early"},
		{"a list of ends", [][]byte{section(1, 11, n(1, 2), one(9), n(0, 0, 5), nil, nil), nil, nil}, "a list of 5 of type 0"},
		{"a list too long", [][]byte{section(1, 11, n(1, 6), one(9), n(0, 1, 1<<32), nil, nil), nil, nil}, "a list of 0"},
		{"bytes of a list", [][]byte{section(1, 100, n(1, 6, 0), one(9), n(0, 1, 1<<31-1), nil, nil), nil, nil}, "ends too early"},
		{"an array too long", [][]byte{section(1, 100, n(1, 5, 0), one(7), n(0, 1<<31-1), nil, nil), nil, nil}, "at most 0"},
		{"a compound that is no NBT", [][]byte{section(1, 100, n(1, 1), append(one(10), 0), n(0, 0), nil, nil), nil, nil}, "no NBT"},
		{"left over", [][]byte{section(1, 1, n(1), n(1), n(0), nil, n(1)), nil, nil}, "left over"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(tt.streams, []entry{{"", false, nil}}, 1<<20)
			mustBeCorrupt(t, err)
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	two := bytes.Join([][]byte{n(3, 0), {1}, n(uint64(id)), n(1)}, nil)
	_, err := read([][]byte{section(1, 1, n(1), two, n(0), nil, nil), nil, nil}, []entry{{"", true, nil}}, 1<<20)
	if mustBeCorrupt(t, err); !strings.Contains(err.Error(), "a document of 2 tags") {
		t.Error(err)
	}
}

// TestGrowth gives few bytes that say many, with little memory taken.
func TestGrowth(t *testing.T) {
	long := bytes.Repeat([]byte{'a'}, 65535)
	text := uint64(2 * len(tags.Words()))
	var before, after runtime.MemStats
	for _, tt := range []struct {
		name       string
		heads      []byte
		notes, pic int
		want       string
	}{
		// a compound of a string that is written again and again
		{"strings", bytes.Join([][]byte{n(2, 0), {8}, n(0), n(text, 65535<<2)}, nil), 3000, 3000, "documents of more than"},
		{"names", bytes.Join([][]byte{n(2, 0), {1}, n(text, 65535<<2)}, nil), 3000, 0, "documents of more than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			shapes := append([]byte{0}, bytes.Repeat([]byte{1}, tt.notes-1)...)
			own := append([]byte{0}, bytes.Repeat([]byte{1}, max(tt.pic, 1)-1)...)
			sizes, picks, numbers := n(uint64(len(shapes)), uint64(len(own))), own, []byte(nil)
			if tt.pic == 0 {
				sizes, picks, numbers = n(uint64(len(shapes)), 3000), nil, make([]byte, 3000)
			}
			s := [][]byte{section(1, 1<<20, sizes, tt.heads, shapes, picks, numbers), long, nil}
			runtime.ReadMemStats(&before)
			_, err := read(s, make([]entry, tt.notes), 1<<26)
			runtime.ReadMemStats(&after)
			mustBeCorrupt(t, err)
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
				t.Errorf("took %d bytes of memory", got)
			}
		})
	}
}

// TestLimits adds what a Decoder would refuse.
func TestLimits(t *testing.T) {
	var places, same tags.Builder
	var b []byte
	for i := range tags.MaxPlaces + 1 {
		b = nbt.AppendByte(b, strconv.Itoa(i), 1)
	}
	places.Payload("", nbt.AppendEnd(b))
	text := nbt.AppendEnd(nbt.AppendString(nil, "a", strings.Repeat("x", 65535)))
	for range 4 * tags.MaxGrowth {
		same.Payload("", text)
	}
	for name, w := range map[string]*tags.Builder{"places": &places, "the same again and again": &same} {
		if _, ok := w.Streams(); ok {
			t.Errorf("%s: ok", name)
		}
		w.Payload("", []byte{0})
		if s, ok := w.Streams(); !ok || len(s) != tags.NumStreams {
			t.Errorf("%s: not empty afterwards", name)
		}
	}
}

// TestChests pins what ten thousand chests take, before anything packs them.
func TestChests(t *testing.T) {
	m := newMaker(1)
	var entries []entry
	plain := 0
	for range 10000 {
		e := entry{"", false, m.chest()}
		entries = append(entries, e)
		plain += len(e.doc)
	}
	got := len(bytes.Join(mustRoundTrip(t, entries), nil))
	if want := 210188; got != want || plain != 2200805 {
		t.Errorf("%d bytes of %d, want %d of %d", got, plain, want, 2200805)
	}
}

func FuzzWriter(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(newMaker(seed).compound(), newMaker(seed).document())
	}
	f.Fuzz(func(t *testing.T, payload, doc []byte) {
		e := []entry{{"", false, payload}, {"", true, doc}, {"", false, payload}, {"b", true, payload}, {"", false, doc}}
		mustRoundTrip(t, e)
	})
}

func FuzzReader(f *testing.F) {
	for seed := range uint64(8) {
		s := write(f, random(seed, 8))
		f.Add(s[0], s[1], s[2])
	}
	f.Fuzz(func(t *testing.T, all, texts, blobs []byte) {
		r := tags.NewDecoder([][]byte{all, texts, blobs}, 1<<20)
		n := 0
		for i := range 64 {
			n += len(r.Payload("")) + len(r.Document([]string{"", "b"}[i%2]))
		}
		if n > 1<<20 {
			t.Errorf("documents of %d bytes", n)
		}
		if err := r.End(); err != nil {
			mustBeCorrupt(t, err)
		}
	})
}
