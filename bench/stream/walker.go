package stream

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/cairnvoxel/cairn/octree"
)

// walker is where a viewer is at each time. Both processes compute it.
type walker struct {
	x, z, reach    float64
	eastern, north float64 // radians a second
}

// walkers returns viewers who move about a land of so many blocks an edge, at up to 12 blocks a second.
func walkers(n int, seed uint64, half int) []walker {
	r := rand.New(rand.NewPCG(seed, 7))
	out := make([]walker, n)
	for i := range out {
		w := &out[i]
		w.reach = float64(half) * 0.3
		w.x, w.z = (r.Float64()-0.5)*float64(half), (r.Float64()-0.5)*float64(half)
		w.eastern, w.north = (3+r.Float64()*5)/w.reach, (3+r.Float64()*5)/w.reach
	}
	return out
}

func (w *walker) at(t time.Duration) (position, velocity octree.Vec) {
	e, n := w.eastern*t.Seconds(), w.north*t.Seconds()
	position = octree.Vec{X: w.x + w.reach*math.Sin(e), Y: 100, Z: w.z + w.reach*math.Sin(n)}
	return position, octree.Vec{X: w.reach * w.eastern * math.Cos(e), Z: w.reach * w.north * math.Cos(n)}
}
