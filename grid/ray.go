package grid

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Face is a side of a cell.
type Face uint8

// The faces, by the axis and direction they look to. Inside means that the movement
// began in the cell.
const (
	Inside Face = iota
	West        // -x
	East        // +x
	Down        // -y
	Up          // +y
	North       // -z
	South       // +z
)

func (f Face) String() string {
	return [...]string{"inside", "west", "east", "down", "up", "north", "south"}[f]
}

// faceMet returns the face that a movement along an axis (x, y, z) in a direction
// meets.
func faceMet(axis, step int) Face {
	if step > 0 {
		return West + Face(2*axis)
	}
	return East + Face(2*axis)
}

// Hit is a cell that a ray met and that does not count as empty.
type Hit struct {
	At       geom.Point
	Cell     voxel.Cell
	Distance float64 // in cells, from the ray's start to where it enters the cell
	Face     Face    // the face where the ray enters
}

// Raycast calls yield with the cells on the ray that do not count as empty, nearest
// first. It stops if yield returns false, at distance reach, or at the end of the
// range. dir may have any length except 0. Numbers that are not finite are an error.
// A chunk that is not loaded ends the ray with ErrNotLoaded. A ray along a border of
// cells is in the cells of the greater coordinate.
func (v *View) Raycast(from, dir [3]float64, reach float64, yield func(Hit) bool) error {
	r, err := newRay(from, dir)
	if err != nil {
		return err
	}
	if !(reach >= 0) || math.IsInf(reach, 1) {
		return fmt.Errorf("grid: ray: reach %v: want a length", reach)
	}
	w := walker{view: v, min: geom.Point{X: 1 << 62}}
	moved := ^0
	for r.t <= reach {
		p := geom.Point{X: r.cell[0], Y: r.cell[1], Z: r.cell[2]}
		if !inRange(p) {
			return nil
		}
		if !w.enter(p, moved) {
			return fmt.Errorf("%w: %v", ErrNotLoaded, p.Chunk())
		}
		if w.clear == 0 {
			q := p.InChunk()
			cell := w.chunk.Cell(q.X, q.Y, q.Z)
			if !v.vol.rule.Empty(cell) && !yield(Hit{p, cell, r.t, r.face}) {
				return nil
			}
		}
		moved = r.leave(w.clear)
	}
	return nil
}

// walker finds how much space around a cell is empty.
type walker struct {
	view  *View
	min   geom.Point // of the chunk
	chunk *voxel.Chunk
	gap   int // log2 of the edge of an empty cube of chunks, in cells; 0: none
	clear int // log2 of the edge of an empty cube of cells around the cell; 0: read the cell
}

// enter sets clear for p. moved holds the bits in which its coordinates differ from
// those of the previous cell. It returns false if p is not loaded.
func (w *walker) enter(p geom.Point, moved int) bool {
	if q := p.Sub(w.min); uint(q.X|q.Y|q.Z) >= geom.ChunkEdge {
		if !w.load(p.Chunk()) {
			return false
		}
		moved = ^0
	}
	if w.clear = w.gap; w.gap > 0 {
		return true
	}
	q := p.InChunk()
	for level := chunkMips; level > 0 && moved>>level != 0; level-- {
		if w.chunk.Mip(&w.view.vol.rule, level).Cell(q.X>>level, q.Y>>level, q.Z>>level) == voxel.Empty {
			w.clear = level
			return true
		}
	}
	return true
}

func (w *walker) load(pos geom.ChunkPos) bool {
	rule := &w.view.vol.rule
	c, gap := w.view.root.gap(geom.CodeOf(pos, 0))
	w.min, w.chunk, w.gap = pos.Min(), c, 0
	switch c {
	case NotLoaded:
		return false
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
	return true
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

// ray walks from cell to cell. It computes a crossing from the plane alone, so a
// leap ends in the same cell as single steps.
type ray struct {
	from, dir [3]float64
	step      [3]int
	cell      [3]int
	next      [3]float64 // where it leaves the cell, by axis
	t         float64    // where it entered the cell
	face      Face
}

func newRay(from, dir [3]float64) (*ray, error) {
	longest := 0.0
	for i := range dir {
		if !finite(from[i]) || !finite(dir[i]) {
			return nil, fmt.Errorf("grid: ray: from %v along %v: not finite", from, dir)
		}
		longest = max(longest, math.Abs(dir[i]))
	}
	if longest == 0 {
		return nil, fmt.Errorf("grid: ray: from %v: no direction", from)
	}
	r := &ray{from: from}
	if err := checkReal(from); err != nil {
		return nil, err
	}
	length := 0.0
	for i := range dir {
		r.dir[i] = dir[i] / longest
		length += r.dir[i] * r.dir[i]
	}
	for i := range dir {
		r.dir[i] /= math.Sqrt(length)
		r.cell[i] = int(math.Floor(from[i]))
		switch {
		case r.dir[i] > 0:
			r.step[i] = 1
		case r.dir[i] < 0:
			r.step[i] = -1
		}
		r.next[i] = r.exit(i, r.cell[i])
	}
	return r, nil
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// checkReal returns an error unless the place is in range.
func checkReal(at [3]float64) error {
	const n = geom.MaxChunk * geom.ChunkEdge
	for _, c := range at {
		if !(c >= -n && c <= n) {
			return fmt.Errorf("grid: %w: place %v", geom.ErrOutOfRange, at)
		}
	}
	return nil
}

// exit returns where the ray leaves the cells with this coordinate.
func (r *ray) exit(axis, cell int) float64 {
	switch r.step[axis] {
	case 0:
		return math.Inf(1)
	case 1:
		cell++
	}
	return (float64(cell) - r.from[axis]) / r.dir[axis]
}

// leave moves to the first cell beyond the cube of 1<<shift cells an edge around the
// cell. It returns the bits in which coordinates differ.
func (r *ray) leave(shift int) int {
	before, last, out := r.cell, r.cell, r.next
	if shift > 0 {
		for i := range last {
			last[i] &^= 1<<shift - 1
			if r.step[i] > 0 {
				last[i] |= 1<<shift - 1
			}
			out[i] = r.exit(i, last[i])
		}
	}
	axis := 0
	for i := 1; i < 3; i++ {
		if out[i] < out[axis] {
			axis = i
		}
	}
	r.t, r.face = out[axis], faceMet(axis, r.step[axis])
	r.cell[axis] = last[axis] + r.step[axis]
	r.next[axis] = r.exit(axis, r.cell[axis])
	if shift > 0 {
		for i := range last {
			if i != axis && r.step[i] != 0 {
				r.slide(i, last[i], i < axis)
			}
		}
	}
	return before[0] ^ r.cell[0] | before[1] ^ r.cell[1] | before[2] ^ r.cell[2]
}

// slide moves the cell along an axis to its place at t, at most to last. It crosses
// a plane at t itself if first is set.
func (r *ray) slide(axis, last int, first bool) {
	step, from := r.step[axis], r.cell[axis]
	at := int(math.Floor(r.from[axis] + r.dir[axis]*r.t))
	at = min(max(at, min(from, last)), max(from, last))
	left := func(cell int) bool {
		t := r.exit(axis, cell)
		return t < r.t || t == r.t && first
	}
	for at != last && left(at) {
		at += step
	}
	for at != from && !left(at-step) {
		at -= step
	}
	r.cell[axis], r.next[axis] = at, r.exit(axis, at)
}
