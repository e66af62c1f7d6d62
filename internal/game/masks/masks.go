// Package masks says which cells of a world an edit may change: names in masks, regions in volumes of other
// scales, and what versions changed.
package masks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Volumes returns all volumes of a world with their names.
func Volumes(w *world.View) (all []stone.VolumeInfo) {
	for _, d := range w.Dimensions() {
		for _, v := range d.Volumes() {
			all = append(all, stone.VolumeInfo{Volume: v.Volume, Names: v.Names()})
		}
	}
	return all
}

// Check returns an error if a pattern of a mask can match nothing in a world with these
// volumes: neither a block, a material nor the game has such a name, or none of them such a property.
func Check(m region.Mask, volumes []stone.VolumeInfo) error {
	var names []string
	var game *block.Table // nil: the world can get no other names
	for _, v := range volumes {
		if v.Volume.Name != voxel.Biome {
			names = append(names, v.Names...)
		}
		if v.Schema == voxel.Palette {
			game = block.Blocks()
		}
	}
	numbers := block.Numbered(names)
	for _, name := range names {
		names = append(names, block.Flat(name))
	}
	for _, text := range m.Unmatched(names) {
		word, properties, _ := strings.Cut(text, "[")
		if said := strings.TrimPrefix(word, block.Space); numbers {
			number, err := block.Number(word)
			flat, _, _ := strings.Cut(block.Flat(number), "[")
			switch {
			case strings.HasPrefix(said, "legacy:") || strings.TrimLeft(said, "0123456789") != said || flat == block.Space+said:
				continue
			case err == nil:
				return fmt.Errorf("mask %q: masks have names from 1.13 on, or numbers; did you mean %q?", text, flat)
			case !strings.Contains(word, "*"):
				return fmt.Errorf("mask %q: %w", text, err)
			}
		}
		name, err := region.ParseMask(word)
		switch {
		case err != nil:
			return err
		case len(name.Unmatched(names)) == 0:
			return fmt.Errorf("mask %q: no %s of the world has [%s", text, word, properties)
		case game != nil && len(name.Unmatched(game.Names())) == 0:
			continue
		case strings.HasPrefix(word, "#"):
			return fmt.Errorf("mask %q: the masks of WorldEdit that begin with # are not known here; !air is all that is there", text)
		}
		near := block.Near(strings.TrimPrefix(word, block.Space), func(yield func(string) bool) {
			for _, name := range slices.Concat(names, game.Names()) {
				base, _, _ := strings.Cut(strings.TrimPrefix(name, block.Space), "[")
				if base != "" && !yield(base) {
					return
				}
			}
		})
		if near != "" {
			near = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("mask %q: neither the world nor its game has such a name%s", text, near)
	}
	return nil
}

// Admitted returns by cell what the terms of a mask about names admit of a volume with those names;
// nil: all. Blocks with numbers have also the names that they have from 1.13 on.
func Admitted(m region.Mask, schema voxel.Schema, names []string) []bool {
	allowed := m.Cells(names, block.Flat)
	if allowed == nil || schema != voxel.Terrain {
		return allowed
	}
	all := make([]bool, int(voxel.MaxCell)+1)
	for c := range all { // names are those of materials
		k := voxel.Cell(c).Material()
		all[c] = int(k) < len(allowed) && allowed[k]
	}
	return all
}

// Within returns a chunk with the cells of now in a region, as far as admits is true for the cell that
// is has there, nil: for all. Its other cells are those of rest.
func Within(pos geom.ChunkPos, in region.Region, admits []bool, is, now, rest *voxel.Chunk) *voxel.Chunk {
	only := Rows(pos, in)
	var ask, out, cells [voxel.ChunkCells]voxel.Cell
	is.Flat(&ask)
	now.Flat(&cells)
	rest.Flat(&out)
	for i := range out {
		if only[i/voxel.ChunkEdge]>>(i%voxel.ChunkEdge)&1 != 0 && (admits == nil || int(ask[i]) < len(admits) && admits[ask[i]]) {
			out[i] = cells[i]
		}
	}
	return voxel.FromFlat(&out)
}

// Rows returns for each row of a chunk, y*32+z, a bit for each cell that lies in a region.
func Rows(pos geom.ChunkPos, in region.Region) *[voxel.ChunkEdge * voxel.ChunkEdge]uint32 {
	only := new([voxel.ChunkEdge * voxel.ChunkEdge]uint32)
	b := pos.Box()
	for y := range voxel.ChunkEdge {
		for z := range voxel.ChunkEdge {
			in.Spans(b.Min.Y+y, b.Min.Z+z, func(x0, x1 int) bool {
				lo, hi := max(x0-b.Min.X, 0), min(x1-b.Min.X, voxel.ChunkEdge)
				if lo < hi {
					only[y*voxel.ChunkEdge+z] |= uint32(uint64(1)<<hi - uint64(1)<<lo)
				}
				return x1 < b.Max.X
			})
		}
	}
	return only
}
