package port_test

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/port"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/internal/testing/worldtest"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestLevelThroughSlime: what a Slime file keeps of level.dat as properties comes back
// in the level.dat that is made of it.
func TestLevelThroughSlime(t *testing.T) {
	full := format.Level{Name: "again", HasSpawn: true, Spawn: geom.Point{X: -5, Y: 70, Z: 6}, Angle: 45.5, Difficulty: "hard", Type: "amplified", NoMonsters: true, NoAnimals: true}
	flat := full
	flat.Type, flat.Biome = "flat", "minecraft:desert"
	end := full
	end.Dragon = "alive"
	quiet := format.Level{Name: "again", HasSpawn: true, NoPVP: true, NoMonsters: true, Difficulty: "peaceful", Type: "default"}
	for _, c := range []struct {
		name, dimension string
		level           format.Level
		version         int32
	}{
		{"1.8", "overworld", full, 0},
		{"1.16", "overworld", full, 2586},
		{"1.21", "overworld", full, 3955},
		{"flat", "overworld", flat, 3955},
		{"the end", "the_end", end, 3955},
		{"1.21.11", "overworld", quiet, 4671},
		{"26.1", "overworld", full, 4790},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.level.Version = c.version
			dir := t.TempDir()
			out, err := anvil.Create(dir, anvil.FolderOptions{LevelName: "first", Facts: c.level})
			if err != nil {
				t.Fatal(err)
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			w := &convert.Loaded{
				Head:       format.Head{Format: port.Slime, Properties: map[string]string{"dataVersion": fmt.Sprint(c.version)}},
				Dimensions: []*convert.LoadedDimension{{Name: c.dimension}},
				Files:      []format.File{{Path: anvil.LevelPath, Open: func() (io.ReadCloser, error) { return os.Open(filepath.Join(dir, anvil.LevelPath)) }}},
			}
			for _, v := range format.BlockDimension(c.dimension, "").Volumes {
				cv := &convert.LoadedVolume{Volume: v.Volume}
				if v.Names != nil {
					cv.Names = v.Names.List()
				}
				w.Dimensions[0].Volumes = append(w.Dimensions[0].Volumes, cv)
			}
			var file bytes.Buffer
			lost := map[string]int{}
			if err := port.WriteFile(t.Context(), w.Content(), &file, port.Target{Format: port.Slime}, nil, lost); err != nil {
				t.Fatal(err)
			}
			if lost["level.dat LevelName"] != 0 || lost["file level.dat"] != 0 || lost["level.dat SpawnX"] != 0 {
				t.Errorf("lost %v", lost)
			}
			_, again, err := open(t, file.Bytes(), port.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := again.Dimensions[0].Name; got != c.dimension {
				t.Errorf("dimension %s", got)
			}
			back := t.TempDir()
			if err := port.WriteFolder(t.Context(), again.Content(), back, port.Target{Format: port.Anvil, Name: "again"}, nil, map[string]int{}); err != nil {
				t.Fatal(err)
			}
			stored, err := os.ReadFile(filepath.Join(back, anvil.LevelPath))
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := anvil.ReadLevel(stored); err != nil || got != c.level {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.level)
			}
		})
	}
}

// TestSpawn: where players begin is what level.dat says in its old tags or in those of 26.1, or
// what the properties of a Slime file say; and nowhere in a dimension that the world lacks.
func TestSpawn(t *testing.T) {
	level := func(version int32, in string) []byte {
		return anvil.AppendLevel(nil, format.Level{Version: version, HasSpawn: true, Spawn: geom.Point{X: 8, Y: 70, Z: -9}, Angle: 90, SpawnIn: in})
	}
	for _, tt := range []struct {
		name       string
		level      []byte
		properties map[string]string
		dimensions []string
		want       string // the dimension, or "" for none
	}{
		{"1.16", level(2586, ""), nil, []string{"the_end", "overworld"}, "overworld"},
		{"26.1", level(4790, ""), nil, []string{"overworld"}, "overworld"},
		{"26.1 in the nether", level(4790, "minecraft:the_nether"), nil, []string{"overworld", "the_nether"}, "the_nether"},
		{"26.1 in a dimension of others", level(4790, "moon:base"), nil, []string{"overworld", "moon:base"}, "moon:base"},
		{"in a dimension that is not there", level(4790, "moon:base"), nil, []string{"overworld"}, ""},
		{"the only dimension", level(2586, ""), nil, []string{"the_end"}, "the_end"},
		{"a Slime file", nil, map[string]string{"spawnX": "8", "spawnY": "70", "spawnZ": "-9", "spawnYaw": "90"}, []string{"the_nether"}, "the_nether"},
		{"nothing", nil, nil, []string{"overworld"}, ""},
		{"no dimensions", level(2586, ""), nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := &convert.Loaded{Head: format.Head{Format: port.Anvil, Properties: tt.properties}}
			for _, name := range tt.dimensions {
				w.Dimensions = append(w.Dimensions, &convert.LoadedDimension{Name: name})
			}
			if tt.level != nil {
				w.Files = []format.File{format.FileOf(anvil.LevelPath, tt.level)}
			}
			l, dimension, ok := port.Spawn(w.Content())
			if ok != (tt.want != "") || ok && dimension != tt.want || ok && (l.Spawn != geom.Point{X: 8, Y: 70, Z: -9} || l.Angle != 90) {
				t.Errorf("players begin at %v in %q, %v, want %q", l.Spawn, dimension, ok, tt.want)
			}
		})
	}
}

