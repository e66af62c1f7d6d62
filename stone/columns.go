package stone

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// Forms of a page of columns.
const (
	columnForm = 1
	columnTags = 2 // tags and parts split by package tags, names by its words
)

// Limits of a page of columns. A page that claims more is refused before anything is
// allocated.
const (
	maxPageColumns = 1024
	maxSections    = 1024 // of a column
	maxMaps        = 32
	maxParts       = 64
	maxPageNames   = 1 << 15
)

// Streams of a page of columns of form 1.
const (
	columnNames  = iota // names of maps and parts, in order of first use
	columnShapes        // versions, layouts, sections, maps, parts
	columnStamps
	columnSizes // of tags and parts
	columnMaps  // residuals of the maps
	columnData  // tags and parts
	numColumnStreams
)

// splitColumn is the streams of form 2 before those of package tags.
var splitColumn = []int{columnNames, columnShapes, columnStamps, columnMaps}

var columnParts = []string{"columns names", "columns shapes", "columns stamps", "columns sizes", "columns maps", "columns data"}

// How a map is written.
const (
	mapConst    = 0 // one value
	mapSame     = 1 // equal to the map before it in the column
	mapGradient = 2 // residuals of the prediction from W, N and NW
	mapAbove    = 3 // residuals of the map before it
	mapRule     = 4 // equal to the rule's map
	mapBeside   = 5 // residuals of the rule's map
)

// columnPages is the state of a Writer for the columns of a dimension.
type columnPages struct {
	last    geom.ColumnPos
	begun   bool // last is one
	held    []heldColumn
	bytes   int
	heights *heights // the dimension's rules; nil if it has none
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
	if err := CheckColumn(&c.Column); err != nil {
		return w.misuse("column %v: %w", c.Pos, err)
	}
	size := columnBytes(&c.Column)
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

// CheckColumn returns an error if a Writer refuses the column with its lists because
// no Reader could read it back.
func CheckColumn(c *voxel.Column) error {
	if err := c.Pos.Check(); err != nil {
		return err
	}
	if len(c.Sections) > maxSections || len(c.Maps) > maxMaps || len(c.Parts) > maxParts || len(c.Lists) > maxLists {
		return fmt.Errorf("%d sections, %d maps, %d parts, %d lists: too many", len(c.Sections), len(c.Maps), len(c.Parts), len(c.Lists))
	}
	objects := 0
	for i, l := range c.Lists {
		if findList(c, l.Name) != &c.Lists[i] {
			return fmt.Errorf("list %q a second time", l.Name)
		}
		for n, o := range l.Objects {
			if o.Place > voxel.Moved || o.Place == voxel.Nowhere && o.At != (geom.Point{}) {
				return fmt.Errorf("list %q: object %d at %v by place %d", l.Name, n, o.At, o.Place)
			}
		}
		objects += len(l.Objects)
	}
	if size := columnBytes(c); objects > maxColumnObjects || size > maxPage {
		return fmt.Errorf("%d objects, at most %d; %d bytes, at most %d", objects, maxColumnObjects, size, maxPage)
	}
	return nil
}

func columnBytes(c *voxel.Column) (n int) {
	for _, s := range c.Sections {
		n += 4 + len(s.Tags)
	}
	for _, p := range c.Parts {
		n += 8 + len(p.Data)
	}
	for _, l := range c.Lists {
		for _, o := range l.Objects {
			n += objectBytes + len(o.Payload)
		}
	}
	return n + 256*len(c.Maps)
}

func (w *Writer) flushColumns() {
	p := &w.columns
	if len(p.held) == 0 {
		return
	}
	d := w.dimension()
	entries := columnEntries(p.held, func(c *heldColumn) bool { return c.as != sayLists })
	w.enter(&d.columns, entries, columnPage(p.held, p.heights)...)
	for _, name := range listNames(p.held) {
		held := slices.Collect(func(yield func(voxel.List) bool) {
			for i := range p.held {
				if l := findList(&p.held[i].Column, name); l != nil && !yield(*l) {
					return
				}
			}
		})
		at := columnEntries(p.held, func(c *heldColumn) bool { return findList(&c.Column, name) != nil })
		w.enter(&d.list(name).entries, at, objectPage(at, held)...)
	}
	if len(d.lists) > maxLists {
		w.misuse("%d lists, at most %d", len(d.lists), maxLists)
	}
	p.held, p.bytes = nil, 0
}

// candidate is a page in one form.
type candidate struct {
	form    byte
	streams [][]byte
}

// smallPage is the size in plain bytes up to which all forms of a page are tried.
// For larger pages the last form is smaller.
const smallPage = 4096

// enter writes entries and, for entries that have one, the page in one form of
// candidates.
func (w *Writer) enter(to *[]entry, entries []entry, candidates ...candidate) {
	var shape []byte
	for _, e := range entries {
		if e.paged() {
			shape = binary.LittleEndian.AppendUint64(shape, e.mask)
		}
	}
	number, first := nonePage, 0
	if shape != nil {
		if plainBytes(candidates[0].streams) > smallPage {
			candidates = candidates[len(candidates)-1:]
		}
		w.setSmallest(candidates)
		number = w.keepPage(shape)
	}
	for _, e := range entries {
		if e.paged() {
			e.page, e.first = number, first
			first += bits.OnesCount64(e.mask)
		}
		*to = append(*to, e)
	}
}

// setSmallest sets w.page to the smallest candidate, the first of equals.
// Options.Only does not apply, because it is a form of cells.
func (w *Writer) setSmallest(candidates []candidate) {
	w.setPage(candidates[0].form, candidates[0].streams)
	for _, s := range candidates[1:] {
		if w.err != nil {
			return
		}
		w.other = w.encoder().appendPage(w.other[:0], s.form, s.streams)
		if len(w.other) < len(w.page) {
			w.page, w.other = w.other, w.page
		}
	}
}

// list returns the dimension's list of that name and makes it if it is new.
func (d *dimension) list(name string) *list {
	i, ok := slices.BinarySearchFunc(d.lists, name, func(l list, n string) int {
		if l.name < n {
			return -1
		} else if l.name > n {
			return 1
		}
		return 0
	})
	if !ok {
		d.lists = slices.Insert(d.lists, i, list{name: name})
	}
	return &d.lists[i]
}

func findList(c *voxel.Column, name string) *voxel.List {
	for i := range c.Lists {
		if c.Lists[i].Name == name {
			return &c.Lists[i]
		}
	}
	return nil
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
