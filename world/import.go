package world

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/store/history"
)

// Import makes a world, or replaces all of one, by a stone with a whole world: a
// commit that stands on nothing, made under Options.Fence.
func Import(ctx context.Context, st history.Store, name string, whole history.Stone, o Options, message string) (history.Commit, error) {
	head, err := st.Head(ctx, name)
	made := errors.Is(err, history.ErrNoWorld)
	if made {
		err = st.Create(ctx, name)
	}
	if err != nil {
		return history.Commit{}, err
	}
	head.Fence = o.Fence
	c := history.Commit{Parent: head.Commit, Time: o.Time, Author: o.Author, Message: message, Stones: []history.StoneRef{whole.Ref()}}
	c, err = st.Commit(ctx, name, head, c, whole)
	if err != nil && made {
		err = errors.Join(err, st.Delete(context.WithoutCancel(ctx), name, 0))
	}
	return c, err
}
