package world_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

const (
	allLight = voxel.HasSky | voxel.HasLight
	litEdge  = 128 // cells of a lit world along x and z
	litLow   = -16 // least height of its sections
	litHigh  = 64
)

// litBox is what a lit world has.
var litBox = geom.Box{Min: geom.Point{Y: litLow}, Max: geom.Point{X: litEdge, Y: litHigh, Z: litEdge}}

// floodAll returns the light of the whole world by a flood, index (y*litEdge+z)*litEdge+x.
func floodAll(t testing.TB, w *world.World, kind light.Channel) []voxel.Cell {
	t.Helper()
	block := w.View().Dimension(earth).Volume(voxel.Block)
	var f light.Flood
	f.Use(light.Matters(nil).With(block.Names()))
	towers := func(x, z int32) (tower light.Tower) {
		for y := int32(2); y >= -1; y-- {
			if c, ok := block.Chunk(geom.ChunkPos{X: x, Y: y, Z: z}); ok && c != nil {
				tower = append(tower, light.Floor{Y: y, Chunk: c})
			}
		}
		return tower
	}
	out := make([]voxel.Cell, litBox.Cells())
	var row [geom.ChunkEdge]uint8
	for i := range int32(16) { // chunk by chunk: a Flood holds only so much
		from := geom.ChunkPos{X: i & 3, Y: -1, Z: i >> 2}
		if !f.Fill(kind, from, geom.ChunkPos{X: from.X + 1, Y: 2, Z: from.Z + 1}, towers) {
			t.Fatal("no flood")
		}
		for k := range (litHigh - litLow) * geom.ChunkEdge {
			y, z := litLow+k>>5, k&31
			f.Row(geom.ChunkPos{X: from.X, Y: int32(y >> 5), Z: from.Z}, y&31, z, &row)
			for x, l := range row {
				out[((y-litLow)*litEdge+int(from.Z)*32+z)*litEdge+int(from.X)*32+x] = voxel.Cell(l)
			}
		}
	}
	return out
}

// litWorld makes a world of some land whose light is that of a flood.
func litWorld(t testing.TB, st history.Store, o world.Options, columns bool) *world.World {
	t.Helper()
	w := create(t, st, "a", o)
	middle := func(x0, y0, z0, x1, y1, z1 int) geom.Box {
		return geom.Box{Min: geom.Point{X: x0, Y: y0, Z: z0}, Max: geom.Point{X: x1, Y: y1, Z: z1}}
	}
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		v := d.Volume(voxel.Block)
		v.Fill(middle(0, -16, 0, litEdge, 4, litEdge), v.Named("stone"))
		v.Fill(middle(40, 4, 40, 90, 24, 90), v.Named("stone"))
		v.Fill(middle(44, 6, 44, 80, 14, 80), 0)
		v.Fill(middle(60, 14, 60, 63, 24, 63), 0)
		v.Fill(middle(44, 20, 44, 48, 24, 80), v.Named("oak_leaves"))
		for i := range 20 {
			v.Set(geom.Point{X: 46 + i*7%33, Y: 6, Z: 46 + i*13%33}, v.Named("torch"))
			v.Set(geom.Point{X: 46 + i*5%33, Y: 8, Z: 46 + i*11%33}, v.Named("glowstone"))
		}
	})
	sky, lamps := floodAll(t, w, light.Sky), floodAll(t, w, light.Block)
	update(t, w, func(tx *world.Tx) {
		d := tx.Dimension(earth)
		d.Volume(voxel.Sky).WriteBox(litBox, sky)
		d.Volume(voxel.Light).WriteBox(litBox, lamps)
		for i := range int32(64) {
			c := voxel.Column{Pos: geom.ColumnPos{X: i & 7, Z: i >> 3}}
			for y := int8(litLow / 16); y < litHigh/16; y++ {
				c.Sections = append(c.Sections, voxel.Section{Y: y, Has: voxel.HasBlock | allLight})
			}
			if columns {
				d.SetColumn(c)
			}
		}
	})
	commit(t, w)
	return w
}

