package stone

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
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

// ReadColumns yields every column of a dimension with the lists that the stone has of
// it, in ascending order of position. It stops after an error, and when ctx ends.
func (s *Reader) ReadColumns(ctx context.Context, dim string) iter.Seq2[*voxel.Column, error] {
	return s.readColumns(ctx, s.dimension(dim), false)
}

// readColumns is ReadColumns; partly leaves out what is a patch.
func (s *Reader) readColumns(ctx context.Context, d *dimension, partly bool) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		r := s.columnReader(ctx, d)
		r.partly = partly
		for i := range d.columns {
			e := &d.columns[i]
			if !e.paged() {
				continue
			}
			for m := e.mask; m != 0; m &= m - 1 {
				c, p, err := r.column(i, bits.TrailingZeros64(m))
				if p != nil && partly {
					continue
				}
				if c, err = whole(c, p, err); err == nil {
					err = cmp.Or(r.fill(c), ctx.Err())
				}
				if err != nil {
					yield(nil, fmt.Errorf("stone: columns of %q: %w", d.name, err))
					return
				}
				if !yield(c, nil) {
					return
				}
			}
		}
	}
}

// ReadColumn returns one column with the lists that the stone has of it, or
// fs.ErrNotExist. It reads the column's page, one page for each list and, if height
// maps of the column follow from blocks, the pages of the chunks of its tower.
func (s *Reader) ReadColumn(ctx context.Context, dim string, pos geom.ColumnPos) (*voxel.Column, error) {
	r := s.columnReader(ctx, s.dimension(dim))
	c, p, _, err := r.find(pos)
	if c, err = whole(c, p, err); err == nil && c == nil {
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

// List returns the objects of one list of a column. covered says that the stone has
// an entry for the list. It does not report deleted columns; ColumnStack and
// ColumnEntries do. It reads one page.
func (s *Reader) List(ctx context.Context, dim, name string, pos geom.ColumnPos) (objects []voxel.Object, covered bool, err error) {
	objects, p, covered, err := s.listPart(ctx, s.dimension(dim), name, pos)
	if p != nil {
		err = fmt.Errorf("stone: list %q of column %v of %q: %w", name, pos, dim, ErrNoBase)
	}
	return objects, covered, err
}

// listPart is List for who knows what the stones below say: the list may be a patch of what they say.
func (s *Reader) listPart(ctx context.Context, d *dimension, name string, pos geom.ColumnPos) (objects []voxel.Object, p *patch.Patch, covered bool, err error) {
	i := slices.IndexFunc(d.lists, func(l list) bool { return l.name == name })
	if i < 0 {
		return nil, nil, false, nil
	}
	entries := d.lists[i].entries
	at := findColumn(entries, pos)
	if at < 0 {
		return nil, nil, false, nil
	}
	page, err := s.list(ctx, &d.lists[i], at)
	if err != nil {
		return nil, nil, true, fmt.Errorf("stone: list %q of column %v of %q: %w", name, pos, d.name, err)
	}
	_, bit := columnKey(pos)
	n := entries[at].at(bit)
	return page.Lists[n], page.Patches[n], true, nil
}

// whole returns a column that is no patch.
func whole(c *voxel.Column, p *patch.Patch, err error) (*voxel.Column, error) {
	if p != nil {
		err = ErrNoBase
	}
	return c, err
}

// columnReader reads columns of a dimension. Goroutines must not share it.
type columnReader struct {
	ctx     context.Context
	s       *Reader
	d       *dimension
	heights *column.Heights // made on first use
	blocks  *towerReader    // below heights
	begun   uint32          // the group whose columns blocks were read for last
	lists   []heldList      // by list of the dimension, the page read last
	held    int64           // bytes of the pages of lists
	filled  int             // columns
	partly  bool            // lists that are patches are left out
}

// heldList is a page of objects. A columnReader holds one of each list, because the lists of
// one column may be more than a PageCache keeps.
type heldList struct {
	begun  uint32
	filled int // number of the column that needed it last
	page   *column.Objects
}

func (s *Reader) columnReader(ctx context.Context, d *dimension) *columnReader {
	return &columnReader{ctx: ctx, s: s, d: d}
}

// find returns the column at pos, or the patch of it. covered says that the stone has an entry for it.
func (r *columnReader) find(pos geom.ColumnPos) (c *voxel.Column, p *patch.Patch, covered bool, err error) {
	i := findColumn(r.d.columns, pos)
	if i < 0 || !r.d.columns[i].paged() {
		return nil, nil, i >= 0, nil
	}
	_, bit := columnKey(pos)
	c, p, err = r.column(i, bit)
	return c, p, true, err
}

// column returns the column at a bit of an entry that has a page, or the patch of it.
func (r *columnReader) column(entry, bit int) (*voxel.Column, *patch.Patch, error) {
	e := &r.d.columns[entry]
	n := e.page
	page, err := cachedPage(r.ctx, r.s, e.begun, func() (*column.Page, int64, error) {
		group := group(r.d.columns, entry)
		form, streams, err := r.s.page(r.ctx, n)
		if err != nil {
			return nil, 0, err
		}
		page, err := column.Decode(r.ctx, form, streams, columnPositions(group), r.d.rules)
		if err != nil {
			return nil, 0, r.s.at(n, err)
		}
		return page, page.Memory(), nil
	})
	if err != nil {
		return nil, nil, err
	}
	if p := page.Patches[e.at(bit)]; p != nil {
		return nil, p, nil
	}
	c, ok := page.Column(e.at(bit), r.rule(e.begun))
	if r.blocks != nil && r.blocks.err != nil {
		return nil, nil, r.blocks.err
	}
	if !ok {
		return nil, nil, cmp.Or(r.ctx.Err(), corruptf(r.s.dir.pages[n].off, "columns maps", "column %v: blocks are too high for a rule, or take too long to look at", c.Pos))
	}
	return &c, nil, nil
}

// rule returns a function that applies rules to the columns of one page. begun is the
// number of the first entry of its group.
func (r *columnReader) rule(begun uint32) column.Ruled {
	return func(pos geom.ColumnPos, name string) *[256]int32 {
		if r.heights == nil {
			r.blocks = r.s.towers(r.ctx, r.d)
			r.heights = column.NewHeights(r.d.rules, r.blocks.tower)
			r.heights.Until(r.ctx, maxRows)
		}
		if r.begun != begun { // what the columns of one page may need is bounded
			r.begun = begun
			r.blocks.begin()
			r.heights.Until(r.ctx, maxRows)
		}
		return r.heights.Of(pos, name)
	}
}

// fill gives c its lists.
func (r *columnReader) fill(c *voxel.Column) error {
	r.filled++
	for i := 0; r.held > maxHeld && i < len(r.lists); i++ { // pages that the column before did not need
		if h := &r.lists[i]; h.page != nil && h.filled < r.filled-1 {
			r.held -= h.page.Memory()
			*h = heldList{}
		}
	}
	count, bytes := 0, 0
	_, bit := columnKey(c.Pos)
	for i := range r.d.lists {
		l := &r.d.lists[i]
		at := findColumn(l.entries, c.Pos)
		if at < 0 {
			continue
		}
		if r.lists == nil {
			r.lists = make([]heldList, len(r.d.lists))
		}
		held := &r.lists[i]
		if e := &l.entries[at]; held.page == nil || held.begun != e.begun {
			page, err := r.s.list(r.ctx, l, at)
			if err != nil {
				return err
			}
			if held.page != nil {
				r.held -= held.page.Memory()
			}
			*held = heldList{begun: e.begun, page: page}
			r.held += page.Memory()
		}
		held.filled = r.filled
		page := held.page
		if page.Patches[l.entries[at].at(bit)] != nil {
			if r.partly {
				continue
			}
			return fmt.Errorf("list %q: %w", l.name, ErrNoBase)
		}
		if count, bytes = count+page.Count, bytes+page.Bytes; count > column.MaxObjects || bytes > maxMet {
			return corruptf(r.s.dir.pages[l.entries[at].page].off, "objects", "%d objects and %d bytes meet in a column: %v", count, bytes, c.Pos)
		}
		c.Lists = append(c.Lists, voxel.List{Name: l.name, Objects: page.Lists[l.entries[at].at(bit)]})
	}
	return nil
}

// loose yields the columns for which the stone has only lists, with those lists that are no patches.
func (s *Reader) loose(ctx context.Context, d *dimension) iter.Seq2[*voxel.Column, error] {
	return func(yield func(*voxel.Column, error) bool) {
		r := s.columnReader(ctx, d)
		r.partly = true
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

// list returns the page of an entry of a list.
func (s *Reader) list(ctx context.Context, l *list, entry int) (*column.Objects, error) {
	return cachedPage(ctx, s, l.entries[entry].begun, func() (*column.Objects, int64, error) {
		group := group(l.entries, entry)
		number := group[0].page
		form, streams, err := s.page(ctx, number)
		if err != nil {
			return nil, 0, err
		}
		page, err := column.DecodeObjects(ctx, form, streams, columnPositions(group))
		if err != nil {
			return nil, 0, s.at(number, err)
		}
		return page, page.Memory(), nil
	})
}

// findColumn returns the index of the entry for a column, or -1.
func findColumn(entries []entry, pos geom.ColumnPos) int {
	if pos.Check() != nil {
		return -1
	}
	key, bit := columnKey(pos)
	return find(entries, key, bit)
}
