package convert

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone/whole"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/tile"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Spill says where a Loader puts what it cannot hold in memory: chunks into one temporary file, as
// they are in memory, and columns into temporary stones. A spill is the chunks and columns that
// are in memory when the budget is used up. If a chunk gets more cells later, a later spill has it
// again.
type Spill struct {
	Memory int64 // bytes of a world to hold, besides names; at least 1
	// File makes an empty file. The Loader closes it.
	File func() (whole.TempFile, error)
}

// leastSpillCache is the least memory for pages of spills. A world is read in the order of its
// chunks, so a few pages at a time are enough.
const leastSpillCache = 8 << 20

// spills are the spills of a Loader.
type spills struct {
	Spill
	ctx     context.Context
	cache   stone.PageCache
	files   []whole.TempFile
	stones  []*stone.Reader // of columns, bottom first
	chunks  *tile.Pieces    // a piece for each spiltCube; in the first of files
	volumes map[*LoadedVolume]*spiltVolume
	tallies map[*LoadedDimension]*stone.Tally
	err     error // of reading a spill
}

// spiltVolume counts what spills hold of a volume.
type spiltVolume struct {
	cubes   [][]spiltCube // by spill, in ascending order of code
	counts  []int         // by cell; above 0 for a cell in use
	runs    int           // chunks that are not uniform
	last    geom.Code
	inexact bool // a chunk came again, so the counts are of no use
}

// Spill makes the Loader write spills. Call it before anything is loaded, instead of Bound. The
// world then comes from Content, and the caller calls Close when it no longer needs it.
func (l *Loader) Spill(ctx context.Context, s Spill) {
	l.bound = newBudget(s.Memory)
	l.spills = &spills{Spill: s, ctx: ctx, cache: stone.NewCache(max(s.Memory/4, leastSpillCache)), volumes: map[*LoadedVolume]*spiltVolume{}, tallies: map[*LoadedDimension]*stone.Tally{}}
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
	return l.bound.spilt()
}

// spill writes the chunks and columns that are in memory to a new spill and forgets them.
func (l *Loader) spill() error {
	err := l.spillChunks()
	if err == nil {
		err = l.spillColumns()
	}
	if err != nil {
		return fmt.Errorf("convert: spill: %w", err)
	}
	return nil
}

// file makes a file that Close closes.
func (s *spills) file() (whole.TempFile, error) {
	f, err := s.File()
	if err == nil {
		s.files = append(s.files, f)
	}
	return f, err
}

