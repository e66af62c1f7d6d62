package octree_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

var (
	operations = flag.Int("operations", long.By(700, 2000, 2000), "random operations of each run")
	seeds      = flag.Uint64("seeds", uint64(long.Of(1, 2)), "runs at each place, with seeds from 0")
)

// pair is two objects, the lower ID first if they are of one tree.
type pair struct{ a, b octree.ObjectID }

// searcher has the queries, which trees, views and scenes share.
type searcher interface {
	Len() int
	Get(id octree.ObjectID) (octree.Box, bool)
	All(yield)
	Point(p octree.Vec, f yield)
	Overlapping(q octree.Box, f yield)
	Inside(q octree.Box, f yield)
	Ball(center octree.Vec, radius float64, f yield)
	Nearest(p octree.Vec, buf []octree.Near) []octree.Near
	First(r octree.Ray) (octree.Hit, bool)
	AppendHits(dst []octree.Hit, r octree.Ray) []octree.Hit
	Plane(p octree.Plane, side octree.Side, f yield)
	Frustum(f octree.Frustum, y yield)
	Pairs(f func(a, b octree.ObjectID) bool)
	PairsWith(u octree.Index, f func(a, b octree.ObjectID) bool)
	Changed(since octree.Moment, q octree.Box, f yield) bool
}

// twin is the slow tree: a map of boxes. The tree that it is compared with has all
// lengths times scale, a power of two, so both compute alike at any size.
type twin struct {
	t       testing.TB
	tree    *octree.Tree
	find    searcher // the tree, or what else has its objects
	scale   float64
	boxes   map[octree.ObjectID]octree.Box
	ids     []octree.ObjectID
	removed []octree.ObjectID
	moment  octree.Moment
	changed []octree.Box // all boxes that came or went since moment
	latest  map[octree.ObjectID]bool
}

func newTwin(t testing.TB, scale float64, o octree.Options) *twin {
	tree := mustNew(t, o)
	return &twin{t: t, tree: tree, find: tree, scale: scale, boxes: make(map[octree.ObjectID]octree.Box), latest: make(map[octree.ObjectID]bool)}
}

