package stone_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

var (
	blocks  = voxel.Volume{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}
	sky     = voxel.Volume{Name: voxel.Sky, Schema: voxel.Level, Scale: 1, Default: 15}
	naming  = []string{"air", "dirt", "rock"}
	nowhere = func(_, _ int32) light.Tower { return nil }
)

// spotted returns a chunk with one cell that is not empty.
func spotted(i int, c voxel.Cell) *voxel.Chunk {
	var cells [voxel.ChunkCells]voxel.Cell
	cells[i] = c
	return voxel.FromFlat(&cells)
}

func at(x, y, z int32) geom.ChunkPos { return geom.ChunkPos{X: x, Y: y, Z: z} }

func column(x, z int32) *voxel.Column { return &voxel.Column{Pos: geom.ColumnPos{X: x, Z: z}} }

func listed(lists ...voxel.List) *voxel.Column { return &voxel.Column{Lists: lists} }

func TestWriterMisuse(t *testing.T) {
	dim := func(w *stone.Writer) { w.Dimension("d", "") }
	vol := func(w *stone.Writer) { dim(w); w.Volume(blocks, naming) }
	rule := light.Rule{Map: "h", Cells: []voxel.Cell{1, 2}}
	for _, tt := range []struct {
		name string
		o    stone.Options
		do   func(w *stone.Writer)
		want string
	}{
		{"property twice", stone.Options{}, func(w *stone.Writer) { w.Property("a", ""); w.Property("a", "") }, `property 1, "a"`},
		{"property without a name", stone.Options{}, func(w *stone.Writer) { w.Property("", "") }, `property: "" is no name`},
		{"dimension with NUL", stone.Options{}, func(w *stone.Writer) { w.Dimension("a\x00", "") }, `dimension: "a\x00" is no name`},
		{"volume of 1,025 bytes", stone.Options{}, func(w *stone.Writer) { dim(w); w.Volume(voxel.Volume{Name: strings.Repeat("v", 1025), Scale: 1}, nil) }, "is no name"},
		{"list that is not UTF-8", stone.Options{}, func(w *stone.Writer) { dim(w); w.Column(listed(voxel.List{Name: "\xff"})) }, "is no name"},
		{"property late", stone.Options{}, func(w *stone.Writer) { dim(w); w.Property("a", "") }, "Property out of order"},
		{"dimension twice", stone.Options{}, func(w *stone.Writer) { dim(w); dim(w) }, `dimension "d" a second time`},
		{"dimension late", stone.Options{}, func(w *stone.Writer) { w.File("f", 0, strings.NewReader("")); dim(w) }, "Dimension out of order"},
		{"volume early", stone.Options{}, func(w *stone.Writer) { w.Volume(blocks, naming) }, "Volume out of order"},
		{"volume late", stone.Options{}, func(w *stone.Writer) { dim(w); w.Column(column(0, 0)); w.Volume(sky, nil) }, "Volume out of order"},
		{"volume twice", stone.Options{}, func(w *stone.Writer) { vol(w); w.Volume(blocks, nil) }, `volume "block" a second time`},
		{"names out of order", stone.Options{}, func(w *stone.Writer) { dim(w); w.Volume(blocks, []string{"a", "c", "b"}) }, "ascending"},
		{"name twice", stone.Options{}, func(w *stone.Writer) { dim(w); w.Volume(blocks, []string{"a", "c", "c"}) }, "ascending"},
		{"names of levels", stone.Options{}, func(w *stone.Writer) { dim(w); w.Volume(sky, naming) }, "3 names, at most 0"},
		{"default without a name", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Volume(voxel.Volume{Name: "v", Scale: 1, Default: 3}, naming)
		}, "default 3"},
		{"no scale", stone.Options{}, func(w *stone.Writer) { dim(w); w.Volume(voxel.Volume{Name: "v"}, nil) }, "scale 0"},
		{"no schema", stone.Options{}, func(w *stone.Writer) { dim(w); w.Volume(voxel.Volume{Name: "v", Scale: 1, Schema: 9}, nil) }, "schema 9"},
		{"chunk early", stone.Options{}, func(w *stone.Writer) { dim(w); w.Chunk(0, at(0, 0, 0), nil) }, "outside a volume"},
		{"chunk late", stone.Options{}, func(w *stone.Writer) { vol(w); w.Column(column(0, 0)); w.Chunk(0, at(0, 0, 0), nil) }, "Chunk out of order"},
		{"chunk twice", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(0, at(0, 0, 0), nil); w.Chunk(0, at(0, 0, 0), nil) }, "not after"},
		{"chunk before", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(0, at(1, 0, 0), nil); w.Chunk(0, at(0, 0, 0), nil) }, "not after"},
		{"chunk too far", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(0, at(geom.MaxChunk, 0, 0), nil) }, "out of range"},
		{"level before", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(3, at(0, 0, 0), nil); w.Chunk(2, at(0, 0, 0), nil) }, "level 2 after 3"},
		{"level too high", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(geom.MaxDepth-1, at(0, 0, 0), nil) }, "out of range"},
		{"level below 0", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(-1, at(0, 0, 0), nil) }, "out of range"},
		{"cell without a name", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(0, at(0, 0, 0), voxel.Uniform(3)) }, "cell 3"},
		{"cells without a name", stone.Options{}, func(w *stone.Writer) { vol(w); w.Chunk(0, at(0, 0, 0), spotted(5, 3)) }, "cell 3"},
		{"heights early", stone.Options{}, func(w *stone.Writer) { w.Heights([]light.Rule{rule}, nowhere) }, "Heights out of order"},
		{"heights late", stone.Options{}, func(w *stone.Writer) { vol(w); w.Column(column(0, 0)); w.Heights([]light.Rule{rule}, nowhere) }, "Heights out of order"},
		{"heights twice", stone.Options{}, func(w *stone.Writer) { vol(w); w.Heights(nil, nowhere); w.Heights(nil, nowhere) }, "Heights out of order"},
		{"one rule twice", stone.Options{}, func(w *stone.Writer) { vol(w); w.Heights([]light.Rule{rule, rule}, nowhere) }, "a second one"},
		{"too many rules", stone.Options{}, func(w *stone.Writer) { vol(w); w.Heights(make([]light.Rule, 17), nowhere) }, "17 rules"},
		{"the empty cell counts", stone.Options{}, func(w *stone.Writer) { vol(w); w.Heights([]light.Rule{{Cells: []voxel.Cell{0}}}, nowhere) }, "cell 0"},
		{"column early", stone.Options{}, func(w *stone.Writer) { w.Column(column(0, 0)) }, "Column out of order"},
		{"column twice", stone.Options{}, func(w *stone.Writer) { dim(w); w.Column(column(0, 0)); w.Column(column(0, 0)) }, "not after"},
		{"column too far", stone.Options{}, func(w *stone.Writer) { dim(w); w.Column(column(2*geom.MaxChunk, 0)) }, "out of range"},
		{"too many maps", stone.Options{}, func(w *stone.Writer) { dim(w); w.Column(&voxel.Column{Maps: make([]voxel.Map, 33)}) }, "33 maps"},
		{"gone column twice", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.NoColumn(geom.ColumnPos{})
			w.Column(column(0, 0))
		}, "not after"},
		{"gone column early", stone.Options{}, func(w *stone.Writer) { w.NoColumn(geom.ColumnPos{}) }, "NoColumn out of order"},
		{"gone column too far", stone.Options{}, func(w *stone.Writer) { dim(w); w.NoColumn(geom.ColumnPos{Z: 2 * geom.MaxChunk}) }, "out of range"},
		{"lists of a column that is there", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Column(column(0, 0))
			w.Lists(geom.ColumnPos{}, []voxel.List{{Name: "a"}})
		}, "not after"},
		{"no lists", stone.Options{}, func(w *stone.Writer) { dim(w); w.Lists(geom.ColumnPos{}, nil) }, "no lists"},
		{"lists late", stone.Options{}, func(w *stone.Writer) { dim(w); w.NoFile("f"); w.Lists(geom.ColumnPos{}, []voxel.List{{}}) }, "Lists out of order"},
		{"one of the lists twice", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Lists(geom.ColumnPos{}, []voxel.List{{Name: "a"}, {Name: "a"}})
		}, `list "a" a second time`},
		{"list twice", stone.Options{}, func(w *stone.Writer) { dim(w); w.Column(listed(voxel.List{Name: "a"}, voxel.List{Name: "a"})) }, `list "a" a second time`},
		{"no place", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Column(listed(voxel.List{Name: "a", Objects: []voxel.Object{{Place: 3}}}))
		}, "by place 3"},
		{"nowhere at a place", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Column(listed(voxel.List{Name: "a", Objects: []voxel.Object{{At: geom.Point{X: 1}}}}))
		}, "by place 0"},
		{"too many objects", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Column(listed(voxel.List{Name: "a", Objects: make([]voxel.Object, 1<<19+1)}))
		}, "524289 objects"},
		{"a column beyond a page", stone.Options{}, func(w *stone.Writer) {
			dim(w)
			w.Column(&voxel.Column{Parts: []voxel.Part{{Data: make([]byte, stone.MaxPage)}}})
		}, "67108872 bytes, at most 67108864"},
		{"file twice", stone.Options{}, func(w *stone.Writer) {
			w.File("f", 0, strings.NewReader(""))
			w.File("f", 0, strings.NewReader(""))
		}, `file 1, "f"`},
		{"gone file twice", stone.Options{}, func(w *stone.Writer) { w.NoFile("f"); w.File("f", 0, strings.NewReader("")) }, `file 1, "f"`},
		{"file too short", stone.Options{}, func(w *stone.Writer) { w.File("f", 4, strings.NewReader("abc")) }, "unexpected EOF"},
		{"file too long", stone.Options{}, func(w *stone.Writer) { w.File("f", 2, strings.NewReader("abc")) }, "more than 2 bytes"},
		{"file below 0", stone.Options{}, func(w *stone.Writer) { w.File("f", -1, strings.NewReader("")) }, "-1 bytes"},
		{"closed", stone.Options{}, func(w *stone.Writer) { w.Close() }, "Close out of order"},
		{"pages too small", stone.Options{PageChunks: -1}, func(w *stone.Writer) {}, "options"},
		{"pages too large", stone.Options{PageChunks: stone.MaxRuns + 1}, func(w *stone.Writer) {}, "options"},
		{"no effort", stone.Options{Effort: 3}, func(w *stone.Writer) {}, "options"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := stone.NewWriter(io.Discard, tt.o)
			tt.do(w)
			id, _, err := w.Close()
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "stone: write: ") {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if id != (stone.ID{}) {
				t.Errorf("a stone that failed is named %v", id)
			}
			if again := w.Dimension("other", ""); again == nil {
				t.Error("the error does not stick")
			}
		})
	}
}

