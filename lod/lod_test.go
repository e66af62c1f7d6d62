package lod_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/lod"
	"github.com/cairnvoxel/cairn/octree"
)

// land is what a made-up world has: hills below which all is solid, and air above.
type land struct {
	bounds geom.Box
	top    int
}

func (l land) height(x, z int) int {
	return 60 + int(40*math.Sin(float64(x)/90)*math.Cos(float64(z)/70))
}

// cube returns what a plan is told of a cube.
func (l land) cube(k lod.Key) lod.Cube {
	b := k.Box()
	low, high := math.MaxInt, math.MinInt
	for i := range 5 {
		for j := range 5 {
			h := l.height(b.Min.X+(b.Size().X-1)*i/4, b.Min.Z+(b.Size().Z-1)*j/4)
			low, high = min(low, h), max(high, h)
		}
	}
	if b.Min.Y > high {
		return lod.Cube{}
	}
	if b.Max.Y <= low {
		return lod.Cube{Version: 1, Bytes: 4, Solid: true}
	}
	c := lod.Cube{Version: uint64(b.Min.X*31+b.Min.Z) | 1, Bytes: 500}
	for o := range 8 {
		if k.Level > 0 && k.Child(o).Box().Min.Y > high {
			c.Empty |= 1 << o
		}
	}
	return c
}

// load gives a plan all that it asks for, n cubes at a time, and returns the cubes in order.
func (l land) load(t testing.TB, p *lod.Plan, n int) []lod.Key {
	t.Helper()
	var all []lod.Key
	for {
		keys := p.AppendNext(nil, n)
		if len(keys) == 0 {
			return all
		}
		for _, k := range keys {
			if !p.Have(k, l.cube(k)) {
				t.Fatalf("%v was asked for and is not needed", k)
			}
		}
		all = append(all, keys...)
	}
}

var hills = land{geom.Box{Min: geom.Point{X: -3000, Y: -64, Z: -3000}, Max: geom.Point{X: 3000, Y: 320, Z: 3000}}, 5}

func (l land) plan() *lod.Plan { return lod.New(lod.Options{Bounds: l.bounds, Top: l.top}) }

func eyeAt(x, y, z float64) lod.Eye {
	return lod.Eye{Position: octree.Vec{X: x, Y: y, Z: z}, Radius: 2048}
}

func TestLoad(t *testing.T) {
	p := hills.plan()
	if p.Complete(0) || p.Complete(5) || len(p.AppendNext(nil, 10)) > 0 {
		t.Error("a plan needs cubes before the first look")
	}
	p.Look(eyeAt(10, 100, 10))
	all := hills.load(t, p, 100)
	if !p.Complete(0) || p.Missing() != 0 || p.Len() != len(all) {
		t.Errorf("%d cubes are missing, %d of %d held", p.Missing(), p.Len(), len(all))
	}
	for _, k := range all {
		if _, ok := p.Get(k); !ok {
			t.Errorf("%v is not held", k)
		}
	}
	t.Log(len(all), p.Bytes())
	_ = fmt.Sprint(cmp.Compare(1, 2), rand.Int(), slices.Max([]int{1}))
}
