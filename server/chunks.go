package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/codec"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// chunkHead is the first record of the answer with a chunk.
type chunkHead struct {
	Dimension string   `json:"dimension"`
	Volume    string   `json:"volume"`
	Schema    string   `json:"schema"`
	Level     int      `json:"level"`
	Pos       [3]int32 `json:"pos"`
	Names     []string `json:"names"`
}

// chunk is GET /v1/chunks.
func (c *call) chunk() error {
	h, err := c.chunkHead()
	if err != nil {
		return err
	}
	v, err := c.at(true)
	if err != nil || c.tagged(v) {
		return err
	}
	var cells *inspect.BoxCells
	read := func(s *world.Snapshot) (err error) {
		cells, err = inspect.Chunk(c.ctx, s, h.Dimension, h.Volume, h.Level, geom.ChunkPos{X: h.Pos[0], Y: h.Pos[1], Z: h.Pos[2]}, c.limits.WorldMemory)
		return err
	}
	if h.Level < stone.FirstFar {
		err = c.reading(v, read)
	} else {
		err = c.heavily(v, read)
	}
	switch {
	case errors.Is(err, geom.ErrOutOfRange), err == nil && cells == nil:
		return fault(wire.NoChunk, "there is no chunk at this position")
	case err != nil:
		return err
	}
	if h.Schema, h.Names = cells.Schema.String(), cells.Names; h.Names == nil {
		h.Names = []string{}
	}
	c.step("read")
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	var body wire.Body
	body.Add(head)
	body.Add(codec.AppendBitRLE(nil, cells.Cells, geom.ChunkEdge, cells.Schema))
	var b bytes.Buffer
	if _, err := body.WriteTo(&b); err != nil {
		return err
	}
	c.send(http.StatusOK, wire.RecordsType, b.Bytes())
	return nil
}

// chunkHead returns the chunk that the call names.
func (c *call) chunkHead() (h chunkHead, err error) {
	h.Dimension, h.Volume = c.query.Get("dimension"), c.query.Get("volume")
	if h.Dimension == "" || h.Volume == "" {
		return h, bad("dimension and volume are required")
	}
	level, err := c.number("level", 0)
	if err != nil {
		return h, err
	}
	h.Level = int(level)
	for i, axis := range []string{"x", "y", "z"} {
		at, err := c.number(axis, 0)
		if err != nil {
			return h, err
		}
		h.Pos[i] = int32(at)
	}
	return h, nil
}

// The smallest, default and largest length of a picture's longer edge in pixels.
const (
	minPicture     = 16
	defaultPicture = 1024
	maxPicture     = 4096
)

// scaleHeader says how many pixels wide a block is in a picture.
const scaleHeader = "Cairn-Scale"

// drawn is a picture of a world.
type drawn struct {
	png      []byte
	perBlock string // of scaleHeader
}

// picture is GET /v1/picture.
func (c *call) picture() error {
	size, err := c.number("size", defaultPicture)
	if err != nil {
		return err
	}
	plain, err := c.number("plain", 0)
	if err != nil {
		return err
	}
	v, err := c.at(true)
	if err != nil {
		return err
	}
	if known, err := c.taggedStored(&v); err != nil || known {
		return err
	}
	dimension := c.query.Get("dimension")
	d, err := kept(c, v, fmt.Sprintf("picture %d %d %s", size, plain, dimension), func() (drawn, int64, error) {
		d, err := c.draw(v, dimension, int(size), plain == 1)
		return d, int64(len(d.png)), err
	})
	if err != nil {
		return err
	}
	c.w.Header().Set(scaleHeader, d.perBlock)
	c.send(http.StatusOK, "image/png", d.png)
	return nil
}

// draw returns a PNG of a dimension of a version from above. The longer edge has at
// most size pixels.
func (c *call) draw(v version, dimension string, size int, plain bool) (d drawn, err error) {
	var b bytes.Buffer
	err = c.heavily(v, func(s *world.Snapshot) error {
		land, err := scene.Of(c.ctx, s, dimension, c.limits.WorldMemory)
		if err != nil {
			return err
		}
		land.Frame()
		c.step("read")
		o := picture.Options{MaxEdge: size, Plain: plain}
		if land.Dimension == "the_nether" {
			o.Top = scene.NetherTop
		}
		img, r, err := picture.Top(c.ctx, land, o)
		if errors.Is(err, picture.ErrTooWide) {
			return fault(wire.Unsupported, "%v", err)
		}
		if err != nil {
			return cmp.Or(c.ctx.Err(), err)
		}
		d.perBlock = strconv.FormatFloat(r.PerBlock, 'g', 6, 64)
		return png.Encode(&b, img)
	})
	c.step("draw")
	d.png = b.Bytes()
	return d, err
}
