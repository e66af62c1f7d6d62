package server

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/world"
)

func mapRoutes() []route {
	of := []param{atVersion, words("dimension", "name of the dimension")}
	known := append([]string{"If-None-Match"}, stale...)
	tile := append(slices.Clone(of), cells.TileParams()...)
	return []route{
		{method: "GET", path: "/v1/map/NAME", role: Read, about: "what a map of the world shows, and where", query: of, headers: known, status: 200, gives: jsonOf(cells.Map{}), tells: staleHeaders, serve: (*call).mapFacts},
		{method: "GET", path: "/v1/tiles/NAME", role: Read, about: "a square of the map of the world", query: tile, headers: known, status: 200, gives: bytesOf("image/png"), tells: staleHeaders, serve: (*call).tile},
	}
}

// layout returns the layout of the dimension that the call names.
func (c *call) layout(v version) (*scene.Layout, error) {
	dimension := c.query.Get("dimension")
	return kept(c, v, "layout "+dimension, func() (l *scene.Layout, bytes int64, err error) {
		err = c.reading(v, func(s *world.Snapshot) (err error) {
			if l, err = scene.LayoutOf(c.ctx, s, dimension); err == nil {
				bytes = l.Bytes()
			}
			return err
		})
		return l, bytes, err
	})
}

// mapFacts is GET /v1/map.
func (c *call) mapFacts() error {
	v, err := c.at(true)
	if err != nil || c.tagged(v) {
		return err
	}
	l, err := c.layout(v)
	if err != nil {
		return err
	}
	var all []string
	err = c.reading(v, func(s *world.Snapshot) error { all = scene.Dimensions(s); return nil })
	if err != nil {
		return err
	}
	return c.answer(http.StatusOK, cells.MapOf(l, all))
}

// tile is GET /v1/tiles.
func (c *call) tile() error {
	o, err := cells.Tile(c.query)
	if err != nil {
		return bad("%v", err)
	}
	v, err := c.at(true)
	if err != nil {
		return err
	}
	if known, err := c.taggedStored(&v); err != nil || known {
		return err
	}
	l, err := c.layout(v)
	if err != nil {
		return err
	}
	cells.Ceiling(&o, l.Dimension)
	drawn, err := kept(c, v, fmt.Sprintf("tile %q %+v", l.Dimension, o), func() (b []byte, bytes int64, err error) {
		err = c.reading(v, func(s *world.Snapshot) (err error) {
			if b, err = picture.Tile(c.ctx, l.In(c.ctx, s), o); errors.Is(err, picture.ErrTall) {
				err = fault(wire.TooLarge, "%v", err)
			}
			return err
		})
		return b, int64(len(b)), err
	})
	if err != nil {
		return err
	}
	c.step("draw")
	c.send(http.StatusOK, "image/png", drawn)
	return nil
}
