package stone

import (
	"fmt"
	"iter"
	"math/bits"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/voxel"
)

// columnPositions returns where the columns of a page are.
func columnPositions(entries []entry) (at []geom.ColumnPos) {
	for _, e := range entries {
		if !e.paged() {
			continue
		}
		for m := e.mask; m != 0; m &= m - 1 {
			at = append(at, columnAt(e.key, bits.TrailingZeros64(m)))
		}
	}
	return at
}

// Columns yields every column that a dimension has with the lists that the
// stone has of it, in ascending order of position. Height maps that follow from
// blocks are computed from towers, which must be the stone's own; nil reads them
// from the stone. It ends after an error.
func (s *Reader) Columns(dim string, towers light.Towers) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		d := s.dimension(dim)
		lists, over := s.listReaders(d), s.over(d, towers)
		for i := 0; i < len(d.columns); {
			group := group(d.columns, i)
			i += len(group)
			if !group[0].paged() {
				continue
			}
			columns, err := s.columns(group, over)
			for j := 0; j < len(columns) && err == nil; j++ {
				if err = lists.fill(&columns[j]); err == nil && !yield(&columns[j], nil) {
					return
				}
			}
			if err != nil {
				yield(nil, fmt.Errorf("stone: columns of %q: %w", dim, err))
				return
			}
		}
	}
}

// over is the heights of a dimension and the error that reading them met.
type over struct {
	heights *heights
	err     error
	d       *dimension   // whose blocks are read from the stone, nil if towers came from outside
	blocks  *towerReader // while a page is decoded
}

func (s *Reader) over(d *dimension, towers light.Towers) *over {
	o := &over{}
	if towers == nil {
		o.d = d
		towers = func(x, z int32) light.Tower { return o.blocks.tower(x, z) }
	}
	o.heights = newHeights(d.rules, towers)
	return o
}

// columns decodes the page of a group of entries.
func (s *Reader) columns(group []entry, o *over) ([]voxel.Column, error) {
	n := group[0].page
	form, streams, err := s.page(n)
	if err != nil {
		return nil, err
	}
	if o.d != nil {
		o.blocks = s.lately.take(s, o.d)
		o.blocks.err = &o.err
		defer s.lately.give(o.blocks)
	}
	columns, err := decodeColumns(form, streams, columnPositions(group), o.heights)
	if o.err != nil {
		return nil, o.err
	}
	return columns, s.at(n, err)
}

// loose yields columns that only lists speak of, with these lists.
func (s *Reader) loose(d *dimension) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		lists := s.listReaders(d)
		for pos := range d.loose() {
			c := &voxel.Column{Pos: pos}
			if err := lists.fill(c); err != nil {
				yield(nil, fmt.Errorf("stone: lists of %q: %w", d.name, err))
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// listReader reads the lists of one name and keeps the page it read last.
type listReader struct {
	s       *Reader
	list    *list
	page    int
	objects map[geom.ColumnPos][]voxel.Object
	count   int // of objects
	bytes   int // plain bytes of the page, payloads whole
}

type listReaders []*listReader

func (s *Reader) listReaders(d *dimension) (rs listReaders) {
	for i := range d.lists {
		rs = append(rs, &listReader{s: s, list: &d.lists[i], page: nonePage})
	}
	return rs
}

// fill gives c its lists.
func (rs listReaders) fill(c *voxel.Column) error {
	count, bytes := 0, 0
	for _, r := range rs {
		i := findColumn(r.list.entries, c.Pos)
		if i < 0 {
			r.tidy() // a common page may serve the next column again
			continue
		}
		if err := r.load(i); err != nil {
			return err
		}
		if count, bytes = count+r.count, bytes+r.bytes; count > maxPageObjects || bytes > maxMet {
			return corruptf(r.s.dir.pages[r.page].off, "objects", "%d objects and %d bytes meet in a column", count, bytes)
		}
		c.Lists = append(c.Lists, voxel.List{Name: r.list.name, Objects: r.objects[c.Pos]})
	}
	return nil
}

// tidy lets go of the page that was read last if it is larger than those that
// hold lists of several columns.
func (r *listReader) tidy() {
	if r.bytes > pageBytes || r.count > pageBytes/objectBytes {
		*r = listReader{s: r.s, list: r.list, page: nonePage}
	}
}

// load reads the page of entry i, unless it has it.
func (r *listReader) load(i int) error {
	e := r.list.entries[i]
	group := group(r.list.entries, i)
	key, bit := group[0].key, bits.TrailingZeros64(group[0].mask)
	if _, ok := r.objects[columnAt(key, bit)]; ok && r.page == e.page {
		return nil
	}
	form, streams, err := r.s.page(e.page)
	if err != nil {
		return err
	}
	at := columnPositions(group)
	lists, err := decodeObjects(form, streams, at)
	if err != nil {
		return r.s.at(e.page, err)
	}
	r.page, r.count, r.bytes = e.page, len(streams[objectPlaces]), plainBytes(streams)
	if form == objectTags {
		r.bytes = plainBytes(streams[:objectSizes]) + payloadBytes(lists)
	}
	r.objects = make(map[geom.ColumnPos][]voxel.Object, len(at))
	for i, pos := range at {
		r.objects[pos] = lists[i]
	}
	return nil
}

func payloadBytes(lists [][]voxel.Object) (n int) {
	for _, l := range lists {
		for i := range l {
			n += len(l[i].Payload)
		}
	}
	return n
}
