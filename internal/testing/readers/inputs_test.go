package readers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	worlds "github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/store/memory"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// input is a world that a reader shall read.
type input struct {
	name string
	open func(*testing.T) stone.Content
	made bool
}

// versions returns in how many versions of a format the world is written: one of others in the first.
func (in input) versions(all int) int {
	if in.made {
		return all
	}
	return 1
}

// island is a made-up world of a version of the game.
func island(version int32) input {
	return input{name: fmt.Sprint("island-", version), made: true, open: func(t *testing.T) stone.Content {
		return worldtest.Load(t, worldtest.Island(1, version)).Content()
	}}
}

// others are the worlds of others below CAIRN_WORLDS that match a pattern.
func others(t *testing.T, pattern string) (all []input) {
	root := os.Getenv("CAIRN_WORLDS")
	if root == "" {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if name := filepath.Base(path); !strings.HasPrefix(name, "not_a.") { // a sample of what is none
			all = append(all, input{name: name, open: func(t *testing.T) stone.Content { return imported(t, path) }})
		}
	}
	return all
}

// imported is the world at a path as a store has it.
func imported(t *testing.T, path string) stone.Content {
	t.Helper()
	st := memory.New(memory.Options{})
	if _, err := worlds.Import(t.Context(), st, "world", path, worlds.ImportOptions{}); err != nil {
		t.Fatal(err)
	}
	head, err := st.Head(t.Context(), "world")
	if err != nil {
		t.Fatal(err)
	}
	return worldtest.Snapshot(t, st, "world", history.ID(head.Commit))
}

func hytaleWorlds(t *testing.T) []input {
	renamed := input{name: "island", made: true, open: func(t *testing.T) stone.Content {
		names, err := port.ReadNames("java-hytale")
		if err != nil {
			t.Fatal(err)
		}
		lost := map[string]int{}
		w, err := port.Rename(t.Context(), island(terrain.Modern).open(t), names, port.Hytale, 0, lost)
		if err != nil {
			t.Fatal(err)
		}
		return w
	}}
	return append(others(t, "hytale/heart"), renamed)
}

func linearWorlds(t *testing.T) []input {
	return append(others(t, "linear/*"), island(2975), island(terrain.Modern))
}

func polarWorlds(t *testing.T) []input {
	return append(others(t, "polar/*/*.polar"), island(terrain.Modern))
}

func litematics(t *testing.T) []input {
	return append(others(t, "litematic/*/*.litematic"), island(terrain.Modern))
}

// luantiWorlds has the smallest world of others alone: the reader takes a second for 20 map blocks.
func luantiWorlds(t *testing.T) []input {
	bare := input{name: "island", made: true, open: func(t *testing.T) stone.Content {
		w := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
		for i := range w.Dimensions[0].Columns {
			w.Dimensions[0].Columns[i].Lists = nil // of another game
		}
		return w.Content()
	}}
	return append(others(t, "luanti/MinetestServer*"), bare)
}

// scenes has a made one that is too large for one model.
func scenes(t *testing.T) []input {
	wide := input{name: "wide", made: true, open: func(t *testing.T) stone.Content {
		c := clip.Air(geom.Point{X: 300, Y: 20, Z: 270})
		names := []string{format.Air}
		for i := range 200 {
			names = append(names, fmt.Sprintf("rgb:%02x%02x%02x", i, 255-i, 7*i%256))
		}
		b := clip.NewBuilder(c.Size, voxel.Empty, nil)
		for y := range c.Size.Y {
			for z := range c.Size.Z {
				row := make([]voxel.Cell, c.Size.X)
				for x := range row {
					if (x+y*z)%11 == 0 {
						row[x] = voxel.Cell(1 + (x+3*z+7*y)%200)
					}
				}
				b.Cells(row)
			}
		}
		view, err := b.View()
		if err != nil {
			t.Fatal(err)
		}
		c.Block = clip.Contents{Names: names, View: view}
		return worldtest.Load(t, c.Source()).Content()
	}}
	return append(others(t, "vox/*/*.vox"), wide)
}

// TestListing: a reader that says something else is a fault.
func TestListing(t *testing.T) {
	w := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	c := cellsOf(w.Dimensions[0], as)
	var all []string
	for pos := range c.volume.Chunks {
		for i := range 32768 {
			p := pos.Min().Add(geom.Point{X: i & 31, Y: i >> 10, Z: i >> 5 & 31})
			if name := c.at(p); name != "" {
				all = append(all, fmt.Sprint(p.X, p.Y, p.Z, 1, " ", name))
			}
		}
	}
	last := len(all) - 1
	for _, tt := range []struct {
		name   string
		lines  []string
		placed bool
		ok     bool
	}{
		{name: "same", lines: all, placed: true, ok: true},
		{name: "one less", lines: all[:last], placed: true},
		{name: "one twice", lines: append(all[:last:last], all[0]), placed: true},
		{name: "other name", lines: append(all[:last:last], all[last]+"s"), placed: true},
		{name: "elsewhere", lines: moved(t, all), ok: true},
		{name: "elsewhere and placed", lines: moved(t, all), placed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := parseListing(strings.NewReader(strings.Join(tt.lines, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			if faults := c.faults(l, tt.placed); len(faults) == 0 != tt.ok {
				t.Errorf("faults %q", faults)
			}
		})
	}
}

// moved returns the lines with cells elsewhere.
func moved(t *testing.T, lines []string) (out []string) {
	l, err := parseListing(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range l.runs {
		out = append(out, fmt.Sprint(r.at.X+5, r.at.Y-3, r.at.Z+40, r.n, " ", r.name))
	}
	return out
}
