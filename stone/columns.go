package stone

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

const columnForm = 1

// What a page of columns may hold; a claim of more is refused before anything
// is allocated for it.
const (
	maxPageColumns = 1024
	maxSections    = 1024 // of a column
	maxMaps        = 32
	maxParts       = 64
	maxPageNames   = 1 << 15
)

// Streams of a page of columns.
const (
	columnNames  = iota // names of maps and parts, as they first occur
	columnShapes        // versions, layouts, sections, maps, parts
	columnStamps
	columnSizes // of tags and parts
	columnMaps  // what is left of the maps
	columnData  // tags and parts
	numColumnStreams
)

// How a map is written.
const (
	mapConst    = 0 // one value
	mapSame     = 1 // equal to the map before it in the column
	mapGradient = 2 // residuals of the prediction from W, N and NW
	mapAbove    = 3 // residuals of the map before it
	mapRule     = 4 // equal to what the rule says
	mapBeside   = 5 // residuals of what the rule says
)

// columnPages is what a Writer holds of the columns of a dimension.
type columnPages struct {
	last    geom.ColumnPos
	held    []voxel.Column
	bytes   int
	heights *heights // rules of the dimension, nil if it has none
}

// Column writes a column of the last dimension with its lists. Columns ascend
// by geom.ColumnPos.Compare and come after the dimension's volumes. The order
// of c's lists is not kept: they are read sorted by name. The Writer keeps what
// c points at until the next page is written: the caller must not change it.
func (w *Writer) Column(c *voxel.Column) error {
	w.flushCells()
	if err := w.step(atVolumes, atColumns, atColumns, "Column"); err != nil {
		return err
	}
	d, p := w.dimension(), &w.columns
	if len(d.columns)+len(p.held) > 0 && p.last.Compare(c.Pos) >= 0 {
		return w.misuse("column %v is not after %v", c.Pos, p.last)
	}
	if err := checkColumn(c); err != nil {
		return w.misuse("column %v: %w", c.Pos, err)
	}
	size := columnBytes(c)
	if len(p.held) == pageColumns || p.bytes+size > pageBytes {
		w.flushColumns()
	}
	p.last = c.Pos
	p.held = append(p.held, *c)
	p.bytes += size
	return w.err
}

// checkColumn refuses what could not be read back.
func checkColumn(c *voxel.Column) error {
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
			n += 8 + len(o.Payload)
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
	entries := columnEntries(p.held, nil)
	w.enter(&d.columns, entries, columnForm, columnPage(p.held, p.heights))
	for _, name := range listNames(p.held) {
		held := slices.Collect(func(yield func(voxel.List) bool) {
			for i := range p.held {
				if l := findList(&p.held[i], name); l != nil && !yield(*l) {
					return
				}
			}
		})
		at := columnEntries(p.held, func(c *voxel.Column) bool { return findList(c, name) != nil })
		w.enter(&d.list(name).entries, at, objectForm, objectPage(at, held))
	}
	if len(d.lists) > maxLists {
		w.misuse("%d lists, at most %d", len(d.lists), maxLists)
	}
	p.held, p.bytes = nil, 0
}

// enter writes a page and its entries.
func (w *Writer) enter(to *[]entry, entries []entry, form byte, streams [][]byte) {
	var shape []byte
	for _, e := range entries {
		shape = binary.LittleEndian.AppendUint64(shape, e.mask)
	}
	number, first := w.addPage(form, streams, shape), 0
	for _, e := range entries {
		e.page, e.first = number, first
		first += bits.OnesCount64(e.mask)
		*to = append(*to, e)
	}
}

// list returns the dimension's list of that name, which is made if it is new.
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

