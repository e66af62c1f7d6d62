package clip

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
	"github.com/cairnvoxel/cairn/voxel/region"
)

// Collector is a Sink that makes a clip of a world of one dimension. With a region the clip is
// of the region's bounds, and its blocks outside of the region are Void. Without one it is of
// the least box that has all blocks, and all of the box that the world was read from.
type Collector struct {
	region region.Region
	dim    *format.Dimension
	block  *grid.Edit
	biome  *grid.Edit // nil until there are biomes
	beside map[string]*grid.Edit
	lists  map[string][]voxel.Object
	file   *Clip // what FilePath says, or nil
	// version is of the columns with content.
	version int32
	any     bool
	lost    map[string]int
}

// NewCollector returns a Collector of a region, or of everything.
func NewCollector(r region.Region) *Collector {
	return &Collector{region: r, beside: map[string]*grid.Edit{}, lists: map[string][]voxel.Object{}, lost: map[string]int{}}
}

// Dimension begins the dimension; a second is an error.
func (c *Collector) Dimension(d *format.Dimension) error {
	if c.dim != nil {
		return fmt.Errorf("clip: dimension %q: a clip holds one, and has %q", d.Name, c.dim.Name)
	}
	v := d.Volume(voxel.Block)
	if v == nil || v.Schema != voxel.Palette || v.Names == nil || v.Scale != 1 {
		return fmt.Errorf("clip: %w: dimension %q has no volume of blocks with names", format.ErrHolds, d.Name)
	}
	if size := c.bounds().Size(); c.region != nil && !fits(size) {
		return fmt.Errorf("clip: %w: a region of %d x %d x %d", format.ErrHolds, size.X, size.Y, size.Z)
	}
	c.dim = d
	c.block = grid.New(grid.Options{Schema: voxel.Palette, Default: v.Default}).Edit()
	for _, v := range d.Volumes {
		switch {
		case v.Name == voxel.Block || v.Name == voxel.Biome || voxel.IsLight(v.Name):
		case slices.Contains(beside, v.Name) && v.Scale == 1 && (v.Names != nil) == (v.Schema == voxel.Palette):
			c.beside[v.Name] = grid.New(grid.Options{Schema: v.Schema, Default: v.Default}).Edit()
		default:
			c.lost["volume "+v.Name]++
		}
	}
	return nil
}

// bounds returns the box that content must touch.
func (c *Collector) bounds() geom.Box {
	if c.region == nil {
		return geom.Root.Box()
	}
	return c.region.Bounds()
}

// Chunk takes a chunk of blocks or biomes of a world without columns.
func (c *Collector) Chunk(volume string, pos geom.ChunkPos, chunk *voxel.Chunk) error {
	switch {
	case c.dim == nil:
		return fmt.Errorf("clip: chunk %v before any dimension", pos)
	case volume == voxel.Block:
		c.block.SetChunk(pos, chunk)
		return c.block.Err()
	case volume == voxel.Biome && c.biomes():
		c.biome.SetChunk(pos, chunk)
		return c.biome.Err()
	case voxel.IsLight(volume):
		c.lost["chunks of light"]++
	case c.beside[volume] != nil:
		c.beside[volume].SetChunk(pos, chunk)
		return c.beside[volume].Err()
	}
	return nil
}

// biomes begins the biomes. It returns false if the world has none that a clip holds.
func (c *Collector) biomes() bool {
	v := c.dim.Volume(voxel.Biome)
	if v == nil || v.Schema != voxel.Palette || v.Names == nil || v.Scale != 4 {
		return false
	}
	if c.biome == nil {
		c.biome = grid.New(grid.Options{Schema: voxel.Palette, Default: v.Default}).Edit()
	}
	return true
}

// Column takes a column. Its sections may come without cells if its blocks come as chunks.
func (c *Collector) Column(col *format.Column) error {
	if c.dim == nil {
		return errors.New("clip: a column before any dimension")
	}
	in := c.bounds()
	corner := col.Pos.Min(0)
	if corner.X+columnEdge <= in.Min.X || corner.X >= in.Max.X || corner.Z+columnEdge <= in.Min.Z || corner.Z >= in.Max.Z {
		return nil
	}
	if len(col.Sections)+len(col.Lists) > 0 {
		if c.any && c.version != col.Version {
			return fmt.Errorf("clip: %w: columns of data versions %d and %d, and a clip has one", format.ErrHolds, c.version, col.Version)
		}
		c.any, c.version = true, col.Version
	}
	for i, s := range col.Sections {
		c.section(col, i, s)
	}
	for y := range len(col.Biomes) / 64 {
		c.biomeCells(col.Pos, y*4, col.Biomes[y*64:y*64+64])
	}
	if col.Whole&voxel.KeptBlock != 0 {
		c.lost["columns that are kept as tags"]++
	}
	for _, m := range col.Maps {
		c.lost["map "+m.Name]++
	}
	for _, p := range col.Parts {
		c.lost["part "+p.Name]++
	}
	for _, l := range col.Lists {
		c.list(l)
	}
	if c.biome != nil && c.biome.Err() != nil {
		return c.biome.Err()
	}
	return c.block.Err()
}

