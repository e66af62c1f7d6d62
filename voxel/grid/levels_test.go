package grid_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
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
	long.Alone(t)
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
			for step := range long.By(8, 12, 12) {
				d := v.Edit()
				for range 1 + r.IntN(3) {
					wander(r, &d.Draft, tt.cells)
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

// What is pending is thinned out, and dropped when making all anew is cheaper.
func TestLevelsAfterManyWrites(t *testing.T) {
	long.Alone(t)
	r := rand.New(rand.NewPCG(6, 6))
	g := grid.Hold(grid.New(grid.Options{}))
	update := func(f func(d *grid.Draft)) {
		if _, err := g.Update(func(d *grid.Draft) error { f(d); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	update(func(d *grid.Draft) {
		for range 40 {
			wander(r, d, []voxel.Cell{1, 2})
		}
	})
	wantLevels(t, r, g.View(), 6)
	for _, chunks := range []int{3, 350} {
		for range 900 {
			update(func(d *grid.Draft) {
				n := r.IntN(chunks)
				d.Set(at(n%50*32+r.IntN(32), r.IntN(9), n/50*32), voxel.Cell(r.IntN(3)))
			})
		}
		wantLevels(t, r, g.View(), 6)
	}
}

func TestLevelCount(t *testing.T) {
	long.Alone(t)
	r := rand.New(rand.NewPCG(7, 7))
	for n := range 60 {
		var placed []grid.Placed
		for range n * n {
			placed = append(placed, grid.Placed{Pos: randomPos(r), Chunk: voxel.Uniform(1)})
		}
		v := grid.New(grid.Options{}).With(placed)
		want := 0
		for ; ; want++ {
			cubes := map[geom.Code]bool{}
			for pos := range v.Chunks() {
				cubes[geom.CodeOf(pos, 0)>>(3*want)] = true
			}
			if len(cubes) <= 8 || want == geom.MaxLevel {
				break
			}
		}
		if got := v.Levels(); got != max(want, 3)+1 {
			t.Fatalf("%d chunks: %d levels, want %d", v.Len(), got, max(want, 3)+1)
		}
	}
}

func TestLevelsNotLoaded(t *testing.T) {
	full := voxel.Uniform(5)
	v := grid.New(grid.Options{}).With([]grid.Placed{{pos(0, 0, 0), full}, {pos(9, 0, 0), grid.NotLoaded}})
	read := func(v *grid.View, level, x int) (voxel.Cell, bool) {
		cell := make([]voxel.Cell, 1)
		ok := v.ReadBox(box(x, 0, 0, x+1, 1, 1), level, cell)
		return cell[0], ok
	}
	for _, tt := range []struct {
		level, x int
		ok       bool
	}{{0, 287, true}, {0, 288, false}, {1, 144, false}, {3, 36, false}, {3, 35, true}, {4, 17, true}, {4, 18, false}, {6, 4, false}, {9, 0, false}, {9, 1, true}, {geom.MaxLevel, 0, false}, {geom.MaxLevel + 1, 0, false}, {-1, 0, false}, {geom.MaxLevel, 64, false}} {
		if _, ok := read(v, tt.level, tt.x); ok != tt.ok {
			t.Errorf("level %d at %d: %v, want %v", tt.level, tt.x, ok, tt.ok)
		}
	}
	loaded := v.With([]grid.Placed{{pos(9, 0, 0), full}})
	if got, ok := read(loaded, 5, 9); got != 5 || !ok {
		t.Errorf("after loading: %d, %v; want 5", got, ok)
	}
	dropped := loaded.With([]grid.Placed{{pos(9, 0, 0), grid.NotLoaded}})
	if got, ok := read(dropped.With([]grid.Placed{{Pos: pos(9, 0, 0)}}), 5, 9); got != 0 || !ok {
		t.Errorf("after it was emptied: %d, %v; want 0", got, ok)
	}
}
