package clip

import (
	"encoding/binary"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// The tags of an entity that name a block: as three ints of their own, as an int array, and as a
// compound of X, Y and Z. Names in lower case are those since 1.21.5.
var (
	placeInts = [][3]string{hanging, {"HomePosX", "HomePosY", "HomePosZ"}, {"TravelPosX", "TravelPosY", "TravelPosZ"}, {"TreasurePosX", "TreasurePosY", "TreasurePosZ"},
		{"SleepingX", "SleepingY", "SleepingZ"}, {"BoundX", "BoundY", "BoundZ"}, {"AX", "AY", "AZ"}}
	placeArrays    = []string{"block_pos", "leash", "home_pos", "hive_pos", "flower_pos", "sleeping_pos", "bound_pos", "anchor_pos", "patrol_target", "wander_target", "beam_target"}
	placeCompounds = []string{"Leash", "HivePos", "FlowerPos", "PatrolTarget", "WanderTarget", "BeamTarget"}
	placeMemories  = []string{"minecraft:home", "minecraft:job_site", "minecraft:potential_job_site", "minecraft:meeting_point"}
)

// home is how far from its position an entity's home may be.
const home = 64

// eachPlace makes the blocks that an entity names what move makes of them; far is how far from the
// entity each may be.
func eachPlace(fields []document.Field, move func(p geom.Point, far float64) geom.Point) {
	for _, names := range placeInts {
		far := float64(home)
		if names == hanging {
			far = near
		}
		moveInts(fields, names, far, move)
	}
	for i, f := range fields {
		switch {
		case f.Type == nbt.IntArray && slices.Contains(placeArrays, f.Name):
			far := float64(home)
			if f.Name == "block_pos" {
				far = near
			}
			if v, ok := document.Ints(nbt.IntArray, f.Payload); ok {
				fields[i].Payload = intArray(move(v, far))
			}
		case f.Type == nbt.Compound && slices.Contains(placeCompounds, f.Name):
			inner(&fields[i], func(in []document.Field) { moveInts(in, [3]string{"X", "Y", "Z"}, home, move) })
		case f.Type == nbt.Compound && f.Name == "Brain":
			inner(&fields[i], func(brain []document.Field) {
				for i := range brain {
					if brain[i].Name == "memories" && brain[i].Type == nbt.Compound {
						inner(&brain[i], func(memories []document.Field) { moveMemories(memories, move) })
					}
				}
			})
		}
	}
}

// moveMemories moves the places that the brain of a villager remembers.
func moveMemories(memories []document.Field, move func(p geom.Point, far float64) geom.Point) {
	for i := range memories {
		if memories[i].Type != nbt.Compound || !slices.Contains(placeMemories, memories[i].Name) {
			continue
		}
		inner(&memories[i], func(memory []document.Field) {
			for i := range memory {
				if memory[i].Type == nbt.Compound && memory[i].Name == "value" {
					inner(&memory[i], func(value []document.Field) {
						for i, f := range value {
							if v, ok := document.Ints(nbt.IntArray, f.Payload); ok && f.Type == nbt.IntArray && f.Name == "pos" {
								value[i].Payload = intArray(move(v, home))
							}
						}
					})
				}
			}
		})
	}
}

// inner changes the fields of a compound.
func inner(f *document.Field, change func(fields []document.Field)) {
	fields, err := document.Fields(f.Payload)
	if err != nil {
		return
	}
	change(fields)
	f.Payload = document.Compound(fields)
}

// moveInts moves the block that three ints name, if all are there.
func moveInts(fields []document.Field, names [3]string, far float64, move func(p geom.Point, far float64) geom.Point) {
	if p := document.Point(fields, names); p != nil {
		setInts(fields, names, move(*p, far))
	}
}

func intArray(p geom.Point) []byte {
	b := binary.BigEndian.AppendUint32(nil, 3)
	for _, n := range [3]int{p.X, p.Y, p.Z} {
		b = binary.BigEndian.AppendUint32(b, uint32(int32(n)))
	}
	return b
}
