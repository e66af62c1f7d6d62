package port

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// NetherTop is a height below the ceiling of the game's nether. Pictures from above show what
// is below it.
const NetherTop = 100

// ErrNothing says that a world has no blocks to draw.
var ErrNothing = errors.New("the world has no blocks to draw")

// IsMatter reports whether a volume holds the solid content of a world: its name is "block" or
// "solid".
func IsMatter(volume string) bool { return slices.Contains([]string{"block", "solid"}, volume) }

// liquid is the volume that is drawn beside matter.
const liquid = "liquid"

// View is a dimension of a world in the form that package picture draws.
type View struct {
	Dimension string
	Schema    voxel.Schema
	// Names are the names of cells, or of materials in a Terrain volume.
	Names          []string
	matter, liquid *convert.Volume // liquid may be nil
	bounds         geom.Box
}

// ViewOf reads what is drawn of a dimension, and nothing else. Without a name it takes the
// first dimension with chunks. Errors are ErrNothing, a *DimensionError and, above maxBytes of
// memory, convert.ErrTooLarge; 0 is no bound.
func ViewOf(ctx context.Context, c stone.Content, name string, maxBytes int64) (*View, error) {
	missing := &DimensionError{Want: name}
	for _, d := range c.About().Dimensions {
		missing.Have = append(missing.Have, d.Name)
		if name != "" && d.Name != name {
			continue
		}
		if name == "" && !hasMatter(c, d) {
			continue
		}
		w, err := convert.FromContentWithin(ctx, drawn{c, d}, maxBytes)
		if err != nil {
			return nil, err
		}
		for _, v := range w.Dimensions[0].Volumes {
			if IsMatter(v.Volume.Name) {
				return &View{d.Name, v.Schema, v.Names, v, w.Dimensions[0].Volume(liquid), BoundsOf(v)}, nil
			}
		}
	}
	if name == "" {
		return nil, ErrNothing
	}
	return nil, missing
}

// hasMatter reports whether a volume of matter in the dimension has chunks.
func hasMatter(c stone.Content, d stone.Dimension) bool {
	for _, v := range d.Volumes {
		if IsMatter(v.Volume.Name) && hasChunks(c, d.Name, v.Volume.Name) {
			return true
		}
	}
	return false
}

// hasChunks reports whether a volume has chunks.
func hasChunks(c stone.Content, dim, vol string) bool {
	for _, holds := range c.Entries(dim, vol, 0) {
		if holds {
			return true
		}
	}
	return false
}

// drawn is a dimension reduced to its volumes of matter and liquid.
type drawn struct {
	stone.Content
	dimension stone.Dimension
}

func (d drawn) About() stone.About {
	dim := d.dimension
	dim.Volumes = slices.DeleteFunc(slices.Clone(dim.Volumes), func(v stone.Volume) bool {
		return !IsMatter(v.Volume.Name) && v.Volume.Name != liquid
	})
	return stone.About{Dimensions: []stone.Dimension{dim}}
}

func (d drawn) Columns(context.Context, string) iter.Seq2[*voxel.Column, error] {
	return func(func(*voxel.Column, error) bool) {}
}

// BoundsOf returns the box around the chunks of a volume.
func BoundsOf(v *convert.Volume) (b geom.Box) {
	for pos := range v.Chunks {
		b = b.Union(pos.Box())
	}
	return b
}

// Bounds returns the box around all chunks.
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
