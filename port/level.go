package port

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/format/anvil"
	"github.com/cairnvoxel/cairn/format/nbt"
	"github.com/cairnvoxel/cairn/format/slime"
)

// What level.dat says of a world stands in a Slime file as properties. Their names,
// types and values are those of AdvancedSlimePaper.
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

// levelIn reads the world's level.dat; ok is false if it has none that can be read.
// rest names what a Slime file does not hold of it.
func levelIn(w *convert.World) (l anvil.Level, rest []string, ok bool) {
	i := slices.IndexFunc(w.Files, func(f format.File) bool { return f.Path == anvil.LevelPath })
	if i < 0 {
		return l, nil, false
	}
	return readLevel(w.Files[i])
}

func readLevel(f format.File) (l anvil.Level, rest []string, ok bool) {
	r, err := f.Open()
	if err != nil {
		return l, nil, false
	}
	defer r.Close()
	stored, err := io.ReadAll(io.LimitReader(r, format.MaxFile))
	if err == nil {
		l, rest, err = anvil.ReadLevel(stored)
	}
	return l, rest, err == nil
}

// Slim returns a Sink before another that hands on what Slime files hold, each column
// in the version of its own data version, and adds to lost what goes. Of a level.dat
// it hands on one with no more than a Slime file says.
func Slim(to format.Sink, lost map[string]int) format.Sink {
	return &slim{Filter: convert.Filter{Sink: to, Hold: func(d *format.Dimension) func(*format.Column) bool { return slimHold(d, lost) }}, lost: lost}
}

type slim struct {
	convert.Filter
	lost map[string]int
}

// File hands on what a Slime file keeps of f.
func (s *slim) File(f format.File) error {
	if f.Path == slime.ExtraPath || f.Path == slime.MapsPath {
		return s.Sink.File(f)
	}
	if f.Path == anvil.LevelPath {
		if level, rest, ok := readLevel(f); ok {
			countLevel(rest, s.lost)
			data := anvil.AppendLevel(nil, level)
			f.Size, f.Open = int64(len(data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
			return s.Sink.File(f)
		}
	}
	s.lost["file "+f.Path]++
	return nil
}

// slimHold reduces each column to what the Slime version of its own data version
// holds.
func slimHold(d *format.Dimension, lost slime.Losses) func(*format.Column) bool {
	holds := map[int32]func(*format.Column) bool{}
	return func(c *format.Column) bool {
		hold := holds[c.Version]
		if hold == nil {
			hold = slime.Hold(slime.WriteOptions{}, d, lost)
			holds[c.Version] = hold
		}
		return hold(c)
	}
}

func countLevel(rest []string, lost map[string]int) {
	for _, name := range rest {
		lost[anvil.LevelPath+" "+name]++
	}
}

// propertiesOf returns what a Slime file of a dimension says for a level.dat. What
// is so in every Slime file that does not say otherwise is left out, but for the
// spawn.
func propertiesOf(l anvil.Level, dimension string) (out nbt.Entries) {
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
	add(dimension == theEnd && l.Dragon == "alive", propDragon, int8(1))
	return out
}

// levelOf undoes propertiesOf for the head of a world that was read from a Slime file.
func levelOf(h format.Head, dimension string) (l anvil.Level) {
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
	l.Version = versionOf(h)
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

// versionOf is the data version that a Slime file says, 0 if it says none.
func versionOf(h format.Head) int32 {
	n, _ := strconv.ParseInt(h.Properties[propVersion], 10, 32)
	return int32(n)
}