// checkLit compares the light of a world with a flood's.
func checkLit(t *testing.T, w *world.World, what string) {
	t.Helper()
	d := w.View().Dimension(earth)
	for kind, name := range []string{light.Sky: voxel.Sky, light.Block: voxel.Light} {
		want := floodAll(t, w, light.Channel(kind))
		got := make([]voxel.Cell, len(want))
		if !d.Volume(name).ReadBox(litBox, 0, got) {
			t.Fatalf("%s: %s is not in memory", what, name)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("%s: %s at %d %d %d: got %d, want %d", what, name, i%litEdge, i/litEdge/litEdge+litLow, i/litEdge%litEdge, got[i], want[i])
			}
		}
	}
	for pos, c := range d.Columns(world.Everywhere) {
		if c == nil || c.Stale != 0 {
			t.Fatalf("%s: column %v: %+v", what, pos, c)
		}
	}
}

// randomEdit changes blocks well within a lit world.
func randomEdit(t *testing.T, w *world.World, r *rand.Rand) {
	t.Helper()
	names := []string{"air", "stone", "torch", "glowstone", "oak_leaves"}
	update(t, w, func(tx *world.Tx) {
		v := tx.Dimension(earth).Volume(voxel.Block)
		for range 1 + r.IntN(8) {
			p := geom.Point{X: 36 + r.IntN(52), Y: r.IntN(40), Z: 36 + r.IntN(52)}
			to := p.Add(geom.Point{X: 1, Y: 1, Z: 1})
			if r.IntN(3) == 0 {
				to = p.Add(geom.Point{X: 1 + r.IntN(8), Y: 1 + r.IntN(8), Z: 1 + r.IntN(8)})
			}
			v.Fill(geom.Box{Min: p, Max: to}, v.Named(names[r.IntN(len(names))]))
		}
	})
}

// The light of edits is that of a flood of the whole world, in memory and read
// back, with columns and without, however much of the world is in memory.
func TestRelight(t *testing.T) {
	long.Alone(t)
	rounds := 4
	for _, columns := range []bool{true, false} {
		for _, whole := range []bool{true, false} {
			t.Run(fmt.Sprintf("columns %v, whole %v", columns, whole), func(t *testing.T) {
				st := newStore()
				o := world.Options{Whole: whole, Relight: true}
				w := litWorld(t, st, world.Options{Whole: true, Relight: true}, columns)
				closeWorld(t, w)
				r := rand.New(rand.NewPCG(1, 2))
				for round := range rounds {
					w = open(t, st, "a", o)
					middle := geom.Box{Min: geom.Point{X: 36, Z: 36}, Max: geom.Point{X: 96, Y: 48, Z: 96}}
					held, err := w.Load(ctx, earth, middle, voxel.Block, world.Columns)
					if err != nil {
						t.Fatal(err)
					}
					for range 1 + round%2*3 { // some updates, one commit
						randomEdit(t, w, r)
					}
					held.Release()
					commit(t, w)
					if round == 2 {
						if err := w.Pack(ctx); err != nil {
							t.Fatal(err)
						}
					}
					closeWorld(t, w)
					back := open(t, st, "a", world.Options{Whole: true})
					checkLit(t, back, fmt.Sprint("round ", round))
					closeWorld(t, back)
				}
			})
		}
	}
}

func stale(t *testing.T, w *world.World) (n int) {
	t.Helper()
	for _, c := range w.View().Dimension(earth).Columns(world.Everywhere) {
		if c != nil && c.Stale != 0 {
			n++
		}
	}
	return n
}

// Relight shows light before there is a commit; without the option nothing is
// computed.
func TestRelightAsked(t *testing.T) {
	long.Alone(t)
	for _, on := range []bool{false, true} {
		w := litWorld(t, newStore(), world.Options{Whole: true, Relight: on}, true)
		set(t, w, geom.Point{X: 50, Y: 30, Z: 50}, "glowstone")
		if stale(t, w) != 1 {
			t.Fatal("light is not stale after an edit")
		}
		if err := w.Relight(ctx); err != nil {
			t.Fatal(err)
		}
		if on {
			checkLit(t, w, "asked")
		} else if stale(t, w) != 1 {
			t.Error("light was computed without the option")
		}
		closeWorld(t, w)
	}
}

