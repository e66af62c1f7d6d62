package trace_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/render/trace"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestSmooth compares where rays meet a terrain with a walk in small steps through how full cells are, mixed
// between the middles of eight.
func TestSmooth(t *testing.T) {
	const edge = 64
	box := geom.Box{Max: at(edge, 256, edge)}
	w := worldtest.Load(t, terrain.Level{Seed: 3}.Source(box))
	find := trace.Finder(t.Context(), sceneOf(t, w))
	chunks := w.Dimensions[0].Volume("solid").Chunks
	full := func(x, y, z int) float64 {
		c := chunks[at(x, y, z).Chunk()]
		if c == nil {
			return 0
		}
		in := at(x, y, z).InChunk()
		if v := c.Cell(in.X, in.Y, in.Z); v != voxel.Empty {
			return float64(v&0xFF+1) / 256
		}
		return 0
	}
	field := func(p [3]float64) (f float64) {
		x, y, z := math.Floor(p[0]-0.5), math.Floor(p[1]-0.5), math.Floor(p[2]-0.5)
		for i := range 8 {
			dx, dy, dz := i&1, i>>1&1, i>>2
			part := 1.0
			for axis, low := range [3]float64{x, y, z} {
				u := p[axis] - 0.5 - low
				if [3]int{dx, dy, dz}[axis] == 0 {
					u = 1 - u
				}
				part *= u
			}
			f += part * full(int(x)+dx, int(y)+dy, int(z)+dz)
		}
		return f
	}
	r := rand.New(rand.NewPCG(1, 2))
	hits, apart := 0, 0
	for range 400 {
		from := [3]float64{r.Float64() * edge, 120 + r.Float64()*100, r.Float64() * edge}
		to := [3]float64{r.Float64() * edge, r.Float64() * 80, r.Float64() * edge}
		dir := unit([3]float64{to[0] - from[0], to[1] - from[1], to[2] - from[2]})
		if field(from) > 0.3 {
			continue
		}
		place := func(d float64) [3]float64 {
			return [3]float64{from[0] + dir[0]*d, from[1] + dir[1]*d, from[2] + dir[2]*d}
		}
		want, met := 0.0, false
		for ; want < 300 && !met; want += 0.01 {
			met = field(place(want)) > 0.5
		}
		got, normal, ok := find(from, dir)
		if !ok && !met {
			continue
		}
		hits++
		if ok != met || math.Abs(got-want) > 0.05 {
			apart++
			t.Log(from, dir, "want", want, met, "got", got, ok, "field at got", field(place(got)), "cell", full(int(place(want)[0]), int(place(want)[1]), int(place(want)[2])), "at", place(want), normal)
			continue
		}
		if normal[0]*dir[0]+normal[1]*dir[1]+normal[2]*dir[2] > 1e-9 || math.Abs(normal[0]*normal[0]+normal[1]*normal[1]+normal[2]*normal[2]-1) > 1e-9 {
			t.Fatalf("from %v along %v: normal %v", from, dir, normal)
		}
	}
	// A ray that only touches the surface may be taken for one that does not.
	if hits < 200 || apart > hits/50 {
		t.Errorf("%d of %d hits lie elsewhere", apart, hits)
	}
}
