package resourcepack

import (
	"encoding/json"
	"slices"
	"strings"
)

// state is how a block looks where its properties have some values.
type state struct {
	when  [][2]string // property and value
	faces Faces
}

// states is a file of the states of a block.
type states struct {
	Variants  map[string]json.RawMessage `json:"variants"`
	Multipart []struct {
		Apply json.RawMessage `json:"apply"`
	} `json:"multipart"`
}

// variant is a model of a state, and how it is turned.
type variant struct {
	Model string `json:"model"`
	X     int    `json:"x"`
	Y     int    `json:"y"`
	Lock  bool   `json:"uvlock"`
}

// maxStates bounds the states of a block.
const maxStates = 1 << 13

// stated adds the states of a block that a file lists.
func (l *loader) stated(space, block string) {
	var s states
	l.listed[space+":"+block] = true
	if !l.decode("assets/"+space+"/blockstates/"+block+".json", &s) || len(s.Variants) > maxStates {
		return
	}
	keys := make([]string, 0, len(s.Variants))
	for k := range s.Variants {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	name := space + ":" + block
	for _, k := range keys {
		l.add(name, block, conditions(k), s.Variants[k])
	}
	if len(s.Multipart) > 0 && len(l.atlas.blocks[name]) == 0 {
		l.add(name, block, nil, s.Multipart[0].Apply)
	}
}

// add adds a state whose model, or first model of several, is raw.
func (l *loader) add(name, block string, when [][2]string, raw json.RawMessage) {
	var v variant
	var several []variant
	if json.Unmarshal(raw, &several) == nil && len(several) > 0 {
		v = several[0]
	} else if json.Unmarshal(raw, &v) != nil {
		return
	}
	if c := l.model(v.Model, block); c != nil {
		l.put(name, when, c.turned(v.X/90, v.Y/90, v.Lock))
	}
}

// put adds a state of a block.
func (l *loader) put(name string, when [][2]string, c *cube) {
	if f, ok := l.facesOf(c); ok {
		l.atlas.blocks[name] = append(l.atlas.blocks[name], state{when, f})
	}
}

// conditions parses "axis=x,lit=true".
func conditions(s string) (out [][2]string) {
	for part := range strings.SplitSeq(s, ",") {
		if k, v, ok := strings.Cut(part, "="); ok {
			out = append(out, [2]string{k, v})
		}
	}
	return out
}

// usual are values that properties have if a name does not say them.
var usual = []string{"false", "y", "north", "bottom", "0", "none", "straight", "lower", "single"}

// fits reports how a state fits to the properties of a name.
func (s *state) fits(have [][2]string) bool {
	for _, want := range s.when {
		i := slices.IndexFunc(have, func(p [2]string) bool { return p[0] == want[0] })
		if i >= 0 && have[i][1] != want[1] || i < 0 && !slices.Contains(usual, want[1]) {
			return false
		}
	}
	return true
}

// suffixes of textures that belong to one side of a block.
var suffixes = []string{"_top", "_bottom", "_side", "_front", "_end", "_still"}

// plain adds blocks that no list of states names, by the names of textures alone.
func (l *loader) plain(space, dir string) {
	seen := map[string]bool{}
	for _, texture := range l.list("assets/"+space+"/textures/"+dir, ".png") {
		base := texture
		for _, s := range suffixes {
			base = strings.TrimSuffix(base, s)
		}
		if block := renamed(base); !seen[base] && !l.listed[space+":"+block] {
			seen[base] = true
			l.plainBlock(space, dir, base, block)
		}
	}
}

func (l *loader) plainBlock(space, dir, base, block string) {
	find := func(names ...string) *tile {
		for _, n := range names {
			if t := l.texture(space + ":" + dir + "/" + base + n); t != nil {
				return t
			}
		}
		return nil
	}
	c := cube{up: find("_top", "_end", "", "_still", "_side"), down: find("_bottom", "_top", "_end", "", "_still", "_side"), north: find("_front", "_side", "", "_still", "_top")}
	c[west] = find("_side", "", "_still", "_top")
	c[east], c[south] = c[west], c[west]
	name := space + ":" + block
	if block == "grass_block" {
		if t := l.texture(space + ":" + dir + "/dirt"); t != nil {
			c[down] = t
		}
		c[up] = c[up].tinted(grass)
	}
	if tint := tintOf(block); tint == water || strings.HasSuffix(block, "_leaves") && !slices.ContainsFunc([]string{"cherry", "azalea", "pale_oak"}, func(s string) bool { return strings.Contains(block, s) }) {
		for side, t := range c {
			if t != nil {
				c[side] = t.tinted(tint)
			}
		}
	}
	if find("_front") != nil {
		for i, facing := range []string{"north", "east", "south", "west"} {
			l.put(name, [][2]string{{"facing", facing}}, c.turned(0, i, false))
		}
		return
	}
	if c[up] != c[west] {
		l.put(name, [][2]string{{"axis", "x"}}, c.turned(1, 1, false))
		l.put(name, [][2]string{{"axis", "z"}}, c.turned(1, 0, false))
	}
	l.put(name, nil, &c)
}

// old has names of textures of packs up to 1.12, and the blocks that they became.
var old = map[string]string{
	"grass": "grass_block", "stonebrick": "stone_bricks", "stonebrick_mossy": "mossy_stone_bricks", "stonebrick_cracked": "cracked_stone_bricks",
	"cobblestone_mossy": "mossy_cobblestone", "brick": "bricks", "hardened_clay": "terracotta", "nether_brick": "nether_bricks",
	"stone_granite": "granite", "stone_diorite": "diorite", "stone_andesite": "andesite", "planks_big_oak": "dark_oak_planks",
	"log_big_oak": "dark_oak_log", "leaves_big_oak": "dark_oak_leaves", "end_bricks": "end_stone_bricks", "snow": "snow_block",
	"stone_granite_smooth": "polished_granite", "stone_diorite_smooth": "polished_diorite", "stone_andesite_smooth": "polished_andesite",
	"wool_colored_silver": "light_gray_wool", "hardened_clay_stained_silver": "light_gray_terracotta", "concrete_silver": "light_gray_concrete", "glass_silver": "light_gray_stained_glass",
}

// kinds has prefixes of names of textures of packs up to 1.12, and the suffixes of the blocks.
var kinds = [][2]string{
	{"wool_colored_", "_wool"}, {"hardened_clay_stained_", "_terracotta"}, {"concrete_powder_", "_concrete_powder"}, {"concrete_", "_concrete"}, {"glass_", "_stained_glass"},
	{"planks_", "_planks"}, {"log_", "_log"}, {"leaves_", "_leaves"},
}

// renamed returns the block of a texture's name, which may be old.
func renamed(texture string) string {
	if block, ok := old[texture]; ok {
		return block
	}
	for _, k := range kinds {
		if what, ok := strings.CutPrefix(texture, k[0]); ok {
			return what + k[1]
		}
	}
	return texture
}
