package world

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// Worker reads a volume of a world that need not fit in memory, for one goroutine. What
// is in memory it reads there; the rest comes through the page cache, which
// Options.Memory bounds, and goes when the cache needs the room. Each call reads the world
// as it is at that moment. It fails while the world has no such volume, as after a
// Restore to before the volume was made.
type Worker struct {
	w      *World
	name   volumeName
	dim, v int // where the volume was last
	recent [recentEdge * recentEdge]recentChunk
	asked  [1]geom.ChunkPos
}

// recentEdge is the edge of the square of towers that a Worker remembers a chunk of.
const recentEdge = 4

// recentChunk is a chunk that a Worker read from the stack.
type recentChunk struct {
	pos     geom.ChunkPos
	version uint64 // of the stack, see World.version; 0: none
	chunk   *voxel.Chunk
}

// Worker returns a Worker of a volume. Make one for each goroutine.
func (w *World) Worker(dimension, volume string) (*Worker, error) {
	if err := w.live(); err != nil {
		return nil, err
	}
	r := &Worker{w: w, name: volumeName{dimension, volume}}
	if r.in(w.now.Load()) == nil {
		return nil, r.missing()
	}
	return r, nil
}

// in returns the volume as a state has it, nil if it has none.
func (r *Worker) in(s *state) *volume {
	if r.dim >= len(s.dimensions) || s.dimensions[r.dim].name != r.name.dimension {
		i := s.dimension(r.name.dimension)
		if i < 0 {
			return nil
		}
		r.dim = i
	}
	d := s.dimensions[r.dim]
	if r.v >= len(d.volumes) || d.volumes[r.v].Name != r.name.volume {
		i := d.volume(r.name.volume)
		if i < 0 {
			return nil
		}
		r.v = i
	}
	return d.volumes[r.v]
}

func (r *Worker) missing() error {
	return fmt.Errorf("world: %s: no volume %q in %q", r.w.name, r.name.volume, r.name.dimension)
}

// Chunk returns the chunk at pos, nil if all its cells are the default. It reads the chunk
// if it is not in memory, and returns ctx.Err() when ctx ends before. It must not be
// changed.
func (r *Worker) Chunk(ctx context.Context, pos geom.ChunkPos) (*voxel.Chunk, error) {
	if err := pos.Check(); err != nil {
		return nil, fmt.Errorf("world: %s: %w", r.w.name, err)
	}
	_, c, ok := r.known(pos)
	if ok {
		return c, nil
	}
	err := r.w.again(ctx, func() (err error) { c, err = r.read(ctx, pos); return err })
	return c, err
}

// Cell returns the cell at p, which counts cells of the volume. It waits as Chunk does.
func (r *Worker) Cell(ctx context.Context, p geom.Point) (voxel.Cell, error) {
	if err := p.Check(); err != nil {
		return 0, fmt.Errorf("world: %s: %w", r.w.name, err)
	}
	c, err := r.Chunk(ctx, p.Chunk())
	if err != nil {
		return voxel.Empty, err
	}
	return r.cell(c, p), nil
}

// ChunkHere is Chunk for who cannot wait. It reports false if the chunk is not in memory,
// and starts to fetch it: ask again later.
func (r *Worker) ChunkHere(pos geom.ChunkPos) (c *voxel.Chunk, ok bool) {
	if pos.Check() != nil {
		return nil, false
	}
	v, c, ok := r.known(pos)
	if ok || v == nil {
		return c, ok
	}
	c, err := r.read(ended, pos) // finds what the page cache has
	if err != nil {
		r.w.fetch(r.name, pos)
	}
	return c, err == nil
}

// CellHere is Cell for who cannot wait, see ChunkHere.
func (r *Worker) CellHere(p geom.Point) (voxel.Cell, bool) {
	if p.Check() != nil {
		return 0, false
	}
	c, ok := r.ChunkHere(p.Chunk())
	if !ok {
		return voxel.Empty, false
	}
	return r.cell(c, p), true
}

