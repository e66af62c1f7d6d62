package world_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
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
			v.Fill(region.Box{Max: geom.Point{X: landEdge, Y: 8, Z: landEdge}}, 4)
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

// TestWorker reads and edits a world through little memory, beside commits and restores, and
// compares each cell with a map.
func TestWorker(t *testing.T) {
	long.Alone(t)
	steps := 1000
	ctx := t.Context()
	l := newLand(t)
	w := l.open()
	defer closeWorld(t, w)
	r, err := w.Worker(earth, "solid")
	if err != nil {
		t.Fatal(err)
	}
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
			dst := make([]voxel.Cell, b.Cells())
			if err := r.ReadBox(ctx, b, dst); err != nil {
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
			if c, err := r.Cell(ctx, p); err != nil || c != l.want(p) {
				t.Fatalf("step %d: cell %v is %d, %v; want %d", i, p, c, err, l.want(p))
			}
		}
	}
	if _, ok := w.View().Dimension(earth).Volume("solid").Cell(geom.Point{X: 3, Y: 3, Z: 3}); ok {
		t.Error("what a Worker reads stays in the world for good")
	}
	if _, err := r.Cell(ctx, geom.Point{X: 1 << 40}); !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("out of range: %v", err)
	}
	if _, err := w.Worker(earth, "none"); err == nil || !strings.Contains(err.Error(), `no volume "none"`) {
		t.Errorf("an unknown volume: %v", err)
	}
}

// TestWorkerHere asks for chunks without waiting.
func TestWorkerHere(t *testing.T) {
	l := newLand(t)
	w, err := world.Open(t.Context(), l.st, "land", world.Options{Memory: 8 << 20})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := w.Worker(earth, "solid")
	p := geom.Point{X: 100, Y: 3, Z: 100}
	if _, ok := r.CellHere(p); ok {
		t.Error("a chunk that nobody asked for is in memory")
	}
	for {
		if c, ok := r.CellHere(p); ok {
			if c != l.want(p) {
				t.Errorf("cell %d, want %d", c, l.want(p))
			}
			break
		}
		runtime.Gosched()
	}
	if _, ok := w.View().Dimension(earth).Volume("solid").Cell(p); ok {
		t.Error("a fetch holds the chunk")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	far := geom.Point{X: 400, Y: 3, Z: 400}
	if _, err := r.Cell(ctx, far); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	closeWorld(t, w)
	if _, err := r.Cell(t.Context(), far); !errors.Is(err, world.ErrClosed) {
		t.Errorf("a closed world: %v", err)
	}
	if _, ok := r.CellHere(far); ok || w.Upkeep().Fetches.Count != 0 {
		t.Errorf("a closed world: %+v", w.Upkeep().Fetches)
	}
}

// TestWorkers has workers read beside updates, commits and restores. What they read was
// written once.
func TestWorkers(t *testing.T) {
	ctx := t.Context()
	l := newLand(t)
	w := l.open()
	defer closeWorld(t, w)
	var group sync.WaitGroup
	for g := range 3 {
		group.Go(func() {
			r, err := w.Worker(earth, "solid")
			if err != nil {
				t.Error(err)
				return
			}
			rnd := rand.New(rand.NewPCG(3, uint64(g)))
			for range 400 {
				p := randomIn(rnd)
				p.Y = 8 + p.Y%8
				c, err := r.Cell(ctx, p)
				if err != nil || c != l.want(p) && c != 9 {
					t.Errorf("cell %v is %d, %v; want %d or 9", p, c, err, l.want(p))
					return
				}
				if c, ok := r.CellHere(p); ok && c != l.want(p) && c != 9 {
					t.Errorf("cell %v is %d; want %d or 9", p, c, l.want(p))
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

// A Worker reads its volume after a Restore put another in its place, and fails while there
// is none.
func TestWorkerAfterRestore(t *testing.T) {
	w := create(t, newStore(), "a", world.Options{Whole: true})
	add := func(dimension, name string) {
		update(t, w, func(tx *world.Tx) {
			v := tx.AddDimension(dimension, voxel.BlockVolumes(), nil).Volume(voxel.Block)
			v.Set(geom.Point{}, v.Named(name))
		})
	}
	add(earth, "rock")
	before := commit(t, w)
	add("b", "sand")
	add("c", "iron")
	commit(t, w)
	r, err := w.Worker("c", voxel.Block)
	if err != nil {
		t.Fatal(err)
	}
	read := func(want string) {
		t.Helper()
		c, err := r.Cell(ctx, geom.Point{})
		here, ok := r.CellHere(geom.Point{})
		if want == "" {
			if err == nil || ok || r.ReadBox(ctx, geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, make([]voxel.Cell, 1)) == nil {
				t.Errorf("without its volume a Worker reads %d, %v and %d, %v", c, err, here, ok)
			}
			return
		}
		if got := w.View().Dimension("c").Volume(voxel.Block).CellName(c); err != nil || !ok || here != c || got != want {
			t.Errorf("a Worker reads %q, %v and %d, %v: want %q", got, err, here, ok, want)
		}
	}
	read("iron")
	if _, err := w.Restore(ctx, before.ID(), ""); err != nil {
		t.Fatal(err)
	}
	read("")
	add("c", "gold") // before b
	add("b", "tin")
	read("gold")
}

// A function that Options.Go is given may wait for the world.
func TestGoMayWait(t *testing.T) {
	st := newStore()
	w := create(t, st, "a", world.Options{Whole: true})
	for i := range 8 {
		set(t, w, geom.Point{X: i * 1000}, "rock")
	}
	commit(t, w)
	closeWorld(t, w)
	w, err := world.Open(ctx, st, "a", world.Options{Memory: 1, Go: func(f func()) { f() }})
	if err != nil {
		t.Fatal(err)
	}
	defer closeWorld(t, w)
	r, err := w.Worker(earth, voxel.Block)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		r.CellHere(geom.Point{X: i * 1000})
		if n := w.Upkeep().Fetches.Count; n != 0 {
			t.Errorf("%d fetches failed", n)
		}
	}
}
