package port_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn"
	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// made returns a world that a program made with package cairn.
func made(t *testing.T, f func(b cairn.Blocks)) *convert.Loaded {
	t.Helper()
	st, err := cairn.Open(t.Context(), "memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	w, err := cairn.Create(t.Context(), st, "island", cairn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Edit(t.Context(), func(b cairn.Blocks) error { f(b); return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Commit(t.Context(), "made"); err != nil {
		t.Fatal(err)
	}
	s, err := w.World().Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	out, err := convert.FromContent(t.Context(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// island builds a little of everything: stone with a name of the game's and without,
// a block below zero only where the game has such.
func build(low int) func(b cairn.Blocks) {
	return func(b cairn.Blocks) {
		b.Fill(region.Ball{Center: cairn.Point{X: 3, Y: 70, Z: -4}, Radius: 6}, "stone")
		b.Set(cairn.Point{X: 3, Y: 77, Z: -4}, "oak_log") // its default state
		b.Set(cairn.Point{X: 40, Y: low, Z: 2}, "minecraft:stone")
		b.Set(cairn.Point{X: 40, Y: 90, Z: 2}, "cave_air")
	}
}

// TestForGame: a made world goes out for a version of the game, and comes back as one
// of that version with the same blocks.
func TestForGame(t *testing.T) {
	for _, c := range []struct {
		version  int32
		low      int
		sections int
		to       string
		data     int32 // that the format gives back
	}{
		{1631, 0, 16, port.Anvil, 1631}, {1976, 0, 16, port.Anvil, 1976}, {2230, 0, 16, port.Anvil, 2230}, {2586, 0, 16, port.Anvil, 2586},
		{2730, 5, 16, port.Anvil, 2730}, {2975, -64, 24, port.Anvil, 2975}, {3955, -64, 24, port.Anvil, 3955}, {4671, -64, 24, port.Anvil, 4671},
		{1976, 0, 0, port.Slime, 1976}, {2586, 0, 0, port.Slime, 2586}, {3955, -64, 24, port.Slime, 3955}, {4671, -64, 24, port.Slime, 4671},
	} {
		t.Run(fmt.Sprint(c.version, c.to), func(t *testing.T) {
			w := made(t, build(c.low))
			if made, err := port.IsMade(t.Context(), w.Content()); !made || err != nil {
				t.Fatalf("no made world: %v", err)
			}
			lost := map[string]int{}
			if err := port.ForGame(t.Context(), w, "isle", c.version, lost); err != nil {
				t.Fatal(err)
			}
			want := blocksOf(w)
			if want["minecraft:oak_log[axis=y]"] != 1 {
				t.Errorf("blocks %v", want)
			}
			var back *convert.Loaded
			if c.to == port.Slime {
				var file bytes.Buffer
				if err := port.WriteFile(t.Context(), w.Content(), &file, port.Target{Format: c.to}, nil, lost); err != nil {
					t.Fatal(err)
				}
				_, got, err := open(t, file.Bytes(), port.Options{})
				if err != nil {
					t.Fatal(err)
				}
				back = got
				if p := back.Head.Properties; p["spawnY"] != "74" || p["environment"] != "normal" {
					t.Errorf("properties %v", p)
				}
			} else {
				dir := t.TempDir()
				if err := port.WriteFolder(t.Context(), w.Content(), dir, port.Target{Format: c.to, Name: "x"}, nil, lost); err != nil {
					t.Fatal(err)
				}
				s, err := port.Open(dir, port.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				if back, err = loaded(t.Context(), s, 0); err != nil {
					t.Fatal(err)
				}
				if p := back.Head.Properties; p["name"] != "isle" || p["data_version"] != fmt.Sprint(c.version) {
					t.Errorf("properties %v", p)
				}
			}
			if len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
			d := back.Dimensions[0]
			if got := blocksOf(back); !maps.Equal(got, want) {
				t.Errorf("blocks %v, want %v", got, want)
			}
			if len(d.Columns) != 5 || d.Name != "overworld" {
				t.Errorf("%s of %d columns", d.Name, len(d.Columns))
			}
			for _, col := range d.Columns {
				i := slices.IndexFunc(col.Maps, func(m voxel.Map) bool { return m.Name == "WORLD_SURFACE" })
				if col.Version != c.data || c.sections > 0 && len(col.Sections) != c.sections || i < 0 {
					t.Fatalf("column %v: version %d, %d sections, maps %d", col.Pos, col.Version, len(col.Sections), len(col.Maps))
				}
				if col.Pos.X == 2 {
					base := 0
					if c.version >= 2844 {
						base = -64
					}
					if top := col.Maps[i].Values[2*16+8]; int(top) != c.low-base+1 {
						t.Errorf("height %d over a block at %d", top, c.low)
					}
				}
			}
			if v := d.Volume(voxel.Biome); c.version >= 2844 && !slices.Contains(v.Names, "minecraft:plains") {
				t.Errorf("biomes %q", v.Names)
			}
		})
	}
}

// blocksOf counts a world's blocks by name.
func blocksOf(w *convert.Loaded) map[string]int {
	out := map[string]int{}
	for _, d := range w.Dimensions {
		v := d.Volume(voxel.Block)
		counts := make([]int, len(v.Names))
		for _, c := range v.Chunks {
			c.AddCounts(counts)
		}
		for cell, n := range counts {
			if cell > 0 && n > 0 {
				out[v.Names[cell]] = n
			}
		}
	}
	return out
}

func TestForGameRefuses(t *testing.T) {
	for _, c := range []struct {
		name    string
		build   func(b cairn.Blocks)
		version int32
		want    string
	}{
		{"a name", func(b cairn.Blocks) { b.Set(cairn.Point{}, "ston") }, 3955, `did you mean "minecraft:stone"?`},
		{"two names", func(b cairn.Blocks) { b.Set(cairn.Point{}, "ston"); b.Set(cairn.Point{Y: 1}, "grass") }, 3955, "gone since 1.20.3"},
		{"a new name", func(b cairn.Blocks) { b.Set(cairn.Point{}, "cherry_log") }, 2586, "of 1.19.4 and later"},
		{"no state", func(b cairn.Blocks) { b.Set(cairn.Point{}, "stone[") }, 3955, "stone["},
		{"no property", func(b cairn.Blocks) { b.Set(cairn.Point{}, "oak_log[facing=up]") }, 3955, "it has no property"},
		{"another namespace", func(b cairn.Blocks) { b.Set(cairn.Point{}, "mod:lamp") }, 3955, "mod:lamp"},
		{"numbers", func(b cairn.Blocks) { b.Set(cairn.Point{}, "stone") }, 1343, "1.13"},
		{"too low", func(b cairn.Blocks) { b.Set(cairn.Point{Y: -1}, "stone") }, 2586, "height -1"},
		{"too high", func(b cairn.Blocks) { b.Set(cairn.Point{Y: 320}, "stone") }, 3955, "height 320"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := made(t, c.build)
			err := port.ForGame(t.Context(), w, "x", c.version, map[string]int{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			var unknown *block.NameError
			if strings.Contains(c.name, "name") && !errors.As(err, &unknown) {
				t.Errorf("%T", err)
			}
		})
	}
	w := worldtest.Load(t, worldtest.Island(1, 0))
	made, wrong := port.IsMade(t.Context(), w.Content())
	if err := port.ForGame(t.Context(), w, "x", 3955, map[string]int{}); made || wrong != nil || err == nil {
		t.Errorf("a world of a game: made by a program: %v, %v; %v", made, wrong, err)
	}
}

// A world of numbers that once had blocks with names was not made by a program.
func TestMadeOnce(t *testing.T) {
	w, err := world.Create(t.Context(), memory.New(memory.Options{}), "a", world.Options{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for i, name := range []string{"minecraft:stone", "legacy:1/0", "stone"} {
		_, err := w.Update(func(tx *world.Tx) error {
			if i == 0 {
				tx.AddDimension("overworld", []voxel.Volume{{Name: voxel.Block, Schema: voxel.Palette, Scale: 1}}, nil)
				tx.Dimension("overworld").SetColumn(voxel.Column{})
			}
			v := tx.Dimension("overworld").Volume(voxel.Block)
			v.Set(geom.Point{X: 3}, v.Named(name))
			return nil
		})
		if err == nil {
			_, err = w.Commit(t.Context(), name)
		}
		if err != nil {
			t.Fatal(err)
		}
		s, err := w.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if made, err := port.IsMade(t.Context(), s); err != nil || made != (i != 1) {
			t.Errorf("%s: made %v, %v", name, made, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