// TestLostOfLevel: of a level.dat that cannot be read all is lost.
func TestLostOfLevel(t *testing.T) {
	w := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	for i, f := range w.Files {
		if f.Path == anvil.LevelPath {
			w.Files[i].Open = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("no tags")), nil }
		}
	}
	lost := map[string]int{}
	if err := port.WriteFile(t.Context(), w.Content(), io.Discard, port.Target{Format: port.Slime}, nil, lost); err != nil {
		t.Fatal(err)
	}
	if lost["file level.dat"] != 1 {
		t.Errorf("lost %v", lost)
	}
}

// TestDifficultyOfMadeWorlds: servers take a world without a difficulty for a peaceful one.
func TestDifficultyOfMadeWorlds(t *testing.T) {
	made := worldtest.Load(t, worldtest.Island(1, terrain.Modern))
	s, _, err := open(t, slimeOf(t, made), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	about, err := s.Parts(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := convert.HeadOf(about.About().Properties).Properties["difficulty"]; got != "normal" {
		t.Errorf("a Slime file has the difficulty %q, want normal", got)
	}
	stored := folder(t, made)[anvil.LevelPath].Data
	if l, _, err := anvil.ReadLevel(stored); err != nil || l.Difficulty != "normal" {
		t.Errorf("a folder has the difficulty %q, %v, want normal", l.Difficulty, err)
	}
}

// TestLevelElsewhere: an export finds the spawn in a world beside other files, and in the copy of
// a level.dat that cannot be read.
func TestLevelElsewhere(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	level := anvil.AppendLevel(nil, format.Level{Name: "x", Version: terrain.Modern, HasSpawn: true, Spawn: geom.Point{X: 1, Y: 2, Z: 3}})
	files["level.dat"] = &fstest.MapFile{Data: level}
	lost := maps.Clone(files)
	lost["level.dat"], lost["level.dat_old"] = &fstest.MapFile{Data: []byte{}}, files["level.dat"]
	beside := some(files, "World", every)
	beside["README.txt"] = &fstest.MapFile{Data: []byte("x")}
	for _, tt := range []struct {
		name   string
		files  fstest.MapFS
		remark string
	}{
		{"at the root", files, ""},
		{"beside a readme", beside, ""},
		{"a copy", lost, "level.dat cannot be read: gzip: unexpected EOF; level.dat_old is read in its place"},
		{"a copy alone", some(lost, "", func(name string) bool { return name != "level.dat" }), "level.dat is missing; level.dat_old is read in its place"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, w, err := open(t, zipOf(t, tt.files), port.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got, damaged := port.LevelRemark(w.Content()); got != tt.remark || damaged != strings.Contains(got, "cannot") {
				t.Errorf("remark %q, damaged %v, want %q", got, damaged, tt.remark)
			}
			var b bytes.Buffer
			notHeld := map[string]int{}
			if err := port.WriteFile(t.Context(), w.Content(), &b, port.Target{Format: port.Slime}, nil, notHeld); err != nil {
				t.Fatal(err)
			}
			s, _, err := open(t, b.Bytes(), port.Options{})
			if err != nil {
				t.Fatal(err)
			}
			parts, err := s.Parts(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := convert.HeadOf(parts.About().Properties).Properties["spawnZ"]; got != "3" {
				t.Errorf("spawnZ %q, not held %v", got, notHeld)
			}
			l := convert.NewLoader(w.Head)
			if err := w.Source().Read(t.Context(), port.Slim(l, map[string]int{})); err != nil {
				t.Fatal(err)
			}
			if remark, _ := port.LevelRemark(l.World().Content()); remark != "" || len(l.World().Files) != 1 {
				t.Errorf("slim: %q, files %v", remark, l.World().Files)
			}
		})
	}
}

// TestLevelCopyBroken says what is wrong with a copy of level.dat that is alone and cannot be read.
func TestLevelCopyBroken(t *testing.T) {
	files := folder(t, worldtest.Load(t, worldtest.Island(1, terrain.Modern)))
	delete(files, "level.dat")
	files["level.dat_old"] = &fstest.MapFile{}
	_, w, err := open(t, zipOf(t, files), port.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got, damaged := port.LevelRemark(w.Content()); got != "level.dat_old cannot be read: gzip: unexpected EOF" || !damaged {
		t.Errorf("%q, %v", got, damaged)
	}
}
