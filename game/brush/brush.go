// Package brush has tools for builders: they add and subtract shapes, paint, smooth, erode,
// grow, flatten, and fill a sea.
//
// A brush is a value such as Add{Shape: Ball(center, 5), Of: Named("stone")}. Do applies it
// to a volume of a world, in one update, and loads what it needs. For several touches in one
// update, or an update of undo.History, Hold what each needs and call its Apply.
//
// Brushes work on palettes of blocks and on terrain. On terrain they work finer than a cell.
// A shape fills the cells at its rim in part. To add takes the fuller of what is there and
// what the shape fills; to subtract leaves at most what the shape does not cover; a surface
// moves by parts of a cell. In other volumes a cell is full or empty, and belongs to a shape
// if its centre does.
//
// Brushes use nothing but the public methods of package world, so you can write your own. They
// know nothing of time: strokes, their pace and their undo are the caller's.
package brush

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/internal/format/block"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Brush is one touch of a tool. The brushes of this package are values that do not change.
type Brush interface {
	// Bounds returns a box with all cells of the volume that Apply reads or writes. They
	// must be in memory.
	Bounds() geom.Box
	// Apply works on a volume of an update. It fails if the brush makes no sense for that
	// volume. Everything else that goes wrong makes the update fail.
	Apply(v *world.VolumeTx) error
}

// Do loads the cells that the brush needs, which may be I/O, and applies it in one update.
func Do(ctx context.Context, w *world.World, dimension, volume string, b Brush) (*world.Change, error) {
	held, err := Hold(ctx, w, dimension, volume, b)
	if err != nil {
		return nil, err
	}
	defer held.Release()
	return w.Update(func(tx *world.Tx) error {
		return b.Apply(tx.Dimension(dimension).Volume(volume))
	})
}

// Hold loads the cells that the brush needs, which may be I/O, so that the caller can Apply it in
// an update. The caller releases it.
func Hold(ctx context.Context, w *world.World, dimension, volume string, b Brush) (*world.Held, error) {
	scale := 1
	if d := w.View().Dimension(dimension); d != nil {
		if v := d.Volume(volume); v != nil {
			scale = v.Scale
		}
	}
	times := func(p geom.Point) geom.Point { return geom.Point{X: p.X * scale, Y: p.Y * scale, Z: p.Z * scale} }
	in := b.Bounds()
	in = geom.Box{Min: times(in.Min), Max: times(in.Max)}
	volumes := []string{volume}
	if volume == voxel.Block { // columns derive data from blocks
		volumes = append(volumes, world.Columns)
	}
	return w.Load(ctx, dimension, in.Intersect(world.Everywhere), volumes...)
}

// Matter is a block, a material or a cell that a brush writes. The zero Matter is empty.
type Matter struct {
	name string
	cell voxel.Cell
}

// Named returns the matter of a name. In a palette volume a name that is new gets a cell, and one
// of a block of a game is completed; see block.State. In terrain it is a material, which fills its
// cells.
func Named(name string) Matter { return Matter{name: name} }

// Cell returns the matter of a cell.
func Cell(c voxel.Cell) Matter { return Matter{cell: c} }

// in returns the cell of the matter in a box of a volume.
func (m Matter) in(v *world.VolumeTx, b geom.Box) (voxel.Cell, error) {
	switch {
	case m.name == "":
		return m.cell, nil
	case v.Schema == voxel.Palette:
		name, err := block.State(m.name, v.Versions(b), v.Names())
		if err != nil {
			return voxel.Empty, fmt.Errorf("brush: %w", err)
		}
		return v.Named(name), nil
	case v.Schema == voxel.Terrain:
		if i := slices.Index(v.Names(), m.name); i >= 0 {
			return voxel.TerrainCell(uint8(i), 255), nil
		}
	}
	return voxel.Empty, fmt.Errorf("brush: volume %q has no material %q", v.Volume.Name, m.name)
}

// some is in, and fails if the matter is empty.
func (m Matter) some(v *world.VolumeTx, b geom.Box, brush string) (voxel.Cell, error) {
	c, err := m.in(v, b)
	if err == nil && v.Rule().Empty(c) {
		err = fmt.Errorf("brush: %s: cell %#x is empty", brush, uint16(c))
	}
	return c, err
}

// each calls f with the cells of the chunks that r touches, cut to the bounds of r,
// in the order of ReadBox. It writes them if f returns true.
func each(v *world.VolumeTx, r region.Region, f func(b geom.Box, cells []voxel.Cell) bool) {
	buf := make([]voxel.Cell, voxel.ChunkCells)
	for pos := range region.Chunks(r) {
		b := pos.Box().Intersect(r.Bounds())
		cells := buf[:b.Cells()]
		if !v.ReadBox(b, cells) {
			return
		}
		if f(b, cells) {
			v.WriteBox(b, cells)
		}
	}
}

// eachCell replaces the cells of r in b by the results of f and reports whether one
// changed. f may write to cells.
func eachCell(r region.Region, b geom.Box, cells []voxel.Cell, f func(p geom.Point, c voxel.Cell) voxel.Cell) (changed bool) {
	size := b.Size()
	for y := range size.Y {
		for z := range size.Z {
			row := cells[(y*size.Z+z)*size.X:][:size.X]
			r.Spans(b.Min.Y+y, b.Min.Z+z, func(x0, x1 int) bool {
				for x := max(x0, b.Min.X); x < min(x1, b.Max.X); x++ {
					p := geom.Point{X: x, Y: b.Min.Y + y, Z: b.Min.Z + z}
					was := row[x-b.Min.X]
					row[x-b.Min.X] = f(p, was)
					changed = changed || row[x-b.Min.X] != was
				}
				return x1 < b.Max.X
			})
		}
	}
	return changed
}
