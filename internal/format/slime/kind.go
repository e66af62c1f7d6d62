package slime

import (
	"io"
	"maps"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
)

// Kind is the row of the table of formats.
func Kind() format.Kind {
	return format.Kind{
		Name: formatName, Ext: ".slime", Versions: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, maxVersion}, Single: true,
		Detect: Detect,
		Open: func(r io.ReaderAt, size int64, o format.ReadOptions) (format.Source, error) {
			w, err := open(r, size, o.MaxBytes)
			if err != nil {
				return nil, err
			}
			return w, nil
		},
		Create: createFile,
	}
}

// createFile returns a Writer for a world that was read from any format.
func createFile(to io.Writer, o format.WriteOptions) (format.Writer, error) {
	so := ContainerOptions{Version: o.Version, DataVersion: o.DataVersion, Facts: o.Facts, HypixelBlocks3: o.Cache}
	if o.Head.Format == formatName && so.Version == 0 {
		so.Version = o.Head.Version
	}
	w, err := Create(to, so)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// Remarks returns what the last Read has met.
func (w *Container) Remarks() (lost map[string]int, damaged []string) {
	lost = map[string]int{}
	maps.Copy(lost, w.dropped)
	if w.trailing > 0 {
		lost["bytes behind the last column"] = w.trailing
	}
	return lost, nil
}

// Properties that stand for what level.dat says of a world. Their names, types and
// values are those of AdvancedSlimePaper.
const (
	propVersion    = "dataVersion" // of Head, not of the file
	propDifficulty = "difficulty"
	propType       = "worldtype"
	propBiome      = "defaultBiome"
	propDragon     = "dragonBattle"
	propYaw        = "spawnYaw"
	propMonsters   = "allowMonsters"
	propAnimals    = "allowAnimals"
	propPVP        = "pvp"
)

// theEnd is the dimension that has a dragon.
const theEnd = "the_end"

// propertiesOf returns the properties of a Slime file that stand for a level.dat. It leaves out
// values that are the default of Slime files, except for the spawn.
func propertiesOf(l format.Level, env environment) (out nbt.Entries) {
	add := func(is bool, name string, v nbt.Value) {
		if is {
			out = append(out, nbt.Entry{Name: name, Value: v})
		}
	}
	add(l.HasSpawn, "spawnX", int32(l.Spawn.X))
	add(l.HasSpawn, "spawnY", int32(l.Spawn.Y))
	add(l.HasSpawn, "spawnZ", int32(l.Spawn.Z))
	add(l.HasSpawn, propYaw, l.Angle)
	add(l.Difficulty != "", propDifficulty, l.Difficulty)
	add(l.Type != "", propType, l.Type)
	add(l.Biome != "", propBiome, l.Biome)
	add(l.NoMonsters, propMonsters, int8(0))
	add(l.NoAnimals, propAnimals, int8(0))
	add(l.NoPVP, propPVP, int8(0))
	add(env.dimension == theEnd && l.Dragon == "alive", propDragon, int8(1))
	return out
}

// LevelOf returns the facts of a world from the head of a Slime file.
func LevelOf(h format.Head, dimension string) (l format.Level) {
	number := func(name string, to *int) {
		if n, err := strconv.Atoi(h.Properties[name]); err == nil {
			*to, l.HasSpawn = n, true
		}
	}
	number("spawnX", &l.Spawn.X)
	number("spawnY", &l.Spawn.Y)
	number("spawnZ", &l.Spawn.Z)
	if yaw, err := strconv.ParseFloat(h.Properties[propYaw], 32); err == nil {
		l.Angle = float32(yaw)
	}
	version, _ := strconv.ParseInt(h.Properties[propVersion], 10, 32) // 0 where it says none
	l.Version = int32(version)
	l.Difficulty, l.Type, l.Biome = strings.ToLower(h.Properties[propDifficulty]), strings.ToLower(h.Properties[propType]), h.Properties[propBiome]
	l.NoMonsters, l.NoAnimals, l.NoPVP = h.Properties[propMonsters] == "0", h.Properties[propAnimals] == "0", h.Properties[propPVP] == "0"
	if dimension == theEnd {
		l.Dragon = "killed"
		if h.Properties[propDragon] == "1" {
			l.Dragon = "alive"
		}
	}
	return l
}
