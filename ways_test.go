package cairn_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/game/brush"
	edits "github.com/cairnvoxel/cairn/game/edit"
	"github.com/cairnvoxel/cairn/game/undo"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/internal/server/cells"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// way is a way to write a block into a world. write writes one and returns what takes that back.
type way struct {
	write func(t *testing.T, w *world.World, at geom.Point, name string, mask region.Mask) (back func() error, err error)
	masks bool // it takes a mask
	back  bool // it brings back what was there, at whatever heights
	empty bool // it brings the block without a content, so that also the same block loses it
	// says means that a name is what a person or a program says, not what a world or a file has: it
	// is completed with the game's defaults.
	says bool
}

const inWays = "overworld"

// updates are ways within an update that an undo.History keeps.
func updates(f func(d *world.DimensionTx, v *world.VolumeTx, at geom.Point, cell voxel.Cell) error) way {
	return way{write: func(t *testing.T, w *world.World, at geom.Point, name string, _ region.Mask) (func() error, error) {
		h := undo.New(w, undo.Options{})
		_, err := h.Update(t.Context(), "ann", "way", func(tx *world.Tx) error {
			d := tx.Dimension(inWays)
			v := d.Volume(voxel.Block)
			return f(d, v, at, v.Named(name))
		})
		return func() error { _, err := h.Undo(t.Context(), "ann"); return err }, err
	}}
}

// changes are ways that return a change, which an undo.History can record.
func changes(f func(ctx context.Context, w *world.World, at geom.Point, name string) (*world.Change, error)) way {
	return way{write: func(t *testing.T, w *world.World, at geom.Point, name string, _ region.Mask) (func() error, error) {
		change, err := f(t.Context(), w, at, name)
		if err != nil {
			return nil, err
		}
		h := undo.New(w, undo.Options{})
		err = h.Record("ann", "way", change)
		return func() error { _, err := h.Undo(t.Context(), "ann"); return err }, err
	}}
}

// commits are ways that a commit makes last, which undo.Revert takes back.
func commits(f func(ctx context.Context, w *world.World, at geom.Point, name string) error) way {
	return way{write: func(t *testing.T, w *world.World, at geom.Point, name string, _ region.Mask) (func() error, error) {
		if _, err := w.Commit(t.Context(), "before"); err != nil {
			return nil, err
		}
		if err := f(t.Context(), w, at, name); err != nil {
			return nil, err
		}
		c, err := w.Commit(t.Context(), "way")
		return func() error { _, err := undo.Revert(t.Context(), w, c.ID()); return err }, err
	}}
}

// queued are operations of a Queue.
func queued(back bool, op func(t *testing.T, w *world.World, at geom.Point, name string, mask region.Mask) edits.Task) way {
	return way{masks: true, back: back, write: func(t *testing.T, w *world.World, at geom.Point, name string, mask region.Mask) (func() error, error) {
		q := edits.New(edits.Options{Go: func(f func()) { f() }})
		t.Cleanup(q.Close)
		a := &edits.Arena{World: w, Dimension: inWays}
		run := func(op edits.Task) (*edits.Operation, error) {
			f := q.Add(a, op, 0)
			for q.Len() > 0 {
				q.Step(time.Now(), time.Hour)
			}
			_, err := f.Wait(t.Context())
			return f, err
		}
		f, err := run(op(t, w, at, name, mask))
		return func() error { _, err := run(f.Undo()); return err }, err
	}}
}

func oneCell(at geom.Point) geom.Box {
	return geom.Box{Min: at, Max: at.Add(geom.Point{X: 1, Y: 1, Z: 1})}
}

// oneBlock returns a clip of one block.
func oneBlock(t *testing.T, name string) *clip.Clip {
	t.Helper()
	c := clip.Air(geom.Point{X: 1, Y: 1, Z: 1})
	b := clip.NewBuilder(c.Size, 0, nil)
	b.Run(1, 1)
	v, err := b.View()
	if err != nil {
		t.Fatal(err)
	}
	c.Block.Names, c.Block.View = []string{"air", name}, v
	return c
}

