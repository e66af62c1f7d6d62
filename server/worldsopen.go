package server

import (
	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/port"
)

// opening does what opens a version: few at a time if that takes much memory. A few
// bytes of stones may say that there are millions of chunks.
func (c *call) opening(v port.Version, do func() error) error {
	most, much := c.limits.WorldMemory, c.limits.WorldMemory/lightCalls
	var n int64
	err := c.lightly(func() (err error) {
		if n, err = v.Indexed(c.ctx, most); err == nil && n <= much {
			err = do()
		}
		return err
	})
	switch {
	case err != nil || n <= much:
		return err
	case n > most:
		return worldFault(convert.ErrTooLarge)
	}
	return c.heavily(do)
}
