package layout_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/octree/layout"
)

var (
	operations = flag.Int("operations", long.By(800, 2000, 2000), "random operations of each run")
	seeds      = flag.Uint64("seeds", uint64(long.Of(3, 6)), "runs of each layout")
	first      = flag.Uint64("first", 0, "the seed of the first run")
)

type yield = func(octree.ObjectID, octree.Box) bool

// twin is the slow tree: an array of boxes.
type twin struct {
	t     testing.TB
	tree  *layout.Tree
	boxes []octree.Box // by ObjectID.Index
	ids   []octree.ObjectID
	seen  []int // by ObjectID.Index: the number of the query that found it last
	query int
	gone  octree.ObjectID
	near  []octree.Near
	hits  []octree.Hit
	want  []octree.Hit
}

func mustNew(t testing.TB, o layout.Options) *layout.Tree {
	t.Helper()
	tree, err := layout.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func (w *twin) insert(b octree.Box, may bool) {
	w.t.Helper()
	id, err := w.tree.Insert(b)
	if errors.Is(err, layout.ErrOutside) && may {
		return
	}
	if err != nil {
		w.t.Fatal(err)
	}
	w.keep(id, b)
}

func (w *twin) keep(id octree.ObjectID, b octree.Box) {
	w.t.Helper()
	if id.Index() == len(w.boxes) {
		w.boxes, w.seen = append(w.boxes, b), append(w.seen, 0)
	}
	if id == w.gone {
		w.t.Fatalf("ID %v came twice", id)
	}
	w.boxes[id.Index()] = b
	w.ids = append(w.ids, id)
}

func (w *twin) move(i int, b octree.Box, may bool) {
	w.t.Helper()
	switch err := w.tree.Move(w.ids[i], b); {
	case errors.Is(err, layout.ErrOutside) && may:
		b = w.boxes[w.ids[i].Index()]
	case err != nil:
		w.t.Fatal(err)
	}
	w.boxes[w.ids[i].Index()] = b
	if got, ok := w.tree.Get(w.ids[i]); !ok || got != b {
		w.t.Fatalf("get %v: got %v, %v, want %v", w.ids[i], got, ok, b)
	}
}

func (w *twin) remove(i int) {
	w.t.Helper()
	id := w.ids[i]
	if !w.tree.Remove(id) || w.tree.Remove(id) {
		w.t.Fatalf("remove %v: want true, then false", id)
	}
	if _, ok := w.tree.Get(id); ok {
		w.t.Fatalf("%v is still there", id)
	}
	w.ids[i] = w.ids[len(w.ids)-1]
	w.ids = w.ids[:len(w.ids)-1]
	w.gone = id
}

func (w *twin) clear() {
	w.tree.Clear()
	w.ids = w.ids[:0]
}

// once notes that a query found an object.
func (w *twin) once(name string, id octree.ObjectID) {
	w.t.Helper()
	if id.Index() >= len(w.seen) || w.seen[id.Index()] == w.query {
		w.t.Fatalf("%s: %v came twice, or never was", name, id)
	}
	w.seen[id.Index()] = w.query
}

// same compares what a query finds with all objects that match, each once.
func (w *twin) same(name string, query func(yield), match func(b *octree.Box) bool) {
	w.t.Helper()
	w.query++
	found := 0
	query(func(id octree.ObjectID, b octree.Box) bool {
		w.once(name, id)
		if b != w.boxes[id.Index()] || !match(&b) {
			w.t.Fatalf("%s: got %v with %v, which is at %v", name, id, b, w.boxes[id.Index()])
		}
		found++
		return true
	})
	for _, id := range w.ids {
		if match(&w.boxes[id.Index()]) != (w.seen[id.Index()] == w.query) {
			w.t.Fatalf("%s: got %d objects without %v at %v", name, found, id, w.boxes[id.Index()])
		}
	}
	if found > 1 {
		stop := found / 2
		query(func(octree.ObjectID, octree.Box) bool { stop--; return stop > 0 })
		if stop != 0 && found > 3 {
			w.t.Fatalf("%s: went on after false", name)
		}
	}
}

func overlaps(a, b *octree.Box) bool {
	return a.Min.X <= b.Max.X && a.Max.X >= b.Min.X && a.Min.Y <= b.Max.Y && a.Max.Y >= b.Min.Y && a.Min.Z <= b.Max.Z && a.Max.Z >= b.Min.Z
}

func within(a, b *octree.Box) bool {
	return a.Min.X >= b.Min.X && a.Max.X <= b.Max.X && a.Min.Y >= b.Min.Y && a.Max.Y <= b.Max.Y && a.Min.Z >= b.Min.Z && a.Max.Z <= b.Max.Z
}

func (w *twin) boxQueries(q octree.Box) {
	w.t.Helper()
	p := octree.At(q.Min)
	w.same("overlapping", func(f yield) { w.tree.Overlapping(q, f) }, func(b *octree.Box) bool { return overlaps(b, &q) })
	w.same("inside", func(f yield) { w.tree.Inside(q, f) }, func(b *octree.Box) bool { return within(b, &q) })
	w.same("point", func(f yield) { w.tree.Point(q.Min, f) }, func(b *octree.Box) bool { return overlaps(b, &p) })
}

func (w *twin) ballQuery(p octree.Vec, r float64) {
	w.t.Helper()
	w.same("ball", func(f yield) { w.tree.Ball(p, r, f) }, func(b *octree.Box) bool { return b.Distance(p) <= r })
}

func (w *twin) nearestQuery(p octree.Vec, k int) {
	w.t.Helper()
	w.near = append(w.near[:0], make([]octree.Near, k)...)
	got := w.tree.Nearest(p, w.near)
	if len(got) != min(k, len(w.ids)) {
		w.t.Fatalf("nearest: got %d of %d", len(got), k)
	}
	w.query++
	for i, n := range got {
		w.once("nearest", n.ID)
		if n.Distance != w.boxes[n.ID.Index()].Distance(p) || i > 0 && !nearer(got[i-1], n) {
			w.t.Fatalf("nearest %v: got %v", p, got)
		}
	}
	for _, id := range w.ids {
		n := octree.Near{ID: id, Distance: w.boxes[id.Index()].Distance(p)}
		if w.seen[id.Index()] != w.query && nearer(n, got[len(got)-1]) {
			w.t.Fatalf("nearest %v: got %v without %v", p, got, n)
		}
	}
}

func nearer(a, b octree.Near) bool {
	return a.Distance < b.Distance || a.Distance == b.Distance && a.ID < b.ID
}

func (w *twin) rayQueries(r octree.Ray) {
	w.t.Helper()
	w.want = w.want[:0]
	for _, id := range w.ids {
		if at, ok := r.Enter(w.boxes[id.Index()]); ok {
			w.want = append(w.want, octree.Hit{ID: id, T: at})
		}
	}
	slices.SortFunc(w.want, func(a, b octree.Hit) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.ID, b.ID)) })
	w.hits = w.tree.AppendHits(append(w.hits[:0], octree.Hit{ID: 7}), r)
	if w.hits[0].ID != 7 || !slices.Equal(w.hits[1:], w.want) {
		w.t.Fatalf("hits of %v: got %v, want %v", r, w.hits[1:], w.want)
	}
	if hit, ok := w.tree.First(r); ok != (len(w.want) > 0) || ok && hit != w.want[0] {
		w.t.Fatalf("first hit of %v: got %v, %v, want %v", r, hit, ok, w.want)
	}
}

