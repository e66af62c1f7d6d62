package world

import (
	"fmt"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// index returns what the stack covers: every chunk and column that is there
// is not loaded. Otherwise it is describe. Where they are is read from the directories when it is first needed.
func (p openStack) index(empty []string, olds ...*state) (*state, error) {
	s, err := p.describe(empty, olds...)
	if err != nil {
		return nil, err
	}
	run := p.run()
	for _, d := range s.dimensions {
		for _, v := range d.volumes {
			v.cells = grid.Unloaded(v.options(empty), stone.Cubes(run, d.name, v.Name))
		}
		d.columns = &columns{later: &laterColumns{squares: stone.Squares(run, d.name)}}
	}
	return s, nil
}

// columnEntries yields the columns of a box that the stone covers, but for those that skip says:
// unloaded, or nil if they are gone.
func (o *openStone) columnEntries(dim string, b geom.Box, skip func(geom.ColumnPos) bool) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	return func(yield func(geom.ColumnPos, *voxel.Column) bool) {
		for pos, there := range o.ColumnEntriesIn(dim, b) {
			var c *voxel.Column
			if there {
				c = unloaded
			}
			if !skip(pos) && !yield(pos, c) {
				return
			}
		}
	}
}

// describe returns the dimensions, volumes, names, rules, properties and files of the
// stack, without chunks and columns. Volumes have the names they have in the first of
// olds that has the volume, and more. empty are names of cells that are empty besides
// cell 0. It reads directories only, and what it costs does not depend on how many
// chunks there are.
func (p openStack) describe(empty []string, olds ...*state) (*state, error) {
	s := &state{}
	for _, l := range p {
		s.properties = l.Properties()
		for _, described := range l.Dimensions() {
			n := s.dimension(described.Name)
			if n < 0 {
				n = len(s.dimensions)
				s.dimensions = append(s.dimensions, &dimension{name: described.Name, columns: &columns{}})
			}
			if err := s.dimensions[n].stack(l.openStone, described, olds); err != nil {
				return nil, fmt.Errorf("world: stone %v: dimension %q: %w", l.Stone.ID, described.Name, err)
			}
		}
		s.stackFiles(l.openStone)
		if !l.known { // others read those that are
			l.known = true
		}
	}
	for _, d := range s.dimensions {
		for _, v := range d.volumes {
			v.cells = grid.New(v.options(empty))
		}
	}
	return s, nil
}

// stack lays what a stone says of the dimension on what is there.
func (d *dimension) stack(b *openStone, described stone.DimensionInfo, olds []*state) error {
	d.folder = described.Folder
	for i := range described.Volumes {
		v := &described.Volumes[i]
		n := d.volume(v.Volume.Name)
		if n < 0 {
			n = len(d.volumes)
			d.volumes = append(d.volumes, &volume{names: namesIn(olds, d.name, v)})
		}
		if err := d.volumes[n].stack(b, d.name, v); err != nil {
			return fmt.Errorf("volume %q: %w", v.Volume.Name, err)
		}
	}
	for _, list := range described.Lists {
		d.lists = addList(d.lists, list)
	}
	if rules := b.Rules(d.name); len(rules) > 0 {
		d.rules = light.TranslateRules(rules, b.tables[volumeName{d.name, voxel.Block}])
	}
	if m := b.Matters(d.name); len(m) > 0 {
		d.matters = m.Translate(b.tables[volumeName{d.name, voxel.Block}])
	}
	return nil
}

// namesIn returns the names that the volume has in the first of olds that has it,
// those of v if none has.
func namesIn(olds []*state, dim string, v *stone.VolumeInfo) *names {
	for _, s := range olds {
		if i := s.dimension(dim); i >= 0 {
			d := s.dimensions[i]
			if j := d.volume(v.Volume.Name); j >= 0 && d.volumes[j].Schema == v.Schema {
				return d.volumes[j].names
			}
		}
	}
	return newNames(v.Names)
}

// stack lays what a stone says of the volume, but for its chunks, on what is
// there. Cells are those of the world from here on, also the default.
func (v *volume) stack(b *openStone, dim string, described *stone.VolumeInfo) error {
	is := described.Volume
	if v.Volume != (voxel.Volume{}) && v.Schema != is.Schema {
		return fmt.Errorf("is %+v, and %+v in a stone above", v.Volume, is)
	}
	switch {
	case is.Schema == voxel.Palette:
		more, table, err := v.names.translation(described.Names)
		if err != nil {
			return err
		}
		v.names = more
		if table != nil && !b.known {
			b.tables[volumeName{dim, is.Name}] = table
		}
		if table != nil {
			is.Default = table[is.Default]
		}
	case !startsAlike(v.names.list, described.Names):
		return fmt.Errorf("its materials are %q, and %q in a stone above", v.names.list, described.Names)
	case len(described.Names) > len(v.names.list):
		v.names = newNames(described.Names)
	}
	if v.Volume != (voxel.Volume{}) && v.Volume != is {
		return fmt.Errorf("is %+v, and %+v in a stone above", v.Volume, is)
	}
	v.Volume = is
	return nil
}

func startsAlike(a, b []string) bool {
	n := min(len(a), len(b))
	return slices.Equal(a[:n], b[:n])
}

// placeholders returns the volume of which cells is a View, with every chunk of a box that is
// there not loaded, but for those that skip says.
func (p openStack) placeholders(name volumeName, cells *grid.View, b geom.Box, skip func(geom.ChunkPos) bool) *grid.View {
	const atOnce = 1 << 15 // so that the list takes little memory beside the volume
	for _, l := range p {
		var changes []grid.Placed
		for pos, there := range l.EntriesIn(name.dimension, name.volume, b) {
			if len(changes) == atOnce {
				cells, changes = cells.With(changes), changes[:0]
			}
			switch {
			case skip(pos):
			case there:
				changes = append(changes, grid.Placed{Pos: pos, Chunk: grid.NotLoaded})
			case cells.Len() > 0:
				changes = append(changes, grid.Placed{Pos: pos})
			}
		}
		cells = cells.With(changes)
	}
	return cells
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

// stackFiles lays the files that a stone covers on those that are there.
func (s *state) stackFiles(b *openStone) {
	sizes := make(map[string]int64)
	for _, f := range b.Files() {
		sizes[f.Path] = f.Size
	}
	for path, there := range b.FileEntries() {
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
