package lod_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// twin is a Plan that looks at every cube in each look and keeps everything in maps.
type twin struct {
	land
	eye   lod.Eye
	have  map[lod.Key]lod.Cube
	near  map[lod.Key]bool // cubes of the top level within the radius
	split map[lod.Key]bool
	need  map[lod.Key]bool // all needed cubes, whether the viewer has them or not
}

func newTwin(l land) *twin {
	return &twin{land: l, have: map[lod.Key]lod.Cube{}, near: map[lod.Key]bool{}, split: map[lod.Key]bool{}, need: map[lod.Key]bool{}}
}

func (w *twin) detail() float64 { return min(max(w.eye.PixelsPerRadian/w.eye.MaxError/16, 2), 64) }

func (w *twin) ahead() octree.Vec {
	p, v := w.eye.Position, w.eye.Velocity
	if speed := math.Sqrt(v.X*v.X + v.Y*v.Y + v.Z*v.Z); speed > 0 {
		f := min(1, 8*w.detail()/speed)
		p = octree.Vec{X: p.X + v.X*f, Y: p.Y + v.Y*f, Z: p.Z + v.Z*f}
	}
	return p
}

func (w *twin) far(k lod.Key) float64 {
	b, p, sum := k.Box(), w.ahead(), 0.0
	for _, a := range [3][3]float64{
		{p.X, float64(b.Min.X), float64(b.Max.X)}, {p.Y, float64(b.Min.Y), float64(b.Max.Y)}, {p.Z, float64(b.Min.Z), float64(b.Max.Z)},
	} {
		d := max(a[1]-a[0], a[0]-a[2], 0)
		sum += d * d
	}
	return math.Sqrt(sum)
}

// look returns the cubes that were held and are needed no longer.
func (w *twin) look(e lod.Eye) []lod.Key {
	w.eye = e
	low, high := lod.KeyOf(w.bounds.Min, w.top), lod.KeyOf(w.bounds.Max.Add(geom.Point{X: -1, Y: -1, Z: -1}), w.top)
	for x := low.X; x <= high.X; x++ {
		for y := low.Y; y <= high.Y; y++ {
			for z := low.Z; z <= high.Z; z++ {
				k := lod.Key{X: x, Y: y, Z: z, Level: uint8(w.top)}
				if d := w.far(k); d < e.Radius {
					w.near[k] = true
				} else if d >= e.Radius*9/8 {
					delete(w.near, k)
				}
			}
		}
	}
	return w.decide()
}

// decide finds the needed cubes again, and forgets the others.
func (w *twin) decide() (forgotten []lod.Key) {
	was := w.split
	w.need, w.split = map[lod.Key]bool{}, map[lod.Key]bool{}
	for k := range w.near {
		w.below(k, was)
	}
	for k := range w.have {
		if !w.need[k] {
			forgotten = append(forgotten, k)
			delete(w.have, k)
		}
	}
	return forgotten
}

func (w *twin) below(k lod.Key, was map[lod.Key]bool) {
	w.need[k] = true
	if c := w.have[k]; c.Version == 0 || k.Level == 0 {
		return
	}
	d, edge := w.far(k), float64(int(16)<<k.Level)
	if d < min(w.detail()*edge, w.eye.Radius+2*edge) || was[k] && d < min(w.detail()*edge*9/8, w.eye.Radius+2.2*edge) {
		w.split[k] = true
		for o := range 8 {
			c := k.Child(o)
			_, told := w.have[c]
			if told || w.have[k].Empty>>o&1 == 0 && !c.Box().Intersect(w.bounds).Empty() {
				w.below(c, was)
			}
		}
	}
}