func (w *twin) planeQueries(f octree.Frustum, s octree.Side) {
	w.t.Helper()
	w.same("plane", func(y yield) { w.tree.Plane(f[0], s, y) }, func(b *octree.Box) bool { return f[0].Side(*b) == s })
	w.same("frustum", func(y yield) { w.tree.Frustum(f, y) }, func(b *octree.Box) bool { return f.Sees(*b) })
}

func (w *twin) pairQueries(u *twin) {
	w.t.Helper()
	type pair struct{ a, b octree.ObjectID }
	seen, n := make(map[pair]bool), 0
	w.tree.Pairs(func(a, b octree.ObjectID) bool { seen[pair{min(a, b), max(a, b)}] = true; n++; return true })
	for i, a := range w.ids {
		for _, b := range w.ids[:i] {
			if overlaps(&w.boxes[a.Index()], &w.boxes[b.Index()]) != seen[pair{min(a, b), max(a, b)}] {
				w.t.Fatalf("pairs: %v and %v: got %v", a, b, seen[pair{min(a, b), max(a, b)}])
			}
		}
	}
	if n != len(seen) {
		w.t.Fatalf("pairs: %d are not %d", n, len(seen))
	}
	clear(seen)
	n = 0
	w.tree.PairsWith(u.tree, func(a, b octree.ObjectID) bool { seen[pair{a, b}] = true; n++; return true })
	for _, a := range w.ids {
		for _, b := range u.ids {
			if overlaps(&w.boxes[a.Index()], &u.boxes[b.Index()]) != seen[pair{a, b}] {
				w.t.Fatalf("pairs of two trees: %v and %v: got %v", a, b, seen[pair{a, b}])
			}
		}
	}
	if n != len(seen) {
		w.t.Fatalf("pairs of two trees: %d are not %d", n, len(seen))
	}
	n = 0
	w.tree.Pairs(func(octree.ObjectID, octree.ObjectID) bool { n++; return n < 2 })
	w.tree.PairsWith(u.tree, func(octree.ObjectID, octree.ObjectID) bool { n++; return n < 4 })
	if n > 4 {
		w.t.Fatalf("pairs went on after false: %d", n)
	}
}

