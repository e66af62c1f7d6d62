package lod_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/octree"
	"github.com/cairnvoxel/cairn/render/lod"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// land is a made-up world: hills below which all is solid, and air above.
type land struct {
	bounds geom.Box
	top    int
}

func (l land) height(x, z int) int {
	return 60 + int(40*math.Sin(float64(x)/90)*math.Cos(float64(z)/70))
}

// cube returns what a plan is told of a cube.
func (l land) cube(k lod.Key) lod.Cube {
	b := k.Box()
	low, high := math.MaxInt, math.MinInt
	for i := range 5 {
		for j := range 5 {
			h := l.height(b.Min.X+(b.Size().X-1)*i/4, b.Min.Z+(b.Size().Z-1)*j/4)
			low, high = min(low, h), max(high, h)
		}
	}
	if b.Min.Y > high {
		return lod.Cube{}
	}
	if b.Max.Y <= low {
		return lod.Cube{Version: 1, Bytes: 4, Solid: true}
	}
	c := lod.Cube{Version: uint64(b.Min.X*31+b.Min.Z) | 1, Bytes: 500}
	for o := range 8 {
		if k.Level > 0 && k.Child(o).Box().Min.Y > high {
			c.Empty |= 1 << o
		}
	}
	return c
}

// load gives a plan up to most of the cubes that it asks for, n at a time, and returns them in order.
func (l land) load(t testing.TB, p *lod.Plan, n, most int) []lod.Key {
	t.Helper()
	var all []lod.Key
	for len(all) < most {
		keys := p.AppendNext(nil, n)
		if len(keys) == 0 {
			break
		}
		for _, k := range keys {
			if !p.Have(k, l.cube(k)) {
				t.Fatalf("%v was asked for and is not needed", k)
			}
		}
		all = append(all, keys...)
	}
	return all
}

const everything = math.MaxInt

var hills = land{geom.Box{Min: geom.Point{X: -3000, Y: -64, Z: -3000}, Max: geom.Point{X: 3000, Y: 320, Z: 3000}}, 4}

func (l land) plan() *lod.Plan { return lod.New(lod.Options{Bounds: l.bounds, Top: l.top}) }

func eyeAt(x, y, z float64) lod.Eye {
	return lod.Eye{Position: octree.Vec{X: x, Y: y, Z: z}, Radius: 2048}
}

func TestKey(t *testing.T) {
	for _, p := range []geom.Point{{}, {X: -1, Y: -1, Z: -1}, {X: 1000, Y: -70, Z: 31}, {X: -30_000_000, Y: 300, Z: 29_999_999}} {
		for level := 0; level <= lod.MaxLevel; level++ {
			k := lod.KeyOf(p, level)
			if !k.Box().Contains(p) || k.Box().Size().X != 16<<level {
				t.Errorf("%v of %v covers %v", k, p, k.Box())
			}
			if level == 0 {
				continue
			}
			child := lod.KeyOf(p, level-1)
			octant := int(child.X&1 | child.Z&1<<1 | child.Y&1<<2)
			if child.Parent() != k || k.Child(octant) != child || k.Compare(child) != -1 || child.Compare(k) != 1 || k.Compare(k) != 0 {
				t.Errorf("%v is octant %d of %v", child, octant, k)
			}
		}
	}
}

func TestLoad(t *testing.T) {
	p := hills.plan()
	if p.Complete(0) || p.Complete(hills.top) || len(p.AppendNext(nil, 10)) > 0 {
		t.Error("a plan needs cubes before the first look")
	}
	e := eyeAt(10, 100, 10)
	p.Look(e)
	all := hills.load(t, p, 100, everything)
	if !p.Complete(0) || p.Missing() != 0 || p.Len() != len(all) {
		t.Errorf("%d cubes are missing, %d of %d held", p.Missing(), p.Len(), len(all))
	}
	if len(all) < 3000 || len(all) > 12_000 {
		t.Errorf("%d cubes are needed", len(all))
	}
	p.Look(e)
	if keys := p.AppendForget(nil); len(keys) > 0 || len(p.AppendNext(nil, 1)) > 0 {
		t.Errorf("a second look forgets %d cubes", len(keys))
	}
}

