package clip_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/format/document"
	"github.com/cairnvoxel/cairn/internal/format/nbt"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

func TestTurnState(t *testing.T) {
	east, half, west := clip.Turn{Quarters: 1}, clip.Turn{Quarters: 2}, clip.Turn{Quarters: 3}
	mirrorX, mirrorZ := clip.Turn{MirrorX: true}, clip.Turn{MirrorZ: true}
	both := clip.Turn{MirrorX: true, MirrorZ: true}
	for _, tt := range []struct {
		turn       clip.Turn
		name, want string
	}{
		{east, "a:stone", "a:stone"},
		{east, "air", "air"},
		{east, "legacy:53/1", "legacy:53/1"},
		{clip.Turn{}, "a:b[facing=east]", "a:b[facing=east]"},
		{clip.Turn{Quarters: 4}, "a:b[facing=east]", "a:b[facing=east]"},
		{clip.Turn{Quarters: -1}, "a:b[facing=east]", "a:b[facing=north]"},
		{east, "a:b[facing=north]", "a:b[facing=east]"},
		{half, "a:b[facing=north]", "a:b[facing=south]"},
		{west, "a:b[facing=north]", "a:b[facing=west]"},
		{east, "a:b[facing=up]", "a:b[facing=up]"},
		{mirrorX, "a:b[facing=east]", "a:b[facing=west]"},
		{mirrorX, "a:b[facing=north]", "a:b[facing=north]"},
		{mirrorZ, "a:b[facing=north]", "a:b[facing=south]"},
		{mirrorZ, "a:b[facing=east]", "a:b[facing=east]"},
		{east, "a:log[axis=x]", "a:log[axis=z]"},
		{half, "a:log[axis=x]", "a:log[axis=x]"},
		{east, "a:log[axis=y]", "a:log[axis=y]"},
		{mirrorX, "a:log[axis=x]", "a:log[axis=x]"},
		{east, "a:sign[rotation=0,waterlogged=false]", "a:sign[rotation=4,waterlogged=false]"},
		{east, "a:sign[rotation=14]", "a:sign[rotation=2]"},
		{mirrorX, "a:sign[rotation=4]", "a:sign[rotation=12]"},
		{mirrorX, "a:sign[rotation=0]", "a:sign[rotation=0]"},
		{mirrorZ, "a:sign[rotation=0]", "a:sign[rotation=8]"},
		{mirrorZ, "a:sign[rotation=4]", "a:sign[rotation=4]"},
		{mirrorZ, "a:sign[rotation=1]", "a:sign[rotation=7]"},
		{east, "a:fence[east=false,north=true,south=false,west=false]", "a:fence[east=true,north=false,south=false,west=false]"},
		{east, "a:wall[east=none,north=low,south=tall,up=true,west=none]", "a:wall[east=low,north=none,south=none,up=true,west=tall]"},
		{mirrorX, "a:wire[east=up,north=side,power=3,south=none,west=none]", "a:wire[east=none,north=side,power=3,south=none,west=up]"},
		{east, "a:stairs[facing=east,half=top,shape=inner_left]", "a:stairs[facing=south,half=top,shape=inner_left]"},
		{mirrorX, "a:stairs[facing=east,half=top,shape=inner_left]", "a:stairs[facing=west,half=top,shape=inner_right]"},
		{mirrorX, "a:stairs[facing=north,half=bottom,shape=outer_right]", "a:stairs[facing=north,half=bottom,shape=outer_left]"},
		{both, "a:stairs[facing=north,half=bottom,shape=outer_right]", "a:stairs[facing=south,half=bottom,shape=outer_right]"},
		{mirrorZ, "a:stairs[facing=east,half=top,shape=straight]", "a:stairs[facing=east,half=top,shape=straight]"},
		{east, "a:rail[shape=north_south]", "a:rail[shape=east_west]"},
		{half, "a:rail[shape=north_south]", "a:rail[shape=north_south]"},
		{east, "a:rail[shape=ascending_north]", "a:rail[shape=ascending_east]"},
		{east, "a:rail[shape=south_east]", "a:rail[shape=south_west]"},
		{east, "a:rail[shape=south_west]", "a:rail[shape=north_west]"},
		{east, "a:rail[shape=north_west]", "a:rail[shape=north_east]"},
		{east, "a:rail[shape=north_east]", "a:rail[shape=south_east]"},
		{mirrorX, "a:rail[shape=south_east]", "a:rail[shape=south_west]"},
		{mirrorZ, "a:rail[shape=south_east]", "a:rail[shape=north_east]"},
		{mirrorX, "a:door[facing=north,half=lower,hinge=left]", "a:door[facing=north,half=lower,hinge=right]"},
		{east, "a:door[facing=north,half=lower,hinge=left]", "a:door[facing=east,half=lower,hinge=left]"},
		{mirrorZ, "a:chest[facing=north,type=left]", "a:chest[facing=south,type=right]"},
		{mirrorZ, "a:chest[facing=north,type=single]", "a:chest[facing=south,type=single]"},
		{mirrorZ, "a:slab[type=top]", "a:slab[type=top]"},
		{east, "a:lever[facing=up_x]", "a:lever[facing=up_z]"},
		{east, "a:lever[facing=south]", "a:lever[facing=west]"},
		{east, "a:quartz[variant=lines_x]", "a:quartz[variant=lines_z]"},
		{east, "a:planks[variant=dark_oak]", "a:planks[variant=dark_oak]"},
		{east, "a:planks[variant=oak]", "a:planks[variant=oak]"},
		{east, "a:mushroom[variant=north_west]", "a:mushroom[variant=north_east]"},
		{east, "a:mushroom[variant=north_east]", "a:mushroom[variant=south_east]"},
		{mirrorX, "a:mushroom[variant=south_east]", "a:mushroom[variant=south_west]"},
		{mirrorZ, "a:mushroom[variant=west]", "a:mushroom[variant=west]"},
		{east, "a:jigsaw[orientation=up_north]", "a:jigsaw[orientation=up_east]"},
		{east, "a:crafter[orientation=north_up]", "a:crafter[orientation=east_up]"},
		{mirrorX, "a:crafter[orientation=down_east]", "a:crafter[orientation=down_west]"},
	} {
		if got := tt.turn.State(tt.name); got != tt.want {
			t.Errorf("%+v: %s: got %s, want %s", tt.turn, tt.name, got, tt.want)
		}
	}
}

