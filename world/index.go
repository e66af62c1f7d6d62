package world

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// index returns what the pile speaks of: every chunk and column that is there
// is not loaded. Volumes have the names they have in old, where there are, and
// more. It reads directories only.
func (p pile) index(old *state, empty []string) (*state, error) {
	s := &state{}
	for _, l := range p {
		s.properties = l.Properties()
		for _, described := range l.Dimensions() {
			n := s.dimension(described.Name)
			if n < 0 {
				n = len(s.dimensions)
				s.dimensions = append(s.dimensions, &dimension{name: described.Name, columns: &columns{}})
			}
			if err := s.dimensions[n].stack(l.book, described, old, empty); err != nil {
				return nil, fmt.Errorf("world: stone %v: dimension %q: %w", l.Stone.ID, described.Name, err)
			}
		}
		s.stackFiles(l.book)
		l.known = true
	}
	return s, nil
}

// stack lays what a stone says of the dimension on what is there.
func (d *dimension) stack(b *book, described stone.Dimension, old *state, empty []string) error {
	d.folder = described.Folder
	for i := range described.Volumes {
		v := &described.Volumes[i]
		n := d.volume(v.Volume.Name)
		if n < 0 {
			n = len(d.volumes)
			d.volumes = append(d.volumes, &volume{Volume: v.Volume, names: old.names(d.name, v)})
		}
		if err := d.volumes[n].stack(b, d.name, v, empty); err != nil {
			return fmt.Errorf("volume %q: %w", v.Volume.Name, err)
		}
	}
	for _, list := range described.Lists {
		d.lists = addList(d.lists, list)
	}
	changes := make(map[geom.ColumnPos]*voxel.Column)
	for pos, there := range b.SpokenColumns(d.name) {
		changes[pos] = nil
		if there {
			changes[pos] = unloaded
		}
	}
	d.columns = d.columns.with(changes)
	if rules := b.Rules(d.name); len(rules) > 0 {
		d.rules = translateRules(rules, b.tables[volumeName{d.name, voxel.Block}])
	}
	return nil
}

// names returns the names that the volume has in s, those of v if it has none.
func (s *state) names(dim string, v *stone.Volume) *names {
	if s != nil {
		if i := s.dimension(dim); i >= 0 {
			d := s.dimensions[i]
			if j := d.volume(v.Volume.Name); j >= 0 && d.volumes[j].Schema == v.Schema {
				return d.volumes[j].names
			}
		}
	}
	return newNames(v.Names)
}

// stack lays the chunks that a stone speaks of on what is there.
func (v *volume) stack(b *book, dim string, described *stone.Volume, empty []string) error {
	if v.Volume != described.Volume {
		return fmt.Errorf("is %+v, and %+v in a stone above", v.Volume, described.Volume)
	}
	if v.Schema == voxel.Palette {
		more, table, err := v.names.translation(described.Names)
		if err != nil {
			return err
		}
		v.names = more
		if table != nil && !b.known {
			b.tables[volumeName{dim, v.Volume.Name}] = table
		}
	} else if len(described.Names) > len(v.names.list) {
		v.names = newNames(described.Names)
	}
	spoken := b.Spoken(dim, v.Name, 0)
	if v.cells == nil {
		v.cells = grid.Build(v.options(empty), placeholders(spoken))
		return nil
	}
	var changes []grid.Placed
	for pos, there := range spoken {
		changes = append(changes, grid.Placed{Pos: pos, Chunk: placeholder(there)})
	}
	v.cells = v.cells.With(changes)
	return nil
}

func placeholders(spoken iter.Seq2[geom.ChunkPos, bool]) iter.Seq2[geom.ChunkPos, *voxel.Chunk] {
	return func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for pos, there := range spoken {
			if there && !yield(pos, grid.NotLoaded) {
				return
			}
		}
	}
}

func placeholder(there bool) *voxel.Chunk {
	if there {
		return grid.NotLoaded
	}
	return nil
}

// options returns how the volume's grid reads its cells; empty are names of
// cells that are empty besides cell 0.
func (v *volume) options(empty []string) grid.Options {
	o := grid.Options{Schema: v.Schema, Default: v.Default}
	for _, name := range empty {
		if c, ok := v.names.index[name]; ok && v.Schema == voxel.Palette && c != voxel.Empty {
			o.Empty = append(o.Empty, c)
		}
	}
	return o
}

// stackFiles lays the files that a stone speaks of on those that are there.
func (s *state) stackFiles(b *book) {
	sizes := make(map[string]int64)
	for _, f := range b.Files() {
		sizes[f.Path] = f.Size
	}
	for path, there := range b.SpokenFiles() {
		s.setFile(path, fileRef{File: stone.File{Path: path, Size: sizes[path]}}, there)
	}
}

// setFile puts a file in its place, or takes it away. The state's files must be
// its own.
func (s *state) setFile(path string, f fileRef, there bool) {
	i, ok := slices.BinarySearchFunc(s.files, path, comparePaths)
	switch {
	case ok && there:
		s.files[i] = f
	case ok:
		s.files = slices.Delete(s.files, i, i+1)
	case there:
		s.files = slices.Insert(s.files, i, f)
	}
}

func translateRules(rules []light.Rule, table []voxel.Cell) []light.Rule {
	if table == nil {
		return rules
	}
	out := slices.Clone(rules)
	for i, r := range out {
		cells := make([]voxel.Cell, len(r.Cells))
		for j, c := range r.Cells {
			cells[j] = table[c]
		}
		slices.Sort(cells)
		out[i].Cells = cells
	}
	return out
}
