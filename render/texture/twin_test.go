package texture_test

import (
	"math"

	"github.com/cairnvoxel/cairn/render/texture"
)

// twin samples pictures that lie in memory, in double precision, the obvious way.
type twin struct {
	of *texture.Texture
	// at returns the picture at u and v of a set, or nil. An image that is no set has one
	// picture for all.
	at  func(u, v int) *picture
	set bool
}

// wrapTexel returns the texel for a place beyond an edge of n texels, -1 for black.
func wrapTexel(wrap, x, n int) int {
	switch wrap {
	case texture.Clamp:
		return min(max(x, 0), n-1)
	case texture.Periodic:
		return ((x % n) + n) % n
	case texture.Mirror:
		for x < 0 || x >= n {
			if x < 0 {
				x = -x - 1
			} else {
				x = 2*n - 1 - x
			}
		}
		return x
	}
	if x < 0 || x >= n {
		return -1
	}
	return x
}

// texel returns the linear values of a texel of the picture at u and v.
func (w *twin) texel(u, v, level, x, y int) []float64 {
	p := w.at(u, v)
	size := p.header.Levels[level]
	if w.set {
		du, dv := int(math.Floor(float64(x)/float64(size.Width))), int(math.Floor(float64(y)/float64(size.Height)))
		next := w.at(u+du, v+dv)
		if next != nil && next.header.Levels[0] == p.header.Levels[0] {
			p, x, y = next, x-du*size.Width, y-dv*size.Height
		} else {
			x, y = min(max(x, 0), size.Width-1), min(max(y, 0), size.Height-1)
		}
	} else {
		x, y = wrapTexel(w.of.WrapS, x, size.Width), wrapTexel(w.of.WrapT, y, size.Height)
	}
	out := make([]float64, len(p.header.Channels))
	if x < 0 || y < 0 {
		return out
	}
	copy(out, p.values[level][(y*size.Width+x)*len(out):])
	for c, name := range p.header.Channels {
		if p.header.SRGB && name != "A" {
			if out[c] <= 0.04045 {
				out[c] /= 12.92
			} else {
				out[c] = math.Pow((out[c]+0.055)/1.055, 2.4)
			}
		}
	}
	return out
}

// spline is the uniform cubic B-spline.
func spline(x float64) float64 {
	x = math.Abs(x)
	switch {
	case x < 1:
		return 2./3 - x*x*(2-x)/2
	case x < 2:
		return math.Pow(2-x, 3) / 6
	}
	return 0
}

// probe returns the value at a place of a level.
func (w *twin) probe(u, v, level int, s, t float64, filter int) []float64 {
	size := w.at(u, v).header.Levels[level]
	x, y := s*float64(size.Width)-0.5, t*float64(size.Height)-0.5
	x0, y0 := int(math.Floor(x)), int(math.Floor(y))
	weight, reach := func(d float64) float64 { return max(1-math.Abs(d), 0) }, 1
	switch filter {
	case texture.Closest:
		if x-float64(x0) > 0.5 {
			x0++
		}
		if y-float64(y0) > 0.5 {
			y0++
		}
		return w.texel(u, v, level, x0, y0)
	case texture.Bicubic:
		weight, reach = spline, 2
	}
	var out []float64
	for j := y0 - reach + 1; j <= y0+reach; j++ {
		for i := x0 - reach + 1; i <= x0+reach; i++ {
			texel := w.texel(u, v, level, i, j)
			if out == nil {
				out = make([]float64, len(texel))
			}
			for c, value := range texel {
				out[c] += weight(x-float64(i)) * weight(y-float64(j)) * value
			}
		}
	}
	return out
}

