package world

import (
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/grid"
)

// keeper says what of a volume, or of the columns, of a dimension somebody holds.
type keeper struct {
	all   bool
	boxes []geom.Box // in cells of the dimension
}

// keeps reports whether somebody holds what touches box.
func (k keeper) keeps(box geom.Box) bool {
	return k.all || slices.ContainsFunc(k.boxes, func(b geom.Box) bool { return !b.Intersect(box).Empty() })
}

// The callers of what follows hold w.mu.

// keeper returns what is held of a volume, or of Columns, within a box.
func (w *World) keeper(dim, volume string, within geom.Box) keeper {
	return w.keeperOf(dim, volume, func(h *Held) bool { return !h.box.Intersect(within).Empty() })
}

// keeperOf returns what some of those that hold something hold of a volume, or of Columns.
func (w *World) keeperOf(dim, volume string, some func(*Held) bool) keeper {
	k := keeper{all: w.o.Whole}
	for h := range w.held {
		if h.dim == dim && h.has(volume) && some(h) {
			k.boxes = append(k.boxes, h.box)
		}
	}
	return k
}

// drop returns the volume without those of the chunks that nothing keeps in
// memory.
func (w *World) drop(d *dimension, v *volume, k keeper, chunks iter.Seq2[geom.ChunkPos, *voxel.Chunk]) *grid.View {
	name := volumeName{d.name, v.Name}
	var gone []grid.Placed
	for pos, c := range chunks {
		if c == nil || w.dirty.hasChunk(name, pos) || w.saved.hasChunk(name, pos) || k.keeps(overChunk(pos, v.Scale)) {
			continue
		}
		gone = append(gone, grid.Placed{Pos: pos, Chunk: grid.NotLoaded})
	}
	if len(gone) == 0 {
		return v.cells
	}
	return v.cells.With(gone)
}

// dropColumns takes those of the columns out of memory that nothing keeps there.
func (w *World) dropColumns(d *dimension, k keeper, columns iter.Seq[geom.ColumnPos]) {
	d.columns = d.columns.with(func(yield func(geom.ColumnPos, *voxel.Column) bool) {
		for pos := range columns {
			c := d.columns.at(pos)
			if c == nil || c == unloaded || w.dirty.hasColumn(d.name, pos) || w.saved.hasColumn(d.name, pos) || k.keeps(columnBox(pos)) {
				continue
			}
			if !yield(pos, unloaded) {
				return
			}
		}
	})
}

// columnBox returns the cells of a column.
func columnBox(pos geom.ColumnPos) geom.Box {
	b := geom.Box{Min: pos.Min(Everywhere.Min.Y)}
	b.Max = b.Min.Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})
	b.Max.Y = Everywhere.Max.Y
	return b
}

// dropHeld takes out of memory what h held and nothing else keeps there. s must be
// made by edit.
func (w *World) dropHeld(s *state, h *Held) {
	i := s.dimension(h.dim)
	if i < 0 {
		return
	}
	d := s.editDimension(i)
	for j, v := range d.volumes {
		if h.has(v.Name) {
			k := w.keeper(d.name, v.Name, grown(h.box, geom.ChunkEdge*v.Scale))
			d.setCells(j, w.drop(d, v, k, v.cells.ChunksIn(inVolume(h.box, v.Scale))))
		}
	}
	if h.has(Columns) {
		tall := grown(h.box, geom.ColumnEdge)
		tall.Min.Y, tall.Max.Y = Everywhere.Min.Y, Everywhere.Max.Y
		w.dropColumns(d, w.keeper(d.name, Columns, tall), keysOf(d.columns.in(h.box)))
	}
}

// grown returns the box with so many cells more on all sides.
func grown(b geom.Box, by int) geom.Box {
	more := geom.Point{X: by, Y: by, Z: by}
	return geom.Box{Min: b.Min.Sub(more), Max: b.Max.Add(more)}
}

// dropFiles takes the bytes of files that a commit has made durable out of
// memory.
func (s *state) dropFiles(saved *dirty, again *dirty) {
	if len(saved.files) == 0 {
		return
	}
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
		d := s.editDimension(i)
		for j, v := range old.volumes {
			if chunks := saved.chunks[volumeName{old.name, v.Name}]; len(chunks) > 0 {
				d.setCells(j, w.drop(old, v, w.keeper(old.name, v.Name, Everywhere), v.loaded(chunks)))
			}
		}
		if columns := saved.columns[old.name]; len(columns) > 0 {
			w.dropColumns(d, w.keeper(old.name, Columns, Everywhere), maps.Keys(columns))
		}
	}
	w.now.Store(s)
}

func keysOf[K, V any](seq iter.Seq2[K, V]) iter.Seq[K] {
	return func(yield func(K) bool) {
		for k := range seq {
			if !yield(k) {
				return
			}
		}
	}
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

// packedChunk is a chunk that updates have patched, and the same packed.
type packedChunk struct {
	volume      volumeName
	pos         geom.ChunkPos
	old, packed *voxel.Chunk
}

// builders lend their memory to commits, most of which pack a chunk or two.
var builders = sync.Pool{New: func() any { return new(voxel.ChunkBuilder) }}

// packed packs those of the chunks that a commit saves that updates have patched.
func (s *state) packed(saved *dirty) (out []packedChunk) {
	b := builders.Get().(*voxel.ChunkBuilder)
	defer builders.Put(b)
	for _, d := range s.dimensions {
		for _, v := range d.volumes {
			name := volumeName{d.name, v.Name}
			for pos, c := range v.loaded(saved.chunks[name]) {
				if p := c.Compact(b); p != c {
					out = append(out, packedChunk{name, pos, c, p})
				}
			}
		}
	}
	return out
}

// with returns s with packed chunks where the patched ones still are.
func (s *state) with(chunks []packedChunk) *state {
	if len(chunks) == 0 {
		return s
	}
	out := s.edit()
	for i, old := range s.dimensions {
		d := out.editDimension(i)
		for j, v := range old.volumes {
			var placed []grid.Placed
			for _, p := range chunks {
				if c, _ := v.cells.Chunk(p.pos); c == p.old && p.volume == (volumeName{old.name, v.Name}) {
					placed = append(placed, grid.Placed{Pos: p.pos, Chunk: p.packed})
				}
			}
			if len(placed) > 0 {
				d.setCells(j, v.cells.With(placed))
			}
		}
	}
	return out
}