func (l *Loader) spillChunks() error {
	if l.spills.chunks == nil {
		f, err := l.spills.file()
		if err != nil {
			return err
		}
		l.spills.chunks = tile.NewPieces(f)
	}
	for _, d := range l.w.Dimensions {
		for _, v := range d.Volumes {
			if err := l.spillVolume(v, l.spills.tally(d)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Loader) spillColumns() error {
	file, err := l.spills.file()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, 1<<20)
	w := stone.NewWriter(out, stone.Options{Effort: stone.Quick})
	for _, d := range l.w.Dimensions {
		w.Dimension(d.Name, "")
		slices.SortFunc(d.Columns, func(a, b voxel.Column) int { return a.Pos.Compare(b.Pos) })
		for i := range d.Columns {
			l.spills.tally(d).Column(&d.Columns[i], 1)
			if err := cmp.Or(w.Column(&d.Columns[i]), l.spills.ctx.Err()); err != nil {
				return err
			}
		}
		d.Columns = nil
	}
	id, n, err := w.Close()
	if err = cmp.Or(err, out.Flush()); err != nil {
		return err
	}
	r, err := stone.Open(file, n)
	if err != nil {
		return err
	}
	l.spills.stones = append(l.spills.stones, r.Through(l.spills.cache, id))
	return nil
}

// tally returns the counts of a dimension.
func (s *spills) tally(d *LoadedDimension) *stone.Tally {
	if s.tallies[d] == nil {
		s.tallies[d] = stone.NewTally()
	}
	return s.tallies[d]
}

func (l *Loader) spillVolume(v *LoadedVolume, tally *stone.Tally) error {
	s := l.spills.of(v)
	if have := l.namesOf[v]; v.Schema == voxel.Palette {
		n := 1
		if have != nil {
			n = max(n, have.Len())
		}
		s.counts = append(s.counts, make([]int, max(0, n-len(s.counts)))...)
	}
	var cubes []spiltCube
	var bytes []byte // of the last cube
	end := func() (err error) {
		if n := len(cubes); n > 0 {
			cubes[n-1].piece, err = l.spills.chunks.Add(bytes)
			cubes[n-1].held, bytes = cubes[n-1].holds, bytes[:0]
		}
		return cmp.Or(err, l.spills.ctx.Err())
	}
	for _, pos := range v.Positions() {
		code := geom.CodeOf(pos, 0)
		if n := len(cubes); n == 0 || cubes[n-1].code != code>>6 {
			if err := end(); err != nil {
				return err
			}
			cubes = append(cubes, spiltCube{code: code >> 6, spill: len(s.cubes)})
		}
		c, cube := v.Chunks[pos], &cubes[len(cubes)-1]
		if n := s.add(v, c); n > 0 {
			tally.Cells[v.Volume.Name] += n
		}
		cube.mask |= 1 << (code & 63)
		if !v.isDefault(c) { // else it replaces one with cells
			cube.holds |= 1 << (code & 63)
			bytes = c.AppendMemory(bytes)
		}
	}
	clear(v.Chunks)
	s.cubes = append(s.cubes, cubes)
	return end()
}

// of returns the counts of a volume.
func (s *spills) of(v *LoadedVolume) *spiltVolume {
	if s.volumes[v] == nil {
		s.volumes[v] = new(spiltVolume)
	}
	return s.volumes[v]
}

// add counts a chunk that goes to a spill. It returns the number of its cells that are not empty.
func (s *spiltVolume) add(v *LoadedVolume, c *voxel.Chunk) int {
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
func (l *Loader) takeBack(d *LoadedDimension, v *LoadedVolume, pos geom.ChunkPos) *voxel.Chunk {
	s := l.spills
	if s == nil || s.err != nil {
		return nil
	}
	code := geom.CodeOf(pos, 0)
	for _, cubes := range slices.Backward(s.of(v).cubes) {
		i, _ := slices.BinarySearchFunc(cubes, code>>6, func(c spiltCube, k geom.Code) int { return c.code.Compare(k) })
		if i == len(cubes) || cubes[i].code != code>>6 || cubes[i].mask>>(code&63)&1 == 0 {
			continue
		}
		var c *voxel.Chunk
		s.err = s.read(&cubes[i], []geom.ChunkPos{pos}, func(_ geom.ChunkPos, got *voxel.Chunk) error { c = got; return nil })
		if c != nil {
			if _, uniform := c.Uniform(); !uniform {
				s.of(v).runs-- // its cells stay in use in the chunk that replaces it
			}
			s.tallies[d].Chunk(v.Volume.Name, c, -1)
		}
		return c
	}
	return nil
}

// read calls f for each of the chunks of a cube that are at positions of want, which ascend by
// code.
func (s *spills) read(c *spiltCube, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	b, err := s.chunks.Read(c.piece)
	if err != nil {
		return fmt.Errorf("convert: spill: %w", err)
	}
	bit := geom.Code(0) // of the first chunk in b
	for _, pos := range want {
		at := geom.CodeOf(pos, 0)
		if at &= 63; c.mask>>at&1 == 0 {
			continue
		}
		var chunk *voxel.Chunk
		for ; bit <= at; bit++ {
			if chunk = nil; c.held>>bit&1 != 0 {
				chunk, b = voxel.FromMemory(b)
			}
		}
		if err := f(pos, chunk); err != nil {
			return err
		}
	}
	return nil
}

// comes notes a chunk of a source without columns. It reports whether a spill may have one at
// that position.
func (s *spills) comes(v *LoadedVolume, pos geom.ChunkPos) (again bool) {
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
	cubes   map[*LoadedVolume][]spiltCube
	columns map[*LoadedDimension][]spiltColumn
}

// spiltCube says which chunks of a cube of 4x4x4 come from a spill. Several spills may have
// chunks of a cube.
type spiltCube struct {
	code        geom.Code // of the first chunk, without the last six bits
	mask, holds uint64    // by the last six bits
	held        uint64    // those in the piece
	spill       int
	piece       int
}

type spiltColumn struct {
	pos   geom.ColumnPos
	stone int32
}

func newSpilled(w *Loaded, s *spills) *spilled {
	c := &spilled{content: content{w}, spills: s, cubes: map[*LoadedVolume][]spiltCube{}, columns: map[*LoadedDimension][]spiltColumn{}}
	for _, d := range w.Dimensions {
		for _, v := range d.Volumes {
			c.cubes[v] = s.of(v).all()
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

// all returns where the chunks of the volume are, in ascending order of code. Each chunk is in one
// of them: in that of the highest spill that has it.
func (s *spiltVolume) all() []spiltCube {
	all := slices.Concat(s.cubes...)
	slices.SortFunc(all, func(a, b spiltCube) int { return cmp.Or(a.code.Compare(b.code), b.spill-a.spill) })
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
func (c *spilled) volume(dim, vol string) *LoadedVolume { return c.dimension(dim).Volume(vol) }

func (c *spilled) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		if level != 0 {
			return
		}
		for rest := c.cubes[c.volume(dim, vol)]; len(rest) > 0; {
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

func (c *spilled) ReadChunks(ctx context.Context, dim, vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if level != 0 {
		return nil
	}
	cubes := c.cubes[c.volume(dim, vol)]
	for len(want) > 0 {
		code, n := geom.CodeOf(want[0], 0)>>6, 1
		for n < len(want) && geom.CodeOf(want[n], 0)>>6 == code {
			n++
		}
		i, _ := slices.BinarySearchFunc(cubes, code, func(c spiltCube, k geom.Code) int { return c.code.Compare(k) })
		for ; i < len(cubes) && cubes[i].code == code; i++ {
			if err := cmp.Or(c.read(&cubes[i], want[:n], f), ctx.Err()); err != nil {
				return err
			}
		}
		want = want[n:]
	}
	return nil
}

func (c *spilled) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		for _, at := range c.columns[c.dimension(dim)] {
			column, err := c.stones[at.stone].ReadColumn(ctx, dim, at.pos)
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
