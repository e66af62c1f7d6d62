package inspect

import (
	"context"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// BoxCells are the cells of a box of any level.
type BoxCells struct {
	voxel.Volume
	// Names are the names of the cells, of a terrain those of the materials.
	Names []string
	Cells []voxel.Cell // x fastest, then z, then y
}

// Chunk reads a chunk of a level of a volume as Box does, with the names in use. It returns nil if
// the whole chunk is the volume's default.
func Chunk(ctx context.Context, s *world.Snapshot, dimension, volume string, level int, pos geom.ChunkPos, maxBytes int64) (*BoxCells, error) {
	out, err := Box(ctx, s, dimension, volume, level, pos.Box(), maxBytes)
	if err != nil || !slices.ContainsFunc(out.Cells, func(cell voxel.Cell) bool { return cell != out.Default }) {
		return nil, err
	}
	out.Compact()
	return out, nil
}

// Box reads the cells of a box of a level of a volume. Where the level must be made from chunks,
// these take at most maxBytes of memory, or it fails with convert.ErrTooLarge; 0 is no bound. The
// result takes two bytes a cell, which the caller bounds. Other errors are a *DimensionError, a
// *VolumeError and geom.ErrOutOfRange.
func Box(ctx context.Context, s *world.Snapshot, dimension, volume string, level int, b geom.Box, maxBytes int64) (*BoxCells, error) {
	v, err := volumeOf(s, dimension, volume)
	if err != nil {
		return nil, err
	}
	small := level < stone.FirstFar && b.Cells() <= voxel.ChunkCells
	if maxBytes > 0 && !small && !s.HasLevel(dimension, volume, level) {
		if err := weighBox(ctx, s, dimension, volume, b.Scale(1<<level), maxBytes); err != nil {
			return nil, err
		}
	}
	out := &BoxCells{Volume: v.Volume, Names: v.Names, Cells: make([]voxel.Cell, b.Cells())}
	return out, s.ReadBox(ctx, dimension, volume, level, b, out.Cells)
}

// Compact keeps of a palette volume the names in use, in the order of their cells.
func (c *BoxCells) Compact() {
	if c.Schema != voxel.Palette {
		return
	}
	var used [int(voxel.MaxCell) + 1]bool
	for _, cell := range c.Cells {
		used[cell] = true
	}
	var table [int(voxel.MaxCell) + 1]voxel.Cell
	var names []string
	for cell, name := range c.Names {
		if used[cell] {
			table[cell] = voxel.Cell(len(names))
			names = append(names, name)
		}
	}
	for i, cell := range c.Cells {
		c.Cells[i] = table[cell]
	}
	c.Names = names
}
