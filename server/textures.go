package server

import (
	"net/http"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/resourcepack"
	"github.com/cairnvoxel/cairn/internal/server/token"
	"github.com/cairnvoxel/cairn/internal/store/wire"
)

// atlas is the textures of a resource pack.
type atlas struct{ textures *resourcepack.Atlas }

func (h *atlas) routes() []route {
	return []route{
		{method: "GET", path: "/v1/textures", role: token.Read, own: true, part: true, about: "what the image of textures holds", status: 200, handler: gives(h.info)},
		{method: "POST", path: "/v1/textures", role: token.Read, own: true, part: true, about: "the textures of blocks by their names, and how people are shown these", status: 200, handler: gives(h.faces).from(jsonOf(facesCall{}))},
		{method: "GET", path: "/v1/atlas", role: token.Read, own: true, part: true, about: "the image of textures", headers: []string{"If-None-Match"}, status: 200, tells: []string{"ETag"}, handler: plain(h.image, imagePNG)},
	}
}

func (h *atlas) info(*call) (resourcepack.AtlasInfo, error) { return h.textures.Info(), nil }

// namesBytes is how many bytes a list of names may have more than other JSON.
const namesBytes = 448 << 10

type facesCall struct {
	Names []string `json:"names"`
}

// facesAnswer has for each name the tiles of the six sides, or null, and how people are shown it.
type facesAnswer struct {
	Faces []*resourcepack.Faces `json:"faces"`
	Shown []string              `json:"shown"`
}

func (h *atlas) faces(c *call) (a facesAnswer, err error) {
	var of facesCall
	if err := c.json(c.limits.JSONBytes+namesBytes, &of); err != nil {
		return a, err
	}
	a = facesAnswer{Faces: make([]*resourcepack.Faces, len(of.Names)), Shown: make([]string, len(of.Names))}
	for i, name := range of.Names {
		a.Shown[i] = block.Shown(name)
		if f, ok := h.textures.Faces(name); ok {
			a.Faces[i] = &f
		}
	}
	return a, nil
}

func (h *atlas) image(c *call) error {
	img := h.textures.PNG()
	if img == nil {
		return fault(wire.NoRoute, "this server has no textures: cairn serve --resource-pack gives it some")
	}
	if c.unchanged(`"` + h.textures.Info().Version + `"`) {
		return nil
	}
	return c.send(http.StatusOK, imagePNG.media, img)
}
