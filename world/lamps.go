package world

import (
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// lamps is what blocks are to light, as far as a World learned it. It belongs to
// whoever has writer.
type lamps struct {
	work light.Relight
	seen map[string]*seen // by dimension
}

// seen is what was learned of a dimension's blocks: cells never change their names,
// but by a Restore.
type seen struct {
	matters light.Matters
	asked   []bool // by cell
}

// learnChunks is how many chunks near a change are learned from at most.
const learnChunks = 64

// learn learns what the blocks around are to light, unless all of them are known.
func (l *lamps) learn(d *dimension, g *ground, around []geom.Box) {
	if l.seen == nil {
		l.seen = make(map[string]*seen)
	}
	s := l.seen[d.name]
	if s == nil {
		s = &seen{matters: slices.Clone(d.matters)}
		for range s.matters {
			s.asked = append(s.asked, true)
		}
		l.seen[d.name] = s
	}
	near := g.near(around)
	counts := make([]int, len(g.blocks.names.list))
	for _, pos := range near {
		if c := g.chunkBefore(pos); c != nil {
			c.AddCounts(counts)
		}
	}
	more := false
	for c, n := range counts {
		more = more || n > 0 && (c >= len(s.asked) || !s.asked[c])
	}
	if !more {
		return
	}
	learned := light.Matters(nil).With(g.blocks.names.list).Learn(g.lit(d, near))
	for c, n := range counts {
		for c >= len(s.asked) {
			s.asked, s.matters = append(s.asked, false), append(s.matters, light.Opaque)
		}
		if n > 0 && !s.asked[c] {
			s.asked[c] = true
			if c < len(learned) {
				s.matters[c] = learned[c]
			}
		}
	}
}

// matters returns what the cells of a dimension's blocks are to light.
func (l *lamps) matters(d *dimension) light.Matters {
	return l.seen[d.name].matters.With(d.lightOf(voxel.Block).names.list)
}

// near returns up to learnChunks of the chunks in boxes that have blocks and their
// light, in ascending order.
func (g *ground) near(around []geom.Box) (out []geom.ChunkPos) {
	known := make(map[geom.ChunkPos]bool)
	for _, b := range around {
		for pos := range g.blocks.cells.ChunksIn(b) {
			if len(out) < learnChunks && !known[pos] && g.known(pos) != 0 {
				known[pos] = true
				out = append(out, pos)
			}
		}
	}
	return out
}

// known returns the kinds of light that a chunk has of what was there.
func (g *ground) known(pos geom.ChunkPos) voxel.Has {
	if !g.bounded() {
		return voxel.HasSky | voxel.HasLight
	}
	var columns [4]*voxel.Column
	for i, at := range columnsOver(pos) {
		c := g.columns.at(at)
		if c == unloaded {
			return 0
		}
		if c != nil && g.unlit.columns[at] && !g.unlit.lost[at] {
			good := *c // until the change
			good.Stale = 0
			c = &good
		}
		columns[i] = c
	}
	return light.Known(pos.Y, columns)
}

// lit yields chunks with the light of what was there.
func (g *ground) lit(d *dimension, near []geom.ChunkPos) iter.Seq[light.Lit] {
	return func(yield func(light.Lit) bool) {
		for _, pos := range near {
			lit := light.Lit{Blocks: g.chunkBefore(pos)}
			has := g.known(pos)
			if v := d.lightOf(voxel.Sky); v != nil && has&voxel.HasSky != 0 {
				lit.Sky, _ = v.cells.Chunk(pos)
			}
			if v := d.lightOf(voxel.Light); v != nil && has&voxel.HasLight != 0 {
				lit.Light, _ = v.cells.Chunk(pos)
			}
			if !yield(lit) {
				return
			}
		}
	}
}
