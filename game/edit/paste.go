package edit

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/format/clip"
	"github.com/cairnvoxel/cairn/internal/game/masks"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Paste writes the cells of a clip into the volume voxel.Block. Where the clip has
// clip.Void, cells stay as they are.
type Paste struct {
	Clip *clip.Clip  // see clip.Clip.Turn for one that is turned
	At   geom.Point  // where its least corner goes
	Mask region.Mask // which cells may change
	// Region is where cells may change and objects come, in blocks. nil: everywhere.
	Region region.Region
	// NoAir keeps the cells where the clip has air.
	NoAir  bool
	Biomes bool // paste biomes as well, in cells of biomes that lie in the clip completely
	// Objects pastes block entities and entities as well: those that lie in the clip's box. Entities
	// get UUIDs that follow from their own and from At, so the same paste again brings none that is
	// still in the dimension, as far as its columns are in memory.
	Objects bool
}

// pasting is a Paste in an arena.
type pasting struct {
	*Paste
	box    geom.Box
	tables map[string]table
	owned  map[geom.ChunkPos][]voxel.Object             // block entities
	others map[geom.ColumnPos]map[string][]voxel.Object // by list
	// version is that of columns that objects make.
	version int32
}

// table is how a volume of the clip becomes one of the arena.
type table struct {
	from  *clip.Contents
	cells []voxel.Cell // nil: the same
	keep  []bool       // by cell of the clip: what is there stays
}

func (o *Paste) prepare(_ context.Context, a *Arena) (*plan, error) {
	if o.Clip == nil {
		return nil, errors.New("edit: paste: no clip")
	}
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	version := o.Clip.Version
	if model := d.Model(o.At.Column()); model != nil && model.OfGame() {
		version = model.Version
	}
	in := &pasting{Paste: o, box: geom.Box{Min: o.At, Max: o.At.Add(o.Clip.Size)}, tables: make(map[string]table), version: version}
	if in.box.Intersect(world.Everywhere) != in.box {
		return nil, fmt.Errorf("edit: paste at %v: %w", o.At, geom.ErrOutOfRange)
	}
	mask, err := a.mask(o.Mask)
	if err != nil {
		return nil, err
	}
	if err := in.checkPlaces(a, d); err != nil {
		return nil, fmt.Errorf("edit: paste at %v: %w", o.At, err)
	}
	p := &plan{fetch: in.fetch}
	from := map[string]*clip.Contents{voxel.Block: &o.Clip.Block}
	if o.Biomes && o.Clip.Biome != nil && d.Volume(voxel.Biome) != nil {
		from[voxel.Biome] = o.Clip.Biome
	}
	for name, v := range o.Clip.Beside {
		if d.Volume(name) != nil {
			from[name] = v
		}
	}
	for _, name := range append([]string{voxel.Block, voxel.Biome}, slices.Sorted(maps.Keys(o.Clip.Beside))...) {
		if from[name] == nil {
			continue
		}
		v, err := a.volume(name)
		if err != nil {
			return nil, err
		}
		cells, err := a.translation(name, from[name].Names)
		if err != nil {
			return nil, err
		}
		in.tables[name] = table{from[name], cells, in.kept(name)}
		var parts []part
		for pos := range region.Chunks(masks.Scaled(in.box, v.Scale)) {
			p := part{pos: pos, mask: mask}
			if o.Region != nil {
				p.in = masks.Scaled(o.Region, v.Scale)
			}
			if name == voxel.Block && o.Objects {
				p.objects = in.swap
			}
			parts = append(parts, p)
		}
		p.towers = append(p.towers, towersOf(v.Volume, parts)...)
		mask = nil // it is about blocks
	}
	if o.Objects {
		in.find()
		p.last = func() ([]*tower, error) { return columnTowers(in.columns(a.World.View().Dimension(d.Name()))), nil }
	}
	return p, nil
}

// checkPlaces checks that the game of the world has places for the blocks of the clip, as far as
// its columns are in memory. What a mask or a region protects is known when the blocks change.
func (p *pasting) checkPlaces(a *Arena, d *world.Dimension) error {
	if p.Mask.Cells(nil) != nil || p.Region != nil {
		return nil
	}
	missing := &world.ColumnsError{Dimension: d.Name()}
	for z := geom.FloorDiv(p.box.Min.Z, geom.ColumnEdge); z*geom.ColumnEdge < p.box.Max.Z; z++ {
		for x := geom.FloorDiv(p.box.Min.X, geom.ColumnEdge); x*geom.ColumnEdge < p.box.Max.X; x++ {
			pos := geom.ColumnPos{X: int32(x), Z: int32(z)}
			var low, high int
			model, bound := d.Model(pos), false
			if model != nil {
				low, high, bound = model.Heights(d.Name())
			}
			if bound && !a.AnyHeight {
				for _, b := range []geom.Box{p.under(pos, p.box.Min.Y, min(low, p.box.Max.Y)), p.under(pos, max(high, p.box.Min.Y), p.box.Max.Y)} {
					if at, puts := p.puts(b); puts {
						return &world.HeightError{Dimension: d.Name(), At: at, Low: low, High: high}
					}
				}
			}
			if c, known := d.Column(pos); a.OldColumns && model != nil && known && c == nil {
				if _, puts := p.puts(p.under(pos, p.box.Min.Y, p.box.Max.Y)); puts {
					if missing.Columns++; missing.Columns == 1 {
						missing.First = pos
					}
				}
			}
		}
	}
	if missing.Columns > 0 {
		return missing
	}
	return nil
}

