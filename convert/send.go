package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/format"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Source returns w as a Source: of each dimension the chunks of volumes that are
// not those of columns, in ascending order of code, then the columns in
// ascending order of position. Of a dimension with columns, biomes and light
// outside of the columns' sections are not handed on; blocks are, in sections and
// columns made for them.
func (w *World) Source() format.Source { return source{w} }

type source struct{ w *World }

func (s source) Head() format.Head { return s.w.Head }
func (s source) Close() error      { return nil }

func (s source) Read(ctx context.Context, to format.Sink) error {
	for _, d := range s.w.Dimensions {
		if err := d.send(ctx, to); err != nil {
			return err
		}
	}
	for _, f := range s.w.Files {
		if err := to.File(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (d *Dimension) send(ctx context.Context, to format.Sink) error {
	fd := &format.Dimension{Name: d.Name, Folder: d.Folder}
	for _, v := range d.Volumes {
		fv := &format.Volume{Volume: v.Volume}
		if v.Schema == voxel.Palette || len(v.Names) > 0 {
			fv.Names = format.NewNames()
			for i, name := range v.Names {
				if c, err := fv.Names.Cell(name); err != nil || int(c) != i {
					return fmt.Errorf("convert: volume %q of %s: cell %d cannot be %q", v.Volume.Name, d.Name, i, name)
				}
			}
		}
		fd.Volumes = append(fd.Volumes, fv)
	}
	if err := to.Dimension(fd); err != nil {
		return err
	}
	for _, v := range d.Volumes {
		if len(d.Columns) > 0 && slices.ContainsFunc(voxel.BlockVolumes(), func(b voxel.Volume) bool { return b.Name == v.Volume.Name }) {
			continue // goes with the columns
		}
		if err := v.send(ctx, to); err != nil {
			return err
		}
	}
	s := sender{block: d.Volume(voxel.Block), biome: d.Volume(voxel.Biome), sky: d.Volume(voxel.Sky), light: d.Volume(voxel.Light)}
	s.footprints = s.block.footprints()
	columns := s.columnsToSend(d)
	for i := range columns {
		c, err := s.column(&columns[i])
		if err != nil {
			return fmt.Errorf("convert: column %v of %s: %w", columns[i].Pos, d.Name, err)
		}
		if err := cmp.Or(to.Column(c), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

func (v *Volume) send(ctx context.Context, to format.Sink) error {
	for _, pos := range v.Positions() {
		if err := cmp.Or(to.Chunk(v.Volume.Name, pos, v.Chunks[pos]), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// sender cuts columns out of volumes; its buffers serve one column at a time.
type sender struct {
	block, biome, sky, light *Volume
	footprints               map[footprint][]int32 // of block
	out                      format.Column
	cells                    []voxel.Cell
	bytes                    []byte
	flat                     [4096]voxel.Cell
	wide                     bool // a cell of light had more than 4 bits
}

func (s *sender) column(c *voxel.Column) (_ *format.Column, err error) {
	s.out = format.Column{Column: *c, Cells: s.out.Cells[:0]}
	s.cells, s.bytes = s.cells[:0], s.bytes[:0]
	if s.out.Sections, err = s.sections(c); err != nil {
		return nil, err
	}
	for _, sec := range s.out.Sections {
		var cells format.Cells
		y := int(sec.Y)
		if sec.Has&voxel.HasBlock != 0 {
			cells.Block = s.section(s.block, c.Pos, y*16, 16)
		}
		if sec.Has&voxel.HasBiome != 0 {
			cells.Biome = s.section(s.biome, c.Pos, y*4, 4)
		}
		if sec.Has&voxel.HasSky != 0 {
			cells.Sky = s.nibbles(s.sky, c.Pos, y*16)
		}
		if sec.Has&voxel.HasLight != 0 {
			cells.Light = s.nibbles(s.light, c.Pos, y*16)
		}
		s.out.Cells = append(s.out.Cells, cells)
	}
	if c.Whole&voxel.HasBiome != 0 {
		s.out.Biomes = s.box(s.biome, geom.Box{Max: geom.Point{X: 4, Y: 64, Z: 4}}.Add(geom.Point{X: int(c.Pos.X) * 4, Z: int(c.Pos.Z) * 4}))
	}
	if s.wide {
		return nil, errors.New("light above 15")
	}
	return &s.out, nil
}

// section returns the cells of one section, or one cell if it is uniform.
func (s *sender) section(v *Volume, pos geom.ColumnPos, y, edge int) []voxel.Cell {
	min := geom.Point{X: int(pos.X) * edge, Y: y, Z: int(pos.Z) * edge}
	if cell, ok := v.uniform(min.Chunk()); ok {
		s.cells = append(s.cells, cell)
		return s.cells[len(s.cells)-1:]
	}
	return s.box(v, geom.Box{Max: geom.Point{X: edge, Y: edge, Z: edge}}.Add(min))
}

// uniform returns the cell of a chunk that is missing or uniform.
func (v *Volume) uniform(pos geom.ChunkPos) (voxel.Cell, bool) {
	if v == nil {
		return 0, true
	}
	c := v.Chunks[pos]
	if c == nil {
		return v.Default, true
	}
	return c.Uniform()
}

// box reads a box that lies within one chunk column and appends it to s.cells.
func (s *sender) box(v *Volume, b geom.Box) []voxel.Cell {
	from := len(s.cells)
	for y := b.Min.Y; y < b.Max.Y; {
		part := b
		part.Min.Y, part.Max.Y = y, min(b.Max.Y, (y|(geom.ChunkEdge-1))+1)
		y = part.Max.Y
		n := part.Cells()
		s.cells = append(s.cells, make([]voxel.Cell, n)...)
		v.read(part, s.cells[len(s.cells)-n:])
	}
	return s.cells[from:]
}

// read fills dst with a box of cells that lies within one chunk.
func (v *Volume) read(b geom.Box, dst []voxel.Cell) {
	pos := b.Min.Chunk()
	if cell, ok := v.uniform(pos); ok {
		for i := range dst {
			dst[i] = cell
		}
		return
	}
	v.Chunks[pos].ReadBox(b.Add(geom.Point{}.Sub(pos.Min())), dst)
}

func (s *sender) nibbles(v *Volume, pos geom.ColumnPos, y int) []byte {
	from := len(s.bytes)
	s.bytes = append(s.bytes, make([]byte, 2048)...)
	out := s.bytes[from:]
	v.read(geom.Box{Max: geom.Point{X: 16, Y: 16, Z: 16}}.Add(pos.Min(y)), s.flat[:])
	for i := range out {
		lo, hi := s.flat[2*i], s.flat[2*i+1]
		s.wide = s.wide || lo|hi > 15
		out[i] = byte(lo) | byte(hi)<<4
	}
	return out
}
