package level

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/cairnvoxel/cairn/bench/lab"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// levelBench is a level in memory and what was measured of it.
type levelBench struct {
	report Report
	view   *grid.View
	placed []grid.Placed // the chunks of view, by code
	half   int           // towers -half..half-1
	cairn  Row
}

var errNotSame = errors.New("what was read is not what was written")

// form measures one form and adds its row.
func (b *levelBench) form(ctx context.Context, f levelForm) (err error) {
	r := Row{Name: f.name, Mips: "none"}
	switch {
	case f.stone != nil:
		err = b.stone(ctx, *f.stone, &r)
	case f.make == nil:
		r = b.cairn
	default:
		err = b.coded(ctx, f.make(), &r)
	}
	r.PerCell, r.Article = float64(r.Bytes)/float64(b.report.Voxels), f.article
	b.report.Rows = append(b.report.Rows, r)
	return err
}

// batchChunks is how many chunks are held in a form at once: far more than
// caches hold, and 1 GiB flat.
const batchChunks = 1 << 14

// coded measures a form batch by batch.
func (b *levelBench) coded(ctx context.Context, c levelCoder, r *Row) error {
	for from := 0; from < len(b.placed); from += batchChunks {
		batch := b.placed[from:min(len(b.placed), from+batchChunks)]
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		clock(&r.Encode, func() { err = c.encode(batch) })
		if err != nil {
			return err
		}
		r.Bytes += c.bytes()
		if s, ok := c.(rowScanner); ok {
			var sum int
			clock(&r.Read, func() { sum = s.scan() })
			if sum != skipPlaced(batch) {
				return errNotSame
			}
		}
		if err := c.check(batch, &r.Decode); err != nil {
			return err
		}
	}
	return nil
}

// stone writes the level and its far levels to a file and reads it back.
func (b *levelBench) stone(ctx context.Context, o stone.Options, r *Row) (err error) {
	r.Mips = "levels 3 and up"
	f, err := os.CreateTemp("", "cairn-bench-*")
	if err != nil {
		return fmt.Errorf("level: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	levels := append([]placedLevel{{0, b.placed}}, b.far()...)
	clock(&r.Encode, func() { r.Bytes, err = writeLevels(ctx, f, levels, o) })
	if err != nil {
		return err
	}
	var s *stone.Reader
	clock(&r.Open, func() { s, err = stone.Open(f, r.Bytes) })
	for _, l := range levels {
		if err == nil {
			err = l.check(ctx, s, &r.Decode)
		}
	}
	return err
}

// placedLevel is the chunks of a level, by code.
type placedLevel struct {
	level  int
	placed []grid.Placed
}

// farLevel is the first level that a full stone has of its own; a chunk has
// those below as mips.
const farLevel = 3

// far returns the levels that a full stone has, up to the first one of at most 8
// chunks.
func (b *levelBench) far() (out []placedLevel) {
	var builder voxel.ChunkBuilder
	var cells lab.FlatChunk
	for level := farLevel; ; level++ {
		l := placedLevel{level: level}
		last := geom.ChunkPos{X: geom.MaxChunk}
		for _, p := range b.placed {
			pos := geom.ChunkPos{X: p.Pos.X >> level, Y: p.Pos.Y >> level, Z: p.Pos.Z >> level}
			if pos == last {
				continue
			}
			last = pos
			if !b.view.ReadBox(pos.Box(), level, cells[:]) {
				panic("level: a level that was made is not loaded")
			}
			l.placed = append(l.placed, grid.Placed{Pos: pos, Chunk: builder.FromFlat(&cells)})
		}
		if out = append(out, l); len(l.placed) <= 8 {
			return out
		}
	}
}

func writeLevels(ctx context.Context, f *os.File, levels []placedLevel, o stone.Options) (int64, error) {
	buf := bufio.NewWriterSize(f, 1<<20)
	w := stone.NewWriter(buf, o)
	w.Dimension("overworld", "")
	w.Volume(voxel.Volume{Name: levelVolume, Schema: voxel.Terrain, Scale: 1}, terrain.Materials())
	for _, l := range levels {
		for _, p := range l.placed {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			if err := w.Chunk(l.level, p.Pos, p.Chunk); err != nil {
				return 0, err
			}
		}
	}
	_, n, err := w.Close()
	if err != nil {
		return 0, err
	}
	return n, buf.Flush()
}

// check reads the level from a stone, adds to seconds what that takes, and
// compares.
func (l placedLevel) check(ctx context.Context, s *stone.Reader, seconds *float64) (err error) {
	got := make([]stone.Placed, 0, len(l.placed))
	clock(seconds, func() {
		for p, e := range s.Chunks(ctx, "overworld", levelVolume, l.level) {
			if err = cmp.Or(e, ctx.Err()); err != nil {
				return
			}
			got = append(got, p)
		}
	})
	if err != nil {
		return err
	}
	same := func(p stone.Placed, q grid.Placed) bool {
		return p.Pos == q.Pos && p.Chunk != nil && p.Chunk.Equal(q.Chunk)
	}
	if !slices.EqualFunc(got, l.placed, same) {
		return errNotSame
	}
	return nil
}

// scan compares the grid with flat chunks of the same part of the level: as
// much around the middle as gives at most that many chunks.
func (b *levelBench) scan(atMost int) {
	view := b.view
	for half := b.half; view.Len() > max(1, atMost) && half > 1; half /= 2 {
		n := half / 2 * geom.ChunkEdge
		view = grid.Build(grid.Options{Schema: voxel.Terrain}, b.view.ChunksIn(geom.Box{
			Min: geom.Point{X: -n, Z: -n}, Max: geom.Point{X: n, Y: geom.MaxChunk, Z: n}}))
	}
	var flats []*lab.FlatChunk
	for _, c := range view.Chunks() {
		flats = append(flats, new(lab.FlatChunk))
		c.Flat(flats[len(flats)-1])
	}
	s := Scan{Chunks: len(flats)}
	rows := len(flats) * voxel.ChunkEdge * voxel.ChunkEdge
	for range lab.ReadRounds {
		ours, sum := lab.Nanoseconds(func() int { return skipView(view) }, rows)
		flat, want := lab.Nanoseconds(func() int { return lab.ScanFlats(flats) }, rows)
		if sum != want {
			panic("level: a grid's cells are not those of the flat arrays made of it")
		}
		s.Grid, s.Flat = lab.Least(s.Grid, ours), lab.Least(s.Flat, flat)
	}
	s.Ratio = s.Grid / s.Flat
	b.report.Scan = s
}

func skipView(v *grid.View) (sum int) {
	for _, c := range v.Chunks() {
		sum += lab.SkipChunk(c)
	}
	return sum
}

func skipPlaced(placed []grid.Placed) (sum int) {
	for _, p := range placed {
		sum += lab.SkipChunk(p.Chunk)
	}
	return sum
}