// narrow is a writer with room for so many bytes.
type narrow struct {
	room  int
	short bool // says nothing when it is full
}

var errFull = errors.New("no space left")

func (n *narrow) Write(b []byte) (int, error) {
	if len(b) <= n.room {
		n.room -= len(b)
		return len(b), nil
	}
	if n.short {
		return n.room, nil
	}
	return n.room, errFull
}

func TestWriterFullDisk(t *testing.T) {
	s := newMaker(3).spec()
	size := len(mustWrite(t, s, stone.Options{}))
	for room := 0; room < size; room += 1 + size/(1+few(long.By(3, 8, 8))) {
		if _, err := s.Write(&narrow{room: room}, stone.Options{}); !errors.Is(err, errFull) {
			t.Fatalf("room for %d of %d bytes: %v", room, size, err)
		}
		if _, err := s.Write(&narrow{room: room, short: true}, stone.Options{}); !errors.Is(err, io.ErrShortWrite) {
			t.Fatalf("room for %d of %d bytes, silently: %v", room, size, err)
		}
	}
}

func TestFileSizes(t *testing.T) {
	var s stonetest.Spec
	data := bytes.Repeat([]byte("0123456789abcde"), 3*stone.FilePage/15+1)
	sizes := []int{0, 1, stone.FilePage - 1, stone.FilePage, stone.FilePage + 1, 2 * stone.FilePage, 2*stone.FilePage + 7}
	for i, n := range sizes {
		s.Files = append(s.Files, stonetest.FileSpec{Path: string(rune('a' + i)), Data: data[:n:n]})
	}
	b := mustWrite(t, s, stone.Options{Effort: stone.Quick})
	r := mustOpen(t, b)
	mustEqual(t, mustReadSpec(t, r), s)
	for i, f := range r.Files() {
		if f.Size != int64(sizes[i]) {
			t.Errorf("file %q has %d bytes, want %d", f.Path, f.Size, sizes[i])
		}
	}
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	const distinct = 6 // 1, -1, whole, second whole, +7; +1's tail is another byte
	if len(pages) != distinct {
		t.Errorf("%d pages, want %d: equal ones are stored once", len(pages), distinct)
	}
}