// relation returns how b lies beside a: over a face, an edge or a corner. It is false if
// they do not touch, or share more.
func relation(a, b octree.Box, flat bool) (layout.Direction, bool) {
	axis := func(alo, ahi, blo, bhi float64) (int, bool) {
		switch {
		case blo == ahi:
			return 1, true
		case bhi == alo:
			return -1, true
		}
		return 0, blo < ahi && alo < bhi
	}
	x, okX := axis(a.Min.X, a.Max.X, b.Min.X, b.Max.X)
	y, okY := axis(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y)
	z, okZ := 0, true
	if !flat {
		z, okZ = axis(a.Min.Z, a.Max.Z, b.Min.Z, b.Max.Z)
	}
	d := layout.Direction{X: x, Y: y, Z: z}
	return d, okX && okY && okZ && d != layout.Direction{}
}

// neighbourQuery compares the neighbours of one node with all leaves.
func (w *twin) neighbourQuery(d dice) {
	w.t.Helper()
	var all []layout.Node
	w.tree.Walk(func(n layout.Node) octree.Step {
		all = append(all, n)
		return octree.Enter
	})
	n := all[d(len(all))]
	flat := w.tree.Options().Flat
	type neighbour struct {
		layout.Direction
		layout.Node
	}
	got := make(map[neighbour]int)
	n.Neighbours(func(m layout.Node, d layout.Direction) bool { got[neighbour{d, m}]++; return true })
	for _, m := range all {
		if d, ok := relation(n.Cell(), m.Cell(), flat); ok && m.Leaf() {
			if got[neighbour{d, m}] != 1 {
				w.t.Fatalf("neighbours of %v: got %v %d times, want once in %v", n.Cell(), m.Cell(), got[neighbour{d, m}], d)
			}
			delete(got, neighbour{d, m})
		}
	}
	if len(got) > 0 {
		w.t.Fatalf("neighbours of %v: got %v too", n.Cell(), got)
	}
	// A step and its reverse, the code, the parents.
	for _, m := range all[:min(len(all), 20)] {
		p, ok := m.Parent()
		if ok != (m.Depth() > 0) {
			w.t.Fatalf("parent of depth %d: %v", m.Depth(), ok)
		}
		if ok {
			if k, found := p.Child(int(m.Code() & (1<<bitsOf(flat) - 1))); !found || k != m {
				w.t.Fatalf("the child of the parent of %v is %v, %v", m.Cell(), k.Cell(), found)
			}
		}
	}
}

func bitsOf(flat bool) int {
	if flat {
		return 2
	}
	return 3
}