func mustNew(t testing.TB, o octree.Options) *octree.Tree {
	t.Helper()
	tree, err := octree.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func (w *twin) vec(v octree.Vec) octree.Vec {
	return octree.Vec{X: v.X * w.scale, Y: v.Y * w.scale, Z: v.Z * w.scale}
}

func (w *twin) box(b octree.Box) octree.Box { return octree.Box{Min: w.vec(b.Min), Max: w.vec(b.Max)} }

func (w *twin) insert(b octree.Box) {
	w.t.Helper()
	id, err := w.tree.Insert(w.box(b))
	if err != nil {
		w.t.Fatal(err)
	}
	if _, ok := w.boxes[id]; ok || slices.Contains(w.removed, id) {
		w.t.Fatalf("ID %v came twice", id)
	}
	w.boxes[id] = b
	w.ids = append(w.ids, id)
	w.changed, w.latest[id] = append(w.changed, b), true
}

// insertAll inserts some boxes at once, or with one that is wrong none.
func (w *twin) insertAll(boxes []octree.Box) {
	w.t.Helper()
	var scaled []octree.Box
	for _, b := range boxes {
		scaled = append(scaled, w.box(b))
	}
	wrong := append(slices.Clip(scaled), octree.Box{Min: octree.Vec{X: 1}})
	if ids, err := w.tree.InsertAll(nil, wrong); err == nil || len(ids) > 0 {
		w.t.Fatalf("a wrong box: got %v, %v", ids, err)
	}
	ids, err := w.tree.InsertAll([]octree.ObjectID{7}, scaled)
	if err != nil || len(ids) != len(boxes)+1 || ids[0] != 7 {
		w.t.Fatalf("%d boxes: got %v, %v", len(boxes), ids, err)
	}
	for i, id := range ids[1:] {
		if _, ok := w.boxes[id]; ok || slices.Contains(w.removed, id) {
			w.t.Fatalf("ID %v came twice", id)
		}
		w.boxes[id], w.latest[id] = boxes[i], true
		w.ids, w.changed = append(w.ids, id), append(w.changed, boxes[i])
	}
}

// moveAll moves the first objects; if one of them does not exist, those before it.
func (w *twin) moveAll(boxes []octree.Box) {
	w.t.Helper()
	var ids []octree.ObjectID
	var scaled []octree.Box
	want := len(boxes)
	for i, b := range boxes {
		ids, scaled = append(ids, w.ids[i]), append(scaled, w.box(b))
	}
	if len(w.removed) > 0 && want > 2 {
		want = 2
		ids[want] = w.removed[0]
	}
	if n, err := w.tree.MoveAll(ids, scaled); n != want || (err == nil) != (want == len(boxes)) {
		w.t.Fatalf("%d moves: got %d, %v, want %d", len(boxes), n, err, want)
	}
	for i, id := range ids[:want] {
		w.changed, w.latest[id] = append(w.changed, boxes[i], w.boxes[id]), true
		w.boxes[id] = boxes[i]
	}
}

func (w *twin) move(i int, b octree.Box) {
	w.t.Helper()
	if err := w.tree.Move(w.ids[i], w.box(b)); err != nil {
		w.t.Fatal(err)
	}
	w.changed, w.latest[w.ids[i]] = append(w.changed, b, w.boxes[w.ids[i]]), true
	w.boxes[w.ids[i]] = b
	if got, ok := w.find.Get(w.ids[i]); !ok || got != w.box(b) {
		w.t.Fatalf("Get %v: got %v, %v, want %v", w.ids[i], got, ok, w.box(b))
	}
}

func (w *twin) remove(i int) {
	w.t.Helper()
	id := w.ids[i]
	if !w.tree.Remove(id) || w.tree.Remove(id) {
		w.t.Fatalf("Remove %v: want true, then false", id)
	}
	if _, ok := w.find.Get(id); ok || w.tree.Move(id, octree.Box{}) == nil {
		w.t.Fatalf("%v is still there", id)
	}
	w.changed = append(w.changed, w.boxes[id])
	delete(w.boxes, id)
	w.ids[i] = w.ids[len(w.ids)-1]
	w.ids = w.ids[:len(w.ids)-1]
	if len(w.removed) < 64 {
		w.removed = append(w.removed, id)
	}
}

func (w *twin) clear() {
	w.tree.Clear()
	for _, b := range w.boxes {
		w.changed = append(w.changed, b)
	}
	w.boxes, w.ids = make(map[octree.ObjectID]octree.Box), nil
}

// same compares what a query found with all objects that match, each once.
func (w *twin) same(name string, got []octree.ObjectID, match func(octree.Box) bool) {
	w.t.Helper()
	var want []octree.ObjectID
	for _, id := range w.ids {
		if match(w.boxes[id]) {
			want = append(want, id)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Fatalf("%s: got %d objects, want %d: %v, want %v", name, len(got), len(want), got, want)
	}
}

// collect runs a query that calls a function and keeps the IDs.
func (w *twin) collect(query func(yield func(octree.ObjectID, octree.Box) bool)) []octree.ObjectID {
	w.t.Helper()
	var ids []octree.ObjectID
	query(func(id octree.ObjectID, b octree.Box) bool {
		if w.box(w.boxes[id]) != b {
			w.t.Fatalf("a query gave %v the box %v, want %v", id, b, w.box(w.boxes[id]))
		}
		ids = append(ids, id)
		return true
	})
	if len(ids) > 1 {
		stop := len(ids) / 2
		query(func(octree.ObjectID, octree.Box) bool { stop--; return stop > 0 })
		if stop != 0 && len(ids) > 3 {
			w.t.Fatalf("a query went on after false: %d", stop)
		}
	}
	return ids
}

type yield = func(octree.ObjectID, octree.Box) bool

func overlaps(a, b octree.Box) bool {
	return a.Min.X <= b.Max.X && a.Max.X >= b.Min.X && a.Min.Y <= b.Max.Y && a.Max.Y >= b.Min.Y && a.Min.Z <= b.Max.Z && a.Max.Z >= b.Min.Z
}

func inside(a, b octree.Box) bool {
	return a.Min.X >= b.Min.X && a.Max.X <= b.Max.X && a.Min.Y >= b.Min.Y && a.Max.Y <= b.Max.Y && a.Min.Z >= b.Min.Z && a.Max.Z <= b.Max.Z
}

func square(b octree.Box, p octree.Vec) float64 {
	axis := func(lo, hi, v float64) float64 {
		switch {
		case v < lo:
			return (lo - v) * (lo - v)
		case v > hi:
			return (v - hi) * (v - hi)
		}
		return 0
	}
	return axis(b.Min.X, b.Max.X, p.X) + axis(b.Min.Y, b.Max.Y, p.Y) + axis(b.Min.Z, b.Max.Z, p.Z)
}

func (w *twin) boxQueries(q octree.Box) {
	w.t.Helper()
	s := w.box(q)
	w.same(fmt.Sprintf("overlapping %v", s), w.collect(func(f yield) { w.find.Overlapping(s, f) }), func(b octree.Box) bool { return overlaps(b, q) })
	w.same(fmt.Sprintf("inside %v", s), w.collect(func(f yield) { w.find.Inside(s, f) }), func(b octree.Box) bool { return inside(b, q) })
	w.same(fmt.Sprintf("point %v", s.Min), w.collect(func(f yield) { w.find.Point(s.Min, f) }), func(b octree.Box) bool { return overlaps(b, octree.At(q.Min)) })
	w.same("all", w.collect(w.find.All), func(octree.Box) bool { return true })
}

func (w *twin) ballQuery(p octree.Vec, r float64) {
	w.t.Helper()
	got := w.collect(func(f yield) { w.find.Ball(w.vec(p), r*w.scale, f) })
	w.same(fmt.Sprintf("ball %v %g", w.vec(p), r*w.scale), got, func(b octree.Box) bool { return square(b, p) <= r*r })
}

func (w *twin) nearestQuery(p octree.Vec, k int) {
	w.t.Helper()
	got := w.find.Nearest(w.vec(p), make([]octree.Near, k, k+3))
	var want []octree.Near
	for _, id := range w.ids {
		want = append(want, octree.Near{ID: id, Distance: math.Sqrt(square(w.boxes[id], p)) * w.scale})
	}
	slices.SortFunc(want, func(a, b octree.Near) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
	})
	want = want[:min(k, len(want))]
	if !slices.Equal(got, want) {
		w.t.Fatalf("nearest %d of %v: got %v, want %v", k, w.vec(p), got, want)
	}
}

// enter is where a ray enters a box: the last of the three axes, if that is before
// the ray leaves the first.
func enter(r octree.Ray, b octree.Box) (float64, bool) {
	in, out := 0.0, r.Max
	for _, a := range [3][4]float64{
		{r.Origin.X, r.Direction.X, b.Min.X, b.Max.X},
		{r.Origin.Y, r.Direction.Y, b.Min.Y, b.Max.Y},
		{r.Origin.Z, r.Direction.Z, b.Min.Z, b.Max.Z},
	} {
		if a[1] == 0 {
			if a[0] < a[2] || a[0] > a[3] {
				return 0, false
			}
			continue
		}
		near, far := (a[2]-a[0])/a[1], (a[3]-a[0])/a[1]
		in, out = math.Max(in, math.Min(near, far)), math.Min(out, math.Max(near, far))
	}
	return in, in <= out
}

func (w *twin) rayQueries(r octree.Ray) {
	w.t.Helper()
	var want []octree.Hit
	for _, id := range w.ids {
		if t, ok := enter(r, w.boxes[id]); ok {
			want = append(want, octree.Hit{ID: id, T: t})
		}
	}
	slices.SortFunc(want, func(a, b octree.Hit) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.ID, b.ID)) })
	s := octree.Ray{Origin: w.vec(r.Origin), Direction: w.vec(r.Direction), Max: r.Max}
	mark := octree.Hit{ID: 7, T: -1}
	got := w.find.AppendHits([]octree.Hit{mark}, s)
	if got[0] != mark || !slices.Equal(got[1:], want) {
		w.t.Fatalf("hits of %v: got %v, want %v", s, got, want)
	}
	switch first, ok := w.find.First(s); {
	case ok != (len(want) > 0):
		w.t.Fatalf("first hit of %v: got %v, %v, want %v", s, first, ok, want)
	case ok && first != want[0]:
		w.t.Fatalf("first hit of %v: got %v, want %v", s, first, want[0])
	}
}

