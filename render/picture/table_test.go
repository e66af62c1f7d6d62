package picture_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/render/picture"
)

// TestFamilies: a family, then blocks that belong to it.
func TestFamilies(t *testing.T) {
	table := picture.NewLooks()
	for _, line := range []string{
		"air air cave_air void_air barrier light structure_void tripwire",
		"stone stone stone_slab stone_stairs infested_stone stone_button stone_pressure_plate",
		"andesite andesite polished_andesite andesite_wall polished_andesite_slab",
		"deepslate deepslate deepslate_brick_stairs cracked_deepslate_tiles deepslate_tile_wall cobbled_deepslate_slab",
		"stone_bricks stone_bricks stone_brick_stairs cracked_stone_bricks chiseled_stone_bricks infested_stone_bricks",
		"mossy_cobblestone mossy_cobblestone mossy_cobblestone_wall mossy_stone_brick_slab",
		"smooth_stone smooth_stone smooth_stone_slab",
		"grass grass_block",
		"plant grass short_grass tall_grass fern vine",
		"dirt dirt coarse_dirt rooted_dirt",
		"water water bubble_column kelp tall_seagrass",
		"lava lava Lava_Source",
		"marble Rock_Marble_Brick[rotation=3] Rock_Marble_Brick_Half",
		"leaves_azure Plant_Leaves_Azure[filler=1,rotation=4]",
		"trunk Wood_Oak_Trunk_Full[rotation=5]",
		"door *Furniture_Crude_Door_State_Definitions_CloseDoorOut",
		"sandstone sandstone chiseled_sandstone cut_sandstone_slab smooth_sandstone_stairs sandstone_wall",
		"red_sandstone red_sandstone_stairs smooth_red_sandstone cut_red_sandstone",
		"snow snow snow_block powder_snow",
		"wool/red red_wool red_carpet red_bed red_shulker_box",
		"wool/light_blue light_blue_wool light_blue_bed",
		"concrete/light_gray light_gray_concrete light_gray_concrete_powder light_gray_glazed_terracotta",
		"terracotta/blue blue_terracotta",
		"terracotta terracotta",
		"glass/lime lime_stained_glass lime_stained_glass_pane",
		"glass glass glass_pane",
		"banner/white white_banner white_wall_banner",
		"planks/oak oak_planks oak_stairs oak_slab oak_door oak_fence_gate stripped_oak_log oak_sign oak_wall_hanging_sign oak_button petrified_oak_slab",
		"planks/dark_oak dark_oak_planks dark_oak_stairs stripped_dark_oak_wood",
		"planks/pale_oak pale_oak_planks pale_oak_shelf",
		"planks/bamboo bamboo_mosaic_stairs bamboo_planks",
		"log/spruce spruce_log spruce_wood",
		"log/warped warped_stem warped_hyphae",
		"leaves/birch birch_leaves",
		"leaves/azalea flowering_azalea_leaves",
		"ore/iron iron_ore deepslate_iron_ore",
		"ore/quartz nether_quartz_ore",
		"ore/gold nether_gold_ore gold_ore",
		"copper copper_block waxed_cut_copper_stairs waxed_copper_block copper_door copper_grate",
		"oxidized_copper oxidized_copper waxed_oxidized_cut_copper_slab oxidized_copper_trapdoor",
		"weathered_copper weathered_chiseled_copper",
		"prismarine prismarine prismarine_wall",
		"prismarine_bricks prismarine_bricks prismarine_brick_stairs",
		"nether_bricks nether_bricks nether_brick_fence chiseled_nether_bricks",
		"red_nether_bricks red_nether_brick_wall",
		"blackstone polished_blackstone_brick_stairs chiseled_polished_blackstone gilded_blackstone",
		"quartz quartz_block smooth_quartz_stairs quartz_pillar chiseled_quartz_block quartz_bricks",
		"purpur purpur_stairs purpur_pillar",
		"end_stone end_stone_brick_wall",
		"coral_dead dead_tube_coral dead_fire_coral_block",
		"coral_fire_block fire_coral_block",
		"pot potted_poppy flower_pot",
		"flower_red poppy",
		"rail rail activator_rail",
		"redstone redstone_wire repeater",
		"basalt basalt polished_basalt smooth_basalt",
		"iron iron_door iron_trapdoor iron_block",
		"water nbt:0800044e616d65000f6d696e6563726166743a7761746572",
	} {
		f := strings.Fields(line)
		for _, name := range f[1:] {
			if !strings.Contains(name, ":") {
				name = "minecraft:" + name + "[facing=east]"
			}
			if got := table.Find(name).Name; got != f[0] && !strings.HasPrefix(name, "nbt:") {
				t.Errorf("%s is %q, want %q", name, got, f[0])
			}
		}
	}
	if f := table.Find("mod:quux"); f.Name != "" || f.Colour == table.Find("mod:other").Colour {
		t.Errorf("a block that nobody knows is %+v", f)
	}
}

// TestNumeric: every id of 1.12 with every data has a family.
func TestNumeric(t *testing.T) {
	table := picture.NewLooks()
	for id := range 256 {
		for data := range 16 {
			name := fmt.Sprintf("legacy:%d/%d", id, data)
			got := table.Find(name).Name
			if never := id == 253 || id == 254; (got == "") != never {
				t.Errorf("%s, %s, is %q", name, block.Flat(name), got)
			}
		}
	}
}
