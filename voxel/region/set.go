package region

import (
	"cmp"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Union is the cells of any of its regions. A union of nothing has no cells.
type Union []Region

// Intersection is the cells that all of its regions have. An intersection of nothing has
// no cells.
type Intersection []Region

// Difference is the cells of From that Without does not have.
type Difference struct{ From, Without Region }

// Bounds returns the least box that holds the bounds of all regions.
func (u Union) Bounds() (b geom.Box) {
	for _, r := range u {
		b = b.Union(r.Bounds())
	}
	return b
}

// Contains reports whether p is a cell of one of the regions.
func (u Union) Contains(p geom.Point) bool {
	return slices.ContainsFunc(u, func(r Region) bool { return r.Contains(p) })
}

// Spans keeps the runs of one row in memory.
func (u Union) Spans(y, z int, yield func(x0, x1 int) bool) {
	if len(u) == 1 {
		u[0].Spans(y, z, yield)
		return
	}
	var few [16]run
	all := few[:0]
	for _, r := range u {
		all = appendRuns(all, r, y, z)
	}
	yieldRuns(join(all), yield)
}

func (u Union) cover(b geom.Box) (Cover, bool) { return coverBy(u, b, none, Whole) }

// coverBy is the cover of several regions: decides if one of them has that, otherwise Partly if
// one has, otherwise rest.
func coverBy(all []Region, b geom.Box, rest, decides Cover) (Cover, bool) {
	c, sure, parts := rest, true, 0
	for _, r := range all {
		switch d, ok := shapeOf(r).guess(b); {
		case d == decides:
			return decides, true
		case d == Partly:
			c, sure, parts = Partly, ok, parts+1
		}
	}
	return c, sure && parts < 2
}

// Bounds returns the box that the bounds of all regions share.
func (n Intersection) Bounds() geom.Box {
	if len(n) == 0 {
		return geom.Box{}
	}
	b := n[0].Bounds()
	for _, r := range n[1:] {
		b = b.Intersect(r.Bounds())
	}
	return b
}

// Contains reports whether p is a cell of all regions.
func (n Intersection) Contains(p geom.Point) bool {
	return len(n) > 0 && !slices.ContainsFunc(n, func(r Region) bool { return !r.Contains(p) })
}

// Spans keeps the runs of one row in memory.
func (n Intersection) Spans(y, z int, yield func(x0, x1 int) bool) {
	if len(n) == 0 {
		return
	}
	var few, others [16]run
	rest := appendRuns(few[:0], n[0], y, z)
	for _, r := range n[1:] {
		if len(rest) == 0 {
			return
		}
		rest = common(rest, appendRuns(others[:0], r, y, z))
	}
	yieldRuns(rest, yield)
}

func (n Intersection) cover(b geom.Box) (Cover, bool) { return coverBy(n, b, Whole, none) }

// Bounds returns the bounds of From.
func (d Difference) Bounds() geom.Box { return d.From.Bounds() }

// Contains reports whether p is a cell of From and not of Without.
func (d Difference) Contains(p geom.Point) bool { return d.From.Contains(p) && !d.Without.Contains(p) }

// Spans keeps the runs of one row in memory.
func (d Difference) Spans(y, z int, yield func(x0, x1 int) bool) {
	var few, others [16]run
	if from := appendRuns(few[:0], d.From, y, z); len(from) > 0 {
		yieldRuns(less(from, appendRuns(others[:0], d.Without, y, z)), yield)
	}
}

func (d Difference) cover(b geom.Box) (Cover, bool) {
	from, sure := shapeOf(d.From).guess(b)
	if from == none {
		return none, true
	}
	switch without, ok := shapeOf(d.Without).guess(b); {
	case without == none:
		return from, sure
	case without == Whole:
		return none, true
	case from == Whole:
		return Partly, ok
	}
	return Partly, false
}

// run is the cells x0 <= x < x1 of a row.
type run struct{ x0, x1 int }

func appendRuns(out []run, r Region, y, z int) []run {
	r.Spans(y, z, func(x0, x1 int) bool {
		out = append(out, run{x0, x1})
		return true
	})
	return out
}

func yieldRuns(runs []run, yield func(x0, x1 int) bool) {
	for _, r := range runs {
		if !yield(r.x0, r.x1) {
			return
		}
	}
}

// join sorts runs and makes one of those that overlap or touch. It uses their memory.
func join(runs []run) []run {
	slices.SortFunc(runs, func(a, b run) int { return cmp.Compare(a.x0, b.x0) })
	out := runs[:0]
	for _, r := range runs {
		if n := len(out); n > 0 && r.x0 <= out[n-1].x1 {
			out[n-1].x1 = max(out[n-1].x1, r.x1)
		} else {
			out = append(out, r)
		}
	}
	return out
}

// common returns the cells that a and b share; both ascend.
func common(a, b []run) (out []run) {
	for len(a) > 0 && len(b) > 0 {
		if x0, x1 := max(a[0].x0, b[0].x0), min(a[0].x1, b[0].x1); x0 < x1 {
			out = append(out, run{x0, x1})
		}
		if a[0].x1 < b[0].x1 {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// less returns the cells of a that b does not have; both ascend.
func less(a, b []run) (out []run) {
	for _, r := range a {
		for len(b) > 0 && b[0].x1 <= r.x0 {
			b = b[1:]
		}
		for _, hole := range b {
			if hole.x0 >= r.x1 {
				break
			}
			if r.x0 < hole.x0 {
				out = append(out, run{r.x0, hole.x0})
			}
			r.x0 = hole.x1
		}
		if r.x0 < r.x1 {
			out = append(out, r)
		}
	}
	return out
}
