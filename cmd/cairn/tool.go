package main

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/cairnvoxel/cairn/brush"
	"github.com/cairnvoxel/cairn/format/block"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/region"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/spf13/pflag"
)

// tool is a brush of the verb edit.
type tool struct {
	help   string
	flags  []string // allowed besides those of every edit
	liquid bool     // it edits the volume of the liquid if there is one
	brush  func(o *toolOptions, in place) (brush.Brush, error)
}

var (
	shapeFlags  = []string{"at", "r", "height", "from", "to", "points", "floor"}
	matterFlags = []string{"name", "cell", "any-name"}
)

// tools returns the brushes by name.
func tools() map[string]tool {
	solid := func(flags ...string) tool {
		return tool{flags: append(append(flags, matterFlags...), "subtract"), brush: (*toolOptions).solid}
	}
	surface := func(help string, make func(o *toolOptions, s brush.Shape) brush.Brush, flags ...string) tool {
		return tool{help: help, flags: append(flags, shapeFlags...), brush: func(o *toolOptions, _ place) (brush.Brush, error) {
			s, err := o.shape()
			if err != nil {
				return nil, err
			}
			return make(o, s), nil
		}}
	}
	return map[string]tool{
		"ball":     solid("at", "r"),
		"box":      solid("from", "to"),
		"cylinder": solid("at", "r", "height"),
		"prism":    solid("points", "floor", "height"),
		"paint":    {help: "SHAPE MATTER", flags: slices.Concat(shapeFlags, matterFlags), brush: (*toolOptions).paint},
		"smooth": surface("SHAPE [--passes N]", func(o *toolOptions, s brush.Shape) brush.Brush {
			return brush.Smooth{Shape: s, Passes: o.passes}
		}, "passes"),
		"erode": surface("SHAPE [--by N]", func(o *toolOptions, s brush.Shape) brush.Brush { return brush.Erode{Shape: s, By: o.by} }, "by"),
		"grow":  surface("SHAPE [--by N]", func(o *toolOptions, s brush.Shape) brush.Brush { return brush.Grow{Shape: s, By: o.by} }, "by"),
		"flatten": {help: "SHAPE --y N [MATTER]", flags: slices.Concat(shapeFlags, matterFlags, []string{"y"}),
			brush: (*toolOptions).flatten},
		"sea": {help: "SHAPE --y N [MATTER]", flags: slices.Concat(shapeFlags, matterFlags, []string{"y"}), liquid: true,
			brush: (*toolOptions).sea},
	}
}

// toolHelp lists the brushes.
func toolHelp() string {
	var b strings.Builder
	b.WriteString("  ball, box, cylinder, prism   SHAPE MATTER, or SHAPE --subtract\n")
	for _, name := range slices.Sorted(maps.Keys(tools())) {
		if t := tools()[name]; t.help != "" {
			fmt.Fprintf(&b, "  %-28s %s\n", name, t.help)
		}
	}
	return b.String()
}

// toolOptions are the flags of brushes. "" means not given.
type toolOptions struct {
	at, from, to, points, name, cell, floor, y string
	r, by                                      float64
	height, passes                             int
	subtract, anyName                          bool
}

func (o *toolOptions) flags(f *pflag.FlagSet) {
	for _, s := range []struct {
		to         *string
		name, help string
	}{
		{&o.at, "at", "X,Y,Z: the centre of a ball, or of the floor of a cylinder"},
		{&o.from, "from", "X,Y,Z: a corner of a box"},
		{&o.to, "to", "X,Y,Z: the opposite corner of a box"},
		{&o.points, "points", "X,Z X,Z ...: the corners of a prism"},
		{&o.floor, "floor", "the lowest height of a prism"},
		{&o.y, "y", "the height of a surface"},
		{&o.name, "name", "the name of what to put there"},
		{&o.cell, "cell", "the cell number of what to put there"},
	} {
		f.StringVar(s.to, s.name, "", s.help)
	}
	f.Float64Var(&o.r, "r", 0, "the radius in cells")
	f.Float64Var(&o.by, "by", 1, "by how many cells the surface moves")
	f.IntVar(&o.height, "height", 0, "the height of a cylinder or prism")
	f.IntVar(&o.passes, "passes", 1, "how many times to smooth")
	f.BoolVar(&o.subtract, "subtract", false, "remove what is there")
	f.BoolVar(&o.anyName, "any-name", false, "allow a --name that neither the world nor its game knows")
}

// Limits of the flags.
const (
	maxRadius = 4096
	maxPasses = 64
)

