package undo

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// A step may hold the light of its blocks, where a commit computed it or a game wrote it.
// That goes back only where all of both is as the step left it: else it would be
// the light of no blocks at all, and is left to be computed.
type lightOf int

const (
	noLight lightOf = iota // the step has not both blocks and light
	holds                  // and the World holds all of them
	darkens                // and the World holds some
)

func isLight(volume string) bool { return volume == voxel.Sky || volume == voxel.Light }

// dark returns what to do with light, by dimension.
func (s *step) dark(tx *world.Tx) map[string]lightOf {
	out := make(map[string]lightOf)
	for i := range s.volumes {
		if v := &s.volumes[i]; isLight(v.volume) {
			for j := range s.volumes {
				if b := &s.volumes[j]; b.volume == voxel.Block && b.dimension == v.dimension {
					out[v.dimension] = max(out[v.dimension], b.held(tx), v.held(tx))
				}
			}
		}
	}
	return out
}

// held reports whether the World holds all that the step wrote to the volume.
func (v *volume) held(tx *world.Tx) lightOf {
	in := volumeOf(tx, v)
	if in == nil {
		return darkens
	}
	for i := range v.chunks {
		c := &v.chunks[i]
		p := c.unpack(v.schema)
		if v.names != nil {
			translate(p.new, v.tableIn(in))
			translate(p.old, v.tableIn(in))
		}
		now := make([]voxel.Cell, len(p.old))
		if !in.ReadBox(c.box(), now) {
			return darkens // and the update fails
		}
		for i, was := range p.old {
			if was != p.new[i] && now[i] != p.new[i] {
				return darkens
			}
		}
	}
	return holds
}

// tableIn returns what the step's cells are in a volume.
func (v *volume) tableIn(in *world.VolumeTx) (table []voxel.Cell) {
	for _, name := range v.names {
		table = append(table, in.Named(name))
	}
	return table
}
