package mesh_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// solidTable has every cell but 0 as solid.
var solidTable = mesh.NewOpacities(0, nil)

// wantCover checks that boxes cover exactly the solid cells of a chunk, each once.
func wantCover(t *testing.T, v *grid.View, r *mesh.Obstacles) {
	t.Helper()
	covered := make(map[geom.Point]bool)
	for _, b := range r.Boxes {
		for i := range b.Cells() {
			s := b.Size()
			p := b.Min.Add(geom.Point{X: i % s.X, Y: i / s.X / s.Z, Z: i / s.X % s.Z})
			if covered[p] || p.Chunk() != r.Pos {
				t.Fatalf("%v is covered twice or in the wrong report", p)
			}
			covered[p] = true
		}
	}
	box := r.Pos.Box()
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for z := box.Min.Z; z < box.Max.Z; z++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				p := geom.Point{X: x, Y: y, Z: z}
				if c, _ := v.Cell(p); (c != 0) != covered[p] {
					t.Fatalf("%v is cell %d and covered: %v", p, c, covered[p])
				}
			}
		}
	}
}

func TestReports(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 10 {
		v := randomVolume(r, voxel.Palette, false)
		c := mesh.NewCollider(solidTable)
		n := 0
		c.Update(v, []geom.Box{{Min: geom.Point{X: -32, Y: -32, Z: -32}, Max: geom.Point{X: 64, Y: 64, Z: 64}}, {Max: geom.Point{X: 1, Y: 1, Z: 1}}}, func(r *mesh.Obstacles) {
			n++
			wantCover(t, v, r)
		})
		if n != 27 {
			t.Fatalf("%d reports, want 27", n)
		}
	}
}

// TestReportsAnew checks which reports are made again.
func TestReportsAnew(t *testing.T) {
	v := level(t, 3)
	c := mesh.NewCollider(mesh.NewTerrainOpacities(nil))
	near := geom.Box{Min: geom.Point{X: 30, Y: 30, Z: 30}, Max: geom.Point{X: 66, Y: 34, Z: 34}}
	var made []geom.ChunkPos
	update := func(v *grid.View, near ...geom.Box) []geom.ChunkPos {
		made = nil
		c.Update(v, near, func(r *mesh.Obstacles) { made = append(made, r.Pos) })
		return made
	}
	if got := update(v, near); len(got) != 3*2*2 {
		t.Fatalf("made %v at first, want 12 reports", got)
	}
	if got := update(v, near); len(got) != 0 {
		t.Errorf("made %v again without a change", got)
	}
	d := v.Edit()
	d.Set(geom.Point{X: 40, Y: 33, Z: 33}, voxel.TerrainCell(5, 255))
	d.Set(geom.Point{X: 40, Y: 3, Z: 93}, 0)
	w, _ := d.Publish()
	changed := geom.ChunkPos{X: 1, Y: 1, Z: 1}
	around := func(all []geom.ChunkPos) bool { // and those beside it with matter that leans on it
		return slices.Contains(all, changed) && !slices.ContainsFunc(all, func(p geom.ChunkPos) bool {
			return (p.X-1)*(p.X-1)+(p.Y-1)*(p.Y-1)+(p.Z-1)*(p.Z-1) > 1
		})
	}
	if got := update(w, near); !around(got) {
		t.Errorf("made %v after a change, want its chunk and those beside it", got)
	}
	gone := w.With([]grid.Placed{{Pos: changed, Chunk: grid.NotLoaded}})
	if got := update(gone, near); !around(got) || !c.Report(changed).Unknown {
		t.Errorf("made %v where a chunk left, want its report unknown", got)
	}
	all := func(low, high [3]float64) bool { return true }
	if c.Touching([3]float64{30, 30, 30}, [3]float64{66, 34, 34}, all) {
		t.Error("all is known where a chunk is not loaded")
	}
	update(w, near)
	count := 0
	if !c.Touching([3]float64{40, 33, 33}, [3]float64{41, 34, 34}, func(low, high [3]float64) bool {
		count++
		return low[0] <= 40 && high[0] >= 41
	}) || count != 1 {
		t.Errorf("%d boxes touch one solid cell", count)
	}
	if update(w); c.Report(geom.ChunkPos{X: 1, Y: 1, Z: 1}) != nil {
		t.Error("a report stays that nothing is near")
	}
}

