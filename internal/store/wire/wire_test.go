package wire_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
)

func stoneOf(data string) history.Stone {
	return history.Stone{ID: sha256.Sum256([]byte(data)), Data: []byte(data)}
}

func ref(s history.Stone) history.StoneRef {
	return history.StoneRef{ID: s.ID, Size: int64(len(s.Data))}
}

func commitOf(message string, stones ...history.Stone) history.Commit {
	c := history.Commit{Parent: history.ID{1}, Base: history.ID{2}, Number: 3, Time: time.UnixMilli(1234).UTC(), Author: "ann", Message: message}
	for _, s := range stones {
		c.Stones = append(c.Stones, ref(s))
	}
	return c
}

func bytesOf(t testing.TB, b *wire.Body) []byte {
	t.Helper()
	var out bytes.Buffer
	if n, err := b.WriteTo(&out); err != nil || n != b.Size() || n != int64(out.Len()) {
		t.Fatalf("wrote %d, %v; its size is %d", n, err, b.Size())
	}
	read, err := io.ReadAll(iotest.OneByteReader(b.Reader()))
	if err != nil || !bytes.Equal(read, out.Bytes()) {
		t.Fatalf("read as %d other bytes than the %d written: %v", len(read), out.Len(), err)
	}
	return out.Bytes()
}

func records(b []byte) *wire.RecordReader {
	return wire.NewRecordReader(bytes.NewReader(b), int64(len(b)))
}

// sample is a body of each kind, with what reads it as a value to compare.
var sample = []struct {
	name string
	body func() *wire.Body
	read func(r *wire.RecordReader) (any, error)
	size int
}{
	{"commit", func() *wire.Body {
		a, b := stoneOf("a"), stoneOf(strings.Repeat("b", 70_000))
		return wire.CommitBody(commitOf("m", a, b), a, b)
	}, func(r *wire.RecordReader) (any, error) {
		c, stones, err := wire.ReadCommit(r, 1<<20)
		return fmt.Sprint(c, stones), err
	}, 70_150},
	{"some stones", func() *wire.Body {
		a, b := stoneOf("a"), stoneOf("b")
		return wire.CommitBody(commitOf("m", a, b), b)
	}, func(r *wire.RecordReader) (any, error) {
		c, stones, err := wire.ReadCommit(r, 1<<20)
		return fmt.Sprint(c, stones), err
	}, 145},
	{"log", func() *wire.Body { return wire.LogBody(commitOf("a"), commitOf("b")) },
		func(r *wire.RecordReader) (any, error) { return wire.ReadLog(r, 2) }, 152},
	{"stack", func() *wire.Body { return wire.StackBody(sampleStack) },
		func(r *wire.RecordReader) (any, error) { f, err := wire.ReadStack(r, 1<<20); return fmt.Sprint(f), err }, 772},
	{"pack", func() *wire.Body {
		return wire.PackBody(history.Pack{After: history.ID{1}, Upto: history.ID{2}}, []byte("pack"))
	}, func(r *wire.RecordReader) (any, error) {
		p, s, err := wire.ReadPack(r, 1<<20)
		return fmt.Sprint(p, s), err
	}, 157},
}

func TestBodies(t *testing.T) {
	for _, tt := range sample {
		t.Run(tt.name, func(t *testing.T) {
			b := bytesOf(t, tt.body())
			if len(b) != tt.size {
				t.Errorf("%d bytes, want %d", len(b), tt.size)
			}
			want, err := tt.read(records(b))
			if err != nil {
				t.Fatal(err)
			}
			again := wire.NewRecordReader(strings.NewReader("old"), 3)
			again.Reset(iotest.HalfReader(bytes.NewReader(b)), int64(len(b)))
			if got, err := tt.read(again); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("in halves: %v", err)
			}
			if _, err := tt.read(wire.NewRecordReader(bytes.NewReader(b), int64(len(b)-1))); !refused(err, wire.TooLarge) {
				t.Errorf("a byte more than may come: got %v", err)
			}
		})
	}
}

