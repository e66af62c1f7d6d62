package grid_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// slowRay is Raycast from cell to cell; reads through a Cursor make it no slower
// than it must be.
func slowRay(v *grid.View, from, dir [3]float64, reach float64, yield func(grid.Hit) bool) {
	scale := max(math.Abs(dir[0]), math.Abs(dir[1]), math.Abs(dir[2]))
	length := 0.0
	for i := range dir {
		dir[i] /= scale
		length += dir[i] * dir[i]
	}
	var cell [3]int
	for i := range dir {
		dir[i] /= math.Sqrt(length)
		cell[i] = int(math.Floor(from[i]))
	}
	cells := v.Cursor()
	t, face := 0.0, grid.Inside
	for t <= reach {
		p := at(cell[0], cell[1], cell[2])
		if c, ok := cells.Cell(p); !ok || !v.Rule().Empty(c) && !yield(grid.Hit{At: p, Cell: c, Distance: t, Face: face}) {
			return
		}
		axis, t0 := -1, math.Inf(1)
		for i, d := range dir {
			border := float64(cell[i])
			if d > 0 {
				border++
			}
			if d != 0 && (border-from[i])/d < t0 {
				axis, t0 = i, (border-from[i])/d
			}
		}
		t, face = t0, grid.West+grid.Face(2*axis)
		if dir[axis] > 0 {
			cell[axis]++
		} else {
			cell[axis]--
			face++
		}
	}
}

// scattered is a volume of balls, single cells and cells of other emptiness.
func scattered(r *rand.Rand) *grid.View {
	d := grid.New(grid.Options{Empty: []voxel.Cell{3}}).Edit()
	for range 60 {
		c := at(r.IntN(240)-120, r.IntN(200)-100, r.IntN(240)-120)
		d.Fill(region.Ball{Center: c, Radius: r.Float64() * 16}, voxel.Cell(1+r.IntN(4)))
	}
	d.Fill(box(-64, -64, 32, 0, 0, 64), 3)
	for range 300 {
		d.Set(at(r.IntN(240)-120, r.IntN(200)-100, r.IntN(240)-120), voxel.Cell(1+r.IntN(4)))
	}
	v, _ := d.Publish()
	return v
}

// snap makes a number land on borders now and then.
func snap(r *rand.Rand, f float64) float64 {
	switch r.IntN(4) {
	case 0:
		return math.Round(f)
	case 1:
		return math.Round(f*4) / 4
	}
	return f
}

func TestRaycast(t *testing.T) {
	total := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 3))
		v := scattered(r)
		for range 500 {
			var from, dir [3]float64
			for i := range from {
				from[i] = snap(r, r.Float64()*240-120)
				dir[i] = snap(r, r.Float64()*2-1)
			}
			if dir == [3]float64{} {
				continue
			}
			reach := r.Float64() * 700
			var got, want []grid.Hit
			if err := v.Raycast(from, dir, reach, func(h grid.Hit) bool { got = append(got, h); return true }); err != nil {
				t.Fatal(err)
			}
			slowRay(v, from, dir, reach, func(h grid.Hit) bool { want = append(want, h); return true })
			total += len(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d from %v along %v: %d hits, want %d\n%v\n%v", seed, from, dir, len(got), len(want), got, want)
			}
		}
	}
	if total < 1000 {
		t.Errorf("%d hits in all: too few to compare", total)
	}
}

func TestRaycastEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	v := grid.New(grid.Options{}).With([]grid.Placed{{pos(2, 0, 0), voxel.Uniform(7)}, {pos(-3, 0, 0), grid.NotLoaded}})
	far := float64(geom.MaxChunk * geom.ChunkEdge)
	for _, tt := range []struct {
		name      string
		from, dir [3]float64
		reach     float64
		want      float64 // distance of the first hit, -1 for none
		face      grid.Face
		bad       bool
	}{
		{"along x", [3]float64{0.5, 5, 5}, [3]float64{9, 0, 0}, 100, 63.5, grid.West, false},
		{"short", [3]float64{0.5, 5, 5}, [3]float64{1, 0, 0}, 63, -1, 0, false},
		{"inside", [3]float64{70, 5, 5}, [3]float64{0, -1, 0}, 63, 0, grid.Inside, false},
		{"from above", [3]float64{70, 50, 5}, [3]float64{0, -1e-200, 0}, 63, 18, grid.Up, false},
		{"out of range", [3]float64{0, 1, 1}, [3]float64{0, 1, 0}, 1e300, -1, 0, false},
		{"no way", [3]float64{0, 0, 0}, [3]float64{}, 1, 0, 0, true},
		{"not loaded", [3]float64{0, 5, 5}, [3]float64{-1, 0, 0}, 100, 0, 0, true},
		{"NaN", [3]float64{nan, 0, 0}, [3]float64{1, 0, 0}, 1, 0, 0, true},
		{"infinite", [3]float64{0, 0, 0}, [3]float64{1, inf, 0}, 1, 0, 0, true},
		{"reach NaN", [3]float64{0, 0, 0}, [3]float64{1, 0, 0}, nan, 0, 0, true},
		{"reach infinite", [3]float64{0, 0, 0}, [3]float64{1, 0, 0}, inf, 0, 0, true},
		{"start out of range", [3]float64{0, 2 * far, 0}, [3]float64{1, 0, 0}, 1, 0, 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, face := -1.0, grid.Inside
			err := v.Raycast(tt.from, tt.dir, tt.reach, func(h grid.Hit) bool { got, face = h.Distance, h.Face; return false })
			if (err != nil) != tt.bad {
				t.Fatalf("error %v", err)
			}
			if err == nil && (got != tt.want || face != tt.face) {
				t.Errorf("hit at %v, %v; want %v, %v", got, face, tt.want, tt.face)
			}
		})
	}
	if err := v.Raycast([3]float64{}, [3]float64{-1}, 99, func(grid.Hit) bool { return true }); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("error %v, want ErrNotLoaded", err)
	}
}

// Where two borders are crossed at once the lower axis goes first, in leaps too.
func TestRaycastTies(t *testing.T) {
	for _, tt := range []struct {
		name string
		cell geom.Point
		from [3]float64
		want bool
	}{
		{"x before z", at(4, 0, 8), [3]float64{2.5, 0.5, 5.5}, false},
		{"x before z, the other", at(5, 0, 7), [3]float64{2.5, 0.5, 5.5}, true},
		{"z not before x", at(8, 0, 4), [3]float64{5.5, 0.5, 2.5}, true},
		{"z not before x, the other", at(7, 0, 5), [3]float64{5.5, 0.5, 2.5}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := grid.New(grid.Options{}).Edit()
			d.Set(tt.cell, 1)
			v, _ := d.Publish()
			hit := false
			if err := v.Raycast(tt.from, [3]float64{1, 0, 1}, 20, func(grid.Hit) bool { hit = true; return false }); err != nil || hit != tt.want {
				t.Errorf("hit %v, %v; want %v", hit, err, tt.want)
			}
		})
	}
}
