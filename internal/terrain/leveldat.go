package terrain

import (
	"bytes"
	"compress/gzip"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// levelDat returns the file that makes a folder of columns a world that the game
// opens. The game generates nothing around it.
func levelDat(name string, o Options, spawn geom.Point) format.File {
	b := nbt.AppendCompound(nil, "")
	b = nbt.AppendCompound(b, "Data")
	b = nbt.AppendInt(b, "version", 19133)
	b = nbt.AppendString(b, "LevelName", name)
	b = nbt.AppendInt(b, "SpawnX", int32(spawn.X))
	b = nbt.AppendInt(b, "SpawnY", int32(spawn.Y))
	b = nbt.AppendInt(b, "SpawnZ", int32(spawn.Z))
	b = nbt.AppendInt(b, "GameType", 1)
	b = nbt.AppendByte(b, "allowCommands", 1)
	b = nbt.AppendByte(b, "hardcore", 0)
	b = nbt.AppendByte(b, "Difficulty", 2) // normal: servers take a world without one for a peaceful one
	b = nbt.AppendByte(b, "initialized", 1)
	b = nbt.AppendLong(b, "LastPlayed", 0)
	b = nbt.AppendLong(b, "Time", 6000)
	b = nbt.AppendLong(b, "DayTime", 6000)
	if o.Version == 0 {
		b = appendFlat(b, o)
	} else {
		b = appendSettings(b, o)
	}
	return format.FileOf("level.dat", gzipped(nbt.AppendEnd(nbt.AppendEnd(b))))
}

func appendFlat(b []byte, o Options) []byte {
	b = nbt.AppendLong(b, "RandomSeed", int64(o.Seed))
	b = nbt.AppendString(b, "generatorName", "flat")
	b = nbt.AppendInt(b, "generatorVersion", 0)
	b = nbt.AppendString(b, "generatorOptions", "3;minecraft:air;127;")
	return nbt.AppendByte(b, "MapFeatures", 0)
}

func appendSettings(b []byte, o Options) []byte {
	b = nbt.AppendInt(b, "DataVersion", o.Version)
	b = nbt.AppendCompound(b, "Version")
	b = nbt.AppendInt(b, "Id", o.Version)
	b = nbt.AppendString(b, "Series", "main")
	b = nbt.AppendByte(b, "Snapshot", 0)
	b = nbt.AppendEnd(b)
	b = nbt.AppendCompound(b, "WorldGenSettings")
	b = nbt.AppendLong(b, "seed", int64(o.Seed))
	b = nbt.AppendByte(b, "generate_features", 0)
	b = nbt.AppendByte(b, "bonus_chest", 0)
	b = nbt.AppendCompound(b, "dimensions")
	for _, dim := range []string{"overworld", "the_nether", "the_end"} {
		b = nbt.AppendCompound(b, "minecraft:"+dim)
		b = nbt.AppendString(b, "type", "minecraft:"+dim)
		b = nbt.AppendCompound(b, "generator")
		b = nbt.AppendString(b, "type", "minecraft:flat")
		b = nbt.AppendCompound(b, "settings")
		b = nbt.AppendString(b, "biome", "minecraft:the_void")
		b = nbt.AppendByte(b, "features", 0)
		b = nbt.AppendByte(b, "lakes", 0)
		b = nbt.AppendList(b, "layers", nbt.End, 0)
		b = nbt.AppendList(b, "structure_overrides", nbt.End, 0)
		b = nbt.AppendEnd(nbt.AppendEnd(nbt.AppendEnd(b)))
	}
	return nbt.AppendEnd(nbt.AppendEnd(b))
}

// gzipped compresses doc. It cannot fail, because it writes to memory.
func gzipped(doc []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	z.Write(doc)
	z.Close()
	return out.Bytes()
}
