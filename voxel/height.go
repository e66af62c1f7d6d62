package voxel

import (
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Data versions of the game at which heights changed. Source: the table of DataVersions of the
// Minecraft Wiki.
const versionDeep = 2844 // 21w43a: the overworld has 24 sections, and columns list all that they may have

// OfGame reports whether a game wrote the column, or a program for a game.
func (c *Column) OfGame() bool { return c.Version != 0 || len(c.Parts) > 0 }

// Heights returns the heights that blocks of the column may have, from low up to below high. They
// follow from its sections, from the name of its dimension and from its data version. ok is false
// for a column of no game, which has no bounds: neither the chunk that a game wrote is among its
// parts, nor has it a data version and all the sections of a game.
func (c *Column) Heights(dimension string) (low, high int, ok bool) {
	from, to, n := 128, -128, 0 // in sections
	for i := range c.Sections {
		if s := &c.Sections[i]; s.Has&HasBlock != 0 {
			from, to, n = min(from, int(s.Y)), max(to, int(s.Y)+1), n+1
		}
	}
	const all = 16 // fewer sections may be what a program left of them
	written := slices.ContainsFunc(c.Parts, func(p Part) bool { return p.Name == PartChunk })
	switch {
	case !written && (c.Version == 0 || n < all):
		return 0, 0, false
	case c.Version >= versionDeep && n >= all && n == to-from:
	case c.Version >= versionDeep && dimension != "the_nether" && dimension != "the_end":
		from, to = min(from, -4), max(to, 20)
	default:
		from, to = min(from, 0), max(to, 16)
	}
	return from * geom.ColumnEdge, to * geom.ColumnEdge, true
}