// shape returns the shape that the flags describe.
func (o *toolOptions) shape() (brush.Shape, error) {
	switch {
	case o.by <= 0 || o.by > maxRadius || math.IsNaN(o.by):
		return brush.Shape{}, usagef("--by %g: more than 0, at most %d", o.by, maxRadius)
	case o.passes < 1 || o.passes > maxPasses:
		return brush.Shape{}, usagef("--passes %d: 1 to %d", o.passes, maxPasses)
	case o.height < 0 || o.height > maxRadius:
		return brush.Shape{}, usagef("--height %d: 1 to %d", o.height, maxRadius)
	case o.at != "" && o.from+o.to+o.points+o.floor == "":
		return o.round()
	case o.from != "" && o.to != "" && o.at+o.points+o.floor == "" && o.r == 0 && o.height == 0:
		return o.box()
	case o.points != "" && o.floor != "" && o.at+o.from+o.to == "" && o.r == 0 && o.height > 0:
		return o.prism()
	}
	return brush.Shape{}, usagef("want one shape: --at and --r, with --height or without; --from and --to; or --points, --floor and --height")
}

// round returns a ball or a cylinder.
func (o *toolOptions) round() (brush.Shape, error) {
	at, err := parsePoint("--at", o.at)
	if err != nil {
		return brush.Shape{}, err
	}
	if !(o.r > 0 && o.r <= maxRadius) {
		return brush.Shape{}, usagef("--r %g: more than 0, at most %d", o.r, maxRadius)
	}
	if o.height > 0 {
		return brush.Cylinder(at, o.r, o.height), nil
	}
	return brush.Ball(at, o.r), nil
}

func (o *toolOptions) box() (brush.Shape, error) {
	a, err := parsePoint("--from", o.from)
	if err != nil {
		return brush.Shape{}, err
	}
	b, err := parsePoint("--to", o.to)
	if err != nil {
		return brush.Shape{}, err
	}
	one := func(p geom.Point) geom.Box {
		return geom.Box{Min: p, Max: geom.Point{X: p.X + 1, Y: p.Y + 1, Z: p.Z + 1}}
	}
	return brush.Box(one(a).Union(one(b))), nil
}

func (o *toolOptions) prism() (brush.Shape, error) {
	floor, err := parseInts("--floor", o.floor, 1)
	if err != nil {
		return brush.Shape{}, err
	}
	var corners []region.Corner
	for word := range strings.FieldsSeq(o.points) {
		p, err := parseInts("--points", word, 2)
		if err != nil {
			return brush.Shape{}, err
		}
		corners = append(corners, region.Corner{X: p[0], Z: p[1]})
	}
	s, err := brush.Prism(corners, floor[0], floor[0]+o.height)
	if err != nil {
		return s, usagef("--points %s: %w", o.points, err)
	}
	return s, nil
}

// matter returns the matter of --name or --cell, the zero value if neither is set.
func (o *toolOptions) matter(in place) (brush.Matter, error) {
	v := in.volume
	switch {
	case o.name != "" && o.cell != "":
		return brush.Matter{}, usagef("--name or --cell, not both")
	case o.cell != "":
		n, err := strconv.Atoi(o.cell)
		if err != nil || n < 0 || n > int(voxel.MaxCell) || !v.Schema.Valid(voxel.Cell(n), len(v.Names())) {
			return brush.Matter{}, usagef("--cell %s: the volume %s has no cell of that number", o.cell, v.Volume.Name)
		}
		return brush.Cell(voxel.Cell(n)), nil
	case o.name == "":
		return brush.Matter{}, nil
	case v.Schema == voxel.Palette:
		name := in.named(o.name)
		return brush.Named(name), writable(name, v.Names())
	case !slices.ContainsFunc(v.Names(), isNamed):
		return brush.Matter{}, usagef("--name %s: the cells of the volume %s have no names; --cell gives a number", o.name, v.Volume.Name)
	case !slices.Contains(v.Names(), o.name):
		return brush.Matter{}, usagef("--name %s: the volume %s has %s", o.name, v.Volume.Name, strings.Join(slices.DeleteFunc(slices.Clone(v.Names()), isBlank), ", "))
	}
	return brush.Named(o.name), nil
}

func isBlank(s string) bool { return s == "" }

func isNamed(s string) bool { return s != "" }

// checked returns a check of --name against a data version. It accepts everything if there
// is no name or any name is allowed.
func (o *toolOptions) checked(in place) func(version int32) error {
	if o.name == "" || o.anyName {
		return func(int32) error { return nil }
	}
	return func(version int32) error { return in.check(in.named(o.name), version) }
}

// writable checks that a new name can be exported like the known ones.
func writable(name string, known []string) error {
	var bad error
	what := ""
	switch {
	case slices.Contains(known, name):
	case slices.ContainsFunc(known, inSpace(namedSpace)):
		what = "not a block state such as " + namedSpace + "oak_log[axis=y]"
		_, bad = block.AppendEntry(nil, name, false)
	case slices.ContainsFunc(known, inSpace(numberedSpace)):
		what = "the blocks of this world have numbers: " + numberedSpace + "ID/DATA"
		_, _, bad = block.ParseLegacy(name)
	}
	if bad != nil {
		return usagef("--name %s: %s", name, what)
	}
	return nil
}

