package grid_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// meets returns when a moving box begins to overlap a cell, if it does in 0..1.
func meets(low, high, motion [3]float64, p geom.Point) (float64, bool) {
	enter, leave := 0.0, 1.0
	for i, c := range [3]int{p.X, p.Y, p.Z} {
		lo, hi := float64(c)-high[i], float64(c+1)-low[i] // overlaps while lo < motion < hi
		switch m := motion[i]; {
		case m > 0:
			enter, leave = max(enter, lo/m), min(leave, hi/m)
		case m < 0:
			enter, leave = max(enter, hi/m), min(leave, lo/m)
		case lo >= 0 || hi <= 0:
			return 0, false
		}
	}
	return enter, enter < leave
}

// matterOf returns the cells of a box that do not count as empty.
func matterOf(v *grid.View, b geom.Box) []geom.Point {
	var out []geom.Point
	each(b, func(p geom.Point) {
		if c, _ := v.Cell(p); !v.Rule().Empty(c) {
			out = append(out, p)
		}
	})
	return out
}

func TestSweepAndOverlap(t *testing.T) {
	long.Alone(t)
	met, free := 0, 0
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 4))
		d := scattered(r).Edit()
		for range 2000 {
			d.Set(randomPoint(r, box(-50, -50, -50, 50, 50, 50)), voxel.Cell(1+r.IntN(4)))
		}
		v, _ := d.Publish()
		for range 60 {
			var low, high, motion [3]float64
			for i := range low {
				low[i] = snap(r, r.Float64()*80-40)
				high[i] = low[i] + 0.25 + snap(r, r.Float64()*3)
				motion[i] = snap(r, r.Float64()*40-20)
			}
			var reach geom.Box
			for _, f := range []float64{-1, 1} {
				p := at(int(low[0]+f*20), int(low[1]+f*20), int(low[2]+f*20))
				reach = reach.Union(geom.Box{Min: p.Add(at(-5, -5, -5)), Max: p.Add(at(5, 5, 5))})
			}
			want, wantHit, within := 2.0, false, false
			for _, p := range matterOf(v, reach) {
				if f, ok := meets(low, high, motion, p); ok && f < want {
					want, wantHit = f, true
				}
				_, ok := meets(low, high, [3]float64{}, p)
				within = within || ok
			}
			if _, got, err := v.Overlap(low, high); err != nil || got != within {
				t.Fatalf("seed %d: Overlap(%v, %v) = %v, %v; want %v", seed, low, high, got, err, within)
			}
			large := geom.Box{Min: randomPoint(r, arena), Max: randomPoint(r, arena)}
			l := [3]float64{float64(large.Min.X), float64(large.Min.Y), float64(large.Min.Z)}
			h := [3]float64{float64(large.Max.X), float64(large.Max.Y), float64(large.Max.Z)}
			if _, got, err := v.Overlap(l, h); !large.Empty() && (err != nil || got != (len(matterOf(v, large)) > 0)) {
				t.Fatalf("seed %d: Overlap(%v, %v) = %v, %v", seed, l, h, got, err)
			}
			got, hit, err := v.Sweep(low, high, motion)
			if err != nil || hit != wantHit || hit && math.Abs(got.Fraction-want) > 1e-9 {
				t.Fatalf("seed %d: Sweep(%v, %v, %v) = %+v, %v, %v; want %v, %v", seed, low, high, motion, got, hit, err, want, wantHit)
			}
			if !hit {
				free++
				continue
			}
			met++
			if f, ok := meets(low, high, motion, got.At); !ok || math.Abs(f-want) > 1e-9 || (got.Face == grid.Inside) != within {
				t.Fatalf("seed %d: %+v: its cell is met at %v, %v; inside %v", seed, got, f, ok, within)
			}
		}
	}
	if met < 30 || free < 30 {
		t.Errorf("%d met, %d free: too few to compare", met, free)
	}
}

func TestMoveEdges(t *testing.T) {
	v := grid.New(grid.Options{}).With([]grid.Placed{{pos(1, 0, 0), voxel.Uniform(7)}, {pos(-3, 0, 0), grid.NotLoaded}})
	far := float64(geom.MaxChunk * geom.ChunkEdge)
	type vec = [3]float64
	for _, tt := range []struct {
		name              string
		low, high, motion vec
		want              float64 // fraction, -1 for none
		face              grid.Face
		bad               bool
	}{
		{"east", vec{30, 0, 0}, vec{31, 1, 1}, vec{4, 0, 0}, 0.25, grid.West, false},
		{"touches at last", vec{30, 0, 0}, vec{31, 1, 1}, vec{1, 0, 0}, -1, 0, false},
		{"slides along", vec{30, 0, 0}, vec{32, 1, 1}, vec{0, 10, 5}, -1, 0, false},
		{"into the corner", vec{30, -2, 0}, vec{31, -1, 1}, vec{2, 2, 0}, 0.5, grid.Down, false},
		{"down", vec{33, 34, 0}, vec{33, 34, 0}, vec{0, -8, 0}, 0.25, grid.Up, false},
		{"stays inside", vec{33, 1, 1}, vec{34, 2, 2}, vec{}, 0, grid.Inside, false},
		{"not loaded", vec{-60, 1, 1}, vec{-59, 2, 2}, vec{-20, 0, 0}, 0, 0, true},
		{"inside out", vec{1, 1, 1}, vec{0, 2, 2}, vec{}, 0, 0, true},
		{"NaN", vec{math.NaN(), 1, 1}, vec{1, 2, 2}, vec{}, 0, 0, true},
		{"motion infinite", vec{0, 1, 1}, vec{1, 2, 2}, vec{math.Inf(1)}, 0, 0, true},
		{"out of range", vec{0, 1, 1}, vec{1, 2, 2}, vec{2 * far}, 0, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, hit, err := v.Sweep(tt.low, tt.high, tt.motion)
			if (err != nil) != tt.bad {
				t.Fatalf("error %v", err)
			}
			if err == nil && (hit != (tt.want >= 0) || hit && (got.Fraction != tt.want || got.Face != tt.face)) {
				t.Errorf("%+v, %v; want %v, %v", got, hit, tt.want, tt.face)
			}
		})
	}
	if _, _, err := v.Overlap(vec{-70, 0, 0}, vec{-60, 1, 1}); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("error %v, want ErrNotLoaded", err)
	}
	if _, hit, err := v.Overlap(vec{-70, 0, 0}, vec{60, 1, 1}); !hit || err != nil {
		t.Errorf("%v, %v; want the matter found beside what is not loaded", hit, err)
	}
	if _, hit, err := v.Overlap(vec{-40, -9e6, 0}, vec{60, 9e6, 1}); !hit || err != nil {
		t.Errorf("%v, %v; want a tall box to find matter", hit, err)
	}
}
