package port

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// NetherTop is below the ceiling of the game's nether: what a picture from above
// shows of it lies lower.
const NetherTop = 100

// ErrNothing says that a world has no blocks to draw.
var ErrNothing = errors.New("the world has no blocks to draw")

// IsMatter reports whether a volume's cells are what a world is built of.
func IsMatter(volume string) bool { return slices.Contains([]string{"block", "solid"}, volume) }

// liquid is the volume beside matter that is drawn too.
const liquid = "liquid"

// View is a dimension of a world as package picture draws it.
type View struct {
	Dimension string
	Schema    voxel.Schema
	// Names are those of cells, of a Terrain volume those of materials.
	Names          []string
	matter, liquid *convert.Volume // liquid may be nil
	bounds         geom.Box
}

// ViewOf returns the view of the dimension of that name, of the first with chunks
// if there is no name. Errors are ErrNothing and a *DimensionError.
func ViewOf(w *convert.World, name string) (*View, error) {
	e := &DimensionError{Want: name}
	for _, d := range w.Dimensions {
		e.Have = append(e.Have, d.Name)
		for _, v := range d.Volumes {
			if IsMatter(v.Volume.Name) && (d.Name == name || name == "" && len(v.Chunks) > 0) {
				return &View{d.Name, v.Schema, v.Names, v, d.Volume(liquid), BoundsOf(v)}, nil
			}
		}
	}
	if name == "" {
		return nil, ErrNothing
	}
	return nil, e
}

// BoundsOf is the box of the chunks of a volume.
func BoundsOf(v *convert.Volume) (b geom.Box) {
	for pos := range v.Chunks {
		b = b.Union(pos.Box())
	}
	return b
}

// Bounds is the box of all chunks.
func (v *View) Bounds() geom.Box { return v.bounds }

// Chunk returns the chunk at pos.
func (v *View) Chunk(pos geom.ChunkPos) *voxel.Chunk { return v.matter.Chunks[pos] }

// Liquid returns the chunk of liquid at pos.
func (v *View) Liquid(pos geom.ChunkPos) *voxel.Chunk {
	if v.liquid == nil {
		return nil
	}
	return v.liquid.Chunks[pos]
}

// Name returns the name of a cell.
func (v *View) Name(c voxel.Cell) string {
	n := int(c)
	if v.Schema == voxel.Terrain {
		n = int(c.Material())
	}
	if n >= len(v.Names) {
		return fmt.Sprint("material ", n)
	}
	return v.Names[n]
}
