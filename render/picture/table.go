package picture

import (
	hexcode "encoding/hex"
	"hash/fnv"
	"image/color"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/block"
)

// look says how a block is seen from above.
type look byte

const (
	solid  look = '.'
	fluid  look = '~' // seen into, darker with depth
	glassy look = 'g' // tints what is below
	small  look = 't' // covers part of what is below
	unseen look = '-'
)

// family is the appearance that similar blocks share.
type family struct {
	Name   string // "wool/red", "planks/oak", "stone", ...; "" if no rule matches the block
	Colour color.RGBA
	look   look
}

// clear reports whether one sees through blocks of the family: water, glass.
func (f family) clear() bool { return f.look == fluid || f.look == glassy }

// whole reports whether blocks of the family fill their cell, as far as a picture shows it. Air,
// flowers and rails do not.
func (f family) whole() bool { return f.look != small && f.look != unseen }

// Looks knows the families of blocks by name. Goroutines may share it.
type Looks struct {
	exact  map[string]family
	colour map[string]color.RGBA // of dyes, woods and minerals by "wool/red", ...
	dyes   []string              // longest first where one ends in another
	woods  []string
}

// NewLooks returns the table of the names of all versions from 1.13 on and of the
// results of Modern.
func NewLooks() *Looks {
	t := &Looks{exact: map[string]family{}, colour: map[string]color.RGBA{}}
	for f := range lines(families) {
		for _, name := range f[3:] {
			t.exact[name] = family{f[0], hex(f[1]), look(f[2][0])}
		}
	}
	t.dyes = t.series(dyes, "wool", "concrete", "terracotta")
	t.woods = t.series(woods, "planks", "log", "leaves")
	t.series(minerals, "ore")
	return t
}

// series reads lines of a word and its colours, one for each of the kinds.
func (t *Looks) series(text string, kinds ...string) []string {
	var words []string
	for f := range lines(text) {
		words = append(words, f[0])
		for i, kind := range kinds {
			t.colour[kind+"/"+f[0]] = hex(f[i+1])
		}
	}
	return words
}

func lines(text string) func(func([]string) bool) {
	return func(yield func([]string) bool) {
		for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
			if !yield(strings.Fields(line)) {
				return
			}
		}
	}
}

// hex parses a colour of this package's tables.
func hex(s string) color.RGBA {
	v, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		panic("picture: a table has the colour " + s)
	}
	return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}
}

// family returns the family of a block by its name in a volume, with namespace and
// properties, or "legacy:ID/DATA". If no rule matches, it has no name and a
// greyish magenta that depends on the block's name.
func (t *Looks) family(name string) family {
	if f, ok := coloured(name); ok {
		return f
	}
	short := bare(name)
	if f, ok := ofHytale(short); ok {
		return f
	}
	if f, ok := t.find(short); ok {
		return f
	}
	if f, ok := t.guess(short); ok {
		return f
	}
	return strange(short)
}

// coloured returns the family of a cell that is named for its colour, such as "rgb:ff8800[index=7]".
func coloured(name string) (family, bool) {
	text, ok := strings.CutPrefix(name, "rgb:")
	text, _, _ = strings.Cut(text, "[")
	if v, err := strconv.ParseUint(text, 16, 24); ok && err == nil && len(text) == 6 {
		return family{"rgb/" + text, color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255}, solid}, true
	}
	return family{}, false
}

// Block returns the block of the game that a name of a volume means, with namespace and
// properties: "minecraft:oak_log[axis=x]" and what block.Flat returns stay as they are, and the name
// of a material becomes that of a block.
func Block(name string) string {
	name = block.Flat(unescape(name))
	if strings.Contains(name, ":") {
		return name
	}
	if known, ok := materials[name]; ok {
		name = known
	}
	return "minecraft:" + name
}

// bare returns a block's name without namespace and properties.
func bare(name string) string {
	name, _, _ = strings.Cut(block.Flat(unescape(name)), "[")
	if strings.HasPrefix(name, "legacy:") {
		return name
	}
	return name[strings.LastIndexByte(name, ':')+1:]
}

// strange makes a family for a block that no rule matches.
func strange(name string) family {
	h := fnv.New32a()
	h.Write([]byte(name))
	v := h.Sum32()
	return family{Colour: color.RGBA{150 + uint8(v&31), 90 + uint8(v>>8&31), 150 + uint8(v>>16&31), 255}, look: solid}
}

