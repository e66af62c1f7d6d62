package octree_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/octree"
)

func TestReviewCliffs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	// one huge box among tiny ones, nearest 1
	tree := mustNew(t, octree.Options{})
	tree.Insert(octree.Around(octree.Vec{}, 1e5))
	var bs []octree.Box
	for range 100000 {
		bs = append(bs, octree.At(octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000}))
	}
	tree.InsertAll(nil, bs)
	for _, k := range []int{1, 2, 8} {
		buf := make([]octree.Near, k)
		s := time.Now()
		for i := range 100 {
			tree.Nearest(bs[i].Min, buf)
		}
		t.Logf("huge box: nearest %d: %v", k, time.Since(s)/100)
	}
	tree = mustNew(t, octree.Options{})
	tree.InsertAll(nil, bs)
	for _, k := range []int{1, 2, 8} {
		buf := make([]octree.Near, k)
		s := time.Now()
		for i := range 1000 {
			tree.Nearest(bs[i].Min, buf)
		}
		d := time.Since(s) / 1000
		s = time.Now()
		for range 1000 {
			tree.Nearest(octree.Vec{X: r.Float64() * 1000, Y: r.Float64() * 1000, Z: r.Float64() * 1000}, buf)
		}
		t.Logf("uniform: nearest %d at objects: %v, elsewhere: %v", k, d, time.Since(s)/1000)
	}
	// strays: 2.5% of objects far away
	for _, part := range []int{0, 40, 35, 33} {
		tree = mustNew(t, octree.Options{})
		b2 := append([]octree.Box(nil), bs...)
		n := 0
		for i := range b2 {
			if part > 0 && r.IntN(part) == 0 {
				b2[i].Min.X += 1e9
				b2[i].Max.X += 1e9
				n++
			}
		}
		tree.InsertAll(nil, b2)
		s := time.Now()
		m := 0
		for i := range 1000 {
			tree.Ball(b2[i].Min, 20, func(octree.ID, octree.Box) bool { m++; return true })
		}
		d := time.Since(s) / 1000
		own := tree.Root().Own()
		s = time.Now()
		buf := make([]octree.Near, 8)
		for i := range 1000 {
			tree.Nearest(b2[i].Min, buf)
		}
		t.Logf("%d far: ball %v (%d), nearest %v, in root %d", n, d, m/1000, time.Since(s)/1000, own)
	}
	// every second
	b2 := append([]octree.Box(nil), bs...)
	for i := range b2 {
		if i%2 == 0 {
			b2[i].Min.X += 1e9
			b2[i].Max.X += 1e9
		}
	}
	tree = mustNew(t, octree.Options{})
	tree.InsertAll(nil, b2)
	t.Logf("every second far: in root %d", tree.Root().Own())
	tree = mustNew(t, octree.Options{})
	for _, b := range b2 {
		tree.Insert(b)
	}
	t.Logf("every second far, one by one: in root %d", tree.Root().Own())
	b3 := append([]octree.Box(nil), bs...)
	for i := range b3 {
		if i >= 50000 {
			b3[i].Min.X += 1e9
			b3[i].Max.X += 1e9
		}
	}
	tree = mustNew(t, octree.Options{})
	for _, b := range b3 {
		tree.Insert(b)
	}
	t.Logf("second half far, one by one: in root %d", tree.Root().Own())
	// flat queries of everything
	flat := mustNew(t, octree.Options{Flat: true})
	for i := range bs {
		bs[i].Min.Z, bs[i].Max.Z = 0, 0
	}
	flat.InsertAll(nil, bs)
	solid := mustNew(t, octree.Options{})
	solid.InsertAll(nil, bs)
	for name, tr := range map[string]*octree.Tree{"flat": flat, "solid": solid} {
		for _, q := range []octree.Box{{Min: octree.Vec{X: -9, Y: -9}, Max: octree.Vec{X: 1009, Y: 1009}}, {Min: octree.Vec{X: -9, Y: -9, Z: -1e5}, Max: octree.Vec{X: 1009, Y: 1009, Z: 1e5}}} {
			best := time.Hour
			for range 20 {
				s := time.Now()
				m := 0
				tr.Overlapping(q, func(octree.ID, octree.Box) bool { m++; return true })
				best = min(best, time.Since(s))
			}
			t.Logf("%s %v: %v", name, q, best)
		}
	}
}