// side looks at all eight corners.
func side(p octree.Plane, b octree.Box) octree.Side {
	front, behind := 0, 0
	for _, x := range []float64{b.Min.X, b.Max.X} {
		for _, y := range []float64{b.Min.Y, b.Max.Y} {
			for _, z := range []float64{b.Min.Z, b.Max.Z} {
				switch d := p.Offset + p.Normal.X*x + p.Normal.Y*y + p.Normal.Z*z; {
				case d > 0:
					front++
				case d < 0:
					behind++
				}
			}
		}
	}
	switch {
	case front == 8:
		return octree.Front
	case behind == 8:
		return octree.Behind
	}
	return octree.Crossing
}

func (w *twin) planeQueries(f octree.Frustum) {
	w.t.Helper()
	scaled := f
	for i := range scaled {
		scaled[i].Offset *= w.scale
	}
	for s := octree.Behind; s <= octree.Front; s++ {
		got := w.collect(func(y yield) { w.find.Plane(scaled[0], s, y) })
		w.same(fmt.Sprintf("side %d of %v", s, f[0]), got, func(b octree.Box) bool { return side(f[0], b) == s })
	}
	got := w.collect(func(y yield) { w.find.Frustum(scaled, y) })
	w.same(fmt.Sprintf("frustum %v", f), got, func(b octree.Box) bool {
		return !slices.ContainsFunc(f[:], func(p octree.Plane) bool { return side(p, b) == octree.Behind })
	})
}

