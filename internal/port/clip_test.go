package port_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/internal/format/structure"
	"github.com/cairnvoxel/cairn/internal/game/tool"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// hut is a clip of 3x2x1 blocks: stairs, void and air over stone, a chest and air.
func hut(t *testing.T) *clip.Clip {
	t.Helper()
	c := clip.Air(geom.Point{X: 3, Y: 2, Z: 1})
	c.Block.Names = []string{"air", "minecraft:stone", "minecraft:chest[facing=north]", "minecraft:oak_stairs[facing=east]", clip.Void}
	b := clip.NewBuilder(c.Size, 0, nil)
	b.Cells([]voxel.Cell{1, 2, 0, 3, 4, 0})
	var err error
	if c.Block.View, err = b.View(); err != nil {
		t.Fatal(err)
	}
	at := geom.Point{X: 1}
	o, err := clip.BlockEntity(nbt.AppendStringPayload(nil, "minecraft:chest"), &at, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: []voxel.Object{o}}}
	return c
}

// schematic returns the file of a clip.
func schematic(t *testing.T, c *clip.Clip, format string) []byte {
	t.Helper()
	var out bytes.Buffer
	lost := map[string]int{}
	if err := port.WriteClip(&out, c, port.Target{Format: format}, lost); err != nil || len(lost) > 0 {
		t.Fatalf("%v, lost %v", err, lost)
	}
	return out.Bytes()
}

