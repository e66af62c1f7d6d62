package anvil

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/klauspost/compress/gzip"
)

// LevelPath is the file with the facts of the whole world.
const LevelPath = "level.dat"

// OldLevelPath is the copy of level.dat that the game falls back to.
const OldLevelPath = LevelPath + "_old"

// maxLevel bounds the stored bytes of a level.dat.
const maxLevel = 16 << 20

// anvilVersion is what level.dat calls the format of Anvil.
const anvilVersion = 19133

// Data versions at which level.dat changed. Sources: the table of DataVersions of the
// Minecraft Wiki, and level.dat files of 1.8 to 1.21.11.
const (
	versionGenerators = 2566 // 1.16: WorldGenSettings
	versionPresets    = 2860 // 1.18: biomes by preset
	versionSpawn      = 4500 // before 1.21.9 (4554): the compound spawn, rules for monsters and fights
	versionFolders    = 4764 // before 26.1: all dimensions lie below dimensions/
	versionSettings   = 4764 // before 26.1 (4786): the compound difficulty_settings
)

var difficulties = []string{"peaceful", "easy", "normal", "hard"}

// generators are the names that level.dat has for types, where they differ.
var generators = map[string]string{"large_biomes": "largeBiomes"}

// ReadLevel reads a stored level.dat. rest names the entries of its Data that Level does not
// hold.
func ReadLevel(stored []byte) (l format.Level, rest []string, err error) {
	data, err := levelData(stored)
	if err != nil {
		return l, nil, fmt.Errorf("anvil: %s: %w", LevelPath, err)
	}
	v, _ := numberAt(data, "DataVersion")
	l.Version, l.Name = int32(v), textAt(data, "LevelName")
	readSpawn(&l, data)
	if n, ok := numberAt(data, "Difficulty"); ok && n >= 0 && n < int64(len(difficulties)) {
		l.Difficulty = difficulties[n]
	}
	settings := compoundAt(data, tagSettings)
	if name := textAt(settings, "difficulty"); slices.Contains(difficulties, name) {
		l.Difficulty = name
	}
	readGenerator(&l, data)
	readRules(&l, data)
	for _, at := range [][]string{{"DragonFight"}, {"DimensionData", "1", "DragonFight"}} {
		if killed, ok := numberAt(compoundAt(data, at...), "DragonKilled"); ok {
			l.Dragon = map[bool]string{true: "killed", false: "alive"}[killed != 0]
		}
	}
	again, err := levelData(AppendLevel(nil, l))
	if err != nil {
		return l, nil, fmt.Errorf("anvil: %s: %w", LevelPath, err)
	}
	for _, g := range payloadTags(nil, data) {
		t, payload := lookup(again, string(g.name))
		if !slices.Contains(levelTags, string(g.name)) && !nbt.Empty(g.t, g.payload()) && (t != g.t || !bytes.Equal(payload, g.payload())) {
			rest = append(rest, string(g.name))
		}
	}
	for _, g := range payloadTags(nil, compoundAt(data, tagSettings)) {
		if n, _ := numberAt(settings, string(g.name)); n != 0 || string(g.name) == "difficulty" && !slices.Contains(difficulties, l.Difficulty) {
			rest = append(rest, tagSettings+" "+string(g.name))
		}
	}
	return l, rest, nil
}

// tagSettings is the compound with the difficulty, and whether it is locked and hardcore.
const tagSettings = "difficulty_settings"

// levelTags are the entries of Data that Level holds, and those that every world of a version
// has.
var levelTags = []string{"LevelName", "DataVersion", "version", "Version", "initialized", "SpawnX", "SpawnY", "SpawnZ", "SpawnAngle", "spawn", "Difficulty", tagSettings, "generatorName", "generatorVersion"}

// levelData decompresses a level.dat and returns the payload of its compound Data.
func levelData(stored []byte) ([]byte, error) {
	doc, err := new(inflater).inflateGzip(nil, stored)
	if err != nil {
		return nil, err
	}
	root, err := rootTags(doc)
	if err != nil {
		return nil, err
	}
	data := find(root, "Data")
	if data == nil || data.t != nbt.Compound {
		return nil, fmt.Errorf("it has no compound Data")
	}
	return data.payload(), nil
}