// Reports of a terrain have the matter that boxes of package grid meet, and are made again where it changes
// behind a border.
func TestReportsOfParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	d := grid.New(grid.Options{Schema: voxel.Terrain}).Edit()
	for range 3000 {
		p := geom.Point{X: 20 + r.IntN(20), Y: r.IntN(12), Z: -8 + r.IntN(16)}
		d.Set(p, voxel.TerrainCell(uint8(1+r.IntN(3)), uint8(min(255, r.IntN(400)))))
	}
	for x := range 12 { // a floor that is one part
		d.Set(geom.Point{X: x, Y: 20, Z: 2}, voxel.TerrainCell(1, 99))
	}
	d.Set(geom.Point{X: 31, Y: 30, Z: -20}, voxel.TerrainCell(1, 99))
	v, _ := d.Publish()
	c := mesh.NewCollider(mesh.NewTerrainOpacities(nil))
	near := []geom.Box{{Min: geom.Point{X: 0, Y: 0, Z: -32}, Max: geom.Point{X: 64, Y: 32, Z: 32}}}
	c.Update(v, near, nil)
	met := 0
	for range 500 {
		low := [3]float64{18 + r.Float64()*24, r.Float64() * 22, r.Float64()*20 - 10}
		high := low
		for i := range high {
			high[i] += .01 + r.Float64()
		}
		contact, want, err := v.Overlap(low, high)
		got, same := false, false
		if known := c.Touching(low, high, func(l, h [3]float64) bool {
			got = true
			same = same || l[1] <= contact.Low[1] && h[1] >= contact.High[1] && l[2] <= contact.Low[2] && h[2] >= contact.High[2]
			return true
		}); err != nil || !known || got != want || got && !same {
			t.Fatalf("a box from %v to %v touches %v, %v; want %v (%+v)", low, high, got, same, want, contact)
		}
		if got {
			met++
		}
	}
	if met < 100 {
		t.Errorf("%d boxes met matter: too few to compare", met)
	}
	floor := 0
	for _, p := range c.Report(geom.ChunkPos{}).Parts {
		if p.Low[1] > 20 {
			floor++
		}
	}
	if floor != 1 {
		t.Errorf("the floor is %d parts, want 1", floor)
	}
	d = v.Edit()
	d.Set(geom.Point{X: 32, Y: 30, Z: -20}, voxel.TerrainCell(1, 255))
	v, _ = d.Publish()
	made := make(map[geom.ChunkPos]bool)
	c.Update(v, near, func(r *mesh.Obstacles) { made[r.Pos] = true })
	if !made[geom.ChunkPos{Z: -1}] || !made[geom.ChunkPos{X: 1, Z: -1}] || made[geom.ChunkPos{}] {
		t.Errorf("made %v again; want the chunk that changed and the one that touches it", made)
	}
}

// TestReportsFew compares with the fewest boxes, which a search finds for volumes of 3x3x3 cells.
func TestReportsFew(t *testing.T) {
	const edge, grown = 4, 3 // places, and how many are filled
	r := rand.New(rand.NewPCG(7, 8))
	for _, tt := range []struct {
		name string
		most float64 // of the fewest
		cell func() func(p geom.Point) bool
	}{
		{"half noise", 1.05, func() func(geom.Point) bool { return func(geom.Point) bool { return r.IntN(2) == 0 } }},
		{"mostly full", 1.1, func() func(geom.Point) bool { return func(geom.Point) bool { return r.IntN(6) > 0 } }},
		{"ground", 1.05, func() func(geom.Point) bool {
			a, b, c := r.Float64(), r.Float64(), r.Float64()*grown
			return func(p geom.Point) bool { return float64(p.Y) < c+a*float64(p.X)-b*float64(p.Z) }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ours, least, sure := 0, 0, 0
			for range 200 {
				in, d, all := tt.cell(), grid.New(grid.Options{}).Edit(), uint64(0)
				for i := range edge * edge * edge {
					if p := (geom.Point{X: i % edge, Y: i / edge / edge, Z: i / edge % edge}); max(p.X, p.Y, p.Z) < grown && in(p) {
						d.Set(p, 1)
						all |= 1 << i
					}
				}
				v, _ := d.Publish()
				c := mesh.NewCollider(solidTable)
				c.Update(v, []geom.Box{{Max: geom.Point{X: 1, Y: 1, Z: 1}}}, nil)
				n := len(c.Report(geom.ChunkPos{}).Boxes)
				s := search{best: n, steps: 200000}
				if s.try(all, 0); s.steps < 0 {
					continue // not sure of the fewest
				}
				sure++
				ours, least = ours+n, least+s.best
			}
			if ratio := float64(ours) / float64(least); ratio > tt.most || sure < 10 {
				t.Errorf("%d boxes where %d are enough: %.3f, want at most %.2f", ours, least, ratio, tt.most)
			} else {
				t.Logf("%d boxes where %d are enough: %.3f, in %d volumes", ours, least, ratio, sure)
			}
		})
	}
}

