package model_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// mark is what a cell means: the number of a name in the machine's list for palettes, the
// cell itself otherwise.
type mark = uint16

// flat is the cells of a chunk. One that is shared never changes.
type flat struct {
	cells  [voxel.ChunkCells]mark
	shared bool
}

func indexOf(p geom.Point) int {
	return p.Y&31<<10 | p.Z&31<<5 | p.X&31
}

// space is a volume of a twin: chunks that are missing hold the default.
type space struct {
	schema voxel.Schema
	filler mark
	chunks map[geom.ChunkPos]*flat
}

func (s *space) at(p geom.Point) mark {
	if c := s.chunks[p.Chunk()]; c != nil {
		return c.cells[indexOf(p)]
	}
	return s.filler
}

// own returns a chunk that may be changed.
func (s *space) own(pos geom.ChunkPos) *flat {
	c := s.chunks[pos]
	switch {
	case c == nil:
		c = new(flat)
		for i := range c.cells {
			c.cells[i] = s.filler
		}
	case c.shared:
		c = &flat{cells: c.cells}
	default:
		return c
	}
	s.chunks[pos] = c
	return c
}

func (s *space) set(p geom.Point, m mark) { s.own(p.Chunk()).cells[indexOf(p)] = m }

// spaceAt names a volume, columnAt a column.
type (
	spaceAt  struct{ dim, volume string }
	columnAt struct {
		dim string
		pos geom.ColumnPos
	}
	chunkAt struct {
		spaceAt
		pos geom.ChunkPos
	}
)

// column is a column of a twin. Its lists never change.
type column struct {
	version int32
	lists   map[string][]string
}

func (c column) equal(d column) bool {
	return c.version == d.version && maps.EqualFunc(c.lists, d.lists, slices.Equal)
}

// twin is a world in the most obvious form.
type twin struct {
	spaces       map[spaceAt]*space
	columns      map[columnAt]column
	files, facts map[string]string
}

func newTwin() *twin {
	return &twin{map[spaceAt]*space{}, map[columnAt]column{}, map[string]string{}, map[string]string{}}
}

// clone returns a copy that shares the chunks.
func (t *twin) clone() *twin {
	out := &twin{make(map[spaceAt]*space, len(t.spaces)), maps.Clone(t.columns), maps.Clone(t.files), maps.Clone(t.facts)}
	for at, s := range t.spaces {
		for _, c := range s.chunks {
			c.shared = true
		}
		out.spaces[at] = &space{s.schema, s.filler, maps.Clone(s.chunks)}
	}
	return out
}

// lists writes the lists of a column; none removes a list.
func (t *twin) setList(at columnAt, list string, objects []string) {
	c := t.columns[at]
	c.lists = maps.Clone(c.lists)
	if c.lists == nil {
		c.lists = map[string][]string{}
	}
	c.lists[list] = objects
	if len(objects) == 0 {
		delete(c.lists, list)
	}
	t.columns[at] = c
}

// pair is chunks before and after a step; nil holds the default.
type pair [2]*flat

// step is what an author wrote in one update.
type step map[chunkAt]pair

// since returns which chunks of t differ from those of before.
func (t *twin) since(before *twin) step {
	out := step{}
	for at, s := range t.spaces {
		old := before.spaces[at]
		if old == nil {
			continue
		}
		for pos, c := range s.chunks {
			if was := old.chunks[pos]; was != c && !same(was, c, s.filler) {
				c.shared = true
				out[chunkAt{at, pos}] = pair{was, c}
			}
		}
	}
	return out
}

func same(a, b *flat, filler mark) bool {
	for i := range voxel.ChunkCells {
		if a.mark(i, filler) != b.mark(i, filler) {
			return false
		}
	}
	return true
}

func (c *flat) mark(i int, filler mark) mark {
	if c == nil {
		return filler
	}
	return c.cells[i]
}

// takeBack writes what was before a step where the twin still holds what the step wrote.
func (t *twin) takeBack(s step) {
	for at, p := range s {
		in := t.spaces[at.spaceAt]
		if in == nil {
			continue
		}
		for i := range voxel.ChunkCells {
			was, is := p[0].mark(i, in.filler), p[1].mark(i, in.filler)
			if was != is && in.chunks[at.pos].mark(i, in.filler) == is {
				in.own(at.pos).cells[i] = was
			}
		}
	}
}

