package terrain

import (
	"context"
	"io"
	"io/fs"
	"iter"
	"runtime"
	"strconv"
	"sync"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// square is a square of Plains around 0,0.
type square struct {
	Plains
	half int32 // half of the edge in chunks
}

// Square returns the world of a square of Plains around 0,0, at least so many columns of 16
// cells wide. It makes a chunk whenever the chunk is read, so that the world may be larger than
// memory.
func (p Plains) Square(columns int) stone.Content { return square{p, int32(columns+3) / 4} }

func (p square) About() stone.About {
	return stone.About{
		Properties: []stone.Property{{Key: "format", Value: "terrain"}, {Key: "name", Value: "Plains"}, {Key: "seed", Value: strconv.FormatUint(p.Seed, 10)}},
		Dimensions: []stone.DimensionInfo{{Name: "overworld", Volumes: []stone.VolumeInfo{{
			Volume: voxel.Volume{Name: "solid", Schema: voxel.Terrain, Scale: 1}, Names: Materials(), Levels: []int{0},
		}}}},
	}
}

func (p square) Entries(_, _ string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		edge := int32(1)
		for edge < p.half {
			edge *= 2
		}
		if level == 0 {
			p.part(-edge, -edge, 2*edge, yield)
		}
	}
}

// part yields the chunks of a square, whose edge is a power of two, in ascending order of
// code.
func (p square) part(x, z, edge int32, yield func(geom.ChunkPos, bool) bool) bool {
	if x >= p.half || z >= p.half || x+edge <= -p.half || z+edge <= -p.half {
		return true
	}
	if edge == 1 {
		return yield(geom.ChunkPos{X: x, Z: z}, true)
	}
	for i := range int32(4) {
		if !p.part(x+i&1*edge/2, z+i>>1*edge/2, edge/2, yield) {
			return false
		}
	}
	return true
}

// ReadChunks implements stone.Content. It makes chunks side by side.
func (p square) ReadChunks(ctx context.Context, _, _ string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	if level != 0 {
		return nil
	}
	made := make([]*voxel.Chunk, len(want))
	var wait sync.WaitGroup
	for n := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for i := n; i < len(want) && ctx.Err() == nil; i += runtime.GOMAXPROCS(0) {
				made[i] = p.Chunk(want[i])
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, pos := range want {
		if err := f(pos, made[i]); err != nil {
			return err
		}
	}
	return nil
}

// ReadColumns yields nothing: there are none.
func (p square) ReadColumns(context.Context, string) iter.Seq2[*voxel.Column, error] {
	return func(func(*voxel.Column, error) bool) {}
}

// OpenFile implements stone.Content: there are none.
func (p square) OpenFile(string) (io.ReadCloser, error) { return nil, fs.ErrNotExist }
