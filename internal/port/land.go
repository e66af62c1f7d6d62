package port

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Lay is how a dimension of a version lies: what a map of it shows, and where. It never changes,
// so any number of goroutines may share it.
type Lay struct {
	Dimension string
	// Bounds is a box around all chunks of the matter, in blocks.
	Bounds  geom.Box
	matter  string
	volumes map[string]laidVolume
	heights []int32 // in chunks, ascending
}

type laidVolume struct {
	stone.VolumeInfo
	levels []int // far levels, ascending
}

// LayOf returns how a dimension lies. Without a name it takes the first dimension with chunks.
// It goes through the directories of the version, and reads no chunk. Errors are ErrNothing and
// a *DimensionError.
func LayOf(ctx context.Context, s *world.Snapshot, name string) (*Lay, error) {
	d, matter, err := MatterOf(name, s)
	if err != nil {
		return nil, err
	}
	l := &Lay{Dimension: d.Name, matter: matter.Volume.Name, volumes: make(map[string]laidVolume)}
	for _, v := range d.Volumes {
		l.volumes[v.Volume.Name] = laidVolume{v, farLevels(s, d.Name, v.Volume.Name)}
	}
	return l, l.measure(ctx, s)
}

// Mapped returns the dimensions of which there is a map: those with matter.
func Mapped(c stone.Content) []string {
	var out []string
	for _, d := range c.About().Dimensions {
		if hasMatter(c, d) {
			out = append(out, d.Name)
		}
	}
	return out
}

// maxFarChanges is how many chunks may have changed since the full pack whose far levels a map
// reads: the farthest level makes a cell from all of them.
const maxFarChanges = 2048

// farLevels returns the far levels of a volume that can be read with little work.
func farLevels(s *world.Snapshot, dimension, volume string) (out []int) {
	if s.FarChanges(dimension, volume) > maxFarChanges {
		return nil
	}
	for level := stone.FirstFar; level <= geom.MaxLevel && s.HasLevel(dimension, volume, level); level++ {
		out = append(out, level)
	}
	return out
}

// measure finds the bounds and the heights.
func (l *Lay) measure(ctx context.Context, s *world.Snapshot) error {
	seen := make(map[int32]bool)
	for _, volume := range []string{l.matter, liquid} {
		if _, ok := l.volumes[volume]; !ok {
			continue
		}
		for pos, holds := range s.Entries(l.Dimension, volume, 0) {
			if holds {
				l.Bounds = l.Bounds.Union(pos.Box())
				seen[pos.Y] = true
			}
		}
	}
	for y := range seen {
		l.heights = append(l.heights, y)
	}
	slices.Sort(l.heights)
	return ctx.Err()
}

// Bytes returns about how many bytes of memory it takes.
func (l *Lay) Bytes() int64 {
	n := 1<<10 + int64(len(l.heights))*4
	for _, v := range l.volumes {
		for _, name := range v.Names {
			n += int64(len(name)) + 16
		}
	}
	return n
}

// Has reports whether there is a volume of that name.
func (l *Lay) Has(volume string) bool { _, ok := l.volumes[volume]; return ok }

// Far returns the greatest far level of the matter, 0 if there is none.
func (l *Lay) Far() int { return l.level(l.matter, geom.MaxLevel) }

func (l *Lay) level(volume string, most int) int {
	v, ok := l.volumes[volume]
	if !ok {
		return -1
	}
	level := 0
	for _, n := range v.levels {
		if n <= most {
			level = n
		}
	}
	return level
}

// Land is a dimension of a version in the form that package picture draws tiles of. It reads
// chunks when they are asked for. It is for one goroutine.
type Land struct {
	ctx  context.Context
	lay  *Lay
	from *world.Snapshot
}

// In returns the land of a Snapshot of the version that l is of.
func (l *Lay) In(ctx context.Context, s *world.Snapshot) *Land { return &Land{ctx, l, s} }

// Bounds returns the box around all chunks of the matter, in blocks.
func (l *Land) Bounds() geom.Box { return l.lay.Bounds }

// Matter returns the name of the volume of what is solid.
func (l *Land) Matter() string { return l.lay.matter }

// Terrain reports whether the matter has the Terrain schema.
func (l *Land) Terrain() bool { return l.lay.volumes[l.lay.matter].Schema == voxel.Terrain }

// Level returns the greatest level, up to most, of which a volume has chunks; -1 if there is no
// such volume.
func (l *Land) Level(volume string, most int) int { return l.lay.level(volume, most) }

// Scale returns how many blocks wide a cell of a volume is.
func (l *Land) Scale(volume string) int { return max(1, l.lay.volumes[volume].Scale) }

// Default returns the cell of a volume where it has no chunk.
func (l *Land) Default(volume string) voxel.Cell { return l.lay.volumes[volume].Default }

// Heights returns at which heights, in chunks of a level, there are chunks of the matter or of
// the liquid.
func (l *Land) Heights(level int) (out []int32) {
	for _, y := range l.lay.heights {
		if y >>= level; len(out) == 0 || out[len(out)-1] != y {
			out = append(out, y)
		}
	}
	return out
}

// Read calls f with the chunks of a level at some positions, which ascend by their codes.
func (l *Land) Read(volume string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) error {
	return l.from.ReadChunks(l.ctx, l.lay.Dimension, volume, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
		if c != nil {
			f(pos, c)
		}
		return nil
	})
}

// Name returns the name of a cell, that of its material in a terrain.
func (l *Land) Name(volume string, c voxel.Cell) string {
	v := l.lay.volumes[volume]
	n := int(c)
	if v.Schema == voxel.Terrain {
		n = int(c.Material())
	}
	if n >= len(v.Names) {
		return fmt.Sprint("material ", n)
	}
	return v.Names[n]
}