// ways are all ways to write blocks into an open world.
func ways() map[string]way {
	set := func(w *world.World, at geom.Point, name string) error {
		_, err := w.Update(func(tx *world.Tx) error {
			d := tx.Dimension(inWays)
			d.AnyHeight()
			d.Volume(voxel.Block).Set(at, d.Volume(voxel.Block).Named(name))
			return nil
		})
		return err
	}
	pasted := queued(false, func(t *testing.T, _ *world.World, at geom.Point, name string, mask region.Mask) edits.Task {
		return &edits.Paste{Clip: oneBlock(t, name), At: at, Mask: mask, Objects: true}
	})
	pasted.empty = true
	said := func(w way) way { w.says = true; return w }
	ported := commits(func(ctx context.Context, w *world.World, at geom.Point, name string) error {
		_, err := tool.Paste(ctx, w, oneBlock(&testing.T{}, name), tool.PasteOptions{Dimension: inWays, At: at})
		return err
	})
	ported.empty = true
	ported.says = true // files of many programs leave properties out
	return map[string]way{
		"set": updates(func(_ *world.DimensionTx, v *world.VolumeTx, at geom.Point, c voxel.Cell) error {
			v.Set(at, c)
			return nil
		}),
		"fill": updates(func(_ *world.DimensionTx, v *world.VolumeTx, at geom.Point, c voxel.Cell) error {
			v.Fill(oneCell(at), c)
			return nil
		}),
		"write box": updates(func(_ *world.DimensionTx, v *world.VolumeTx, at geom.Point, c voxel.Cell) error {
			v.WriteBox(oneCell(at), []voxel.Cell{c})
			return nil
		}),
		"replace": updates(func(_ *world.DimensionTx, v *world.VolumeTx, at geom.Point, c voxel.Cell) error {
			was, _ := v.Cell(at)
			v.Replace(oneCell(at), was, c)
			return nil
		}),
		"set chunk": updates(func(_ *world.DimensionTx, v *world.VolumeTx, at geom.Point, c voxel.Cell) error {
			chunk, _ := v.Chunk(at.Chunk())
			if chunk == nil {
				chunk = voxel.Uniform(v.Default)
			}
			var flat [voxel.ChunkCells]voxel.Cell
			chunk.Flat(&flat)
			in := at.InChunk()
			flat[(in.Y*voxel.ChunkEdge+in.Z)*voxel.ChunkEdge+in.X] = c
			v.SetChunk(at.Chunk(), voxel.FromFlat(&flat))
			return nil
		}),
		"package cairn": {says: true, write: func(t *testing.T, w *world.World, at geom.Point, name string, _ region.Mask) (func() error, error) {
			c, err := cairn.From(t.Context(), w, cairn.Options{Dimension: inWays, Author: "ann"})
			if err != nil {
				return nil, err
			}
			_, err = c.Edit(t.Context(), func(b cairn.Blocks) error { b.Set(at, name); return nil })
			return func() error { _, err := c.Undo(t.Context()); return err }, err
		}},
		"brush": said(changes(func(ctx context.Context, w *world.World, at geom.Point, name string) (*world.Change, error) {
			return brush.Do(ctx, w, inWays, voxel.Block, brush.Add{Shape: brush.Box(oneCell(at)), Of: brush.Named(name)})
		})),
		"brush in words": said(changes(func(ctx context.Context, w *world.World, at geom.Point, name string) (*world.Change, error) {
			p := [3]int{at.X, at.Y, at.Z}
			o := &tool.Options{Brush: "box", From: &p, To: &p, Name: name}
			in, err := o.Find(w.View(), inWays, "")
			if err != nil {
				return nil, err
			}
			b, err := o.Make(in)
			if err != nil {
				return nil, err
			}
			return o.Apply(ctx, w, in, b, 1)
		})),
		"cells over HTTP": said(commits(func(ctx context.Context, w *world.World, at geom.Point, name string) error {
			body := fmt.Appendf(nil, `{"dimension":%q,"box":"%[2]d,%[3]d,%[4]d..%[2]d,%[3]d,%[4]d","names":[%[5]q],"cells":[0]}`, inWays, at.X, at.Y, at.Z, name)
			c, err := cells.Decode(body, false)
			if err != nil {
				return err
			}
			_, err = c.Apply(ctx, w)
			return err
		})),
		"edit queue: fill": said(queued(false, func(_ *testing.T, _ *world.World, at geom.Point, name string, mask region.Mask) edits.Task {
			return &edits.Fill{Region: oneCell(at), Name: name, Mask: mask}
		})),
		"edit queue: paste": pasted,
		"edit queue: restore": queued(true, func(t *testing.T, w *world.World, at geom.Point, name string, mask region.Mask) edits.Task {
			h := undo.New(w, undo.Options{})
			_, err := h.Update(t.Context(), "ann", "way", func(tx *world.Tx) error {
				d := tx.Dimension(inWays)
				d.AnyHeight()
				d.Volume(voxel.Block).Set(at, d.Volume(voxel.Block).Named(name))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			c, err := w.Capture()
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Close() })
			if _, err := h.Undo(t.Context(), "ann"); err != nil {
				t.Fatal(err)
			}
			return &edits.Restore{Capture: c, Region: oneCell(at), Mask: mask, Objects: true}
		}),
		"schematic": ported,
		"undo": {back: true, write: func(t *testing.T, w *world.World, at geom.Point, name string, _ region.Mask) (func() error, error) {
			h := undo.New(w, undo.Options{})
			_, err := h.Update(t.Context(), "ann", "way", func(tx *world.Tx) error {
				d := tx.Dimension(inWays)
				d.AnyHeight()
				d.Volume(voxel.Block).Set(at, d.Volume(voxel.Block).Named(name))
				return nil
			})
			if err == nil {
				_, err = h.Undo(t.Context(), "ann")
			}
			if err == nil {
				_, err = h.Redo(t.Context(), "ann")
			}
			return func() error { _, err := h.Undo(t.Context(), "ann"); return err }, err
		}},
		"version": {back: true, write: func(t *testing.T, w *world.World, at geom.Point, name string, _ region.Mask) (func() error, error) {
			before, err := w.Commit(t.Context(), "before")
			if err != nil {
				return nil, err
			}
			if err := set(w, at, name); err != nil {
				return nil, err
			}
			after, err := w.Commit(t.Context(), "after")
			if err == nil {
				_, err = w.Restore(t.Context(), before.ID(), "back")
			}
			if err == nil {
				_, err = w.Restore(t.Context(), after.ID(), "way")
			}
			return func() error { _, err := w.Restore(t.Context(), before.ID(), "undo"); return err }, err
		}},
	}
}

