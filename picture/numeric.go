package picture

import (
	"strconv"
	"strings"
)

// numeric has a line for each block id up to 1.12: the id, a mask over the data, and
// the names by masked data. Data beyond the names uses the first. DYED stands for
// the sixteen dyed blocks of a kind.
const numeric = `
0 0 air
1 7 stone granite polished_granite diorite polished_diorite andesite polished_andesite
2 0 grass_block
3 3 dirt coarse_dirt podzol
4 0 cobblestone
5 7 oak_planks spruce_planks birch_planks jungle_planks acacia_planks dark_oak_planks
6 7 oak_sapling spruce_sapling birch_sapling jungle_sapling acacia_sapling dark_oak_sapling
7 0 bedrock
8 0 water
9 0 water
10 0 lava
11 0 lava
12 1 sand red_sand
13 0 gravel
14 0 gold_ore
15 0 iron_ore
16 0 coal_ore
17 3 oak_log spruce_log birch_log jungle_log
18 3 oak_leaves spruce_leaves birch_leaves jungle_leaves
19 1 sponge wet_sponge
20 0 glass
21 0 lapis_ore
22 0 lapis_block
23 0 dispenser
24 3 sandstone chiseled_sandstone cut_sandstone
25 0 note_block
26 0 red_bed
27 0 powered_rail
28 0 detector_rail
29 0 sticky_piston
30 0 cobweb
31 3 dead_bush short_grass fern
32 0 dead_bush
33 0 piston
34 0 piston_head
35 15 DYED_wool
36 0 moving_piston
37 0 dandelion
38 15 poppy blue_orchid allium azure_bluet red_tulip orange_tulip white_tulip pink_tulip oxeye_daisy
39 0 brown_mushroom
40 0 red_mushroom
41 0 gold_block
42 0 iron_block
43 15 smooth_stone sandstone oak_planks cobblestone bricks stone_bricks nether_bricks quartz_block smooth_stone smooth_sandstone oak_planks cobblestone bricks stone_bricks nether_bricks smooth_quartz
44 7 smooth_stone_slab sandstone_slab petrified_oak_slab cobblestone_slab brick_slab stone_brick_slab nether_brick_slab quartz_slab
45 0 bricks
46 0 tnt
47 0 bookshelf
48 0 mossy_cobblestone
49 0 obsidian
50 0 torch
51 0 fire
52 0 spawner
53 0 oak_stairs
54 0 chest
55 0 redstone_wire
56 0 diamond_ore
57 0 diamond_block
58 0 crafting_table
59 0 wheat
60 0 farmland
61 0 furnace
62 0 furnace
63 0 oak_sign
64 0 oak_door
65 0 ladder
66 0 rail
67 0 cobblestone_stairs
68 0 oak_wall_sign
69 0 lever
70 0 stone_pressure_plate
71 0 iron_door
72 0 oak_pressure_plate
73 0 redstone_ore
74 0 redstone_ore
75 0 redstone_torch
76 0 redstone_torch
77 0 stone_button
78 0 snow
79 0 ice
80 0 snow_block
81 0 cactus
82 0 clay
83 0 sugar_cane
84 0 jukebox
85 0 oak_fence
86 0 carved_pumpkin
87 0 netherrack
88 0 soul_sand
89 0 glowstone
90 0 nether_portal
91 0 jack_o_lantern
92 0 cake
93 0 repeater
94 0 repeater
95 15 DYED_stained_glass
96 0 oak_trapdoor
97 7 infested_stone infested_cobblestone infested_stone_bricks infested_mossy_stone_bricks infested_cracked_stone_bricks infested_chiseled_stone_bricks
98 3 stone_bricks mossy_stone_bricks cracked_stone_bricks chiseled_stone_bricks
99 0 brown_mushroom_block
100 0 red_mushroom_block
101 0 iron_bars
102 0 glass_pane
103 0 melon
104 0 pumpkin_stem
105 0 melon_stem
106 0 vine
107 0 oak_fence_gate
108 0 brick_stairs
109 0 stone_brick_stairs
110 0 mycelium
111 0 lily_pad
112 0 nether_bricks
113 0 nether_brick_fence
114 0 nether_brick_stairs
115 0 nether_wart
116 0 enchanting_table
117 0 brewing_stand
118 0 cauldron
119 0 end_portal
120 0 end_portal_frame
121 0 end_stone
122 0 dragon_egg
123 0 redstone_lamp
124 0 redstone_lamp
125 7 oak_planks spruce_planks birch_planks jungle_planks acacia_planks dark_oak_planks
126 7 oak_slab spruce_slab birch_slab jungle_slab acacia_slab dark_oak_slab
127 0 cocoa
128 0 sandstone_stairs
129 0 emerald_ore
130 0 ender_chest
131 0 tripwire_hook
132 0 tripwire
133 0 emerald_block
134 0 spruce_stairs
135 0 birch_stairs
136 0 jungle_stairs
137 0 command_block
138 0 beacon
139 1 cobblestone_wall mossy_cobblestone_wall
140 0 flower_pot
141 0 carrots
142 0 potatoes
143 0 oak_button
144 0 skeleton_skull
145 0 anvil
146 0 trapped_chest
147 0 light_weighted_pressure_plate
148 0 heavy_weighted_pressure_plate
149 0 comparator
150 0 comparator
151 0 daylight_detector
152 0 redstone_block
153 0 nether_quartz_ore
154 0 hopper
155 3 quartz_block chiseled_quartz_block quartz_pillar quartz_pillar
156 0 quartz_stairs
157 0 activator_rail
158 0 dropper
159 15 DYED_terracotta
160 15 DYED_stained_glass_pane
161 1 acacia_leaves dark_oak_leaves
162 1 acacia_log dark_oak_log
163 0 acacia_stairs
164 0 dark_oak_stairs
165 0 slime_block
166 0 barrier
167 0 iron_trapdoor
168 3 prismarine prismarine_bricks dark_prismarine
169 0 sea_lantern
170 0 hay_block
171 15 DYED_carpet
172 0 terracotta
173 0 coal_block
174 0 packed_ice
175 15 sunflower lilac tall_grass large_fern rose_bush peony tall_grass tall_grass tall_grass tall_grass tall_grass tall_grass
176 0 white_banner
177 0 white_wall_banner
178 0 daylight_detector
179 3 red_sandstone chiseled_red_sandstone cut_red_sandstone
180 0 red_sandstone_stairs
181 0 red_sandstone
182 0 red_sandstone_slab
183 0 spruce_fence_gate
184 0 birch_fence_gate
185 0 jungle_fence_gate
186 0 dark_oak_fence_gate
187 0 acacia_fence_gate
188 0 spruce_fence
189 0 birch_fence
190 0 jungle_fence
191 0 dark_oak_fence
192 0 acacia_fence
193 0 spruce_door
194 0 birch_door
195 0 jungle_door
196 0 acacia_door
197 0 dark_oak_door
198 0 end_rod
199 0 chorus_plant
200 0 chorus_flower
201 0 purpur_block
202 0 purpur_pillar
203 0 purpur_stairs
204 0 purpur_block
205 0 purpur_slab
206 0 end_stone_bricks
207 0 beetroots
208 0 dirt_path
209 0 end_gateway
210 0 repeating_command_block
211 0 chain_command_block
212 0 frosted_ice
213 0 magma_block
214 0 nether_wart_block
215 0 red_nether_bricks
216 0 bone_block
217 0 structure_void
218 0 observer
219 0 white_shulker_box
220 0 orange_shulker_box
221 0 magenta_shulker_box
222 0 light_blue_shulker_box
223 0 yellow_shulker_box
224 0 lime_shulker_box
225 0 pink_shulker_box
226 0 gray_shulker_box
227 0 light_gray_shulker_box
228 0 cyan_shulker_box
229 0 purple_shulker_box
230 0 blue_shulker_box
231 0 brown_shulker_box
232 0 green_shulker_box
233 0 red_shulker_box
234 0 black_shulker_box
235 0 white_glazed_terracotta
236 0 orange_glazed_terracotta
237 0 magenta_glazed_terracotta
238 0 light_blue_glazed_terracotta
239 0 yellow_glazed_terracotta
240 0 lime_glazed_terracotta
241 0 pink_glazed_terracotta
242 0 gray_glazed_terracotta
243 0 light_gray_glazed_terracotta
244 0 cyan_glazed_terracotta
245 0 purple_glazed_terracotta
246 0 blue_glazed_terracotta
247 0 brown_glazed_terracotta
248 0 green_glazed_terracotta
249 0 red_glazed_terracotta
250 0 black_glazed_terracotta
251 15 DYED_concrete
252 15 DYED_concrete_powder
255 0 structure_block
`

// Modern returns the name from 1.13 on of a block "legacy:ID/DATA" of up to 1.12.
// The result has no properties, so it is for pictures only. Other names and unknown
// ids are returned unchanged.
func Modern(name string) string {
	rest, ok := strings.CutPrefix(name, "legacy:")
	if !ok {
		return name
	}
	id, data, _ := strings.Cut(rest, "/")
	_, after, ok := strings.Cut(numeric, "\n"+id+" ")
	if !ok {
		return name
	}
	line, _, _ := strings.Cut(after, "\n")
	f := strings.Fields(line)
	mask, _ := strconv.Atoi(f[0])
	d, _ := strconv.Atoi(data)
	return "minecraft:" + variant(f[1:], d&mask)
}

func variant(names []string, n int) string {
	if kind, ok := strings.CutPrefix(names[0], "DYED"); ok {
		return strings.Fields(strings.Split(strings.TrimSpace(dyes), "\n")[n])[0] + kind
	}
	if n >= len(names) {
		n = 0
	}
	return names[n]
}
