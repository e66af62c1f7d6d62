package clip

import (
	"fmt"
	"iter"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// InMemory is a dimension in memory. A world.Dimension is one.
type InMemory interface {
	Name() string
	// Cells returns a volume with its cells and their names; nil if there is none of that name.
	Cells(volume string) (of voxel.Volume, cells *grid.View, names []string)
	// Columns yields the columns that touch a box, in ascending order; nil for one that is not loaded.
	Columns(geom.Box) iter.Seq2[geom.ColumnPos, *voxel.Column]
}

// From copies a region of a dimension, or all of it if the region is nil: blocks, biomes, block
// entities and entities. Blocks of the region's bounds outside of the region are Void. What a clip
// does not hold is in its Lost. The error wraps grid.ErrNotLoaded if a part of the region is not in
// memory, and format.ErrHolds if a clip cannot be of it. port.Clip does the same with stored worlds.
func From(v InMemory, r region.Region) (*Clip, error) {
	to := NewCollector(r)
	in := to.bounds()
	d := &format.Dimension{Name: v.Name()}
	views := make(map[string]*grid.View)
	for _, name := range append([]string{voxel.Block, voxel.Biome}, beside...) {
		of, cells, names := v.Cells(name)
		if cells == nil {
			continue
		}
		out := &format.NamedVolume{Volume: of}
		if of.Schema == voxel.Palette {
			var err error
			if out.Names, err = format.NamesOf(names); err != nil {
				return nil, fmt.Errorf("clip: volume %q of %s: %w", of.Name, d.Name, err)
			}
		}
		d.Volumes = append(d.Volumes, out)
		views[name] = cells
	}
	if err := to.Dimension(d); err != nil {
		return nil, err
	}
	for _, of := range d.Volumes {
		for pos, chunk := range views[of.Name].ChunksIn(in.Over(max(1, of.Scale))) {
			if chunk == nil {
				return nil, fmt.Errorf("clip: chunk %v of volume %q of %s: %w", pos, of.Name, d.Name, grid.ErrNotLoaded)
			}
			if err := to.Chunk(of.Name, pos, chunk); err != nil {
				return nil, err
			}
		}
	}
	for pos, c := range v.Columns(in) {
		if c == nil {
			return nil, fmt.Errorf("clip: column %v of %s: %w", pos, d.Name, grid.ErrNotLoaded)
		}
		if err := to.Column(&format.Column{Column: *c}); err != nil {
			return nil, err
		}
	}
	return to.Clip()
}
