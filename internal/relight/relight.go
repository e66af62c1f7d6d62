// Package relight computes the light of a dimension again where its blocks changed.
//
// Pending collects the blocks that changed since their light was computed. A Model
// learns how blocks emit and absorb light, and its Run computes the light of what is pending.
// The caller brings what is around the changes into memory, and writes the sections and
// columns that come out.
package relight

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Input is a dimension's blocks and their light at one moment.
type Input struct {
	Name    string
	Blocks  *grid.View
	Names   []string      // of the cells of Blocks
	Matters light.Matters // of these cells, as far as a stone has them
	Levels  [2]*grid.View // by light.Channel; nil: the dimension does not keep that light
	// Column returns the column at pos, nil if there is none, and false if it is not in
	// memory. It is nil in a dimension without columns.
	Column func(pos geom.ColumnPos) (c *voxel.Column, ok bool)
}

// Run computes the light that follows from what is pending. boxes are Pending.Around. It
// gives write the levels of the sections that changed, which write must not keep, and
// returns the columns that changed: those that list more sections than before, and those
// whose light is good again. It returns no columns, and the light stays stale, where too
// much changed: see light.Relight. The error is grid.ErrNotLoaded if something in boxes is
// not in memory, or that of ctx if it ends.
func (m *Model) Run(ctx context.Context, d *Input, p *Pending, boxes []geom.Box, write func(light.Channel, geom.Box, []voxel.Cell)) ([]*voxel.Column, error) {
	r := newRegion(ctx, d, p, boxes)
	m.work.Use(m.learn(r, boxes))
	defer m.work.Rest()
	for kind := range light.Channel(len(d.Levels)) {
		if d.Levels[kind] == nil {
			continue
		}
		done := m.work.Run(kind, r, r.changed)
		if r.err != nil || !done {
			return nil, r.err
		}
		for at, levels := range m.work.Changed() {
			if !r.keep(kind, at) {
				continue
			}
			for i, l := range levels {
				r.cells[i] = voxel.Cell(l)
			}
			write(kind, sectionBox(at), r.cells[:])
		}
	}
	return r.columnsAfter(), nil
}
