package stone

import (
	"errors"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/geom"
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
	heights *heights
}

// decodeColumns returns the columns at at, in that order, without their lists.
func decodeColumns(form byte, streams [][]byte, at []geom.ColumnPos, h *heights) ([]voxel.Column, error) {
	p := pageReader{heights: h}
	if !p.open(form, streams) || len(at) > maxPageColumns {
		return nil, corruptf(0, "columns", "form %d with %d streams for %d columns", form, len(streams), len(at))
	}
	p.readNames()
	columns := make([]voxel.Column, len(at))
	for i := range columns {
		columns[i].Pos = at[i]
		p.column(&columns[i])
		if err := p.err(); err != nil {
			return nil, err
		}
	}
	for i := range p.c {
		if err := p.c[i].end(); err != nil {
			return nil, err
		}
	}
	if p.tags != nil {
		return columns, p.tags.End()
	}
	return columns, nil
}

// open takes the streams of a page, unless there is no such form.
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

// splitReader returns a reader of the tags of a page whose streams for them begin
// at first.
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

func (p *pageReader) column(c *voxel.Column) {
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
	for i := range c.Maps {
		c.Maps[i].Name, c.Maps[i].Form = p.name(), uint8(s.flags(8))
		var above *[256]int32
		if i > 0 {
			above = &c.Maps[i-1].Values
		}
		p.values(c.Pos, &c.Maps[i], above)
	}
	c.Parts = some[voxel.Part](s.atMost(maxParts))
	for i := range c.Parts {
		c.Parts[i] = p.part()
	}
}

// some returns a slice of n, nil for none.
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

func (p *pageReader) values(pos geom.ColumnPos, m *voxel.Map, above *[256]int32) {
	s, res, v := &p.c[columnShapes], &p.c[columnMaps], &m.Values
	way := s.uvarint()
	from := above
	if way == mapRule || way == mapBeside {
		from = p.heights.of(pos, m.Name)
	}
	if way > mapBeside || from == nil && way != mapConst && way != mapGradient {
		s.fail(fmt.Errorf("a map of way %d", way))
		return
	}
	switch way {
	case mapConst:
		c := int32(res.varint())
		for i := range v {
			v[i] = c
		}
	case mapSame, mapRule:
		*v = *from
	case mapGradient:
		from = nil
		fallthrough
	default:
		for i := range v {
			v[i] = int32(predict(v, from, i) + res.varint())
		}
	}
}
