package picture

// families has a line for each family of blocks: its name, its colour from above,
// its look (. solid, ~ water, g glass, t something small on the ground, -
// invisible), and the names of its blocks without namespace and properties. Names
// that follow a pattern (dyes, woods, shapes, ores) are missing here; see
// table.find.
const families = `
air 000000 - air cave_air void_air barrier light structure_void tripwire moving_piston light_block
water 3a6fd8 ~ water flowing_water bubble_column seagrass tall_seagrass kelp kelp_plant water_source water_flowing river_water_source
lava d8601a . lava flowing_lava lava_source magma
fire e09030 t fire soul_fire campfire soul_campfire
stone 7f7f7f . stone
andesite 868a8a . andesite
diorite bdbdc0 . diorite
granite 96694f . granite
tuff 6c6e66 . tuff tuff_bricks
calcite dfe0dc . calcite
dripstone 86695a . dripstone_block pointed_dripstone
deepslate 515157 . deepslate cobbled_deepslate deepslate_bricks deepslate_tiles reinforced_deepslate
cobblestone 7a7a78 . cobblestone
mossy_cobblestone 6b7d5c . mossy_cobblestone mossy_stone_bricks
stone_bricks 7b7b7b . stone_bricks
smooth_stone a0a0a0 . smooth_stone
bedrock 4c4c4c . bedrock
gravel 857f7d . gravel suspicious_gravel
grass 6f9f45 . grass_block
plant 6aa04a t grass short_grass tall_grass fern large_fern bush vine cave_vines cave_vines_plant firefly_bush short_dry_grass tall_dry_grass
lichen 7f9a8a t glow_lichen resin_clump
litter 8a6038 t leaf_litter
lily 2f8a35 t lily_pad big_dripleaf small_dripleaf big_dripleaf_stem
dry_plant 8a6b33 t dead_bush hanging_roots mangrove_propagule twisting_vines twisting_vines_plant weeping_vines weeping_vines_plant
cane 8dbf62 t sugar_cane bamboo bamboo_sapling scaffolding
dirt 866043 . dirt coarse_dirt rooted_dirt packed_mud
path 9b8148 . dirt_path grass_path
podzol 5f4420 . podzol
mycelium 6f6369 . mycelium
farmland 6b4a2c . farmland
mud 3d3a3d . mud muddy_mangrove_roots mangrove_roots
mud_bricks 89684f . mud_bricks
moss 5b7030 . moss_block moss_carpet
pale_moss 6f756b . pale_moss_block pale_moss_carpet pale_hanging_moss
clay a1a6b3 . clay
sand dccfa3 . sand suspicious_sand
red_sand be6721 . red_sand
sandstone d8cb9b . sandstone
red_sandstone ba631d . red_sandstone
snow f4fafa . snow snow_block powder_snow snow_layer snowblock
ice 92b9fb . ice frosted_ice packed_ice
blue_ice 74a8fd . blue_ice
terracotta 985e44 . terracotta hardened_clay
bricks 97614f . bricks
glass c7e3ea g glass glass_pane
tinted_glass 2e2a33 g tinted_glass
iron_bars 8b8d8b . iron_bars chain iron_chain heavy_core copper_bars
iron d8d8d8 . iron_block iron_door iron_trapdoor iron raw_iron_block
iron_thin c9c9c9 t heavy_weighted_pressure_plate
gold f5cf3c . gold_block gold raw_gold_block bell
gold_thin f5cf3c t light_weighted_pressure_plate
diamond 62ebe0 . diamond_block
emerald 2fc45a . emerald_block
lapis 1f448c . lapis_block
redstone_block ae1a07 . redstone_block
redstone a81c10 t redstone_wire repeater comparator lever redstone_torch redstone_wall_torch tripwire_hook
redstone_lamp 8a6a3f . redstone_lamp target
coal 141414 . coal_block
netherite 433e40 . netherite_block ancient_debris lodestone
copper c06c50 . copper_block copper raw_copper_block lightning_rod copper_grate copper_bulb
exposed_copper a17e68 . exposed_copper exposed_copper_grate exposed_copper_bulb
weathered_copper 6c9a6f . weathered_copper weathered_copper_grate weathered_copper_bulb
oxidized_copper 53a486 . oxidized_copper oxidized_copper_grate oxidized_copper_bulb
amethyst 8662bf . amethyst_block budding_amethyst amethyst_cluster large_amethyst_bud medium_amethyst_bud small_amethyst_bud
quartz ece6df . quartz_block quartz_pillar quartz_bricks quartz
obsidian 17111f . obsidian
crying_obsidian 2b0d44 . crying_obsidian respawn_anchor
prismarine 639c97 . prismarine
prismarine_bricks 63ac9e . prismarine_bricks
dark_prismarine 335d50 . dark_prismarine
sea_lantern bfd3cb . sea_lantern beacon conduit
glowstone c49a5b . glowstone shroomlight ochre_froglight pearlescent_froglight verdant_froglight
torch ffd368 t torch wall_torch lantern soul_torch soul_wall_torch soul_lantern end_rod copper_torch copper_wall_torch copper_lantern
netherrack 722f2f . netherrack
nether_bricks 2e171b . nether_bricks nether_brick
red_nether_bricks 48070a . red_nether_bricks
nether_wart_block 760302 . nether_wart_block
warped_wart_block 187a79 . warped_wart_block
crimson_nylium 871d1d . crimson_nylium
warped_nylium 2d7467 . warped_nylium
nether_plant 8a1f24 t nether_wart crimson_fungus crimson_roots warped_fungus warped_roots nether_sprouts
soul_sand 524034 . soul_sand soul_soil
basalt 515156 . basalt
blackstone 2b252b . blackstone gilded_blackstone polished_blackstone_bricks
magma 9a4720 . magma_block
portal 6a1fd0 g nether_portal
end_stone dee0a5 . end_stone end_stone_bricks
end_portal 0f1a1c . end_portal end_portal_frame end_gateway
purpur ab7dab . purpur_block purpur_pillar
chorus 8a668a . chorus_plant chorus_flower
dragon_egg 14081c . dragon_egg
sponge c3c04b . sponge
wet_sponge aab546 . wet_sponge
slime 74c365 . slime_block
honey f0a53a . honey_block honeycomb_block beehive bee_nest
bone e3dfc8 . bone_block
hay b9930f . hay_block
bookshelf 9a7a48 . bookshelf chiseled_bookshelf lectern
tnt c0412d . tnt
crafting 81643c . crafting_table cartography_table fletching_table loom smithing_table composter barrel jukebox note_block
furnace 6f6f6f . furnace blast_furnace smoker dispenser dropper observer stonecutter crafter
piston 8f8163 . piston sticky_piston piston_head
chest a5762f . chest trapped_chest
ender_chest 1f2f32 . ender_chest enchanting_table
copper_chest c06c50 . copper_chest exposed_copper_chest weathered_copper_chest oxidized_copper_chest copper_golem_statue exposed_copper_golem_statue weathered_copper_golem_statue oxidized_copper_golem_statue
anvil 484848 . anvil chipped_anvil damaged_anvil grindstone hopper cauldron water_cauldron lava_cauldron powder_snow_cauldron
brewing_stand 7a6a55 t brewing_stand
spawner 24323c . spawner mob_spawner trial_spawner vault
command_block b5855f . command_block
command_block_chain 84a595 . chain_command_block
command_block_repeating 7f6fae . repeating_command_block
structure_block 594a59 . structure_block jigsaw test_block test_instance_block
daylight 826d57 . daylight_detector
cobweb e4e9ea t cobweb web
ladder 7c6036 t ladder
rail 7d7054 t rail activator_rail detector_rail
powered_rail a88a40 t powered_rail golden_rail
cactus 557f2b . cactus cactus_flower
pumpkin c77a1b . pumpkin carved_pumpkin jack_o_lantern
melon 6f911e . melon melon_block
stem 7c9a3a t pumpkin_stem melon_stem attached_pumpkin_stem attached_melon_stem
crop a9a13a t wheat beetroots torchflower_crop pitcher_crop
crop_green 4f8f2d t carrots potatoes sweet_berry_bush
cocoa 9a5e2a t cocoa
cake e9d9d3 . cake
egg e6ddc4 t turtle_egg sniffer_egg frogspawn dried_ghast
head 9a8a74 t skeleton_skull skeleton_wall_skull wither_skeleton_skull wither_skeleton_wall_skull player_head player_wall_head zombie_head zombie_wall_head creeper_head creeper_wall_head dragon_head dragon_wall_head piglin_head piglin_wall_head
pot 7c4434 t flower_pot decorated_pot
item_frame a2824e t item_frame armor_stand
sculk 0d1e24 . sculk sculk_vein sculk_sensor calibrated_sculk_sensor sculk_catalyst sculk_shrieker
brown_mushroom_block 957051 . brown_mushroom_block
red_mushroom_block c82e2d . red_mushroom_block
mushroom_stem cbc4b9 . mushroom_stem
mushroom a8725a t brown_mushroom red_mushroom crimson_fungi
resin d3611b . resin_block resin_bricks creaking_heart
candle f0dcb8 t candle candle_cake
flower_yellow f5d92f t dandelion sunflower wildflowers golden_dandelion
flower_red d0312a t poppy red_tulip rose_bush rose
flower_white e9ece3 t azure_bluet oxeye_daisy white_tulip lily_of_the_valley
flower_blue 3f7fd8 t blue_orchid cornflower
flower_pink e2a0cc t pink_tulip peony pink_petals spore_blossom
flower_purple a66fd0 t allium lilac pitcher_plant
flower_orange e07a1f t orange_tulip torchflower open_eyeblossom
flower_dark 2b2a25 t wither_rose closed_eyeblossom
sapling 5a7f38 t azalea flowering_azalea
leaves/azalea 5a7a2c . azalea_leaves flowering_azalea_leaves
coral_tube 3157cf t tube_coral tube_coral_fan tube_coral_wall_fan
coral_tube_block 3157cf . tube_coral_block
coral_brain cf5b9f t brain_coral brain_coral_fan brain_coral_wall_fan
coral_brain_block cf5b9f . brain_coral_block
coral_bubble a51aa2 t bubble_coral bubble_coral_fan bubble_coral_wall_fan
coral_bubble_block a51aa2 . bubble_coral_block
coral_fire a3232e t fire_coral fire_coral_fan fire_coral_wall_fan
coral_fire_block a3232e . fire_coral_block
coral_horn d8c742 t horn_coral horn_coral_fan horn_coral_wall_fan
coral_horn_block d8c742 . horn_coral_block
coral_dead 837c78 t dead_coral
sea_pickle 5a6128 t sea_pickle
`