func readSpawn(l *format.Level, data []byte) {
	x, ok := numberAt(data, "SpawnX")
	y, ok2 := numberAt(data, "SpawnY")
	z, ok3 := numberAt(data, "SpawnZ")
	if l.HasSpawn = ok && ok2 && ok3; l.HasSpawn {
		l.Spawn = geom.Point{X: int(x), Y: int(y), Z: int(z)}
		l.Angle = floatAt(data, "SpawnAngle")
	}
	spawn := compoundAt(data, "spawn")
	if t, pos := lookup(spawn, "pos"); t == nbt.IntArray && len(pos) == 4+3*4 {
		at := func(i int) int { return int(int32(binary.BigEndian.Uint32(pos[4+4*i:]))) }
		l.HasSpawn, l.Spawn, l.Angle = true, geom.Point{X: at(0), Y: at(1), Z: at(2)}, floatAt(spawn, "yaw")
		if in := textAt(spawn, "dimension"); in != "minecraft:overworld" {
			l.SpawnIn = in
		}
	}
}

// readGenerator reads the type: up to 1.15 by name, later from what makes the
// overworld.
func readGenerator(l *format.Level, data []byte) {
	if name := textAt(data, "generatorName"); name != "" {
		l.Type = name
		for t, n := range generators {
			if n == name {
				l.Type = t
			}
		}
		l.Biome = textAt(compoundAt(data, "generatorOptions"), "biome")
	}
	g := compoundAt(data, "WorldGenSettings", "dimensions", "minecraft:overworld", "generator")
	switch textAt(g, "type") {
	case "minecraft:flat":
		l.Type, l.Biome = "flat", textAt(compoundAt(g, "settings"), "biome")
	case "minecraft:debug":
		l.Type = "debug_all_block_states"
	case "minecraft:noise":
		large, _ := numberAt(compoundAt(g, "biome_source"), "large_biomes")
		switch s := textAt(g, "settings"); {
		case s == "minecraft:large_biomes" || large != 0:
			l.Type = "large_biomes"
		case s == "minecraft:amplified":
			l.Type = "amplified"
		default:
			l.Type = "default"
		}
	}
}

// readRules reads the game rules, which are text up to 1.21.10 and bytes later.
func readRules(l *format.Level, data []byte) {
	old, rules := compoundAt(data, "GameRules"), compoundAt(data, "game_rules")
	off := func(old1, new1 string) bool {
		n, ok := numberAt(rules, "minecraft:"+new1)
		return ok && n == 0 || textAt(old, old1) == "false"
	}
	if off("doMobSpawning", "spawn_mobs") {
		l.NoMonsters, l.NoAnimals = true, true
	}
	l.NoMonsters = l.NoMonsters || off("spawnMonsters", "spawn_monsters")
	l.NoPVP = off("pvp", "pvp")
}

// compoundAt returns the payload of the compound at a path below another compound, or nil. The
// other payload may be nil.
func compoundAt(compound []byte, path ...string) []byte {
	for _, name := range path {
		t, payload := lookup(compound, name)
		if t != nbt.Compound {
			return nil
		}
		compound = payload
	}
	return compound
}

// numberAt returns a byte, short, int or long of a compound's payload.
func numberAt(compound []byte, name string) (n int64, ok bool) {
	switch t, p := lookup(compound, name); t {
	case nbt.Byte:
		return int64(int8(p[0])), true
	case nbt.Short:
		return int64(int16(binary.BigEndian.Uint16(p))), true
	case nbt.Int:
		return int64(int32(binary.BigEndian.Uint32(p))), true
	case nbt.Long:
		return int64(binary.BigEndian.Uint64(p)), true
	}
	return 0, false
}

func floatAt(compound []byte, name string) float32 {
	if t, p := lookup(compound, name); t == nbt.Float {
		return math.Float32frombits(binary.BigEndian.Uint32(p))
	}
	return 0
}

func textAt(compound []byte, name string) string {
	t, p := lookup(compound, name)
	if t != nbt.String {
		return ""
	}
	s, _ := nbt.DecodeString(p[2:]) // "" if it is not text
	return s
}

