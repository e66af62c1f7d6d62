package convert

import (
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Filter reduces a world and passes it on to another Sink. It reduces copies of columns, so the
// source's own data does not change.
type Filter struct {
	format.Sink // takes what is left
	// Hold returns a function for the columns of d. The function reduces a column in place and
	// reports whether to keep it. It replaces a column's slices and never writes to them. nil
	// keeps all columns.
	Hold func(d *format.Dimension) func(c *format.Column) (kept bool)
	// Keep reports whether to keep the file at a path. nil keeps all files.
	Keep func(path string) bool
	// NoLight drops sky light and block light.
	NoLight bool

	hold func(c *format.Column) bool
}

// Dimension passes on d, with NoLight without its volumes of light.
func (f *Filter) Dimension(d *format.Dimension) error {
	if f.Hold != nil {
		f.hold = f.Hold(d)
	}
	if f.NoLight {
		dark := *d
		dark.Volumes = slices.DeleteFunc(slices.Clone(d.Volumes), func(v *format.NamedVolume) bool { return voxel.IsLight(v.Volume.Name) })
		d = &dark
	}
	return f.Sink.Dimension(d)
}

// Column passes on what is left of c.
func (f *Filter) Column(c *format.Column) error {
	rest := *c
	if f.hold != nil && !f.hold(&rest) {
		return nil
	}
	if f.NoLight {
		rest.Stale &^= voxel.HasSky | voxel.HasLight
		rest.Sections, rest.Cells = slices.Clone(rest.Sections), slices.Clone(rest.Cells)
		for i := range rest.Sections {
			rest.Sections[i].Has &^= voxel.HasSky | voxel.HasLight
			rest.Cells[i].Sky, rest.Cells[i].Light = nil, nil
		}
	}
	return f.Sink.Column(&rest)
}

// Chunk passes on c unless NoLight drops it.
func (f *Filter) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if f.NoLight && voxel.IsLight(volume) {
		return nil
	}
	return f.Sink.Chunk(volume, pos, c)
}

// File passes on the files to keep.
func (f *Filter) File(file format.File) error {
	if f.Keep != nil && !f.Keep(file.Path) {
		return nil
	}
	return f.Sink.File(file)
}
