package inspect

import (
	"context"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// PlaceBytes is about the memory of an open world for each chunk, column and file of its
// stones. A few bytes of a stone can stand for millions.
const PlaceBytes = 128

// IndexBytes returns about the memory for opening a world for changes, before anything is
// loaded. It stops counting above most.
func IndexBytes(c Indexed, most int64) (n int64) {
	about := c.About()
	n = PlaceBytes * int64(len(about.Files))
	for _, d := range about.Dimensions {
		n += PlaceBytes * int64(c.ColumnCount(d.Name))
		for _, v := range d.Volumes {
			for range c.Entries(d.Name, v.Volume.Name, 0) {
				if n += PlaceBytes; n > most {
					return n
				}
			}
		}
	}
	return n
}

// Indexed is content that counts its columns without reading them: a stone or a Snapshot.
type Indexed interface {
	stone.Content
	ColumnCount(dim string) int
}

// weighBox fails with convert.ErrTooLarge if the chunks of a volume that touch a box, in cells
// of the volume, take more than maxBytes of memory.
func weighBox(ctx context.Context, s *world.Snapshot, dim, vol string, b geom.Box, maxBytes int64) error {
	var want []geom.ChunkPos
	for pos, holds := range s.Entries(dim, vol, 0) {
		if holds && !pos.Box().Intersect(b).Empty() {
			want = append(want, pos)
		}
		if int64(len(want))*PlaceBytes > maxBytes {
			return convert.ErrTooLarge
		}
	}
	if int64(len(want))*2*voxel.ChunkCells <= maxBytes {
		return nil
	}
	left := maxBytes
	return s.ReadChunks(ctx, dim, vol, 0, want, func(_ geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			left -= int64(c.Bytes())
		}
		if left -= PlaceBytes; left < 0 {
			return convert.ErrTooLarge
		}
		return ctx.Err()
	})
}
