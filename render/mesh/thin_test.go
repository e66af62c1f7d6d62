package mesh_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// thins are kinds of matter that is a cell thick, in a box of 32 cells an edge from -12 on, so that it
// crosses chunks and cells of all levels.
var thins = []struct {
	name string
	in   func(p geom.Point) bool
}{
	{"a layer", func(p geom.Point) bool { return p.Y == 3 }},
	{"a layer at a border of chunks", func(p geom.Point) bool { return p.Y == -1 }},
	{"a wall", func(p geom.Point) bool { return p.X == 6 && p.Y < 20 }},
	{"a pillar", func(p geom.Point) bool { return p.X == -5 && p.Z == 9 }},
	{"single cells", func(p geom.Point) bool { return p.X%9 == 0 && p.Y%7 == 0 && p.Z%11 == 0 }},
	{"a shell", func(p geom.Point) bool {
		d := math.Hypot(math.Hypot(float64(p.X-4), float64(p.Y-4)), float64(p.Z-4))
		return d >= 11 && d < 12
	}},
	{"a slope", func(p geom.Point) bool { return p.X == p.Y }},
	{"a diagonal", func(p geom.Point) bool { return p.X == p.Y && p.Y == p.Z }},
	{"a floor that leaves a hill", func(p geom.Point) bool { return p.Y == 5 || p.X < p.Y/2-8 }},
	{"two layers, a cell apart", func(p geom.Point) bool { return p.Y == 3 || p.Y == 5 }},
}

// counts says how many things lie in a box.
type counts struct {
	sums []int32 // of all things from the least corner to a place, that place excluded
}

const (
	countsMin  = -48 // of the places
	countsEdge = 100
)

func countsOf(all []geom.Point) *counts {
	const e = countsEdge + 1
	c := &counts{make([]int32, e*e*e)}
	for _, p := range all {
		c.sums[((p.Y-countsMin+1)*e+p.Z-countsMin+1)*e+p.X-countsMin+1]++
	}
	for _, step := range []int{1, e, e * e} {
		for block := 0; block < len(c.sums); block += step * e {
			for i := block + step; i < block+step*e; i++ {
				c.sums[i] += c.sums[i-step]
			}
		}
	}
	return c
}

// in returns how many lie in a box, of which both corners are included.
func (c *counts) in(low, high geom.Point) (n int) {
	const e = countsEdge + 1
	for i := range 8 {
		p, sign := high.Add(geom.Point{X: 1, Y: 1, Z: 1}), 1
		for axis, to := range []*int{&p.X, &p.Y, &p.Z} {
			if i>>axis&1 != 0 {
				*to, sign = [3]int{low.X, low.Y, low.Z}[axis], -sign
			}
		}
		n += sign * int(c.sums[((p.Y-countsMin)*e+p.Z-countsMin)*e+p.X-countsMin])
	}
	return n
}

func floor(x, y, z float64) geom.Point {
	return geom.Point{X: int(math.Floor(x)), Y: int(math.Floor(y)), Z: int(math.Floor(z))}
}

