package clip_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/cairnvoxel/cairn/clip"
	"github.com/cairnvoxel/cairn/format/nbt"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
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
	c.Biome = &clip.Volume{Names: []string{"air", "minecraft:plains", "minecraft:desert", "minecraft:river"}, Scale: 1,
		View: filled(size, func(geom.Point) voxel.Cell { return voxel.Cell(1 + rnd.IntN(3)) })}
	var tiles, entities []voxel.Object
	for i := range 5 {
		p := geom.Point{X: rnd.IntN(size.X), Y: rnd.IntN(size.Y), Z: rnd.IntN(size.Z)}
		o, err := clip.BlockEntity(text("minecraft:chest"), &p, []clip.Field{{Type: nbt.Byte, Name: "n", Payload: []byte{byte(i)}}})
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
	b := clip.NewBuilder(size, 0, clip.NewLimit(0))
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
	fields := []clip.Field{{Type: nbt.List, Name: "Rotation", Payload: rotation}, {Type: nbt.Byte, Name: "facing", Payload: []byte{facing}}}
	for i, v := range []int{block.X, block.Y, block.Z} {
		b := nbt.AppendInt(nil, "", int32(v))[3:]
		fields = append(fields, clip.Field{Type: nbt.Int, Name: "Tile" + string(rune('X'+i)), Payload: b})
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
