package stone

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/voxel/geom"
)

// EntriesIn is Entries of level 0 for the chunks that have a cell in a box. It looks at few entries
// that lie elsewhere, however many there are.
func (s *Reader) EntriesIn(dim, vol string, b geom.Box) iter.Seq2[geom.ChunkPos, bool] {
	if b == geom.Root.Box() {
		return s.Entries(dim, vol, 0)
	}
	return func(yield func(geom.ChunkPos, bool) bool) {
		v, entries := s.entries(dim, vol, 0)
		touches := func(p geom.ChunkPos, edge int) bool {
			edge *= geom.ChunkEdge
			return !geom.Box{Min: p.Min(), Max: p.Min().Add(geom.Point{X: edge, Y: edge, Z: edge})}.Intersect(b).Empty()
		}
		const depth = geom.MaxDepth - 2 // of a cube of an entry
		descend(entries, 1<<(3*depth), depth, 3, func(key uint64, up int) bool { return touches(cubeChunk(key, 0), 4<<up) }, func(e *entry) bool {
			holds := e.holds(v.Default)
			for m := e.mask; m != 0; m &= m - 1 {
				if pos := cubeChunk(e.key, bits.TrailingZeros64(m)); touches(pos, 1) && !yield(pos, holds) {
					return false
				}
			}
			return true
		})
	}
}

// ColumnEntriesIn is ColumnEntries for the columns that lie over or under a box. It looks at few
// entries that lie elsewhere.
func (s *Reader) ColumnEntriesIn(dim string, b geom.Box) iter.Seq2[geom.ColumnPos, bool] {
	if b == geom.Root.Box() {
		return s.ColumnEntries(dim)
	}
	return func(yield func(geom.ColumnPos, bool) bool) {
		touches := func(p geom.ColumnPos, edge int) bool {
			at := p.Min(0)
			edge *= geom.ColumnEdge
			return at.X < b.Max.X && at.X+edge > b.Min.X && at.Z < b.Max.Z && at.Z+edge > b.Min.Z
		}
		const depth = geom.MaxDepth + 1 - 3 // of a square of an entry
		descend(s.dimension(dim).columns, 0, depth, 2, func(key uint64, up int) bool { return touches(columnAt(key, 0), 8<<up) }, func(e *entry) bool {
			for m := e.mask; m != 0; m &= m - 1 {
				if pos := columnAt(e.key, bits.TrailingZeros64(m)); touches(pos, 1) && !yield(pos, e.paged()) {
					return false
				}
			}
			return true
		})
	}
}

// descend visits the entries of a cube, or a square, that lie in parts of it that touches reports:
// its keys are the 1<<(axes*up) from key on. Each part is 1<<(axes*up) entries large at most.
func descend(entries []entry, key uint64, up, axes int, touches func(key uint64, up int) bool, visit func(*entry) bool) bool {
	if len(entries) == 0 || !touches(key, up) {
		return true
	}
	if up == 0 {
		for i := range entries {
			if !visit(&entries[i]) {
				return false
			}
		}
		return true
	}
	for part := range uint64(1) << axes {
		from := key + part<<(axes*(up-1))
		n, _ := slices.BinarySearchFunc(entries, from+1<<(axes*(up-1)), func(e entry, k uint64) int { return cmp.Compare(e.key, k) })
		if !descend(entries[:n], from, up-1, axes, touches, visit) {
			return false
		}
		entries = entries[n:]
	}
	return true
}
