package port

import (
	"context"
	"errors"
	"fmt"
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

// View is a dimension of a world in the form that package picture draws. It reads chunks when
// they are asked for. It is for one goroutine.
type View struct {
	Dimension string
	Schema    voxel.Schema
	// Names are the names of cells, or of materials in a Terrain volume.
	Names          []string
	ctx            context.Context
	whole, c       stone.Content // c is whole within a bound
	matter, liquid string        // liquid is "" if there is none
	level          int
	bounds         geom.Box // at level 0
	err            error
}

// ViewOf returns what is drawn of a dimension. Without a name it takes the first dimension with
// chunks. Errors are ErrNothing and a *DimensionError. If more than maxBytes of chunks, as they
// are in memory, are asked for, Err is convert.ErrTooLarge; 0 is no bound.
func ViewOf(ctx context.Context, c stone.Content, name string, maxBytes int64) (*View, error) {
	d, v, err := MatterOf(name, c)
	if err != nil {
		return nil, err
	}
	view := &View{Dimension: d.Name, Schema: v.Schema, Names: v.Names, ctx: ctx, whole: c, c: convert.Within(c, maxBytes), matter: v.Volume.Name}
	for pos, holds := range c.Entries(d.Name, v.Volume.Name, 0) {
		if holds {
			view.bounds = view.bounds.Union(pos.Box())
		}
	}
	if slices.ContainsFunc(d.Volumes, func(v stone.VolumeInfo) bool { return v.Volume.Name == liquid }) {
		view.liquid = liquid
	}
	return view, ctx.Err()
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

// Fit makes a View of a wide world that of a far level, if the world has it, so that at least
// pixels cells are left of the longer edge. It returns how many blocks wide a cell is then.
func (v *View) Fit(pixels int) (unit int) {
	wide := max(v.bounds.Size().X, v.bounds.Size().Z)
	for level := stone.FirstFar; wide>>level >= pixels; level++ {
		if hasLevel(v.whole, v.Dimension, v.matter, level) && (v.liquid == "" || hasLevel(v.whole, v.Dimension, v.liquid, level)) {
			v.level = level
		}
	}
	return 1 << v.level
}

// hasLevel reports whether a far level of a volume can be read.
func hasLevel(c stone.Content, dim, vol string, level int) bool {
	if s, ok := c.(*world.Snapshot); ok {
		return s.HasLevel(dim, vol, level)
	}
	for _, d := range c.About().Dimensions {
		for _, v := range d.Volumes {
			if d.Name == dim && v.Volume.Name == vol {
				return slices.Contains(v.Levels, level)
			}
		}
	}
	return false
}

// Bounds returns the box around all chunks.
func (v *View) Bounds() geom.Box {
	b, up := v.bounds, 1<<v.level-1
	b.Min = geom.Point{X: b.Min.X >> v.level, Y: b.Min.Y >> v.level, Z: b.Min.Z >> v.level}
	b.Max = geom.Point{X: (b.Max.X + up) >> v.level, Y: (b.Max.Y + up) >> v.level, Z: (b.Max.Z + up) >> v.level}
	return b
}

// Chunk returns the chunk at pos, or nil if there is none or if it cannot be read.
func (v *View) Chunk(pos geom.ChunkPos) *voxel.Chunk { return v.read(v.matter, pos) }

// Liquid returns the chunk of liquid at pos.
func (v *View) Liquid(pos geom.ChunkPos) *voxel.Chunk {
	if v.liquid == "" {
		return nil
	}
	return v.read(v.liquid, pos)
}

func (v *View) read(vol string, pos geom.ChunkPos) (got *voxel.Chunk) {
	v.readAll(vol, v.level, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, c *voxel.Chunk) { got = c })
	return got
}

// readAll calls f with those chunks of a level that exist. want is in any order.
func (v *View) readAll(vol string, level int, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk)) {
	if v.err == nil && len(want) > 0 {
		slices.SortFunc(want, func(p, q geom.ChunkPos) int { return geom.CodeOf(p, level).Compare(geom.CodeOf(q, level)) })
		v.err = v.c.ReadChunks(v.ctx, v.Dimension, vol, level, want, func(pos geom.ChunkPos, c *voxel.Chunk) error {
			f(pos, c)
			return nil
		})
	}
}

// Err returns the first error of reading.
func (v *View) Err() error { return v.err }

// Name returns the name of a cell.
func (v *View) Name(c voxel.Cell) string {
	n := int(c)
	if v.Schema == voxel.Terrain {
		n = int(c.Material())
	}
	if n >= len(v.Names) {
		return fmt.Sprint("material ", n)
	}
	return v.Names[n]
}
