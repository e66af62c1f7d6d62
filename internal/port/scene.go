package port

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// NetherTop is a height below the ceiling of the game's nether. Pictures from above show what
// is below it.
const NetherTop = 100

// ErrNothing says that a world has no blocks to draw.
var ErrNothing = errors.New("the world has no blocks to draw")

// IsMatter reports whether a volume holds the solid content of a world: its name is "block" or
// "solid".
func IsMatter(volume string) bool { return slices.Contains([]string{"block", "solid"}, volume) }

// liquid is the volume that is drawn beside matter.
const liquid = "liquid"

// Scene is a dimension of a world as a picture.Land, and as meshes want it. It reads chunks when they are asked for. It is for one
// goroutine.
type Scene struct {
	*Lay
	ctx     context.Context
	c, read stone.Content // read is c within a bound
	bounds  geom.Box
}

// In returns the scene of the version that l is of.
func (l *Lay) In(ctx context.Context, s *world.Snapshot) *Scene {
	return &Scene{l, ctx, s, s, l.bounds}
}

// SceneOf returns a dimension, without a name the first with chunks. Errors are ErrNothing and a *DimensionError. If
// more than maxBytes of chunks, as they are in memory, are asked for, reading fails with convert.ErrTooLarge; 0 is no bound.
func SceneOf(ctx context.Context, c stone.Content, name string, maxBytes int64) (*Scene, error) {
	l, err := layOf(ctx, c, name, math.MaxInt)
	if err != nil {
		return nil, err
	}
	return &Scene{l, ctx, c, convert.Within(c, maxBytes), l.bounds}, nil
}

// Bounds returns the box around all chunks, or around what Frame and Cut left.
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
	return s.read.ReadChunks(s.ctx, s.Dimension, volume, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			f(pos, c)
		}
		return nil
	})
}

// MatterOf finds the solid content of a dimension in one of some worlds. Without a name it is the first dimension with
// chunks. Errors are ErrNothing and a *DimensionError.
func MatterOf(dimension string, in ...stone.Content) (d stone.DimensionInfo, v stone.VolumeInfo, err error) {
	missing, there := &DimensionError{Want: dimension}, dimension == ""
	for _, c := range in {
		for _, d := range c.About().Dimensions {
			missing.Have = append(missing.Have, d.Name)
			if d.Name != dimension && (dimension != "" || !hasMatter(c, d)) {
				continue
			}
			if i := slices.IndexFunc(d.Volumes, func(v stone.VolumeInfo) bool { return IsMatter(v.Volume.Name) }); i >= 0 {
				return d, d.Volumes[i], nil
			}
			there = true // and has none
		}
	}
	if there {
		return d, v, ErrNothing
	}
	return d, v, missing
}

// hasMatter reports whether a volume of matter in the dimension has chunks.
func hasMatter(c stone.Content, d stone.DimensionInfo) bool {
	for _, v := range d.Volumes {
		if IsMatter(v.Volume.Name) && hasChunks(c, d.Name, v.Volume.Name) {
			return true
		}
	}
	return false
}

// hasChunks reports whether a volume has chunks.
func hasChunks(c stone.Content, dim, vol string) bool {
	for _, holds := range c.Entries(dim, vol, 0) {
		if holds {
			return true
		}
	}
	return false
}
