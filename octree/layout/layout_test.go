package layout_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/octree/layout"
)

var (
	nan = math.NaN()
	inf = math.Inf(1)
)

func box(minX, minY, minZ, maxX, maxY, maxZ float64) octree.Box {
	return octree.Box{Min: octree.Vec{X: minX, Y: minY, Z: minZ}, Max: octree.Vec{X: maxX, Y: maxY, Z: maxZ}}
}

func TestOptions(t *testing.T) {
	for _, tt := range []struct {
		name string
		opts layout.Options
		want string // the option that the error names, "" for none
	}{
		{"zero", layout.Options{}, ""},
		{"one axis is longer", layout.Options{Boxes: layout.CenterHalf, Root: box(0, 0, 0, 1, 2, 300)}, ""},
		{"flat without height", layout.Options{Flat: true, Root: box(0, 0, 5, 1, 2, 5)}, ""},
		{"no such kind", layout.Options{Storage: 7}, "Storage 7"},
		{"no such boxes", layout.Options{Boxes: -1}, "Boxes -1"},
		{"no such strategy", layout.Options{Objects: 3}, "Objects 3"},
		{"full with boxes", layout.Options{Storage: layout.Full, Boxes: layout.MinMax}, "Boxes min-max"},
		{"full with a limit", layout.Options{Storage: layout.Full, SplitAbove: 4}, "SplitAbove 4"},
		{"full with a size", layout.Options{Storage: layout.Full, MinSize: 4}, "MinSize 4"},
		{"full and deep", layout.Options{Storage: layout.Full, MaxDepth: 9}, "MaxDepth 9"},
		{"full, deep and flat", layout.Options{Storage: layout.Full, MaxDepth: 9, Flat: true}, ""},
		{"parents of codes", layout.Options{Storage: layout.Sorted, Parents: true}, "Parents true: sorted"},
		{"parents of full", layout.Options{Storage: layout.Full, Parents: true}, "Parents true: full"},
		{"codes of pointers", layout.Options{Storage: layout.Block, Codes: 32}, "Codes 32: block"},
		{"codes of 16 bits", layout.Options{Storage: layout.Hashed, Codes: 16}, "Codes 16"},
		{"mask of pointers", layout.Options{Mask: true}, "Mask true: pointers"},
		{"virtual pointers", layout.Options{Virtual: true}, "Virtual true: pointers"},
		{"virtual and fixed", layout.Options{Storage: layout.Hashed, Virtual: true, Fixed: true}, "Virtual true"},
		{"negative limit", layout.Options{SplitAbove: -1}, "SplitAbove -1"},
		{"negative depth", layout.Options{MaxDepth: -1}, "MaxDepth -1"},
		{"21 levels", layout.Options{Storage: layout.Hashed, MaxDepth: 21}, ""},
		{"22 levels", layout.Options{Storage: layout.Hashed, MaxDepth: 22}, "MaxDepth 22"},
		{"10 levels", layout.Options{Storage: layout.Hashed, Codes: 32, MaxDepth: 10}, ""},
		{"11 levels", layout.Options{Storage: layout.Hashed, Codes: 32, MaxDepth: 11}, "MaxDepth 11"},
		{"15 flat levels", layout.Options{Storage: layout.Hashed, Codes: 32, MaxDepth: 15, Flat: true}, ""},
		{"negative size", layout.Options{MinSize: -1}, "MinSize -1"},
		{"size that is NaN", layout.Options{MinSize: nan}, "MinSize NaN"},
		{"tighter than cells", layout.Options{Loose: 0.9}, "Loose 0.9"},
		{"loose by NaN", layout.Options{Loose: nan}, "Loose NaN"},
		{"infinitely loose", layout.Options{Loose: inf}, "Loose +Inf"},
		{"very loose", layout.Options{Loose: 1000}, ""},
		{"loose leaves", layout.Options{Loose: 2, Objects: layout.Leaves}, "Loose 2: leaves"},
		{"loose and split", layout.Options{Loose: 2, Objects: layout.Split}, "Loose 2: split"},
		{"upside down", layout.Options{Root: box(0, 0, 0, 1, 1, -1)}, "Root"},
		{"a flat root", layout.Options{Root: box(0, 0, 0, 1, 1, 0)}, "Root"},
		{"an infinite root", layout.Options{Root: box(0, 0, 0, 1, 1, inf)}, "Root"},
		{"the whole range", layout.Options{Root: box(-math.MaxFloat64, 0, 0, math.MaxFloat64, 1, 1)}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := layout.New(tt.opts)
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), "options: "+tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestBoxes tries which boxes a tree takes; one that it does not take changes nothing.
func TestBoxes(t *testing.T) {
	const most = math.MaxFloat64
	huge := layout.Options{Root: box(-most, -most, -most, most, most, most)}
	unit := layout.Options{Root: box(0, 0, 0, 1, 1, 1), Fixed: true}
	small := layout.Options{Root: box(0, 0, 0, 5e-324, 5e-324, 5e-324)}
	for _, tt := range []struct {
		name string
		opts layout.Options
		box  octree.Box
		ok   bool
	}{
		{"a point", layout.Options{}, octree.At(octree.Vec{X: 1}), true},
		{"far", layout.Options{}, octree.At(octree.Vec{X: 8e6}), true},
		{"too far", layout.Options{}, octree.At(octree.Vec{X: 9e6}), false},
		{"as far as it goes", layout.Options{}, octree.At(octree.Vec{X: most}), false},
		{"the whole range", huge, huge.Root, true},
		{"a corner of the range", huge, octree.At(octree.Vec{X: most, Y: -most, Z: most}), true},
		{"the smallest number", huge, octree.At(octree.Vec{X: math.SmallestNonzeroFloat64}), true},
		{"the smallest root", small, octree.At(octree.Vec{X: 5e-324}), true},
		{"minus zero", layout.Options{}, box(0, 0, 0, math.Copysign(0, -1), 0, 0), true},
		{"at the border", unit, box(0, 0, 0, 1, 1, 1), true},
		{"over the border", unit, box(0, 0, 0, 1, 1.0000000001, 1), false},
		{"upside down", layout.Options{}, box(0, 1, 0, 1, 0, 1), false},
		{"NaN at the least", layout.Options{}, box(0, nan, 0, 1, 1, 1), false},
		{"NaN at the greatest", layout.Options{}, box(0, 0, 0, 1, 1, nan), false},
		{"infinite", layout.Options{}, box(0, 0, 0, inf, 1, 1), false},
		{"infinite below", layout.Options{}, box(0, 0, -inf, 1, 1, 1), false},
	} {
		for objects := layout.Enclosing; objects <= layout.Split; objects++ {
			t.Run(fmt.Sprint(tt.name, " ", objects), func(t *testing.T) {
				tt.opts.Objects = objects
				tree := mustNew(t, tt.opts)
				at := octree.At(tree.Options().Root.Min)
				first, err := tree.Insert(at)
				if err != nil {
					t.Fatal(err)
				}
				if err := tree.Move(first, tt.box); (err == nil) != tt.ok {
					t.Errorf("move: got %v, want ok %v", err, tt.ok)
				}
				if got, _ := tree.Get(first); !tt.ok && got != at {
					t.Errorf("after the move: got %v", got)
				}
				if ids, err := tree.Build([]octree.Box{at, tt.box}); (err == nil) != tt.ok || len(ids) > 0 != tt.ok {
					t.Errorf("build: got %v, %v, want ok %v", ids, err, tt.ok)
				}
				id, err := tree.Insert(tt.box)
				if (err == nil) != tt.ok {
					t.Errorf("insert: got %v, want ok %v", err, tt.ok)
				}
				if got, ok := tree.Get(id); ok != tt.ok || ok && got != tt.box {
					t.Errorf("get: got %v, %v, want %v", got, ok, tt.box)
				}
				if outside := tt.name != "over the border" && !strings.Contains(tt.name, "far"); !tt.ok && errors.Is(err, layout.ErrOutside) == outside {
					t.Errorf("insert: got %v", err)
				}
				for range 40 {
					if _, err := tree.Insert(tt.box); (err == nil) != tt.ok {
						t.Fatal(err)
					}
					if _, err := tree.Insert(at); err != nil {
						t.Fatal(err)
					}
				}
				if err := tree.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestGone(t *testing.T) {
	tree := mustNew(t, layout.Options{})
	insert := func() octree.ObjectID {
		id, err := tree.Insert(octree.Box{})
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id := insert()
	tree.Remove(id)
	next := insert()
	if next.Index() != id.Index() || next == id {
		t.Fatalf("the next object: got %v, want another generation of %v", next, id)
	}
	for name, id := range map[string]octree.ObjectID{
		"zero": 0, "removed": id, "never": 1<<32 | 99, "even generation": 2<<32 | octree.ObjectID(id.Index()), "all bits": math.MaxUint64,
	} {
		if err := tree.Move(id, octree.Box{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("move %s: got %v, want fs.ErrNotExist", name, err)
		}
		if _, ok := tree.Get(id); ok || tree.Remove(id) {
			t.Errorf("%s is there", name)
		}
	}
	tree.Clear()
	if _, ok := tree.Get(next); ok || tree.Len() != 0 || insert() == next {
		t.Errorf("after Clear %v is there", next)
	}
}

// TestBadQueries asks for what finds nothing.
func TestBadQueries(t *testing.T) {
	tree := mustNew(t, layout.Options{})
	if _, err := tree.Insert(box(-1, -1, -1, 1, 1, 1)); err != nil {
		t.Fatal(err)
	}
	found := func(octree.ObjectID, octree.Box) bool { t.Error("found something"); return true }
	tree.Overlapping(box(1, 0, 0, 0, 0, 0), found)
	tree.Overlapping(box(0, 0, nan, 0, 0, 0), found)
	tree.Inside(box(-9, -9, nan, 9, 9, 9), found)
	tree.Point(octree.Vec{Y: nan}, found)
	for _, r := range []float64{-1, nan, math.Inf(-1)} {
		tree.Ball(octree.Vec{}, r, found)
	}
	tree.Ball(octree.Vec{X: nan}, 1, found)
	tree.Plane(octree.Plane{Offset: nan}, octree.Crossing, found)
	tree.Frustum(octree.Frustum{{Offset: nan}}, found)
	if got := tree.Nearest(octree.Vec{X: nan}, make([]octree.Near, 1)); len(got) > 0 {
		t.Errorf("nearest: got %v", got)
	}
	for _, r := range []octree.Ray{{}, {Direction: octree.Vec{X: nan}, Max: 1}, {Direction: octree.Vec{X: 1}, Max: nan}, {Direction: octree.Vec{X: 1}, Max: -1}} {
		if _, ok := tree.First(r); ok || len(tree.AppendHits(nil, r)) > 0 {
			t.Errorf("ray %v met something", r)
		}
	}
	n := 0
	count := func(octree.ObjectID, octree.Box) bool { n++; return true }
	tree.Overlapping(box(-inf, -inf, -inf, inf, inf, inf), count)
	tree.Ball(octree.Vec{X: 5}, inf, count)
	tree.Inside(box(-inf, -inf, -inf, inf, inf, inf), count)
	if n != 3 {
		t.Errorf("infinite queries found %d, want 3", n)
	}
}

// TestScales runs the twin's objects at the ends of the range. Lengths are multiplied by
// a power of two, so each tree must find what the plain one finds.
func TestScales(t *testing.T) {
	for i, scale := range []float64{0x1p1014, 0x1p-1060, 0x1p600, 0x1p-600} {
		for objects := layout.Enclosing; objects <= layout.Split; objects++ {
			t.Run(fmt.Sprintf("%g %v", scale, objects), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(i), 3))
				scaled := func(b octree.Box) octree.Box {
					v := func(v octree.Vec) octree.Vec { return octree.Vec{X: v.X * scale, Y: v.Y * scale, Z: v.Z * scale} }
					return octree.Box{Min: v(b.Min), Max: v(b.Max)}
				}
				plain := mustNew(t, layout.Options{Root: root, SplitAbove: 2, Objects: objects})
				tree := mustNew(t, layout.Options{Root: scaled(root), SplitAbove: 2, Objects: objects})
				for range 300 {
					b := around(random.IntN, 0)
					_, err := plain.Insert(b)
					if _, also := tree.Insert(scaled(b)); err != nil || also != nil {
						t.Fatal(err, also)
					}
				}
				if err := tree.Check(); err != nil {
					t.Fatal(err)
				}
				collect := func(query func(yield)) (ids []octree.ObjectID) {
					query(func(id octree.ObjectID, _ octree.Box) bool { ids = append(ids, id); return true })
					slices.Sort(ids)
					return ids
				}
				for range 300 {
					q, r := around(random.IntN, 0), float64(random.IntN(60))
					s := scaled(q)
					for name, pair := range map[string][2][]octree.ObjectID{
						"overlapping": {collect(func(f yield) { plain.Overlapping(q, f) }), collect(func(f yield) { tree.Overlapping(s, f) })},
						"ball":        {collect(func(f yield) { plain.Ball(q.Min, r, f) }), collect(func(f yield) { tree.Ball(s.Min, r*scale, f) })},
					} {
						if !slices.Equal(pair[0], pair[1]) {
							t.Fatalf("%s %v %g: got %v, want %v", name, q, r, pair[1], pair[0])
						}
					}
					near, also := plain.Nearest(q.Min, make([]octree.Near, 3)), tree.Nearest(s.Min, make([]octree.Near, 3))
					for i := range near {
						if near[i].ID != also[i].ID {
							t.Fatalf("nearest %v: got %v, want %v", q.Min, also, near)
						}
					}
				}
			})
		}
	}
}

// TestCrowd puts a thousand objects at one point, moves them away and takes them out.
func TestCrowd(t *testing.T) {
	for _, k := range layout.All() {
		for objects := layout.Enclosing; objects <= layout.Split; objects++ {
			t.Run(fmt.Sprint(k.Name, " ", objects), func(t *testing.T) {
				o := k.Options
				o.Objects = objects
				w := &twin{t: t, tree: mustNew(t, o), gone: math.MaxUint64}
				at := box(3, 4, 5, 3, 4, 5)
				for range 1000 {
					w.insert(at, false)
				}
				s := w.tree.Stats()
				if o.Storage != layout.Full && s.Nodes != 1 || s.Refs != 1000 {
					t.Errorf("a thousand objects at one point: %+v", s)
				}
				w.ballQuery(at.Min, 1)
				random := rand.New(rand.NewPCG(4, 4))
				for i := range w.ids {
					w.move(i, around(random.IntN, 0), false)
				}
				w.check()
				if s := w.tree.Stats(); s.Nodes < 100 {
					t.Errorf("a thousand objects in different places: %+v", s)
				}
				w.boxQueries(box(-20, -20, -20, 20, 20, 20))
				for i := range w.ids {
					w.move(i, at, false)
				}
				w.check()
				for len(w.ids) > 0 {
					w.remove(0)
				}
				w.check()
			})
		}
	}
}

// TestEndless gives all objects the same box, which no cell separates: the literature's
// endless subdivision of trees with objects in all leaves.
func TestEndless(t *testing.T) {
	for objects := layout.Leaves; objects <= layout.Split; objects++ {
		for name, b := range map[string]octree.Box{
			"over all cells": box(-512, -512, -512, 511, 511, 511), "over four": box(-1, -1, 5, 1, 1, 6), "a point": box(1, 2, 3, 1, 2, 3),
		} {
			tree := mustNew(t, layout.Options{Objects: objects, SplitAbove: 1, MaxDepth: 20})
			for range 100 {
				if _, err := tree.Insert(b); err != nil {
					t.Fatal(err)
				}
			}
			if s := tree.Stats(); s.Nodes != 1 {
				t.Errorf("%v, %s: got %+v, want one node", objects, name, s)
			}
		}
	}
}

// TestMaxDepth is the bound of the literature: no tree of points with more than one
// in no leaf is deeper than log2 of root over the smallest distance, and log2 of the
// diagonal of a unit cell. In two dimensions the diagonal is the root of two.
func TestMaxDepth(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for run := range 200 {
		flat := run%2 == 1
		points := make([]octree.Vec, 2+random.IntN(60))
		spread := math.Exp2(-float64(random.IntN(12)))
		for i := range points {
			points[i] = octree.Vec{X: random.Float64(), Y: random.Float64(), Z: random.Float64()}
			if i > 0 && random.IntN(2) == 0 { // beside another
				points[i] = octree.Vec{X: points[i-1].X + points[i].X*spread, Y: points[i-1].Y + points[i].Y*spread, Z: points[i-1].Z + points[i].Z*spread}
			}
			if flat {
				points[i].Z = 0
			}
		}
		tree := mustNew(t, layout.Options{SplitAbove: 1, MaxDepth: 21, Flat: flat, Fixed: true, Root: box(0, 0, 0, 64, 64, 64)})
		built := mustNew(t, tree.Options())
		boxes := make([]octree.Box, len(points))
		least, depth := inf, 0.0
		for i, p := range points {
			for _, q := range points[:i] {
				least = min(least, octree.At(p).Distance(q))
			}
			boxes[i] = octree.At(p)
			if _, err := tree.Insert(boxes[i]); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := built.Build(boxes); err != nil {
			t.Fatal(err)
		}
		diagonal := math.Sqrt(3)
		if flat {
			diagonal = math.Sqrt2
		}
		bound := math.Log2(64/least) + math.Log2(diagonal)
		// The literature's depth is that of inner nodes: a node at depth k encloses two points.
		for _, tree := range []*layout.Tree{tree, built} {
			tree.Walk(func(n layout.Node) octree.Step {
				if !n.Leaf() {
					depth = max(depth, float64(n.Depth()))
				} else if n.Own() > 1 && n.Depth() < 21 {
					t.Errorf("a leaf has %d points", n.Own())
				}
				return octree.Enter
			})
		}
		if depth > bound {
			t.Errorf("depth %g, want at most %g", depth, bound)
		}
	}
}

// TestGrowth moves one object away and back: the root grows toward it and shrinks, and
// only codes that are not virtual change.
func TestGrowth(t *testing.T) {
	for _, virtual := range []bool{false, true} {
		tree := mustNew(t, layout.Options{Storage: layout.Hashed, Virtual: virtual, Root: root, SplitAbove: 1})
		for i := range 8 {
			if _, err := tree.Insert(octree.At(octree.Vec{X: float64(i*13 - 50), Y: float64(i), Z: 1})); err != nil {
				t.Fatal(err)
			}
		}
		before := tree.Stats()
		far, err := tree.Insert(octree.At(octree.Vec{X: 200, Y: -100, Z: 3}))
		if err != nil {
			t.Fatal(err)
		}
		grown := tree.Stats()
		cell := tree.Root().Cell()
		if !virtual && (cell.Min.X != -64 || cell.Max.X != 448 || cell.Min.Y != -448 || cell.Max.Y != 64) {
			t.Errorf("the root grew to %v", cell)
		}
		if virtual == (grown.Rekeyed > before.Rekeyed) || !cell.Contains(root) {
			t.Errorf("virtual %v: %d codes changed, the root is %v", virtual, grown.Rekeyed, cell)
		}
		tree.Remove(far)
		if got := tree.Root().Cell(); got != root {
			t.Errorf("the root shrank to %v, want %v", got, root)
		}
		if after := tree.Stats(); after.Nodes != before.Nodes || virtual == (after.Rekeyed > grown.Rekeyed) {
			t.Errorf("after: %+v, before: %+v", after, before)
		}
	}
}

// TestBuild compares a tree built from the bottom up with one built from the top down.
func TestBuild(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	every(layout.Options{SplitAbove: 5, MaxDepth: 7}, func(o layout.Options) {
		w := &twin{t: t, tree: mustNew(t, o), gone: math.MaxUint64}
		inserted := mustNew(t, o)
		for first := range 2 { // into an empty tree, and into one that is not
			boxes := make([]octree.Box, 50)
			for i := range boxes {
				boxes[i] = around(random.IntN, 3000)
			}
			ids, err := w.tree.Build(boxes)
			if err != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				w.keep(id, boxes[i])
			}
			w.check()
			w.boxQueries(box(-30, -30, -30, 20, 20, 20))
			w.nearestQuery(octree.Vec{X: 5}, 9)
			for _, b := range boxes {
				if _, err := inserted.Insert(b); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := w.tree.Stats(), inserted.Stats(); first == 0 && (a.Nodes > 2*b.Nodes || b.Nodes > 2*a.Nodes) {
				t.Errorf("%+v: built %+v, inserted %+v", o, a, b)
			}
		}
		for len(w.ids) > 0 {
			w.remove(0)
		}
		w.check()
	})
}

// TestWalk controls a walk.
func TestWalk(t *testing.T) {
	tree := mustNew(t, layout.Options{Storage: layout.Full, MaxDepth: 2})
	for _, tt := range []struct {
		name string
		next func(n layout.Node) octree.Step
		want int
	}{
		{"all", func(layout.Node) octree.Step { return octree.Enter }, 73},
		{"not below the root", func(layout.Node) octree.Step { return octree.Skip }, 1},
		{"not below one child", func(n layout.Node) octree.Step {
			if n.Code() == 0b1_011 {
				return octree.Skip
			}
			return octree.Enter
		}, 65},
		{"up to the first leaf", func(n layout.Node) octree.Step {
			if n.Leaf() {
				return octree.Stop
			}
			return octree.Enter
		}, 3},
	} {
		n, last := 0, uint64(0)
		tree.Walk(func(node layout.Node) octree.Step {
			n++
			if code := node.Code() << (3 * (2 - node.Depth())); code < last {
				t.Errorf("%s: %b came after %b", tt.name, code, last)
			} else {
				last = code
			}
			return tt.next(node)
		})
		if n != tt.want {
			t.Errorf("%s: %d nodes, want %d", tt.name, n, tt.want)
		}
	}
}

// TestNeighbours pins directions in a full tree: 26, or 8 if flat, at a corner 7 or 3.
func TestNeighbours(t *testing.T) {
	for _, tt := range []struct {
		flat         bool
		inner, outer int
	}{{false, 26, 7}, {true, 8, 3}} {
		tree := mustNew(t, layout.Options{Storage: layout.Full, MaxDepth: 3, Flat: tt.flat})
		seen := map[int]bool{}
		tree.Walk(func(n layout.Node) octree.Step {
			if !n.Leaf() {
				return octree.Enter
			}
			directions := map[layout.Direction]bool{}
			n.Neighbours(func(m layout.Node, d layout.Direction) bool { directions[d] = true; return true })
			seen[len(directions)] = true
			stop := 2
			n.Neighbours(func(layout.Node, layout.Direction) bool { stop--; return stop > 0 })
			if stop != 0 {
				t.Errorf("neighbours went on after false")
			}
			return octree.Enter
		})
		if !seen[tt.inner] || !seen[tt.outer] || seen[tt.inner+1] || seen[tt.outer-1] {
			t.Errorf("flat %v: got %v", tt.flat, seen)
		}
		n := tree.Root()
		for _, d := range []layout.Direction{{}, {X: 2}, {Z: -2}, {X: 1}} {
			if _, ok := n.Neighbour(d); ok {
				t.Errorf("the root has a neighbour in %v", d)
			}
		}
	}
}

// TestSizes pins what the nodes take.
func TestSizes(t *testing.T) {
	want := []layout.Size{
		{Name: "pointers, parent", Article: 104, Go: 104, Class: 112},
		{Name: "pointers", Article: 92, Go: 96, Class: 96},
		{Name: "inner-leaf, parent: inner", Article: 105, Go: 112, Class: 112},
		{Name: "inner-leaf, parent: leaf", Article: 41, Go: 48, Class: 48},
		{Name: "block, parent", Article: 49, Go: 56, Class: 64},
		{Name: "block", Article: 40, Go: 48, Class: 48},
		{Name: "siblings, parent", Article: 56, Go: 56, Class: 64},
		{Name: "siblings", Article: 48, Go: 48, Class: 48},
		{Name: "linear, 32 bits, mask", Article: 13, Go: 16, Class: 16},
		{Name: "linear, 64 bits, mask", Article: 17, Go: 24, Class: 24},
		{Name: "linear, 64 bits", Article: 16, Go: 16, Class: 16},
		{Name: "full", Article: 8, Go: 8, Class: 8},
	}
	if got := layout.Sizes(); !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
	for _, tt := range []struct {
		opts layout.Options
		want int
	}{
		{layout.Options{Parents: true, Boxes: layout.CenterExtent}, 104},
		{layout.Options{Parents: true, Boxes: layout.CenterHalf}, 96},
		{layout.Options{}, 72},
		{layout.Options{Flat: true}, 40},
		{layout.Options{Storage: layout.Block, Parents: true, Boxes: layout.MinMax}, 56},
		{layout.Options{Storage: layout.Hashed, Codes: 32, Mask: true}, 16},
		{layout.Options{Storage: layout.Full}, 8},
	} {
		if got := mustNew(t, tt.opts).Stats().NodeSize; got != tt.want {
			t.Errorf("%+v: a node of %d bytes, want %d", tt.opts, got, tt.want)
		}
	}
}

// TestAllocs runs all queries on all layouts and wants no allocation.
func TestAllocs(t *testing.T) {
	near, hits := make([]octree.Near, 8), make([]octree.Hit, 0, 1000)
	found := 0
	count := func(octree.ObjectID, octree.Box) bool { found++; return true }
	pair := func(octree.ObjectID, octree.ObjectID) bool { found++; return true }
	frustum := octree.Frustum{{Normal: octree.Vec{X: 1}}, {Normal: octree.Vec{Y: 1}}}
	ray := octree.Ray{Origin: octree.Vec{X: -60}, Direction: octree.Vec{X: 1, Y: 0.1}, Max: 100}
	every(layout.Options{Root: root, SplitAbove: 4}, func(o layout.Options) {
		random := rand.New(rand.NewPCG(7, 7))
		tree := mustNew(t, o)
		var ids []octree.ObjectID
		for range 60 {
			id, err := tree.Insert(around(random.IntN, 0))
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		at, _ := tree.Get(ids[0])
		n := testing.AllocsPerRun(2, func() {
			tree.Point(octree.Vec{}, count)
			tree.Overlapping(root, count)
			tree.Inside(root, count)
			tree.Ball(octree.Vec{}, 20, count)
			tree.Plane(frustum[0], octree.Crossing, count)
			tree.Frustum(frustum, count)
			tree.All(count)
			tree.Pairs(pair)
			tree.PairsWith(tree, pair)
			tree.Nearest(octree.Vec{}, near)
			tree.First(ray)
			tree.AppendHits(hits, ray)
			tree.Walk(func(n layout.Node) octree.Step { n.Objects(count); return octree.Enter })
			tree.Root().Neighbours(func(layout.Node, layout.Direction) bool { return true })
			if o.Objects != layout.Enclosing { // may take away a node and make it again
				return
			}
			if err := tree.Move(ids[0], at); err != nil {
				t.Error(err)
			}
		})
		if n != 0 {
			t.Errorf("%+v: %g allocations", o, n)
		}
	})
	if found == 0 {
		t.Error("found nothing")
	}
}

// TestReaders queries trees from several goroutines, for the race detector.
func TestReaders(t *testing.T) {
	for _, k := range layout.All() {
		o := k.Options
		o.Objects = layout.Leaves
		tree := mustNew(t, o)
		random := rand.New(rand.NewPCG(8, 8))
		for range 100 {
			if _, err := tree.Insert(around(random.IntN, 0)); err != nil {
				t.Fatal(err)
			}
		}
		var group sync.WaitGroup
		var found [4]int
		for i := range found {
			group.Go(func() {
				count := func(octree.ObjectID, octree.Box) bool { found[i]++; return true }
				tree.Overlapping(box(-20, -20, -20, 30, 30, 30), count)
				tree.Ball(octree.Vec{X: 4}, 30, count)
				found[i] += len(tree.Nearest(octree.Vec{}, make([]octree.Near, 4)))
				tree.Root().Neighbours(func(layout.Node, layout.Direction) bool { return true })
			})
		}
		group.Wait()
		if found[0] != found[3] || found[0] == 0 {
			t.Errorf("%s: found %v", k.Name, found)
		}
	}
}

// TestFrustumOfParts looks for an object that Frustum.Sees sees, though it sees none of
// the leaves that have the object: behind each plane lies only a part of it.
func TestFrustumOfParts(t *testing.T) {
	f := octree.Frustum{{Normal: octree.Vec{X: 1}, Offset: -5}, {Normal: octree.Vec{X: -1}, Offset: -5}}
	for objects := layout.Enclosing; objects <= layout.Split; objects++ {
		w := &twin{t: t, tree: mustNew(t, layout.Options{Objects: objects, SplitAbove: 1}), gone: math.MaxUint64}
		w.insert(box(-10, 1, 1, 10, 2, 2), false)
		w.insert(box(100, 1, 1, 100, 2, 2), false)
		w.insert(box(200, 1, 1, 200, 2, 2), false)
		w.planeQueries(f, octree.Crossing)
		if s := w.tree.Stats(); objects != layout.Enclosing && s.Refs != 4 {
			t.Errorf("%v: %d references, want 4", objects, s.Refs)
		}
	}
}

// TestBallAtDistance: a ball as large as the distance of what is nearest reaches it, though the
// distance is a rounded root.
func TestBallAtDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		scale := 100.0
		if i%4 == 0 {
			scale = 1e-322
		}
		point := func() octree.Vec {
			return octree.Vec{X: r.NormFloat64() * scale, Y: r.NormFloat64() * scale, Z: r.NormFloat64() * scale}
		}
		tree, err := layout.New(layout.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tree.Insert(octree.At(point())); err != nil {
			t.Fatal(err)
		}
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
