package edit_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// small opens a world of a block at each x, in a dimension of that name.
func small(t *testing.T, dimension string, at ...int) *world.World {
	t.Helper()
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "small", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	place(t, w, dimension, "stone", at...)
	return w
}

func place(t *testing.T, w *world.World, dimension, name string, at ...int) {
	t.Helper()
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.AddDimension(dimension, voxel.BlockVolumes(), nil).Volume(voxel.Block)
		for _, x := range at {
			v.Set(geom.Point{X: x}, v.Named(name))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// steps works until an operation has ended, at most so many times.
func steps(q *edit.Queue, f *edit.Operation, most int) (ended bool) {
	for range most {
		q.Step(time.Now(), 1)
		select {
		case <-f.Done():
			return true
		default:
		}
	}
	return false
}

// alone is a Queue that does what is beside the game in Step.
func alone(t *testing.T) *edit.Queue {
	q := edit.New(edit.Options{Go: func(f func()) { f() }})
	t.Cleanup(q.Close)
	return q
}

// TestFillEverywhere fills all of space: with air it costs what is there, and with a block it
// ends with an error.
func TestFillEverywhere(t *testing.T) {
	everywhere := world.Everywhere
	for _, tt := range []struct {
		name string
		fill edit.Fill
		err  string
		left int
	}{
		{"air", edit.Fill{Region: everywhere, Name: "air"}, "", 0},
		{"masked", edit.Fill{Region: everywhere, Name: "sand", Mask: mask(t, "stone")}, "", 3},
		{"stone", edit.Fill{Region: everywhere, Name: "stone"}, "fill it in parts", 3},
		{"air in a ball", edit.Fill{Region: region.Ball{Radius: 1 << 24}, Name: "air"}, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := small(t, "a", 0, 1<<20, -1<<25)
			q := alone(t)
			f := q.Add(&edit.Arena{World: w, Dimension: "a"}, &tt.fill, 0)
			if !steps(q, f, 100) {
				t.Fatal("it does not end")
			}
			_, err := f.Wait(t.Context())
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if n := w.View().Dimension("a").Volume(voxel.Block).Len(); n != tt.left {
				t.Errorf("%d chunks are left, want %d", n, tt.left)
			}
		})
	}
}

// A mask that can match nothing is an error that says what may be meant.
func TestMaskOfNothing(t *testing.T) {
	blocks := func(t *testing.T) *world.World {
		w := small(t, "a", 0)
		place(t, w, "a", "minecraft:oak_log[axis=y]", 1)
		place(t, w, "a", "mod:lamp", 2)
		return w
	}
	old := func(t *testing.T) *world.World {
		w := small(t, "a", 0)
		place(t, w, "a", "legacy:1/0", 1)
		return w
	}
	rock := func(t *testing.T) *world.World {
		w, err := world.Create(t.Context(), memory.New(memory.Options{}), "small", world.Options{Whole: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		_, err = w.Update(func(tx *world.Tx) error {
			tx.AddDimension("a", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}}, map[string][]string{"solid": {"air", "rock", "moss"}})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, tt := range []struct {
		mask string
		of   func(*testing.T) *world.World
		want string // in the error; "": none
	}{
		{"stone", blocks, ""},
		{"!air", blocks, ""},
		{"diamond_ore", blocks, ""}, // the game has it
		{"!*_sign,chest", blocks, ""},
		{"oak_log[axis=x]", blocks, ""},
		{"mod:lamp", blocks, ""},
		{"chest[facing=north]", blocks, ""},
		{"stnoe", blocks, `did you mean "stone"?`},
		{"Stone", blocks, `did you mean "stone"?`},
		{"!stnoe", blocks, `did you mean "stone"?`},
		{"stone,drit", blocks, `mask "drit": neither the world nor its game has such a name; did you mean "dirt"?`},
		{"mod:lmap", blocks, `did you mean "mod:lamp"?`},
		{"oak_lgo[axis=y]", blocks, `did you mean "oak_log"?`},
		{"oak_log[axs=y]", blocks, `no oak_log of the world has [axs=y]`},
		{"*_sing", blocks, `mask "*_sing": neither`},
		{"#existing", blocks, `!air is all`},
		{"stone,*_wool,35:14,legacy:35/*,legacy:1,log:2", old, `mask "log:2": masks have names from 1.13 on, or numbers; did you mean "minecraft:birch_log"?`},
		{"stone,*_wool,35:14,legacy:35/*,legacy:1,red_wool", old, ""},
		{"red_wol", old, `did you mean "red_wool"?`},
		{"deepslate", old, `the game has none before 1.13`},
		{"rock", rock, ""},
		{"air", rock, ""},
		{"rokc", rock, `did you mean "rock"?`},
		{"stone", rock, `mask "stone": neither`},
	} {
		t.Run(tt.mask, func(t *testing.T) {
			w := tt.of(t)
			volume, name := w.View().Dimension("a").Volumes()[0].Volume.Name, "moss"
			if v := w.View().Dimension("a").Volume(volume); v.Schema == voxel.Palette {
				name = v.CellName(1)
			}
			op := &edit.Fill{Region: geom.Box{Max: geom.Point{X: 9, Y: 9, Z: 9}}, Volume: volume, Name: name, Mask: mask(t, tt.mask)}
			if _, err := edit.Do(t.Context(), &edit.Arena{World: w, Dimension: "a"}, op); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// A Fill with a Mask leaves a terrain as full as it is.
func TestFillRepaints(t *testing.T) {
	w := small(t, "a")
	cells := []voxel.Cell{voxel.TerrainCell(1, 3), voxel.TerrainCell(2, 200), voxel.TerrainCell(1, 255), 0}
	_, err := w.Update(func(tx *world.Tx) error {
		v := tx.AddDimension("b", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}}, map[string][]string{"solid": {"air", "rock", "moss", "sand"}}).Volume("solid")
		for x, c := range cells {
			v.Set(geom.Point{X: x}, c)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	op := &edit.Fill{Region: geom.Box{Max: geom.Point{X: 4, Y: 1, Z: 1}}, Volume: "solid", Name: "sand", Mask: mask(t, "rock")}
	if did, err := edit.Do(t.Context(), &edit.Arena{World: w, Dimension: "b"}, op); err != nil || did.Cells != 2 {
		t.Fatalf("%+v, %v", did, err)
	}
	for x, want := range []voxel.Cell{voxel.TerrainCell(3, 3), cells[1], voxel.TerrainCell(3, 255), 0} {
		if got, _ := w.View().Dimension("b").Volume("solid").Cell(geom.Point{X: x}); got != want {
			t.Errorf("cell %d is %x, want %x", x, got, want)
		}
	}
}

func mask(t *testing.T, text string) region.Mask {
	t.Helper()
	m, err := region.ParseMask(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A Fill of many squares plans them as it goes, and does all of them.
func TestFillInSquares(t *testing.T) {
	long.Alone(t)
	w := small(t, "a")
	q := alone(t)
	r := region.Union{geom.Box{Max: geom.Point{X: 700, Y: 33, Z: 300}}, region.Ball{Center: geom.Point{X: 5000, Z: -900}, Radius: 70}}
	f := q.Add(&edit.Arena{World: w, Dimension: "a"}, &edit.Fill{Region: r, Name: "stone"}, 0)
	if !steps(q, f, math.MaxInt) {
		t.Fatal("it does not end")
	}
	got, err := f.Wait(t.Context())
	chunks := 0
	for range region.Chunks(r) {
		chunks++
	}
	if n := region.Count(r); err != nil || got.Cells != n || got.Chunks != chunks || got.Done != chunks {
		t.Errorf("got %+v, %v: want %d cells in %d chunks", got, err, n, chunks)
	}
	if n, _ := w.View().Dimension("a").Volume(voxel.Block).CountNonEmpty(r); n != region.Count(r) {
		t.Errorf("%d cells are filled, want %d", n, region.Count(r))
	}
	undone := q.Add(&edit.Arena{World: w, Dimension: "a"}, f.Undo(), 0)
	if !steps(q, undone, math.MaxInt) || w.View().Dimension("a").Volume(voxel.Block).Len() != 0 {
		t.Error("it cannot be undone")
	}
}

// TestRestoreBesideOperations takes the dimension away from operations that are under way, and
// gives it back with other names. They fail, and change nothing.
func TestRestoreBesideOperations(t *testing.T) {
	for stop := range 12 {
		for _, again := range []bool{false, true} {
			w := small(t, "a", 0)
			before, err := w.Commit(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			place(t, w, "b", "iron", 0, 100)
			if _, err := w.Commit(t.Context(), ""); err != nil {
				t.Fatal(err)
			}
			q := alone(t)
			a := &edit.Arena{World: w, Dimension: "b", Light: new(edit.Flood)}
			f := q.Add(a, &edit.Fill{Region: geom.Box{Max: geom.Point{X: 300, Y: 40, Z: 40}}, Name: "gold"}, 0)
			if steps(q, f, stop) {
				continue
			}
			if _, err := w.Restore(t.Context(), before.ID(), ""); err != nil {
				t.Fatal(err)
			}
			if again {
				place(t, w, "b", "sand", 0)
				place(t, w, "b", "clay", 100)
			}
			if !steps(q, f, 1000) {
				t.Fatalf("after %d steps: the operation does not end", stop)
			}
			if _, err := f.Wait(context.Background()); err == nil && !again || errors.Is(err, history.ErrClosed) {
				t.Errorf("after %d steps: %v", stop, err)
			}
			if d := w.View().Dimension("b"); again != (d != nil) {
				t.Fatalf("after %d steps: dimension %v", stop, d)
			} else if again {
				v := d.Volume(voxel.Block)
				c, _ := v.Cell(geom.Point{X: 100})
				if name := v.CellName(c); name != "clay" && name != "gold" {
					t.Errorf("after %d steps: the fill of gold left %q", stop, name)
				}
			}
			undone := q.Add(a, f.Undo(), 0)
			if !steps(q, undone, 1000) {
				t.Fatalf("after %d steps: its undo does not end", stop)
			}
		}
	}
}