// TestOrder checks what comes first.
func TestOrder(t *testing.T) {
	p := hills.plan()
	e := eyeAt(10, 100, 10)
	e.Direction = octree.Vec{X: 3}
	p.Look(e)
	all := hills.load(t, p, 50, everything)
	first := slices.IndexFunc(all, func(k lod.Key) bool { return int(k.Level) < hills.top })
	if slices.ContainsFunc(all[first:], func(k lod.Key) bool { return int(k.Level) == hills.top }) {
		t.Error("a cube of the top level comes after others")
	}
	centre := func(k lod.Key) float64 { return float64(k.Box().Min.X+k.Box().Max.X) / 2 }
	ahead, solids := 0, 0
	fine := slices.DeleteFunc(slices.Clone(all), func(k lod.Key) bool { return k.Level > 0 })
	for i, k := range fine {
		if i < len(fine)/4 && centre(k) > e.Position.X {
			ahead++
		}
		if i < len(fine)/4 && hills.cube(k.Parent()).Solid {
			solids++
		}
	}
	if ahead < len(fine)/4*6/10 {
		t.Errorf("%d of the first %d cubes are where the viewer looks", ahead, len(fine)/4)
	}
	if solids > len(fine)/4/10 {
		t.Errorf("%d of the first %d cubes are in solid ones", solids, len(fine)/4)
	}
}

// TestAhead checks that a viewer gets what it moves to before what it leaves.
func TestAhead(t *testing.T) {
	p := hills.plan()
	e := eyeAt(0, 100, 0)
	e.Velocity.X = 40
	p.Look(e)
	hills.load(t, p, 100, everything)
	east, west := 0, 0
	p.Held(func(k lod.Key, _ uint64) bool {
		if k.Level == 0 {
			east, west = max(east, k.Box().Max.X), min(west, k.Box().Min.X)
		}
		return true
	})
	if east <= -west+32 {
		t.Errorf("the finest cubes reach from %d to %d", west, east)
	}
}

// TestLevelsOfNeighbours checks at random eyes, after random walks, that the levels of shown cubes that touch differ by at most one.
func TestLevelsOfNeighbours(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 2))
		l := hills
		l.top = 2 + r.IntN(4)
		p := l.plan()
		e := lod.Eye{PixelsPerRadian: 1000, MaxError: 10 + r.Float64()*30, Radius: 50 + math.Exp(r.Float64()*6.5)}
		for range 1 + r.IntN(20) {
			e.Position = octree.Vec{X: e.Position.X + r.NormFloat64()*60, Y: r.Float64() * 300, Z: e.Position.Z + r.NormFloat64()*60}
			p.Look(e)
			l.load(t, p, 1000, everything)
		}
		shown := make(map[lod.Key]bool)
		p.Shown(func(k lod.Key, _ uint64) bool {
			shown[k] = true
			return true
		})
		if err := touching(shown); err != "" {
			t.Errorf("seed %d: %s", seed, err)
		}
	}
}

// touching returns which cubes touch, by a face, an edge or a corner, though their levels differ by two or more.
func touching(shown map[lod.Key]bool) string {
	for k := range shown {
		for dx := int32(-1); dx <= 1; dx++ {
			for dy := int32(-1); dy <= 1; dy++ {
				for dz := int32(-1); dz <= 1; dz++ {
					n := lod.Key{X: k.X + dx, Y: k.Y + dy, Z: k.Z + dz, Level: k.Level}.Parent()
					if n == k.Parent() {
						continue
					}
					for range 5 {
						n = n.Parent()
						if shown[n] {
							return k.String() + " touches " + n.String()
						}
					}
				}
			}
		}
	}
	return ""
}

// TestToAndFro checks that walking across borders loads nothing twice.
func TestToAndFro(t *testing.T) {
	for _, maxError := range []float64{5, 10, 20, 31} {
		p := hills.plan()
		e := eyeAt(0, 100, 0)
		e.MaxError = maxError
		for i := range 400 {
			e.Position.X = 3 * math.Sin(float64(i)/10)
			e.Velocity.X = 0.8 * math.Cos(float64(i)/10)
			p.Look(e)
			if n := len(hills.load(t, p, 100, everything)); n > 0 && i > 70 {
				t.Errorf("error %g, step %d: %d cubes are loaded again", maxError, i, n)
			}
			if n := len(p.AppendForget(nil)); n > 0 && i > 70 {
				t.Errorf("error %g, step %d: %d cubes are forgotten", maxError, i, n)
			}
		}
	}
}

