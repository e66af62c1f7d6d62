package stream

import (
	"context"
	"iter"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Source is where a Server gets a world from. Any number of goroutines may use it.
type Source interface {
	// Now returns the newest state, the same one as before if nothing changed since. It is
	// called in each tick and must not wait for a disk or a network. The Server closes what
	// is new.
	Now() (State, error)
	// At returns the state of a version. The Server closes it. The error wraps fs.ErrNotExist
	// if there is no such version.
	At(ctx context.Context, version string) (State, error)
}

// State is a world as it is at one moment. It never changes, and any number of
// goroutines may use it until Close. States of one Source can be compared by ==.
type State interface {
	// Moment describes the state, without Bounds and Top.
	Moment() Moment
	// Dimensions describes what there is. A volume keeps the cells of its names from
	// one state to the next, unless Apart says that nothing is known.
	Dimensions() []stone.DimensionInfo
	// Bounds returns the blocks of a dimension that there may be something in.
	Bounds(dimension string) geom.Box
	// ReadBox writes the cells of b to dst, as grid.View.ReadBox does.
	ReadBox(ctx context.Context, dimension, volume string, level int, b geom.Box, dst []voxel.Cell) error
	// ReadNow is ReadBox from memory alone, for ticks. It returns false where ReadBox has to wait, or may read what is newer.
	ReadNow(dimension, volume string, level int, b geom.Box, dst []voxel.Cell) bool
	// Apart yields boxes of cells of a volume. Outside of them it is as in old, an
	// earlier or later state of the Source. It is nil if everything may differ.
	Apart(old State, dimension, volume string) iter.Seq[geom.Box]
	Close() error
}
