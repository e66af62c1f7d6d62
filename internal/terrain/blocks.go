package terrain

import (
	"fmt"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
)

// kind is a block as its line number in the catalogue; 0 is air.
type kind uint16

// block is one line of the catalogue.
type block struct {
	modern  string // name from 1.13 on
	numeric string // "ID/DATA" before
	opacity uint8  // how much it weakens light: 0, 1 or 15
	glow    uint8  // the light it emits
	stops   bool   // counts for MOTION_BLOCKING
	leaves  bool
	fluid   bool
}

// catalogue has a line for each block that the worlds use: key, id and data, class,
// and the modern name if it is not the key. A key ending in @x is the block facing
// that way, so that mirrored buildings can turn it. Classes: s opaque, c
// transparent, t passable, l leaves, w water, v lava; a number after the class is
// the light it emits.
const catalogue = `
air 0/0 t
stone 1/0 s
granite 1/1 s
diorite 1/3 s
andesite 1/5 s
deepslate 1/0 s deepslate[axis=y]
grass_block 2/0 s grass_block[snowy=false]
snowy_grass 2/0 s grass_block[snowy=true]
dirt 3/0 s
coarse_dirt 3/1 s
podzol 3/2 s podzol[snowy=false]
cobblestone 4/0 s
mossy_cobblestone 48/0 s
oak_planks 5/0 s
spruce_planks 5/1 s
birch_planks 5/2 s
bedrock 7/0 s
water 9/0 w water[level=0]
flowing_water 8/8 w water[level=8]
lava 11/0 v15 lava[level=0]
sand 12/0 s
red_sand 12/1 s
gravel 13/0 s
clay 82/0 s
gold_ore 14/0 s
iron_ore 15/0 s
coal_ore 16/0 s
diamond_ore 56/0 s
redstone_ore 73/0 s redstone_ore[lit=false]
lapis_ore 21/0 s
copper_ore 15/0 s
deepslate_iron_ore 15/0 s
deepslate_diamond_ore 56/0 s
deepslate_redstone_ore 73/0 s deepslate_redstone_ore[lit=false]
oak_log@y 17/0 s oak_log[axis=y]
oak_log@e 17/4 s oak_log[axis=x]
oak_log@s 17/8 s oak_log[axis=z]
spruce_log@y 17/1 s spruce_log[axis=y]
birch_log@y 17/2 s birch_log[axis=y]
jungle_log@y 17/3 s jungle_log[axis=y]
acacia_log@y 162/0 s acacia_log[axis=y]
oak_leaves 18/0 l oak_leaves[distance=1,persistent=false,waterlogged=false]
oak_leaves2 18/0 l oak_leaves[distance=2,persistent=false,waterlogged=false]
spruce_leaves 18/1 l spruce_leaves[distance=1,persistent=false,waterlogged=false]
birch_leaves 18/2 l birch_leaves[distance=1,persistent=false,waterlogged=false]
jungle_leaves 18/3 l jungle_leaves[distance=1,persistent=false,waterlogged=false]
acacia_leaves 161/0 l acacia_leaves[distance=1,persistent=false,waterlogged=false]
hedge 18/4 l oak_leaves[distance=7,persistent=true,waterlogged=false]
glass 20/0 c
sandstone 24/0 s
cut_sandstone 24/2 s
short_grass 31/1 t
fern 31/2 t
dead_bush 32/0 t
dandelion 37/0 t
poppy 38/0 t
azure_bluet 38/3 t
oxeye_daisy 38/8 t
brown_mushroom 39/0 t
lily_pad 111/0 t
sugar_cane 83/0 t sugar_cane[age=0]
cactus 81/0 c cactus[age=0]
pumpkin 86/0 s
melon 103/0 s
snow 78/0 t snow[layers=1]
snow_block 80/0 s
ice 79/0 w
packed_ice 174/0 s
white_wool 35/0 s
orange_wool 35/1 s
yellow_wool 35/4 s
gray_wool 35/7 s
blue_wool 35/11 s
green_wool 35/13 s
red_wool 35/14 s
black_wool 35/15 s
gold_block 41/0 s
iron_block 42/0 s
diamond_block 57/0 s
emerald_block 133/0 s
bricks 45/0 s
bookshelf 47/0 s
obsidian 49/0 s
stone_bricks 98/0 s
mossy_stone_bricks 98/1 s
cracked_stone_bricks 98/2 s
chiseled_stone_bricks 98/3 s
quartz_block 155/0 s
terracotta 172/0 s
white_terracotta 159/0 s
orange_terracotta 159/1 s
yellow_terracotta 159/4 s
red_terracotta 159/14 s
brown_terracotta 159/12 s
smooth_stone_slab 44/0 c smooth_stone_slab[type=bottom,waterlogged=false]
stone_brick_slab 44/5 c stone_brick_slab[type=bottom,waterlogged=false]
smooth_stone 43/8 s
oak_slab 126/0 c oak_slab[type=bottom,waterlogged=false]
oak_slab_top 126/8 c oak_slab[type=top,waterlogged=false]
spruce_slab 126/1 c spruce_slab[type=bottom,waterlogged=false]
oak_stairs@e 53/0 c oak_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]
oak_stairs@w 53/1 c oak_stairs[facing=west,half=bottom,shape=straight,waterlogged=false]
oak_stairs@s 53/2 c oak_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]
oak_stairs@n 53/3 c oak_stairs[facing=north,half=bottom,shape=straight,waterlogged=false]
spruce_stairs@e 134/0 c spruce_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]
spruce_stairs@w 134/1 c spruce_stairs[facing=west,half=bottom,shape=straight,waterlogged=false]
spruce_stairs@s 134/2 c spruce_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]
spruce_stairs@n 134/3 c spruce_stairs[facing=north,half=bottom,shape=straight,waterlogged=false]
stone_brick_stairs@e 109/0 c stone_brick_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]
stone_brick_stairs@w 109/1 c stone_brick_stairs[facing=west,half=bottom,shape=straight,waterlogged=false]
stone_brick_stairs@s 109/2 c stone_brick_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]
stone_brick_stairs@n 109/3 c stone_brick_stairs[facing=north,half=bottom,shape=straight,waterlogged=false]
brick_stairs@e 108/0 c brick_stairs[facing=east,half=bottom,shape=straight,waterlogged=false]
brick_stairs@w 108/1 c brick_stairs[facing=west,half=bottom,shape=straight,waterlogged=false]
brick_stairs@s 108/2 c brick_stairs[facing=south,half=bottom,shape=straight,waterlogged=false]
brick_stairs@n 108/3 c brick_stairs[facing=north,half=bottom,shape=straight,waterlogged=false]
oak_door@e 64/0 c oak_door[facing=east,half=lower,hinge=left,open=false,powered=false]
oak_door@s 64/1 c oak_door[facing=south,half=lower,hinge=left,open=false,powered=false]
oak_door@w 64/2 c oak_door[facing=west,half=lower,hinge=left,open=false,powered=false]
oak_door@n 64/3 c oak_door[facing=north,half=lower,hinge=left,open=false,powered=false]
oak_door_top@e 64/8 c oak_door[facing=east,half=upper,hinge=left,open=false,powered=false]
oak_door_top@s 64/8 c oak_door[facing=south,half=upper,hinge=left,open=false,powered=false]
oak_door_top@w 64/8 c oak_door[facing=west,half=upper,hinge=left,open=false,powered=false]
oak_door_top@n 64/8 c oak_door[facing=north,half=upper,hinge=left,open=false,powered=false]
glass_pane@e 102/0 c glass_pane[east=true,north=false,south=false,waterlogged=false,west=true]
glass_pane@s 102/0 c glass_pane[east=false,north=true,south=true,waterlogged=false,west=false]
oak_fence@e 85/0 c oak_fence[east=true,north=false,south=false,waterlogged=false,west=true]
oak_fence@s 85/0 c oak_fence[east=false,north=true,south=true,waterlogged=false,west=false]
oak_fence@y 85/0 c oak_fence[east=false,north=false,south=false,waterlogged=false,west=false]
oak_fence_gate@s 107/0 c oak_fence_gate[facing=south,in_wall=false,open=false,powered=false]
cobblestone_wall 139/0 c cobblestone_wall[east=none,north=none,south=none,up=true,waterlogged=false,west=none]
chest@e 54/5 c chest[facing=east,type=single,waterlogged=false]
chest@w 54/4 c chest[facing=west,type=single,waterlogged=false]
chest@s 54/3 c chest[facing=south,type=single,waterlogged=false]
chest@n 54/2 c chest[facing=north,type=single,waterlogged=false]
furnace@s 61/3 s furnace[facing=south,lit=false]
furnace@n 61/2 s furnace[facing=north,lit=false]
crafting_table 58/0 s
spawner 52/0 c
oak_sign@s 63/0 t oak_sign[rotation=0,waterlogged=false]
oak_sign@n 63/8 t oak_sign[rotation=8,waterlogged=false]
torch 50/5 t14
glowstone 89/0 s15
sea_lantern 169/0 s15
farmland 60/7 s farmland[moisture=7]
wheat0 59/2 t wheat[age=2]
wheat1 59/5 t wheat[age=5]
wheat2 59/7 t wheat[age=7]
carrots 141/7 t carrots[age=7]
potatoes 142/7 t potatoes[age=7]
hay_block 170/0 s hay_block[axis=y]
ladder@s 65/3 t ladder[facing=south,waterlogged=false]
ladder@n 65/2 t ladder[facing=north,waterlogged=false]
rail@e 66/1 t rail[shape=east_west,waterlogged=false]
rail@s 66/0 t rail[shape=north_south,waterlogged=false]
`

