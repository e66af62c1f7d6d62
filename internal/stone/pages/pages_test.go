package pages_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/klauspost/compress/zstd"
)

func uvarints(numbers ...uint64) (b []byte) {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

// refused says that err is a *CorruptError.
func refused(err error) bool {
	var c *codec.CorruptError
	return errors.As(err, &c)
}

// sheets are pages of all kinds of streams.
func sheets() map[string][][]byte {
	return map[string][][]byte{
		"no stream":   {},
		"empty":       {{}},
		"short":       {[]byte("short"), []byte("er")},
		"packed":      {bytes.Repeat([]byte("abcd"), 999)},
		"of each":     {bytes.Repeat([]byte{7}, 100), {}, []byte("plain"), bytes.Repeat([]byte("xy"), 500)},
		"many pieces": {bytes.Repeat([]byte("a large stream"), 700_000)},
	}
}

// AppendSmallest must give the bytes of the smallest of the pages that Append gives.
func TestAppendSmallest(t *testing.T) {
	shared := bytes.Repeat([]byte("shared by some"), 40)
	all := []pages.Page{{Form: 1, Streams: [][]byte{shared, []byte("of one alone")}}, {Form: 2, Streams: [][]byte{[]byte("short"), shared}}, {Form: 3, Streams: [][]byte{shared, []byte("short")}}}
	for _, streams := range sheets() {
		all = append(all, pages.Page{Form: 4, Streams: streams})
	}
	p := pages.NewEncoder(false)
	for _, candidates := range [][]pages.Page{all[:1], all[:2], all[:3], all[1:], all[3:], all, slices.Concat(all, all)} {
		var want []byte
		for i, c := range candidates {
			if page := p.Append(nil, c.Form, c.Streams); i == 0 || len(page) < len(want) {
				want = page
			}
		}
		if got := p.AppendSmallest([]byte("before"), candidates); string(got) != "before"+string(want) {
			t.Errorf("%d pages: %d bytes of form %d, want %d of form %d", len(candidates), len(got)-6, got[6], len(want), want[0])
		}
	}
}

func TestSplit(t *testing.T) {
	for _, hard := range []bool{false, true} {
		p := pages.NewEncoder(hard)
		for name, want := range sheets() {
			page := p.Append([]byte("before"), 9, want)[len("before"):]
			form, got, err := pages.Split(context.Background(), page)
			if err != nil || form != 9 || !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s: form %d, %d streams, %v", name, form, len(got), err)
			}
			_, _, rest, err := pages.SplitPrefix(context.Background(), append(page, "behind"...), pages.MaxPage)
			if err != nil || string(rest) != "behind" {
				t.Errorf("%s: %q behind the page, %v", name, rest, err)
			}
			stored, _, err := pages.SplitStored(page, pages.MaxPage)
			if again := pages.AppendStored(nil, 9, stored); err != nil || !bytes.Equal(again, page) {
				t.Errorf("%s: other bytes of the streams as they are stored, %v", name, err)
			}
			for n := 0; n < len(page); n += 1 + len(page)/100 {
				if _, _, err := pages.Split(context.Background(), page[:n]); !refused(err) {
					t.Errorf("%s: %v for the first %d of %d bytes", name, err, n, len(page))
				}
			}
			if _, _, err := pages.Split(context.Background(), append(page, 0)); !refused(err) {
				t.Errorf("%s: %v for a byte too many", name, err)
			}
		}
	}
}

// TestSplitEnds has the context end before a stream is unpacked in pieces.
//
// Then it reads a short page: the decoder of the first must have become free.
func TestSplitEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	page := pages.NewEncoder(false).Append(nil, 1, sheets()["many pieces"])
	if _, _, err := pages.Split(ctx, page); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for left := range 5 {
		if _, _, err := pages.Split(&countdown{context.Background(), left}, page); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if _, _, err := pages.Split(context.Background(), pages.NewEncoder(false).Append(nil, 1, sheets()["packed"])); err != nil {
			t.Error(err)
		}
	}
}