func refused(err error, want wire.Code) bool {
	code, ok := wire.CodeOf(err)
	return ok && code == want
}

func TestBodiesCut(t *testing.T) {
	for _, tt := range sample {
		b := bytesOf(t, tt.body())
		ends := recordEnds(t, b)
		for n := range b {
			if n > 1000 && n < len(b)-100 && n%997 != 0 {
				continue
			}
			_, err := tt.read(wire.NewRecordReader(bytes.NewReader(b[:n]), 1<<20))
			if err == nil && (tt.name == "stack" || tt.name == "pack" || n == 0 && tt.name != "log" || !ends[n]) {
				t.Errorf("%s of %d bytes, cut at %d: no error", tt.name, len(b), n)
			}
			if e := (*stone.CorruptError)(nil); err != nil && !errors.As(err, &e) {
				t.Errorf("%s cut at %d: got %v, want a CorruptError", tt.name, n, err)
			}
		}
	}
}

func recordEnds(t *testing.T, b []byte) map[int]bool {
	t.Helper()
	ends := map[int]bool{0: true}
	for at := 0; at < len(b); ends[at] = true {
		n, k := binary.Uvarint(b[at:])
		if k <= 0 {
			t.Fatal("not records")
		}
		at += k + int(n)
	}
	return ends
}

func TestReadCommit(t *testing.T) {
	a, b := stoneOf("a"), stoneOf("b")
	body := bytesOf(t, wire.CommitBody(commitOf("m", a, b), a, b))
	c, stones, err := wire.ReadCommit(records(body), 1)
	if want := commitOf("m", a, b); err != nil || !reflect.DeepEqual(c, want) || !reflect.DeepEqual(stones, []history.Stone{a, b}) {
		t.Errorf("got %v, %v, %v", c, stones, err)
	}
	if _, _, err := wire.ReadCommit(records(body), 0); !refused(err, wire.TooLarge) {
		t.Errorf("a stone above the bound: got %v", err)
	}
	more := bytesOf(t, wire.CommitBody(commitOf("m", a), a, b))
	if _, _, err := wire.ReadCommit(records(more), 1); !refused(err, wire.Corrupt) {
		t.Errorf("more stones than named: got %v", err)
	}
}

// sampleStack is a stack with a stone that is there twice, whose bytes come once.
var sampleStack = func() history.Fetched {
	a, b := stoneOf("a"), stoneOf("b")
	return history.Fetched{
		Head: history.Head{Commit: history.ID{9}},
		Layers: []history.Layer{
			{Stone: ref(a), Upto: history.ID{8}}, {Stone: ref(b), After: history.ID{8}, Upto: history.ID{9}}, {Stone: ref(a), After: history.ID{8}, Upto: history.ID{9}},
		},
		Data: [][]byte{a.Data, nil, a.Data},
	}
}()

// jsonStack is the first record of a stack, jsonLayer a row of it.
type jsonStack struct {
	At     wire.HexID  `json:"at"`
	Layers []jsonLayer `json:"layers"`
}

type jsonLayer struct {
	Stone  wire.HexID `json:"stone"`
	Size   int64      `json:"size"`
	After  wire.HexID `json:"after"`
	Upto   wire.HexID `json:"upto"`
	Inline bool       `json:"inline"`
}

func (s jsonStack) body(t *testing.T, stones ...string) []byte {
	t.Helper()
	heading, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var b wire.Body
	b.Add(heading)
	for _, data := range stones {
		b.Add([]byte(data))
	}
	return bytesOf(t, &b)
}