// blockTable is the catalogue as one world uses it: kinds by key, and the cell of
// each kind in the world's block volume.
type blockTable struct {
	blocks []block
	kinds  map[string]kind
	cells  []voxel.Cell // 0: not named yet, or air
}

func newBlockTable() *blockTable {
	b := &blockTable{kinds: map[string]kind{}}
	for line := range strings.SplitSeq(strings.TrimSpace(catalogue), "\n") {
		f := strings.Fields(line)
		name := f[0]
		if len(f) == 4 {
			name = f[3]
		}
		b.kinds[f[0]] = kind(len(b.blocks))
		b.blocks = append(b.blocks, newBlock("minecraft:"+name, f[1], f[2]))
	}
	b.cells = make([]voxel.Cell, len(b.blocks))
	return b
}

func newBlock(modern, numeric, class string) block {
	b := block{modern: modern, numeric: numeric, stops: class[0] != 't'}
	switch class[0] {
	case 's':
		b.opacity = 15
	case 'l':
		b.opacity, b.leaves = 1, true
	case 'w':
		b.opacity, b.fluid = 1, true
	case 'v':
		b.fluid = true
	}
	if len(class) > 1 {
		if _, err := fmt.Sscan(class[1:], &b.glow); err != nil {
			panic(fmt.Sprintf("terrain: class %q of the catalogue: %v", class, err))
		}
	}
	return b
}

// kind returns the block with a key. It panics if the catalogue lacks it.
func (b *blockTable) kind(key string) kind {
	k, ok := b.kinds[key]
	if !ok {
		panic("terrain: the catalogue lacks " + key)
	}
	return k
}

// cell returns the cell of k in the volume with these names. It adds the name on
// first use.
func (b *blockTable) cell(k kind, names *format.Names, numeric bool) (voxel.Cell, error) {
	if c := b.cells[k]; c != 0 || k == 0 {
		return c, nil
	}
	name := b.blocks[k].modern
	if numeric {
		name = "legacy:" + b.blocks[k].numeric
	}
	c, err := names.Cell(name)
	b.cells[k] = c
	return c, err
}
