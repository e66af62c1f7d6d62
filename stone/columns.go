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

// heldColumn is a column and what to write about it.
type heldColumn struct {
	voxel.Column
	as saying
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
	return w.hold("Column", heldColumn{*c, sayWhole})
}

// Lists writes lists of a column without the column itself. A list without objects
// says that the list is empty. Order and ownership are those of Column.
func (w *Writer) Lists(pos geom.ColumnPos, lists []voxel.List) error {
	return w.hold("Lists", heldColumn{voxel.Column{Pos: pos, Lists: lists}, sayLists})
}

// NoColumn says that a column is deleted with all its lists. It goes where Column
// would write the column.
func (w *Writer) NoColumn(pos geom.ColumnPos) error {
	return w.hold("NoColumn", heldColumn{voxel.Column{Pos: pos}, sayGone})
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
	w.enter(&d.columns, entries, column.Encode(whole(p.held), w.ruled())...)
	for _, name := range listNames(p.held) {
		held := slices.Collect(func(yield func(voxel.List) bool) {
			for i := range p.held {
				if l := column.Find(&p.held[i].Column, name); l != nil && !yield(*l) {
					return
				}
			}
		})
		at := columnEntries(p.held, func(c *heldColumn) bool { return column.Find(&c.Column, name) != nil })
		w.enter(&d.list(name).entries, at, column.EncodeObjects(columnPositions(at), held)...)
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

// whole returns the columns that are said to be there.
func whole(held []heldColumn) (columns []*voxel.Column) {
	for i := range held {
		if held[i].as == sayWhole {
			columns = append(columns, &held[i].Column)
		}
	}
	return columns
}
