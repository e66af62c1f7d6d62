package stone

import (
	"errors"
	"fmt"
	"math"

	"github.com/cairnvoxel/cairn/geom"
	"github.com/cairnvoxel/cairn/voxel"
)

// pageReader reads a page of columns.
type pageReader struct {
	c       [numColumnStreams]cursor
	names   []string
	stamp   int64
	version int64
	heights *heights
}

// decodeColumns returns the columns at at, in that order, without their lists.
func decodeColumns(form byte, streams [][]byte, at []geom.ColumnPos, h *heights) ([]voxel.Column, error) {
	if form != columnForm || len(streams) != numColumnStreams || len(at) > maxPageColumns {
		return nil, corruptf(0, "columns", "form %d with %d streams for %d columns", form, len(streams), len(at))
	}
	p := pageReader{heights: h}
	for i, name := range []string{"names", "shapes", "stamps", "sizes", "maps", "data"} {
		p.c[i] = cursor{b: streams[i], part: "columns " + name}
	}
	for c := &p.c[columnNames]; c.at < len(c.b) && c.err == nil; {
		if len(p.names) == maxPageNames {
			c.fail(errors.New("too many names"))
		}
		p.names = append(p.names, c.string())
	}
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
	return columns, nil
}

func (p *pageReader) err() error {
	for i := range p.c {
		if p.c[i].err != nil {
			return p.c[i].err
		}
	}
	return nil
}

func (p *pageReader) blob() []byte { return p.c[columnData].bytes(p.c[columnSizes].size()) }

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
			c.Sections[i].Tags = p.blob()
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
	part.Data = p.blob()
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
