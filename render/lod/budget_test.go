package lod_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// sight is what a viewer that stands ends with under a budget.
type sight struct {
	plan  *lod.Plan
	held  map[lod.Key]bool
	reach float64 // up to how far there is no hole
	far   float64 // how far the farthest cube of the top level that it has is
	fine  int     // the finest level that it has
}

// rest looks until nothing more comes.
func rest(p *lod.Plan, e lod.Eye, cube func(lod.Key) lod.Cube) error {
	for range 5000 {
		p.Look(e)
		p.AppendForget(nil)
		keys := p.AppendNext(nil, 8)
		for _, k := range keys {
			p.Have(k, cube(k))
		}
		if len(keys) == 0 {
			return nil
		}
	}
	return fmt.Errorf("it never ends: %d cubes of %d bytes", p.Len(), p.Bytes())
}

// see returns what a viewer sees of a land under a budget.
func see(l land, e lod.Eye, o lod.Options, cube func(lod.Key) lod.Cube) (s sight, err error) {
	s = sight{plan: lod.New(o), held: map[lod.Key]bool{}, reach: e.Radius, fine: l.top}
	if err := rest(s.plan, e, cube); err != nil {
		return s, err
	}
	w := newTwin(l)
	w.eye = e
	for k := range s.plan.Held {
		if s.held[k] = true; int(k.Level) == l.top {
			s.far = max(s.far, w.far(k))
		}
		s.fine = min(s.fine, int(k.Level))
	}
	low, high := lod.KeyOf(l.bounds.Min, l.top), lod.KeyOf(l.bounds.Max.Add(geom.Point{X: -1, Y: -1, Z: -1}), l.top)
	for x := low.X; x <= high.X; x++ {
		for y := low.Y; y <= high.Y; y++ {
			for z := low.Z; z <= high.Z; z++ {
				if k := (lod.Key{X: x, Y: y, Z: z, Level: uint8(l.top)}); !s.held[k] {
					s.reach = min(s.reach, w.far(k))
				}
			}
		}
	}
	return s, nil
}

// TestBudget tries random eyes under rising budgets of cubes and of bytes. A viewer sees all that is near, without a
// hole. It loses detail before it loses distance. More room never shows less.
func TestBudget(t *testing.T) {
	for seed := range uint64(long.By(24, 200, 1000)) {
		r := rand.New(rand.NewPCG(seed, 7))
		l := land{geom.Box{Min: geom.Point{X: -900, Y: -64, Z: -400}, Max: geom.Point{X: 500, Y: 250, Z: 800}}, 3 + r.IntN(3)}
		e := lod.Eye{PixelsPerRadian: 1000, MaxError: 4 + r.Float64()*60, Radius: math.Exp(-2 + r.Float64()*9)}
		e.Position = octree.Vec{X: r.Float64()*1800 - 1200, Y: r.Float64()*400 - 100, Z: r.Float64()*1600 - 600}
		e.Velocity = octree.Vec{X: r.NormFloat64() * 10}
		cube := l.cube
		if r.IntN(2) == 0 { // matter everywhere
			cube = func(k lod.Key) lod.Cube { return lod.Cube{Version: 1, Bytes: 100 + int(k.X&7)*200} }
		}
		var last sight
		for i := range 9 {
			o, e := lod.Options{Bounds: l.bounds, Top: l.top, MaxCubes: 64 << i}, e
			if seed%2 == 0 {
				o.MaxCubes, e.Memory = 0, 1500<<i
			}
			where := fmt.Sprintf("seed %d, top %d, radius %.0f, cubes %d, memory %d", seed, l.top, e.Radius, o.MaxCubes, e.Memory)
			s, err := see(l, e, o, cube)
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			p := s.plan
			if missing := p.Missing(); missing > 0 && p.Len() > 8 {
				t.Errorf("%s: %d cubes are missing, %d held", where, missing, p.Len())
			}
			if o.MaxCubes > 0 && p.Len()+p.Missing() > o.MaxCubes || e.Memory > 0 && p.Bytes() >= e.Memory && p.Len() > 8 {
				t.Errorf("%s: %d cubes of %d bytes", where, p.Len(), p.Bytes())
			}
			if s.far > s.reach {
				t.Errorf("%s: there is a hole %.0f blocks away, and something %.0f away", where, s.reach, s.far)
			}
			if s.reach < e.Radius && s.fine < l.top {
				t.Errorf("%s: it sees up to %.0f blocks, and cubes of level %d", where, s.reach, s.fine)
			}
			if p.Len() == 0 && last.plan != nil && last.plan.Len() > 0 {
				t.Errorf("%s: it sees nothing", where)
			}
			for k := range last.held {
				if !s.held[k] {
					t.Fatalf("%s: %v is shown with half of the room alone", where, k)
				}
			}
			shown := make(map[lod.Key]bool)
			for k := range p.Shown {
				shown[k] = true
			}
			if fault := touching(shown); fault != "" {
				t.Errorf("%s: %s", where, fault)
			}
			last = s
		}
	}
}

// TestBudgetOfDeepSpace has few cubes in a world of which most is far from the viewer: the way to the cubes costs none of them.
func TestBudgetOfDeepSpace(t *testing.T) {
	all := geom.Box{Min: geom.Point{X: -1 << 24, Y: -1 << 12, Z: -1 << 24}, Max: geom.Point{X: 1 << 24, Y: 1 << 12, Z: 1 << 24}}
	for _, top := range []int{0, 3, lod.MaxLevel} {
		for _, at := range []octree.Vec{{}, {X: 1 << 20, Y: -100, Z: 5}, {X: -1 << 24, Y: 1 << 12, Z: -1 << 24}} {
			p := lod.New(lod.Options{Bounds: all, Top: top, MaxCubes: 64})
			err := rest(p, lod.Eye{Position: at, PixelsPerRadian: 500, MaxError: 1, Radius: 100}, func(lod.Key) lod.Cube { return lod.Cube{Version: 1, Bytes: 1} })
			if n := p.Len(); err != nil || n == 0 || n > 64 || p.Missing() > 0 {
				t.Errorf("top level %d at %v: %d cubes, %d are missing, %v", top, at, n, p.Missing(), err)
			}
		}
	}
}