// compare returns how the plan differs from the twin. It asks for all that is missing and puts it back.
func (w *twin) compare(p *lod.Plan) error {
	held := map[lod.Key]bool{}
	var fault error
	p.Held(func(k lod.Key, version uint64) bool {
		if c, ok := w.have[k]; !ok || c.Version != version {
			fault = fmt.Errorf("%v is held in version %d, want %d, %t", k, version, c.Version, ok)
		}
		held[k] = true
		return true
	})
	if fault == nil && (len(held) != len(w.have) || p.Len() != len(w.have)) {
		fault = fmt.Errorf("%d cubes are held, Len is %d, want %d", len(held), p.Len(), len(w.have))
	}
	asked := p.AppendNext(nil, math.MaxInt)
	for _, k := range asked {
		if _, has := w.have[k]; has || !w.need[k] {
			fault = fmt.Errorf("%v is asked for: held %t, needed %t", k, has, w.need[k])
		}
		if parent := k.Parent(); int(k.Level) < w.top && w.have[parent].Version == 0 {
			fault = fmt.Errorf("%v is asked for, and %v is not held", k, parent)
		}
		p.Again(k)
	}
	if fault == nil && (len(asked) != len(w.need)-len(w.have) || p.Missing() != len(asked)) {
		fault = fmt.Errorf("%d cubes are asked for, %d missing, want %d", len(asked), p.Missing(), len(w.need)-len(w.have))
	}
	return fault
}

// TestTwin walks, jumps, loads, edits and loses at random.
func TestTwin(t *testing.T) {
	small := land{geom.Box{Min: geom.Point{X: -700, Y: -64, Z: -300}, Max: geom.Point{X: 500, Y: 200, Z: 900}}, 4}
	for seed := range uint64(long.By(4, 12, 12)) {
		r := rand.New(rand.NewPCG(seed, 1))
		p, w := small.plan(), newTwin(small)
		e := eyeAt(0, 100, 0)
		e.Radius, e.PixelsPerRadian, e.MaxError = 100+r.Float64()*600, 1000, 10+r.Float64()*30
		for step := range 120 {
			switch r.IntN(12) {
			case 0:
				e.Position = octree.Vec{X: r.Float64()*1400 - 800, Y: r.Float64() * 200, Z: r.Float64()*1400 - 400}
			case 1:
				e.Velocity = octree.Vec{X: r.NormFloat64() * 20, Y: r.NormFloat64(), Z: r.NormFloat64() * 20}
			case 2:
				e.Velocity, e.Direction = octree.Vec{}, octree.Vec{X: r.NormFloat64(), Z: r.NormFloat64()}
			case 3:
				e.MaxError, e.Radius = 10+r.Float64()*30, 100+r.Float64()*600
			default:
				e.Position.X += r.NormFloat64() * 10
				e.Position.Y += r.NormFloat64()
				e.Position.Z += r.NormFloat64() * 10
			}
			p.Look(e)
			want, got := w.look(e), p.AppendForget(nil)
			slices.SortFunc(want, lod.Key.Compare)
			slices.SortFunc(got, lod.Key.Compare)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, step %d: %d cubes are forgotten, want %d", seed, step, len(got), len(want))
			}
			for range r.IntN(4) {
				for _, k := range p.AppendNext(nil, r.IntN(500)) {
					p.Have(k, small.cube(k))
					w.have[k] = small.cube(k)
				}
			}
			w.change(r, p)
			w.decide()
			p.AppendForget(nil)
			if err := w.compare(p); err != nil {
				t.Fatalf("seed %d, step %d: %v", seed, step, err)
			}
		}
	}
}

// change edits or loses a few of the cubes that are held.
func (w *twin) change(r *rand.Rand, p *lod.Plan) {
	var keys []lod.Key
	for k := range w.have {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, lod.Key.Compare)
	for range min(r.IntN(4), len(keys)) {
		k := keys[r.IntN(len(keys))]
		if _, ok := w.have[k]; !ok || !w.need[k] {
			continue
		}
		c := lod.Cube{Version: uint64(r.IntN(3)), Bytes: r.IntN(9), Solid: r.IntN(5) == 0}
		if k.Level > 0 && c.Version > 0 {
			c.Empty = uint8(r.IntN(255))
		}
		if r.IntN(3) > 0 {
			p.Have(k, c)
			w.have[k] = c
		} else {
			p.Drop(k)
			delete(w.have, k)
		}
		w.decide()
	}
}
