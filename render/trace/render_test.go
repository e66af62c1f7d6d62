package trace_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/scene"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/render/trace"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// land is a world of blocks as a Scene.
func land(t *testing.T, v *grid.View, names ...string) *scene.Scene {
	t.Helper()
	lv := &convert.LoadedVolume{Volume: voxel.BlockVolumes()[0], Names: names, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
	for pos, c := range v.Chunks() {
		lv.Chunks[pos] = c
	}
	w := &convert.Loaded{Head: format.Head{Format: port.Anvil}, Dimensions: []*convert.LoadedDimension{{Name: "overworld", Volumes: []*convert.LoadedVolume{lv}}}}
	return sceneOf(t, w)
}

func sceneOf(t testing.TB, w *convert.Loaded) *scene.Scene {
	t.Helper()
	s, err := scene.Of(t.Context(), w.Content(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(x, y, z int) geom.Point { return geom.Point{X: x, Y: y, Z: z} }

// scattered is a volume of balls and single blocks of stone.
func scattered(r *rand.Rand) *grid.View {
	d := grid.New(grid.Options{}).Edit()
	for range 40 {
		d.Fill(region.Ball{Center: at(r.IntN(240)-120, r.IntN(200)-100, r.IntN(240)-120), Radius: r.Float64() * 14}, 1)
	}
	for range 300 {
		d.Set(at(r.IntN(240)-120, r.IntN(200)-100, r.IntN(240)-120), 1)
	}
	v, _ := d.Publish()
	return v
}

// TestFind compares the first hits of rays with those of package grid.
func TestFind(t *testing.T) {
	hits := 0
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 7))
		v := scattered(r)
		find := trace.Finder(t.Context(), land(t, v, "minecraft:air", "minecraft:stone"))
		for range 6000 {
			var from, dir [3]float64
			for i := range from {
				from[i] = r.Float64()*200 - 100
				if dir[i] = r.NormFloat64(); r.IntN(8) == 0 {
					dir[i] = 0
				}
				if r.IntN(8) == 0 {
					from[i] = math.Floor(from[i])
				}
			}
			length := math.Sqrt(dir[0]*dir[0] + dir[1]*dir[1] + dir[2]*dir[2])
			if length == 0 {
				continue
			}
			for i := range dir {
				dir[i] /= length
			}
			var want grid.Hit
			met := false
			begins := false
			if err := v.Raycast(from, dir, 1000, func(h grid.Hit) bool {
				begins = h.Distance == 0
				want, met = h, true
				return false
			}); err != nil {
				t.Fatal(err)
			}
			if begins { // a ray looks out of the block that it begins in
				continue
			}
			distance, normal, ok := find(from, dir)
			if ok != met {
				t.Fatalf("seed %d, from %v along %v: a hit is %v, want %v at %v", seed, from, dir, ok, met, want)
			}
			if !ok {
				continue
			}
			hits++
			if math.Abs(distance-want.Distance) > 1e-9*(1+distance) {
				t.Fatalf("seed %d, from %v along %v: a hit at %v, want %v, %v", seed, from, dir, distance, want.Distance, want.At)
			}
			axis, side := int(want.Face-grid.West)/2, float64(int(want.Face-grid.West)%2)*2-1
			if normal[axis] != side {
				t.Fatalf("seed %d, from %v along %v: normal %v, want face %v", seed, from, dir, normal, want.Face)
			}
		}
	}
	if hits < 1000 {
		t.Errorf("%d hits: too few to compare", hits)
	}
}

func pixels(t *testing.T, l trace.Scene, o trace.Options) []byte {
	t.Helper()
	p, err := trace.Render(t.Context(), l, o)
	if err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, v := range p.Pix {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// TestSame: the bound of memory, the goroutines and previews change no bit of a picture.
func TestSame(t *testing.T) {
	level := terrain.Level{Seed: 3}
	for name, w := range map[string]*convert.Loaded{
		"island": worldtest.Load(t, worldtest.Island(1, terrain.Modern)),
		"level":  worldtest.Load(t, level.Source(geom.Box{Max: at(256, 256, 256)})),
	} {
		t.Run(name, func(t *testing.T) {
			o := trace.Options{Width: 64, Height: 48, Samples: 3}
			want := pixels(t, sceneOf(t, w), o)
			for name, change := range map[string]func(*trace.Options){
				"little memory": func(o *trace.Options) { o.Memory = 1 << 20 },
				"one goroutine": func(o *trace.Options) { o.Threads = 1 },
				"many":          func(o *trace.Options) { o.Threads = 7 },
				"a preview":     func(o *trace.Options) { o.Preview = func(*trace.Picture) error { return nil } },
			} {
				o := o
				change(&o)
				if got := pixels(t, sceneOf(t, w), o); !bytes.Equal(got, want) {
					t.Errorf("%s: another picture", name)
				}
			}
		})
	}
}

// TestOverview: what there is fills a picture whose camera is not given, also beside cells that do not show.
func TestOverview(t *testing.T) {
	d := grid.New(grid.Options{}).Edit()
	d.Fill(geom.Box{Min: at(64, 32, -32), Max: at(80, 48, -16)}, 1)
	d.Fill(geom.Box{Min: at(-320, 0, 0), Max: at(-200, 90, 9)}, 2)
	v, _ := d.Publish()
	l := land(t, v, "minecraft:air", "minecraft:stone", "minecraft:poppy")
	for name, o := range map[string]trace.Options{"from near": {}, "parallel": {Isometric: true}} {
		o.Width, o.Height, o.Bounces, o.Samples = 64, 64, -1, 8
		p, err := trace.Render(t.Context(), l, o)
		if err != nil {
			t.Fatal(err)
		}
		top, bottom := o.Height, 0
		for i := range o.Width * o.Height {
			if c := p.Pix[3*i:]; c[2]-c[0] < 0.1 { // not the sky
				top, bottom = min(top, i/o.Width), max(bottom, i/o.Width)
			}
		}
		if top > 14 || bottom < o.Height-4 || name == "parallel" && top > 3 {
			t.Errorf("%s: the block reaches from row %d to %d of %d", name, top, bottom, o.Height)
		}
	}
}