// At every level all thin matter has a surface within one cell of the level, and the surface has matter
// within one cell.
func TestThin(t *testing.T) {
	box := geom.Box{Min: geom.Point{X: -12, Y: -12, Z: -12}, Max: geom.Point{X: 20, Y: 20, Z: 20}}
	n := mesh.NewNetter(shapes, mesh.Options{})
	for _, tt := range thins {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for name, full := range map[string]func() int{"full": func() int { return 255 }, "1/256": func() int { return 0 }, "partly full": func() int { return r.IntN(256) }} {
				d := grid.New(grid.Options{Schema: voxel.Terrain}).Edit()
				var matter []geom.Point
				s := box.Size()
				for i := range box.Cells() {
					p := box.Min.Add(geom.Point{X: i % s.X, Y: i / s.X / s.Z, Z: i / s.X % s.Z})
					if tt.in(p) {
						d.Set(p, voxel.TerrainCell(uint8(1+r.IntN(3)), uint8(full())))
						matter = append(matter, p)
					}
				}
				v, _ := d.Publish()
				cells := countsOf(matter)
				for level := range 5 {
					edge := 1 << level
					b := geom.Box{Min: geom.Point{X: box.Min.X>>level - 1, Y: box.Min.Y>>level - 1, Z: box.Min.Z>>level - 1},
						Max: geom.Point{X: box.Max.X>>level + 1, Y: box.Max.Y>>level + 1, Z: box.Max.Z>>level + 1}}
					n.Load(v, b, level, mesh.Around{})
					vertices, _ := n.Surface()
					var near []geom.Point
					for _, v := range vertices {
						e := float64(edge)
						x, y, z := (float64(v.Position[0])+float64(b.Min.X))*e, (float64(v.Position[1])+float64(b.Min.Y))*e, (float64(v.Position[2])+float64(b.Min.Z))*e
						near = append(near, floor(x, y, z))
						if cells.in(floor(x-e, y-e, z-e), floor(x+e, y+e, z+e)) == 0 {
							t.Errorf("%s, level %d: no matter is near the vertex %.2f %.2f %.2f", name, level, x, y, z)
						}
					}
					surface := countsOf(near)
					for _, p := range matter {
						by := geom.Point{X: edge, Y: edge, Z: edge}
						if touches(v, p) && surface.in(p.Sub(by), p.Add(by)) == 0 {
							t.Errorf("%s, level %d: no surface is near the matter in %v", name, level, p)
							break
						}
					}
				}
			}
		})
	}
}

// touches reports whether an empty cell is beside p.
func touches(v *grid.View, p geom.Point) bool {
	for axis := range 3 {
		for _, step := range []int{-1, 1} {
			q := [3]int{p.X, p.Y, p.Z}
			q[axis] += step
			if c, _ := v.Cell(geom.Point{X: q[0], Y: q[1], Z: q[2]}); c == 0 {
				return true
			}
		}
	}
	return false
}

