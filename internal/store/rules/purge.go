package rules

import (
	"context"
	"errors"

	"github.com/cairnvoxel/cairn/internal/store/record"
	"github.com/cairnvoxel/cairn/store/history"
)

// Unname is the first step of a Purge: the world with a name, or those that were deleted
// under the name, go. It adds what they reach to had and returns their number. forget adds
// the changes that remove a world and the key that leads to it.
func (d *Proposal) Unname(ctx context.Context, name string, fence uint64, had map[record.Thing]struct{}, forget func(key []byte, w uint64) error) (n int, err error) {
	one := func(key []byte, w uint64) error {
		n++
		if err := d.Unconditional.All(ctx, w, had); err != nil {
			return err
		}
		return forget(key, w)
	}
	w, err := d.World(name)
	if err == nil {
		if _, _, err := d.LosesName(name, w, fence); err != nil {
			return 0, err
		}
		err = one(record.NameKey(name), w)
		return n, err
	}
	if !errors.Is(err, history.ErrNoWorld) {
		return 0, err
	}
	err = d.Unconditional.Each(record.DeletedPrefix(name), func(key, _ []byte) (bool, error) {
		if err := permits(history.Lease{}, fence, d.Now); err != nil { // they have no leases
			return false, err
		}
		value, err := d.Get(key)
		if err != nil {
			return false, err
		}
		g, err := record.ParseDeleted(value)
		if err == nil {
			err = one(key, g.World)
		}
		return true, err
	})
	if err == nil && n == 0 {
		err = history.ErrNoWorld
	}
	return n, err
}