// TestSchematicForGame opens a schematic without a data version, names its version, and writes
// it as a world of the game: with its chest.
func TestSchematicForGame(t *testing.T) {
	_, w, err := open(t, schematic(t, hut(t), port.Sponge), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if made, err := port.IsMade(t.Context(), w.Content()); !made || err != nil {
		t.Fatalf("no made world: %v", err)
	}
	lost := map[string]int{}
	if err := port.ForGame(t.Context(), w, "hut", 3955, lost); err != nil || len(lost) > 0 {
		t.Fatalf("%v, lost %v", err, lost)
	}
	dir := t.TempDir()
	if err := port.WriteFolder(t.Context(), w.Content(), dir, port.Target{Format: port.Anvil, Name: "hut"}, nil, lost); err != nil {
		t.Fatal(err)
	}
	s, err := port.Open(dir, port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	back, err := loaded(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	col := back.Dimensions[0].Columns[0]
	if len(col.Lists) != 1 || col.Lists[0].Objects[0].At != (geom.Point{X: 1}) || col.Version != 3955 {
		t.Errorf("version %d, lists %v", col.Version, col.Lists)
	}
	got, err := port.Clip(t.Context(), back.Content(), "", geom.Box{Max: geom.Point{X: 3, Y: 2, Z: 1}})
	if err != nil {
		t.Fatal(err)
	}
	want := hut(t)
	want.Version, want.Biome = 3955, got.Biome
	for i, name := range want.Block.Names { // the file leaves properties out
		name = strings.Replace(name, "chest[facing=north]", "chest[facing=north,type=single,waterlogged=false]", 1)
		want.Block.Names[i] = strings.Replace(name, "stairs[facing=east]", "stairs[facing=east,half=bottom,shape=straight,waterlogged=false]", 1)
	}
	if d := clip.Difference(want, got); d != "" {
		t.Error(d)
	}
}

func TestOpenRefusesOtherNBT(t *testing.T) {
	for want, doc := range map[string]nbt.Entries{
		"litematic: Version": {{Name: "Regions", Value: nbt.Entries{}}},
		"level.dat":          {{Name: "Data", Value: nbt.Entries{}}},
	} {
		if _, _, err := open(t, nbt.Append(nil, "", doc), port.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	noise := clip.Air(geom.Point{X: 100, Y: 100, Z: 100})
	if _, _, err := open(t, schematic(t, noise, port.Sponge), port.Options{MaxBytes: 1000}); !errors.Is(err, port.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
}

func TestFormatOfSchematics(t *testing.T) {
	for path, want := range map[string]string{"a.schem": port.Sponge, "a.schematic": port.MCEdit, "a.nbt": port.Structure, "a.litematic": port.Litematica, "a.vox": port.Vox, "a": port.Anvil} {
		if got := port.FormatOf(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// opened puts a world into a store and opens it.
func opened(t *testing.T, w *convert.Loaded) *world.World {
	t.Helper()
	st := memory.New(memory.Options{})
	if _, err := world.Import(t.Context(), st, "w", worldtest.Stone(t, w), world.Options{}, "made"); err != nil {
		t.Fatal(err)
	}
	out, err := world.Open(t.Context(), st, "w", world.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { out.Close() })
	return out
}

// TestFrom copies from an open world what Clip copies from a stored one, and says what is not loaded.
func TestFrom(t *testing.T) {
	w := opened(t, worldtest.Load(t, worldtest.Island(1, 3955)))
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := clip.From(w.View().Dimension("overworld"), nil); !errors.Is(err, grid.ErrNotLoaded) {
		t.Errorf("nothing is loaded: %v", err)
	}
	held, err := w.Load(t.Context(), "overworld", world.Everywhere)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	for name, r := range map[string]region.Region{
		"all": nil, "a box": geom.Box{Min: geom.Point{X: -3, Y: -5, Z: -7}, Max: geom.Point{X: 30, Y: 80, Z: 21}},
		"a ball": region.Ball{Center: geom.Point{X: 5, Y: 60, Z: 5}, Radius: 20}, "outside": geom.Box{Min: geom.Point{X: 5000}, Max: geom.Point{X: 5001, Y: 9, Z: 9}},
	} {
		want, err := port.Clip(t.Context(), s, "overworld", r)
		if err != nil {
			t.Fatal(err)
		}
		got, err := clip.From(w.View().Dimension("overworld"), r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if d := clip.Difference(got, want); d != "" || len(got.Lists) != len(want.Lists) || got.Version != want.Version {
			t.Errorf("%s: %s", name, d)
		}
	}
	if _, err := w.Update(func(tx *world.Tx) error {
		tx.AddDimension("land", []voxel.Volume{{Name: "solid", Schema: voxel.Terrain, Scale: 1}}, nil)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := clip.From(w.View().Dimension("land"), nil); !errors.Is(err, format.ErrHolds) {
		t.Errorf("a dimension without blocks: %v", err)
	}
}

// TestPaste pastes a clip that is turned, and copies it back.
func TestPaste(t *testing.T) {
	w := opened(t, worldtest.Load(t, worldtest.Island(1, 3955)))
	at := geom.Point{X: 5, Y: 200, Z: -9}
	if _, err := tool.Paste(t.Context(), w, hut(t), tool.PasteOptions{At: at, Turn: clip.Turn{Quarters: 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	s, err := w.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	got, err := port.Clip(t.Context(), s, "", geom.Box{Min: at, Max: at.Add(geom.Point{X: 1, Y: 2, Z: 3})})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[geom.Point]string{
		{}: "minecraft:stone", {Z: 1}: "minecraft:chest[facing=east,type=single,waterlogged=false]", {Z: 2}: "air", {Y: 1}: "minecraft:oak_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]", {Y: 1, Z: 1}: "air", {Y: 1, Z: 2}: "air",
	} {
		cell, _ := got.Block.View.Cell(p.Add(got.Block.At))
		if name := got.Block.Names[cell]; name != want {
			t.Errorf("%v: %s, want %s", p, name, want)
		}
	}
	if list := got.List(voxel.BlockEntities); len(list) != 1 || list[0].At != (geom.Point{Z: 1}) {
		t.Errorf("block entities %v", list)
	}
	ball, err := port.Clip(t.Context(), s, "", region.Ball{Center: at, Radius: 2})
	if err != nil {
		t.Fatal(err)
	}
	counts := ball.Counts(&ball.Block)
	for cell, name := range ball.Block.Names {
		if r := (region.Ball{Center: at, Radius: 2}); name == clip.Void && counts[cell] != r.Bounds().Cells()-region.Count(r) {
			t.Errorf("%d void blocks around a ball of %d in %d", counts[cell], region.Count(r), r.Bounds().Cells())
		}
	}

	torn := hut(t)
	torn.Lists[0].Objects = append(torn.Lists[0].Objects, voxel.Object{Place: voxel.Moved, At: geom.Point{X: 100}, Payload: []byte{0}})
	n := s.ColumnCount("overworld")
	if lost, err := tool.Paste(t.Context(), w, torn, tool.PasteOptions{At: at}); err != nil || lost["block_entities outside of the box"] != 1 {
		t.Errorf("lost %v, %v", lost, err)
	}
	columns := 0
	for range w.View().Dimension("overworld").Columns(world.Everywhere) {
		columns++
	}
	if columns != n {
		t.Errorf("%d columns, were %d", columns, n)
	}

	old := hut(t)
	old.Version = 3700
	chest, stack := geom.Point{X: 1}, nbt.Append(nil, "", nbt.Entries{{Name: "Items", Value: nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{{Name: "id", Value: "minecraft:dirt"}, {Name: "Count", Value: int8(64)}}}}}})
	old.Lists[0].Objects = []voxel.Object{{Place: voxel.Moved, At: chest, Payload: stack[3:]}}
	mob := nbt.Append(nil, "", nbt.Entries{{Name: "id", Value: "minecraft:cow"}, {Name: "Pos", Value: nbt.Items{Elem: nbt.Double, Values: []nbt.Value{0.5, 1.0, 0.5}}}})
	old.Lists = append(old.Lists, voxel.List{Name: voxel.Entities, Objects: []voxel.Object{{Place: voxel.Indexed, At: geom.Point{Y: 1}, Payload: mob[3:]}}})
	for range 2 { // the second time nothing comes
		far := geom.Point{X: 500, Y: 100}
		lost, err := tool.Paste(t.Context(), w, old, tool.PasteOptions{At: far, NewColumns: true})
		if n := lost["items in the form of data version 3700, which the game of 3955 reads as others"]; err != nil || n != 1 {
			t.Errorf("lost %v, %v", lost, err)
		}
		c, _ := w.View().Dimension("overworld").Column(geom.ColumnPos{X: 31})
		if c == nil || c.Version != 3955 || len(c.Lists) != 2 || len(c.Lists[0].Objects) != 1 || len(c.Lists[1].Objects) != 1 {
			t.Errorf("the new column is %+v", c)
		}
	}

	var unknown *block.NameError
	strange := hut(t)
	strange.Block.Names = append([]string{}, strange.Block.Names...)
	strange.Block.Names[1] = "mod:lamp"
	if _, err := tool.Paste(t.Context(), w, strange, tool.PasteOptions{At: at}); !errors.As(err, &unknown) {
		t.Errorf("%v, want a NameError", err)
	}
	if _, err := tool.Paste(t.Context(), w, strange, tool.PasteOptions{At: at, AnyName: true}); err != nil {
		t.Error(err)
	}
	strange.Block.Names[1] = "legacy:35/14"
	if _, err := tool.Paste(t.Context(), w, strange, tool.PasteOptions{At: at}); err == nil || !strings.Contains(err.Error(), "the blocks of the world have names") {
		t.Errorf("a number: %v", err)
	}
	var which *inspect.DimensionError
	if _, err := tool.Paste(t.Context(), w, hut(t), tool.PasteOptions{Dimension: "moon"}); !errors.As(err, &which) {
		t.Errorf("%v, want a DimensionError", err)
	}
	if _, err := tool.Paste(t.Context(), w, hut(t), tool.PasteOptions{At: geom.Point{X: math.MaxInt32}}); !errors.Is(err, geom.ErrOutOfRange) {
		t.Errorf("%v, want ErrOutOfRange", err)
	}
}

// TestClipBeyondColumns copies a region of a stone in which not all columns are stored.
func TestClipBeyondColumns(t *testing.T) {
	stored := worldtest.Stone(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern))).Data
	s, err := port.OpenReader(bytes.NewReader(stored), int64(len(stored)), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	box := geom.Box{Min: geom.Point{X: 16, Y: 60, Z: 0}, Max: geom.Point{X: 64, Y: 70, Z: 8}}
	c, err := port.Clip(t.Context(), s.Content(), "", box)
	if err != nil || c.Size != box.Size() {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestMadeAsSchematic writes a world that a program made, without a version of the game.
func TestMadeAsSchematic(t *testing.T) {
	w := made(t, func(b cairn.Blocks) {
		b.Set(cairn.Point{X: -3, Y: 5, Z: 7}, "stone")
		b.Set(cairn.Point{X: 40, Y: 8, Z: 7}, "minecraft:dirt")
	})
	for _, format := range []string{port.Sponge, port.Structure, port.Litematica, port.Template} {
		var out bytes.Buffer
		lost := map[string]int{}
		if err := port.WriteFile(t.Context(), w.Content(), &out, port.Target{Format: format, DataVersion: 3955}, nil, lost); err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		_, back, err := open(t, out.Bytes(), port.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := port.Clip(t.Context(), back.Content(), "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Size != (geom.Point{X: 44, Y: 4, Z: 1}) || c.Version != 3955 {
			t.Errorf("%s: size %v, version %d", format, c.Size, c.Version)
		}
	}
}

// TestPasteStates: properties that a file leaves out are the game's defaults, in a world of which nothing is in memory yet.
func TestPasteStates(t *testing.T) {
	at := geom.Point{X: 4, Y: 120, Z: 4}
	c := clip.Air(geom.Point{X: 1, Y: 1, Z: 1})
	c.Block.Names = []string{"minecraft:oak_log"}
	for name, far := range map[string]int{"on the island": 0, "beside it": 500} {
		w, at := opened(t, worldtest.Load(t, worldtest.Island(1, 3955))), at.Add(geom.Point{X: far})
		if _, err := tool.Paste(t.Context(), w, c, tool.PasteOptions{At: at, NewColumns: true}); err != nil {
			t.Fatal(err)
		}
		v := w.View().Dimension("overworld").Volume(voxel.Block)
		if cell, _ := v.Cell(at); v.Names()[cell] != "minecraft:oak_log[axis=y]" {
			t.Errorf("%s: %q", name, v.Names()[cell])
		}
	}
}

// TestPasteOutside pastes a structure with a block outside of its size where the game has it: the
// least corner of the size goes to the place.
func TestPasteOutside(t *testing.T) {
	ints := func(v ...int32) nbt.Items {
		out := nbt.Items{Elem: nbt.Int}
		for _, n := range v {
			out.Values = append(out.Values, n)
		}
		return out
	}
	block := func(x, y, z int32) nbt.Value {
		return nbt.Entries{{Name: "pos", Value: ints(x, y, z)}, {Name: "state", Value: int32(0)}}
	}
	doc := nbt.Append(nil, "", nbt.Entries{{Name: "size", Value: ints(2, 1, 3)}, {Name: "DataVersion", Value: int32(3955)}, {Name: "entities", Value: nbt.Items{}},
		{Name: "palette", Value: nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{{Name: "Name", Value: "minecraft:gold_block"}}}}},
		{Name: "blocks", Value: nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{block(0, 0, 0), block(-1, -2, 4)}}}})
	for quarters, want := range [][2]geom.Point{{{X: 4, Y: 120, Z: 4}, {X: 3, Y: 118, Z: 8}}, {{X: 6, Y: 120, Z: 4}, {X: 2, Y: 118, Z: 3}}} {
		c, err := structure.Read(bytes.NewReader(doc), int64(len(doc)), clip.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		w := opened(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
		if _, err := tool.Paste(t.Context(), w, c, tool.PasteOptions{At: geom.Point{X: 4, Y: 120, Z: 4}, Turn: clip.Turn{Quarters: quarters}, NewColumns: true}); err != nil {
			t.Fatal(err)
		}
		v := w.View().Dimension("overworld").Volume(voxel.Block)
		for _, p := range want {
			if cell, _ := v.Cell(p); v.Names()[cell] != "minecraft:gold_block" {
				t.Errorf("%d quarters: %v is %s", quarters, p, v.Names()[cell])
			}
		}
	}
}

// TestPalettes shows another palette of a structure.
func TestPalettes(t *testing.T) {
	state := func(name string) nbt.Value {
		return nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{{Name: "Name", Value: name}}}}
	}
	zero := nbt.Items{Elem: nbt.Int, Values: []nbt.Value{int32(0), int32(0), int32(0)}}
	doc := nbt.Append(nil, "", nbt.Entries{
		{Name: "size", Value: nbt.Items{Elem: nbt.Int, Values: []nbt.Value{int32(1), int32(1), int32(1)}}},
		{Name: "blocks", Value: nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{{Name: "pos", Value: zero}, {Name: "state", Value: int32(0)}}}}},
		{Name: "palettes", Value: nbt.Items{Elem: nbt.List, Values: []nbt.Value{state("minecraft:stone"), state("minecraft:dirt")}}},
	})
	path := filepath.Join(t.TempDir(), "a.nbt")
	if err := os.WriteFile(path, doc, 0o644); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"minecraft:stone", "minecraft:dirt"} {
		c, err := port.ReadClip(t.Context(), path, port.Options{Palette: i})
		if err != nil {
			t.Fatal(err)
		}
		if cell, _ := c.Block.View.Cell(geom.Point{}); c.Block.Names[cell] != want {
			t.Errorf("palette %d: %s, want %s", i, c.Block.Names[cell], want)
		}
	}
}