// unescape returns the Name in a block name of the form "nbt:" and tags in base 16.
// Such a name spells a block in another way than the game.
func unescape(name string) string {
	digits, ok := strings.CutPrefix(name, "nbt:")
	if !ok {
		return name
	}
	tags, _ := hexcode.DecodeString(digits)
	_, rest, ok := strings.Cut(string(tags), "\x08\x00\x04Name")
	if !ok || len(rest) < 2 {
		return name
	}
	n := int(rest[0])<<8 | int(rest[1])
	return rest[2:min(len(rest), 2+n)]
}

// find applies the rules in order: the block itself, dyes, woods, ores, shapes, and
// prefixes that change little.
func (t *Looks) find(name string) (family, bool) {
	if f, ok := t.exact[name]; ok {
		return f, true
	}
	for _, rule := range []func(string) (family, bool){t.dyed, t.wooden, t.ore, t.shape, t.prefix} {
		if f, ok := rule(name); ok {
			return f, true
		}
	}
	return family{}, false
}

// dyed matches blocks of sixteen colours.
func (t *Looks) dyed(name string) (family, bool) {
	for _, dye := range t.dyes {
		if what, ok := strings.CutPrefix(name, dye+"_"); ok {
			if f, ok := t.dyedKind(what, dye); ok {
				return f, true
			}
		}
	}
	return family{}, false
}

func (t *Looks) dyedKind(what, dye string) (family, bool) {
	wool := t.colour["wool/"+dye]
	switch what {
	case "wool", "carpet", "bed", "shulker_box", "shulker":
		return family{"wool/" + dye, wool, solid}, true
	case "banner", "wall_banner", "candle", "candle_cake":
		return family{"banner/" + dye, wool, small}, true
	case "concrete", "concrete_powder", "glazed_terracotta":
		return family{"concrete/" + dye, t.colour["concrete/"+dye], solid}, true
	case "terracotta", "stained_hardened_clay":
		return family{"terracotta/" + dye, t.colour["terracotta/"+dye], solid}, true
	case "stained_glass", "stained_glass_pane":
		return family{"glass/" + dye, wool, glassy}, true
	}
	return family{}, false
}

// wooden matches blocks made of a kind of wood.
func (t *Looks) wooden(name string) (family, bool) {
	name, stripped := strings.CutPrefix(strings.TrimPrefix(name, "petrified_"), "stripped_")
	for _, wood := range t.woods {
		if what, ok := strings.CutPrefix(name, wood+"_"); ok {
			if f, ok := t.woodenKind(what, wood, stripped); ok {
				return f, true
			}
		}
	}
	return family{}, false
}

func (t *Looks) woodenKind(what, wood string, stripped bool) (family, bool) {
	planks, leaves := t.colour["planks/"+wood], t.colour["leaves/"+wood]
	switch what {
	case "log", "wood", "stem", "hyphae", "block":
		if stripped {
			return family{"planks/" + wood, planks, solid}, true
		}
		return family{"log/" + wood, t.colour["log/"+wood], solid}, true
	case "leaves":
		return family{"leaves/" + wood, leaves, solid}, true
	case "sapling", "propagule":
		return family{"sapling", leaves, small}, true
	case "planks", "stairs", "slab", "fence", "fence_gate", "door", "trapdoor", "mosaic", "mosaic_stairs", "mosaic_slab", "shelf":
		return family{"planks/" + wood, planks, solid}, true
	case "sign", "wall_sign", "hanging_sign", "wall_hanging_sign", "button", "pressure_plate":
		return family{"planks/" + wood, planks, small}, true
	}
	return family{}, false
}

// ore mixes the rock and the grains in it.
func (t *Looks) ore(name string) (family, bool) {
	what, ok := strings.CutSuffix(name, "_ore")
	if !ok {
		return family{}, false
	}
	rock := t.exact["stone"].Colour
	for _, in := range []string{"deepslate", "nether"} {
		if rest, ok := strings.CutPrefix(what, in+"_"); ok {
			what, rock = rest, t.exact[map[string]string{"deepslate": "deepslate", "nether": "netherrack"}[in]].Colour
		}
	}
	c, ok := t.colour["ore/"+what]
	return family{"ore/" + what, mix(rock, c, .35), solid}, ok
}

