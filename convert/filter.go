package convert

import (
	"slices"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Filter reduces a world on its way to another Sink. Columns are reduced as
// copies: what the source owns stays as it is.
type Filter struct {
	format.Sink // where the rest goes
	// Hold returns what reduces the columns of d in place and says which stay.
	// It replaces a column's slices and never writes to them. nil keeps all.
	Hold func(d *format.Dimension) func(c *format.Column) (kept bool)
	// Keep says which files stay, by path. nil keeps all.
	Keep func(path string) bool
	// NoLight leaves out sky and block light.
	NoLight bool

	hold func(c *format.Column) bool
}

// Dimension hands on d, without its volumes of light if they are to go.
func (f *Filter) Dimension(d *format.Dimension) error {
	if f.Hold != nil {
		f.hold = f.Hold(d)
	}
	if f.NoLight {
		dark := *d
		dark.Volumes = slices.DeleteFunc(slices.Clone(d.Volumes), func(v *format.Volume) bool { return voxel.IsLight(v.Volume.Name) })
		d = &dark
	}
	return f.Sink.Dimension(d)
}

// Column hands on what stays of c.
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

// Chunk hands on c unless it is light that is to go.
func (f *Filter) Chunk(volume string, pos geom.ChunkPos, c *voxel.Chunk) error {
	if f.NoLight && voxel.IsLight(volume) {
		return nil
	}
	return f.Sink.Chunk(volume, pos, c)
}

// File hands on the files that stay.
func (f *Filter) File(file format.File) error {
	if f.Keep != nil && !f.Keep(file.Path) {
		return nil
	}
	return f.Sink.File(file)
}
