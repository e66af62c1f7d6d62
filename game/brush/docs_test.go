package brush_test

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"testing"

	"github.com/cairnvoxel/cairn/game/brush"
	"github.com/cairnvoxel/cairn/render/picture"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

var update = flag.Bool("update", false, "draw the pictures of the docs anew")

const sheetPath = "../../docs/brushes.png"

// scene is what each brush is shown on: seen from the side, cut open at its
// least z.
var scene = geom.Box{Min: geom.Point{X: 0, Y: 0, Z: 24}, Max: geom.Point{X: 72, Y: 36, Z: 64}}

// TestDocsSheet makes the pictures with -update; without, it says that there are
// some.
func TestDocsSheet(t *testing.T) {
	if *update {
		writeSheet(t)
	}
	b, err := os.ReadFile(sheetPath)
	if err != nil {
		t.Fatal(err)
	}
	if img, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || img.Width < 1000 {
		t.Fatalf("%s: %d pixels wide, %v", sheetPath, img.Width, err)
	}
}

func writeSheet(t *testing.T) {
	t.Helper()
	middle := geom.Point{X: 43, Y: 17, Z: 28}
	work := brush.Box(geom.Box{Min: geom.Point{X: 14, Y: 2, Z: 20}, Max: geom.Point{X: 58, Y: 34, Z: 56}})
	star, err := brush.Prism([]region.Corner{
		{X: 36, Z: 12}, {X: 42, Z: 20}, {X: 54, Z: 22}, {X: 45, Z: 28}, {X: 48, Z: 40},
		{X: 36, Z: 33}, {X: 24, Z: 40}, {X: 27, Z: 28}, {X: 18, Z: 22}, {X: 30, Z: 20},
	}, 6, 27)
	if err != nil {
		t.Fatal(err)
	}
	var cards []picture.Card
	for _, c := range []struct {
		name, volume string
		b            brush.Brush
	}{
		{"add a ball", "solid", brush.Add{brush.Ball(middle, 12), brush.Named("clay")}},
		{"subtract a ball", "solid", brush.Subtract{brush.Ball(middle, 12)}},
		{"add a box", "solid", brush.Add{brush.Box(geom.Box{Min: geom.Point{X: 22, Y: 10, Z: 20}, Max: geom.Point{X: 50, Y: 28, Z: 40}}), brush.Named("clay")}},
		{"add a cylinder", "solid", brush.Add{brush.Cylinder(geom.Point{X: 36, Y: 6, Z: 34}, 14, 22), brush.Named("clay")}},
		{"add a prism", "solid", brush.Add{star, brush.Named("clay")}},
		{"subtract a prism", "solid", brush.Subtract{star}},
		{"paint", "solid", brush.Paint{brush.Ball(middle, 14), brush.Named("clay")}},
		{"smooth, 4 passes", "solid", brush.Smooth{work, 4}},
		{"erode by 3.5", "solid", brush.Erode{work, 3.5}},
		{"grow by 3.5", "solid", brush.Grow{work, 3.5}},
		{"flatten at 15.5", "solid", brush.Flatten{work, 15.5, brush.Named("clay")}},
		{"a sea up to 16.5", "solid", brush.Sea{Shape: brush.Box(grown(scene, 8)), Height: 16.5, Of: brush.Named("water")}},
		{"add a ball, palette", "block", brush.Add{brush.Ball(middle, 12), brush.Named("clay")}},
		{"subtract a ball, palette", "block", brush.Subtract{brush.Ball(middle, 12)}},
		{"smooth, 4 passes, palette", "block", brush.Smooth{work, 4}},
		{"erode by 3, palette", "block", brush.Erode{work, 3}},
	} {
		cards = append(cards, picture.Card{Image: beforeAndAfter(t, c.volume, c.b), Caption: c.name})
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, picture.Sheet(cards, 368)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sheetPath, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// beforeAndAfter draws the scene, and below what the brush makes of it.
func beforeAndAfter(t *testing.T, volume string, b brush.Brush) image.Image {
	t.Helper()
	const zoom, gap = 5, 4
	w := showroom(t)
	size := scene.Size()
	img := image.NewRGBA(image.Rect(0, 0, size.X*zoom, 2*size.Y*zoom+gap))
	draw := func(top int) {
		f := read(t, w, volume, scene)
		names := w.View().Dimension(earth).Volume(volume)
		for y := range size.Y {
			for x := range size.X {
				c := look(f, names, geom.Point{X: scene.Min.X + x, Y: scene.Max.Y - 1 - y, Z: scene.Min.Z})
				for i := range zoom * zoom {
					img.SetRGBA(x*zoom+i%zoom, top+y*zoom+i/zoom, c)
				}
			}
		}
	}
	draw(0)
	mustDo(t, w, volume, b)
	draw(size.Y*zoom + gap)
	return img
}

// look returns the colour of what is seen from p along z: matter in the cut, or
// behind it, in a haze.
func look(f field, names *world.Volume, p geom.Point) color.RGBA {
	sky := [3]float64{190, 212, 232}
	var sum [3]float64
	left := 1.0
	for z := p.Z; z < f.box.Max.Z && left > 0; z++ {
		c := f.at(geom.Point{X: p.X, Y: p.Y, Z: z})
		share := left * float64(full(f.rule, c)) / 256
		haze, lit := 0.0, 1.0
		if z > p.Z {
			haze = .25 + .6*float64(z-p.Z)/float64(f.box.Max.Z-p.Z)
			lit = .9 + .14*math.Sin(float64(p.Y)) // rows can be told apart
		}
		for i, v := range paints[names.CellName(c)] {
			sum[i] += share * (v*lit*(1-haze) + sky[i]*haze)
		}
		left -= share
	}
	var out [3]uint8
	for i := range out {
		out[i] = uint8(min(255, sum[i]+left*sky[i]))
	}
	return color.RGBA{out[0], out[1], out[2], 255}
}

var paints = map[string][3]float64{
	"rock": {112, 108, 104}, "moss": {86, 132, 62}, "sand": {206, 186, 128}, "clay": {178, 92, 58}, "water": {62, 110, 178},
}

// showroom makes a world with hills, a cave and rough ground, of terrain and of
// names.
func showroom(t *testing.T) *world.World {
	t.Helper()
	return create(t, func(d *world.DimensionTx) {
		room := grown(scene, 12)
		d.Volume("block").Set(geom.Point{X: -1000}, d.Volume("block").Named("clay"))
		for x := room.Min.X; x < room.Max.X; x++ {
			for z := room.Min.Z; z < room.Max.Z; z++ {
				for y := -8; y < scene.Max.Y; y++ {
					m, n := ground(x, y, z)
					if n <= 0 {
						continue
					}
					p := geom.Point{X: x, Y: y, Z: z}
					d.Volume("solid").Set(p, voxel.TerrainCell(uint8(m), uint8(math.Ceil(256*n))-1))
					if n >= .5 {
						d.Volume("block").Set(p, d.Volume("block").Named(materials[m]))
					}
				}
			}
		}
	})
}

// ground returns the material of a cell and how full it is.
func ground(x, y, z int) (material int, n float64) {
	fx, fy, fz := float64(x), float64(y), float64(z)
	rough := math.Sin(fx*1.9+fz*.7)*math.Sin(fz*1.3-fx*.4) + math.Sin(fx*.9-fz*1.1)
	top := 15 + 5*math.Sin(fx/8+1) + 3*math.Cos(fz/9+fx/20) + 1.6*rough
	cave := 5 - math.Sqrt(sq(fx-52)/2+sq(fy-9)+sq(fz-26)/3)
	n = min(1, max(0, top-fy), max(0, 1-cave))
	switch depth := top - fy; {
	case depth < 2.5:
		return 2, n
	case depth < 4:
		return 3, n
	}
	return 1, n
}

func sq(v float64) float64 { return v * v }
