package edit_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/internal/testing/long"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// counted counts the calls of a Relighter by tower.
type counted struct {
	edit.Relighter
	calls map[[2]int32]int
}

func (c *counted) Relight(ctx context.Context, a *edit.Arena, chunks []geom.ChunkPos) error {
	c.calls[[2]int32{chunks[0].X, chunks[0].Z}]++
	return c.Relighter.Relight(ctx, a, chunks)
}

// TestLight fills a part of a world and takes that back: the light is that of before, and was
// computed once for each tower.
func TestLight(t *testing.T) {
	long.Alone(t)
	_, w := made(t, 6)
	defer w.Close()
	q := edit.New(edit.Options{})
	defer q.Close()
	before := w.View().Dimension("overworld")
	lights := &counted{new(edit.Flood), map[[2]int32]int{}}
	a := &edit.Arena{World: w, Light: lights}
	box := geom.Box{Min: geom.Point{X: -12, Y: 40, Z: -12}, Max: geom.Point{X: 12, Y: 120, Z: 12}}
	f := q.Add(a, &edit.Fill{Region: box, Name: "minecraft:stone"}, 0)
	run(t, q, f)
	if v := w.View().Dimension("overworld").Volume(voxel.Sky); v != nil {
		if c, _ := v.Cell(geom.Point{Y: 100}); c != 0 {
			t.Errorf("sky light %d within stone", c)
		}
	}
	run(t, q, q.Add(a, f.Undo(), 0))
	for at, n := range lights.calls {
		if n != 2 {
			t.Errorf("the light of tower %v was computed %d times in two operations", at, n)
		}
	}
	if len(lights.calls) != 4 {
		t.Errorf("light of %d towers", len(lights.calls))
	}
	after := w.View().Dimension("overworld")
	for _, name := range []string{voxel.Block, voxel.Sky, voxel.Light} {
		u := after.Volume(name)
		for pos, c := range before.Volume(name).Chunks() {
			if d, _ := u.Chunk(pos); d != c && (d == nil || !c.Equal(d)) {
				t.Errorf("%s: chunk %v differs", name, pos)
			}
		}
	}
	for pos, c := range after.Columns(box) {
		if c.Stale != 0 {
			t.Errorf("the light of column %v is stale", pos)
		}
	}
}

