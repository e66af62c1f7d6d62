package stream_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/render/mesh"
	"github.com/cairnvoxel/cairn/server/stream"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/world"
)

// copyOf returns the cells of a copy of a world of hills with some holes of cave air, of which the copy has the finest level near 0
// alone, and the world's own.
func copyOf(t *testing.T, a stream.Access) (*session, *stream.ClientCells, *world.World) {
	t.Helper()
	st := memory.New(memory.Options{})
	w, err := world.Create(t.Context(), st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("overworld", []voxel.Volume{{Name: voxel.Block, Scale: 1}, {Name: voxel.Biome, Scale: 4}}, nil)
		v, wide := d.Volume(voxel.Block), d.Volume(voxel.Biome)
		fill := func(name string, low, size geom.Point) {
			v.Fill(geom.Box{Min: low, Max: low.Add(size)}, v.Named(name))
		}
		for x := -128; x < 128; x += 8 {
			for z := -128; z < 128; z += 8 {
				fill("stone", geom.Point{X: x, Z: z}, geom.Point{X: 8, Y: 20 + (x*x/97+z*z/61)%23, Z: 8})
			}
		}
		r := rand.New(rand.NewPCG(4, 4))
		for range 300 {
			fill([]string{"minecraft:cave_air", "air", "wood"}[r.IntN(3)], geom.Point{X: r.IntN(250) - 125, Y: r.IntN(30), Z: r.IntN(250) - 125},
				geom.Point{X: 1 + r.IntN(5), Y: 1 + r.IntN(9), Z: 1 + r.IntN(5)})
			wide.Set(geom.Point{X: r.IntN(60) - 30, Y: r.IntN(12), Z: r.IntN(60) - 30}, wide.Named("wood"))
		}
		return v.Err()
	})
	if err == nil {
		_, err = w.Commit(t.Context(), "")
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		w, err = world.Open(t.Context(), st, "w", world.Options{Whole: true}) // names count as empty from the opening on
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	srv := serve(t, w, stream.Options{Top: 3})
	s := connect(t, srv, new(stream.Client), stream.Hello{Volumes: []string{voxel.Block, voxel.Biome}}, stream.Viewpoint{Position: [3]float64{0, 30, 0}, Radius: 400, Pixels: 1000, Error: 30}, a)
	s.synced(t)
	return s, s.Cells(0), w
}

func blocksOf(w *world.World) *world.Volume {
	return w.View().Dimension("overworld").Volume(voxel.Block)
}

