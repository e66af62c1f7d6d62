package clip

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// columnEdge is the edge of a section in blocks, biomeEdge in cells of biomes.
const (
	columnEdge = geom.ColumnEdge
	biomeEdge  = columnEdge / 4
)

// maxHeight bounds the height of a world of columns that begins at 0.
const maxHeight = 128 * columnEdge

// biomesInSections is the data version from which on sections hold biomes with names: 21w43a.
// Earlier columns hold biomes as numbers.
const biomesInSections = 2844

// Source returns the clip as a world with the dimension overworld. Its least corner lies at
// 0,0,0. Each column of the clip's box has the clip's data version and the sections of the
// box; objects outside of these columns are left out. The file FilePath keeps the rest, so that a Collector makes the same clip again.
func (c *Clip) Source() format.Source { return source{c, map[string]int{}} }

// source is a clip as a world, and what Read left out.
type source struct {
	c    *Clip
	lost map[string]int
}

func (s source) Head() format.Head {
	return format.Head{Format: s.c.Format, Version: s.c.FormatVersion}
}

func (s source) Close() error { return nil }

// Clip returns the clip that the world is made of.
func (s source) Clip() *Clip { return s.c }

// Remarks returns what the reader of the file and Read left out.
func (s source) Remarks() (lost map[string]int, damaged []string) {
	lost = map[string]int{}
	maps.Copy(lost, s.c.Lost)
	maps.Copy(lost, s.lost)
	return lost, nil
}

// Notes returns what the reader of the file found odd.
func (s source) Notes() []string { return s.c.Notes }

func (s source) Read(ctx context.Context, to format.Sink) error {
	c := s.c
	if c.Size.Y > maxHeight {
		return fmt.Errorf("clip: %w: a world of columns is at most %d high, not %d", format.ErrHolds, maxHeight, c.Size.Y)
	}
	w := &sender{c: c, lost: s.lost, dim: format.BlockDimension("overworld", "")}
	for _, v := range []struct {
		from *Contents
		to   *format.Names
	}{{&c.Block, w.dim.Volume(voxel.Block).Names}, {w.biome(), w.dim.Volume(voxel.Biome).Names}} {
		if v.from == nil {
			continue
		}
		for i, name := range v.from.Names {
			if cell, err := v.to.Cell(name); err != nil || int(cell) != i {
				return fmt.Errorf("clip: cell %d cannot be %q", i, name)
			}
		}
	}
	c.nameBeside(w.dim)
	if err := to.Dimension(w.dim); err != nil {
		return err
	}
	w.find()
	for _, pos := range w.order {
		if err := to.Column(w.column(pos)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := c.sendBeside(w.dim, to); err != nil {
		return err
	}
	return to.File(format.FileOf(FilePath, c.appendFile(nil, s.lost)))
}

// sender cuts columns out of a clip.
type sender struct {
	c       *Clip
	lost    map[string]int
	dim     *format.Dimension
	order   []geom.ColumnPos
	objects map[geom.ColumnPos][]voxel.List
	out     format.Column
	buf     [4096]voxel.Cell
}

// biome returns the biomes that sections hold, or nil.
func (w *sender) biome() *Contents {
	if w.c.Version != 0 && w.c.Version < biomesInSections {
		return nil
	}
	return w.c.Biome
}

// find lists the columns.
func (w *sender) find() {
	w.objects = map[geom.ColumnPos][]voxel.List{}
	at := map[geom.ColumnPos]bool{}
	for z := 0; z < w.c.Size.Z; z += columnEdge {
		for x := 0; x < w.c.Size.X && w.c.Size.Y > 0; x += columnEdge {
			at[geom.ColumnPos{X: int32(x / columnEdge), Z: int32(z / columnEdge)}] = true
		}
	}
	for _, l := range w.c.Lists {
		for _, o := range l.Objects {
			pos := o.At.Column()
			if !at[pos] && o.Place != voxel.Nowhere { // it would be a column of nothing else
				w.lost[l.Name+" outside of the box"]++
				continue
			}
			lists := w.objects[pos]
			i := slices.IndexFunc(lists, func(m voxel.List) bool { return m.Name == l.Name })
			if i < 0 {
				i = len(lists)
				lists = append(lists, voxel.List{Name: l.Name})
			}
			lists[i].Objects = append(lists[i].Objects, o)
			w.objects[pos] = lists
		}
	}
	w.order = slices.SortedFunc(maps.Keys(at), geom.ColumnPos.Compare)
}

func (w *sender) column(pos geom.ColumnPos) *format.Column {
	w.out = format.Column{Column: voxel.Column{Pos: pos, Version: w.c.Version, Lists: w.objects[pos], Sections: w.out.Sections[:0]}, Cells: w.out.Cells[:0]}
	corner := pos.Min(0)
	if corner.X < 0 || corner.Z < 0 || corner.X >= w.c.Size.X || corner.Z >= w.c.Size.Z {
		return &w.out
	}
	for y := 0; y < w.c.Size.Y; y += columnEdge {
		corner.Y = y
		s := voxel.Section{Y: int8(y / columnEdge), Has: voxel.HasBlock}
		cells := format.Cells{Block: w.blocks(corner)}
		if v := w.biome(); v != nil {
			s.Has |= voxel.HasBiome
			cells.Biome = w.biomes(v, corner)
		}
		w.out.Sections = append(w.out.Sections, s)
		w.out.Cells = append(w.out.Cells, cells)
	}
	return &w.out
}

// blocks returns the cells of a section. Those outside of the box are air.
func (w *sender) blocks(corner geom.Point) []voxel.Cell {
	v := &w.c.Block
	whole := geom.Box{Min: corner, Max: corner.Add(geom.Point{X: columnEdge, Y: columnEdge, Z: columnEdge})}
	in := whole.Intersect(geom.Box{Max: w.c.Size})
	if in == whole && v.At.InChunk() == (geom.Point{}) {
		chunk, _ := v.View.Chunk(corner.Add(v.At).Chunk())
		if chunk == nil {
			return []voxel.Cell{v.View.Default()}
		}
		if cell, ok := chunk.Uniform(); ok {
			return []voxel.Cell{cell}
		}
	}
	size := in.Size()
	part := w.buf[:in.Cells()]
	mustRead(v.View, in.Add(v.At), part)
	out := make([]voxel.Cell, len(w.buf))
	for y := range size.Y {
		for z := range size.Z {
			copy(out[(y*columnEdge+z)*columnEdge:], part[(y*size.Z+z)*size.X:][:size.X])
		}
	}
	return out
}

// biomes returns the biomes of a section. A cell has the biome of its least block.
func (w *sender) biomes(v *Contents, corner geom.Point) []voxel.Cell {
	out := make([]voxel.Cell, 0, biomeEdge*biomeEdge*biomeEdge)
	for y := range biomeEdge {
		for z := range biomeEdge {
			for x := range biomeEdge {
				out = append(out, w.c.biomeAt(v, corner.Add(geom.Point{X: 4 * x, Y: 4 * y, Z: 4 * z})))
			}
		}
	}
	return out
}

// biomeAt returns the biome of the block of the box that is nearest to p.
func (c *Clip) biomeAt(v *Contents, p geom.Point) voxel.Cell {
	p = geom.Point{X: min(p.X, c.Size.X-1), Y: min(p.Y, c.Size.Y-1), Z: min(p.Z, c.Size.Z-1)}
	if v.Flat {
		p.Y = 0
	}
	p = p.Add(v.At)
	if v.Scale == 4 {
		p = quarter(p)
	}
	cell, _ := v.View.Cell(p)
	return cell
}
