package edit

import (
	"context"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Arena is a place that operations work on: a dimension of an open world, with the ends that
// the game provides. Operations of one Arena run one after another, those of several share
// the time of a Step. It must not be changed while operations of it are in a Queue.
type Arena struct {
	Name      string // for events
	World     *world.World
	Dimension string
	Sink      Sink      // nil: the game reads the world
	Light     Relighter // nil: light that follows from changed blocks is left stale
	// AnyHeight allows operations to put blocks beyond the heights of the world's game, and
	// OldColumns forbids them to put blocks where a dimension of a game has no column. See
	// world.DimensionTx.
	AnyHeight, OldColumns bool
}

// rule says what an update of an operation may do. back: it brings back what was there.
func (a *Arena) rule(d *world.DimensionTx, back bool) {
	if a.AnyHeight || back {
		d.AnyHeight()
	}
	if a.OldColumns && !back {
		d.OldColumns()
	}
}

// sectionEdge is the edge of a section in cells of a volume.
const sectionEdge = 16

// SectionChange is the cells of one section that an operation changes.
type SectionChange struct {
	Volume string
	// Min is the least corner of the section, in cells of the volume.
	Min geom.Point
	// Index[i] is y*256+z*16+x of Cells[i], relative to Min. Both ascend by Index.
	Index []uint16
	// Cells are what is to be there now.
	Cells []voxel.Cell
	// Names are what the cells of the volume mean; empty for volumes without names.
	Names []string
}

// Sink takes what an operation changes, for a game that keeps blocks in a form of its own or
// tells its players what changed. Step calls it, on the goroutine that called Step and
// within an update of the world, so it must not update the world itself. What it is given is
// valid during the call.
type Sink interface {
	// Section takes the changed cells of a section before they are published. If it returns
	// an error, these cells stay as they were, and the chunk counts as failed.
	Section(s *SectionChange) error
	// Column takes a column whose objects, or other data, change: c is what is to be there,
	// nil if the column is removed.
	Column(pos geom.ColumnPos, c *voxel.Column) error
}

// Relighter computes light anew after an operation: a Flood, a WorldLight for worlds that compute
// light themselves, or the engine of the game.
type Relighter interface {
	// Relight is called once for each tower of chunks that an operation changed blocks in,
	// after all of these were changed, on the goroutine that called Step. chunks are those
	// of the tower that changed.
	Relight(ctx context.Context, a *Arena, chunks []geom.ChunkPos) error
}
