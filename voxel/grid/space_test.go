package grid_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

type vec = [3]float64

// solid is the matter of a cell, as plainly as can be.
type solid struct {
	at        geom.Point
	low, high vec
}

// solids returns the matter of all cells of a box.
func solids(v *grid.View, b geom.Box) (out []solid) {
	full := func(p geom.Point) float64 {
		c, _ := v.Cell(p)
		switch {
		case v.Rule().Empty(c):
			return 0
		case v.Rule().Schema == voxel.Palette:
			return 1
		}
		return float64(c&0xFF+1) / 256
	}
	each(b, func(p geom.Point) {
		f := full(p)
		if f == 0 {
			return
		}
		s := solid{p, vec{float64(p.X), float64(p.Y), float64(p.Z)}, vec{float64(p.X + 1), float64(p.Y + 1), float64(p.Z + 1)}}
		for axis, step := range []geom.Point{{X: 1}, {Y: 1}, {Z: 1}} {
			below, above := full(p.Sub(step)) > 0, full(p.Add(step)) > 0
			if v.Rule().Schema == voxel.Level {
				below, above = true, axis != 1 || above
			}
			switch {
			case below && above:
			case below:
				s.high[axis] = s.low[axis] + f
			case above:
				s.low[axis] = s.high[axis] - f
			default:
				thick := math.Ceil(f*128) / 128
				s.low[axis] += (1 - thick) / 2
				s.high[axis] = s.low[axis] + thick
			}
		}
		out = append(out, s)
	})
	return out
}

// partly is a volume of cells that are partly full: noise, and hills with a floor of air beneath.
func partly(r *rand.Rand, schema voxel.Schema, b geom.Box) *grid.View {
	d := grid.New(grid.Options{Schema: schema}).Edit()
	noise := r.IntN(2) == 0
	each(b, func(p geom.Point) {
		f := r.IntN(256)
		if !noise {
			f = int(256 * (9 + 3*math.Sin(float64(p.X)/3) + 2*math.Cos(float64(p.Z)/2) - float64(p.Y)))
		}
		if noise && r.IntN(4) > 0 || f < 0 || p.Y == 5 {
			return
		}
		c := voxel.TerrainCell(1, uint8(min(f, 255)))
		if schema == voxel.Level {
			c = voxel.Cell(max(1, min(f, 255)))
		}
		d.Set(p, c)
	})
	v, _ := d.Publish()
	return v
}

// Rays, sweeps and boxes meet the matter of each cell, and nothing else.
func TestMatter(t *testing.T) {
	b := box(-8, -1, 26, 6, 15, 40) // four chunks
	for _, schema := range []voxel.Schema{voxel.Palette, voxel.Terrain, voxel.Level} {
		t.Run(schema.String(), func(t *testing.T) {
			var rays, sweeps, boxes int
			for seed := range uint64(4) {
				r := rand.New(rand.NewPCG(seed, 9))
				v := partly(r, schema, b)
				all := solids(v, b)
				place := func() (p vec) {
					for i, e := range [3][2]int{{b.Min.X, b.Max.X}, {b.Min.Y, b.Max.Y}, {b.Min.Z, b.Max.Z}} {
						p[i] = float64(e[0]) + snap(r, r.Float64()*float64(e[1]-e[0]))
					}
					return p
				}
				for range 60 {
					from, to := place(), place()
					for i := range to { // borders and corners are TestRaycast's
						from[i] += r.Float64() / 100
						to[i] += r.Float64() / 100
					}
					rays += sameRay(t, v, all, from, to)
					low := place()
					high, motion := low, place()
					for i := range high {
						high[i] += r.Float64() * 2
						motion[i] -= low[i]
					}
					want, within := 1.0, false
					for _, s := range all {
						if f, ok := meetsMatter(low, high, motion, s); ok {
							want = min(want, f)
						}
						_, ok := meetsMatter(low, high, vec{}, s)
						within = within || ok
					}
					c, got, err := v.Overlap(low, high)
					if err != nil || got != within || got && (c.Low[0] >= high[0] || c.High[1] <= low[1]) {
						t.Fatalf("Overlap(%v, %v) = %+v, %v, %v; want %v", low, high, c, got, err, within)
					}
					c, got, err = v.Sweep(low, high, motion)
					if err != nil || got != (want < 1) || got && (math.Abs(c.Fraction-want) > 1e-9 || (c.Face == grid.Inside) != within) {
						t.Fatalf("Sweep(%v, %v, %v) = %+v, %v, %v; want %v", low, high, motion, c, got, err, want)
					}
					if got {
						sweeps++
					}
					if within {
						boxes++
					}
				}
			}
			if rays < 100 || sweeps < 50 || boxes < 50 {
				t.Errorf("%d rays, %d sweeps and %d boxes met matter: too few to compare", rays, sweeps, boxes)
			}
		})
	}
}