func (c *Collector) section(col *format.Column, i int, s voxel.Section) {
	in, low := c.bounds(), int(s.Y)*columnEdge
	switch {
	case s.Has&(voxel.KeptBlock|voxel.KeptBiome) != 0 && low < in.Max.Y && low+columnEdge > in.Min.Y:
		c.lost["sections that are kept as tags"]++
	case len(s.Tags) > 1:
		c.lost["tags of sections"]++
	}
	if s.Has&(voxel.HasSky|voxel.HasLight) != 0 {
		c.lost["light of sections"]++
	}
	if i >= len(col.Cells) {
		return
	}
	cells := col.Cells[i]
	min := col.Pos.Min(int(s.Y) * columnEdge)
	box := geom.Box{Min: min, Max: min.Add(geom.Point{X: columnEdge, Y: columnEdge, Z: columnEdge})}
	if box.Intersect(c.bounds()).Empty() {
		return
	}
	switch len(cells.Block) {
	case 0:
	case 1:
		if cells.Block[0] != c.dim.Volume(voxel.Block).Default {
			c.block.Fill(box, cells.Block[0])
		}
	default:
		c.block.WriteBox(box, cells.Block)
	}
	c.biomeCells(col.Pos, int(s.Y)*biomeEdge, cells.Biome)
}

// biomeCells takes the biomes of a column from a height on: 64 or one for all.
func (c *Collector) biomeCells(pos geom.ColumnPos, y int, cells []voxel.Cell) {
	if len(cells) == 0 || !c.biomes() {
		return
	}
	min := geom.Point{X: int(pos.X) * biomeEdge, Y: y, Z: int(pos.Z) * biomeEdge}
	box := geom.Box{Min: min, Max: min.Add(geom.Point{X: biomeEdge, Y: len(cells) / 16, Z: biomeEdge})}
	if len(cells) == 1 {
		box.Max.Y = y + biomeEdge
		c.biome.Fill(box, cells[0])
		return
	}
	c.biome.WriteBox(box, cells)
}

func (c *Collector) list(l voxel.List) {
	if l.Name != voxel.BlockEntities && l.Name != voxel.Entities {
		lose(c.lost, l.Name, len(l.Objects))
		return
	}
	for _, o := range l.Objects {
		if c.region != nil && (o.Place == voxel.Nowhere || !c.region.Contains(o.At)) {
			continue
		}
		o.Payload = slices.Clone(o.Payload)
		c.lists[l.Name] = append(c.lists[l.Name], o)
	}
}

// File takes FilePath and counts other files as lost.
func (c *Collector) File(f format.File) (err error) {
	if f.Path != FilePath || c.region != nil {
		c.lost["file "+f.Path]++
		return nil
	}
	c.file, err = parseFile(f)
	return err
}

