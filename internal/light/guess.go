package light

import "strings"

// clearWords holds words of block names, between underscores, that let light
// through. No name of an opaque block may contain one, except opaqueNames.
var clearWords = words(`air void glass pane fence gate door trapdoor sign banner button plate rail carpet torch sapling
	vine vines ladder lever chest bed bars chain candle head skull pot cobweb web wire repeater comparator tripwire hook
	wheat carrots potatoes beetroots melon_stem pumpkin_stem attached_melon_stem attached_pumpkin_stem cane bamboo coral fan grass fern flower tulip dandelion poppy orchid allium bluet
	daisy cornflower lily rose lilac peony sunflower bush roots fungus sprouts wart egg anvil cake cocoa grindstone bell
	lectern hopper conduit lantern scaffolding barrier campfire fire portal gateway snow cactus stairs slab wall spawner
	lava beacon rod kelp seagrass pickle lichen cluster bud propagule azalea petals brewing_stand
	enchanting_table cauldron detector brown_mushroom red_mushroom`)

// opaqueNames holds names that contain a clear word but are opaque.
var opaqueNames = words(`grass_block snow_block tinted_glass bamboo_block bamboo_planks bamboo_mosaic nether_wart_block
	warped_wart_block fire_coral_block tube_coral_block brain_coral_block bubble_coral_block horn_coral_block
	dead_fire_coral_block dead_tube_coral_block dead_brain_coral_block dead_bubble_coral_block dead_horn_coral_block
	jack_o_lantern sea_lantern dried_kelp_block chain_command_block packed_ice blue_ice muddy_mangrove_roots
	powder_snow`)

// dimWords holds words of blocks that weaken light a little.
var dimWords = words(`water leaves ice bubble_column slime_block honey_block kelp seagrass cobweb`)

// lamps is the light of blocks that emit it. If a block can be lit and unlit, it is
// that of the lit state.
var lamps = map[string]uint8{
	"glowstone": 15, "sea_lantern": 15, "lava": 15, "jack_o_lantern": 15, "fire": 15, "lantern": 15, "beacon": 15,
	"conduit": 15, "shroomlight": 15, "end_portal": 15, "end_gateway": 15, "ochre_froglight": 15, "verdant_froglight": 15,
	"pearlescent_froglight": 15, "campfire": 15, "redstone_lamp": 15, "torch": 14, "wall_torch": 14, "end_rod": 14,
	"cave_vines": 14, "cave_vines_plant": 14, "furnace": 13, "blast_furnace": 13, "smoker": 13, "nether_portal": 11,
	"soul_torch": 10, "soul_wall_torch": 10, "soul_lantern": 10, "soul_fire": 10, "soul_campfire": 10, "crying_obsidian": 10,
	"redstone_ore": 9, "deepslate_redstone_ore": 9, "ender_chest": 7, "redstone_torch": 7, "redstone_wall_torch": 7,
	"glow_lichen": 7, "sculk_catalyst": 6, "amethyst_cluster": 5, "large_amethyst_bud": 4, "magma_block": 3,
	"medium_amethyst_bud": 2, "brewing_stand": 1, "brown_mushroom": 1, "dragon_egg": 1, "end_portal_frame": 1,
	"small_amethyst_bud": 1,
}

// unlitUnless holds for lamps that are dark by default the property that says they
// are lit.
var unlitUnless = map[string]string{
	"campfire": "lit", "redstone_lamp": "lit", "furnace": "lit", "blast_furnace": "lit", "smoker": "lit", "soul_campfire": "lit",
	"redstone_ore": "lit", "deepslate_redstone_ore": "lit", "redstone_torch": "lit", "redstone_wall_torch": "lit",
	"cave_vines": "berries", "cave_vines_plant": "berries",
}