// under returns the cells of the box that lie over a column, from low to below high.
func (p *pasting) under(pos geom.ColumnPos, low, high int) geom.Box {
	b := geom.Box{Min: pos.Min(low), Max: pos.Min(high).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
	return b.Intersect(p.box)
}

// puts finds a block of the clip in a box of the arena that is no air and that is pasted.
func (p *pasting) puts(b geom.Box) (geom.Point, bool) {
	if b.Empty() {
		return geom.Point{}, false
	}
	v, keep, air := &p.Clip.Block, p.kept(voxel.Block), airs(p.Clip.Block.Names)
	row := make([]voxel.Cell, b.Size().X)
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			at := geom.Point{X: b.Min.X, Y: y, Z: z}
			in := at.Sub(p.At).Add(v.At)
			if !v.View.ReadBox(geom.Box{Min: in, Max: in.Add(geom.Point{X: len(row), Y: 1, Z: 1})}, 0, row) {
				continue // fetch fails there
			}
			for x, c := range row {
				if c != voxel.Empty && !keep[c] && !air[c] {
					return at.Add(geom.Point{X: x}), true
				}
			}
		}
	}
	return geom.Point{}, false
}

// kept returns which cells of a volume of the clip are not pasted.
func (o *Paste) kept(volume string) []bool {
	if volume != voxel.Block {
		return nil
	}
	keep := make([]bool, len(o.Clip.Block.Names))
	for i, name := range o.Clip.Block.Names {
		keep[i] = name == clip.Void || o.NoAir && i == 0
	}
	if o.NoAir {
		for i, is := range airs(o.Clip.Block.Names) {
			keep[i] = keep[i] || is
		}
	}
	return keep
}

// airs returns which names are those of air.
func airs(names []string) []bool {
	air, _ := region.ParseMask("air")
	return air.Cells(names)
}

// fetch makes what the chunks of a tower are to be.
func (p *pasting) fetch(_ context.Context, t *tower) error {
	if t.volume == world.Columns {
		return nil
	}
	for i := range t.parts {
		if err := p.chunk(&t.parts[i], p.tables[t.volume], t.volume); err != nil {
			return err
		}
	}
	return nil
}

// chunk makes what a chunk is to be.
func (p *pasting) chunk(c *part, t table, volume string) error {
	scale := 1
	if volume == voxel.Biome {
		scale = biomeScale
	}
	to := masks.Scaled(p.box, scale).(geom.Box).Intersect(c.pos.Box())
	size := to.Max.Sub(to.Min)
	row, blocks := make([]voxel.Cell, size.X), make([]voxel.Cell, size.X)
	var keep []bool // by block, of a volume beside the blocks
	if p.Clip.Beside[volume] != nil {
		keep = p.tables[voxel.Block].keep
	}
	var flat [voxel.ChunkCells]voxel.Cell
	may := c.only // of the region
	c.only = new([voxel.ChunkEdge * voxel.ChunkEdge]uint32)
	for y := to.Min.Y; y < to.Max.Y; y++ {
		for z := to.Min.Z; z < to.Max.Z; z++ {
			if err := p.row(t, geom.Point{X: to.Min.X, Y: y, Z: z}, scale, row); err != nil {
				return err
			}
			if keep != nil {
				if err := p.row(p.tables[voxel.Block], geom.Point{X: to.Min.X, Y: y, Z: z}, scale, blocks); err != nil {
					return err
				}
			}
			at := geom.Point{X: to.Min.X, Y: y, Z: z}.Sub(c.pos.Box().Min)
			r := at.Y*voxel.ChunkEdge + at.Z
			for i, v := range row {
				if t.keep != nil && t.keep[v] || keep != nil && v == 0 && keep[blocks[i]] || may != nil && may[r]>>(at.X+i)&1 == 0 {
					continue
				}
				if t.cells != nil {
					v = t.cells[v]
				}
				c.only[r] |= 1 << (at.X + i)
				flat[r*voxel.ChunkEdge+at.X+i] = v
			}
		}
	}
	c.want = voxel.FromFlat(&flat)
	return nil
}