// An update that is taken back leaves nothing to light; Restore and Fork have the
// light of their versions.
func TestRelightBackAndForth(t *testing.T) {
	long.Alone(t)
	st := newStore()
	w := litWorld(t, st, world.Options{Whole: true, Relight: true}, true)
	first := w.Head()
	p := geom.Point{X: 50, Y: 30, Z: 50}
	set(t, w, p, "glowstone")
	set(t, w, p, "air")
	commit(t, w)
	checkLit(t, w, "set and taken away")
	set(t, w, p, "glowstone")
	commit(t, w)
	checkLit(t, w, "set")
	if err := w.Fork(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	set(t, w, p, "stone")
	if _, err := w.Restore(ctx, first, "back"); err != nil {
		t.Fatal(err)
	}
	commit(t, w)
	checkLit(t, w, "restored")
	fork := open(t, st, "b", world.Options{Whole: true, Relight: true})
	checkLit(t, fork, "forked")
	set(t, fork, p, "air")
	commit(t, fork)
	checkLit(t, fork, "forked and set")
	closeWorld(t, fork)
	closeWorld(t, w)
}

// Who says that he wrote light answers for it.
func TestRelightOwn(t *testing.T) {
	long.Alone(t)
	w := litWorld(t, newStore(), world.Options{Whole: true, Relight: true}, true)
	at := geom.Point{X: 50, Y: 30, Z: 50}
	for _, lit := range []bool{true, false} {
		update(t, w, func(tx *world.Tx) {
			d := tx.Dimension(earth)
			d.Volume(voxel.Block).Set(at, d.Volume(voxel.Block).Named(map[bool]string{true: "glowstone", false: "torch"}[lit]))
			d.Volume(voxel.Light).Set(at, 3)
			if lit {
				d.Lit()
			}
		})
		if got := stale(t, w); got != map[bool]int{true: 0, false: 1}[lit] {
			t.Errorf("lit %v: %d columns are stale", lit, got)
		}
		commit(t, w)
		if got, _ := w.View().Dimension(earth).Volume(voxel.Light).Cell(at); got != map[bool]voxel.Cell{true: 3, false: 14}[lit] {
			t.Errorf("lit %v: light %d", lit, got)
		}
	}
	if stale(t, w) != 0 {
		t.Error("light is stale")
	}
	closeWorld(t, w)
}

// Light that was stale before, and that of an update whose blocks nobody had
// read, stay so.
func TestRelightCannot(t *testing.T) {
	st := newStore()
	w := litWorld(t, st, world.Options{Whole: true}, true)
	set(t, w, geom.Point{X: 50, Y: 30, Z: 50}, "glowstone")
	commit(t, w)
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{Whole: true, Relight: true})
	set(t, w, geom.Point{X: 51, Y: 30, Z: 50}, "stone")
	commit(t, w)
	if n := stale(t, w); n != 1 {
		t.Errorf("%d columns are stale, want the one that was", n)
	}
	closeWorld(t, w)
	w = open(t, st, "a", world.Options{Relight: true})
	held, err := w.Load(ctx, earth, world.Everywhere, world.Columns)
	if err != nil {
		t.Fatal(err)
	}
	update(t, w, func(tx *world.Tx) {
		tx.Dimension(earth).Volume(voxel.Block).SetChunk(geom.ChunkPos{X: 2, Y: 0, Z: 2}, nil)
	})
	commit(t, w)
	if n := stale(t, w); n != 4+1 {
		t.Errorf("%d columns are stale, want one and four", n)
	}
	held.Release()
	closeWorld(t, w)
}

func BenchmarkRelight(b *testing.B) {
	for _, size := range []int{1, 16} {
		b.Run(fmt.Sprintf("lamps %d cubed", size), func(b *testing.B) {
			w := litWorld(b, newStore(), world.Options{Whole: true, Relight: true}, true)
			defer closeWorld(b, w)
			at := geom.Box{Min: geom.Point{X: 56, Y: 30, Z: 56}, Max: geom.Point{X: 56 + size, Y: 30 + size, Z: 56 + size}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				update(b, w, func(tx *world.Tx) {
					v := tx.Dimension(earth).Volume(voxel.Block)
					v.Fill(at, v.Named([]string{"glowstone", "air"}[i&1]))
				})
				if err := w.Relight(ctx); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
