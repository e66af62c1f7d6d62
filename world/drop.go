package world

import (
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/grid"
	"github.com/cairnvoxel/cairn/voxel"
)

// What follows needs mu.

// keeps reports whether somebody holds what touches box, of a dimension and in
// its cells.
func (w *World) keeps(dim, volume string, box geom.Box) bool {
	if w.o.Whole {
		return true
	}
	for h := range w.held {
		if h.dim == dim && !h.box.Intersect(box).Empty() && slices.Contains(h.volumes, volume) {
			return true
		}
	}
	return false
}

// drop returns the volume without those of the chunks that nothing keeps in
// memory.
func (w *World) drop(d *dimension, v *volume, chunks iter.Seq2[geom.ChunkPos, *voxel.Chunk]) *grid.View {
	name := volumeName{d.name, v.Name}
	var gone []grid.Placed
	for pos, c := range chunks {
		if c == nil || w.dirty.hasChunk(name, pos) || w.saved.hasChunk(name, pos) || w.keeps(d.name, v.Name, scaled(pos.Box(), v.Scale)) {
			continue
		}
		gone = append(gone, grid.Placed{Pos: pos, Chunk: grid.NotLoaded})
	}
	if len(gone) == 0 {
		return v.cells
	}
	return v.cells.With(gone)
}

// scaled returns the cells of the dimension that a box of a volume of that
// scale covers.
func scaled(b geom.Box, scale int) geom.Box {
	return geom.Box{
		Min: geom.Point{X: b.Min.X * scale, Y: b.Min.Y * scale, Z: b.Min.Z * scale},
		Max: geom.Point{X: b.Max.X * scale, Y: b.Max.Y * scale, Z: b.Max.Z * scale},
	}
}

// dropColumns takes the columns that touch box out of memory, but for those
// that something keeps there.
func (w *World) dropColumns(d *dimension, box geom.Box) {
	gone := make(map[geom.ColumnPos]*voxel.Column)
	for pos, c := range d.columns.in(box) {
		if c == unloaded || w.dirty.hasColumn(d.name, pos) || w.saved.hasColumn(d.name, pos) || w.keeps(d.name, Columns, columnBox(pos)) {
			continue
		}
		gone[pos] = unloaded
	}
	d.columns = d.columns.with(gone)
}

// columnBox returns the cells of a column.
func columnBox(pos geom.ColumnPos) geom.Box {
	b := geom.Box{Min: pos.Min(Everywhere.Min.Y)}
	b.Max = b.Min.Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})
	b.Max.Y = Everywhere.Max.Y
	return b
}

// dropFiles takes the bytes of files that a commit has made durable out of
// memory.
func (s *state) dropFiles(saved *dirty, again *dirty) {
	s.files = slices.Clone(s.files)
	for i := range s.files {
		if path := s.files[i].Path; saved.files[path] && !again.files[path] {
			s.files[i].data = nil
		}
	}
}

// dropSaved takes out of memory what a commit has made durable and nothing
// keeps there.
func (w *World) dropSaved(saved *dirty) {
	s := w.now.Load().edit()
	s.dropFiles(saved, w.dirty)
	for i, old := range s.dimensions {
		var d *dimension
		edit := func() *dimension {
			if d == nil {
				d = s.editDimension(i)
			}
			return d
		}
		for j, v := range old.volumes {
			if chunks := saved.chunks[volumeName{old.name, v.Name}]; len(chunks) > 0 {
				edit().setCells(j, w.drop(old, v, v.loaded(chunks)))
			}
		}
		for pos := range saved.columns[old.name] {
			w.dropColumns(edit(), columnBox(pos))
		}
	}
	w.now.Store(s)
}

// loaded yields those of the chunks that are there and in memory.
func (v *volume) loaded(chunks map[geom.ChunkPos]bool) iter.Seq2[geom.ChunkPos, *voxel.Chunk] {
	return func(yield func(geom.ChunkPos, *voxel.Chunk) bool) {
		for pos := range chunks {
			if c, ok := v.cells.Chunk(pos); ok && c != nil && !yield(pos, c) {
				return
			}
		}
	}
}
