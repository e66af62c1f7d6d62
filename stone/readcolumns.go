package stone

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// columnPositions returns the positions of the columns of a page.
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

// Columns yields every column of a dimension with the lists that the stone has of
// it, in ascending order of position. It stops after an error, and when ctx ends.
func (s *Reader) Columns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		d := s.dimension(dim)
		r := s.columnReader(ctx, d)
		for i := range d.columns {
			e := &d.columns[i]
			if !e.paged() {
				continue
			}
			for m := e.mask; m != 0; m &= m - 1 {
				c, err := r.column(i, bits.TrailingZeros64(m))
				if err == nil {
					err = first(r.fill(c), ctx.Err())
				}
				if err != nil {
					yield(nil, fmt.Errorf("stone: columns of %q: %w", dim, err))
					return
				}
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// Column returns one column with the lists that the stone has of it, or
// fs.ErrNotExist. It reads the column's page, one page for each list and, if height
// maps of the column follow from blocks, the pages of the chunks of its tower.
func (s *Reader) Column(ctx context.Context, dim string, pos geom.ColumnPos) (*voxel.Column, error) {
	r := s.columnReader(ctx, s.dimension(dim))
	c, _, err := r.find(pos)
	if err == nil && c == nil {
		err = fs.ErrNotExist
	}
	if err == nil {
		err = r.fill(c)
	}
	if err != nil {
		return nil, fmt.Errorf("stone: column %v of %q: %w", pos, dim, err)
	}
	return c, nil
}

// ColumnAlone returns one column without its lists. spoken says that the stone has
// an entry for it; a nil column is then deleted with all its lists. It reads the
// column's page and, if height maps of the column follow from blocks, the pages of
// the chunks of its tower.
func (s *Reader) ColumnAlone(ctx context.Context, dim string, pos geom.ColumnPos) (c *voxel.Column, spoken bool, err error) {
	c, spoken, err = s.columnReader(ctx, s.dimension(dim)).find(pos)
	if err != nil {
		err = fmt.Errorf("stone: column %v of %q: %w", pos, dim, err)
	}
	return c, spoken, err
}

// List returns the objects of one list of a column. spoken says that the stone has
// an entry for the list. It does not report deleted columns; ColumnAlone and
// SpokenColumns do. It reads one page.
func (s *Reader) List(ctx context.Context, dim, name string, pos geom.ColumnPos) (objects []voxel.Object, spoken bool, err error) {
	d := s.dimension(dim)
	i := slices.IndexFunc(d.lists, func(l list) bool { return l.name == name })
	if i < 0 {
		return nil, false, nil
	}
	page, n, err := s.list(ctx, &d.lists[i], pos)
	if err != nil {
		return nil, true, fmt.Errorf("stone: list %q of column %v of %q: %w", name, pos, d.name, err)
	}
	if page == nil {
		return nil, false, nil
	}
	return page.lists[n], true, nil
}

// columnReader reads columns of a dimension. Goroutines must not share it.
type columnReader struct {
	ctx     context.Context
	s       *Reader
	d       *dimension
	heights *heights     // made on first use
	blocks  *towerReader // below heights
	begun   uint32       // the group whose columns blocks were read for last
}

func (s *Reader) columnReader(ctx context.Context, d *dimension) *columnReader {
	return &columnReader{ctx: ctx, s: s, d: d}
}

// find returns the column at pos. spoken says that the stone has an entry for it.
func (r *columnReader) find(pos geom.ColumnPos) (c *voxel.Column, spoken bool, err error) {
	i := findColumn(r.d.columns, pos)
	if i < 0 || !r.d.columns[i].paged() {
		return nil, i >= 0, nil
	}
	_, bit := columnKey(pos)
	c, err = r.column(i, bit)
	return c, true, err
}

// column returns the column at a bit of an entry that has a page.
func (r *columnReader) column(entry, bit int) (*voxel.Column, error) {
	group := group(r.d.columns, entry)
	n := group[0].page
	page, err := cachedPage(r.ctx, r.s, group, func() (*columnsPage, int64, error) {
		form, streams, err := r.s.page(r.ctx, n)
		if err != nil {
			return nil, 0, err
		}
		page, err := decodeColumns(r.ctx, form, streams, columnPositions(group), r.d.rules)
		return page, page.bytes(), r.s.at(n, err)
	})
	if err != nil {
		return nil, err
	}
	i := r.d.columns[entry].at(bit)
	c := page.columns[i]
	if ways := page.ways[i]; ways != nil {
		c.Maps = slices.Clone(c.Maps)
		if !completeMaps(c.Maps, ways, r.rule(group[0].number, c.Pos)) {
			return nil, first(r.blocks.err, corruptf(r.s.dir.pages[n].off, "columns maps", "column %v: blocks are too high for a rule", c.Pos))
		}
		if err := r.blocks.err; err != nil {
			return nil, err
		}
	}
	return &c, nil
}

// rule returns what rules say of the maps of a column, of the page of the group that begins
// with an entry.
func (r *columnReader) rule(begun uint32, pos geom.ColumnPos) func(string) *[256]int32 {
	if r.heights == nil {
		r.blocks = r.s.towers(r.ctx, r.d)
		r.heights = newHeights(r.d.rules, r.blocks.tower)
	}
	if r.begun != begun { // what the columns of one page may need is bounded
		r.begun, r.blocks.work = begun, 0
		clear(r.blocks.pages)
	}
	return func(name string) *[256]int32 { return r.heights.of(pos, name) }
}

// bytes estimates the memory of the page.
func (p *columnsPage) bytes() (n int64) {
	if p == nil {
		return 0
	}
	for i := range p.columns {
		c := &p.columns[i]
		n += memoryOf(p.columns[:1]) + memoryOf(c.Sections) + memoryOf(c.Maps) + memoryOf(c.Parts)
		for _, s := range c.Sections {
			n += int64(len(s.Tags))
		}
		for _, part := range c.Parts {
			n += int64(len(part.Data))
		}
	}
	return n
}

// fill gives c its lists.
func (r *columnReader) fill(c *voxel.Column) error {
	count, bytes := 0, 0
	for i := range r.d.lists {
		l := &r.d.lists[i]
		page, n, err := r.s.list(r.ctx, l, c.Pos)
		if err != nil {
			return err
		}
		if page == nil {
			continue
		}
		if count, bytes = count+page.count, bytes+page.plain; count > maxPageObjects || bytes > maxMet {
			return corruptf(r.s.dir.pages[l.entries[findColumn(l.entries, c.Pos)].page].off, "objects", "%d objects and %d bytes meet in a column: %v", count, bytes, c.Pos)
		}
		c.Lists = append(c.Lists, voxel.List{Name: l.name, Objects: page.lists[n]})
	}
	return nil
}

// loose yields the columns for which the stone has only lists, with these lists.
func (s *Reader) loose(ctx context.Context, d *dimension) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		r := s.columnReader(ctx, d)
		for pos := range d.loose() {
			c := &voxel.Column{Pos: pos}
			if err := r.fill(c); err != nil {
				yield(nil, fmt.Errorf("stone: lists of %q: %w", d.name, err))
				return
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

// objectsPage is a decoded page of objects.
type objectsPage struct {
	lists [][]voxel.Object // by column of the page
	count int              // of objects
	plain int              // plain bytes of the page, with whole payloads
}

// list returns the page with a column's list and the index of the list in it. The
// page is nil if the stone has no entry for the list.
func (s *Reader) list(ctx context.Context, l *list, pos geom.ColumnPos) (page *objectsPage, n int, err error) {
	i := findColumn(l.entries, pos)
	if i < 0 {
		return nil, 0, nil
	}
	group := group(l.entries, i)
	number := group[0].page
	page, err = cachedPage(ctx, s, group, func() (*objectsPage, int64, error) {
		form, streams, err := s.page(ctx, number)
		if err != nil {
			return nil, 0, err
		}
		lists, err := decodeObjects(ctx, form, streams, columnPositions(group))
		if err != nil {
			return nil, 0, s.at(number, err)
		}
		p := &objectsPage{lists, len(streams[objectPlaces]), plainBytes(streams)}
		payloads := payloadBytes(lists)
		if form == objectTags {
			p.plain = plainBytes(streams[:objectSizes]) + payloads
		}
		return p, int64(payloads) + memoryOf(lists) + int64(p.count)*64, nil
	})
	_, bit := columnKey(pos)
	return page, l.entries[i].at(bit), err
}

func payloadBytes(lists [][]voxel.Object) (n int) {
	for _, l := range lists {
		for i := range l {
			n += len(l[i].Payload)
		}
	}
	return n
}

// findColumn returns the index of the entry for a column, or -1.
func findColumn(entries []entry, pos geom.ColumnPos) int {
	if pos.Check() != nil {
		return -1
	}
	key, bit := columnKey(pos)
	return find(entries, key, bit)
}
