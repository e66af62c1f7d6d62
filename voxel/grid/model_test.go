package grid_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// model is a volume as plainly as can be: the cells within a box.
type model struct {
	cells []voxel.Cell // of the arena
	def   voxel.Cell
}

var arena = box(-40, -34, -35, 50, 40, 45)

func newModel(def voxel.Cell) *model {
	m := &model{make([]voxel.Cell, arena.Cells()), def}
	for i := range m.cells {
		m.cells[i] = def
	}
	return m
}

func (m *model) index(p geom.Point) int {
	p, s := p.Sub(arena.Min), arena.Size()
	return (p.Y*s.Z+p.Z)*s.X + p.X
}

func (m *model) set(p geom.Point, v voxel.Cell) { m.cells[m.index(p)] = v }

func each(b geom.Box, f func(p geom.Point)) {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				f(at(x, y, z))
			}
		}
	}
}

func (m *model) at(p geom.Point) voxel.Cell {
	if arena.Contains(p) {
		return m.cells[m.index(p)]
	}
	return m.def
}

func (m *model) box(b geom.Box) []voxel.Cell {
	var out []voxel.Cell
	each(b, func(p geom.Point) { out = append(out, m.at(p)) })
	return out
}

func randomPoint(r *rand.Rand, in geom.Box) geom.Point {
	s := in.Size()
	return in.Min.Add(at(r.IntN(s.X), r.IntN(s.Y), r.IntN(s.Z)))
}

// randomBox is small, or has whole chunks in it.
func randomBox(r *rand.Rand) geom.Box {
	p, q := randomPoint(r, arena), randomPoint(r, arena)
	if r.IntN(2) == 0 {
		q = p.Add(at(r.IntN(9), r.IntN(9), r.IntN(9)))
	}
	b := geom.Box{
		Min: at(min(p.X, q.X), min(p.Y, q.Y), min(p.Z, q.Z)),
		Max: at(max(p.X, q.X)+1, max(p.Y, q.Y)+1, max(p.Z, q.Z)+1),
	}
	if r.IntN(6) == 0 {
		b = p.Chunk().Box()
	}
	return b.Intersect(arena)
}

func randomRegion(r *rand.Rand) region.Region {
	if r.IntN(2) == 0 {
		return randomBox(r)
	}
	return region.Ball{Center: randomPoint(r, arena), Radius: r.Float64() * 40}
}

// in calls f with the points of the arena in a region.
func in(g region.Region, f func(geom.Point)) {
	each(g.Bounds().Intersect(arena), func(p geom.Point) {
		if g.Contains(p) {
			f(p)
		}
	})
}

// arenaOnly is a region without what lies outside the arena.
type arenaOnly struct{ region.Region }

func (a arenaOnly) Bounds() geom.Box { return a.Region.Bounds().Intersect(arena) }
func (a arenaOnly) Contains(p geom.Point) bool {
	return arena.Contains(p) && a.Region.Contains(p)
}
func (a arenaOnly) Spans(y, z int, yield func(x0, x1 int) bool) {
	if z < arena.Min.Z || z >= arena.Max.Z || y < arena.Min.Y || y >= arena.Max.Y {
		return
	}
	a.Region.Spans(y, z, func(x0, x1 int) bool {
		x0, x1 = max(x0, arena.Min.X), min(x1, arena.Max.X)
		return x0 >= x1 || yield(x0, x1)
	})
}

// write does the same random write to both.
func write(r *rand.Rand, d *grid.Draft, m *model, v *grid.View) {
	cell := voxel.Cell(r.IntN(4))
	switch r.IntN(7) {
	case 0, 1:
		for range r.IntN(100) {
			p := randomPoint(r, arena)
			d.Set(p, cell)
			m.set(p, cell)
		}
	case 2, 3:
		b := randomBox(r)
		var src []voxel.Cell
		each(b, func(p geom.Point) {
			if r.IntN(5) == 0 {
				cell = voxel.Cell(r.IntN(4))
			}
			src = append(src, cell)
			m.set(p, cell)
		})
		d.WriteBox(b, src)
	case 4:
		g := arenaOnly{randomRegion(r)}
		d.Fill(g, cell)
		in(g, func(p geom.Point) { m.set(p, cell) })
	case 5:
		b := randomBox(r)
		d.Fill(b, cell)
		each(b, func(p geom.Point) { m.set(p, cell) })
	case 6:
		var g region.Region = arenaOnly{randomRegion(r)}
		from := voxel.Cell(r.IntN(4))
		if r.IntN(3) == 0 && from != m.def {
			g = geom.Root.Box()
		}
		d.Replace(g, from, cell)
		in(g, func(p geom.Point) {
			if m.at(p) == from {
				m.set(p, cell)
			}
		})
	}
}

