package server

import (
	"bytes"
	"image/png"
	"net/http"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/internal/inspect"
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
			d, v, err := inspect.MatterOf(c.query.Get("dimension"), s, t)
			if err != nil {
				return err
			}
			both := diff.Of(s, t).Within(c.limits.WorldMemory)
			var at []geom.ChunkPos
			var box geom.Box
			err = both.Chunks(c.ctx, d.Name, v.Volume.Name, func(d diff.Chunk) error {
				at, box = append(at, d.Pos), box.Union(d.Pos.Box())
				return nil
			})
			if err != nil {
				return err
			}
			c.step("find")
			changes := picture.NewChanges(box, int(size))
			var air func(voxel.Cell) bool
			err = both.ChunksAt(c.ctx, d.Name, v.Volume.Name, at, func(d diff.Chunk) error {
				if air == nil {
					air = inspect.AirOf(d.Names) // of all chunks
				}
				changes.Add(d.Pos, d.A, d.B, air)
				return nil
			})
			if err != nil {
				return err
			}
			if !box.Empty() {
				c.w.Header().Set(boxHeader, token.BlockBox(box).String())
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