// TestMemory checks that a viewer with little memory keeps the whole radius, and as much detail near it as fits.
func TestMemory(t *testing.T) {
	for memory, level := range map[int]int{200_000: 2, 600_000: 0, 1_000_000: 0} {
		p := hills.plan()
		e := eyeAt(0, 40, 0)
		e.Memory = memory
		for i := range 400 {
			e.Position.X = float64(i)
			p.Look(e)
			hills.load(t, p, 40, 200)
			if p.Bytes() > memory+40*500 {
				t.Fatalf("step %d: %d bytes are held, want at most %d", i, p.Bytes(), memory)
			}
		}
		for range 100 {
			p.Look(e)
			hills.load(t, p, 40, everything)
		}
		if !p.Complete(0) || p.Bytes() > memory || p.Bytes() < memory/2 {
			t.Errorf("memory %d: complete %t, %d bytes are held", memory, p.Complete(0), p.Bytes())
		}
		for _, c := range []struct{ far, level int }{{0, level}, {2000, hills.top}} {
			if _, ok := p.Get(lod.KeyOf(geom.Point{X: 399 + c.far, Y: hills.height(399+c.far, 0)}, c.level)); !ok {
				t.Errorf("memory %d: the cube of level %d, %d blocks away, is not held", memory, c.level, c.far)
			}
		}
		e.Memory = 0
		for range 100 {
			p.Look(e)
			hills.load(t, p, 1000, everything)
		}
		q := hills.plan()
		q.Look(e)
		hills.load(t, q, 1000, everything)
		if p.Bytes() < q.Bytes() {
			t.Errorf("memory %d: without a bound %d bytes are held, want %d or more", memory, p.Bytes(), q.Bytes())
		}
	}
}

// TestLittleMemory checks that a viewer that stands ends with cubes that fit, and loads none again.
func TestLittleMemory(t *testing.T) {
	for i, memory := 0, 300; memory < 2_000_000; i, memory = i+1, memory*8/7 {
		p := hills.plan()
		e := eyeAt(float64(i%3)*100, float64(40+i%2*700), float64(i%3)*100)
		e.Memory = memory
		loaded := 0
		for i := range 600 {
			p.Look(e)
			p.AppendForget(nil)
			n := len(hills.load(t, p, 40, 200))
			if i >= 400 {
				loaded += n
			}
		}
		if loaded > 0 {
			t.Errorf("memory %d: %d cubes are loaded again and again", memory, loaded)
		}
	}
}

// TestMaxCubes checks that no eye makes a plan large.
func TestMaxCubes(t *testing.T) {
	huge := geom.Box{Min: geom.Point{X: -1 << 24, Y: -1 << 12, Z: -1 << 24}, Max: geom.Point{X: 1 << 24, Y: 1 << 12, Z: 1 << 24}}
	for _, top := range []int{0, 3, lod.MaxLevel} {
		for _, few := range []int{1, 8, 31, 32, 33, 64} {
			p := lod.New(lod.Options{Bounds: huge, Top: top, MaxCubes: few})
			p.Look(lod.Eye{PixelsPerRadian: 500, MaxError: 1, Radius: 100})
			if n := p.Len() + p.Missing(); n == 0 || n > 64 {
				t.Errorf("top level %d, at most %d cubes: %d are needed", top, few, n)
			}
		}
		p := lod.New(lod.Options{Bounds: huge, Top: top, MaxCubes: 5000})
		e := lod.Eye{PixelsPerRadian: 1 << 30, MaxError: 1e-9, Radius: 1 << 30}
		n := 0
		for range 50 {
			p.Look(e)
			for _, k := range p.AppendNext(nil, 500) {
				p.Have(k, lod.Cube{Version: 1, Bytes: 1})
			}
			n = max(n, p.Len()+p.Missing())
		}
		if n > 5000+8*500 || p.Len() == 0 {
			t.Errorf("top level %d: %d cubes", top, n)
		}
	}
}

