package cells

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/game/arena"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// EditCall is one edit of a world, which becomes one commit.
type EditCall struct {
	Store history.Store
	World string
	// Arenas gives worlds that a game has open. nil: there are none.
	Arenas arena.Opener
	// Options are for a world that no game has open. Options.Author is the author in any case.
	Options world.Options
	Message string
	On      *history.ID // the head that the edit is for; nil: any
	// Made is given the version that was made of a stored world, and closes it. nil: nobody wants it.
	Made func(*world.Snapshot)
}

// Run opens the world, calls do and makes a commit of what it did. A world under the caller's
// lease, which Options.Fence says, and a stored world are opened for that alone. A stored world
// needs no lease: the commit fails if somebody else has changed or leased the world. The error
// wraps history.ErrConflict if the world is another one by now, and nothing is done then.
func (e *EditCall) Run(ctx context.Context, do func(context.Context, *world.World) (Done, error)) (done Done, err error) {
	w, end, err := e.open(ctx)
	if err != nil {
		return done, err
	}
	if e.On != nil && w.Head() != *e.On {
		err = history.ErrConflict
	} else {
		done, err = do(ctx, w)
	}
	made, ended := end(err == nil)
	if err = errors.Join(err, ended); err == nil && made.Number != 0 {
		commit := wire.CommitOf(made)
		done.Commit = &commit
	}
	return done, err
}

// open opens the world. The function that it returns ends that, and commits if it is told to.
func (e *EditCall) open(ctx context.Context) (*world.World, func(save bool) (history.Commit, error), error) {
	if _, stored := e.Arenas.(*arena.Leased); e.Options.Fence == 0 && e.Arenas != nil && !stored {
		o, err := e.Arenas.Open(ctx, e.World, e.Options.Author)
		if err != nil {
			return nil, nil, err
		}
		end := func(save bool) (history.Commit, error) {
			if o.Close == nil {
				return history.Commit{}, nil
			}
			return o.Close(ctx, save, e.Message)
		}
		if o.Sink != nil {
			_, err := end(false)
			return nil, nil, errors.Join(&CallError{"the game keeps the blocks of this world itself", wire.Unsupported}, err)
		}
		return o.World, end, nil
	}
	w, err := world.Open(ctx, e.Store, e.World, e.Options)
	if err != nil {
		return nil, nil, err
	}
	return w, func(save bool) (made history.Commit, err error) {
		if save {
			made, err = w.Commit(ctx, e.Message)
		}
		if err == nil && made.Number != 0 && e.Made != nil {
			if s, failed := w.Snapshot(); failed == nil {
				e.Made(s)
			}
		}
		return made, errors.Join(err, w.Close())
	}, nil
}
