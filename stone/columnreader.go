package stone

import (
	"fmt"
	"io/fs"
	"math/bits"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// ColumnReader reads columns and lists of a dimension one by one and keeps the
// pages that it read last: who goes through positions in ascending order has
// each page decoded once. Not safe for concurrent use.
type ColumnReader struct {
	s        *Reader
	d        *dimension
	over     *over
	columns  []voxel.Column // of the page read last
	from, to int            // its entries
	lists    listReaders
}

// ColumnReader returns a reader of a dimension's columns; towers as in Columns.
func (s *Reader) ColumnReader(dim string, towers light.Towers) *ColumnReader {
	d := s.dimension(dim)
	return &ColumnReader{s: s, d: d, over: s.over(d, towers), lists: s.listReaders(d)}
}

// Column returns a column without its lists and whether the stone speaks of it;
// a column that is spoken of and nil is gone, with all its lists.
func (r *ColumnReader) Column(pos geom.ColumnPos) (c *voxel.Column, spoken bool, err error) {
	i := findColumn(r.d.columns, pos)
	if i < 0 || !r.d.columns[i].paged() {
		return nil, i >= 0, nil
	}
	if i < r.from || i >= r.to {
		r.from = groupStart(r.d.columns, i)
		group := group(r.d.columns, i)
		r.to = r.from + len(group)
		if r.columns, err = r.s.columns(group, r.over); err != nil {
			r.to = r.from
			return nil, true, fmt.Errorf("stone: column %v of %q: %w", pos, r.d.name, err)
		}
	}
	e := &r.d.columns[i]
	_, bit := columnKey(pos)
	column := r.columns[e.first+bits.OnesCount64(e.mask&(1<<bit-1))]
	return &column, true, nil
}

// List returns the objects of one list of a column and whether the stone speaks
// of that list. A column that is gone has no lists, which only Column says.
// Objects are shared with later calls.
func (r *ColumnReader) List(list string, pos geom.ColumnPos) (objects []voxel.Object, spoken bool, err error) {
	for _, l := range r.lists {
		if l.list.name != list {
			continue
		}
		i := findColumn(l.list.entries, pos)
		if i < 0 {
			break
		}
		if err := l.load(i); err != nil {
			return nil, true, fmt.Errorf("stone: list %q of column %v of %q: %w", list, pos, r.d.name, err)
		}
		objects = l.objects[pos]
		l.tidy()
		return objects, true, nil
	}
	return nil, false, nil
}

// only returns a ColumnReader that computes no height maps but those of one
// column.
func (s *Reader) only(dim string, pos geom.ColumnPos) *ColumnReader {
	r := s.ColumnReader(dim, nil)
	r.over.heights.only = &pos
	return r
}

// Column returns one column with the lists that the stone has of it, or
// fs.ErrNotExist. It reads its page, one page for each list and, if height maps
// of the column follow from blocks, the pages of the chunks above and below it.
func (s *Reader) Column(dim string, pos geom.ColumnPos) (*voxel.Column, error) {
	r := s.only(dim, pos)
	c, _, err := r.Column(pos)
	if err != nil {
		return nil, err
	}
	if c == nil {
		err = fs.ErrNotExist
	} else {
		err = r.lists.fill(c)
	}
	if err != nil {
		return nil, fmt.Errorf("stone: column %v of %q: %w", pos, dim, err)
	}
	return c, nil
}

// ColumnAlone returns one column without its lists and whether the stone speaks
// of it; a column that is spoken of and nil is gone, with all its lists. It
// reads its page and, if height maps of the column follow from blocks, the
// pages of the chunks above and below it.
func (s *Reader) ColumnAlone(dim string, pos geom.ColumnPos) (c *voxel.Column, spoken bool, err error) {
	return s.only(dim, pos).Column(pos)
}

// List returns the objects of one list of a column and whether the stone speaks
// of that list. A column that is gone has no lists, which only ColumnAlone and
// SpokenColumns say. It reads one page.
func (s *Reader) List(dim, list string, pos geom.ColumnPos) (objects []voxel.Object, spoken bool, err error) {
	d := s.dimension(dim)
	r := ColumnReader{s: s, d: d, lists: s.listReaders(d)}
	return r.List(list, pos)
}

// findColumn returns the index of the entry that speaks of a column, or -1.
func findColumn(entries []entry, pos geom.ColumnPos) int {
	if pos.Check() != nil {
		return -1
	}
	key, bit := columnKey(pos)
	return find(entries, key, bit)
}
