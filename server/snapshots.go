package server

import (
	"errors"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/world"
)

// reading calls do with a version. Few calls run at a time: each may decode pages,
// and a small stone may have a large directory.
func (c *call) reading(v version, do func(*world.Snapshot) error) error {
	leave, err := c.light.enter(c.ctx, c.who(), 0)
	if err != nil {
		return err
	}
	defer leave()
	return c.opened(v, do)
}

// heavily calls do with a version. Very few calls run at a time, because do may
// take much memory.
func (c *call) heavily(v version, do func(*world.Snapshot) error) error {
	return c.heavyWork(func() error { return c.opened(v, do) })
}

func (c *call) opened(v version, do func(*world.Snapshot) error) error {
	s, release, err := c.snapshots.Of(c.ctx, v.name, v.at)
	if err != nil {
		return err
	}
	defer release()
	if err = do(s); errors.Is(err, history.ErrGone) { // another server has packed the world and deleted stones
		c.snapshots.Forget(v.at)
	}
	return worldFault(err)
}
