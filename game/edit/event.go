package edit

import (
	"fmt"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// EventKind says what happened.
type EventKind uint8

// Kinds of events, in the order in which an operation has them.
const (
	Begun       EventKind = iota // the first Step worked on the operation
	ChunkDone                    // a chunk, a column or the light of a tower is as it is to be
	ChunkFailed                  // one of these could not be changed; see Err
	Ended                        // the operation ended; Err says how
)

var eventNames = [...]string{"begun", "chunk done", "chunk failed", "ended"}

func (k EventKind) String() string {
	if int(k) < len(eventNames) {
		return eventNames[k]
	}
	return fmt.Sprintf("EventKind(%d)", uint8(k))
}

// Event is something that happened to an operation.
type Event struct {
	Kind      EventKind
	Arena     *Arena
	Operation *Operation
	// Volume and Chunk say which chunk, for ChunkDone and ChunkFailed. Volume is
	// world.Columns for a column, whose position is Column, and empty for the light of the
	// tower that Chunk is one of.
	Volume string
	Chunk  geom.ChunkPos
	Column geom.ColumnPos
	Err    error
}
