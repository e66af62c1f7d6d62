package mesh

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Kind returns what a cell is.
func (t *Opacities) Kind(c voxel.Cell) Opacity { return t.kinds[c] }

// Key returns what a quad of a cell carries.
func (t *Opacities) Key(c voxel.Cell) voxel.Cell { return t.keys[c] }

// Axes is axes.
func (f Face) Axes() (u, v geom.Point) { return f.axes() }

// Report returns the report of a chunk, or nil.
func (c *Collider) Report(pos geom.ChunkPos) *Obstacles { return c.reports[pos] }
