package octree_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
)

// hostile coordinates: sets of numbers that a run draws from.
func hostile(r *rand.Rand) func() float64 {
	switch r.IntN(10) {
	case 0: // the whole range
		return func() float64 {
			for {
				if v := math.Float64frombits(r.Uint64()); !math.IsNaN(v) && !math.IsInf(v, 0) {
					return v
				}
			}
		}
	case 1: // the ends
		s := []float64{0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64, -math.MaxFloat64, 1e-308, 1, -1, 1e300, 1e154, -1e154}
		return func() float64 { return s[r.IntN(len(s))] }
	case 2: // denormal
		return func() float64 { return float64(r.IntN(2001)-1000) * 5e-324 }
	case 3: // a few steps of a float far away
		at := math.Ldexp(1+r.Float64(), r.IntN(1000)-100)
		return func() float64 {
			v := at
			for range r.IntN(6) {
				v = math.Nextafter(v, math.Inf(1))
			}
			return v
		}
	case 4: // far away, cluster
		at := math.Ldexp(1+r.Float64(), r.IntN(100))
		size := math.Ldexp(at, -r.IntN(60))
		return func() float64 { return at + r.Float64()*size }
	case 5: // huge
		return func() float64 { return (r.Float64()*2 - 1) * math.MaxFloat64 }
	case 6: // integers
		return func() float64 { return float64(r.IntN(64) - 32) }
	case 8: // where a unit in a cell is hardly a number
		e := -990 - r.IntN(50)
		return func() float64 { return math.Ldexp(r.Float64(), e) }
	case 7: // clusters of all scales
		return func() float64 { return math.Ldexp(r.Float64()*2-1, r.IntN(120)-60) }
	}
	return func() float64 { return r.Float64()*2000 - 1000 }
}

