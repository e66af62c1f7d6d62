package edit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// anyRegion returns a region that cuts through chunks.
func anyRegion(rng *rand.Rand) region.Region {
	p := geom.Point{X: rng.IntN(60) - 30, Y: rng.IntN(120) - 60, Z: rng.IntN(60) - 30}
	q := p.Add(geom.Point{X: 1 + rng.IntN(40), Y: 1 + rng.IntN(80), Z: 1 + rng.IntN(40)})
	switch rng.IntN(3) {
	case 0:
		return geom.Box{Min: p, Max: q}
	case 1:
		return region.Ball{Center: p, Radius: float64(rng.IntN(30))}
	}
	return region.Cylinder{Base: p, Radius: float64(rng.IntN(20)), Height: 1 + rng.IntN(60)}
}

// TestCells compares restores and fills of parts of chunks, with masks, with the same work cell
// by cell, in steps of a few sections.
func TestCells(t *testing.T) {
	long.Alone(t)
	_, w := made(t, 4)
	defer w.Close()
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	rng := rand.New(rand.NewPCG(10, 11))
	start := w.View().Dimension("overworld").Volume(voxel.Block)
	for i := range 30 {
		if i%5 == 0 {
			scatter(t, w, 2+rng.IntN(50))
		}
		q := edit.New(edit.Options{Sections: rng.IntN(4)})
		r := anyRegion(rng)
		mask := region.Mask{}
		if rng.IntN(2) == 0 {
			mask, err = region.ParseMask([]string{"air", "!air", "*stone*", "minecraft:dirt,*leaves"}[rng.IntN(4)])
			if err != nil {
				t.Fatal(err)
			}
		}
		before := w.View().Dimension("overworld").Volume(voxel.Block)
		var op edit.Task = &edit.Restore{Capture: c, Region: r, Mask: mask}
		fill := rng.IntN(2) == 0
		if fill {
			op = &edit.Fill{Region: r, Mask: mask, Name: "minecraft:bedrock"}
		}
		result := run(t, q, q.Add(&edit.Arena{World: w}, op, 0))
		q.Close()
		after := w.View().Dimension("overworld").Volume(voxel.Block)
		allowed := mask.Cells(before.Names())
		changed := 0
		for p := range points(grown(r.Bounds())) {
			now, known := before.Cell(p)
			if !known {
				continue
			}
			want := before.CellName(now)
			if r.Contains(p) && (allowed == nil || allowed[now]) {
				v, _ := start.Cell(p)
				want = start.CellName(v)
				if fill {
					want = "minecraft:bedrock"
				}
			}
			v, _ := after.Cell(p)
			if got := after.CellName(v); got != want {
				t.Fatalf("run %d: %T %v, mask %v: cell %v is %s, not %s", i, op, r, mask, p, got, want)
			}
			if v != now {
				changed++
			}
		}
		if changed != result.Cells {
			t.Fatalf("run %d: %d cells changed, and %d were counted", i, changed, result.Cells)
		}
	}
}

func grown(b geom.Box) geom.Box {
	one := geom.Point{X: 1, Y: 1, Z: 1}
	return geom.Box{Min: b.Min.Sub(one), Max: b.Max.Add(one)}
}

