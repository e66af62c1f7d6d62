package column

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/cursor"
	"github.com/cairnvoxel/cairn/internal/light"
	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/stone/patch"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/cairnvoxel/cairn/voxel"
	"github.com/cairnvoxel/cairn/voxel/geom"
)

// pageReader reads a page of columns.
type pageReader struct {
	c       [numColumnStreams]cursor.Cursor
	tags    *tags.Decoder // nil in form 1
	names   []string
	stamp   int64
	version int64
	rules   []light.Rule
}

// Page is a decoded page of columns, without their lists.
type Page struct {
	// Patches are of the columns that are stored as patches, nil for others.
	Patches []*patch.Patch

	columns []voxel.Column
	// ways holds for each column how its maps are written, if some follow from
	// blocks: the maps of such a column still hold residuals. It is nil for other
	// columns.
	ways [][]uint8
}

// Decode returns the columns at the positions at, in that order. rules are the
// dimension's. It ends with ctx.
func Decode(ctx context.Context, form byte, streams [][]byte, at []geom.ColumnPos, rules []light.Rule) (*Page, error) {
	all, form, streams, err := takePatches(ctx, form, streams, len(at))
	if err != nil {
		return nil, err
	}
	page := &Page{all, make([]voxel.Column, len(at)), make([][]uint8, len(at))}
	if len(at) > 0 && !slices.Contains(all, nil) {
		return page, nil
	}
	p := pageReader{rules: rules}
	if !p.open(form, streams) || len(at) > MaxColumns {
		return nil, corruptf("columns", "form %d with %d streams for %d columns", form, len(streams), len(at))
	}
	if p.tags != nil {
		p.tags.Until(ctx)
	}
	p.readNames()
	for i := range at {
		if all[i] != nil {
			continue
		}
		page.columns[i].Pos = at[i]
		page.ways[i] = p.column(&page.columns[i])
		if err := cmp.Or(p.err(), ctx.Err()); err != nil {
			return nil, err
		}
	}
	for i := range p.c {
		if err := p.c[i].End(); err != nil {
			return nil, err
		}
	}
	if p.tags != nil {
		return page, p.tags.End()
	}
	return page, nil
}

// open takes the streams of a page. It returns false for an unknown form.
func (p *pageReader) open(form byte, streams [][]byte) bool {
	switch {
	case form == Plain && len(streams) == numColumnStreams:
		for i := range p.c {
			p.c[i] = cursor.New(streams[i], columnParts[i])
		}
	case form == Tags && len(streams) == len(splitColumn)+tags.NumStreams:
		for i, k := range splitColumn {
			p.c[k] = cursor.New(streams[i], columnParts[k])
		}
		p.tags = splitReader(streams, len(splitColumn))
	default:
		return false
	}
	return true
}

// splitReader returns a reader of the tags of a page. Their streams start at index
// first.
func splitReader(streams [][]byte, first int) *tags.Decoder {
	return tags.NewDecoder(streams[first:], pages.MaxPage-pages.Size(streams))
}

func (p *pageReader) readNames() {
	spell := pages.ByBytes
	if p.tags != nil {
		spell = pages.ByWords
	}
	for c := &p.c[columnNames]; c.Left() > 0; {
		if len(p.names) == maxNames {
			c.Fail(errors.New("too many names"))
		}
		p.names = append(p.names, spell.Text(c))
	}
}

func (p *pageReader) err() error {
	if p.tags != nil && p.tags.Err() != nil {
		return p.tags.Err()
	}
	for i := range p.c {
		if p.c[i].Err() != nil {
			return p.c[i].Err()
		}
	}
	return nil
}

func (p *pageReader) blob() []byte { return p.c[columnData].Bytes(p.c[columnSizes].Size()) }

func (p *pageReader) sectionTags() []byte {
	if p.tags != nil {
		return p.tags.Payload("")
	}
	return p.blob()
}

func (p *pageReader) name() string {
	c := &p.c[columnShapes]
	i := c.Uvarint()
	if i >= uint64(len(p.names)) {
		c.Fail(fmt.Errorf("name %d of %d", i, len(p.names)))
		return ""
	}
	return p.names[i]
}