// named adds the namespace of the volume's names to a name that has none.
func (in place) named(name string) string {
	if !slices.Contains(in.volume.Names(), name) && !strings.Contains(name, ":") && in.ofGame() {
		return namedSpace + name
	}
	return name
}

// ofGame reports whether the volume has names of Minecraft 1.13 or later.
func (in place) ofGame() bool {
	return in.volume.Schema == voxel.Palette && slices.ContainsFunc(in.volume.Names(), inSpace(namedSpace))
}

// names returns the game's table of names for the volume, nil if it has none.
func (in place) names() *block.Table {
	switch in.volume.Volume.Name {
	case voxel.Block:
		return block.Blocks()
	case voxel.Biome:
		return block.Biomes()
	}
	return nil
}

// check returns an error if neither the world nor the game of that data version has the
// block or biome.
func (in place) check(name string, version int32) error {
	t := in.names()
	if t == nil || !in.ofGame() {
		return nil
	}
	if err := t.Check(name, version, in.volume.Names()); err != nil {
		return usagef("--name: %w; --any-name allows it", err)
	}
	return nil
}

// The prefixes of block names: of worlds since 1.13, and of older ones.
const (
	namedSpace    = "minecraft:"
	numberedSpace = "legacy:"
)

// inSpace returns a function that reports whether a name has the prefix.
func inSpace(space string) func(string) bool {
	return func(name string) bool { return strings.HasPrefix(name, space) }
}

// need returns the matter for a brush that requires some.
func (o *toolOptions) need(in place) (brush.Matter, error) {
	m, err := o.matter(in)
	switch {
	case err != nil:
	case m == (brush.Matter{}):
		err = usagef("the brush needs --name or --cell: what to put there")
	case m == brush.Named(in.volume.CellName(voxel.Empty)):
		err = usagef("--name %s: use --subtract to remove cells", o.name)
	}
	return m, err
}

func (o *toolOptions) solid(in place) (brush.Brush, error) {
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	if o.subtract {
		if o.name+o.cell != "" {
			return nil, usagef("--subtract takes neither --name nor --cell")
		}
		return brush.Subtract{Shape: s}, nil
	}
	m, err := o.need(in)
	return brush.Add{Shape: s, Of: m}, err
}

func (o *toolOptions) paint(in place) (brush.Brush, error) {
	s, err := o.shape()
	if err != nil {
		return nil, err
	}
	m, err := o.need(in)
	return brush.Paint{Shape: s, Of: m}, err
}

func (o *toolOptions) flatten(in place) (brush.Brush, error) {
	s, y, err := o.surface()
	if err != nil {
		return nil, err
	}
	m, err := o.matter(in)
	return brush.Flatten{Shape: s, Height: y, Of: m}, err
}

// sea uses water if the flags name no matter.
func (o *toolOptions) sea(in place) (brush.Brush, error) {
	s, y, err := o.surface()
	if err != nil {
		return nil, err
	}
	m, err := o.matter(in)
	if err == nil && m == (brush.Matter{}) {
		switch in.volume.Schema {
		case voxel.Palette:
			m = brush.Named(in.named("water"))
		case voxel.Level:
			m = brush.Cell(brush.Whole - 1)
		default:
			m, err = o.need(in)
		}
	}
	return brush.Sea{Shape: s, Height: y, Of: m}, err
}

func (o *toolOptions) surface() (s brush.Shape, y float64, err error) {
	if s, err = o.shape(); err != nil {
		return s, 0, err
	}
	y, err = strconv.ParseFloat(o.y, 64)
	if err != nil || !(math.Abs(y) <= float64(geom.MaxChunk)*geom.ChunkEdge) {
		err = usagef("--y %s: want the height of the surface", o.y)
	}
	return s, y, err
}

// parsePoint parses X,Y,Z.
func parsePoint(flag, s string) (p geom.Point, err error) {
	n, err := parseInts(flag, s, 3)
	if err != nil {
		return p, err
	}
	p = geom.Point{X: n[0], Y: n[1], Z: n[2]}
	if err := p.Check(); err != nil {
		return p, usagef("%s %s: %w", flag, s, err)
	}
	return p, nil
}

// parseInts parses n whole numbers separated by commas.
func parseInts(flag, s string, n int) ([]int, error) {
	var out []int
	for part := range strings.SplitSeq(s, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil {
			break
		}
		out = append(out, v)
	}
	if len(out) != n || strings.Count(s, ",") != n-1 {
		return nil, usagef("%s %s: want %s", flag, s, []string{"a whole number", "X,Z", "X,Y,Z"}[n-1])
	}
	return out, nil
}
