// Command facts makes the tables of Minecraft's blocks. It reads the package minecraft-data of
// npm, which has the MIT License:
//
//	npm pack minecraft-data && tar xzf minecraft-data-*.tgz
//	go run ./internal/tool/facts package heights > internal/light/facts.txt
//	go run ./internal/tool/facts package states > internal/format/block/states.txt
//	go run ./internal/tool/facts package numbers > internal/format/block/numbers.txt
//	go run ./internal/tool/facts package bedrock | gzip -9n > internal/port/names/bedrock-java.toml.gz
//
// The files have facts alone: what blocks are to height maps, and which states they have, of all
// versions from 1.13 on that the package knows; what the numbers of older worlds mean; and what the
// blocks of Bedrock Edition are in Java Edition.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: facts PACKAGE heights|states|numbers|bedrock")
		os.Exit(2)
	}
	if err := Write(os.Stdout, os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Write writes one table of the unpacked package in dir: heights, states, numbers or bedrock.
func Write(w io.Writer, dir, table string) error {
	p := pack{data: filepath.Join(dir, "minecraft-data", "data")}
	var about struct{ Version string }
	var all struct{ PC map[string]paths }
	p.read(&about, dir, "package.json")
	p.read(&all, p.data, "dataPaths.json")
	p.paths = all.PC
	for v := range p.paths {
		if numbers(v) != nil && slices.Compare(numbers(v), []int{1, 13}) >= 0 {
			p.releases = append(p.releases, v)
		}
	}
	slices.SortFunc(p.releases, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })
	make := map[string]func(*pack) string{"heights": (*pack).heights, "states": (*pack).states, "numbers": (*pack).numbers, "bedrock": (*pack).bedrock}[table]
	switch {
	case p.err != nil:
		return p.err
	case len(p.releases) == 0 || make == nil:
		return fmt.Errorf("%s: no table %q, or no versions from 1.13 on", dir, table)
	}
	from := fmt.Sprintf(", made by internal/tool/facts from npm's minecraft-data %s\n# (https://github.com/PrismarineJS/minecraft-data, MIT License), of %s to %s.",
		about.Version, p.releases[0], p.releases[len(p.releases)-1])
	text := heads[table][0] + from + heads[table][1] + make(&p)
	if p.err == nil {
		_, p.err = io.WriteString(w, text)
	}
	return p.err
}

// pack is an unpacked package. Its first error stays.
type pack struct {
	data     string
	paths    map[string]paths
	releases []string // from 1.13 on, ascending
	err      error
}

// paths says where the facts of a version are.
type paths struct{ Blocks, BlockCollisionShapes string }

// read reads a file of JSON.
func (p *pack) read(to any, parts ...string) {
	name := filepath.Join(parts...)
	text, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%s: %w", name, err)
	}
}

// blocks returns the blocks of a version.
func (p *pack) blocks(version string) (out []block) {
	p.read(&out, p.data, p.paths[version].Blocks, "blocks.json")
	return out
}

// heights returns what the blocks are to height maps. A block that changed has what its last
// version is.
func (p *pack) heights() string {
	facts := make(map[string]string)
	for _, v := range p.releases {
		var s shapes
		p.read(&s, p.data, p.paths[v].BlockCollisionShapes, "blockCollisionShapes.json")
		for _, b := range p.blocks(v) {
			facts[b.Name] = b.facts(&s)
		}
	}
	return grouped(facts)
}

// grouped lists names by what is said of them.
func grouped(facts map[string]string) string {
	groups := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		groups[facts[name]] = append(groups[facts[name]], name)
	}
	var b strings.Builder
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(&b, "\n= %s\n%s\n", g, strings.Join(groups[g], " "))
	}
	return b.String()
}

// heads are the heads of the tables, before and after where they come from.
var heads = map[string][2]string{
	"heights": {"# What the blocks of Minecraft are to its height maps", ` The names of blocks follow, without
# "minecraft:", after what all states of them do: a is air, m blocks motion, f is a fluid or has one in it, l is
# leaves, d lets not all light from above through; - does none of it.
`},
	"states": {"# The properties of Minecraft's blocks", ` After "=" and the data version from which
# on it is so (the first also before) follow properties as key=values:default, and then the blocks that have these, without "minecraft:".
`},
	"numbers": {"# What the numbers of blocks up to 1.12 mean", ` A line has a number, the name of
# up to 1.12, and by data from 0 on what that is in the newest version, without "minecraft:"; - is nothing.
`},
	"bedrock": {"# Blocks of Minecraft Bedrock in Java", "\n\n"},
}

