package column

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/cairnvoxel/cairn/internal/stone/pages"
	"github.com/cairnvoxel/cairn/internal/tags"
	"github.com/cairnvoxel/cairn/voxel"
)

// pageWriter builds a page of columns.
type pageWriter struct {
	streams [numColumnStreams][]byte
	tags    *tags.Builder // nil: only form 1 is made
	names   []string
	stamp   int64
	version int64
	rule    Ruled
}

// Encode returns the page of columns, without their lists, in each form; the last
// one is the smaller one of large pages. Height maps go by rule where that is less; rule may
// be nil.
func Encode(columns []*voxel.Column, rule Ruled) []pages.Page {
	p := pageWriter{rule: rule, tags: new(tags.Builder)}
	for _, c := range columns {
		p.column(c)
	}
	p.spell()
	var spelled []byte
	for _, n := range p.names {
		spelled = pages.ByWords.Append(spelled, n)
	}
	candidates := []pages.Page{{Form: Plain, Streams: p.streams[:]}}
	return addSplit(candidates, Tags, p.tags, [][]byte{spelled, p.streams[columnShapes], p.streams[columnStamps], p.streams[columnMaps]})
}

// spell writes the names.
func (p *pageWriter) spell() {
	for _, n := range p.names {
		p.streams[columnNames] = pages.AppendString(p.streams[columnNames], n)
	}
}

// addSplit adds the page with tags split by package tags, if that is possible.
func addSplit(candidates []pages.Page, form byte, w *tags.Builder, streams [][]byte) []pages.Page {
	documents := w.Bytes()
	split, ok := w.Streams()
	streams = append(streams, split...)
	if !ok || documents+pages.Size(streams) > pages.MaxPage {
		return candidates
	}
	return append(candidates, pages.Page{Form: form, Streams: streams})
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
	p.num(columnShapes, uint64(c.Layout)<<12|uint64(c.Stale&0xF)<<8|uint64(c.Whole))
	p.num(columnShapes, uint64(len(c.Sections)))
	y := int64(0)
	for _, s := range c.Sections {
		p.signed(columnShapes, int64(s.Y)-y)
		y = int64(s.Y) + 1
		flags := uint64(s.Has) << 1
		if s.Tags != nil {
			flags |= 1
			p.blob(s.Tags)
			if p.tags != nil {
				p.tags.Payload("", s.Tags)
			}
		}
		p.num(columnShapes, flags)
	}
	p.num(columnShapes, uint64(len(c.Maps)))
	for i := range c.Maps {
		p.name(c.Maps[i].Name)
		p.num(columnShapes, uint64(c.Maps[i].Form))
		var ruled *[256]int32
		if p.rule != nil {
			ruled = p.rule(c.Pos, c.Maps[i].Name)
		}
		p.values(&c.Maps[i].Values, ruled)
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
	if p.tags != nil {
		p.tags.Document(part.Name, part.Data)
	}
}

// values writes a map in the way with the smallest residuals.
func (p *pageWriter) values(v, rule *[256]int32) {
	way := uint64(mapGradient)
	switch {
	case rule == nil:
	case *rule == *v:
		p.num(columnShapes, mapRule)
		return
	case residualCost(v, rule) < residualCost(v, nil):
		way = mapBeside
	default:
		rule = nil
	}
	p.num(columnShapes, way)
	for i := range v {
		p.signed(columnMaps, int64(v[i])-predict(v, rule, i))
	}
}

// predict returns the prediction of v[i] from another map or, without one, from
// earlier numbers of v.
func predict(v, from *[256]int32, i int) int64 {
	if from != nil {
		return int64(from[i])
	}
	return gradient(v, i)
}

func residualCost(v, from *[256]int32) (cost int) {
	for i := range v {
		d := int64(v[i]) - predict(v, from, i)
		cost += bits.Len64(uint64(max(d, -d)))
	}
	return cost
}

// gradient predicts v[i] from its neighbours to the west, north and north-west:
// W+N-NW, limited to the range of W and N.
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
