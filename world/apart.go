package world

import (
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
)

// Apart says where two commits may differ: what stones of either speak of that the
// other's stack does not have. Everywhere else they are the same.
type Apart struct {
	// Files are paths, sorted.
	Files []string
	where *dirty
}

// Apart says where the commits of two Snapshots may differ, from directories alone.
func (s *Snapshot) Apart(t *Snapshot) *Apart {
	where := s.stack.differing(t.stack)
	return &Apart{Files: slices.Sorted(maps.Keys(where.files)), where: where}
}

// Chunks returns positions in ascending order of code.
func (a *Apart) Chunks(dim, vol string) []geom.ChunkPos {
	return slices.SortedFunc(maps.Keys(a.where.chunks[volumeName{dim, vol}]), byCode)
}

// Columns returns positions in ascending order.
func (a *Apart) Columns(dim string) []geom.ColumnPos {
	return slices.SortedFunc(maps.Keys(a.where.columns[dim]), geom.ColumnPos.Compare)
}
