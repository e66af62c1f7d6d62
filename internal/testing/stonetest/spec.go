// Package stonetest has whole stones as values, for the tests of packages that write
// and read stones.
package stonetest

import (
	"bytes"
	"io"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Spec is a whole stone as a value. Everything is in the order that Writer needs. Lists of
// a column are sorted by name. Slices without elements are nil, except payloads, data and
// tags of no bytes.
type Spec struct {
	Properties []stone.Property
	Dimensions []DimensionSpec
	Files      []FileSpec
}

// DimensionSpec is a dimension of a Spec.
type DimensionSpec struct {
	Name, Folder string
	Volumes      []VolumeSpec
	Rules        []light.Rule // of height maps, over the volume voxel.Block
	// Matters is how that volume's cells affect light. A reader returns nil if no
	// page of light uses it.
	Matters light.Matters
	Columns []voxel.Column
	// Lists are lists of columns without a column of their own. Gone are the deleted
	// columns. Both are in the order of Columns.
	Lists []ListsSpec
	Gone  []geom.ColumnPos
}

// ListsSpec is lists of a column, at least one.
type ListsSpec struct {
	Pos   geom.ColumnPos
	Lists []voxel.List
}

// VolumeSpec is a volume of a Spec.
type VolumeSpec struct {
	voxel.Volume
	Names  []string
	Levels []LevelSpec
}

// LevelSpec is a level of a volume. It holds at least one chunk.
type LevelSpec struct {
	Level  int
	Chunks []stone.Placed
}

// FileSpec is a file of a Spec.
type FileSpec struct {
	Path string
	Data []byte
	Gone bool // the file is deleted
}

// Write writes the stone and returns its name.
func (s Spec) Write(to io.Writer, o stone.Options) (stone.ID, error) {
	w := stone.NewWriter(to, o)
	for _, p := range s.Properties {
		w.Property(p.Key, p.Value)
	}
	for _, d := range s.Dimensions {
		d.write(w)
	}
	for _, f := range s.Files {
		if f.Gone {
			w.NoFile(f.Path)
			continue
		}
		w.File(f.Path, int64(len(f.Data)), bytes.NewReader(f.Data))
	}
	id, _, err := w.Close()
	return id, err
}

func (d *DimensionSpec) write(w *stone.Writer) {
	w.Dimension(d.Name, d.Folder)
	for _, v := range d.Volumes {
		w.Volume(v.Volume, v.Names)
		for _, l := range v.Levels {
			for _, c := range l.Chunks {
				w.Chunk(l.Level, c.Pos, c.Chunk)
			}
		}
		if v.Name == voxel.Block && len(d.Matters) > 0 {
			w.Light(d.Matters, d.Towers())
		}
	}
	if len(d.Rules) > 0 {
		w.Heights(d.Rules, d.Towers())
	}
	d.writeColumns(w)
}

// writeColumns writes columns, lists and deletions in order.
func (d *DimensionSpec) writeColumns(w *stone.Writer) {
	type saying struct {
		pos geom.ColumnPos
		say func() error
	}
	var all []saying
	for i := range d.Columns {
		all = append(all, saying{d.Columns[i].Pos, func() error { return w.Column(&d.Columns[i]) }})
	}
	for _, l := range d.Lists {
		all = append(all, saying{l.Pos, func() error { return w.Lists(l.Pos, l.Lists) }})
	}
	for _, pos := range d.Gone {
		all = append(all, saying{pos, func() error { return w.NoColumn(pos) }})
	}
	slices.SortStableFunc(all, func(a, b saying) int { return a.pos.Compare(b.pos) })
	for _, s := range all {
		s.say()
	}
}

// footprint is the x and z of a chunk.
type footprint struct{ x, z int32 }

// Towers returns the towers of the dimension's blocks.
func (d *DimensionSpec) Towers() light.Towers {
	towers := map[footprint]light.Tower{}
	for _, v := range d.Volumes {
		for _, l := range v.Levels {
			for _, c := range l.Chunks {
				if v.Name == voxel.Block && l.Level == 0 && c.Chunk != nil {
					at := footprint{c.Pos.X, c.Pos.Z}
					towers[at] = append(towers[at], light.Floor{Y: c.Pos.Y, Chunk: c.Chunk})
				}
			}
		}
	}
	for _, t := range towers {
		slices.SortFunc(t, func(a, b light.Floor) int { return int(b.Y) - int(a.Y) })
	}
	return func(x, z int32) light.Tower { return towers[footprint{x, z}] }
}
