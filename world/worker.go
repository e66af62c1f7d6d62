package world

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// Worker reads a volume of a world that need not fit in memory, for one goroutine. What
// is in memory it reads there; the rest comes through the page cache, which
// Options.Memory bounds, and goes when the cache needs the room. Each call reads the world
// as it is at that moment.
type Worker struct {
	w      *World
	name   volumeName
	dim, v int // indexes in every state
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
	s := w.now.Load()
	i := s.dimension(dimension)
	if i < 0 || s.dimensions[i].volume(volume) < 0 {
		return nil, fmt.Errorf("world: %s: no volume %q in %q", w.name, volume, dimension)
	}
	return &Worker{w: w, name: volumeName{dimension, volume}, dim: i, v: s.dimensions[i].volume(volume)}, nil
}

// Chunk returns the chunk at pos, nil if all its cells are the default. It reads the chunk
// if it is not in memory, and returns ctx.Err() when ctx ends before. It must not be
// changed.
func (r *Worker) Chunk(ctx context.Context, pos geom.ChunkPos) (*voxel.Chunk, error) {
	if err := pos.Check(); err != nil {
		return nil, fmt.Errorf("world: %s: %w", r.w.name, err)
	}
	if c, ok := r.known(pos); ok {
		return c, nil
	}
	var c *voxel.Chunk
	err := r.w.again(ctx, func() (err error) { c, err = r.read(ctx, pos); return err })
	return c, err
}

// Cell returns the cell at p, which counts cells of the volume. It waits as Chunk does.
func (r *Worker) Cell(ctx context.Context, p geom.Point) (voxel.Cell, error) {
	if err := p.Check(); err != nil {
		return 0, fmt.Errorf("world: %s: %w", r.w.name, err)
	}
	c, err := r.Chunk(ctx, p.Chunk())
	return r.cell(c, p), err
}

// ChunkHere is Chunk for who cannot wait. It reports false if the chunk is not in memory,
// and starts to fetch it: ask again later.
func (r *Worker) ChunkHere(pos geom.ChunkPos) (c *voxel.Chunk, ok bool) {
	if pos.Check() != nil {
		return nil, false
	}
	if c, ok := r.known(pos); ok {
		return c, true
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
	return r.cell(c, p), ok
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
	if !grid.New(r.volume().options(nil)).With(placed).ReadBox(b, 0, dst) {
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

func (r *Worker) volume() *volume { return r.w.now.Load().dimensions[r.dim].volumes[r.v] }

func (r *Worker) cell(c *voxel.Chunk, p geom.Point) voxel.Cell {
	if c == nil {
		return r.volume().Default
	}
	min := p.Chunk().Box().Min
	return c.Cell(p.X-min.X, p.Y-min.Y, p.Z-min.Z)
}

func (r *Worker) slot(pos geom.ChunkPos) *recentChunk {
	return &r.recent[int(pos.Z&(recentEdge-1))*recentEdge+int(pos.X&(recentEdge-1))]
}

// known returns the chunk at pos if the state or the Worker has it.
func (r *Worker) known(pos geom.ChunkPos) (*voxel.Chunk, bool) {
	if c, ok := r.volume().cells.Chunk(pos); ok {
		return c, true
	}
	s := r.slot(pos) // of the stack that the state was loaded before: it drops a chunk after the stack has it
	return s.chunk, s.pos == pos && s.version == r.w.version.Load()
}

// read returns the chunk at pos from the stack, or from the state if it came meanwhile.
func (r *Worker) read(ctx context.Context, pos geom.ChunkPos) (*voxel.Chunk, error) {
	version := r.w.version.Load()
	m, err := r.w.moment()
	if err != nil {
		return nil, err
	}
	defer m.release()
	c, ok := m.now.dimensions[r.dim].volumes[r.v].cells.Chunk(pos)
	if ok {
		return c, nil
	}
	r.asked[0] = pos
	err = m.chunks(ctx, r.name, r.asked[:], func(_ geom.ChunkPos, got *voxel.Chunk) { c = got })
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
	defer w.mu.Unlock()
	if w.closed || w.fetching[key] || len(w.fetching) >= maxFetches {
		return
	}
	w.fetching[key] = true
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