// shape matches stairs, slabs, walls and so on by their full block.
func (t *Looks) shape(name string) (family, bool) {
	for _, s := range []string{"_stairs", "_slab", "_wall", "_fence", "_fence_gate", "_door", "_trapdoor", "_pane", "_button", "_pressure_plate", "_chain", "_bars"} {
		base, ok := strings.CutSuffix(name, s)
		if !ok {
			continue
		}
		for _, full := range []string{base, base + "s", base + "_block"} {
			if f, ok := t.find(full); ok {
				if s == "_button" || s == "_pressure_plate" {
					f.look = small
				}
				return f, true
			}
		}
	}
	return family{}, false
}

// prefix drops a prefix that hardly changes a block's look.
func (t *Looks) prefix(name string) (family, bool) {
	if strings.HasPrefix(name, "potted_") {
		return t.exact["flower_pot"], true
	}
	if rest, ok := strings.CutPrefix(name, "dead_"); ok && strings.Contains(rest, "_coral") {
		return t.deadCoral(rest), true
	}
	if f, ok := t.patina(strings.TrimPrefix(name, "waxed_")); ok {
		return f, true
	}
	for _, p := range []string{"infested_", "waxed_", "polished_", "chiseled_", "cut_", "smooth_", "cracked_", "mossy_"} {
		if rest, ok := strings.CutPrefix(name, p); ok {
			return t.find(rest)
		}
	}
	return family{}, false
}

func (t *Looks) deadCoral(name string) family {
	f := t.exact["dead_coral"]
	if strings.HasSuffix(name, "_block") {
		f.look = solid
	}
	return f
}

// patina matches blocks of aged copper.
func (t *Looks) patina(name string) (family, bool) {
	for _, stage := range []string{"exposed_", "weathered_", "oxidized_"} {
		if strings.HasPrefix(name, stage) && strings.Contains(name, "copper") {
			return t.exact[stage+"copper"], true
		}
	}
	return family{}, false
}

// guess matches parts of a name: blocks of other games and of later versions.
func (t *Looks) guess(name string) (family, bool) {
	for _, g := range [][2]string{
		{"water", "water"}, {"lava", "lava"}, {"leaves", "oak_leaves"}, {"dirt_with_grass", "grass_block"}, {"dirt_with_snow", "snow"},
		{"sandstone", "sandstone"}, {"sand", "sand"}, {"dirt", "dirt"}, {"cobble", "cobblestone"}, {"gravel", "gravel"},
		{"glass", "glass"}, {"brick", "bricks"}, {"copper", "copper_block"}, {"log", "oak_log"}, {"tree", "oak_log"}, {"planks", "oak_planks"},
		{"wood", "oak_planks"}, {"snow", "snow"}, {"ice", "ice"}, {"clay", "clay"}, {"wool", "white_wool"}, {"stone_with_", "iron_ore"},
		{"stone", "stone"}, {"grass", "short_grass"}, {"flower", "poppy"}, {"sign", "oak_sign"}, {"torch", "torch"}, {"chest", "chest"},
	} {
		if strings.Contains(name, g[0]) && !strings.HasPrefix(name, "legacy:") {
			return t.find(g[1])
		}
	}
	return family{}, false
}

// materials maps names of terrain materials to blocks where the name alone misleads.
var materials = map[string]string{
	"grass": "grass_block", "rock": "stone", "slate": "deepslate", "limestone": "diorite", "ore": "iron_ore", "mud": "mud_bricks",
}

// numbered holds by number the blocks for materials without a known name.
var numbered = strings.Fields(`air grass_block sand red_sand mud_bricks snow stone deepslate sandstone diorite basalt iron_ore
	gravel clay andesite granite terracotta red_sandstone packed_ice calcite tuff blackstone netherrack moss_block podzol
	mycelium prismarine oak_planks cobblestone bricks coal_block gold_block`)

// material returns the family of a terrain material by its name and number.
func (t *Looks) material(name string, n uint8) family {
	if block, ok := materials[name]; ok {
		name = block
	}
	f := t.family(name)
	if f.Name == "" {
		f = t.exact[numbered[int(n)%len(numbered)]]
		f.Name = "material/" + strconv.Itoa(int(n))
	}
	return f
}

func mix(a, b color.RGBA, part float64) color.RGBA {
	m := func(p, q uint8) uint8 { return uint8(float64(p)*(1-part) + float64(q)*part + .5) }
	return color.RGBA{m(a.R, b.R), m(a.G, b.G), m(a.B, b.B), 255}
}
