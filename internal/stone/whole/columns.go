package whole

import (
	"context"
	"slices"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// litColumns is what light the columns of a dimension have. It takes a few bytes for each
// column, because most columns have the same sections.
type litColumns struct {
	at    []geom.ColumnPos // ascending
	kind  []int32          // by column, an index into kinds
	kinds []*voxel.Column  // only Sections, without tags, and Stale
}

// litColumns reads the columns of the dimension.
func (d *dimension) litColumns(ctx context.Context) (*litColumns, error) {
	l, known, key := &litColumns{}, make(map[string]int32), []byte(nil)
	for c, err := range d.from.ReadColumns(ctx, d.Name) {
		if err != nil {
			return nil, err
		}
		key = append(key[:0], byte(c.Stale))
		for _, s := range c.Sections {
			key = append(key, byte(s.Y), byte(s.Has))
		}
		kind, ok := known[string(key)]
		if !ok {
			kind = int32(len(l.kinds))
			known[string(key)] = kind
			k := &voxel.Column{Stale: c.Stale}
			for _, s := range c.Sections {
				k.Sections = append(k.Sections, voxel.Section{Y: s.Y, Has: s.Has})
			}
			l.kinds = append(l.kinds, k)
		}
		l.at, l.kind = append(l.at, c.Pos), append(l.kind, kind)
	}
	return l, nil
}

// known returns the kinds of light of a chunk. Without columns it returns all.
func (l *litColumns) known(pos geom.ChunkPos) voxel.Has {
	if len(l.at) == 0 {
		return voxel.HasSky | voxel.HasLight
	}
	var over [4]*voxel.Column
	for i := range over {
		at := geom.ColumnPos{X: pos.X*2 + int32(i&1), Z: pos.Z*2 + int32(i>>1)}
		if n, ok := slices.BinarySearchFunc(l.at, at, geom.ColumnPos.Compare); ok {
			over[i] = l.kinds[l.kind[n]]
		}
	}
	return light.Known(pos.Y, over)
}

// sample returns positions and height maps of columns from all over the dimension.
func (d *dimension) sample(ctx context.Context) (out []voxel.Column, err error) {
	n, err := d.countColumns(ctx)
	if err != nil {
		return nil, err
	}
	step, i := max(1, (n+learnColumns-1)/learnColumns), 0
	for c, err := range d.from.ReadColumns(ctx, d.Name) {
		if err != nil {
			return nil, err
		}
		if i%step == 0 { // c may keep a whole page in memory
			out = append(out, voxel.Column{Pos: c.Pos, Maps: slices.Clone(c.Maps)})
		}
		i++
	}
	return out, nil
}

// countColumns returns the number of columns. It reads them if the Content cannot say it.
func (d *dimension) countColumns(ctx context.Context) (n int, err error) {
	if c, ok := d.from.(interface{ ColumnCount(dim string) int }); ok {
		return c.ColumnCount(d.Name), nil
	}
	for _, err := range d.from.ReadColumns(ctx, d.Name) {
		if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}
