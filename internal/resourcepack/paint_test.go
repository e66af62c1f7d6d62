package resourcepack_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/raster"
	"github.com/cairnvoxel/cairn/internal/raster/exr"
	"github.com/cairnvoxel/cairn/internal/resourcepack"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/render/trace"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// atlas loads a pack of textures alone.
func atlas(t *testing.T, textures map[string][]byte) *resourcepack.Atlas {
	t.Helper()
	files := fstest.MapFS{}
	for name, b := range textures {
		files[block+name+".png"] = &fstest.MapFile{Data: b}
	}
	a, err := resourcepack.LoadFS(files)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// holey is a texture of which each second pixel is a hole.
func holey(c color.NRGBA) []byte {
	img := image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 16 * 16 {
		if (i+i/16)%2 == 0 {
			img.SetNRGBA(i%16, i/16, c)
		}
	}
	return encoded(img)
}

// blocks is a world of some boxes of blocks, whose cells are numbers of names.
func blocks(t *testing.T, names []string, boxes map[geom.Box]voxel.Cell) *scene.Scene {
	t.Helper()
	d := grid.New(grid.Options{}).Edit()
	for b, c := range boxes {
		d.Fill(b, c)
	}
	v, _ := d.Publish()
	lv := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Names: names, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
	for pos, c := range v.Chunks() {
		lv.Chunks[pos] = c
	}
	w := &convert.Loaded{Head: format.Head{Format: port.Anvil}, Dimensions: []*convert.LoadedDimension{{Name: "overworld", Volumes: []*convert.LoadedVolume{lv}}}}
	s, err := scene.Of(t.Context(), w.Content(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func unit(x, y, z int) geom.Box {
	at := geom.Point{X: x, Y: y, Z: z}
	return geom.Box{Min: at, Max: at.Add(geom.Point{X: 1, Y: 1, Z: 1})}
}

// render draws a picture with paints, and closes these.
func render(t *testing.T, s *scene.Scene, p *resourcepack.Paints, o trace.Options) *trace.Picture {
	t.Helper()
	o.Paint = func(draw func(trace.Painter)) error { return p.Paint(t.Context(), draw) }
	pic, err := trace.Render(t.Context(), s, o)
	if err = errors.Join(err, p.Close()); err != nil {
		t.Fatal(err)
	}
	return pic
}

func bits(p *trace.Picture) (b []byte) {
	for _, v := range p.Pix {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// TestSidesInPictures looks at each side of a block: the pixel of the texture that differs is at the top left.
func TestSidesInPictures(t *testing.T) {
	names := []string{"minecraft:air", "minecraft:stone"}
	a := atlas(t, map[string][]byte{"stone": square(16, red, blue)})
	s := blocks(t, names, map[geom.Box]voxel.Cell{unit(0, 0, 0): 1})
	for name, from := range map[string][3]float64{
		"west": {-9, 0.5, 0.5}, "east": {10, 0.5, 0.5}, "down": {0.5, -9, 0.5}, "up": {0.5, 10, 0.5}, "north": {0.5, 0.5, -9}, "south": {0.5, 0.5, 10},
	} {
		o := trace.Options{Width: 16, Height: 16, From: from, Look: [3]float64{0.5, 0.5, 0.5}, Samples: 4, Bounces: 1, Sky: [3]float64{1, 1, 1}}
		o.View = 2 * math.Atan(0.5/9) * 180 / math.Pi // so that the side fills the picture
		p := render(t, s, a.Paints(names, "", 1<<20, nil), o)
		for i := range 16 * 16 {
			rgb := p.Pix[3*i:][:3]
			if blue := rgb[2] > rgb[0]; blue != (i == 0) || rgb[0]+rgb[2] < 0.3 {
				t.Errorf("%s: pixel %d, %d is %v", name, i%16, i/16, rgb)
				break
			}
		}
	}
}

// TestHoles: one sees through holes, and from afar through a part of a side that is as large as they are.
func TestHoles(t *testing.T) {
	names := []string{"minecraft:air", "minecraft:stone", "minecraft:oak_leaves", "minecraft:glass", "minecraft:water"}
	wall := geom.Box{Min: geom.Point{X: -40, Y: -40, Z: -1}, Max: geom.Point{X: 40, Y: 40}}
	in := func(front voxel.Cell) *scene.Scene {
		return blocks(t, names, map[geom.Box]voxel.Cell{wall: 1, unit(0, 0, 8): front})
	}
	// The middle of the block, and of the picture.
	o := trace.Options{Width: 24, Height: 24, From: [3]float64{0.5, 0.5, 14}, Look: [3]float64{0.5, 0.5, 0}, View: 6, Samples: 1, Bounces: 1}
	far := o
	far.From[2], far.View = 60, 6 // a pixel is as wide as some of a texture
	far.Samples = 64
	draw := func(o trace.Options, front voxel.Cell, texture []byte) *trace.Picture {
		a := atlas(t, map[string][]byte{"stone": square(16, white, white), "oak_leaves": texture, "glass": texture, "water_still": texture})
		return render(t, in(front), a.Paints(names, "", 1<<20, nil), o)
	}
	clear := encoded(image.NewNRGBA(image.Rect(0, 0, 16, 16)))
	if !bytes.Equal(bits(draw(o, 2, clear)), bits(draw(o, 0, clear))) {
		t.Error("leaves of holes alone show")
	}
	redness := func(p *trace.Picture) float64 {
		n := 0
		for i := range len(p.Pix) / 3 {
			if rgb := p.Pix[3*i:]; rgb[0] > 4*rgb[1] && rgb[0] > 0.01 {
				n++
			}
		}
		return float64(n) / float64(len(p.Pix)/3)
	}
	for _, tt := range []struct {
		name        string
		front       voxel.Cell
		texture     []byte
		least, most float64
	}{
		{"leaves without holes", 2, square(16, red, red), 1, 1},
		{"leaves with holes", 2, holey(red), 0.35, 0.65},
		{"glass that is not clear", 3, square(16, red, red), 1, 1},
		{"glass with a pane", 3, holey(red), 0.35, 0.65},
		{"clear glass", 3, square(16, color.NRGBA{200, 0, 0, 100}, red), 0, 0.01},
		{"water", 4, square(16, red, red), 0, 0},
	} {
		if got := redness(draw(o, tt.front, tt.texture)); got < tt.least || got > tt.most {
			t.Errorf("%s: %v of the picture, want %v to %v", tt.name, got, tt.least, tt.most)
		}
	}
	mean := func(p *trace.Picture) (green float64) {
		for i := range len(p.Pix) / 3 {
			green += float64(p.Pix[3*i+1]) / float64(len(p.Pix)/3)
		}
		return green
	}
	open, half, shut := mean(draw(far, 0, clear)), mean(draw(far, 2, holey(red))), mean(draw(far, 2, square(16, red, red)))
	if part := (half - shut) / (open - shut); part < 0.35 || part > 0.65 {
		t.Errorf("from afar leaves with holes let through %.2f", part)
	}
}

// TestSamePaints: bounds of memory, goroutines and previews change no bit of a picture with textures and a sky.
func TestSamePaints(t *testing.T) {
	names := []string{"minecraft:air", "minecraft:grass_block", "minecraft:dirt", "minecraft:stone", "minecraft:sand", "minecraft:oak_leaves", "minecraft:oak_log", "minecraft:glass"}
	boxes := map[geom.Box]voxel.Cell{}
	for i := range 24 * 24 {
		boxes[unit(i%24, i%3, i/24)] = voxel.Cell(1 + i*i%(len(names)-1))
	}
	a := atlas(t, map[string][]byte{
		"grass_block_top": holey(white), "grass_block_side": square(16, green, blue), "dirt": square(16, red, white), "stone": square(16, white, red), "sand": square(16, white, blue),
		"oak_leaves": holey(white), "oak_log": square(16, red, blue), "oak_log_top": square(16, white, red), "glass": holey(blue),
	})
	sky := skyFile(t, func(x, y int) float32 { return float32(x+y) / 64 })
	s := blocks(t, names, boxes)
	o := trace.Options{Width: 64, Height: 48, Samples: 3, From: [3]float64{14, 7, 22}, Look: [3]float64{10, 0, 10}}
	want := bits(render(t, s, a.Paints(s.Names(), sky, 8<<20, nil), o))
	for name, paints := range map[string]*resourcepack.Paints{"plain": a.Paints(nil, sky, 8<<20, nil), "no sky": a.Paints(s.Names(), "", 8<<20, nil)} {
		if bytes.Equal(bits(render(t, s, paints, o)), want) {
			t.Errorf("%s: the same picture", name)
		}
	}
	for name, change := range map[string]func(o *trace.Options, memory *int64){
		"little memory": func(o *trace.Options, memory *int64) { o.Memory, *memory = 1<<20, 16<<10 },
		"one goroutine": func(o *trace.Options, _ *int64) { o.Threads = 1 },
		"many":          func(o *trace.Options, _ *int64) { o.Threads = 7 },
		"a preview":     func(o *trace.Options, _ *int64) { o.Preview = func(*trace.Picture) error { return nil } },
	} {
		o, memory := o, int64(8<<20)
		change(&o, &memory)
		p := a.Paints(s.Names(), sky, memory, nil)
		if got := bits(render(t, s, p, o)); !bytes.Equal(got, want) {
			t.Errorf("%s: another picture", name)
		}
		if stats := p.Stats(); stats.Tiles.PeakBytes > memory || stats.Calls < 1000 || memory < 8<<20 && stats.Tiles.AgainBytes == 0 {
			t.Errorf("%s: %+v", name, stats)
		}
	}
}

// skyFile writes an image of all directions.
func skyFile(t *testing.T, at func(x, y int) float32) string {
	t.Helper()
	const wide, high = 32, 16
	h := &raster.Header{Levels: []raster.Size{{Width: wide, Height: high}}, Channels: []string{"R", "G", "B"}, Type: raster.Float}
	var v []float32
	for i := range wide * high {
		light := at(i%wide, i/wide)
		v = append(v, light, light, light)
	}
	b := make([]byte, 4*len(v))
	h.Type.Put(b, v)
	path := filepath.Join(t.TempDir(), "sky.exr")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(exr.Write(f, h, b), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSky compares the light of images of the sky with that of even ones.
func TestSky(t *testing.T) {
	floor := geom.Box{Min: geom.Point{X: -100, Y: -1, Z: -100}, Max: geom.Point{X: 100, Y: 0, Z: 100}}
	s := blocks(t, []string{"minecraft:air", "minecraft:stone"}, map[geom.Box]voxel.Cell{floor: 1, unit(0, 0, 0): 1, unit(1, 0, 0): 1, unit(1, 1, 0): 1})
	o := trace.Options{Width: 16, Height: 16, From: [3]float64{4, 5, 6}, Look: [3]float64{1, 0, 0}, View: 40, Samples: 128, Bounces: 12, Sky: [3]float64{1, 1, 1}}
	want, err := trace.Render(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	for name, at := range map[string]func(x, y int) float32{
		"even": func(x, y int) float32 { return 1 },
		"light above": func(x, y int) float32 { // the floor hides what is below
			return float32(1 - y/8)
		},
	} {
		p := render(t, s, (*resourcepack.Atlas)(nil).Paints(nil, skyFile(t, at), 1<<20, nil), o)
		sum, wanted := 0.0, 0.0
		for i, v := range p.Pix {
			if sum, wanted = sum+float64(v), wanted+float64(want.Pix[i]); !(math.Abs(float64(v-want.Pix[i])) <= 0.08) {
				t.Fatalf("%s: value %d is %v, want %v", name, i, v, want.Pix[i])
			}
		}
		if math.Abs(sum/wanted-1) > 0.01 {
			t.Errorf("%s: %v times as much light", name, sum/wanted)
		}
	}
	bright := render(t, s, (*resourcepack.Atlas)(nil).Paints(nil, skyFile(t, func(x, y int) float32 { return float32(math.Inf(x%3 - 1)) }), 1<<20, nil), o)
	for i, v := range bright.Pix {
		if !(v >= 0 && v <= math.MaxFloat32) {
			t.Fatalf("value %d under a sky that is infinite is %v", i, v)
		}
	}
	up := o
	up.Look = [3]float64{4, 15, 6}
	p := render(t, s, (*resourcepack.Atlas)(nil).Paints(nil, skyFile(t, func(x, y int) float32 { return float32(y) }), 1<<20, nil), up)
	if v := p.Pix[3*(8*16+8)]; v != 0 {
		t.Errorf("the top of the sky is %v, want that of the first row, 0", v)
	}
}

// TestSkyFails: an image that cannot be read ends a picture before it begins.
func TestSkyFails(t *testing.T) {
	s := blocks(t, []string{"minecraft:air", "minecraft:stone"}, map[geom.Box]voxel.Cell{unit(0, 0, 0): 1})
	p := (*resourcepack.Atlas)(nil).Paints(nil, "none.exr", 1<<20, nil)
	defer p.Close()
	_, err := trace.Render(t.Context(), s, trace.Options{Width: 8, Height: 8, Paint: func(draw func(trace.Painter)) error {
		return p.Paint(t.Context(), func(trace.Painter) { t.Error("it draws") })
	}})
	if err == nil || !strings.Contains(err.Error(), "none.exr") {
		t.Errorf("%v", err)
	}
}
