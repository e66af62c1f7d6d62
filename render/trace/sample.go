package trace

import (
	"math"
	"math/bits"
)

// points gives well spread points in a square to the samples of one pixel: the Sobol sequence, its order
// and its digits scrambled (Burley, Practical Hash-based Owen Scrambling, 2020). Any first part of the
// samples is well spread too.
type points struct{ pixel, index uint32 }

// at returns the point of a dimension, 0 to 1 each.
func (p points) at(dimension uint32) (u, v float64) {
	seed := hash(p.pixel ^ dimension*0x9E3779B9)
	i := scramble(p.index, seed)
	x, y := bits.Reverse32(i), uint32(0)
	for direction := uint32(1 << 31); i != 0; i >>= 1 {
		if i&1 != 0 {
			y ^= direction
		}
		direction ^= direction >> 1
	}
	return unit(scramble(x, hash(seed^1))), unit(scramble(y, hash(seed^2)))
}

func unit(x uint32) float64 { return float64(x) / (1 << 32) }

// scramble permutes the halves of the numbers, the halves of these, and so on.
func scramble(x, seed uint32) uint32 {
	x = bits.Reverse32(x)
	x ^= x * 0x3D20ADEA
	x += seed
	x *= seed>>16 | 1
	x ^= x * 0x05526C56
	x ^= x * 0x53A22864
	return bits.Reverse32(x)
}

func hash(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x7FEB352D
	x ^= x >> 15
	x *= 0x846CA68B
	return x ^ x>>16
}

// cosine returns a direction above a side, by the cosine of the angle to its normal.
func cosine(normal vec, u, v float64) vec {
	radius, sin, cos := math.Sqrt(u), 0.0, 0.0
	sin, cos = math.Sincos(2 * math.Pi * v)
	a, b := basis(normal)
	x, y, z := radius*cos, radius*sin, math.Sqrt(max(0, 1-u))
	return vec{a[0]*x + b[0]*y + normal[0]*z, a[1]*x + b[1]*y + normal[1]*z, a[2]*x + b[2]*y + normal[2]*z}
}

// basis returns two directions across a normal (Duff and others, Building an Orthonormal Basis, Revisited,
// 2017).
func basis(n vec) (a, b vec) {
	sign := math.Copysign(1, n[2])
	p := -1 / (sign + n[2])
	q := n[0] * n[1] * p
	return vec{1 + sign*n[0]*n[0]*p, sign * q, -sign * n[0]}, vec{q, sign + n[1]*n[1]*p, -n[1]}
}
