package brush

import (
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Smooth evens out the surface of matter within a shape: bumps go, hollows fill, and flat
// surfaces stay. A cell that was empty gets the most common material around it.
type Smooth struct {
	Shape  Shape
	Passes int // default 1
}

// Bounds returns the cells of the shape and those next to them.
func (s Smooth) Bounds() geom.Box { return grown(s.Shape.region().Bounds()) }

// Apply smooths. A cell becomes S/9 - 1 full, where S is the sum of the fullness of the cell
// and the 26 around it: their mean, with its distance from one half tripled.
func (s Smooth) Apply(v *world.VolumeTx) error {
	if s.Passes < 0 {
		return fmt.Errorf("brush: smooth: %d passes", s.Passes)
	}
	for range max(s.Passes, 1) {
		s.Shape.pass(v, func(a *around, i int) int { return a.sum(i)/9 - Whole })
	}
	return nil
}

// Erode removes matter from every surface within a shape.
type Erode struct {
	Shape Shape
	By    float64 // how many cells a surface moves back; default 1; in palettes rounded up
}

// Bounds returns the cells of the shape and those next to them.
func (e Erode) Bounds() geom.Box { return grown(e.Shape.region().Bounds()) }

// Apply erodes. A cell loses By less what the emptiest of the 6 cells next to it holds.
func (e Erode) Apply(v *world.VolumeTx) error {
	return e.Shape.move(v, "erode", e.By, func(by int) kernel {
		return func(a *around, i int) int {
			least, _ := a.next(i)
			return int(a.full[i]) - max(0, by-least)
		}
	})
}

// Grow puts matter on every surface within a shape: the most common material around.
type Grow struct {
	Shape Shape
	By    float64 // how many cells a surface moves forward, as By of Erode
}

// Bounds returns the cells of the shape and those next to them.
func (g Grow) Bounds() geom.Box { return grown(g.Shape.region().Bounds()) }

// Apply grows. It erodes what is empty.
func (g Grow) Apply(v *world.VolumeTx) error {
	return g.Shape.move(v, "grow", g.By, func(by int) kernel {
		return func(a *around, i int) int {
			_, most := a.next(i)
			return int(a.full[i]) + max(0, by-(Whole-most))
		}
	})
}

// maxMove bounds how many cells a surface moves in one call.
const maxMove = 1 << 10

// move makes passes that each move surfaces by at most one cell.
func (s Shape) move(v *world.VolumeTx, brush string, by float64, of func(by int) kernel) error {
	if by == 0 {
		by = 1
	}
	if !(by > 0 && by <= maxMove) {
		return fmt.Errorf("brush: %s: by %v cells: want above 0, at most %d", brush, by, maxMove)
	}
	if v.Schema != voxel.Terrain {
		by = math.Ceil(by)
	}
	for rest := max(1, int(by*Whole+.5)); rest > 0; rest -= Whole {
		s.pass(v, of(min(rest, Whole)))
	}
	return nil
}

func grown(b geom.Box) geom.Box {
	if b.Empty() {
		return b
	}
	one := geom.Point{X: 1, Y: 1, Z: 1}
	return geom.Box{Min: b.Min.Sub(one), Max: b.Max.Add(one)}
}
