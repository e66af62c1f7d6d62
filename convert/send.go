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

// Source returns w as a Source. Of each dimension it sends first the chunks of volumes that
// columns do not hold, in ascending order of code, then the columns, in ascending order of
// position. In a dimension with columns, biomes and light outside of the columns' sections are
// not sent. Blocks outside of them are sent in sections and columns that Source adds.
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
			continue // sent with the columns
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

// sender cuts columns out of volumes. Its buffers hold one column at a time.
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

// section returns the cells of a section, or one cell if the section is uniform.
func (s *sender) section(v *Volume, pos geom.ColumnPos, y, edge int) []voxel.Cell {
	min := geom.Point{X: int(pos.X) * edge, Y: y, Z: int(pos.Z) * edge}
	if cell, ok := v.uniform(min.Chunk()); ok {
		s.cells = append(s.cells, cell)
		return s.cells[len(s.cells)-1:]
	}
	return s.box(v, geom.Box{Max: geom.Point{X: edge, Y: edge, Z: edge}}.Add(min))
}

// uniform returns the cell of a missing or uniform chunk.
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

// box appends the cells of a box to s.cells. The box must be within one tower.
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

// read fills dst with the cells of a box that is within one chunk.
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

// footprint is the x and z of a tower, in chunks.
type footprint struct{ x, z int32 }

func footprintOf(pos geom.ColumnPos) footprint { return footprint{pos.X >> 1, pos.Z >> 1} }

// footprints returns the heights of a volume's chunks by footprint, ascending.
func (v *Volume) footprints() map[footprint][]int32 {
	out := map[footprint][]int32{}
	if v == nil {
		return out
	}
	for pos := range v.Chunks {
		at := footprint{pos.X, pos.Z}
		out[at] = append(out[at], pos.Y)
	}
	for _, ys := range out {
		slices.Sort(ys)
	}
	return out
}

// columnsToSend returns the dimension's columns in ascending order. It adds a column, of the
// highest data version, for each place with blocks and without a column.
func (s *sender) columnsToSend(d *Dimension) []voxel.Column {
	have, version := map[geom.ColumnPos]bool{}, int32(0)
	for i := range d.Columns {
		have[d.Columns[i].Pos] = true
		version = max(version, d.Columns[i].Version)
	}
	if len(have) == 0 {
		return nil
	}
	out := slices.Clip(d.Columns)
	for at, ys := range s.footprints {
		for i := range int32(4) {
			pos := geom.ColumnPos{X: at.x<<1 + i&1, Z: at.z<<1 + i>>1}
			if !have[pos] && slices.ContainsFunc(ys, func(y int32) bool { return s.matter(pos, int(y)*2) || s.matter(pos, int(y)*2+1) }) {
				out = append(out, voxel.Column{Pos: pos, Version: version})
			}
		}
	}
	if len(out) > len(d.Columns) {
		slices.SortStableFunc(out, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	}
	return out
}

// sections returns the column's sections. It adds sections for blocks that no section covers: a
// column lists the sections of its source, and someone may have built elsewhere.
func (s *sender) sections(c *voxel.Column) ([]voxel.Section, error) {
	out := c.Sections
	var listed [256]bool
	for _, sec := range out {
		listed[uint8(sec.Y)] = listed[uint8(sec.Y)] || sec.Has&voxel.HasBlock != 0
	}
	for _, chunk := range s.footprints[footprintOf(c.Pos)] {
		for y := 2 * int(chunk); y < 2*int(chunk)+2; y++ {
			switch fits := int(int8(y)) == y; {
			case fits && listed[uint8(y)] || !s.matter(c.Pos, y):
			case !fits:
				return nil, fmt.Errorf("blocks at height %d, beyond all sections", y*16)
			default:
				out = withBlocks(out, int8(y))
			}
		}
	}
	return out, nil
}

// withBlocks returns a copy of sections in which the section at y has blocks.
func withBlocks(sections []voxel.Section, y int8) []voxel.Section {
	out := slices.Clone(sections)
	i := slices.IndexFunc(out, func(s voxel.Section) bool { return s.Y == y })
	if i < 0 {
		return append(out, voxel.Section{Y: y, Has: voxel.HasBlock})
	}
	out[i].Has |= voxel.HasBlock
	return out
}

// matter reports whether a section has a block.
func (s *sender) matter(pos geom.ColumnPos, section int) bool {
	air := s.block.Default
	at := pos.Min(section * 16)
	if cell, ok := s.block.uniform(at.Chunk()); ok {
		return cell != air
	}
	chunk, in := s.block.Chunks[at.Chunk()], at.InChunk()
	var buf [64]voxel.Cell
	for y := in.Y; y < in.Y+16; y++ {
		if cell, ok := chunk.SliceUniform(y); ok {
			if cell != air {
				return true
			}
			continue
		}
		for z := in.Z; z < in.Z+16; z++ {
			if slices.ContainsFunc(chunk.Row(y, z, &buf)[in.X:in.X+16], func(c voxel.Cell) bool { return c != air }) {
				return true
			}
		}
	}
	return false
}
