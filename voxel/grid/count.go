package grid

import (
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Count returns how often each cell occurs in r. It returns false if part of r is
// not loaded. Cells of chunks that are all default are missing from the map;
// region.Count gives the total.
func (v *View) Count(r region.Region) (map[voxel.Cell]int, bool) {
	counts, known, ok := v.count(r)
	if !ok {
		return nil, false
	}
	counts.add(v.vol.def, region.Count(r)-known)
	out := make(map[voxel.Cell]int)
	for cell, n := range counts {
		if n > 0 {
			out[voxel.Cell(cell)] = n
		}
	}
	return out, true
}

// CountNonEmpty returns how many cells of r do not count as empty. It returns false
// if part of r is not loaded.
func (v *View) CountNonEmpty(r region.Region) (int, bool) {
	counts, known, ok := v.count(r)
	n := 0
	for cell, k := range counts {
		if k > 0 && !v.vol.rule.Empty(voxel.Cell(cell)) {
			n += k
		}
	}
	if ok && !v.vol.rule.Empty(v.vol.def) {
		n += region.Count(r) - known
	}
	return n, ok
}

// tally is how often each cell occurs.
type tally []int

func (t *tally) add(v voxel.Cell, n int) {
	t.grow(int(v) + 1)
	(*t)[v] += n
}

func (t *tally) grow(n int) {
	if len(*t) < n {
		*t = append(*t, make([]int, n-len(*t))...)
	}
}

// count counts the cells of r in known chunks, by cell and in total.
func (v *View) count(r region.Region) (counts tally, known int, ok bool) {
	s, any := spanOf(r.Bounds(), 0)
	if !any {
		return nil, 0, true
	}
	if v.tree().anyMissing(&s) && v.missing(r, s) {
		return nil, 0, false
	}
	add := func(pos geom.ChunkPos, c *voxel.Chunk, cover region.Cover) {
		if cover == region.Whole {
			counts.grow(int(voxel.MaxCell) + 1)
			c.AddCounts(counts)
			known += voxel.ChunkCells
			return
		}
		eachRun(r, pos, func(run geom.Box) {
			counts.addBox(c, run)
			known += run.Cells()
		})
	}
	if s.over(v.Len()) {
		v.tree().walk(&s, func(code geom.Code, c *voxel.Chunk) bool {
			if cover := region.CoverOf(r, code.Pos().Box()); cover != 0 && c != NotLoaded {
				add(code.Pos(), c, cover)
			}
			return true
		})
		return counts, known, true
	}
	for pos, cover := range region.Chunks(r) {
		if c := v.tree().find(geom.CodeOf(pos, 0)); c != nil && c != NotLoaded {
			add(pos, c, cover)
		}
	}
	return counts, known, true
}

// missing reports whether r has a cell in a chunk within s that is not loaded.
func (v *View) missing(r region.Region, s span) bool {
	return !v.tree().walk(&s, func(code geom.Code, c *voxel.Chunk) bool {
		return c != NotLoaded || !holds(r, code.Pos())
	})
}

// addBox counts the cells of a box within c.
func (t *tally) addBox(c *voxel.Chunk, in geom.Box) {
	var buf [64]voxel.Cell
	for y := in.Min.Y; y < in.Max.Y; y++ {
		if v, ok := c.SliceUniform(y); ok {
			t.add(v, (in.Max.X-in.Min.X)*(in.Max.Z-in.Min.Z))
			continue
		}
		for z := in.Min.Z; z < in.Max.Z; z++ {
			for _, v := range c.Row(y, z, &buf)[in.Min.X:in.Max.X] {
				t.add(v, 1)
			}
		}
	}
}
