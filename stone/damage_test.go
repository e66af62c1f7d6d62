package stone_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/cairnvoxel/cairn/stone"
)

// faultOf opens and checks a stone and returns what is wrong with it.
func faultOf(b []byte) error {
	r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return err
	}
	return r.Check(context.Background())
}

func TestEveryTruncation(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	for n := range b {
		if err := faultOf(b[:n]); err == nil {
			t.Errorf("%d of %d bytes are taken for a stone", n, len(b))
		}
		if err := faultOf(b[n+1:]); err == nil {
			t.Errorf("the last %d of %d bytes are taken for a stone", len(b)-n-1, len(b))
		}
	}
	if err := faultOf(append(bytes.Clone(b), 0)); err == nil {
		t.Error("a byte too many is not seen")
	}
}

func TestEveryFlip(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	for i := range b {
		for bit := range 8 {
			b[i] ^= 1 << bit
			var c *stone.CorruptError
			if err := faultOf(b); !errors.As(err, &c) && !errors.Is(err, stone.ErrNewer) {
				t.Errorf("byte %d bit %d flipped: %v", i, bit, err)
			}
			b[i] ^= 1 << bit
		}
	}
	if err := faultOf(b); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedPages flips bytes of pages of a larger stone: the error says where,
// and all else can still be read.
func TestDamagedPages(t *testing.T) {
	b := mustWrite(t, big(), stone.Options{})
	pages, err := mustOpen(t, b).Pages()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		b[p.Offset+int64(p.Size)/2] ^= 1
		r := mustOpen(t, b)
		var c *stone.CorruptError
		if err := r.Check(context.Background()); !errors.As(err, &c) || c.Offset != p.Offset {
			t.Errorf("page %d at %d: %v", p.Number, p.Offset, err)
		}
		if f, err := r.OpenFile("icon"); p.Name != "icon" {
			if err = errors.Join(err, readsAs(f, []byte{1, 2, 3})); err != nil {
				t.Errorf("page %d wrong: file icon: %v", p.Number, err)
			}
		}
		b[p.Offset+int64(p.Size)/2] ^= 1
	}
}

// TestRehashed changes every byte of every page and of the directory and makes
// the checksums right again: no panic, and no error but about bytes.
func TestRehashed(t *testing.T) {
	pages, dir := stone.Parts(mustWrite(t, tiny(), stone.Options{}))
	try := func(what string, n int, pages [][]byte, dir []byte) {
		var c *stone.CorruptError
		if err := faultOf(stone.Assemble(pages, dir)); err != nil && !errors.As(err, &c) {
			t.Errorf("%s %d: %v", what, n, err)
		}
	}
	for n := range append(pages, dir) {
		part := dir
		if n < len(pages) {
			part = pages[n]
		}
		for i := range part {
			for _, by := range []byte{1, 2, 4, 16, 128, 255} {
				part[i] ^= by
				try("part", n, pages, dir)
				part[i] ^= by
			}
		}
	}
	if err := faultOf(stone.Assemble(pages, dir)); err != nil {
		t.Fatal(err)
	}
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
			page := append(plain{0}.n(1, n<<1|1, uint64(len(body))), body...)
			_, streams, err := stone.SplitPage(page)
			if tt.want == "" && (err != nil || !reflect.DeepEqual(streams, [][]byte{data})) {
				t.Error(err)
			}
			var c *stone.CorruptError
			if tt.want != "" && (!errors.As(err, &c) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