func (w *twin) check() {
	w.t.Helper()
	if err := w.tree.Check(); err != nil {
		w.t.Fatal(err)
	}
	if w.tree.Len() != len(w.ids) {
		w.t.Fatalf("len: got %d, want %d", w.tree.Len(), len(w.ids))
	}
	w.same("all", w.tree.All, func(*octree.Box) bool { return true })
}

// dice returns a number from 0 to n-1.
type dice func(n int) int

func vec(x, y, z int) octree.Vec { return octree.Vec{X: float64(x), Y: float64(y), Z: float64(z)} }

// around returns a box of integers in a root from -64 to 64: most small, some large, some
// points, some far outside.
func around(d dice, most int) octree.Box {
	at := vec(d(128)-64, d(128)-64, d(128)-64)
	edge := 1
	switch d(16) {
	case 0, 1, 2:
		edge = 60
	case 3, 4, 5, 6, 7, 8:
		edge = 9
	case 9:
		at = vec(d(16)*8-64, d(16)*8-64, d(16)*8-64)
		edge = 17
	case 10:
		at = vec(3, 4, 5)
	case 11:
		if most > 0 {
			at = vec(d(most)-most/2, d(most)-most/2, d(most)-most/2)
		}
	}
	b := octree.Box{Min: at, Max: at}
	b.Max.X, b.Max.Y, b.Max.Z = b.Max.X+float64(d(edge)), b.Max.Y+float64(d(edge)), b.Max.Z+float64(d(edge))
	return b
}

// run makes random changes and random queries.
func run(t testing.TB, o layout.Options, d dice, more func(step int) bool) {
	w := &twin{t: t, tree: mustNew(t, o), gone: math.MaxUint64}
	other := &twin{t: t, tree: mustNew(t, layout.Options{SplitAbove: 2}), gone: math.MaxUint64}
	most := 1 + d(80)
	far := []int{0, 1000, 1 << 16}[d(3)]
	for step := 0; more(step); step++ {
		b := around(d, far)
		switch c := d(12); {
		case len(w.ids) == 0 || d(most) >= len(w.ids):
			w.insert(b, true)
		case c < 3:
			w.remove(d(len(w.ids)))
		case c < 6:
			i := d(len(w.ids))
			old := w.boxes[w.ids[i].Index()]
			by := vec(d(3)-1, d(3)-1, d(3)-1)
			w.move(i, octree.Box{
				Min: octree.Vec{X: old.Min.X + by.X, Y: old.Min.Y + by.Y, Z: old.Min.Z + by.Z},
				Max: octree.Vec{X: old.Max.X + by.X, Y: old.Max.Y + by.Y, Z: old.Max.Z + by.Z},
			}, true)
		default:
			w.move(d(len(w.ids)), b, true)
		}
		q := around(d, far)
		switch d(24) {
		case 0, 1:
			w.boxQueries(b)
		case 2:
			w.boxQueries(octree.Box{Min: q.Min, Max: octree.Vec{X: q.Max.X + float64(d(100)), Y: q.Max.Y + float64(d(9)), Z: q.Max.Z + float64(d(50))}})
		case 3, 4:
			w.ballQuery(q.Min, float64(d(1<<d(9))))
		case 5:
			if len(w.ids) > 0 {
				w.nearestQuery(q.Min, 1+d(9))
			}
		case 6:
			if dir := vec(d(5)-2, d(5)-2, d(5)-2); dir != (octree.Vec{}) {
				w.rayQueries(octree.Ray{Origin: q.Min, Direction: dir, Max: []float64{1, 100, math.Inf(1)}[d(3)]})
			}
		case 7:
			var f octree.Frustum
			for i := range f {
				f[i] = octree.Plane{Normal: vec(d(5)-2, d(5)-2, d(5)-2), Offset: float64(d(300) - 80)}
			}
			if d(3) == 0 {
				w.planeQueries(f, octree.Side(d(3)-1))
			}
		case 8:
			switch d(8) {
			case 0:
				if len(other.ids) < 30 {
					other.insert(b, true)
				}
				w.pairQueries(other)
			case 1, 2:
				w.neighbourQuery(d)
			case 3:
				w.check()
			case 4:
				if d(10) == 0 {
					w.clear()
				}
			case 5:
				if d(10) == 0 {
					most = 1 + d(80)
				}
			}
		}
	}
	w.check()
	for len(w.ids) > 0 {
		w.remove(d(len(w.ids)))
	}
	w.check()
}

