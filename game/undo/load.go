package undo

import (
	"context"

	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
	"github.com/cairnvoxel/cairn/world"
)

// tickets hold in memory what was loaded for a step.
type tickets []*world.Held

func (t tickets) release() {
	for _, h := range t {
		h.Release()
	}
}

// load loads what the step needs and the world has.
func (s *step) load(ctx context.Context, w *world.World) (tickets, error) {
	var t tickets
	for i := range s.volumes {
		v := &s.volumes[i]
		if err := t.load(ctx, w, v.dimension, v.volume, v.chunkBoxes()); err != nil {
			return t, err
		}
	}
	in := make(map[string]boxes)
	for _, c := range s.columns {
		b := in[c.dimension]
		b.add(columnBox(c.pos))
		in[c.dimension] = b
	}
	for _, d := range w.View().Dimensions() {
		if err := t.load(ctx, w, d.Name(), world.Columns, in[d.Name()]); err != nil {
			return t, err
		}
	}
	return t, nil
}

func (t *tickets) load(ctx context.Context, w *world.World, dimension, volume string, in boxes) error {
	scale := 1
	d := w.View().Dimension(dimension)
	switch {
	case d == nil:
		return nil
	case volume != world.Columns:
		v := d.Volume(volume)
		if v == nil {
			return nil
		}
		scale = v.Scale
	}
	for _, b := range in {
		h, err := w.Load(ctx, dimension, b.Scale(scale), with(volume)...)
		if err != nil {
			return err
		}
		*t = append(*t, h)
	}
	return nil
}

// with returns what to load for a change of a volume. Columns are derived from blocks.
func with(volume string) []string {
	if volume == voxel.Block {
		return []string{volume, world.Columns}
	}
	return []string{volume}
}

func (v *volume) chunkBoxes() (out boxes) {
	for i := range v.chunks {
		out.add(v.chunks[i].pos.Box())
	}
	return out
}

func columnBox(pos geom.ColumnPos) geom.Box {
	return geom.Box{Min: pos.Min(0), Max: pos.Min(1).Add(geom.Point{X: geom.ColumnEdge, Z: geom.ColumnEdge})}
}

// boxes is a list in which no two neighbours form one box. Chunks in the order of codes join to
// cubes.
type boxes []geom.Box

func (b *boxes) add(c geom.Box) {
	for list := *b; len(list) > 0; list = list[:len(list)-1] {
		last := list[len(list)-1]
		both := last.Union(c)
		if both.Cells() != last.Cells()+c.Cells() {
			break
		}
		c, *b = both, list[:len(list)-1]
	}
	*b = append(*b, c)
}
