package anvil_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// TestReadLevel reads what the games of several versions write.
func TestReadLevel(t *testing.T) {
	overworld := func(generator ...any) entries {
		return compound("dimensions", compound("minecraft:overworld", compound("generator", compound(generator...))))
	}
	for _, tt := range []struct {
		name string
		data entries
		want format.Level
		rest []string
	}{
		{"nothing", compound("LevelName", "x", "version", int32(19133)), format.Level{Name: "x"}, nil},
		{"1.8", compound("SpawnX", int32(1), "SpawnY", int32(-2), "SpawnZ", int32(3), "Difficulty", int8(2), "generatorName", "largeBiomes", "initialized", int8(1)),
			format.Level{HasSpawn: true, Spawn: geom.Point{X: 1, Y: -2, Z: 3}, Difficulty: "normal", Type: "large_biomes"}, nil},
		{"half a spawn", compound("SpawnX", int32(1), "SpawnZ", int32(3)), format.Level{}, nil},
		{"1.14", compound("DataVersion", int32(1976), "generatorName", "flat", "generatorOptions", compound("biome", "minecraft:desert"), "GameRules", compound("doMobSpawning", "false", "pvp", "true")),
			format.Level{Version: 1976, Type: "flat", Biome: "minecraft:desert", NoMonsters: true, NoAnimals: true}, []string{"generatorOptions", "GameRules"}},
		{"1.9's dragon", compound("DimensionData", compound("1", compound("DragonFight", compound("DragonKilled", int8(1))))), format.Level{Dragon: "killed"}, []string{"DimensionData"}},
		{"1.16", compound("DataVersion", int32(2586), "SpawnX", int32(0), "SpawnY", int32(64), "SpawnZ", int32(0), "SpawnAngle", float32(90),
			"WorldGenSettings", overworld("type", "minecraft:noise", "settings", "minecraft:overworld", "biome_source", compound("large_biomes", int8(1))), "DragonFight", compound("DragonKilled", int8(0))),
			format.Level{Version: 2586, HasSpawn: true, Spawn: geom.Point{Y: 64}, Angle: 90, Type: "large_biomes", Dragon: "alive"}, []string{"WorldGenSettings", "DragonFight"}},
		{"flat", compound("WorldGenSettings", overworld("type", "minecraft:flat", "settings", compound("biome", "minecraft:the_void"))), format.Level{Type: "flat", Biome: "minecraft:the_void"}, []string{"WorldGenSettings"}},
		{"amplified", compound("WorldGenSettings", overworld("type", "minecraft:noise", "settings", "minecraft:amplified")), format.Level{Type: "amplified"}, []string{"WorldGenSettings"}},
		{"debug", compound("WorldGenSettings", overworld("type", "minecraft:debug")), format.Level{Type: "debug_all_block_states"}, []string{"WorldGenSettings"}},
		{"1.21.9", compound("GameRules", compound("spawnMonsters", "false", "pvp", "false")), format.Level{NoMonsters: true, NoPVP: true}, []string{"GameRules"}},
		{"1.21.11", compound("spawn", compound("pos", []int32{7, 8, 9}, "yaw", float32(-90)), "game_rules", compound("minecraft:spawn_mobs", int8(1), "minecraft:spawn_monsters", int8(0), "minecraft:pvp", int8(0))),
			format.Level{HasSpawn: true, Spawn: geom.Point{X: 7, Y: 8, Z: 9}, Angle: -90, NoMonsters: true, NoPVP: true}, []string{"game_rules"}},
		{"26.1", compound("DataVersion", int32(4790), "spawn", compound("pos", []int32{7, 8, 9}), "difficulty_settings", compound("hardcore", int8(0), "locked", int8(0), "difficulty", "easy")),
			format.Level{Version: 4790, HasSpawn: true, Spawn: geom.Point{X: 7, Y: 8, Z: 9}, Difficulty: "easy"}, nil},
		{"26.1, hardcore", compound("DataVersion", int32(4790), "difficulty_settings", compound("hardcore", int8(1), "difficulty", "odd")),
			format.Level{Version: 4790}, []string{"difficulty_settings hardcore", "difficulty_settings difficulty"}},
		{"odd types", compound("SpawnX", "1", "SpawnY", int32(1), "SpawnZ", int32(1), "Difficulty", int8(9), "spawn", int8(1), "GameRules", list(nbt.End), "generatorName", int32(1)), format.Level{}, nil},
		{"empty tags", compound("CustomBossEvents", entries{}, "ScheduledEvents", list(nbt.End)), format.Level{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, rest, err := anvil.ReadLevel(gzipped(document(compound("Data", tt.data))))
			if err != nil || got != tt.want || !slices.Equal(rest, tt.rest) {
				t.Errorf("got %+v, %q, %v\nwant %+v, %q", got, rest, err, tt.want, tt.rest)
			}
		})
	}
	whole := gzipped(document(compound("Data", compound("SpawnX", int32(1)))))
	for n := range whole {
		if _, _, err := anvil.ReadLevel(whole[:n]); err == nil {
			t.Errorf("%d of %d bytes were taken", n, len(whole))
		}
	}
	for _, doc := range [][]byte{nil, document(entries{}), document(compound("Data", "x")), {1, 0, 0, 1}} {
		if _, _, err := anvil.ReadLevel(gzipped(doc)); err == nil {
			t.Errorf("% x was taken", doc)
		}
	}
}

