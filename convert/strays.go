package convert

import (
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// footprint is where a stack of chunks stands, counted in chunks.
type footprint struct{ x, z int32 }

func footprintOf(pos geom.ColumnPos) footprint { return footprint{pos.X >> 1, pos.Z >> 1} }

// footprints returns the heights of a volume's chunks by where they stand, ascending.
func (v *Volume) footprints() map[footprint][]int32 {
	out := map[footprint][]int32{}
	if v == nil {
		return out
	}
	for pos := range v.Chunks {
		at := footprint{pos.X, pos.Z}
		out[at] = append(out[at], pos.Y)
	}
	for _, ys := range out {
		slices.Sort(ys)
	}
	return out
}

// columnsToSend returns the dimension's columns, and one of the highest data
// version for each place where blocks stand that has none, in ascending order.
func (s *sender) columnsToSend(d *Dimension) []voxel.Column {
	have, version := map[geom.ColumnPos]bool{}, int32(0)
	for i := range d.Columns {
		have[d.Columns[i].Pos] = true
		version = max(version, d.Columns[i].Version)
	}
	if len(have) == 0 {
		return nil
	}
	out := slices.Clip(d.Columns)
	for at, ys := range s.footprints {
		for i := range int32(4) {
			pos := geom.ColumnPos{X: at.x<<1 + i&1, Z: at.z<<1 + i>>1}
			if !have[pos] && slices.ContainsFunc(ys, func(y int32) bool { return s.matter(pos, int(y)*2) || s.matter(pos, int(y)*2+1) }) {
				out = append(out, voxel.Column{Pos: pos, Version: version})
			}
		}
	}
	if len(out) > len(d.Columns) {
		slices.SortStableFunc(out, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	}
	return out
}

// sections returns the column's sections, and those that have blocks unsaid: a
// column lists what its source had, and somebody may have built beside that.
func (s *sender) sections(c *voxel.Column) ([]voxel.Section, error) {
	out := c.Sections
	var said [256]bool
	for _, sec := range out {
		said[uint8(sec.Y)] = said[uint8(sec.Y)] || sec.Has&voxel.HasBlock != 0
	}
	for _, chunk := range s.footprints[footprintOf(c.Pos)] {
		for y := 2 * int(chunk); y < 2*int(chunk)+2; y++ {
			switch fits := int(int8(y)) == y; {
			case fits && said[uint8(y)] || !s.matter(c.Pos, y):
			case !fits:
				return nil, fmt.Errorf("blocks at height %d, where no section can be", y*16)
			default:
				out = withBlocks(out, int8(y))
			}
		}
	}
	return out, nil
}

// withBlocks returns a copy of sections of which one at y has blocks.
func withBlocks(sections []voxel.Section, y int8) []voxel.Section {
	out := slices.Clone(sections)
	i := slices.IndexFunc(out, func(s voxel.Section) bool { return s.Y == y })
	if i < 0 {
		return append(out, voxel.Section{Y: y, Has: voxel.HasBlock})
	}
	out[i].Has |= voxel.HasBlock
	return out
}

// matter reports whether a section, listed or not, has a block.
func (s *sender) matter(pos geom.ColumnPos, section int) bool {
	air := s.block.Default
	at := pos.Min(section * 16)
	if cell, ok := s.block.uniform(at.Chunk()); ok {
		return cell != air
	}
	chunk, in := s.block.Chunks[at.Chunk()], at.InChunk()
	var buf [64]voxel.Cell
	for y := in.Y; y < in.Y+16; y++ {
		if cell, ok := chunk.SliceUniform(y); ok {
			if cell != air {
				return true
			}
			continue
		}
		for z := in.Z; z < in.Z+16; z++ {
			if slices.ContainsFunc(chunk.Row(y, z, &buf)[in.X:in.X+16], func(c voxel.Cell) bool { return c != air }) {
				return true
			}
		}
	}
	return false
}
