package edit

import (
	"context"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// Save writes a moment of a world to its store as a new world, beside the game. It takes no
// time of a Step.
type Save struct {
	// Capture is the moment. It must stay open until the operation has ended.
	Capture *world.Capture
	Name    string // of the new world, see SnapshotName
	Message string // of its commit
}

func (o *Save) prepare(context.Context, *Arena) (*plan, error) {
	return &plan{finish: func(ctx context.Context) (history.Commit, error) {
		return o.Capture.Save(ctx, o.Name, o.Message)
	}}, nil
}