// The JSON of a stack is as encoding/json has it.
func TestStackJSON(t *testing.T) {
	twin := jsonStack{At: wire.HexID(sampleStack.Head.Commit)}
	for i, l := range sampleStack.Layers {
		twin.Layers = append(twin.Layers, jsonLayer{wire.HexID(l.Stone.ID), l.Stone.Size, wire.HexID(l.After), wire.HexID(l.Upto), sampleStack.Data[i] != nil})
	}
	if got, want := bytesOf(t, wire.StackBody(sampleStack)), twin.body(t, "a"); !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	empty := jsonStack{Layers: []jsonLayer{}}
	if got, want := bytesOf(t, wire.StackBody(history.Fetched{})), empty.body(t); !bytes.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestReadStackRefused(t *testing.T) {
	good := jsonLayer{Stone: wire.HexID(stoneOf("abc").ID), Size: 3, Upto: wire.HexID{1}, Inline: true}
	change := func(f func(*jsonLayer)) []jsonLayer {
		l := good
		f(&l)
		return []jsonLayer{l}
	}
	for _, tt := range []struct {
		name   string
		layers []jsonLayer
		room   int64
		data   []string
		want   wire.Code
	}{
		{"other size", change(func(l *jsonLayer) { l.Size = 4 }), 10, []string{"abc"}, wire.Corrupt},
		{"too long", change(func(l *jsonLayer) { l.Size = 2 }), 10, []string{"abc"}, wire.TooLarge},
		{"too much", []jsonLayer{good}, 2, []string{"abc"}, wire.TooLarge},
		{"other bytes", []jsonLayer{good}, 10, []string{"abd"}, wire.Corrupt},
		{"other size twice", append([]jsonLayer{good}, change(func(l *jsonLayer) { l.Size = 4 })...), 10, []string{"abc"}, wire.Corrupt},
		{"left over", []jsonLayer{good}, 10, []string{"abc", "x"}, wire.Corrupt},
		{"no stone", change(func(l *jsonLayer) { l.Stone = wire.HexID{} }), 10, []string{"abc"}, wire.Corrupt},
		{"no end", change(func(l *jsonLayer) { l.Upto = wire.HexID{} }), 10, []string{"abc"}, wire.Corrupt},
		{"below nothing", change(func(l *jsonLayer) { l.Size = -3 }), 10, []string{"abc"}, wire.Corrupt},
		{"many", make([]jsonLayer, 1<<16+1), 10, nil, wire.Corrupt},
	} {
		body := jsonStack{At: wire.HexID{1}, Layers: tt.layers}.body(t, tt.data...)
		if _, err := wire.ReadStack(records(body), tt.room); !refused(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

// An announced size costs nothing: a record that announces a gigabyte and brings ten
// bytes makes room for little.
func TestRecordsLie(t *testing.T) {
	body := append(binary.AppendUvarint(nil, 1<<30), "0123456789"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := wire.NewRecordReader(bytes.NewReader(body), 1<<40).Next(1 << 40); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v", err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
		t.Errorf("ten bytes that say they are a gigabyte take %d", n)
	}
}

func TestRecordsLengths(t *testing.T) {
	for _, tt := range []struct {
		name string
		b    []byte
		want error
	}{
		{"none", nil, io.EOF},
		{"empty", []byte{0}, nil},
		{"long form", []byte{0x80, 0}, nil},
		{"cut", []byte{0x80}, io.ErrUnexpectedEOF},
		{"too long", bytes.Repeat([]byte{0xFF}, 11), nil},
		{"above 64 bits", append(bytes.Repeat([]byte{0xFF}, 9), 2), nil},
	} {
		rec, err := records(tt.b).Next(10)
		if e := (*stone.CorruptError)(nil); tt.name != "none" && tt.name != "empty" && !errors.As(err, &e) {
			t.Errorf("%s: got %v, want a CorruptError", tt.name, err)
		}
		if tt.want != nil && !errors.Is(err, tt.want) || tt.name == "empty" && (err != nil || len(rec) != 0) {
			t.Errorf("%s: got %v, %v", tt.name, rec, err)
		}
	}
	broken := errors.New("broken")
	if _, err := wire.NewRecordReader(iotest.ErrReader(broken), 10).Next(10); !errors.Is(err, broken) {
		t.Errorf("got %v, want the reader's error", err)
	}
}

// twin reads records as the page says, from bytes that are all there.
func twin(b []byte) (out [][]byte, ok bool) {
	for len(b) > 0 {
		n, k := binary.Uvarint(b)
		if k <= 0 || len(binary.AppendUvarint(nil, n)) != k || n > uint64(len(b)-k) {
			return out, false
		}
		out = append(out, b[k:k+int(n)])
		b = b[k+int(n):]
	}
	return out, true
}

func FuzzRecords(f *testing.F) {
	for _, tt := range sample {
		if b := bytesOf(f, tt.body()); len(b) < 1000 {
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		want, ok := twin(b)
		r := records(b)
		var got [][]byte
		rec, err := r.Next(int64(len(b)))
		for ; err == nil; rec, err = r.Next(int64(len(b))) {
			got = append(got, rec)
		}
		if (err == io.EOF) != ok || len(got) != len(want) {
			t.Fatalf("got %d records and %v, want %d, whole: %v", len(got), err, len(want), ok)
		}
		for i := range got {
			if !bytes.Equal(got[i], want[i]) {
				t.Fatalf("record %d differs", i)
			}
		}
		for _, tt := range sample {
			_, _ = tt.read(records(b))
		}
		if c, stones, err := wire.ReadCommit(records(b), 100); err == nil && len(stones) < len(c.Stones) {
			if again := bytesOf(t, wire.CommitBody(c, stones...)); !bytes.Equal(again, b) {
				t.Fatal("a commit that is read is written otherwise")
			}
		}
	})
}

func TestJSON(t *testing.T) {
	a := stoneOf("a")
	for _, tt := range []struct {
		name string
		v    any
		want string
	}{
		{"commit", wire.CommitOf(history.Commit{Number: 1, Time: time.UnixMilli(1500), Stones: []history.StoneRef{ref(a)}}),
			`{"id":"ID","parent":"","base":"","number":1,"time":"1970-01-01T00:00:01.500Z","author":"","message":"","stones":[{"id":"` + a.ID.String() + `","size":1}]}`},
		{"lease", wire.LeaseOf(history.Lease{Fence: 2, Holder: "h", Until: time.UnixMilli(2000)}), `{"fence":2,"holder":"h","until":"1970-01-01T00:00:02.000Z"}`},
		{"policy", wire.CollectCallOf(history.Policy{Grace: -1, Keep: history.Retention{Newest: 3, Daily: 1500 * time.Millisecond}}),
			`{"keep":{"newest":3,"daily_seconds":1.5},"grace_seconds":-1e-9}`},
		{"default", wire.CollectCallOf(history.Policy{}), `{}`},
	} {
		got, err := json.Marshal(tt.v)
		if c, ok := tt.v.(wire.Commit); ok {
			tt.want = strings.Replace(tt.want, `"ID"`, `"`+history.ID(c.ID).String()+`"`, 1)
		}
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: got %s, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	for _, bad := range []string{`"ab"`, `"` + strings.Repeat("x", 64) + `"`, `1`} {
		if err := json.Unmarshal([]byte(bad), new(wire.HexID)); err == nil {
			t.Errorf("id %s: no error", bad)
		}
	}
}

func TestPolicy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	span := func() time.Duration { return time.Duration(rng.Int64N(1<<50)) - 1<<48 }
	for range 100 {
		p := history.Policy{Grace: span(), Deleted: span(), Keep: history.Retention{All: true, Newest: 7, Hourly: span(), Daily: span(), Monthly: span()}}
		b, err := json.Marshal(wire.CollectCallOf(p))
		var got wire.CollectCall
		if err == nil {
			err = json.Unmarshal(b, &got)
		}
		if err != nil || got.Policy() != p {
			t.Fatalf("got %+v, %v, want %+v", got.Policy(), err, p)
		}
	}
	if d := wire.Seconds(1e300).Duration(); d != 1<<63-1 {
		t.Errorf("forever is %v", d)
	}
	if d := wire.Seconds(-1e300).Duration(); d != -1<<63 {
		t.Errorf("forever ago is %v", d)
	}
}
