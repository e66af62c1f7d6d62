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
	i := bits.Reverse32(scramble(bits.Reverse32(p.index), seed))
	return unit(scramble(i, hash(seed^1))), unit(scramble(second(i), hash(seed^2)))
}

// unit returns the number from 0 to 1 whose binary digits are those of x, the lowest first.
func unit(x uint32) float64 { return float64(bits.Reverse32(x)) / (1 << 32) }

// second returns the second coordinate of point i of the sequence, as unit takes it. Its digit j is the sum of the
// digits of i whose numbers have all bits of j.
func second(i uint32) uint32 {
	i ^= i >> 1 & 0x55555555
	i ^= i >> 2 & 0x33333333
	i ^= i >> 4 & 0x0F0F0F0F
	i ^= i >> 8 & 0x00FF00FF
	return i ^ i>>16
}

// scramble permutes the halves of the numbers, the halves of these, and so on. The lowest bit says in which half a
// number is.
func scramble(x, seed uint32) uint32 {
	x ^= x * 0x3D20ADEA
	x += seed
	x *= seed>>16 | 1
	x ^= x * 0x05526C56
	return x ^ x*0x53A22864
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
