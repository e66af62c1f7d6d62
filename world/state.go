package world

import (
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// state is everything that is in a world at one moment. It never changes: who
// changes the world makes another that shares what stays.
type state struct {
	properties []stone.Property // by key
	dimensions []*dimension     // in the order they were made
	files      []fileRef        // by path
}

// dimension is a named space of a state.
type dimension struct {
	name, folder string
	volumes      []*volume
	lists        []string // names of the lists that its columns may have, sorted
	columns      *columns
	rules        []light.Rule  // of height maps, in cells of the volume voxel.Block, as stones say
	heights      heightRules   // of height maps, as updates know them
	matters      light.Matters // what these are to light, as far as a stone says
}

// volume is a volume of a state. Of a dimension, volumes and names are only
// ever added, so an index is good in every later state.
type volume struct {
	voxel.Volume
	names *names
	cells *grid.View
}

// fileRef is a file of a state: its bytes are at hand, or in the stack.
type fileRef struct {
	stone.File
	data []byte // nil: in the stack
}

func (s *state) dimension(name string) int {
	return slices.IndexFunc(s.dimensions, func(d *dimension) bool { return d.name == name })
}

func (d *dimension) volume(name string) int {
	return slices.IndexFunc(d.volumes, func(v *volume) bool { return v.Name == name })
}

// addList returns lists with name, sorted.
func addList(lists []string, name string) []string {
	i, ok := slices.BinarySearch(lists, name)
	if ok {
		return lists
	}
	return slices.Insert(slices.Clone(lists), i, name)
}

func comparePaths(f fileRef, path string) int { return strings.Compare(f.Path, path) }

// edit returns a copy of s whose dimensions and volumes can be replaced.
func (s *state) edit() *state {
	out := *s
	out.dimensions = slices.Clone(s.dimensions)
	return &out
}

// editDimension replaces dimension i of a state made by edit by a copy of its
// own, and returns that.
func (s *state) editDimension(i int) *dimension {
	d := *s.dimensions[i]
	d.volumes = slices.Clone(d.volumes)
	s.dimensions[i] = &d
	return &d
}

// setCells replaces the cells of volume i of a dimension made by editDimension.
func (d *dimension) setCells(i int, cells *grid.View) {
	v := *d.volumes[i]
	v.cells = cells
	d.volumes[i] = &v
}
