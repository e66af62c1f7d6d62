package texture

import (
	"context"
	"math"

	"github.com/cairnvoxel/cairn/tile"
)

// page is a tile that a footprint reads.
type page struct {
	key    tile.Flat
	handle tile.Handle
	data   []byte
	sx, sy int // bytes from a texel to the next, and from a row to the next
	base   int // where the texel in column 0 and row 0 of the level would be
}

// noKey is that of no tile: no image has so many.
const noKey = tile.Flat(math.MaxUint64)

func (p *page) drop() {
	p.handle.Release()
	*p = page{key: noKey}
}

// place is a tile of a level.
type place struct {
	v      *view
	l      *level
	tx, ty int
}

func (at *place) key() tile.Flat {
	k, _ := tile.FlatKey(at.v.item.ID(), at.l.number, at.ty+at.l.ty0, at.tx+at.l.tx0)
	return k
}

// set makes the page that of a tile, whose handle it takes over.
func (p *page) set(at *place, key tile.Flat, h tile.Handle) {
	p.key, p.handle = key, h
	if element, _, ok := h.Constant(); ok { // all texels are the first
		p.data, p.sx, p.sy, p.base = element, 0, 0, 0
		return
	}
	v := at.v
	x, y := at.tx*v.header.Block.Width, at.ty*v.header.Block.Height
	p.data = h.Bytes()
	p.sx = v.pixel
	p.sy = v.pixel * min(v.header.Block.Width, at.l.w-x)
	p.base = -y*p.sy - x*p.sx
}

// load makes a page that of a tile.
func (m *Sampler) load(ctx context.Context, at *place, in *page) error {
	m.counts[tileRequests]++
	key := at.key()
	if in.key == key {
		m.counts[tileRepeats]++
		return nil
	}
	in.drop()
	if m.system.tight.Load() {
		m.last[0].drop()
		m.last[1].drop()
	}
	h, err := m.system.cache.Get(ctx, m.worker, key, at.v.item)
	if err == nil {
		in.set(at, key, h)
	}
	return err
}

// spot is where texels lie: all of a probe, or one.
type spot struct {
	place int // in m.places; negative: it is black
	x, y  int
}

// scattered adds what probes find that do not lie in one tile.
func (m *Sampler) scattered(ctx context.Context, v *view, l *level, run kernel) error {
	for from := 0; from < m.n; {
		to, err := m.gather(ctx, v, l, from)
		for ; from < to && err == nil; from++ {
			err = m.probe(ctx, v, run, from)
		}
		for i := range m.pages {
			m.pages[i].drop()
		}
		m.pages = m.pages[:0]
		if err != nil {
			return err
		}
	}
	return nil
}

// mostPlaces is how many tiles a Sampler asks for at once, at least those of one probe.
const mostPlaces = 20

// gather finds the spots of probes from one on and gets their tiles, those that are neighbours
// under one lock. It returns the first probe that is left.
func (m *Sampler) gather(ctx context.Context, v *view, l *level, from int) (to int, err error) {
	m.places, m.requests, m.spots = m.places[:0], m.requests[:0], m.spots[:0]
	for to = from; to < m.n && (to == from || len(m.places)+m.edge*m.edge <= mostPlaces); to++ {
		if err := m.locate(ctx, v, l, &m.probes[to]); err != nil {
			return 0, err
		}
	}
	if m.system.tight.Load() { // page gets one at a time
		return to, nil
	}
	m.counts[tileRequests] += int64(len(m.requests))
	m.handles, err = m.system.cache.GetAll(ctx, m.worker, m.requests, m.handles[:0])
	for i, h := range m.handles {
		m.pages = append(m.pages, page{})
		m.pages[i].set(&m.places[i], m.requests[i].Key, h)
	}
	return to, err
}

// locate finds the spots of a probe: one if its block lies in one tile, else one for each texel.
func (m *Sampler) locate(ctx context.Context, v *view, l *level, p *probe) error {
	p.spot, p.whole = len(m.spots), false
	if x, y := p.x+m.edge-1, p.y+m.edge-1; p.x >= 0 && p.y >= 0 && x < l.w && y < l.h {
		tx, ty := v.tileOf(p.x, p.y)
		x, y = v.tileOf(x, y)
		if p.whole = x == tx && y == ty; p.whole {
			m.addSpot(v, l, p.x, p.y)
			return nil
		}
	}
	for i := range m.edge * m.edge {
		of, at, x, y, ok := v, l, p.x+i%m.edge, p.y+i/m.edge, true
		if outside := x < 0 || y < 0 || x >= l.w || y >= l.h; outside && v.set != nil {
			var err error
			if of, at, x, y, err = m.beyond(ctx, v, l, x, y); err != nil {
				return err
			}
		} else if outside {
			var okY bool
			x, ok = wrapped(v.wrap[0], x, l.w)
			y, okY = wrapped(v.wrap[1], y, l.h)
			ok = ok && okY
		}
		if ok {
			m.addSpot(of, at, x, y)
		} else {
			m.spots = append(m.spots, spot{place: -1})
		}
	}
	return nil
}

// addSpot adds a spot, and its tile if that is new.
func (m *Sampler) addSpot(v *view, l *level, x, y int) {
	tx, ty := v.tileOf(x, y)
	at := place{v, l, tx, ty}
	key := at.key()
	i := 0
	for i < len(m.requests) && m.requests[i].Key != key {
		i++
	}
	if i == len(m.requests) {
		m.requests = append(m.requests, tile.Request[tile.Flat]{Key: key, Loader: v.item})
		m.places = append(m.places, at)
	}
	m.spots = append(m.spots, spot{i, x, y})
}

// probe runs the kernel for one probe. Texels that lie in several tiles it brings together.
func (m *Sampler) probe(ctx context.Context, v *view, run kernel, i int) error {
	p := &m.probes[i]
	if p.whole {
		in, err := m.page(ctx, m.spots[p.spot].place)
		if err == nil {
			run(m, v, in, i, i+1)
		}
		return err
	}
	m.scratch = m.scratch[:0]
	for _, s := range m.spots[p.spot:][:m.edge*m.edge] {
		if s.place < 0 {
			m.scratch = append(m.scratch, make([]byte, v.pixel)...)
			continue
		}
		in, err := m.page(ctx, s.place)
		if err != nil {
			return err
		}
		m.scratch = append(m.scratch, in.data[in.base+s.y*in.sy+s.x*in.sx:][:v.pixel]...)
	}
	in := page{data: m.scratch, sx: v.pixel, sy: m.edge * v.pixel}
	in.base = -p.y*in.sy - p.x*in.sx
	run(m, v, &in, i, i+1)
	return nil
}

// page returns the page of a place.
func (m *Sampler) page(ctx context.Context, i int) (*page, error) {
	if i < len(m.pages) {
		return &m.pages[i], nil
	}
	return &m.last[0], m.load(ctx, &m.places[i], &m.last[0])
}
