package convert

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/stone/whole"
	"github.com/cairnvoxel/cairn/voxel"
)

// Spill says where a Loader puts what it cannot hold in memory: into temporary stones, its
// spills. A spill holds the chunks and columns that are in memory when the budget is used up. If
// a chunk gets more cells later, a later spill has it again.
type Spill struct {
	Memory int64 // bytes of a world to hold, besides names; at least 1
	// File makes an empty file. The Loader closes it.
	File func() (whole.TempFile, error)
	// Stone has the AtOnce and Run of Writers of spills.
	Stone stone.Options
}

// leastSpillCache is the least memory for pages of spills. A world is read in the order of its
// chunks, so a few pages at a time are enough.
const leastSpillCache = 8 << 20

// spills are the spills of a Loader.
type spills struct {
	Spill
	ctx     context.Context
	cache   stone.Cache
	files   []whole.TempFile
	stones  []*stone.Reader // bottom first
	volumes map[*Volume]*spiltVolume
	tallies map[*Dimension]*stone.Tally
	err     error // of reading a spill
}

// spiltVolume counts what spills hold of a volume.
type spiltVolume struct {
	counts  []int // by cell; above 0 for a cell in use
	runs    int   // chunks that are not uniform
	last    geom.Code
	inexact bool // a chunk came again, so the counts are of no use
}

// Spill makes the Loader write spills. Call it before anything is loaded, instead of Bound. The
// world then comes from Content, and the caller calls Close when it no longer needs it.
func (l *Loader) Spill(ctx context.Context, s Spill) {
	l.bound = newBudget(s.Memory)
	l.spills = &spills{Spill: s, ctx: ctx, cache: stone.NewCache(max(s.Memory/4, leastSpillCache)), volumes: map[*Volume]*spiltVolume{}, tallies: map[*Dimension]*stone.Tally{}}
}

// Close deletes the spills. The world must not be used after that.
func (l *Loader) Close() (err error) {
	if l.spills == nil {
		return nil
	}
	for _, f := range l.spills.files {
		err = errors.Join(err, f.Close())
	}
	l.spills.files = nil
	return err
}

// Content returns the loaded world. The Loader must not be used after that, except to close it.
func (l *Loader) Content() (stone.Content, error) {
	w := l.World()
	if l.spills == nil || len(l.spills.stones) == 0 {
		return w.Content(), nil
	}
	if err := cmp.Or(l.spills.err, l.spill()); err != nil {
		return nil, err
	}
	return newSpilled(w, l.spills), nil
}

// room makes room if the budget is used up.
func (l *Loader) room() error {
	if l.spills == nil {
		return l.bound.check()
	}
	if l.spills.err != nil || l.bound.check() == nil {
		return l.spills.err
	}
	if err := l.spill(); err != nil {
		return err
	}
	l.bound.left = l.spills.Memory
	return nil
}

// spill writes the chunks and columns that are in memory to a new spill.
func (l *Loader) spill() error {
	file, err := l.spills.File()
	if err != nil {
		return fmt.Errorf("convert: spill: %w", err)
	}
	l.spills.files = append(l.spills.files, file)
	out := bufio.NewWriterSize(file, 1<<20)
	id, n, err := l.writeSpill(out)
	if err == nil {
		err = out.Flush()
	}
	var r *stone.Reader
	if err == nil {
		r, err = stone.Open(file, n)
	}
	if err != nil {
		return fmt.Errorf("convert: spill: %w", err)
	}
	l.spills.stones = append(l.spills.stones, r.Through(l.spills.cache, id))
	return nil
}

// writeSpill writes a spill and forgets what it holds.
func (l *Loader) writeSpill(out io.Writer) (stone.ID, int64, error) {
	o := l.spills.Stone
	o.Effort, o.Only = stone.Quick, 1
	w := stone.NewWriter(out, o)
	for _, d := range l.w.Dimensions {
		if err := l.spillDimension(w, d); err != nil {
			return stone.ID{}, 0, err
		}
	}
	return w.Close()
}

