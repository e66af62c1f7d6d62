package grid_test

import (
	"runtime"
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
