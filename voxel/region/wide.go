package region

import (
	"math/big"
	"math/bits"
)

// wide is an integer of 128 bits in two's complement.
type wide struct {
	high int64
	low  uint64
}

// product returns a times b.
func product(a, b int64) wide {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return wide{int64(high) - a>>63&b - b>>63&a, low}
}

// minus returns a - b, which must fit.
func (a wide) minus(b wide) wide {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	return wide{a.high - b.high - int64(borrow), low}
}

// sign returns -1, 0 or 1.
func (a wide) sign() int {
	switch {
	case a.high < 0:
		return -1
	case a.high|int64(a.low>>1|a.low&1) == 0:
		return 0
	}
	return 1
}

// compare returns the sign of a - b, which need not fit.
func (a wide) compare(b wide) int {
	switch {
	case a.high != b.high:
		return 2*b2i(a.high > b.high) - 1
	case a.low != b.low:
		return 2*b2i(a.low > b.low) - 1
	}
	return 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// magnitude returns the absolute value of a.
func (a wide) magnitude() (high, low uint64) {
	if a.high >= 0 {
		return uint64(a.high), a.low
	}
	low, carry := bits.Sub64(0, a.low, 0)
	high, _ = bits.Sub64(0, uint64(a.high), carry)
	return high, low
}

// compareProducts returns the sign of a*b - c*d, exactly.
func compareProducts(a, b, c, d wide) int {
	s, t := a.sign()*b.sign(), c.sign()*d.sign()
	if s != t {
		return 2*b2i(s > t) - 1
	}
	m, n := square(a, b), square(c, d)
	for i := 3; i >= 0; i-- {
		if m[i] != n[i] {
			return s * (2*b2i(m[i] > n[i]) - 1)
		}
	}
	return 0
}

// square returns the magnitude of a times b, its lowest 64 bits first.
func square(a, b wide) (out [4]uint64) {
	ah, al := a.magnitude()
	bh, bl := b.magnitude()
	var carry uint64
	out[1], out[0] = bits.Mul64(al, bl)
	out[3], out[2] = bits.Mul64(ah, bh)
	for _, f := range [2][2]uint64{{ah, bl}, {al, bh}} {
		high, low := bits.Mul64(f[0], f[1])
		out[1], carry = bits.Add64(out[1], low, 0)
		out[2], carry = bits.Add64(out[2], high, carry)
		out[3] += carry
	}
	return out
}

// over returns the greatest integer that is at most a/b and fits, and whether it is a/b.
func (a wide) over(b int64) (floor int64, exact bool) {
	high, low := a.magnitude()
	d := uint64(max(b, -b))
	quotient, rest := bits.Div64(high, low, d)
	floor = int64(quotient)
	if a.sign() < 0 != (b < 0) {
		floor = -floor - int64(b2i(rest != 0))
	}
	return floor, rest == 0
}

func (a wide) big() *big.Int {
	v := big.NewInt(a.high)
	return v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(a.low))
}