func (l *Loader) spillDimension(w *stone.Writer, d *Dimension) error {
	tally := l.spills.tallies[d]
	if tally == nil {
		tally = stone.NewTally()
		l.spills.tallies[d] = tally
	}
	if err := w.Dimension(d.Name, ""); err != nil {
		return err
	}
	for _, v := range d.Volumes {
		if err := l.spillVolume(w, v, tally); err != nil {
			return err
		}
	}
	slices.SortFunc(d.Columns, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
	for i := range d.Columns {
		tally.Column(&d.Columns[i], 1)
		if err := cmp.Or(w.Column(&d.Columns[i]), l.spills.ctx.Err()); err != nil {
			return err
		}
	}
	d.Columns = nil
	return nil
}

func (l *Loader) spillVolume(w *stone.Writer, v *Volume, tally *stone.Tally) error {
	as, names, s := v.Volume, []string(nil), l.spills.of(v)
	if v.Schema == voxel.Palette {
		n := 0
		if have := l.namesOf[v]; have != nil {
			n = have.Len()
		}
		names = cellNames(n)
		s.counts = append(s.counts, make([]int, max(0, len(names)-len(s.counts)))...)
	}
	if err := w.Volume(as, names); err != nil {
		return err
	}
	for _, pos := range v.Positions() {
		c := v.Chunks[pos]
		if n := s.add(v, c); n > 0 {
			tally.Cells[v.Volume.Name] += n
		}
		if cell, uniform := c.Uniform(); uniform && cell == v.Default {
			c = nil // it replaces one with cells
		}
		if err := cmp.Or(w.Chunk(0, pos, c), l.spills.ctx.Err()); err != nil {
			return err
		}
	}
	clear(v.Chunks)
	return nil
}

// cellNames returns n names in ascending order. Spills have the cells of the Loader, whose names
// are in no order.
func cellNames(n int) []string {
	names := make([]string, max(1, n))
	for i := range names {
		names[i] = fmt.Sprintf("%05d", i)
	}
	return names
}

// of returns the counts of a volume.
func (s *spills) of(v *Volume) *spiltVolume {
	if s.volumes[v] == nil {
		s.volumes[v] = new(spiltVolume)
	}
	return s.volumes[v]
}

// add counts a chunk that goes to a spill. It returns the number of its cells that are not empty.
func (s *spiltVolume) add(v *Volume, c *voxel.Chunk) int {
	if _, uniform := c.Uniform(); !uniform {
		s.runs++
	}
	if v.Schema != voxel.Palette {
		return c.CountNonEmpty()
	}
	empty := s.counts[voxel.Empty]
	c.AddCounts(s.counts)
	return voxel.ChunkCells - (s.counts[voxel.Empty] - empty)
}

// takeBack returns the chunk that the spills have at a position, to which cells will be added,
// or nil.
func (l *Loader) takeBack(d *Dimension, v *Volume, pos geom.ChunkPos) *voxel.Chunk {
	s := l.spills
	if s == nil || s.err != nil {
		return nil
	}
	for _, r := range slices.Backward(s.stones) {
		c, covered, err := r.Chunk(s.ctx, d.Name, v.Volume.Name, 0, pos)
		if err != nil {
			s.err = fmt.Errorf("convert: spill: %w", err)
		}
		if c != nil {
			if _, uniform := c.Uniform(); !uniform {
				s.of(v).runs-- // its cells stay in use in the chunk that replaces it
			}
			s.tallies[d].Chunk(v.Volume.Name, c, -1)
		}
		if covered {
			return c
		}
	}
	return nil
}

// comes notes a chunk of a source without columns. It reports whether a spill may have one at
// that position.
func (s *spills) comes(v *Volume, pos geom.ChunkPos) (again bool) {
	if s == nil {
		return false
	}
	n, code := s.of(v), geom.CodeOf(pos, 0)
	if again = code <= n.last; again && len(s.stones) > 0 {
		n.inexact = true
	}
	n.last = max(n.last, code)
	return n.inexact
}

// spilled is a world that lies in spills.
type spilled struct {
	content // without chunks and columns
	*spills
	chunks  map[*Volume][]spiltCube
	columns map[*Dimension][]spiltColumn
}

// spiltCube says which chunks of a cube of 4x4x4 come from a spill. Several spills may have
// chunks of a cube.
type spiltCube struct {
	code        geom.Code // of the first chunk, without the last six bits
	mask, holds uint64    // by the last six bits
	stone       int
}

type spiltColumn struct {
	pos   geom.ColumnPos
	stone int32
}

func newSpilled(w *World, s *spills) *spilled {
	c := &spilled{content: content{w}, spills: s, chunks: map[*Volume][]spiltCube{}, columns: map[*Dimension][]spiltColumn{}}
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			c.chunks[v] = s.cubes(d.Name, v.Volume.Name)
		}
		for i, r := range s.stones {
			for pos := range r.ColumnEntries(d.Name) {
				c.columns[d] = append(c.columns[d], spiltColumn{pos, int32(i)})
			}
		}
		slices.SortFunc(c.columns[d], func(a, b spiltColumn) int { return a.pos.Compare(b.pos) })
	}
	return c
}