var root = octree.Around(octree.Vec{}, 64)

// draw completes the options of a layout.
func draw(o layout.Options, d dice) layout.Options {
	o.Root, o.Flat = root, d(3) == 0
	switch d(4) {
	case 0:
		o.Root = octree.Box{Min: octree.Vec{X: -64, Y: -64, Z: -64}, Max: octree.Vec{X: 64, Y: 192, Z: 960}}
	case 1:
		o.Root = octree.Box{Min: octree.Vec{X: -64.3, Y: -70, Z: -64.01}, Max: octree.Vec{X: 64.7, Y: 64, Z: 66.6}}
	}
	o.Objects = layout.Strategy(d(3))
	if o.Objects == layout.Enclosing {
		o.Loose = []float64{0, 1, 1.3, 2, 8}[d(5)]
	}
	o.MaxDepth = 1 + d(3)
	o.Fixed = d(6) == 0
	if o.Storage != layout.Full {
		o.SplitAbove = 1 + d(6)
		o.MaxDepth = 1 + d(8)
		o.Boxes = layout.Boxes(d(4))
		o.MinSize = float64(d(3) * d(20))
	}
	if o.Codes != 0 {
		o.Virtual = !o.Fixed && d(3) == 0
	}
	return o
}

// TestTwin compares each layout with an array of boxes in random operations.
func TestTwin(t *testing.T) {
	for i, k := range layout.All() {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			for seed := *first; seed < *first+*seeds; seed++ {
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					random := rand.New(rand.NewPCG(seed, uint64(i)))
					o := draw(k.Options, random.IntN)
					t.Logf("%+v", o)
					run(t, o, random.IntN, func(step int) bool { return step < *operations })
				})
			}
		})
	}
}

// every calls f for all options that make sense, with the numbers of o.
func every(o layout.Options, f func(layout.Options)) {
	for bits := range 1 << 5 {
		o := o
		o.Flat, o.Parents, o.Mask, o.Virtual = bits&1 != 0, bits&2 != 0, bits&4 != 0, bits&8 != 0
		for _, o.Codes = range []int{0, 32, 64} {
			for o.Storage = layout.Pointers; o.Storage <= layout.Full; o.Storage++ {
				for o.Boxes = layout.Computed; o.Boxes <= layout.CenterHalf; o.Boxes++ {
					for o.Objects = layout.Enclosing; o.Objects <= layout.Split; o.Objects++ {
						if o.Loose = 0; bits&16 != 0 {
							o.Loose = 1.5
						}
						if _, err := layout.New(o); err == nil {
							f(o)
						}
					}
				}
			}
		}
	}
}

// TestEvery tries each combination of options that makes sense.
func TestEvery(t *testing.T) {
	n := uint64(0)
	each := func(o layout.Options) {
		n++
		random := rand.New(rand.NewPCG(n, 9))
		t.Run(fmt.Sprintf("%v %+v", o.Storage, o), func(t *testing.T) {
			run(t, o, random.IntN, func(step int) bool { return step < *operations/10 })
		})
	}
	every(layout.Options{Root: root, MaxDepth: 6, SplitAbove: 3}, each)
	every(layout.Options{Root: root, MaxDepth: 3}, each)
	if n < 500 {
		t.Errorf("got %d combinations", n)
	}
}

// FuzzTree takes each choice of random operations from the input.
func FuzzTree(f *testing.F) {
	kinds := layout.All()
	for i := range kinds {
		seed := []byte{byte(i)}
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for range 300 {
			seed = append(seed, byte(random.Uint32()))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		if len(input) == 0 || len(input) > 1<<12 {
			return
		}
		k := kinds[int(input[0])%len(kinds)]
		input = input[1:]
		next := func(n int) int {
			v := 0
			for high := n; high > 1 && len(input) > 0; high >>= 8 {
				v, input = v<<8|int(input[0]), input[1:]
			}
			return v % n
		}
		run(t, draw(k.Options, next), next, func(int) bool { return len(input) > 0 })
	})
}
