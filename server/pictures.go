package server

import (
	"bytes"
	"cmp"
	"fmt"
	"image/png"
	"net/http"
	"slices"
	"strconv"

	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/world"
)

// pictures shows versions of worlds from above.
type pictures struct{ *worlds }

func (h *pictures) routes() []route {
	of := []param{atVersion, words("dimension", "name of the dimension")}
	return []route{
		{method: "GET", path: "/v1/map/NAME", role: token.Read, about: "what a map of the world shows, and where", query: of, headers: known, status: 200, tells: staleHeaders, handler: plain(h.facts, jsonOf(cells.Map{}))},
		{method: "GET", path: "/v1/tiles/NAME", role: token.Read, about: "a square of the map of the world", query: slices.Concat(of, cells.TileParams()), headers: known, status: 200, tells: staleHeaders, handler: plain(h.tile, imagePNG)},
		{method: "GET", path: "/v1/picture/NAME", role: token.Read, long: true, about: "the world from above", query: append(of, pictureSize(maxPicture), whole("plain", 0, 1, "1 leaves out the scale below the picture")),
			headers: known, status: 200, tells: append([]string{scaleHeader}, staleHeaders...), handler: plain(h.picture, imagePNG)},
	}
}

// layout returns the layout of the dimension that the call names.
func (h *pictures) layout(c *call, v version) (*scene.Layout, error) {
	dimension := c.query.Get("dimension")
	return keep(h.worlds, c, v, "layout "+dimension, func() (l *scene.Layout, bytes int64, err error) {
		err = h.reading(c, v, func(s *world.Snapshot) (err error) {
			if l, err = scene.LayoutOf(c.ctx, s, dimension); err == nil {
				bytes = l.Bytes()
			}
			return err
		})
		return l, bytes, err
	})
}

func (h *pictures) facts(c *call) error {
	v, known, err := h.unknown(c)
	if err != nil || known {
		return err
	}
	l, err := h.layout(c, v)
	if err != nil {
		return err
	}
	var all []string
	err = h.reading(c, v, func(s *world.Snapshot) error { all = scene.Dimensions(s); return nil })
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, cells.MapOf(l, all))
}

func (h *pictures) tile(c *call) error {
	o, err := cells.Tile(c.query)
	if err != nil {
		return err
	}
	v, known, err := h.unknownStored(c)
	if err != nil || known {
		return err
	}
	l, err := h.layout(c, v)
	if err != nil {
		return err
	}
	cells.Ceiling(&o, l.Dimension)
	drawn, err := keep(h.worlds, c, v, fmt.Sprintf("tile %q %+v", l.Dimension, o), func() (b []byte, bytes int64, err error) {
		err = h.reading(c, v, func(s *world.Snapshot) (err error) {
			b, err = picture.Tile(c.ctx, l.In(c.ctx, s), o)
			return err
		})
		return b, int64(len(b)), err
	})
	if err != nil {
		return err
	}
	c.step("draw")
	return c.send(http.StatusOK, imagePNG.media, drawn)
}

// The smallest, default and largest length of a picture's longer edge in pixels.
const (
	minPicture     = 16
	defaultPicture = 1024
	maxPicture     = 4096
)

func pictureSize(most int64) param {
	return whole("size", minPicture, most, "the largest length of the longer edge in pixels; default 1024")
}

// scaleHeader says how many pixels wide a block is in a picture.
const scaleHeader = "Cairn-Scale"

// drawn is a picture of a world.
type drawn struct {
	png      []byte
	perBlock string // of scaleHeader
}

func (h *pictures) picture(c *call) error {
	size, plain, dimension := int(c.number("size", defaultPicture)), c.number("plain", 0) == 1, c.query.Get("dimension")
	v, known, err := h.unknownStored(c)
	if err != nil || known {
		return err
	}
	d, err := keep(h.worlds, c, v, fmt.Sprintf("picture %d %t %s", size, plain, dimension), func() (drawn, int64, error) {
		d, err := h.draw(c, v, dimension, size, plain)
		return d, int64(len(d.png)), err
	})
	if err != nil {
		return err
	}
	c.w.Header().Set(scaleHeader, d.perBlock)
	return c.send(http.StatusOK, imagePNG.media, d.png)
}

// draw returns a PNG of a dimension of a version from above. The longer edge has at
// most size pixels.
func (h *pictures) draw(c *call, v version, dimension string, size int, plain bool) (d drawn, err error) {
	var b bytes.Buffer
	err = h.heavily(c, v, func(s *world.Snapshot) error {
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
