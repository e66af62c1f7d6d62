package texture

import (
	"encoding/binary"
	"math"
	"unsafe"

	"github.com/cairnvoxel/cairn/internal/raster"
)

// A kernel adds the weighted texels of some probes of m, whose blocks lie in a page, to
// m.out. It adds them in order, one probe after another, so that it does not matter how
// the probes are divided into calls.
type kernel func(m *Sampler, v *view, in *page, from, to int)

// kernels are those of a view.
type kernels struct {
	any kernel
	// bilinear are faster, by the number of channels. They are nil where they do not fit.
	bilinear [5]kernel
}

// kernelsOf returns the kernels for channels with these curves.
func kernelsOf[N number](c []*raster.Curve) kernels {
	if len(c) < 3 || c[0] != c[1] || c[0] != c[2] { // the fast ones have one curve for three channels
		return kernels{block[N], [5]kernel{1: one[N]}}
	}
	return kernels{block[N], [5]kernel{1: one[N], 3: three[N], 4: four[N]}}
}

// number is how a tile has a number: as it was, or as the bits of a float.
type number interface{ uint8 | uint16 | uint32 }

// size returns the bytes of a number.
func size[N number]() int {
	var n N
	return int(unsafe.Sizeof(n))
}

// value returns the value of the number that b begins with.
func value[N number](c *raster.Curve, b []byte) float32 {
	switch size[N]() {
	case 1:
		return c[b[0]]
	case 2:
		return c[binary.LittleEndian.Uint16(b)]
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b))
}

// corners returns the weights of the four texels of a bilinear probe: the upper two, then
// the lower two.
func (p *probe) corners() (a, b, c, d float32) {
	right := p.weight * p.fx
	left := p.weight - right
	c, d = left*p.fy, right*p.fy
	return left - c, right - d, c, d
}

func one[N number](m *Sampler, v *view, in *page, from, to int) {
	t, at, data := v.curves[0], in.base+v.offset, in.data
	sum := m.out[0]
	for i := from; i < to; i++ {
		p := &m.probes[i]
		o := at + p.y*in.sy + p.x*in.sx
		wa, wb, wc, wd := p.corners()
		sum += wa*value[N](t, data[o:]) + wb*value[N](t, data[o+in.sx:]) + wc*value[N](t, data[o+in.sy:]) + wd*value[N](t, data[o+in.sy+in.sx:])
	}
	m.out[0] = sum
}

func three[N number](m *Sampler, v *view, in *page, from, to int) {
	t, at, data := v.curves[0], in.base+v.offset, in.data
	out := m.out[:3]
	r, g, b := out[0], out[1], out[2]
	n := size[N]()
	for i := from; i < to; i++ {
		p := &m.probes[i]
		o := at + p.y*in.sy + p.x*in.sx
		wa, wb, wc, wd := p.corners()
		pa, pb := data[o:][:3*n], data[o+in.sx:][:3*n]
		o += in.sy
		pc, pd := data[o:][:3*n], data[o+in.sx:][:3*n]
		r += wa*value[N](t, pa) + wb*value[N](t, pb) + wc*value[N](t, pc) + wd*value[N](t, pd)
		g += wa*value[N](t, pa[n:]) + wb*value[N](t, pb[n:]) + wc*value[N](t, pc[n:]) + wd*value[N](t, pd[n:])
		b += wa*value[N](t, pa[2*n:]) + wb*value[N](t, pb[2*n:]) + wc*value[N](t, pc[2*n:]) + wd*value[N](t, pd[2*n:])
	}
	out[0], out[1], out[2] = r, g, b
}

func four[N number](m *Sampler, v *view, in *page, from, to int) {
	t, last, at, data := v.curves[0], v.curves[3], in.base+v.offset, in.data
	out := m.out[:4]
	r, g, b, a := out[0], out[1], out[2], out[3]
	n := size[N]()
	for i := from; i < to; i++ {
		p := &m.probes[i]
		o := at + p.y*in.sy + p.x*in.sx
		wa, wb, wc, wd := p.corners()
		pa, pb := data[o:][:4*n], data[o+in.sx:][:4*n]
		o += in.sy
		pc, pd := data[o:][:4*n], data[o+in.sx:][:4*n]
		r += wa*value[N](t, pa) + wb*value[N](t, pb) + wc*value[N](t, pc) + wd*value[N](t, pd)
		g += wa*value[N](t, pa[n:]) + wb*value[N](t, pb[n:]) + wc*value[N](t, pc[n:]) + wd*value[N](t, pd[n:])
		b += wa*value[N](t, pa[2*n:]) + wb*value[N](t, pb[2*n:]) + wc*value[N](t, pc[2*n:]) + wd*value[N](t, pd[2*n:])
		a += wa*value[N](last, pa[3*n:]) + wb*value[N](last, pb[3*n:]) + wc*value[N](last, pc[3*n:]) + wd*value[N](last, pd[3*n:])
	}
	out[0], out[1], out[2], out[3] = r, g, b, a
}

// block is the kernel for probes of any edge and any number of channels.
func block[N number](m *Sampler, v *view, in *page, from, to int) {
	out := m.out
	n := size[N]()
	for i := from; i < to; i++ {
		p := &m.probes[i]
		wx, wy := weights(m.edge, p.fx), weights(m.edge, p.fy)
		row := in.base + v.offset + p.y*in.sy + p.x*in.sx
		for y := range m.edge {
			for x := range m.edge {
				w := p.weight * wy[y] * wx[x]
				at := in.data[row+x*in.sx:]
				for c := range out {
					out[c] += w * value[N](v.curves[c], at[c*n:])
				}
			}
			row += in.sy
		}
	}
}

// weights returns the weights of the texels in a row of a block.
func weights(edge int, f float32) [4]float32 {
	switch edge {
	case 1:
		return [4]float32{1}
	case 2:
		return [4]float32{1 - f, f}
	}
	g := 1 - f
	return [4]float32{g * g * g / 6, 2.0/3 - f*f*(2-f)/2, 2.0/3 - g*g*(2-g)/2, f * f * f / 6}
}