// bytesOfWays returns a made world as a stone.
func bytesOfWays(t *testing.T, version int32) (stone.ID, []byte) {
	t.Helper()
	src, err := convert.Load(t.Context(), terrain.Survival(terrain.Options{Seed: 7, Size: 1, Version: version}))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	id, _, err := convert.WriteStone(t.Context(), src, &out, stone.Options{Effort: stone.Quick})
	if err != nil {
		t.Fatal(err)
	}
	return id, out.Bytes()
}

// openWays opens the world of a stone.
func openWays(t *testing.T, id stone.ID, data []byte) *world.World {
	t.Helper()
	st := memory.New(memory.Options{})
	if _, err := world.Import(t.Context(), st, "w", history.Stone{ID: id, Data: data}, world.Options{}, "made"); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(t.Context(), st, "w", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// site is what a way is to leave as it is, or to change by rule.
type site struct {
	block   string
	objects []string
	maps    map[string]int32
}

func siteOf(t *testing.T, w *world.World, at geom.Point) (s site, c *voxel.Column) {
	t.Helper()
	d := w.View().Dimension(inWays)
	v := d.Volume(voxel.Block)
	cell, ok := v.Cell(at)
	c, known := d.Column(geom.ColumnPos{})
	if !ok || !known || c == nil {
		t.Fatalf("%v is not in memory", at)
	}
	s = site{block: v.CellName(cell), maps: make(map[string]int32)}
	for _, o := range d.Objects(voxel.BlockEntities, geom.Box{Min: geom.Point{Y: -64}, Max: geom.Point{X: 16, Y: 320, Z: 16}}) {
		if len(o.Payload) > 1 {
			s.objects = append(s.objects, string(o.Payload))
		}
	}
	slices.Sort(s.objects)
	for _, m := range c.Maps {
		s.maps[m.Name] = m.Values[(at.Z&15)*16+at.X&15]
	}
	return s, c
}

func (s site) same(o site) bool {
	return s.block == o.block && slices.Equal(s.objects, o.objects) && maps.Equal(s.maps, o.maps)
}

// TestWays goes through each way to write a block and looks at what an edit owes to a world of a
// game: height maps, stale light, block entities, biomes, heights, masks, and that undo gives all back.
func TestWays(t *testing.T) {
	id, data := bytesOfWays(t, terrain.Modern)
	air, err := region.ParseMask("air")
	if err != nil {
		t.Fatal(err)
	}
	const chest, turned = "minecraft:chest[facing=north,type=single,waterlogged=false]", "minecraft:chest[facing=west,type=single,waterlogged=false]"
	for name, way := range ways() {
		t.Run(name, func(t *testing.T) {
			w := openWays(t, id, data)
			at, high := geom.Point{X: 5, Y: 200, Z: 5}, geom.Point{X: 7, Y: 210, Z: 7}
			_, err := w.Update(func(tx *world.Tx) error {
				d := tx.Dimension(inWays)
				v := d.Volume(voxel.Block)
				for i, what := range []string{"gold", "coal"} {
					p := at.Add(geom.Point{X: i})
					v.Set(p, v.Named(chest))
					d.Add(voxel.BlockEntities, voxel.Object{Place: voxel.Moved, At: p, Payload: []byte(what)})
				}
				c := *d.Column(geom.ColumnPos{})
				c.Stale = 0 // as a game left it
				d.SetColumn(c)
				return nil
			})
			if err == nil {
				_, err = w.Commit(t.Context(), "chests")
			}
			if err != nil {
				t.Fatal(err)
			}
			biomes := w.View().Dimension(inWays).Volume(voxel.Biome).View
			for _, tt := range []struct {
				what    string
				at      geom.Point
				block   string
				mask    region.Mask
				objects string
				height  int32
				refused bool
			}{
				{what: "in the air", at: high, block: "minecraft:stone", objects: "[coal gold]", height: int32(high.Y) + 65},
				{what: "over a chest", at: at, block: "minecraft:stone", objects: "[coal]", height: int32(at.Y) + 65},
				{what: "another state", at: at, block: turned, objects: "[coal gold]", height: int32(at.Y) + 65},
				{what: "over a chest that a mask protects", at: at, block: "minecraft:stone", mask: air, objects: "[coal gold]", height: int32(at.Y) + 65},
				{what: "above the world", at: geom.Point{X: 7, Y: 320, Z: 7}, block: "minecraft:stone", refused: true},
				{what: "below the world", at: geom.Point{X: 7, Y: -65, Z: 7}, block: "minecraft:stone", refused: true},
			} {
				protected := tt.mask.Cells([]string{""}) != nil
				if protected && !way.masks {
					continue
				}
				was, _ := siteOf(t, w, tt.at)
				back, err := way.write(t, w, tt.at, tt.block, tt.mask)
				now, c := siteOf(t, w, tt.at)
				switch {
				case tt.refused && !way.back:
					if err == nil || !strings.Contains(err.Error(), "its heights are -64 to 319") || !now.same(was) {
						t.Errorf("%s: %+v, %v", tt.what, now, err)
					}
					continue
				case err != nil:
					t.Errorf("%s: %v", tt.what, err)
					continue
				case !tt.refused:
					want := tt.objects
					if way.empty && tt.block == turned {
						want = "[coal]"
					}
					if got := fmt.Sprint(now.objects); got != want {
						t.Errorf("%s: block entities %s, want %s", tt.what, got, want)
					}
					for _, m := range []string{"WORLD_SURFACE", "MOTION_BLOCKING"} {
						if now.maps[m] != tt.height {
							t.Errorf("%s: %s is %d, want %d", tt.what, m, now.maps[m], tt.height)
						}
					}
					if c.Stale&voxel.HasSky == 0 && !protected {
						t.Errorf("%s: the light of the column is not stale", tt.what)
					}
				}
				if protected != now.same(was) {
					t.Errorf("%s: %+v, was %+v", tt.what, now, was)
				}
				for pos := range w.View().Dimension(inWays).Volume(voxel.Biome).Apart(biomes) {
					t.Errorf("%s: biomes differ in chunk %v", tt.what, pos)
					break
				}
				if err := back(); err != nil {
					t.Errorf("%s: undo: %v", tt.what, err)
				}
				if now, _ = siteOf(t, w, tt.at); !now.same(was) {
					t.Errorf("%s: undone: %+v, was %+v", tt.what, now, was)
				}
			}
		})
	}
}

// TestWaysSay: where a way takes what a person or a program says, a name without properties is the
// game's default state, and before 1.13 a number. The other ways write names as they are.
func TestWaysSay(t *testing.T) {
	for _, game := range []struct {
		version int32
		says    [][2]string // what is said and what is written
		refuses string
		space   string   // that the error leaves out
		masks   []string // that admit what was written last
	}{
		{terrain.Modern, [][2]string{
			{"minecraft:chest", "minecraft:chest[facing=north,type=single,waterlogged=false]"},
			{"oak_log", "minecraft:oak_log[axis=y]"},
			{"minecraft:oak_stairs[half=top,facing=east]", "minecraft:oak_stairs[facing=east,half=top,shape=straight,waterlogged=false]"},
			{"minecraft:stone", "minecraft:stone"},
		}, "minecraft:chest[facing=up]", "", []string{"stone", "minecraft:st*", "!dirt"}},
		{0, [][2]string{{"stone", "legacy:1/0"}, {"minecraft:red_wool", "legacy:35/14"}, {"legacy:3/1", "legacy:3/1"}, {"1:2", "legacy:1/2"}, {"wool:3", "legacy:35/3"}}, "minecraft:deepslate", "minecraft:", []string{"light_blue_wool", "*_wool", "35:3", "legacy:35/*", "!red_wool", "!35:4"}},
	} {
		id, data := bytesOfWays(t, game.version)
		for name, way := range ways() {
			if way.back || name == "schematic" && game.version == 0 {
				continue // it writes no new names; the names of a file have a version
			}
			t.Run(fmt.Sprintf("%d %s", game.version, name), func(t *testing.T) {
				w := openWays(t, id, data)
				at := geom.Point{X: 7, Y: 110, Z: 7}
				for _, says := range game.says {
					want := says[1]
					if !way.says {
						want = says[0]
					}
					_, err := way.write(t, w, at, says[0], region.Mask{})
					if got, _ := siteOf(t, w, at); got.block != want || err != nil {
						t.Errorf("%s is %s, %v; want %s", says[0], got.block, err, want)
					}
				}
				was, _ := siteOf(t, w, at)
				for _, text := range game.masks {
					if !way.masks || !way.says {
						break
					}
					admits, err := region.ParseMask(text)
					not, ok := strings.CutPrefix(text, "!")
					if !ok {
						not = "!" + text
					}
					protects, err2 := region.ParseMask(not)
					_, err3 := way.write(t, w, at, "minecraft:dirt", protects)
					if got, _ := siteOf(t, w, at); !got.same(was) || errors.Join(err, err2, err3) != nil {
						t.Fatalf("mask %s, not %s: %s, %v", text, not, got.block, errors.Join(err, err2, err3))
					}
					back, err := way.write(t, w, at, "minecraft:dirt", admits)
					if got, _ := siteOf(t, w, at); got.block == was.block || err != nil {
						t.Errorf("mask %s: %s, %v", text, got.block, err)
					}
					if err := back(); err != nil {
						t.Error(err)
					}
				}
				if !way.says || name == "schematic" {
					return
				}
				_, err := way.write(t, w, at, game.refuses, region.Mask{})
				if got, _ := siteOf(t, w, at); !got.same(was) || err == nil || !strings.Contains(err.Error(), fmt.Sprintf("block %q: ", strings.TrimPrefix(game.refuses, game.space))) {
					t.Errorf("%s is %s, %v", game.refuses, got.block, err)
				}
			})
		}
	}
}

// TestFillUnloaded: what a name means is known also where nothing is in memory.
func TestFillUnloaded(t *testing.T) {
	id, data := bytesOfWays(t, terrain.Modern)
	st := memory.New(memory.Options{})
	if _, err := world.Import(t.Context(), st, "w", history.Stone{ID: id, Data: data}, world.Options{}, "made"); err != nil {
		t.Fatal(err)
	}
	w, err := world.Open(t.Context(), st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	at := geom.Point{X: 5, Y: 200, Z: 5}
	if _, err := edits.Do(t.Context(), &edits.Arena{World: w, Dimension: inWays}, &edits.Fill{Region: oneCell(at), Name: "chest"}); err != nil {
		t.Fatal(err)
	}
	held, err := w.Load(t.Context(), inWays, oneCell(at))
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if s, _ := siteOf(t, w, at); s.block != "minecraft:chest[facing=north,type=single,waterlogged=false]" {
		t.Errorf("the block is %s", s.block)
	}
}

// writers returns the functions that change open worlds, with the way of TestWays that goes through
// each, or why none does.
func writers() map[string]string {
	return map[string]string{
		"world.Update": "set", "world.update": "set", "world.UpdateContext": "set", "game/undo.Update": "set", "game/undo.takeBack": "undo", "game/brush.Do": "brush", "internal/game/tool.Update": "brush in words", "..Edit": "package cairn",
		"game/edit.changeChunks":       "edit queue: fill",
		"world.Replace":                "apart: it makes all of a world what another one is, with what follows from blocks",
		"world.relightIn":              "apart: light",
		"game/edit.relight":            "apart: light",
		"internal/game/rollback.stale": "apart: light",
		"game/edit.changeColumns":      "apart: entities and other data of columns",
		"game/edit.named":              "apart: names",
		"game/object.update":           "apart: entities",
		"..find":                       "apart: a new dimension",
		"server.setProperties":         "apart: properties and files",
		"internal/move.save":           "apart: files",
	}
}

// TestWaysAreAll: a function that changes open worlds and that TestWays does not know fails.
func TestWaysAreAll(t *testing.T) {
	found := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (slices.Contains([]string{"testdata", "bench", "node_modules", "testing"}, e.Name()) || path != "." && strings.HasPrefix(e.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte("Tx)")) && !bytes.Contains(text, []byte("Tx,")) {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if t, ok := n.(*ast.FuncType); ok && takesTx(t) {
					found[filepath.ToSlash(filepath.Dir(path))+"."+f.Name.Name] = true
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	known, rows := ways(), writers()
	for at, way := range rows {
		if _, ok := known[way]; !ok && !strings.HasPrefix(way, "apart: ") {
			t.Errorf("%s: no way %q", at, way)
		}
		if !found[at] {
			t.Errorf("%s changes no world any more", at)
		}
	}
	for at := range found {
		if rows[at] == "" {
			t.Errorf("%s changes worlds: give it a row in writers, and TestWays a way", at)
		}
	}
}

// takesTx reports whether a function is one that world.Update calls.
func takesTx(f *ast.FuncType) bool {
	if len(f.Params.List) != 1 || f.Results == nil || len(f.Results.List) != 1 {
		return false
	}
	star, ok := f.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch x := star.X.(type) {
	case *ast.Ident:
		return x.Name == "Tx"
	case *ast.SelectorExpr:
		from, ok := x.X.(*ast.Ident)
		return ok && from.Name == "world" && x.Sel.Name == "Tx"
	}
	return false
}