// states are blocks of all kinds that turn.
var states = []string{
	"air", "minecraft:stone", "minecraft:furnace[facing=west,lit=true]", "minecraft:log[axis=z]", "minecraft:sign[rotation=5]",
	"minecraft:vine[east=true,north=false,south=false,up=true,west=true]", "minecraft:stairs[facing=south,half=top,shape=outer_left]", "minecraft:rail[shape=north_east]",
	"minecraft:door[facing=east,hinge=left]", "minecraft:chest[facing=west,type=right]", "minecraft:jigsaw[orientation=down_south]",
}

// random returns a clip of many blocks and objects.
func random(rnd *rand.Rand, size geom.Point) *clip.Clip {
	c := clip.Air(size)
	c.Version, c.Offset, c.Min = 3700, geom.Point{X: rnd.IntN(20) - 10, Y: 3, Z: rnd.IntN(20) - 10}, geom.Point{X: 100, Y: -5, Z: 7}
	c.Block.Names = states
	c.Block.View = filled(size, func(geom.Point) voxel.Cell { return voxel.Cell(rnd.IntN(len(states))) })
	c.Biome = &clip.Contents{Names: []string{"air", "minecraft:plains", "minecraft:desert", "minecraft:river"}, Scale: 1,
		View: filled(size, func(geom.Point) voxel.Cell { return voxel.Cell(1 + rnd.IntN(3)) })}
	var tiles, entities []voxel.Object
	for i := range 5 {
		p := geom.Point{X: rnd.IntN(size.X), Y: rnd.IntN(size.Y), Z: rnd.IntN(size.Z)}
		o, err := clip.BlockEntity(text("minecraft:chest"), &p, []document.Field{{Type: nbt.Byte, Name: "n", Payload: []byte{byte(i)}}})
		if err != nil {
			panic(err)
		}
		tiles = append(tiles, o)
		entities = append(entities, painting([3]float64{float64(p.X) + 0.25, float64(p.Y), float64(p.Z) + 0.75}, float32(rnd.IntN(8)-4)*22.5, p, byte(rnd.IntN(4))))
	}
	c.Lists = []voxel.List{{Name: voxel.BlockEntities, Objects: tiles}, {Name: voxel.Entities, Objects: entities}}
	return c
}

// filled returns a view of a box.
func filled(size geom.Point, cell func(geom.Point) voxel.Cell) *grid.View {
	b := clip.NewBuilder(size, 0, nil)
	for y := range size.Y {
		for z := range size.Z {
			for x := range size.X {
				b.Run(cell(geom.Point{X: x, Y: y, Z: z}), 1)
			}
		}
	}
	v, err := b.View()
	if err != nil {
		panic(err)
	}
	return v
}

