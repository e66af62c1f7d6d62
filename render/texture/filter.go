package texture

import (
	"context"
	"math"
)

// filter adds what the probes find in a level, times its part, to the result.
func (m *Sampler) filter(ctx context.Context, v *view, l *level, part float32) error {
	run := m.choose(v, l)
	edge := m.edge
	lowX, lowY, highX, highY := math.MaxInt, math.MaxInt, math.MinInt, math.MinInt
	for i := range m.n {
		p := &m.probes[i]
		x, y := p.s*l.fw-0.5, p.t*l.fh-0.5
		fx, fy := math.Floor(x), math.Floor(y)
		p.x, p.y, p.fx, p.fy = int(fx), int(fy), float32(x-fx), float32(y-fy)
		p.weight = p.line * part
		if edge != 2 {
			p.align(edge)
		}
		lowX, highX = min(lowX, p.x), max(highX, p.x)
		lowY, highY = min(lowY, p.y), max(highY, p.y)
	}
	highX, highY = highX+edge-1, highY+edge-1
	if lowX >= 0 && lowY >= 0 && highX < l.w && highY < l.h {
		tx, ty := v.tileOf(lowX, lowY)
		if x, y := v.tileOf(highX, highY); x == tx && y == ty {
			in := &m.last[l.number&1]
			if err := m.load(ctx, &place{v, l, tx, ty}, in); err != nil {
				return err
			}
			run(m, v, in, 0, m.n)
			return nil
		}
	}
	return m.scattered(ctx, v, l, run)
}

// choose chooses the blocks of probes in a level, and returns the kernel for them.
func (m *Sampler) choose(v *view, l *level) kernel {
	m.edge = 2
	switch v.Filter {
	case Closest:
		m.edge = 1
	case Bicubic:
		m.edge = 4
	case Smart:
		magnified := l.number == 0 || l.fw < math.Floor(m.natural[0]/2) || l.fh < math.Floor(m.natural[1]/2)
		if v.Levels == Anisotropic && magnified {
			m.edge = 4
		}
	}
	m.counts[footprints]++
	m.counts[closest+m.edge/2] += int64(m.n)
	if n := len(m.out); m.edge == 2 && n < len(v.bilinear) && v.bilinear[n] != nil {
		return v.bilinear[n]
	}
	return v.any
}

// align moves a probe from the texel before it to the first of its block, which is the only one or
// the one before that.
func (p *probe) align(edge int) {
	if edge == 4 {
		p.x--
		p.y--
		return
	}
	if p.fx > 0.5 {
		p.x++
	}
	if p.fy > 0.5 {
		p.y++
	}
}
