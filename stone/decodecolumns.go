package stone

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/light"
	"github.com/cairnvoxel/cairn/tags"
	"github.com/cairnvoxel/cairn/voxel"
)

// pageReader reads a page of columns.
type pageReader struct {
	c       [numColumnStreams]cursor
	tags    *tags.Reader // nil in form 1
	names   []string
	stamp   int64
	version int64
	rules   []light.Rule
}

// columnsPage is a decoded page of columns, without their lists.
type columnsPage struct {
	columns []voxel.Column
	// ways holds for each column how its maps are written, if some follow from
	// blocks: the maps of such a column still hold residuals. It is nil for other
	// columns.
	ways [][]uint8
}

// decodeColumns returns the columns at the positions at, in that order. rules are
// the dimension's.
func decodeColumns(ctx context.Context, form byte, streams [][]byte, at []geom.ColumnPos, rules []light.Rule) (*columnsPage, error) {
	p := pageReader{rules: rules}
	if !p.open(form, streams) || len(at) > maxPageColumns {
		return nil, corruptf(0, "columns", "form %d with %d streams for %d columns", form, len(streams), len(at))
	}
	if p.tags != nil {
		p.tags.Until(ctx)
	}
	p.readNames()
	page := &columnsPage{make([]voxel.Column, len(at)), make([][]uint8, len(at))}
	for i := range at {
		page.columns[i].Pos = at[i]
		page.ways[i] = p.column(&page.columns[i])
		if err := cmp.Or(p.err(), ctx.Err()); err != nil {
			return nil, err
		}
	}
	for i := range p.c {
		if err := p.c[i].end(); err != nil {
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
	case form == columnForm && len(streams) == numColumnStreams:
		for i := range p.c {
			p.c[i] = cursor{b: streams[i], part: columnParts[i]}
		}
	case form == columnTags && len(streams) == len(splitColumn)+tags.NumStreams:
		for i, k := range splitColumn {
			p.c[k] = cursor{b: streams[i], part: columnParts[k]}
		}
		p.tags = splitReader(streams, len(splitColumn))
	default:
		return false
	}
	return true
}

// splitReader returns a reader of the tags of a page. Their streams start at index
// first.
func splitReader(streams [][]byte, first int) *tags.Reader {
	return tags.NewReader(streams[first:], maxPage-plainBytes(streams))
}

func (p *pageReader) readNames() {
	spell := byBytes
	if p.tags != nil {
		spell = byWords
	}
	for c := &p.c[columnNames]; c.at < len(c.b) && c.err == nil; {
		if len(p.names) == maxPageNames {
			c.fail(errors.New("too many names"))
		}
		p.names = append(p.names, spell.string(c))
	}
}

func (p *pageReader) err() error {
	if p.tags != nil && p.tags.Err() != nil {
		return p.tags.Err()
	}
	for i := range p.c {
		if p.c[i].err != nil {
			return p.c[i].err
		}
	}
	return nil
}

func (p *pageReader) blob() []byte { return p.c[columnData].bytes(p.c[columnSizes].size()) }

func (p *pageReader) sectionTags() []byte {
	if p.tags != nil {
		return p.tags.Payload("")
	}
	return p.blob()
}

func (p *pageReader) name() string {
	c := &p.c[columnShapes]
	i := c.uvarint()
	if i >= uint64(len(p.names)) {
		c.fail(fmt.Errorf("name %d of %d", i, len(p.names)))
		return ""
	}
	return p.names[i]
}

// column reads a column and returns its entry of columnsPage.ways.
func (p *pageReader) column(c *voxel.Column) (ways []uint8) {
	s := &p.c[columnShapes]
	p.version = s.within(p.version+s.varint(), math.MinInt32, math.MaxInt32)
	c.Version = int32(p.version)
	layout := s.flags(28)
	c.Layout, c.Stale, c.Whole = uint16(layout>>12), voxel.Has(layout>>8)&0xF, voxel.Has(layout)
	c.Sections = some[voxel.Section](s.atMost(maxSections))
	y := int64(0)
	for i := range c.Sections {
		y = s.within(y+s.varint(), math.MinInt8, math.MaxInt8)
		c.Sections[i].Y = int8(y)
		y++
		flags := s.flags(9)
		c.Sections[i].Has = voxel.Has(flags >> 1)
		if flags&1 != 0 {
			c.Sections[i].Tags = p.sectionTags()
		}
	}
	c.Maps = some[voxel.Map](s.atMost(maxMaps))
	follows := false
	for i := range c.Maps {
		m := &c.Maps[i]
		m.Name, m.Form = p.name(), uint8(s.flags(8))
		way := p.residuals(m, i == 0)
		ways = append(ways, way)
		follows = follows || ofRule(way)
	}
	if !follows {
		completeMaps(c.Maps, ways, nil)
		ways = nil
	}
	c.Parts = some[voxel.Part](s.atMost(maxParts))
	for i := range c.Parts {
		c.Parts[i] = p.part()
	}
	return ways
}

// some returns a slice of length n, or nil for 0.
func some[T any](n int) []T {
	if n == 0 {
		return nil
	}
	return make([]T, n)
}

func (p *pageReader) part() (part voxel.Part) {
	part.Name = p.name()
	flags := p.c[columnShapes].flags(2)
	part.Damaged = flags&1 != 0
	if flags&2 != 0 {
		s := &p.c[columnStamps]
		p.stamp = s.within(p.stamp+s.varint(), 1, math.MaxUint32)
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
func (p *pageReader) residuals(m *voxel.Map, first bool) (way uint8) {
	s, res, v := &p.c[columnShapes], &p.c[columnMaps], &m.Values
	n := s.uvarint()
	ruled := slices.ContainsFunc(p.rules, func(r light.Rule) bool { return r.Map == m.Name })
	if way = uint8(n); n > mapBeside || first && (way == mapSame || way == mapAbove) || ofRule(way) && !ruled {
		s.fail(fmt.Errorf("a map of way %d", n))
		return mapConst
	}
	switch way {
	case mapConst:
		c := int32(res.varint())
		for i := range v {
			v[i] = c
		}
	case mapGradient, mapAbove, mapBeside:
		for i := range v {
			v[i] = int32(res.varint())
		}
	}
	return way
}

// ofRule reports whether a map written this way follows from blocks.
func ofRule(way uint8) bool { return way == mapRule || way == mapBeside }

// completeMaps turns residuals into values. of returns the map by the rule, or nil
// if there is none; completeMaps then returns false.
func completeMaps(maps []voxel.Map, ways []uint8, of func(name string) *[256]int32) bool {
	for n := range maps {
		v, from := &maps[n].Values, (*[256]int32)(nil)
		if ofRule(ways[n]) {
			if from = of(maps[n].Name); from == nil {
				return false
			}
		} else if n > 0 {
			from = &maps[n-1].Values
		}
		switch ways[n] {
		case mapConst:
		case mapSame, mapRule:
			*v = *from
		case mapGradient:
			from = nil
			fallthrough
		default:
			for i := range v {
				v[i] = int32(predict(v, from, i) + int64(v[i]))
			}
		}
	}
	return true
}
