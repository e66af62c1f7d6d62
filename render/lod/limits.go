package lod

import (
	"math"

	"github.com/cairnvoxel/cairn/octree"
)

// limit is at which distance cubes of a level are split, and merged again.
type limit struct{ split, merge float64 }

// limits say what a viewer sees at a step. At step 0 it is what the eye asks for, and each step makes cells a ninth
// wider. First detail falls to minDetail, then cubes of the finest level are split no longer, then those
// of the next. If only cubes of the top level are left, the radius falls.
type limits struct {
	step         int
	least        bool    // a step more would change nothing that counts
	radius, keep float64 // up to where cubes of the top level are needed, and kept
	split        [MaxLevel + 1]limit
}

// coarser is how fine cells are after a step, as a part of how fine they were.
const coarser = 0.9

// limitsOf returns the limits of an eye at a step.
func (p *Plan) limitsOf(e *Eye, step int) limits {
	l := limits{step: step, radius: e.Radius}
	detail := e.detail() * math.Pow(coarser, float64(step))
	rough := max(0, math.Log2(minDetail/detail)) // how many levels are split no longer
	if top := float64(p.o.Top); rough > top {
		l.radius *= math.Exp2(top - rough)
	}
	for p.topCubes(l.radius) > 16*float64(p.o.MaxCubes) {
		l.radius *= coarser // too many to be tried
	}
	l.keep, l.least = l.radius*(1+slack), l.radius <= 1 && rough >= float64(p.o.Top)
	for i := range l.split {
		edge := float64(int(Edge) << i)
		far := max(detail, minDetail) * edge * min(1, float64(i)-rough)
		if far <= 0 {
			l.split[i] = limit{-1, -1} // not even the cube that the viewer is in
			continue
		}
		l.split[i] = limit{min(far, l.radius+2*edge), min(far*(1+slack), l.radius+2.2*edge)}
	}
	return l
}

// topCubes returns about how many cubes of the top level lie within a radius and the bounds, or more.
func (p *Plan) topCubes(radius float64) float64 {
	edge := float64(int(Edge) << p.o.Top)
	size, across := p.o.Bounds.Size(), 2*radius*(1+slack)/edge+2
	return min(across, float64(size.X)/edge+2) * min(across, float64(size.Y)/edge+2) * min(across, float64(size.Z)/edge+2)
}

// Look says where the viewer is now. It decides anew which cubes are needed. e must be usable (Eye.Check).
func (p *Plan) Look(e Eye) {
	if p.looked && e == p.eye && p.at.step == 0 && !p.over() {
		return
	}
	was := p.at
	if e.Memory != p.eye.Memory || e.Radius != p.eye.Radius || e.detail() != p.eye.detail() {
		p.failed = -1
	}
	p.eye = e
	p.at = p.limitsOf(&e, was.step)
	lead := e.Velocity
	if l := p.o.Ahead * length(lead); l > 0 {
		lead = scaled(lead, p.o.Ahead*min(1, 8*e.detail()/l))
	}
	from := p.ahead
	p.ahead = octree.Vec{X: e.Position.X + lead.X, Y: e.Position.Y + lead.Y, Z: e.Position.Z + lead.Z}
	if p.looked {
		p.gone += length(sub(p.ahead, from))
	}
	all := !p.looked || was != p.at
	p.looked = true
	p.lookAll(all)
	p.fit()
	p.queue.turn(p)
}

// over says that the viewer has, or may get, more than fits.
func (p *Plan) over() bool {
	return p.eye.Memory > 0 && p.bytes >= p.eye.Memory || p.noted > p.o.MaxCubes
}

// roomy says that the viewer may have much more than it needs.
func (p *Plan) roomy() bool {
	return p.Complete(0) && (p.eye.Memory == 0 || p.bytes < p.eye.Memory/10*6) && p.noted < p.o.MaxCubes/10*6
}

// fit goes up by steps until the viewer's cubes fit. It goes back if all are there and leave much room, but not to what
// did not fit before the viewer went far.
func (p *Plan) fit() {
	if p.gone-p.failedAt > forgetful {
		p.failed = -1
	}
	for p.over() && !p.at.least {
		p.failed, p.failedAt = p.at.step, p.gone
		p.stepTo(p.at.step + 1)
	}
	for p.at.step-1 > p.failed && p.roomy() {
		p.stepTo(p.at.step - 1)
	}
}

// stepTo goes to a step. What was kept so that nothing is loaded twice goes, so that each step has its cubes.
func (p *Plan) stepTo(step int) {
	l := p.limitsOf(&p.eye, step)
	p.at = l
	p.at.keep = l.radius
	for i := range l.split {
		p.at.split[i].merge = l.split[i].split
	}
	p.lookAll(true)
	p.at = l
}
