package port

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/convert"
	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/world"
)

// VolumeError says that a dimension lacks the volume that was asked for.
type VolumeError struct {
	Dimension, Want string
	Have            []string // in the dimension's order
}

func (e *VolumeError) Error() string {
	return fmt.Sprintf("port: no volume %q: %s has %s", e.Want, e.Dimension, strings.Join(e.Have, ", "))
}

// volumeOf returns a volume of a world, else a *DimensionError or a *VolumeError.
func volumeOf(w *world.World, dimension, volume string) (*world.Volume, error) {
	d := w.View().Dimension(dimension)
	if d == nil {
		e := &DimensionError{Want: dimension}
		for _, d := range w.View().Dimensions() {
			e.Have = append(e.Have, d.Name())
		}
		return nil, e
	}
	if v := d.Volume(volume); v != nil {
		return v, nil
	}
	e := &VolumeError{Dimension: dimension, Want: volume}
	for _, v := range d.Volumes() {
		e.Have = append(e.Have, v.Name)
	}
	return nil, e
}

// Cells are the cells of a chunk of any level.
type Cells struct {
	Volume voxel.Volume
	// Names of a palette are those in use, and cells count them; of another volume
	// they are all that it has.
	Names []string
	Cells *[voxel.ChunkCells]voxel.Cell // x fastest, then z, then y
}

// firstFar is the lowest level that world.ReadFar reads.
const firstFar = 3

// Chunk reads a chunk of a level of a volume; nil if all of it is the volume's
// default. To read a far level it may take maxBytes of memory (else
// convert.ErrTooLarge); 0 is no bound. Other errors are a *DimensionError, a
// *VolumeError and geom.ErrOutOfRange.
func (v Version) Chunk(ctx context.Context, dimension, volume string, level int, pos geom.ChunkPos, maxBytes int64) (_ *Cells, err error) {
	w, err := v.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	u, err := volumeOf(w, dimension, volume)
	if err != nil {
		return nil, err
	}
	out := &Cells{Volume: u.Volume, Names: u.Names(), Cells: new([voxel.ChunkCells]voxel.Cell)}
	if level >= firstFar {
		if maxBytes > 0 {
			err = v.weighFar(ctx, dimension, volume, level, maxBytes)
		}
		if err == nil {
			err = w.ReadFar(ctx, dimension, volume, level, pos.Box(), out.Cells[:])
		}
	} else {
		err = near(ctx, w, dimension, volume, level, pos, out)
	}
	if err != nil {
		return nil, err
	}
	return out.finish(), nil
}

// finish returns c with the names in use; nil if all of it is the default.
func (c *Cells) finish() *Cells {
	rest := c.Cells[:]
	for len(rest) > 0 && rest[0] == c.Volume.Default {
		rest = rest[1:]
	}
	if len(rest) == 0 {
		return nil
	}
	if c.Volume.Schema == voxel.Palette {
		c.compact()
	}
	return c
}

// Small returns a volume of the version with all of its chunks in memory, to be kept
// as long as one likes; nil if it may have more than maxChunks. It fails as Chunk
// does.
func (v Version) Small(ctx context.Context, dimension, volume string, maxChunks int) (_ *world.Volume, err error) {
	w, err := v.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if u, err := volumeOf(w, dimension, volume); err != nil || u.Len() > maxChunks {
		return nil, err
	}
	held, err := w.Load(ctx, dimension, world.Everywhere, volume)
	if err != nil {
		return nil, err
	}
	defer held.Release()
	return w.View().Dimension(dimension).Volume(volume), nil
}

// ChunkOf is Version.Chunk of a volume that is all in memory.
func ChunkOf(v *world.Volume, level int, pos geom.ChunkPos) (*Cells, error) {
	out := &Cells{Volume: v.Volume, Names: v.Names(), Cells: new([voxel.ChunkCells]voxel.Cell)}
	if !v.ReadBox(pos.Box(), level, out.Cells[:]) {
		return nil, fmt.Errorf("port: chunk %v of level %d: %w", pos, level, geom.ErrOutOfRange)
	}
	return out.finish(), nil
}

// near reads a chunk of a level of which a chunk is not much.
func near(ctx context.Context, w *world.World, dimension, volume string, level int, pos geom.ChunkPos, out *Cells) error {
	blocks := scaled(pos.Box(), out.Volume.Scale<<level)
	if blocks.Intersect(world.Everywhere) != blocks {
		return fmt.Errorf("port: chunk %v of level %d: %w", pos, level, geom.ErrOutOfRange)
	}
	held, err := w.Load(ctx, dimension, blocks, volume)
	if err != nil {
		return err
	}
	defer held.Release()
	if !w.View().Dimension(dimension).Volume(volume).ReadBox(pos.Box(), level, out.Cells[:]) {
		return fmt.Errorf("port: chunk %v of level %d: %w", pos, level, geom.ErrOutOfRange)
	}
	return nil
}

// compact leaves the names in use, in the order of their cells.
func (c *Cells) compact() {
	var counts [int(voxel.MaxCell) + 1]bool
	for _, cell := range c.Cells {
		counts[cell] = true
	}
	var table [int(voxel.MaxCell) + 1]voxel.Cell
	var names []string
	for cell, used := range counts {
		if used && cell < len(c.Names) {
			table[cell] = voxel.Cell(len(names))
			names = append(names, c.Names[cell])
		}
	}
	for i, cell := range c.Cells {
		c.Cells[i] = table[cell]
	}
	c.Names = names
}

// View reads of the version what is drawn of a dimension: see ViewOf.
func (v Version) View(ctx context.Context, dimension string, maxBytes int64) (_ *View, err error) {
	if err := v.weigh(ctx, maxBytes); err != nil {
		return nil, err
	}
	w, err := v.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	part := &convert.World{}
	for _, d := range w.View().Dimensions() {
		pd := &convert.Dimension{Name: d.Name()}
		part.Dimensions = append(part.Dimensions, pd)
		for _, u := range d.Volumes() {
			if !IsMatter(u.Name) && u.Name != liquid || dimension != "" && dimension != d.Name() {
				continue
			}
			pv := &convert.Volume{Volume: u.Volume, Names: slices.Clone(u.Names()), Chunks: map[geom.ChunkPos]*voxel.Chunk{}}
			pd.Volumes = append(pd.Volumes, pv)
			held, err := w.Load(ctx, d.Name(), world.Everywhere, u.Name)
			if err != nil {
				return nil, err
			}
			for pos, c := range w.View().Dimension(d.Name()).Volume(u.Name).Chunks() {
				if c != nil {
					pv.Chunks[pos] = c
				}
			}
			held.Release()
		}
	}
	return ViewOf(part, dimension)
}
