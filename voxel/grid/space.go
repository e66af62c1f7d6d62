package grid

import (
	"fmt"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Finder is where rays, sweeps and boxes find cells. A View is one by its Space.
type Finder interface {
	// Look returns the cell at p, which is in range. clear is log2 of the edge of a cube around p, aligned
	// to its edge, in which all cells count as empty, or none is known if known is false. 0
	// is the cell alone, which may have matter.
	Look(p geom.Point) (c voxel.Cell, clear int, known bool)
}

// Space is where things move and rays go. They meet matter: the box that voxel.Rule.Extent gives each
// cell, which is what surfaces show. A cell of a palette is whole, one of
// a terrain reaches as far as its occupancy says, one of a Level volume is a liquid with the height of
// its number. What is not known counts as empty beside a cell, and is an error that wraps
// ErrNotLoaded where a ray, a sweep or a box would enter it.
type Space struct {
	Source Finder
	Rule   *voxel.Rule // of the cells
}

// space returns the Space of v. far says that leaps over what is empty are worth making mips.
func (v *View) space(far bool) *Space {
	const nowhere = 1 << 62
	return &Space{&walker{view: v, far: far, min: geom.Point{X: nowhere}}, &v.vol.rule}
}

// matter returns the box of a cell's matter.
func (s *Space) matter(p geom.Point, full int) (low, high [3]float64) {
	lo, hi := s.Rule.Extent(full, func(axis, step int) bool {
		q := [3]int{p.X, p.Y, p.Z}
		q[axis] += step
		at := geom.Point{X: q[0], Y: q[1], Z: q[2]}
		if !inRange(at) {
			return false
		}
		c, _, known := s.Source.Look(at)
		return known && !s.Rule.Empty(c)
	})
	for i, c := range [3]int{p.X, p.Y, p.Z} {
		low[i], high[i] = float64(c)+float64(lo[i])/voxel.Whole, float64(c)+float64(hi[i])/voxel.Whole
	}
	return low, high
}

// each calls f with the cells of b that do not count as empty, until f returns false. The error is
// ErrNotLoaded if a part of b that it came to is not known.
func (s *Space) each(b geom.Box, f func(p geom.Point, c voxel.Cell) bool) (err error) {
	b = b.Intersect(everywhere)
	for y := b.Min.Y; y < b.Max.Y; {
		top := b.Max.Y
		for z := b.Min.Z; z < b.Max.Z; {
			side := b.Max.Z
			for x := b.Min.X; x < b.Max.X; {
				p := geom.Point{X: x, Y: y, Z: z}
				c, clear, known := s.Source.Look(p)
				if !known {
					err = fmt.Errorf("%w: %v", ErrNotLoaded, p.Chunk())
				} else if clear == 0 && !s.Rule.Empty(c) && !f(p, c) {
					return err
				}
				edge := 1 << clear
				x, side, top = (x|(edge-1))+1, min(side, (z|(edge-1))+1), min(top, (y|(edge-1))+1)
			}
			z = side
		}
		y = top
	}
	return err
}

// walker is the Source of a View.
type walker struct {
	view  *View
	far   bool
	last  geom.Point
	min   geom.Point // of the chunk
	chunk *voxel.Chunk
	gap   int // log2 of the edge of an empty cube of chunks, in cells; 0: none
}

func (w *walker) Look(p geom.Point) (c voxel.Cell, clear int, known bool) {
	// The cubes that p shares with the last place were looked at then.
	moved := p.X ^ w.last.X | p.Y ^ w.last.Y | p.Z ^ w.last.Z
	w.last = p
	if q := p.Sub(w.min); uint(q.X|q.Y|q.Z) >= geom.ChunkEdge {
		w.load(p.Chunk())
		moved = ^0
	}
	switch {
	case w.chunk == NotLoaded:
		return voxel.Empty, geom.ChunkShift, false
	case w.gap > 0:
		return voxel.Empty, w.gap, true
	}
	q := p.InChunk()
	for level := chunkMips; w.far && level > 0 && moved>>level != 0; level-- {
		if w.chunk.Mip(&w.view.vol.rule, level).Cell(q.X>>level, q.Y>>level, q.Z>>level) == voxel.Empty {
			return voxel.Empty, level, true
		}
	}
	return w.chunk.Cell(q.X, q.Y, q.Z), 0, true
}

func (w *walker) load(pos geom.ChunkPos) {
	rule := &w.view.vol.rule
	c, gap := w.view.tree().gap(geom.CodeOf(pos, 0))
	w.min, w.chunk, w.gap = pos.Min(), c, 0
	switch c {
	case NotLoaded:
	case nil:
		w.chunk = w.view.vol.filler
		if rule.Empty(w.view.vol.def) {
			w.gap = gap + geom.ChunkShift
		}
	default:
		if v, ok := c.Uniform(); ok && rule.Empty(v) {
			w.gap = geom.ChunkShift
		}
	}
}

// gap returns the chunk in the map. If there is none, it returns nil and log2 of the
// edge in chunks of an empty cube around it.
func (n *node) gap(code geom.Code) (*voxel.Chunk, int) {
	for n != nil {
		if !n.covers(code) {
			return nil, (bits.Len64(uint64(code^n.low())) - 1) / 3
		}
		i := n.number(code)
		k, ok := n.place(i)
		switch shift := int(n.shift) / 3; {
		case ok && n.shift == 0:
			return n.chunks[k], 0
		case ok:
			n = n.kids[k]
		case n.mask[i>>6] == 0:
			return nil, shift + 2
		case byte(n.mask[i>>6]>>(i&0x38)) == 0:
			return nil, shift + 1
		default:
			return nil, shift
		}
	}
	return nil, geom.MaxDepth
}
