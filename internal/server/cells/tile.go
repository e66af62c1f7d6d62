// Package cells has what calls of the server say about cells: which tile of a map a query means,
// which box is read, and the forms in which cells come and go. It knows no HTTP.
//
// A fault of the caller is an *Error. Its text is for the caller.
package cells

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/store/wire"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// CallError is what is wrong with a call, in words for the caller.
type CallError struct {
	text string
	Code wire.Code
}

func (e *CallError) Error() string { return e.text }

func wrong(format string, args ...any) error {
	return &CallError{fmt.Sprintf(format, args...), wire.BadRequest}
}

// Param is a parameter of the query and what it means. If Most is more than Least it is a whole
// number from Least to Most, and if there are Values it is one of them.
type Param struct {
	Name, About string
	Least, Most int64
	Values      []string
	Pattern     string // of a text; "" for any
}

// TileParams are the parameters of the query that Tile reads.
func TileParams() []Param {
	var layers []string
	for _, l := range picture.Layers() {
		layers = append(layers, string(l))
	}
	const edge = far / picture.TileEdge << -picture.MinZoom // at the least zoom
	return []Param{
		{Name: "layer", About: "default blocks", Values: layers},
		{Name: "zoom", About: "2^zoom blocks a pixel; default 0", Least: picture.MinZoom, Most: geom.MaxDepth - 1},
		{Name: "x", About: "in tiles of the zoom, from the origin to the east", Least: -edge, Most: edge - 1},
		{Name: "z", About: "in tiles of the zoom, from the origin to the south", Least: -edge, Most: edge - 1},
		{Name: "from", About: "the lowest height in blocks that is drawn", Least: -far, Most: far - 1},
		{Name: "to", About: "the highest height in blocks that is drawn", Least: -far, Most: far - 1},
	}
}

// far is above all heights.
const far = geom.MaxChunk * geom.ChunkEdge

// Tile reads which tile a query means.
func Tile(q url.Values) (o picture.TileOptions, err error) {
	o.Layer = picture.Layer(q.Get("layer"))
	if o.Layer == "" {
		o.Layer = picture.LayerBlocks
	}
	if !slices.Contains(picture.Layers(), o.Layer) {
		return o, wrong("layer=%.40q: want one of %s", o.Layer, strings.Trim(fmt.Sprint(picture.Layers()), "[]"))
	}
	n := numbers{of: q}
	o.Zoom = n.get("zoom", 0, picture.MinZoom, geom.MaxDepth-1)
	most := far / picture.TileEdge << max(0, -o.Zoom) >> max(0, o.Zoom)
	o.X, o.Z = n.get("x", 0, -most-1, most), n.get("z", 0, -most-1, most)
	o.Heights.From = n.get("from", -far, -far, far-1)
	top := n.get("to", far-1, -far, far-1)
	err = n.err
	if err == nil && top < o.Heights.From {
		err = wrong("from=%d to=%d: from is the lower one", o.Heights.From, top)
	}
	if o.Heights.To = top + 1; !q.Has("from") && !q.Has("to") {
		o.Heights = picture.Heights{}
	}
	return o, err
}

// Ceiling hides the ceiling of the game's nether from a tile whose query does not say up to which
// height it shows.
func Ceiling(o *picture.TileOptions, dimension string) {
	if (o.Heights == (picture.Heights{}) || o.Heights.To == far) && dimension == "the_nether" {
		o.Heights.From = min(o.Heights.From, scene.NetherTop-1)
		if o.Heights.To == 0 {
			o.Heights.From = -far
		}
		o.Heights.To = scene.NetherTop
	}
}

// Map is what a page needs to show the tiles of a dimension.
type Map struct {
	Dimension  string   `json:"dimension"`
	Dimensions []string `json:"dimensions"` // those that have a map
	// From and To are the least and the greatest block that chunks hold, both included; the heights
	// are those of its chunks.
	From [3]int `json:"from"`
	To   [3]int `json:"to"`
	// Least and Greatest are zooms: of the largest blocks, and of the whole map on one to four tiles.
	Least    int             `json:"least"`
	Greatest int             `json:"greatest"`
	Layers   []picture.Layer `json:"layers"`
	Edge     int             `json:"edge"` // of a tile in pixels
}

// MapOf returns the facts of a map.
func MapOf(l *scene.Layout, dimensions []string) Map {
	b := l.Bounds()
	m := Map{Dimension: l.Dimension, Dimensions: dimensions, Least: picture.MinZoom, Edge: picture.TileEdge,
		From: [3]int{b.Min.X, b.Min.Y, b.Min.Z}, To: [3]int{b.Max.X - 1, b.Max.Y - 1, b.Max.Z - 1}}
	for wide := max(b.Size().X, b.Size().Z); wide > picture.TileEdge<<m.Greatest; {
		m.Greatest++
	}
	for _, layer := range picture.Layers() {
		if needs := layer.Volumes(); len(needs) == 0 || slices.ContainsFunc(needs, l.Has) {
			m.Layers = append(m.Layers, layer)
		}
	}
	return m
}

// numbers reads the whole numbers of a query. err is the first that is wrong.
type numbers struct {
	of  url.Values
	err error
}

// get returns a number, or standard if it is missing or wrong.
func (q *numbers) get(key string, standard, least, most int) int {
	if q.err != nil || !q.of.Has(key) {
		return standard
	}
	n, err := strconv.Atoi(q.of.Get(key))
	if err != nil || n < least || n > most {
		q.err = wrong("%s=%.40q: want a number from %d to %d", key, q.of.Get(key), least, most)
		return standard
	}
	return n
}
