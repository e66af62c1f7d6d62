package server

import (
	"net/http"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/internal/texture"
)

func textureRoutes() []route {
	return []route{
		{method: "GET", path: "/v1/textures", role: Read, own: true, part: true, about: "what the image of textures holds", status: 200, gives: jsonOf(texture.AtlasInfo{}), serve: (*call).textures},
		{method: "POST", path: "/v1/textures", role: Read, own: true, part: true, about: "the textures of blocks by their names, and how people are shown these", takes: jsonOf(facesCall{}), status: 200, gives: jsonOf(facesAnswer{}), serve: (*call).faces},
		{method: "GET", path: "/v1/atlas", role: Read, own: true, part: true, about: "the image of textures", headers: []string{"If-None-Match"}, status: 200, gives: bytesOf("image/png"), tells: []string{"ETag"}, serve: (*call).atlas},
	}
}

// namesBytes is how many bytes a list of names may have more than other JSON.
const namesBytes = 448 << 10

type facesCall struct {
	Names []string `json:"names"`
}

// facesAnswer has for each name the tiles of the six sides, or null, and how people are shown it.
type facesAnswer struct {
	Faces []*texture.Faces `json:"faces"`
	Shown []string         `json:"shown"`
}

// textures is GET /v1/textures.
func (c *call) textures() error { return c.answer(http.StatusOK, c.o.Textures.Info()) }

// faces is POST /v1/textures.
func (c *call) faces() error {
	var of facesCall
	if err := c.jsonWithin(c.limits.JSONBytes+namesBytes, &of); err != nil {
		return err
	}
	a := facesAnswer{Faces: make([]*texture.Faces, len(of.Names)), Shown: make([]string, len(of.Names))}
	for i, name := range of.Names {
		a.Shown[i] = block.Shown(name)
		if f, ok := c.o.Textures.Faces(name); ok {
			a.Faces[i] = &f
		}
	}
	return c.answer(http.StatusOK, a)
}

// atlas is GET /v1/atlas.
func (c *call) atlas() error {
	img := c.o.Textures.PNG()
	if img == nil {
		return fault(wire.NoRoute, "this server has no textures: cairn serve --resource-pack gives it some")
	}
	if c.unchanged(`"` + c.o.Textures.Info().Version + `"`) {
		return nil
	}
	c.send(http.StatusOK, "image/png", img)
	return nil
}
