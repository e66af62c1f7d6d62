package masks

import (
	"cmp"
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/diff"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/voxel/region"
	"github.com/cairnvoxel/cairn/world"
)

// Changed is a region: the cells in which versions of a world differ, or any others. It takes 4 KiB for each
// chunk in which some do. The zero Changed has no cells. It must not change while it is in
// use as a region.
type Changed struct {
	// Most bounds the chunks that have cells: Add fails beyond. 0: no bound.
	Most int

	rows   map[chunkRow][]changedChunk // by x
	chunks int
	bounds geom.Box
}

// chunkRow is the chunks at one y and z.
type chunkRow struct{ y, z int32 }

// changedChunk has for each row, y*32+z, a bit for each cell that differs.
type changedChunk struct {
	x    int32
	only *[voxel.ChunkEdge * voxel.ChunkEdge]uint32
}

// Add adds the cells of a volume that differ between two versions. It compares by name and
// reads only the chunks that may differ. A volume that a version does not have is empty there.
func (r *Changed) Add(ctx context.Context, a, b *world.Snapshot, dimension, volume string) error {
	return diff.Of(a, b).Chunks(ctx, dimension, volume, func(c diff.Chunk) error {
		if r.Most > 0 && r.chunks >= r.Most {
			return fmt.Errorf("masks: changed cells: they are in more than %d chunks", r.Most)
		}
		r.compare(c.Pos, c.A, c.B)
		return nil
	})
}

// Put adds a cell.
func (r *Changed) Put(p geom.Point) {
	in := p.InChunk()
	only := new([voxel.ChunkEdge * voxel.ChunkEdge]uint32)
	only[in.Y*voxel.ChunkEdge+in.Z] = 1 << in.X
	r.put(p.Chunk(), only)
}

// compare adds the cells in which two chunks differ.
func (r *Changed) compare(pos geom.ChunkPos, a, b *voxel.Chunk) {
	var only *[voxel.ChunkEdge * voxel.ChunkEdge]uint32
	var bufA, bufB [64]voxel.Cell
	for y, m := range a.Differing(b) {
		for ; m != 0; m &= m - 1 {
			z := bits.TrailingZeros32(m)
			if only == nil {
				only = new([voxel.ChunkEdge * voxel.ChunkEdge]uint32)
			}
			only[y*voxel.ChunkEdge+z] = voxel.DifferingCells(a.Row(y, z, &bufA), b.Row(y, z, &bufB))
		}
	}
	if only != nil {
		r.put(pos, only)
	}
}

// put adds cells of a chunk.
func (r *Changed) put(pos geom.ChunkPos, only *[voxel.ChunkEdge * voxel.ChunkEdge]uint32) {
	if r.rows == nil {
		r.rows = make(map[chunkRow][]changedChunk)
	}
	at := chunkRow{pos.Y, pos.Z}
	row := r.rows[at]
	i, found := slices.BinarySearchFunc(row, pos.X, func(c changedChunk, x int32) int { return cmp.Compare(c.x, x) })
	if !found {
		r.chunks++
		r.rows[at] = slices.Insert(row, i, changedChunk{pos.X, only})
		r.bounds = r.bounds.Union(pos.Box())
		return
	}
	for k, m := range only {
		row[i].only[k] |= m
	}
}

// Bounds returns a box of whole chunks.
func (r *Changed) Bounds() geom.Box { return r.bounds }

// Contains reports whether a cell differs.
func (r *Changed) Contains(p geom.Point) bool {
	pos, in := p.Chunk(), p.InChunk()
	for _, c := range r.rows[chunkRow{pos.Y, pos.Z}] {
		if c.x == pos.X {
			return c.only[in.Y*voxel.ChunkEdge+in.Z]>>in.X&1 != 0
		}
	}
	return false
}

// Spans yields the runs of cells that differ.
func (r *Changed) Spans(y, z int, yield func(x0, x1 int) bool) {
	p := geom.Point{Y: y, Z: z}
	pos, in := p.Chunk(), p.InChunk()
	var x0, x1 int // a run that the next chunk may continue
	for _, c := range r.rows[chunkRow{pos.Y, pos.Z}] {
		m := uint64(c.only[in.Y*voxel.ChunkEdge+in.Z])
		for at := 0; m>>at != 0; {
			at += bits.TrailingZeros64(m >> at)
			from, n := int(c.x)*voxel.ChunkEdge+at, bits.TrailingZeros64(^(m >> at))
			if from != x1 || x0 == x1 {
				if x0 < x1 && !yield(x0, x1) {
					return
				}
				x0 = from
			}
			x1 = from + n
			at += n
		}
	}
	if x0 < x1 {
		yield(x0, x1)
	}
}

var _ region.Region = (*Changed)(nil)
