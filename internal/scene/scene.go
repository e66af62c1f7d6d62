// Package scene gives dimensions of worlds to those who draw them: their bounds, names and levels, and
// their chunks, for pictures from above and for meshes.
package scene

import (
	"context"
	"math"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// NetherTop is a height below the ceiling of the game's nether. Pictures from above show what
// is below it.
const NetherTop = 100

// liquid is the volume that is drawn beside matter. In a dimension of Hytale it is another name of that of the fluids.
const liquid = "liquid"

// Scene is a dimension of a world as a picture.Land, and as meshes want it. It reads chunks when they
// are asked for. It is for one goroutine.
type Scene struct {
	*Layout
	ctx     context.Context
	c, read stone.Content // read is c within a bound
	bounds  geom.Box
}

// In returns the scene of the version that l is of.
func (l *Layout) In(ctx context.Context, s *world.Snapshot) *Scene {
	return &Scene{l, ctx, s, s, l.bounds}
}

// Of returns a dimension, without a name the first with chunks. Errors are inspect.ErrNoMatter and an
// *inspect.DimensionError. If more than maxBytes of chunks, as they are in memory, are asked for,
// reading fails with convert.ErrTooLarge; 0 is no bound.
func Of(ctx context.Context, c stone.Content, name string, maxBytes int64) (*Scene, error) {
	l, err := layoutOf(ctx, c, name, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return &Scene{l, ctx, c, convert.Within(c, maxBytes), l.bounds}, nil
}

// Bounds returns the box around all chunks, or around those that Frame and Cut left.
func (s *Scene) Bounds() geom.Box { return s.bounds }

// NameMaterials gives the materials of a terrain names if they have none.
func (s *Scene) NameMaterials(names []string) {
	if v := s.volumes[s.matter]; s.Terrain() && len(v.Names) == 0 {
		v.Names = names
		s.volumes[s.matter] = v
	}
}

// Read calls f with those chunks of a level that exist. want ascends by code.
func (s *Scene) Read(volume string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error {
	return s.read.ReadChunks(s.ctx, s.Dimension, s.stored(volume), level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			f(pos, c)
		}
		return nil
	})
}

// Chunks returns the places of the chunks of the matter and the liquid within the bounds, each once.
func (s *Scene) Chunks() []geom.ChunkPos {
	seen := make(map[geom.ChunkPos]bool)
	var all []geom.ChunkPos
	for _, volume := range []string{s.matter, liquid} {
		if !s.Has(volume) {
			continue
		}
		for pos, holds := range s.c.Entries(s.Dimension, s.stored(volume), 0) {
			if holds && !seen[pos] && !s.bounds.Intersect(pos.Box()).Empty() {
				seen[pos] = true
				all = append(all, pos)
			}
		}
	}
	return all
}
