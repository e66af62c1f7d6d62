package stone

import (
	"iter"
	"math"
	"math/bits"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Entries yields the chunks of a volume's level that the stone has entries for, in
// ascending order of code. It reads only the directory. false says that the chunk is
// all default; true says that it may not be.
func (s *Reader) Entries(dim, vol string, level int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		v, entries := s.entries(dim, vol, level)
		for _, e := range entries {
			holds := e.holds(v.Default)
			for m := e.mask; m != 0; m &= m - 1 {
				if !yield(cubeChunk(e.key, bits.TrailingZeros64(m)), holds) {
					return
				}
			}
		}
	}
}

// ColumnEntries yields the columns of a dimension that the stone has entries for, in
// ascending order of position. It reads only the directory. false says that the
// column is deleted with all its lists.
func (s *Reader) ColumnEntries(dim string) iter.Seq2[geom.ColumnPos, bool] {
	return func(yield func(geom.ColumnPos, bool) bool) {
		for _, e := range s.dimension(dim).columns {
			for m := e.mask; m != 0; m &= m - 1 {
				if !yield(columnAt(e.key, bits.TrailingZeros64(m)), e.paged()) {
					return
				}
			}
		}
	}
}

// ColumnCount returns the number of columns of a dimension. It reads only the
// directory.
func (s *Reader) ColumnCount(dim string) (n int) {
	for _, e := range s.dimension(dim).columns {
		if e.paged() {
			n += bits.OnesCount64(e.mask)
		}
	}
	return n
}

// ListEntries yields the columns for which the stone has a list of that name, in
// ascending order of position. It reads only the directory and leaves out deleted
// columns.
func (s *Reader) ListEntries(dim, list string) iter.Seq[geom.ColumnPos] {
	return func(yield func(geom.ColumnPos) bool) {
		for _, e := range s.dimension(dim).entriesOf(list) {
			for m := e.mask; m != 0; m &= m - 1 {
				if !yield(columnAt(e.key, bits.TrailingZeros64(m))) {
					return
				}
			}
		}
	}
}

// FileEntries yields the paths of files that the stone has entries for, sorted.
// false says that the file is deleted.
func (s *Reader) FileEntries() iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		for _, f := range s.dir.files {
			if !yield(f.path, !f.gone) {
				return
			}
		}
	}
}

// entriesOf returns the entries of the list of that name.
func (d *dimension) entriesOf(list string) []entry {
	for i := range d.lists {
		if d.lists[i].name == list {
			return d.lists[i].entries
		}
	}
	return nil
}

// loose yields the columns for which the stone has only lists, in ascending order.
func (d *dimension) loose() iter.Seq[geom.ColumnPos] {
	return func(yield func(geom.ColumnPos) bool) {
		rest := make([][]entry, len(d.lists))
		for i, l := range d.lists {
			rest[i] = l.entries
		}
		for columns := d.columns; ; {
			key := uint64(math.MaxUint64)
			for _, r := range rest {
				if len(r) > 0 {
					key = min(key, r[0].key)
				}
			}
			if key == math.MaxUint64 {
				return
			}
			mask, said := uint64(0), uint64(0)
			for i := range rest {
				var m uint64
				m, rest[i] = square(rest[i], key)
				mask |= m
			}
			said, columns = square(columns, key)
			for m := mask &^ said; m != 0; m &= m - 1 {
				if !yield(columnAt(key, bits.TrailingZeros64(m))) {
					return
				}
			}
		}
	}
}

// square returns the columns of a square that have entries, and the entries after
// it.
func square(entries []entry, key uint64) (mask uint64, rest []entry) {
	for len(entries) > 0 && entries[0].key <= key {
		if entries[0].key == key {
			mask |= entries[0].mask
		}
		entries = entries[1:]
	}
	return mask, entries
}

// Cubes yields where a run of stones, bottom first, has chunks of a volume that may hold something: cubes of
// 4x4x4 chunks in ascending order, by the code of level 2, and which of the chunks, by the last six bits of their
// codes. Where several stones have an entry for a chunk, the highest one counts. It reads only
// directories.
func Cubes(run []*Reader, dim, vol string) iter.Seq2[geom.Code, uint64] {
	layers, defaults := make([][]entry, len(run)), make([]voxel.Cell, len(run))
	for i, r := range run {
		if v, entries := r.entries(dim, vol, 0); v != nil {
			layers[i], defaults[i] = entries, v.Default
		}
	}
	return func(yield func(geom.Code, uint64) bool) {
		there(layers, func(layer int, e *entry) bool { return e.holds(defaults[layer]) })(func(key, mask uint64) bool { return yield(geom.Code(key), mask) })
	}
}

// Squares yields where a run of stones, bottom first, has columns: squares of 8x8 columns by the first column,
// and which of the columns, by z<<3 | x of the last three bits of each. It reads only directories.
func Squares(run []*Reader, dim string) iter.Seq2[geom.ColumnPos, uint64] {
	layers := make([][]entry, len(run))
	for i, r := range run {
		layers[i] = r.dimension(dim).columns
	}
	return func(yield func(geom.ColumnPos, uint64) bool) {
		there(layers, func(_ int, e *entry) bool { return e.paged() })(func(key, mask uint64) bool {
			first, columns := columnAt(key, 0), mask
			if mask != math.MaxUint64 {
				for columns = 0; mask != 0; mask &= mask - 1 {
					at := columnAt(key, bits.TrailingZeros64(mask))
					columns |= 1 << (at.Z&7<<3 | at.X&7)
				}
			}
			return yield(first, columns)
		})
	}
}

// there yields the keys of entries in ascending order, each with the neighbours of which the highest layer with
// an entry says that they are there.
func there(layers [][]entry, says func(layer int, e *entry) bool) iter.Seq2[uint64, uint64] {
	return func(yield func(uint64, uint64) bool) {
		next := make([]int, len(layers))
		for {
			key := uint64(math.MaxUint64)
			for l, entries := range layers {
				if next[l] < len(entries) {
					key = min(key, entries[next[l]].key)
				}
			}
			if key == math.MaxUint64 {
				return
			}
			there, taken := uint64(0), uint64(0)
			for l := len(layers) - 1; l >= 0; l-- {
				said := uint64(0)
				for ; next[l] < len(layers[l]) && layers[l][next[l]].key == key; next[l]++ {
					e := &layers[l][next[l]]
					if said |= e.mask; says(l, e) {
						there |= e.mask &^ taken
					}
				}
				taken |= said
			}
			if there != 0 && !yield(key, there) {
				return
			}
		}
	}
}

// holds reports whether chunks of the entry may hold something besides the default.
func (e *entry) holds(def voxel.Cell) bool {
	return e.page != nonePage && (e.page != constPage || e.value != def)
}
