package scene

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/inspect"
	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Layout has what readers of a dimension ask before its chunks: bounds, volumes, names and levels. It
// never changes, so any number of goroutines may share it.
type Layout struct {
	Dimension string
	bounds    geom.Box
	matter    string
	volumes   map[string]volume
	heights   []int32 // in chunks, ascending
}

type volume struct {
	stone.VolumeInfo
	levels []int // far levels, ascending
}

// LayoutOf returns the layout of a dimension, without a name of the first with chunks. It goes through
// the directories of the version, and reads no chunk. Far levels below which much has changed do not
// count. Errors are inspect.ErrNoMatter and an *inspect.DimensionError.
func LayoutOf(ctx context.Context, s *world.Snapshot, name string) (*Layout, error) {
	return layoutOf(ctx, s, name, maxFarChanges)
}

func layoutOf(ctx context.Context, c stone.Content, name string, mostChanges int) (*Layout, error) {
	d, matter, err := inspect.MatterOf(name, c)
	if err != nil {
		return nil, err
	}
	l := &Layout{Dimension: d.Name, matter: matter.Volume.Name, volumes: make(map[string]volume)}
	for _, v := range d.Volumes {
		l.volumes[v.Volume.Name] = volume{v, farLevels(c, d.Name, v, mostChanges)}
	}
	if v, ok := l.volumes["fluid"]; ok && !l.Has(liquid) {
		l.volumes[liquid] = v
	}
	return l, l.measure(ctx, c)
}

// stored returns the name by which the version has a volume.
func (l *Layout) stored(volume string) string {
	if v, ok := l.volumes[volume]; ok {
		return v.Volume.Name
	}
	return volume
}

// Dimensions returns the dimensions that can be drawn: those with matter.
func Dimensions(c stone.Content) []string {
	var out []string
	for _, d := range c.About().Dimensions {
		if inspect.HasMatter(c, d) {
			out = append(out, d.Name)
		}
	}
	return out
}

// maxFarChanges is how many chunks may have changed since the full pack whose far levels a map
// reads: the farthest level makes a cell from all of them.
const maxFarChanges = 2048

// farLevels returns the far levels of a volume that can be read, none if more than mostChanges chunks
// have changed below them.
func farLevels(c stone.Content, dimension string, v stone.VolumeInfo, mostChanges int) (out []int) {
	s, ok := c.(*world.Snapshot)
	if !ok {
		return slices.DeleteFunc(slices.Clone(v.Levels), func(level int) bool { return level < stone.FirstFar })
	}
	if s.FarChanges(dimension, v.Volume.Name) > mostChanges {
		return nil
	}
	for level := stone.FirstFar; level <= geom.MaxLevel && s.HasLevel(dimension, v.Volume.Name, level); level++ {
		out = append(out, level)
	}
	return out
}

// measure finds the bounds and the heights.
func (l *Layout) measure(ctx context.Context, c stone.Content) error {
	seen := make(map[int32]bool)
	for _, volume := range []string{l.matter, liquid} {
		if _, ok := l.volumes[volume]; !ok {
			continue
		}
		for pos, holds := range c.Entries(l.Dimension, l.stored(volume), 0) {
			if holds {
				l.bounds = l.bounds.Union(pos.Box())
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
func (l *Layout) Bytes() int64 {
	n := 1<<10 + int64(len(l.heights))*4
	for _, v := range l.volumes {
		for _, name := range v.Names {
			n += int64(len(name)) + 16
		}
	}
	return n
}

// Has reports whether there is a volume of that name.
func (l *Layout) Has(volume string) bool { _, ok := l.volumes[volume]; return ok }

// Far returns the greatest far level of the matter, 0 if there is none.
func (l *Layout) Far() int { return l.Level(l.matter, geom.MaxLevel) }

// Bounds returns the box around all chunks of the matter and the liquid, in blocks.
func (l *Layout) Bounds() geom.Box { return l.bounds }

// Matter returns the name of the solid volume.
func (l *Layout) Matter() string { return l.matter }

// Terrain reports whether the matter has the Terrain schema.
func (l *Layout) Terrain() bool { return l.volumes[l.matter].Schema == voxel.Terrain }

// Names returns the names of the cells of the matter, in a terrain of the materials.
func (l *Layout) Names() []string { return l.volumes[l.matter].Names }

// Level returns the greatest level, up to most, of which a volume has chunks; -1 if there is no
// such volume.
func (l *Layout) Level(volume string, most int) int {
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

// Scale returns how many blocks wide a cell of a volume is.
func (l *Layout) Scale(volume string) int { return max(1, l.volumes[volume].Scale) }

// Default returns the cell of a volume where it has no chunk.
func (l *Layout) Default(volume string) voxel.Cell { return l.volumes[volume].Default }

// Heights returns at which heights, in chunks of a level, there are chunks of the matter or of
// the liquid.
func (l *Layout) Heights(level int) (out []int32) {
	for _, y := range l.heights {
		if y >>= level; len(out) == 0 || out[len(out)-1] != y {
			out = append(out, y)
		}
	}
	return out
}

// Name returns the name of a cell, that of its material in a terrain.
func (l *Layout) Name(volume string, c voxel.Cell) string {
	v := l.volumes[volume]
	n := int(c)
	if v.Schema == voxel.Terrain {
		n = int(c.Material())
	}
	if n >= len(v.Names) {
		return fmt.Sprint("material ", n)
	}
	return v.Names[n]
}
