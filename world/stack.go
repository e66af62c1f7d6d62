package world

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/cairnvoxel/cairn/stone"
	"github.com/cairnvoxel/cairn/store/history"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// openStack is the stones of a commit, open, bottom first. It never changes;
// several stacks may share an open stone.
type openStack []layer

type layer struct {
	history.Layer
	*openStone
}

// openStone is a stone that is open. It is closed when its last user lets go.
type openStone struct {
	*history.Opened
	users  atomic.Int32
	tables map[volumeName][]voxel.Cell // what cells of the stone are in the world; missing: the same. Complete once indexed
	known  bool                        // indexed
}

type volumeName struct{ dimension, volume string }

func newOpenStone(o *history.Opened) *openStone {
	return &openStone{Opened: o, tables: make(map[volumeName][]voxel.Cell)}
}

// openLayers opens the layers, each stone once, none that prev has open; prev must
// be held. Pages are read through cache.
func openLayers(ctx context.Context, st history.Store, name string, f history.Fetched, prev openStack, cache stone.PageCache) (openStack, error) {
	stones := make(map[stone.ID]*openStone, len(prev)+len(f.Layers))
	for _, l := range prev {
		stones[l.Stone.ID] = l.openStone
	}
	var p openStack
	for i, l := range f.Layers {
		b := stones[l.Stone.ID]
		if b == nil {
			opened, err := openLayer(ctx, st, name, f, i)
			if err != nil {
				p.release()
				return nil, fmt.Errorf("world: %s: stone %v: %w", name, l.Stone.ID, err)
			}
			opened.Reader = opened.Through(cache, l.Stone.ID)
			b = newOpenStone(opened)
			stones[l.Stone.ID] = b
		}
		b.users.Add(1)
		p = append(p, layer{l, b})
	}
	return p, nil
}

func (p openStack) stone(id stone.ID) *openStone {
	for _, l := range p {
		if l.Stone.ID == id {
			return l.openStone
		}
	}
	return nil
}

// run returns the Readers, bottom first.
func (p openStack) run() []*stone.Reader {
	run := make([]*stone.Reader, len(p))
	for i, l := range p {
		run[i] = l.Reader
	}
	return run
}

// hold adds a user to each layer; release takes one away.
func (p openStack) hold() openStack {
	for _, l := range p {
		l.users.Add(1)
	}
	return p
}

// release closes what nobody else uses. What is closed was only read, so an
// error would say nothing.
func (p openStack) release() {
	for _, l := range p {
		if l.users.Add(-1) == 0 {
			l.Close()
		}
	}
}

// layers returns what the stack was opened from.
func (p openStack) layers() []history.Layer {
	out := make([]history.Layer, len(p))
	for i, l := range p {
		out[i] = l.Layer
	}
	return out
}

// chunks calls f with the chunk of a volume at each position of want that the
// stack covers, in cells of the world; nil where it has no cells. want is in
// ascending order of code, the calls are not. An error of f ends it.
func (p openStack) chunks(ctx context.Context, v volumeName, want []geom.ChunkPos, f func(geom.ChunkPos, *voxel.Chunk) error) error {
	return p.read(ctx, v, want, func(pos geom.ChunkPos, c *voxel.Chunk, _ int) error { return f(pos, c) })
}

// read is chunks, and says which layer is the highest that says something of a position.
func (p openStack) read(ctx context.Context, v volumeName, want []geom.ChunkPos, f func(pos geom.ChunkPos, c *voxel.Chunk, top int) error) error {
	layers := make([]stone.Stacked, len(p))
	for i, l := range p {
		layers[i] = stone.Stacked{Reader: l.Reader, Table: l.tables[v]}
	}
	var stop error
	err := stone.ReadStack(ctx, layers, v.dimension, v.volume, want, func(pos geom.ChunkPos, c *voxel.Chunk, top int) error {
		stop = f(pos, c, top)
		return stop
	})
	if err != nil && stop == nil {
		err = fmt.Errorf("world: %w", err)
	}
	return err
}

// statement is what a stone is to say of one column: of the column itself, if it is not
// nil, or that it is gone with its lists; and of lists, sorted, also empty ones.
type statement struct {
	pos    geom.ColumnPos
	column *voxel.Column // without lists
	gone   bool
	lists  []voxel.List
	base   *voxel.Column // what the stones below say, nil if that is not known
}

// columnReader returns a reader of columns with these lists, which are sorted.
func (p openStack) columnReader(ctx context.Context, dim string, lists []string) *stone.ColumnStack {
	return stone.Columns(ctx, p.run(), dim, lists)
}

// withObjects returns the lists that are not empty, nil if all are. It changes
// lists.
func withObjects(lists []voxel.List) []voxel.List {
	lists = slices.DeleteFunc(lists, func(l voxel.List) bool { return len(l.Objects) == 0 })
	if len(lists) == 0 {
		return nil
	}
	return lists
}
