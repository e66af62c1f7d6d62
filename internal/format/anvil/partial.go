package anvil

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
)

// Region is a region file of a world: one part of 32 by 32 columns.
type Region struct {
	Dimension string
	Part      string // voxel.PartChunk, PartEntities or PartPOI
	X, Z      int32  // in regions
	Path      string
}

// Regions returns the region files of the world.
func (w *Folder) Regions() (all []Region) {
	for _, d := range w.dims {
		for _, set := range d.regions {
			for kind, name := range set.paths {
				if name != "" {
					all = append(all, Region{d.name, kindParts[kind], set.x, set.z, name})
				}
			}
		}
	}
	return all
}

// Partial reports whether the folder has no level.dat. Such a folder holds some region files of
// a world and is not a whole world, unless a server writes it that makes none.
func (w *Folder) Partial() bool { return !w.hasLevel() && !w.o.Live }

// Patch returns a column in which the region files of the given parts hold new and the others
// hold old. nil is a missing column. It fails if a part and the chunk that it now belongs to
// are of different versions of the game. The result shares memory with both columns.
func Patch(old, new *voxel.Column, said []string) (*voxel.Column, error) {
	var from [kinds]*voxel.Column
	for kind, part := range kindParts {
		if from[kind] = old; slices.Contains(said, part) {
			from[kind] = new
		}
	}
	chunk, entities, points := from[kindChunk], from[kindEntities], from[kindPOI]
	out := voxel.Column{}
	some := chunk != nil && ofChunk(chunk)
	if some {
		out = *chunk
		out.Layout &^= layoutEntities
	}
	out.Lists, out.Parts = nil, nil
	if chunk != nil {
		out.Lists = append(out.Lists, lists(chunk, false)...)
		out.Parts = append(out.Parts, parts(chunk, voxel.PartChunk)...)
	}
	if entities != nil {
		if l := lists(entities, true); len(l) > 0 || len(parts(entities, voxel.PartEntities)) > 0 {
			if some && out.Version != entities.Version {
				return nil, fmt.Errorf("anvil: column %v: a chunk of version %d and entities of version %d: both must be given", entities.Pos, out.Version, entities.Version)
			}
			out.Version = entities.Version
			out.Layout |= entities.Layout & layoutEntities
			out.Lists = append(out.Lists, l...)
			out.Parts = append(out.Parts, parts(entities, voxel.PartEntities)...)
		}
	}
	if points != nil {
		out.Parts = append(out.Parts, parts(points, voxel.PartPOI)...)
	}
	if len(out.Sections) == 0 && len(out.Lists) == 0 && len(out.Parts) == 0 {
		return nil, nil
	}
	for _, c := range from {
		if c != nil {
			out.Pos = c.Pos
		}
	}
	return &out, nil
}

// ofChunk reports whether a column has data of a chunk.
func ofChunk(c *voxel.Column) bool {
	return len(c.Sections) > 0 || len(parts(c, voxel.PartChunk)) > 0 || len(lists(c, false)) > 0
}

// lists returns a column's lists, those of region files of entities or the
// others.
func lists(c *voxel.Column, entities bool) []voxel.List {
	return slices.DeleteFunc(slices.Clone(c.Lists), func(l voxel.List) bool {
		return (l.Name == voxel.Entities && c.Version >= versionEntities) != entities
	})
}

// parts returns a column's parts of a kind of region file. Those of no kind
// belong to the chunk.
func parts(c *voxel.Column, kind string) []voxel.Part {
	return slices.DeleteFunc(slices.Clone(c.Parts), func(p voxel.Part) bool {
		known := p.Name == voxel.PartEntities || p.Name == voxel.PartPOI
		return p.Name != kind && (known || kind != voxel.PartChunk)
	})
}
