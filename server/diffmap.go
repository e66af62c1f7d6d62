package server

import (
	"bytes"
	"image/png"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// boxHeader says which blocks a picture is of.
const boxHeader = "Cairn-Box"

// maxDiffmap is the largest length of a map's longer edge in pixels.
const maxDiffmap = 2048

// diffmap is GET /v1/diffmap.
func (c *call) diffmap() error {
	size, err := c.number("size", defaultPicture)
	if err != nil {
		return err
	}
	pair, err := c.pair()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	err = c.heavily(pair[0], func(s *world.Snapshot) error {
		return c.opened(pair[1], func(t *world.Snapshot) error {
			d, err := port.FindDiffering(c.ctx, s, t, c.query.Get("dimension"), c.limits.WorldMemory)
			if err != nil {
				return err
			}
			c.step("find")
			changes := picture.NewChanges(d.Box, int(size))
			err = d.Chunks(c.ctx, func(pos geom.ChunkPos, a, b *voxel.Chunk, empty func(voxel.Cell) bool) error {
				changes.Add(pos, a, b, empty)
				return nil
			})
			if err != nil {
				return err
			}
			if !d.Box.Empty() {
				c.w.Header().Set(boxHeader, token.Box(d.Box).String())
			}
			return png.Encode(&b, changes.Image(int(size)))
		})
	})
	c.step("draw")
	if err != nil {
		return err
	}
	c.send(http.StatusOK, "image/png", b.Bytes())
	return nil
}