// legacyLamps and legacyClear are the same tables for numeric ids.
var legacyLamps = map[string]uint8{
	"10": 15, "11": 15, "50": 14, "51": 15, "62": 13, "74": 9, "76": 7, "89": 15, "90": 11, "91": 15, "94": 9, "117": 1,
	"119": 15, "120": 1, "122": 1, "124": 15, "130": 7, "138": 15, "150": 9, "169": 15, "198": 14, "209": 15, "213": 3,
}

var (
	legacyClear = words(`0 6 10 11 20 26 27 28 29 31 32 33 34 36 37 38 39 40 50 51 52 54 55 59 63 64 65 66 68 69 70 71 72 75 76 77 78 81 83 85
		90 92 93 94 95 96 101 102 104 105 106 107 111 113 115 116 117 118 119 120 122 127 130 131 132 138 139 140 141 142 143
		144 145 146 147 148 149 150 151 154 157 160 165 166 167 171 175 176 177 178 183 184 185 186 187 188 189 190 191 192 193 194 195 196 197 198
		199 200 207 209 219 220 221 222 223 224 225 226 227 228 229 230 231 232 233 234`)
	legacyDim = words(`8 9 18 30 79 161 212`)
)

// dim is how much water and leaves weaken light.
const dim Matter = 1

func words(s string) map[string]bool {
	out := make(map[string]bool)
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

// Guess returns the matter that a block seems to have by its name alone. The name is
// one of package format/block or a plain word. It is for blocks without light near
// them to learn from. It knows which states of lamps are lit and which slabs are
// whole. Unknown blocks are Opaque.
func Guess(name string) Matter {
	if id, ok := strings.CutPrefix(name, "legacy:"); ok {
		id, _, _ = strings.Cut(id, "/")
		m := Opaque
		switch {
		case legacyDim[id]:
			m = dim
		case legacyClear[id]:
			m = 0
		}
		return m.withEmits(legacyLamps[id])
	}
	base, state, _ := strings.Cut(strings.TrimPrefix(name, "minecraft:"), "[")
	return solidity(base, state).withEmits(lamp(base, state))
}

func lamp(base, state string) uint8 {
	if base == "light" {
		return levelOf(state)
	}
	if key := unlitUnless[base]; key != "" && !strings.Contains(state, key+"=true") {
		return 0
	}
	return lamps[base]
}

// levelOf returns the level of a light block with the state "level=N,...".
func levelOf(state string) (n uint8) {
	_, level, ok := strings.Cut(state, "level=")
	if !ok {
		return MaxLight
	}
	for _, c := range level {
		if c < '0' || c > '9' || n > MaxLight {
			break
		}
		n = n*10 + uint8(c-'0')
	}
	return min(n, MaxLight)
}

// solidity returns how much a block weakens light and which of its faces are closed.
func solidity(base, state string) Matter {
	switch {
	case opaqueNames[base], strings.Contains(state, "type=double"):
		return Opaque
	case base == "light":
		return 0
	case has(base, dimWords):
		return dim
	case !has(base, clearWords):
		return Opaque
	}
	m := Matter(0)
	switch {
	case strings.Contains(state, "type=bottom"), strings.HasSuffix(base, "stairs") && strings.Contains(state, "half=bottom"):
		m = m.turn(Below)
	case strings.Contains(state, "type=top"), strings.HasSuffix(base, "stairs") && strings.Contains(state, "half=top"):
		m = m.turn(Above)
	}
	return m
}

// has reports whether a name, or a part of it between underscores, is in words.
func has(name string, among map[string]bool) bool {
	if among[name] {
		return true
	}
	for part := range strings.SplitSeq(name, "_") {
		if among[part] {
			return true
		}
	}
	return false
}

// With returns the matters of the cells with these names: m's if it is not Opaque,
// else the guess by name.
func (m Matters) With(names []string) Matters {
	out := make(Matters, len(names))
	for i, name := range names {
		if out[i] = Opaque; i < len(m) {
			out[i] = m[i]
		}
		if out[i] == Opaque {
			out[i] = Guess(name)
		}
	}
	return out.bounded()
}
