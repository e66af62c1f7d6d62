package octree_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
)

const movers = 40000

// crowd is 40,000 movers in 4096x512x4096 with radii from 0.5 to 30.
type crowd struct {
	tree   *octree.Tree
	random *rand.Rand
	ids    []octree.ObjectID
	at     []octree.Vec
	speed  []octree.Vec
	radius []float64
}

func makeCrowd(b testing.TB) *crowd {
	c := &crowd{tree: mustNew(b, octree.Options{}), random: rand.New(rand.NewPCG(1, 2))}
	for range movers {
		at, r := c.place(), 0.5+c.random.Float64()*29.5
		id, err := c.tree.Insert(octree.Around(at, r))
		if err != nil {
			b.Fatal(err)
		}
		c.ids, c.at, c.radius = append(c.ids, id), append(c.at, at), append(c.radius, r)
		c.speed = append(c.speed, octree.Vec{X: c.random.Float64()*2 - 1, Y: c.random.Float64()*2 - 1, Z: c.random.Float64()*2 - 1})
	}
	runtime.GC()
	return c
}

func (c *crowd) place() octree.Vec {
	return octree.Vec{X: c.random.Float64() * 4096, Y: c.random.Float64() * 512, Z: c.random.Float64() * 4096}
}

// step moves mover i by up to 1 on each axis and turns it back at the borders.
func (c *crowd) step(i int) octree.Box {
	p, v := &c.at[i], &c.speed[i]
	p.X, p.Y, p.Z = p.X+v.X, p.Y+v.Y, p.Z+v.Z
	if p.X < 0 || p.X > 4096 {
		v.X = -v.X
	}
	if p.Y < 0 || p.Y > 512 {
		v.Y = -v.Y
	}
	if p.Z < 0 || p.Z > 4096 {
		v.Z = -v.Z
	}
	return octree.Around(*p, c.radius[i])
}

// steps returns boxes for four steps of all movers.
func (c *crowd) steps() (steps [4][]octree.Box) {
	for s := range steps {
		for i := range movers {
			steps[s] = append(steps[s], c.step(i))
		}
	}
	return steps
}

// BenchmarkMoveAll is BenchmarkMove by one call for each step.
func BenchmarkMoveAll(b *testing.B) {
	c := makeCrowd(b)
	steps := c.steps()
	b.ReportAllocs()
	n := 0
	for ; b.Loop(); n++ {
		if _, err := c.tree.MoveAll(c.ids, steps[min(n%6, 6-n%6)]); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/movers, "ns/move")
}

