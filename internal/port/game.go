package port

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/format/anvil"
	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Data versions at which the output of ForGame changes. Source: the table of
// DataVersions of the Minecraft Wiki.
const (
	gameNames  = 1519 // 1.13: blocks have names
	gameBiomes = 2203 // 19w36a: biomes in three dimensions
	gameStates = 2844 // 21w43a: biomes by section, 24 sections in the overworld
)

// plains is the biome of a world without biomes, by name and by number.
const (
	plains       = "minecraft:plains"
	plainsNumber = 1
)

// maxUnknown bounds the names that an error lists.
const maxUnknown = 8

// IsMade reports whether a program made the world: it has blocks with names, and no columns of
// a version of a game. A schematic without a data version is such a world.
func IsMade(ctx context.Context, w stone.Content) (bool, error) {
	blocks := false
	for _, d := range w.About().Dimensions {
		columns := false
		for c, err := range w.ReadColumns(ctx, d.Name) {
			if err != nil || isOfGame(c) {
				return false, err
			}
			columns = true
		}
		for _, v := range d.Volumes {
			if v.Volume.Name == voxel.Block && v.Schema == voxel.Palette && inspect.HasChunks(w, d.Name, voxel.Block) {
				named, err := usesNamed(ctx, w, d.Name, v.Names)
				if err != nil {
					return false, err
				}
				blocks = blocks || !columns || named
			}
		}
	}
	return blocks, nil
}

// isOfGame reports whether a column is of a version of a game.
func isOfGame(c *voxel.Column) bool { return c.Version != 0 || len(c.Parts) > 0 }

