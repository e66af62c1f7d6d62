package stone

import (
	"context"
	"fmt"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// ColumnStack reads columns of a dimension from a stack of stones, the columns over one chunk best one after another. Goroutines
// must not share it.
type ColumnStack struct {
	ctx     context.Context
	dim     string
	lists   []string
	layers  []*Reader
	readers []*columnReader // by layer; nil before the first column
}

// Columns returns a reader of the columns of a dimension with lists of these names, in a stack of stones, bottom first. It ends
// with ctx.
func Columns(ctx context.Context, layers []*Reader, dim string, lists []string) *ColumnStack {
	return &ColumnStack{ctx, dim, lists, layers, make([]*columnReader, len(layers))}
}

// reader returns the reader of a layer.
func (s *ColumnStack) reader(layer int) *columnReader {
	if s.readers[layer] == nil {
		s.readers[layer] = s.layers[layer].columnReader(s.ctx, s.layers[layer].dimension(s.dim))
	}
	return s.readers[layer]
}

// Column returns a column with those of the lists that have objects, nil if there is none. Of the stones that cover the column, or a
// list of it, the highest counts. Nothing below a stone that says that the column is gone counts: whoever makes a column
// anew covers all its lists. It reads the pages of the column, of its lists and, if height maps follow from blocks, of the chunks of its
// tower.
func (s *ColumnStack) Column(pos geom.ColumnPos) (*voxel.Column, error) {
	said, p, err := s.column(pos, len(s.layers)-1)
	if said == nil && p == nil || err != nil {
		return nil, err
	}
	c := &voxel.Column{Pos: pos}
	if p == nil {
		*c = *said
	}
	for i := 0; i < len(s.lists) && p == nil && err == nil; i++ {
		l := voxel.List{Name: s.lists[i]}
		if l.Objects, p, err = s.list(l.Name, pos, len(s.layers)-1); len(l.Objects) > 0 {
			c.Lists = append(c.Lists, l)
		}
	}
	if p != nil {
		err = fmt.Errorf("stone: column %v of %q: %w", pos, s.dim, errNothing)
	}
	return c, err
}

// errNothing says that below a delta there is nothing that it could stand on.
var errNothing = corruptf(0, "delta", "there is nothing below it")

// column returns what layers up to top say of a column, or the patch of it on what lies below them.
func (s *ColumnStack) column(pos geom.ColumnPos, top int) (c *voxel.Column, above *patch.Patch, err error) {
	layer := top
	defer func() {
		if err != nil {
			err = fmt.Errorf("stone %v: column %v of %q: %w", s.layers[layer].id, pos, s.dim, err)
			clear(s.readers) // what failed may stay
		}
	}()
	for ; layer >= 0; layer-- {
		c, p, covers, err := s.reader(layer).find(pos)
		switch {
		case err != nil:
			return nil, nil, err
		case p != nil:
			if above, err = over(above, p); err != nil {
				return nil, nil, err
			}
		case covers && above == nil:
			return c, nil, nil
		case covers && c == nil:
			return nil, nil, errNothing
		case covers:
			d, err := column.DocumentOf(c).Apply(above)
			if err == nil {
				c, err = d.Column(s.ctx, pos)
			}
			return c, nil, err
		}
	}
	return nil, above, nil
}

// list returns what layers up to top say of a list, or the patch of it on what lies below them.
func (s *ColumnStack) list(name string, pos geom.ColumnPos, top int) (objects []voxel.Object, above *patch.Patch, err error) {
	layer := top
	defer func() {
		if err != nil {
			err = fmt.Errorf("stone %v: list %q of column %v of %q: %w", s.layers[layer].id, name, pos, s.dim, err)
		}
	}()
	for ; layer >= 0; layer-- {
		d := s.reader(layer).d
		objects, p, covers, err := s.layers[layer].listPart(s.ctx, d, name, pos)
		switch {
		case err != nil:
			return nil, nil, err
		case p != nil:
			if above, err = over(above, p); err != nil {
				return nil, nil, err
			}
		case covers && above == nil:
			return objects, nil, nil
		case covers:
			d, err := column.DocumentOfList(pos, objects).Apply(above)
			if err == nil {
				objects, err = d.List(s.ctx, pos)
			}
			return objects, nil, err
		default:
			i := findColumn(d.columns, pos)
			if i < 0 || d.columns[i].paged() {
				continue
			}
			return nil, above, nil // it is gone with its lists
		}
	}
	return nil, above, nil
}

// over returns the patches above and p as one.
func over(above, p *patch.Patch) (*patch.Patch, error) {
	if above == nil {
		return p, nil
	}
	return above.Over(p)
}