// text returns the payload of a string.
func text(s string) []byte { return nbt.AppendStringPayload(nil, s) }

// painting returns an entity that looks somewhere and hangs at a block.
func painting(at [3]float64, yaw float32, block geom.Point, facing byte) voxel.Object {
	rotation := nbt.Append(nil, "", nbt.Items{Elem: nbt.Float, Values: []nbt.Value{yaw, float32(10)}})[3:]
	fields := []document.Field{{Type: nbt.List, Name: "Rotation", Payload: rotation}, {Type: nbt.Byte, Name: "facing", Payload: []byte{facing}}}
	for i, v := range []int{block.X, block.Y, block.Z} {
		b := nbt.AppendInt(nil, "", int32(v))[3:]
		fields = append(fields, document.Field{Type: nbt.Int, Name: "Tile" + string(rune('X'+i)), Payload: b})
	}
	o, err := clip.Entity(text("minecraft:painting"), &at, fields)
	if err != nil {
		panic(err)
	}
	return o
}

// TestTurnProperties holds turns to what they are in geometry.
func TestTurnProperties(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	turned := func(c *clip.Clip, turns ...clip.Turn) *clip.Clip {
		for _, turn := range turns {
			var lost map[string]int
			if c, lost = c.Turn(turn); len(lost) > 0 {
				t.Errorf("lost %v", lost)
			}
		}
		return c
	}
	q, x, z := clip.Turn{Quarters: 1}, clip.Turn{MirrorX: true}, clip.Turn{MirrorZ: true}
	for _, size := range []geom.Point{{X: 1, Y: 1, Z: 1}, {X: 4, Y: 2, Z: 4}, {X: 3, Y: 5, Z: 7}, {X: 40, Y: 2, Z: 33}} {
		c := random(rnd, size)
		for _, tt := range []struct {
			name string
			a, b *clip.Clip
		}{
			{"four quarters are none", c, turned(c, q, q, q, q)},
			{"two quarters are a half", turned(c, clip.Turn{Quarters: 2}), turned(c, q, q)},
			{"three quarters are one back", turned(c, clip.Turn{Quarters: -1}), turned(c, q, q, q)},
			{"mirrored twice along x", c, turned(c, x, x)},
			{"mirrored twice along z", c, turned(c, z, z)},
			{"mirrored along both is a half", turned(c, clip.Turn{Quarters: 2}), turned(c, x, z)},
			{"both in one turn", turned(c, x, z), turned(c, clip.Turn{MirrorX: true, MirrorZ: true})},
			{"a mirror before and after a quarter", turned(c, x, q), turned(c, q, z)},
			{"mirror first, then rotate", turned(c, x, q), turned(c, clip.Turn{MirrorX: true, Quarters: 1})},
		} {
			if d := clip.Difference(tt.a, tt.b); d != "" {
				t.Errorf("%v: %s: %s", size, tt.name, d)
			}
		}
	}
}

// TestTurnPlaces follows a block, an object and an entity.
func TestTurnPlaces(t *testing.T) {
	size := geom.Point{X: 4, Y: 1, Z: 3}
	at := geom.Point{X: 3, Z: 1}
	for _, tt := range []struct {
		turn   clip.Turn
		want   geom.Point
		pos    [3]float64
		yaw    float32
		facing byte
		offset geom.Point
	}{
		{clip.Turn{}, at, [3]float64{3.25, 0, 1.5}, 45, 1, geom.Point{X: 1, Z: 2}},
		{clip.Turn{Quarters: 1}, geom.Point{X: 1, Z: 3}, [3]float64{1.5, 0, 3.25}, 135, 2, geom.Point{X: -4, Z: 1}},
		{clip.Turn{Quarters: 2}, geom.Point{X: 0, Z: 1}, [3]float64{0.75, 0, 1.5}, -135, 3, geom.Point{X: -4, Z: -4}},
		{clip.Turn{Quarters: 3}, geom.Point{X: 1, Z: 0}, [3]float64{1.5, 0, 0.75}, -45, 0, geom.Point{X: 2, Z: -4}},
		{clip.Turn{MirrorX: true}, geom.Point{X: 0, Z: 1}, [3]float64{0.75, 0, 1.5}, -45, 3, geom.Point{X: -4, Z: 2}},
		{clip.Turn{MirrorZ: true}, geom.Point{X: 3, Z: 1}, [3]float64{3.25, 0, 1.5}, 135, 1, geom.Point{X: 1, Z: -4}},
	} {
		t.Run(fmt.Sprint(tt.turn), func(t *testing.T) {
			c := clip.Air(size)
			c.Version, c.Offset = 3700, geom.Point{X: 1, Z: 2}
			c.Block.Names = []string{"air", "minecraft:stone"}
			c.Block.View = filled(size, func(p geom.Point) voxel.Cell {
				if p == at {
					return 1
				}
				return 0
			})
			c.Lists = []voxel.List{
				{Name: voxel.BlockEntities, Objects: []voxel.Object{{Place: voxel.Moved, At: at, Payload: []byte{0}}}},
				{Name: voxel.Entities, Objects: []voxel.Object{painting([3]float64{3.25, 0, 1.5}, 45, at, 1)}},
			}
			got, _ := c.Turn(tt.turn)
			if cell, _ := got.Block.View.Cell(tt.want); cell != 1 {
				t.Errorf("the block is not at %v", tt.want)
			}
			if o := got.List(voxel.BlockEntities)[0]; o.At != tt.want {
				t.Errorf("the block entity is at %v, want %v", o.At, tt.want)
			}
			want := painting(tt.pos, tt.yaw, tt.want, tt.facing)
			if o := got.List(voxel.Entities)[0]; string(o.Payload) != string(want.Payload) || o.At != want.At {
				t.Errorf("the entity is %q, want %q", o.Payload, want.Payload)
			}
			if got.Offset != tt.offset {
				t.Errorf("the offset is %v, want %v", got.Offset, tt.offset)
			}
		})
	}
}