func (w *twin) pairQueries(u *twin) {
	w.t.Helper()
	seen := make(map[pair]int)
	w.find.Pairs(func(a, b octree.ObjectID) bool { seen[pair{min(a, b), max(a, b)}]++; return true })
	for i, a := range w.ids {
		for _, b := range w.ids[:i] {
			w.once(seen, pair{min(a, b), max(a, b)}, overlaps(w.boxes[a], w.boxes[b]))
		}
	}
	if len(seen) > 0 {
		w.t.Fatalf("pairs: %v do not exist", seen)
	}
	w.find.PairsWith(u.tree, func(a, b octree.ObjectID) bool { seen[pair{a, b}]++; return true })
	for _, a := range w.ids {
		for _, b := range u.ids {
			w.once(seen, pair{a, b}, overlaps(w.boxes[a], u.boxes[b]))
		}
	}
	if len(seen) > 0 {
		w.t.Fatalf("pairs with another tree: %v do not exist", seen)
	}
	n := 0
	w.find.Pairs(func(octree.ObjectID, octree.ObjectID) bool { n++; return n < 2 })
	w.find.PairsWith(u.tree, func(octree.ObjectID, octree.ObjectID) bool { n++; return n < 4 })
	if n > 4 {
		w.t.Fatalf("pairs went on after false: %d", n)
	}
}

// changeQuery wants at least what changed since the moment, and not more than overlaps q.
func (w *twin) changeQuery(q octree.Box) {
	w.t.Helper()
	var got []octree.ObjectID
	changed := w.find.Changed(w.moment, w.box(q), func(id octree.ObjectID, b octree.Box) bool {
		if !overlaps(w.boxes[id], q) || slices.Contains(got, id) {
			w.t.Fatalf("changed in %v: got %v at %v", w.box(q), id, b)
		}
		got = append(got, id)
		return true
	})
	for _, id := range w.ids {
		if w.latest[id] && overlaps(w.boxes[id], q) && !slices.Contains(got, id) {
			w.t.Fatalf("changed in %v: got %v without %v", w.box(q), got, id)
		}
	}
	if !changed && slices.ContainsFunc(w.changed, func(b octree.Box) bool { return overlaps(b, q) }) {
		w.t.Fatalf("%v: nothing changed, want a change", w.box(q))
	}
}

