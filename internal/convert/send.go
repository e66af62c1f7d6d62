package convert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format"
	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Source returns c as a Source. Of each dimension it sends first the chunks of volumes that
// columns do not hold, in ascending order of code, then the columns, in ascending order of
// position. In a dimension with columns, biomes and light outside of the columns' sections are
// not sent. Blocks outside of them are sent in sections and columns that Source adds, or as chunks where
// no section can be. It reads c in parts: in memory are the positions of the chunks of blocks and one square of columns.
func Source(c stone.Content) format.Source { return source{c} }

// Source returns w as a Source; see the function Source.
func (w *Loaded) Source() format.Source { return Source(w.Content()) }

type source struct{ c stone.Content }

func (s source) Head() format.Head { return HeadOf(s.c.About().Properties) }
func (s source) Close() error      { return nil }

func (s source) Read(ctx context.Context, to format.Sink) error {
	about := s.c.About()
	for i := range about.Dimensions {
		if err := (&sender{from: s.c, dim: &about.Dimensions[i], to: to}).send(ctx); err != nil {
			return err
		}
	}
	for _, f := range Files(s.c, about) {
		if err := to.File(f); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Files returns the files of a world.
func Files(c stone.Content, about stone.About) (files []format.File) {
	for _, f := range about.Files {
		files = append(files, format.File{Path: f.Path, Size: f.Size, Open: func() (io.ReadCloser, error) { return c.OpenFile(f.Path) }})
	}
	return files
}

// sender sends a dimension. It cuts columns out of volumes, one square of columns at a time:
// the Chunks of its volumes are those of the square.
type sender struct {
	from stone.Content
	dim  *stone.DimensionInfo
	to   format.Sink

	block, biome, sky, light *LoadedVolume
	footprints               map[footprint][]int32 // of block
	places                   []geom.ChunkPos       // of chunks of blocks in squares to come
	version                  int32                 // the highest data version of a column
	versioned                bool                  // version is known
	out                      format.Column
	cells                    []voxel.Cell
	bytes                    []byte
	flat                     [4096]voxel.Cell
	wide                     bool // a cell of light had more than 4 bits
}

func (s *sender) send(ctx context.Context) error {
	fd := &format.Dimension{Name: s.dim.Name, Folder: s.dim.Folder}
	for _, v := range s.dim.Volumes {
		fv := &format.NamedVolume{Volume: v.Volume}
		if v.Schema == voxel.Palette || len(v.Names) > 0 {
			var err error
			if fv.Names, err = format.NamesOf(v.Names); err != nil {
				return fmt.Errorf("convert: volume %q of %s: %w", v.Volume.Name, s.dim.Name, err)
			}
		}
		fd.Volumes = append(fd.Volumes, fv)
	}
	if err := s.to.Dimension(fd); err != nil {
		return err
	}
	next, stop := iter.Pull2(s.from.ReadColumns(ctx, s.dim.Name))
	defer stop()
	first, err, columns := next()
	if err != nil {
		return err
	}
	for _, v := range s.dim.Volumes {
		if columns && slices.ContainsFunc(voxel.BlockVolumes(), func(b voxel.Volume) bool { return b.Name == v.Volume.Name }) {
			if v.Volume.Name == voxel.Block {
				if err := s.far(ctx, v.Volume); err != nil {
					return err
				}
			}
			continue // sent with the columns
		}
		for p, err := range whole.Chunks(ctx, s.from, s.dim.Name, v.Volume.Name, 0) {
			if err != nil {
				return err
			}
			if cell, same := p.Chunk.Uniform(); same && cell == v.Default {
				continue
			}
			if err := cmp.Or(s.to.Chunk(v.Volume.Name, p.Pos, p.Chunk), ctx.Err()); err != nil {
				return err
			}
		}
	}
	if !columns {
		return ctx.Err()
	}
	return s.columns(ctx, first, next)
}

// far sends the chunks of blocks where no section can be.
func (s *sender) far(ctx context.Context, v voxel.Volume) error {
	var want []geom.ChunkPos
	for pos, holds := range s.from.Entries(s.dim.Name, v.Name, 0) {
		if holds && isFar(v, pos) {
			want = append(want, pos)
		}
	}
	return s.from.ReadChunks(ctx, s.dim.Name, v.Name, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c == nil {
			return ctx.Err()
		}
		return cmp.Or(s.to.Chunk(v.Name, pos, c), ctx.Err())
	})
}

// columns sends the columns square by square.
func (s *sender) columns(ctx context.Context, c *voxel.Column, next func() (*voxel.Column, error, bool)) error {
	s.block, s.biome, s.sky, s.light = s.volume(voxel.Block), s.volume(voxel.Biome), s.volume(voxel.Sky), s.volume(voxel.Light)
	if s.block != nil {
		for pos, holds := range s.from.Entries(s.dim.Name, voxel.Block, 0) {
			if holds && !isFar(s.block.Volume, pos) {
				s.places = append(s.places, pos)
			}
		}
		slices.SortFunc(s.places, func(a, b geom.ChunkPos) int { return cmp.Or(corner(a).Compare(corner(b)), cmp.Compare(a.Y, b.Y)) })
	}
	for c != nil || len(s.places) > 0 {
		at := squareOf(c, s.places)
		var have []voxel.Column
		for c != nil && inSquare(c.Pos, at) {
			have = append(have, *c)
			var err error
			if c, err, _ = next(); err != nil {
				return err
			}
		}
		n := 0
		for n < len(s.places) && inSquare(corner(s.places[n]), at) {
			n++
		}
		if err := s.square(ctx, have, s.places[:n]); err != nil {
			return err
		}
		s.places = s.places[n:]
	}
	return nil
}

// squareShift is the edge of a square in columns as a power of two. A chunk of biomes is as wide.
const squareShift = 3

// corner returns the least column over a chunk.
func corner(pos geom.ChunkPos) geom.ColumnPos { return geom.ColumnPos{X: pos.X * 2, Z: pos.Z * 2} }

// squareOf returns a column of the next square.
func squareOf(c *voxel.Column, places []geom.ChunkPos) geom.ColumnPos {
	if c == nil || len(places) > 0 && corner(places[0]).Compare(c.Pos) < 0 {
		return corner(places[0])
	}
	return c.Pos
}

func inSquare(pos, at geom.ColumnPos) bool {
	return pos.X>>squareShift == at.X>>squareShift && pos.Z>>squareShift == at.Z>>squareShift
}

// square sends the columns of a square. places are its chunks of blocks.
func (s *sender) square(ctx context.Context, have []voxel.Column, places []geom.ChunkPos) error {
	if err := s.read(ctx, s.block, slices.Clone(places)); err != nil {
		return err
	}
	s.footprints = s.block.footprints()
	columns, err := s.columnsToSend(ctx, have)
	if err != nil || len(columns) == 0 {
		return err
	}
	for _, v := range []struct {
		*LoadedVolume
		has  voxel.Has
		edge int32 // of a section
	}{{s.biome, voxel.HasBiome, 4}, {s.sky, voxel.HasSky, 16}, {s.light, voxel.HasLight, 16}} {
		if err := s.read(ctx, v.LoadedVolume, chunksOf(columns, v.has, v.edge)); err != nil {
			return err
		}
	}
	for i := range columns {
		c, err := s.column(&columns[i])
		if err != nil {
			return fmt.Errorf("convert: column %v of %s: %w", columns[i].Pos, s.dim.Name, err)
		}
		if err := cmp.Or(s.to.Column(c), ctx.Err()); err != nil {
			return err
		}
	}
	return nil
}

// chunksOf returns the chunks of a volume that columns lie over.
func chunksOf(columns []voxel.Column, has voxel.Has, edge int32) (want []geom.ChunkPos) {
	there := map[geom.ChunkPos]bool{}
	for i := range columns {
		c := &columns[i]
		add := func(y int32) {
			there[geom.ChunkPos{X: c.Pos.X * edge >> geom.ChunkShift, Y: y * edge >> geom.ChunkShift, Z: c.Pos.Z * edge >> geom.ChunkShift}] = true
		}
		for _, sec := range c.Sections {
			if sec.Has&has != 0 {
				add(int32(sec.Y))
			}
		}
		for y := int32(0); c.Whole&has != 0 && y < 16; y++ {
			add(y)
		}
	}
	return slices.Collect(maps.Keys(there))
}

// volume returns a volume of the dimension without chunks, or nil.
func (s *sender) volume(name string) *LoadedVolume {
	for _, v := range s.dim.Volumes {
		if v.Volume.Name == name {
			return &LoadedVolume{Volume: v.Volume, Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
		}
	}
	return nil
}

// read makes the chunks of v those of want that are there. It sorts want.
func (s *sender) read(ctx context.Context, v *LoadedVolume, want []geom.ChunkPos) error {
	if v == nil {
		return nil
	}
	clear(v.Chunks)
	slices.SortFunc(want, func(a, b geom.ChunkPos) int { return geom.CodeOf(a, 0).Compare(geom.CodeOf(b, 0)) })
	return s.from.ReadChunks(ctx, s.dim.Name, v.Volume.Name, 0, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			v.Chunks[pos] = c
		}
		return ctx.Err()
	})
}