// sameRay compares a ray with all matter and returns how often it meets some.
func sameRay(t *testing.T, v *grid.View, all []solid, from, to vec) int {
	t.Helper()
	dir := vec{to[0] - from[0], to[1] - from[1], to[2] - from[2]}
	length := math.Sqrt(dir[0]*dir[0] + dir[1]*dir[1] + dir[2]*dir[2])
	if length == 0 {
		return 0
	}
	reach := min(30, 1.9*length)
	want := make(map[geom.Point]float64)
	for _, s := range all {
		if f, ok := meetsMatter(from, from, vec{dir[0] * 2, dir[1] * 2, dir[2] * 2}, s); ok && f*2*length <= reach {
			want[s.at] = f * 2 * length
		}
	}
	last, n := 0.0, 0
	err := v.Raycast(from, dir, reach, func(h grid.Hit) bool {
		if d, ok := want[h.At]; !ok || math.Abs(d-h.Distance) > 1e-9 || h.Distance < last || (h.Face == grid.Inside) != (d == 0) {
			t.Errorf("from %v to %v: %+v, want %v, %v", from, to, h, d, ok)
		}
		last, n = h.Distance, n+1
		return true
	})
	if err != nil || n != len(want) {
		t.Fatalf("from %v to %v: %d hits, want %d; %v", from, to, n, len(want), err)
	}
	return n
}

// meetsMatter returns when a moving box begins to overlap matter, if it does in 0..1.
func meetsMatter(low, high, motion vec, s solid) (float64, bool) {
	enter, leave := 0.0, 1.0
	for i, m := range motion {
		lo, hi := s.low[i]-high[i], s.high[i]-low[i] // overlaps while lo < motion < hi
		switch {
		case m > 0:
			enter, leave = max(enter, lo/m), min(leave, hi/m)
		case m < 0:
			enter, leave = max(enter, hi/m), min(leave, lo/m)
		case lo > 0 || hi <= 0 || lo == 0 && low[i] < high[i]:
			return 0, false
		}
	}
	return enter, enter < leave
}

func TestMatterOfCells(t *testing.T) {
	ground := func(d *grid.Draft) { d.Fill(box(-9, -9, -9, 9, 0, 9), voxel.TerrainCell(1, 255)) }
	for _, tt := range []struct {
		name  string
		write func(d *grid.Draft)
		from  vec
		dir   vec
		want  float64 // distance
		level bool
	}{
		{"a top cell of 1/256", func(d *grid.Draft) { ground(d); d.Fill(box(-9, 0, -9, 9, 1, 9), voxel.TerrainCell(1, 0)) }, vec{.5, 10, .5}, vec{0, -1, 0}, 10 - 1./256, false},
		{"a top cell of a half", func(d *grid.Draft) { ground(d); d.Fill(box(-9, 0, -9, 9, 1, 9), voxel.TerrainCell(1, 127)) }, vec{.5, 10, .5}, vec{0, -1, 0}, 9.5, false},
		{"below a ceiling", func(d *grid.Draft) {
			ground(d)
			d.Fill(box(-9, -10, -9, 9, -9, 9), voxel.TerrainCell(1, 63))
		}, vec{.5, -20, .5}, vec{0, 1, 0}, 20 - 9.25, false},
		{"a thin layer", func(d *grid.Draft) { d.Fill(box(-9, 0, -9, 9, 1, 9), voxel.TerrainCell(1, 63)) }, vec{.5, 10, .5}, vec{0, -1, 0}, 10 - .625, false},
		{"at a wall", func(d *grid.Draft) { ground(d); d.Fill(box(9, -9, -9, 10, 0, 9), voxel.TerrainCell(1, 63)) }, vec{20, -3.5, .5}, vec{-1, 0, 0}, 10.75, false},
		{"a shallow liquid over nothing", func(d *grid.Draft) { d.Fill(box(-9, 0, -9, 9, 1, 9), 63) }, vec{.5, 10, .5}, vec{0, -1, 0}, 9.75, true},
		{"a deep liquid", func(d *grid.Draft) { d.Fill(box(-9, -9, -9, 9, 1, 9), 63) }, vec{.5, 10, .5}, vec{0, -1, 0}, 9.75, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := grid.Options{Schema: voxel.Terrain}
			if tt.level {
				o.Schema = voxel.Level
			}
			d := grid.New(o).Edit()
			tt.write(&d.Draft)
			v, _ := d.Publish()
			got := -1.0
			if err := v.Raycast(tt.from, tt.dir, 40, func(h grid.Hit) bool { got = h.Distance; return false }); err != nil || got != tt.want {
				t.Errorf("a ray meets it at %v, %v; want %v", got, err, tt.want)
			}
			low, high, motion := vec{}, vec{}, vec{}
			for i := range low {
				low[i], high[i], motion[i] = tt.from[i]-.25, tt.from[i]+.25, tt.dir[i]*40
			}
			c, _, err := v.Sweep(low, high, motion)
			if want := (tt.want - .25) / 40; err != nil || math.Abs(c.Fraction-want) > 1e-12 {
				t.Errorf("a box meets it at %v, %v; want %v", c.Fraction, err, want)
			}
			if tt.level && c.High[1] != .25 {
				t.Errorf("the liquid stands at %v, want .25", c.High[1])
			}
		})
	}
}