// TestObjects restores objects, biomes and columns of a part of a world.
func TestObjects(t *testing.T) {
	st, w := made(t, 4)
	defer w.Close()
	before := w.View()
	head, err := world.OpenSnapshot(context.Background(), st, "arena", w.Head(), world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer head.Close()
	box := geom.Box{Min: geom.Point{X: -24, Y: -64, Z: -24}, Max: geom.Point{X: 9, Y: 320, Z: 24}}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.Dimension("overworld")
		for pos, c := range before.Dimension("overworld").Columns(world.Everywhere) {
			spoiled := *c
			spoiled.Parts = nil
			spoiled.Lists = slices.Clone(c.Lists)
			for i := range spoiled.Lists {
				spoiled.Lists[i].Objects = spoiled.Lists[i].Objects[1:]
			}
			d.SetColumn(spoiled)
			d.Add(voxel.Entities, voxel.Object{Place: voxel.Indexed, At: pos.Min(70), Payload: []byte{0}})
		}
		biomes := d.Volume(voxel.Biome)
		biomes.Fill(geom.Box{Min: geom.Point{X: -8, Y: -16, Z: -8}, Max: geom.Point{X: 8, Y: 32, Z: 8}}, biomes.Named("minecraft:desert"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	spoiled := w.View()
	q := edit.New(edit.Options{})
	defer q.Close()
	f := q.Add(&edit.Arena{World: w}, &edit.Restore{Snapshot: head, Region: box, Biomes: true, Objects: true, Columns: true}, 0)
	run(t, q, f)
	compare(t, before, spoiled, w.View(), box)
	run(t, q, q.Add(&edit.Arena{World: w}, f.Undo(), 0))
	compare(t, before, spoiled, w.View(), geom.Box{})
}

// compare checks that a world is as before within a box, and as spoiled outside.
func compare(t *testing.T, before, spoiled, now *world.View, box geom.Box) {
	t.Helper()
	for pos, c := range now.Dimension("overworld").Columns(world.Everywhere) {
		was, _ := before.Dimension("overworld").Column(pos)
		is, _ := spoiled.Dimension("overworld").Column(pos)
		foot := geom.Box{Min: pos.Min(box.Min.Y), Max: pos.Min(box.Max.Y).Add(geom.Point{X: 16, Z: 16})}
		parts := is.Parts
		if !box.Empty() && foot.Intersect(box) == foot {
			parts = was.Parts
		}
		if len(c.Parts) != len(parts) {
			t.Errorf("column %v has %d parts, not %d", pos, len(c.Parts), len(parts))
		}
		var want, got []string
		count := func(c *voxel.Column, in bool, to *[]string) {
			for _, l := range c.Lists {
				for _, o := range l.Objects {
					if o.Place != voxel.Nowhere && box.Contains(o.At) == in {
						*to = append(*to, fmt.Sprint(l.Name, o.At, string(o.Payload)))
					}
				}
			}
		}
		count(was, true, &want)
		count(is, false, &want)
		count(c, true, &got)
		count(c, false, &got)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("column %v has %d objects, not %d, or others", pos, len(got), len(want))
		}
	}
	v, was, is := now.Dimension("overworld").Volume(voxel.Biome), before.Dimension("overworld").Volume(voxel.Biome), spoiled.Dimension("overworld").Volume(voxel.Biome)
	for p := range points(geom.Box{Min: geom.Point{X: -8, Y: -16, Z: -8}, Max: geom.Point{X: 8, Y: 32, Z: 8}}) {
		from := is
		cube := geom.Box{Min: geom.Point{X: p.X * 4, Y: p.Y * 4, Z: p.Z * 4}, Max: geom.Point{X: p.X*4 + 4, Y: p.Y*4 + 4, Z: p.Z*4 + 4}}
		if !box.Empty() && cube.Intersect(box) == cube {
			from = was
		}
		want, _ := from.Cell(p)
		got, _ := v.Cell(p)
		if v.CellName(got) != from.CellName(want) {
			t.Fatalf("biome %v is %s, not %s", p, v.CellName(got), from.CellName(want))
		}
	}
}

// TestOrder checks priorities, turns of arenas, pauses and cancellation.
func TestOrder(t *testing.T) {
	_, w := made(t, 2)
	defer w.Close()
	_, u := made(t, 2)
	defer u.Close()
	var log bytes.Buffer
	q := edit.New(edit.Options{Sections: 1, Go: func(f func()) { f() }, Events: func(e edit.Event) {
		if e.Kind == edit.Begun || e.Kind == edit.Ended {
			fmt.Fprintf(&log, "%s %v; ", e.Arena.Name, e.Kind)
		}
	}})
	defer q.Close()
	fill := &edit.Fill{Region: geom.Box{Max: geom.Point{X: 16, Y: 64, Z: 16}}, Name: "minecraft:glass"}
	a, b, urgent := &edit.Arena{Name: "a", World: w}, &edit.Arena{Name: "b", World: u}, &edit.Arena{Name: "urgent", World: w}
	first := q.Add(a, fill, 0)
	second := q.Add(b, fill, 0)
	third := q.Add(b, &edit.Fill{Region: fill.Region, Name: "minecraft:stone"}, 0)
	fourth := q.Add(urgent, &edit.Fill{Region: fill.Region, Name: "minecraft:dirt"}, 1)
	third.Pause()
	for range 30 {
		q.Step(time.Now(), 0)
	}
	if want := "urgent begun; urgent ended; a begun; b begun; "; !strings.HasPrefix(log.String(), want) {
		t.Errorf("events %q do not begin with %q", &log, want)
	}
	for _, f := range []*edit.Operation{first, second, fourth} {
		if r, err := f.Wait(context.Background()); err != nil || r.Done != r.Chunks || r.Cells == 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	third.Cancel()
	third.Resume()
	q.Step(time.Now(), 0)
	if _, err := third.Wait(context.Background()); !errors.Is(err, edit.ErrCanceled) {
		t.Errorf("a canceled operation ended with %v", err)
	}
	late := q.Add(a, fill, 0)
	late.Pause()
	if r := q.Step(time.Now(), 0); r.Sections > 0 || late.Status().Chunks > 0 || late.Status().State != edit.Paused {
		t.Error("a paused operation works")
	}
	late.Resume()
	bad := q.Add(a, &edit.Restore{}, 0)
	none := q.Add(&edit.Arena{World: w, Dimension: "nowhere"}, fill, 0)
	for q.Len() > 0 {
		q.Step(time.Now(), 0)
	}
	for _, f := range []*edit.Operation{bad, none} {
		if _, err := f.Wait(context.Background()); err == nil {
			t.Error("a wrong operation did not fail")
		}
	}
}

// TestMany adds operations from many goroutines while another steps the queue and players write.
func TestMany(t *testing.T) {
	_, w := made(t, 2)
	defer w.Close()
	c, err := w.Capture()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	q := edit.New(edit.Options{Chunks: 3})
	defer q.Close()
	a := &edit.Arena{World: w, AnyHeight: true}
	var adding, stepping sync.WaitGroup
	end := make(chan struct{})
	stepping.Go(func() {
		for {
			q.Step(time.Now(), time.Millisecond)
			select {
			case <-end:
				return
			default:
			}
		}
	})
	for i := range 6 {
		adding.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			for range 5 {
				f := q.Add(a, &edit.Fill{Region: anyRegion(rng), Name: "minecraft:glass"}, rng.IntN(3))
				if rng.IntN(3) == 0 {
					f.Cancel()
				}
				if _, err := f.Wait(context.Background()); err != nil && !errors.Is(err, edit.ErrCanceled) {
					t.Error(err)
				}
				f.Status()
			}
		})
	}
	adding.Wait()
	f := q.Add(a, &edit.Restore{Capture: c}, 0)
	if _, err := f.Wait(context.Background()); err != nil {
		t.Error(err)
	}
	close(end)
	stepping.Wait()
	if !same(c.View(), w.View()) {
		t.Error("the arena differs")
	}
}