// search finds the fewest boxes of a set of cells in 4x4x4 places, in a bounded number of steps.
type search struct{ best, steps int }

func (s *search) try(left uint64, n int) {
	if s.steps--; s.steps < 0 || n >= s.best {
		return
	}
	if left == 0 {
		s.best = n
		return
	}
	if n+1 >= s.best {
		return
	}
	at := 0
	for left>>at&1 == 0 {
		at++
	}
	// The least cell is the least corner of its box.
	for h := 4 - at/16; h > 0; h-- {
		for d := 4 - at/4%4; d > 0; d-- {
			for w := 4 - at%4; w > 0; w-- {
				box := uint64(0)
				for i := range w * d * h {
					box |= 1 << (at + i%w + i/w%d*4 + i/w/d*16)
				}
				if left&box == box {
					s.try(left&^box, n+1)
				}
			}
		}
	}
}

// TestTriangles checks that the surface of solid cells is closed and encloses their volume.
func TestTriangles(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	v := randomVolume(r, voxel.Palette, false)
	b := geom.Box{Min: geom.Point{X: -40, Y: -40, Z: -40}, Max: geom.Point{X: 96, Y: 96, Z: 96}}
	volume := 0
	for _, p := range mesh.NewCollider(solidTable).AppendTriangles(nil, v, b) {
		a, b, c := p[0], p[1], p[2]
		volume += a.X*(b.Y*c.Z-b.Z*c.Y) + a.Y*(b.Z*c.X-b.X*c.Z) + a.Z*(b.X*c.Y-b.Y*c.X)
	}
	want, _ := v.CountNonEmpty(b)
	if volume/6 != want {
		t.Errorf("triangles enclose %d/6 cells, want %d", volume, want)
	}
}

// The matter of a cell at a side follows from the chunk behind it also when that comes and is all default.
func TestPartsBesideWhatComes(t *testing.T) {
	d := grid.New(grid.Options{Schema: voxel.Terrain, Default: voxel.TerrainCell(1, 255)}).Edit()
	d.Fill(geom.Box{Max: geom.Point{X: 32, Y: 32, Z: 32}}, 0)
	d.Set(geom.Point{X: 31, Y: 5, Z: 5}, voxel.TerrainCell(1, 127))
	whole, _ := d.Publish()
	near := []geom.Box{{Max: geom.Point{X: 32, Y: 32, Z: 32}}}
	parts := func(c *mesh.Collider) []mesh.Obstacle { return c.Report(geom.ChunkPos{}).Parts }
	fresh := mesh.NewCollider(mesh.NewTerrainOpacities(nil))
	fresh.Update(whole, near, nil)
	c := mesh.NewCollider(mesh.NewTerrainOpacities(nil))
	c.Update(whole.With([]grid.Placed{{Pos: geom.ChunkPos{X: 1}, Chunk: grid.NotLoaded}}), near, nil)
	if slices.Equal(parts(c), parts(fresh)) {
		t.Fatal("the chunk behind changes nothing")
	}
	if c.Update(whole, near, nil); !slices.Equal(parts(c), parts(fresh)) {
		t.Errorf("parts %v, want %v", parts(c), parts(fresh))
	}
}
