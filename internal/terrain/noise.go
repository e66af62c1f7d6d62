package terrain

import "math"

// mix is the finalizer of splitmix64: every bit of the result depends on every
// bit of v.
func mix(v uint64) uint64 {
	v = (v ^ v>>30) * 0xBF58476D1CE4E5B9
	v = (v ^ v>>27) * 0x94D049BB133111EB
	return v ^ v>>31
}

// seed is a source of noise and random numbers. A salt gives independent streams of
// one world.
type seed uint64

func (s seed) salt(n int) seed { return seed(mix(uint64(s) + uint64(n)*0x9E3779B97F4A7C15)) }

// at returns 64 random bits of a lattice point.
func (s seed) at(x, y, z int) uint64 {
	return mix(uint64(s) ^ mix(uint64(int64(x))*0x9E3779B97F4A7C15+uint64(int64(y))*0xC2B2AE3D27D4EB4F+uint64(int64(z))*0x165667B19E3779F9))
}

// chance returns a number in [0,1) of a lattice point.
func (s seed) chance(x, y, z int) float64 { return float64(s.at(x, y, z)>>11) / (1 << 53) }

// pick returns a number in 0..n-1 of a lattice point.
func (s seed) pick(x, y, z, n int) int { return int(s.at(x, y, z) >> 33 % uint64(n)) }

func smooth(t float64) float64 { return t * t * t * (t*(t*6-15) + 10) }

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

func clamp(v, lo, hi float64) float64 { return max(lo, min(hi, v)) }

// step rises smoothly from 0 at lo to 1 at hi.
func step(lo, hi, v float64) float64 { return smooth(clamp((v-lo)/(hi-lo), 0, 1)) }

// slope is the dot product of the lattice point's gradient, one of 16
// directions, with (dx,dz).
func (s seed) slope(x, z int, dx, dz float64) float64 {
	h := s.at(x, 0, z)
	const c, d = 0.9238795325112867, 0.3826834323650898 // cos and sin of 22.5 degrees
	a, b := c, d
	if h&1 != 0 {
		a, b = d, c
	}
	if h&2 != 0 {
		a = -a
	}
	if h&4 != 0 {
		b = -b
	}
	return a*dx + b*dz
}

// noise is gradient noise in the plane, about -1..1, zero at lattice points.
func (s seed) noise(x, z float64) float64 {
	fx, fz := math.Floor(x), math.Floor(z)
	ix, iz := int(fx), int(fz)
	dx, dz := x-fx, z-fz
	u, v := smooth(dx), smooth(dz)
	near := lerp(s.slope(ix, iz, dx, dz), s.slope(ix+1, iz, dx-1, dz), u)
	far := lerp(s.slope(ix, iz+1, dx, dz-1), s.slope(ix+1, iz+1, dx-1, dz-1), u)
	return lerp(near, far, v) * 1.5
}

// fbm adds n octaves of noise. Each has half the wavelength and half the amplitude
// of the previous one. The sum is about -1..1.
func (s seed) fbm(x, z float64, n int) float64 {
	sum, amp, total := 0.0, 1.0, 0.0
	for i := range n {
		sum += amp * s.salt(i).noise(x, z)
		total += amp
		x, z, amp = x*2+17.3, z*2-9.7, amp/2
	}
	return sum / total
}

// ridge is 1 where the noise is zero and falls towards 0 elsewhere.
func (s seed) ridge(x, z float64, n int) float64 {
	return 1 - min(1, 2.2*math.Abs(s.fbm(x, z, n)))
}

// cloud is value noise in space, 0..1.
func (s seed) cloud(x, y, z float64) float64 {
	fx, fy, fz := math.Floor(x), math.Floor(y), math.Floor(z)
	ix, iy, iz := int(fx), int(fy), int(fz)
	u, v, w := smooth(x-fx), smooth(y-fy), smooth(z-fz)
	edge := func(dy, dz int) float64 {
		return lerp(s.chance(ix, iy+dy, iz+dz), s.chance(ix+1, iy+dy, iz+dz), u)
	}
	return lerp(lerp(edge(0, 0), edge(0, 1), w), lerp(edge(1, 0), edge(1, 1), w), v)
}