// ReadBox writes the cells of b to dst, x fastest, then z, then y; dst must hold
// b.Cells(). It waits as Chunk does; after an error some of dst is written. Updates that
// are made meanwhile may be in some chunks and not in others.
func (r *Worker) ReadBox(ctx context.Context, b geom.Box, dst []voxel.Cell) error {
	if b.Empty() {
		return nil
	}
	if b.Intersect(Everywhere) != b {
		return fmt.Errorf("world: %s: box %v: %w", r.w.name, b, geom.ErrOutOfRange)
	}
	var placed []grid.Placed
	for _, pos := range chunksOver(b) {
		c, err := r.Chunk(ctx, pos)
		if err != nil {
			return err
		}
		placed = append(placed, grid.Placed{Pos: pos, Chunk: c})
	}
	v := r.in(r.w.now.Load())
	if v == nil {
		return r.missing()
	}
	if !grid.New(v.options(nil)).With(placed).ReadBox(b, 0, dst) {
		panic("world: a chunk of a box that was read is missing")
	}
	return nil
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

// ended is a context that has ended: with it a read finds what is in memory.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// cell returns a cell of a chunk that was read; the empty cell if the volume went
// meanwhile.
func (r *Worker) cell(c *voxel.Chunk, p geom.Point) voxel.Cell {
	if c == nil {
		if v := r.in(r.w.now.Load()); v != nil {
			return v.Default
		}
		return voxel.Empty
	}
	min := p.Chunk().Box().Min
	return c.Cell(p.X-min.X, p.Y-min.Y, p.Z-min.Z)
}

func (r *Worker) slot(pos geom.ChunkPos) *recentChunk {
	return &r.recent[int(pos.Z&(recentEdge-1))*recentEdge+int(pos.X&(recentEdge-1))]
}

// known returns the volume, nil if there is none, and the chunk at pos if the state or the
// Worker has it.
func (r *Worker) known(pos geom.ChunkPos) (v *volume, c *voxel.Chunk, ok bool) {
	if v = r.in(r.w.now.Load()); v == nil {
		return nil, nil, false
	}
	if c, ok := v.cells.Chunk(pos); ok {
		return v, c, true
	}
	s := r.slot(pos) // of the stack that the state was loaded before: it drops a chunk after the stack has it
	return v, s.chunk, s.pos == pos && s.version == r.w.version.Load()
}

// read returns the chunk at pos from the stack, or from the state if it came meanwhile.
func (r *Worker) read(ctx context.Context, pos geom.ChunkPos) (*voxel.Chunk, error) {
	version := r.w.version.Load()
	m, err := r.w.moment()
	if err != nil {
		return nil, err
	}
	defer m.release()
	v := r.in(m.now)
	if v == nil {
		return nil, r.missing()
	}
	c, ok := v.cells.Chunk(pos)
	if ok {
		return c, nil
	}
	r.asked[0] = pos
	err = m.chunks(ctx, r.name, r.asked[:], func(_ geom.ChunkPos, got *voxel.Chunk) error { c = got; return nil })
	if err != nil {
		return nil, err
	}
	*r.slot(pos) = recentChunk{pos, version, c}
	return c, nil
}

// maxFetches bounds the chunks that are fetched at a time for those who cannot wait.
const maxFetches = 64

// fetchKey names a chunk that is being fetched.
type fetchKey struct {
	volumeName
	pos geom.ChunkPos
}

// fetch reads a chunk into the page cache on a goroutine of its own, unless that is under
// way, or too many are.
func (w *World) fetch(name volumeName, pos geom.ChunkPos) {
	key := fetchKey{name, pos}
	w.mu.Lock()
	skip := w.closed || w.fetching[key] || len(w.fetching) >= maxFetches
	if !skip {
		w.fetching[key] = true
	}
	w.mu.Unlock()
	if skip {
		return
	}
	w.o.Go(func() {
		err := w.fetchOne(name, pos)
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.fetching, key)
		w.upkeep.Fetches.note(err)
	})
}

// fetchOne reads a chunk as a Worker of its own.
func (w *World) fetchOne(name volumeName, pos geom.ChunkPos) error {
	r, err := w.Worker(name.dimension, name.volume)
	if err == nil {
		_, err = r.Chunk(context.Background(), pos)
	}
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}