// woods has for each kind of wood the colours of planks, log and leaves.
const woods = `
oak a2824e 7d6440 48762a
spruce 725430 4f3a1f 3a5f3a
birch c0af79 cbc6b4 5f8a45
jungle a07350 6b5128 3c8a20
acacia a85a32 7c5a45 5f8420
dark_oak 4a3118 3c2e1a 3f6b1e
mangrove 753630 5c3a30 4a7a26
cherry e2b2ac 4f2c36 e5a7c3
pale_oak e3d9d8 8a817a 8f9a8a
bamboo c1ad50 8e8f3f 5f9a2a
crimson 653046 5c2a3b 760302
warped 2b6863 3a5c5a 187a79
`

// dyes has for each dye the colours of wool, concrete and terracotta.
const dyes = `
white e9ecec cfd5d6 d1b1a1
orange f07613 e06100 a15325
magenta bd44b3 a9309f 95576c
light_blue 3aafd9 2389c6 706c8a
yellow f8c527 f0af15 ba8523
lime 70b919 5ea818 677534
pink ed8dac d5658e a14e4e
gray 3e4447 36393d 392a23
light_gray 8e8e86 7d7d73 876a61
cyan 158991 157788 565b5b
purple 792aac 641f9c 764656
blue 35399d 2c2e8f 4a3b5b
brown 724728 603b1f 4d3323
green 546d1b 495b24 4c532a
red a12722 8e2020 8f3d2e
black 1c1d22 101217 251610
`

// minerals has for each ore the colour of its grains.
const minerals = `
coal 2b2b2b
iron d8af93
gold fcee4b
diamond 5decf5
emerald 17dd62
lapis 345ec3
redstone ff3030
copper e0734d
quartz ece6df
`
