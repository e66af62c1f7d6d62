package terrain

import (
	"encoding/binary"
	"math"

	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// item is one slot of a chest; data is the damage or kind of numeric versions.
type item struct {
	slot  int8
	id    string
	count int8
	data  int16
}

// loot returns some items of a list. It depends only on the place.
func (s seed) loot(p geom.Point, from []string, n int) []item {
	var list []item
	for i := range n {
		r := s.salt(i).at(p.X, p.Y, p.Z)
		if r&3 == 0 {
			continue
		}
		list = append(list, item{slot: int8(i), id: from[r>>8%uint64(len(from))], count: int8(r>>32%64 + 1)})
	}
	return list
}

// chest adds the block entity of a chest.
func (c *canvas) chest(p geom.Point, items []item) {
	b := c.blockEntity("minecraft:chest", "Chest")
	b = nbt.AppendList(b, "Items", nbt.Compound, len(items))
	for _, it := range items {
		b = nbt.AppendByte(b, "Slot", it.slot)
		b = nbt.AppendString(b, "id", "minecraft:"+it.id)
		if c.numeric {
			b = nbt.AppendByte(b, "Count", it.count)
			b = nbt.AppendShort(b, "Damage", it.data)
		} else {
			b = nbt.AppendInt(b, "count", int32(it.count))
		}
		b = nbt.AppendEnd(b)
	}
	c.keep(p, b)
}

// furnace adds the block entity of an idle furnace.
func (c *canvas) furnace(p geom.Point) {
	b := c.blockEntity("minecraft:furnace", "Furnace")
	b = nbt.AppendList(b, "Items", nbt.End, 0)
	b = nbt.AppendShort(b, "BurnTime", 0)
	b = nbt.AppendShort(b, "CookTime", 0)
	b = nbt.AppendShort(b, "CookTimeTotal", 200)
	c.keep(p, b)
}

// spawner adds the block entity of a cage that makes mobs.
func (c *canvas) spawner(p geom.Point, modern, numeric string) {
	b := c.blockEntity("minecraft:mob_spawner", "MobSpawner")
	b = nbt.AppendShort(b, "Delay", 20)
	b = nbt.AppendShort(b, "SpawnRange", 4)
	if c.numeric {
		c.keep(p, nbt.AppendString(b, "EntityId", numeric))
		return
	}
	b = nbt.AppendCompound(b, "SpawnData")
	b = nbt.AppendCompound(b, "entity")
	b = nbt.AppendString(b, "id", "minecraft:"+modern)
	c.keep(p, nbt.AppendEnd(nbt.AppendEnd(b)))
}

// sign adds the block entity of a sign with one line of text.
func (c *canvas) sign(p geom.Point, text string) {
	b := c.blockEntity("minecraft:sign", "Sign")
	if c.numeric {
		b = nbt.AppendString(b, "Text1", `{"text":"`+text+`"}`)
		for _, name := range []string{"Text2", "Text3", "Text4"} {
			b = nbt.AppendString(b, name, `{"text":""}`)
		}
		c.keep(p, b)
		return
	}
	b = nbt.AppendByte(b, "is_waxed", 0)
	for _, side := range []string{"front_text", "back_text"} {
		b = nbt.AppendCompound(b, side)
		b = nbt.AppendByte(b, "has_glowing_text", 0)
		b = nbt.AppendString(b, "color", "black")
		b = nbt.AppendList(b, "messages", nbt.String, 4)
		for i := range 4 {
			line := `""`
			if i == 0 && side == "front_text" {
				line = `"` + text + `"`
			}
			b = nbt.AppendStringPayload(b, line)
		}
		b = nbt.AppendEnd(b)
	}
	c.keep(p, b)
}

func (c *canvas) blockEntity(modern, numeric string) []byte {
	if c.numeric {
		return nbt.AppendString(nil, "id", numeric)
	}
	return nbt.AppendByte(nbt.AppendString(nil, "id", modern), "keepPacked", 0)
}

func (c *canvas) keep(p geom.Point, payload []byte) {
	c.add(object{list: voxel.BlockEntities, at: p, payload: nbt.AppendEnd(payload)})
}

// flow adds a tick that makes water run.
func (c *canvas) flow(p geom.Point) {
	if c.numeric {
		return
	}
	b := nbt.AppendString(nil, "i", "minecraft:water")
	b = nbt.AppendInt(b, "p", 0)
	b = nbt.AppendInt(b, "t", 5)
	c.add(object{list: voxel.FluidTicks, at: p, payload: nbt.AppendEnd(b)})
}

// animal adds an entity that stands in the middle of a block.
func (c *canvas) animal(p geom.Point, modern, numeric string, health float32) {
	r := c.seed.salt(77).at(p.X, p.Y, p.Z)
	id := "minecraft:" + modern
	if c.numeric {
		id = numeric
	}
	b := nbt.AppendString(nil, "id", id)
	b = appendDoubles(b, "Pos", float64(p.X)+.5, float64(p.Y), float64(p.Z)+.5)
	b = appendDoubles(b, "Motion", 0, -0.0784000015258789, 0)
	b = appendFloats(b, "Rotation", float32(r%360), 0)
	b = nbt.AppendShort(b, "Air", 300)
	b = nbt.AppendShort(b, "Fire", -1)
	b = nbt.AppendByte(b, "OnGround", 1)
	b = nbt.AppendInt(b, "Age", 0)
	b = nbt.AppendByte(b, "PersistenceRequired", int8(r>>20&1))
	hi, lo := int64(r&^0xF000|0x4000), int64(mix(r)&^(1<<62)|1<<63)
	if c.numeric {
		b = nbt.AppendShort(b, "Health", int16(health))
		b = nbt.AppendFloat(b, "HealF", health)
		b = nbt.AppendLong(b, "UUIDMost", hi)
		b = nbt.AppendLong(b, "UUIDLeast", lo)
	} else {
		b = nbt.AppendFloat(b, "Health", health)
		b = nbt.AppendIntArray(b, "UUID", []int32{int32(hi >> 32), int32(hi), int32(lo >> 32), int32(lo)})
	}
	c.add(object{list: voxel.Entities, at: p, entity: true, payload: nbt.AppendEnd(b)})
}

func appendDoubles(b []byte, name string, v ...float64) []byte {
	b = nbt.AppendList(b, name, nbt.Double, len(v))
	for _, f := range v {
		b = binary.BigEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}

func appendFloats(b []byte, name string, v ...float32) []byte {
	b = nbt.AppendList(b, name, nbt.Float, len(v))
	for _, f := range v {
		b = binary.BigEndian.AppendUint32(b, math.Float32bits(f))
	}
	return b
}
