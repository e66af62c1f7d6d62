package measure

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/internal/terrain"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
)

// levelBench is a level in memory and what was measured of it.
type levelBench struct {
	report LevelReport
	view   *grid.View
	placed []grid.Placed // the chunks of view, by code
	half   int           // towers -half..half-1
	sum    int           // of all cells
	cairn  LevelRow
}

var errNotSame = errors.New("what was read is not what was written")

// form measures one form and adds its row.
func (b *levelBench) form(ctx context.Context, f levelForm) (err error) {
	r := LevelRow{Name: f.name, Mips: "none"}
	switch f.name {
	case "cairn":
		r = b.cairn
	case "stone":
		err = b.stone(ctx, &r)
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
func (b *levelBench) coded(ctx context.Context, c levelCoder, r *LevelRow) error {
	for from := 0; from < len(b.placed); from += batchChunks {
		batch := b.placed[from:min(len(b.placed), from+batchChunks)]
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
		if err := c.check(ctx, batch, &r.Decode); err != nil {
			return err
		}
	}
	return nil
}

// stone writes a whole stone to a file and reads it back.
func (b *levelBench) stone(ctx context.Context, r *LevelRow) (err error) {
	f, err := os.CreateTemp("", "cairn-bench-*")
	if err != nil {
		return fmt.Errorf("measure: %w", err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	clock(&r.Encode, func() { r.Bytes, err = b.writeStone(ctx, f) })
	if err != nil {
		return err
	}
	var s *stone.Reader
	clock(&r.Open, func() { s, err = stone.Open(f, r.Bytes) })
	if err != nil {
		return err
	}
	clock(&r.Decode, func() { err = b.readStone(ctx, s) })
	return err
}

func (b *levelBench) writeStone(ctx context.Context, f *os.File) (int64, error) {
	buf := bufio.NewWriterSize(f, 1<<20)
	w := stone.NewWriter(buf, stone.Options{})
	w.Dimension("overworld", "")
	w.Volume(voxel.Volume{Name: levelVolume, Schema: voxel.Terrain, Scale: 1}, terrain.Materials())
	for _, p := range b.placed {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if err := w.Chunk(0, p.Pos, p.Chunk); err != nil {
			return 0, err
		}
	}
	_, n, err := w.Close()
	if err != nil {
		return 0, err
	}
	return n, buf.Flush()
}

func (b *levelBench) readStone(ctx context.Context, s *stone.Reader) error {
	left := b.placed
	for p, err := range s.Chunks("overworld", levelVolume, 0) {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case len(left) == 0 || p.Pos != left[0].Pos || p.Chunk == nil || !p.Chunk.Equal(left[0].Chunk):
			return errNotSame
		}
		left = left[1:]
	}
	if len(left) > 0 {
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
	var flats []*flatChunk
	for _, c := range view.Chunks() {
		flats = append(flats, new(flatChunk))
		c.Flat(flats[len(flats)-1])
	}
	s := LevelScan{Chunks: len(flats)}
	rows := len(flats) * voxel.ChunkEdge * voxel.ChunkEdge
	for range readRounds {
		ours, sum := nanoseconds(func() int { return skipView(view) }, rows)
		flat, want := nanoseconds(func() int { return scanFlats(flats) }, rows)
		if sum != want {
			panic("measure: a grid's cells are not those of the flat arrays made of it")
		}
		s.Grid, s.Flat = least(s.Grid, ours), least(s.Flat, flat)
	}
	s.Ratio = s.Grid / s.Flat
	b.report.Scan = s
}

func skipView(v *grid.View) (sum int) {
	for _, c := range v.Chunks() {
		sum += skipChunk(c)
	}
	return sum
}

func skipPlaced(placed []grid.Placed) (sum int) {
	for _, p := range placed {
		sum += skipChunk(p.Chunk)
	}
	return sum
}