func (w *twin) begin() {
	w.moment, w.changed = w.tree.Moment(), nil
	clear(w.latest)
}

func (w *twin) once(seen map[pair]int, p pair, want bool) {
	w.t.Helper()
	if got := seen[p]; got > 1 || got == 1 != want {
		w.t.Fatalf("pair %v: %d times, want %v", p, got, want)
	}
	delete(seen, p)
}

func (w *twin) check() {
	w.t.Helper()
	if err := w.tree.Check(); err != nil {
		w.t.Fatal(err)
	}
	if w.find.Len() != len(w.ids) {
		w.t.Fatalf("Len: got %d, want %d", w.find.Len(), len(w.ids))
	}
}

// dice returns a number from 0 to n-1.
type dice func(n int) int

// A place makes up boxes. Step counts the operations.
type place struct {
	name  string
	scale float64
	opts  octree.Options
	box   func(d dice, step int) octree.Box
}

func vec(x, y, z int) octree.Vec { return octree.Vec{X: float64(x), Y: float64(y), Z: float64(z)} }

// sized returns a box of integers.
func sized(d dice, least octree.Vec, edge int) octree.Box {
	b := octree.Box{Min: least, Max: least}
	b.Max.X += float64(d(edge))
	b.Max.Y += float64(d(edge))
	b.Max.Z += float64(d(edge))
	return b
}

func lattice(d dice, _ int) octree.Box {
	return sized(d, vec(d(17)-8, d(9)-4, d(17)-8), 4)
}

// ground makes up boxes whose Z is 0.
func ground(edge int) func(d dice, _ int) octree.Box {
	return func(d dice, _ int) octree.Box {
		b := sized(d, vec(d(edge)-edge/2, d(edge)-edge/2, 0), 1<<d(5))
		b.Max.Z = 0
		return b
	}
}

var places = []place{
	{"lattice", 1, octree.Options{SplitAbove: 4}, lattice},
	{"huge lattice", 0x1p1010, octree.Options{SplitAbove: 3}, lattice},
	{"tiny lattice", 0x1p-1030, octree.Options{SplitAbove: 2, Loose: 2}, lattice},
	{"points", 1, octree.Options{SplitAbove: 12}, func(d dice, _ int) octree.Box { return octree.At(vec(d(64), d(64), d(64))) }},
	{"one point", 1, octree.Options{}, func(dice, int) octree.Box { return octree.At(octree.Vec{X: 3, Y: 4, Z: 5}) }},
	{"sizes", 1, octree.Options{Loose: 1.25, MaxDepth: 6}, func(d dice, _ int) octree.Box {
		return sized(d, vec(d(4096), d(512), d(4096)), 1<<d(10))
	}},
	{"flat", 1, octree.Options{SplitAbove: 8}, func(d dice, _ int) octree.Box {
		b := sized(d, vec(d(1000), d(1000), 0), 30)
		b.Max.Z = 0
		return b
	}},
	{"integers", 1, octree.Options{SplitAbove: 6, Integer: true}, func(d dice, _ int) octree.Box {
		return sized(d, vec(d(300)-150, d(64), d(300)-150), 1<<d(6))
	}},
	{"integers at the ends", 1, octree.Options{SplitAbove: 3, Integer: true}, func(d dice, _ int) octree.Box {
		end := func() int { return []int{math.MinInt32, math.MaxInt32 - 40, 0}[d(3)] + d(20) }
		return sized(d, vec(end(), end(), end()), 19)
	}},
	{"flat integers", 1, octree.Options{SplitAbove: 5, Integer: true, Flat: true}, ground(200)},
	{"quadtree", 1, octree.Options{SplitAbove: 7, Flat: true}, ground(3000)},
	{"tiny quadtree", 0x1p-300, octree.Options{SplitAbove: 2, Flat: true, Loose: 1.1}, ground(20)},
	{"signs of zero", 1, octree.Options{SplitAbove: 2}, func(d dice, _ int) octree.Box {
		v := []float64{math.Copysign(0, -1), 0, -1, 1}
		b := octree.At(octree.Vec{X: v[d(4)], Y: v[d(4)], Z: v[d(4)]})
		if d(2) == 0 {
			b.Max = octree.Vec{X: max(b.Max.X, v[d(2)]), Y: b.Max.Y + 1, Z: b.Max.Z}
		}
		return b
	}},
	{"coarse numbers", 1, octree.Options{SplitAbove: 2, Loose: 1.0000001}, func(d dice, _ int) octree.Box {
		return sized(d, vec(1<<52+d(5), 1<<51+d(5), d(5)), 2)
	}},
	{"far away on one axis", 1, octree.Options{SplitAbove: 2}, func(d dice, _ int) octree.Box {
		const far, ulp = 0x1p71, 0x1p19
		b := sized(d, vec(d(40), 0, d(40)), 3)
		b.Min.Y, b.Max.Y = far+float64(d(3))*ulp, far+3*ulp
		return b
	}},
	{"crowds", 1, octree.Options{SplitAbove: 16}, func(d dice, _ int) octree.Box {
		at := d(3) * 100000
		return sized(d, vec(at+d(50), d(50), -at+d(50)), 3)
	}},
	{"wandering", 1, octree.Options{SplitAbove: 8, Loose: 4}, func(d dice, step int) octree.Box {
		return sized(d, vec(step*20+d(200), d(100), -step*10+d(200)), 20)
	}},
	{"near and far", 1, octree.Options{SplitAbove: 6}, func(d dice, _ int) octree.Box {
		edge := 1 << d(24)
		around := func() int { return d(2*edge) - edge }
		return sized(d, vec(around(), around(), around()), 1+d(edge))
	}},
}