func brute(boxes map[octree.ObjectID]octree.Box, match func(octree.ObjectID, octree.Box) bool) []octree.ObjectID {
	var ids []octree.ObjectID
	for id, b := range boxes {
		if match(id, b) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// TestHostile compares queries with all objects, at coordinates where numbers are
// coarse, tiny or at the end of the range.
func TestHostile(t *testing.T) {
	long.Alone(t)
	n := 20 * int(*seeds)
	bad := map[string]int{}
	for seed := range n {
		func() {
			r := rand.New(rand.NewPCG(uint64(seed), 77))
			o := octree.Options{
				SplitAbove: []int{2, 3, 8, 0}[r.IntN(4)], Loose: []float64{0, math.Nextafter(1, 2), 4, 2, 1.1}[r.IntN(5)],
				MaxDepth: []int{0, 1, 32, 5}[r.IntN(4)],
			}
			gx, gy, gz := hostile(r), hostile(r), hostile(r)
			if r.IntN(2) == 0 {
				gy = gx
			}
			if r.IntN(2) == 0 {
				gz = gx
			}
			if r.IntN(8) == 0 {
				gz = func() float64 { return 0 }
			}
			zero := r.IntN(5) == 0
			if r.IntN(8) == 0 {
				o.Integer = true
				f := func() float64 {
					s := []float64{math.MinInt32, math.MaxInt32, 0, 1, -1, math.MinInt32 + 1, math.MaxInt32 - 1}
					if r.IntN(2) == 0 {
						return s[r.IntN(len(s))]
					}
					return float64(int32(r.Uint32()))
				}
				gx, gy, gz = f, f, f
			}
			if r.IntN(8) == 0 {
				o.Flat = true
				gz = func() float64 { return 0 }
			}
			vec := func() octree.Vec { return octree.Vec{X: gx(), Y: gy(), Z: gz()} }
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
			tree := mustNew(t, o)
			boxes := map[octree.ObjectID]octree.Box{}
			var ids []octree.ObjectID
			what := ""
			fail := func(format string, args ...any) {
				bad[what]++
				if bad[what] < 4 {
					t.Errorf("seed %d %+v %s: %s", seed, o, what, fmt.Sprintf(format, args...))
				}
			}
			for step := range 250 {
				what = "change"
				switch k := r.IntN(12); {
				case k < 5 || len(ids) == 0:
					b := box()
					id, err := tree.Insert(b)
					if err != nil {
						fail("%v", err)
						return
					}
					boxes[id], ids = b, append(ids, id)
				case k < 9:
					id, b := ids[r.IntN(len(ids))], box()
					if err := tree.Move(id, b); err != nil {
						fail("%v", err)
						return
					}
					boxes[id] = b
				case k < 10:
					i := r.IntN(len(ids))
					tree.Remove(ids[i])
					delete(boxes, ids[i])
					ids[i] = ids[len(ids)-1]
					ids = ids[:len(ids)-1]
				case k < 11 && r.IntN(10) == 0:
					tree.Rebuild()
				case r.IntN(10) == 0:
					var bs []octree.Box
					for range r.IntN(300) {
						bs = append(bs, box())
					}
					new, err := tree.InsertAll(nil, bs)
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
				collect := func(id octree.ObjectID, b octree.Box) bool { got = append(got, id); return true }
				same := func(match func(octree.ObjectID, octree.Box) bool, args ...any) {
					slices.Sort(got)
					if want := brute(boxes, match); !slices.Equal(got, want) {
						miss := ""
						for _, id := range want {
							if !slices.Contains(got, id) {
								miss = fmt.Sprint(boxes[id])
								break
							}
						}
						fail("%v: got %d, want %d; missed %s", args, len(got), len(want), miss)
					}
					got = nil
				}
				what = "overlapping"
				tree.Overlapping(q, collect)
				same(func(_ octree.ObjectID, b octree.Box) bool { return b.Overlaps(q) }, q)
				what = "inside"
				tree.Inside(q, collect)
				same(func(_ octree.ObjectID, b octree.Box) bool { return q.Contains(b) }, q)
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
				radius := math.Abs(gx())
				if len(ids) > 0 && r.IntN(2) == 0 {
					radius = boxes[ids[r.IntN(len(ids))]].Distance(p)
				}
				tree.Ball(p, radius, collect)
				in := map[octree.ObjectID]bool{}
				for _, id := range got {
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
				case 1:
					ray.Direction = octree.Vec{X: float64(r.IntN(3) - 1), Y: float64(r.IntN(3) - 1), Z: float64(r.IntN(3) - 1)}
				case 2:
					s := math.Ldexp(1, r.IntN(800)-400)
					ray.Direction = octree.Vec{X: float64(r.IntN(3)-1) * s, Y: float64(r.IntN(3)-1) * s, Z: float64(r.IntN(3)-1) * s}
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
					fail("%+v first: got %v %v, want %v", ray, first, ok, hits)
				}
				what = "plane"
				normal := octree.Vec{X: float64(r.IntN(3) - 1), Y: float64(r.IntN(3) - 1), Z: float64(r.IntN(3) - 1)}
				if r.IntN(3) == 0 {
					normal = vec()
				}
				plane := octree.Plane{Normal: normal, Offset: -gx()}
				for s := octree.Behind; s <= octree.Front; s++ {
					tree.Plane(plane, s, collect)
					same(func(_ octree.ObjectID, b octree.Box) bool { return plane.Side(b) == s }, plane, s)
				}
				what = "frustum"
				f := octree.Frustum{plane, {Normal: vec(), Offset: gy()}, {Normal: octree.Vec{X: 1}, Offset: -gx()}, {Normal: octree.Vec{X: -1}, Offset: gx()}, {Normal: octree.Vec{Y: 1}, Offset: -gy()}, {Normal: octree.Vec{Y: 0}, Offset: 0}}
				tree.Frustum(f, collect)
				same(func(_ octree.ObjectID, b octree.Box) bool { return f.Sees(b) }, f)
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
			}
		}()
	}
}
