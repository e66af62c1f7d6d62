package level

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/bench/tiles"
	"github.com/cairnvoxel/cairn/internal/table"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// PagedRow is the time to read cells of a level as walkers see it.
type PagedRow struct {
	Name      string  `json:"name"`
	Budget    int64   `json:"budget,omitempty"` // of the cache; 0 if there is none
	PerCell   float64 `json:"ns_per_cell"`      // of processors
	OfGrid    float64 `json:"of_grid"`
	OfAll     float64 `json:"of_unbounded_cache"` // 0 for the grid
	Decoded   int64   `json:"pages_decoded"`
	PageBytes int64   `json:"page_bytes"` // decoded, in all
}

// PagedReport compares reading a level through a cache with having all of it in memory.
type PagedReport struct {
	Voxels     int64      `json:"voxels"`
	Chunks     int        `json:"chunks"`
	StoneBytes int64      `json:"stone_bytes"`
	Reads      int        `json:"reads"`
	Cells      int        `json:"cells_per_read"`
	Rows       []PagedRow `json:"rows"`
}

const (
	pagedBudget = 256 << 20
	pagedReads  = 200_000
	// pagedCells is how many cells are read of a chunk.
	pagedCells = 1024
)

// BenchPaged makes a level of at least Options.Voxels cells that are not empty and reads cells
// along the trace of moving viewers: each read asks for a chunk and reads random cells of it.
// It reads from a grid, from a stone through a cache that keeps everything, and from that
// stone through one of Options.Budget bytes, default 256 MiB, and one of an eighth of that.
func BenchPaged(ctx context.Context, o lab.Options) (_ *PagedReport, err error) {
	m := &levelMaker{level: terrain.Level{Seed: o.Seed, Shape: terrain.DefaultShape()}, want: cmp.Or(o.Voxels, levelVoxels), options: o}
	b, err := m.bench(ctx)
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "cairn-bench-*")
	if err != nil {
		return nil, fmt.Errorf("level: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	o.Step(1, 6, "writing the stone")
	r := &PagedReport{Voxels: b.report.Voxels, Chunks: len(b.placed), Reads: cmp.Or(o.Reads, pagedReads), Cells: pagedCells}
	if r.StoneBytes, err = writeLevels(ctx, f, []placedLevel{{0, b.placed}}, stone.Options{}); err != nil {
		return nil, err
	}
	walk, err := pagedWalk(b, o.Seed, r.Reads)
	if err != nil {
		return nil, err
	}
	o.Step(2, 6, "reading the grid")
	want, err := r.read(ctx, walk, PagedRow{Name: "grid"}, nil, func(pos geom.ChunkPos) (*voxel.Chunk, error) {
		c, _ := b.view.Chunk(pos)
		return c, nil
	})
	b.view, b.placed = nil, nil
	if err != nil {
		return nil, err
	}
	budget := cmp.Or(o.Budget, pagedBudget)
	for i, row := range []PagedRow{{Name: "stone, unbounded cache", Budget: math.MaxInt64}, {Name: "stone, cache", Budget: budget}, {Name: "stone, small cache", Budget: budget / 8}} {
		o.Step(3+i, 6, row.Name)
		s, err := stone.Open(f, r.StoneBytes)
		if err != nil {
			return nil, err
		}
		c := &countedPages{PageCache: stone.NewCache(row.Budget)}
		s = s.Through(c, stone.ID{})
		got, err := r.read(ctx, walk, row, c, func(pos geom.ChunkPos) (*voxel.Chunk, error) {
			chunk, _, err := s.ReadChunk(ctx, "overworld", levelVolume, 0, pos)
			return chunk, err
		})
		if err == nil && got != want {
			err = errNotSame
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range r.Rows {
		r.Rows[i].OfGrid = r.Rows[i].PerCell / r.Rows[0].PerCell
		if i > 0 {
			r.Rows[i].OfAll = r.Rows[i].PerCell / r.Rows[1].PerCell
		}
	}
	return r, nil
}

// countedPages counts what a cache has decoded.
type countedPages struct {
	stone.PageCache
	pages, bytes int64
}

func (c *countedPages) Page(ctx context.Context, key stone.PageKey, fill func() (any, int64, error)) (any, error) {
	return c.PageCache.Page(ctx, key, func() (any, int64, error) {
		page, n, err := fill()
		c.pages++
		c.bytes += n
		return page, n, err
	})
}

// pagedWalk returns the chunks that walkers ask for, one tile of the trace being one tower. Of a
// tower they ask for a chunk that has cells.
func pagedWalk(b *levelBench, seed uint64, reads int) ([]geom.ChunkPos, error) {
	towers := make(map[geom.ChunkPos][]geom.ChunkPos)
	for _, p := range b.placed {
		at := geom.ChunkPos{X: p.Pos.X, Z: p.Pos.Z}
		towers[at] = append(towers[at], p.Pos)
	}
	t, err := tiles.NewTrace("viewers", seed, reads, 0)
	if err != nil {
		return nil, err
	}
	random := rand.New(rand.NewPCG(seed, 1))
	walk := make([]geom.ChunkPos, 0, reads)
	edge := 2 * b.half
	for _, i := range t.Reads {
		x, y := tiles.MapPlace(t.Keys[i])
		tower := towers[geom.ChunkPos{X: int32(x%edge - b.half), Z: int32(y%edge - b.half)}]
		walk = append(walk, tower[random.IntN(len(tower))])
	}
	return walk, nil
}

// read measures one way to read. It walks twice: first to fill a cache.
func (r *PagedReport) read(ctx context.Context, walk []geom.ChunkPos, row PagedRow, c *countedPages, chunk func(geom.ChunkPos) (*voxel.Chunk, error)) (sum uint64, err error) {
	for range 2 {
		random := uint64(1)
		sum = 0
		if c != nil {
			c.pages, c.bytes = 0, 0
		}
		start := lab.ProcessorTime()
		for _, pos := range walk {
			at, err := chunk(pos)
			if err := cmp.Or(err, ctx.Err()); err != nil {
				return 0, err
			}
			for range pagedCells {
				random = random*6364136223846793005 + 1442695040888963407
				n := random >> 49 // 15 bits: the place in the chunk
				sum += uint64(at.Cell(int(n&31), int(n>>5&31), int(n>>10&31)))
			}
		}
		row.PerCell = float64((lab.ProcessorTime() - start).Nanoseconds()) / float64(len(walk)*pagedCells)
	}
	if c != nil {
		row.Decoded, row.PageBytes = c.pages, c.bytes
	}
	r.Rows = append(r.Rows, row)
	return sum, nil
}

// Table prints a line for each way to read.
func (r *PagedReport) Table(w io.Writer) {
	fmt.Fprintf(w, "%d voxels that are not empty in %d chunks, a stone of %s; %d chunks asked for, %d random cells of each\n\n", r.Voxels, r.Chunks, table.Size(r.StoneBytes), r.Reads, r.Cells)
	t := table.New(w, "read from", "budget", "ns a cell", "of grid", "of unbounded", "pages decoded", "bytes")
	for _, x := range r.Rows {
		budget := "-"
		if x.Budget > 0 && x.Budget < math.MaxInt64 {
			budget = table.Size(x.Budget)
		}
		t.Row(x.Name, budget, fmt.Sprintf("%.2f", x.PerCell), fmt.Sprintf("%.2f", x.OfGrid), fmt.Sprintf("%.2f", x.OfAll), fmt.Sprint(x.Decoded), table.Size(x.PageBytes))
	}
	t.Flush()
}
