package world_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// land is a made world that does not fit in the memory that its tests allow, and what is in
// it.
type land struct {
	t     *testing.T
	st    history.Store
	cells map[geom.Point]voxel.Cell
}

const (
	landEdge   = 512 // cells
	landHeight = 64
	landMemory = 64 << 10
)

// newLand makes a world of noise: pages of it are many times larger than landMemory.
func newLand(t *testing.T) *land {
	l := &land{t: t, st: memory.New(memory.Options{}), cells: make(map[geom.Point]voxel.Cell)}
	w, err := world.Create(t.Context(), l.st, "land", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, w)
	rnd := rand.New(rand.NewPCG(1, 1))
	l.update(func() (*world.Change, error) {
		return w.Update(func(tx *world.Tx) error {
			d := tx.AddDimension(earth, []voxel.Volume{{Name: "solid", Schema: voxel.Palette, Scale: 1}}, map[string][]string{"solid": {"air", "a", "b", "c", "d"}})
			v := d.Volume("solid")
			v.Fill(geom.Box{Max: geom.Point{X: landEdge, Y: 8, Z: landEdge}}, 4)
			for range 15000 {
				p := randomIn(rnd)
				c := voxel.Cell(rnd.IntN(5))
				l.cells[p] = c
				v.Set(p, c)
			}
			return nil
		})
	})
	if _, err := w.Commit(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	return l
}

func randomIn(rnd *rand.Rand) geom.Point {
	return geom.Point{X: rnd.IntN(landEdge), Y: rnd.IntN(landHeight), Z: rnd.IntN(landEdge)}
}

func (l *land) update(f func() (*world.Change, error)) {
	l.t.Helper()
	if _, err := f(); err != nil {
		l.t.Fatal(err)
	}
}

func (l *land) want(p geom.Point) voxel.Cell {
	if c, ok := l.cells[p]; ok {
		return c
	}
	if p.Y < 8 {
		return 4
	}
	return 0
}

func (l *land) open() *world.World {
	w, err := world.Open(l.t.Context(), l.st, "land", world.Options{Memory: landMemory, Manual: true})
	if err != nil {
		l.t.Fatal(err)
	}
	return w
}

// read brings a box of the land into memory, reads it and lets go of it.
func (l *land) read(w *world.World, b geom.Box) ([]voxel.Cell, error) {
	h, err := w.Load(l.t.Context(), earth, b, "solid")
	if err != nil {
		return nil, err
	}
	defer h.Release()
	dst := make([]voxel.Cell, b.Cells())
	if !w.View().Dimension(earth).Volume("solid").ReadBox(b, 0, dst) {
		return nil, errors.New("what is held is not in memory")
	}
	return dst, nil
}

// TestLarge reads and edits a world through little memory, beside commits and restores, and
// compares each cell with a map.
func TestLarge(t *testing.T) {
	long.Alone(t)
	steps := 1000
	ctx := t.Context()
	l := newLand(t)
	w := l.open()
	defer closeWorld(t, w)
	rnd := rand.New(rand.NewPCG(2, 2))
	first, before := w.Head(), map[geom.Point]voxel.Cell{}
	for p, c := range l.cells {
		before[p] = c
	}
	for i := range steps {
		p := randomIn(rnd)
		switch {
		case i%40 == 0:
			c := voxel.Cell(rnd.IntN(5))
			l.update(func() (*world.Change, error) {
				return w.UpdateContext(ctx, func(tx *world.Tx) error {
					v := tx.Dimension(earth).Volume("solid")
					for n := range 3 { // in up to three pages
						at := geom.Point{X: (p.X + 200*n) % landEdge, Y: p.Y, Z: p.Z}
						v.Set(at, c)
						if v.Err() == nil {
							l.cells[at] = c
						}
					}
					return nil
				})
			})
		case i%100 == 7:
			if _, err := w.Commit(ctx, ""); err != nil {
				t.Fatal(err)
			}
		case i == steps*7/10:
			if _, err := w.Restore(ctx, first, ""); err != nil {
				t.Fatal(err)
			}
			l.cells = before
		case i%5 == 0:
			b := geom.Box{Min: p, Max: p.Add(geom.Point{X: 1 + rnd.IntN(40), Y: 1 + rnd.IntN(8), Z: 1 + rnd.IntN(6)})}
			dst, err := l.read(w, b)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for z := b.Min.Z; z < b.Max.Z; z++ {
					for x := b.Min.X; x < b.Max.X; x++ {
						at := geom.Point{X: x, Y: y, Z: z}
						if x < landEdge && z < landEdge && dst[n] != l.want(at) {
							t.Fatalf("step %d: cell %v of box %v is %d, want %d", i, at, b, dst[n], l.want(at))
						}
						n++
					}
				}
			}
		default:
			if c, err := l.read(w, cellBox(p)); err != nil || c[0] != l.want(p) {
				t.Fatalf("step %d: cell %v is %d, %v; want %d", i, p, c, err, l.want(p))
			}
		}
	}
	if _, ok := w.View().Dimension(earth).Volume("solid").Cell(geom.Point{X: 3, Y: 3, Z: 3}); ok {
		t.Error("what was released stays in the world for good")
	}
}

func cellBox(p geom.Point) geom.Box {
	return geom.Box{Min: p, Max: p.Add(geom.Point{X: 1, Y: 1, Z: 1})}
}

// TestLargeBeside has readers load and release beside updates, commits and restores. What they
// read was written once.
func TestLargeBeside(t *testing.T) {
	ctx := t.Context()
	l := newLand(t)
	w := l.open()
	defer closeWorld(t, w)
	var group sync.WaitGroup
	for g := range 3 {
		group.Go(func() {
			rnd := rand.New(rand.NewPCG(3, uint64(g)))
			for range 400 {
				p := randomIn(rnd)
				p.Y = 8 + p.Y%8
				c, err := l.read(w, cellBox(p))
				if err != nil || c[0] != l.want(p) && c[0] != 9 {
					t.Errorf("cell %v is %d, %v; want %d or 9", p, c, err, l.want(p))
					return
				}
			}
		})
	}
	first := w.Head()
	rnd := rand.New(rand.NewPCG(4, 4))
	for i := range 60 {
		_, err := w.UpdateContext(ctx, func(tx *world.Tx) error {
			v := tx.Dimension(earth).Volume("solid")
			for n := len(v.Names()); n < 10; n++ {
				v.Named(strings.Repeat("x", n))
			}
			v.Set(randomIn(rnd), 9)
			return v.Err()
		})
		switch {
		case err == nil && i%10 == 0:
			_, err = w.Commit(ctx, "")
		case err == nil && i%25 == 24:
			_, err = w.Restore(ctx, first, "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	group.Wait()
}