// run makes random changes and random queries.
func run(t testing.TB, p place, d dice, most int, more func(step int) bool) {
	w, other := newTwin(t, p.scale, p.opts), newTwin(t, p.scale, octree.Options{})
	var views []*twin
	var renewal *octree.Renewal
	for step := 0; more(step); step++ {
		b := p.box(d, step)
		w.change(p, d, step, most)
		if len(other.ids) < 50 && d(8) == 0 {
			other.insert(b)
		}
		w.query(p, d, step, other)
		switch d(150) {
		case 0:
			w.check()
			if d(3) == 0 {
				w.clear()
			} else if d(2) == 0 {
				w.tree.Rebuild()
			}
		case 1, 2, 3:
			if len(views) < 6 {
				views = append(views, w.view())
			}
		case 10:
			if renewal == nil {
				renewal = w.tree.Renew()
			}
		case 11:
			if renewal != nil {
				renewal.Build()
			}
		case 12:
			if renewal != nil {
				renewal.Finish()
				renewal = nil
				w.check()
			}
		case 4, 5, 6, 7, 8, 9:
			if len(views) > 0 {
				v := d(len(views))
				views[v].query(p, d, step, other)
				if d(2) == 0 {
					views[v].find.(*octree.Frozen).Release()
					views[v] = views[len(views)-1]
					views = views[:len(views)-1]
				}
			}
		}
	}
	w.check()
}

// view publishes a view and returns a twin of it.
func (w *twin) view() *twin {
	w.t.Helper()
	w.tree.Publish()
	v := w.tree.View()
	if err := w.tree.Same(v); err != nil {
		w.t.Fatal(err)
	}
	of := *w
	of.tree, of.find = nil, v
	of.keep()
	return &of
}

// keep makes a twin one of its own moment.
func (w *twin) keep() {
	w.boxes, w.ids, w.latest, w.changed = maps.Clone(w.boxes), slices.Clone(w.ids), maps.Clone(w.latest), slices.Clone(w.changed)
}