// wantModel compares all ways to read.
func wantModel(t *testing.T, r *rand.Rand, v *grid.View, m *model) {
	t.Helper()
	outer := geom.Box{Min: arena.Min.Add(at(-3, -1, -40)), Max: arena.Max.Add(at(1, 40, 2))}
	for _, b := range []geom.Box{randomBox(r), randomBox(r), outer} {
		want := m.box(b)
		got := make([]voxel.Cell, b.Cells())
		if !v.ReadBox(b, 0, got) || !slices.Equal(got, want) {
			t.Fatalf("ReadBox(%v) differs", b)
		}
		clear(got)
		n := 0
		ok := v.Rows(b, func(p geom.Point, cells []voxel.Cell) bool {
			q, s := p.Sub(b.Min), b.Size()
			n += copy(got[(q.Y*s.Z+q.Z)*s.X+q.X:], cells)
			return true
		})
		if !ok || n != len(want) || !slices.Equal(got, want) {
			t.Fatalf("Rows(%v) differs", b)
		}
	}
	cur := v.Cursor()
	for range 300 {
		p := randomPoint(r, outer)
		a, okA := v.Cell(p)
		b, okB := cur.Cell(p)
		if want := m.at(p); !okA || !okB || a != want || b != want {
			t.Fatalf("cell %v: %d, by Cursor %d; want %d", p, a, b, want)
		}
	}
	wantCounts(t, randomRegion(r), v, m)
}

func wantCounts(t *testing.T, g region.Region, v *grid.View, m *model) {
	t.Helper()
	want := map[voxel.Cell]int{}
	matter := 0
	each(g.Bounds(), func(p geom.Point) {
		if g.Contains(p) {
			want[m.at(p)]++
			if v := m.at(p); v != 0 && v != 3 {
				matter++
			}
		}
	})
	if got, ok := v.Count(g); !ok || !maps.Equal(got, want) {
		t.Fatalf("Count(%v) = %v, want %v", g, got, want)
	}
	if got, ok := v.CountNonEmpty(g); !ok || got != matter {
		t.Fatalf("CountNonEmpty(%v) = %v, want %v", g, got, matter)
	}
}

func TestRandomWrites(t *testing.T) {
	long.Alone(t)
	for seed := range uint64(long.By(3, 6, 6)) {
		r := rand.New(rand.NewPCG(seed, 2))
		m := newModel(voxel.Cell(seed % 3))
		v := grid.New(grid.Options{Default: m.def, Empty: []voxel.Cell{3}})
		for range 15 {
			d := v.Edit()
			for range 1 + r.IntN(3) {
				write(r, &d.Draft, m, v)
			}
			b := randomBox(r)
			got := make([]voxel.Cell, b.Cells())
			if !d.ReadBox(b, got) || !slices.Equal(got, m.box(b)) {
				t.Fatalf("seed %d: the draft's ReadBox(%v) differs: %v", seed, b, d.Err())
			}
			before := v
			var replaced []grid.Replaced
			v, replaced = d.Publish()
			wantReplaced(t, before, v, replaced)
			wantModel(t, r, v, m)
		}
	}
}

// wantReplaced compares two Views chunk by chunk with what was said to differ.
func wantReplaced(t *testing.T, before, after *grid.View, got []grid.Replaced) {
	t.Helper()
	differ := map[geom.ChunkPos]bool{}
	for _, v := range []*grid.View{before, after} {
		for p := range v.Chunks() {
			a, _ := before.Chunk(p)
			b, _ := after.Chunk(p)
			differ[p] = a == nil || b == nil || !a.Equal(b)
		}
	}
	last := geom.Code(0)
	for _, c := range got {
		if !differ[c.Pos] || geom.CodeOf(c.Pos, 0) <= last {
			t.Fatalf("replaced %v, which does not differ or is out of order", c.Pos)
		}
		last = geom.CodeOf(c.Pos, 0)
		delete(differ, c.Pos)
	}
	for p, d := range differ {
		if d {
			t.Fatalf("chunk %v differs, but is not among the replaced", p)
		}
	}
}