// countdown is a context that ends when it was asked so many times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestSplitAtMost has a page claim more than the caller allows.
func TestSplitAtMost(t *testing.T) {
	page := pages.NewEncoder(false).Append(nil, 0, [][]byte{make([]byte, 1000)})
	if _, _, err := pages.SplitAtMost(context.Background(), page, 1000); err != nil {
		t.Error(err)
	}
	if _, _, err := pages.SplitAtMost(context.Background(), page, 999); !refused(err) {
		t.Errorf("999 bytes: %v", err)
	}
}

// TestClaims has pages claim what they cannot hold.
func TestClaims(t *testing.T) {
	for name, page := range map[string][]byte{
		"too many streams":     append(uvarints(1, pages.MaxStreams+1), make([]byte, 99)...),
		"too many bytes":       uvarints(1, 1, (pages.MaxPage+1)<<1|1, 9),
		"too many in all":      uvarints(1, 2, pages.MaxPage<<1|1, 9, 1<<1),
		"a longer packed one":  append(uvarints(1, 1, 7<<1|1, 7), make([]byte, 7)...),
		"more than a frame is": append(uvarints(1, 1, pages.MaxPage<<1|1, 9), make([]byte, 9)...),
	} {
		if _, _, err := pages.Split(context.Background(), page); !refused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzSplit(f *testing.F) {
	p := pages.NewEncoder(false)
	for name, streams := range sheets() {
		if name != "many pieces" {
			f.Add(p.Append(nil, 1, streams))
		}
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		form, streams, err := pages.Split(context.Background(), page)
		if err != nil {
			if !refused(err) {
				t.Fatalf("%v is no CorruptError", err)
			}
			return
		}
		again, got, err := pages.Split(context.Background(), pages.NewEncoder(false).Append(nil, form, streams))
		if err != nil || again != form || !slices.EqualFunc(got, streams, bytes.Equal) {
			t.Fatalf("form %d, not %d, of other streams, %v", again, form, err)
		}
	})
}

// TestLyingFrames gives zstd frames that are not what the page says.
func TestLyingFrames(t *testing.T) {
	const n = 1000
	data := bytes.Repeat([]byte("abcd"), n/4)
	frame := func(b []byte, o ...zstd.EOption) []byte {
		e, err := zstd.NewWriter(nil, append(o, zstd.WithSingleSegment(true))...)
		if err != nil {
			t.Fatal(err)
		}
		return e.EncodeAll(b, nil)
	}
	var stream bytes.Buffer
	e, err := zstd.NewWriter(&stream)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data { // flushed piece by piece, so that no size is known
		e.Write(data[i : i+1])
		if i%100 == 0 {
			e.Flush()
		}
	}
	e.Close()
	long := frame(data)
	bent := bytes.Clone(long)
	bent[6] = 1 // the lower byte of the content size: 256 more than is said there
	for _, tt := range []struct {
		name  string
		frame []byte
		want  string
	}{
		{"sound", long, ""},
		{"with a checksum", frame(data, zstd.WithEncoderCRC(true)), ""},
		{"longer", frame(append(data, 0)), "of 1001 bytes, want 1000"},
		{"shorter", frame(data[1:]), "of 999 bytes, want 1000"},
		{"of another content size", bent, "want 1000"},
		{"two", append(bytes.Clone(long), frame(data[:3])...), "page"},
		{"without a size", stream.Bytes(), "zstd frame"},
		{"cut", long[:len(long)-2], "page"},
		{"of nothing", long[:4], "bytes in a zstd frame"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			body := tt.frame[4:]
			page := append(uvarints(0, 1, n<<1|1, uint64(len(body))), body...)
			_, streams, err := pages.Split(context.Background(), page)
			if tt.want == "" && (err != nil || !reflect.DeepEqual(streams, [][]byte{data})) {
				t.Error(err)
			}
			var c *codec.CorruptError
			if tt.want != "" && (!errors.As(err, &c) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
