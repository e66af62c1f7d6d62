package layout_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/octree/layout"
)

// TestPad has an object that gets into several leaves when its leaf splits.
func TestPad(t *testing.T) {
	for _, s := range []layout.Strategy{layout.Leaves, layout.Split} {
		tree := mustNew(t, layout.Options{Objects: s, Root: octree.Around(octree.Vec{}, 8), SplitAbove: 4})
		big, err := tree.Insert(octree.Around(octree.Vec{}, 4.5))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			if _, err := tree.Insert(octree.At(octree.Vec{X: float64(i&1*12 - 6), Y: float64(i>>1&1*12 - 6), Z: float64(i>>2&1*12 - 6)})); err != nil {
				t.Fatal(err)
			}
		}
		f := octree.Frustum{{Normal: octree.Vec{X: 1, Y: 1}, Offset: -8.5}, {Normal: octree.Vec{X: -1, Y: -1}, Offset: -8.5}}
		found := false
		tree.Frustum(f, func(id octree.ObjectID, b octree.Box) bool { found = found || id == big; return true })
		b, _ := tree.Get(big)
		if found != f.Sees(b) {
			t.Errorf("%v: frustum finds the big object: %v, want %v (%+v)", s, found, f.Sees(b), tree.Stats())
		}
	}
}

func hostile(r *rand.Rand, root octree.Box) func() float64 {
	lo, hi := root.Min.X, root.Max.X
	switch r.IntN(4) {
	case 0:
		s := []float64{lo, hi, lo/2 + hi/2, lo/4*3 + hi/4, 0, math.Nextafter(lo, 0), math.Nextafter(hi, 0), math.Nextafter(lo/2+hi/2, hi)}
		return func() float64 { return s[r.IntN(len(s))] }
	case 1:
		return func() float64 { f := float64(r.IntN(33)) / 32; return lo*(1-f) + hi*f }
	case 2:
		return func() float64 {
			v := lo/2 + hi/2
			for range r.IntN(6) {
				v = math.Nextafter(v, math.Inf(1))
			}
			return v
		}
	}
	return func() float64 { f := r.Float64(); return lo*(1-f) + hi*f }
}

