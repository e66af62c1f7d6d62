package world

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

const (
	// firstFar is the lowest level that full packs keep.
	firstFar = 3
	// nearWorld is how many chunks a volume may have without far levels.
	nearWorld = 64
)

// writeFar writes the levels of a volume from firstFar up; chunks are all it
// has, in cells as written, in ascending order of code.
func writeFar(w *stone.Writer, o grid.Options, chunks []stone.Placed) error {
	if len(chunks) <= nearWorld {
		return nil
	}
	g := grid.Build(o, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for _, c := range chunks {
			if !yield(c.Pos, c.Chunk) {
				return
			}
		}
	})
	var cells [voxel.ChunkCells]voxel.Cell
	var b voxel.Builder
	for level := firstFar; level < g.Levels(); level++ {
		for _, pos := range above(chunks, level) {
			if !g.ReadBox(pos.Box(), level, cells[:]) {
				panic("world: a chunk of a pack is not in memory")
			}
			if err := w.Chunk(level, pos, b.Pack(&cells)); err != nil {
				return err
			}
		}
	}
	return nil
}

// above returns the chunks of a level that hold chunks of level 0, which ascend;
// they ascend too.
func above(chunks []stone.Placed, level int) (out []geom.ChunkPos) {
	for _, c := range chunks {
		pos := geom.ChunkPos{X: c.Pos.X >> level, Y: c.Pos.Y >> level, Z: c.Pos.Z >> level}
		if len(out) == 0 || out[len(out)-1] != pos {
			out = append(out, pos)
		}
	}
	return out
}

// ReadFar writes the cells of b to dst as grid.View.ReadBox does, at a level of
// 3 or more, without loading what lies below: it reads the far levels of the
// stack's full pack and the chunks that changed since. Of a world without such
// a pack it loads the whole box while it reads. dst must hold b.Cells(); after an
// error some of it is written. It fails with geom.ErrOutOfRange beyond the range.
func (w *World) ReadFar(ctx context.Context, dimension, volume string, level int, b geom.Box, dst []voxel.Cell) error {
	if level < firstFar || level > grid.MaxLevel {
		return fmt.Errorf("world: %s: level %d: want %d to %d", w.name, level, firstFar, grid.MaxLevel)
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
	if all := (geom.Box{Min: shrunk(Everywhere.Min, level), Max: shrunk(Everywhere.Max, level)}); b.Intersect(all) != b {
		return fmt.Errorf("world: %s: level %d of %v: %w", w.name, level, b, geom.ErrOutOfRange)
	}
	f := farReader{m: m, v: v, name: name, pages: make(map[farPage]*voxel.Chunk)}
	if !f.packed(level) {
		return w.readWhole(ctx, name, v.Scale, level, b, dst)
	}
	if err := f.change(near, b, level); err != nil {
		return err
	}
	return f.read(ctx, level, b, dst)
}

// read writes the cells of b to dst.
func (f *farReader) read(ctx context.Context, level int, b geom.Box, dst []voxel.Cell) error {
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for z := b.Min.Z; z < b.Max.Z; z++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				c, err := f.cell(level, geom.Point{X: x, Y: y, Z: z})
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

func shrunk(p geom.Point, level int) geom.Point {
	return geom.Point{X: p.X >> level, Y: p.Y >> level, Z: p.Z >> level}
}

// readWhole reads a box of a level from what lies below it.
func (w *World) readWhole(ctx context.Context, name volumeName, scale, level int, b geom.Box, dst []voxel.Cell) error {
	h, err := w.Load(ctx, name.dimension, scaled(b, scale<<level), name.volume)
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
	m       moment
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
	if len(f.m.pile) == 0 || f.m.pile[0].After != (history.ID{}) {
		return false
	}
	for _, d := range f.m.pile[0].Dimensions() {
		for _, v := range d.Volumes {
			if d.Name == f.name.dimension && v.Volume.Name == f.name.volume {
				return slices.Contains(v.Levels, level)
			}
		}
	}
	return false
}

// change finds the chunks below b that changed since the pack: those that
// stones above it speak of and those that no commit holds.
func (f *farReader) change(near [2]map[geom.ChunkPos]bool, b geom.Box, level int) error {
	f.changed, f.touched = make(map[geom.ChunkPos]*voxel.Chunk), make(map[farPage]bool)
	below := scaled(b, 1<<level)
	var want []geom.ChunkPos
	for pos := range f.changes(near) {
		if pos.Box().Intersect(below).Empty() {
			continue
		}
		for l := firstFar; l <= level; l++ {
			f.touched[farPage{l, cube(pos, l)}] = true
		}
		c, ok := f.v.cells.Chunk(pos)
		if f.changed[pos] = c; !ok {
			want = append(want, pos)
		}
	}
	slices.SortFunc(want, byCode)
	return f.m.chunks(f.name, slices.Compact(want), func(pos geom.ChunkPos, c *voxel.Chunk) { f.changed[pos] = c })
}

func (f *farReader) changes(near [2]map[geom.ChunkPos]bool) iter.Seq[geom.ChunkPos] {
	return func(yield func(geom.ChunkPos) bool) {
		for _, chunks := range near {
			for pos := range maps.Keys(chunks) {
				if !yield(pos) {
					return
				}
			}
		}
		for _, l := range f.m.pile[1:] {
			for pos := range l.Spoken(f.name.dimension, f.name.volume, 0) {
				if !yield(pos) {
					return
				}
			}
		}
	}
}

// cube returns which cube of cells of a level, as many as a cell is wide there, a
// chunk lies in: at level 3 four cells an edge, at level 5 one, above it part of
// one.
func cube(pos geom.ChunkPos, level int) geom.ChunkPos {
	up := max(level-geom.ChunkShift, 0)
	return geom.ChunkPos{X: pos.X >> up, Y: pos.Y >> up, Z: pos.Z >> up}
}

// cell returns one cell of a level.
func (f *farReader) cell(level int, p geom.Point) (voxel.Cell, error) {
	over := max(geom.ChunkShift-level, 0)
	at := geom.ChunkPos{X: int32(p.X >> over), Y: int32(p.Y >> over), Z: int32(p.Z >> over)}
	if !f.touched[farPage{level, at}] {
		return f.stored(level, p)
	}
	if level == firstFar {
		c := filled(f.changed[at], f.v.Default)
		return c.Mip(f.v.cells.Rule(), firstFar).Cell(p.X&3, p.Y&3, p.Z&3), nil
	}
	var eight [8]voxel.Cell
	for i := range eight {
		c, err := f.cell(level-1, geom.Point{X: p.X*2 + i&1, Y: p.Y*2 + i>>2, Z: p.Z*2 + i>>1&1})
		if err != nil {
			return 0, err
		}
		eight[i] = c
	}
	return voxel.Downsample(f.v.cells.Rule(), eight), nil
}

// stored returns a cell as the pack has it.
func (f *farReader) stored(level int, p geom.Point) (voxel.Cell, error) {
	page := farPage{level, p.Chunk()}
	c, ok := f.pages[page]
	if !ok {
		var err error
		c, _, err = f.m.pile[0].Chunk(f.name.dimension, f.name.volume, level, page.pos)
		if err != nil {
			return 0, fmt.Errorf("world: stone %v: %w", f.m.pile[0].Stone.ID, err)
		}
		if table := f.m.pile[0].tables[f.name]; c != nil && table != nil {
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
