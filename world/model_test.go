package world_test

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

type cellAt struct {
	dim, volume string
	p           geom.Point
}

type columnAt struct {
	dim string
	pos geom.ColumnPos
}

type columnIs struct {
	version int32
	stale   voxel.Has
}

type listAt struct {
	columnAt
	list string
}

// content is a world as maps: a cell that is missing is the volume's default.
type content struct {
	volumes map[[2]string]bool // dimension and name
	cells   map[cellAt]string
	columns map[columnAt]columnIs
	lists   map[listAt][]string
	files   map[string]string
	facts   map[string]string
}

func newContent() *content {
	return &content{map[[2]string]bool{}, map[cellAt]string{}, map[columnAt]columnIs{}, map[listAt][]string{}, map[string]string{}, map[string]string{}}
}

func (c *content) clone() *content {
	return &content{maps.Clone(c.volumes), maps.Clone(c.cells), maps.Clone(c.columns), maps.Clone(c.lists), maps.Clone(c.files), maps.Clone(c.facts)}
}

// cellText is what a cell of a volume means.
func cellText(v *world.Volume, c voxel.Cell) string {
	if v.Schema == voxel.Palette {
		return v.CellName(c)
	}
	return fmt.Sprint(c)
}

// read returns what is in a world that is in memory.
func read(t testing.TB, w *world.World) *content {
	t.Helper()
	out := newContent()
	view := w.View()
	for _, d := range view.Dimensions() {
		for _, v := range d.Volumes() {
			out.volumes[[2]string{d.Name(), v.Name}] = true
			out.readCells(t, d, v)
		}
		for pos, c := range d.Columns(world.Everywhere) {
			if c == nil {
				t.Fatalf("column %v of %q is not loaded", pos, d.Name())
				return nil
			}
			at := columnAt{d.Name(), pos}
			out.columns[at] = columnIs{c.Version, c.Stale}
			for _, l := range c.Lists {
				for _, o := range l.Objects {
					out.lists[listAt{at, l.Name}] = append(out.lists[listAt{at, l.Name}], string(o.Payload))
				}
			}
		}
	}
	for _, p := range view.Properties() {
		out.facts[p.Key] = p.Value
	}
	for _, f := range view.Files() {
		r, err := w.OpenFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || int64(len(data)) != f.Size {
			t.Fatalf("file %q of %d bytes: %d, %v", f.Path, f.Size, len(data), err)
		}
		closeWorld(t, r)
		out.files[f.Path] = string(data)
	}
	return out
}

func (c *content) readCells(t testing.TB, d *world.Dimension, v *world.Volume) {
	t.Helper()
	cells := make([]voxel.Cell, voxel.ChunkCells)
	for pos, chunk := range v.Chunks() {
		if chunk == nil {
			t.Fatalf("chunk %v of %q in %q is not loaded", pos, v.Name, d.Name())
		}
		chunk.Flat((*[voxel.ChunkCells]voxel.Cell)(cells))
		for i, cell := range cells {
			if cell != v.Volume.Default {
				p := pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})
				c.cells[cellAt{d.Name(), v.Name, p}] = cellText(v, cell)
			}
		}
	}
}

// compare checks that two contents are the same.
func (c *content) compare(t testing.TB, want *content, where string) {
	t.Helper()
	same(t, where+": volumes", c.volumes, want.volumes)
	same(t, where+": cells", c.cells, want.cells)
	same(t, where+": columns", c.columns, want.columns)
	same(t, where+": files", c.files, want.files)
	same(t, where+": properties", c.facts, want.facts)
	if !maps.EqualFunc(c.lists, want.lists, slices.Equal) {
		t.Fatalf("%s: lists: got %v, want %v", where, c.lists, want.lists)
	}
}

func same[K, V comparable](t testing.TB, where string, got, want map[K]V) {
	t.Helper()
	for k, v := range got {
		if w, ok := want[k]; !ok || v != w {
			t.Fatalf("%s: %v is %v, want %v, %v", where, k, v, w, ok)
		}
	}
	for k, v := range want {
		if _, ok := got[k]; !ok {
			t.Fatalf("%s: %v is missing, want %v", where, k, v)
		}
	}
}

// differences counts what differs: cells, columns with their lists, files.
func (c *content) differences(d *content) (cells, columns, files int) {
	cells = apart(c.cells, d.cells, func(a, b string) bool { return a == b })
	files = apart(c.files, d.files, func(a, b string) bool { return a == b })
	differ := map[columnAt]bool{}
	for _, both := range [][2]*content{{c, d}, {d, c}} {
		for at, v := range both[0].columns {
			if w, ok := both[1].columns[at]; !ok || v.version != w.version { // a difference says nothing of what is stale
				differ[at] = true
			}
		}
		for at, l := range both[0].lists {
			if !slices.Equal(l, both[1].lists[at]) {
				differ[at.columnAt] = true
			}
		}
	}
	return cells, len(differ), files
}

func apart[K comparable, V any](a, b map[K]V, equal func(V, V) bool) (n int) {
	for k, v := range a {
		if w, ok := b[k]; !ok || !equal(v, w) {
			n++
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			n++
		}
	}
	return n
}