// TestHostile compares queries with all objects, for all options, at coordinates where
// numbers are coarse, tiny or at the end of the range.
func TestHostile(t *testing.T) {
	n := 10 * int(*seeds)
	bad := map[string]int{}
	for seed := range n {
		func() {
			r := rand.New(rand.NewPCG(uint64(seed), 77))
			flip := func() bool { return r.IntN(2) == 0 }
			o := layout.Options{
				Storage: layout.Storage(r.IntN(7)), Boxes: layout.Boxes(r.IntN(4)), Objects: layout.Strategy(r.IntN(3)), Parents: flip(),
				Codes: []int{0, 32, 64}[r.IntN(3)], Mask: flip(), Virtual: flip(), Flat: flip(), Fixed: r.IntN(3) == 0, SplitAbove: r.IntN(6), MaxDepth: []int{0, 1, 3, 10, 21, r.IntN(22)}[r.IntN(6)],
				Loose: []float64{0, 1, 2, 1.3, 1e6, math.MaxFloat64}[r.IntN(6)],
			}
			if o.Storage == layout.Full {
				o.Boxes, o.SplitAbove, o.MaxDepth = 0, 0, r.IntN(5)
			}
			if o.Storage < layout.Sorted || o.Storage == layout.Full {
				o.Codes, o.Mask, o.Virtual = 0, false, false
			} else {
				o.Parents = false
			}
			if o.Storage == layout.Full {
				o.Parents = false
			}
			if o.Objects != layout.Enclosing {
				o.Loose = 0
			}
			if o.Fixed {
				o.Virtual = false
			}
			roots := []octree.Box{
				{}, octree.Around(octree.Vec{}, math.MaxFloat64), octree.Around(octree.Vec{}, 5e-324), octree.Around(octree.Vec{X: 1e300, Y: 1e300, Z: 1e300}, 1e290),
				{Min: octree.Vec{X: 1e9, Y: 1e9, Z: 1e9}, Max: octree.Vec{X: math.Nextafter(1e9, 1e10), Y: 1e9 + 10, Z: 1e9 + 1000}},
				octree.Around(octree.Vec{}, 50*5e-324), {Min: octree.Vec{X: 0, Y: -1000, Z: 1e300}, Max: octree.Vec{X: 1e-300, Y: 1, Z: 1e301}}, octree.Around(octree.Vec{X: 0.1, Y: 0.3, Z: 0.7}, 0.33),
			}
			o.Root = roots[r.IntN(len(roots))]
			tree, err := layout.New(o)
			if err != nil {
				return // options that make no sense together
			}
			root := tree.Options().Root
			axis := func(lo, hi float64) func() float64 {
				return hostile(r, octree.Box{Min: octree.Vec{X: lo}, Max: octree.Vec{X: hi}})
			}
			far := r.IntN(3) == 0
			out := func(g func() float64, lo, hi float64) func() float64 {
				return func() float64 {
					if far && r.IntN(6) == 0 {
						v := lo + (hi/2-lo/2)*float64(r.IntN(40)-20)
						if !math.IsInf(v, 0) && !math.IsNaN(v) {
							return v
						}
					}
					return g()
				}
			}
			gx, gy, gz := out(axis(root.Min.X, root.Max.X), root.Min.X, root.Max.X), out(axis(root.Min.Y, root.Max.Y), root.Min.Y, root.Max.Y), out(axis(root.Min.Z, root.Max.Z), root.Min.Z, root.Max.Z)
			vec := func() octree.Vec { return octree.Vec{X: gx(), Y: gy(), Z: gz()} }
			zero := r.IntN(5) == 0
			box := func() octree.Box {
				a := vec()
				if zero || r.IntN(3) == 0 {
					return octree.At(a)
				}
				b := vec()
				return octree.Box{
					Min: octree.Vec{X: min(a.X, b.X), Y: min(a.Y, b.Y), Z: min(a.Z, b.Z)},
					Max: octree.Vec{X: max(a.X, b.X), Y: max(a.Y, b.Y), Z: max(a.Z, b.Z)},
				}
			}
			boxes := map[octree.ObjectID]octree.Box{}
			var ids []octree.ObjectID
			what := ""
			defer func() {
				if e := recover(); e != nil {
					bad["panic "+what]++
					t.Errorf("seed %d %+v %s: panic %v", seed, o, what, e)
				}
			}()
			fail := func(format string, args ...any) {
				bad[what]++
				if bad[what] < 4 {
					t.Errorf("seed %d %+v %s: %s", seed, o, what, fmt.Sprintf(format, args...))
				}
			}
			for step := range 200 {
				what = "change"
				switch k := r.IntN(12); {
				case k < 5 || len(ids) == 0:
					b := box()
					id, err := tree.Insert(b)
					if errors.Is(err, layout.ErrOutside) {
						continue
					}
					if err != nil {
						fail("%v", err)
						return
					}
					boxes[id], ids = b, append(ids, id)
				case k < 9:
					id, b := ids[r.IntN(len(ids))], box()
					err := tree.Move(id, b)
					if errors.Is(err, layout.ErrOutside) {
						break
					}
					if err != nil {
						fail("%v", err)
						return
					}
					boxes[id] = b
				case k < 10:
					i := r.IntN(len(ids))
					tree.Remove(ids[i])
					if err := tree.Move(ids[i], octree.Box{}); !errors.Is(err, fs.ErrNotExist) {
						fail("%v", err)
					}
					delete(boxes, ids[i])
					ids[i] = ids[len(ids)-1]
					ids = ids[:len(ids)-1]
				case k == 10 && r.IntN(10) == 0:
					for _, id := range ids {
						tree.Remove(id)
					}
					clear(boxes)
					ids = ids[:0]
				case r.IntN(10) == 0:
					var bs []octree.Box
					for range r.IntN(100) {
						bs = append(bs, box())
					}
					new, err := tree.Build(bs)
					if errors.Is(err, layout.ErrOutside) {
						break
					}
					if err != nil {
						fail("%v", err)
						return
					}
					for i, id := range new {
						boxes[id], ids = bs[i], append(ids, id)
					}
				}
				if step%10 != 9 {
					continue
				}
				what = "check"
				if err := tree.Check(); err != nil {
					fail("%v", err)
					return
				}
				q := box()
				var got []octree.ObjectID
				collect := func(id octree.ObjectID, b octree.Box) bool {
					if boxes[id] != b {
						fail("%v: %v, want %v", id, b, boxes[id])
					}
					got = append(got, id)
					return true
				}
				same := func(match func(octree.Box) bool, args ...any) {
					slices.Sort(got)
					var want []octree.ObjectID
					miss := ""
					for id, b := range boxes {
						if match(b) {
							want = append(want, id)
							if !slices.Contains(got, id) {
								miss = fmt.Sprint(b)
							}
						}
					}
					slices.Sort(want)
					if !slices.Equal(got, want) {
						fail("%v: got %d, want %d; missed %s", args, len(got), len(want), miss)
					}
					got = nil
				}
				what = "overlapping"
				tree.Overlapping(q, collect)
				same(func(b octree.Box) bool { return b.Overlaps(q) }, q)
				what = "inside"
				tree.Inside(q, collect)
				same(func(b octree.Box) bool { return q.Contains(b) }, q)
				p := vec()
				what = "nearest"
				k := 1 + r.IntN(12)
				near := tree.Nearest(p, make([]octree.Near, k))
				var want []octree.Near
				for id, b := range boxes {
					want = append(want, octree.Near{ID: id, Distance: b.Distance(p)})
				}
				slices.SortFunc(want, func(a, b octree.Near) int {
					return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.ID, b.ID))
				})
				if want = want[:min(len(want), k)]; !slices.Equal(near, want) {
					fail("%v: got %v, want %v", p, near, want)
				}
				what = "ball"
				radius := math.Abs(gx() - gx())
				if len(ids) > 0 && r.IntN(2) == 0 {
					radius = boxes[ids[r.IntN(len(ids))]].Distance(p)
				}
				tree.Ball(p, radius, collect)
				in := map[octree.ObjectID]bool{}
				for _, id := range got {
					if in[id] {
						fail("twice")
					}
					in[id] = true
				}
				for id, b := range boxes {
					d := b.Distance(p)
					if d < radius*(1-1e-12) && !in[id] || d > radius*(1+1e-12)+1e-323 && in[id] {
						fail("%v %g: %v at %g: got %v", p, radius, b, d, in[id])
					}
				}
				got = nil
				what = "ray"
				ray := octree.Ray{Origin: vec(), Direction: vec(), Max: math.Inf(1)}
				switch r.IntN(4) {
				case 0:
					ray.Direction = octree.Vec{X: ray.Direction.X}
				case 1, 2:
					ray.Direction = octree.Vec{X: float64(r.IntN(3) - 1), Y: float64(r.IntN(3) - 1), Z: float64(r.IntN(3) - 1)}
				}
				if r.IntN(3) == 0 {
					ray.Max = math.Abs(gy())
				}
				var hits []octree.Hit
				for id, b := range boxes {
					if at, ok := ray.Enter(b); ok {
						hits = append(hits, octree.Hit{ID: id, T: at})
					}
				}
				slices.SortFunc(hits, func(a, b octree.Hit) int { return cmp.Or(cmp.Compare(a.T, b.T), cmp.Compare(a.ID, b.ID)) })
				if gotHits := tree.AppendHits(nil, ray); !slices.Equal(gotHits, hits) {
					fail("%+v: got %d hits, want %d", ray, len(gotHits), len(hits))
				}
				if first, ok := tree.First(ray); ok != (len(hits) > 0) || ok && first != hits[0] {
					fail("%+v first: got %v %v, want %v", ray, first, ok, hits[:min(3, len(hits))])
				}
				what = "plane"
				normal := octree.Vec{X: float64(r.IntN(3) - 1), Y: float64(r.IntN(3) - 1), Z: float64(r.IntN(3) - 1)}
				if r.IntN(3) == 0 {
					normal = vec()
				}
				plane := octree.Plane{Normal: normal, Offset: -gx()}
				for s := octree.Behind; s <= octree.Front; s++ {
					tree.Plane(plane, s, collect)
					same(func(b octree.Box) bool { return plane.Side(b) == s }, plane, s)
				}
				what = "frustum"
				f := octree.Frustum{plane, {Normal: vec(), Offset: gy()}, {Normal: octree.Vec{X: 1}, Offset: -gx()}, {Normal: octree.Vec{X: -1}, Offset: gx()}, {Normal: octree.Vec{Y: 1}, Offset: -gy()}, {Normal: octree.Vec{X: -1, Y: -1, Z: 1}, Offset: gz()}}
				tree.Frustum(f, collect)
				same(func(b octree.Box) bool { return f.Sees(b) }, f)
				if step%50 == 49 && len(ids) < 300 {
					what = "pairs"
					count, wantCount := 0, 0
					tree.Pairs(func(a, b octree.ObjectID) bool { count++; return true })
					for i, a := range ids {
						for _, b := range ids[:i] {
							if boxes[a].Overlaps(boxes[b]) {
								wantCount++
							}
						}
					}
					if count != wantCount {
						fail("got %d, want %d", count, wantCount)
					}
				}
				if root.Max.X-root.Min.X > 1e-300 && root.Max.Z < 1e300 && root.Min.X != 1e9 && step%100 == 99 {
					what = "neighbours"
					w := &twin{t: t, tree: tree}
					w.neighbourQuery(func(n int) int { return r.IntN(n) })
				}
			}
		}()
	}
}

// An object on the upper border of the widest root stays where Remove finds it.
func TestBorder(t *testing.T) {
	for _, s := range []layout.Strategy{layout.Leaves, layout.Split} {
		tree := mustNew(t, layout.Options{Objects: s, MaxDepth: 20, SplitAbove: 1})
		at := func(x float64) octree.ObjectID {
			id, err := tree.Insert(octree.At(octree.Vec{X: x}))
			if err != nil && !errors.Is(err, layout.ErrOutside) {
				t.Fatal(err)
			}
			return id
		}
		at(-100)
		at(100)
		at(-300)
		at(300)
		a, b := at(-600), at(512)
		tree.Remove(a)
		at(600)
		tree.Remove(b)
		if err := tree.Check(); err != nil {
			t.Errorf("%v: %v", s, err)
		}
	}
}
