package edit

import (
	"context"
	"errors"
	"fmt"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Fill makes cells of a region one cell. With a Mask it replaces what the Mask names.
type Fill struct {
	Region region.Region // in cells of the volume
	Mask   region.Mask   // which cells may change
	Volume string        // default: voxel.Block
	// Name is what to fill with: of a palette, where a name that is new gets a cell, or a
	// material, which fills cells completely. Without a Name it is Cell.
	Name string
	Cell voxel.Cell
}

func (o *Fill) prepare(ctx context.Context, a *Arena) (*plan, error) {
	if o.Region == nil {
		return nil, errors.New("edit: fill: no region")
	}
	v, err := a.volume(o.Volume)
	if err != nil {
		return nil, err
	}
	cell, err := a.cell(v, o.Name, o.Cell)
	if err != nil {
		return nil, err
	}
	if v, err = a.volume(o.Volume); err != nil { // with the name
		return nil, err
	}
	if !v.Schema.Valid(cell, len(v.Names())) {
		return nil, fmt.Errorf("edit: %s: fill: cell %d: volume %q has %d names", a.World.Name(), cell, v.Volume.Name, len(v.Names()))
	}
	mask, err := maskOf(o.Mask)
	if err != nil {
		return nil, err
	}
	want := voxel.Uniform(cell)
	var parts []part
	add := func(pos geom.ChunkPos, c region.Cover) {
		parts = append(parts, part{pos: pos, want: want, mask: mask}.within(o.Region, c))
	}
	if allowed := mask.cells(v.Schema, v.Names()); allowed != nil && (int(v.Default()) >= len(allowed) || !allowed[v.Default()]) {
		for pos := range v.ChunksIn(o.Region.Bounds()) { // where no chunk is, nothing may change
			if c := region.CoverOf(o.Region, pos.Box()); c != 0 {
				add(pos, c)
			}
		}
		return &plan{towers: towersOf(v.Volume, parts)}, nil
	}
	for pos, c := range region.Chunks(o.Region) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		add(pos, c)
	}
	return &plan{towers: towersOf(v.Volume, parts)}, nil
}

// cell returns the cell of a name, which is added if it is new, or cell if there is no name.
func (a *Arena) cell(v *world.Volume, name string, cell voxel.Cell) (voxel.Cell, error) {
	switch c, ok := v.Named(name); {
	case name == "":
		return cell, nil
	case ok && v.Schema == voxel.Terrain && c > 0:
		return voxel.TerrainCell(uint8(c), 255), nil
	case ok:
		return c, nil
	}
	d, err := a.dimension()
	if err != nil {
		return 0, err
	}
	_, err = a.World.Update(func(tx *world.Tx) error {
		in := tx.Dimension(d.Name()).Volume(v.Volume.Name)
		cell = in.Named(name)
		return in.Err()
	})
	if err != nil {
		return 0, fmt.Errorf("edit: %s: %w", a.World.Name(), err)
	}
	return cell, nil
}