// TestTurnNumbers counts blocks whose directions are numbers.
func TestTurnNumbers(t *testing.T) {
	c := clip.Air(geom.Point{X: 2, Y: 1, Z: 2})
	c.Block.Names = []string{"air", "legacy:53/1"}
	c.Block.View = filled(c.Size, func(p geom.Point) voxel.Cell { return voxel.Cell(p.X) })
	if _, lost := c.Turn(clip.Turn{Quarters: 1}); len(lost) != 1 || lost["blocks with numeric ids, whose directions stay"] != 2 {
		t.Errorf("lost %v", lost)
	}
}

// TestTurnPaintings holds paintings of all sizes to the blocks that they cover, in the tags of all games,
// and the other entities that hang to their block.
func TestTurnPaintings(t *testing.T) {
	directions := []geom.Point{{Z: 1}, {X: -1}, {Z: -1}, {X: 1}} // by Facing: south, west, north, east
	left := func(d geom.Point) geom.Point { return geom.Point{X: d.Z, Z: -d.X} }
	// covered returns the cells in which a painting hangs, and its middle.
	covered := func(at geom.Point, facing byte, wide, high int) (map[geom.Point]bool, [3]float64) {
		l := left(directions[facing])
		cells := make(map[geom.Point]bool)
		from := -(wide - 1) / 2
		for i := range wide {
			for y := range high {
				cells[at.Add(geom.Point{X: l.X * (from + i), Y: y - (high-1)/2, Z: l.Z * (from + i)})] = true
			}
		}
		mid := float64(1-wide%2) / 2
		return cells, [3]float64{float64(at.X) + 0.5 + mid*float64(l.X), float64(at.Y) + 0.5 + float64(1-high%2)/2, float64(at.Z) + 0.5 + mid*float64(l.Z)}
	}
	ints := func(p geom.Point) []int32 { return []int32{int32(p.X), int32(p.Y), int32(p.Z)} }
	field := func(name string, typ nbt.Type, b []byte) document.Field {
		return document.Field{Type: typ, Name: name, Payload: b}
	}
	tiles := func(p geom.Point) (out []document.Field) {
		for i, v := range ints(p) {
			out = append(out, field("Tile"+string(rune('X'+i)), nbt.Int, nbt.AppendInt(nil, "", v)[3:]))
		}
		return out
	}
	array := func(p geom.Point) []document.Field {
		b := []byte{0, 0, 0, 3}
		for _, v := range ints(p) {
			b = append(b, nbt.AppendInt(nil, "", v)[3:]...)
		}
		return []document.Field{field("block_pos", nbt.IntArray, b)}
	}
	games := []struct {
		name, id, kind string
		version        int32
		facing         func(byte) document.Field
		place          func(geom.Point) []document.Field
	}{
		{"1.3", "Painting", "Motive", 0, func(b byte) document.Field { return field("Dir", nbt.Byte, []byte{[]byte{2, 1, 0, 3}[b]}) }, tiles},
		{"1.7", "Painting", "Motive", 0, func(b byte) document.Field { return field("Direction", nbt.Byte, []byte{b}) }, tiles},
		{"1.12", "minecraft:painting", "Motive", 1343, func(b byte) document.Field { return field("Facing", nbt.Byte, []byte{b}) }, tiles},
		{"1.20", "minecraft:painting", "variant", 3465, func(b byte) document.Field { return field("facing", nbt.Byte, []byte{b}) }, tiles},
		{"1.21.5", "minecraft:painting", "variant", 4325, func(b byte) document.Field { return field("facing", nbt.Byte, []byte{b}) }, array},
	}
	size := geom.Point{X: 9, Y: 9, Z: 12}
	for name, is := range map[string][2]int{"Kebab": {1, 1}, "minecraft:aztec2": {1, 1}, "Sea": {2, 1}, "minecraft:graham": {1, 2}, "SkullAndRoses": {2, 2},
		"minecraft:skull_and_roses": {2, 2}, "minecraft:earth": {2, 2}, "minecraft:fern": {3, 3}, "minecraft:pond": {3, 4}, "Fighters": {4, 2}, "DonkeyKong": {4, 3},
		"minecraft:burning_skull": {4, 4}, "minecraft:orb": {4, 4}, "pack:own": {4, 1}, "pack:other": {3, 1}} {
		for _, game := range games {
			for turn := range 16 {
				how := clip.Turn{MirrorX: turn&1 != 0, MirrorZ: turn&2 != 0, Quarters: turn >> 2}
				for facing := range byte(4) {
					at := geom.Point{X: 4, Y: 5, Z: 6}
					cells, middle := covered(at, facing, is[0], is[1])
					fields := append(game.place(at), game.facing(facing), field(game.kind, nbt.String, text(name)))
					o, err := clip.Entity(text(game.id), &middle, fields)
					if err != nil {
						t.Fatal(err)
					}
					c := clip.Air(size)
					c.Version, c.Lists = game.version, []voxel.List{{Name: voxel.Entities, Objects: []voxel.Object{o}}}
					turned, _ := c.Turn(how)
					got := turned.List(voxel.Entities)[0]
					// Where the cells come to lie is asked of blocks.
					c.Lists = []voxel.List{{Name: voxel.BlockEntities}}
					for p := range cells {
						c.Lists[0].Objects = append(c.Lists[0].Objects, voxel.Object{Place: voxel.Moved, At: p, Payload: []byte{0}})
					}
					turned, _ = c.Turn(how)
					place, _ := clip.Hangs(&got)
					to := byte(9)
					all, _ := document.Fields(got.Payload)
					for b := range byte(4) {
						if f := game.facing(b); string(document.Find(all, f.Name, nbt.Byte)) == string(f.Payload) {
							to = b
						}
					}
					if to == 9 {
						t.Fatalf("%s %s %+v: no direction", game.name, name, how)
					}
					want, mid := covered(place, to, is[0], is[1])
					pos := document.Doubles(document.Find(all, "Pos", nbt.List))
					wrong := *pos != mid || len(want) != len(turned.List(voxel.BlockEntities))
					for _, b := range turned.List(voxel.BlockEntities) {
						wrong = wrong || !want[b.At]
					}
					if wrong {
						t.Fatalf("%s %s %+v facing %d: hangs at %v facing %d, and its middle is %v, not %v", game.name, name, how, facing, place, to, mid, *pos)
					}
				}
			}
		}
	}
	for _, id := range []string{"minecraft:item_frame", "minecraft:glow_item_frame", "minecraft:leash_knot"} {
		for turn := range 16 {
			how := clip.Turn{MirrorX: turn&1 != 0, MirrorZ: turn&2 != 0, Quarters: turn >> 2}
			at := geom.Point{X: 1, Y: 5, Z: 7}
			o, err := clip.Entity(text(id), &[3]float64{1.5, 5.5, 7}, append(array(at), field("Facing", nbt.Byte, []byte{2})))
			if err != nil {
				t.Fatal(err)
			}
			c := clip.Air(size)
			c.Version = 4325
			c.Lists = []voxel.List{{Name: voxel.Entities, Objects: []voxel.Object{o}}, {Name: voxel.BlockEntities, Objects: []voxel.Object{{Place: voxel.Moved, At: at, Payload: []byte{0}}}}}
			turned, _ := c.Turn(how)
			if got, _ := clip.Hangs(&turned.List(voxel.Entities)[0]); got != turned.List(voxel.BlockEntities)[0].At {
				t.Errorf("%s %+v: hangs at %v, its block is at %v", id, how, got, turned.List(voxel.BlockEntities)[0].At)
			}
		}
	}
}