func listNames(columns []voxel.Column) (names []string) {
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

// columnEntries returns the directory entries of those columns that are kept.
func columnEntries(columns []voxel.Column, keep func(*voxel.Column) bool) (entries []entry) {
	for i := range columns {
		if keep != nil && !keep(&columns[i]) {
			continue
		}
		key, bit := columnKey(columns[i].Pos)
		if n := len(entries); n == 0 || entries[n-1].key != key {
			entries = append(entries, entry{key: key})
		}
		entries[len(entries)-1].mask |= 1 << bit
	}
	return entries
}

// pageWriter builds a page of columns.
type pageWriter struct {
	streams [numColumnStreams][]byte
	names   []string
	stamp   int64
	version int64
	heights *heights
}

func columnPage(columns []voxel.Column, h *heights) [][]byte {
	p := pageWriter{heights: h}
	for i := range columns {
		p.column(&columns[i])
	}
	for _, n := range p.names {
		p.streams[columnNames] = appendString(p.streams[columnNames], n)
	}
	return p.streams[:]
}

func (p *pageWriter) num(stream int, v uint64) {
	p.streams[stream] = binary.AppendUvarint(p.streams[stream], v)
}

func (p *pageWriter) signed(stream int, v int64) {
	p.streams[stream] = binary.AppendVarint(p.streams[stream], v)
}

func (p *pageWriter) blob(b []byte) {
	p.num(columnSizes, uint64(len(b)))
	p.streams[columnData] = append(p.streams[columnData], b...)
}

func (p *pageWriter) name(s string) {
	i := slices.Index(p.names, s)
	if i < 0 {
		i = len(p.names)
		p.names = append(p.names, s)
	}
	p.num(columnShapes, uint64(i))
}

func (p *pageWriter) column(c *voxel.Column) {
	p.signed(columnShapes, int64(c.Version)-p.version)
	p.version = int64(c.Version)
	p.num(columnShapes, uint64(c.Layout)<<8|uint64(c.Whole))
	p.num(columnShapes, uint64(len(c.Sections)))
	y := int64(0)
	for _, s := range c.Sections {
		p.signed(columnShapes, int64(s.Y)-y)
		y = int64(s.Y) + 1
		flags := uint64(s.Has) << 1
		if s.Tags != nil {
			flags |= 1
			p.blob(s.Tags)
		}
		p.num(columnShapes, flags)
	}
	p.num(columnShapes, uint64(len(c.Maps)))
	for i := range c.Maps {
		p.name(c.Maps[i].Name)
		p.num(columnShapes, uint64(c.Maps[i].Form))
		var above *[256]int32
		if i > 0 {
			above = &c.Maps[i-1].Values
		}
		p.values(&c.Maps[i].Values, above, p.heights.of(c.Pos, c.Maps[i].Name))
	}
	p.num(columnShapes, uint64(len(c.Parts)))
	for _, part := range c.Parts {
		p.part(part)
	}
}

func (p *pageWriter) part(part voxel.Part) {
	p.name(part.Name)
	flags := uint64(0)
	if part.Damaged {
		flags |= 1
	}
	if part.Stamp != 0 {
		flags |= 2
		p.signed(columnStamps, int64(part.Stamp)-p.stamp)
		p.stamp = int64(part.Stamp)
	}
	p.num(columnShapes, flags)
	p.blob(part.Data)
}

// values writes a map in the way that leaves least.
func (p *pageWriter) values(v, above, rule *[256]int32) {
	switch {
	case rule != nil && *rule == *v:
		p.num(columnShapes, mapRule)
		return
	case all(func(i int) bool { return v[i] == v[0] }):
		p.num(columnShapes, mapConst)
		p.signed(columnMaps, int64(v[0]))
		return
	case above != nil && *above == *v:
		p.num(columnShapes, mapSame)
		return
	}
	way, least := uint64(mapGradient), residualCost(v, nil)
	var from *[256]int32
	for w, other := range [...]*[256]int32{mapAbove: above, mapBeside: rule} {
		if other == nil {
			continue
		}
		if cost := residualCost(v, other); cost < least {
			way, from, least = uint64(w), other, cost
		}
	}
	p.num(columnShapes, way)
	for i := range v {
		p.signed(columnMaps, int64(v[i])-predict(v, from, i))
	}
}

// predict returns what v[i] should be by another map or, without one, by v's
// earlier numbers.
func predict(v, from *[256]int32, i int) int64 {
	if from != nil {
		return int64(from[i])
	}
	return gradient(v, i)
}

func all(ok func(int) bool) bool {
	for i := range 256 {
		if !ok(i) {
			return false
		}
	}
	return true
}

func residualCost(v, from *[256]int32) (cost int) {
	for i := range v {
		d := int64(v[i]) - predict(v, from, i)
		cost += bits.Len64(uint64(max(d, -d)))
	}
	return cost
}

// gradient predicts v[i] from its neighbours to the west, north and north-west:
// W+N-NW kept between W and N.
func gradient(v *[256]int32, i int) int64 {
	x, z := i%16, i/16
	switch {
	case x == 0 && z == 0:
		return 0
	case z == 0:
		return int64(v[i-1])
	case x == 0:
		return int64(v[i-16])
	}
	w, n, nw := int64(v[i-1]), int64(v[i-16]), int64(v[i-17])
	return max(min(w, n), min(max(w, n), w+n-nw))
}