// column reads a column and returns its entry of Page.ways.
func (p *pageReader) column(c *voxel.Column) (ways []uint8) {
	s := &p.c[columnShapes]
	p.version = s.Within(p.version+s.Varint(), math.MinInt32, math.MaxInt32)
	c.Version = int32(p.version)
	layout := s.Flags(28)
	c.Layout, c.Stale, c.Whole = uint16(layout>>12), voxel.Has(layout>>8)&0xF, voxel.Has(layout)
	c.Sections = pages.Some[voxel.Section](s.AtMost(maxSections))
	y := int64(0)
	for i := range c.Sections {
		y = s.Within(y+s.Varint(), math.MinInt8, math.MaxInt8)
		c.Sections[i].Y = int8(y)
		y++
		flags := s.Flags(9)
		c.Sections[i].Has = voxel.Has(flags >> 1)
		if flags&1 != 0 {
			c.Sections[i].Tags = p.sectionTags()
		}
	}
	c.Maps = pages.Some[voxel.Map](s.AtMost(maxMaps))
	follows := false
	for i := range c.Maps {
		m := &c.Maps[i]
		m.Name, m.Form = p.name(), uint8(s.Flags(8))
		way := p.residuals(m)
		ways = append(ways, way)
		follows = follows || way != mapGradient
	}
	if !follows {
		completeMaps(c.Maps, ways, nil)
		ways = nil
	}
	c.Parts = pages.Some[voxel.Part](s.AtMost(maxParts))
	for i := range c.Parts {
		c.Parts[i] = p.part()
	}
	return ways
}

func (p *pageReader) part() (part voxel.Part) {
	part.Name = p.name()
	flags := p.c[columnShapes].Flags(2)
	part.Damaged = flags&1 != 0
	if flags&2 != 0 {
		s := &p.c[columnStamps]
		p.stamp = s.Within(p.stamp+s.Varint(), 1, math.MaxUint32)
		part.Stamp = uint32(p.stamp)
	}
	if p.tags != nil {
		part.Data = p.tags.Document(part.Name)
	} else {
		part.Data = p.blob()
	}
	return part
}

// residuals reads how a map is written, and its residuals.
func (p *pageReader) residuals(m *voxel.Map) (way uint8) {
	s, res, v := &p.c[columnShapes], &p.c[columnMaps], &m.Values
	n := s.Uvarint()
	ruled := slices.ContainsFunc(p.rules, func(r light.Rule) bool { return r.Map == m.Name })
	if way = uint8(n); n != mapGradient && (n != mapRule && n != mapBeside || !ruled) {
		s.Fail(fmt.Errorf("a map of way %d", n))
		return mapGradient
	}
	if way != mapRule {
		for i := range v {
			v[i] = int32(res.Varint())
		}
	}
	return way
}

// completeMaps turns residuals into values. of returns the map by the rule, or nil
// if there is none; completeMaps then returns false.
func completeMaps(maps []voxel.Map, ways []uint8, of func(name string) *[256]int32) bool {
	for n := range maps {
		v, from := &maps[n].Values, (*[256]int32)(nil)
		if ways[n] != mapGradient {
			if from = of(maps[n].Name); from == nil {
				return false
			}
		}
		for i := range v { // those by the rule have residuals of 0
			v[i] = int32(predict(v, from, i) + int64(v[i]))
		}
	}
	return true
}

// Column returns the page's column i. ok is false if a map of it follows from blocks
// and rule returns nil.
func (p *Page) Column(i int, rule Ruled) (c voxel.Column, ok bool) {
	c, ok = p.columns[i], true
	if ways := p.ways[i]; ways != nil {
		c.Maps = slices.Clone(c.Maps)
		ok = completeMaps(c.Maps, ways, func(name string) *[256]int32 { return rule(c.Pos, name) })
	}
	return c, ok
}

// Memory is about how much memory the page takes.
func (p *Page) Memory() (n int64) {
	n = patchMemory(p.Patches)
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

func memoryOf[T any](s []T) int64 { return int64(len(s)) * int64(unsafe.Sizeof(*new(T))) }
