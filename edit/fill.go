package edit

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// Fill makes all cells of a region one cell.
type Fill struct {
	Region region.Region // in cells of the volume
	Volume string        // default: voxel.Block
	// Name is what to fill with; a name that is new gets a cell. A volume without names is
	// filled with Cell.
	Name string
	Cell voxel.Cell
}

func (o *Fill) prepare(_ context.Context, a *Arena) (*plan, error) {
	v, err := a.volume(o.Volume)
	if err != nil {
		return nil, err
	}
	cell, err := a.cell(v, o.Name, o.Cell)
	if err != nil {
		return nil, err
	}
	want := voxel.Uniform(cell)
	return changeIn(v, o.Region, func(*voxel.Chunk) *voxel.Chunk { return want }), nil
}

// Replace changes cells of a region that are one of From into To.
type Replace struct {
	Region region.Region // in cells of the volume
	Volume string        // default: voxel.Block
	From   []string      // names of cells; names that the volume does not have are ignored
	To     string        // a name that is new gets a cell
}

func (o *Replace) prepare(_ context.Context, a *Arena) (*plan, error) {
	v, err := a.volume(o.Volume)
	if err != nil {
		return nil, err
	}
	to, err := a.cell(v, o.To, 0)
	if err != nil {
		return nil, err
	}
	from := make(map[voxel.Cell]bool)
	for _, name := range o.From {
		if c, ok := v.Named(name); ok {
			from[c] = true
		}
	}
	return changeIn(v, o.Region, func(now *voxel.Chunk) *voxel.Chunk {
		table := make([]voxel.Cell, now.Highest()+1)
		for i := range table {
			table[i] = voxel.Cell(i)
			if from[table[i]] {
				table[i] = to
			}
		}
		return now.Translate(table)
	}), nil
}

// changeIn plans the same change for all chunks of a region.
func changeIn(v *world.Volume, r region.Region, change func(*voxel.Chunk) *voxel.Chunk) *plan {
	var parts []part
	for pos, c := range region.Chunks(r) {
		parts = append(parts, part{pos: pos, change: change, only: onlyIn(r, pos, c)})
	}
	return &plan{towers: towersOf(v.Volume, parts)}
}

// cell returns the cell of a name, which is added if it is new, or cell if there is no name.
func (a *Arena) cell(v *world.Volume, name string, cell voxel.Cell) (voxel.Cell, error) {
	switch c, ok := v.Named(name); {
	case name == "":
		return cell, nil
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