// Played returns the time LastPlayed of level.dat, the zero Time if there is none.
func (w *Folder) Played() time.Time {
	if ms, _ := numberAt(w.level(), "LastPlayed"); ms > 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

// Seed returns the seed in level.dat, 0 if there is none.
func (w *Folder) Seed() int64 {
	data := w.level()
	if n, ok := numberAt(data, "RandomSeed"); ok { // up to 1.15
		return n
	}
	n, _ := numberAt(compoundAt(data, "WorldGenSettings"), "seed")
	return n
}

// level returns the Data of level.dat, or of the copy that the game falls back to; nil if
// neither can be read, which is no fault of the chunks.
func (w *Folder) level() []byte {
	for _, name := range [...]string{LevelPath, OldLevelPath} {
		if !w.has(name) {
			continue
		}
		stored, err := w.read(name, maxLevel)
		if err == nil {
			stored, err = levelData(stored)
		}
		if err == nil {
			return stored
		}
	}
	return nil
}

// factsOf returns what Head tells of the Data of level.dat.
func factsOf(data []byte) map[string]string {
	facts := map[string]string{}
	if t, p := lookup(data, "LevelName"); t == nbt.String {
		if name, err := nbt.DecodeString(p[2:]); err == nil {
			facts["name"] = name
		}
	}
	if t, _ := lookup(data, "DataVersion"); t == nbt.Int {
		v, _ := numberAt(data, "DataVersion")
		facts["data_version"] = strconv.Itoa(int(v))
	}
	return facts
}

// AppendLevel appends the smallest stored level.dat that holds l and that the game of its
// version opens. Text of more than 16,384 bytes is left out.
func AppendLevel(dst []byte, l format.Level) []byte {
	for _, s := range []*string{&l.Name, &l.Type, &l.Biome} {
		if len(*s) > maxName {
			*s = ""
		}
	}
	data := nbt.Entries{{Name: "version", Value: int32(anvilVersion)}, {Name: "LevelName", Value: l.Name}, {Name: "initialized", Value: int8(1)}}
	add := func(name string, v nbt.Value) { data = append(data, nbt.Entry{Name: name, Value: v}) }
	if l.Version > 0 {
		add("DataVersion", l.Version)
	}
	add("SpawnX", int32(l.Spawn.X))
	add("SpawnY", int32(l.Spawn.Y))
	add("SpawnZ", int32(l.Spawn.Z))
	if l.Angle != 0 {
		add("SpawnAngle", l.Angle)
	}
	if l.Version >= versionSpawn {
		pos := []int32{int32(l.Spawn.X), int32(l.Spawn.Y), int32(l.Spawn.Z)}
		add("spawn", nbt.Entries{{Name: "dimension", Value: cmp.Or(l.SpawnIn, "minecraft:overworld")}, {Name: "pos", Value: pos}, {Name: "yaw", Value: l.Angle}, {Name: "pitch", Value: float32(0)}})
	}
	switch i := slices.Index(difficulties, l.Difficulty); {
	case i >= 0 && l.Version >= versionSettings:
		add(tagSettings, nbt.Entries{{Name: "difficulty", Value: l.Difficulty}, {Name: "hardcore", Value: int8(0)}, {Name: "locked", Value: int8(0)}})
	case i >= 0:
		add("Difficulty", int8(i))
	}
	data = append(append(data, rulesOf(&l)...), generatorOf(&l)...)
	if l.Dragon != "" {
		killed := int8(0)
		if l.Dragon == "killed" {
			killed = 1
		}
		fight := nbt.Entries{{Name: "DragonFight", Value: nbt.Entries{{Name: "NeedsStateScanning", Value: int8(0)}, {Name: "DragonKilled", Value: killed}, {Name: "PreviouslyKilled", Value: killed}}}}
		if l.Version < versionGenerators {
			fight = nbt.Entries{{Name: "DimensionData", Value: nbt.Entries{{Name: "1", Value: fight}}}}
		}
		data = append(data, fight...)
	}
	b := bytes.NewBuffer(dst)
	z := gzip.NewWriter(b)
	z.Write(nbt.Append(nil, "", nbt.Entries{{Name: "Data", Value: data}})) // to memory: cannot fail
	z.Close()
	return b.Bytes()
}

// rulesOf returns the game rules that are not the game's own.
func rulesOf(l *format.Level) nbt.Entries {
	var old, rules nbt.Entries
	off := func(no bool, oldName, name string) {
		if no {
			old = append(old, nbt.Entry{Name: oldName, Value: "false"})
			rules = append(rules, nbt.Entry{Name: "minecraft:" + name, Value: int8(0)})
		}
	}
	off(l.NoMonsters && l.NoAnimals, "doMobSpawning", "spawn_mobs")
	off(l.NoMonsters && l.Version >= versionSpawn, "spawnMonsters", "spawn_monsters")
	off(l.NoPVP && l.Version >= versionSpawn, "pvp", "pvp")
	if len(old) == 0 {
		return nil
	}
	out := nbt.Entries{{Name: "GameRules", Value: old}}
	if l.Version >= versionSpawn {
		out = append(out, nbt.Entry{Name: "game_rules", Value: rules})
	}
	return out
}

// generatorOf returns what makes the chunks that the world lacks: nothing, if nothing
// is known.
func generatorOf(l *format.Level) nbt.Entries {
	biome := l.Biome
	if biome == "" {
		biome = defaultBiome
	}
	air := nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{{Name: "block", Value: "minecraft:air"}, {Name: "height", Value: int32(1)}}}}
	flat := nbt.Entries{{Name: "biome", Value: biome}, {Name: "layers", Value: air}, {Name: "lakes", Value: int8(0)}, {Name: "features", Value: int8(0)}}
	if l.Version < versionGenerators {
		name := l.Type
		if n, ok := generators[l.Type]; ok {
			name = n
		}
		switch {
		case name != "" && name != "flat":
			return nbt.Entries{{Name: "generatorName", Value: name}}
		case l.Version < versionPalette:
			return nbt.Entries{{Name: "generatorName", Value: "flat"}, {Name: "generatorOptions", Value: "3;minecraft:air;1"}}
		}
		return nbt.Entries{{Name: "generatorName", Value: "flat"}, {Name: "generatorOptions", Value: append(flat, nbt.Entry{Name: "structures", Value: nbt.Entries{}})}}
	}
	const seed = "seed"
	g := nbt.Entries{{Name: seed, Value: int64(0)}}
	switch l.Type {
	case "", "flat":
		flat = append(flat, nbt.Entry{Name: "structures", Value: nbt.Entries{{Name: "structures", Value: nbt.Entries{}}}},
			nbt.Entry{Name: "structure_overrides", Value: nbt.Items{Elem: nbt.End}})
		g = append(g, nbt.Entry{Name: "type", Value: "minecraft:flat"}, nbt.Entry{Name: "settings", Value: flat})
	case "debug_all_block_states":
		g = append(g, nbt.Entry{Name: "type", Value: "minecraft:debug"})
	default:
		settings, large := "minecraft:overworld", int8(0)
		switch {
		case l.Type == "amplified":
			settings = "minecraft:amplified"
		case l.Type == "large_biomes" && l.Version >= versionPresets:
			settings = "minecraft:large_biomes"
		case l.Type == "large_biomes":
			large = 1
		}
		source := nbt.Entries{{Name: "type", Value: "minecraft:multi_noise"}, {Name: "preset", Value: "minecraft:overworld"}}
		if l.Version < versionPresets {
			source = nbt.Entries{{Name: "type", Value: "minecraft:vanilla_layered"}, {Name: seed, Value: int64(0)}, {Name: "large_biomes", Value: large}}
		}
		g = append(g, nbt.Entry{Name: "type", Value: "minecraft:noise"}, nbt.Entry{Name: "settings", Value: settings}, nbt.Entry{Name: "biome_source", Value: source})
	}
	overworld := nbt.Entries{{Name: "type", Value: "minecraft:overworld"}, {Name: "generator", Value: g}}
	return nbt.Entries{{Name: "WorldGenSettings", Value: nbt.Entries{
		{Name: seed, Value: int64(0)}, {Name: "generate_features", Value: int8(0)}, {Name: "bonus_chest", Value: int8(0)},
		{Name: "dimensions", Value: nbt.Entries{{Name: "minecraft:overworld", Value: overworld}}},
	}}}
}
