package light

import (
	"fmt"
	"io"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// What light differs by, in the order in which it is looked for. Beside means a
// face in common.
const (
	causeDark    = "in a column without any such light, or beside one"
	causeFull    = "in a section of full light throughout"
	causeRamp    = "in a section whose light is its height"
	causeFall    = "where sky light loses as it falls"
	causeEdge    = "beside a column that is not there"
	causeSection = "beside a section without such light"
	causePartial = "in or beside a partial block"
	causeDim     = "in or beside water, leaves and the like"
	causeOpaque  = "in a block that is opaque"
	causeOther   = "elsewhere"
)

var lightCauses = []string{causeDark, causeFull, causeRamp, causeFall, causeEdge, causeSection, causePartial, causeDim, causeOpaque, causeOther}

// margin is the edge of a section with the cells beside it.
const margin = light.SectionEdge + 2

// lit is a section with what is beside it.
type lit struct {
	kind          light.Channel
	column        *lightColumn
	y             int
	full          bool // its light is full throughout
	ramp          bool // three in four cells have the light n at height n in it: games left columns so that they had not finished
	blocks, level [margin * margin * margin]voxel.Cell
}

func (b *lightBench) version(v int32) *Version {
	if b.versions[v] == nil {
		b.versions[v] = &Version{Version: v}
	}
	return b.versions[v]
}

// section compares a section with the flood.
func (b *lightBench) section(d *lightDimension, kind light.Channel, c *lightColumn, y int) {
	v := b.version(c.Version)
	sum := &v.Block
	if kind == light.Sky {
		sum = &v.Sky
	}
	s := lit{kind: kind, column: c, y: y}
	box := sectionAt(c.Pos, y, 1)
	d.levels.ReadBox(box, 0, s.level[:])
	read := false
	flood := d.flood[c.Pos.Chunk(y*16)]
	corner := c.Pos.Min(y * 16).InChunk()
	for i := range light.SectionCells {
		p := geom.Point{X: i & 15, Y: i >> 8, Z: i >> 4 & 15}
		at := ((p.Y+1)*margin+p.Z+1)*margin + p.X + 1
		has, wants := uint8(s.level[at]), flood[((corner.Y+p.Y)*32+corner.Z+p.Z)*32+corner.X+p.X]
		sum.Cells++
		play := has != wants || has > 0 && has < light.MaxLight
		if play {
			sum.Play++
		}
		if has == wants {
			sum.Equal++
			if play {
				sum.PlayEqual++
			}
			continue
		}
		if !read {
			d.blocks.ReadBox(box, 0, s.blocks[:])
			s.look()
			read = true
		}
		if d.rule(&s, at) == has {
			sum.Carried++
			continue
		}
		cause := sum.cause(d.cause(&s, at, p))
		if has < wants {
			cause.Darker++
		} else {
			cause.Brighter++
		}
	}
}

// look finds out whether anybody has lit the section.
func (s *lit) look() {
	full, ramp := 0, 0
	for i := range light.SectionCells {
		l := int(s.level[((i>>8+1)*margin+i>>4&15+1)*margin+i&15+1])
		if l == light.MaxLight {
			full++
		}
		if l == i>>8 {
			ramp++
		}
	}
	s.full, s.ramp = full == light.SectionCells, ramp*4 >= light.SectionCells*3
}

// besides is where in a lit the cells beside one are, in the order of light.CellFace.
var besides = [light.Sides]int{-1, 1, -margin * margin, margin * margin, -margin, margin}

func (d *lightDimension) matter(c voxel.Cell) light.Matter {
	switch {
	case c == voxel.Empty:
		return 0
	case int(c) >= len(d.matters):
		return light.Opaque
	}
	return d.matters[c]
}

// rule returns the light of a cell by the light beside it.
func (d *lightDimension) rule(s *lit, at int) (best uint8) {
	m := d.matter(s.blocks[at])
	takes := uint8(m & 15)
	if s.kind == light.Block {
		best = uint8(m >> 4 & 15)
	}
	for f, off := range besides {
		n, l := d.matter(s.blocks[at+off]), uint8(s.level[at+off])
		if (m>>(8+f)|n>>(8+f^1))&1 != 0 {
			continue
		}
		if s.kind == light.Sky && light.CellFace(f) == light.Above && l == light.MaxLight && takes == 0 {
			return light.MaxLight
		}
		if lost := max(1, takes); l > lost {
			best = max(best, l-lost)
		}
	}
	return best
}

// cause says what is near a cell that no light beside it explains. p is where in its
// section it is.
func (d *lightDimension) cause(s *lit, at int, p geom.Point) string {
	partial, dim := false, false
	look := func(at int) {
		c := s.blocks[at]
		takes := d.matter(c) & 15
		partial = partial || int(c) < len(d.partial) && d.partial[c]
		dim = dim || takes > 0 && takes < light.Opaque
	}
	look(at)
	for _, off := range besides {
		look(at + off)
	}
	edge, dark, section := d.around(s, p)
	switch {
	case dark || s.column.dark&d.has != 0:
		return causeDark
	case s.full:
		return causeFull
	case s.ramp:
		return causeRamp
	case s.kind == light.Sky && s.level[at] == light.MaxLight-1 && d.rule(s, at) == light.MaxLight:
		return causeFall
	case edge:
		return causeEdge
	case section:
		return causeSection
	case partial:
		return causePartial
	case dim:
		return causeDim
	case d.matter(s.blocks[at])&15 == light.Opaque:
		return causeOpaque
	}
	return causeOther
}

// around reports what is beside a cell: the edge of what there is, a column that is dark,
// or a section that has no light.
func (d *lightDimension) around(s *lit, p geom.Point) (edge, dark, section bool) {
	y := s.y
	switch p.Y {
	case 0:
		section = !d.lights(s.column, y-1)
	case light.SectionEdge - 1:
		section = !d.lights(s.column, y+1)
	}
	beside := func(dx, dz int32) {
		pos := geom.ColumnPos{X: s.column.Pos.X + dx, Z: s.column.Pos.Z + dz}
		c := d.columns[pos]
		if c == nil {
			edge = true
			return
		}
		dark = dark || c.dark&d.has != 0
		section = section || !d.lights(c, y)
	}
	for _, side := range []struct {
		on     bool
		dx, dz int32
	}{{p.X == 0, -1, 0}, {p.X == light.SectionEdge-1, 1, 0}, {p.Z == 0, 0, -1}, {p.Z == light.SectionEdge-1, 0, 1}} {
		if side.on {
			beside(side.dx, side.dz)
		}
	}
	return edge, dark, section
}

// lights reports whether a column has light at a height in sections.
func (d *lightDimension) lights(c *lightColumn, y int) bool {
	for _, s := range c.Sections {
		if int(s.Y) == y && s.Has&d.has != 0 {
			return true
		}
	}
	return false
}

// partialWords are in the names of blocks that fill their cells in part, and yet may
// keep light from some sides.
var partialWords = strings.Fields("slab stairs wall fence gate door trapdoor pane bars snow farmland path piston chest anvil cauldron hopper" +
	" enchanting lectern bed carpet daylight grindstone stonecutter bell composter campfire scaffolding lantern end_portal_frame shulker azalea")

func isPartial(name string) bool {
	base, _, _ := strings.Cut(strings.TrimPrefix(block.Flat(name), "minecraft:"), "[")
	for _, w := range partialWords {
		if strings.Contains("_"+base+"_", "_"+w+"_") {
			return true
		}
	}
	return false
}

// lightEras are ranges of data versions, by the first, whose games light alike.
var lightEras = []struct {
	from int32
	name string
}{{0, "no data version"}, {1, "1.9 to 1.12"}, {1451, "1.13"}, {1901, "1.14 and 1.15"}, {2504, "1.16"}, {2681, "1.17"}, {2825, "1.18 and later"}}

func eraOf(version int32) string {
	name := ""
	for _, e := range lightEras {
		if version >= e.from {
			name = e.name
		}
	}
	return name
}

// Table prints the share of equal cells by data version, and the rest by cause.
func (r *Report) Table(w io.Writer) {
	t := table.New(w, "data version", "columns", "sky, M cells", "equal", "in play", "block, M cells", "equal", "in play")
	for _, v := range r.Versions {
		t.Row(fmt.Sprint(v.Version), fmt.Sprint(v.Columns), millions(v.Sky.Cells), share(v.Sky.Equal, v.Sky.Cells), share(v.Sky.PlayEqual, v.Sky.Play),
			millions(v.Block.Cells), share(v.Block.Equal, v.Block.Cells), share(v.Block.PlayEqual, v.Block.Play))
	}
	t.Flush()
	for _, e := range lightEras {
		r.eraTable(w, e.name)
	}
	fmt.Fprintf(w, "\nin play: neither dark nor full in both. carried: right by the light beside it, which is not.\nfloods of chunks one by one: %.0f M cells/s\n",
		float64(r.Flooded)/1e6/max(r.Seconds, 1e-9))
	for _, s := range r.Skipped {
		fmt.Fprintf(w, "skipped %s: %s\n", s.Path, s.Why)
	}
}

// eraTable prints what differs in the versions of one era.
func (r *Report) eraTable(w io.Writer, era string) {
	var sky, block Kind
	for _, v := range r.Versions {
		if eraOf(v.Version) == era {
			sky.add(&v.Sky)
			block.add(&v.Block)
		}
	}
	if sky.Cells+block.Cells == 0 {
		return
	}
	fmt.Fprintln(w)
	t := table.New(w, era, "sky darker", "brighter", "block darker", "brighter")
	for _, name := range lightCauses {
		a, b := sky.cause(name), block.cause(name)
		t.Row(name, fmt.Sprint(a.Darker), fmt.Sprint(a.Brighter), fmt.Sprint(b.Darker), fmt.Sprint(b.Brighter))
	}
	t.Row("carried", fmt.Sprint(sky.Carried), "", fmt.Sprint(block.Carried), "")
	t.Row("equal", share(sky.Equal, sky.Cells), share(sky.PlayEqual, sky.Play), share(block.Equal, block.Cells), share(block.PlayEqual, block.Play))
	t.Flush()
}

func (k *Kind) add(o *Kind) {
	k.Cells += o.Cells
	k.Equal += o.Equal
	k.Play += o.Play
	k.PlayEqual += o.PlayEqual
	k.Carried += o.Carried
	for _, c := range o.Causes {
		sum := k.cause(c.Cause)
		sum.Darker += c.Darker
		sum.Brighter += c.Brighter
	}
}

func millions(n int64) string { return fmt.Sprintf("%.1f", float64(n)/1e6) }

func share(a, b int64) string {
	if b == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f %%", 100*float64(a)/float64(b))
}
