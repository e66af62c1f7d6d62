package brush_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

const earth = "earth"

var (
	ctx = context.Background()
	// site holds all that the tests build; it crosses chunks in all directions.
	site = geom.Box{Min: geom.Point{X: -20, Y: -12, Z: 10}, Max: geom.Point{X: 24, Y: 44, Z: 50}}
	// volumes has one of every schema; the names of "block" are air, ash, oak, void.
	volumes = []voxel.Volume{
		{Name: "solid", Schema: voxel.Terrain, Scale: 1},
		{Name: "block", Schema: voxel.Palette, Scale: 1},
		{Name: "liquid", Schema: voxel.Level, Scale: 1},
		{Name: "coarse", Schema: voxel.Terrain, Scale: 4},
	}
	materials = []string{"air", "rock", "moss", "sand", "clay", "water"}
)

// create makes a world that nothing is in memory of, "void" being empty.
func create(t testing.TB, fill func(d *world.DimensionTx)) *world.World {
	t.Helper()
	st := memory.New(memory.Options{})
	o := world.Options{Empty: []string{"void"}}
	w, err := world.Create(ctx, st, "w", o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension(earth, volumes, map[string][]string{"solid": materials, "coarse": materials})
		for i, name := range []string{"oak", "void", "ash"} {
			d.Volume("block").Set(geom.Point{X: 1000 + i}, d.Volume("block").Named(name))
		}
		fill(d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(ctx, "made"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = world.Open(ctx, st, "w", o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func mustDo(t testing.TB, w *world.World, volume string, b brush.Brush) *world.Change {
	t.Helper()
	c, err := brush.Do(ctx, w, earth, volume, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// field is the cells of a box, and how they are read.
type field struct {
	box   geom.Box
	cells []voxel.Cell
	rule  *voxel.Rule
}

func read(t testing.TB, w *world.World, volume string, b geom.Box) field {
	t.Helper()
	held, err := w.Load(ctx, earth, world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	v := w.View().Dimension(earth).Volume(volume)
	f := field{b, make([]voxel.Cell, b.Cells()), v.Rule()}
	if !v.ReadBox(b, 0, f.cells) {
		t.Fatal("not loaded")
	}
	return f
}

func (f field) at(p geom.Point) voxel.Cell {
	d, size := p.Sub(f.box.Min), f.box.Size()
	return f.cells[(d.Y*size.Z+d.Z)*size.X+d.X]
}

// random fills the site with blobs.
func random(seed uint64) func(d *world.DimensionTx) {
	return func(d *world.DimensionTx) {
		r := rand.New(rand.NewPCG(seed, 5))
		point := func() geom.Point {
			return site.Min.Add(geom.Point{X: r.IntN(44), Y: r.IntN(56), Z: r.IntN(40)})
		}
		for range 60 {
			in := region.Ball{Center: point(), Radius: 9 * r.Float64()}
			d.Volume("solid").Fill(in, voxel.TerrainCell(uint8(r.IntN(4)), uint8(min(255, r.IntN(400)))))
			d.Volume("block").Fill(in, voxel.Cell(r.IntN(4)))
			d.Volume("liquid").Fill(in, voxel.Cell(r.IntN(2)*255))
		}
		for range 500 {
			d.Volume("solid").Set(point(), voxel.TerrainCell(uint8(r.IntN(4)), uint8(r.IntN(256))))
			d.Volume("block").Set(point(), voxel.Cell(r.IntN(4)))
		}
	}
}

func shapes(t *testing.T) map[string]shape {
	t.Helper()
	corners := []region.Corner{{X: -13, Z: 18}, {X: 19, Z: 22}, {X: 7, Z: 43}, {X: 0, Z: 25}}
	prism, err := brush.Prism(corners, -3, 35)
	if err != nil {
		t.Fatal(err)
	}
	floor, err := region.NewPrism(corners, -3, 35)
	if err != nil {
		t.Fatal(err)
	}
	ball := region.Ball{Center: geom.Point{X: 3, Y: 15, Z: 30}, Radius: 11.3}
	pipe := region.Cylinder{Base: geom.Point{X: -2, Y: 4, Z: 28}, Radius: 12, Height: 29}
	room := geom.Box{Min: geom.Point{X: -17, Y: -9, Z: 13}, Max: geom.Point{X: 21, Y: 37, Z: 47}}
	point := geom.Point{X: 0, Y: 0, Z: 32}
	return map[string]shape{
		"ball":      {brush.Ball(ball.Center, ball.Radius), ball},
		"prism":     {prism, floor},
		"tiny ball": {brush.Ball(point, 0), region.Ball{Center: point}},
		"cylinder":  {brush.Cylinder(pipe.Base, pipe.Radius, pipe.Height), pipe},
		"box":       {brush.Box(room), room},
		"region":    {brush.FromRegion(ball), ball},
		"nothing":   {brush.Shape{}, geom.Box{}},
		"no number": {brush.Ball(point, math.NaN()), geom.Box{}},
	}
}

func TestBrushes(t *testing.T) {
	shapes := shapes(t)
	matter := map[string]brush.Matter{"solid": brush.Named("moss"), "block": brush.Named("ash"), "liquid": brush.Cell(200)}
	cells := map[string]voxel.Cell{"solid": voxel.TerrainCell(2, 255), "block": 1, "liquid": 200}
	seed := uint64(0)
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		for _, volume := range slices.Sorted(maps.Keys(matter)) {
			shape, of := shapes[name], matter[volume]
			seed++
			w := create(t, random(seed))
			before := read(t, w, volume, grown(site, 2))
			for _, tt := range []struct {
				name string
				fast brush.Brush
				slow slow
			}{
				{"add", brush.Add{shape.Shape, of}, slowAdd(shape, cells[volume])},
				{"subtract", brush.Subtract{shape.Shape}, slowSubtract(shape)},
				{"paint", brush.Paint{shape.Shape, of}, slowPaint(shape, cells[volume])},
				{"smooth", brush.Smooth{Shape: shape.Shape}, slowSmooth(shape)},
				{"erode", brush.Erode{Shape: shape.Shape}, slowErode(shape, 256)},
				{"grow", brush.Grow{Shape: shape.Shape}, slowGrow(shape, 256)},
				{"flatten", brush.Flatten{shape.Shape, 14.3, of}, slowFlatten(shape, 14.3, cells[volume])},
				{"cut", brush.Flatten{Shape: shape.Shape, Height: 14.7}, slowFlatten(shape, 14.7, 0)},
				{"sea", brush.Sea{Shape: shape.Shape, Height: 14.6, Of: of}, slowSea(shape, 14.6, cells[volume])},
			} {
				mustDo(t, w, volume, tt.fast)
				compare(t, fmt.Sprint(tt.name, " ", name, " of ", volume), before, read(t, w, volume, before.box), tt.slow)
				if _, err := w.Restore(ctx, w.Head(), "before"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// On terrain, surfaces move by parts of cells, too.
func TestParts(t *testing.T) {
	room := geom.Box{Min: geom.Point{X: -17, Y: -9, Z: 13}, Max: geom.Point{X: 21, Y: 37, Z: 47}}
	ball := brush.Ball(geom.Point{Y: 9, Z: 32}, 10)
	large := geom.Box{Min: geom.Point{X: -40, Y: -40, Z: -40}, Max: geom.Point{X: 70, Y: 70, Z: 90}} // has whole chunks
	wide := region.Ball{Center: geom.Point{X: 16, Y: 16, Z: 16}, Radius: 70}
	partly := voxel.TerrainCell(2, 99)
	for _, tt := range []struct {
		name string
		fast brush.Brush
		slow slow
	}{
		{"add", brush.Add{ball, brush.Cell(partly)}, slowAdd(shape{Shape: ball}, partly)},
		{"add a box", brush.Add{brush.Box(large), brush.Cell(partly)}, slowAdd(shape{brush.Box(large), large}, partly)},
		{"add a region", brush.Add{brush.FromRegion(wide), brush.Cell(partly)}, slowAdd(shape{brush.FromRegion(wide), wide}, partly)},
		{"add a wide ball", brush.Add{brush.Ball(wide.Center, wide.Radius), brush.Cell(partly)}, slowAdd(shape{brush.Ball(wide.Center, wide.Radius), wide}, partly)},
		{"erode", brush.Erode{brush.Box(room), .25}, slowErode(shape{cells: room}, 64)},
		{"grow", brush.Grow{brush.Box(room), .75}, slowGrow(shape{cells: room}, 192)},
	} {
		w := create(t, random(77))
		before := read(t, w, "solid", grown(site, 2))
		mustDo(t, w, "solid", tt.fast)
		compare(t, tt.name, before, read(t, w, "solid", before.box), tt.slow)
	}
}

func compare(t *testing.T, name string, before, after field, s slow) {
	t.Helper()
	in := grown(before.box, -1)
	wrong := 0
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for z := in.Min.Z; z < in.Max.Z; z++ {
			for x := in.Min.X; x < in.Max.X; x++ {
				p := geom.Point{X: x, Y: y, Z: z}
				if got, want := after.at(p), s(before, p); got != want {
					if wrong++; wrong < 4 {
						t.Errorf("%s: %v: %#x becomes %#x, want %#x", name, p, before.at(p), got, want)
					}
				}
			}
		}
	}
}

func grown(b geom.Box, by int) geom.Box {
	d := geom.Point{X: by, Y: by, Z: by}
	return geom.Box{Min: b.Min.Sub(d), Max: b.Max.Add(d)}
}

// What is flat stays flat, at any height, and moves by what it is told to.
func TestFlat(t *testing.T) {
	const top = 12 // the layer that is full in part
	floor := func(occupancy uint8) func(*world.DimensionTx) {
		return func(d *world.DimensionTx) {
			b := geom.Box{Min: geom.Point{X: -40, Y: -10, Z: -40}, Max: geom.Point{X: 60, Y: top, Z: 90}}
			d.Volume("solid").Fill(b, voxel.TerrainCell(1, 255))
			b.Min.Y, b.Max.Y = top, top+1
			d.Volume("solid").Fill(b, voxel.TerrainCell(1, occupancy))
		}
	}
	shape := brush.Box(site)
	p := geom.Point{X: 1, Z: 31}
	for _, tt := range []struct {
		name      string
		occupancy uint8
		brushes   []brush.Brush
		want      int // matter over height 0, in 256ths of a cell
	}{
		{"smooth", 99, []brush.Brush{brush.Smooth{shape, 5}}, top*256 + 100},
		{"erode", 99, []brush.Brush{brush.Erode{shape, .25}}, top*256 + 100 - 64},
		{"erode into the next", 9, []brush.Brush{brush.Erode{shape, .25}}, top*256 + 10 - 64},
		{"erode much", 9, []brush.Brush{brush.Erode{shape, 3.5}}, top*256 + 10 - 3*256 - 128},
		{"grow", 99, []brush.Brush{brush.Grow{shape, .25}}, top*256 + 100 + 64},
		{"grow into the next", 250, []brush.Brush{brush.Grow{shape, 1}}, top*256 + 251 + 256},
		{"both", 99, []brush.Brush{brush.Grow{shape, 2.25}, brush.Erode{shape, 2.25}}, top*256 + 100},
		{"flatten", 99, []brush.Brush{brush.Flatten{shape, 7.5, brush.Matter{}}}, 7*256 + 128},
		{"flatten up", 99, []brush.Brush{brush.Flatten{shape, 17.25, brush.Named("sand")}}, 17*256 + 64},
	} {
		w := create(t, floor(tt.occupancy))
		for _, b := range tt.brushes {
			mustDo(t, w, "solid", b)
		}
		f := read(t, w, "solid", geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 40, Z: 1})})
		got := 0
		for _, c := range f.cells {
			got += full(f.rule, c)
		}
		if got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestSeaBesideSolid(t *testing.T) {
	w := create(t, random(3))
	before, solid := read(t, w, "liquid", site), read(t, w, "solid", site)
	sea := brush.Sea{Shape: brush.Box(site), Height: 20.5, Of: brush.Cell(255)}
	for _, volume := range []string{"solid", "liquid"} {
		held, err := brush.Hold(ctx, w, earth, volume, sea)
		if err != nil {
			t.Fatal(err)
		}
		defer held.Release()
	}
	_, err := w.Update(func(tx *world.Tx) error {
		sea.Solid = tx.Dimension(earth).Volume("solid")
		return sea.Apply(tx.Dimension(earth).Volume("liquid"))
	})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "sea", before, read(t, w, "liquid", site), func(f field, p geom.Point) voxel.Cell {
		c := f.at(p)
		switch s := solid.at(p); {
		case c != 0 || p.Y > 20 || s != 0 && s&0xFF == 255:
			return c
		case p.Y == 20:
			return 127
		}
		return 255
	})
}

// Bounds are in cells of the volume.
func TestScale(t *testing.T) {
	w := create(t, func(d *world.DimensionTx) {
		d.Volume("coarse").Fill(grown(site, 30), voxel.TerrainCell(1, 255))
	})
	c := mustDo(t, w, "coarse", brush.Erode{Shape: brush.Box(grown(site, 40))})
	if len(c.Volumes) != 1 || len(c.Volumes[0].Chunks) < 20 {
		t.Errorf("got %+v", c)
	}
}

func TestErrors(t *testing.T) {
	w := create(t, random(1))
	shape := brush.Box(site)
	for _, tt := range []struct {
		name, volume string
		b            brush.Brush
	}{
		{"add nothing", "solid", brush.Add{Shape: shape}},
		{"add what is empty", "block", brush.Add{shape, brush.Named("void")}},
		{"paint nothing", "solid", brush.Paint{Shape: shape}},
		{"a sea of nothing", "solid", brush.Sea{Shape: shape}},
		{"no such material", "solid", brush.Flatten{shape, 1, brush.Named("gold")}},
		{"names of a level", "liquid", brush.Add{shape, brush.Named("rock")}},
		{"no cell of the volume", "liquid", brush.Add{shape, brush.Cell(256)}},
		{"passes", "solid", brush.Smooth{shape, -1}},
		{"backwards", "solid", brush.Erode{shape, -1}},
		{"too far", "solid", brush.Grow{shape, 1e9}},
	} {
		if _, err := brush.Do(ctx, w, earth, tt.volume, tt.b); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	if _, err := w.Update(func(tx *world.Tx) error {
		return brush.Smooth{Shape: shape}.Apply(tx.Dimension(earth).Volume("solid"))
	}); !errors.Is(err, world.ErrNotLoaded) {
		t.Errorf("nothing loaded: got %v", err)
	}
	if _, err := brush.Do(ctx, w, earth, "none", brush.Subtract{shape}); err == nil {
		t.Error("no such volume: no error")
	}
}
