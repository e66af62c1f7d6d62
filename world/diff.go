package world

import (
	"bytes"
	"context"
	"maps"
	"math/bits"
	"reflect"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/history"
	"github.com/cairnvoxel/cairn/voxel"
)

// Difference says where two commits of a world differ. All of it ascends: by
// dimension and volume as the world has them, by code, by position, by path.
type Difference struct {
	Volumes    []VolumeDifference
	Columns    []ColumnDifference
	Files      []string
	Properties bool
}

// VolumeDifference is where a volume differs.
type VolumeDifference struct {
	Dimension, Volume string
	Chunks            []ChunkDifference
}

// ChunkDifference is how many cells of a chunk differ, by what they mean.
type ChunkDifference struct {
	Pos   geom.ChunkPos
	Cells int
}

// ColumnDifference is a column that differs, in itself or in its lists.
type ColumnDifference struct {
	Dimension string
	Pos       geom.ColumnPos
}

// Cells returns how many cells of the volume differ.
func (v *VolumeDifference) Cells() (n int) {
	for _, c := range v.Chunks {
		n += c.Cells
	}
	return n
}

// Diff compares two commits of the world. It reads only what stones of either
// say that the other's stack does not have.
func (w *World) Diff(ctx context.Context, a, b history.ID) (*Difference, error) {
	p, err := w.openStack(ctx, a)
	if err != nil {
		return nil, err
	}
	defer p.release()
	q, err := w.openStack(ctx, b)
	if err != nil {
		return nil, err
	}
	defer q.release()
	s, t, err := w.indexBoth(p, q)
	if err != nil {
		return nil, err
	}
	changed := p.differing(q)
	d := &Difference{Properties: !slices.Equal(s.properties, t.properties)}
	for _, dim := range union(s, t) {
		for _, v := range dim.volumes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			name := volumeName{dim.name, v.Name}
			chunks, err := compareChunks(ctx, p, q, name, v.Default, changed.chunks[name])
			if err != nil {
				return nil, err
			}
			if len(chunks) > 0 {
				d.Volumes = append(d.Volumes, VolumeDifference{dim.name, v.Name, chunks})
			}
		}
		if err := d.compareColumns(ctx, p, q, dim, changed.columns[dim.name]); err != nil {
			return nil, err
		}
	}
	return d, d.compareFiles(p, q, changed.files)
}

// indexBoth makes the states of two stacks, with names that are good for both: for
// what the world has open too.
func (w *World) indexBoth(p, q openStack) (s, t *state, err error) {
	now := w.now.Load()
	if s, err = p.describe(nil, now); err != nil {
		return nil, nil, err
	}
	t, err = q.describe(nil, s, now)
	return s, t, err
}

// union returns the dimensions of s and t, with the volumes and lists of either.
func union(s, t *state) []*dimension {
	out := t.edit()
	for _, d := range s.dimensions {
		i := out.dimension(d.name)
		if i < 0 {
			out.dimensions = append(out.dimensions, d)
			continue
		}
		e := out.editDimension(i)
		for _, v := range d.volumes {
			if e.volume(v.Name) < 0 {
				e.volumes = append(e.volumes, v)
			}
		}
		for _, list := range d.lists {
			e.lists = addList(e.lists, list)
		}
	}
	return out.dimensions
}

// compareChunks compares chunks of a volume.
func compareChunks(ctx context.Context, p, q openStack, name volumeName, def voxel.Cell, at map[geom.ChunkPos]bool) (out []ChunkDifference, err error) {
	positions := slices.SortedFunc(maps.Keys(at), byCode)
	for some := range slices.Chunk(positions, batch) {
		had, has := make(map[geom.ChunkPos]*voxel.Chunk), make(map[geom.ChunkPos]*voxel.Chunk)
		err := p.chunks(ctx, name, some, func(pos geom.ChunkPos, c *voxel.Chunk) { had[pos] = c })
		if err == nil {
			err = q.chunks(ctx, name, some, func(pos geom.ChunkPos, c *voxel.Chunk) { has[pos] = c })
		}
		if err != nil {
			return nil, err
		}
		for _, pos := range some {
			if n := cellsApart(had[pos], has[pos], def); n > 0 {
				out = append(out, ChunkDifference{pos, n})
			}
		}
	}
	return out, nil
}

// cellsApart counts the cells in which two chunks differ; nil is all def.
func cellsApart(a, b *voxel.Chunk, def voxel.Cell) (n int) {
	if a == b {
		return 0
	}
	a, b = filled(a, def), filled(b, def)
	var bufA, bufB [64]voxel.Cell
	for y, rows := range a.Differing(b) {
		for ; rows != 0; rows &= rows - 1 {
			z := bits.TrailingZeros32(rows)
			rowA, rowB := a.Row(y, z, &bufA), b.Row(y, z, &bufB)
			for x, v := range rowA {
				if rowB[x] != v {
					n++
				}
			}
		}
	}
	return n
}

func (d *Difference) compareColumns(ctx context.Context, p, q openStack, dim *dimension, at map[geom.ColumnPos]parts) error {
	for _, pos := range slices.SortedFunc(maps.Keys(at), geom.ColumnPos.Compare) {
		had, err := p.column(ctx, dim.name, dim.lists, pos)
		if err != nil {
			return err
		}
		has, err := q.column(ctx, dim.name, dim.lists, pos)
		if err != nil {
			return err
		}
		if !equalColumns(had, has) {
			d.Columns = append(d.Columns, ColumnDifference{dim.name, pos})
		}
	}
	return nil
}

func equalColumns(a, b *voxel.Column) bool { return reflect.DeepEqual(a, b) }

func (d *Difference) compareFiles(p, q openStack, at map[string]bool) error {
	for _, path := range slices.Sorted(maps.Keys(at)) {
		had, err := p.file(path)
		if err != nil {
			return err
		}
		has, err := q.file(path)
		if err != nil {
			return err
		}
		if (had == nil) != (has == nil) || !bytes.Equal(had, has) {
			d.Files = append(d.Files, path)
		}
	}
	return nil
}

// differing returns what stones speak of that p and q do not have in common.
func (p openStack) differing(q openStack) *dirty {
	same := 0
	for same < len(p) && same < len(q) && p[same].Stone.ID == q[same].Stone.ID {
		same++
	}
	out := new(dirty)
	for _, rest := range []openStack{p[same:], q[same:]} {
		for _, l := range rest {
			l.spoken(out)
		}
	}
	return out
}

// spoken adds to d what the stone speaks of.
func (b *openStone) spoken(d *dirty) {
	for _, dim := range b.Dimensions() {
		for _, v := range dim.Volumes {
			for pos := range b.Spoken(dim.Name, v.Volume.Name, 0) {
				d.chunk(volumeName{dim.Name, v.Volume.Name}, pos)
			}
		}
		for pos := range b.SpokenColumns(dim.Name) {
			d.column(dim.Name, pos, parts{column: true})
		}
		for _, list := range dim.Lists {
			for pos := range b.SpokenLists(dim.Name, list) {
				d.column(dim.Name, pos, parts{lists: map[string]bool{list: true}})
			}
		}
	}
	for path := range b.SpokenFiles() {
		d.file(path)
	}
}
