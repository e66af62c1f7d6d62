package resourcepack

import (
	"encoding/json"
	"image/color"
	"slices"
	"strings"
)

// The sides of a block, in the order of mesh.Face.
const (
	west = iota
	east
	down
	up
	north
	south
	sides
)

var sideNames = [sides]string{"west", "east", "down", "up", "north", "south"}

// cube is what the sides of a block show. A side may be nil.
type cube [sides]*tile

// model is a file of a model, without what is not needed here.
type model struct {
	Parent   string                     `json:"parent"`
	Textures map[string]json.RawMessage `json:"textures"`
	Elements []element                  `json:"elements"`
}

type element struct {
	From  [3]float64      `json:"from"`
	To    [3]float64      `json:"to"`
	Faces map[string]face `json:"faces"`
}

type face struct {
	UV       *[4]float64 `json:"uv"`
	Texture  string      `json:"texture"`
	Rotation int         `json:"rotation"`
	Tint     *int        `json:"tintindex"`
}

func (e *element) whole() bool { return e.From == [3]float64{} && e.To == [3]float64{16, 16, 16} }

// maxParents is how many parents of a model are followed, and how many names of a texture.
const maxParents = 32

// loader makes cubes of the models of packs.
type loader struct {
	packs
	textures map[string]*tile
	models   map[modelOf]*cube
	listed   map[string]bool // blocks that have a file of states
	atlas    *Atlas
	numbers  map[tile]int32
}

// modelOf names a model of a block.
type modelOf struct{ location, block string }

// model returns the cube of a model by its location; nil if no side has a texture. block is what
// its tint depends on.
func (l *loader) model(location, block string) *cube {
	key := modelOf{location, block}
	if c, ok := l.models[key]; ok {
		return c
	}
	textures := map[string]string{}
	var elements []element
	for at, n := location, 0; at != "" && n < maxParents; n++ {
		var m model
		if !l.decode(locate(at, "models", ".json"), &m) {
			break
		}
		for name, raw := range m.Textures {
			var value string
			if _, have := textures[name]; !have && json.Unmarshal(raw, &value) == nil {
				textures[name] = value
			}
		}
		if elements == nil {
			elements = m.Elements
		}
		at = m.Parent
	}
	c := l.cubeOf(elements, textures, tintOf(block))
	if *c == (cube{}) {
		c = nil
	}
	l.models[key] = c
	return c
}

// cubeOf lays the sides of elements over one another.
func (l *loader) cubeOf(elements []element, textures map[string]string, tint color.RGBA) *cube {
	c := new(cube)
	for _, e := range elements {
		for side, name := range sideNames {
			f, ok := e.Faces[name]
			if !ok || !e.whole() && c[side] != nil {
				continue
			}
			t := l.variable(textures, f.Texture)
			if t == nil {
				continue
			}
			if e.whole() && (f.UV != nil || f.Rotation != 0) {
				uv := [4]float64{0, 0, Edge, Edge}
				if f.UV != nil {
					uv = *f.UV
				}
				t = t.cut(uv, f.Rotation/90)
			}
			if f.Tint != nil && *f.Tint >= 0 {
				t = t.tinted(tint)
			}
			c[side] = c[side].over(t)
		}
	}
	if *c != (cube{}) {
		return c
	}
	for side := range c { // the model has no shape: a liquid, or its parent is in no pack
		for _, name := range bySide(side) {
			if t := l.variable(textures, "#"+name); t != nil && c[side] == nil {
				c[side] = t
				if tint == water {
					c[side] = t.tinted(tint)
				}
			}
		}
	}
	return c
}

// bySide returns the names that models give to the texture of a side, the best first.
func bySide(side int) []string {
	switch side {
	case up:
		return []string{"up", "top", "end", "all", "texture", "particle"}
	case down:
		return []string{"down", "bottom", "end", "all", "top", "texture", "particle"}
	case north:
		return []string{"north", "front", "side", "all", "texture", "particle"}
	}
	return []string{sideNames[side], "side", "all", "texture", "particle"}
}

// variable returns the texture that a name of a model stands for.
func (l *loader) variable(textures map[string]string, name string) *tile {
	for range maxParents {
		rest, ok := strings.CutPrefix(name, "#")
		if !ok {
			if name == "" {
				return nil
			}
			return l.texture(name)
		}
		name = textures[rest]
	}
	return nil
}

// The colours that the game tints textures with, in plains.
var (
	grass   = color.RGBA{0x91, 0xBD, 0x59, 255}
	foliage = color.RGBA{0x77, 0xAB, 0x2F, 255}
	birch   = color.RGBA{0x80, 0xA7, 0x55, 255}
	spruce  = color.RGBA{0x61, 0x99, 0x61, 255}
	water   = color.RGBA{0x3F, 0x76, 0xE4, 255}
)

// tintOf returns what tints a block by its name without namespace.
func tintOf(block string) color.RGBA {
	switch {
	case strings.HasPrefix(block, "birch_leaves"), strings.HasPrefix(block, "leaves_birch"):
		return birch
	case strings.HasPrefix(block, "spruce_leaves"), strings.HasPrefix(block, "leaves_spruce"):
		return spruce
	case strings.Contains(block, "leaves"), strings.Contains(block, "vine"):
		return foliage
	case strings.HasPrefix(block, "water"), block == "bubble_column":
		return water
	}
	return grass
}

// frames has for each side the directions in which its pixels go to the right and down.
var frames = [sides][2][3]int{
	west:  {{0, 0, 1}, {0, -1, 0}},
	east:  {{0, 0, -1}, {0, -1, 0}},
	down:  {{1, 0, 0}, {0, 0, -1}},
	up:    {{1, 0, 0}, {0, 0, 1}},
	north: {{-1, 0, 0}, {0, -1, 0}},
	south: {{1, 0, 0}, {0, -1, 0}},
}

var outward = [sides][3]int{west: {-1, 0, 0}, east: {1, 0, 0}, down: {0, -1, 0}, up: {0, 1, 0}, north: {0, 0, -1}, south: {0, 0, 1}}

// turn turns a direction by quarters about x and then about y, as states of blocks say: about x
// the north goes down, about y the north goes east.
func turn(d [3]int, x, y int) [3]int {
	for range x & 3 {
		d = [3]int{d[0], d[2], -d[1]}
	}
	for range y & 3 {
		d = [3]int{-d[2], d[1], d[0]}
	}
	return d
}

// turned returns a cube turned by quarters. With locked textures stay as the world has them.
func (c *cube) turned(x, y int, locked bool) *cube {
	if x&3 == 0 && y&3 == 0 {
		return c
	}
	out := new(cube)
	for side, t := range c {
		to := slices.Index(outward[:], turn(outward[side], x, y))
		if t == nil || locked {
			out[to] = t
			continue
		}
		right, below := turn(frames[side][0], x, y), turn(frames[side][1], x, y)
		n := new(tile)
		for j := range Edge {
			for i := range Edge {
				u, v := 2*i-Edge+1, 2*j-Edge+1 // from the middle
				at := [3]int{}
				for k := range at {
					at[k] = right[k]*u + below[k]*v
				}
				p, q := dot(at, frames[to][0]), dot(at, frames[to][1])
				n[(q+Edge-1)/2*Edge+(p+Edge-1)/2] = t[j*Edge+i]
			}
		}
		out[to] = n
	}
	return out
}

func dot(a, b [3]int) int { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
