package world

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// ReadFar writes the cells of b to dst as grid.View.ReadBox does, at a level of
// 3 or more, without loading what lies below: it reads the far levels of the
// stack's full pack and the chunks that changed since. Of a world without such
// a pack it loads the whole box while it reads. dst must hold b.Cells(); after an
// error some of it is written. It fails with geom.ErrOutOfRange beyond the range.
func (w *World) ReadFar(ctx context.Context, dimension, volume string, level int, b geom.Box, dst []voxel.Cell) error {
	if level < stone.FirstFar || level > geom.MaxLevel {
		return fmt.Errorf("world: %s: level %d: want %d to %d", w.name, level, stone.FirstFar, geom.MaxLevel)
	}
	name := volumeName{dimension, volume}
	w.mu.Lock()
	m, err := w.locked()
	near := [2]map[geom.ChunkPos]bool{w.dirty.of(name), w.saved.of(name)}
	w.mu.Unlock()
	if err != nil {
		return err
	}
	defer m.release()
	i := m.now.dimension(dimension)
	if i < 0 || m.now.dimensions[i].volume(volume) < 0 {
		return fmt.Errorf("world: %s: no volume %q in %q", w.name, volume, dimension)
	}
	d := m.now.dimensions[i]
	v := d.volumes[d.volume(volume)]
	if b.Empty() {
		return nil
	}
	if all := (geom.Box{Min: Everywhere.Min.Over(1 << level), Max: Everywhere.Max.Over(1 << level)}); b.Intersect(all) != b {
		return fmt.Errorf("world: %s: level %d of %v: %w", w.name, level, b, geom.ErrOutOfRange)
	}
	f := farReader{openStack: m.openStack, v: v, name: name, live: true, pages: make(map[farPage]*voxel.Chunk)}
	if !f.packed(level) {
		return w.readWhole(ctx, name, v.Scale, level, b, dst)
	}
	if err := f.change(ctx, near, b, level); err != nil {
		return err
	}
	return f.read(ctx, level, b, dst)
}

// ReadBox writes the cells of b to dst as grid.View.ReadBox does, at any level. From
// level 3 on it reads the far levels of the stack's full pack and the chunks that
// changed since, if there is such a pack; else it reads all chunks that b lies over.
// dst must hold b.Cells(); after an error some of it is written. It fails with
// geom.ErrOutOfRange beyond the range.
func (s *Snapshot) ReadBox(ctx context.Context, dim, vol string, level int, b geom.Box, dst []voxel.Cell) error {
	v, err := s.volume(dim, vol)
	if err == nil {
		err = s.live()
	}
	if err != nil || b.Empty() {
		return err
	}
	if level < 0 || level > geom.MaxLevel {
		return fmt.Errorf("world: %s: level %d: want 0 to %d", s.world, level, geom.MaxLevel)
	}
	if all := (geom.Box{Min: Everywhere.Min.Over(1 << level), Max: Everywhere.Max.Over(1 << level)}); b.Intersect(all) != b {
		return fmt.Errorf("world: %s: level %d of %v: %w", s.world, level, b, geom.ErrOutOfRange)
	}
	f := farReader{openStack: s.stack, v: v, name: volumeName{dim, vol}, pages: make(map[farPage]*voxel.Chunk)}
	if level >= stone.FirstFar && f.packed(level) {
		if err := f.change(ctx, [2]map[geom.ChunkPos]bool{}, b, level); err != nil {
			return err
		}
		return f.read(ctx, level, b, dst)
	}
	cells, err := s.near(ctx, v, f.name, b.Scale(1<<level))
	if err != nil {
		return err
	}
	if !cells.ReadBox(b, level, dst) {
		panic("world: a chunk of a box that was read is missing")
	}
	return nil
}

// farName is a far level of a volume.
type farName struct {
	volumeName
	level int
}