// Rays, sweeps and boxes meet what is drawn: where one of them meets matter the surface is within a cell,
// and where a ray meets the surface matter is.
func TestSolidIsDrawn(t *testing.T) {
	box := geom.Box{Min: geom.Point{X: 20, Y: 0, Z: -12}, Max: geom.Point{X: 44, Y: 20, Z: 12}} // four chunks
	n := mesh.NewNetter(nil, mesh.Options{})
	rays, hits, sweeps := 0, 0, 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 5))
		slope, wave, noise := r.Float64(), r.Float64()*4, seed%3 == 2
		d := grid.New(grid.Options{Schema: voxel.Terrain}).Edit()
		s := box.Size()
		for i := range box.Cells() {
			p := box.Min.Add(geom.Point{X: i % s.X, Y: i / s.X / s.Z, Z: i / s.X % s.Z})
			f := int(256 * (4 + slope*float64(p.X-20)/2 + wave*math.Sin(float64(p.Z)/3) - float64(p.Y)))
			if noise {
				f = r.IntN(256) - 256*r.IntN(4)
			}
			if f >= 0 {
				d.Set(p, voxel.TerrainCell(1, uint8(min(f, 255))))
			}
		}
		v, _ := d.Publish()
		b := geom.Box{Min: box.Min.Sub(geom.Point{X: 1, Y: 1, Z: 1}), Max: box.Max.Add(geom.Point{X: 1, Y: 1, Z: 1})}
		n.Load(v, b, 0, mesh.Around{})
		vertices, indices := n.Surface()
		at := func(i uint32) (p [3]float64) {
			for a, m := range [3]int{b.Min.X, b.Min.Y, b.Min.Z} {
				p[a] = float64(vertices[i].Position[a]) + float64(m)
			}
			return p
		}
		// away returns how far the surface is from a box.
		away := func(low, high [3]float64) float64 {
			least := math.Inf(1)
			for i := 0; i < len(indices); i += 3 {
				p, q, o := at(indices[i]), at(indices[i+1]), at(indices[i+2])
				for k := range 15 { // places of the triangle
					u, w := float64(k%5)/4, float64(k/5)/2
					sum := 0.
					for a := range 3 {
						c := p[a] + (q[a]-p[a])*u*(1-w) + (o[a]-p[a])*w
						c = max(low[a]-c, c-high[a], 0)
						sum += c * c
					}
					least = min(least, sum)
				}
			}
			return math.Sqrt(least)
		}
		for range 40 {
			var from, dir [3]float64
			for a, m := range [3][2]int{{box.Min.X, box.Max.X}, {box.Min.Y, box.Max.Y}, {box.Min.Z, box.Max.Z}} {
				from[a] = float64(m[0]) + r.Float64()*float64(m[1]-m[0])
				dir[a] = r.Float64()*2 - 1
			}
			length := math.Sqrt(dir[0]*dir[0] + dir[1]*dir[1] + dir[2]*dir[2])
			place := func(t float64) (p [3]float64) {
				for a := range p {
					p[a] = from[a] + dir[a]/length*t
				}
				return p
			}
			err := v.Raycast(from, dir, 30, func(h grid.Hit) bool {
				if p := place(h.Distance); h.Face != grid.Inside {
					if rays++; away(p, p) > 1 {
						t.Errorf("seed %d: a ray meets matter in %v, where no surface is near", seed, p)
					}
				}
				return false
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(indices); i += 3 {
				if m, ok := meetsTriangle(from, dir, at(indices[i]), at(indices[i+1]), at(indices[i+2])); ok {
					hits++
					p := place(m * length)
					if _, met, err := v.Overlap([3]float64{p[0] - 1, p[1] - 1, p[2] - 1}, [3]float64{p[0] + 1, p[1] + 1, p[2] + 1}); err != nil || !met {
						t.Errorf("seed %d: a ray meets the surface in %v, where no matter is near", seed, p)
					}
				}
			}
			low, high := from, [3]float64{from[0] + .6, from[1] + 1.8, from[2] + .6}
			c, met, err := v.Sweep(low, high, [3]float64{dir[0] * 20, dir[1] * 20, dir[2] * 20})
			if err != nil || !met || c.Face == grid.Inside {
				continue
			}
			sweeps++
			for a := range 3 {
				low[a], high[a] = low[a]+dir[a]*20*c.Fraction, high[a]+dir[a]*20*c.Fraction
			}
			if away(low, high) > 1 {
				t.Errorf("seed %d: a box meets matter in %v, where no surface is near", seed, low)
			}
		}
	}
	if min(rays, hits, sweeps) < 40 {
		t.Errorf("%d rays and %d sweeps met matter, %d the surface: too few to compare", rays, sweeps, hits)
	}
}

// meetsTriangle returns where a ray meets a triangle, in lengths of its direction.
func meetsTriangle(from, dir, a, b, c [3]float64) (float64, bool) {
	sub := func(p, q [3]float64) [3]float64 { return [3]float64{p[0] - q[0], p[1] - q[1], p[2] - q[2]} }
	dot := func(p, q [3]float64) float64 { return p[0]*q[0] + p[1]*q[1] + p[2]*q[2] }
	cross := func(p, q [3]float64) [3]float64 {
		return [3]float64{p[1]*q[2] - p[2]*q[1], p[2]*q[0] - p[0]*q[2], p[0]*q[1] - p[1]*q[0]}
	}
	e, f, o := sub(b, a), sub(c, a), sub(from, a)
	det := dot(e, cross(dir, f))
	u, w, t := dot(o, cross(dir, f))/det, dot(dir, cross(o, e))/det, dot(f, cross(o, e))/det
	return t, det != 0 && u >= 0 && w >= 0 && u+w <= 1 && t >= 0
}
