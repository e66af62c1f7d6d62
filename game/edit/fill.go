package edit

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Fill makes cells of a region one cell. With a Mask it replaces what the Mask names; then a Name
// fills no cell of a terrain up that is not empty: it stays as full as it is.
type Fill struct {
	Region region.Region // in cells of the volume
	Mask   region.Mask   // which cells may change
	Volume string        // default: voxel.Block
	// Name is what to fill with: of a palette, where a name that is new gets a cell and one of a
	// block of a game is completed by block.State, or a material, which fills cells completely.
	// Without a Name it is Cell.
	Name string
	Cell voxel.Cell
}

func (o *Fill) prepare(ctx context.Context, a *Arena) (*plan, error) {
	if o.Region == nil {
		return nil, errors.New("edit: fill: no region")
	}
	v, err := a.volume(o.Volume)
	if err != nil {
		return nil, err
	}
	cell, err := a.cell(ctx, v, o)
	if err != nil {
		return nil, err
	}
	if v, err = a.volume(o.Volume); err != nil { // with the name
		return nil, err
	}
	if !v.Schema.Valid(cell, len(v.Names())) {
		return nil, fmt.Errorf("edit: %s: fill: cell %d: volume %q has %d names", a.World.Name(), cell, v.Volume.Name, len(v.Names()))
	}
	mask, err := a.mask(o.Mask)
	if err != nil {
		return nil, err
	}
	allowed := mask.cells(v.Schema, v.Names())
	fill := part{want: voxel.Uniform(cell), mask: mask}
	if v.Schema == voxel.Terrain && mask != nil && o.Name != "" {
		fill.want, fill.change = nil, repaint(cell)
	}
	f := &filling{v: v, in: o.Region, part: fill,
		held: cell == v.Default() || allowed != nil && (int(v.Default()) >= len(allowed) || !allowed[v.Default()])}
	if err := f.survey(ctx); err != nil {
		return nil, fmt.Errorf("edit: %s: fill: %w", a.World.Name(), err)
	}
	return &plan{chunks: f.chunks, more: f.more}, nil
}

// repaint makes the material of all cells of a chunk that of one cell.
func repaint(cell voxel.Cell) func(*voxel.Chunk) *voxel.Chunk {
	table := make([]voxel.Cell, int(voxel.MaxCell)+1)
	for c := range table {
		if table[c] = cell; voxel.Cell(c).Material() != 0 {
			table[c] = voxel.TerrainCell(cell.Material(), uint8(c))
		}
	}
	return func(now *voxel.Chunk) *voxel.Chunk { return now.Translate(table) }
}

// filling plans a Fill square by square.
type filling struct {
	v       *world.Volume
	in      region.Region
	part    part
	held    bool        // where no chunk is, nothing changes
	squares []geom.Code // that are still to be planned: cubes whose height is of no meaning
	chunks  int
}

const (
	squareLevel = 3       // a square is 2^3 chunks wide
	maxFill     = 1 << 20 // chunks of a Fill
)

// over yields the chunks in a box that may change, and how much of them the region covers.
func (f *filling) over(b geom.Box) iter.Seq2[geom.ChunkPos, region.Cover] {
	if !f.held {
		return region.Chunks(region.Intersection{f.in, b})
	}
	return func(yield func(geom.ChunkPos, region.Cover) bool) {
		for pos := range f.v.ChunksIn(b.Intersect(f.in.Bounds())) {
			if c := region.CoverOf(f.in, pos.Box()); c != 0 && !yield(pos, c) {
				return
			}
		}
	}
}

// survey counts the chunks and finds the squares that they are in.
func (f *filling) survey(ctx context.Context) error {
	found := make(map[geom.Code]bool)
	for pos := range f.over(world.Everywhere) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f.chunks++; f.chunks > maxFill {
			return fmt.Errorf("the region lies over more than %d chunks: fill it in parts", maxFill)
		}
		found[geom.CodeOf(geom.ChunkPos{X: pos.X >> squareLevel, Z: pos.Z >> squareLevel}, squareLevel)] = true
	}
	f.squares = slices.Sorted(maps.Keys(found))
	return nil
}

// more plans the next square. It returns none at the end.
func (f *filling) more() []*tower {
	if len(f.squares) == 0 {
		return nil
	}
	b := f.squares[0].Box()
	b.Min.Y, b.Max.Y = world.Everywhere.Min.Y, world.Everywhere.Max.Y
	f.squares = f.squares[1:]
	var parts []part
	for pos, c := range f.over(b) {
		p := f.part
		p.pos = pos
		parts = append(parts, p.within(f.in, c))
	}
	return towersOf(f.v.Volume, parts)
}

// cell returns the cell to fill with. A name that is new is added.
func (a *Arena) cell(ctx context.Context, v *world.Volume, o *Fill) (voxel.Cell, error) {
	name := o.Name
	if v.Volume.Name == voxel.Block && v.Schema == voxel.Palette && name != "" {
		versions, err := a.versions(ctx, o.Region.Bounds())
		if err == nil {
			name, err = block.State(name, versions, v.Names())
		}
		if err != nil {
			return 0, fmt.Errorf("edit: %s: fill: %w", a.World.Name(), err)
		}
	}
	switch c, ok := v.Named(name); {
	case name == "":
		return o.Cell, nil
	case ok && v.Schema == voxel.Terrain && c > 0:
		return voxel.TerrainCell(uint8(c), 255), nil
	case ok:
		return c, nil
	}
	cells, err := a.named(v.Volume.Name, name)
	if err != nil {
		return 0, err
	}
	return cells[0], nil
}

// versions returns the data versions of columns in a box, or of one that new ones are like. It loads
// one of the box that is not in memory, or any if none is.
func (a *Arena) versions(ctx context.Context, b geom.Box) ([]int32, error) {
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	for _, in := range []geom.Box{b, world.Everywhere} {
		for pos, c := range d.Columns(in) {
			if c != nil {
				continue
			}
			one := geom.Box{Min: pos.Min(0), Max: pos.Min(1).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
			held, err := a.World.Load(ctx, d.Name(), one, world.Columns)
			if err == nil {
				defer held.Release()
				d, err = a.dimension()
			}
			if err != nil {
				return nil, err
			}
			return d.Versions(b), nil
		}
		if known := d.Versions(b); len(known) > 0 {
			return known, nil
		}
	}
	return nil, nil
}

// named returns the cells of names, and adds those that the volume lacks.
func (a *Arena) named(volume string, names ...string) ([]voxel.Cell, error) {
	d, err := a.dimension()
	if err != nil {
		return nil, err
	}
	cells := make([]voxel.Cell, len(names))
	_, err = a.World.Update(func(tx *world.Tx) error {
		v, err := volumeIn(tx, d.Name(), volume)
		if err != nil {
			return err
		}
		for i, name := range names {
			cells[i] = v.Named(name)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("edit: %s: %w", a.World.Name(), err)
	}
	return cells, nil
}

// volumeIn returns a volume in an update: a Restore may have taken it away.
func volumeIn(tx *world.Tx, dimension, volume string) (*world.VolumeTx, error) {
	if d := tx.Dimension(dimension); d != nil {
		if v := d.Volume(volume); v != nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("no volume %q in %q any more", volume, dimension)
}
