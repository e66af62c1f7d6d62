package grid

import (
	"fmt"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Sub returns the chunks of v that have a cell in b as a volume of their own.
// Everything else is the default. It copies pointers, not cells.
func (v *View) Sub(b geom.Box) *View {
	w := &View{vol: v.vol}
	if s, ok := spanOf(b, 0); ok {
		var changes []change
		v.root.walk(&s, func(code geom.Code, c *voxel.Chunk) bool {
			changes = append(changes, change{code, c})
			return true
		})
		w.root = w.root.merge(changes)
	}
	return w
}

// Cells are the cells of a box, copied from a View for pasting. They share the View's
// chunks and never change, so goroutines may share them.
type Cells struct {
	view *View
	box  geom.Box
}

// Copy returns the cells of b. It returns false if part of b is not loaded or out of
// range. It copies pointers, not cells.
func (v *View) Copy(b geom.Box) (*Cells, bool) {
	s, some := spanOf(b, 0)
	if !within(b, 0) || some && v.root.anyMissing(&s) {
		return nil, false
	}
	return &Cells{v.Sub(b), b}, true
}

// Box returns the box that the cells were copied from.
func (c *Cells) Box() geom.Box { return c.box }

// ReadBox is View.ReadBox for level 0 and a box within theirs.
func (c *Cells) ReadBox(b geom.Box, dst []voxel.Cell) bool {
	return b.Intersect(c.box) == b && c.view.ReadBox(b, 0, dst)
}

// PasteOptions say how Paste treats existing cells.
type PasteOptions struct {
	// SkipEmpty keeps the existing cell where the cell that is pasted counts as empty.
	SkipEmpty bool
}

// Paste writes c with its least corner at to. The cells must be
// valid in the volume. Without SkipEmpty a chunk that is written as a whole need not
// be loaded, and it is shared if it was one chunk in c.
func (d *Draft) Paste(c *Cells, to geom.Point, o PasteOptions) {
	move := to.Sub(c.box.Min)
	b := c.box.Add(move)
	if err := to.Check(); err != nil {
		d.fail(fmt.Errorf("grid: draft: %w", err))
	}
	if !d.checkBox(b) {
		return
	}
	aligned := move.InChunk() == geom.Point{}
	back := geom.Point{}.Sub(move)
	pieces(b, geom.ChunkShift, func(pos geom.ChunkPos, in geom.Box) bool {
		from := in.Add(back)
		whole := in.Cells() == voxel.ChunkCells
		if whole && aligned && !o.SkipEmpty {
			d.SetChunk(pos, c.view.chunk(from.Min.Chunk()))
			return d.err == nil
		}
		cells := d.room(in.Cells())
		c.view.ReadBox(from, 0, cells)
		if o.SkipEmpty {
			d.writeMatter(in, cells)
		} else {
			d.WriteBox(in, cells)
		}
		return d.err == nil
	})
}

// room returns memory for n cells until the next call.
func (d *Draft) room(n int) []voxel.Cell {
	if cap(d.scratch) < n {
		d.scratch = make([]voxel.Cell, voxel.ChunkCells)
	}
	return d.scratch[:n]
}

// writeMatter writes the cells of in that do not count as empty. in is part of one
// chunk.
func (d *Draft) writeMatter(in geom.Box, cells []voxel.Cell) {
	if !d.checkCells(cells) {
		return
	}
	w := in.Max.X - in.Min.X
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for z := in.Min.Z; z < in.Max.Z; z++ {
			for x, v := range cells[:w] {
				if !d.view.vol.rule.Empty(v) {
					d.Set(geom.Point{X: in.Min.X + x, Y: y, Z: z}, v)
				}
			}
			cells = cells[w:]
		}
	}
}
