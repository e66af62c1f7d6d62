package grid_test

import (
	"maps"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// A View shows one update whole, whatever is written meanwhile, and goes on to.
func TestReadersBesideAWriter(t *testing.T) {
	b := box(-20, -10, -20, 40, 30, 40)
	g := grid.Hold(grid.New(grid.Options{}))
	fill := func(n voxel.Cell) error {
		_, err := g.Update(func(d *grid.Draft) error {
			d.Fill(b, n)
			d.Set(at(1000, 0, 0), n)
			return nil
		})
		return err
	}
	if err := fill(1); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			kept := g.View()
			first, _ := kept.Cell(b.Min)
			for last := voxel.Cell(0); last < 60; {
				v := g.View()
				got, _ := v.Cell(at(1000, 0, 0))
				if got < last {
					t.Error("a View older than one seen before")
				}
				last = got
				wantOnly(t, v, b, got)
				wantOnly(t, kept, b, first)
			}
		})
	}
	wg.Go(func() {
		for n := range voxel.Cell(60) {
			if err := fill(n + 1); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
}

// wantOnly checks that b is of one cell, at some levels.
func wantOnly(t *testing.T, v *grid.View, b geom.Box, want voxel.Cell) {
	if n, ok := v.CountNonEmpty(b); !ok || n != b.Cells() {
		t.Errorf("%d cells, want %d", n, b.Cells())
	}
	cells := make([]voxel.Cell, 8)
	for _, level := range []int{0, 2, 4} {
		if !v.ReadBox(box(-1, -1, -1, 1, 1, 1), level, cells) || cells[7] != want {
			t.Errorf("level %d: %v, want %d", level, cells, want)
		}
	}
	if err := v.Raycast([3]float64{-90, 0, 0}, [3]float64{1, 0.01, 0}, 200, func(h grid.Hit) bool {
		if h.Cell != want {
			t.Errorf("a ray met %d, want %d", h.Cell, want)
		}
		return false
	}); err != nil {
		t.Error(err)
	}
}

func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// A volume of one chunk takes little besides the chunk.
func TestSmallVolumesAreSmall(t *testing.T) {
	const n, most = 10_000, 512
	views := make([]*grid.View, n)
	var own int
	before := heap()
	for i := range views {
		d := grid.New(grid.Options{}).Edit()
		for x := range 8 {
			d.Set(at(x, 4, 4), voxel.Cell(1+i%7))
		}
		views[i], _ = d.Publish()
	}
	used := heap() - before
	for _, v := range views {
		c, _ := v.Chunk(pos(0, 0, 0))
		own += c.Bytes()
	}
	t.Logf("%d bytes a View, %d of them its chunk", used/n, own/n)
	if over := (used - own) / n; over > most {
		t.Errorf("%d bytes a View besides its chunk, want at most %d", over, most)
	}
	runtime.KeepAlive(views)
}

// A Sub shares the chunks and holds no others.
func TestSub(t *testing.T) {
	d := grid.New(grid.Options{}).Edit()
	d.Fill(box(-100, -100, -100, 100, 100, 100), 7)
	v, _ := d.Publish()
	b := box(-5, 3, 40, 70, 31, 65)
	sub := v.Sub(b)
	n := 0
	for p, c := range v.ChunksIn(b) {
		n++
		if got, ok := sub.Chunk(p); !ok || got != c {
			t.Errorf("chunk %v is not shared", p)
		}
	}
	if sub.Len() != n || n == 0 {
		t.Errorf("%d chunks, want %d", sub.Len(), n)
	}
}

// TestUnloaded compares a View of cubes with one to which its chunks were given one by one.
func TestUnloaded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		cubes, twin := make(map[geom.Code]uint64), grid.New(grid.Options{})
		spread := int32(1) << r.IntN(20)
		for range r.IntN(40) {
			first := geom.ChunkPos{X: (r.Int32N(2*spread) - spread) &^ 3, Y: (r.Int32N(2*spread) - spread) &^ 3, Z: (r.Int32N(2*spread) - spread) &^ 3}
			mask := []uint64{^uint64(0), r.Uint64(), 1 << r.IntN(64), r.Uint64() & r.Uint64()}[r.IntN(4)]
			cubes[geom.CodeOf(first, 0)>>6] |= mask
			for m := mask; m != 0; m &= m - 1 {
				pos := (geom.CodeOf(first, 0)&^63 | geom.Code(bits.TrailingZeros64(m))).Pos()
				twin = twin.With([]grid.Placed{{Pos: pos, Chunk: grid.NotLoaded}})
			}
		}
		asked := 0
		v := grid.Unloaded(grid.Options{}, func(yield func(geom.Code, uint64) bool) {
			asked++
			for _, code := range slices.Sorted(maps.Keys(cubes)) {
				if !yield(code, cubes[code]) {
					return
				}
			}
		})
		if asked != 0 {
			t.Fatal("it asks before it is asked")
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if v.Len() != twin.Len() || v.Whole() != twin.Whole() || v.Levels() != twin.Levels() {
					t.Errorf("%d chunks, %d levels, want %d, %d", v.Len(), v.Levels(), twin.Len(), twin.Levels())
				}
			})
		}
		wg.Wait()
		for pos := range v.Apart(twin) {
			t.Fatalf("chunk %v differs", pos)
		}
		// What is made of it shares nothing that changes.
		var placed []grid.Placed
		for pos := range twin.Chunks() {
			if r.IntN(3) == 0 {
				placed = append(placed, grid.Placed{Pos: pos, Chunk: []*voxel.Chunk{nil, voxel.Uniform(7)}[r.IntN(2)]})
			}
		}
		for pos := range v.With(placed).Apart(twin.With(placed)) {
			t.Fatalf("chunk %v differs after a change", pos)
		}
		for pos := range v.Apart(twin) {
			t.Fatalf("a change of another View changed chunk %v", pos)
		}
		if asked != 1 {
			t.Fatalf("it asked %d times", asked)
		}
	}
}

