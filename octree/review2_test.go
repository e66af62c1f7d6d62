package octree_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/octree"
)

func TestReviewProbe(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tree := mustNew(t, octree.Options{})
	var boxes []octree.Box
	for range 100000 {
		c := octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000}
		boxes = append(boxes, octree.Around(c, r.Float64()*2))
	}
	ids, _ := tree.InsertAll(nil, boxes)
	for _, k := range []int{1, 8} {
		buf := make([]octree.Near, k)
		var inN, outN int
		var in, out time.Duration
		for range 3000 {
			p := octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000}
			s := time.Now()
			near := tree.Nearest(p, buf)
			d := time.Since(s)
			if near[0].Distance == 0 {
				in += d
				inN++
			} else {
				out += d
				outN++
			}
		}
		t.Logf("k=%d in a box: %d %v; not: %d %v", k, inN, in/time.Duration(max(1, inN)), outN, out/time.Duration(max(1, outN)))
	}
	// two clusters far apart
	for _, depth := range []int{0, 32} {
		tree := mustNew(t, octree.Options{MaxDepth: depth})
		var bs []octree.Box
		for i := range 100000 {
			c := octree.Vec{X: r.Float64() * 100, Y: r.Float64() * 100, Z: r.Float64() * 100}
			if i%2 == 0 {
				c.X += 1e9
			}
			bs = append(bs, octree.At(c))
		}
		tree.InsertAll(nil, bs)
		s := time.Now()
		n := 0
		for i := range 200 {
			tree.Ball(bs[i].Min, 1, func(octree.ID, octree.Box) bool { n++; return true })
		}
		t.Logf("two clusters, depth %d: ball %v, %d found, %+v", depth, time.Since(s)/200, n, tree.Stats())
	}
	// teleports
	var moved []octree.Box
	for step := range 12 {
		moved = moved[:0]
		off := octree.Vec{X: float64(step%4) * 1e5, Y: float64(step%3) * 1e5}
		for _, b := range boxes[:40000] {
			moved = append(moved, octree.Box{Min: octree.Vec{X: b.Min.X + off.X, Y: b.Min.Y + off.Y, Z: b.Min.Z}, Max: octree.Vec{X: b.Max.X + off.X, Y: b.Max.Y + off.Y, Z: b.Max.Z}})
		}
		s := time.Now()
		tree.MoveAll(ids[:40000], moved)
		t.Logf("teleport %d: %v, %+v", step, time.Since(s), tree.Stats())
	}
	small := mustNew(t, octree.Options{})
	sids, _ := small.InsertAll(nil, boxes[:40000])
	for step := range 12 {
		moved = moved[:0]
		off := octree.Vec{X: float64(step%5) * 1e6 * r.Float64(), Y: float64(step%3) * 1e5}
		for _, b := range boxes[:40000] {
			moved = append(moved, octree.Box{Min: octree.Vec{X: b.Min.X + off.X, Y: b.Min.Y + off.Y, Z: b.Min.Z}, Max: octree.Vec{X: b.Max.X + off.X, Y: b.Max.Y + off.Y, Z: b.Max.Z}})
		}
		s := time.Now()
		small.MoveAll(sids, moved)
		d := time.Since(s)
		s = time.Now()
		n := 0
		for i := range 200 {
			small.Ball(moved[i].Min, 10, func(octree.ID, octree.Box) bool { n++; return true })
		}
		t.Logf("teleport all %d: %v, ball %v %d, %+v", step, d, time.Since(s)/200, n, small.Stats())
	}
}

func TestReviewShrink(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tree := mustNew(t, octree.Options{})
	var ids []octree.ID
	for range 1000000 {
		id, _ := tree.Insert(octree.At(octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000}))
		ids = append(ids, id)
	}
	tree.Publish()
	tree.Move(ids[0], octree.At(octree.Vec{}))
	tree.Publish()
	tree.Move(ids[0], octree.At(octree.Vec{X: 1}))
	tree.Publish()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc >> 10
	}
	t.Logf("full: %d KiB, stats %+v", heap(), tree.Stats())
	for _, id := range ids[10:] {
		tree.Remove(id)
	}
	ids = ids[:10:10]
	tree.Rebuild()
	tree.Publish()
	for i := range 10 {
		tree.Move(ids[0], octree.At(octree.Vec{X: float64(i)}))
		tree.Publish()
	}
	t.Logf("shrunk: %d KiB, stats %+v", heap(), tree.Stats())
	s := time.Now()
	for i := range 100 {
		tree.Move(ids[0], octree.At(octree.Vec{X: float64(i)}))
		tree.Publish()
	}
	t.Logf("publish %v", time.Since(s)/100)
	s = time.Now()
	tree.Clear()
	t.Logf("clear %v", time.Since(s))
	runtime.KeepAlive(tree)
}

func TestReviewCrowd(t *testing.T) {
	for _, kind := range []string{"point", "line", "huge", "plane", "same size"} {
		r := rand.New(rand.NewPCG(1, 2))
		tree := mustNew(t, octree.Options{})
		var ids []octree.ID
		at := func(i int) octree.Box {
			switch kind {
			case "point":
				return octree.At(octree.Vec{X: 5, Y: 5, Z: 5})
			case "line":
				return octree.At(octree.Vec{X: r.Float64() * 1000, Y: 5, Z: 5})
			case "huge":
				if i == 0 {
					return octree.Around(octree.Vec{}, 1e12)
				}
			case "plane":
				return octree.At(octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000})
			case "same size":
				return octree.Around(octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000}, 300)
			}
			return octree.At(octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000})
		}
		const n = 200000
		s := time.Now()
		for i := range n {
			id, _ := tree.Insert(at(i))
			ids = append(ids, id)
		}
		t.Logf("%s: insert %v, %+v", kind, time.Since(s)/n, tree.Stats())
		s = time.Now()
		for i, id := range ids {
			tree.Move(id, at(i))
		}
		t.Logf("%s: move %v", kind, time.Since(s)/n)
		s = time.Now()
		m := 0
		for range 200 {
			tree.Ball(octree.Vec{X: 900 * r.Float64(), Y: 5, Z: 4}, 2, func(octree.ID, octree.Box) bool { m++; return true })
		}
		t.Logf("%s: ball %v, %d found", kind, time.Since(s)/200, m)
		s = time.Now()
		for range 200 {
			tree.Nearest(octree.Vec{X: 900 * r.Float64(), Y: 5, Z: 4}, make([]octree.Near, 8))
		}
		t.Logf("%s: nearest %v", kind, time.Since(s)/200)
		s = time.Now()
		for range 5 {
			for i := range 40000 {
				tree.Remove(ids[i])
				ids[i], _ = tree.Insert(at(i))
			}
		}
		t.Logf("%s: remove and insert %v", kind, time.Since(s)/200000)
		s = time.Now()
		tree.Rebuild()
		t.Logf("%s: rebuild %v", kind, time.Since(s))
		s = time.Now()
		for _, id := range ids {
			tree.Remove(id)
		}
		t.Logf("%s: remove %v", kind, time.Since(s)/n)
	}
}
