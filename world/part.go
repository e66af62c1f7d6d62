package world

import (
	"errors"
	"fmt"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// ErrPart says that a world of Options.Part would know of more than that.
var ErrPart = errors.New("the part of the world has too many chunks and columns")

// part is what a world of Options.Part knows of: what lies in boxes that were asked for.
type part struct {
	left  int                       // how many chunks and columns it may come to know
	boxes map[volumeName][]geom.Box // of a volume, or of columns if the volume is ""
}

// knows reports whether a box lies in one that was asked for.
func (p *part) knows(name volumeName, b geom.Box) bool {
	return slices.ContainsFunc(p.boxes[name], func(known geom.Box) bool { return known.Intersect(b) == b })
}

// LoadColumns lets a world of Options.Part know which columns a dimension has. Other worlds know.
func (w *World) LoadColumns(dimension string) error {
	return w.know(dimension, func(name string) bool { return name == Columns }, Everywhere)
}

// know lets a world of Options.Part know what its stack has in a box, of what has says.
func (w *World) know(dimension string, has func(string) bool, box geom.Box) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if box = box.Intersect(Everywhere); w.part == nil || box.Empty() {
		return nil
	}
	s := w.now.Load().edit()
	i := s.dimension(dimension)
	if i < 0 {
		return fmt.Errorf("world: %s: no dimension %q", w.name, dimension)
	}
	d := s.editDimension(i)
	chunks := func(b geom.Box) geom.Box { // all of those that b touches
		return b.Over(geom.ChunkEdge).Scale(geom.ChunkEdge).Intersect(Everywhere)
	}
	for j, v := range d.volumes {
		name, in := volumeName{dimension, v.Name}, chunks(inVolume(box, v.Scale))
		if !has(v.Name) || in.Empty() || w.part.knows(name, in) {
			continue
		}
		cells := w.stack.placeholders(name, v.cells, in, func(pos geom.ChunkPos) bool {
			return w.part.knows(name, pos.Box()) || w.dirty.hasChunk(name, pos) || w.saved.hasChunk(name, pos)
		})
		d.setCells(j, cells)
		w.part.left -= cells.Len() - v.cells.Len()
		w.part.boxes[name] = append(w.part.boxes[name], in)
	}
	name, in := volumeName{dimension, ""}, chunks(box)
	in.Min.Y, in.Max.Y = Everywhere.Min.Y, Everywhere.Max.Y
	if has(Columns) && !w.part.knows(name, in) {
		for _, l := range w.stack {
			d.columns = d.columns.with(l.columnEntries(dimension, in, func(pos geom.ColumnPos) bool {
				known := w.part.knows(name, columnBox(pos)) || w.dirty.hasColumn(dimension, pos) || w.saved.hasColumn(dimension, pos)
				if !known {
					w.part.left--
				}
				return known
			}))
		}
		w.part.boxes[name] = append(w.part.boxes[name], in)
	}
	if w.part.left < 0 {
		return fmt.Errorf("world: %s: %w", w.name, ErrPart)
	}
	w.now.Store(s)
	return nil
}

// bare returns what s says without its chunks and columns.
func (s *state) bare(empty []string) *state {
	out := s.edit()
	for i := range out.dimensions {
		d := out.editDimension(i)
		d.columns = &columns{}
		for j, v := range d.volumes {
			d.setCells(j, grid.New(v.options(empty)))
		}
	}
	return out
}