// readFar is ReadChunks of a far level: the chunks of the full pack, and those over a change
// since by ReadBox.
func (s *Snapshot) readFar(ctx context.Context, name farName, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if !s.HasLevel(name.dimension, name.volume, name.level) {
		return nil
	}
	touched := s.changedFar(name)
	pack := s.stack[0]
	table := pack.tables[name.volumeName]
	same := slices.DeleteFunc(slices.Clone(want), func(pos geom.ChunkPos) bool { return touched[pos] })
	err := pack.ReadChunks(ctx, name.dimension, name.volume, name.level, same, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil && table != nil {
			c = c.Translate(table)
		}
		return f(pos, c)
	})
	if err != nil {
		return fmt.Errorf("world: stone %v: %w", pack.Stone.ID, err)
	}
	for _, pos := range want {
		if !touched[pos] {
			continue
		}
		cells := new([voxel.ChunkCells]voxel.Cell)
		if err := s.ReadBox(ctx, name.dimension, name.volume, name.level, pos.Box(), cells[:]); err != nil {
			return err
		}
		if err := f(pos, voxel.FromFlat(cells)); err != nil {
			return err
		}
	}
	return nil
}

// changedFar returns the chunks of a far level over chunks that changed since the full pack.
func (s *Snapshot) changedFar(name farName) map[geom.ChunkPos]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if touched, known := s.touched[name]; known {
		return touched
	}
	touched := make(map[geom.ChunkPos]bool)
	for _, l := range s.stack[1:] {
		for pos := range l.Entries(name.dimension, name.volume, 0) {
			touched[geom.ChunkPos{X: pos.X >> name.level, Y: pos.Y >> name.level, Z: pos.Z >> name.level}] = true
		}
	}
	if s.touched == nil {
		s.touched = make(map[farName]map[geom.ChunkPos]bool)
	}
	s.touched[name] = touched
	return touched
}

// near returns the chunks of a volume that a box, in cells of the volume, lies over.
func (s *Snapshot) near(ctx context.Context, v *volume, name volumeName, b geom.Box) (*grid.View, error) {
	var want []geom.ChunkPos
	low, high := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	if few := int32(4); high.X-low.X < few && high.Y-low.Y < few && high.Z-low.Z < few {
		want = chunksOver(b)
	} else {
		for pos, holds := range s.Entries(name.dimension, name.volume, 0) {
			if holds && !pos.Box().Intersect(b).Empty() {
				want = append(want, pos)
			}
		}
	}
	var placed []grid.Placed
	err := s.stack.chunks(ctx, name, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		placed = append(placed, grid.Placed{Pos: pos, Chunk: c})
		return nil
	})
	return grid.New(v.options(s.empty)).With(placed), err
}

// chunksOver returns the positions of the chunks that a box lies over, in ascending order
// of code.
func chunksOver(b geom.Box) (out []geom.ChunkPos) {
	low, high := b.Min.Chunk(), b.Max.Sub(geom.Point{X: 1, Y: 1, Z: 1}).Chunk()
	for y := low.Y; y <= high.Y; y++ {
		for z := low.Z; z <= high.Z; z++ {
			for x := low.X; x <= high.X; x++ {
				out = append(out, geom.ChunkPos{X: x, Y: y, Z: z})
			}
		}
	}
	slices.SortFunc(out, byCode)
	return out
}