// sample returns all channels of a lookup.
func (w *twin) sample(l *texture.Lookup) []float64 {
	o := w.of
	u, v, s, t := 0, 0, l.S, l.T
	if w.set {
		u, v = max(int(s), 0), max(int(t), 0)
		s, t = s-math.Floor(s), t-math.Floor(t)
	}
	p := w.at(u, v)
	if p == nil {
		return nil
	}
	d := [4]float64{l.DSDX, l.DTDX, l.DSDY, l.DTDY}
	bad := d == [4]float64{}
	for _, v := range d {
		bad = bad || math.IsNaN(v) || math.IsInf(v, 0)
	}
	if bad {
		d = [4]float64{l.Width, 0, 0, l.Width}
		if !(l.Width > 0) || math.IsInf(l.Width, 0) {
			d[0], d[3] = 1e-8, 1e-8
		}
	}
	natural := [2]float64{1 / max(math.Abs(d[0]), math.Abs(d[2]), 1e-8), 1 / max(math.Abs(d[1]), math.Abs(d[3]), 1e-8)}
	sharper := 1.0
	if o.Purpose == texture.Mask {
		sharper = math.Sqrt(0.5)
	}
	width, blur := o.Width, [2]float64{o.Blur[0] * sharper, o.Blur[1] * sharper}
	for i := range width {
		if width[i] == 0 {
			width[i] = 1
		}
	}
	for i := range d {
		d[i] *= width[i%2] * sharper
	}
	filter := o.Filter
	if filter == texture.Smart {
		filter = texture.Bilinear
	}
	if o.Levels == texture.NoMip {
		return w.probe(u, v, 0, s, t, filter)
	}
	if o.Levels == texture.Anisotropic {
		return w.line(u, v, s, t, d, blur, natural)
	}
	fs, ft := max(math.Abs(d[0]), math.Abs(d[2])), max(math.Abs(d[1]), math.Abs(d[3]))
	f := max(fs, ft)
	if o.Sharp {
		f = min(fs, ft)
	}
	levels, parts := w.levels(p, f+max(blur[0], blur[1]))
	var out []float64
	for i, level := range levels {
		out = add(out, w.probe(u, v, level, s, t, filter), parts[i])
	}
	return out
}

func add(sum, v []float64, weight float64) []float64 {
	if sum == nil {
		sum = make([]float64, len(v))
	}
	for i := range v {
		sum[i] += weight * v[i]
	}
	return sum
}

// levels returns the levels for a width, and the part of each.
func (w *twin) levels(p *picture, width float64) ([]int, []float64) {
	all := p.header.Levels
	for m, size := range all {
		f := width * float64(min(size.Width, size.Height))
		switch {
		case f > 1:
			continue
		case m == 0:
			return []int{0}, []float64{1}
		case w.of.Levels == texture.OneLevel:
			return []int{m}, []float64{1}
		}
		part := min(max(2*f-1, 0), 1)
		return []int{m - 1, m}, []float64{1 - part, part}
	}
	return []int{len(all) - 1}, []float64{1}
}

// line samples along the long axis of the ellipse of the derivatives.
func (w *twin) line(u, v int, s, t float64, d [4]float64, blur, natural [2]float64) []float64 {
	o := w.of
	a, b, c := d[1]*d[1]+d[3]*d[3], -2*(d[0]*d[1]+d[2]*d[3]), d[0]*d[0]+d[2]*d[2]
	r := math.Hypot(a-c, b)
	major, minor := min(math.Sqrt((a+c+r)/2), 1000), min(math.Sqrt(max(a+c-r, 0)/2), 1000)
	theta := math.Atan2(b, a-c)/2 + math.Pi/2
	if blur != [2]float64{} {
		sin, cos := math.Sincos(theta)
		sin, cos = math.Abs(sin), math.Abs(cos)
		major, minor = major+blur[0]*cos+blur[1]*sin, minor+blur[0]*sin+blur[1]*cos
		if minor > major {
			major, minor, theta = minor, major, theta+math.Pi/2
		}
	}
	n := float64(o.MaxAnisotropy)
	if n == 0 {
		n = 8
	}
	aspect := major / minor
	if aspect > n {
		aspect = n
		if o.Sharp {
			major = minor * n
		} else {
			major = (major + minor*n) / 2
			minor = major / n
		}
	}
	p := w.at(u, v)
	levels, parts := w.levels(p, minor)
	if edge := float64(max(p.header.Levels[0].Width, p.header.Levels[0].Height)); levels[len(levels)-1] == 0 && minor*edge < 0.5 {
		aspect = min(max(2*major*edge, 1), n)
	}
	probes := max(1, int(2*aspect-1+1e-6))
	length := 2 * (major - minor)
	weights := make([]float64, probes)
	sum := 0.0
	for i := range weights {
		weights[i] = 1
		if at := 2*(float64(i)+0.5)/float64(probes) - 1; probes > 2 {
			weights[i] = math.Exp(-2 * math.Pow(at*major/length, 2))
		}
		sum += weights[i]
	}
	var out []float64
	for k, level := range levels {
		filter := o.Filter
		if filter == texture.Smart {
			size := p.header.Levels[level]
			filter = texture.Bilinear
			if level == 0 || size.Width < int(natural[0])/2 || size.Height < int(natural[1])/2 {
				filter = texture.Bicubic
			}
		}
		for i := range weights {
			at := 2*(float64(i)+0.5)/float64(probes) - 1
			ps, pt := s+at*length/2*math.Cos(theta), t+at*length/2*math.Sin(theta)
			out = add(out, w.probe(u, v, level, ps, pt, filter), parts[k]*weights[i]/sum)
		}
	}
	return out
}