// biomeScale is the edge of a cell of biomes in blocks.
const biomeScale = 4

// row reads a row of the clip for cells of the arena from at on, which are scale blocks wide.
// Of a wide one it takes the middle.
func (p *pasting) row(t table, at geom.Point, scale int, row []voxel.Cell) error {
	block := geom.Point{X: at.X*scale + scale/2, Y: at.Y*scale + scale/2, Z: at.Z*scale + scale/2}.Sub(p.At).Add(t.from.At)
	if t.from.Flat {
		block.Y = t.from.At.Y
	}
	if scale == 1 && t.from.Scale == 1 {
		b := geom.Box{Min: block, Max: block.Add(geom.Point{X: len(row), Y: 1, Z: 1})}
		if !t.from.View.ReadBox(b, 0, row) {
			return fmt.Errorf("edit: paste: the clip has no cells at %v", block)
		}
		return nil
	}
	for i := range row {
		q := block.Add(geom.Point{X: i * scale}).Over(t.from.Scale)
		v, ok := t.from.View.Cell(q)
		if !ok {
			return fmt.Errorf("edit: paste: the clip has no biome at %v", q)
		}
		row[i] = v
	}
	return nil
}

// find sorts the objects of the clip. Those outside of its box do not come.
func (p *pasting) find() {
	p.owned, p.others = make(map[geom.ChunkPos][]voxel.Object), make(map[geom.ColumnPos]map[string][]voxel.Object)
	for _, l := range p.Clip.Lists {
		objects := l.Objects
		if l.Name == voxel.Entities {
			objects = p.Clip.Entities(p.At)
		}
		for _, o := range objects {
			if l.Name != voxel.Entities {
				o = clip.Move(o, p.At)
			}
			switch pos := o.At.Column(); {
			case o.Place == voxel.Nowhere || !p.box.Contains(o.At) || p.Region != nil && !p.Region.Contains(o.At):
			case l.Name == voxel.BlockEntities:
				p.owned[o.At.Chunk()] = append(p.owned[o.At.Chunk()], o)
			default:
				if p.others[pos] == nil {
					p.others[pos] = make(map[string][]voxel.Object)
				}
				p.others[pos][l.Name] = append(p.others[pos][l.Name], o)
			}
		}
	}
}

// swap replaces block entities by those of the clip, in the cells of a chunk that have its blocks
// and that a mask does not protect. Of two in one cell the last comes.
func (p *pasting) swap(c *part, in *objectsTx, was, is *voxel.Chunk, allowed []bool) {
	pasted := func(o voxel.Object) bool {
		if o.Place == voxel.Nowhere || o.At.Chunk() != c.pos {
			return false
		}
		q, before := o.At.InChunk(), int(cellAt(was, o.At))
		return c.only[q.Y*voxel.ChunkEdge+q.Z]>>q.X&1 != 0 && (allowed == nil || before < len(allowed) && allowed[before]) && cellAt(is, o.At) == cellAt(c.want, o.At)
	}
	come := slices.DeleteFunc(slices.Clone(p.owned[c.pos]), not(pasted))
	for _, pos := range c.pos.Columns() {
		in.change(voxel.BlockEntities, pos, p.version, func(now []voxel.Object) []voxel.Object {
			out := slices.DeleteFunc(slices.Clone(now), pasted)
			last := make(map[geom.Point]int)
			for i, o := range come {
				last[o.At] = i
			}
			for i, o := range come {
				if o.At.Column() == pos && last[o.At] == i {
					out = append(out, o)
				}
			}
			return out
		})
	}
}

// columns returns the columns that entities come to.
func (p *pasting) columns(d *world.Dimension) (out []columnPart) {
	had := make(map[clip.UUID]bool)
	see := func(objects []voxel.Object) {
		for i := range objects {
			if id, ok := clip.UUIDOf(&objects[i]); ok {
				had[id] = true
			}
		}
	}
	if len(p.others) > 0 {
		for _, c := range d.Columns(world.Everywhere) {
			see(c.Objects(voxel.Entities))
		}
	}
	for pos, lists := range p.others {
		out = append(out, columnPart{pos, func(now *voxel.Column) *voxel.Column {
			out := voxel.Column{Pos: pos, Version: p.version}
			if now != nil {
				out = *now
			}
			for name, objects := range lists {
				there := slices.Clone(now.Objects(name))
				see(there)
				came := slices.DeleteFunc(slices.Clone(objects), func(o voxel.Object) bool {
					id, ok := clip.UUIDOf(&o)
					return ok && had[id] // the same paste brought it before
				})
				out.Lists = withList(out.Lists, name, append(there, came...))
			}
			return &out
		}})
	}
	return out
}
