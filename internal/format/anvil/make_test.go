package anvil_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/testing/anviltest"
	"github.com/pierrec/lz4/v4"
)

// The made-up worlds of these tests.

type (
	entries = nbt.Entries
	entry   = nbt.Entry
)

// compound returns a compound of pairs of a name and a value.
func compound(pairs ...any) entries {
	e := entries{}
	for i := 0; i < len(pairs); i += 2 {
		e = append(e, entry{Name: pairs[i].(string), Value: pairs[i+1]})
	}
	return e
}

// list returns a list of values of one type.
func list(elem nbt.Type, values ...nbt.Value) nbt.Items {
	return nbt.Items{Elem: elem, Values: values}
}

func document(root entries) []byte { return nbt.Append(nil, "", root) }

// stored returns what a slot holds for a payload.
func stored(kind byte, payload []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(payload)+1))
	return append(append(b, kind), payload...)
}

func deflated(doc []byte) []byte {
	var b bytes.Buffer
	z := zlib.NewWriter(&b)
	z.Write(doc)
	z.Close()
	return b.Bytes()
}

func gzipped(doc []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(doc)
	z.Close()
	return b.Bytes()
}

// lz4Stream returns the stream of lz4-java's LZ4BlockOutputStream; sum is its
// checksum of a block.
func lz4Stream(doc []byte, blockSize int, sum func([]byte) uint32) []byte {
	var out []byte
	block := func(token byte, data []byte, raw int, check uint32) {
		out = append(append(out, "LZ4Block"...), token|6)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
		out = binary.LittleEndian.AppendUint32(out, uint32(raw))
		out = append(binary.LittleEndian.AppendUint32(out, check), data...)
	}
	for len(doc) > 0 {
		part := doc[:min(blockSize, len(doc))]
		doc = doc[len(part):]
		packed := make([]byte, lz4.CompressBlockBound(len(part)))
		n, err := lz4.CompressBlock(part, packed, nil)
		if err != nil || n == 0 || n >= len(part) {
			block(0x10, part, len(part), sum(part))
			continue
		}
		block(0x20, packed[:n], len(part), sum(part))
	}
	block(0x10, nil, 0, 0)
	return out
}

// region returns a region file of slots; each begins in the sector after the
// one before.
func region(chunks map[int][]byte, stamps map[int]uint32) []byte {
	b := make([]byte, 8192)
	for i, s := range stamps {
		binary.BigEndian.PutUint32(b[4096+4*i:], s)
	}
	for i := range 1024 {
		if chunks[i] == nil {
			continue
		}
		n := (len(chunks[i]) + 4095) / 4096
		binary.BigEndian.PutUint32(b[4*i:], uint32(len(b)/4096<<8|n))
		b = append(b, chunks[i]...)
		b = append(b, make([]byte, (4096-len(b)%4096)%4096)...)
	}
	return b
}

// folder returns a file system of files by path.
func folder(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, b := range files {
		m[name] = &fstest.MapFile{Data: b}
	}
	return m
}

// oneChunk returns a world of one chunk at (0,0).
func oneChunk(doc []byte) fstest.MapFS {
	return folder(map[string][]byte{"region/r.0.0.mca": region(map[int][]byte{0: stored(3, doc)}, nil)})
}

// read returns all that a world hands on.
func read(t testing.TB, fsys fs.FS, o anvil.Options) (*taker, anvil.Stats, error) {
	t.Helper()
	w, err := anvil.OpenFS(fsys, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	s := &taker{keep: true}
	err = w.Read(context.Background(), s)
	return s, w.Stats(), err
}

// mustRead returns all that a world without damage hands on.
func mustReadAll(t testing.TB, fsys fs.FS) *taker {
	t.Helper()
	s, _, err := read(t, fsys, anvil.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// mustWrite returns the folder that a Writer makes of what s has taken.
func mustWrite(t testing.TB, s *taker, o anvil.FolderOptions) string {
	t.Helper()
	dir := t.TempDir()
	if err := s.write(dir, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// write writes what s has taken, which must be of one dimension.
func (s *taker) write(dir string, o anvil.FolderOptions) error {
	w, err := anvil.Create(dir, o)
	if err != nil {
		return err
	}
	defer w.Abort()
	for _, d := range s.dims {
		if err := w.Dimension(d); err != nil {
			return err
		}
	}
	for i := range s.columns {
		if err := w.Column(&s.columns[i]); err != nil {
			return err
		}
	}
	return w.Close()
}

// docsOf returns the documents of a region file by slot.
func docsOf(t testing.TB, dir, name string) map[int][]byte {
	t.Helper()
	out := map[int][]byte{}
	for i, s := range anviltest.Slots(t, dir+"/"+name) {
		if s.Raw == nil {
			continue
		}
		doc, err := s.Doc()
		if err != nil {
			t.Fatalf("%s slot %d: %v", name, i, err)
		}
		out[i] = doc
	}
	return out
}

// passThrough reads a world of one chunk and returns the column and the
// document that is written for it.
func passThrough(t testing.TB, doc []byte) (*taker, []byte) {
	t.Helper()
	s := mustReadAll(t, oneChunk(doc))
	if len(s.columns) != 1 {
		t.Fatalf("%d columns", len(s.columns))
	}
	dir := mustWrite(t, s, anvil.FolderOptions{})
	return s, docsOf(t, dir, "region/r.0.0.mca")[0]
}

func wantSame(t testing.TB, got, want []byte) {
	t.Helper()
	if p, ok := nbt.Equal(got, want); !ok {
		_, g, _ := nbt.Parse(got, nbt.Limits{})
		_, w, _ := nbt.Parse(want, nbt.Limits{})
		t.Fatalf("differs at %q: got\n%s\nwant\n%s", p, short(g), short(w))
	}
}

func short(v nbt.Value) string {
	s := fmt.Sprint(v)
	return s[:min(len(s), 300)]
}

func mustMkdir(t testing.TB, dir string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}