// cubes returns where the chunks of a volume are, in ascending order of code. Each chunk is in
// one of them: in that of the highest spill that has it.
func (s *spills) cubes(dim, vol string) (all []spiltCube) {
	for i, r := range s.stones {
		from := len(all)
		for pos, holds := range r.Entries(dim, vol, 0) {
			code := geom.CodeOf(pos, 0)
			if len(all) == from || all[len(all)-1].code != code>>6 {
				all = append(all, spiltCube{code: code >> 6, stone: i})
			}
			c := &all[len(all)-1]
			c.mask |= 1 << (code & 63)
			if holds {
				c.holds |= 1 << (code & 63)
			}
		}
	}
	slices.SortFunc(all, func(a, b spiltCube) int { return cmp.Or(a.code.Compare(b.code), b.stone-a.stone) })
	higher := uint64(0)
	for i := range all {
		if i == 0 || all[i].code != all[i-1].code {
			higher = 0
		}
		all[i].mask, all[i].holds, higher = all[i].mask&^higher, all[i].holds&^higher, higher|all[i].mask
	}
	return slices.DeleteFunc(all, func(c spiltCube) bool { return c.mask == 0 })
}

// volume returns a volume, or nil.
func (c *spilled) volume(dim, vol string) *Volume { return c.dimension(dim).Volume(vol) }

// Entries implements stone.Content.
func (c *spilled) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		if level != 0 {
			return
		}
		for rest := c.chunks[c.volume(dim, vol)]; len(rest) > 0; {
			n, mask, holds := 0, uint64(0), uint64(0)
			for n < len(rest) && rest[n].code == rest[0].code {
				mask, holds = mask|rest[n].mask, holds|rest[n].holds
				n++
			}
			for bit := range geom.Code(64) {
				if mask>>bit&1 != 0 && !yield((rest[0].code<<6|bit).Pos(), holds>>bit&1 != 0) {
					return
				}
			}
			rest = rest[n:]
		}
	}
}

// ReadChunks implements stone.Content.
func (c *spilled) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if level != 0 {
		return nil
	}
	cubes := c.chunks[c.volume(dim, vol)]
	from := make([][]geom.ChunkPos, len(c.stones))
	for _, pos := range want {
		code := geom.CodeOf(pos, 0)
		i, _ := slices.BinarySearchFunc(cubes, code>>6, func(c spiltCube, k geom.Code) int { return c.code.Compare(k) })
		for ; i < len(cubes) && cubes[i].code == code>>6; i++ {
			if cubes[i].mask>>(code&63)&1 != 0 {
				from[cubes[i].stone] = append(from[cubes[i].stone], pos)
			}
		}
	}
	for i, some := range from {
		if len(some) == 0 {
			continue
		}
		if err := c.stones[i].ReadChunks(ctx, dim, vol, 0, some, f); err != nil {
			return err
		}
	}
	return nil
}

// Columns implements stone.Content.
func (c *spilled) Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for _, at := range c.columns[c.dimension(dim)] {
			column, err := c.stones[at.stone].Column(ctx, dim, at.pos)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				yield(nil, err)
				return
			}
			if !yield(column, nil) {
				return
			}
		}
	}
}

// ColumnCount returns the number of columns of a dimension.
func (c *spilled) ColumnCount(dim string) int { return len(c.columns[c.dimension(dim)]) }

// Counts implements whole.Counted.
func (c *spilled) Counts(dim, vol string) (counts []int, runs int, known bool) {
	n := c.volumes[c.volume(dim, vol)]
	if n == nil || n.inexact {
		return nil, 0, false
	}
	return slices.Clone(n.counts), n.runs, true
}

// Tally returns what a dimension holds, or nil if it was not counted.
func (c *spilled) Tally(dim string) *stone.Tally {
	d := c.dimension(dim)
	for _, v := range d.Volumes {
		if c.volumes[v].inexact {
			return nil
		}
	}
	return c.tallies[d]
}