func TestEye(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*lod.Eye)
		ok   bool
	}{
		{"zero", func(*lod.Eye) {}, true},
		{"far", func(e *lod.Eye) { e.Position.X = -2e9 }, false},
		{"not a number", func(e *lod.Eye) { e.Velocity.Y = math.NaN() }, false},
		{"infinite", func(e *lod.Eye) { e.Direction.Z = math.Inf(-1) }, false},
		{"negative radius", func(e *lod.Eye) { e.Radius = -1 }, false},
		{"negative error", func(e *lod.Eye) { e.MaxError = -1 }, false},
		{"negative memory", func(e *lod.Eye) { e.Memory = -1 }, false},
	} {
		var e lod.Eye
		c.set(&e)
		if err := e.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestWrongBounds(t *testing.T) {
	far := geom.Box{Min: geom.Point{X: 1 << 26}, Max: geom.Point{X: 1<<26 + 1, Y: 1, Z: 1}}
	for name, f := range map[string]func(){
		"empty":     func() { lod.New(lod.Options{}) },
		"far":       func() { lod.New(lod.Options{Bounds: far}) },
		"top level": func() { lod.New(lod.Options{Bounds: hills.bounds, Top: lod.MaxLevel + 1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestHaveUnneeded(t *testing.T) {
	p := hills.plan()
	p.Look(eyeAt(0, 100, 0))
	for _, k := range []lod.Key{
		{Level: 0}, {Level: 9}, {X: 1000, Level: 4}, {X: math.MinInt32, Y: math.MaxInt32, Level: 3}, {Level: 255},
	} {
		if p.Have(k, lod.Cube{Version: 1}) {
			t.Errorf("%v is needed", k)
		}
		if _, ok := p.Get(k); ok {
			t.Errorf("%v is held", k)
		}
		p.Drop(k)
		p.Again(k)
	}
}

// TestLookAllocates pins that a viewer that walks allocates nothing where nothing changes.
func TestLookAllocates(t *testing.T) {
	p := hills.plan()
	e := eyeAt(0, 100, 0)
	p.Look(e)
	hills.load(t, p, 1000, everything)
	if n := testing.AllocsPerRun(100, func() {
		e.Position.X += 0.01
		p.Look(e)
	}); n > 0 {
		t.Errorf("a look makes %g allocations", n)
	}
}

func BenchmarkLookStanding(b *testing.B) {
	p := hills.plan()
	e := eyeAt(0, 100, 0)
	for range 2 {
		p.Look(e)
		hills.load(b, p, 1000, everything)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.Look(e)
	}
}

// BenchmarkLookWalking moves by one block and gives what is asked for.
func BenchmarkLookWalking(b *testing.B) {
	p := hills.plan()
	e := eyeAt(0, 100, 0)
	p.Look(e)
	hills.load(b, p, 1000, everything)
	b.ReportAllocs()
	step, keys, asked := 1.0, []lod.Key(nil), 0
	for b.Loop() {
		e.Position.X += step
		if math.Abs(e.Position.X) > 800 {
			step = -step
		}
		p.Look(e)
		b.StopTimer()
		keys = p.AppendForget(keys[:0])
		asked += len(hills.load(b, p, 1000, everything))
		b.StartTimer()
	}
	b.ReportMetric(float64(asked)/float64(b.N), "cubes/op")
}

// BenchmarkLoad makes a plan and gives it all that it asks for.
func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	cubes := make(map[lod.Key]lod.Cube)
	n := 0
	for b.Loop() {
		p := hills.plan()
		p.Look(eyeAt(0, 100, 0))
		for keys := p.AppendNext(nil, 64); len(keys) > 0; keys = p.AppendNext(keys[:0], 64) {
			for _, k := range keys {
				c, ok := cubes[k]
				if !ok {
					c = hills.cube(k)
					cubes[k] = c
				}
				p.Have(k, c)
			}
		}
		n = p.Len()
	}
	b.ReportMetric(float64(n), "cubes/op")
}

// BenchmarkGet asks for cubes all over the land, of which the viewer has few.
func BenchmarkGet(b *testing.B) {
	p := hills.plan()
	p.Look(eyeAt(0, 100, 0))
	hills.load(b, p, 1000, everything)
	r := rand.New(rand.NewPCG(1, 1))
	var keys [1 << 12]lod.Key
	for i := range keys {
		x, z := r.IntN(6000)-3000, r.IntN(6000)-3000
		keys[i] = lod.KeyOf(geom.Point{X: x, Y: hills.height(x, z), Z: z}, i%5)
	}
	i, n := 0, 0
	for b.Loop() {
		if _, ok := p.Get(keys[i%len(keys)]); ok {
			n++
		}
		i++
	}
	b.ReportMetric(float64(n)/float64(b.N), "held/op")
}
