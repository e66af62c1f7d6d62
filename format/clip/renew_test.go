package clip_test

import (
	"bytes"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

func ints(v ...int32) nbt.Value { return v }

func mob(t *testing.T, entries ...nbt.Entry) voxel.Object {
	t.Helper()
	pos := nbt.Items{Elem: nbt.Double, Values: []nbt.Value{1.5, 0.0, 2.5}}
	doc := nbt.Append(nil, "", append(nbt.Entries{{Name: "id", Value: "minecraft:cow"}, {Name: "Pos", Value: pos}}, entries...))
	return voxel.Object{Place: voxel.Indexed, At: geom.Point{X: 1, Z: 2}, Payload: doc[3:]}
}

func entry(name string, v nbt.Value) nbt.Entry { return nbt.Entry{Name: name, Value: v} }

// parsed returns an entity as text.
func parsed(t *testing.T, o voxel.Object) nbt.Entries {
	t.Helper()
	_, v, err := nbt.Parse(append([]byte{byte(nbt.Compound), 0, 0}, o.Payload...), nbt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v.(nbt.Entries)
}

func field(e nbt.Entries, name string) nbt.Value {
	for _, f := range e {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// TestEntities: entities of a clip have new UUIDs wherever it comes, those that ride on them too,
// and leashes and homes follow.
func TestEntities(t *testing.T) {
	old := clip.UUID{0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4}
	c := clip.Air(geom.Point{X: 8, Y: 8, Z: 8})
	c.Version = 3953
	c.Lists = []voxel.List{{Name: voxel.Entities, Objects: []voxel.Object{
		mob(t, entry("UUID", ints(1, 2, 3, 4)), entry("Passengers", nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries{entry("id", "minecraft:pig"), entry("UUID", ints(5, 6, 7, 8))}}})),
		mob(t, entry("UUIDMost", int64(1)<<32|2), entry("UUIDLeast", int64(9)), entry("Leash", nbt.Entries{entry("UUID", ints(1, 2, 3, 4))}), entry("OwnerUUIDMost", int64(1)<<32|2), entry("OwnerUUIDLeast", int64(3)<<32|4)),
		mob(t, entry("Leash", nbt.Entries{entry("X", int32(3)), entry("Y", int32(1)), entry("Z", int32(2))}), entry("home_pos", ints(2, 0, 2)), entry("HomePosX", int32(4)), entry("HomePosY", int32(0)), entry("HomePosZ", int32(500))),
		mob(t, entry("UUID", ints(1, 2, 3, 4))), // a second one
		mob(t, entry("Owner", ints(70, 71, 72, 73)), entry("Brain", nbt.Entries{entry("memories", nbt.Entries{entry("minecraft:home", nbt.Entries{entry("value", nbt.Entries{entry("pos", ints(1, 1, 1))})})})})),
	}}}
	at := geom.Point{X: 100, Y: 64, Z: -200}
	list := c.Entities(at)
	seen := map[clip.UUID]bool{old: true}
	for i := range list {
		id, ok := clip.UUIDOf(&list[i])
		if !ok || seen[id] {
			t.Errorf("entity %d has the UUID %x, %v", i, id, ok)
		}
		seen[id] = true
		if list[i].At != (geom.Point{X: 101, Y: 64, Z: -198}) {
			t.Errorf("entity %d is at %v", i, list[i].At)
		}
	}
	first, _ := clip.UUIDOf(&list[0])
	rider := field(parsed(t, list[0]), "Passengers").(nbt.Items).Values[0].(nbt.Entries)
	if id := field(rider, "UUID").([]int32); len(id) != 4 || id[0] == 5 {
		t.Errorf("who rides has the UUID %v", id)
	}
	leashed := parsed(t, list[1])
	holder := field(field(leashed, "Leash").(nbt.Entries), "UUID").([]int32)
	if !bytes.Equal(first[:], nbt.AppendIntArray(nil, "", holder)[7:]) {
		t.Errorf("the leash is held by %v, not by %x", holder, first)
	}
	if most := field(leashed, "OwnerUUIDMost").(int64); most == 1<<32|2 {
		t.Error("the owner is the entity that was copied")
	}
	if _, ok := field(leashed, "UUIDMost").(int64); !ok || field(leashed, "UUID") != nil {
		t.Error("a UUID of two longs has another form")
	}
	tied := parsed(t, list[2])
	knot := field(tied, "Leash").(nbt.Entries)
	if field(knot, "X") != int32(103) || field(knot, "Y") != int32(65) || field(knot, "Z") != int32(-198) {
		t.Errorf("the knot is at %v", knot)
	}
	if home := field(tied, "home_pos").([]int32); home[0] != 102 || home[2] != -198 {
		t.Errorf("home is at %v", home)
	}
	if field(tied, "HomePosZ") != int32(500) {
		t.Error("a home that is far away moves")
	}
	last := parsed(t, list[4])
	if owner := field(last, "Owner").([]int32); owner[0] != 70 {
		t.Errorf("the owner, a player, is %v", owner)
	}
	memory := field(field(field(field(last, "Brain").(nbt.Entries), "memories").(nbt.Entries), "minecraft:home").(nbt.Entries), "value").(nbt.Entries)
	if pos := field(memory, "pos").([]int32); pos[0] != 101 || pos[1] != 65 {
		t.Errorf("a villager remembers %v", pos)
	}
	for i, o := range c.Entities(at) {
		if !bytes.Equal(o.Payload, list[i].Payload) {
			t.Errorf("entity %d is another one the next time", i)
		}
	}
	for i, o := range c.Entities(geom.Point{X: 1}) {
		if id, _ := clip.UUIDOf(&o); seen[id] {
			t.Errorf("entity %d has one UUID at two places", i)
		}
	}
	c.Version = 2230 // 1.15
	if o := c.Entities(at)[2]; field(parsed(t, o), "UUIDMost") == nil {
		t.Error("an entity of 1.15 gets an int array")
	}
}

// TestItems: items that a game of another version reads as others are counted.
func TestItems(t *testing.T) {
	item := func(tags ...nbt.Entry) nbt.Value {
		return nbt.Items{Elem: nbt.Compound, Values: []nbt.Value{nbt.Entries(append([]nbt.Entry{entry("Slot", int8(0)), entry("id", "minecraft:dirt")}, tags...))}}
	}
	older, newer := entry("Items", item(entry("Count", int8(64)))), entry("Items", item(entry("count", int32(64))))
	for _, tt := range []struct {
		from, to int32
		block    string
		objects  []voxel.Object
		want     int
	}{
		{3700, 3953, "minecraft:stone", []voxel.Object{mob(t, older), mob(t)}, 1},
		{3700, 3700, "minecraft:stone", []voxel.Object{mob(t, older)}, 0},
		{3700, 1631, "minecraft:stone", []voxel.Object{mob(t, older)}, 0},
		{3953, 3700, "minecraft:stone", []voxel.Object{mob(t, newer)}, 1},
		{3953, 3837, "minecraft:stone", []voxel.Object{mob(t, newer)}, 0},
		{1343, 3700, "legacy:1/0", []voxel.Object{mob(t, older)}, 1},
		{0, 3700, "legacy:1/0", []voxel.Object{mob(t, older)}, 1},
		{0, 0, "legacy:1/0", []voxel.Object{mob(t, older)}, 0},
		{0, 3700, "minecraft:stone", []voxel.Object{mob(t, older)}, 0},
	} {
		c := clip.Air(geom.Point{X: 1, Y: 1, Z: 1})
		c.Version, c.Block.Names = tt.from, []string{"air", tt.block}
		c.Lists = []voxel.List{{Name: voxel.Entities, Objects: tt.objects}}
		if got := c.Items(tt.to); got != tt.want {
			t.Errorf("%d in %d: %d items, want %d", tt.from, tt.to, got, tt.want)
		}
	}
}