// TestCellsRays compares rays, sweeps and boxes in a copy with those in its world. Where the copy has fine cubes they are the same. Where
// it has not they are not known, and what they met before that is the same.
func TestCellsRays(t *testing.T) {
	s, cells, edited := copyOf(t, stream.Access{})
	v := blocksOf(edited)
	name := func(c voxel.Cell) string { n, _ := s.Name(0, c); return n.Name }
	at := func(p geom.Point) string { c, _ := v.Cell(p); return v.CellName(c) }
	r := rand.New(rand.NewPCG(1, 7))
	known, unknown := map[string]int{}, map[string]int{}
	count := func(what string, err error) bool {
		if err == nil {
			known[what]++
		} else if unknown[what]++; !errors.Is(err, grid.ErrNotLoaded) {
			t.Fatal(err)
		}
		return err == nil
	}
	for range long.By(2000, 20_000, 100_000) {
		wide := 20 + r.Float64()*180
		from := [3]float64{(r.Float64() - 0.5) * wide, r.Float64() * 70, (r.Float64() - 0.5) * wide}
		dir := [3]float64{r.NormFloat64() * 9, r.NormFloat64() * 9, r.NormFloat64() * 9}
		var got, want []grid.Hit
		ok := count("ray", cells.Raycast(from, dir, 40, func(h grid.Hit) bool { got = append(got, h); return len(got) < 3 }))
		if err := v.Raycast(from, dir, 40, func(h grid.Hit) bool { want = append(want, h); return len(want) < 3 }); err != nil {
			t.Fatal(err)
		}
		if ok && len(got) != len(want) || len(got) > len(want) {
			t.Fatalf("from %v along %v: %v, want %v", from, dir, got, want)
		}
		for i, h := range got {
			w := want[i]
			if h.At != w.At || h.Distance != w.Distance || h.Face != w.Face || name(h.Cell) != v.CellName(w.Cell) {
				t.Fatalf("from %v along %v: %v, want %v", from, dir, h, w)
			}
		}
		high := [3]float64{from[0] + 0.6, from[1] + 1.8, from[2] + 0.6}
		c, met, err := cells.Sweep(from, high, dir)
		d, should, bad := v.Sweep(from, high, dir)
		if bad != nil {
			t.Fatal(bad)
		}
		if count("sweep", err) && (met != should || c.Fraction != d.Fraction || met && name(c.Cell) != at(c.At)) { // of cells that it overlaps one may not be known
			t.Fatalf("%v by %v: %v %v, want %v %v", from, dir, c, met, d, should)
		}
		c, met, err = cells.Overlap(from, high)
		if d, should, bad = v.Overlap(from, high); bad != nil {
			t.Fatal(bad)
		}
		if count("box", err) && (met != should || met && name(c.Cell) != at(c.At)) {
			t.Fatalf("%v: %v %v, want %v %v", from, c, met, d, should)
		}
	}
	for what, n := range known {
		if n < 200 || unknown[what] < 50 {
			t.Errorf("%s: %d are known, %d not", what, n, unknown[what])
		}
	}
	// Nothing is known without a session, and what comes to be known is found.
	var c stream.Client
	if err := c.Cells(0).Raycast([3]float64{}, [3]float64{1}, 1, func(grid.Hit) bool { return true }); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("before a session: %v", err)
	}
	again := c.Cells(0)
	if again.ReadBox(geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, 0, make([]voxel.Cell, 1)) {
		t.Error("a cell is known before a session")
	}
	if err := c.LoadCopy(s.AppendCopy(nil)); err != nil {
		t.Fatal(err)
	}
	if _, met, err := again.Overlap([3]float64{0, 1, 0}, [3]float64{9, 5, 9}); !met || err != nil {
		t.Errorf("after one: %v, %v", met, err)
	}
	// What changes is seen, also by who read a box in between.
	up := geom.Point{Y: 60}
	if c, _, ok := cells.Look(up); c != 0 || !ok {
		t.Fatalf("cell %d, %v", c, ok)
	}
	_, err := edited.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Set(up, v.Named("wood"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// A coarse cube shows the wood before the fine one comes.
	s.wait(t, "wood", func() bool { c, level, _ := s.Cell(0, up); return level == 0 && name(c) == "wood" })
	cells.ReadBox(geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, 0, make([]voxel.Cell, 1))
	if c, _, ok := cells.Look(up); name(c) != "wood" || !ok {
		t.Errorf("after an edit: cell %d, %v", c, ok)
	}
	if err := s.Cells(2).Raycast([3]float64{}, [3]float64{1}, 1, func(grid.Hit) bool { return true }); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("a volume that there is not: %v", err)
	}
}

// TestCellsBoxes compares boxes of cells of a copy with those of its world, at all levels, and the mesh that is made of them.
func TestCellsBoxes(t *testing.T) {
	s, cells, w := copyOf(t, stream.Access{})
	v := blocksOf(w)
	r := rand.New(rand.NewPCG(2, 7))
	known, unknown := 0, 0
	for range long.By(500, 5000, 20_000) {
		level := r.IntN(4)
		low := geom.Point{X: (r.IntN(300) - 150) >> level, Y: (r.IntN(100) - 20) >> level, Z: (r.IntN(300) - 150) >> level}
		b := geom.Box{Min: low, Max: low.Add(geom.Point{X: 1 + r.IntN(20), Y: 1 + r.IntN(20), Z: 1 + r.IntN(20)})}
		got, want := make([]voxel.Cell, b.Cells()), make([]voxel.Cell, b.Cells())
		if !cells.ReadBox(b, level, got) {
			unknown++
			continue
		}
		if known++; !v.ReadBox(b, level, want) {
			t.Fatal("the world is not known")
		}
		for i := range got {
			n, _ := s.Name(0, got[i])
			if name := v.CellName(want[i]); n.Name != name && (got[i] != 0 || name != "minecraft:cave_air") {
				t.Fatalf("level %d of %v: cell %d is %q, want %q", level, b, i, n.Name, name)
			}
		}
	}
	if known < 50 || unknown < 20 {
		t.Errorf("%d boxes are known, %d not", known, unknown)
	}
	quads := func(src mesh.BoxReader) (n int) {
		m := mesh.NewMesher(mesh.NewOpacities(64, func(c voxel.Cell) mesh.Opacity { return min(mesh.Opacity(c), mesh.Opaque) }), mesh.Options{})
		m.Load(src, geom.Box{Min: geom.Point{X: -12, Y: 2, Z: -12}, Max: geom.Point{X: 12, Y: 40, Z: 12}}, 0, [mesh.Faces]mesh.Border{})
		opaque, _, _ := m.Quads()
		for _, q := range opaque {
			w, h := q.Size()
			n += w * h
		}
		return n
	}
	if got, want := quads(cells), quads(v); got != want || got == 0 {
		t.Errorf("a mesh of %d faces, want %d", got, want)
	}
}