// numbers returns the numbers of a release, nil for what is none.
func numbers(version string) (out []int) {
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

type block struct {
	ID                       int
	Name                     string
	FilterLight              int
	MinStateID, DefaultState int
	States                   []struct {
		Name, Type string
		Count      int `json:"num_values"`
		Values     []string
	}
}

// states returns the properties of blocks with their default values, by the data version from
// which on they are so.
func (p *pack) states() string {
	var known []struct {
		Release string `json:"minecraftVersion"`
		Data    int    `json:"dataVersion"`
	}
	p.read(&known, p.data, "pc", "common", "protocolVersions.json")
	data := make(map[string]string)
	for _, k := range known {
		data[k.Release] = strconv.Itoa(k.Data)
	}
	first, last, out := make(map[string]string), make(map[string]string), ""
	for _, v := range p.releases {
		changed := make(map[string]string)
		for _, b := range p.blocks(v) {
			is := b.properties()
			if was, ok := last[b.Name]; !ok {
				first[b.Name] = data[p.releases[0]] + is
			} else if was != is {
				changed[b.Name] = data[v] + is
			}
			last[b.Name] = is
		}
		out += grouped(changed)
	}
	return grouped(first) + out
}

// properties returns the properties of a block, each with a space before it.
func (b *block) properties() string {
	at := b.DefaultState - b.MinStateID
	var out []string
	for _, s := range slices.Backward(b.States) {
		if s.Type == "bool" {
			s.Values = []string{"true", "false"}
		}
		for i := len(s.Values); i < s.Count; i++ { // numbers from 0 are not always listed
			s.Values = append(s.Values, strconv.Itoa(i))
		}
		out = append(out, fmt.Sprintf(" %s=%s:%s", s.Name, strings.Join(s.Values, ","), s.Values[at%s.Count]))
		at /= s.Count
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// renamed are blocks that have other names now than in 1.13.
var renamed = map[string]string{"grass": "short_grass", "grass_path": "dirt_path", "sign": "oak_sign", "wall_sign": "oak_wall_sign", "stone_slab": "smooth_stone_slab"}

// numbers returns what the numbers of blocks up to 1.12 mean.
func (p *pack) numbers() string {
	var legacy struct{ Blocks map[string]string }
	p.read(&legacy, p.data, "pc", "common", "legacy.json")
	var out strings.Builder
	for _, b := range p.blocks("1.12") {
		fmt.Fprintf(&out, "\n%d %s", b.ID, b.Name)
		for data, gap := 0, ""; data < 16; data++ {
			name, properties, _ := strings.Cut(strings.TrimPrefix(legacy.Blocks[fmt.Sprintf("%d:%d", b.ID, data)], "minecraft:"), "[")
			if name == "" {
				gap += " -"
				continue
			}
			if properties != "" {
				words := strings.Split(strings.TrimSuffix(properties, "]"), ",")
				slices.Sort(words)
				properties = "[" + strings.Join(words, ",") + "]"
			}
			out.WriteString(gap + " " + cmp.Or(renamed[name], name) + properties)
			gap = ""
		}
	}
	return out.String() + "\n"
}

// flags are the states of Bedrock Edition that are true or false and do not end in _bit.
var flags = strings.Fields(`active big_dripleaf_head bloom can_summon crafting drag_down extinguished hanging lit natural ominous stability_check tip`)

// bedrock returns what the blocks of Bedrock Edition are in Java Edition, as a table of names. Where versions differ the newest counts.
func (p *pack) bedrock() string {
	files, _ := filepath.Glob(filepath.Join(p.data, "bedrock", "*", "blocksB2J.json"))
	slices.SortFunc(files, func(a, b string) int {
		return slices.Compare(numbers(filepath.Base(filepath.Dir(a))), numbers(filepath.Base(filepath.Dir(b))))
	})
	java := make(map[string]string)
	for _, f := range files {
		var rows map[string]string
		p.read(&rows, f)
		for _, from := range slices.Backward(slices.Sorted(maps.Keys(rows))) {
			to := strings.TrimSuffix(rows[from], "[]")
			name, list, _ := strings.Cut(strings.TrimSuffix(from, "]"), "[")
			var states []string
			for _, s := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
				key, value, _ := strings.Cut(s, "=")
				if strings.HasSuffix(key, "_bit") || slices.Contains(flags, key) {
					value = map[string]string{"0": "false", "1": "true"}[value]
				}
				states = append(states, key+"="+value)
			}
			slices.Sort(states)
			base, properties, _ := strings.Cut(strings.TrimPrefix(to, "minecraft:"), "[")
			if now := renamed[base]; now != "" {
				to = strings.TrimSuffix("minecraft:"+now+"["+properties, "[")
			}
			java[strings.TrimSuffix(name+"["+strings.Join(states, ",")+"]", "[]")] = to
			if list != "" { // a state that Java Edition does not have
				java[name], _, _ = strings.Cut(to, "[")
			}
		}
	}
	var out strings.Builder
	out.WriteString("names = [\n")
	for _, from := range slices.Backward(slices.Sorted(maps.Keys(java))) { // the most properties first
		fmt.Fprintf(&out, "  [%q, %q],\n", from, java[from])
	}
	return out.String() + "]\n"
}

// shapes are the boxes that blocks have for collisions: six numbers for each.
type shapes struct {
	Blocks map[string]any // a shape, or one for each state
	Shapes map[string][][6]float64
}

// What the game says of blocks itself, as patterns of their names: up to 1.19 by material, from 1.20 on where
// the shape says otherwise.
var (
	solid = strings.Fields(`sign *_sign *_banner *_pressure_plate *_fence_gate *shulker_box *lantern *chain *lightning_rod *cake bell
		conduit turtle_egg pointed_dripstone amethyst_cluster *_amethyst_bud bamboo *_wall sculk_vein moving_piston dead_*_coral dead_*_fan`)
	hollow = strings.Fields(`snow chorus_plant chorus_flower end_rod ladder azalea flowering_azalea big_dripleaf cobweb scaffolding powder_snow`)
	fluids = strings.Fields(`water lava bubble_column kelp kelp_plant seagrass tall_seagrass`)
	airs   = strings.Fields(`air cave_air void_air`)
	dark   = strings.Fields(`*_stairs *_slab farmland *_path`)                         // in 1.13, the last version with a height map of it
	wet    = strings.Fields(`*_coral *_coral_fan *_coral_wall_fan sea_pickle conduit`) // the package shows them with water
)

// facts returns what the block is, in the letters of the file.
func (b *block) facts(s *shapes) (out string) {
	is := func(patterns []string) bool {
		return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, b.Name); return ok })
	}
	for _, f := range []struct {
		letter string
		is     bool
	}{
		{"a", is(airs)},
		{"m", is(solid) || !is(hollow) && s.solid(b.Name)},
		{"f", is(fluids)},
		{"l", strings.HasSuffix(b.Name, "_leaves")},
		{"d", b.FilterLight > 0 && !is(wet) || is(dark)},
	} {
		if f.is {
			out += f.letter
		}
	}
	return cmp.Or(out, "-")
}

// solid reports whether a block blocks motion by its shape: in most of its states, since the game looks at one.
func (s *shapes) solid(name string) bool {
	var states []any
	switch of := s.Blocks[name].(type) {
	case []any:
		states = of
	case float64:
		states = []any{of}
	}
	n := 0
	for _, state := range states {
		boxes := s.Shapes[fmt.Sprint(state)]
		if len(boxes) == 0 {
			continue
		}
		low, high := boxes[0], boxes[0]
		for _, b := range boxes {
			for i := range b {
				low[i], high[i] = min(low[i], b[i]), max(high[i], b[i])
			}
		}
		x, y, z := high[3]-low[0], high[4]-low[1], high[5]-low[2]
		if y >= 1 || (x+y+z)/3 >= 0.7291666666666666 { // a closed trapdoor's
			n++
		}
	}
	return n > 0 && n*2 >= len(states)
}