// usesNamed reports whether blocks of a dimension have names of their own. If its volume has numbers
// too, the names may be those of former versions, so the blocks are read.
func usesNamed(ctx context.Context, w stone.Content, dim string, names []string) (bool, error) {
	numbered := func(name string) bool { return strings.HasPrefix(name, "legacy:") }
	if !slices.ContainsFunc(names, numbered) || !slices.ContainsFunc(names, isNamed) {
		return slices.ContainsFunc(names, isNamed), nil
	}
	counts := make([]int, len(names))
	for pos := range w.Entries(dim, voxel.Block, 0) {
		err := w.ReadChunks(ctx, dim, voxel.Block, 0, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, c *voxel.Chunk) error {
			if c != nil {
				c.AddCounts(counts)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return slices.ContainsFunc(names, func(name string) bool { return isNamed(name) && counts[slices.Index(names, name)] > 0 }), nil
}

// isNamed reports whether a block has a name of its own, and no number.
func isNamed(name string) bool {
	return name != format.Air && !strings.HasPrefix(name, "legacy:")
}

// ForGame turns a world that a program made, in place, into a world that the game of a data
// version can read. Before 1.13 its blocks must have numbers. The result has finished columns with all
// their sections and a height map. It has no light, because the game computes light. Where
// there is no biome it has plains. Its level.dat has the given name, a spawn on top of the
// blocks, and a generator that makes air.
//
// A block name without a namespace gets the game's, and one without its properties is the game's
// default state. A single dimension with a name that the
// game does not know becomes the overworld. Unknown block names are an error of joined
// *block.NameErrors. lost counts what is left out.
func ForGame(ctx context.Context, w *convert.Loaded, name string, version int32, lost map[string]int) error {
	level := format.Level{Name: name, Version: version, Difficulty: normal, Type: "flat", Biome: plains}
	for _, d := range w.Dimensions {
		g := game{LoadedDimension: d, version: version, lost: lost, lists: map[geom.ColumnPos][]voxel.List{}}
		for i := range d.Columns {
			c := &d.Columns[i]
			if v := d.Volume(voxel.Block); isOfGame(c) || v == nil || !slices.ContainsFunc(v.Names, isNamed) {
				return fmt.Errorf("port: the columns of %s are of a game already, of data version %d", d.Name, c.Version)
			}
			if len(c.Lists) > 0 {
				g.lists[c.Pos] = c.Lists
			}
			g.read = true
		}
		d.Columns = nil
		if len(w.Dimensions) == 1 && !slices.Contains([]string{"overworld", "the_nether", theEnd}, d.Name) {
			d.Name = "overworld"
		}
		if err := g.fit(ctx); err != nil {
			return fmt.Errorf("port: dimension %s: %w", d.Name, err)
		}
		if !level.HasSpawn {
			level.Spawn, level.HasSpawn = g.spawn()
		}
	}
	w.Head = format.Head{Format: "made", Properties: w.Head.Properties}
	if !slices.ContainsFunc(w.Files, func(f format.File) bool { return f.Path == anvil.LevelPath }) {
		w.Files = append(w.Files, format.FileOf(anvil.LevelPath, anvil.AppendLevel(nil, level)))
		slices.SortFunc(w.Files, func(a, b format.File) int { return strings.Compare(a.Path, b.Path) })
	}
	return nil
}

// theEnd is the dimension without light from above; it has a dragon.
const theEnd = "the_end"

// game turns a dimension into one of the game.
type game struct {
	*convert.LoadedDimension
	version int32
	lost    map[string]int
	block   *convert.LoadedVolume
	tops    map[geom.ColumnPos]*[256]int32 // heights above the topmost blocks, by column
	lists   map[geom.ColumnPos][]voxel.List
	read    bool // the world is of a file: it has columns
}

// heights returns the lowest section, and the section after the highest.
func (g *game) heights() (low, high int) {
	if g.version >= gameStates && g.Name == "overworld" {
		return -4, 20
	}
	return 0, 16
}

func (g *game) fit(ctx context.Context) error {
	g.block = g.Volume(voxel.Block)
	if g.block == nil || g.block.Schema != voxel.Palette {
		return errors.New("no volume of blocks with names")
	}
	err := g.rename(g.block, block.Blocks())
	if err == nil {
		err = g.findColumns(ctx)
	}
	if err != nil {
		return err
	}
	biomes := g.biomes()
	if err := g.rename(biomes, block.Biomes()); err != nil {
		return err
	}
	for _, v := range g.Volumes {
		if v != g.block && v.Volume.Name != biomes.Volume.Name && len(v.Chunks) > 0 {
			g.lost["volume "+v.Volume.Name]++
		}
	}
	g.Volumes = []*convert.LoadedVolume{g.block, biomes}
	for _, v := range voxel.BlockVolumes() { // in their order
		if g.Volume(v.Name) == nil {
			g.Volumes = append(g.Volumes, &convert.LoadedVolume{Volume: v, Chunks: map[geom.ChunkPos]*voxel.Chunk{}})
		}
	}
	return nil
}

// rename adds the game's namespace to names in use, and drops the other names.
func (g *game) rename(v *convert.LoadedVolume, t *block.Table) error {
	counts := make([]int, max(1, len(v.Names)))
	for _, c := range v.Chunks {
		c.AddCounts(counts)
	}
	counts[v.Default]++
	names := format.NewNames()
	table := make([]voxel.Cell, len(counts))
	var own []string
	if g.read { // it may have blocks of mods
		own = slices.DeleteFunc(slices.Clone(v.Names), func(name string) bool { return strings.HasPrefix(name, block.Space) || !strings.Contains(name, ":") })
	}
	var unknown []error
	for cell, n := range counts {
		if n == 0 || cell == 0 {
			continue
		}
		name := v.Names[cell]
		if !strings.Contains(name, ":") {
			name = block.Space + name
		}
		var err error
		switch {
		case strings.HasPrefix(name, "legacy:"): // a biome by number, from biomes
		case name == block.Space+format.Air:
			name = format.Air
		case g.version < gameNames:
			err = fmt.Errorf("%s: blocks have names from 1.13 (data version %d) on", name, gameNames)
		default:
			if err = t.Check(name, g.version, own); err == nil && t == block.Blocks() {
				if state, bad := block.State(name, []int32{g.version}, nil); bad == nil {
					name = state
				} else if !g.read { // a file may have states of a later game
					err = bad
				}
				_, wrong := block.AppendEntry(nil, name, false)
				err = cmp.Or(err, wrong)
			}
		}
		if err == nil {
			table[cell], err = names.Cell(name)
		}
		if err != nil && len(unknown) < maxUnknown {
			unknown = append(unknown, err)
		}
	}
	if len(unknown) > 0 {
		return errors.Join(unknown...)
	}
	for pos, c := range v.Chunks {
		v.Chunks[pos] = c.Translate(table)
	}
	v.Names, v.Default = slices.Clone(names.List()), table[v.Default]
	return nil
}

// biomes returns the dimension's volume of biomes, or a volume of plains.
func (g *game) biomes() *convert.LoadedVolume {
	v := g.Volume(voxel.Biome)
	if v != nil && v.Schema == voxel.Palette && v.Scale == 4 && g.version >= gameStates {
		return v
	}
	name := plains
	if g.version < gameStates {
		name = block.LegacyBiomeName(plainsNumber)
	}
	if v != nil {
		g.lost["volume "+voxel.Biome]++
	}
	out := &convert.LoadedVolume{Names: []string{format.Air, name}, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
	out.Volume = voxel.Volume{Name: voxel.Biome, Schema: voxel.Palette, Scale: 4, Default: 1}
	return out
}

// findColumns adds a column for each x and z with blocks.
func (g *game) findColumns(ctx context.Context) error {
	low, high := g.heights()
	air := make([]bool, len(g.block.Names))
	for cell, name := range g.block.Names {
		air[cell] = inspect.IsAir(name)
	}
	if !air[g.block.Default] {
		return fmt.Errorf("its blocks are surrounded by %s, not by air", g.block.Names[g.block.Default])
	}
	g.tops = map[geom.ColumnPos]*[256]int32{}
	var buf [64]voxel.Cell
	for _, pos := range g.block.Positions() {
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk := g.block.Chunks[pos]
		for y := range geom.ChunkEdge {
			if cell, ok := chunk.SliceUniform(y); ok && air[cell] {
				continue
			}
			height := int(pos.Y)*geom.ChunkEdge + y
			for z := range geom.ChunkEdge {
				for x, cell := range chunk.Row(y, z, &buf) {
					if air[cell] {
						continue
					}
					if height < low*16 || height >= high*16 {
						return fmt.Errorf("a block at height %d: the game allows %d to %d", height, low*16, high*16-1)
					}
					at := geom.ColumnPos{X: pos.X*2 + int32(x>>4), Z: pos.Z*2 + int32(z>>4)}
					if g.tops[at] == nil {
						g.tops[at] = new([256]int32)
					}
					top := &g.tops[at][z&15*16+x&15]
					*top = max(*top, int32(height-low*16)+1)
				}
			}
		}
	}
	for at := range g.lists {
		if g.tops[at] == nil {
			g.tops[at] = new([256]int32)
		}
	}
	for at, tops := range g.tops {
		g.Columns = append(g.Columns, g.column(at, tops))
	}
	slices.SortFunc(g.Columns, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	return nil
}

func (g *game) column(at geom.ColumnPos, tops *[256]int32) voxel.Column {
	c := voxel.Column{Pos: at, Version: g.version, Lists: g.lists[at]}
	low, high := g.heights()
	has := voxel.HasBlock
	switch {
	case g.version >= gameStates:
		has |= voxel.HasBiome
	case g.version >= gameBiomes:
		c.Whole = voxel.HasBiome
	default:
		m := voxel.Map{Name: "Biomes", Form: voxel.MapInts}
		if g.version < gameNames {
			m.Form = voxel.MapBytes
		}
		for i := range m.Values {
			m.Values[i] = plainsNumber
		}
		c.Maps = append(c.Maps, m)
	}
	for y := low; y < high; y++ {
		c.Sections = append(c.Sections, voxel.Section{Y: int8(y), Has: has})
	}
	if g.version < gameNames {
		return c // the writer makes its one map of heights
	}
	m := voxel.Map{Name: "WORLD_SURFACE", Form: 9, Values: *tops}
	if block.Straddles(g.version) {
		m.Form |= voxel.MapStraddle
	}
	c.Maps = append(c.Maps, m)
	return c
}

// spawn returns the top of the column of blocks nearest to x and z 0.
func (g *game) spawn() (p geom.Point, ok bool) {
	low, _ := g.heights()
	best := 0
	for i := range g.Columns {
		at := g.Columns[i].Pos
		for j, top := range g.tops[at] {
			q := geom.Point{X: int(at.X)*16 + j&15, Y: low*16 + int(top), Z: int(at.Z)*16 + j>>4}
			if d := q.X*q.X + q.Z*q.Z; top > 0 && (!ok || d < best) {
				best, p, ok = d, q, true
			}
		}
	}
	return p, ok
}