// Clip returns the clip. It fails with an error that wraps format.ErrHolds if there is
// nothing.
func (c *Collector) Clip() (*Clip, error) {
	if c.dim == nil {
		return nil, fmt.Errorf("clip: %w: the world has no dimension", format.ErrHolds)
	}
	box, err := c.box()
	if err != nil {
		return nil, err
	}
	out := &Clip{Version: c.version, Size: box.Size(), Min: box.Min, Lost: c.lost}
	view, _ := c.block.Publish()
	out.Block = Contents{Names: slices.Clone(c.dim.Volume(voxel.Block).Names.List()), View: view, At: box.Min, Scale: 1}
	if c.biome != nil {
		view, _ := c.biome.Publish()
		out.Biome = &Contents{Names: slices.Clone(c.dim.Volume(voxel.Biome).Names.List()), View: view, At: box.Min, Scale: 4}
	}
	for name, edit := range c.beside {
		view, _ := edit.Publish()
		if names := c.dim.Volume(name).Names; names != nil {
			out.addBeside(name, view, names.List())
		} else {
			out.addBeside(name, view, nil)
		}
	}
	if v := out.Biome; v != nil && slices.ContainsFunc(v.Names, isNumber) {
		for cell, n := range out.Counts(v) {
			if n > 0 && isNumber(v.Names[cell]) {
				c.lost["blocks with biomes that have numbers"] += n
				out.Biome = nil
			}
		}
	}
	if c.region == nil && c.file != nil {
		c.restore(out, box)
	}
	if _, plain := c.region.(geom.Box); c.region != nil && !plain {
		if err := out.hollow(c.region); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{voxel.BlockEntities, voxel.Entities} {
		var list []voxel.Object
		for _, o := range c.lists[name] {
			list = append(list, Move(o, geom.Point{}.Sub(box.Min)))
		}
		if len(list) > 0 {
			out.Lists = append(out.Lists, voxel.List{Name: name, Objects: list})
		}
	}
	return out, nil
}

// isNumber reports whether a biome has a number and no name.
func isNumber(name string) bool { return strings.HasPrefix(name, "legacy:") }

// box returns the box of the clip.
func (c *Collector) box() (b geom.Box, err error) {
	if c.region != nil {
		if b = c.region.Bounds(); b.Empty() {
			err = fmt.Errorf("clip: %w: the region is empty", format.ErrHolds)
		}
		return b, err
	}
	view, _ := c.block.Publish()
	b = filled(view)
	if c.file != nil {
		from := geom.Box{Max: c.file.Size}
		if from.Empty() && b.Empty() {
			return from, nil
		}
		b = b.Union(from)
	}
	if b.Empty() {
		return b, fmt.Errorf("clip: %w: the world has no blocks", format.ErrHolds)
	}
	return b, nil
}

// restore gives a clip what the file keeps. box is the clip's.
func (c *Collector) restore(out *Clip, box geom.Box) {
	f := c.file
	out.Format, out.FormatVersion, out.Tags = f.Format, f.FormatVersion, f.Tags
	for name, n := range f.Lost {
		lose(c.lost, name, n)
	}
	out.Offset, out.Min = f.Offset.Add(box.Min), f.Min.Add(box.Min)
	if f.Size == out.Size && box.Min == (geom.Point{}) {
		out.Inner = f.Inner
	}
	if !c.any {
		out.Version = f.Version
	}
	if f.Biome == nil || f.Size != out.Size {
		return
	}
	// The biomes of the file are finer than those of columns. They hold as long as nobody
	// has changed those.
	if out.Biome != nil {
		for y := 0; y < out.Size.Y; y += 4 {
			for z := 0; z < out.Size.Z; z += 4 {
				for x := 0; x < out.Size.X; x += 4 {
					p := geom.Point{X: x, Y: y, Z: z}
					if f.Biome.Names[f.biomeAt(f.Biome, p)] != out.Biome.Names[out.biomeAt(out.Biome, p)] {
						return
					}
				}
			}
		}
	}
	out.Biome = f.Biome
}

// hollow makes the blocks outside of a region Void.
func (c *Clip) hollow(r region.Region) error {
	v := &c.Block
	i := slices.Index(v.Names, Void)
	if i < 0 {
		if i = len(v.Names); i > int(voxel.MaxCell) {
			return fmt.Errorf("clip: %w: no room for the name %s", format.ErrHolds, Void)
		}
		v.Names = append(v.Names, Void)
	}
	d := v.View.Edit()
	b := r.Bounds()
	fill := func(x0, x1, y, z int) {
		if x0 < x1 {
			d.Fill(geom.Box{Min: geom.Point{X: x0, Y: y, Z: z}, Max: geom.Point{X: x1, Y: y + 1, Z: z + 1}}, voxel.Cell(i))
		}
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			x := b.Min.X
			r.Spans(y, z, func(x0, x1 int) bool {
				fill(x, max(x0, b.Min.X), y, z)
				x = x1
				return x < b.Max.X
			})
			fill(x, b.Max.X, y, z)
		}
	}
	v.View, _ = d.Publish()
	return d.Err()
}

// filled returns the least box that holds all cells that are not the default.
func filled(v *grid.View) (b geom.Box) {
	var buf [64]voxel.Cell
	for pos, chunk := range v.Chunks() {
		in := pos.Box()
		if b.Union(in) == b {
			continue
		}
		if cell, ok := chunk.Uniform(); ok && cell != v.Default() {
			b = b.Union(in)
			continue
		}
		for y := range geom.ChunkEdge {
			for z := range geom.ChunkEdge {
				row := chunk.Row(y, z, &buf)
				first := slices.IndexFunc(row, func(c voxel.Cell) bool { return c != v.Default() })
				if first < 0 {
					continue
				}
				last := len(row) - 1
				for row[last] == v.Default() {
					last--
				}
				at := in.Min.Add(geom.Point{X: first, Y: y, Z: z})
				b = b.Union(geom.Box{Min: at, Max: at.Add(geom.Point{X: last - first + 1, Y: 1, Z: 1})})
			}
		}
	}
	return b
}
