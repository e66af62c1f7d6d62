package grid

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Overlap reports whether the box from low to high, in cells, overlaps a cell that
// does not count as empty. Touching is not overlapping. A point lies in one cell. If
// it finds none and a chunk is not loaded, the error wraps ErrNotLoaded.
func (v *View) Overlap(low, high [3]float64) (bool, error) {
	b, err := cellsOf(low, high)
	if err != nil {
		return false, err
	}
	_, found, err := v.matter(b)
	return found, err
}

// cellsOf returns the cells that a box of real numbers overlaps.
func cellsOf(low, high [3]float64) (geom.Box, error) {
	var lo, hi [3]int
	for i := range low {
		if !(low[i] <= high[i]) {
			return geom.Box{}, fmt.Errorf("grid: box from %v to %v: no box", low, high)
		}
	}
	if err := checkReal(low); err != nil {
		return geom.Box{}, err
	}
	if err := checkReal(high); err != nil {
		return geom.Box{}, err
	}
	for i := range low {
		lo[i] = int(math.Floor(low[i]))
		hi[i] = max(int(math.Ceil(high[i])), lo[i]+1)
	}
	return boxOf(lo, hi), nil
}

func boxOf(lo, hi [3]int) geom.Box {
	return geom.Box{Min: geom.Point{X: lo[0], Y: lo[1], Z: lo[2]}, Max: geom.Point{X: hi[0], Y: hi[1], Z: hi[2]}}
}

// matter looks for a cell of b that does not count as empty.
func (v *View) matter(b geom.Box) (at geom.Point, found bool, err error) {
	look := func(pos geom.ChunkPos, c *voxel.Chunk, in geom.Box) bool {
		if c == nil {
			err = fmt.Errorf("%w: %v", ErrNotLoaded, pos)
			return true
		}
		at, found = v.matterIn(c, inChunk(in))
		at = at.Add(pos.Min())
		return !found
	}
	b = b.Intersect(everywhere)
	s, ok := spanOf(b, 0)
	switch {
	case !ok:
	case v.vol.rule.Empty(v.vol.def) && s.over(8):
		v.root.walk(&s, func(code geom.Code, c *voxel.Chunk) bool {
			if c == NotLoaded {
				c = nil
			}
			return look(code.Pos(), c, b.Intersect(code.Box()))
		})
	default:
		pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
			return look(pos, v.chunk(pos), in)
		})
	}
	if found {
		err = nil
	}
	return at, found, err
}

// matterIn is matter for a box in one chunk.
func (v *View) matterIn(c *voxel.Chunk, in geom.Box) (geom.Point, bool) {
	const few = 64
	if cell, ok := c.Uniform(); ok {
		return in.Min, !v.vol.rule.Empty(cell)
	}
	if in.Cells() <= few {
		return v.matterBelow(c, 0, in)
	}
	return v.matterBelow(c, chunkMips, in)
}

// matterBelow looks for matter in a box of cells in a chunk, starting with the
// chunk's mip at a level.
func (v *View) matterBelow(c *voxel.Chunk, level int, in geom.Box) (geom.Point, bool) {
	for y := in.Min.Y >> level; y <= (in.Max.Y-1)>>level; y++ {
		for z := in.Min.Z >> level; z <= (in.Max.Z-1)>>level; z++ {
			for x := in.Min.X >> level; x <= (in.Max.X-1)>>level; x++ {
				at := geom.Point{X: x << level, Y: y << level, Z: z << level}
				if level == 0 {
					if !v.vol.rule.Empty(c.Cell(x, y, z)) {
						return at, true
					}
					continue
				}
				if c.Mip(&v.vol.rule, level).Cell(x, y, z) == voxel.Empty {
					continue
				}
				edge := 1 << level
				cube := geom.Box{Min: at, Max: at.Add(geom.Point{X: edge, Y: edge, Z: edge})}
				if p, ok := v.matterBelow(c, level-1, cube.Intersect(in)); ok {
					return p, true
				}
			}
		}
	}
	return geom.Point{}, false
}

// Contact says where a moving box met a cell that does not count as empty.
type Contact struct {
	At       geom.Point // one of the cells met
	Fraction float64    // of the motion, 0..1
	Face     Face       // of the cell; Inside if the box overlapped it from the start
}

// Sweep moves the box from low to high, in cells, by motion and returns the first
// contact. It returns false if there is none. Sliding along a face is no contact,
// and touching at the end of the motion is none. If a chunk on the way is not
// loaded, the error wraps ErrNotLoaded.
func (v *View) Sweep(low, high, motion [3]float64) (Contact, bool, error) {
	var end [2][3]float64
	for i := range motion {
		end[0][i], end[1][i] = low[i]+motion[i], high[i]+motion[i]
	}
	if _, err := cellsOf(end[0], end[1]); err != nil {
		return Contact{}, false, err
	}
	b, err := cellsOf(low, high)
	if err != nil {
		return Contact{}, false, err
	}
	if at, found, err := v.matter(b); found || err != nil {
		return Contact{At: at}, found, err
	}
	s := newSweep(low, high, motion, b)
	for {
		t, axis := s.first()
		if !(t < 1) {
			return Contact{}, false, nil
		}
		at, found, err := v.matter(s.enter(t, axis))
		if found || err != nil {
			return Contact{at, t, faceMet(axis, s.step[axis])}, found, err
		}
	}
}

// sweep is a box that moves from layer to layer of cells.
type sweep struct {
	lead, trail, motion [3]float64 // faces in front and behind, by axis
	step                [3]int
	ahead, behind       [3]int // the cells that hold these faces
}

func newSweep(low, high, motion [3]float64, b geom.Box) *sweep {
	s := &sweep{lead: high, trail: low, motion: motion}
	s.behind = [3]int{b.Min.X, b.Min.Y, b.Min.Z}
	s.ahead = [3]int{b.Max.X - 1, b.Max.Y - 1, b.Max.Z - 1}
	for i, m := range motion {
		switch {
		case m > 0:
			s.step[i] = 1
		case m < 0:
			s.step[i] = -1
			s.lead[i], s.trail[i] = low[i], high[i]
			s.ahead[i], s.behind[i] = s.behind[i], s.ahead[i]
		}
	}
	return s
}

// first returns when the box enters its next layer, and along which axis.
func (s *sweep) first() (float64, int) {
	t, axis := math.Inf(1), 0
	for i, step := range s.step {
		if step == 0 {
			continue
		}
		border := float64(s.ahead[i])
		if step > 0 {
			border++
		}
		if at := (border - s.lead[i]) / s.motion[i]; at < t {
			t, axis = at, i
		}
	}
	return t, axis
}

// enter moves to t and returns the cells of the entered layer.
func (s *sweep) enter(t float64, axis int) geom.Box {
	s.ahead[axis] += s.step[axis]
	var lo, hi [3]int
	for i, step := range s.step {
		if i == axis {
			lo[i], hi[i] = s.ahead[i], s.ahead[i]+1
			continue
		}
		at := s.trail[i] + s.motion[i]*t
		switch {
		case step > 0:
			s.behind[i] = int(math.Floor(at))
		case step < 0:
			s.behind[i] = int(math.Ceil(at)) - 1
		}
		lo[i], hi[i] = min(s.ahead[i], s.behind[i]), max(s.ahead[i], s.behind[i])+1
	}
	return boxOf(lo, hi)
}
