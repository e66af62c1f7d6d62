package octree_test

import (
	"testing"

	"github.com/cairnvoxel/cairn/octree"
)

// BenchmarkScene compares two trees with one, for 40,000 movers among a million boxes
// that stand still.
func BenchmarkScene(b *testing.B) {
	c := makeCrowd(b)
	steps := c.steps()
	still := make([]octree.Box, 1_000_000)
	for i := range still {
		still[i] = octree.Around(c.place(), 0.5+c.random.Float64()*2)
	}
	var places [1024]octree.Vec
	for i := range places {
		places[i] = c.place()
	}
	scene, err := octree.NewScene(octree.Options{})
	if err != nil {
		b.Fatal(err)
	}
	one := mustNew(b, octree.Options{})
	if _, err := scene.InsertAll(nil, still, true); err != nil {
		b.Fatal(err)
	}
	inScene, err := scene.InsertAll(nil, steps[0], false)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := one.InsertAll(nil, still); err != nil {
		b.Fatal(err)
	}
	inOne, err := one.InsertAll(nil, steps[0])
	if err != nil {
		b.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		find    searcher
		move    func([]octree.ID, []octree.Box) (int, error)
		publish func()
		ids     []octree.ID
	}{{"two", scene, scene.MoveAll, scene.Publish, inScene}, {"one", one, one.MoveAll, one.Publish, inOne}} {
		found, n := 0, 0
		count := func(octree.ID, octree.Box) bool { found++; return true }
		step := func() {
			if _, err := tt.move(tt.ids, steps[min(n%6, 6-n%6)]); err != nil {
				b.Fatal(err)
			}
			n++
		}
		b.Run(tt.name+"/move", func(b *testing.B) {
			for b.Loop() {
				step()
			}
		})
		b.Run(tt.name+"/ball of 16", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				tt.find.Ball(places[n%len(places)], 16, count)
			}
		})
		near := make([]octree.Near, 8)
		b.Run(tt.name+"/nearest 8", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				tt.find.Nearest(places[n%len(places)], near)
			}
		})
		b.Run(tt.name+"/publish", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				step()
				b.StartTimer()
				tt.publish()
			}
		})
	}
}
