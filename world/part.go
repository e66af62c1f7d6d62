package world

import (
	"errors"
	"fmt"
	"maps"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// ErrPart says that a world of Options.Part would know of more than that.
var ErrPart = errors.New("the part of the world has too many chunks and columns")

// part is what a world of Options.Part knows of: what lies in boxes that were asked for.
type part struct {
	left  int                       // how many chunks and columns it may come to know
	boxes map[volumeName][]geom.Box // of chunks of a volume, or of columns
}

// knows reports whether a place lies in a box that was asked for.
func (p *part) knows(name volumeName, at geom.Point) bool {
	for _, b := range p.boxes[name] {
		if b.Contains(at) {
			return true
		}
	}
	return false
}

// FindColumns lets a world of Options.Part know which columns a dimension has. Other worlds know.
func (w *World) FindColumns(dimension string) error {
	return w.know(dimension, func(name string) bool { return name == Columns }, Everywhere)
}

// know lets a world of Options.Part know what its stack has in a box, of what has says.
func (w *World) know(dimension string, has func(string) bool, box geom.Box) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	box = box.Intersect(Everywhere)
	if w.part == nil || box.Empty() {
		return nil
	}
	s := w.now.Load().edit()
	d := s.editDimension(s.dimension(dimension))
	one := geom.Point{X: 1, Y: 1, Z: 1}
	for j, v := range d.volumes {
		in := inVolume(box, v.Scale).Intersect(Everywhere)
		if !has(v.Name) || in.Empty() {
			continue
		}
		name, low, high := volumeName{dimension, v.Name}, in.Min.Chunk(), in.Max.Sub(one).Chunk()
		found := make(map[geom.ChunkPos]bool)
		for _, l := range w.stack {
			for pos, there := range l.EntriesIn(dimension, v.Name, low, high) {
				if at := chunkPoint(pos); !w.part.knows(name, at) && !w.dirty.hasChunk(name, pos) && !w.saved.hasChunk(name, pos) {
					found[pos] = there
				}
			}
		}
		var placed []grid.Placed
		for pos, there := range found {
			if there {
				placed = append(placed, grid.Placed{Pos: pos, Chunk: grid.NotLoaded})
			}
		}
		if err := w.part.add(name, geom.Box{Min: chunkPoint(low), Max: chunkPoint(high).Add(one)}, len(placed)); err != nil {
			return fmt.Errorf("world: %s: %w", w.name, err)
		}
		d.setCells(j, v.cells.With(placed))
	}
	if has(Columns) {
		name, low, high := volumeName{dimension, ""}, box.Min.Column(), box.Max.Sub(one).Column()
		found := make(map[geom.ColumnPos]*voxel.Column)
		for _, l := range w.stack {
			for pos, there := range l.ColumnEntriesIn(dimension, low, high) {
				switch {
				case w.part.knows(name, geom.Point{X: int(pos.X), Z: int(pos.Z)}), w.dirty.hasColumn(dimension, pos), w.saved.hasColumn(dimension, pos):
				case there:
					found[pos] = unloaded
				default:
					delete(found, pos)
				}
			}
		}
		known := geom.Box{Min: geom.Point{X: int(low.X), Z: int(low.Z)}, Max: geom.Point{X: int(high.X) + 1, Y: 1, Z: int(high.Z) + 1}}
		if err := w.part.add(name, known, len(found)); err != nil {
			return fmt.Errorf("world: %s: %w", w.name, err)
		}
		d.columns = d.columns.with(maps.All(found))
	}
	w.now.Store(s)
	return nil
}

// chunkPoint returns the position of a chunk as a point that counts chunks.
func chunkPoint(pos geom.ChunkPos) geom.Point {
	return geom.Point{X: int(pos.X), Y: int(pos.Y), Z: int(pos.Z)}
}

// add notes that a box is known, with so many more chunks or columns.
func (p *part) add(name volumeName, b geom.Box, more int) error {
	if p.left -= more; p.left < 0 {
		return ErrPart
	}
	p.boxes[name] = append(p.boxes[name], b)
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