// TestLightOfTower computes light in a world without height maps of which nothing is in memory: what
// is far above the region belongs to it.
func TestLightOfTower(t *testing.T) {
	ctx := context.Background()
	st := memory.New(memory.Options{})
	w, err := world.Create(ctx, st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Update(func(tx *world.Tx) error {
		d := tx.AddDimension("d", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}, {Name: voxel.Sky, Schema: voxel.Level, Scale: 1}},
			map[string][]string{voxel.Block: {"minecraft:air", "minecraft:stone"}})
		for _, y := range []int32{0, 9} {
			d.Volume(voxel.Block).SetChunk(geom.ChunkPos{Y: y}, voxel.Uniform(1))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(ctx, "made"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = world.Open(ctx, st, "w", world.Options{}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	q := still(edit.Options{})
	defer q.Close()
	r := run(t, q, q.Add(&edit.Arena{World: w, Light: new(edit.Flood)}, &edit.Relight{Region: geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}}, 0))
	if r.Chunks != 1 || r.Done != 1 {
		t.Errorf("%+v", r)
	}
}

// TestLightBack restores a world whose light follows no rule, in one that computes light itself:
// light and height maps are those of the snapshot again.
func TestLightBack(t *testing.T) {
	long.Alone(t)
	ctx := context.Background()
	st, w := made(t, 4)
	if _, err := w.Update(func(tx *world.Tx) error {
		d := tx.Dimension("overworld")
		d.Volume(voxel.Light).Fill(region.Ball{Center: geom.Point{Y: 70}, Radius: 9}, 7)
		c := *d.Column(geom.ColumnPos{})
		c.Maps = slices.Clone(c.Maps)
		c.Maps[0].Values[3] += 5
		d.SetColumn(c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	c, err := w.Commit(ctx, "odd light")
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if w, err = world.Open(ctx, st, "arena", world.Options{Relight: true, Whole: true}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	before := w.View().Dimension("overworld")
	if _, err := w.Update(func(tx *world.Tx) error {
		v := tx.Dimension("overworld").Volume(voxel.Block)
		v.Fill(region.Ball{Center: geom.Point{Y: 72}, Radius: 12}, v.Named("minecraft:glowstone"))
		return v.Err()
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(ctx, "a ball"); err != nil {
		t.Fatal(err)
	}
	from, err := w.SnapshotAt(ctx, c.ID())
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	q := edit.New(edit.Options{})
	defer q.Close()
	run(t, q, q.Add(&edit.Arena{World: w, Light: edit.WorldLight{}}, &edit.Restore{Snapshot: from, Columns: true, Light: true}, 0))
	if _, err := w.Commit(ctx, "restored"); err != nil {
		t.Fatal(err)
	}
	after := w.View().Dimension("overworld")
	for _, name := range []string{voxel.Block, voxel.Sky, voxel.Light} {
		u := after.Volume(name)
		for pos, c := range before.Volume(name).Chunks() {
			if d, _ := u.Chunk(pos); d != c && (d == nil || !c.Equal(d)) {
				t.Errorf("%s: chunk %v differs", name, pos)
			}
		}
	}
	for pos, c := range before.Columns(world.Everywhere) {
		if d, _ := after.Column(pos); d.Stale != c.Stale || !slices.Equal(d.Maps, c.Maps) || len(d.Sections) != len(c.Sections) {
			t.Errorf("column %v differs", pos)
		}
	}
}

// beside is a context that calls a function when it is asked whether it has ended: in the middle of a flood.
type beside struct {
	context.Context
	f func()
}

func (c beside) Err() error {
	c.f()
	return c.Context.Err()
}

// TestFloodBeside changes blocks while a Flood computes their light: what nothing marks stale is the light of the
// blocks that are there.
func TestFloodBeside(t *testing.T) {
	_, w := made(t, 6)
	defer w.Close()
	set := func(name string) {
		_, err := w.Update(func(tx *world.Tx) error {
			v := tx.Dimension("overworld").Volume(voxel.Block)
			v.Fill(geom.Box{Min: geom.Point{Y: 140}, Max: geom.Point{X: 32, Y: 141, Z: 32}}, v.Named(name))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	relight := func(besides func()) (sky voxel.Cell, stale voxel.Has) {
		if err := new(edit.Flood).Relight(beside{context.Background(), besides}, &edit.Arena{World: w}, []geom.ChunkPos{{}}); err != nil {
			t.Fatal(err)
		}
		d := w.View().Dimension("overworld")
		sky, _ = d.Volume(voxel.Sky).Cell(geom.Point{X: 16, Y: 139, Z: 16})
		c, _ := d.Column(geom.ColumnPos{X: 1, Z: 1})
		return sky, c.Stale
	}
	const roof, none = "minecraft:stone", "minecraft:air"
	for _, tt := range []struct {
		first, then string
		sky         voxel.Cell
	}{{roof, none, 15}, {none, roof, 0}} {
		set(tt.first)
		once := sync.OnceFunc(func() { set(tt.then) })
		if sky, stale := relight(once); stale != 0 || sky != tt.sky {
			t.Errorf("%s, then %s: sky light %d, stale %v", tt.first, tt.then, sky, stale)
		}
	}
	n := 0
	if _, stale := relight(func() { n++; set(fmt.Sprint("mod:", n)) }); stale == 0 || n < 4 {
		t.Errorf("blocks changed %d times without end: stale %v", n, stale)
	}
}

// TestFloodLamp sets a lamp where columns keep no light of blocks: its section keeps it from then on.
func TestFloodLamp(t *testing.T) {
	long.Alone(t)
	_, w := made(t, 6)
	defer w.Close()
	p := geom.Point{X: 8, Y: 100, Z: 8}
	_, err := w.Update(func(tx *world.Tx) error {
		d := tx.Dimension("overworld")
		c := *d.Column(geom.ColumnPos{})
		c.Sections = nil
		for y := int8(-4); y < 20; y++ {
			c.Sections = append(c.Sections, voxel.Section{Y: y, Has: voxel.HasBlock | voxel.HasSky})
		}
		d.SetColumn(c)
		v := d.Volume(voxel.Block)
		v.Set(p, v.Named("minecraft:glowstone"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := new(edit.Flood).Relight(context.Background(), &edit.Arena{World: w}, []geom.ChunkPos{{Y: 3}}); err != nil {
		t.Fatal(err)
	}
	c, _ := w.View().Dimension("overworld").Column(geom.ColumnPos{})
	for _, s := range c.Sections {
		if near := s.Y == 5 || s.Y == 6 || s.Y == 7; near != (s.Has&voxel.HasLight != 0) && s.Y > 4 && s.Y < 9 {
			t.Errorf("section %d has %v", s.Y, s.Has)
		}
	}
}