// names are the names that marks stand for, in order of marks.
type names []string

func (n names) table(v *world.Volume) []mark {
	known := make(map[string]mark, len(n))
	for i, name := range n {
		known[name] = mark(i)
	}
	table := make([]mark, max(1, len(v.Names())))
	for c := range table {
		m, ok := known[v.CellName(voxel.Cell(c))]
		if !ok {
			m = mark(len(n)) // of no cell of the twin
		}
		table[c] = m
	}
	return table
}

// compareSpace says where a volume that is in memory differs from the twin's, but for the
// chunks to skip.
func (n names) compareSpace(at spaceAt, v *world.Volume, want *space, skip func(geom.ChunkPos) bool) error {
	var table []mark
	if v.Schema == voxel.Palette {
		table = n.table(v)
	}
	seen := make(map[geom.ChunkPos]bool, v.Len())
	var cells [voxel.ChunkCells]voxel.Cell
	for pos, c := range v.Chunks() {
		seen[pos] = true
		if skip(pos) {
			continue
		}
		if c == nil {
			return fmt.Errorf("chunk %v of %v is not in memory", pos, at)
		}
		c.Flat(&cells)
		twin := want.chunks[pos]
		for i, cell := range cells {
			got := mark(cell)
			if table != nil {
				if int(cell) >= len(table) {
					return fmt.Errorf("chunk %v of %v: cell %d at %d has no name", pos, at, cell, i)
				}
				got = table[cell]
			}
			if is := twin.mark(i, want.filler); got != is {
				return fmt.Errorf("chunk %v of %v: cell %v is %s, want %s", pos, at, pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31}), n.say(v, got), n.say(v, is))
			}
		}
	}
	for pos, c := range want.chunks {
		if !seen[pos] && !skip(pos) && !same(nil, c, want.filler) {
			return fmt.Errorf("chunk %v of %v is missing", pos, at)
		}
	}
	return nil
}

func (n names) say(v *world.Volume, m mark) string {
	switch {
	case v.Schema != voxel.Palette:
		return fmt.Sprintf("%#x", m)
	case int(m) < len(n):
		return fmt.Sprintf("%q", n[m])
	}
	return "a name that nobody wrote"
}

// derived are the volumes that the world computes, which are not compared.
func derived(volume string) bool { return volume == voxel.Sky || volume == voxel.Light }

// compare says where a view whose parts are all in memory differs from the twin.
func (n names) compare(v *world.View, want *twin) error {
	all := 0
	for _, d := range v.Dimensions() {
		for _, volume := range d.Volumes() {
			at := spaceAt{d.Name(), volume.Name}
			s := want.spaces[at]
			if s == nil {
				return fmt.Errorf("there is a volume %v", at)
			}
			all++
			if !derived(volume.Name) {
				if err := n.compareSpace(at, volume, s, func(geom.ChunkPos) bool { return false }); err != nil {
					return err
				}
			}
		}
	}
	if all != len(want.spaces) {
		return fmt.Errorf("%d volumes, want %d", all, len(want.spaces))
	}
	return compareRest(v, want)
}

func compareRest(v *world.View, want *twin) error {
	columns := 0
	for _, d := range v.Dimensions() {
		for pos, c := range d.Columns(world.Everywhere) {
			if c == nil {
				return fmt.Errorf("column %v of %q is not in memory", pos, d.Name())
			}
			got := column{c.Version, map[string][]string{}}
			for _, l := range c.Lists {
				for _, o := range l.Objects {
					got.lists[l.Name] = append(got.lists[l.Name], string(o.Payload))
				}
			}
			columns++
			if is, ok := want.columns[columnAt{d.Name(), pos}]; !ok || !is.equal(got) {
				return fmt.Errorf("column %v of %q: %v, want %v, %v", pos, d.Name(), got, is, ok)
			}
		}
	}
	if columns != len(want.columns) {
		return fmt.Errorf("%d columns, want %d", columns, len(want.columns))
	}
	facts := map[string]string{}
	for _, p := range v.Properties() {
		facts[p.Key] = p.Value
	}
	if !maps.Equal(facts, want.facts) {
		return fmt.Errorf("properties %v, want %v", facts, want.facts)
	}
	if files := v.Files(); len(files) != len(want.files) {
		return fmt.Errorf("%d files, want %d", len(files), len(want.files))
	}
	return nil
}
