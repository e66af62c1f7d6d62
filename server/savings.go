package server

import (
	"net/http"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// savings is POST /v1/savings.
func (c *call) savings() error {
	if c.o.Weigh == nil {
		return fault(wire.NoRoute, "this server does not weigh worlds")
	}
	file, err := c.receive(c.limits.WorldBytes)
	if err != nil {
		return err
	}
	defer file.Close()
	dir, remove, err := c.tempDir()
	if err != nil {
		return err
	}
	defer remove()
	var taken int64
	defer func() { c.disk.release(taken) }()
	var report any
	err = c.heavyWork(func() error {
		err := port.Unpack(file.file, file.bytes, dir, 4*c.limits.WorldBytes, c.limits.WorldMemory, func(bytes int64) error {
			if !c.disk.reserve(bytes) {
				return fault(wire.Busy, "too many worlds are being received or sent at this moment")
			}
			taken += bytes
			return c.ctx.Err()
		})
		if err != nil {
			return file.fault(err, wire.Unsupported)
		}
		report, err = c.o.Weigh(c.ctx, dir, c.limits.WorldMemory)
		return err
	})
	if err != nil {
		return err
	}
	c.step("weigh")
	return c.answer(http.StatusOK, report)
}