// change makes one random change.
func (w *twin) change(p place, d dice, step, most int) {
	w.t.Helper()
	b := p.box(d, step)
	switch {
	case len(w.ids) == 0 || d(most) >= len(w.ids):
		w.insert(b)
	case d(5) == 0:
		w.remove(d(len(w.ids)))
	case d(100) == 0:
		boxes := make([]octree.Box, d(1+2*len(w.ids)))
		for i := range boxes {
			boxes[i] = p.box(d, step)
		}
		if d(2) == 0 && len(boxes) <= len(w.ids) {
			w.moveAll(boxes)
		} else if len(w.ids)+len(boxes) < 2*most {
			w.insertAll(boxes)
		}
	case d(3) == 0:
		old := w.boxes[w.ids[0]]
		if old.Max.Y < math.MaxInt32 {
			old.Max.Y += float64(d(2))
		}
		w.move(0, old)
	default:
		w.move(d(len(w.ids)), b)
	}
}

// query makes one random query.
func (w *twin) query(p place, d dice, step int, other *twin) {
	w.t.Helper()
	b, q := p.box(d, step), p.box(d, step)
	if w.find.Len() != len(w.ids) {
		w.t.Fatalf("Len: got %d, want %d", w.find.Len(), len(w.ids))
	}
	switch d(11) {
	case 0, 1:
		w.boxQueries(b)
	case 2:
		w.boxQueries(octree.Box{Min: q.Min, Max: octree.Vec{X: q.Max.X + float64(d(1000)), Y: q.Max.Y + float64(d(9)), Z: q.Max.Z + float64(d(5000))}})
	case 3, 4:
		w.ballQuery(q.Min, float64(d(1<<d(14))))
	case 5, 6:
		w.nearestQuery(q.Min, 1+d(20))
	case 7, 8:
		if direction := vec(d(5)-2, d(5)-2, d(5)-2); direction != (octree.Vec{}) {
			w.rayQueries(octree.Ray{Origin: q.Min, Direction: direction, Max: []float64{1, 100, math.Inf(1)}[d(3)]})
		}
	case 9:
		var f octree.Frustum
		for i := range f {
			f[i] = octree.Plane{Normal: vec(d(5)-2, d(5)-2, d(5)-2), Offset: float64(d(2000) - 500)}
		}
		w.planeQueries(f)
	case 10:
		w.changeQuery(b)
		switch d(10) {
		case 0:
			w.pairQueries(other)
		case 1, 2, 3:
			if w.tree != nil {
				w.begin()
			}
		case 4:
			if w.tree != nil {
				w.tree.Age()
				w.begin()
			}
		}
	}
}

// steps returns how many operations a run has.
func steps() int {
	if testing.Short() {
		return *operations / 10
	}
	return *operations
}

// TestTwin compares the tree with a map in random operations.
func TestTwin(t *testing.T) {
	for i, p := range places {
		t.Run(p.name, func(t *testing.T) {
			for seed := range *seeds {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					run(t, p, random.IntN, 20+random.IntN(400), func(step int) bool { return step < steps() })
				})
			}
		})
	}
}

// TestLong is TestTwin with so few objects that a million operations of each seed take
// minutes: CAIRN_LONG=all go test -run TestLong -seeds 20 -operations 1000000 -timeout 2h
func TestLong(t *testing.T) {
	if !long.Set() {
		t.Skip("CAIRN_LONG is not set")
	}
	for seed := range *seeds {
		p := places[seed%uint64(len(places))]
		t.Run(fmt.Sprint(seed, " ", p.name), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 99))
			run(t, p, random.IntN, 20+random.IntN(60), func(step int) bool { return step < *operations })
		})
	}
}

// FuzzTree takes each choice of random operations from the input.
func FuzzTree(f *testing.F) {
	for i := range places {
		seed := []byte{byte(i)}
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for range 400 {
			seed = append(seed, byte(random.Uint32()))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 || len(input) > 1<<14 {
			return
		}
		p := places[int(input[0])%len(places)]
		input = input[1:]
		next := func(n int) int {
			v := 0
			for high := n; high > 1 && len(input) > 0; high >>= 8 {
				v, input = v<<8|int(input[0]), input[1:]
			}
			return v % n
		}
		run(t, p, next, 20+next(400), func(int) bool { return len(input) > 0 })
	})
}
