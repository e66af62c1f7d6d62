package relight

import (
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// allLight is both kinds of light.
const allLight = voxel.HasSky | voxel.HasLight

// A Model learns how the blocks of a world emit and absorb light. The zero Model knows nothing:
// begin with one again when a cell may have another name than before.
// It is not safe for concurrent use.
type Model struct {
	work    light.Relight
	learned map[string]*learned // by dimension
}

// learned is the matters of a dimension's blocks.
type learned struct {
	matters light.Matters
	known   []bool // by cell
}

// learnChunks is how many chunks near a change are learned from at most.
const learnChunks = 64

// learn returns the matters of the dimension's blocks. It learns those of the blocks around the
// change, unless all of them are known.
func (m *Model) learn(r *lightRegion, boxes []geom.Box) light.Matters {
	if m.learned == nil {
		m.learned = make(map[string]*learned)
	}
	s := m.learned[r.Name]
	if s == nil {
		s = &learned{slices.Clone(r.Matters), slices.Repeat([]bool{true}, len(r.Matters))}
		m.learned[r.Name] = s
	}
	near := r.near(boxes)
	counts := make([]int, len(r.Names))
	for _, pos := range near {
		if c := r.chunkBefore(pos); c != nil {
			c.AddCounts(counts)
		}
	}
	more := false
	for c, n := range counts {
		more = more || n > 0 && (c >= len(s.known) || !s.known[c])
	}
	if !more {
		return s.matters.With(r.Names)
	}
	found := light.Matters(nil).With(r.Names).Learn(r.lit(near))
	for c, n := range counts {
		for c >= len(s.known) {
			s.known, s.matters = append(s.known, false), append(s.matters, light.Opaque)
		}
		if n > 0 && !s.known[c] {
			s.known[c] = true
			if c < len(found) {
				s.matters[c] = found[c]
			}
		}
	}
	return s.matters.With(r.Names)
}

// near returns up to learnChunks of the chunks in boxes that have blocks and their
// light, in ascending order.
func (r *lightRegion) near(boxes []geom.Box) (out []geom.ChunkPos) {
	known := make(map[geom.ChunkPos]bool)
	for _, b := range boxes {
		for pos := range r.Blocks.ChunksIn(b) {
			if len(out) < learnChunks && !known[pos] && r.known(pos) != 0 {
				known[pos] = true
				out = append(out, pos)
			}
		}
	}
	return out
}

// known returns the kinds of light that a chunk has of what was there.
func (r *lightRegion) known(pos geom.ChunkPos) voxel.Has {
	if r.Column == nil {
		return allLight
	}
	var columns [4]*voxel.Column
	for i, at := range columnsOver(pos) {
		c, ok := r.Column(at)
		if !ok {
			return 0
		}
		if c != nil && r.pending.stale[at] && !r.pending.lost[at] {
			good := *c // until the change
			good.Stale = 0
			c = &good
		}
		columns[i] = c
	}
	return light.Known(pos.Y, columns)
}

// lit yields chunks with the light of what was there.
func (r *lightRegion) lit(near []geom.ChunkPos) iter.Seq[light.Lit] {
	return func(yield func(light.Lit) bool) {
		for _, pos := range near {
			lit := light.Lit{Blocks: r.chunkBefore(pos)}
			has := r.known(pos)
			if v := r.Levels[light.Sky]; v != nil && has&voxel.HasSky != 0 {
				lit.Sky, _ = v.Chunk(pos)
			}
			if v := r.Levels[light.Block]; v != nil && has&voxel.HasLight != 0 {
				lit.Light, _ = v.Chunk(pos)
			}
			if !yield(lit) {
				return
			}
		}
	}
}
