package stone

import (
	"context"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"

	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/column"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// columnPages is the state of a Writer for the columns of a dimension.
type columnPages struct {
	last   geom.ColumnPos
	begun  bool // last is one
	held   []heldColumn
	bytes  int
	towers light.Towers // of the dimension's rules; nil if it has none
}

// heldColumn is a column and what to write about it. Of what is written as a patch the column has no content.
type heldColumn struct {
	voxel.Column
	as    saying
	patch *patch.Patch   // of the column
	lists []*patch.Patch // of its lists
}

type saying uint8

const (
	sayWhole saying = iota // the column and its lists
	sayLists               // its lists alone
	sayGone
)

// Column writes a column of the last dimension with its lists. It writes nothing
// about lists that c lacks. Columns ascend by geom.ColumnPos.Compare and follow the
// dimension's volumes. Readers return lists sorted by name. The Writer keeps what c
// points at until it writes the next page, so the caller must not change it.
func (w *Writer) Column(c *voxel.Column) error {
	return w.hold("Column", heldColumn{Column: *c, as: sayWhole})
}

// Lists writes lists of a column without the column itself. A list without objects
// says that the list is empty. Order and ownership are those of Column.
func (w *Writer) Lists(pos geom.ColumnPos, lists []voxel.List) error {
	return w.hold("Lists", heldColumn{Column: voxel.Column{Pos: pos, Lists: lists}, as: sayLists})
}

// NoColumn says that a column is deleted with all its lists. It goes where Column
// would write the column.
func (w *Writer) NoColumn(pos geom.ColumnPos) error {
	return w.hold("NoColumn", heldColumn{Column: voxel.Column{Pos: pos}, as: sayGone})
}

// Differ writes a column of which the stones below say base, in place of Column, or of Lists if only lists differ: of what it
// says, what is equal there is left out, and what is smaller so is written as a patch. Of base count the lists that c has too. The
// stone then needs the stones below: it may have no rules, no light that follows from blocks and no tallies.
func (w *Writer) Differ(base, c *voxel.Column, only bool) error {
	h := heldColumn{Column: voxel.Column{Pos: c.Pos}, as: sayLists}
	if !only {
		if was, is := column.DocumentOf(base), column.DocumentOf(c); string(was) != string(is) {
			if h.as, h.patch = sayWhole, w.diff(was, is); h.patch == nil {
				h.Column = *c
				h.Lists = nil
			}
		}
	}
	for _, l := range c.Lists {
		was, is := column.DocumentOfList(c.Pos, base.Objects(l.Name)), column.DocumentOfList(c.Pos, l.Objects)
		if string(was) == string(is) {
			continue
		}
		p := w.diff(was, is)
		if p != nil {
			l.Objects = nil
		}
		h.Lists, h.lists = append(h.Lists, l), append(h.lists, p)
	}
	if h.as == sayLists && len(h.Lists) == 0 {
		return w.err
	}
	return w.hold("Differ", h)
}

func (w *Writer) hold(call string, c heldColumn) error {
	w.flushCells()
	if err := w.step(atVolumes, atColumns, atColumns, call); err != nil {
		return err
	}
	p := &w.columns
	if p.begun && p.last.Compare(c.Pos) >= 0 {
		return w.misuse("column %v is not after %v", c.Pos, p.last)
	}
	if c.as == sayLists && len(c.Lists) == 0 {
		return w.misuse("column %v: no lists", c.Pos)
	}
	if err := column.Check(&c.Column); err != nil {
		return w.misuse("column %v: %w", c.Pos, err)
	}
	size := column.Size(&c.Column)
	if c.lists == nil {
		c.lists = make([]*patch.Patch, len(c.Lists))
	}
	for _, d := range append(c.lists[:len(c.lists):len(c.lists)], c.patch) {
		if d == nil {
			continue
		}
		if size += d.Size(); w.o.Tally || w.columns.towers != nil {
			return w.misuse("column %v: a patch in a stone with tallies or rules", c.Pos)
		}
	}
	if len(p.held) == pageColumns || p.bytes+size > pageBytes {
		w.flushColumns()
	}
	p.last, p.begun = c.Pos, true
	if t := w.dimension().tally; t != nil {
		t.Column(&c.Column, 1)
	}
	p.held = append(p.held, c)
	p.bytes += size
	return w.err
}

func (w *Writer) flushColumns() {
	p := &w.columns
	if len(p.held) == 0 {
		return
	}
	d := w.dimension()
	entries := columnEntries(p.held, func(c *heldColumn) bool { return c.as != sayLists })
	columns, patches := said(p.held)
	w.enter(&d.columns, entries, column.AddPatches(column.Encode(columns, w.ruled()), patches)...)
	for _, name := range listNames(p.held) {
		var held []voxel.List
		var whole []geom.ColumnPos
		var patches []*patch.Patch
		for i := range p.held {
			c := &p.held[i]
			n := slices.IndexFunc(c.Lists, func(l voxel.List) bool { return l.Name == name })
			if n < 0 {
				continue
			}
			if patches = append(patches, c.lists[n]); c.lists[n] == nil {
				held, whole = append(held, c.Lists[n]), append(whole, c.Pos)
			}
		}
		at := columnEntries(p.held, func(c *heldColumn) bool { return column.Find(&c.Column, name) != nil })
		w.enter(&d.list(name).entries, at, column.AddPatches(column.EncodeObjects(whole, held), patches)...)
	}
	if len(d.lists) > maxLists {
		w.misuse("%d lists, at most %d", len(d.lists), maxLists)
	}
	p.held, p.bytes = nil, 0
}

// ruled returns what rules say of the maps of the columns of one page, as long as a Reader
// may compute it.
func (w *Writer) ruled() column.Ruled {
	if w.columns.towers == nil {
		return nil
	}
	towers, far := w.blocks.counted(w.columns.towers)
	h := column.NewHeights(w.dimension().rules, towers)
	h.Until(context.Background(), maxRows)
	return func(pos geom.ColumnPos, name string) *[256]int32 {
		if m := h.Of(pos, name); far() == nil {
			return m
		}
		return nil
	}
}

// smallPage is the size in plain bytes up to which all forms of a page are tried.
// For larger pages the last form is smaller.
const smallPage = 4096

// enter writes entries and, for entries that have one, the page in one form of
// candidates.
func (w *Writer) enter(to *[]entry, entries []entry, candidates ...pages.Page) {
	var shape []byte
	for _, e := range entries {
		if e.paged() {
			shape = binary.LittleEndian.AppendUint64(shape, e.mask)
		}
	}
	number, first := nonePage, 0
	if shape != nil {
		if pages.Size(candidates[0].Streams) > smallPage {
			candidates = candidates[len(candidates)-1:]
		}
		w.setSmallest(candidates)
		number = w.keepPage(shape)
	}
	for _, e := range entries {
		if e.paged() {
			e.page, e.first = number, int32(first)
			first += bits.OnesCount64(e.mask)
		}
		*to = append(*to, e)
	}
}

// setSmallest sets w.page to the smallest candidate, the first of equals.
// Options.Only does not apply, because it is a form of cells.
func (w *Writer) setSmallest(candidates []pages.Page) {
	for _, c := range candidates {
		w.checkPage(c.Streams)
	}
	if w.err == nil {
		w.page = w.encoderOf(0).AppendSmallest(w.page[:0], candidates)
	}
}

// list returns the dimension's list of that name and makes it if it is new.
func (d *dimension) list(name string) *list {
	i, ok := slices.BinarySearchFunc(d.lists, name, func(l list, n string) int { return strings.Compare(l.name, n) })
	if !ok {
		d.lists = slices.Insert(d.lists, i, list{name: name})
	}
	return &d.lists[i]
}

func listNames(columns []heldColumn) (names []string) {
	for i := range columns {
		for _, l := range columns[i].Lists {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// columnEntries returns the directory entries of the columns for which keep is true.
// Their page number is not known yet.
func columnEntries(columns []heldColumn, keep func(*heldColumn) bool) (entries []entry) {
	for i := range columns {
		if !keep(&columns[i]) {
			continue
		}
		key, bit := columnKey(columns[i].Pos)
		e := entry{key: key}
		if columns[i].as == sayGone {
			e.page = nonePage
		}
		if n := len(entries); n == 0 || entries[n-1].key != key || entries[n-1].page != e.page {
			entries = append(entries, e)
		}
		entries[len(entries)-1].mask |= 1 << bit
	}
	return entries
}

// said returns the columns that are said to be there and are whole, and the patches of those that are not, with nil for those
// that are.
func said(held []heldColumn) (columns []*voxel.Column, patches []*patch.Patch) {
	for i := range held {
		c := &held[i]
		if c.as != sayWhole {
			continue
		}
		if patches = append(patches, c.patch); c.patch == nil {
			columns = append(columns, &c.Column)
		}
	}
	return columns, patches
}
