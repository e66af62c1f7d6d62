package grid_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/voxel"
)

// pyramid is every level of a volume made from scratch, cell by cell: what is
// not in a map is the default.
type pyramid struct {
	levels []map[geom.Point]voxel.Cell
	def    []voxel.Cell
}

func parent(p geom.Point) geom.Point { return at(p.X>>1, p.Y>>1, p.Z>>1) }

// slowLevels makes levels up to top.
func slowLevels(v *grid.View, top int) *pyramid {
	py := &pyramid{[]map[geom.Point]voxel.Cell{{}}, []voxel.Cell{v.Default()}}
	for pos, c := range v.Chunks() {
		each(pos.Box(), func(p geom.Point) {
			q := p.InChunk()
			if cell := c.Cell(q.X, q.Y, q.Z); cell != v.Default() {
				py.levels[0][p] = cell
			}
		})
	}
	for level := 1; level <= top; level++ {
		d := py.def[level-1]
		up := map[geom.Point]voxel.Cell{}
		for p := range py.levels[level-1] {
			if _, done := up[parent(p)]; !done {
				up[parent(p)] = py.made(v, level, parent(p))
			}
		}
		py.levels = append(py.levels, up)
		py.def = append(py.def, voxel.Downsample(v.Rule(), [8]voxel.Cell{d, d, d, d, d, d, d, d}))
	}
	return py
}

func (py *pyramid) at(level int, p geom.Point) voxel.Cell {
	if c, ok := py.levels[level][p]; ok {
		return c
	}
	return py.def[level]
}

func (py *pyramid) made(v *grid.View, level int, p geom.Point) voxel.Cell {
	var cells [8]voxel.Cell
	for o := range cells {
		cells[o] = py.at(level-1, at(2*p.X+o&1, 2*p.Y+o>>2, 2*p.Z+o>>1&1))
	}
	return voxel.Downsample(v.Rule(), cells)
}

func wantLevels(t *testing.T, r *rand.Rand, v *grid.View, top int) {
	t.Helper()
	py := slowLevels(v, top)
	for level := 0; level <= top; level++ {
		check := func(b geom.Box) {
			got, want := make([]voxel.Cell, b.Cells()), make([]voxel.Cell, 0, b.Cells())
			each(b, func(p geom.Point) { want = append(want, py.at(level, p)) })
			if !v.ReadBox(b, level, got) || !slices.Equal(got, want) {
				t.Fatalf("level %d, box %v differs", level, b)
			}
		}
		check(box(-3, -3, -3, 4, 5, 6))
		n := 0
		for p := range py.levels[level] {
			size := at(1+r.IntN(9), 1+r.IntN(9), 1+r.IntN(9))
			min := p.Sub(at(r.IntN(size.X), r.IntN(size.Y), r.IntN(size.Z)))
			check(geom.Box{Min: min, Max: min.Add(size)})
			if n++; n == 200 {
				break
			}
		}
	}
}

// wander does random writes that reach far.
func wander(r *rand.Rand, d *grid.Draft, cells []voxel.Cell) {
	reach := []int{40, 400, 4000}[r.IntN(3)]
	point := func() geom.Point { return at(r.IntN(2*reach)-reach, r.IntN(200)-100, r.IntN(2*reach)-reach) }
	cell := cells[r.IntN(len(cells))]
	switch r.IntN(4) {
	case 0:
		d.Fill(region.Ball{Center: point(), Radius: r.Float64() * 30}, cell)
	case 1:
		d.SetChunk(point().Chunk(), voxel.Uniform(cell))
	default:
		for range r.IntN(6) {
			d.Set(point(), cell)
		}
	}
}

func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		name  string
		o     grid.Options
		cells []voxel.Cell
	}{
		{"palette", grid.Options{Empty: []voxel.Cell{3}}, []voxel.Cell{0, 1, 2, 3}},
		{"default counts as empty", grid.Options{Default: 3, Empty: []voxel.Cell{3}}, []voxel.Cell{0, 1, 3, 3}},
		{"sky", grid.Options{Schema: voxel.Level, Default: 15}, []voxel.Cell{0, 7, 15}},
		{"terrain", grid.Options{Schema: voxel.Terrain}, []voxel.Cell{0, 0, voxel.TerrainCell(1, 255), voxel.TerrainCell(2, 3)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 5))
			v := grid.New(tt.o)
			for step := range 12 {
				d := v.Edit()
				for range 1 + r.IntN(3) {
					wander(r, d, tt.cells)
				}
				if step == 6 {
					for pos := range v.Chunks() {
						if r.IntN(2) == 0 {
							d.SetChunk(pos, nil)
						}
					}
				}
				if v, _ = d.Publish(); d.Err() != nil {
					t.Fatal(d.Err())
				}
				if r.IntN(2) == 0 {
					wantLevels(t, r, v, 9)
				}
			}
			wantLevels(t, r, v, 12)
		})
	}
}