// TestPlain: files are stored as they are, also if they would compress, or are equal.
func TestPlain(t *testing.T) {
	data := make([]byte, stone.FilePage+7)
	s := stonetest.Spec{Files: []stonetest.FileSpec{{Path: "a", Data: data}, {Path: "b", Data: data}, {Path: "c", Data: []byte{}}}}
	b := mustWrite(t, s, stone.Options{Effort: stone.Quick, Plain: true})
	r := mustOpen(t, b)
	mustEqual(t, mustReadSpec(t, r), s)
	if err := r.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if pages, err := r.Pages(); err != nil || len(pages) != 4 || len(b) < 2*len(data) {
		t.Errorf("%d pages in %d bytes, %v: want 4 with all bytes", len(pages), len(b), err)
	}
}

// TestEqualPages writes pages of the same bytes whose masks and places differ.
func TestEqualPages(t *testing.T) {
	a, b := spotted(7, 1), spotted(9, 2)
	for _, tt := range []struct {
		name  string
		at    [][]geom.ChunkPos // of a, b, a, b ... by cube
		pages int
	}{
		{"copies", [][]geom.ChunkPos{{at(0, 0, 0), at(1, 0, 0)}, {at(8, 0, 0), at(9, 0, 0)}, {at(0, 0, 8), at(1, 0, 8)}}, 1},
		{"other masks", [][]geom.ChunkPos{{at(0, 0, 0), at(1, 0, 0)}, {at(8, 0, 0), at(8, 0, 1)}, {at(0, 0, 8), at(0, 1, 8)}}, 3},
		{"masks of one count", [][]geom.ChunkPos{{at(0, 0, 0), at(3, 0, 0)}, {at(4, 0, 0), at(6, 0, 0)}}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := map[geom.ChunkPos]*voxel.Chunk{}
			l := stonetest.LevelSpec{}
			for _, cube := range tt.at {
				for i, pos := range cube {
					want[pos] = []*voxel.Chunk{a, b}[i]
					l.Chunks = append(l.Chunks, stone.Placed{Pos: pos, Chunk: want[pos]})
				}
			}
			slices.SortFunc(l.Chunks, func(a, b stone.Placed) int { return geom.CodeOf(a.Pos, 0).Compare(geom.CodeOf(b.Pos, 0)) })
			v := stonetest.VolumeSpec{Volume: blocks, Names: naming, Levels: []stonetest.LevelSpec{l}}
			s := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{v}}}}
			r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 2}))
			mustEqual(t, mustReadSpec(t, r), s)
			for pos, c := range want {
				if got, _, err := r.ReadChunk(t.Context(), "d", voxel.Block, 0, pos); err != nil || !got.Equal(c) {
					t.Errorf("chunk %v: %v", pos, err)
				}
			}
			pages, err := r.Pages()
			if err != nil || len(pages) != tt.pages {
				t.Errorf("%d pages, want %d (%v)", len(pages), tt.pages, err)
			}
		})
	}
}

// TestManyWithoutCells writes what an erased land is: chunks covered, without
// cells, more than a page holds.
func TestManyWithoutCells(t *testing.T) {
	l := stonetest.LevelSpec{}
	for i := range 2*stone.MaxCells + 5 {
		l.Chunks = append(l.Chunks, stone.Placed{Pos: geom.Code(1<<63 | uint64(i)).Pos()})
	}
	l.Chunks[77].Chunk, l.Chunks[5000].Chunk = spotted(1, 1), voxel.Uniform(2)
	v := stonetest.VolumeSpec{Volume: blocks, Names: naming, Levels: []stonetest.LevelSpec{l}}
	s := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{v}}}}
	r := mustOpen(t, mustWrite(t, s, stone.Options{}))
	if err := r.Check(context.Background()); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, mustReadSpec(t, r), s)
}