// read writes the cells of b to dst.
func (f *farReader) read(ctx context.Context, level int, b geom.Box, dst []voxel.Cell) error {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				c, err := f.cell(ctx, level, geom.Point{X: x, Y: y, Z: z})
				if err != nil {
					return err
				}
				dst[0], dst = c, dst[1:]
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// readWhole reads a box of a level from what lies below it.
func (w *World) readWhole(ctx context.Context, name volumeName, scale, level int, b geom.Box, dst []voxel.Cell) error {
	h, err := w.Load(ctx, name.dimension, b.Scale(scale<<level), name.volume)
	if err != nil {
		return err
	}
	defer h.Release()
	if d := w.View().Dimension(name.dimension); d != nil {
		if v := d.Volume(name.volume); v != nil && v.ReadBox(b, level, dst) {
			return nil
		}
	}
	return fmt.Errorf("world: %s: level %d of %v: %w", w.name, level, b, ErrNotLoaded) // the world went back meanwhile
}

// farReader reads far levels of a full pack with the chunks changed since.
type farReader struct {
	openStack
	live    bool // chunks that v has in memory are newer than the stack's
	v       *volume
	name    volumeName
	pages   map[farPage]*voxel.Chunk
	changed map[geom.ChunkPos]*voxel.Chunk // since the pack; nil: all default
	touched map[farPage]bool               // chunks of levels that hold a changed one
}

type farPage struct {
	level int
	pos   geom.ChunkPos
}

// packed reports whether the lowest stone has what is asked for.
func (f *farReader) packed(level int) bool {
	if len(f.openStack) == 0 || f.openStack[0].After != (history.ID{}) {
		return false
	}
	for _, d := range f.openStack[0].Dimensions() {
		for _, v := range d.Volumes {
			if d.Name == f.name.dimension && v.Volume.Name == f.name.volume {
				return slices.Contains(v.Levels, level)
			}
		}
	}
	return false
}

// change finds the chunks below b that changed since the pack: those that
// stones above it cover and those that no commit holds.
func (f *farReader) change(ctx context.Context, near [2]map[geom.ChunkPos]bool, b geom.Box, level int) error {
	f.changed, f.touched = make(map[geom.ChunkPos]*voxel.Chunk), make(map[farPage]bool)
	below := b.Scale(1 << level)
	var want []geom.ChunkPos
	look := func(pos geom.ChunkPos) {
		if pos.Box().Intersect(below).Empty() {
			return
		}
		for l := stone.FirstFar; l <= level; l++ {
			f.touched[farPage{l, cube(pos, l)}] = true
		}
		c, ok := (*voxel.Chunk)(nil), false
		if f.live {
			c, ok = f.v.cells.Chunk(pos)
		}
		if f.changed[pos] = c; !ok {
			want = append(want, pos)
		}
	}
	for _, chunks := range near {
		for pos := range chunks {
			look(pos)
		}
	}
	for _, l := range f.openStack[1:] {
		for pos := range l.Entries(f.name.dimension, f.name.volume, 0) {
			look(pos)
		}
	}
	slices.SortFunc(want, byCode)
	return f.chunks(ctx, f.name, slices.Compact(want), func(pos geom.ChunkPos, c *voxel.Chunk) error {
		f.changed[pos] = c
		return nil
	})
}

// cube returns which cube of cells of a level, as many as a cell is wide there, a
// chunk lies in: at level 3 four cells an edge, at level 5 one, above it part of
// one.
func cube(pos geom.ChunkPos, level int) geom.ChunkPos {
	up := max(level-geom.ChunkShift, 0)
	return geom.ChunkPos{X: pos.X >> up, Y: pos.Y >> up, Z: pos.Z >> up}
}

// cell returns one cell of a level.
func (f *farReader) cell(ctx context.Context, level int, p geom.Point) (voxel.Cell, error) {
	over := max(geom.ChunkShift-level, 0)
	at := geom.ChunkPos{X: int32(p.X >> over), Y: int32(p.Y >> over), Z: int32(p.Z >> over)}
	if !f.touched[farPage{level, at}] {
		return f.stored(ctx, level, p)
	}
	if level == stone.FirstFar {
		c := f.changed[at].Or(f.v.Default)
		return c.Mip(f.v.cells.Rule(), stone.FirstFar).Cell(p.X&3, p.Y&3, p.Z&3), nil
	}
	var eight [8]voxel.Cell
	for i := range eight {
		c, err := f.cell(ctx, level-1, geom.Point{X: p.X*2 + i&1, Y: p.Y*2 + i>>2, Z: p.Z*2 + i>>1&1})
		if err != nil {
			return 0, err
		}
		eight[i] = c
	}
	return voxel.Downsample(f.v.cells.Rule(), eight), nil
}

// stored returns a cell as the pack has it.
func (f *farReader) stored(ctx context.Context, level int, p geom.Point) (voxel.Cell, error) {
	page := farPage{level, p.Chunk()}
	c, ok := f.pages[page]
	if !ok {
		var err error
		c, _, err = f.openStack[0].ReadChunk(ctx, f.name.dimension, f.name.volume, level, page.pos)
		if err != nil {
			return 0, fmt.Errorf("world: stone %v: %w", f.openStack[0].Stone.ID, err)
		}
		if table := f.openStack[0].tables[f.name]; c != nil && table != nil {
			c = c.Translate(table)
		}
		f.pages[page] = c
	}
	if c == nil {
		d := f.v.Default
		return voxel.Downsample(f.v.cells.Rule(), [8]voxel.Cell{d, d, d, d, d, d, d, d}), nil
	}
	in := p.InChunk()
	return c.Cell(in.X, in.Y, in.Z), nil
}
