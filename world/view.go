package world

import (
	"iter"
	"strings"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// View is a snapshot of a world: a few pointers. It never changes, and any
// number of goroutines may read it without a lock, for as long as they like,
// also after the world was closed. It reads memory only: of what is not loaded
// it says so.
type View struct{ s *state }

// Dimension returns a dimension, or nil.
func (v *View) Dimension(name string) *Dimension {
	if i := v.s.dimension(name); i >= 0 {
		return &Dimension{v.s.dimensions[i]}
	}
	return nil
}

// Dimensions returns all dimensions in the order in which they were made.
func (v *View) Dimensions() []*Dimension {
	var out []*Dimension
	for _, d := range v.s.dimensions {
		out = append(out, &Dimension{d})
	}
	return out
}

// Property returns a property of the world, "" if it is not set.
func (v *View) Property(key string) string {
	for _, p := range v.s.properties {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Properties returns all properties of the world by key. They must not be changed.
func (v *View) Properties() []stone.Property { return v.s.properties }

// Files returns the files of the world by path. Their bytes come from
// World.OpenFile.
func (v *View) Files() []stone.File {
	var out []stone.File
	for _, f := range v.s.files {
		out = append(out, f.File)
	}
	return out
}

// Dimension is a named space of a View. A nil one has nothing in it.
type Dimension struct{ d *dimension }

// of returns what is in the dimension.
func (d *Dimension) of() *dimension {
	if d == nil {
		return &dimension{columns: &columns{}}
	}
	return d.d
}

// Name returns the dimension's name.
func (d *Dimension) Name() string { return d.of().name }

// Volume returns a volume, or nil.
func (d *Dimension) Volume(name string) *Volume {
	v, ok := d.find(name)
	if !ok {
		return nil
	}
	return &v // which the compiler keeps on the stack of who only reads it
}

// find is Volume, and not inlined.
func (d *Dimension) find(name string) (Volume, bool) {
	if d != nil {
		for _, v := range d.d.volumes {
			if v.Name == name {
				return Volume{v.Volume, v.cells, v.names}, true
			}
		}
	}
	return Volume{}, false
}

// Volumes returns all volumes in the order in which they were made.
func (d *Dimension) Volumes() []*Volume {
	var out []*Volume
	for _, v := range d.of().volumes {
		out = append(out, &Volume{v.Volume, v.cells, v.names})
	}
	return out
}

// Cells returns a volume with its cells and their names, which must not be changed; nil if there is
// none of that name.
func (d *Dimension) Cells(volume string) (of voxel.Volume, cells *grid.View, names []string) {
	v := d.Volume(volume)
	if v == nil {
		return of, nil, nil
	}
	return v.Volume, v.View, v.Names()
}

// Column returns the column at pos with its lists. It is nil and true if there is none,
// and nil and false if it is not loaded. It must not be changed.
func (d *Dimension) Column(pos geom.ColumnPos) (c *voxel.Column, ok bool) {
	c = d.of().columns.at(pos)
	if c == unloaded {
		return nil, false
	}
	return c, true
}

// Columns yields the columns that touch box, in ascending order of position. A column
// that is not loaded is nil.
func (d *Dimension) Columns(box geom.Box) iter.Seq2[geom.ColumnPos, *voxel.Column] {
	return func(yield func(geom.ColumnPos, *voxel.Column) bool) {
		for pos, c := range d.of().columns.in(box) {
			if c == unloaded {
				c = nil
			}
			if !yield(pos, c) {
				return
			}
		}
	}
}

// Apart returns which columns may differ from those of old, an older or newer Dimension of the
// same world, in ascending order; from none if old is nil. It costs what differs. A column that
// came into memory or left it differs.
func (d *Dimension) Apart(old *Dimension) []geom.ColumnPos {
	return d.of().columns.apart(old.of().columns)
}

// WithoutCells returns the dimension with its columns alone. Who keeps it keeps no cells in memory.
func (d *Dimension) WithoutCells() *Dimension {
	in := d.of()
	return &Dimension{&dimension{name: in.name, lists: in.lists, columns: in.columns}}
}

// Objects yields the objects of a list that lie in box, whichever column they belong to: column by
// column, and in each in the order of the list. It leaves out columns that are not loaded (Columns
// shows which) and objects without a position.
func (d *Dimension) Objects(list string, box geom.Box) iter.Seq2[geom.ColumnPos, voxel.Object] {
	return func(yield func(geom.ColumnPos, voxel.Object) bool) {
		for pos, c := range d.of().columns.over(box, true) {
			for _, o := range c.Objects(list) {
				if o.Place != voxel.Nowhere && box.Contains(o.At) && !yield(pos, o) {
					return
				}
			}
		}
	}
}

func compareLists(l voxel.List, name string) int { return strings.Compare(l.Name, name) }

// Volume is a volume of a View. Its cells are read as those of a grid.View are; their
// positions count cells of the volume, which are Scale blocks wide. Of a nil one Cell and Chunk
// report false, and it has no names; all else is for volumes that are there.
type Volume struct {
	voxel.Volume
	*grid.View
	names *names
}

// Cell returns the cell at p, and false if it is not loaded or there is no volume.
func (v *Volume) Cell(p geom.Point) (voxel.Cell, bool) {
	if v == nil {
		return voxel.Empty, false
	}
	return v.View.Cell(p)
}

// Chunk returns the chunk at pos, nil and true if all its cells are the default, and nil and false if
// it is not loaded or there is no volume.
func (v *Volume) Chunk(pos geom.ChunkPos) (*voxel.Chunk, bool) {
	if v == nil {
		return nil, false
	}
	return v.View.Chunk(pos)
}

// Default returns the cell of chunks that are not stored.
func (v *Volume) Default() voxel.Cell { return v.Volume.Default }

// Names returns the names of cells, by cell. They must not be changed.
func (v *Volume) Names() []string {
	if v == nil {
		return nil
	}
	return v.names.list
}

// CellName returns the name of a cell, "" if it has none.
func (v *Volume) CellName(c voxel.Cell) string {
	if v != nil && v.Schema == voxel.Terrain {
		c = voxel.Cell(c.Material())
	}
	if names := v.Names(); int(c) < len(names) {
		return names[c]
	}
	return ""
}

// Named returns the cell of a name, and whether there is one.
func (v *Volume) Named(name string) (voxel.Cell, bool) {
	if v == nil {
		return voxel.Empty, false
	}
	return v.names.cell(name)
}
