package grid

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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

// Hit is a cell whose matter a ray met.
type Hit struct {
	At       geom.Point
	Cell     voxel.Cell
	Distance float64 // in cells, from the ray's start to where it meets the matter
	Face     Face    // the side of the matter where the ray enters
}

// Raycast calls yield with the cells whose matter is on the ray, nearest
// first. It stops if yield returns false, at distance reach, or at the end of the
// range. dir may have any length except 0. Numbers that are not finite are an error.
// A chunk that is not loaded ends the ray with ErrNotLoaded. A ray along a border of
// cells is in the cells of the greater coordinate.
func (v *View) Raycast(from, dir [3]float64, reach float64, yield func(Hit) bool) error {
	return v.space(true).Raycast(from, dir, reach, yield)
}

// Raycast is that of a View.
func (s *Space) Raycast(from, dir [3]float64, reach float64, yield func(Hit) bool) error {
	r, err := newRay(from, dir)
	if err != nil {
		return err
	}
	if !(reach >= 0) || math.IsInf(reach, 1) {
		return fmt.Errorf("grid: ray: reach %v: want a length", reach)
	}
	for r.t <= reach {
		p := geom.Point{X: r.cell[0], Y: r.cell[1], Z: r.cell[2]}
		if !inRange(p) {
			return nil
		}
		cell, clear, known := s.Source.Look(p)
		if !known {
			return fmt.Errorf("%w: %v", ErrNotLoaded, p.Chunk())
		}
		if clear == 0 && !s.Rule.Empty(cell) {
			t, face, met := r.t, r.face, true
			if full := s.Rule.Fullness(cell); full < voxel.Whole {
				t, face, met = r.meet(s.matter(p, full))
			}
			if met && t <= reach && !yield(Hit{p, cell, t, face}) {
				return nil
			}
		}
		r.leave(clear)
	}
	return nil
}

// meet returns where the ray, which is in a cell, enters a box within it.
func (r *ray) meet(low, high [3]float64) (t float64, face Face, met bool) {
	t, face = r.t, r.face
	leave := math.Inf(1)
	for i, d := range r.dir {
		in, out := (low[i]-r.from[i])/d, (high[i]-r.from[i])/d
		switch {
		case d == 0:
			if r.from[i] < low[i] || r.from[i] >= high[i] {
				return 0, 0, false
			}
			continue
		case d < 0:
			in, out = out, in
		}
		if in > t || in == 0 && d < 0 && face == Inside { // at its upper side, which is not in it
			t, face = max(in, 0), faceMet(i, r.step[i])
		}
		leave = min(leave, out)
	}
	return t, face, t < leave
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
// cell.
func (r *ray) leave(shift int) {
	last, out := r.cell, r.next
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
