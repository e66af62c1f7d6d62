package stone_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestSingleReads reads chunks and columns one by one and compares them with
// what the iterators yield, from several goroutines at once.
func TestSingleReads(t *testing.T) {
	for seed := range uint64(4) {
		s := newMaker(100 + seed).spec()
		r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 8, Effort: stone.Quick}))
		var wait sync.WaitGroup
		for range 3 {
			wait.Go(func() {
				for _, d := range s.Dimensions {
					checkChunks(t, r, d)
					checkColumns(t, r, d)
				}
			})
		}
		wait.Wait()
	}
}

func checkChunks(t *testing.T, r *stone.Reader, d stonetest.DimensionSpec) {
	for _, v := range d.Volumes {
		for _, l := range v.Levels {
			for i, want := range l.Chunks {
				if i%7 > 0 {
					continue
				}
				got, covered, err := r.ReadChunk(t.Context(), d.Name, v.Name, l.Level, want.Pos)
				if err != nil || !covered || !reflect.DeepEqual(got, want.Chunk) {
					t.Errorf("%s %s level %d: chunk %v: covered %v, %v", d.Name, v.Name, l.Level, want.Pos, covered, err)
				}
			}
		}
	}
}

func checkColumns(t *testing.T, r *stone.Reader, d stonetest.DimensionSpec) {
	for i, want := range d.Columns {
		if i%7 > 0 {
			continue
		}
		if got, err := r.ReadColumn(t.Context(), d.Name, want.Pos); err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: column %v: %v", d.Name, want.Pos, err)
		}
	}
}

func TestReadsOfNothing(t *testing.T) {
	r := mustOpen(t, mustWrite(t, tiny(), stone.Options{}))
	for _, tt := range []struct {
		dim, vol string
		level    int
		pos      geom.ChunkPos
	}{
		{"no", voxel.Block, 0, at(0, 0, 0)}, {"earth", "no", 0, at(0, 0, 0)}, {"earth", voxel.Block, 1, at(0, 0, 0)},
		{"earth", voxel.Block, -1, at(0, 0, 0)}, {"earth", voxel.Block, 99, at(0, 0, 0)},
		{"earth", voxel.Block, 0, at(2, 0, 0)}, {"earth", voxel.Block, 0, at(-1<<31, 1<<31-1, 0)},
	} {
		if c, covered, err := r.ReadChunk(t.Context(), tt.dim, tt.vol, tt.level, tt.pos); c != nil || covered || err != nil {
			t.Errorf("%+v: got %v, %v, %v", tt, c, covered, err)
		}
	}
	// 1<<24 columns further on is where the bits of a key begin again
	for _, pos := range []geom.ColumnPos{{X: 1}, {X: 1 << 24}, {X: 1 << 30, Z: 1 << 30}, {X: -1 << 31}} {
		if _, err := r.ReadColumn(t.Context(), "earth", pos); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("column %v: %v", pos, err)
		}
	}
	if _, err := r.ReadColumn(t.Context(), "no", geom.ColumnPos{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("column of no dimension: %v", err)
	}
	if _, err := r.OpenFile("no"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for range r.ReadColumns(t.Context(), "no") {
		t.Error("a column of no dimension")
	}
}

// TestStopEarly leaves every iterator after its first value.
func TestStopEarly(t *testing.T) {
	long.Alone(t)
	s := newMaker(5).spec()
	r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 1, Effort: stone.Quick}))
	n := 0
	for _, d := range s.Dimensions {
		for range r.ReadColumns(t.Context(), d.Name) {
			n++
			break
		}
		for _, v := range d.Volumes {
			for range r.Chunks(t.Context(), d.Name, v.Name, 0) {
				n++
				break
			}
		}
	}
	if n == 0 {
		t.Error("nothing read")
	}
}

// source is a ReaderAt that counts its calls and fails from offset fail on.
type source struct {
	bytes.Reader
	calls int
	fail  int64 // 0: never
	eof   bool  // says io.EOF with the last byte
}

var errBroken = errors.New("the disk is broken")

func (s *source) ReadAt(b []byte, off int64) (int, error) {
	s.calls++
	if end := off + int64(len(b)); s.fail > 0 && end > s.fail {
		return 0, errBroken
	}
	n, err := s.Reader.ReadAt(b, off)
	if err == nil && s.eof && off+int64(n) == s.Size() {
		err = io.EOF
	}
	return n, err
}

func TestSmallStoneIsReadOnce(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	src := &source{Reader: *bytes.NewReader(b), eof: true}
	r, err := stone.Open(src, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, mustReadSpec(t, r), tiny())
	if src.calls != 1 {
		t.Errorf("read %d times, want once", src.calls)
	}
}

// big is a spec of more bytes than Open reads at once.
func big() stonetest.Spec {
	s := tiny()
	m := newMaker(9)
	noise := make([]byte, 100<<10)
	for i := range noise {
		noise[i] = byte(m.Uint32())
	}
	s.Files = append(s.Files, stonetest.FileSpec{Path: "noise", Data: noise})
	return s
}

func TestReadFailures(t *testing.T) {
	s := big()
	b := mustWrite(t, s, stone.Options{})
	src := &source{Reader: *bytes.NewReader(b), eof: true}
	r, err := stone.Open(src, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	mustEqual(t, mustReadSpec(t, r), s)
	r = r.Through(stone.NewCache(0), stone.ID{}) // nothing is kept
	src.fail = int64(stone.HeaderSize) + 1
	if err := r.Check(context.Background()); !errors.Is(err, errBroken) {
		t.Errorf("check: %v", err)
	}
	if _, _, err := r.ReadChunk(t.Context(), "earth", voxel.Block, 0, at(0, 0, 0)); !errors.Is(err, errBroken) {
		t.Errorf("chunk: %v", err)
	}
	if _, err := r.ReadColumn(t.Context(), "earth", geom.ColumnPos{}); !errors.Is(err, errBroken) {
		t.Errorf("column: %v", err)
	}
	if _, err := readSpec(r); !errors.Is(err, errBroken) {
		t.Errorf("spec: %v", err)
	}
	if _, err := r.Pages(); !errors.Is(err, errBroken) {
		t.Errorf("pages: %v", err)
	}
	if _, err := stone.Open(src, int64(len(b))); !errors.Is(err, errBroken) {
		t.Errorf("open: %v", err)
	}
	if _, err := stone.Open(bytes.NewReader(b), int64(len(b))+1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("open beyond the end: %v", err)
	}
}

func TestCheckStops(t *testing.T) {
	r := mustOpen(t, mustWrite(t, tiny(), stone.Options{}))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDescription(t *testing.T) {
	s := tiny()
	r := mustOpen(t, mustWrite(t, s, stone.Options{}))
	dims := r.Dimensions()
	want := []stone.DimensionInfo{{
		Name: "earth", Folder: "region",
		Volumes: []stone.VolumeInfo{
			{Volume: blocks, Names: s.Dimensions[0].Volumes[0].Names, Levels: []int{0}},
			{Volume: sky, Levels: []int{0}},
		},
		Lists: []string{voxel.Entities},
	}}
	if !reflect.DeepEqual(dims, want) {
		t.Errorf("got %+v, want %+v", dims, want)
	}
	v := dims[0].Volumes[0]
	if got := []string{v.Name(0), v.Name(1), v.Name(7)}; strings.Join(got, ",") != "air,rock," {
		t.Errorf("names %q", got)
	}
}
