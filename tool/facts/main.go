// Command facts makes light/facts.txt: what the blocks of Minecraft are to its height maps. It
// reads the package minecraft-data of npm, which has the MIT License:
//
//	npm pack minecraft-data && tar xzf minecraft-data-*.tgz
//	go run ./tool/facts package > light/facts.txt
//
// The file has facts alone, of all versions from 1.13 on that the package knows. A block
// that changed has those of its last version.
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
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: facts PACKAGE")
		os.Exit(2)
	}
	if err := Write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Write writes the facts that the unpacked package in dir has.
func Write(w io.Writer, dir string) error {
	var about struct{ Version string }
	if err := read(&about, dir, "package.json"); err != nil {
		return err
	}
	var paths struct {
		PC map[string]struct{ Blocks, BlockCollisionShapes string }
	}
	data := filepath.Join(dir, "minecraft-data", "data")
	if err := read(&paths, data, "dataPaths.json"); err != nil {
		return err
	}
	facts := make(map[string]string)
	var releases []string
	for v := range paths.PC {
		if numbers(v) != nil && slices.Compare(numbers(v), []int{1, 13}) >= 0 {
			releases = append(releases, v)
		}
	}
	slices.SortFunc(releases, func(a, b string) int { return slices.Compare(numbers(a), numbers(b)) })
	for _, v := range releases {
		p := paths.PC[v]
		var blocks []block
		var s shapes
		if err := read(&blocks, data, p.Blocks, "blocks.json"); err != nil {
			return err
		}
		if err := read(&s, data, p.BlockCollisionShapes, "blockCollisionShapes.json"); err != nil {
			return err
		}
		for _, b := range blocks {
			facts[b.Name] = b.facts(&s)
		}
	}
	if len(releases) == 0 {
		return fmt.Errorf("%s: no versions from 1.13 on", dir)
	}
	groups := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(facts)) {
		groups[facts[name]] = append(groups[facts[name]], name)
	}
	fmt.Fprintf(w, head, about.Version, releases[0], releases[len(releases)-1])
	for _, g := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(w, "\n= %s\n%s\n", g, strings.Join(groups[g], " "))
	}
	return nil
}

const head = `# What the blocks of Minecraft are to its height maps, made by tool/facts from npm's minecraft-data %s
# (https://github.com/PrismarineJS/minecraft-data, MIT License), of %s to %s. The names of blocks follow, without
# "minecraft:", after what all states of them do: a is air, m blocks motion, f is a fluid or has one in it, l is
# leaves, d lets not all light from above through; - does none of it.
`

func read(to any, parts ...string) error {
	name := filepath.Join(parts...)
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
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
	Name        string
	FilterLight int
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
