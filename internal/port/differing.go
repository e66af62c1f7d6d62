package port

import (
	"context"
	"iter"
	"slices"

	"github.com/cairnvoxel/cairn/internal/convert"
	"github.com/cairnvoxel/cairn/internal/stone"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// Differing is where the solid content of a dimension differs between two versions.
type Differing struct {
	Dimension string
	// Box is around the chunks that differ, in cells.
	Box    geom.Box
	a, b   stone.Content
	volume string
	chunks []geom.ChunkPos // in ascending order of code
}

// FindDiffering finds the chunks that differ. It reads only what stones of one version cover
// that the other does not have. Without a dimension it takes the first with solid content. It
// fails with convert.ErrTooLarge if reading takes more than maxBytes of memory; 0 is no
// bound.
func FindDiffering(ctx context.Context, a, b *world.Snapshot, dimension string, maxBytes int64) (*Differing, error) {
	d := &Differing{a: a, b: b}
	missing := &DimensionError{Want: dimension}
	for _, c := range []stone.Content{a, b} {
		for _, have := range c.About().Dimensions {
			missing.Have = append(missing.Have, have.Name)
			if d.volume != "" || have.Name != dimension && (dimension != "" || !hasMatter(c, have)) {
				continue
			}
			for _, v := range have.Volumes {
				if d.volume == "" && IsMatter(v.Volume.Name) {
					d.Dimension, d.volume = have.Name, v.Volume.Name
				}
			}
		}
	}
	switch {
	case d.volume == "" && dimension == "":
		return nil, ErrNothing
	case d.volume == "":
		return nil, missing
	}
	if a.Beside(b) && alike(a.About(), b.About()) {
		where := a.Apart(b)
		d.a, d.b = part{a, where}, part{b, where}
	}
	d.a, d.b = convert.Within(d.a, maxBytes), convert.Within(d.b, maxBytes)
	err := convert.DifferingChunks(ctx, d.a, d.b, d.Dimension, d.volume, func(pos geom.ChunkPos, _, _ *voxel.Chunk, _ []string) error {
		d.chunks = append(d.chunks, pos)
		d.Box = d.Box.Union(pos.Box())
		return nil
	})
	slices.SortFunc(d.chunks, func(p, q geom.ChunkPos) int { return geom.CodeOf(p, 0).Compare(geom.CodeOf(q, 0)) })
	return d, err
}

// Chunks calls f with each chunk that differs, in both versions. Cells mean the same in both;
// empty reports whether one is air.
func (d *Differing) Chunks(ctx context.Context, f func(pos geom.ChunkPos, a, b *voxel.Chunk, empty func(voxel.Cell) bool) error) error {
	air := map[voxel.Cell]bool{0: true}
	known := false
	return convert.DifferingChunks(ctx, only{d.a, d.chunks}, only{d.b, d.chunks}, d.Dimension, d.volume, func(pos geom.ChunkPos, a, b *voxel.Chunk, names []string) error {
		for i, name := range names {
			if !known && slices.Contains(airs, name) {
				air[voxel.Cell(i)] = true
			}
		}
		known = true
		return f(pos, a, b, func(c voxel.Cell) bool { return air[c] })
	})
}

// only is a world with only some of its chunks.
type only struct {
	stone.Content
	chunks []geom.ChunkPos
}

func (o only) Entries(string, string, int) iter.Seq2[geom.ChunkPos, bool] {
	return func(yield func(geom.ChunkPos, bool) bool) {
		for _, pos := range o.chunks {
			if !yield(pos, true) {
				return
			}
		}
	}
}
