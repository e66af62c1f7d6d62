package stone_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/internal/testing/stonetest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func mustMerge(t testing.TB, run []stonetest.Spec, o stone.Options) (merged []byte) {
	t.Helper()
	var readers []*stone.Reader
	for _, s := range run {
		readers = append(readers, mustOpen(t, mustWrite(t, s, o)))
	}
	var b bytes.Buffer
	if _, _, err := stone.Merge(t.Context(), &b, readers, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestMerge compares a merged run with what a slow twin says of it, at one chunk a
// page, where all is copied that counts, up to all in one.
func TestMerge(t *testing.T) {
	unitAlone(t)
	for seed := range uint64(few(long.Of(4, 12))) {
		m := newMaker(900 + seed)
		var run []stonetest.Spec
		for range 1 + m.IntN(5) {
			s := m.spec()
			m.rename(&s)
			run = append(run, s)
		}
		o := stone.Options{Effort: stone.Quick, PageChunks: []int{1, 3, 64, 512}[seed%4]}
		got := mustReadSpec(t, mustOpen(t, mustMerge(t, run, o)))
		mustEqual(t, got, lay(t, run, got))
	}
}

// TestMergeCopies holds pages of which all counts to their bytes, also where names
// are renumbered and where what counts of others lies between.
func TestMergeCopies(t *testing.T) {
	spot := func(names int, at ...geom.ChunkPos) stonetest.Spec {
		v := stonetest.VolumeSpec{Volume: voxel.Volume{Name: voxel.Block, Scale: 1}, Names: []string{"air", "b", "c", "d"}[:names]}
		l := stonetest.LevelSpec{}
		for i, pos := range at {
			l.Chunks = append(l.Chunks, stone.Placed{Pos: pos, Chunk: spotted(i+names, voxel.Cell(names-1))})
		}
		v.Levels = []stonetest.LevelSpec{l}
		return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{v}}}}
	}
	hole := spot(2, at(1, 0, 0))
	hole.Dimensions[0].Volumes[0].Levels[0].Chunks[0].Chunk = nil
	for _, k := range []struct {
		name   string
		run    []stonetest.Spec
		copied []int // which pages of the run
		pages  int
	}{
		{"beside", []stonetest.Spec{spot(3, at(0, 0, 0), at(1, 0, 0)), spot(3, at(0, 0, 1))}, []int{0, 1}, 2},
		{"covered", []stonetest.Spec{spot(3, at(0, 0, 0)), spot(3, at(0, 0, 0), at(0, 0, 1))}, []int{1}, 1},
		{"in part", []stonetest.Spec{spot(3, at(0, 0, 0), at(1, 0, 0)), spot(3, at(1, 0, 0))}, []int{1}, 2},
		{"between", []stonetest.Spec{spot(3, at(0, 0, 0), at(0, 0, 1)), spot(3, at(1, 0, 0))}, []int{1}, 3},
		{"nothing between", []stonetest.Spec{spot(3, at(0, 0, 0), at(0, 0, 1)), hole}, []int{0}, 1},
		{"more names", []stonetest.Spec{spot(4, at(0, 0, 0)), spot(3, at(0, 0, 1))}, []int{0, 1}, 2},
	} {
		t.Run(k.name, func(t *testing.T) {
			var had [][]byte
			for _, s := range k.run {
				pages, _ := stone.Parts(mustWrite(t, s, stone.Options{}))
				had = append(had, pages...)
			}
			pages, _ := stone.Parts(mustMerge(t, k.run, stone.Options{}))
			if len(pages) != k.pages {
				t.Errorf("%d pages, want %d", len(pages), k.pages)
			}
			for _, n := range k.copied {
				if !slices.ContainsFunc(pages, func(b []byte) bool { return bytes.Equal(b, had[n]) }) {
					t.Errorf("page %d is not there", n)
				}
			}
		})
	}
}