// TestWriteLevel: the Writer's level.dat says what it was told.
func TestWriteLevel(t *testing.T) {
	full := format.Level{Name: "x", HasSpawn: true, Spawn: geom.Point{X: -5, Y: 70, Z: 6}, Angle: 45.5, Difficulty: "hard", Type: "flat", Biome: "minecraft:desert", NoMonsters: true, NoAnimals: true, Dragon: "alive"}
	for _, tt := range []struct {
		name   string
		change func(*format.Level)
	}{
		{"flat", func(*format.Level) {}},
		{"default", func(l *format.Level) { l.Type, l.Biome = "default", "" }},
		{"amplified", func(l *format.Level) { l.Type, l.Biome = "amplified", "" }},
		{"large biomes", func(l *format.Level) { l.Type, l.Biome = "large_biomes", "" }},
		{"debug", func(l *format.Level) { l.Type, l.Biome = "debug_all_block_states", "" }},
		{"killed", func(l *format.Level) { l.Dragon = "killed" }},
		{"peaceful", func(l *format.Level) { l.Difficulty = "peaceful" }},
		{"no fights", func(l *format.Level) { l.NoPVP, l.NoAnimals = true, false }},
	} {
		for _, version := range []int32{0, 1343, 1976, 2586, 2730, 3955, 4671, 4790} {
			want := full
			if tt.change(&want); version < 1976 {
				want.Biome = "" // flat worlds have it as a number
			}
			if want.Version = version; version < 4671 && tt.name == "no fights" {
				continue
			}
			dir := t.TempDir()
			w, err := anvil.Create(dir, anvil.FolderOptions{LevelName: "x", Facts: want})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			stored, err := os.ReadFile(filepath.Join(dir, anvil.LevelPath))
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := anvil.ReadLevel(stored)
			if err != nil || got != want {
				t.Errorf("%s, %d: got %+v, %v\nwant %+v", tt.name, version, got, err, want)
			}
		}
	}
}

// TestWriteLevelVersion: the columns' data version counts.
func TestWriteLevelVersion(t *testing.T) {
	d := format.BlockDimension("overworld", "")
	dir := t.TempDir()
	w, err := anvil.Create(dir, anvil.FolderOptions{LevelName: "x", Facts: format.Level{Version: 1}})
	if err != nil {
		t.Fatal(err)
	}
	c := foreign(d, 2586)
	if err := w.Dimension(d); err != nil {
		t.Fatal(err)
	}
	if err := w.Column(&c); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	stored, err := os.ReadFile(filepath.Join(dir, anvil.LevelPath))
	if err != nil {
		t.Fatal(err)
	}
	if l, _, err := anvil.ReadLevel(stored); err != nil || l.Version != 2586 {
		t.Errorf("%+v, %v", l, err)
	}
}

func TestRealLevels(t *testing.T) {
	dir := os.Getenv("CAIRN_WORLDS")
	if dir == "" {
		t.Skip("CAIRN_WORLDS is not set")
	}
	files, err := filepath.Glob(filepath.Join(dir, "anvil", "*", anvil.LevelPath))
	if err != nil || len(files) == 0 {
		t.Fatal("no level.dat", err)
	}
	for _, path := range files {
		stored, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if l, _, err := anvil.ReadLevel(stored); err != nil || !l.HasSpawn || l.Difficulty == "" && l.Version > 0 || l.Type == "" {
			t.Errorf("%s: %+v, %v", path, l, err)
		}
	}
}

// FuzzLevel reads hostile tags: what is read can be written and read again.
func FuzzLevel(f *testing.F) {
	f.Add(document(compound("Data", compound("SpawnX", int32(1), "SpawnY", int32(2), "SpawnZ", int32(3), "generatorName", "flat", "GameRules", compound("pvp", "false")))))
	f.Add(document(compound("Data", compound("spawn", compound("pos", []int32{1, 2, 3}), "WorldGenSettings", compound("dimensions", entries{})))))
	f.Fuzz(func(t *testing.T, doc []byte) {
		l, _, err := anvil.ReadLevel(gzipped(doc))
		if err != nil {
			return
		}
		if _, rest, err := anvil.ReadLevel(anvil.AppendLevel(nil, l)); err != nil || len(rest) > 0 {
			t.Errorf("%+v: %q, %v", l, rest, err)
		}
	})
}

// TestDifficultyTag: each game reads the difficulty where its version has it.
func TestDifficultyTag(t *testing.T) {
	for version, want := range map[int32]string{3955: "Difficulty", 4671: "Difficulty", 4790: "difficulty_settings"} {
		zipped, err := gzip.NewReader(bytes.NewReader(anvil.AppendLevel(nil, format.Level{Version: version, Difficulty: "hard"})))
		if err != nil {
			t.Fatal(err)
		}
		doc, err := io.ReadAll(zipped)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Difficulty", "difficulty_settings"} {
			if bytes.Contains(doc, []byte(name)) != (name == want) {
				t.Errorf("%d: %s is there or missing, want %s", version, name, want)
			}
		}
	}
}