// TestUnloadedTakesLittle: what is not loaded takes memory for each cube, not for each chunk.
func TestUnloadedTakesLittle(t *testing.T) {
	v := grid.Unloaded(grid.Options{}, func(yield func(geom.Code, uint64) bool) {
		for i := range geom.Code(1024) {
			if !yield(geom.CodeOf(geom.ChunkPos{}, 2)+i, ^uint64(0)) {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	n := v.Len()
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; n != 65536 || bytes > 128<<10 {
		t.Errorf("%d chunks take %d bytes", n, bytes)
	}
}

// A View never changes, however its chunks are written later: cell by cell, in boxes and regions, as
// wholes that an older View had, and in drafts that go on after Publish.
func TestOlderViewsStay(t *testing.T) {
	type kept struct {
		view  *grid.View
		cells []voxel.Cell
	}
	r := rand.New(rand.NewPCG(31, 32))
	v, m := grid.New(grid.Options{Default: 1}), newModel(1)
	var all []kept
	versions := make(chan kept, 100)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			cells := make([]voxel.Cell, arena.Cells())
			for k := range versions {
				for pos := range k.view.Chunks() {
					low := at(int(pos.X)*4, int(pos.Y)*4, int(pos.Z)*4)
					k.view.ReadBox(geom.Box{Min: low, Max: low.Add(at(4, 4, 4))}, 3, cells) // which makes mips
				}
				if k.view.ReadBox(arena, 0, cells); !slices.Equal(cells, k.cells) {
					t.Error("a View beside a writer has other cells")
				}
			}
		})
	}
	d := v.Edit()
	for round := range 16 {
		if round%5 == 0 {
			d = v.Edit()
		}
		switch old := r.IntN(len(all) + 1); {
		case round%8 == 7 && old < len(all): // as a restore and a paste do
			for pos, c := range all[old].view.Chunks() {
				if pos.Box().Intersect(arena) == pos.Box() {
					d.SetChunk(pos, c)
					each(pos.Box(), func(p geom.Point) { m.set(p, all[old].cells[m.index(p)]) })
				}
			}
			fallthrough
		default:
			for range 1 + r.IntN(3) {
				write(r, &d.Draft, m, v)
			}
			for range r.IntN(40) { // in a chunk in use
				p, c := at(r.IntN(20), r.IntN(32), r.IntN(32)), voxel.Cell(r.IntN(4))
				d.Set(p, c)
				m.set(p, c)
				if r.IntN(8) == 0 {
					d.Chunk(p.Chunk())
				}
			}
		}
		if v, _ = d.Publish(); d.Err() != nil {
			t.Fatal(d.Err())
		}
		k := kept{v, slices.Clone(m.cells)}
		all = append(all, k)
		versions <- k
		versions <- all[r.IntN(len(all))]
	}
	close(versions)
	wg.Wait()
	cells := make([]voxel.Cell, arena.Cells())
	for i, k := range all {
		if k.view.ReadBox(arena, 0, cells); !slices.Equal(cells, k.cells) {
			t.Errorf("View %d has other cells at the end", i)
		}
	}
}
