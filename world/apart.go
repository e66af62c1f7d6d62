package world

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// Apart says where two commits may differ: what stones of either cover that the
// other's stack does not have. Everywhere else they are the same.
type Apart struct {
	// Files are paths, sorted.
	Files []string
	// Properties says that facts about the world differ.
	Properties bool
	where      *dirty
}

// Beside reports whether two commits stand on the same lowest stone. If they do not, Apart names
// everything that they hold.
func (s *Snapshot) Beside(t *Snapshot) bool {
	return len(s.stack) > 0 && len(t.stack) > 0 && s.stack[0].Stone.ID == t.stack[0].Stone.ID
}

// Apart says where the commits of two Snapshots may differ, from directories alone.
func (s *Snapshot) Apart(t *Snapshot) *Apart {
	where := s.stack.differing(t.stack)
	same := slices.Equal(s.About().Properties, t.About().Properties)
	return &Apart{slices.Sorted(maps.Keys(where.files)), !same, where}
}

// Chunks returns positions in ascending order of code.
func (a *Apart) Chunks(dim, vol string) []geom.ChunkPos {
	return slices.SortedFunc(maps.Keys(a.where.chunks[volumeName{dim, vol}]), byCode)
}

// Columns returns positions in ascending order.
func (a *Apart) Columns(dim string) []geom.ColumnPos {
	return slices.SortedFunc(maps.Keys(a.where.columns[dim]), geom.ColumnPos.Compare)
}

// ReadSource returns a chunk as a commit has it, nil if all of it is the default, and the newest
// commit that the layer stands for which says so. On the way down from the Snapshot's
// commit, no stone of a later one covers the chunk. If no stone covers it, that is the
// lowest layer: a full pack leaves out what is the default.
func (s *Snapshot) ReadSource(ctx context.Context, dim, vol string, pos geom.ChunkPos) (*voxel.Chunk, history.ID, error) {
	if err := s.live(); err != nil {
		return nil, history.ID{}, err
	}
	if len(s.stack) == 0 {
		return nil, history.ID{}, nil
	}
	var chunk *voxel.Chunk
	layer := 0
	err := s.stack.read(ctx, volumeName{dim, vol}, []geom.ChunkPos{pos}, func(_ geom.ChunkPos, c *voxel.Chunk, top int) error {
		chunk, layer = c, top
		return nil
	})
	if err != nil {
		return nil, history.ID{}, err
	}
	return chunk, s.stack[layer].Upto, nil
}

// differing returns what stones cover that p and q do not have in common.
func (p openStack) differing(q openStack) *dirty {
	same := 0
	for same < len(p) && same < len(q) && p[same].Stone.ID == q[same].Stone.ID {
		same++
	}
	out := new(dirty)
	for _, rest := range []openStack{p[same:], q[same:]} {
		for _, l := range rest {
			l.addEntries(out)
		}
	}
	return out
}

// addEntries adds to d what the stone covers.
func (b *openStone) addEntries(d *dirty) {
	for _, dim := range b.Dimensions() {
		for _, v := range dim.Volumes {
			for pos := range b.Entries(dim.Name, v.Volume.Name, 0) {
				d.in(volumeName{dim.Name, v.Volume.Name})[pos] = true
			}
		}
		for pos := range b.ColumnEntries(dim.Name) {
			d.column(dim.Name, pos, parts{column: true})
		}
		for _, list := range dim.Lists {
			for pos := range b.ListEntries(dim.Name, list) {
				d.column(dim.Name, pos, parts{lists: map[string]bool{list: true}})
			}
		}
	}
	for path := range b.FileEntries() {
		d.file(path)
	}
}

// Apart says where the world as it is now may differ from a Snapshot: what stones of
// either cover that the other's stack does not have, and what no commit holds yet.
func (w *World) Apart(s *Snapshot) (*Apart, error) { return w.apart(s.stack, new(dirty)) }

// apart is Apart from a stack on which something else was changed.
func (w *World) apart(p openStack, changed *dirty) (*Apart, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("world: %s: %w", w.name, ErrClosed)
	}
	where := w.stack.differing(p)
	where.add(w.unsaved())
	where.add(changed)
	return &Apart{slices.Sorted(maps.Keys(where.files)), where.all, where}, nil
}
