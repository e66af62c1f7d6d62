package octree_test

import (
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func box(minX, minY, minZ, maxX, maxY, maxZ float64) octree.Box {
	return octree.Box{Min: octree.Vec{X: minX, Y: minY, Z: minZ}, Max: octree.Vec{X: maxX, Y: maxY, Z: maxZ}}
}

func TestNewOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts octree.Options
		ok   bool
	}{
		{"zero", octree.Options{}, true},
		{"all", octree.Options{SplitAbove: 2, Loose: 4, MaxDepth: 32}, true},
		{"split at one", octree.Options{SplitAbove: 1}, false},
		{"split at less", octree.Options{SplitAbove: -1}, false},
		{"tight", octree.Options{Loose: 1}, false},
		{"very loose", octree.Options{Loose: 4.1}, false},
		{"loose by NaN", octree.Options{Loose: nan}, false},
		{"deep", octree.Options{MaxDepth: 33}, false},
		{"flat", octree.Options{MaxDepth: -1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := octree.New(tt.opts); (err == nil) != tt.ok {
				t.Errorf("got %v, want ok %v", err, tt.ok)
			}
		})
	}
}

// TestBoxes tries which boxes a tree takes; one that it does not take changes nothing.
func TestBoxes(t *testing.T) {
	const most = math.MaxFloat64
	for _, tt := range []struct {
		name string
		box  octree.Box
		ok   bool
	}{
		{"a point", octree.At(octree.Vec{X: 1}), true},
		{"the whole range", box(-most, -most, -most, most, most, most), true},
		{"the end", octree.At(octree.Vec{X: most, Y: -most, Z: most}), true},
		{"the smallest number", octree.At(octree.Vec{X: math.SmallestNonzeroFloat64}), true},
		{"minus zero", box(0, 0, 0, math.Copysign(0, -1), 0, 0), true},
		{"upside down", box(0, 1, 0, 1, 0, 1), false},
		{"NaN at the least", box(0, nan, 0, 1, 1, 1), false},
		{"NaN at the greatest", box(0, 0, 0, 1, 1, nan), false},
		{"NaN at both", box(nan, 0, 0, nan, 1, 1), false},
		{"infinite", box(0, 0, 0, inf, 1, 1), false},
		{"infinite below", box(0, 0, -inf, 1, 1, 1), false},
		{"at infinity", box(inf, 0, 0, inf, 1, 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := mustNew(t, octree.Options{})
			first, err := tree.Insert(box(1, 2, 3, 4, 5, 6))
			if err != nil {
				t.Fatal(err)
			}
			if err := tree.Move(first, tt.box); (err == nil) != tt.ok {
				t.Errorf("move: got %v, want ok %v", err, tt.ok)
			}
			if got, _ := tree.Get(first); !tt.ok && got != box(1, 2, 3, 4, 5, 6) {
				t.Errorf("after the move: got %v", got)
			}
			id, err := tree.Insert(tt.box)
			if (err == nil) != tt.ok {
				t.Errorf("insert: got %v, want ok %v", err, tt.ok)
			}
			if got, ok := tree.Get(id); ok != tt.ok || ok && got != tt.box {
				t.Errorf("get: got %v, %v, want %v", got, ok, tt.box)
			}
			if err := tree.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestForms tries which boxes the other forms take, and what they give back.
func TestForms(t *testing.T) {
	integers, flat := octree.Options{Integer: true}, octree.Options{Flat: true}
	ground := octree.Options{Integer: true, Flat: true}
	for _, tt := range []struct {
		name string
		opts octree.Options
		box  octree.Box
		ok   bool
	}{
		{"integers", integers, box(-5, 0, 5, 7, 8, 9), true},
		{"all integers", integers, box(math.MinInt32, math.MinInt32, math.MinInt32, math.MaxInt32, math.MaxInt32, math.MaxInt32), true},
		{"a fraction", integers, box(0, 0, 0, 1, 1.5, 1), false},
		{"a fraction below", integers, box(0, 0, -0.5, 1, 1, 1), false},
		{"above integers", integers, box(0, 0, 0, math.MaxInt32+1, 1, 1), false},
		{"below integers", integers, box(math.MinInt32-1, 0, 0, 0, 1, 1), false},
		{"far above integers", integers, box(0, 0, 0, 1e300, 1, 1), false},
		{"NaN of integers", integers, box(0, nan, 0, 1, 1, 1), false},
		{"integers upside down", integers, box(0, 2, 0, 1, 1, 1), false},
		{"flat", flat, box(-0.5, 1e300, 0, 0.5, 2e300, 0), true},
		{"flat with height", flat, box(0, 0, 0, 1, 1, 1), false},
		{"flat at a height", flat, box(0, 0, 1, 1, 1, 1), false},
		{"flat and infinite", flat, box(0, 0, 0, inf, 1, 0), false},
		{"flat integers", ground, box(-7, 3, 0, 7, 3, 0), true},
		{"flat and a fraction", ground, box(0, 0, 0, 0, 0.5, 0), false},
		{"integers with height", ground, box(0, 0, 0, 1, 1, 1), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := mustNew(t, tt.opts)
			first, err := tree.Insert(octree.Box{})
			if err != nil {
				t.Fatal(err)
			}
			for range 100 {
				if id, err := tree.Insert(tt.box); (err == nil) != tt.ok {
					t.Fatalf("insert: got %v, want ok %v", err, tt.ok)
				} else if got, _ := tree.Get(id); tt.ok && got != tt.box {
					t.Fatalf("got %v, want %v", got, tt.box)
				}
			}
			if err := tree.Move(first, tt.box); (err == nil) != tt.ok {
				t.Errorf("move: got %v, want ok %v", err, tt.ok)
			}
			if got, _ := tree.Get(first); tt.ok && got != tt.box || !tt.ok && got != (octree.Box{}) {
				t.Errorf("after the move: got %v", got)
			}
			if err := tree.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestBytes pins the memory of an object. Objects of a world lie in columns.
func TestBytes(t *testing.T) {
	long.Alone(t)
	for _, tt := range []struct {
		name string
		opts octree.Options
		most int64
	}{
		{"default", octree.Options{}, 96},
		{"integers", octree.Options{Integer: true}, 64},
		{"flat", octree.Options{Flat: true}, 76},
		{"flat integers", octree.Options{Flat: true, Integer: true}, 56},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := mustNew(t, tt.opts)
			random := rand.New(rand.NewPCG(13, 14))
			const objects = 100_000
			var boxes []octree.Box
			for tree.Len() < objects {
				x, z, n := random.IntN(200)*16, random.IntN(200)*16, random.IntN(60)
				for range n {
					at := vec(x+random.IntN(16), z+random.IntN(16), random.IntN(256)-64)
					if tt.opts.Flat {
						at.Z = 0
					}
					if _, err := tree.Insert(octree.At(at)); err != nil {
						t.Fatal(err)
					}
					boxes = append(boxes, octree.At(at))
				}
			}
			s := tree.Stats()
			t.Logf("%d objects: %+v, %d bytes for each", tree.Len(), s, s.Bytes/int64(tree.Len()))
			if got := s.Bytes / int64(tree.Len()); got > tt.most {
				t.Errorf("%d bytes for each object, want at most %d", got, tt.most)
			}
			all := mustNew(t, tt.opts)
			if _, err := all.InsertAll(nil, boxes); err != nil {
				t.Fatal(err)
			}
			if got := all.Stats().Bytes / int64(all.Len()); got > tt.most {
				t.Errorf("all at once: %d bytes for each object, want at most %d", got, tt.most)
			}
		})
	}
}

func TestGone(t *testing.T) {
	tree := mustNew(t, octree.Options{})
	id, err := tree.Insert(octree.Box{})
	if err != nil {
		t.Fatal(err)
	}
	tree.Remove(id)
	next, err := tree.Insert(octree.Box{})
	if err != nil || next.Index() != id.Index() || next == id {
		t.Fatalf("the next object: got %v, %v, want another generation of %v", next, err, id)
	}
	free, err := tree.Insert(octree.Box{})
	if err != nil || !tree.Remove(free) {
		t.Fatal(err)
	}
	for name, id := range map[string]octree.ObjectID{
		"zero": 0, "removed": id, "never": 1<<32 | 99, "even generation": 2<<32 | octree.ObjectID(free.Index()),
		"all bits": math.MaxUint64, "of no generation": octree.ObjectID(next.Index()),
	} {
		if err := tree.Move(id, octree.Box{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("move %s: got %v, want fs.ErrNotExist", name, err)
		}
		if _, ok := tree.Get(id); ok || tree.Remove(id) {
			t.Errorf("%s is there", name)
		}
	}
	tree.Clear()
	if _, ok := tree.Get(next); ok || tree.Len() != 0 {
		t.Errorf("after Clear: %v objects", tree.Len())
	}
}

// TestQueriesOfNothing gives queries what they cannot find.
func TestQueriesOfNothing(t *testing.T) {
	tree := mustNew(t, octree.Options{})
	for i := range 100 {
		if _, err := tree.Insert(octree.Around(vec(i, 0, 0), 0.75)); err != nil {
			t.Fatal(err)
		}
	}
	far := octree.Vec{X: nan}
	dir := octree.Vec{X: 1}
	var none octree.Frustum
	none[5].Offset = nan
	for name, query := range map[string]func(yield){
		"point":                 func(f yield) { tree.Point(far, f) },
		"box upside down":       func(f yield) { tree.Overlapping(box(50, 1, -1, 60, -1, 1), f) },
		"box of NaN":            func(f yield) { tree.Overlapping(box(0, 0, 0, 1, 1, nan), f) },
		"inside NaN":            func(f yield) { tree.Inside(box(nan, -9, -9, 99, 9, 9), f) },
		"ball at NaN":           func(f yield) { tree.Ball(far, 1e9, f) },
		"ball of NaN":           func(f yield) { tree.Ball(octree.Vec{}, nan, f) },
		"ball of less than 0":   func(f yield) { tree.Ball(octree.Vec{}, -1, f) },
		"plane with NaN":        func(f yield) { tree.Plane(octree.Plane{Normal: far}, octree.Crossing, f) },
		"plane at NaN":          func(f yield) { tree.Plane(octree.Plane{Normal: dir, Offset: nan}, octree.Crossing, f) },
		"frustum with NaN":      func(f yield) { tree.Frustum(none, f) },
		"ray without way":       func(f yield) { hits(tree, octree.Ray{Max: 1}, f) },
		"ray with NaN":          func(f yield) { hits(tree, octree.Ray{Origin: far, Direction: dir, Max: 1}, f) },
		"ray along NaN":         func(f yield) { hits(tree, octree.Ray{Direction: far, Max: 1}, f) },
		"ray to NaN":            func(f yield) { hits(tree, octree.Ray{Direction: dir, Max: nan}, f) },
		"ray to less than 0":    func(f yield) { hits(tree, octree.Ray{Direction: dir, Max: -1}, f) },
		"ray from infinity":     func(f yield) { hits(tree, octree.Ray{Origin: octree.Vec{X: -inf}, Direction: dir, Max: inf}, f) },
		"ray of infinite steps": func(f yield) { hits(tree, octree.Ray{Direction: octree.Vec{X: inf}, Max: 1}, f) },
		"nearest to NaN": func(f yield) {
			for _, n := range tree.Nearest(far, make([]octree.Near, 3)) {
				f(n.ID, octree.Box{})
			}
		},
		"no nearest": func(f yield) {
			for _, n := range tree.Nearest(octree.Vec{}, nil) {
				f(n.ID, octree.Box{})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			query(func(id octree.ObjectID, b octree.Box) bool {
				t.Errorf("found %v at %v", id, b)
				return true
			})
		})
	}
	n := 0
	everywhere := box(-inf, -inf, -inf, inf, inf, inf)
	tree.Inside(everywhere, func(octree.ObjectID, octree.Box) bool { n++; return true })
	tree.Ball(octree.Vec{}, inf, func(octree.ObjectID, octree.Box) bool { n++; return true })
	if n != 200 {
		t.Errorf("infinite box and ball: got %d, want 200", n)
	}
}

func hits(tree *octree.Tree, r octree.Ray, f yield) {
	for _, h := range tree.AppendHits(nil, r) {
		f(h.ID, octree.Box{})
	}
	if h, ok := tree.First(r); ok {
		f(h.ID, octree.Box{})
	}
}

// TestEnds has objects at the ends of the range, where sums and squares are infinite.
func TestEnds(t *testing.T) {
	const most = math.MaxFloat64
	tree := mustNew(t, octree.Options{SplitAbove: 2})
	random := rand.New(rand.NewPCG(3, 4))
	ends := []float64{-most, -most / 2, -1, -math.SmallestNonzeroFloat64, 0, 1e-300, 1, most / 3, most}
	end := func() float64 { return ends[random.IntN(len(ends))] }
	boxes := make(map[octree.ObjectID]octree.Box)
	for range 500 {
		a, b := octree.Vec{X: end(), Y: end(), Z: end()}, octree.Vec{X: end(), Y: end(), Z: end()}
		q := box(min(a.X, b.X), min(a.Y, b.Y), min(a.Z, b.Z), max(a.X, b.X), max(a.Y, b.Y), max(a.Z, b.Z))
		if random.IntN(2) == 0 {
			q = octree.At(a)
		}
		id, err := tree.Insert(q)
		if err != nil {
			t.Fatal(err)
		}
		boxes[id] = q
		found := 0
		tree.Overlapping(q, func(octree.ObjectID, octree.Box) bool { found++; return true })
		tree.Inside(q, func(octree.ObjectID, octree.Box) bool { found++; return true })
		tree.Ball(a, 1e-310, func(octree.ObjectID, octree.Box) bool { found++; return true })
		tree.Ball(a, most, func(octree.ObjectID, octree.Box) bool { found++; return true })
		plane := octree.Plane{Normal: b, Offset: end()}
		tree.Plane(plane, octree.Front, func(octree.ObjectID, octree.Box) bool { found++; return true })
		ray := octree.Ray{Origin: a, Direction: b, Max: inf}
		found += len(tree.AppendHits(nil, ray))
		want := 0
		for _, c := range boxes {
			for _, is := range []bool{overlaps(c, q), inside(c, q), c.Distance(a) <= 1e-310, c.Distance(a) <= most, plane.Side(c) == octree.Front} {
				if is {
					want++
				}
			}
			if _, ok := ray.Enter(c); ok {
				want++
			}
		}
		if found != want {
			t.Fatalf("queries at %v and %v: got %d, want %d", a, q, found, want)
		}
		if near := tree.Nearest(a, make([]octree.Near, 1)); near[0].Distance > 0 && inside(octree.At(a), q) {
			t.Fatalf("nearest to %v: got %v", a, near)
		}
	}
	if err := tree.Check(); err != nil {
		t.Error(err)
	}
}

// TestBallAtDistance: a ball as large as the distance of what is nearest reaches it, though the
// distance is a rounded root.
func TestBallAtDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	small := false // so that distances are rounded once more
	point := func() octree.Vec {
		scale := math.Pow(10, float64(r.IntN(40)-20))
		if small {
			scale = 1e-322
		}
		return octree.Vec{X: r.NormFloat64() * scale, Y: r.NormFloat64() * scale, Z: r.NormFloat64() * scale}
	}
	for i := range 3000 {
		small = i%4 == 0
		tree, err := octree.New(octree.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tree.Insert(octree.At(point()))
		p := point()
		d := tree.Nearest(p, make([]octree.Near, 1))[0].Distance
		count := func(radius float64) (n int) {
			tree.Ball(p, radius, func(octree.ObjectID, octree.Box) bool { n++; return true })
			return n
		}
		if at, before := count(d), count(math.Nextafter(d, 0)); at != 1 || before != 0 && d > 0 {
			t.Fatalf("%v at %v: a ball of that radius has %d objects, one that is hardly smaller %d", p, d, at, before)
		}
	}
}

// TestOnePoint puts many objects where no depth tells them apart.
func TestOnePoint(t *testing.T) {
	long.Alone(t)
	n := long.By(100_000, 1_000_000, 1_000_000)
	if testing.Short() {
		n = 50_000
	}
	tree := mustNew(t, octree.Options{})
	at := octree.Vec{X: 100, Y: -7, Z: 3e9}
	var ids []octree.ObjectID
	for range n {
		id, err := tree.Insert(octree.At(at))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	count := func() (found int) {
		tree.Point(at, func(octree.ObjectID, octree.Box) bool { found++; return true })
		return found
	}
	if got := count(); got != n {
		t.Fatalf("found %d, want %d", got, n)
	}
	if s := tree.Stats(); s.Nodes > 1000 {
		t.Errorf("%d nodes for one point", s.Nodes)
	}
	for i, id := range ids {
		switch i % 3 {
		case 0:
			if err := tree.Move(id, octree.At(octree.Vec{X: 101, Y: -7, Z: 3e9})); err != nil {
				t.Fatal(err)
			}
		case 1:
			tree.Remove(id)
		}
	}
	if got := count(); got != n/3 {
		t.Errorf("found %d, want %d", got, n/3)
	}
	if err := tree.Check(); err != nil {
		t.Error(err)
	}
}

// TestDepth shows that many objects make depth, and small ones do not.
func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		name   string
		n      int
		radius float64
		lo, hi int // depth
	}{
		{"few points", 32, 0, 0, 0},
		{"points", 4096, 0, 2, 5},
		{"small", 4096, 1e-6, 2, 5},
		{"middling", 4096, 20, 2, 5},
		{"as large as their space", 4096, 500, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := mustNew(t, octree.Options{})
			random := rand.New(rand.NewPCG(5, 6))
			for range tt.n {
				at := octree.Vec{X: random.Float64() * 1000, Y: random.Float64() * 1000, Z: random.Float64() * 1000}
				if _, err := tree.Insert(octree.Around(at, tt.radius)); err != nil {
					t.Fatal(err)
				}
			}
			if d := tree.Stats().Depth; d < tt.lo || d > tt.hi {
				t.Errorf("depth %d, want %d..%d", d, tt.lo, tt.hi)
			}
		})
	}
}

// TestShrink inserts large objects, which lie near the root, and makes them small.
func TestShrink(t *testing.T) {
	tree := mustNew(t, octree.Options{})
	random := rand.New(rand.NewPCG(7, 8))
	var ids []octree.ObjectID
	for range 5000 {
		id, err := tree.Insert(octree.Around(vec(random.IntN(1000), random.IntN(1000), random.IntN(1000)), 1000))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		b, _ := tree.Get(id)
		if err := tree.Move(id, octree.At(octree.Vec{X: b.Min.X + 1000, Y: b.Min.Y + 1000, Z: b.Min.Z + 1000})); err != nil {
			t.Fatal(err)
		}
	}
	if d := tree.Stats().Depth; d < 2 {
		t.Errorf("depth %d, want at least 2", d)
	}
	if err := tree.Check(); err != nil {
		t.Error(err)
	}
}

// TestAllocations counts what queries and moves allocate.
func TestAllocations(t *testing.T) {
	long.Alone(t)
	tree := mustNew(t, octree.Options{})
	random := rand.New(rand.NewPCG(9, 10))
	at := func() octree.Vec {
		return octree.Vec{X: random.Float64() * 1000, Y: random.Float64() * 100, Z: random.Float64() * 1000}
	}
	var ids []octree.ObjectID
	for range 5000 {
		id, err := tree.Insert(octree.Around(at(), 3))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	near, all := make([]octree.Near, 10), make([]octree.Hit, 0, 5000)
	f := octree.Frustum{{Normal: octree.Vec{X: 1}, Offset: -300}}
	for name, do := range map[string]func(){
		"move": func() {
			for _, id := range ids {
				if err := tree.Move(id, octree.Around(at(), 3)); err != nil {
					t.Error(err)
				}
			}
		},
		"box": func() {
			found := 0
			tree.Overlapping(octree.Around(at(), 50), func(octree.ObjectID, octree.Box) bool { found++; return true })
		},
		"inside": func() {
			found := 0
			tree.Inside(octree.Around(at(), 50), func(octree.ObjectID, octree.Box) bool { found++; return true })
		},
		"ball": func() {
			found := 0
			tree.Ball(at(), 50, func(octree.ObjectID, octree.Box) bool { found++; return true })
		},
		"plane": func() {
			found := 0
			tree.Plane(f[0], octree.Front, func(octree.ObjectID, octree.Box) bool { found++; return true })
		},
		"frustum": func() { found := 0; tree.Frustum(f, func(octree.ObjectID, octree.Box) bool { found++; return true }) },
		"pairs":   func() { found := 0; tree.Pairs(func(a, b octree.ObjectID) bool { found++; return true }) },
		"changed": func() {
			found := 0
			tree.Changed(tree.Moment()-1, octree.Around(at(), 50), func(octree.ObjectID, octree.Box) bool { found++; return true })
		},
		"nearest": func() { tree.Nearest(at(), near) },
		"walk": func() {
			found := 0
			tree.Walk(func(n octree.Node) octree.Step {
				n.Objects(func(octree.ObjectID, octree.Box) bool { found++; return true })
				return octree.Enter
			})
		},
		"rays": func() {
			r := octree.Ray{Origin: at(), Direction: octree.Vec{X: 1, Z: 1}, Max: inf}
			tree.First(r)
			tree.AppendHits(all, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			do() // pools get their size
			do()
			if n := testing.AllocsPerRun(20, do); n >= 1 {
				t.Errorf("%g allocations", n)
			}
		})
	}
}

// TestChanged moves one object and looks where the tree says that something changed.
func TestChanged(t *testing.T) {
	tree := mustNew(t, octree.Options{})
	random := rand.New(rand.NewPCG(11, 12))
	var ids []octree.ObjectID
	for range 10000 {
		id, err := tree.Insert(octree.At(vec(random.IntN(1024), random.IntN(1024), random.IntN(1024))))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	all := box(0, 0, 0, 1024, 1024, 1024)
	count := func(since octree.Moment, q octree.Box) (found int, changed bool) {
		changed = tree.Changed(since, q, func(octree.ObjectID, octree.Box) bool { found++; return true })
		return found, changed
	}
	if n, changed := count(0, all); n != len(ids) || !changed {
		t.Errorf("since the beginning: got %d, %v", n, changed)
	}
	moment := tree.Moment()
	if again := tree.Moment(); again != moment {
		t.Errorf("two moments without a change: %d, %d", moment, again)
	}
	if n, changed := count(moment, all); n != 0 || changed {
		t.Errorf("nothing changed: got %d, %v", n, changed)
	}
	from, _ := tree.Get(ids[0])
	to := octree.At(octree.Vec{X: 1023 - from.Min.X, Y: 1023 - from.Min.Y, Z: 1023 - from.Min.Z})
	for _, tt := range []struct {
		name string
		do   func()
		at   octree.Box
	}{
		{"a move", func() {
			if err := tree.Move(ids[0], to); err != nil {
				t.Error(err)
			}
		}, from},
		{"a move within a node", func() {
			if err := tree.Move(ids[0], to); err != nil {
				t.Error(err)
			}
		}, to},
		{"a removal", func() { tree.Remove(ids[0]) }, to},
		{"an insertion", func() {
			if _, err := tree.Insert(from); err != nil {
				t.Error(err)
			}
		}, from},
	} {
		t.Run(tt.name, func(t *testing.T) {
			moment := tree.Moment()
			tt.do()
			if _, changed := count(moment, tt.at); !changed {
				t.Errorf("at %v: nothing changed", tt.at)
			}
			if n, changed := count(moment, all); !changed || n > 100 {
				t.Errorf("in all: got %d objects, %v, want few", n, changed)
			}
			if n, changed := count(tree.Moment(), all); n > 0 || changed {
				t.Errorf("since then: got %d, %v", n, changed)
			}
		})
	}
}