// BenchmarkMove moves all movers a little in each step, there and back.
func BenchmarkMove(b *testing.B) {
	c := makeCrowd(b)
	steps := c.steps()
	b.ReportAllocs()
	n := 0
	for ; b.Loop(); n++ {
		boxes := steps[min(n%6, 6-n%6)]
		for i, id := range c.ids {
			if err := c.tree.Move(id, boxes[i]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/movers, "ns/move")
}

// BenchmarkTeleport moves objects to anywhere.
func BenchmarkTeleport(b *testing.B) {
	c := makeCrowd(b)
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		i := n % movers
		if err := c.tree.Move(c.ids[i], octree.Around(c.place(), c.radius[i])); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInsert(b *testing.B) {
	c := makeCrowd(b)
	boxes := make([]octree.Box, movers)
	for i := range boxes {
		boxes[i] = octree.Around(c.at[i], c.radius[i])
	}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		if n%movers == 0 {
			c.tree.Clear()
		}
		if _, err := c.tree.Insert(boxes[n%movers]); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBuild makes trees of all movers, by one call for each and by one for all.
func BenchmarkBuild(b *testing.B) {
	c := makeCrowd(b)
	boxes := make([]octree.Box, movers)
	for i := range boxes {
		boxes[i] = octree.Around(c.at[i], c.radius[i])
	}
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			tree := mustNew(b, octree.Options{})
			for i := range boxes {
				if _, err := tree.Insert(boxes[i]); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("all at once", func(b *testing.B) {
		for b.Loop() {
			if _, err := mustNew(b, octree.Options{}).InsertAll(nil, boxes); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkQuery(b *testing.B) {
	c := makeCrowd(b)
	b.Logf("%d bytes for each object", c.tree.Stats().Bytes/movers)
	found := 0
	count := func(octree.ObjectID, octree.Box) bool { found++; return true }
	near, hits := make([]octree.Near, 8), make([]octree.Hit, 0, movers)
	var places [1024]octree.Vec
	for i := range places {
		places[i] = c.place()
	}
	looking := func(p octree.Vec) octree.Frustum {
		return octree.Frustum{
			{Normal: octree.Vec{X: 1}, Offset: -p.X}, {Normal: octree.Vec{X: -1}, Offset: p.X + 256},
			{Normal: octree.Vec{X: 1, Y: 1}, Offset: -p.X - p.Y}, {Normal: octree.Vec{X: 1, Y: -1}, Offset: -p.X + p.Y},
			{Normal: octree.Vec{X: 1, Z: 1}, Offset: -p.X - p.Z}, {Normal: octree.Vec{X: 1, Z: -1}, Offset: -p.X + p.Z},
		}
	}
	for _, q := range []struct {
		name string
		run  func(p octree.Vec)
	}{
		{"point", func(p octree.Vec) { c.tree.Point(p, count) }},
		{"box of 32", func(p octree.Vec) { c.tree.Overlapping(octree.Around(p, 16), count) }},
		{"box of 128", func(p octree.Vec) { c.tree.Overlapping(octree.Around(p, 64), count) }},
		{"box of 512", func(p octree.Vec) { c.tree.Overlapping(octree.Around(p, 256), count) }},
		{"ball of 16", func(p octree.Vec) { c.tree.Ball(p, 16, count) }},
		{"ball of 64", func(p octree.Vec) { c.tree.Ball(p, 64, count) }},
		{"ball of 256", func(p octree.Vec) { c.tree.Ball(p, 256, count) }},
		{"nearest 8", func(p octree.Vec) { found += len(c.tree.Nearest(p, near)) }},
		{"first hit", func(p octree.Vec) {
			if _, ok := c.tree.First(octree.Ray{Origin: p, Direction: octree.Vec{X: 1, Y: 0.1, Z: 0.5}, Max: 1000}); ok {
				found++
			}
		}},
		{"all hits", func(p octree.Vec) {
			found += len(c.tree.AppendHits(hits, octree.Ray{Origin: p, Direction: octree.Vec{X: 1, Y: 0.1, Z: 0.5}, Max: 1000}))
		}},
		{"frustum", func(p octree.Vec) { c.tree.Frustum(looking(p), count) }},
		{"plane", func(p octree.Vec) {
			c.tree.Plane(octree.Plane{Normal: octree.Vec{X: 1}, Offset: -p.X}, octree.Crossing, count)
		}},
		{"pairs", func(octree.Vec) { c.tree.Pairs(func(octree.ObjectID, octree.ObjectID) bool { found++; return true }) }},
	} {
		b.Run(q.name, func(b *testing.B) {
			b.ReportAllocs()
			found = 0
			n := 0
			for ; b.Loop(); n++ {
				q.run(places[n%len(places)])
			}
			b.ReportMetric(float64(found)/float64(n), "found/op")
		})
	}
}

// BenchmarkIntegers asks 100,000 objects of a world for those in boxes.
func BenchmarkIntegers(b *testing.B) {
	tree, random := mustNew(b, octree.Options{Integer: true}), rand.New(rand.NewPCG(3, 4))
	for tree.Len() < 100_000 {
		x, z := random.IntN(200)*16, random.IntN(200)*16
		for range random.IntN(60) {
			if _, err := tree.Insert(octree.At(vec(x+random.IntN(16), random.IntN(256)-64, z+random.IntN(16)))); err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, edge := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprintf("box of %d", edge), func(b *testing.B) {
			found, n := 0, 0
			for ; b.Loop(); n++ {
				at := vec(random.IntN(3200), random.IntN(256)-64, random.IntN(3200))
				to := octree.Vec{X: at.X + float64(edge), Y: at.Y + float64(edge), Z: at.Z + float64(edge)}
				tree.Overlapping(octree.Box{Min: at, Max: to}, func(octree.ObjectID, octree.Box) bool { found++; return true })
			}
			b.ReportMetric(float64(found)/float64(n), "found/op")
		})
	}
}