func (s *sender) column(c *voxel.Column) (*format.Column, error) {
	s.out = format.Column{Column: *c, Cells: s.out.Cells[:0]}
	s.cells, s.bytes = s.cells[:0], s.bytes[:0]
	s.out.Sections = s.sections(c)
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
func (s *sender) section(v *LoadedVolume, pos geom.ColumnPos, y, edge int) []voxel.Cell {
	min := geom.Point{X: int(pos.X) * edge, Y: y, Z: int(pos.Z) * edge}
	if cell, ok := v.uniform(min.Chunk()); ok {
		s.cells = append(s.cells, cell)
		return s.cells[len(s.cells)-1:]
	}
	return s.box(v, geom.Box{Max: geom.Point{X: edge, Y: edge, Z: edge}}.Add(min))
}

// uniform returns the cell of a missing or uniform chunk.
func (v *LoadedVolume) uniform(pos geom.ChunkPos) (voxel.Cell, bool) {
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
func (s *sender) box(v *LoadedVolume, b geom.Box) []voxel.Cell {
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
func (v *LoadedVolume) read(b geom.Box, dst []voxel.Cell) {
	pos := b.Min.Chunk()
	if cell, ok := v.uniform(pos); ok {
		for i := range dst {
			dst[i] = cell
		}
		return
	}
	v.Chunks[pos].ReadBox(b.Add(geom.Point{}.Sub(pos.Min())), dst)
}

func (s *sender) nibbles(v *LoadedVolume, pos geom.ColumnPos, y int) []byte {
	from := len(s.bytes)
	s.bytes = append(s.bytes, make([]byte, 2048)...)
	out := s.bytes[from:]
	if cell, ok := v.uniform(pos.Min(y).Chunk()); ok && cell <= 15 {
		for i := range out {
			out[i] = byte(cell) * 0x11
		}
		return out
	}
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
func (v *LoadedVolume) footprints() map[footprint][]int32 {
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

// columnsToSend returns columns in ascending order, with one more, of the highest data version,
// for each place with blocks and without a column.
func (s *sender) columnsToSend(ctx context.Context, columns []voxel.Column) ([]voxel.Column, error) {
	have := map[geom.ColumnPos]bool{}
	for i := range columns {
		have[columns[i].Pos] = true
	}
	out := slices.Clip(columns)
	for at, ys := range s.footprints {
		for i := range int32(4) {
			pos := geom.ColumnPos{X: at.x<<1 + i&1, Z: at.z<<1 + i>>1}
			if !have[pos] && slices.ContainsFunc(ys, func(y int32) bool { return s.matter(pos, int(y)*2) || s.matter(pos, int(y)*2+1) }) {
				if err := s.findVersion(ctx); err != nil {
					return nil, err
				}
				out = append(out, voxel.Column{Pos: pos, Version: s.version})
			}
		}
	}
	if len(out) > len(columns) {
		slices.SortStableFunc(out, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	}
	return out, nil
}

// findVersion finds the highest data version. Few worlds need it, so only they pay for it.
func (s *sender) findVersion(ctx context.Context) error {
	if s.versioned {
		return nil
	}
	s.versioned = true
	for c, err := range s.from.ReadColumns(ctx, s.dim.Name) {
		if err != nil {
			return err
		}
		s.version = max(s.version, c.Version)
	}
	return nil
}

// sections returns the column's sections. It adds sections for blocks that no section covers: a
// column lists the sections of its source, and someone may have built elsewhere.
func (s *sender) sections(c *voxel.Column) []voxel.Section {
	out := c.Sections
	var listed [256]bool
	for _, sec := range out {
		listed[uint8(sec.Y)] = listed[uint8(sec.Y)] || sec.Has&voxel.HasBlock != 0
	}
	for _, chunk := range s.footprints[footprintOf(c.Pos)] {
		for y := 2 * int(chunk); y < 2*int(chunk)+2; y++ {
			if !listed[uint8(y)] && s.matter(c.Pos, y) {
				out = withBlocks(out, int8(y))
			}
		}
	}
	return out
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
