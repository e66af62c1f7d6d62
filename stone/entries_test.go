package stone_test

import (
	"bytes"
	"errors"
	"io/fs"
	"iter"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestEntries compares what a stone says that it covers, and what it gives
// thing by thing, with what was written.
func TestEntries(t *testing.T) {
	for seed := range uint64(few(long.By(4, 12, 12))) {
		s := newMaker(300 + seed).spec()
		r := mustOpen(t, mustWrite(t, s, stone.Options{PageChunks: 8, Effort: stone.Quick}))
		for _, d := range s.Dimensions {
			for _, v := range d.Volumes {
				for _, l := range v.Levels {
					checkEntries(t, r.Entries(d.Name, v.Name, l.Level), v.Volume, l)
				}
			}
			checkSpokenColumns(t, r, d)
			for _, list := range []string{"a", "bees", "c", "no"} {
				checkSpokenLists(t, r, d, list)
			}
		}
		checkSpokenFiles(t, r, s.Files)
	}
}

func checkEntries(t *testing.T, covered iter.Seq2[geom.ChunkPos, bool], v voxel.Volume, l stonetest.LevelSpec) {
	t.Helper()
	i := 0
	for pos, holds := range covered {
		if i == len(l.Chunks) || pos != l.Chunks[i].Pos {
			t.Fatalf("volume %q: %v is covered as number %d", v.Name, pos, i)
		}
		c := l.Chunks[i].Chunk
		if c == nil {
			c = voxel.Uniform(v.Default)
		}
		if cell, ok := c.Uniform(); !holds && (!ok || cell != v.Default) {
			t.Errorf("volume %q: chunk %v is said to hold nothing", v.Name, pos)
		}
		i++
	}
	if i != len(l.Chunks) {
		t.Errorf("volume %q: %d chunks covered, want %d", v.Name, i, len(l.Chunks))
	}
}

func checkSpokenColumns(t *testing.T, r *stone.Reader, d stonetest.DimensionSpec) {
	t.Helper()
	want := map[geom.ColumnPos]*voxel.Column{}
	for i, c := range d.Columns {
		d.Columns[i].Lists, want[c.Pos] = nil, &d.Columns[i]
		defer func() { d.Columns[i].Lists = c.Lists }()
	}
	for _, pos := range d.Gone {
		want[pos] = nil
	}
	var got []geom.ColumnPos
	for pos, there := range r.ColumnEntries(d.Name) {
		got = append(got, pos)
		if there != (want[pos] != nil) {
			t.Errorf("column %v is there: %v", pos, there)
		}
		c, err := stone.Columns(t.Context(), []*stone.Reader{r}, d.Name, nil).Column(pos)
		if err != nil || !reflect.DeepEqual(c, want[pos]) {
			t.Errorf("column %v: got %+v, %v, want %+v", pos, c, err, want[pos])
		}
		if _, err := r.ReadColumn(t.Context(), d.Name, pos); errors.Is(err, fs.ErrNotExist) != (want[pos] == nil) {
			t.Errorf("column %v with its lists: %v", pos, err)
		}
	}
	if !slices.Equal(got, slices.SortedFunc(maps.Keys(want), geom.ColumnPos.Compare)) {
		t.Errorf("columns covered are %v", got)
	}
	for _, l := range d.Lists {
		if c, err := stone.Columns(t.Context(), []*stone.Reader{r}, d.Name, nil).Column(l.Pos); c != nil || err != nil {
			t.Errorf("column %v: got %v, %v", l.Pos, c, err)
		}
	}
}

func checkSpokenLists(t *testing.T, r *stone.Reader, d stonetest.DimensionSpec, name string) {
	t.Helper()
	want := map[geom.ColumnPos][]voxel.Object{}
	put := func(pos geom.ColumnPos, lists []voxel.List) {
		for _, l := range lists {
			if l.Name == name {
				want[pos] = l.Objects
			}
		}
	}
	for _, c := range d.Columns {
		put(c.Pos, c.Lists)
	}
	for _, l := range d.Lists {
		put(l.Pos, l.Lists)
	}
	got := slices.Collect(r.ListEntries(d.Name, name))
	if !slices.Equal(got, slices.SortedFunc(maps.Keys(want), geom.ColumnPos.Compare)) {
		t.Errorf("lists %q covered are %v", name, got)
	}
	for _, pos := range slices.Concat(got, d.Gone, []geom.ColumnPos{{X: 99}, {X: 1 << 30}}) {
		_, said := want[pos]
		objects, covered, err := r.List(t.Context(), d.Name, name, pos)
		if err != nil || covered != said || !reflect.DeepEqual(objects, want[pos]) {
			t.Errorf("list %q of %v: got %v, %v, %v", name, pos, objects, covered, err)
		}
	}
}

func checkSpokenFiles(t *testing.T, r *stone.Reader, want []stonetest.FileSpec) {
	t.Helper()
	i := 0
	there := []stone.File{}
	for path, is := range r.FileEntries() {
		if f := want[i]; path != f.Path || is == f.Gone {
			t.Errorf("file %q is there: %v, want %q: %v", path, is, f.Path, !f.Gone)
		}
		if is {
			there = append(there, stone.File{Path: path, Size: int64(len(want[i].Data))})
		} else if _, err := r.OpenFile(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("file %q, which is gone: %v", path, err)
		}
		i++
	}
	if i != len(want) || !slices.Equal(r.Files(), there) {
		t.Errorf("%d files covered, want %d; there are %v, want %v", i, len(want), r.Files(), there)
	}
}

// TestEntriesAllocateNothing holds the walks over a directory to no allocation
// for each thing.
func TestEntriesAllocateNothing(t *testing.T) {
	unitAlone(t)
	s := newMaker(7).spec()
	r := mustOpen(t, mustWrite(t, s, stone.Options{Effort: stone.Quick}))
	n := 0
	allocs := testing.AllocsPerRun(10, func() {
		n = 0
		for _, d := range s.Dimensions {
			for range r.Entries(d.Name, voxel.Block, 0) {
				n++
			}
			for range r.ColumnEntries(d.Name) {
				n++
			}
			for range r.ListEntries(d.Name, "a") {
				n++
			}
		}
	})
	if n < 100 || allocs > float64(8*len(s.Dimensions)) {
		t.Errorf("%v allocations for %d things", allocs, n)
	}
}

// TestColumnPagesAreReadOnce counts the reads of going through columns and
// their lists.
func TestColumnPagesAreReadOnce(t *testing.T) {
	d := stonetest.DimensionSpec{Name: "d"}
	for code := range 400 {
		d.Columns = append(d.Columns, voxel.Column{
			Pos:   geom.ColumnPos{X: int32(code % 20), Z: int32(code / 20)},
			Lists: []voxel.List{{Name: "a", Objects: []voxel.Object{{Payload: make([]byte, 1000)}}}},
		})
	}
	sortColumns(d.Columns)
	d.Gone = []geom.ColumnPos{d.Columns[7].Pos, d.Columns[300].Pos}
	d.Columns = slices.Delete(slices.Delete(d.Columns, 300, 301), 7, 8)
	b := mustWrite(t, stonetest.Spec{Dimensions: []stonetest.DimensionSpec{d}, Files: []stonetest.FileSpec{{Path: "f", Data: newMaker(1).bytes(1 << 20)}}}, stone.Options{})
	src := &source{Reader: *bytes.NewReader(b)}
	r, err := stone.Open(src, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := r.Pages()
	if err != nil {
		t.Fatal(err)
	}
	src.calls = 0
	for pos := range r.ColumnEntries("d") {
		_, err := stone.Columns(t.Context(), []*stone.Reader{r}, "d", nil).Column(pos)
		_, _, listErr := r.List(t.Context(), "d", "a", pos)
		if err := errors.Join(err, listErr); err != nil {
			t.Fatal(err)
		}
	}
	want := 0
	for _, p := range pages {
		if p.Holds != "file" {
			want += p.Uses
		}
	}
	if want < 4 || src.calls != want {
		t.Errorf("%d reads, want %d", src.calls, want)
	}
}

// TestNothingThere says which chunks are known from the directory to hold no
// cells, and that no page is written for them.
func TestNothingThere(t *testing.T) {
	for _, tt := range []struct {
		name  string
		chunk *voxel.Chunk
		holds bool
		pages int
	}{
		{"no cells", nil, false, 0},
		{"the default", voxel.Uniform(15), false, 0},
		{"another cell", voxel.Uniform(3), true, 0},
		{"cells", spotted(1, 1), true, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := stonetest.LevelSpec{Chunks: []stone.Placed{{Pos: at(0, 0, 0), Chunk: tt.chunk}, {Pos: at(0, 0, 9), Chunk: tt.chunk}}}
			s := stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{{Volume: sky, Levels: []stonetest.LevelSpec{l}}}}}}
			r := mustOpen(t, mustWrite(t, s, stone.Options{}))
			mustEqual(t, mustReadSpec(t, r), s)
			for pos, holds := range r.Entries("d", voxel.Sky, 0) {
				if holds != tt.holds {
					t.Errorf("chunk %v holds cells: %v, want %v", pos, holds, tt.holds)
				}
			}
			if pages, err := r.Pages(); err != nil || len(pages) != tt.pages {
				t.Errorf("%d pages, want %d (%v)", len(pages), tt.pages, err)
			}
		})
	}
}
