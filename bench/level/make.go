package level

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// levelVolume is the only volume of a level that is measured: its matter.
const levelVolume = "solid"

// levelMaker makes a level: square rings of towers around the middle until it
// has as many cells as are wanted.
type levelMaker struct {
	level   terrain.Level
	want    int64
	options lab.Options

	placed []grid.Placed
	cells  int64
}

// Land makes a level of at least Options.Voxels cells that are not empty. It returns the level, and half
// its edge in chunks: it has the towers from -half to half-1.
func Land(ctx context.Context, o lab.Options) (v *grid.View, half int, err error) {
	m := &levelMaker{level: terrain.Level{Seed: o.Seed, Shape: terrain.DefaultShape()}, want: cmp.Or(o.Voxels, levelVoxels), options: o}
	if half, err = m.make(ctx); err != nil {
		return nil, 0, err
	}
	b := &levelBench{}
	m.build(b)()
	return b.view, half, nil
}

// WriteStone makes a level of at least Options.Voxels cells that are not empty, and writes it and its far
// levels as a stone. It returns its cells, the bytes of the stone, and half its edge in chunks.
func WriteStone(ctx context.Context, f *os.File, o lab.Options) (cells, size int64, half int, err error) {
	m := &levelMaker{level: terrain.Level{Seed: o.Seed, Shape: terrain.DefaultShape()}, want: cmp.Or(o.Voxels, levelVoxels), options: o}
	b, err := m.bench(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	size, err = writeLevels(ctx, f, append([]placedLevel{{0, b.placed}}, b.far()...), stone.Options{})
	return m.cells, size, b.half, err
}

// bench makes the level and a grid of it. What the grid takes is what the heap
// has grown by, so nothing else of the level may be alive then.
func (m *levelMaker) bench(ctx context.Context) (*levelBench, error) {
	before := lab.HeapInUse()
	start := time.Now()
	half, err := m.make(ctx)
	if err != nil {
		return nil, err
	}
	b := &levelBench{}
	b.report = Report{Voxels: m.cells, Generate: time.Since(start).Seconds(), Rows: []Row{}}
	row := Row{Name: "cairn", Mips: "all levels"}
	clock(&row.Encode, m.build(b))
	m.placed = nil
	row.Bytes = lab.HeapInUse() - before
	for pos, c := range b.view.Chunks() {
		b.placed = append(b.placed, grid.Placed{Pos: pos, Chunk: c})
	}
	clock(&row.Read, func() { skipView(b.view) })
	b.report.Parameters = Parameters{
		Seed: m.level.Seed, Shape: m.level.Shape, Box: boxOf(half), Volume: levelVolume,
		Chunks: len(b.placed), PieceBytes: pieceBytes, Workers: runtime.GOMAXPROCS(0),
	}
	b.cairn, b.half = row, half
	return b, nil
}

// make makes the chunks and returns half the level's edge in chunks.
func (m *levelMaker) make(ctx context.Context) (half int, err error) {
	for m.cells < m.want {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		m.options.Step(0, len(levelForms())+1, "making the level")
		half++
		m.ring(half)
	}
	return half, nil
}

// build returns a function that puts what was made into a grid with all its
// levels.
func (m *levelMaker) build(b *levelBench) func() {
	return func() {
		slices.SortFunc(m.placed, func(p, q grid.Placed) int { return geom.CodeOf(p.Pos, 0).Compare(geom.CodeOf(q.Pos, 0)) })
		b.view = grid.Build(grid.Options{Schema: voxel.Terrain}, func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
			for _, p := range m.placed {
				if !yield(p.Pos, p.Chunk) {
					return
				}
			}
		})
		for _, p := range m.placed {
			p.Chunk.Mip(b.view.Rule(), 1)
		}
		// A read of a far level makes them all.
		b.view.ReadBox(geom.Box{Max: geom.Point{X: 1, Y: 1, Z: 1}}, farLevel+1, make([]voxel.Cell, 1))
	}
}

// ring makes the towers of -half..half-1 that are not of -half+1..half-2.
func (m *levelMaker) ring(half int) {
	var at []geom.ChunkPos
	for z := -half; z < half; z++ {
		step := 2*half - 1
		if z == -half || z == half-1 {
			step = 1
		}
		for x := -half; x < half; x += step {
			at = append(at, geom.ChunkPos{X: int32(x), Z: int32(z)})
		}
	}
	var wait sync.WaitGroup
	var mu sync.Mutex // guards m
	next := make(chan geom.ChunkPos)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for pos := range next {
				tower := m.level.Tower(pos.X, pos.Z)
				mu.Lock()
				m.add(pos, tower)
				mu.Unlock()
			}
		})
	}
	for _, pos := range at {
		next <- pos
	}
	close(next)
	wait.Wait()
}

func (m *levelMaker) add(pos geom.ChunkPos, tower []*voxel.Chunk) {
	for y, c := range tower {
		if n := c.CountNonEmpty(); n > 0 {
			pos.Y = int32(y)
			m.placed = append(m.placed, grid.Placed{Pos: pos, Chunk: c})
			m.cells += int64(n)
		}
	}
}

// clock adds to seconds what f takes.
func clock(seconds *float64, f func()) {
	start := time.Now()
	f()
	*seconds += time.Since(start).Seconds()
}