// TestCellsOfABox has a viewer that may see a box whose sides lie on no border of cubes or of coarse cells. Nothing that
// lies in the box is taken for empty.
func TestCellsOfABox(t *testing.T) {
	box := geom.Box{Min: geom.Point{X: -77, Y: 3, Z: -61}, Max: geom.Point{X: 93, Y: 37, Z: 99}}
	s, _, w := copyOf(t, stream.Access{Box: &box})
	for i, wide := range []int{1, 4} {
		cells, v := s.Cells(i), w.View().Dimension("overworld").Volume([]string{voxel.Block, voxel.Biome}[i])
		matter := func(p geom.Point) bool {
			c, _ := v.Cell(p)
			b := geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}.Scale(wide)
			return b.Intersect(box) == b && c != 0 && v.CellName(c) != "minecraft:cave_air"
		}
		r, known := rand.New(rand.NewPCG(3, 7)), 0
		for range long.By(20_000, 100_000, 400_000) {
			p := geom.Point{X: (r.IntN(240) - 120) / wide, Y: (r.IntN(50) - 5) / wide, Z: (r.IntN(240) - 120) / wide}
			c, clear, ok := cells.Look(p)
			if !ok {
				continue
			}
			known++
			m := 1 << clear
			at := geom.Point{X: p.X&-m + r.IntN(m), Y: p.Y&-m + r.IntN(m), Z: p.Z&-m + r.IntN(m)}
			if clear > 0 && (matter(at) || !cells.Rule.Empty(c)) || clear == 0 && matter(p) == cells.Rule.Empty(c) {
				t.Fatalf("cells %d wide: %v, clear %d: cell %d; there is matter at %v: %v", wide, p, clear, c, at, matter(at))
			}
		}
		if known < 2000 {
			t.Errorf("%d cells are known", known)
		}
	}
}

// counted counts what is asked of a Source.
type counted struct {
	grid.Finder
	looks int
}

func (c *counted) Look(p geom.Point) (voxel.Cell, int, bool) {
	c.looks++
	return c.Finder.Look(p)
}

// TestCellsOfWhatIsNotKnown has boxes of much that is not known: what a box costs follows from the cubes in it, not from its cells.
func TestCellsOfWhatIsNotKnown(t *testing.T) {
	s, cells, _ := copyOf(t, stream.Access{})
	for _, tt := range []struct {
		name  string
		cells *stream.ClientCells
	}{
		{"coarse cubes", cells},
		{"no cubes", new(stream.Client).Cells(0)},
		{"no volume", s.Cells(9)},
	} {
		c := counted{Finder: tt.cells}
		space := grid.Space{Source: &c, Rule: tt.cells.Rule}
		if _, met, err := space.Overlap([3]float64{96, 4, -128}, [3]float64{128, 12, 128}); met || !errors.Is(err, grid.ErrNotLoaded) {
			t.Errorf("%s: %v, %v; want ErrNotLoaded", tt.name, met, err)
		}
		if c.looks > 32*8*256/8 {
			t.Errorf("%s: %d looks for %d cells", tt.name, c.looks, 32*8*256)
		}
	}
}
