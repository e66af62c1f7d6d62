package undo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// place is a cell of the model.
type place struct {
	volume string
	at     geom.Point
}

// was is what an update of the model wrote over, and what with.
type was map[place][2]voxel.Cell

// step is the updates of a step, in their order.
type step []was

// model is a world and its history as maps.
type model struct {
	cells      map[place]voxel.Cell
	undo, redo map[string][]step
	open       map[string]bool
	joined     map[string]bool // whether the open step has a record
}

func newModel() *model {
	return &model{map[place]voxel.Cell{}, map[string][]step{}, map[string][]step{}, map[string]bool{}, map[string]bool{}}
}

func (m *model) cell(p place) voxel.Cell {
	if c, ok := m.cells[p]; ok {
		return c
	}
	if p.volume == "shine" {
		return 15
	}
	return 0
}

func (m *model) set(step was, p place, v voxel.Cell) {
	if old := m.cell(p); old != v {
		if had, ok := step[p]; ok && had[1] == old {
			old = had[0]
		}
		step[p] = [2]voxel.Cell{old, v}
		m.cells[p] = v
	}
}

func (m *model) update(author string, writes map[place]voxel.Cell) {
	now := was{}
	for p, v := range writes {
		m.set(now, p, v)
	}
	if len(now) == 0 {
		return
	}
	m.redo[author] = nil
	steps := m.undo[author]
	if m.open[author] && m.joined[author] {
		steps[len(steps)-1] = append(steps[len(steps)-1], now)
		return
	}
	m.joined[author] = m.open[author]
	m.undo[author] = append(steps, step{now})
}

// move takes back the last step of from and returns how many cells it put back
// and left, or false if there is none.
func (m *model) move(author string, from, to map[string][]step) (cells, skipped int, ok bool) {
	m.open[author] = false
	steps := from[author]
	if len(steps) == 0 {
		return 0, 0, false
	}
	before, left := map[place]voxel.Cell{}, map[place]bool{}
	for _, update := range slices.Backward(steps[len(steps)-1]) {
		for p, pair := range update {
			if _, ok := before[p]; !ok {
				before[p] = m.cell(p)
			}
			if m.cell(p) == pair[1] {
				m.cells[p] = pair[0]
			} else {
				left[p] = true
			}
		}
	}
	back := was{}
	for p, was := range before {
		if now := m.cell(p); now != was {
			back[p] = [2]voxel.Cell{was, now}
			cells++
		} else if left[p] {
			skipped++
		}
	}
	from[author], to[author] = steps[:len(steps)-1], append(to[author], step{back})
	return cells, skipped, true
}

// Steps of several authors in one place, begun, ended, undone and redone in any
// order, give the cells that the model has.
func TestRandomSteps(t *testing.T) {
	long.Alone(t)
	seeds := uint64(long.By(3, 6, 6))
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { randomSteps(t, rand.New(rand.NewPCG(seed, 3))) })
	}
}

func randomSteps(t *testing.T, r *rand.Rand) {
	w := create(t, world.Options{Whole: true}, volumes...)
	h := undo.New(w, undo.Options{})
	m := newModel()
	authors := []string{"ann", "bob", "eve"}
	for i := range 300 {
		author := authors[r.IntN(len(authors))]
		var cells, skipped int
		var ok bool
		var got undo.Undone
		var err error
		switch k := r.IntN(16); {
		case k == 0:
			h.Begin(author, "joined")
			m.open[author], m.joined[author] = true, false
			continue
		case k == 1:
			h.End(author)
			m.open[author] = false
			continue
		case k < 5:
			got, err = h.Undo(ctx, author)
			cells, skipped, ok = m.move(author, m.undo, m.redo)
		case k < 8:
			got, err = h.Redo(ctx, author)
			cells, skipped, ok = m.move(author, m.redo, m.undo)
		case k == 8:
			if _, err := w.Commit(ctx, ""); err != nil {
				t.Fatal(err)
			}
			continue
		default:
			m.update(author, randomWrites(t, r, h, author))
			continue
		}
		if ok != (err == nil) || got.Cells != cells || got.Skipped != skipped {
			t.Fatalf("got %d cells, %d skipped, %v; want %d, %d, %v", got.Cells, got.Skipped, err, cells, skipped, ok)
		}
		if i%8 == 0 {
			compare(t, w, m)
		}
	}
	compare(t, w, m)
}

// randomWrites fills some boxes and returns what that writes.
func randomWrites(t *testing.T, r *rand.Rand, h *undo.History, author string) map[place]voxel.Cell {
	t.Helper()
	writes := map[place]voxel.Cell{}
	_, err := h.Update(ctx, author, "random", func(tx *world.Tx) error {
		for range 1 + r.IntN(3) {
			v := tx.Dimension(earth).Volume(volumes[r.IntN(len(volumes))].Name)
			edge := 1 + r.IntN(6)
			at := geom.Point{X: r.IntN(20) - 10, Y: r.IntN(20) + 22, Z: r.IntN(20) - 10}
			if r.IntN(20) == 0 {
				at = geom.Point{X: -16}
				edge = 32
			}
			cell := voxel.Cell(r.IntN(3))
			if v.Schema == voxel.Palette {
				cell = v.Named([]string{"air", "name1", "name2"}[cell])
			} else if v.Schema == voxel.Terrain {
				cell <<= 8
			}
			b := geom.Box{Min: at, Max: at.Add(geom.Point{X: edge, Y: edge, Z: edge})}
			v.Fill(b, cell)
			for y := b.Min.Y; y < b.Max.Y; y++ {
				for z := b.Min.Z; z < b.Max.Z; z++ {
					for x := b.Min.X; x < b.Max.X; x++ {
						writes[place{v.Volume.Name, geom.Point{X: x, Y: y, Z: z}}] = cell
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return writes
}

func compare(t *testing.T, w *world.World, m *model) {
	t.Helper()
	d := w.View().Dimension(earth)
	in := map[string]*world.Volume{}
	for _, v := range volumes {
		in[v.Name] = d.Volume(v.Name)
	}
	for p, want := range m.cells {
		if got, ok := in[p.volume].Cell(p.at); !ok || got != want {
			t.Fatalf("%v: got %d, %v, want %d", p, got, ok, want)
		}
	}
}
