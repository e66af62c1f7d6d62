package texture

import "math"

// probe is a place where a footprint is sampled.
type probe struct {
	s, t float64
	line float32 // its part of the footprint

	// In the level that is being read:
	x, y   int     // the first texel of its block
	fx, fy float32 // how far it lies beyond the texel before it, 0 to 1
	weight float32
	spot   int  // the first of its spots
	whole  bool // its block lies in one tile
}

// Footprints are no smaller than tiny and no larger than huge.
const (
	tiny = 1e-8
	huge = 1000
)

// plan makes the probes of a lookup at s and t, and chooses the levels: those of v from
// m.first on, with the weights m.parts.
func (m *Sampler) plan(v *view, l *Lookup, s, t float64) {
	dsdx, dtdx, dsdy, dtdy := l.DSDX, l.DTDX, l.DSDY, l.DTDY
	if sum := dsdx*dsdx + dtdx*dtdx + dsdy*dsdy + dtdy*dtdy; !(sum >= tiny*tiny && sum <= math.MaxFloat64) {
		width := l.Width
		if !(width >= tiny && width <= huge) {
			width = tiny
		}
		dsdx, dtdx, dsdy, dtdy = width, 0, 0, width
	}
	if v.Filter == Smart {
		m.natural[0] = 1 / max(math.Abs(dsdx), math.Abs(dsdy), tiny)
		m.natural[1] = 1 / max(math.Abs(dtdx), math.Abs(dtdy), tiny)
	}
	dsdx, dsdy = dsdx*v.width[0], dsdy*v.width[0]
	dtdx, dtdy = dtdx*v.width[1], dtdy*v.width[1]
	if v.Levels == Anisotropic {
		m.planLine(v, s, t, dsdx, dtdx, dsdy, dtdy)
		return
	}
	m.n = 1
	p := &m.probes[0]
	p.s, p.t, p.line = s, t, 1
	if v.Levels == NoMip {
		m.levels, m.parts = [2]int{}, [2]float64{1, 0}
		return
	}
	fs, ft := max(math.Abs(dsdx), math.Abs(dsdy)), max(math.Abs(dtdx), math.Abs(dtdy))
	filter := max(fs, ft)
	if v.Sharp {
		filter = min(fs, ft)
	}
	m.chooseLevels(v, filter+max(v.blur[0], v.blur[1]))
}

// planLine places probes on the long axis of the ellipse that the derivatives span.
func (m *Sampler) planLine(v *view, s, t, dsdx, dtdx, dsdy, dtdy float64) {
	a := dtdx*dtdx + dtdy*dtdy
	b := -2 * (dsdx*dtdx + dsdy*dtdy)
	c := dsdx*dsdx + dsdy*dsdy
	root := math.Sqrt((a-c)*(a-c) + b*b)
	long := min(math.Sqrt((a+c+root)/2), huge)
	short := min(math.Sqrt(max(a+c-root, 0)/2), long)
	var cos, sin float64 // of the long axis
	blurred := v.blur != [2]float64{}
	if blurred {
		cos, sin = axis(a-c, b, root)
		x, y := math.Abs(cos), math.Abs(sin)
		long += v.blur[0]*x + v.blur[1]*y
		short += v.blur[0]*y + v.blur[1]*x
		if short > long {
			long, short = short, long
			cos, sin = -sin, cos
		}
	}
	aspect := max(long/short, 1)
	if aspect > v.aspect {
		aspect = v.aspect
		if v.Sharp {
			long = short * aspect
		} else {
			long = (long + short*aspect) / 2
			short = long / aspect
		}
	}
	m.chooseLevels(v, short)
	if edge := max(v.levels[0].fw, v.levels[0].fh); m.levels[1] == 0 && short*edge < 0.5 {
		aspect = min(max(2*long*edge, 1), v.aspect)
	}
	// A little more, so that rounding does not drop a probe of a whole aspect.
	m.n = max(1, int(2*aspect-1+1e-6))
	if m.n == 1 {
		p := &m.probes[0]
		p.s, p.t, p.line = s, t, 1
		return
	}
	if !blurred {
		cos, sin = axis(a-c, b, root)
	}
	length := long - short // half of that of the line
	m.placeProbes(s, t, cos*length, sin*length, long/(2*length))
}

// placeProbes places m.n probes around s and t. scale is the long axis in lengths of the
// line.
func (m *Sampler) placeProbes(s, t, ds, dt, scale float64) {
	n := m.n
	sum := 0.0
	for i := range (n + 1) / 2 {
		at := (2*float64(i)+1)/float64(n) - 1
		weight := 0.5
		if n > 2 {
			weight = math.Exp(-2 * at * at * scale * scale)
		}
		p, q := &m.probes[i], &m.probes[n-1-i] // the line is symmetric
		p.s, p.t, p.line = s+at*ds, t+at*dt, float32(weight)
		q.s, q.t, q.line = s-at*ds, t-at*dt, float32(weight)
		if sum += weight; p != q {
			sum += weight
		}
	}
	for i := range n {
		m.probes[i].line /= float32(sum)
	}
}

// axis returns the direction of the long axis of an ellipse: half of the angle whose cosine
// and sine are x/r and y/r, and a right angle.
func axis(x, y, r float64) (cos, sin float64) {
	switch {
	case r == 0:
		return 0, 1
	case x >= 0:
		c := math.Sqrt((1 + x/r) / 2)
		return -y / (2 * r * c), c
	}
	s := math.Copysign(math.Sqrt((1-x/r)/2), y)
	return -s, y / (2 * r * s)
}

// chooseLevels chooses two levels for a filter of a width.
func (m *Sampler) chooseLevels(v *view, width float64) {
	n := 0
	for n < len(v.levels) && width*v.levels[n].least > 1 {
		n++
	}
	switch {
	case n == 0:
		m.levels, m.parts = [2]int{}, [2]float64{1, 0}
	case n == len(v.levels):
		m.levels, m.parts = [2]int{n - 1, n - 1}, [2]float64{1, 0}
	case v.Levels == OneLevel:
		m.levels, m.parts = [2]int{n, n}, [2]float64{1, 0}
	default:
		part := max(2*width*v.levels[n].least-1, 0)
		m.levels, m.parts = [2]int{n - 1, n}, [2]float64{1 - part, part}
	}
}