// known is a Source that knows the cells of a box.
type known struct {
	box   geom.Box
	cells map[geom.Point]voxel.Cell
}

func (k known) Look(p geom.Point) (voxel.Cell, int, bool) { return k.cells[p], 0, k.box.Contains(p) }

// Space works over any Source and says what it does not know.
func TestSpaceOfSource(t *testing.T) {
	k := known{box(-4, -4, -4, 4, 4, 4), map[geom.Point]voxel.Cell{at(0, -2, 0): voxel.TerrainCell(3, 255), at(0, -1, 0): voxel.TerrainCell(3, 127)}}
	s := grid.Space{Source: k, Rule: &voxel.Rule{Schema: voxel.Terrain}}
	got := -1.0
	yield := func(h grid.Hit) bool { got = h.Distance; return false }
	if err := s.Raycast(vec{.5, 3, .5}, vec{0, -1, 0}, 90, yield); err != nil || got != 3.5 {
		t.Errorf("met at %v, %v; want 3.5", got, err)
	}
	if err := s.Raycast(vec{1.5, 3, .5}, vec{0, -1, 0}, 90, yield); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("error %v, want ErrNotLoaded", err)
	}
	if c, met, err := s.Sweep(vec{0, 2, 0}, vec{1, 3, 1}, vec{0, -5, 0}); err != nil || !met || c.Fraction != .5 || c.Cell.Material() != 3 {
		t.Errorf("%+v, %v, %v; want material 3 half way", c, met, err)
	}
	if _, _, err := s.Sweep(vec{1, 2, 0}, vec{2, 3, 1}, vec{0, -9, 0}); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("error %v, want ErrNotLoaded", err)
	}
	if _, met, err := s.Overlap(vec{0, -1.9, 0}, vec{1, 9, 1}); err != nil || !met {
		t.Errorf("%v, %v; want the matter found before what is not known", met, err)
	}
}

// What touches matter at the start and moves into it meets the face that it touches.
func TestMatterTouchedAtTheStart(t *testing.T) {
	d := grid.New(grid.Options{Schema: voxel.Terrain}).Edit()
	d.Fill(box(-9, -9, -9, 9, 0, 9), voxel.TerrainCell(1, 255))
	d.Fill(box(-9, 0, -9, 9, 1, 9), voxel.TerrainCell(1, 127)) // up to .5
	v, _ := d.Publish()
	for _, tt := range []struct {
		name   string
		from   vec
		motion vec
		want   grid.Face
	}{
		{"on the ground", vec{.25, .5, .25}, vec{0, -1, 0}, grid.Up},
		{"aslant", vec{.25, .5, .25}, vec{1, -1, .5}, grid.Up},
		{"in it", vec{.25, .25, .25}, vec{0, -1, 0}, grid.Inside},
	} {
		t.Run(tt.name, func(t *testing.T) {
			high := vec{tt.from[0] + .5, tt.from[1] + .5, tt.from[2] + .5}
			c, met, err := v.Sweep(tt.from, high, tt.motion)
			if err != nil || !met || c.Face != tt.want || c.Fraction != 0 || math.Signbit(c.Fraction) {
				t.Errorf("a box: %+v, %v, %v; want face %v at 0", c, met, err, tt.want)
			}
			c, met, err = v.Sweep(tt.from, tt.from, tt.motion)
			if err != nil || !met || c.Face != tt.want || c.Fraction != 0 || math.Signbit(c.Fraction) {
				t.Errorf("a point: %+v, %v, %v; want face %v at 0", c, met, err, tt.want)
			}
			var first *grid.Hit
			if err := v.Raycast(tt.from, tt.motion, 9, func(h grid.Hit) bool { first = &h; return false }); err != nil || first == nil || first.Face != tt.want || first.Distance != 0 || math.Signbit(first.Distance) {
				t.Errorf("a ray: %+v, %v; want face %v at 0", first, err, tt.want)
			}
		})
	}
	if c, met, err := v.Sweep(vec{0, .5, 0}, vec{1, 1, 1}, vec{1, 0, 0}); err != nil || met {
		t.Errorf("along the ground: %+v, %v, %v", c, met, err)
	}
}