// TestMergeRefuses merges what does not fit.
func TestMergeRefuses(t *testing.T) {
	with := func(v voxel.Volume, names ...string) stonetest.Spec {
		return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Volumes: []stonetest.VolumeSpec{{Volume: v, Names: names}}}}}
	}
	v := voxel.Volume{Name: "v", Scale: 1}
	other := func(change func(*voxel.Volume)) voxel.Volume {
		v := v
		change(&v)
		return v
	}
	terrain := other(func(v *voxel.Volume) { v.Schema = voxel.Terrain })
	for name, run := range map[string][]stonetest.Spec{
		"schema":    {with(v, "air"), with(other(func(v *voxel.Volume) { v.Schema = voxel.Level }))},
		"scale":     {with(v, "air"), with(other(func(v *voxel.Volume) { v.Scale = 4 }), "air")},
		"default":   {with(v, "air", "rock"), with(other(func(v *voxel.Volume) { v.Default = 1 }), "air", "rock")},
		"empty":     {with(v, "air"), with(v, "void")},
		"materials": {with(terrain, "", "rock"), with(terrain, "", "moss", "rock")},
	} {
		var readers []*stone.Reader
		for _, s := range run {
			readers = append(readers, mustOpen(t, mustWrite(t, s, stone.Options{})))
		}
		if _, _, err := stone.Merge(t.Context(), io.Discard, readers, stone.Options{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestMergeDeletes has a column that a stone deletes and the next makes again: what it had does not
// come back, also not from stones below the run.
func TestMergeDeletes(t *testing.T) {
	objects := []voxel.Object{{Place: voxel.Indexed, At: geom.Point{X: 1}, Payload: []byte{0}}}
	with := func(columns ...voxel.Column) stonetest.Spec {
		return stonetest.Spec{Dimensions: []stonetest.DimensionSpec{{Name: "d", Columns: columns}}}
	}
	had := with(voxel.Column{Lists: []voxel.List{{Name: "bees", Objects: objects}, {Name: "eggs", Objects: objects}}})
	deleted := with()
	deleted.Dimensions[0].Gone = []geom.ColumnPos{{}}
	again := with(voxel.Column{Version: 5, Lists: []voxel.List{{Name: "eggs", Objects: objects}}}, voxel.Column{Pos: geom.ColumnPos{X: 1}, Lists: []voxel.List{{Name: "bees", Objects: objects}}})
	eggs := with()
	eggs.Dimensions[0].Lists = []stonetest.ListsSpec{{Lists: []voxel.List{{Name: "eggs"}}}}
	for _, k := range []struct {
		name string
		run  []stonetest.Spec
		bees int // of the column: -1: nothing is said
		eggs int
	}{
		{"made again", []stonetest.Spec{had, deleted, again}, 0, 1},
		{"made again over others", []stonetest.Spec{deleted, again}, 0, 1},
		{"made again, with lists above", []stonetest.Spec{had, deleted, again, eggs}, 0, 0},
		{"not deleted", []stonetest.Spec{had, again}, 1, 1},
		{"deleted after", []stonetest.Spec{had, again, deleted}, -1, -1},
	} {
		t.Run(k.name, func(t *testing.T) {
			r := mustOpen(t, mustMerge(t, k.run, stone.Options{}))
			for list, want := range map[string]int{"bees": k.bees, "eggs": k.eggs} {
				got, covered, err := r.List(t.Context(), "d", list, geom.ColumnPos{})
				if err != nil || covered != (want >= 0) || covered && len(got) != want {
					t.Errorf("%d %s, %v, %v, want %d", len(got), list, covered, err, want)
				}
			}
		})
	}
}

// TestMergeManyLists merges lists of many columns: those of one column are read together, so their
// pages hold few other columns. In the long form together they hold more objects than may meet.
func TestMergeManyLists(t *testing.T) {
	const lists, columns = 64, 256
	n := long.Of(8, 70)
	made := func(step int) (s stonetest.Spec) {
		d := stonetest.DimensionSpec{Name: "d"}
		for i := 0; i < columns; i += step {
			c := voxel.Column{Pos: geom.ColumnPos{X: int32(i & 15), Z: int32(i >> 4)}}
			for l := range lists {
				c.Lists = append(c.Lists, voxel.List{Name: fmt.Sprintf("l%02d", l), Objects: slices.Repeat([]voxel.Object{{Payload: []byte{byte(l), byte(i)}}}, n)})
			}
			d.Columns = append(d.Columns, c)
		}
		sortColumns(d.Columns)
		s.Dimensions = append(s.Dimensions, d)
		return s
	}
	b := mustMerge(t, []stonetest.Spec{made(1), made(3)}, stone.Options{Effort: stone.Quick})
	pages, err := mustOpen(t, b).Pages()
	if err != nil {
		t.Fatal(err)
	}
	if want := columns * lists * n * 10 / (256 << 10) * lists; len(pages) < want {
		t.Errorf("%d pages, want %d", len(pages), want)
	}
	read := 0
	for c, err := range mustOpen(t, b).ReadColumns(t.Context(), "d") {
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.Lists {
			read += len(l.Objects)
		}
	}
	if read != columns*lists*n {
		t.Errorf("%d objects, want %d", read, columns*lists*n)
	}
}

// TestMergeDamaged flips every byte of pages, all of which count.
func TestMergeDamaged(t *testing.T) {
	b := mustWrite(t, tiny(), stone.Options{})
	pages, _ := stone.Parts(b)
	end := stone.HeaderSize
	for _, p := range pages {
		end += len(p)
	}
	for i := stone.HeaderSize; i < end; i++ {
		b[i] ^= 0x10
		var c *stone.CorruptError
		if _, _, err := stone.Merge(t.Context(), io.Discard, []*stone.Reader{mustOpen(t, b)}, stone.Options{}); !errors.As(err, &c) {
			t.Errorf("byte %d: %v", i, err)
		}
		b[i] ^= 0x10
	}
}

// FuzzMerge merges the example, with another page or directory in it, below or
// above one that has other names.
func FuzzMerge(f *testing.F) {
	pages, dir := stone.Parts(mustWrite(f, tiny(), stone.Options{}))
	for _, p := range pages {
		f.Add(p, dir)
	}
	other := tiny()
	v := &other.Dimensions[0].Volumes[0]
	v.Names = []string{v.Names[0], "moss"}
	v.Levels[0].Chunks = v.Levels[0].Chunks[1:]
	beside := mustOpen(f, mustWrite(f, other, stone.Options{}))
	f.Fuzz(func(t *testing.T, page, dir []byte) {
		for i := range pages {
			b := stone.Assemble(slices.Replace(slices.Clone(pages), i, i+1, page), dir)
			r, err := stone.Open(bytes.NewReader(b), int64(len(b)))
			if err != nil {
				continue
			}
			for _, run := range [][]*stone.Reader{{r, beside}, {beside, r}} {
				var merged bytes.Buffer
				if _, _, err := stone.Merge(t.Context(), &merged, run, stone.Options{Effort: stone.Quick}); err == nil {
					mustOpen(t, merged.Bytes())
				}
			}
		}
	})
}

// rename gives palettes names that other stones of the run lack.
func (m *maker) rename(s *stonetest.Spec) {
	for _, d := range s.Dimensions {
		for i, v := range d.Volumes {
			if v.Schema != voxel.Palette || m.one(3) {
				continue
			}
			d.Volumes[i].Names = slices.Clone(v.Names)
			for n, at := 2, 0; n < len(v.Names); n++ {
				at += 1 + m.IntN(2)
				d.Volumes[i].Names[n] = fmt.Sprintf("%s%05d", v.Names[1][:len(v.Names[1])-5], 1+at)
			}
			if m.one(4) { // a default is the same in all of a run
				d.Volumes[i].Names[1-v.Default] = "also"
			}
		}
	}
}

// lay is what a run says by maps, in the names that got has.
func lay(t *testing.T, run []stonetest.Spec, got stonetest.Spec) (out stonetest.Spec) {
	t.Helper()
	out.Properties = run[len(run)-1].Properties
	dims := make(map[string]*twin)
	files := make(map[string]stonetest.FileSpec)
	var order []string
	for _, s := range run {
		for _, d := range s.Dimensions {
			if dims[d.Name] == nil {
				dims[d.Name] = &twin{columns: map[geom.ColumnPos]*voxel.Column{}, lists: map[geom.ColumnPos]map[string][]voxel.Object{}, names: map[string]bool{}, deleted: map[geom.ColumnPos]bool{}, chunks: map[string]map[geom.ChunkPos]*voxel.Chunk{}}
				order = append(order, d.Name)
			}
			i := slices.IndexFunc(got.Dimensions, func(g stonetest.DimensionSpec) bool { return g.Name == d.Name })
			if i < 0 {
				t.Fatalf("dimension %q is not there", d.Name)
			}
			dims[d.Name].lay(t, d, got.Dimensions[i])
		}
		for _, f := range s.Files {
			files[f.Path] = f
		}
	}
	for _, name := range order {
		out.Dimensions = append(out.Dimensions, dims[name].spec(name))
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		out.Files = append(out.Files, files[path])
	}
	return out
}

// twin is a dimension as maps.
type twin struct {
	folder  string
	volumes []stonetest.VolumeSpec
	chunks  map[string]map[geom.ChunkPos]*voxel.Chunk
	columns map[geom.ColumnPos]*voxel.Column // nil: gone
	lists   map[geom.ColumnPos]map[string][]voxel.Object
	names   map[string]bool // of lists
	deleted map[geom.ColumnPos]bool
}

func (w *twin) lay(t *testing.T, d, got stonetest.DimensionSpec) {
	w.folder = d.Folder
	for _, v := range d.Volumes {
		i := slices.IndexFunc(got.Volumes, func(g stonetest.VolumeSpec) bool { return g.Name == v.Name })
		if i < 0 {
			t.Fatalf("volume %q is not there", v.Name)
		}
		if w.chunks[v.Name] == nil {
			w.chunks[v.Name] = map[geom.ChunkPos]*voxel.Chunk{}
			w.volumes = append(w.volumes, stonetest.VolumeSpec{Volume: got.Volumes[i].Volume, Names: got.Volumes[i].Names})
		}
		table := tableOf(v, got.Volumes[i].Names)
		for _, l := range v.Levels {
			for _, c := range l.Chunks {
				if l.Level == 0 {
					w.chunks[v.Name][c.Pos] = c.Chunk
					if table != nil && c.Chunk != nil {
						w.chunks[v.Name][c.Pos] = c.Chunk.Translate(table)
					}
				}
			}
		}
	}
	said := func(pos geom.ColumnPos, lists []voxel.List) {
		if w.lists[pos] == nil {
			w.lists[pos] = map[string][]voxel.Object{}
		}
		for _, l := range lists {
			w.lists[pos][l.Name], w.names[l.Name] = l.Objects, true
		}
	}
	for _, c := range d.Columns {
		said(c.Pos, c.Lists)
		c.Lists = nil
		w.columns[c.Pos] = &c
	}
	for _, l := range d.Lists {
		said(l.Pos, l.Lists)
	}
	for _, pos := range d.Gone {
		w.columns[pos], w.lists[pos], w.deleted[pos] = nil, nil, true
	}
}

// tableOf returns what the cells of a palette are in other names, all of which are
// there but those that nothing has any more.
func tableOf(v stonetest.VolumeSpec, names []string) (table []voxel.Cell) {
	if v.Schema != voxel.Palette {
		return nil
	}
	for _, name := range v.Names {
		table = append(table, voxel.Cell(max(0, slices.Index(names, name))))
	}
	return table
}

func (w *twin) spec(name string) stonetest.DimensionSpec {
	d := stonetest.DimensionSpec{Name: name, Folder: w.folder}
	for _, v := range w.volumes {
		l := stonetest.LevelSpec{}
		for _, pos := range slices.SortedFunc(maps.Keys(w.chunks[v.Name]), func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) }) {
			l.Chunks = append(l.Chunks, stone.Placed{Pos: pos, Chunk: w.chunks[v.Name][pos]})
		}
		if len(l.Chunks) > 0 {
			v.Levels = []stonetest.LevelSpec{l}
		}
		d.Volumes = append(d.Volumes, v)
	}
	all := maps.Clone(w.columns)
	for pos := range w.lists {
		if _, ok := all[pos]; !ok {
			all[pos] = &voxel.Column{Pos: pos, Version: -1}
		}
	}
	for _, pos := range slices.SortedFunc(maps.Keys(all), geom.ColumnPos.Compare) {
		c, there := w.columns[pos]
		if there && c == nil {
			d.Gone = append(d.Gone, pos)
			continue
		}
		var lists []voxel.List
		for _, name := range slices.Sorted(maps.Keys(w.names)) {
			if objects, ok := w.lists[pos][name]; ok || w.deleted[pos] {
				lists = append(lists, voxel.List{Name: name, Objects: objects})
			}
		}
		if !there && len(lists) > 0 {
			d.Lists = append(d.Lists, stonetest.ListsSpec{Pos: pos, Lists: lists})
		} else if there {
			c := *c
			c.Lists = lists
			d.Columns = append(d.Columns, c)
		}
	}
	return d
}
