package grid

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Contact says where a box met matter.
type Contact struct {
	At        geom.Point // one of the cells met
	Cell      voxel.Cell
	Fraction  float64    // of the motion, 0..1
	Face      Face       // of the matter; Inside if the box overlapped it from the start
	Low, High [3]float64 // the matter of the cell: of a liquid, High[1] is its level
}

// Overlap returns a contact of the box from low to high, in cells, with matter that it overlaps. It
// returns false if there is none. Touching is not overlapping. A point lies in one cell. If
// it finds none and a chunk is not loaded, the error wraps ErrNotLoaded.
func (v *View) Overlap(low, high [3]float64) (Contact, bool, error) {
	return v.space(true).Overlap(low, high)
}

// Overlap is that of a View.
func (s *Space) Overlap(low, high [3]float64) (c Contact, met bool, err error) {
	b, err := cellsOf(low, high)
	if err != nil {
		return c, false, err
	}
	err = s.each(b, func(p geom.Point, cell voxel.Cell) bool {
		c = s.contact(p, cell)
		met = c.overlaps(low, high)
		return !met
	})
	if met {
		return c, true, nil
	}
	return Contact{}, false, err
}

func (s *Space) contact(p geom.Point, cell voxel.Cell) Contact {
	c := Contact{At: p, Cell: cell}
	c.Low, c.High = s.matter(p, s.Rule.Fullness(cell))
	return c
}

// overlaps reports whether a box overlaps the matter.
func (c *Contact) overlaps(low, high [3]float64) bool {
	return !c.beside(0, low, high) && !c.beside(1, low, high) && !c.beside(2, low, high)
}

// beside reports whether a box, which may be a point there, lies beside the matter along an axis.
func (c *Contact) beside(axis int, low, high [3]float64) bool {
	l, h := low[axis], high[axis]
	return l >= c.High[axis] || h < c.Low[axis] || h == c.Low[axis] && l < h
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

// Sweep moves the box from low to high, in cells, by motion and returns the first
// contact. It returns false if there is none. Sliding along a face is no contact,
// and touching at the end of the motion is none. If a chunk on the way is not
// loaded, the error wraps ErrNotLoaded.
func (v *View) Sweep(low, high, motion [3]float64) (Contact, bool, error) {
	return v.space(false).Sweep(low, high, motion)
}

// Sweep is that of a View.
func (s *Space) Sweep(low, high, motion [3]float64) (Contact, bool, error) {
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
	w := newSweep(low, high, motion, b)
	best := Contact{Fraction: 1}
	found := false
	for t, axis := 0.0, -1; t < best.Fraction; t, axis = w.first() {
		if axis >= 0 {
			b = w.enter(t, axis)
		}
		err := s.each(b, func(p geom.Point, cell voxel.Cell) bool {
			c := s.contact(p, cell)
			if met := w.meet(&c, t, axis); met && c.Fraction < best.Fraction {
				best, found = c, true
			}
			return best.Fraction > t
		})
		if err != nil && best.Fraction > t {
			return Contact{}, false, err
		}
	}
	if !found {
		return Contact{}, false, nil
	}
	return best, true, nil
}

// sweep is a box that moves from layer to layer of cells.
type sweep struct {
	low, high           [3]float64 // at the start
	lead, trail, motion [3]float64 // faces in front and behind, by axis
	step                [3]int
	ahead, behind       [3]int // the cells that hold these faces
}

func newSweep(low, high, motion [3]float64, b geom.Box) *sweep {
	s := &sweep{low: low, high: high, lead: high, trail: low, motion: motion}
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

// meet sets when and where the box meets the matter of a cell, which it begins to overlap at t along
// an axis, or which it overlaps from the start if the axis is -1. It returns false if it never does.
func (s *sweep) meet(c *Contact, t float64, axis int) bool {
	c.Fraction, c.Face = t, Inside
	if axis >= 0 {
		c.Face = faceMet(axis, s.step[axis])
	} else if c.overlaps(s.low, s.high) {
		return true
	}
	leave := math.Inf(1)
	for i, m := range s.motion {
		in, out := (c.Low[i]-s.high[i])/m, (c.High[i]-s.low[i])/m
		switch {
		case m == 0:
			if c.beside(i, s.low, s.high) {
				return false
			}
			continue
		case m < 0:
			in, out = out, in
		}
		if in > c.Fraction || in == 0 && c.Face == Inside { // which touched it at the start
			c.Fraction, c.Face = max(in, 0), faceMet(i, s.step[i])
		}
		leave = min(leave, out)
	}
	return c.Fraction < leave
}
